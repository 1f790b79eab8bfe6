package watch

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"testing"
	"time"

	"readahead/index/ignore"
)

// patience is how long a condition may take on a busy machine. Tests that pass
// don't wait for it.
const patience = 120 * time.Second

// A place is a watched folder and what was reported about it.
type place struct {
	t       *testing.T
	dir     string
	w       *Watcher
	seen    map[string]int // relative path to number of batches
	sweeps  int
	batches int
}

func watchDir(t *testing.T, o Options, files ...string) *place {
	t.Helper()
	p := &place{t: t, dir: t.TempDir(), seen: map[string]int{}}
	for _, f := range files {
		p.write(f, "before")
	}
	p.start(Start(t.Context(), o))
	return p
}

// start adds the folder to w.
func (p *place) start(w *Watcher) {
	p.t.Helper()
	p.w = w
	p.t.Cleanup(w.Close)
	p.add(p.dir)
}

func (p *place) add(dir string) {
	p.t.Helper()
	rules, err := ignore.New(dir, ignore.Options{})
	if err != nil {
		p.t.Fatal(err)
	}
	if err := p.w.Add(p.t.Context(), dir, rules); err != nil {
		p.t.Fatal(err)
	}
}

func (p *place) abs(rel string) string { return filepath.Join(p.dir, filepath.FromSlash(rel)) }

func (p *place) write(rel, text string) {
	p.t.Helper()
	if err := os.MkdirAll(filepath.Dir(p.abs(rel)), 0o777); err != nil {
		p.t.Fatal(err)
	}
	if err := os.WriteFile(p.abs(rel), []byte(text), 0o666); err != nil {
		p.t.Fatal(err)
	}
}

func (p *place) rename(from, to string) {
	p.t.Helper()
	if err := os.Rename(p.abs(from), p.abs(to)); err != nil {
		p.t.Fatal(err)
	}
}

func (p *place) remove(rel string) {
	p.t.Helper()
	if err := os.RemoveAll(p.abs(rel)); err != nil {
		p.t.Fatal(err)
	}
}

// read takes one batch.
func (p *place) read(b Batch) {
	p.t.Helper()
	p.batches++
	if b.Sweep {
		p.sweeps++
	}
	if !slices.IsSorted(b.Paths) || len(slices.Compact(slices.Clone(b.Paths))) != len(b.Paths) {
		p.t.Errorf("paths are not sorted, each once: %q", b.Paths)
	}
	for _, path := range b.Paths {
		rel, err := filepath.Rel(p.dir, path)
		if err != nil || strings.HasPrefix(rel, "..") {
			p.t.Errorf("reported %s, outside %s", path, p.dir)
		}
		p.seen[filepath.ToSlash(rel)]++
	}
}

// until reads batches until done holds.
func (p *place) until(what string, done func() bool) {
	p.t.Helper()
	late := time.After(patience)
	for !done() {
		select {
		case b, ok := <-p.w.Batches():
			if !ok {
				p.t.Fatalf("watcher ended before: %s", what)
			}
			p.read(b)
		case <-late:
			p.t.Fatalf("waited in vain for: %s; seen %v, %d sweeps", what, p.seen, p.sweeps)
		}
	}
}

// wants waits until all paths have been reported, then forgets all.
func (p *place) wants(paths ...string) {
	p.t.Helper()
	p.until(fmt.Sprint(paths), func() bool {
		return !slices.ContainsFunc(paths, func(path string) bool { return p.seen[path] == 0 })
	})
	clear(p.seen)
}

// settle proves that everything before it has been reported, by a file that is
// reported after it.
func (p *place) settle() {
	p.t.Helper()
	name := fmt.Sprintf("settle%d.go", p.batches)
	p.write(name, "x")
	p.until(name, func() bool { return p.seen[name] > 0 })
	p.remove(name)
	delete(p.seen, name)
}

func TestChangesOfFilesAreReported(t *testing.T) {
	p := watchDir(t, Options{}, "old.go", "sub/deep/old.go")
	p.write("new.go", "x")
	p.wants("new.go")
	p.write("sub/deep/old.go", "changed")
	p.wants("sub/deep/old.go")
	p.remove("old.go")
	p.wants("old.go")
}

func TestAnAtomicSaveReportsTheFileThatWasSaved(t *testing.T) {
	p := watchDir(t, Options{}, "main.go")
	p.write("main.go.tmp", "new text")
	p.rename("main.go.tmp", "main.go")
	p.wants("main.go")
}

