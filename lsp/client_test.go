package lsp

import (
	"context"
	"encoding/json"
	"errors"
	"net"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"
	"unicode/utf16"

	"go.lsp.dev/jsonrpc2"
)

// patience is for a busy machine; no test waits for it to pass.
const patience = 30 * time.Second

// A fake is a Completer that says what a test tells it to, as the engine would:
// only what Show lets through.
type fake struct {
	mu       sync.Mutex
	says     func(ctx context.Context, r CompletionRequest) (Completion, error)
	asked    []CompletionRequest
	prepared []CompletionRequest
	inFlight int
	most     int // the most requests that were in flight at a time
	docs     map[string]string
	events   []string
	config   Config
	changes  atomic.Int64
	work     func(report func(Progress)) // done while indexing
}

func newFake() *fake { return &fake{docs: map[string]string{}} }

// say makes every answer the given candidates.
func (f *fake) say(texts ...string) {
	f.answer(func(_ context.Context, r CompletionRequest) (Completion, error) { return candidates(r, texts...), nil })
}

func (f *fake) answer(says func(context.Context, CompletionRequest) (Completion, error)) {
	f.mu.Lock()
	defer f.mu.Unlock()
	f.says = says
}

// candidates are the texts as far as they can be shown, at most r.Max.
func candidates(r CompletionRequest, texts ...string) (c Completion) {
	d := Doc{Text: r.Text, Offset: r.Offset, Lang: languageOf(r)}
	for _, t := range texts {
		if it, reason := Show(d, t); reason == "" && !slices.Contains(c.Items, it) && len(c.Items) < max(1, r.Max) {
			c.Items = append(c.Items, it)
		}
	}
	return c
}

func (f *fake) Complete(ctx context.Context, r CompletionRequest) (Completion, error) {
	f.mu.Lock()
	f.asked = append(f.asked, r)
	f.inFlight++
	f.most = max(f.most, f.inFlight)
	says := f.says
	f.mu.Unlock()
	defer func() { f.mu.Lock(); f.inFlight--; f.mu.Unlock() }()
	if says == nil {
		return Completion{}, nil
	}
	return says(ctx, r)
}

func (f *fake) Prepare(_ context.Context, r CompletionRequest) {
	f.mu.Lock()
	defer f.mu.Unlock()
	f.prepared = append(f.prepared, r)
}

func (f *fake) OpenDocument(path, _ string, text []byte) {
	f.mu.Lock()
	defer f.mu.Unlock()
	f.docs[path] = string(text)
}

func (f *fake) EditDocument(path string, start, oldEnd int, text []byte) {
	f.mu.Lock()
	defer f.mu.Unlock()
	d := f.docs[path]
	f.docs[path] = d[:start] + string(text) + d[oldEnd:]
}

func (f *fake) CloseDocument(path string) {
	f.mu.Lock()
	defer f.mu.Unlock()
	delete(f.docs, path)
}

func (f *fake) event(e string) {
	f.mu.Lock()
	defer f.mu.Unlock()
	f.events = append(f.events, e)
}

func (f *fake) FilesChanged(_ context.Context, paths []string) {
	f.event("files " + strings.Join(paths, " "))
}

func (f *fake) FoldersChanged(_ context.Context, added, removed []string, report func(Progress)) error {
	f.event("folders +" + strings.Join(added, " ") + " -" + strings.Join(removed, " "))
	if f.work != nil {
		f.work(report)
	}
	return nil
}

func (f *fake) Configure(_ context.Context, c Config, _ func(Progress)) error {
	f.mu.Lock()
	f.config = c
	f.mu.Unlock()
	f.event("configure")
	return nil
}

func (f *fake) Changes() int64 { return f.changes.Load() }

func (f *fake) Reindex(context.Context, func(Progress)) error {
	f.event("reindex")
	return nil
}

