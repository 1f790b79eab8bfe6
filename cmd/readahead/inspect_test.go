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
		"called", "cart/cart.go:31", "without a position", " ≥ τ 0.20", "This model reads the parts one by one"} {
		if !strings.Contains(text, want) {
			t.Errorf("the page does not say %q:\n%s", want, text)
		}
	}
}

func TestInspectWithoutAPlaceForThePageMakesOne(t *testing.T) {
	dir := unpack(t, "shop")
	at := cursor(t, filepath.Join(dir, "order", "order.go"))
	c := command(t.Context(), t, "inspect", "--root", dir, at) // without a display nothing opens
	temp := t.TempDir()
	c.Env = append(c.Env, "TMPDIR="+temp, "TMP="+temp, "DISPLAY=", "WAYLAND_DISPLAY=")
	got := finish(t, c)
	path := strings.TrimSuffix(got.stdout, "\n")
	if got.status != 0 || !strings.HasPrefix(path, temp) || !strings.HasSuffix(path, ".html") {
		t.Fatalf("%+v", got)
	}
	if _, err := os.Stat(path); err != nil {
		t.Error(err)
	}
}

func TestInspectSaysWhyNothingWasTried(t *testing.T) {
	dir := unpack(t, "shop")
	at := cursor(t, filepath.Join(dir, "order", "order.go"))
	if err := os.WriteFile(filepath.Join(dir, ".readaheadignore"), []byte("order/\n"), 0o644); err != nil {
		t.Fatal(err)
	}
	out := filepath.Join(t.TempDir(), "page.html")
	if got := run(t, "inspect", "--open=false", "--out", out, "--root", dir, at); got.status != 0 {
		t.Fatalf("%+v", got)
	}
	if text := pageText(t, out); !strings.Contains(text, "Nothing was tried: the file is ignored") {
		t.Errorf("the page says\n%s", text)
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
	if _, err := os.Stat(filepath.Dir(page)); err == nil {
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
