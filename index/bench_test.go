package index

import (
	"go/build"
	"os"
	"path/filepath"
	"slices"
	"testing"
	"time"

	"readahead/index/facts"
)

// corpus is the Go library's source, or what READAHEAD_CORPUS names.
func corpus(b *testing.B) string {
	if dir := os.Getenv("READAHEAD_CORPUS"); dir != "" {
		return dir
	}
	dir := filepath.Join(build.Default.GOROOT, "src")
	if _, err := os.Stat(dir); err != nil {
		b.Skipf("no Go source in %s: set READAHEAD_CORPUS", dir)
	}
	return dir
}

func BenchmarkColdBuild(b *testing.B) {
	dir := corpus(b)
	for b.Loop() {
		ix, err := Open(b.Context(), Options{Roots: []string{dir}})
		if err != nil {
			b.Fatal(err)
		}
		stats, err := ix.Build(b.Context(), nil)
		if err != nil {
			b.Fatal(err)
		}
		b.ReportMetric(stats.Speed(), "MB/s")
		b.ReportMetric(float64(stats.Files), "files")
		b.ReportMetric(float64(stats.Resident)/float64(stats.Lines), "bytes/line")
		ix.Close()
	}
}

// BenchmarkWarmStart opens an unchanged workspace, builds, and answers once.
func BenchmarkWarmStart(b *testing.B) {
	dir, cache := corpus(b), b.TempDir()
	built(b, Options{Roots: []string{dir}, CacheDir: cache}).Close()
	q := corpusQueries(b, dir)[0]
	for b.Loop() {
		ix, err := Open(b.Context(), Options{Roots: []string{dir}, CacheDir: cache})
		if err != nil {
			b.Fatal(err)
		}
		if _, err := ix.Build(b.Context(), nil); err != nil {
			b.Fatal(err)
		}
		ix.Snapshot().Retrieve(q)
		ix.Close()
	}
}

// corpusQueries are cursors all over some files of the corpus, with the text
// behind them visible, as in an editor.
func corpusQueries(b *testing.B, dir string) []Query {
	var out []Query
	err := filepath.WalkDir(dir, func(path string, d os.DirEntry, err error) error {
		if err != nil || d.IsDir() || len(out) >= 400 {
			return err
		}
		src, err := os.ReadFile(path)
		if err != nil || facts.LanguageOf(path, src) == "" || len(src) < 2000 || len(src) > 100_000 {
			return err
		}
		for i := 1; i < 3; i++ {
			at := len(src) * i / 3
			out = append(out, Query{Path: path, Src: src, Offset: at, Visible: facts.Span{Start: uint32(max(0, at-2000)), End: uint32(min(len(src), at+1000))}})
		}
		return nil
	})
	if err != nil || len(out) == 0 {
		b.Fatalf("no source in %s: %v", dir, err)
	}
	return out
}

func BenchmarkRetrieve(b *testing.B) {
	dir := corpus(b)
	s := built(b, Options{Roots: []string{dir}, CacheDir: os.Getenv("READAHEAD_CACHE")}).Snapshot()
	queries := corpusQueries(b, dir)
	for _, family := range []struct {
		name string
		run  func(Query)
	}{
		{"structural", func(q Query) { s.prepare(q).structural() }},
		{"lexical", func(q Query) { s.prepare(q).lexical() }},
		{"both", func(q Query) { s.Retrieve(q) }},
	} {
		b.Run(family.name, func(b *testing.B) {
			var times []time.Duration
			for i := 0; b.Loop(); i++ {
				start := time.Now()
				family.run(queries[i%len(queries)])
				times = append(times, time.Since(start))
			}
			slices.Sort(times)
			b.ReportMetric(float64(times[len(times)/2].Microseconds())/1000, "p50-ms")
			b.ReportMetric(float64(times[len(times)*99/100].Microseconds())/1000, "p99-ms")
		})
	}
}
