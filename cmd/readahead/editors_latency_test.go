package main

import (
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"
)

// In Neovim with the embedded model, on readahead's own source: how long it takes
// from the last key to the ghost text, on the screen, the editor and the terminal
// included. Lines are typed twice: all at once, so that the ghost text is the first
// one, and key by key, where text that was there before the last key and goes on
// behind it counts as shown at once, as the user sees it. The goal is 300 ms at the
// median; what fails here is three times that, since the machine may be busy with
// something else. The numbers are in the log.
func TestEditorNeovimShowsGhostTextSoonAfterTheLastKey(t *testing.T) {
	command := editorCommand(t, "READAHEAD_NVIM")
	d := sit(t, "lsp/scratch.go", "package lsp\n\nfunc (s *Server) scratch(d *document) {\n\ts", "--model", embeddedName)
	d.put(t, d.config, "") // time is what counts here
	d.copyPackages(t, "lsp", "rank", "allocate", "index", "model")
	n := startNeovim(t, command, d, nil, slices.Concat(plugin(t), []string{`vim.opt.statusline = "scratch.go %{v:lua.require'readahead'.status()}"`})...)
	// A server that has just started may have nothing to say before it knows the
	// workspace; then the user types on.
	n.until("the first ghost text", func(string) bool {
		n.write(".")
		for end := time.Now().Add(time.Second); time.Now().Before(end); time.Sleep(glance) {
			if ghostBehind(n.text(), "s.") {
				return true
			}
		}
		n.keys("BSpace")
		return false
	})

	for _, way := range []struct {
		name  string
		pause time.Duration // between keys; 0: all at once
	}{{"the first ghost text", 0}, {"typed key by key", 110 * time.Millisecond}} {
		var took []time.Duration
		unanswered := 0
		for range 2 {
			for _, line := range []string{"s.log.", "s.suggester.", "d.text.", "if err := s.", "for _, f := range s.", "c := s.config.", "at := s.", "return "} {
				n.keys("Escape", "S") // an empty line, indented
				time.Sleep(300 * time.Millisecond)
				if way.pause == 0 {
					n.paste(line)
				} else {
					for _, r := range line {
						time.Sleep(way.pause)
						n.paste(string(r))
					}
				}
				pressed := time.Now()
				for !ghostBehind(n.text(), line) && time.Since(pressed) < 2*time.Second {
					time.Sleep(time.Millisecond)
				}
				if wait := time.Since(pressed); wait < 2*time.Second {
					took = append(took, wait)
				} else {
					unanswered++
				}
			}
		}
		if len(took) < 10 {
			t.Fatalf("%s: only %d of %d lines got ghost text within 2 s", way.name, len(took), len(took)+unanswered)
		}
		slices.Sort(took)
		at := func(share float64) time.Duration {
			return took[int(share*float64(len(took)-1))].Round(time.Millisecond)
		}
		t.Logf("%s, from the last key: p50 %v, p90 %v, longest %v; %d lines, %d without ghost text", way.name, at(0.5), at(0.9), at(1), len(took), unanswered)
		if at(0.5) > 900*time.Millisecond {
			t.Errorf("%s: p50 %v, the goal is 300ms, the limit 900ms", way.name, at(0.5))
		}
	}
}

// ghostBehind reports whether the screen has a line that begins so and goes on.
func ghostBehind(screen, typed string) bool {
	for line := range strings.Lines(screen) {
		if rest, ok := strings.CutPrefix(strings.TrimSpace(line), typed); ok && rest != "" {
			return true
		}
	}
	return false
}

// copyPackages brings the Go files of some of our own packages to the desk.
func (d *desk) copyPackages(t testing.TB, names ...string) {
	t.Helper()
	for _, name := range names {
		files, err := filepath.Glob(filepath.Join("..", "..", name, "*.go"))
		if err != nil || len(files) == 0 {
			t.Fatalf("no Go files in %s: %v", name, err)
		}
		for _, f := range files {
			text, err := os.ReadFile(f)
			if err != nil {
				t.Fatal(err)
			}
			d.put(t, filepath.Join(d.dir, name, filepath.Base(f)), string(text))
		}
	}
}
