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
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"testing"

	"readahead/model/internal/modeltest"
)

// Model is the name under which the test model is served.
const Model = "tiny-code"

// A Server is one server with the test model.
type Server struct {
	Endpoint string // http://127.0.0.1:PORT
	Key      string // that it asks for

	tb      testing.TB
	args    []string // the program first
	process *modeltest.Process
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
	s := &Server{tb: tb, Key: "key-of-the-test", process: modeltest.NewProcess(tb)}
	port := modeltest.FreePort(tb)
	s.Endpoint = "http://127.0.0.1:" + port
	s.args = append([]string{binary, "-m", filepath.Join(modeltest.ModelFolder(tb), "tiny-code.gguf"), "--alias", Model, "--host", "127.0.0.1", "--port", port,
		"-c", "4096", "-np", "2", "-t", "1", "--api-key", s.Key}, args...)
	s.Restart()
	return s
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
	s := &Server{tb: tb, Key: "key-of-the-test", process: modeltest.NewProcess(tb)}
	port := modeltest.FreePort(tb)
	s.Endpoint = "http://127.0.0.1:" + port
	s.args = append([]string{python, "-m", "llama_cpp.server", "--model", filepath.Join(modeltest.ModelFolder(tb), "tiny-code.gguf"), "--model_alias", Model,
		"--host", "127.0.0.1", "--port", port, "--n_ctx", "2048", "--n_threads", "1", "--api_key", s.Key}, args...)
	s.Restart()
	return s
}

// Restart starts the server again after Kill, on the same port.
func (s *Server) Restart() {
	s.tb.Helper()
	cmd := exec.Command(s.args[0], s.args[1:]...)
	cmd.Env = append(os.Environ(), "NO_PROXY=127.0.0.1", "no_proxy=127.0.0.1")
	s.process.Start(cmd, s.lists)
}

// lists reports whether the server lists its model, which it does once that is
// loaded.
func (s *Server) lists() bool {
	r, err := http.NewRequest(http.MethodGet, s.Endpoint+"/v1/models", nil)
	if err != nil {
		return false
	}
	r.Header.Set("Authorization", "Bearer "+s.Key)
	resp, err := http.DefaultClient.Do(r)
	if err != nil {
		return false
	}
	_ = resp.Body.Close()
	return resp.StatusCode == http.StatusOK
}

// Kill ends the server at once, as a crash would.
func (s *Server) Kill() { s.process.Kill() }
