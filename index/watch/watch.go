// Package watch tells which files of the workspace may have changed.
//
// The operating system's notices are unreliable in every way but one: if
// something changed, something is said, or it is said that notices were lost.
// So an event is read as "this path is dirty" and nothing more; whoever gets a
// path looks at the disk. Saving through a temporary file, renaming and
// rewriting the same bytes then need no cases of their own.
//
//	fsnotify ──▶ inbox ──▶ tree ──▶ collector ──▶ Batch, Batch, …
//	             (never     (watches  (waits until
//	              blocks)    folders,  it is quiet)
//	                         applies
//	                         rules)
//	walk and compare ─────────────▶
//	(where watching is not possible)
//
// Properties:
//   - Once Add has returned, every later change of a file that the rules let
//     through is in a Batch, or a Batch says Sweep: notices were lost, rules
//     changed, or too much changed to list. So call Add first, and look at the
//     folder once afterwards.
//   - A new folder is listed after its watch is set: what was put into it before
//     is reported too.
//   - A burst (switching branches, installing packages) is one Batch: it waits
//     for a pause, for git to release its index, and for the consumer. A slow
//     consumer costs memory for the paths, up to Options.MaxPaths, never events.
//   - Ignored folders are not watched at all.
//   - Where the system refuses more watches, it says so once, with the remedy,
//     and compares listings in intervals that grow with the tree.
//
// What it refuses: to say what happened to a path, and to follow symbolic links.
package watch

import (
	"context"
	"errors"
	"fmt"
	"path/filepath"
	"slices"
	"sync"
	"time"

	"github.com/fsnotify/fsnotify"

	"readahead/index/ignore"
)

// A Batch is what may have changed since the one before.
type Batch struct {
	// Paths are absolute and start with the folder as it was given to Add;
	// sorted, each once. They name files that may have been created, changed or
	// removed, and folders that may be gone with all that was in them.
	Paths []string
	// Sweep says that Paths is not all: compare every file with the disk.
	Sweep bool
}

// Options are durations and limits; zero fields take the value of
// DefaultOptions.
type Options struct {
	// Quiet is how long nothing must happen before a batch is handed out.
	Quiet time.Duration
	// MaxDelay hands it out although events go on.
	MaxDelay time.Duration
	// LockWait is how long a batch is held back while git works (index.lock).
	LockWait time.Duration
	// MaxPaths is where a batch becomes a Sweep.
	MaxPaths int
	// Heartbeat is how often it is checked that a watched folder is still the
	// one that was watched, and whether git's own settings changed.
	Heartbeat time.Duration
	// PollEvery is the shortest interval between two listings of a folder that
	// cannot be watched. Big trees are listed less often: see pollShare.
	PollEvery time.Duration
	// Poll lists from the start. Network drives do not report what other
	// machines do.
	Poll bool
	// Notice gets a line for people when watching is not possible, once. It is
	// called on the watcher's goroutine and must not block.
	Notice func(string)
}

// DefaultOptions are for an editor: an edit in another window is known before
// one has switched back.
func DefaultOptions() Options {
	return Options{
		Quiet:     50 * time.Millisecond, // a formatter's or an atomic save's events lie closer together
		MaxDelay:  time.Second,
		LockWait:  5 * time.Second,
		MaxPaths:  20_000, // beyond, one listing is cheaper than that many stats
		Heartbeat: 5 * time.Second,
		PollEvery: 2 * time.Second,
		Notice:    func(string) {},
	}
}

func (o Options) withDefaults() Options {
	d := DefaultOptions()
	or := func(v *time.Duration, d time.Duration) {
		if *v <= 0 {
			*v = d
		}
	}
	or(&o.Quiet, d.Quiet)
	or(&o.MaxDelay, d.MaxDelay)
	or(&o.LockWait, d.LockWait)
	or(&o.Heartbeat, d.Heartbeat)
	or(&o.PollEvery, d.PollEvery)
	if o.MaxPaths <= 0 {
		o.MaxPaths = d.MaxPaths
	}
	if o.Notice == nil {
		o.Notice = d.Notice
	}
	return o
}

// ErrClosed is what Add returns on a watcher that has ended.
var ErrClosed = errors.New("watcher is closed")

// A Watcher watches folders. Its methods may be called from any goroutine.
//
// It owns its goroutines: they end when the context of Start is done or Close
// is called, and Close waits for them.
type Watcher struct {
	opts      Options
	collector *collector
	inbox     *inbox
	requests  chan func(context.Context)
	end       context.CancelFunc
	ended     <-chan struct{}
	running   sync.WaitGroup

	// Only the goroutine in run uses what follows.
	fs      *fsnotify.Watcher // nil: poll
	watch   func(path string) error
	trees   []*tree
	noticed bool
}

