package main

import (
	"encoding/json"
	"fmt"
	"net/http"
	"net/http/httptest"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"
)

// These tests sit at a terminal as a user does: a real editor in tmux, keys in,
// screen out. The editor starts the real server; the model is one whose lines a
// test knows. What was accepted is read from the file that the editor saved.
//
//	test ──keys──▶ tmux ▶ editor ◀─LSP─▶ readahead ◀─HTTP─▶ scripted model
//	     ◀─screen─      └▶ file
//
// They run where READAHEAD_NVIM and READAHEAD_HX say how to start the editors;
// editors/e2e/get-editors.sh fetches them.

// editorCommand is how to start the editor that a variable names. Without one
// the test is left out, and that is said.
func editorCommand(t *testing.T, variable string) string {
	t.Helper()
	command := os.Getenv(variable)
	if command == "" {
		t.Skipf(`

    SKIPPED: this test drives a real editor, and %s does not name one.
    Fetch Neovim and Helix into a folder (no root needed), and run it again:

        editors/e2e/get-editors.sh /tmp/editors
        READAHEAD_NVIM=/tmp/editors/nvim READAHEAD_HX=/tmp/editors/hx go test -run Editor -v ./cmd/readahead
`, variable)
	}
	if _, err := exec.LookPath("tmux"); err != nil {
		t.Fatalf("%s is set, but there is no tmux to run it in: install tmux", variable)
	}
	return command
}

const screenWidth, screenHeight = 100, 24

// A tty is a terminal with a program in it.
type tty struct {
	display
	socket string
}

// onScreen starts a shell command in a terminal of its own in dir.
func onScreen(t testing.TB, dir string, env []string, command string) *tty {
	t.Helper()
	s := &tty{socket: filepath.Join(t.TempDir(), "tmux")}
	s.display = display{t, s.text, s.picture}
	set := []string{"exec", "env"}
	for _, e := range append(env, "LANG=C.UTF-8", "LC_ALL=C.UTF-8", "COLORTERM=truecolor") {
		set = append(set, "'"+e+"'")
	}
	s.tmux("-f", os.DevNull, "new-session", "-d", "-x", strconv.Itoa(screenWidth), "-y", strconv.Itoa(screenHeight),
		"-c", dir, strings.Join(set, " ")+" "+command)
	// a program is told of a lone Escape at once, and sees all colours
	s.tmux("set-option", "-s", "escape-time", "0")
	s.tmux("set-option", "-s", "default-terminal", "tmux-256color")
	t.Cleanup(func() {
		if t.Failed() {
			t.Logf("the screen at the end:\n%s", s.text())
		}
		_ = exec.Command("tmux", "-S", s.socket, "kill-server").Run() // the program may have ended it
	})
	return s
}

// picture keeps the screen, in the folder that go test -artifacts leaves behind:
// the last one that a test waited for.
func (s *tty) picture() {
	screen, err := exec.Command("tmux", "-u", "-S", s.socket, "capture-pane", "-p", "-e").Output()
	if err != nil {
		return // the editor has just ended, and there is nothing to see
	}
	if err := os.WriteFile(filepath.Join(s.t.ArtifactDir(), "screen.svg"), []byte(drawScreen(string(screen))), 0o644); err != nil {
		s.t.Errorf("keep a picture: %v", err)
	}
}

func (s *tty) tmux(args ...string) string {
	s.t.Helper()
	out, err := exec.Command("tmux", append([]string{"-u", "-S", s.socket}, args...)...).CombinedOutput()
	if err != nil {
		s.t.Fatalf("tmux %q: %v\n%s", args, err, out)
	}
	return string(out)
}

// keys presses keys by tmux's names: "C-]", "Escape", "M-Right".
func (s *tty) keys(names ...string) {
	s.t.Helper()
	s.tmux(append([]string{"send-keys"}, names...)...)
}

// paste types text all at once, write as a person does.
func (s *tty) paste(text string) {
	s.t.Helper()
	s.tmux("send-keys", "-l", text)
}

func (s *tty) write(text string) {
	s.t.Helper()
	for _, r := range text {
		s.paste(string(r))
		time.Sleep(40 * time.Millisecond)
	}
}

func (s *tty) text() string {
	out, err := exec.Command("tmux", "-u", "-S", s.socket, "capture-pane", "-p").CombinedOutput()
	if err != nil {
		return fmt.Sprintf("(no screen: %v)\n%s", err, out)
	}
	return string(out)
}