func TestARenamedFolderIsReportedUnderBothNamesAndStaysWatched(t *testing.T) {
	p := watchDir(t, Options{}, "old/a.go", "old/sub/b.go")
	for i, name := range []string{"new", "newer", "old"} {
		from := []string{"old", "new", "newer"}[i]
		p.rename(from, name)
		p.wants(from, name+"/a.go", name+"/sub/b.go")
		p.write(name+"/sub/c.go", name)
		p.write(name+"/d.go", name)
		p.wants(name+"/sub/c.go", name+"/d.go")
	}
}

func TestAFolderMovedIntoANewFolderStaysWatched(t *testing.T) {
	p := watchDir(t, Options{}, "a/s/x.go")
	for i := range 20 {
		from, to := "a", fmt.Sprintf("p%d/q/a", i)
		if i > 0 {
			from = fmt.Sprintf("p%d/q/a", i-1)
		}
		if err := os.MkdirAll(filepath.Dir(p.abs(to)), 0o777); err != nil {
			t.Fatal(err)
		}
		p.rename(from, to)
		p.wants(to + "/s/x.go")
		p.write(to+"/s/y.go", "x")
		p.wants(to + "/s/y.go")
		p.remove(to + "/s/y.go")
	}
}

func TestFilesInNewFoldersAreAllSeen(t *testing.T) {
	p := watchDir(t, Options{})
	var want []string
	for i := range 250 {
		name := fmt.Sprintf("a%d/b/c/file.go", i)
		p.write(name, "x")
		want = append(want, name)
	}
	p.wants(want...)
}

func TestAFolderMadeAgainIsWatchedAgain(t *testing.T) {
	p := watchDir(t, Options{}, "sub/deep/a.go")
	for i := range 10 {
		p.remove("sub")
		p.write("sub/deep/b.go", fmt.Sprint(i))
		p.wants("sub/deep/b.go")
		p.write("sub/deep/c.go", fmt.Sprint(i))
		p.wants("sub/deep/c.go")
	}
}

func TestABurstIsFewBatches(t *testing.T) {
	p := watchDir(t, Options{Quiet: 300 * time.Millisecond, MaxDelay: patience})
	const n = 3000
	for i := range n {
		p.write(fmt.Sprintf("d%d/f%d.go", i%50, i), "x")
	}
	p.until("3000 files", func() bool { return len(p.seen) >= n })
	if p.batches > 3 || p.sweeps > 0 {
		t.Errorf("a burst of %d files made %d batches and %d sweeps", n, p.batches, p.sweeps)
	}
}

func TestMoreThanMaxPathsIsASweep(t *testing.T) {
	p := watchDir(t, Options{MaxPaths: 100})
	for i := range 500 {
		p.write(fmt.Sprintf("d/f%d.go", i), "x")
	}
	p.until("a sweep", func() bool { return p.sweeps > 0 })
	p.write("d/after.go", "x")
	p.wants("d/after.go")
}

func TestWhatIsIgnoredIsSilent(t *testing.T) {
	p := watchDir(t, Options{}, "node_modules/m/index.js", ".git/config")
	p.write(".gitignore", "*.log\n/build/\n")
	p.until("rules", func() bool { return p.sweeps > 0 })
	clear(p.seen)
	p.write("node_modules/m/index.js", "x")
	p.write("node_modules/n/index.js", "x")
	p.write(".git/objects/ab/cdef", "x")
	p.write("build/out.go", "x")
	p.write("build/sub/out.go", "x")
	p.write("a.log", "x")
	p.write("sub/b.log", "x")
	p.write(".env", "TOKEN=x")
	p.settle()
	p.remove("build")
	p.remove("a.log")
	p.write("build/again.go", "x")
	p.settle()
	for path := range p.seen {
		if !strings.HasPrefix(path, "settle") {
			t.Errorf("reported %s", path)
		}
	}
}

func TestChangedRulesAreASweepAndHoldFromThenOn(t *testing.T) {
	p := watchDir(t, Options{}, "gen/sub/a.go", ".gitignore")
	p.write(".gitignore", "gen/\n")
	p.until("a sweep", func() bool { return p.sweeps == 1 })
	p.write("gen/sub/a.go", "1")
	p.settle()
	if p.seen["gen/sub/a.go"] > 0 {
		t.Error("reported a file in a folder that is ignored now")
	}
	p.write(".gitignore", "")
	p.until("another sweep", func() bool { return p.sweeps == 2 })
	p.write("gen/sub/a.go", "2")
	p.wants("gen/sub/a.go")
}

func TestGitsOwnSettingsAreNoticed(t *testing.T) {
	t.Setenv("HOME", t.TempDir())
	p := watchDir(t, Options{Heartbeat: 20 * time.Millisecond}, ".git/HEAD", ".git/objects/x", ".git/refs/x", "a.log")
	p.write(".git/info/exclude", "*.log\n")
	p.until("a sweep", func() bool { return p.sweeps > 0 })
	p.write("a.log", "x")
	p.settle()
	if p.seen["a.log"] > 0 {
		t.Error("reported an excluded file")
	}
}

