package main

import (
	"encoding/json"
	"fmt"
	"io"
	"net"
	"net/http"
	"path/filepath"
	"strings"
	"testing"
)

// What a server sends without being asked may be the user's code: it is printed
// nowhere.
func TestWhatAServerSendsUnaskedIsNotPrinted(t *testing.T) {
	sent := make(chan struct{}, 64)
	url := faultyAt(t, "/api/", func(w http.ResponseWriter) {
		conn, _, err := http.NewResponseController(w).Hijack()
		if err != nil {
			t.Error(err)
			return
		}
		_, _ = fmt.Fprintf(conn, "HTTP/1.1 200 OK\r\nContent-Type: application/json\r\nContent-Length: 2\r\n\r\n{}HTTP/1.1 200 ECHO marker_of_code\r\n\r\n") // whoever reads it may be gone
		sent <- struct{}{}
		_ = conn.(*net.TCPConn).CloseWrite()
	})
	file := filepath.Join(t.TempDir(), "a.go")
	writeFile(t, file, "package a\n\nfunc f() {\n\tx :=\n}\n")
	r := run(t, "complete", file+":4:6", "--endpoint", url, "--model", "qwen2.5-coder:x")
	if len(sent) == 0 {
		t.Fatal("the server was not asked")
	}
	if strings.Contains(r.stderr+r.stdout, "marker_of_code") {
		t.Errorf("printed:\n%s%s", r.stdout, r.stderr)
	}
}

func TestAnErrorRepeatsNoCode(t *testing.T) {
	asked := make(chan struct{}, 64)
	url := faulty(t, []string{"/api/generate", "/v1/completions"}, func(w http.ResponseWriter, r *http.Request, _ <-chan struct{}) {
		body, err := io.ReadAll(r.Body)
		if err != nil {
			return // the client is gone
		}
		says, err := json.Marshal(map[string]string{"error": "cannot handle: " + string(body)})
		if err != nil {
			t.Error(err)
		}
		w.Header().Set("Content-Type", "application/json")
		w.WriteHeader(http.StatusInternalServerError)
		_, _ = w.Write(says) // whoever reads it may be gone
		asked <- struct{}{}
	})
	file := filepath.Join(t.TempDir(), "a.go")
	writeFile(t, file, "package a\n\nfunc marker(code int) { secret.of(code) }\n\nfunc f() {\n\tx :=\n}\n")
	r := run(t, "complete", file+":6:6", "--endpoint", url, "--model", "qwen2.5-coder:x")
	if len(asked) == 0 {
		t.Fatal("the server was not asked")
	}
	if !strings.Contains(r.stderr, "cannot handle") || strings.Contains(r.stderr, "secret") || strings.Contains(r.stderr, "marker") {
		t.Errorf("standard error: %s", r.stderr)
	}
}

func TestWhatTheUserMustKnowIsSaidBesideJSON(t *testing.T) {
	file := filepath.Join(t.TempDir(), "a.go")
	writeFile(t, file, "package a\n\nfunc f() {\n\tx :=\n}\n")
	for _, command := range []string{"complete", "inspect"} {
		r := run(t, command, "--json", file+":4:6", "--endpoint", nobody)
		if !json.Valid([]byte(r.stdout)) || !strings.Contains(r.stderr, nobody) {
			t.Errorf("%s --json: standard error %q, output %.80q", command, r.stderr, r.stdout)
		}
	}
}
