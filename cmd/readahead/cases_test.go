package main

import (
	"bytes"
	"context"
	"encoding/json"
	"io"
	"maps"
	"net/http"
	"net/http/httptest"
	"net/http/httputil"
	"net/url"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"
)

// What users of other tools reported, as far as it shows in what the model is
// asked: the real server, an editor's messages, and all that arrives at the model
// server, byte by byte.

// A wiretap is a model server that keeps what it was sent.
type wiretap struct {
	url string // of the server

	mu       sync.Mutex
	requests []generation
	all      bytes.Buffer // bodies of every kind
}

// A generation is what /api/generate was asked.
type generation struct {
	Raw     bool
	Prompt  string
	Suffix  string
	Options map[string]any
}

func tap(t *testing.T) *wiretap {
	t.Helper()
	behind, err := url.Parse(ollamaLike(t, 1000, 100))
	if err != nil {
		t.Fatal(err)
	}
	w := &wiretap{}
	answer := httputil.NewSingleHostReverseProxy(behind)
	srv := httptest.NewServer(http.HandlerFunc(func(rw http.ResponseWriter, r *http.Request) {
		body, err := io.ReadAll(r.Body)
		if err != nil {
			return // the client has gone
		}
		w.keep(r.URL.Path, body)
		r.Body = io.NopCloser(bytes.NewReader(body))
		answer.ServeHTTP(rw, r)
	}))
	t.Cleanup(srv.Close)
	w.url = srv.URL
	return w
}

func (w *wiretap) keep(path string, body []byte) {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.all.Write(body)
	var g generation
	if path == "/api/generate" && json.Unmarshal(body, &g) == nil && g.Prompt != "" {
		w.requests = append(w.requests, g)
	}
}

// since are the generations after the first n.
func (w *wiretap) since(n int) []generation {
	w.mu.Lock()
	defer w.mu.Unlock()
	return w.requests[n:]
}

func (w *wiretap) heard() string {
	w.mu.Lock()
	defer w.mu.Unlock()
	return w.all.String()
}

// greetings is a workspace with a function that is reached by import, by its calls
// and by words, and two files that are ignored.
var greetings = map[string]string{
	"go.mod":            "module example.com/w\n\ngo 1.26\n",
	".gitignore":        "private/\n",
	".readaheadignore":  "*_local.go\n",
	"lib/lib.go":        "package lib\n\n// Greet says hello to a name.\nfunc Greet(name string) string {\n\treturn \"hello \" + name\n}\n",
	"other/other.go":    "package other\n\nimport \"example.com/w/lib\"\n\nfunc Twice(name string) string {\n\treturn lib.Greet(name) + lib.Greet(name)\n}\n",
	"private/keys.go":   "package private\n\nfunc TopSecretGreet(name string) string {\n\treturn \"hunter2\" + name\n}\n",
	"lib/keys_local.go": "package lib\n\nfunc TopSecretLocal(name string) string {\n\treturn \"hunter2\" + name\n}\n",
	"main.go":           "package main\n\nimport \"example.com/w/lib\"\n\nfunc main() {\n\tname := \"you\"\n\tlib.Greet(name)\n\t\n\tprintln(name)\n}\n",
}

const inMain = "\tlib.Greet(name)\n\t"

// An author works on greetings with the real server.
type author struct {
	*session
	dir string
	tap *wiretap
}

