package main

import (
	"fmt"
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
