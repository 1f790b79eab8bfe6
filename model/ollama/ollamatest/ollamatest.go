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
	"context"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"testing"

	"readahead/model/internal/modeltest"
)

// Model is the name under which the test model is served.
const Model = "tiny-code"

// howTo says how to get what is missing.
const howTo = `

    SKIPPED: this test runs against a real Ollama, and there is none here.
    Build one (ten minutes the first time) and run it again:

        model/ollama/testserver/build.sh /tmp/ollama
        READAHEAD_OLLAMA_BIN=/tmp/ollama go test ./model/ollama/...
`

// A Server is one Ollama server with the test model.
type Server struct {
	Endpoint string // http://127.0.0.1:PORT
	Model    string

	tb      testing.TB
	binary  string
	port    string
	home    string // models, keys and logs
	process *modeltest.Process
}

// Start starts a server and stops it, its model processes too, when the test
// ends. Extra environment, such as "OLLAMA_NUM_PARALLEL=4", is for the server.
func Start(tb testing.TB, env ...string) *Server {
	tb.Helper()
	binary := Binary()
	if binary == "" {
		tb.Skip(howTo)
	}
	s := &Server{Model: Model, tb: tb, binary: binary, port: modeltest.FreePort(tb), home: tb.TempDir(), process: modeltest.NewProcess(tb)}
	s.Endpoint = "http://127.0.0.1:" + s.port
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
func (s *Server) Kill() { s.process.Kill() }

// KillServer ends the server alone; its model processes live on until Kill.
func (s *Server) KillServer() {
	s.tb.Helper()
	s.process.KillAlone()
}

// KillRunner ends the processes that run models and says how many there were.
func (s *Server) KillRunner() int {
	s.tb.Helper()
	return s.process.KillChildren()
}

// Restart starts the server again, on the same port with the same models.
func (s *Server) Restart(env ...string) {
	s.tb.Helper()
	s.Kill()
	s.start(env)
}

// Loads counts how often the server has loaded a model.
func (s *Server) Loads() int { return s.process.Log.Count(`msg="loaded runners"`) }

func (s *Server) start(env []string) {
	s.tb.Helper()
	cmd := s.command("serve")
	cmd.Env = append(cmd.Env, env...)
	s.process.Start(cmd, func() bool {
		resp, err := http.Get(s.Endpoint + "/api/version")
		if err != nil {
			return false
		}
		return resp.Body.Close() == nil
	})
}

func (s *Server) create() {
	s.tb.Helper()
	dir := modeltest.ModelFolder(s.tb)
	ctx, cancel := context.WithTimeout(s.tb.Context(), modeltest.Patience)
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
