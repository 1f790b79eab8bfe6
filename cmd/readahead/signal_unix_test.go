//go:build unix

package main

import (
	"bytes"
	"net/http"
	"net/http/httptest"
	"os/exec"
	"path/filepath"
	"strings"
	"sync"
	"syscall"
	"testing"
)

// A terminal that was closed killed a command on the spot, and left the beginning of
// its page or cache behind.
func TestASignalEndsACommandInOrder(t *testing.T) {
	dir := unpack(t, "shop")
	at := filepath.Join(dir, "order", "order.go") + ":17:15"
	for _, tt := range []struct {
		name   string
		before string // in the shell that starts it
		signal syscall.Signal
		status int
		says   string
	}{
		{"Ctrl-C", "", syscall.SIGINT, 1, "interrupted"},
		{"a request to end", "", syscall.SIGTERM, 1, "interrupted"},
		{"a closed terminal", "", syscall.SIGHUP, 1, "interrupted"},
		{"a closed terminal that it was told not to mind", `trap "" HUP; `, syscall.SIGHUP, 0, "Ollama"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			var once sync.Once
			asked, sent := make(chan struct{}), make(chan struct{})
			server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
				once.Do(func() { close(asked) })
				<-sent
				w.WriteHeader(http.StatusNotFound)
			}))
			defer server.Close()
			c := command(t.Context(), t, "complete", "--endpoint", server.URL, "--root", dir, at)
			sh, err := exec.LookPath("sh")
			if err != nil {
				t.Fatal(err)
			}
			c.Args = append([]string{"sh", "-c", tt.before + `exec "$0" "$@"`, c.Path}, c.Args[1:]...)
			c.Path = sh
			var stderr bytes.Buffer
			c.Stderr = &stderr
			if err := c.Start(); err != nil {
				t.Fatal(err)
			}
			ended := make(chan error, 1)
			go func() { ended <- c.Wait() }()
			select {
			case <-asked:
			case err := <-ended:
				t.Fatalf("it ended before it asked the model: %v, %s", err, &stderr)
			}
			if err := c.Process.Signal(tt.signal); err != nil {
				t.Error(err)
			}
			close(sent)
			<-ended
			if got := c.ProcessState.ExitCode(); got != tt.status || !strings.Contains(stderr.String(), tt.says) {
				t.Errorf("status %d, %s", got, &stderr)
			}
		})
	}
}
