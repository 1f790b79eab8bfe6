package main

import (
	"bytes"
	"encoding/json"
	"html"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
	"time"
)

// pageText is a page's text as a reader gets it.
func pageText(t *testing.T, path string) string {
	t.Helper()
	page, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	page = regexp.MustCompile(`(?s)<(style|script)>.*?</(style|script)>`).ReplaceAll(page, nil)
	return html.UnescapeString(string(regexp.MustCompile(`<[^>]*>`).ReplaceAll(page, nil)))
}

func TestInspectWritesAPageAndPrintsWhereItIs(t *testing.T) {
	dir := unpack(t, "shop")
	at := cursor(t, filepath.Join(dir, "order", "order.go"))
	out := filepath.Join(t.TempDir(), "page.html")
	got := run(t, "inspect", "--open=false", "--out", out, "--root", dir, at)
	if got.status != 0 || got.stdout != out+"\n" {
		t.Fatalf("%+v", got)
	}
	text := pageText(t, out)
	for _, want := range []string{"order/order.go:17:15", "Add(cart.Item{", "With the structural context one line has a probability of 91", "read from its tokens",
		"called", "cart/cart.go:31", "without a position", " ≥ τ 0.05", "This model reads the parts one by one"} {
		if !strings.Contains(text, want) {
			t.Errorf("the page does not say %q:\n%s", want, text)
		}
	}
}

func TestInspectWithoutAPlaceForThePagePutsItIntoTheCache(t *testing.T) {
	dir := unpack(t, "shop")
	at := cursor(t, filepath.Join(dir, "order", "order.go"))
	c := command(t.Context(), t, "inspect", "--root", dir, at) // without a display nothing opens
	temp, cache := t.TempDir(), t.TempDir()
	c.Env = append(c.Env, "TMPDIR="+temp, "TMP="+temp, "HOME="+cache, "XDG_CACHE_HOME="+cache, "LocalAppData="+cache, "DISPLAY=", "WAYLAND_DISPLAY=")
	got := finish(t, c)
	path := strings.TrimSuffix(got.stdout, "\n")
	if got.status != 0 || !strings.HasPrefix(path, cache) || !strings.HasSuffix(path, ".html") {
		t.Fatalf("%+v", got)
	}
	if _, err := os.Stat(path); err != nil {
		t.Error(err)
	}
	if left, err := os.ReadDir(temp); err != nil || len(left) != 0 {
		t.Errorf("left in the folder for temporary files: %v, %v", left, err)
	}
}

// What may not be read is refused by every command that asks for a line, with the
// reason and the status of a failure.
func TestARefusedFileIsAFailureThatSaysWhatAndWhy(t *testing.T) {
	dir := unpack(t, "shop")
	for name, text := range map[string]string{
		".readaheadignore": "order/\n", "order/x.go": "package order\n\nvar secretOfOrder = 1\n", ".env": "secretOfOrder=1\n\nB=2\n",
		"b.bin": "\x00secretOfOrder\n\nx\n",
	} {
		if err := os.WriteFile(filepath.Join(dir, filepath.FromSlash(name)), []byte(text), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	outside := filepath.Join(t.TempDir(), "out.go")
	if err := os.WriteFile(outside, []byte("package out\n\nvar secretOfOrder = 1\n"), 0o644); err != nil {
		t.Fatal(err)
	}
	link := filepath.Join(dir, "link.go")
	if err := os.Symlink(outside, link); err != nil {
		t.Fatal(err)
	}
	for _, tt := range []struct{ name, file, why string }{
		{"a file that a rule ignores", filepath.Join(dir, "order", "x.go"), ".readaheadignore:1: order/"},
		{"a secret by its name", filepath.Join(dir, ".env"), "name of a secret"},
		{"a binary file", filepath.Join(dir, "b.bin"), "binary"},
		{"a link out of the workspace", link, "outside"},
	} {
		page := filepath.Join(t.TempDir(), "page.html")
		for _, args := range [][]string{{"complete"}, {"complete", "--json"}, {"inspect", "--open=false", "--out", page}, {"inspect", "--json"}} {
			got := run(t, append(args, "--root", dir, tt.file+":3:1")...)
			if got.status != 1 || !strings.Contains(got.stderr, tt.file) || !strings.Contains(got.stderr, tt.why) {
				t.Errorf("%s, %v: status %d, %q; want 1, the file and %q", tt.name, args, got.status, got.stderr, tt.why)
			}
			var report struct {
				Line  int
				Trace struct{ Refused string }
			}
			switch json := json.Unmarshal([]byte(got.stdout), &report); {
			case args[len(args)-1] != "--json":
				if got.stdout != "" {
					t.Errorf("%s, %v prints %q", tt.name, args, got.stdout)
				}
			case json != nil || report.Line != 3 || !strings.Contains(report.Trace.Refused, tt.why) || strings.Contains(got.stdout, "secretOfOrder"):
				t.Errorf("%s, %v prints %s", tt.name, args, got.stdout)
			}
		}
		if _, err := os.Stat(page); !os.IsNotExist(err) {
			t.Errorf("%s: a page was written, %v", tt.name, err)
		}
	}
}

// In an editor the answer and the page are of one and the same completion, so
// they can be compared word by word.
func TestThePageOfAnEditorSaysWhatTheAnswerSays(t *testing.T) {
	dir := unpack(t, "shop")
	s := serve(t.Context(), t)
	uri, at := s.open(dir, filepath.Join(dir, "order", "order.go"), "go")
	var m message
	var answer map[string]any
	// A server that has just started answers before it knows the workspace.
	for end := time.Now().Add(patience); time.Now().Before(end) && !bytes.Contains(m.Result, []byte(`"role"`)); {
		s.inline(uri, at)
		m = s.call("workspace/executeCommand", map[string]any{"command": "readahead.inspect", "arguments": []any{uri}})
		answer = nil
		if err := json.Unmarshal(m.Result, &answer); err != nil || m.Error != nil {
			t.Fatalf("%v %+v", err, m.Error)
		}
	}
	page, _ := answer["page"].(string)
	text := pageText(t, page)
	texts := 0
	eachText(answer, "", func(key, value string) {
		texts++
		if !unsaid[key] && !strings.Contains(text, value) {
			t.Errorf("the page does not say %s %q", key, value)
		}
	})
	if texts < 50 {
		t.Errorf("only %d texts in the answer: %s", texts, m.Result)
	}
	if status := s.leave(); status != 0 {
		t.Errorf("exit status %d", status)
	}
	if _, err := os.Stat(page); !os.IsNotExist(err) {
		t.Error("the page is still there after the server has ended")
	}
}

// unsaid are texts of the answer that the page says in other words or in pieces:
// the code around the cursor has line numbers in between.
var unsaid = map[string]bool{"id": true, "page": true, "file": true, "before": true, "after": true, "lang": true,
	"provider": true, "scoring": true, "selector": true, "ended": true, "token": true}

// eachText calls f for every text in a JSON value, with the name that it has.
func eachText(v any, key string, f func(key, value string)) {
	switch v := v.(type) {
	case string:
		f(key, v)
	case []any:
		for _, e := range v {
			eachText(e, key, f)
		}
	case map[string]any:
		if _, isToken := v["logprob"]; isToken && len(v) == 2 {
			return // of a sample: the page has its text; of a grade: see the page's own tests
		}
		for k, e := range v {
			eachText(e, k, f)
		}
	}
}