// Start begins to watch; nothing yet, see Add.
func Start(ctx context.Context, o Options) *Watcher {
	return start(ctx, o, fsnotify.NewWatcher, nil)
}

// start lets tests refuse notices as a whole (connect) or single watches (watch).
func start(ctx context.Context, o Options, connect func() (*fsnotify.Watcher, error), watch func(path string) error) *Watcher {
	o = o.withDefaults()
	ctx, end := context.WithCancel(ctx)
	w := &Watcher{
		opts: o, collector: newCollector(o), inbox: newInbox(o.MaxPaths),
		requests: make(chan func(context.Context)), end: end, ended: ctx.Done(),
	}
	if !o.Poll {
		fs, err := connect()
		if err != nil {
			w.notice(err)
		} else {
			w.fs, w.watch = fs, fs.Add
			if watch != nil {
				w.watch = watch
			}
			w.running.Go(func() { w.inbox.fill(fs) })
		}
	}
	w.running.Go(func() { w.run(ctx) })
	w.running.Go(func() { w.collector.run(ctx) })
	return w
}

// Batches gives the changes. The channel is closed when the watcher has ended.
func (w *Watcher) Batches() <-chan Batch { return w.collector.out }

// Add watches the folder root, through the rules that were made for it, and
// returns when all of it is watched. Adding a folder again replaces its rules;
// removed and made again, the folder is watched again. Add fails only if ctx or
// the watcher ends first; if it was ctx, the folder may be watched none the less.
func (w *Watcher) Add(ctx context.Context, root string, rules *ignore.Rules) error {
	root = filepath.Clean(root)
	err := w.do(ctx, func(running context.Context) {
		w.remove(root)
		t := &tree{w: w, root: root, rules: rules, real: rules.Root()}
		w.trees = append(w.trees, t)
		t.begin(running)
	})
	if err != nil {
		return fmt.Errorf("watch %s: %w", root, err)
	}
	return nil
}

// Remove ends watching root. Changes that were seen before may still come.
func (w *Watcher) Remove(ctx context.Context, root string) error {
	root = filepath.Clean(root)
	if err := w.do(ctx, func(context.Context) { w.remove(root) }); err != nil {
		return fmt.Errorf("stop watching %s: %w", root, err)
	}
	return nil
}

// Close ends the watcher and waits for its goroutines.
func (w *Watcher) Close() {
	w.end()
	w.running.Wait()
}

// do has f run on the goroutine that owns the trees, and waits for it.
func (w *Watcher) do(ctx context.Context, f func(context.Context)) error {
	done := make(chan struct{})
	request := func(running context.Context) {
		defer close(done)
		f(running)
	}
	select {
	case w.requests <- request:
	case <-ctx.Done():
		return ctx.Err()
	case <-w.ended:
		return ErrClosed
	}
	select {
	case <-done:
		return nil
	case <-ctx.Done():
		return ctx.Err()
	}
}

// run owns the trees.
func (w *Watcher) run(ctx context.Context) {
	heartbeat := time.NewTicker(w.opts.Heartbeat)
	defer heartbeat.Stop()
	defer w.shut()
	for {
		select {
		case f := <-w.requests:
			f(ctx)
			w.lockFiles()
		case <-w.inbox.wake:
			w.handle(ctx, w.inbox.take())
		case <-heartbeat.C:
			for _, t := range w.trees {
				t.check(ctx)
			}
			w.lockFiles()
		case <-ctx.Done():
			return
		}
	}
}

func (w *Watcher) shut() {
	for _, t := range w.trees {
		t.stopPolling()
	}
	if w.fs != nil {
		w.fs.Close()
	}
}

// handle distributes dirty paths to the trees that they lie in.
func (w *Watcher) handle(ctx context.Context, m mail) {
	for _, t := range w.trees {
		t.handle(ctx, m)
	}
}

func (w *Watcher) remove(root string) {
	w.trees = slices.DeleteFunc(w.trees, func(t *tree) bool {
		if t.root != root {
			return false
		}
		t.stopPolling()
		t.unwatch("")
		return true
	})
}

// lockFiles tells the collector which files say that git is at work.
func (w *Watcher) lockFiles() {
	var files []string
	for _, t := range w.trees {
		if dir := t.rules.GitDir(); dir != "" {
			files = append(files, filepath.Join(dir, "index.lock"))
		}
	}
	w.collector.setLocks(files)
}

// notice says once why watching is not possible.
func (w *Watcher) notice(err error) {
	if !w.noticed {
		w.noticed = true
		w.opts.Notice(remedy(err))
	}
}

// watchedElsewhere reports whether a tree other than t watches the folder.
func (w *Watcher) watchedElsewhere(t *tree, real string) bool {
	return slices.ContainsFunc(w.trees, func(o *tree) bool {
		rel, ok := o.rules.Rel(real)
		return o != t && ok && o.watched[rel]
	})
}
