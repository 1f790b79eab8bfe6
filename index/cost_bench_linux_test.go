package index

import (
	"fmt"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"golang.org/x/sys/unix"

	"readahead/index/facts"
	"readahead/index/ignore"
	"readahead/index/internal/treesitter"
)

// cpu is the processor time that this process, or the children it has waited
// for, have used. On a busy machine it is what can be compared.
func cpu(b *testing.B, who int) time.Duration {
	b.Helper()
	var u unix.Rusage
	if err := unix.Getrusage(who, &u); err != nil {
		b.Fatal(err)
	}
	return time.Duration(u.Utime.Nano() + u.Stime.Nano())
}

// BenchmarkCost compares, in one run and in processor time, what the index of a
// corpus costs with parsing the same files and doing nothing else, and with
// universal-ctags and gopls where they are installed. Times that a user waits
// are wall times.
//
//	cold/parse    processor time of a cold Build over that of the parse
//	lexical/cold  … until lexical retrieval covers everything, over that of Build
//	cores         of those at hand, that Build kept busy on average
//	warm/cold     wall time of a Build with a cache over that of one without
//	first-ms      from Open with a cache to the first answer, before any Build
func BenchmarkCost(b *testing.B) {
	dir := corpus(b)
	for b.Loop() {
		parse := parseAll(b, dir)
		cache := b.TempDir()
		cold, coldWall, lexical, stats := coldBuild(b, dir, cache)
		b.ReportMetric(parse.Seconds(), "parse-cpu-s")
		b.ReportMetric(cold.Seconds()/parse.Seconds(), "cold/parse")
		b.ReportMetric(lexical.Seconds()/cold.Seconds(), "lexical/cold")
		b.ReportMetric(cold.Seconds()/coldWall.Seconds(), "cores")
		b.ReportMetric(coldWall.Seconds(), "cold-s")
		b.ReportMetric(float64(stats.Lines)/1e6, "Mlines")
		b.ReportMetric(float64(stats.Resident)/float64(stats.Lines), "bytes/line")

		q := corpusQueries(b, dir)[0]
		start := time.Now()
		ix, err := Open(b.Context(), Options{Roots: []string{dir}, CacheDir: cache})
		if err != nil {
			b.Fatal(err)
		}
		ix.Snapshot().Retrieve(q)
		b.ReportMetric(float64(time.Since(start).Microseconds())/1000, "first-ms")
		if _, err := ix.Build(b.Context(), nil); err != nil {
			b.Fatal(err)
		}
		b.ReportMetric(time.Since(start).Seconds()/coldWall.Seconds(), "warm/cold")
		ix.Close()

		for _, tool := range [][]string{
			{"ctags", "--recurse", "-f", "-", "."},
			{"gopls", "stats", "-anon"},
		} {
			if took, ok := runTool(b, dir, tool); ok {
				b.ReportMetric(took.Seconds()/cold.Seconds(), tool[0]+"/cold")
			}
		}
	}
}

// coldBuild builds without a cache that could help.
func coldBuild(b *testing.B, dir, cache string) (whole, wall, lexical time.Duration, stats Stats) {
	b.Helper()
	runtime.GC()
	began, start := cpu(b, unix.RUSAGE_SELF), time.Now()
	ix, err := Open(b.Context(), Options{Roots: []string{dir}, CacheDir: cache})
	if err != nil {
		b.Fatal(err)
	}
	defer ix.Close()
	stats, err = ix.Build(b.Context(), func(p Progress) {
		if p.What == "parsing" && lexical == 0 {
			lexical = cpu(b, unix.RUSAGE_SELF) - began
		}
	})
	if err != nil {
		b.Fatal(err)
	}
	return cpu(b, unix.RUSAGE_SELF) - began, time.Since(start), lexical, stats
}

// parseAll reads and parses the Go files of the corpus on all cores.
func parseAll(b *testing.B, dir string) time.Duration {
	b.Helper()
	paths := sources(b, dir, ".go")
	began := cpu(b, unix.RUSAGE_SELF)
	var next atomic.Int64
	var workers sync.WaitGroup
	for range runtime.GOMAXPROCS(0) {
		workers.Go(func() {
			parser, err := treesitter.NewParser(treesitter.Go())
			if err != nil {
				b.Error(err)
				return
			}
			defer parser.Close()
			for i := int(next.Add(1) - 1); i < len(paths); i = int(next.Add(1) - 1) {
				src, err := os.ReadFile(paths[i])
				if err != nil {
					b.Error(err)
					return
				}
				tree, err := parser.Parse(src, nil)
				if err != nil {
					b.Error(err)
					return
				}
				tree.Close()
			}
		})
	}
	workers.Wait()
	return cpu(b, unix.RUSAGE_SELF) - began
}

