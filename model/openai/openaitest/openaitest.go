// Package openaitest runs real completions servers for tests, on a free port of
// loopback, with the 14 MB model of testdata/model:
//
//	srv := openaitest.LlamaServer(t)     // llama.cpp's own server
//	srv := openaitest.LlamaCppPython(t)  // another one over the same library, which has echo
//	srv.Endpoint, srv.Key                // where, and what lets one in
//	srv.Kill(); srv.Restart()
//
// The first is $READAHEAD_LLAMA_SERVER; the second is what the Python of
// $READAHEAD_LLAMA_CPP_PYTHON runs as `-m llama_cpp.server`. Without them the tests
// that need them skip, loudly.
package openaitest

import (
	"bytes"
	"errors"
	"fmt"
	"net"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"sync"
	"testing"
	"time"
)

// Model is the name under which the test model is served.
const Model = "tiny-code"

// patience is for machines where every core is taken.
const patience = 90 * time.Second

// A Server is one server with the test model.
type Server struct {
	Endpoint string // http://127.0.0.1:PORT
	Key      string // that it asks for

	tb     testing.TB
	args   []string // the program first
	log    *log
	cmd    *exec.Cmd
	exited chan struct{}
}

// LlamaServer starts llama.cpp's server, with two slots. Extra arguments are its
// own.
func LlamaServer(tb testing.TB, args ...string) *Server {
	tb.Helper()
	binary := os.Getenv("READAHEAD_LLAMA_SERVER")
	if binary == "" {
		tb.Skip(`

    SKIPPED: this test runs against a real llama-server, and there is none here.
    Fetch one (Debian and its relatives) and run it again:

        model/openai/testserver/get-llama.sh /tmp/llama
        READAHEAD_LLAMA_SERVER=/tmp/llama/llama-server go test ./model/openai
`)
	}
	s := &Server{tb: tb, Key: "key-of-the-test", log: new(log)}
	port := freePort(tb)
	s.Endpoint = "http://127.0.0.1:" + port
	s.args = append([]string{binary, "-m", weights(tb), "--alias", Model, "--host", "127.0.0.1", "--port", port,
		"-c", "4096", "-np", "2", "-t", "1", "--api-key", s.Key}, args...)
	return s.begin()
}

// LlamaCppPython starts llama-cpp-python's server. Extra arguments are its own.
func LlamaCppPython(tb testing.TB, args ...string) *Server {
	tb.Helper()
	python := os.Getenv("READAHEAD_LLAMA_CPP_PYTHON")
	if python == "" {
		tb.Skip(`

    SKIPPED: this test runs against the server of llama-cpp-python, and there is
    none here. Install one and run it again:

        python3 -m venv /tmp/lcp && /tmp/lcp/bin/pip install "llama-cpp-python[server]"
        READAHEAD_LLAMA_CPP_PYTHON=/tmp/lcp/bin/python go test ./model/openai
`)
	}
	s := &Server{tb: tb, Key: "key-of-the-test", log: new(log)}
	port := freePort(tb)
	s.Endpoint = "http://127.0.0.1:" + port
	s.args = append([]string{python, "-m", "llama_cpp.server", "--model", weights(tb), "--model_alias", Model,
		"--host", "127.0.0.1", "--port", port, "--n_ctx", "2048", "--n_threads", "1", "--api_key", s.Key}, args...)
	return s.begin()
}

func (s *Server) begin() *Server {
	s.tb.Helper()
	s.tb.Cleanup(s.Kill)
	s.tb.Cleanup(func() {
		if s.tb.Failed() {
			s.tb.Logf("the end of the server's log:\n%s", s.log.tail(4000))
		}
	})
	s.Restart()
	return s
}

// Restart starts the server again after Kill, on the same port.
func (s *Server) Restart() {
	s.tb.Helper()
	cmd := exec.Command(s.args[0], s.args[1:]...)
	cmd.Env = append(os.Environ(), "NO_PROXY=127.0.0.1", "no_proxy=127.0.0.1")
	cmd.Stdout, cmd.Stderr = s.log, s.log
	ownGroup(cmd)
	if err := cmd.Start(); err != nil {
		s.tb.Fatalf("start %s: %v", s.args[0], err)
	}
	s.cmd, s.exited = cmd, make(chan struct{})
	go func(exited chan struct{}) { // ends with the process, which Kill ends
		defer close(exited)
		_ = cmd.Wait()
	}(s.exited)
	if err := s.wait(); err != nil {
		s.tb.Fatalf("%s: %v; its log:\n%s", s.args[0], err, s.log.tail(4000))
	}
}

// wait waits until the server lists its model, which it does once that is loaded.
func (s *Server) wait() error {
	for deadline := time.Now().Add(patience); time.Now().Before(deadline); {
		r, err := http.NewRequest(http.MethodGet, s.Endpoint+"/v1/models", nil)
		if err != nil {
			return err
		}
		r.Header.Set("Authorization", "Bearer "+s.Key)
		resp, err := http.DefaultClient.Do(r)
		if err == nil {
			_ = resp.Body.Close()
			if resp.StatusCode == http.StatusOK {
				return nil
			}
		}
		select {
		case <-s.exited:
			return errors.New("it exited")
		case <-time.After(50 * time.Millisecond):
		}
	}
	return fmt.Errorf("no answer within %v", patience)
}

// Kill ends the server at once, as a crash would.
func (s *Server) Kill() {
	if s.cmd == nil {
		return
	}
	killGroup(s.cmd)
	<-s.exited
	s.cmd = nil
}

// weights finds the model in testdata of a folder above the test's.
func weights(tb testing.TB) string {
	tb.Helper()
	dir, err := os.Getwd()
	for err == nil {
		file := filepath.Join(dir, "testdata", "model", "tiny-code.gguf")
		if _, err := os.Stat(file); err == nil {
			return file
		}
		parent := filepath.Dir(dir)
		if parent == dir {
			err = errors.New("testdata/model is in no folder above the test's: run it inside the repository")
		}
		dir = parent
	}
	tb.Fatal(err)
	return ""
}

func freePort(tb testing.TB) string {
	tb.Helper()
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		tb.Fatal(err)
	}
	defer l.Close()
	_, port, err := net.SplitHostPort(l.Addr().String())
	if err != nil {
		tb.Fatal(err)
	}
	return port
}

// A log keeps what the server writes.
type log struct {
	mu   sync.Mutex
	text bytes.Buffer
}

func (l *log) Write(p []byte) (int, error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.text.Write(p)
}

func (l *log) tail(n int) []byte {
	l.mu.Lock()
	defer l.mu.Unlock()
	b := l.text.Bytes()
	return bytes.Clone(b[max(0, len(b)-n):])
}