func TestAWorkspaceFolderMadeAgainIsWatchedAgain(t *testing.T) {
	p := watchDir(t, Options{Heartbeat: 20 * time.Millisecond})
	p.w.Close()
	p.dir = filepath.Join(p.dir, "root")
	p.write("a.go", "x")
	p.start(Start(t.Context(), Options{Heartbeat: 20 * time.Millisecond}))
	for range 3 {
		p.remove("")
		sweeps := p.sweeps
		p.until("a sweep for the loss", func() bool { return p.sweeps > sweeps })
		sweeps = p.sweeps
		p.write("sub/b.go", "x")
		p.until("a sweep for the return", func() bool { return p.sweeps > sweeps })
		clear(p.seen)
		p.write("sub/c.go", "x")
		p.wants("sub/c.go")
	}
}

func TestFoldersComeAndGoAtRunTime(t *testing.T) {
	p := watchDir(t, Options{}, "one/a.go", "two/a.go")
	if err := p.w.Remove(t.Context(), p.dir); err != nil {
		t.Fatal(err)
	}
	p.add(p.abs("one"))
	p.add(p.abs("two"))
	p.write("one/b.go", "x")
	p.write("two/b.go", "x")
	p.wants("one/b.go", "two/b.go")
	if err := p.w.Remove(t.Context(), p.abs("one")); err != nil {
		t.Fatal(err)
	}
	p.write("one/c.go", "x")
	p.write("two/c.go", "x")
	p.until("two/c.go", func() bool { return p.seen["two/c.go"] > 0 })
	if p.seen["one/c.go"] > 0 {
		t.Error("reported a change in a folder that was removed")
	}
}

func TestAFolderWithinAnotherSurvivesTheOthersRemoval(t *testing.T) {
	p := watchDir(t, Options{}, "in/a.go")
	p.add(p.abs("in"))
	if err := p.w.Remove(t.Context(), p.dir); err != nil {
		t.Fatal(err)
	}
	p.write("in/b.go", "x")
	p.wants("in/b.go")
}

func TestPathsAreNamedAsTheFolderWasGiven(t *testing.T) {
	real := t.TempDir()
	link := filepath.Join(t.TempDir(), "link")
	if err := os.Symlink(real, link); err != nil {
		t.Fatal(err)
	}
	p := &place{t: t, dir: link, seen: map[string]int{}}
	p.start(Start(t.Context(), Options{}))
	p.write("sub/a.go", "x")
	p.wants("sub/a.go")
}

func TestLostEventsAreASweepAndNewFoldersAreWatchedThen(t *testing.T) {
	p := watchDir(t, Options{})
	p.w.inbox.lose()
	p.until("a sweep", func() bool { return p.sweeps > 0 })
	p.write("d/a.go", "x")
	p.wants("d/a.go")
}

func TestBatchesWaitWhileGitIsAtWork(t *testing.T) {
	p := watchDir(t, Options{Quiet: 500 * time.Millisecond, LockWait: patience}, ".git/HEAD", ".git/objects/x", ".git/refs/x")
	p.write(".git/index.lock", "")
	p.write("a.go", "x")
	select {
	case b := <-p.w.Batches():
		t.Errorf("got %v while the index was locked", b)
	case <-time.After(1200 * time.Millisecond):
	}
	p.write("b.go", "x")
	p.remove(".git/index.lock")
	p.wants("a.go", "b.go")
	if p.batches != 1 {
		t.Errorf("got %d batches, want one for all that git did", p.batches)
	}
}

func TestCloseEndsEverything(t *testing.T) {
	before := runtime.NumGoroutine()
	defer func() {
		for late := time.Now().Add(patience); runtime.NumGoroutine() > before; time.Sleep(time.Millisecond) {
			if time.Now().After(late) {
				t.Fatalf("%d goroutines before, %d after", before, runtime.NumGoroutine())
			}
		}
	}()
	for _, poll := range []bool{false, true} {
		p := watchDir(t, Options{Poll: poll, PollEvery: time.Millisecond}, "a.go", "sub/b.go")
		p.write("a.go", "changed")
		p.w.Close()
		p.w.Close()
		for range p.w.Batches() {
		}
		rules, err := ignore.New(p.dir, ignore.Options{})
		if err != nil {
			t.Fatal(err)
		}
		if err := p.w.Add(t.Context(), p.dir, rules); err == nil {
			t.Error("added a folder to a closed watcher")
		}
	}
}

func TestTheContextEndsTheWatcher(t *testing.T) {
	ctx, cancel := context.WithCancel(t.Context())
	w := Start(ctx, Options{})
	cancel()
	for range w.Batches() {
	}
	w.Close()
}
