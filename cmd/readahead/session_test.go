package main

import (
	"bufio"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"net/textproto"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"testing"
	"time"
)

// A session is a client of `readahead serve` over its standard input and
// output, as an editor is. It reads and writes the wire by itself, so that the
// server's own library is not what it is tested with.
type session struct {
	t    *testing.T
	cmd  *exec.Cmd
	in   io.WriteCloser
	out  *bufio.Reader
	id   int
	said []message // notifications and requests of the server
}

type message struct {
	ID     json.RawMessage `json:"id"`
	Method string          `json:"method"`
	Params json.RawMessage `json:"params"`
	Result json.RawMessage `json:"result"`
	Error  *struct {
		Code    int
		Message string
	} `json:"error"`
}

func serve(ctx context.Context, t *testing.T, env ...string) *session {
	t.Helper()
	return serveWith(ctx, t, []string{"--log", filepath.Join(t.TempDir(), "log")}, env...)
}

// serveWith is serve with flags.
func serveWith(ctx context.Context, t *testing.T, flags []string, env ...string) *session {
	t.Helper()
	c := command(ctx, t, append([]string{"serve"}, flags...)...)
	c.Env = append(c.Env, env...)
	return started(t, c)
}

// started is the session of a server that c starts.
func started(t *testing.T, c *exec.Cmd) *session {
	t.Helper()
	s := &session{t: t, cmd: c}
	s.cmd.Stderr = os.Stderr
	in, err := s.cmd.StdinPipe()
	if err != nil {
		t.Fatal(err)
	}
	out, err := s.cmd.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := s.cmd.Start(); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		in.Close()
		_ = s.cmd.Wait() // a failed test leaves it in any state
	})
	s.in, s.out = in, bufio.NewReader(out)
	return s
}

func (s *session) write(v any) {
	s.t.Helper()
	body, err := json.Marshal(v)
	if err != nil {
		s.t.Fatal(err)
	}
	if _, err := fmt.Fprintf(s.in, "Content-Length: %d\r\n\r\n%s", len(body), body); err != nil {
		s.t.Fatal(err)
	}
}

func (s *session) read() message {
	s.t.Helper()
	header, err := textproto.NewReader(s.out).ReadMIMEHeader()
	if err != nil {
		s.t.Fatalf("read from the server: %v", err)
	}
	n, err := strconv.Atoi(header.Get("Content-Length"))
	if err != nil {
		s.t.Fatal(err)
	}
	body := make([]byte, n)
	if _, err := io.ReadFull(s.out, body); err != nil {
		s.t.Fatal(err)
	}
	var m message
	if err := json.Unmarshal(body, &m); err != nil {
		s.t.Fatal(err)
	}
	return m
}

// call sends a request and waits for its answer; what the server asks meanwhile
// is answered with null, as a client without that ability does.
func (s *session) call(method string, params any) message {
	s.t.Helper()
	s.id++
	s.write(map[string]any{"jsonrpc": "2.0", "id": s.id, "method": method, "params": params})
	for {
		m := s.read()
		switch {
		case m.Method != "":
			s.said = append(s.said, m)
			if m.ID != nil {
				s.write(map[string]any{"jsonrpc": "2.0", "id": m.ID, "result": nil})
			}
		case string(m.ID) == strconv.Itoa(s.id):
			return m
		default:
			s.t.Fatalf("an answer to %s, which was not asked", m.ID)
		}
	}
}

func (s *session) notify(method string, params any) {
	s.t.Helper()
	s.write(map[string]any{"jsonrpc": "2.0", "method": method, "params": params})
}

// open starts a session in dir with a document, whose cursor $0 it returns.
func (s *session) open(dir, file, languageID string) (uri string, position map[string]int) {
	s.t.Helper()
	r := s.call("initialize", map[string]any{
		"processId": os.Getpid(), "rootUri": "file://" + filepath.ToSlash(dir),
		"capabilities": map[string]any{"general": map[string]any{"positionEncodings": []string{"utf-16"}},
			"textDocument": map[string]any{"inlineCompletion": map[string]any{}}},
	})
	if r.Error != nil || !strings.Contains(string(r.Result), "inlineCompletionProvider") {
		s.t.Fatalf("initialize: %s %v", r.Result, r.Error)
	}
	s.notify("initialized", map[string]any{})
	at := cursor(s.t, file)
	p, err := parsePlace(at)
	if err != nil {
		s.t.Fatal(err)
	}
	text, err := os.ReadFile(file)
	if err != nil {
		s.t.Fatal(err)
	}
	uri = "file://" + filepath.ToSlash(file)
	s.notify("textDocument/didOpen", map[string]any{"textDocument": map[string]any{
		"uri": uri, "languageId": languageID, "version": 1, "text": string(text)}})
	return uri, map[string]int{"line": p.line - 1, "character": p.col - 1}
}