// calls is how often the model was asked so far.
func (f *fake) calls() int {
	f.mu.Lock()
	defer f.mu.Unlock()
	return len(f.asked)
}

// load is how many requests are at the model, and the most that were.
func (f *fake) load() (now, most int) {
	f.mu.Lock()
	defer f.mu.Unlock()
	return f.inFlight, f.most
}

func (f *fake) settings() Config {
	f.mu.Lock()
	defer f.mu.Unlock()
	return f.config
}

func (f *fake) last() CompletionRequest {
	f.mu.Lock()
	defer f.mu.Unlock()
	return f.asked[len(f.asked)-1]
}

func (f *fake) text(path string) string {
	f.mu.Lock()
	defer f.mu.Unlock()
	return f.docs[path]
}

func (f *fake) saw(event string) bool {
	f.mu.Lock()
	defer f.mu.Unlock()
	return slices.Contains(f.events, event)
}

// A client is an editor: a real connection to a real server, over a pipe.
type client struct {
	t      testing.TB
	fake   *fake
	conn   jsonrpc2.Conn
	wire   net.Conn // the client's end of the pipe
	ended  chan error
	ctx    context.Context
	mu     sync.Mutex
	notes  []string // notifications of the server: method and parameters
	config string   // what workspace/configuration answers
	asks   []string // requests of the server
}

func pipe() (here, there net.Conn) { return net.Pipe() }

// testOptions ask the model at once.
func testOptions() Options {
	c := DefaultConfig()
	c.DebounceMs = 0
	c.DeadlineMs = 20_000
	return Options{Version: "test", Config: c}
}

func connect(t *testing.T, f *fake, o Options) *client {
	t.Helper()
	ctx, cancel := context.WithTimeout(t.Context(), patience)
	t.Cleanup(cancel)
	c := attach(ctx, t, f, o)
	c.fake = f
	return c
}

// attach is a client of a server that asks completer, until ctx ends.
func attach(ctx context.Context, t testing.TB, completer Completer, o Options) *client {
	t.Helper()
	here, there := net.Pipe()
	c := &client{t: t, wire: here, ended: make(chan error, 1), ctx: ctx}
	go func() { c.ended <- NewServer(completer, o).Serve(ctx, there) }()
	c.conn = jsonrpc2.NewConn(jsonrpc2.NewStream(here), jsonrpc2.WithCodec(codec{}))
	c.conn.Go(ctx, c.handle)
	t.Cleanup(func() {
		here.Close()
		select {
		case <-c.ended:
		case <-time.After(patience):
			t.Error("the server did not end with its connection")
		}
	})
	return c
}

func (c *client) handle(_ context.Context, r *jsonrpc2.Request) (any, error) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if !r.IsCall() {
		c.notes = append(c.notes, r.Method()+" "+string(r.Params()))
		return nil, nil
	}
	c.asks = append(c.asks, r.Method()+" "+string(r.Params()))
	if r.Method() == "workspace/configuration" {
		return jsonrpc2.RawMessage("[" + c.config + "]"), nil
	}
	return nil, nil
}

// call sends a request and decodes the answer into result.
func (c *client) call(method, params string, result any) error {
	c.t.Helper()
	var raw jsonrpc2.RawMessage
	if _, err := c.conn.Call(c.ctx, method, jsonrpc2.RawMessage(params), &raw); err != nil {
		return err
	}
	if result == nil || len(raw) == 0 {
		return nil
	}
	return json.Unmarshal(raw, result)
}

func (c *client) mustCall(method, params string, result any) {
	c.t.Helper()
	if err := c.call(method, params, result); err != nil {
		c.t.Fatalf("%s: %v", method, err)
	}
}

func (c *client) notify(method, params string) {
	c.t.Helper()
	if err := c.conn.Notify(c.ctx, method, jsonrpc2.RawMessage(params)); err != nil {
		c.t.Fatalf("%s: %v", method, err)
	}
}

