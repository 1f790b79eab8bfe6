package index

import (
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"
)

func cacheFile(t *testing.T, dir string) string {
	t.Helper()
	files, err := filepath.Glob(filepath.Join(dir, "*"))
	if err != nil || len(files) != 1 {
		t.Fatalf("the cache folder holds %v, %v", files, err)
	}
	return files[0]
}

// older makes the files of a workspace old enough for their times to be trusted.
func older(t *testing.T, root string) {
	t.Helper()
	err := filepath.WalkDir(root, func(path string, d os.DirEntry, err error) error {
		if err != nil || d.IsDir() {
			return err
		}
		info, err := d.Info()
		if err != nil {
			return err
		}
		was := info.ModTime().Add(-2 * racy)
		return os.Chtimes(path, was, was)
	})
	if err != nil {
		t.Fatal(err)
	}
}

func TestAWarmStartKnowsWhatTheColdOneFound(t *testing.T) {
	root, cache := unpack(t, "shop.txtar"), t.TempDir()
	older(t, root)
	cold := built(t, Options{Roots: []string{root}, CacheDir: cache})
	info, err := os.Stat(cacheFile(t, cache))
	if err != nil || info.Mode().Perm() != 0o600 {
		t.Errorf("the cache file has mode %v, %v", info.Mode(), err)
	}
	warm, err := Open(t.Context(), Options{Roots: []string{root}, CacheDir: cache})
	if err != nil {
		t.Fatal(err)
	}
	defer warm.Close()
	if got, want := dump(warm.Snapshot()), dump(cold.Snapshot()); got != want {
		t.Errorf("loaded:\n%s\nbuilt:\n%s", got, want)
	}
	stats, err := warm.Build(t.Context(), nil)
	if err != nil || stats.Read != 0 || stats.Reused != stats.Files {
		t.Errorf("a warm build of an unchanged workspace: %v, %v", stats, err)
	}
	q := at(t, root, "checkout/checkout.go", "total, err := c.")
	if got, want := show(warm.Snapshot().Retrieve(q).Structural), show(cold.Snapshot().Retrieve(q).Structural); got != want {
		t.Errorf("warm:\n%s\ncold:\n%s", got, want)
	}
}

func TestAWarmBuildReadsOnlyWhatChanged(t *testing.T) {
	root, cache := unpack(t, "shop.txtar"), t.TempDir()
	older(t, root)
	built(t, Options{Roots: []string{root}, CacheDir: cache}).Close()
	write(t, filepath.Join(root, "cart", "new.go"), "package cart\n\nfunc Fresh() {}\n")
	write(t, filepath.Join(root, "cart", "money.go"), "package cart\n\ntype Money int\n")
	for i := range maxSaveLag { // enough to be saved while the old cache is in use
		write(t, filepath.Join(root, "cart", fmt.Sprintf("more%d.go", i)), fmt.Sprintf("package cart\n\nfunc More%d() {}\n", i))
	}
	if err := os.Remove(filepath.Join(root, "cart", "log.go")); err != nil {
		t.Fatal(err)
	}
	warm := built(t, Options{Roots: []string{root}, CacheDir: cache})
	if n := warm.Snapshot().Stats().Read; n != 2+maxSaveLag {
		t.Errorf("%d files were read, want %d", n, 2+maxSaveLag)
	}
	if got, want := dump(warm.Snapshot()), dump(built(t, Options{Roots: []string{root}}).Snapshot()); got != want {
		t.Errorf("warm:\n%s\nfrom scratch:\n%s", got, want)
	}
}

func TestACacheHoldsNoSourceText(t *testing.T) {
	root, cache := unpack(t, "shop.txtar"), t.TempDir()
	built(t, Options{Roots: []string{root}, CacheDir: cache}).Close()
	data, err := os.ReadFile(cacheFile(t, cache))
	if err != nil {
		t.Fatal(err)
	}
	for _, text := range []string{"cart is empty", "puts an item into the cart", "too many items"} {
		if strings.Contains(string(data), text) {
			t.Errorf("%q is in the cache file", text)
		}
	}
}

