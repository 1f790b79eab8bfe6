// Package ollamatest runs a real Ollama server for tests.
//
// Recorded replies can't show that a prompt is processed once, that a
// cancellation reaches the model, or what dies when a process is killed. So the
// tests that claim such things start the real server, on a free port of
// loopback, with a models folder of its own that holds the 14 MB model of
// testdata/model:
//
//	srv := ollamatest.Start(t)      // skips, loudly, without a binary
//	srv.Endpoint, srv.Model         // where, and what
//	srv.KillRunner(); srv.Kill(); srv.Restart()
//
// The binary is $READAHEAD_OLLAMA_BIN, or else the `ollama` that is installed.
package ollamatest

import (
	"bytes"
	"context"
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

const (
	// patience is for machines where every core is taken.
	patience = 90 * time.Second
	// Skip says how to get what is missing.
	howTo = `

    SKIPPED: this test runs against a real Ollama, and there is none here.
    Build one (ten minutes the first time) and run it again:

        model/ollama/testserver/build.sh /tmp/ollama
        READAHEAD_OLLAMA_BIN=/tmp/ollama go test ./model/ollama/...
`
)

// A Server is one Ollama server with the test model.
type Server struct {
	Endpoint string // http://127.0.0.1:PORT
	Model    string

	tb     testing.TB
	binary string
	port   string
	home   string // models, keys and logs
	log    *log
	cmd    *exec.Cmd
	exited chan struct{}
}

// Start starts a server and stops it, its model processes too, when the test
// ends. Extra environment, such as "OLLAMA_NUM_PARALLEL=4", is for the server.
func Start(tb testing.TB, env ...string) *Server {
	tb.Helper()
	binary := Binary()
	if binary == "" {
		tb.Skip(howTo)
	}
	s := &Server{Model: Model, tb: tb, binary: binary, port: freePort(tb), home: tb.TempDir(), log: new(log)}
	s.Endpoint = "http://127.0.0.1:" + s.port
	tb.Cleanup(s.Kill)
	tb.Cleanup(func() {
		if tb.Failed() {
			tb.Logf("the end of the server's log:\n%s", s.log.tail(4000))
		}
	})
	s.start(env)
	s.create()
	return s
}

// Binary is the path of the Ollama to test with, "" without one.
func Binary() string {
	if path := os.Getenv("READAHEAD_OLLAMA_BIN"); path != "" {
		return path
	}
	path, err := exec.LookPath("ollama")
	if err != nil {
		return ""
	}
	return path
}

// Kill ends the server and its model processes at once, as a crash would.
func (s *Server) Kill() {
	if s.cmd == nil {
		return
	}
	killGroup(s.cmd)
	<-s.exited
	s.cmd = nil
}

// KillServer ends the server alone; its model processes live on until Kill.
func (s *Server) KillServer() {
	s.tb.Helper()
	if err := s.cmd.Process.Kill(); err != nil {
		s.tb.Fatalf("kill the server: %v", err)
	}
	<-s.exited
}

// KillRunner ends the processes that run models and says how many there were.
func (s *Server) KillRunner() int {
	s.tb.Helper()
	runners, err := children(s.cmd.Process.Pid)
	if err != nil {
		s.tb.Fatalf("look for the model's process: %v", err)
	}
	for _, pid := range runners {
		if p, err := os.FindProcess(pid); err == nil {
			_ = p.Kill() // it may have ended by itself
		}
	}
	return len(runners)
}

// Restart starts the server again, on the same port with the same models.
func (s *Server) Restart(env ...string) {
	s.tb.Helper()
	s.Kill()
	s.start(env)
}

// Loads counts how often the server has loaded a model.
func (s *Server) Loads() int { return s.log.count(`msg="loaded runners"`) }

func (s *Server) start(env []string) {
	s.tb.Helper()
	cmd := s.command("serve")
	cmd.Env = append(cmd.Env, env...)
	cmd.Stdout, cmd.Stderr = s.log, s.log
	ownGroup(cmd)
	if err := cmd.Start(); err != nil {
		s.tb.Fatalf("start %s: %v", s.binary, err)
	}
	s.cmd, s.exited = cmd, make(chan struct{})
	go func(exited chan struct{}) { // ends with the process, which Kill ends
		defer close(exited)
		_ = cmd.Wait()
	}(s.exited)
	if err := s.wait(); err != nil {
		s.tb.Fatalf("ollama serve: %v; its log:\n%s", err, s.log.tail(4000))
	}
}

func (s *Server) wait() error {
	deadline := time.Now().Add(patience)
	for time.Now().Before(deadline) {
		resp, err := http.Get(s.Endpoint + "/api/version")
		if err == nil {
			return resp.Body.Close()
		}
		select {
		case <-s.exited:
			return errors.New("it exited")
		case <-time.After(50 * time.Millisecond):
		}
	}
	return fmt.Errorf("no answer within %v", patience)
}

func (s *Server) create() {
	s.tb.Helper()
	dir, err := modelFolder()
	if err != nil {
		s.tb.Fatal(err)
	}
	ctx, cancel := context.WithTimeout(s.tb.Context(), patience)
	defer cancel()
	c := s.command("create", s.Model, "-f", filepath.Join(dir, "Modelfile"))
	c.Dir = dir
	cmd := exec.CommandContext(ctx, c.Path, c.Args[1:]...)
	cmd.Env, cmd.Dir = c.Env, c.Dir
	if out, err := cmd.CombinedOutput(); err != nil {
		s.tb.Fatalf("ollama create: %v\n%s", err, out)
	}
}

func (s *Server) command(args ...string) *exec.Cmd {
	cmd := exec.Command(s.binary, args...)
	cmd.Env = append(os.Environ(),
		"HOME="+s.home,
		"OLLAMA_HOST=127.0.0.1:"+s.port,
		"OLLAMA_MODELS="+filepath.Join(s.home, "models"),
		"OLLAMA_KEEP_ALIVE=10m",
		"OLLAMA_NOPRUNE=1",
		"NO_PROXY=127.0.0.1", "no_proxy=127.0.0.1",
	)
	return cmd
}

// modelFolder finds testdata/model in a folder above the test's.
func modelFolder() (string, error) {
	dir, err := os.Getwd()
	if err != nil {
		return "", err
	}
	for {
		model := filepath.Join(dir, "testdata", "model")
		if _, err := os.Stat(filepath.Join(model, "Modelfile")); err == nil {
			return model, nil
		}
		parent := filepath.Dir(dir)
		if parent == dir {
			return "", errors.New("testdata/model is in no folder above the test's: run it inside the repository")
		}
		dir = parent
	}
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

func (l *log) count(words string) int {
	l.mu.Lock()
	defer l.mu.Unlock()
	return bytes.Count(l.text.Bytes(), []byte(words))
}
