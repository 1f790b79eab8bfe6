package lsp

import (
	"bufio"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"log/slog"
	"net"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"go.lsp.dev/jsonrpc2"
	"go.lsp.dev/protocol"
)

// The first tests are the hazards of the library's own handlers, one by one.

func TestPipelinedRequestsSeeTheTextThatTheyWereAskedAbout(t *testing.T) {
	const rounds = 3000
	f := newFake()
	f.answer(func(_ context.Context, r CompletionRequest) (Completion, error) {
		return Completion{Items: []Item{{Text: fmt.Sprintf("len_%d", len(r.Text))}}}, nil
	})
	w := dial(t, f)
	w.send(1, "initialize", `{"capabilities":{}}`)
	w.read(1)
	// One document for each request in a row, so that they do not supersede each
	// other while nobody waits for an answer.
	const documents = 100
	for i := range documents {
		w.notify("textDocument/didOpen", fmt.Sprintf(`{"textDocument":{"uri":"file:///%d","languageId":"","text":""}}`, i))
	}
	go func() {
		for i := range rounds {
			turn := i / documents
			w.notify("textDocument/didChange", fmt.Sprintf(
				`{"textDocument":{"uri":"file:///%d"},"contentChanges":[{"text":"%s"}]}`, i%documents, strings.Repeat("x", turn+1)))
			w.send(100+i, "textDocument/inlineCompletion", fmt.Sprintf(
				`{"textDocument":{"uri":"file:///%d"},"position":{"line":0,"character":%d},"context":{"triggerKind":2}}`, i%documents, turn+1))
		}
	}()
	wrong, answered := 0, 0
	for range rounds {
		id, body := w.next()
		switch want := fmt.Sprintf(`"insertText":"len_%d"`, (id-100)/documents+1); {
		case strings.Contains(body, `"code":-32800`): // superseded by the next round
		case strings.Contains(body, want):
			answered++
		default:
			wrong++
		}
	}
	if wrong > 0 || answered < documents {
		t.Errorf("of %d requests %d were answered for another text, %d rightly", rounds, wrong, answered)
	}
}

// A wire is a connection on which a test writes its own frames, in its own
// order.
type rawWire struct {
	t    testing.TB
	conn net.Conn
	in   *bufio.Reader
}

func dial(t testing.TB, f *fake) *rawWire {
	t.Helper()
	here, there := net.Pipe()
	ended := make(chan error, 1)
	go func() { ended <- NewServer(f, testOptions()).Serve(t.Context(), there) }()
	t.Cleanup(func() { here.Close(); <-ended })
	return &rawWire{t, here, bufio.NewReader(here)}
}

func (w *rawWire) frame(body string) {
	fmt.Fprintf(w.conn, "Content-Length: %d\r\n\r\n%s", len(body), body)
}

func (w *rawWire) send(id int, method, params string) {
	w.frame(fmt.Sprintf(`{"jsonrpc":"2.0","id":%d,"method":%q,"params":%s}`, id, method, params))
}

func (w *rawWire) notify(method, params string) {
	w.frame(fmt.Sprintf(`{"jsonrpc":"2.0","method":%q,"params":%s}`, method, params))
}

// next is the next answer and the id of the request it is for; 0 for none.
func (w *rawWire) next() (id int, body string) {
	w.t.Helper()
	w.conn.SetReadDeadline(time.Now().Add(patience))
	b, _, err := readFrame(w.in)
	if err != nil {
		w.t.Fatalf("no answer: %v", err)
	}
	var r struct{ ID *int }
	if err := json.Unmarshal(b, &r); err != nil {
		w.t.Fatalf("%q: %v", b, err)
	}
	if r.ID != nil {
		id = *r.ID
	}
	return id, string(b)
}

// read skips to the answer to request id.
func (w *rawWire) read(id int) string {
	w.t.Helper()
	for {
		if got, body := w.next(); got == id {
			return body
		}
	}
}

func TestASlowRequestDoesNotHoldUpTheNext(t *testing.T) {
	f := newFake()
	c := connect(t, f, testOptions())
	c.start(`{}`)
	c.open("/home/me/a.py", "python", "x = ")
	release := make(chan struct{})
	defer close(release)
	f.answer(func(ctx context.Context, r CompletionRequest) (Completion, error) {
		select {
		case <-release:
		case <-ctx.Done():
		}
		return Completion{}, ctx.Err()
	})
	go c.inline("/home/me/a.py", "x = ", 4)
	eventually(t, "the slow request reaches the model", func() bool { return f.calls() == 1 })
	c.mustCall("workspace/executeCommand", `{"command":"readahead.status"}`, nil)
}

func TestACancelledRequestAnswersAtOnceAndStopsTheModel(t *testing.T) {
	f := newFake()
	stopped := make(chan struct{})
	f.answer(func(ctx context.Context, r CompletionRequest) (Completion, error) {
		<-ctx.Done()
		close(stopped)
		return Completion{}, ctx.Err()
	})
	for _, id := range []string{`7`, `"seven"`} {
		t.Run("with the id "+id, func(t *testing.T) {
			stopped = make(chan struct{})
			w := dial(t, f)
			w.send(1, "initialize", `{"capabilities":{}}`)
			w.read(1)
			w.notify("textDocument/didOpen", `{"textDocument":{"uri":"file:///a","text":"x"}}`)
			before := f.calls()
			w.frame(`{"jsonrpc":"2.0","id":` + id + `,"method":"textDocument/inlineCompletion","params":{"textDocument":{"uri":"file:///a"},"position":{"line":0,"character":1}}}`)
			eventually(t, "the request reaches the model", func() bool { return f.calls() > before })
			start := time.Now()
			w.notify("$/cancelRequest", `{"id":`+id+`}`)
			b, _, err := readFrame(w.in)
			if err != nil || !strings.Contains(string(b), `"code":-32800`) || !strings.Contains(string(b), `"id":`+id) {
				t.Errorf("answer %s, %v; want the code -32800", b, err)
			}
			t.Logf("answered after %v", time.Since(start))
			<-stopped
		})
	}
}

