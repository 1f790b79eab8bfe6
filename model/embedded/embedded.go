// Package embedded is the language model that answers when no model server
// does: n-grams of the workspace's own code, with nothing to download.
//
// Code is more regular than prose, and most regular where it stands: the file at
// hand repeats itself, its folder less, the rest of the world least. Hellendoorn
// & Devanbu (2017, “Are deep neural networks the best choice for modeling source
// code?”) showed that counts which know this, nested and cached, predict code
// better than a recurrent network trained on a corpus. So this model is two
// sets of counts:
//
//	files ──lex──▶ units ──sort──▶ corpus    what stood behind every context of
//	                                 │       0…8 words, workspace-wide
//	                                 ▼
//	             one layer a context, longest first: Kneser–Ney's
//	             counts, mixed by confidence (see predictor)
//	                                 ▲
//	prompt ─lex──▶ units ──chain─▶ cache     the same for the text at hand: evidence
//	                                         and the code before the cursor
//
// What holds:
//   - Probabilities are exact and sum to one. Score is the chain rule over the
//     very distributions that Samples draws from; an unseen word is spelled, so
//     that every text of any bytes has a finite log-likelihood.
//   - Learning is incremental and equals learning from scratch: Update replaces
//     one file's counts. Answers come from immutable versions of the corpus, so
//     they don't wait for learning and never see half of it.
//   - The same seed on the same version draws the same samples.
//   - A word under the cursor is completed, not repeated: fmt.Pri| goes on with
//     ntln. No line can grow without end, whatever was learned.
//
// What it refuses: it invents no words, it knows nothing about types, and it
// can't fill in the middle: code after the cursor only makes its own words more
// likely. It is a stand-in, and Info says so.
package embedded

import (
	"context"
	"fmt"
	"iter"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"time"

	"readahead/model"
)

// A File is one text to learn from.
type File struct {
	Path string // its name for Update and Forget; any string that is unique
	Lang string // as package facts names languages; not used yet: the lexer is the same for all
	Text string // any bytes
}

// Options bound the model.
type Options struct {
	// MaxTokens bounds what is learned altogether, and with it the memory: a
	// token stands for some 3 bytes of source and takes 21, twice while a new
	// version replaces an old one.
	MaxTokens int
	// MaxContext is how many tokens of a prompt are read: of its evidence the
	// first half of that, of the code before the cursor the last half.
	MaxContext int
}

// DefaultOptions fit a laptop: 4 million tokens are some 13 MB of source in 88 MB
// of memory.
func DefaultOptions() Options { return Options{MaxTokens: 4 << 20, MaxContext: 8192} }

// A Model learns and answers. All methods may be called concurrently: writers
// wait for each other, and answers for nobody.
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

// A Training says what was learned.
type Training struct {
	Files, Tokens, Bytes int
	// Cut is why the sequence was not read to its end: "time", "tokens"; "" if
	// it was.
	Cut  string
	Time time.Duration
}

// Train learns files, the most useful ones first: when Options.MaxTokens is
// reached it stops reading the sequence. A file that was known is replaced. On
// an error, which is always ctx's, nothing is learned.
func (m *Model) Train(ctx context.Context, files iter.Seq[File]) (Training, error) {
	return m.TrainFor(ctx, files, 0)
}

const (
	// sortShare is how long making a version takes, as a multiple of reading its
	// files. In a CPU profile of 4 MB of Go, reading took 120 ms and the rest 430.
	sortShare = 3.6
	// learnRate is how many tokens a second are learned altogether where the sort
	// runs out of the processor's caches and others want the machine, too: on two
	// shared cores a million tokens took 2.4 s.
	learnRate = 400_000
)

// TrainFor is Train for a limited time; 0 is no limit. It stops reading early
// enough for what was read to be ready at about the end of the budget, and
// learns one file however short the budget is.
func (m *Model) TrainFor(ctx context.Context, files iter.Seq[File], budget time.Duration) (Training, error) {
	m.writing.Lock()
	defer m.writing.Unlock()
	var t Training
	start, c, change := time.Now(), m.now(), map[string][]unit{}
	reading := time.Duration(float64(budget) / (1 + sortShare))
	for f := range files {
		if err := ctx.Err(); err != nil {
			return Training{}, fmt.Errorf("embedded: learn %s: %w", f.Path, err)
		}
		if c.live+t.Tokens >= m.o.MaxTokens {
			t.Cut = "tokens"
			break
		}
		if budget > 0 && t.Files > 0 && (time.Since(start) > reading || float64(t.Tokens) > learnRate*budget.Seconds()) {
			t.Cut = "time"
			break
		}
		units := c.vocab.learn(f.Text, m.o.MaxTokens-c.live-t.Tokens)
		change[f.Path] = units
		t.Files, t.Tokens, t.Bytes = t.Files+1, t.Tokens+len(units), t.Bytes+len(f.Text)
	}
	if err := ctx.Err(); err != nil {
		return Training{}, fmt.Errorf("embedded: learn %d files: %w", t.Files, err)
	}
	if len(change) > 0 {
		m.current.Store(c.with(change))
	}
	t.Time = time.Since(start)
	return t, nil
}

// Update replaces what was learned from a file; a new file is added, beyond
// MaxTokens too.
func (m *Model) Update(path, text string) { m.replace(path, text) }

// Edit is Update for a file that is being written: before and after are its text
// without the line of the cursor. Learned in one piece, the file would teach that
// nothing, or half a line, stands at the cursor, and be believed, since no
// other place is so much like it.
func (m *Model) Edit(path, before, after string) {
	m.replace(path, strings.TrimRight(before, " \t\r\n"), after)
}

// Forget drops a file.
func (m *Model) Forget(path string) { m.replace(path) }

func (m *Model) replace(path string, pieces ...string) {
	m.writing.Lock()
	defer m.writing.Unlock()
	c := m.now()
	var units []unit
	for i, text := range pieces {
		if i > 0 { // the next piece in place of the end of the file
			units = units[:len(units)-1]
			units = slices.Concat(units, padding)
		}
		units = append(units, c.vocab.learn(text, m.o.MaxTokens)...)
	}
	if _, known := c.files[path]; known || len(units) > 0 {
		m.current.Store(c.with(map[string][]unit{path: units}))
	}
}

type generator struct{ of *Model }

// Model is m as the rest of readahead uses models.
func (m *Model) Model() model.Model {
	g := &generator{m}
	return model.Model{
		Info:      model.Info{Name: m.name(), Provider: "embedded", Scoring: "exact", Context: m.o.MaxContext},
		Generator: g,
		Explorer:  g,
		Scorer:    g,
		Filler:    g,
		Tokens:    countTokens,
	}
}

func (m *Model) name() string {
	n := float64(m.now().live)
	switch {
	case n >= 1e6:
		return fmt.Sprintf("embedded (n-gram of this workspace, %.1f M tokens)", n/1e6)
	case n >= 1e3:
		return fmt.Sprintf("embedded (n-gram of this workspace, %.0f k tokens)", n/1e3)
	}
	return fmt.Sprintf("embedded (n-gram of this workspace, %.0f tokens)", n)
}

// countTokens is exact for this model.
func countTokens(text string) int {
	n := 0
	l := lexer{src: text}
	for _, ok := l.next(); ok; _, ok = l.next() {
		n++
	}
	return n
}