// A scripted model stands in for Ollama. It knows some code by heart and goes on
// with it wherever the text before the cursor ends like a part of it.
type scripted struct {
	*httptest.Server
	mu    sync.Mutex
	knows string
	asked int
	// where the text before the cursor ends like this, one of the others follows,
	// each in turn
	prefix string
	others []string
}

// alternate makes the model undecided behind a prefix of lines.
func (m *scripted) alternate(prefix string, lines ...string) {
	m.mu.Lock()
	defer m.mu.Unlock()
	m.prefix, m.others = prefix, lines
}

// minRecall is how much of the code must stand before the cursor for the model to
// recognise it, in bytes.
const minRecall = 4

func script(t testing.TB, code string) *scripted {
	m := &scripted{knows: code}
	mux := http.NewServeMux()
	answer := func(w http.ResponseWriter, v any) {
		w.Header().Set("Content-Type", "application/json")
		_ = json.NewEncoder(w).Encode(v) // a client that has gone needs no answer
	}
	mux.HandleFunc("/api/version", func(w http.ResponseWriter, _ *http.Request) {
		answer(w, map[string]string{"version": "0.17.4"})
	})
	mux.HandleFunc("/api/tags", func(w http.ResponseWriter, _ *http.Request) {
		answer(w, map[string]any{"models": []map[string]any{{"name": "qwen2.5-coder:scripted", "details": map[string]string{"parameter_size": "1.5B"}}}})
	})
	mux.HandleFunc("/api/show", func(w http.ResponseWriter, _ *http.Request) {
		answer(w, map[string]any{"capabilities": []string{"completion", "insert"},
			"model_info": map[string]any{"general.architecture": "qwen2", "qwen2.context_length": 8192}})
	})
	mux.HandleFunc("/api/generate", func(w http.ResponseWriter, r *http.Request) {
		var g struct {
			Prompt  string
			Options struct{ Stop []string }
		}
		if err := json.NewDecoder(r.Body).Decode(&g); err != nil {
			http.Error(w, err.Error(), http.StatusBadRequest)
			return
		}
		answer(w, map[string]any{"response": m.goOn(g.Prompt, g.Options.Stop), "done": true, "done_reason": "stop",
			"prompt_eval_count": len(g.Prompt)/3 + 1, "eval_count": 8})
	})
	m.Server = httptest.NewServer(mux)
	t.Cleanup(m.Close)
	return m
}

// goOn is what follows the longest part of the known code that the text before
// the cursor ends with, up to a stop string.
func (m *scripted) goOn(prompt string, stop []string) string {
	m.mu.Lock()
	defer m.mu.Unlock()
	m.asked++
	if _, fim, ok := strings.Cut(prompt, "<|fim_prefix|>"); ok {
		prompt, _, _ = strings.Cut(fim, "<|fim_suffix|>")
	}
	best, text := minRecall-1, ""
	if len(m.others) > 0 && strings.HasSuffix(prompt, m.prefix) {
		best, text = len(prompt), strings.TrimPrefix(m.others[m.asked%len(m.others)], m.prefix)
	}
	for at := range m.knows {
		n := 0
		for n < at && n < len(prompt) && m.knows[at-1-n] == prompt[len(prompt)-1-n] {
			n++
		}
		if n > best {
			best, text = n, m.knows[at:]
		}
	}
	for _, s := range stop {
		text, _, _ = strings.Cut(text, s)
	}
	return text
}

// rests waits until the model has not been asked for a while, and returns how
// often it was asked in all.
func (m *scripted) rests() int {
	const quiet = 300 * time.Millisecond
	last, since := -1, time.Now()
	for {
		m.mu.Lock()
		now := m.asked
		m.mu.Unlock()
		if now != last {
			last, since = now, time.Now()
		} else if time.Since(since) > quiet {
			return now
		}
		time.Sleep(glance)
	}
}

// A desk is a workspace with a server for it that an editor can start.
type desk struct {
	dir    string   // the workspace
	file   string   // the one that is edited
	server string   // the command that starts readahead, which the editor finds in its PATH
	env    []string // for the editor
	config string   // the user's config.toml
	pid    string   // a file with the server's process number
	log    string
}

// unhurried gives the server the time that it may need on a machine where every
// core is taken. By default it answers with what it has after 1.5 s, which may be
// nothing, and the user presses another key; these tests don't.
const unhurried = "deadlineMs = 10000\n"

