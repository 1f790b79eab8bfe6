package facts

import (
	"io/fs"
	"math"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"testing"
	"time"

	"golang.org/x/sys/unix"

	"readahead/index/internal/treesitter"
)

// cpu returns the processor time that this process has used. On a busy machine
// it is what can be compared.
func cpu(b *testing.B) time.Duration {
	b.Helper()
	var t unix.Timespec
	if err := unix.ClockGettime(unix.CLOCK_PROCESS_CPUTIME_ID, &t); err != nil {
		b.Fatal(err)
	}
	return time.Duration(t.Nano())
}

// benchCorpus returns about 1 MB of source files.
func benchCorpus(b *testing.B, root, suffix string) (files [][]byte, size int) {
	b.Helper()
	n := 0
	err := filepath.WalkDir(root, func(path string, d fs.DirEntry, err error) error {
		if err != nil || !d.Type().IsRegular() || !strings.HasSuffix(path, suffix) || strings.Contains(path, "testdata") {
			return err
		}
		if n++; n%sampled != 0 || size > 1<<20 {
			return nil
		}
		src, err := os.ReadFile(path)
		files, size = append(files, src), size+len(src)
		return err
	})
	if err != nil || size == 0 {
		b.Fatalf("corpus %s: %d bytes, %v", root, size, err)
	}
	return files, size
}

// quickest returns the least processor time that f takes in several runs: what
// is above it is the rest of the machine.
func quickest(b *testing.B, f func()) time.Duration {
	best := time.Duration(math.MaxInt64)
	for range 7 {
		start := cpu(b)
		f()
		best = min(best, cpu(b)-start)
	}
	return best
}

// BenchmarkExtract reports what a sample of a standard library costs in
// processor time: bytes parsed and extracted per second, and what mending,
// flattening and all of extraction add to the parse, in percent of it.
func BenchmarkExtract(b *testing.B) {
	for _, c := range []struct {
		lang         Language
		root, suffix string
	}{{Go, goCorpus(), ".go"}, {Python, pythonCorpus(), ".py"}} {
		if c.root == "" {
			continue
		}
		b.Run(string(c.lang), func(b *testing.B) {
			runtime.LockOSThread()
			defer runtime.UnlockOSThread()
			files, size := benchCorpus(b, c.root, c.suffix)
			s := specs[c.lang]
			parser, err := treesitter.NewParser(s.grammar().Language)
			if err != nil {
				b.Fatal(err)
			}
			defer parser.Close()
			var parsing, mending, flattening, all time.Duration
			var nodes []treesitter.Node
			parse := func(src []byte) *treesitter.Tree {
				tree, err := parser.Parse(src, nil)
				if err != nil {
					b.Fatal(err)
				}
				return tree
			}
			for b.Loop() {
				for _, src := range files {
					parsing += quickest(b, func() { parse(src).Close() })
					tree := parse(src)
					flattening += quickest(b, func() { nodes = tree.Flatten(s.grammar(), nodes) })
					tree.Close()
					mending += quickest(b, func() { s.mended(src) })
					all += quickest(b, func() { Extract(c.lang, "p", "a", src) })
				}
			}
			share := func(d time.Duration) float64 { return 100 * float64(d) / float64(parsing) }
			mb := float64(size) * float64(b.N) / 1e6
			b.ReportMetric(mb/parsing.Seconds(), "parse-MB/s")
			b.ReportMetric(mb/all.Seconds(), "extract-MB/s")
			b.ReportMetric(share(mending), "%mend")
			b.ReportMetric(share(flattening), "%flatten")
			b.ReportMetric(share(all)-100, "%added")
		})
	}
}

// BenchmarkEdit reports the processor time from one typed character to new facts
// of a long file.
func BenchmarkEdit(b *testing.B) {
	src, err := os.ReadFile(filepath.Join(goCorpus(), "net", "http", "server.go"))
	if err != nil {
		b.Fatal(err)
	}
	at := uint32(strings.Index(string(src), "func (c *conn) serve(") + 60)
	for _, c := range []struct{ name, text string }{
		{"letter", "x"}, {"open brace", "{"}, {"open quote", "\""}, {"error", "x := )"},
	} {
		b.Run(c.name, func(b *testing.B) {
			d := NewDocument(Go, "net/http", "server.go", src)
			defer d.Close()
			d.Facts()
			best := time.Duration(math.MaxInt64)
			for b.Loop() {
				for _, e := range []struct {
					end  uint32
					text string
				}{{at, c.text}, {at + uint32(len(c.text)), ""}} {
					start := cpu(b)
					if err := d.Edit(at, e.end, []byte(e.text)); err != nil {
						b.Fatal(err)
					}
					d.Facts()
					if e.text != "" {
						best = min(best, cpu(b)-start)
					}
				}
			}
			b.ReportMetric(best.Seconds()*1000, "cpu-ms/edit")
		})
	}
}
