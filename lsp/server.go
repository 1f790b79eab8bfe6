package lsp

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"sync"
	"sync/atomic"
	"time"

	"go.lsp.dev/jsonrpc2"
	"go.lsp.dev/protocol"
)

// A Completer answers requests and follows the workspace: *Engine in the
// product. Document calls come in wire order from one goroutine and return at
// once. Those with a context may take long; Complete and Prepare may be called from
// several goroutines at a time, the others come one after another.
type Completer interface {
	// Complete answers one request. It returns its best so far when ctx's
	// deadline passes, and ctx.Err() when ctx is cancelled: the work stops at the
	// model too.
	Complete(ctx context.Context, r CompletionRequest) (Completion, error)

	// Prepare says that Complete is likely to be asked r soon, and returns when all
	// is ready for it, or ctx has ended before that was begun. It changes no answer,
	// only when it is there.
	Prepare(ctx context.Context, r CompletionRequest)

	// OpenDocument says that the editor's text of a document counts now, not the
	// disk's. text is the callee's to read, never to write.
	OpenDocument(path, languageID string, text []byte)
	// EditDocument replaces the bytes start..oldEnd of an open document by text.
	// The range always lies inside the document.
	EditDocument(path string, start, oldEnd int, text []byte)
	// CloseDocument says that the disk's text counts again.
	CloseDocument(path string)

	// FilesChanged names absolute paths that were created, changed or deleted on
	// disk, as far as the editor noticed.
	FilesChanged(ctx context.Context, paths []string)
	// FoldersChanged adds and removes workspace folders (absolute paths) and
	// returns when the added ones are indexed, calling report now and then.
	FoldersChanged(ctx context.Context, added, removed []string, report func(Progress)) error
	// Configure applies a configuration, re-indexing where it asks for that.
	Configure(ctx context.Context, c Config, report func(Progress)) error
	// Changes counts what has changed besides open documents: files on disk that
	// the callee has noticed by itself, the index as a whole. It only grows.
	Changes() int64
	// Reindex builds the index anew.
	Reindex(ctx context.Context, report func(Progress)) error
}

// Progress is how far indexing has come.
type Progress struct {
	Done, Total int    // files; Total is 0 while it is not known
	What        string // what is being done, for people
}

// Options are what a Server is made of, besides its Completer.
type Options struct {
	Version string // shown to the client
	// Config is what holds before the client has said anything.
	Config Config
	// Load reads the configuration files for the client's workspace folders, again
	// at every change; what the client sends is applied on top. nil: Config.
	Load func(folders []string) (Config, []error)
	// Files are the files that Load reads for the folders, there or not; when one
	// of them changes, the configuration is made anew. nil: none is looked at.
	Files func(folders []string) []string
	// Status adds a line or more to what the command readahead.status answers:
	// the model, the size of the index. nil: nothing to add.
	Status func() string
	// Page writes the JSON of a Report as a page for a browser and returns its
	// path. nil: the command readahead.inspect answers with the Report alone.
	Page func(report []byte) (path string, err error)
	Log  *slog.Logger // nil discards
}

// Server answers one client over one connection.
type Server struct {
	completer Completer
	options   Options
	log       *slog.Logger
	suggester *suggester
	jobs      *queue
	conn      jsonrpc2.Conn
	ended     atomic.Bool // "exit" was seen
	exited    chan struct{}
	orderly   atomic.Bool // "shutdown" was seen
	config    atomic.Pointer[Config]
	// configured is nil before the first configuration; epoch counts them.
	configured atomic.Pointer[configured]
	epoch      atomic.Int64
	paused     atomic.Bool
	stop       context.CancelCauseFunc

	// The reader's own: one message is handled at a time.
	phase     phase
	encoding  encoding
	documents map[string]*document // by path
	edits     int64                // of all documents together, and of files beside them
	client    initializeParams     // not written after initialize
	listening bool                 // "initialized" was seen
	folders   []string

	sections atomic.Pointer[json.RawMessage] // what the client last said in section "readahead"

	tokens atomic.Int64 // of progress bars

	notices notices
}

// phase is where the protocol's life cycle stands.
type phase uint8

const (
	fresh phase = iota
	initialized
	shutDown
)

// NewServer makes a server that has not yet a client.
func NewServer(c Completer, o Options) *Server {
	if o.Log == nil {
		o.Log = slog.New(slog.DiscardHandler)
	}
	if o.Load == nil {
		o.Load = func([]string) (Config, []error) { return o.Config, nil }
	}
	if o.Files == nil {
		o.Files = func([]string) []string { return nil }
	}
	s := &Server{completer: c, options: o, log: o.Log, exited: make(chan struct{}), documents: map[string]*document{}}
	s.config.Store(&o.Config)
	return s
}

