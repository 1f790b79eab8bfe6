package index

import (
	"errors"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"
)

// Disk cleaners, synchronised folders and a full disk do that to files.
func TestACacheThatIsCutShortUnderARunningIndexChangesNothing(t *testing.T) {
	root, cache := unpack(t, "shop.txtar"), t.TempDir()
	older(t, root)
	cold := built(t, Options{Roots: []string{root}, CacheDir: cache})
	want := dump(cold.Snapshot())
	cold.Close()
	file := cacheFile(t, cache)
	warm, err := Open(t.Context(), Options{Roots: []string{root}, CacheDir: cache})
	if err != nil {
		t.Fatal(err)
	}
	for _, size := range []int64{8192, 40, 0} {
		if err := os.Truncate(file, size); err != nil {
			t.Fatal(err)
		}
		if got := dump(warm.Snapshot()); got != want {
			t.Errorf("cut to %d bytes, the index holds\n%s", size, got)
		}
	}
	if n := len(warm.Snapshot().Retrieve(at(t, root, "checkout/checkout.go", "total, err := c.")).Structural); n == 0 {
		t.Error("nothing is found any more")
	}
	if stats, err := warm.Build(t.Context(), nil); err != nil || stats.Read != 0 {
		t.Errorf("%d files were read again, %v", stats.Read, err)
	}
	warm.Close()

	next := built(t, Options{Roots: []string{root}, CacheDir: cache})
	if got := dump(next.Snapshot()); got != want {
		t.Errorf("the next start has\n%s", got)
	}
	next.Close()
	again := built(t, Options{Roots: []string{root}, CacheDir: cache})
	if s := again.Snapshot().Stats(); s.Read != 0 || s.Cache != "" {
		t.Errorf("the cut cache was not replaced: %+v", s)
	}
}

func TestManyIndexesShareOneCacheFile(t *testing.T) {
	root, cache := unpack(t, "shop.txtar"), t.TempDir()
	older(t, root)
	want := dump(built(t, Options{Roots: []string{root}}).Snapshot())
	var all sync.WaitGroup
	for worker := range 4 {
		all.Go(func() {
			for round := range 8 {
				if worker == 0 { // so that the others save, and read what is half an hour old or gone
					for _, f := range files(cache) {
						_ = os.Remove(f) // a save may have been faster
					}
				}
				ix, err := Open(t.Context(), Options{Roots: []string{root}, CacheDir: cache})
				if err != nil {
					t.Error(err)
					return
				}
				_, err = ix.Build(t.Context(), nil)
				if got := dump(ix.Snapshot()); err != nil || got != want {
					t.Errorf("worker %d, round %d: %v\n%s", worker, round, err, got)
				}
				ix.Close()
			}
		})
	}
	all.Wait()
	built(t, Options{Roots: []string{root}, CacheDir: cache}).Close()
	last := built(t, Options{Roots: []string{root}, CacheDir: cache})
	if s := last.Snapshot().Stats(); s.Read != 0 || s.Cache != "" || len(files(cache)) != 1 {
		t.Errorf("left is %v: %+v", files(cache), s)
	}
}

// files are those of a cache folder, without what is being written.
func files(cache string) []string {
	all, _ := filepath.Glob(filepath.Join(cache, "*.index")) // the pattern is right
	return all
}

// A clock that was set back leaves files of the future behind, one that was never
// set files of 1970: a change there must be noticed all the same, at the same size.
func TestTimesThatAClockCannotHaveHideNoChange(t *testing.T) {
	for _, when := range []time.Time{time.Now().Add(240 * time.Hour), time.Unix(0, 0), time.Unix(-1<<30, 0), time.Unix(1<<33, 0)} {
		root, cache := t.TempDir(), t.TempDir()
		path := filepath.Join(root, "a.go")
		set := func(text string, at time.Time) {
			write(t, path, text)
			if err := os.Chtimes(path, at, at); err != nil {
				t.Fatal(err)
			}
		}
		set("package a\n\nfunc Before() {}\n", when)
		built(t, Options{Roots: []string{root}, CacheDir: cache}).Close()
		set("package a\n\nfunc Behind() {}\n", when.Add(time.Hour))
		ix := built(t, Options{Roots: []string{root}, CacheDir: cache})
		if now := dump(ix.Snapshot()); !strings.Contains(now, "Behind") || strings.Contains(now, "Before") {
			t.Errorf("%v: the change is not seen", when)
		}
		ix.Close()
		if time.Until(when) > 0 { // written twice in one tick of a clock that is ahead
			set("package a\n\nfunc Latest() {}\n", when.Add(time.Hour))
			ix := built(t, Options{Roots: []string{root}, CacheDir: cache})
			if !strings.Contains(dump(ix.Snapshot()), "Latest") {
				t.Errorf("%v: a change within the same time is not seen", when)
			}
		}
	}
}

// A workspace that goes while it is in use, and comes back.
func TestAWorkspaceThatIsDeletedAndMadeAgain(t *testing.T) {
	root := unpack(t, "shop.txtar")
	ix := built(t, Options{Roots: []string{root}, CacheDir: t.TempDir()})
	path := filepath.Join(root, "cart", "money.go")
	if err := os.RemoveAll(root); err != nil {
		t.Fatal(err)
	}
	if _, err := ix.Snapshot().Text(path); !errors.Is(err, os.ErrNotExist) {
		t.Errorf("the text of a file that is gone: %v", err)
	}
	ix.FilesChanged(t.Context(), []string{root, path})
	stats, err := ix.Build(t.Context(), nil)
	if err == nil && stats.Files != 0 || err != nil && !strings.Contains(err.Error(), root) {
		t.Errorf("%d files are left of a folder that is gone, %v", stats.Files, err)
	}
	write(t, path, "package cart\n\nfunc Again() {}\n")
	if _, err := ix.Build(t.Context(), nil); err != nil || ix.Snapshot().Object("go cart Again().") == nil {
		t.Errorf("made again, it is not indexed: %v", err)
	}
}

// A line that is a file: data under the name of a source. It is kept out by its
// size, and where a user lets it in, it costs time and memory in proportion.
func TestALineOfFiftyMegabytes(t *testing.T) {
	root := t.TempDir()
	write(t, filepath.Join(root, "a.go"), "package a\n\nfunc A() {}\n")
	const size = 50 << 20
	text := "package a\n\nvar data = []string{" + strings.Repeat(`"0123456789abcdef", `, size/20) + "}\n"
	write(t, filepath.Join(root, "long.go"), text)
	ix := built(t, Options{Roots: []string{root}})
	if s := ix.Snapshot().Stats(); s.Files != 1 || s.Bytes > 1<<20 {
		t.Errorf("it was read: %+v", s)
	}
	began := time.Now()
	ix.OpenDocument(filepath.Join(root, "long.go"), "go", []byte(text))
	if err := ix.Settle(t.Context()); err != nil {
		t.Fatal(err)
	}
	q := Query{Path: filepath.Join(root, "a.go"), Src: []byte("package a\n\nfunc A() {}\n"), Offset: 20}
	ix.Snapshot().Retrieve(q)
	if took := time.Since(began); took > time.Minute {
		t.Errorf("opened in an editor it took %v", took)
	}
}