// sit prepares a desk with one file. arguments are for the server.
func sit(t testing.TB, name, content string, arguments ...string) *desk {
	t.Helper()
	top := room(t)
	d := &desk{dir: filepath.Join(top, "work"), server: filepath.Join(top, "readahead"),
		pid: filepath.Join(top, "pid"), log: filepath.Join(top, "log")}
	d.file = filepath.Join(d.dir, name)
	self, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	d.put(t, d.file, content)
	d.put(t, filepath.Join(d.dir, "go.mod"), "module example.com/desk\n\ngo 1.26\n")
	d.put(t, d.server, fmt.Sprintf("#!/bin/sh\nexport %s=1 OLLAMA_HOST=%s\n[ \"${1:-serve}\" = serve ] || exec %s \"$@\"\necho $$ >%s\nexec %s --log %s %s\n",
		actAsReadahead, nobody, self, d.pid, self, d.log, strings.Join(arguments, " ")))
	if err := os.Chmod(d.server, 0o755); err != nil {
		t.Fatal(err)
	}
	home := filepath.Join(top, homeOf)
	d.env = []string{"HOME=" + home, "PATH=" + top + string(os.PathListSeparator) + os.Getenv("PATH")}
	for _, v := range []string{"CONFIG", "CACHE", "DATA", "STATE"} {
		d.env = append(d.env, "XDG_"+v+"_HOME="+filepath.Join(home, strings.ToLower(v)))
	}
	d.config = filepath.Join(home, "config", "readahead", "config.toml")
	d.put(t, d.config, unhurried)
	t.Cleanup(func() {
		if log, err := os.ReadFile(d.log); t.Failed() && err == nil {
			t.Logf("the server's log:\n%s", log)
		}
	})
	return d
}

// fenced is the first fenced block of a language behind a heading of a README, so
// that what README says is what is tested.
func fenced(t testing.TB, readme, heading, language string) string {
	t.Helper()
	text, err := os.ReadFile(readme)
	if err != nil {
		t.Fatal(err)
	}
	_, rest, found := strings.Cut(string(text), heading+"\n")
	_, rest, open := strings.Cut(rest, "```"+language+"\n")
	code, _, closed := strings.Cut(rest, "```")
	if !found || !open || !closed {
		t.Fatalf("%s has no block of %s behind %q", readme, language, heading)
	}
	return code
}

// withModel are the arguments that make a scripted model the server's.
func withModel(m *scripted) []string {
	return []string{"--endpoint", m.URL, "--model", "qwen2.5-coder:scripted"}
}

func (d *desk) put(t testing.TB, path, content string) {
	t.Helper()
	if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(path, []byte(content), 0o644); err != nil {
		t.Fatal(err)
	}
}

// another puts a second language server beside ours, under the name by which the
// editor starts it.
func (d *desk) another(t testing.TB, name, words string) {
	t.Helper()
	self, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	path := filepath.Join(filepath.Dir(d.server), name)
	d.put(t, path, fmt.Sprintf("#!/bin/sh\n%s='%s' exec %s\n", actAsOther, words, self))
	if err := os.Chmod(path, 0o755); err != nil {
		t.Fatal(err)
	}
}

// saved waits until the edited file is what was wanted.
func (d *desk) saved(t testing.TB, want string) {
	t.Helper()
	var got []byte
	for end := time.Now().Add(patience); time.Now().Before(end); time.Sleep(glance) {
		got, _ = os.ReadFile(d.file) // an editor may be replacing it
		if string(got) == want {
			return
		}
	}
	t.Fatalf("the saved file is\n%q\nwant\n%q", got, want)
}

// serving is the process number of the server that the editor started.
func (d *desk) serving(t testing.TB) int {
	t.Helper()
	for end := time.Now().Add(patience); time.Now().Before(end); time.Sleep(glance) {
		text, err := os.ReadFile(d.pid)
		if n, bad := strconv.Atoi(strings.TrimSpace(string(text))); err == nil && bad == nil {
			return n
		}
	}
	t.Fatal("the editor started no server")
	return 0
}

// kill ends the server as a crash would; serving then waits for the next.
func (d *desk) kill(t testing.TB) {
	t.Helper()
	was := d.serving(t)
	if err := os.Remove(d.pid); err != nil {
		t.Fatal(err)
	}
	if err := syscall.Kill(was, syscall.SIGKILL); err != nil {
		t.Fatal(err)
	}
}
