package lsp

import (
	"bytes"
	"context"
	"sync"
	"time"

	"readahead/index"
	"readahead/index/facts"
	"readahead/model"
)

// A foresight finds evidence before it is asked for. An editor waits for the next
// key before it asks: while it waits, so does the machine, and the user waits for
// both afterwards.
//
//	key ──── the editor's pause ────▶ request ─▶ evidence ─▶ model
//	key ─▶ … ─▶ Prepare ─▶ evidence ▶ request ─▶ model
//
// What was found ahead is used for the very request that it was found for and
// in the very state that it was found in, so that it is what would be found then.
// Else it is forgotten. One request is prepared for at a time.
type foresight struct {
	mu   sync.Mutex
	next *foreseen // nil: nothing is
}

// A foreseen is one request that was prepared for.
type foreseen struct {
	sight
	done  chan struct{} // closed when found is set
	found *findings
}

// A sight is all that findings depend on, but for the folders and ignore rules,
// whose change is another snapshot.
type sight struct {
	snapshot   *index.Snapshot
	remembered int64 // see contexts
	model      string
	window     int
	fim        bool
	evidence   int // tokens
	order      string
	prompt     string
	lang       facts.Language
	path       string
	languageID string
	offset     int
	text       []byte
}

func (e *Engine) sight(m model.Model, c Config, s *index.Snapshot, lang facts.Language, r CompletionRequest) sight {
	_, order := c.families(m.Info, r.Path)
	return sight{s, e.last.version(), m.Info.Name, m.Info.Context, m.Info.FIM, c.EvidenceTokens, order, c.Prompt, lang, r.Path, r.LanguageID, r.Offset, r.Text}
}

func (s sight) equals(o sight) bool {
	return s.snapshot == o.snapshot && s.remembered == o.remembered && s.model == o.model &&
		s.window == o.window && s.fim == o.fim && s.evidence == o.evidence &&
		s.order == o.order && s.prompt == o.prompt && s.lang == o.lang && s.path == o.path && s.languageID == o.languageID &&
		s.offset == o.offset && bytes.Equal(s.text, o.text)
}

// await returns what is found for s, nil if nobody looks for that; at most once.
func (a *foresight) await(ctx context.Context, s sight) (*findings, error) {
	a.mu.Lock()
	next := a.next
	a.next = nil
	a.mu.Unlock()
	if next == nil || !next.equals(s) {
		return nil, nil
	}
	select {
	case <-next.done:
		return next.found, nil
	case <-ctx.Done():
		return nil, ctx.Err()
	}
}

// expect says that s is being prepared for: the caller fills it in and closes
// done. nil if that is so already.
func (a *foresight) expect(s sight) *foreseen {
	a.mu.Lock()
	defer a.mu.Unlock()
	if a.next != nil && a.next.equals(s) {
		return nil
	}
	a.next = &foreseen{sight: s, done: make(chan struct{})}
	return a.next
}

// forget lets go of what was found in another index.
func (a *foresight) forget() {
	a.mu.Lock()
	defer a.mu.Unlock()
	a.next = nil
}

// parsing is how long a preparation waits for what was typed to be parsed: evidence
// that is found before is of another state than the request will find.
const parsing = 200 * time.Millisecond

// Prepare: see Completer. It is for the user's own model: what the local one takes
// is little, and most of it is learning the document.
func (e *Engine) Prepare(ctx context.Context, r CompletionRequest) {
	lang := languageOf(r)
	placed, _ := e.progress()
	c, x := e.settings(), e.current()
	m, ok := e.server.connected()
	if !ok || !placed || refuse(c, x, r, lang) != "" {
		return
	}
	ctx, cancel := context.WithTimeout(ctx, parsing)
	defer cancel()
	if x.Settle(ctx) != nil || ctx.Err() != nil {
		return
	}
	r.Path, r.Offset = e.name(x, r.Path), max(0, min(r.Offset, len(r.Text)))
	c.EvidenceTokens = e.evidenceFor(m, c)
	s := x.Snapshot()
	next := e.ahead.expect(e.sight(m, c, s, lang, r))
	if next == nil {
		return
	}
	defer close(next.done)
	next.found = e.find(m, c, s, lang, r)
}