// start brings the server to where it answers requests.
func (c *client) start(capabilities string) {
	c.t.Helper()
	c.mustCall("initialize", `{"processId":null,"rootUri":"file:///home/me","capabilities":`+capabilities+`}`, nil)
	c.notify("initialized", `{}`)
}

func (c *client) open(path, language, text string) {
	c.t.Helper()
	c.notify("textDocument/didOpen", object("textDocument", map[string]any{
		"uri": "file://" + path, "languageId": language, "version": 1, "text": text}))
}

// insert types text at a byte offset of what the document holds.
func (c *client) insert(path, doc string, at int, text string) {
	c.t.Helper()
	p := wireUTF16(doc, at)
	c.notify("textDocument/didChange", object(
		"textDocument", map[string]any{"uri": "file://" + path, "version": 2},
		"contentChanges", []any{map[string]any{"range": map[string]any{"start": p, "end": p}, "text": text}}))
}

// remove takes away the text between two byte offsets of what the document holds.
func (c *client) remove(path, doc string, from, to int) {
	c.t.Helper()
	c.notify("textDocument/didChange", object(
		"textDocument", map[string]any{"uri": "file://" + path, "version": 2},
		"contentChanges", []any{map[string]any{"range": map[string]any{"start": wireUTF16(doc, from), "end": wireUTF16(doc, to)}, "text": ""}}))
}

// inline asks for inline completions at a byte offset.
func (c *client) inline(path, doc string, at int) (reply inlineReply, err error) {
	c.t.Helper()
	err = c.call("textDocument/inlineCompletion", inlineParams(path, doc, at), &reply)
	return reply, err
}

func inlineParams(path, doc string, at int) string {
	return object("textDocument", map[string]any{"uri": "file://" + path},
		"position", wireUTF16(doc, at), "context", map[string]any{"triggerKind": 2})
}

type inlineReply struct {
	Items []struct {
		InsertText string
		Range      *wireRange
		Command    struct{ Command string }
	}
}

// object is JSON of keys and values.
func object(pairs ...any) string {
	m := map[string]any{}
	for i := 0; i < len(pairs); i += 2 {
		m[pairs[i].(string)] = pairs[i+1]
	}
	b, err := json.Marshal(m)
	if err != nil {
		panic(err)
	}
	return string(b)
}

// wireUTF16 is a position by definition: lines and units counted one by one.
func wireUTF16(doc string, at int) map[string]any {
	line, start := 0, 0
	for i := 0; i < at; i++ {
		if doc[i] == '\n' || doc[i] == '\r' && (i+1 >= len(doc) || doc[i+1] != '\n') {
			line, start = line+1, i+1
		}
	}
	return map[string]any{"line": line, "character": len(utf16.Encode([]rune(doc[start:at])))}
}

// noted waits until the server has sent a notification that contains all parts.
func (c *client) noted(parts ...string) {
	c.t.Helper()
	eventually(c.t, "a notification with "+strings.Join(parts, ", "), func() bool { return c.hasNoted(parts...) })
}

func (c *client) hasNoted(parts ...string) bool {
	c.mu.Lock()
	defer c.mu.Unlock()
	return slices.ContainsFunc(c.notes, func(n string) bool { return containsAll(n, parts) })
}

func containsAll(s string, parts []string) bool {
	return !slices.ContainsFunc(parts, func(p string) bool { return !strings.Contains(s, p) })
}

// eventually waits for what another goroutine does.
func eventually(t testing.TB, what string, happened func() bool) {
	t.Helper()
	for end := time.Now().Add(patience); !happened(); time.Sleep(time.Millisecond) {
		if time.Now().After(end) {
			t.Fatalf("did not happen: %s", what)
		}
	}
}

// code is the error code of a reply, 0 if it is no error of the protocol's.
func code(err error) jsonrpc2.Code {
	var e *jsonrpc2.Error
	if errors.As(err, &e) {
		return e.Code
	}
	return 0
}
