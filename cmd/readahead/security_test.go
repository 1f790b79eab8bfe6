package main

import (
	"fmt"
	"go/parser"
	"go/token"
	"io/fs"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"
)

// everything that a session on dir leaves: its log, the cache, the page of an
// inspection, what the editor was told, and what the model was to read.
func everything(t *testing.T, dir string) map[string]string {
	t.Helper()
	home := t.TempDir()
	t.Setenv("READAHEAD_TEST_HOME", home)
	config := filepath.Join(home, "config.toml")
	writeFile(t, config, "logLevel = \"debug\"\n")
	log := filepath.Join(home, "log")
	file := filepath.Join(dir, "order", "order.go")
	s := started(t, command(t.Context(), t, "serve", "--config", config, "--log", log))
	uri, at := s.open(dir, file, "go")
	s.inline(uri, at)
	secret := "file://" + filepath.ToSlash(filepath.Join(dir, ".env"))
	text, err := os.ReadFile(filepath.Join(dir, ".env"))
	if err != nil {
		t.Fatal(err)
	}
	s.notify("textDocument/didOpen", map[string]any{"textDocument": map[string]any{"uri": secret, "languageId": "go", "version": 1, "text": string(text)}})
	told := s.call("textDocument/inlineCompletion", map[string]any{"textDocument": map[string]any{"uri": secret}, "position": map[string]int{"line": 1, "character": 0}, "context": map[string]any{"triggerKind": 1}})
	s.inline(uri, at)
	out := map[string]string{"the answer in the secret": string(told.Result)}
	m := s.call("workspace/executeCommand", map[string]any{"command": "readahead.inspect", "arguments": []any{uri}})
	out["the report"] = string(m.Result)
	for _, n := range s.said {
		out["what the editor was told"] += string(n.Params)
	}
	if status := s.leave(); status != 0 {
		t.Errorf("status %d", status)
	}
	page := filepath.Join(home, "page.html")
	place := fmt.Sprintf("%s:%d:%d", file, at["line"]+1, at["character"]+1)
	if got := run(t, "inspect", "--open=false", "--model", "embedded", "--root", dir, "--out", page, place); got.status != 0 {
		t.Fatal(got.stderr)
	}
	err = filepath.WalkDir(home, func(path string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() {
			return err
		}
		text, err := os.ReadFile(path)
		out[path] = string(text)
		return err
	})
	if err != nil || out[log] == "" || out[page] == "" {
		t.Fatalf("%v, %d bytes of log, %d of page", err, len(out[log]), len(out[page]))
	}
	return out
}

func TestSecretsReachNoPromptPageLogOrCache(t *testing.T) {
	dir := unpack(t, "shop")
	const marker = "hunter2"
	for name, text := range map[string]string{
		".env":                    "PASSWORD=" + marker + "Add\n\nTOKEN=" + marker + "\n",
		"id_rsa":                  "-----BEGIN OPENSSH PRIVATE KEY-----\n" + marker + "\n-----END OPENSSH PRIVATE KEY-----\n",
		"key.go":                  "-----BEGIN PRIVATE KEY-----\n" + marker + "\n-----END PRIVATE KEY-----\n",
		"cart/server.pem":         marker + "\n",
		".aws/credentials":        "aws_secret_access_key = " + marker + "\n",
		"order/ignored_secret.go": "package order\n\nfunc Hidden" + marker + "() {}\n",
		".gitignore":              "ignored_*\n",
	} {
		writeFile(t, filepath.Join(dir, filepath.FromSlash(name)), text)
	}
	for where, text := range everything(t, dir) {
		if strings.Contains(text, marker) {
			i := strings.Index(text, marker)
			t.Errorf("%s holds a secret: …%q…", where, text[max(0, i-60):min(len(text), i+20)])
		}
	}
}

// Code is read, and what somebody pasted into it is not: not from the document
// itself, and not from other files.
func TestTokensInCodeReachNoPromptPageLogOrCache(t *testing.T) {
	dir := unpack(t, "shop")
	writeFile(t, filepath.Join(dir, ".env"), "A=1\n\n")
	token, password, key := strings.Repeat("Q7d0hunter2", 3), "hunter2hunter2", strings.Repeat("Q7d0hunter2w", 5)
	for name, pasted := range map[string]string{
		"order/order.go": "var billing = \"sk_live_" + token + "\"\n\nvar store = \"postgres://me:" + password + "@db/shop\"\n",
		"cart/cart.go":   "// Add with sk_live_" + token + ".\nvar key = `-----BEGIN PRIVATE KEY-----\n" + key + "\n" + key + "\n-----END PRIVATE KEY-----`\n",
	} {
		path := filepath.Join(dir, filepath.FromSlash(name))
		text, err := os.ReadFile(path)
		if err != nil {
			t.Fatal(err)
		}
		head, rest, ok := strings.Cut(string(text), "\n// ") // behind the imports
		if !ok {
			t.Fatalf("%s has no comment", name)
		}
		writeFile(t, path, head+"\n"+pasted+"\n// "+rest)
	}
	all := everything(t, dir)
	for where, text := range all {
		if i := strings.Index(strings.ToLower(text), "hunter2"); i >= 0 {
			t.Errorf("%s holds a secret: …%q…", where, text[max(0, i-60):min(len(text), i+20)])
		}
	}
	if want := `sk_live_` + strings.Repeat("x", len(token)); !strings.Contains(all["the report"], want) {
		t.Errorf("the report does not show where the token was:\n%s", all["the report"])
	}
	learned := filepath.Join(dir, "order", "keys.go")
	writeFile(t, learned, "package order\n\n"+strings.Repeat("var billing = \"sk_live_"+token+"\"\n\n", 4)+"var billing = \n")
	place := learned + ":11:15"
	if got := run(t, "complete", "--model", "embedded", "--root", dir, place); strings.Contains(got.stdout+got.stderr, "hunter2") {
		t.Errorf("%+v", got)
	}
}