func TestClosingADocumentAnswersWhatIsAskedAboutIt(t *testing.T) {
	f := newFake()
	f.answer(func(ctx context.Context, r CompletionRequest) (Completion, error) {
		<-ctx.Done()
		return Completion{}, ctx.Err()
	})
	w := dial(t, f)
	w.send(1, "initialize", `{"capabilities":{}}`)
	w.read(1)
	for _, name := range []string{"a", "b"} {
		w.notify("textDocument/didOpen", `{"textDocument":{"uri":"file:///`+name+`","text":"x"}}`)
	}
	for id, method := range map[int]string{2: "textDocument/inlineCompletion", 3: "textDocument/completion"} {
		w.send(id, method, `{"textDocument":{"uri":"file:///a"},"position":{"line":0,"character":1}}`)
	}
	eventually(t, "the model is at work", func() bool { return f.calls() > 0 })
	w.notify("textDocument/didClose", `{"textDocument":{"uri":"file:///a"}}`)
	for range 2 {
		if id, body := w.next(); !strings.Contains(body, `"code":-32800`) {
			t.Errorf("request %d got %s; want the code -32800", id, body)
		}
	}
	eventually(t, "the model has stopped", func() bool { now, _ := f.load(); return now == 0 })
	f.say("()")
	w.send(4, "textDocument/inlineCompletion", `{"textDocument":{"uri":"file:///b"},"position":{"line":0,"character":1}}`)
	if body := w.read(4); !strings.Contains(string(body), `"()"`) {
		t.Errorf("the other document got %s", body)
	}
}

func TestPanicsAreAnswers(t *testing.T) {
	f := newFake()
	f.answer(func(context.Context, CompletionRequest) (Completion, error) { panic("boom") })
	c := connect(t, f, testOptions())
	c.start(`{}`)
	c.open("/home/me/a.py", "python", "x = ")
	if reply, err := c.inline("/home/me/a.py", "x = ", 4); err != nil || len(reply.Items) != 0 {
		t.Errorf("after a panic in the model: %v, %v; want no items", reply, err)
	}
	f.say("1")
	c.insert("/home/me/a.py", "x = ", 4, " ")
	if reply, err := c.inline("/home/me/a.py", "x =  ", 5); err != nil || len(reply.Items) != 1 {
		t.Errorf("the next request: %v, %v; want an item", reply, err)
	}
}

// A dispatcher by itself, with handlers that misbehave.
func TestHandlersCannotEndTheConnection(t *testing.T) {
	misbehaving := map[string]handler{
		"panics at once": func(json.RawMessage) (finisher, error) { panic("one") },
		"panics later": func(json.RawMessage) (finisher, error) {
			return later(func(context.Context) (any, error) { panic("two") }), nil
		},
		"fails":      func(json.RawMessage) (finisher, error) { return nil, errors.New("three") },
		"is wrapped": func(json.RawMessage) (finisher, error) { return nil, fmt.Errorf("four: %w", context.Canceled) },
		"derives":    derives,
		"works":      func(json.RawMessage) (finisher, error) { return done{protocol.String("fine")}, nil },
	}
	here, there := net.Pipe()
	d := &dispatcher{base: t.Context(), log: slog.New(slog.DiscardHandler),
		admit:   func(string, bool) error { return nil },
		find:    func(m string) handler { return misbehaving[m] },
		running: map[jsonrpc2.ID]*running{}}
	server := jsonrpc2.NewConn(newStream(there, new(atomic.Bool)), jsonrpc2.WithCodec(codec{}))
	server.Go(t.Context(), d.handle)
	client := jsonrpc2.NewConn(jsonrpc2.NewStream(here))
	client.Go(t.Context(), jsonrpc2.MethodNotFoundHandler)
	t.Cleanup(func() { client.Close(); server.Close() })

	for method, want := range map[string]jsonrpc2.Code{
		"panics at once": jsonrpc2.InternalError,
		"panics later":   jsonrpc2.InternalError,
		"fails":          jsonrpc2.InternalError,
		"is wrapped":     protocol.CodeRequestCancelled,
		"is unknown":     jsonrpc2.MethodNotFound,
	} {
		if err := client.Notify(t.Context(), method, nil); err != nil {
			t.Errorf("notification that %s: %v", method, err)
		}
		if _, err := client.Call(t.Context(), method, nil, nil); code(err) != want {
			t.Errorf("request that %s: %v, code %d; want %d", method, err, code(err), want)
		}
	}
	for range 100 {
		if _, err := client.Call(t.Context(), "derives", nil, nil); err != nil {
			t.Fatalf("a handler that derives contexts: %v", err)
		}
	}
	var got string
	if _, err := client.Call(t.Context(), "works", nil, &got); err != nil || got != "fine" {
		t.Errorf("the connection after all that: %q, %v", got, err)
	}
}

type childKey struct{}

// derives starts a goroutine whose context outlives the request.
func derives(json.RawMessage) (finisher, error) {
	return later(func(ctx context.Context) (any, error) {
		child, cancel := context.WithCancel(context.WithValue(ctx, childKey{}, 1))
		go func() { defer cancel(); <-child.Done() }()
		return nil, nil
	}), nil
}
