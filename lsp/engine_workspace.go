package lsp

import (
	"context"
	"errors"
	"log/slog"
	"slices"
	"sync"

	"readahead/index"
	"readahead/index/facts"
)

// Build brings the index up to date with the disk, reporting now and then.
func (e *Engine) Build(ctx context.Context, report func(Progress)) (index.Stats, error) {
	if !e.settings().Enable {
		return index.Stats{}, nil
	}
	stats, err := e.build(ctx, e.current(), report)
	if err == nil {
		e.mu.Lock()
		e.built = true
		e.mu.Unlock()
	}
	return stats, err
}

func (e *Engine) build(ctx context.Context, x *index.Index, report func(Progress)) (index.Stats, error) {
	stats, err := x.Build(ctx, func(p index.Progress) {
		if report != nil {
			report(Progress{Done: p.Done, Total: p.Total, What: p.What})
		}
	})
	if stats.Cache != "" {
		e.log.Warn("the index is not kept for the next start", "why", stats.Cache)
	}
	return stats, err
}

// FilesChanged: see Completer.
func (e *Engine) FilesChanged(ctx context.Context, paths []string) {
	if !e.settings().Enable {
		return
	}
	x := e.current()
	names := make([]string, len(paths))
	for i, path := range paths {
		names[i] = x.Name(path)
	}
	x.FilesChanged(ctx, names)
}

// Changes: see Completer.
func (e *Engine) Changes() int64 {
	e.mu.RLock()
	defer e.mu.RUnlock()
	return e.changes + e.index.Changes()
}

// FoldersChanged: see Completer. The new set of folders gets an index of its
// own, warm from the cache, which takes over when it is built; until then the
// old one answers.
func (e *Engine) FoldersChanged(ctx context.Context, added, removed []string, report func(Progress)) error {
	e.mu.RLock()
	roots := slices.Clone(e.roots)
	e.mu.RUnlock()
	roots = slices.DeleteFunc(roots, func(r string) bool { return slices.Contains(removed, r) })
	for _, a := range added {
		if !slices.Contains(roots, a) {
			roots = append(roots, a)
		}
	}
	return e.replaceIndex(ctx, roots, report)
}

// Reindex builds a new index from the disk alone.
func (e *Engine) Reindex(ctx context.Context, report func(Progress)) error {
	e.mu.RLock()
	roots := slices.Clone(e.roots)
	e.mu.RUnlock()
	return e.replaceIndex(ctx, roots, report)
}

// Configure applies a new configuration; what depends on it is made anew. While
// the folders are not known there is nothing to make: their index will be opened
// with it.
func (e *Engine) Configure(ctx context.Context, c Config, report func(Progress)) error {
	e.mu.Lock()
	old := e.config
	e.config = c
	roots, placed := slices.Clone(e.roots), e.placed
	e.mu.Unlock()
	if old.access() != c.access() {
		e.server.reset(c)
	}
	if !placed {
		return nil
	}
	if old.Enable != c.Enable || old.MaxFileSize != c.MaxFileSize || !slices.Equal(old.Ignore, c.Ignore) {
		return e.replaceIndex(ctx, roots, report)
	}
	return nil
}

// replaceIndex puts an index of these folders in the place of the present one:
// at once if there were no folders before, since its rules must hold from the
// first request on, else when it is built, since the old one knows more.
func (e *Engine) replaceIndex(ctx context.Context, roots []string, report func(Progress)) error {
	x, err := e.openIndex(ctx, roots)
	if err != nil {
		return err
	}
	placed, _ := e.progress()
	var old *index.Index
	if !placed {
		old = e.place(x, roots)
	}
	if e.settings().Enable {
		_, err = e.build(ctx, x, report)
	}
	if placed && err != nil {
		return errors.Join(err, x.Close())
	}
	e.watch.end()
	if placed {
		old = e.place(x, roots)
	}
	e.mu.Lock()
	e.built = err == nil
	e.mu.Unlock()
	if e.options.Watch && e.settings().Enable && len(roots) > 0 {
		e.watch.begin(ctx, x, e.log)
	}
	return errors.Join(err, old.Close())
}

// place makes x the index, tells it what is open, and returns the one before.
func (e *Engine) place(x *index.Index, roots []string) (old *index.Index) {
	e.mu.Lock()
	defer e.mu.Unlock()
	if !e.placed {
		close(e.known)
	}
	old, e.index, e.roots, e.placed = e.index, x, roots, true
	e.changes += old.Changes() + 1
	e.last.forget()
	e.ahead.forget()
	e.reopen()
	return old
}

// A watcher runs Index.Watch of one index at a time and owns its goroutine.
type watcher struct {
	mu   sync.Mutex
	stop context.CancelFunc
	done chan struct{}
}

func (w *watcher) begin(ctx context.Context, x *index.Index, log *slog.Logger) {
	// The watch outlives the request that began it; end ends it.
	ctx, cancel := context.WithCancel(context.WithoutCancel(ctx))
	done := make(chan struct{})
	w.mu.Lock()
	w.stop, w.done = cancel, done
	w.mu.Unlock()
	go func() {
		defer close(done)
		if err := x.Watch(ctx); err != nil && ctx.Err() == nil {
			log.Warn("the disk is not watched; the editor's own notices still count", "err", err)
		}
	}()
}

func (w *watcher) end() {
	w.mu.Lock()
	stop, done := w.stop, w.done
	w.stop, w.done = nil, nil
	w.mu.Unlock()
	if stop != nil {
		stop()
		<-done
	}
}

// Status says in a few lines which model answers and what is indexed.
func (e *Engine) Status() string {
	return e.server.status() + "\nindex: " + e.Snapshot().Stats().String()
}

var _ Completer = (*Engine)(nil)

// Language is the language that a document is taken to be in.
func Language(path, languageID string, text []byte) facts.Language {
	return languageOf(CompletionRequest{Path: path, LanguageID: languageID, Text: text})
}
