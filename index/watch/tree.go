package watch

import (
	"context"
	"errors"
	"io/fs"
	"maps"
	"os"
	"path"
	"path/filepath"
	"slices"
	"strings"
	"syscall"

	"github.com/fsnotify/fsnotify"

	"readahead/index/ignore"
)

// A tree is one workspace folder. It is used by the watcher's goroutine alone.
type tree struct {
	w     *Watcher
	root  string // as given to Add: how batches name it
	real  string // symbolic links resolved: how the system names it
	rules *ignore.Rules

	id      fs.FileInfo     // of the folder that is watched; nil while there is none
	watched map[string]bool // folders with a watch, relative
	// ignored are folders that the rules keep out and that were seen. When such
	// a folder is gone, nobody needs to know; by its name alone it might have
	// been a file.
	ignored map[string]bool
	poller  *poller // nil: the system reports changes
}

// begin sets up a tree that is not watched yet.
func (t *tree) begin(ctx context.Context) {
	t.watched, t.ignored = map[string]bool{}, map[string]bool{}
	t.id, _ = os.Stat(t.real)
	if t.w.fs == nil {
		t.startPolling(ctx)
		return
	}
	t.try(ctx, t.watchBelow(ctx, "", nil))
}

// try takes the result of setting watches. If the system refused one, the tree
// goes over to polling as a whole, and gives its watches back: the limit is
// shared by everything that the user runs.
func (t *tree) try(ctx context.Context, err error) {
	if err == nil || t.poller != nil || ctx.Err() != nil {
		return
	}
	t.unwatch("")
	t.w.notice(err)
	t.startPolling(ctx)
	t.w.collector.markSweep()
}

func (t *tree) abs(rel string) string { return filepath.Join(t.real, filepath.FromSlash(rel)) }

// mark reports relative paths.
func (t *tree) mark(rels ...string) {
	paths := make([]string, len(rels))
	for i, rel := range rels {
		paths[i] = filepath.Join(t.root, filepath.FromSlash(rel))
	}
	t.w.collector.mark(paths...)
}

// handle looks at what has come in.
func (t *tree) handle(ctx context.Context, m mail) {
	if t.poller != nil {
		return
	}
	if m.lost {
		t.resync(ctx)
		return
	}
	mine := map[string]bool{} // relative path to: may be another thing now
	for name, replaced := range m.paths {
		if rel, ok := t.rules.Rel(name); ok {
			mine[rel] = replaced
		}
	}
	if len(mine) == 0 {
		return
	}
	replaced, itself := mine[""]
	if t.refreshRules(mine) || replaced || itself && t.rootGone() {
		t.resync(ctx)
	}
	// First all that may be gone, then all that may be there: a renamed folder
	// keeps its watch, under the old name, until that is taken off.
	lost := false
	for rel, replaced := range mine {
		if replaced && rel != "" && t.watched[rel] {
			t.unwatch(rel)
			t.mark(rel)
			lost = true
		}
	}
	for _, rel := range slices.Sorted(maps.Keys(mine)) { // folders before what is in them
		t.look(ctx, rel)
	}
	if lost {
		t.repair(ctx)
	}
}

// look reports one dirty path, or watches it if it is a new folder.
func (t *tree) look(ctx context.Context, rel string) {
	if t.poller != nil || rel == "" {
		return
	}
	info, err := os.Lstat(t.abs(rel))
	switch {
	case err == nil && info.IsDir():
		if !t.watched[rel] {
			t.report(ctx, rel)
		}
	case err != nil && t.ignored[rel]:
		delete(t.ignored, rel)
	case !t.rules.Match(rel, false).Ignored:
		t.mark(rel)
	}
}

// report watches the folder rel and reports everything in it.
func (t *tree) report(ctx context.Context, rel string) {
	var found []string
	err := t.watchBelow(ctx, rel, &found)
	t.mark(found...)
	t.try(ctx, err)
}

