package watch

import (
	"fmt"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"

	"github.com/fsnotify/fsnotify"
)

// notices collects what people would be told.
type notices struct {
	mu    sync.Mutex
	lines []string
}

func (n *notices) add(line string) {
	n.mu.Lock()
	defer n.mu.Unlock()
	n.lines = append(n.lines, line)
}

func (n *notices) all() []string {
	n.mu.Lock()
	defer n.mu.Unlock()
	return n.lines
}

func TestWithoutWatchesListingsAreCompared(t *testing.T) {
	full := func(string) error { return syscall.ENOSPC }
	// after lets a few watches through first.
	after := func(n int) func(string) error {
		return func(string) error {
			if n--; n < 0 {
				return fmt.Errorf("add: %w", syscall.ENOSPC)
			}
			return nil
		}
	}
	noInstance := func() (*fsnotify.Watcher, error) { return nil, syscall.EMFILE }
	tests := []struct {
		name    string
		connect func() (*fsnotify.Watcher, error)
		watch   func(string) error
		says    string
	}{
		{"no watch at all", fsnotify.NewWatcher, full, "max_user_watches"},
		{"too few watches", fsnotify.NewWatcher, after(2), "max_user_watches"},
		{"no instance", noInstance, nil, "max_user_instances"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			var told notices
			o := Options{PollEvery: 10 * time.Millisecond, Notice: told.add}
			p := &place{t: t, dir: t.TempDir(), seen: map[string]int{}}
			p.write("a.go", "x")
			p.write("sub/deep/b.go", "x")
			p.write("sub/gone.go", "x")
			p.write("node_modules/m.js", "x")
			p.start(start(t.Context(), o, tt.connect, tt.watch))
			p.write("a.go", "longer")
			p.write("sub/deep/new.go", "x")
			p.write("node_modules/m.js", "longer")
			p.remove("sub/gone.go")
			p.until("three changes", func() bool {
				return p.seen["a.go"] > 0 && p.seen["sub/deep/new.go"] > 0 && p.seen["sub/gone.go"] > 0
			})
			if p.seen["node_modules/m.js"] > 0 {
				t.Error("listed an ignored folder")
			}
			p.write(".gitignore", "a.go\n")
			sweeps := p.sweeps
			p.until("a sweep for new rules", func() bool { return p.sweeps > sweeps })
			lines := told.all()
			if len(lines) != 1 || !strings.Contains(lines[0], tt.says) || !strings.Contains(lines[0], "sysctl") {
				t.Errorf("told %q, want one line with the command for %s", lines, tt.says)
			}
		})
	}
}

func TestAFullSystemDuringWorkTurnsToListing(t *testing.T) {
	var told notices
	var mu sync.Mutex
	full := false
	var fs *fsnotify.Watcher
	connect := func() (_ *fsnotify.Watcher, err error) {
		fs, err = fsnotify.NewWatcher()
		return fs, err
	}
	watch := func(path string) error {
		mu.Lock()
		defer mu.Unlock()
		if full {
			return syscall.ENOSPC
		}
		return fs.Add(path)
	}
	p := &place{t: t, dir: t.TempDir(), seen: map[string]int{}}
	p.write("a/b.go", "x")
	p.start(start(t.Context(), Options{PollEvery: 10 * time.Millisecond, Notice: told.add}, connect, watch))
	p.write("a/c.go", "x")
	p.wants("a/c.go")
	mu.Lock()
	full = true
	mu.Unlock()
	p.write("new/d.go", "x")
	p.until("a sweep", func() bool { return p.sweeps > 0 })
	clear(p.seen)
	p.write("a/e.go", "x")
	p.wants("a/e.go")
	if n := len(fs.WatchList()); n != 0 {
		t.Errorf("kept %d watches of a limit that everybody shares", n)
	}
	if len(told.all()) != 1 {
		t.Errorf("told %q", told.all())
	}
}

func TestATreeCanBePolledFromTheStart(t *testing.T) {
	p := watchDir(t, Options{Poll: true, PollEvery: 10 * time.Millisecond}, "a.go")
	p.write("sub/b.go", "x")
	p.wants("sub/b.go")
	if err := p.w.Remove(t.Context(), p.dir); err != nil {
		t.Fatal(err)
	}
}
