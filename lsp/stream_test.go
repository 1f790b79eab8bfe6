package lsp

import (
	"bufio"
	"bytes"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"net"
	"strings"
	"testing"
)

func TestFrames(t *testing.T) {
	for _, c := range []struct {
		name string
		in   string
		want string // the body, or what the error says
	}{
		{"a message", "Content-Length: 2\r\n\r\n{}", "{}"},
		{"header names in any case, other headers, bare line ends", "content-length:2\nX: y\n\n{}", "{}"},
		{"the connection ends between messages", "", "EOF"},
		{"the connection ends inside a header", "Content-Length: 2\r\n", "inside a header"},
		{"the connection ends inside a body", "Content-Length: 5\r\n\r\n{}", "2 of 5 bytes"},
		{"no length", "X: y\r\n\r\n{}", "without Content-Length"},
		{"a length that is none", "Content-Length: many\r\n\r\n{}", `"many" is no length`},
		{"a negative length", "Content-Length: -2\r\n\r\n{}", `"-2" is no length`},
		{"a length over the limit is not waited for", "Content-Length: 99999999999\r\n\r\n", "over the limit"},
		{"a header without end", strings.Repeat("x", 1<<20), "header is over the limit"},
		{"many headers", strings.Repeat("X: y\r\n", 10_000), "header is over the limit"},
		{"something else on the pipe", "npm WARN deprecated\r\n", "no header line"},
	} {
		t.Run(c.name, func(t *testing.T) {
			body, n, err := readFrame(bufio.NewReader(strings.NewReader(c.in)))
			got := string(body)
			if err != nil {
				got = err.Error()
			}
			if !strings.Contains(got, c.want) {
				t.Errorf("got %q, want %q", got, c.want)
			}
			if err == nil && n != int64(len(c.in)) {
				t.Errorf("took %d of %d bytes", n, len(c.in))
			}
			if c.in == "" && err != io.EOF {
				t.Errorf("got %v, want io.EOF itself", err)
			}
		})
	}
}

func TestABodyThatIsNoMessageIsAnsweredAndSkipped(t *testing.T) {
	w := dial(t, newFake())
	for _, body := range []string{`{"jsonrpc":"2.0",`, `[]`, `[{"jsonrpc":"2.0","id":1,"method":"x"}]`, `null`, "\xff\x00", `{"id":1}`, ``} {
		w.frame(body)
		if _, got := w.next(); !strings.Contains(got, `"code":-32700`) || !strings.Contains(got, `"id":null`) {
			t.Errorf("to %q: %s; want a parse error", body, got)
		}
	}
	w.send(1, "initialize", `{"capabilities":{}}`)
	if got := w.read(1); !strings.Contains(got, `"capabilities"`) {
		t.Errorf("after that: %s", got)
	}
}

func TestABrokenFrameEndsTheServerWithAMessage(t *testing.T) {
	here, there := net.Pipe()
	ended := make(chan error, 1)
	go func() { ended <- NewServer(newFake(), testOptions()).Serve(t.Context(), there) }()
	fmt.Fprint(here, "Content-Length: 99999999999\r\n\r\n")
	if err := <-ended; err == nil || !strings.Contains(err.Error(), "over the limit") {
		t.Errorf("Serve: %v", err)
	}
}

// FuzzFrames sends whatever to a server: it must end with the connection, and
// never answer with anything but frames.
func FuzzFrames(f *testing.F) {
	frame := func(s string) []byte { return fmt.Appendf(nil, "Content-Length: %d\r\n\r\n%s", len(s), s) }
	f.Add([]byte("Content-Length: 2\r\n\r\n{}"))
	f.Add(frame(`{"jsonrpc":"2.0","id":1,"method":"initialize","params":{"capabilities":{}}}`))
	f.Add(bytes.Join([][]byte{
		frame(`{"jsonrpc":"2.0","id":1,"method":"initialize","params":{"capabilities":{},"workspaceFolders":[{"uri":"file:///w"}]}}`),
		frame(`{"jsonrpc":"2.0","method":"initialized"}`),
		frame(`{"jsonrpc":"2.0","method":"textDocument/didOpen","params":{"textDocument":{"uri":"file:///a.go","languageId":"go","text":"a\r\nb"}}}`),
		frame(`{"jsonrpc":"2.0","method":"textDocument/didChange","params":{"textDocument":{"uri":"file:///a.go"},"contentChanges":[{"range":{"start":{"line":0,"character":1},"end":{"line":9e9,"character":-1}},"text":"\ud800"}]}}`),
		frame(`{"jsonrpc":"2.0","id":2,"method":"textDocument/inlineCompletion","params":{"textDocument":{"uri":"file:///a.go"},"position":{"line":2147483648,"character":1}}}`),
		frame(`{"jsonrpc":"2.0","method":"$/cancelRequest","params":{"id":2}}`),
		frame(`{"jsonrpc":"2.0","id":3,"method":"shutdown"}`),
		frame(`{"jsonrpc":"2.0","method":"exit"}`),
	}, nil))
	f.Fuzz(func(t *testing.T, in []byte) {
		model := newFake()
		model.say("x")
		p := &piped{Reader: bytes.NewReader(in)}
		var log bytes.Buffer
		o := testOptions()
		o.Log = slog.New(slog.NewTextHandler(&log, &slog.HandlerOptions{Level: slog.LevelWarn}))
		_ = NewServer(model, o).Serve(t.Context(), p)
		if strings.Contains(log.String(), "did not end in time") {
			t.Fatal("some work outlived the connection")
		}
		out := bufio.NewReader(&p.out)
		for {
			if _, _, err := readFrame(out); errors.Is(err, io.EOF) && err == io.EOF {
				break
			} else if err != nil {
				t.Fatalf("answered with no frame: %v", err)
			}
		}
	})
}

// piped reads what it was given and keeps what is written.
type piped struct {
	io.Reader
	out bytes.Buffer
}

func (p *piped) Write(b []byte) (int, error) { return p.out.Write(b) }
func (p *piped) Close() error                { return nil }
