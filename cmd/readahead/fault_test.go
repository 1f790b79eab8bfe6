package main

import (
	"bytes"
	"encoding/json"
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"
)

func TestDoctorEndsInItsTimeWhateverHangs(t *testing.T) {
	dir := unpack(t, "shop")
	for _, tt := range []struct {
		name   string
		routes []string
		check  string
		status status
		says   string
	}{
		{"a server that accepts and is silent", []string{"/"}, "model server", warning, "no answer within the deadline"},
		{"a server that lists nothing", []string{"/api/tags"}, "model", problem, "no answer within the deadline"},
		{"a server that tells nothing of a model", []string{"/api/show"}, "model", problem, "no answer within the deadline"},
		{"a model that does not answer", []string{"/api/generate"}, "speed", problem, "has not said a word"},
	} {
		c := command(t.Context(), t, "doctor", "--json", "--time", "5s", dir)
		c.Env = append(c.Env, "OLLAMA_HOST="+hangingAt(t, tt.routes...))
		began := time.Now()
		found, got := examined(t, c)
		if took := time.Since(began); took > 12*time.Second {
			t.Errorf("%s: doctor took %v", tt.name, took)
		}
		if d := found[tt.check]; d.Status != tt.status || !strings.Contains(d.Detail, tt.says) {
			t.Errorf("%s: %s: %+v", tt.name, tt.check, d)
		}
		if (got.status == 1) != (tt.status == problem) {
			t.Errorf("%s: status %d, %s", tt.name, got.status, got.stderr)
		}
		for _, name := range []string{"index", "watching", "completion"} {
			if d, ok := found[name]; !ok || d.Status == problem {
				t.Errorf("%s: %s: %+v", tt.name, name, d)
			}
		}
	}
	found, _ := examined(t, command(t.Context(), t, "doctor", "--json", "--time", "1ns", dir))
	if d := found["index"]; d.Status != warning || !strings.Contains(d.Detail, "not checked") {
		t.Errorf("without time: %+v", d)
	}
}

func TestCompleteSaysWhatToDoAboutAServerThatHangs(t *testing.T) {
	dir := unpack(t, "shop")
	at := filepath.Join(dir, "order", "order.go") + ":17:15"
	for route, says := range map[string]string{
		"/":             "may be busy or hung: see its log, start it again, or set another endpoint",
		"/api/generate": "has not begun to answer in time: it may still be loading",
	} {
		began := time.Now()
		c := command(t.Context(), t, "complete", "--wait", "4s", "--root", dir, at)
		c.Env = append(c.Env, "OLLAMA_HOST="+hangingAt(t, route))
		got := finish(t, c)
		if got.status != 0 || !strings.Contains(got.stderr, says) || strings.Contains(got.stderr, "context deadline exceeded") || !strings.Contains(got.stdout, "embedded") {
			t.Errorf("%s hangs: status %d\n%s%s", route, got.status, got.stderr, got.stdout)
		}
		if took := time.Since(began); took > 15*time.Second {
			t.Errorf("%s hangs: the answer took %v", route, took)
		}
	}
}

// A workspace that is deleted while an editor has it open: requests go on to be
// answered, from the text that the editor sends.
func TestAWorkspaceThatIsDeletedUnderARunningServer(t *testing.T) {
	dir := unpack(t, "shop")
	s := serve(t.Context(), t)
	uri, at := s.open(dir, filepath.Join(dir, "order", "order.go"), "go")
	s.inline(uri, at)
	if err := os.RemoveAll(dir); err != nil {
		t.Fatal(err)
	}
	s.notify("workspace/didChangeWatchedFiles", map[string]any{"changes": []any{
		map[string]any{"uri": "file://" + filepath.ToSlash(dir), "type": 3}, map[string]any{"uri": uri, "type": 3}}})
	for _, method := range []string{"textDocument/inlineCompletion", "textDocument/completion"} {
		r := s.call(method, map[string]any{"textDocument": map[string]any{"uri": uri}, "position": at, "context": map[string]any{"triggerKind": 1}})
		var got inlineItems
		if r.Error != nil || json.Unmarshal(r.Result, &got) != nil {
			t.Errorf("%s: %s %+v", method, r.Result, r.Error)
		}
	}
	if r := s.call("workspace/executeCommand", map[string]any{"command": "readahead.reindex"}); r.Error != nil {
		t.Errorf("reindex: %+v", r.Error)
	}
	if status := s.leave(); status != 0 {
		t.Errorf("status %d", status)
	}
	if _, err := os.Stat(dir); err == nil {
		t.Error("the folder was made again")
	}
}

// Whatever a model server does, there is an answer, from the embedded model, and a
// sentence about what is wrong that cannot drive the terminal.
func TestCompleteAnswersWhateverTheServerDoes(t *testing.T) {
	dir := unpack(t, "shop")
	at := filepath.Join(dir, "order", "order.go") + ":17:15"
	cut := func(text string) func(http.ResponseWriter) {
		return func(w http.ResponseWriter) {
			conn, _, err := http.NewResponseController(w).Hijack()
			if err != nil {
				t.Error(err)
				return
			}
			_, _ = conn.Write([]byte(text)) // the other side may have gone
			_ = conn.Close()
		}
	}
	status := func(code int, text string) func(http.ResponseWriter) {
		return func(w http.ResponseWriter) { w.WriteHeader(code); _, _ = w.Write([]byte(text)) }
	}
	for _, tt := range []struct {
		name string
		do   func(http.ResponseWriter)
		says string
	}{
		{"busy", status(503, `{"error":"server busy, please try again.  maximum pending requests exceeded"}`), "busy"},
		{"killed", cut(""), "ollama serve"},
		{"half a header", cut("HTTP/1.1 200 OK\r\nContent-Le"), "ollama serve"},
		{"half a body", cut("HTTP/1.1 200 OK\r\nContent-Length: 500\r\n\r\n{\"response\":\"ret"), "ollama serve"},
		{"garbage", status(200, "\x1b]0;owned\x07\x00\xff<html>"), "set the endpoint"},
		{"an error that drives terminals", status(500, "{\"error\":\"\\u001b[2J\\u202egone\"}"), "the server answered 500"},
		{"an endless line", func(w http.ResponseWriter) {
			for range 1 << 12 {
				if _, err := w.Write(bytes.Repeat([]byte("x"), 64<<10)); err != nil {
					return
				}
			}
		}, "readahead: "},
	} {
		began := time.Now()
		c := command(t.Context(), t, "complete", "--root", dir, at)
		c.Env = append(c.Env, "OLLAMA_HOST="+faultyAt(t, "/api/generate", tt.do))
		got := finish(t, c)
		if got.status != 0 || !strings.Contains(got.stdout, "embedded") || !strings.Contains(got.stderr, tt.says) || strings.ContainsAny(got.stderr, "\x1b\x07\x00\u202e") {
			t.Errorf("%s: status %d\n%q\n%s", tt.name, got.status, got.stderr, got.stdout)
		}
		if took := time.Since(began); took > 30*time.Second {
			t.Errorf("%s: the answer took %v", tt.name, took)
		}
	}
}