// watchBelow sets a watch on the folder rel and on all folders in it that the
// rules let through, and appends the files to found if it is not nil. The error
// is the system's refusal.
//
// A folder's rules are read and its names listed after its watch is set, so that
// no change of them falls between.
func (t *tree) watchBelow(ctx context.Context, rel string, found *[]string) error {
	if err := ctx.Err(); err != nil {
		return err
	}
	if t.rules.Match(rel, true).Ignored {
		t.ignored[rel] = true
		return nil
	}
	switch err := t.w.watch(t.abs(rel)); {
	case refused(err):
		return err
	case err != nil:
		return nil // gone again, or not ours to read
	}
	t.watched[rel] = true
	t.rules.Reload(rel)
	if t.rules.Match(rel, true).Ignored {
		t.unwatch(rel)
		t.ignored[rel] = true
		return nil
	}
	entries, _ := os.ReadDir(t.abs(rel)) // what can't be listed can't be reported either
	for _, e := range entries {
		child := strings.TrimPrefix(rel+"/"+e.Name(), "/")
		if e.IsDir() {
			if err := t.watchBelow(ctx, child, found); err != nil {
				return err
			}
		} else if found != nil && e.Type().IsRegular() && !t.rules.Match(child, false).Ignored {
			*found = append(*found, child)
		}
	}
	return nil
}

// unwatch takes the watches off rel and everything in it.
func (t *tree) unwatch(rel string) {
	for dir := range t.watched {
		if rel == "" || dir == rel || strings.HasPrefix(dir, rel) && dir[len(rel)] == '/' {
			delete(t.watched, dir)
			if path := t.abs(dir); t.w.fs != nil && !t.w.watchedElsewhere(t, path) {
				_ = t.w.fs.Remove(path) // the system may have removed it with the folder
			}
		}
	}
}

// repair sets those watches again that were lost though their folder is still
// there: if a folder was listed under its new name before the news of its
// renaming came, then taking off the old name has taken off the new one.
func (t *tree) repair(ctx context.Context) {
	if t.poller != nil {
		return
	}
	have := map[string]bool{}
	for _, path := range t.w.fs.WatchList() {
		have[path] = true
	}
	for rel := range t.watched {
		if !have[t.abs(rel)] {
			delete(t.watched, rel)
			if info, err := os.Lstat(t.abs(rel)); err == nil && info.IsDir() {
				t.report(ctx, rel)
			}
		}
	}
}

// resync watches the tree anew and has the consumer look at everything.
func (t *tree) resync(ctx context.Context) {
	old := t.watched
	t.watched, t.ignored = map[string]bool{}, map[string]bool{}
	t.id, _ = os.Stat(t.real)
	err := t.watchBelow(ctx, "", nil)
	for rel := range old {
		if path := t.abs(rel); !t.watched[rel] && !t.w.watchedElsewhere(t, path) {
			_ = t.w.fs.Remove(path)
		}
	}
	t.w.collector.markSweep()
	t.try(ctx, err)
}

// refreshRules forgets rules that changed; false if none did.
func (t *tree) refreshRules(dirty map[string]bool) bool {
	changed := false
	for rel, replaced := range dirty {
		dir, ok := t.rules.Affects(rel)
		if path.Base(rel) == ".git" && !replaced {
			continue // something inside it
		}
		if ok && !t.rules.Match(dir, true).Ignored {
			t.rules.Reload(dir)
			changed = true
		}
	}
	if t.rules.Stale() {
		t.rules.Reload("")
		changed = true
	}
	return changed
}

// rootGone reports whether the folder is not the one that is watched.
func (t *tree) rootGone() bool {
	now, err := os.Stat(t.real)
	return err != nil || t.id == nil || !os.SameFile(now, t.id)
}

// check is the heartbeat: what no event tells.
func (t *tree) check(ctx context.Context) {
	now, err := os.Stat(t.real)
	gone := err != nil
	switch {
	case gone && t.id == nil:
		return
	case gone || t.id == nil || !os.SameFile(now, t.id):
		t.rules.Reload("")
	case t.refreshRules(nil):
	default:
		return
	}
	if t.poller != nil {
		t.id = now
		t.w.collector.markSweep()
		return
	}
	t.unwatch("")
	t.resync(ctx)
}

// refused reports whether the system has no room for another watch.
func refused(err error) bool {
	return errors.Is(err, syscall.ENOSPC) || errors.Is(err, syscall.EMFILE) || errors.Is(err, syscall.ENFILE) ||
		errors.Is(err, syscall.ENOMEM) || errors.Is(err, fsnotify.ErrClosed)
}
