package main

import (
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"readahead/model/ollama/ollamatest"
)

// repeated is code that even a small model goes on with: it has seen the line
// twice.
const repeated = `package desk

func Sum(values []int) int {
	total := 0
	for _, value := range values {
		total += value
	}
	return total
}

func Product(values []int) int {
	total := 1
	for _, value := range values {
		total *= value
	}
	return total
}

func Most(values []int) int {
	most := 0
	for _, val`

// begun is the line that the cursor is in.
const begun = "for _, val"

// onReal is a desk whose server asks a real Ollama. Its model has learned to go
// on, not to fill in.
func onReal(t *testing.T) *desk {
	t.Helper()
	srv := ollamatest.Start(t)
	d := sit(t, "sum.go", repeated, "--endpoint", srv.Endpoint, "--model", srv.Model)
	d.put(t, d.config, unhurried+"prompt = \"causal\"\n")
	return d
}

// offered is what stands behind begun in the last row of a screen that has it.
func offered(screen string) string {
	rows := strings.Split(screen, "\n")
	for _, row := range slices.Backward(rows) {
		if _, rest, found := strings.Cut(row, begun); found {
			return strings.TrimRight(rest, " ")
		}
	}
	return ""
}

// gained is what stands behind begun in the file; "" while an editor is writing
// it.
func gained(d *desk) string {
	text, _ := os.ReadFile(d.file)
	_, most, _ := strings.Cut(string(text), "func Most")
	_, rest, _ := strings.Cut(most, begun)
	line, _, _ := strings.Cut(rest, "\n")
	return strings.TrimRight(line, " ")
}

func TestEditorNeovimOnARealOllama(t *testing.T) {
	v := neovims[0]
	command := editorCommand(t, v.variable)
	n := startNeovim(t, command, onReal(t), nil, plugin(t)...)
	n.write("u")
	n.until("ghost text of the real model", func(now string) bool { return len(offered(now)) > 1 })
	shown := offered(n.text())
	n.keys("Tab", "Escape")
	n.command("w")
	n.until("the file is written", func(string) bool { return len(gained(n.desk)) > 1 })
	if got := gained(n.desk); !strings.HasPrefix(got, shown) && !strings.HasPrefix(shown, got) {
		t.Errorf("shown %q, accepted %q", shown, got)
	}
	n.command("Readahead status")
	n.sees(ollamatest.Model)
}

func TestEditorHelixOnARealOllama(t *testing.T) {
	command := editorCommand(t, "READAHEAD_HX")
	d := onReal(t)
	configureHelix(t, d, helixLanguages)
	h := &helix{onScreen(t, d.dir, d.env, command+" "+d.file), d, nil}
	h.sees("sum.go")
	d.serving(t)
	h.keys("g", "e", "A")
	h.sees("INS")
	h.write("u")
	h.sees("range values {…") // in the menu
	h.keys("Tab", "Enter", "Escape", "Escape")
	h.until("normal mode", func(now string) bool { return strings.Contains(now, "NOR") })
	h.command("write")
	h.until("the file is written", func(string) bool { return len(gained(d)) > 1 })
	got := gained(d)
	t.Logf("accepted %q", begun+got)
	if !strings.HasPrefix(got, "u") {
		t.Errorf("what was typed is gone: %q", begun+got)
	}
}

func TestEditorVSCodeOnARealOllama(t *testing.T) {
	codeServer(t)
	w := startWorkbench(t, onReal(t), nil)
	w.serving(t)
	w.sees("status|(sparkle) ")
	w.openFile(filepath.Base(w.file))
	w.keys("Control+End")
	w.insists("u", "")
	w.keys("Tab")
	w.loses("ghost |")
	w.keys("Control+s")
	w.until("the file is written", func(string) bool { return len(gained(w.desk)) > 1 })
}
