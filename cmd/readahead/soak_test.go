package main

import (
	"context"
	"errors"
	"fmt"
	"iter"
	"math/rand/v2"
	"net"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strconv"
	"strings"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"readahead/lsp"
	"readahead/model"
)

// soakMinutes is how long the simulated session lasts: READAHEAD_SOAK says it in
// minutes, and two of them are what fits into everybody's `go test`.
func soakMinutes(t *testing.T) time.Duration {
	t.Helper()
	n := 2
	if s := os.Getenv("READAHEAD_SOAK"); s != "" {
		var err error
		if n, err = strconv.Atoi(s); err != nil || n < 1 {
			t.Fatalf("READAHEAD_SOAK wants a number of minutes, not %q", s)
		}
	}
	return time.Duration(n) * time.Minute
}

// maxGrowth, in bytes, is what a session may come to hold beyond its first minute.
const maxGrowth = 64 << 20

// A session of an hour: bursts of keys and pauses, files and folders that change
// beside it, settings, and a model server that dies, hangs, stammers, and comes
// back. Time is simulated, so that an hour is what the work in it takes.
//
// When the server has left, no goroutine may be: synctest fails with what they
// wait for.
func TestSoakASessionOfAnHour(t *testing.T) {
	minutes := soakMinutes(t)
	synctest.Test(t, func(t *testing.T) { soak(t, minutes) })
}

func soak(t *testing.T, minutes time.Duration) {
	dir := unpack(t, "shop")
	for i := range 20 {
		writeFile(t, filepath.Join(dir, "gen", fmt.Sprintf("file%d.go", i)), generated(i, 0))
	}
	server := &faultyServer{}
	s := soaking(t, dir, server.connect)
	u := &user{t: t, editor: s.editor, dir: dir, server: server, r: rand.New(rand.NewPCG(7, 7))}
	u.open("order/order.go")
	u.open("cart/cart.go")

	began := time.Now()
	var first, rss uint64
	for time.Since(began) < minutes {
		u.act()
		if first == 0 && time.Since(began) > minutes/4 {
			first, rss = heap(), resident()
		}
	}
	last, lastRSS := heap(), resident()
	s.end()

	e := s.editor
	t.Logf("%v simulated, %d bursts, %d keys: %v, longest %v, %d without an item; the server was reached %d times; heap %d → %d MB, resident %d → %d MB",
		time.Since(began).Round(time.Second), u.bursts, u.keys, e.answers, e.longest, e.empty, server.reached.Load(), first>>20, last>>20, rss>>20, lastRSS>>20)
	if last > first+maxGrowth || lastRSS > rss+2*maxGrowth {
		t.Errorf("heap %d → %d MB, resident %d → %d MB", first>>20, last>>20, rss>>20, lastRSS>>20)
	}
	if server.reached.Load() != server.released.Load() {
		t.Errorf("the model was reached %d times and released %d times", server.reached.Load(), server.released.Load())
	}
	for method, limit := range map[string]time.Duration{"textDocument/inlineCompletion": 16 * time.Second, "textDocument/completion": 16 * time.Second, "workspace/executeCommand": time.Second} {
		if e.longest[method] > limit {
			t.Errorf("%s was answered after %v", method, e.longest[method])
		}
	}
	if e.answers["textDocument/inlineCompletion answered"] < u.bursts/2 || u.bursts == 0 {
		t.Errorf("%d bursts, and %v", u.bursts, e.answers)
	}
}

// A thousand keys at thirty a second, the embedded model alone: what holding down a
// key, or a paste by a slow terminal, is to a server.
func TestSoakAThousandKeysAtThirtyASecond(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := soaking(t, unpack(t, "shop"), nil)
		u := &user{t: t, editor: s.editor, dir: s.dir, server: &faultyServer{}, r: rand.New(rand.NewPCG(1, 1))}
		u.open("order/order.go")
		u.burst(50, time.Second/30)
		time.Sleep(20 * time.Second)
		synctest.Wait() // what wakes at the same moment has gone to sleep again, or ended
		goroutines, before, rss := bubbled(), heap(), resident()
		u.burst(1000, time.Second/30)
		time.Sleep(20 * time.Second)
		synctest.Wait()
		if n := s.editor.unanswered(); n > 0 {
			t.Errorf("%d requests are unanswered", n)
		}
		if now := bubbled(); len(now) > len(goroutines) || len(goroutines) == 0 {
			t.Errorf("%d goroutines, and %d before:\n\n%s", len(now), len(goroutines), strings.Join(now, "\n\n"))
		}
		after, rssAfter := heap(), resident()
		t.Logf("%v; heap %d → %d MB, resident %d → %d MB", s.editor.answers, before>>20, after>>20, rss>>20, rssAfter>>20)
		if after > before+maxGrowth || rssAfter > rss+maxGrowth {
			t.Errorf("heap %d → %d MB, resident %d → %d MB", before>>20, after>>20, rss>>20, rssAfter>>20)
		}
		s.end()
	})
}

// soaked is a server in this process, and its editor.
type soaked struct {
	t      *testing.T
	dir    string
	editor *soakEditor
	ended  chan error
	engine *lsp.Engine
}

