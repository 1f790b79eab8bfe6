package lsp

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"log/slog"
	"runtime/debug"
	"strings"
	"sync"

	"go.lsp.dev/jsonrpc2"
	"go.lsp.dev/protocol"
)

// A handler answers one kind of message in two steps. The first runs on the
// reader, in the order of the wire, and must not wait: it decodes, changes
// documents or takes a snapshot of one. What it returns, if not nil, runs
// later on its own goroutine and sees only what the first step captured, so that
// an answer is about the text that it was asked about, whatever is typed
// meanwhile.
type handler func(params json.RawMessage) (finish finisher, err error)

// A finisher is the second step: later, or done. Nil is the result null, done.
type finisher interface {
	finish(ctx context.Context) (any, error)
}

// later is a second step that takes time. Its context ends when the client
// cancels the request or the server ends.
type later func(ctx context.Context) (any, error)

func (f later) finish(ctx context.Context) (any, error) { return f(ctx) }

// done is a result that was there at once: it is on the wire before the next
// message is read.
type done struct{ result any }

func (d done) finish(context.Context) (any, error) { return d.result, nil }

// A dispatcher runs handlers between the connection and the server. It gives
// what the library's own chain of handlers does not:
//
//   - messages start in the order of the wire, and a slow one does not hold up
//     the next;
//   - no notification ends the connection, whatever it is and does;
//   - a panic is an error reply;
//   - a cancelled request answers RequestCancelled, at once;
//   - no context derives from the library's request context, which is recycled
//     while children of it may still be alive.
type dispatcher struct {
	base  context.Context // of the server; a field, since the library's callback has none to pass
	log   *slog.Logger
	admit func(method string, call bool) error // may this message be handled now?
	find  func(method string) handler          // nil: unknown

	mu      sync.Mutex
	running map[jsonrpc2.ID]*running
}

// running is one request that has not been answered.
type running struct{ cancel context.CancelFunc }

var errUnknownMethod = errors.New("unknown method")

// handle is the library's handler.
func (d *dispatcher) handle(request context.Context, r *jsonrpc2.Request) (any, error) {
	method, call := strings.Clone(r.Method()), r.IsCall()
	finish, err := d.start(method, call, json.RawMessage(r.Params()))
	if !call {
		if err == nil && finish != nil {
			_, err = d.finish(d.base, method, finish)
		}
		d.ignored(method, err)
		return nil, nil
	}
	if err != nil || finish == nil {
		return nil, wire(err)
	}
	if now, ok := finish.(done); ok {
		return now.result, nil
	}
	id := r.ID()
	ctx, cancel := context.WithCancel(d.base)
	mine := &running{cancel}
	d.mu.Lock()
	d.running[id] = mine
	d.mu.Unlock()
	defer func() {
		cancel()
		d.mu.Lock()
		if d.running[id] == mine { // a careless client may have used the id again
			delete(d.running, id)
		}
		d.mu.Unlock()
	}()
	jsonrpc2.Async(request) // the snapshot is taken: read on
	result, err := d.finish(ctx, method, finish)
	return result, wire(err)
}

// start runs the first step.
func (d *dispatcher) start(method string, call bool, params json.RawMessage) (finish finisher, err error) {
	defer recovered(d.log, method, &err)
	if err := d.admit(method, call); err != nil {
		return nil, err
	}
	if method == string(protocol.MethodCancelRequest) {
		return nil, d.cancel(params)
	}
	h := d.find(method)
	if h == nil {
		return nil, fmt.Errorf("%w %q", errUnknownMethod, clip(method, 80))
	}
	return h(params)
}

// finish runs the second step.
func (d *dispatcher) finish(ctx context.Context, method string, f finisher) (result any, err error) {
	defer recovered(d.log, method, &err)
	return f.finish(ctx)
}

// recovered turns a panic into an error; it is deferred.
func recovered(log *slog.Logger, what string, err *error) {
	if r := recover(); r != nil {
		log.Error("panic", "in", what, "value", r, "stack", string(debug.Stack()))
		*err = coded(jsonrpc2.InternalError, "a bug in %s was caught: %v (please report it with the log)", what, r)
	}
}

// cancel ends the request that a $/cancelRequest names; an unknown one was
// answered already.
func (d *dispatcher) cancel(params json.RawMessage) error {
	var p struct {
		ID json.RawMessage `json:"id"`
	}
	if err := json.Unmarshal(params, &p); err != nil {
		return invalid(err)
	}
	var id jsonrpc2.ID
	var number int64
	var name string
	switch {
	case json.Unmarshal(p.ID, &number) == nil:
		id = jsonrpc2.NewNumberID(number)
	case json.Unmarshal(p.ID, &name) == nil:
		id = jsonrpc2.NewStringID(name)
	default:
		return wrong("id %s is neither a number nor a string", clip(string(p.ID), 40))
	}
	d.mu.Lock()
	defer d.mu.Unlock()
	if r := d.running[id]; r != nil {
		r.cancel()
	}
	return nil
}

// ignored logs why a notification had no effect. Unknown ones that begin with $/
// are allowed by the protocol.
func (d *dispatcher) ignored(method string, err error) {
	if err == nil || strings.HasPrefix(method, "$/") {
		return
	}
	d.log.Warn("notification ignored", "method", clip(method, 80), "err", err)
}

// invalid says that parameters could not be understood.
func invalid(err error) error {
	return coded(jsonrpc2.InvalidParams, "parameters not understood: %s", JSONCause(err))
}

// wrong is the answer to parameters that were understood and cannot be served.
func wrong(format string, args ...any) error {
	return coded(jsonrpc2.InvalidParams, format, args...)
}

// coded is an error of the protocol, with a text that an editor can show.
func coded(code jsonrpc2.Code, format string, args ...any) error {
	return jsonrpc2.Errorf(code, "%s", "readahead: "+OneLine(fmt.Sprintf(format, args...)))
}

// wire gives an error the code that it has in the protocol.
func wire(err error) error {
	var already *jsonrpc2.Error
	switch {
	case err == nil || errors.As(err, &already):
		return err
	case errors.Is(err, context.Canceled):
		return protocol.ErrRequestCancelled // as it stands it would go out as code 0
	case errors.Is(err, errUnknownMethod):
		return coded(jsonrpc2.MethodNotFound, "%v", err)
	}
	return coded(jsonrpc2.InternalError, "%v", err)
}