func TestABrokenCacheIsRebuilt(t *testing.T) {
	root, cache := unpack(t, "shop.txtar"), t.TempDir()
	older(t, root)
	cold := built(t, Options{Roots: []string{root}, CacheDir: cache})
	want := dump(cold.Snapshot())
	file := cacheFile(t, cache)
	good, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	broken := map[string][]byte{"empty": {}, "of another program": []byte(strings.Repeat("x", 4096)), "longer": append(slices.Clone(good), 0)}
	for _, n := range []int{1, 15, 39, 40, len(good) / 2, len(good) - 1} {
		broken[fmt.Sprintf("cut to %d bytes", n)] = good[:n]
	}
	for i := 0; i < len(good); i += len(good)/40 + 1 {
		bad := slices.Clone(good)
		bad[i] ^= 0x40
		broken[fmt.Sprintf("with byte %d flipped", i)] = bad
	}
	for about, data := range broken {
		if err := os.WriteFile(file, data, 0o600); err != nil {
			t.Fatal(err)
		}
		ix, err := Open(t.Context(), Options{Roots: []string{root}, CacheDir: cache})
		if err != nil {
			t.Fatalf("a cache %s: %v", about, err)
		}
		if ix.Snapshot().Stats().Cache == "" {
			t.Errorf("a cache %s is not noticed", about)
		}
		if _, err := ix.Build(t.Context(), nil); err != nil || dump(ix.Snapshot()) != want {
			t.Errorf("a cache %s changes what is found (%v)", about, err)
		}
		ix.Close()
		if data, err := os.ReadFile(file); err != nil || len(data) != len(good) {
			t.Errorf("a cache %s is not replaced: %d bytes, %v", about, len(data), err)
		}
	}
}

func TestACacheThatCannotBeWrittenCostsNothingElse(t *testing.T) {
	root := unpack(t, "shop.txtar")
	blocked := filepath.Join(t.TempDir(), "file")
	write(t, blocked, "")
	ix := built(t, Options{Roots: []string{root}, CacheDir: filepath.Join(blocked, "cache")})
	stats := ix.Snapshot().Stats()
	if stats.Files == 0 || stats.Cache == "" {
		t.Errorf("want files and a note about the cache: %+v", stats)
	}
	if err := ix.Close(); err != nil {
		t.Error(err)
	}
}

func TestTheCacheForgetsNamesThatAreGone(t *testing.T) {
	root, cache := unpack(t, "shop.txtar"), t.TempDir()
	older(t, root)
	ix := built(t, Options{Roots: []string{root}})
	path := filepath.Join(root, "cart", "log.go")
	ix.OpenDocument(path, "", []byte("package cart\n\nfunc halfTypedNam() {}\n"))
	if err := ix.Settle(t.Context()); err != nil {
		t.Fatal(err)
	}
	if _, ok := ix.names.find("halfTypedNam"); !ok {
		t.Fatal("the name is not known while it is used")
	}
	ix.opts.CacheDir = cache
	ix.unsaved = maxSaveLag + 1
	ix.Close()
	warm := built(t, Options{Roots: []string{root}, CacheDir: cache})
	if _, ok := warm.names.find("halfTypedNam"); ok {
		t.Error("a name that no file uses is still in the cache")
	}
	if got, want := dump(warm.Snapshot()), dump(built(t, Options{Roots: []string{root}}).Snapshot()); got != want {
		t.Errorf("from the cache:\n%s\nfrom scratch:\n%s", got, want)
	}
}

func TestASaveRemovesWhatKilledSavesLeft(t *testing.T) {
	root, cache := t.TempDir(), t.TempDir()
	write(t, filepath.Join(root, "a.go"), "package a\n")
	built(t, Options{Roots: []string{root}, CacheDir: cache})
	path := cacheFile(t, cache)
	old, fresh, foreign := path+".1.tmp", path+".2.tmp", filepath.Join(cache, "other.index.1.tmp")
	long := time.Now().Add(-2 * leftover)
	for _, tmp := range []string{old, fresh, foreign} {
		write(t, tmp, "half a cache")
		if tmp == fresh {
			continue
		}
		if err := os.Chtimes(tmp, long, long); err != nil {
			t.Fatal(err)
		}
	}
	if err := os.Remove(path); err != nil { // so that the next build saves
		t.Fatal(err)
	}
	built(t, Options{Roots: []string{root}, CacheDir: cache})
	for tmp, want := range map[string]bool{old: false, fresh: true, foreign: true} {
		if _, err := os.Stat(tmp); (err == nil) != want {
			t.Errorf("%s: %v", filepath.Base(tmp), err)
		}
	}
}
