// Package embedded is the language model that answers when no model server does.
package embedded

import (
	"context"
	"fmt"
	"iter"
	"sync"
	"sync/atomic"
	"time"

	"readahead/model"
)

// A File is one text to learn from.
type File struct{ Path, Lang, Text string }

// Options bound the model.
type Options struct {
	// MaxTokens bounds what is learned; files that come after it is reached are
	// left out. A token takes some 13 bytes.
	MaxTokens int
	// Context is how many tokens of a prompt are read.
	Context int
}

// DefaultOptions fit a laptop.
func DefaultOptions() Options { return Options{MaxTokens: 4 << 20, Context: 8192} }

// A Model learns and answers. All methods may be called concurrently.
type Model struct {
	o       Options
	writing sync.Mutex
	current atomic.Pointer[corpus]
}

// New returns a model that knows nothing yet.
func New(o Options) *Model {
	m := &Model{o: o}
	m.current.Store(emptyCorpus())
	return m
}

func (m *Model) now() *corpus { return m.current.Load() }

// Training says what became of a Train.
type Training struct {
	Files, Tokens, Bytes int
	Left                 int
	Time                 time.Duration
}

// Train learns files.
func (m *Model) Train(ctx context.Context, files iter.Seq[File]) (Training, error) {
	return m.TrainFor(ctx, files, 0)
}

// TrainFor is Train with a time budget.
func (m *Model) TrainFor(ctx context.Context, files iter.Seq[File], budget time.Duration) (Training, error) {
	m.writing.Lock()
	defer m.writing.Unlock()
	var t Training
	start := time.Now()
	c := m.now()
	change := map[string][]unit{}
	for f := range files {
		if err := ctx.Err(); err != nil {
			return t, fmt.Errorf("embedded: train: %w", err)
		}
		if c.live+t.Tokens >= m.o.MaxTokens || budget > 0 && time.Since(start) > budget/2 {
			t.Left++
			continue
		}
		u := append(c.vocab.encode(make([]unit, 0, len(f.Text)/3), f.Text), end.bare())
		change[f.Path] = u
		t.Files++
		t.Tokens += len(u)
		t.Bytes += len(f.Text)
	}
	m.current.Store(c.with(change))
	t.Time = time.Since(start)
	return t, nil
}

// Update replaces what was learned from a file.
func (m *Model) Update(path, text string) {
	m.writing.Lock()
	defer m.writing.Unlock()
	c := m.now()
	m.current.Store(c.with(map[string][]unit{path: append(c.vocab.encode(nil, text), end.bare())}))
}

// Forget drops a file.
func (m *Model) Forget(path string) {
	m.writing.Lock()
	defer m.writing.Unlock()
	m.current.Store(m.now().with(map[string][]unit{path: nil}))
}

type generator struct{ of *Model }

// Model is m as the rest of readahead uses models.
func (m *Model) Model() model.Model {
	g := &generator{m}
	return model.Model{
		Info:      model.Info{Name: m.name(), Provider: "embedded", Scoring: "exact", Context: m.o.Context},
		Generator: g,
		Scorer:    g,
		Tokens:    countTokens,
	}
}

func (m *Model) name() string {
	return fmt.Sprintf("embedded (n-gram of this workspace, %d tokens)", m.now().live)
}

func countTokens(text string) int {
	n := 0
	l := lexer{src: text}
	for _, ok := l.next(); ok; _, ok = l.next() {
		n++
	}
	return n
}