// sources are the files below dir with one of the suffixes, of a size that the
// index reads.
func sources(b *testing.B, dir string, suffixes ...string) []string {
	b.Helper()
	var out []string
	err := filepath.WalkDir(dir, func(path string, d fs.DirEntry, err error) error {
		if err != nil || !d.Type().IsRegular() || !slices.Contains(suffixes, filepath.Ext(path)) {
			return err
		}
		if info, err := d.Info(); err == nil && info.Size() <= ignore.DefaultMaxFileSize {
			out = append(out, path)
		}
		return nil
	})
	if err != nil {
		b.Fatal(err)
	}
	return out
}

// runTool runs a program that reads the corpus; false if there is none.
func runTool(b *testing.B, dir string, words []string) (time.Duration, bool) {
	b.Helper()
	path, err := exec.LookPath(words[0])
	if err != nil {
		b.Logf("no %s here", words[0])
		return 0, false
	}
	before := cpu(b, unix.RUSAGE_CHILDREN)
	c := exec.CommandContext(b.Context(), path, words[1:]...)
	var complaints strings.Builder
	c.Dir, c.Stderr = dir, &complaints
	if err := c.Run(); err != nil {
		b.Fatalf("%s: %v\n%s", words[0], err, complaints.String())
	}
	return cpu(b, unix.RUSAGE_CHILDREN) - before, true
}

// threadCPU is the processor time of the calling thread.
func threadCPU(b *testing.B) time.Duration {
	b.Helper()
	var t unix.Timespec
	if err := unix.ClockGettime(unix.CLOCK_THREAD_CPUTIME_ID, &t); err != nil {
		b.Fatal(err)
	}
	return time.Duration(t.Nano())
}

// BenchmarkScale indexes ever larger parts of a mixed corpus, and asks both
// families at cursors all over it. The times of Retrieve are of its thread.
func BenchmarkScale(b *testing.B) {
	all := mixed(b)
	for _, lines := range []int{10_000, 100_000, 1_000_000} {
		b.Run(fmt.Sprint(lines), func(b *testing.B) {
			dir := part(b, all, lines)
			for b.Loop() {
				took, _, _, stats := coldBuild(b, dir, "")
				b.ReportMetric(float64(took.Microseconds())/float64(stats.Lines), "cpu-µs/line")
				b.ReportMetric(float64(stats.Resident)/float64(stats.Lines), "bytes/line")
				b.ReportMetric(float64(stats.Files), "files")
				s := built(b, Options{Roots: []string{dir}}).Snapshot()
				var times []time.Duration
				queries := corpusQueries(b, dir)
				runtime.LockOSThread()
				for range 3 {
					for _, q := range queries {
						start := threadCPU(b)
						s.Retrieve(q)
						times = append(times, threadCPU(b)-start)
					}
				}
				runtime.UnlockOSThread()
				times = times[len(queries):] // the first round reads texts
				slices.Sort(times)
				b.ReportMetric(float64(times[len(times)/2].Microseconds())/1000, "p50-ms")
				b.ReportMetric(float64(times[len(times)*99/100].Microseconds())/1000, "p99-ms")
			}
		})
	}
}

// mixed are the files of the Go library and of Python's, in turn.
func mixed(b *testing.B) []string {
	goFiles := sources(b, corpus(b), ".go", ".s", ".c", ".h", ".js")
	python, err := filepath.Glob("/usr/lib/python3*/os.py")
	if err != nil || len(python) == 0 {
		return goFiles
	}
	others := sources(b, filepath.Dir(python[0]), ".py")
	var out []string
	for i := range max(len(goFiles), len(others)) {
		if i < len(goFiles) {
			out = append(out, goFiles[i])
		}
		if i < len(others) {
			out = append(out, others[i])
		}
	}
	return out
}

// part copies files until they have so many lines.
func part(b *testing.B, files []string, lines int) string {
	b.Helper()
	dir := b.TempDir()
	step := max(1, len(files)*3000/(10*lines)) // from all over the corpus
	for at := 0; at < step && lines > 0; at++ {
		for i := at; i < len(files) && lines > 0; i += step {
			src, err := os.ReadFile(files[i])
			if err != nil || facts.LanguageOf(files[i], src) == "" {
				continue
			}
			lines -= strings.Count(string(src), "\n")
			to := filepath.Join(dir, files[i])
			if err := os.MkdirAll(filepath.Dir(to), 0o755); err != nil {
				b.Fatal(err)
			}
			if err := os.WriteFile(to, src, 0o644); err != nil {
				b.Fatal(err)
			}
		}
	}
	return dir
}