// soaking serves dir with the embedded model behind whatever connect reaches.
func soaking(t *testing.T, dir string, connect func(context.Context, lsp.Config) (model.Model, func(), error)) *soaked {
	t.Helper()
	here, there := net.Pipe()
	s := &soaked{t: t, dir: dir, ended: make(chan error, 1)}
	config := lsp.DefaultConfig()
	e, err := lsp.NewEngine(t.Context(), lsp.EngineOptions{Config: config, CacheDir: t.TempDir(), Connect: connect, Local: newLocal(firstLesson, laterLesson).model})
	if err != nil {
		t.Fatal(err)
	}
	s.engine = e
	go func() {
		s.ended <- lsp.NewServer(e, lsp.Options{Config: config, Status: e.Status}).Serve(t.Context(), there)
	}()
	s.editor = newSoakEditor(t, here)
	s.editor.call("initialize", map[string]any{
		"rootUri": "file://" + filepath.ToSlash(dir),
		"capabilities": map[string]any{"general": map[string]any{"positionEncodings": []string{"utf-8"}},
			"textDocument": map[string]any{"inlineCompletion": map[string]any{}}},
	})
	s.editor.notify("initialized", map[string]any{})
	return s
}

// end leaves, and sees that all is answered.
func (s *soaked) end() {
	time.Sleep(time.Minute) // what is under way comes to its end
	synctest.Wait()
	if n := s.editor.unanswered(); n > 0 {
		s.t.Errorf("%d requests are unanswered", n)
	}
	s.editor.leave()
	if err := <-s.ended; err != nil {
		s.t.Errorf("serve: %v", err)
	}
	s.editor.close()
	if err := s.engine.Close(); err != nil {
		s.t.Error(err)
	}
}

// bubbled are the stacks of the goroutines of the test's bubble. The process has
// more: the one that runs finalizers is counted by runtime.NumGoroutine while it
// runs one, and the garbage collector says when.
func bubbled() []string {
	stacks := make([]byte, 1<<20)
	stacks = stacks[:runtime.Stack(stacks, true)]
	return slices.DeleteFunc(strings.Split(string(stacks), "\n\n"), func(stack string) bool {
		first, _, _ := strings.Cut(stack, "\n")
		return !strings.Contains(first, "synctest bubble")
	})
}

// heap is what lives, in bytes.
func heap() uint64 {
	var m runtime.MemStats
	runtime.GC()
	runtime.ReadMemStats(&m)
	return m.HeapAlloc
}

// resident is the process's memory, C's included, where the system tells it.
func resident() uint64 {
	text, err := os.ReadFile("/proc/self/statm")
	fields := strings.Fields(string(text))
	if err != nil || len(fields) < 2 {
		return 0
	}
	pages, _ := strconv.ParseUint(fields[1], 10, 64)
	return pages * uint64(os.Getpagesize())
}

func writeFile(t *testing.T, path, text string) {
	t.Helper()
	if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(path, []byte(text), 0o644); err != nil {
		t.Fatal(err)
	}
}

func generated(i, version int) string {
	return fmt.Sprintf("package gen\n\n// Rate%d is version %d.\nfunc Rate%d(price, count int) int {\n\ttotal := price * count\n\tif total > %d {\n\t\treturn total - %d\n\t}\n\treturn total\n}\n", i, version, i, 100*i, version)
}

// A faultyServer is a model server of changing health.
type faultyServer struct {
	health            atomic.Int32
	reached, released atomic.Int32
}

const (
	healthy    int32 = iota
	down             // connections are refused
	hanging          // they are accepted, and nothing comes
	busy             // 503
	stammering       // two samples, then the connection breaks
	silent           // reached, and no sample comes
	slowly           // a sample in two seconds
	healths
)

var errRefused = errors.New("ollama: ask 127.0.0.1:11434 for its version: no server answers (start it with: ollama serve)")

func (f *faultyServer) connect(ctx context.Context, _ lsp.Config) (model.Model, func(), error) {
	switch f.health.Load() {
	case down:
		return model.Model{}, nil, errRefused
	case hanging:
		<-ctx.Done()
		return model.Model{}, nil, ctx.Err()
	}
	f.reached.Add(1)
	m := model.Model{Info: model.Info{Name: "faulty", Provider: "ollama", Context: 8192}, Generator: f, Tokens: func(s string) int { return len(s)/3 + 1 }}
	return m, func() { f.released.Add(1) }, nil
}

// Samples is the server's answer in its present health.
func (f *faultyServer) Samples(ctx context.Context, p model.Prompt, _ model.Options) iter.Seq2[model.Sample, error] {
	return func(yield func(model.Sample, error) bool) {
		for i := 0; ; i++ {
			pause := 20 * time.Millisecond
			switch f.health.Load() {
			case down, hanging:
				yield(model.Sample{}, errRefused)
				return
			case busy:
				yield(model.Sample{}, errors.New("ollama: 503, the server is busy"))
				return
			case stammering:
				if i == 2 {
					yield(model.Sample{}, errors.New("ollama: unexpected EOF"))
					return
				}
			case silent:
				<-ctx.Done()
			case slowly:
				pause = 2 * time.Second
			}
			select {
			case <-ctx.Done():
				yield(model.Sample{}, ctx.Err())
				return
			case <-time.After(pause):
			}
			text := []string{"return c.Total()", "c.Add(it)", "if err != nil {"}[(len(p.Left)+i/4)%3]
			if !yield(model.Sample{Text: text, Stopped: true}, nil) {
				return
			}
		}
	}
}