func write(t *testing.T) *author {
	t.Helper()
	dir := t.TempDir()
	for name, text := range greetings {
		path := filepath.Join(dir, filepath.FromSlash(name))
		if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(path, []byte(text), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	ctx, cancel := context.WithTimeout(t.Context(), 2*time.Minute)
	t.Cleanup(cancel)
	w := tap(t)
	a := &author{serve(ctx, t, "OLLAMA_HOST="+w.url), dir, w}
	a.call("initialize", map[string]any{"processId": os.Getpid(), "rootUri": "file://" + filepath.ToSlash(dir),
		"initializationOptions": map[string]any{"model": "qwen2.5-coder:1.5b", "deadlineMs": 20000},
		"capabilities":          map[string]any{"textDocument": map[string]any{"inlineCompletion": map[string]any{}}}})
	a.notify("initialized", map[string]any{})
	return a
}

func (a *author) uri(name string) string {
	return "file://" + filepath.ToSlash(filepath.Join(a.dir, name))
}

func (a *author) openFile(name string) {
	a.notify("textDocument/didOpen", map[string]any{"textDocument": map[string]any{
		"uri": a.uri(name), "languageId": "go", "version": 1, "text": greetings[name]}})
}

// spot is the position behind some text of a file.
func spot(name, behind string) map[string]int {
	before := greetings[name][:strings.Index(greetings[name], behind)+len(behind)]
	return map[string]int{"line": strings.Count(before, "\n"), "character": len(before) - 1 - strings.LastIndex(before, "\n")}
}

// ask asks behind some text of a file, as an editor does at a pause, and returns
// the answer and what the model was asked for it.
func (a *author) ask(name, behind string) (inlineItems, []generation) {
	a.t.Helper()
	before := len(a.tap.since(0))
	r := a.call("textDocument/inlineCompletion", map[string]any{
		"textDocument": map[string]any{"uri": a.uri(name)}, "position": spot(name, behind), "context": map[string]any{"triggerKind": 2}})
	if r.Error != nil {
		a.t.Fatalf("inlineCompletion: %+v", r.Error)
	}
	var got inlineItems
	if err := json.Unmarshal(r.Result, &got); err != nil {
		a.t.Fatal(err)
	}
	return got, a.tap.since(before)
}

// indexed waits until the index knows the workspace: the server says so.
func (a *author) indexed() {
	a.t.Helper()
	for range 600 {
		m := a.call("workspace/executeCommand", map[string]any{"command": "readahead.status"})
		if strings.Contains(string(m.Result), " 3 objects") {
			return
		}
		time.Sleep(50 * time.Millisecond)
	}
	a.t.Fatalf("the workspace was not indexed: %s", a.call("workspace/executeCommand", map[string]any{"command": "readahead.status"}).Result)
}

// prompted is the first thing that the model is asked behind some text of a file.
func (a *author) prompted(name, behind string) generation {
	a.t.Helper()
	_, asked := a.ask(name, behind)
	if len(asked) == 0 {
		a.t.Fatalf("the model was not asked in %s", name)
	}
	return asked[0]
}

func TestCase9OneObjectFoundInManyWaysIsReadOnce(t *testing.T) {
	a := write(t)
	a.openFile("other/other.go")
	a.openFile("main.go")
	a.indexed()
	p := a.prompted("main.go", inMain).Prompt
	if n := strings.Count(p, `return "hello " + name`); n != 1 {
		t.Errorf("the body of Greet stands %d times in\n%s", n, p)
	}
}

func TestCase10AtTheStartOfAFileTheCodeBelowIsRead(t *testing.T) {
	a := write(t)
	a.openFile("lib/lib.go")
	a.indexed()
	p := a.prompted("lib/lib.go", "").Prompt
	if !strings.HasSuffix(p, "<|fim_prefix|><|fim_suffix|>"+greetings["lib/lib.go"]+"<|fim_middle|>") {
		t.Errorf("the prompt is\n%s", p)
	}
}

func TestCase11AtTheEndOfAFileTheModelIsAskedToFillIn(t *testing.T) {
	a := write(t)
	a.openFile("lib/lib.go")
	a.indexed()
	g := a.prompted("lib/lib.go", greetings["lib/lib.go"])
	if !g.Raw || g.Suffix != "" || !strings.HasSuffix(g.Prompt, "<|fim_prefix|>"+greetings["lib/lib.go"]+"<|fim_suffix|><|fim_middle|>") {
		t.Errorf("raw %v, suffix %q, prompt\n%s", g.Raw, g.Suffix, g.Prompt)
	}
}

func TestCase16NotOneByteOfAnIgnoredFileIsRead(t *testing.T) {
	a := write(t)
	ignored := []string{"private/keys.go", "lib/keys_local.go"}
	for _, name := range ignored {
		a.openFile(name)
	}
	a.openFile("lib/lib.go")
	a.openFile("main.go")
	a.indexed()
	for _, name := range ignored {
		a.notify("textDocument/didChange", map[string]any{"textDocument": map[string]any{"uri": a.uri(name), "version": 2},
			"contentChanges": []any{map[string]any{"range": map[string]any{"start": spot(name, ""), "end": spot(name, "")}, "text": "// TopSecretNote\n"}}})
		if got, asked := a.ask(name, "string {\n\t"); len(got.Items) > 0 || len(asked) > 0 {
			t.Errorf("in %s: %+v, the model was asked %d times", name, got.Items, len(asked))
		}
	}
	// Beside it, and where its names would come in handy.
	for name, behind := range map[string]string{"lib/lib.go": "string {\n\t", "main.go": inMain} {
		a.prompted(name, behind)
	}
	if heard := a.tap.heard(); heard == "" || strings.Contains(heard, "hunter2") || strings.Contains(heard, "TopSecret") {
		t.Errorf("the model server was sent\n%s", heard)
	}
}

func TestCase20PromptsOfAnyLengthLeaveTheRunnerAlone(t *testing.T) {
	a := write(t)
	for _, name := range []string{"main.go", "lib/lib.go"} {
		a.openFile(name)
	}
	a.indexed()
	var first map[string]any
	for _, at := range [][2]string{{"main.go", inMain}, {"lib/lib.go", ""}, {"lib/lib.go", greetings["lib/lib.go"]}} {
		runner := a.prompted(at[0], at[1]).Options
		for _, sampling := range []string{"seed", "temperature", "top_p", "num_predict", "stop", "num_keep"} {
			delete(runner, sampling) // these reload nothing
		}
		if first == nil {
			first = runner
		}
		if runner["num_ctx"] == nil || !maps.Equal(first, runner) {
			t.Errorf("options %v, and before %v", runner, first)
		}
	}
}