// Even at the level debug the log holds names of files and of what happened.
func TestTheLogAndTheCacheHoldNoSourceText(t *testing.T) {
	dir := unpack(t, "shop")
	writeFile(t, filepath.Join(dir, ".env"), "A=1\n\n")
	all := everything(t, dir)
	for file, source := range tree(t, dir) {
		for line := range strings.Lines(source) {
			line = strings.TrimSpace(line)
			if len(line) < 16 || !strings.Contains(line, " ") || strings.HasPrefix(line, "module ") {
				continue
			}
			for where, text := range all {
				if (strings.HasSuffix(where, "log") || strings.HasSuffix(where, ".index")) && strings.Contains(text, line) {
					t.Errorf("%s holds %q of %s", where, line, file)
				}
			}
		}
	}
}

// Nothing listens, and programs are started in these places alone: the browser for
// a page, and the tools that `demo` and `eval --fetch` are asked to use.
func TestNothingListensAndLittleIsRun(t *testing.T) {
	mayRun := []string{"cmd/readahead/browser.go", "cmd/readahead/demo.go", "cmd/readahead/doctor.go", "cmd/readahead/internal/eval/fetch.go"}
	err := filepath.WalkDir("../..", func(path string, d fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		if d.IsDir() && (strings.HasPrefix(d.Name(), ".") && len(d.Name()) > 2 || d.Name() == "node_modules" || d.Name() == "testdata" || strings.HasSuffix(d.Name(), "test")) {
			return filepath.SkipDir
		}
		if !strings.HasSuffix(path, ".go") || strings.HasSuffix(path, "_test.go") {
			return nil
		}
		rel, err := filepath.Rel("../..", path)
		if err != nil {
			return err
		}
		rel = filepath.ToSlash(rel)
		f, err := parser.ParseFile(token.NewFileSet(), path, nil, parser.ImportsOnly)
		if err != nil {
			return err
		}
		for _, spec := range f.Imports {
			name, err := strconv.Unquote(spec.Path.Value)
			if err != nil {
				return err
			}
			if (name == "os/exec" || name == "plugin") && !slices.Contains(mayRun, rel) {
				t.Errorf("%s can start programs", rel)
			}
		}
		text, err := os.ReadFile(path)
		if err != nil {
			return err
		}
		for _, call := range []string{"net.Listen", "ListenAndServe", "http.Serve(", "http.DefaultClient", "http.Get("} {
			if strings.Contains(string(text), call) {
				t.Errorf("%s has %s", rel, call)
			}
		}
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
}

// What a repository, or a user, names may be a FIFO or have no end: it is read
// through package regular, and in no other way.
func TestFilesAreReadThroughOneDoor(t *testing.T) {
	own := []string{
		"index/regular/regular.go",
		"cmd/readahead/index.go", "cmd/readahead/doctor_workspace.go", // of the kernel's, in /proc
		"cmd/readahead/internal/eval/fetch.go", // what it has just downloaded
		"cmd/readahead/internal/eval/pools.go", // looks after itself
	}
	open := regexp.MustCompile(`\bos\.(?:ReadFile|Open|OpenFile)\(`)
	seen := 0
	err := filepath.WalkDir("../..", func(path string, d fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		if d.IsDir() && (strings.HasPrefix(d.Name(), ".") && len(d.Name()) > 2 || d.Name() == "node_modules" || d.Name() == "testdata" || strings.HasSuffix(d.Name(), "test") || d.Name() == "testserver") {
			return filepath.SkipDir
		}
		if !strings.HasSuffix(path, ".go") || strings.HasSuffix(path, "_test.go") {
			return nil
		}
		text, err := os.ReadFile(path)
		if err != nil {
			return err
		}
		seen++
		if rel := strings.TrimPrefix(filepath.ToSlash(path), "../../"); open.Match(text) && !slices.Contains(own, rel) {
			t.Errorf("%s opens files by itself: use regular.Read or regular.Open", rel)
		}
		return nil
	})
	if err != nil || seen < 100 {
		t.Fatal(seen, err)
	}
}