var (
	// ErrNoShutdown means that the client left without the "shutdown" request;
	// the process should exit with status 1, as the protocol has it.
	ErrNoShutdown = errors.New("lsp: the client left without a shutdown request")
	// errParent means that the client's process is gone.
	errParent = errors.New("lsp: the client's process has ended")
)

// drain is how long Serve waits for handlers and completions to notice that the
// connection has ended, and for the client to read its last answers.
const drain = 3 * time.Second

// Serve answers the client until it leaves, the connection breaks or ctx ends,
// and closes rwc. It returns nil after an orderly shutdown and exit. All
// goroutines that it started have ended by then; the reader of the library only
// if rwc.Close ends a Read that waits. A Server serves once.
func (s *Server) Serve(ctx context.Context, rwc io.ReadWriteCloser) error {
	base, stop := context.WithCancelCause(ctx)
	defer stop(nil)
	s.stop = stop
	s.suggester = newSuggester(base, s.completer, s.log)
	s.jobs = newQueue()
	d := &dispatcher{base: base, log: s.log, admit: s.admit, find: s.handlers(),
		running: map[jsonrpc2.ID]*running{}}
	out := newOutbox(rwc)
	s.conn = jsonrpc2.NewConn(newStream(out, &s.ended), jsonrpc2.WithCodec(codec{}))

	var owned sync.WaitGroup
	owned.Go(func() { s.jobs.run(base) })
	flushed := make(chan struct{})
	go func() { defer close(flushed); out.run() }()
	// Replies are written under this context, so it must outlive base: a request
	// that base's end cancels is answered, too.
	s.conn.Go(context.WithoutCancel(ctx), d.handle)

	select {
	case <-s.exited:
	case <-s.conn.Done():
	case <-base.Done():
	}
	cause := context.Cause(base)
	stop(nil)
	closed := make(chan error, 1)
	go func() {
		s.suggester.finish()
		owned.Wait()
		out.finish()
		<-flushed
		// The connection waits for its reader, and that for the client: close
		// under it.
		rwc.Close()
		s.conn.Close()
		closed <- s.conn.Err()
	}()
	select {
	case err := <-closed:
		return s.verdict(ctx, cause, err)
	case <-time.After(drain):
		s.log.Warn("some work did not end in time", "after", drain)
		rwc.Close()
		return s.verdict(ctx, cause, nil)
	}
}

// verdict is what Serve returns.
func (s *Server) verdict(ctx context.Context, cause, connection error) error {
	switch {
	case s.ended.Load() && s.orderly.Load():
		return nil
	case ctx.Err() != nil:
		return ctx.Err()
	case cause != nil:
		return cause
	case connection != nil:
		return fmt.Errorf("lsp: connection to the client: %w", connection)
	}
	return ErrNoShutdown
}

// admit keeps the protocol's life cycle.
func (s *Server) admit(method string, call bool) error {
	switch {
	case method == protocol.MethodExit:
		return nil
	case s.phase == fresh && method != protocol.MethodInitialize:
		return jsonrpc2.Errorf(jsonrpc2.ServerNotInitialized, "readahead: %s before initialize", clip(method, 80))
	case s.phase == initialized && method == protocol.MethodInitialize:
		return jsonrpc2.Errorf(jsonrpc2.InvalidRequest, "readahead: initialize a second time")
	case s.phase == shutDown:
		return jsonrpc2.Errorf(jsonrpc2.InvalidRequest, "readahead: %s after shutdown", clip(method, 80))
	}
	return nil
}

// handlers is the table of all methods.
func (s *Server) handlers() func(string) handler {
	table := map[string]handler{
		protocol.MethodInitialize:  s.initialize,
		protocol.MethodInitialized: s.initialized,
		protocol.MethodShutdown:    s.shutdown,
		protocol.MethodExit:        s.exit,
		protocol.MethodSetTrace:    nothing,

		protocol.MethodTextDocumentDidOpen:   s.didOpen,
		protocol.MethodTextDocumentDidChange: s.didChange,
		protocol.MethodTextDocumentDidSave:   nothing,
		protocol.MethodTextDocumentDidClose:  s.didClose,

		protocol.MethodTextDocumentInlineCompletion: s.inlineCompletion,
		protocol.MethodTextDocumentCompletion:       s.completion,

		protocol.MethodWorkspaceDidChangeConfiguration:    s.didChangeConfiguration,
		protocol.MethodWorkspaceDidChangeWatchedFiles:     s.didChangeWatchedFiles,
		protocol.MethodWorkspaceDidChangeWorkspaceFolders: s.didChangeFolders,
		protocol.MethodWorkspaceExecuteCommand:            s.executeCommand,
		protocol.MethodWindowWorkDoneProgressCancel:       nothing,

		// What Copilot's language server understands beyond the protocol has become
		// the usual way to say what happened to an item.
		"textDocument/didShowCompletion":            nothing,
		"textDocument/didPartiallyAcceptCompletion": nothing,
		"textDocument/didFocus":                     nothing,
	}
	return func(method string) handler { return table[method] }
}
