//go:build unix

package index

import (
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"time"
)

// soon fails the test if f hangs.
func soon(t *testing.T, what string, f func()) {
	t.Helper()
	done := make(chan struct{})
	go func() { defer close(done); f() }()
	select {
	case <-done:
	case <-time.After(20 * time.Second):
		t.Fatalf("%s has not ended", what)
	}
}

func TestAManifestThatIsNoFileSaysNothing(t *testing.T) {
	root := t.TempDir()
	write(t, filepath.Join(root, "a", "a.go"), "package a\n\nfunc A() {}\n")
	write(t, filepath.Join(root, "b", "b.go"), "package b\n\nfunc B() {}\n")
	for _, name := range []string{"go.mod", "package.json", "Cargo.toml", "composer.json", "a.csproj", "pyproject.toml", "pom.xml", "tsconfig.json"} {
		if err := syscall.Mkfifo(filepath.Join(root, "a", name), 0o600); err != nil {
			t.Fatal(err)
		}
		if err := os.Symlink("/dev/zero", filepath.Join(root, "b", name)); err != nil {
			t.Fatal(err)
		}
	}
	soon(t, "building", func() {
		ix := built(t, Options{Roots: []string{root}})
		for _, id := range []SymbolID{"go a A().", "go b B()."} {
			if ix.Snapshot().Object(id) == nil {
				t.Errorf("%s is not indexed", id)
			}
		}
	})
}

func TestAFileThatBecameAFIFOYieldsNothing(t *testing.T) {
	root := t.TempDir()
	path := filepath.Join(root, "a.go")
	write(t, path, "package a\n\nfunc A() {}\n")
	ix := built(t, Options{Roots: []string{root}})
	if err := os.Remove(path); err != nil {
		t.Fatal(err)
	}
	if err := syscall.Mkfifo(path, 0o600); err != nil {
		t.Fatal(err)
	}
	soon(t, "reading a text", func() {
		if text, err := ix.Snapshot().Text(path); err == nil {
			t.Errorf("a FIFO's text is %q", text)
		}
	})
}

func TestACacheThatIsNoFileIsReplaced(t *testing.T) {
	root, cache := t.TempDir(), t.TempDir()
	write(t, filepath.Join(root, "a.go"), "package a\n\nfunc A() {}\n")
	built(t, Options{Roots: []string{root}, CacheDir: cache})
	path := cacheFile(t, cache)
	if err := os.Remove(path); err != nil {
		t.Fatal(err)
	}
	if err := syscall.Mkfifo(path, 0o600); err != nil {
		t.Fatal(err)
	}
	soon(t, "a start with a FIFO for a cache", func() {
		ix, err := Open(t.Context(), Options{Roots: []string{root}, CacheDir: cache})
		if err != nil {
			t.Error(err)
			return
		}
		defer ix.Close()
		if s := ix.Snapshot().Stats().Cache; !strings.Contains(s, "not a regular file") {
			t.Errorf("the cache is said to be %q", s)
		}
		if stats, err := ix.Build(t.Context(), nil); err != nil || stats.Files != 1 || stats.Cache != "" {
			t.Errorf("the build says %v, %v", stats, err)
		}
	})
	if info, err := os.Lstat(path); err != nil || !info.Mode().IsRegular() {
		t.Errorf("the cache is not a file again: %v, %v", info.Mode(), err)
	}
}