type inlineItems struct {
	Items []struct {
		InsertText string `json:"insertText"`
	} `json:"items"`
}

// inline asks for an inline completion until there is one: indexing goes on in
// the background, and the first request may come before its end.
func (s *session) inline(uri string, position map[string]int) inlineItems {
	s.t.Helper()
	deadline := time.Now().Add(2 * time.Minute)
	for {
		r := s.call("textDocument/inlineCompletion", map[string]any{
			"textDocument": map[string]any{"uri": uri}, "position": position, "context": map[string]any{"triggerKind": 1}})
		if r.Error != nil {
			s.t.Fatalf("inlineCompletion: %+v", r.Error)
		}
		var got inlineItems
		if err := json.Unmarshal(r.Result, &got); err != nil {
			s.t.Fatal(err)
		}
		if len(got.Items) > 0 || time.Now().After(deadline) {
			return got
		}
		time.Sleep(200 * time.Millisecond)
	}
}

// trace is the account of the last completion in the document.
func (s *session) trace(uri string) (r printed) {
	s.t.Helper()
	m := s.call("workspace/executeCommand", map[string]any{"command": "readahead.inspect", "arguments": []any{uri}})
	if m.Error != nil {
		s.t.Fatalf("inspect: %+v", m.Error)
	}
	if err := json.Unmarshal(m.Result, &r); err != nil {
		s.t.Fatalf("inspect: %v\n%s", err, m.Result)
	}
	return r
}

// leave ends the session in order and returns the exit status.
func (s *session) leave() int {
	s.t.Helper()
	if r := s.call("shutdown", nil); r.Error != nil {
		s.t.Fatalf("shutdown: %+v", r.Error)
	}
	s.notify("exit", nil)
	_ = s.cmd.Wait() // the status says it
	return s.cmd.ProcessState.ExitCode()
}

func TestServeAnswersAnEditorWithTheEmbeddedModel(t *testing.T) {
	dir := unpack(t, "shop")
	ctx, cancel := context.WithTimeout(t.Context(), 3*time.Minute)
	defer cancel()
	s := serve(ctx, t)
	uri, at := s.open(dir, filepath.Join(dir, "order", "order.go"), "go")
	// The first answers come while the workspace is being indexed; they get
	// better, and are not kept.
	got := s.inline(uri, at)
	for range 100 {
		if len(got.Items) > 0 && strings.HasPrefix(got.Items[0].InsertText, "Add(") {
			break
		}
		time.Sleep(100 * time.Millisecond)
		got = s.inline(uri, at)
	}
	if len(got.Items) == 0 || !strings.HasPrefix(got.Items[0].InsertText, "Add(") {
		t.Errorf("items %+v", got.Items)
	}
	if p := s.trace(uri).Trace.Model.Provider; p != "embedded" {
		t.Errorf("answered by %q", p)
	}
	warned := false
	for _, m := range s.said {
		warned = warned || m.Method == "window/showMessage" && strings.Contains(string(m.Params), "ollama serve")
	}
	if !warned {
		t.Error("nobody told the user that no model server answers")
	}
	if status := s.leave(); status != 0 {
		t.Errorf("exit status %d after shutdown and exit", status)
	}
}

func TestServeEndsWithStatusOneWithoutShutdown(t *testing.T) {
	s := serve(t.Context(), t)
	s.call("initialize", map[string]any{"capabilities": map[string]any{}})
	s.notify("exit", nil)
	_ = s.cmd.Wait() // the status says it
	if status := s.cmd.ProcessState.ExitCode(); status != 1 {
		t.Errorf("exit status %d, want 1", status)
	}
}
