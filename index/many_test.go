package index

import (
	"fmt"
	"os"
	"path/filepath"
	"runtime"
	"testing"
	"time"
)

// A hundred thousand files, a hundred of them in each folder. READAHEAD_MANY says
// another number; without it there are a tenth, which takes seconds.
func TestAHundredThousandFiles(t *testing.T) {
	n := 10_000
	if s := os.Getenv("READAHEAD_MANY"); s != "" {
		if _, err := fmt.Sscan(s, &n); err != nil || n < 100 {
			t.Fatalf("READAHEAD_MANY wants a number of files, at least 100, not %q", s)
		}
	}
	root, cache := t.TempDir(), t.TempDir()
	for i := range n {
		dir := filepath.Join(root, fmt.Sprintf("pkg%d", i/100))
		if i%100 == 0 {
			if err := os.Mkdir(dir, 0o700); err != nil {
				t.Fatal(err)
			}
		}
		text := fmt.Sprintf("package pkg%d\n\n// Name%d is one of many.\nfunc Name%d(n int) int {\n\treturn n + %d\n}\n", i/100, i, i, i)
		if err := os.WriteFile(filepath.Join(dir, fmt.Sprintf("f%d.go", i)), []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	older(t, root)
	began := time.Now()
	ix := built(t, Options{Roots: []string{root}, CacheDir: cache})
	cold := time.Since(began)
	if s := ix.Snapshot().Stats(); s.Files != n {
		t.Errorf("%d files are indexed", s.Files)
	}
	ix.Close()
	began = time.Now()
	warm := built(t, Options{Roots: []string{root}, CacheDir: cache})
	again := time.Since(began)
	if s := warm.Snapshot().Stats(); s.Read != 0 {
		t.Errorf("%d files were read again", s.Read)
	}
	last := filepath.Join(root, fmt.Sprintf("pkg%d", (n-1)/100), fmt.Sprintf("f%d.go", n-1))
	began = time.Now()
	warm.Snapshot().Retrieve(Query{Path: last, Src: []byte(fmt.Sprintf("package pkg%d\n\nvar x = Name%d(", (n-1)/100, n-2)), Offset: 40})
	asked := time.Since(began)
	var m runtime.MemStats
	runtime.ReadMemStats(&m)
	t.Logf("%d files: cold %v, warm %v, a retrieval %v, %d MB from the system", n, cold.Round(time.Millisecond), again.Round(time.Millisecond), asked.Round(time.Microsecond), m.Sys>>20)
	if perFile := cold / time.Duration(n); perFile > 5*time.Millisecond || m.Sys > 2<<30 {
		t.Errorf("%v a file, %d MB", perFile, m.Sys>>20)
	}
}
