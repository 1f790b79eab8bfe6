package lsp

import (
	"bytes"
	"context"
	"log/slog"
	"slices"
	"strings"
	"sync"
	"time"

	"readahead/index/facts"
)

// An ask is one request, captured when it arrived.
type ask struct {
	path       string
	languageID string
	lang       facts.Language
	text       []byte
	offset     int
	world      int64 // see memory
	invoked    bool
	multiline  bool
	max        int           // items wanted
	due        time.Time     // when the model may be asked
	deadline   time.Duration // from now until there is an answer, whatever it is
	patient    bool          // nothing is no answer at the deadline: the first item is awaited
	accepted   []string      // what the user has just accepted
	judge      *judge        // of its items; handed on while the line stays
	frame      *frame        // for its items, made when there are some
	hidden     string        // why the best of what was said for it is not shown
}

// request is a for the Completer, but for the time that it has.
func (a *ask) request() CompletionRequest {
	return CompletionRequest{Path: a.path, LanguageID: a.languageID, Text: a.text, Offset: a.offset,
		Invoked: a.invoked, Max: a.max, Multiline: a.multiline, judge: a.judge}
}

func (a *ask) doc() Doc {
	return Doc{Path: grammarPath(a.path, a.languageID), Text: a.text, Offset: a.offset, Lang: a.lang}
}

// An answer is what an ask gets.
type answer struct {
	items      []Item
	notice     string
	incomplete bool // a later request would get more
	pending    bool // and the model is at work on it
	passing    bool // Completion.Passing
	heard      bool // a model has answered, or could not: notice says which
}

// A suggester stands between requests and the Completer.
//
//	ask ─▶ remembered? ──────────────────────────────▶ answer
//	        │ no                                          ▲
//	        ▼                                             │
//	      wait for the pause ─▶ flight ─▶ Completer ─▶ memory
//
// A flight is one call of Complete. At most maxFlights are in the air, over all
// documents: a model server answers one after another anyway. A flight is
// cancelled when the request that it flies for is cancelled or superseded; when
// only the deadline has passed, the request is answered with the best so far,
// the flight goes on, and lands in the memory for the next keystroke. Where that
// is nothing yet, and the client can show an item whenever it comes, the request
// waits on: who pauses to think would otherwise see nothing until the next key.
// An edit grounds the flights whose answer it makes useless, before any request
// does, and one that takes an item begins a flight ahead (see ahead). A document
// that is closed takes its requests and flights with it.
type suggester struct {
	completer Completer
	log       *slog.Logger
	base      context.Context // of the server: flights outlive the requests they fly for
	landing   sync.WaitGroup  // one for each flight, and for who prepares one

	mu        sync.Mutex
	ended     bool             // no flight may start any more
	newest    map[string]*turn // by document and method: the request that counts
	last      map[string]*ask  // by document: the last one, answered or not
	flights   []*flight        // oldest first
	memory    memory
	changed   chan struct{}     // closed and replaced at every event that a waiting request may want to see
	took      time.Duration     // what an answer takes, smoothed
	reports   map[string]Report // of the last answer of the Completer, by document
	latest    string            // the document of the last of them
	counts    counts
	owed      []string // what the user must be told once
	silence   silence  // of the last answer
	unprepare func()   // calls off what is being prepared for: see foresee; nil if nothing is
}

const (
	// maxFlights lets a new request start beside one that is still at work, and
	// no more.
	maxFlights = 2
	// flightLimit ends a flight that nobody may want any more.
	flightLimit = 15 * time.Second
	// grace is how long a flight that has something to say goes on after its
	// request was cancelled: at a key, clients cancel first and then ask anew.
	grace = 30 * time.Millisecond
	// lateness is how long a patient request waits after its deadline.
	lateness = 10 * time.Second
)

// counts are for the status.
type counts struct{ Asked, Remembered, Flown, Accepted int }

// A turn is one request's claim to be the newest of its kind in its document.
type turn struct {
	ask    *ask
	cancel context.CancelFunc
}

// A flight is one call of Complete.
type flight struct {
	ask     *ask
	memo    *memo
	cancel  context.CancelFunc
	waiting int // requests that wait for it
	best    answer
	landed  bool
	doomed  bool // cancelled, not yet landed
	broken  bool // what was typed since is not what it says
	ahead   bool // nobody has asked yet: see suggester.ahead
}

func newSuggester(base context.Context, c Completer, log *slog.Logger) *suggester {
	return &suggester{completer: c, log: log, base: base,
		newest: map[string]*turn{}, last: map[string]*ask{}, reports: map[string]Report{}, changed: make(chan struct{})}
}

// finish returns when all flights have landed and no other can start. base must
// have ended.
func (s *suggester) finish() {
	s.mu.Lock()
	s.ended = true
	s.callOff()
	s.mu.Unlock()
	s.landing.Wait()
}

// begin makes a the newest request of its kind, which ends the one before, and
// returns the second step. It is called in the order of the wire.
func (s *suggester) begin(kind string, a *ask) func(context.Context) (answer, error) {
	ctx, cancel := context.WithCancel(s.base)
	key, mine := kind+" "+a.path, &turn{a, cancel}
	s.mu.Lock()
	if old := s.newest[key]; old != nil {
		old.cancel()
	}
	if last := s.last[a.path]; last != nil && last.judge.serves(a.doc()) {
		a.judge = last.judge
	} else {
		a.judge = newJudge(a.doc())
	}
	s.newest[key], s.last[a.path] = mine, a
	s.counts.Asked++
	a.accepted = s.memory.accepted(a)
	s.ground(func(f *flight) bool { return f.waiting == 0 && f.ask.path == a.path && !f.promises(a) })
	if wait := time.Until(a.due); wait > 0 {
		s.getReady(a, max(0, wait-readiness))
	}
	s.mu.Unlock()
	return func(request context.Context) (answer, error) {
		defer cancel()
		defer context.AfterFunc(request, cancel)()
		got, err := s.answer(ctx, a)
		if err == nil && ctx.Err() != nil { // given up while its items were judged
			got, err = answer{}, ctx.Err()
		}
		s.mu.Lock()
		defer s.mu.Unlock()
		if err == nil {
			s.heardNothing(a, got)
		}
		if s.newest[key] == mine {
			delete(s.newest, key)
		}
		return got, err
	}
}

// answer waits for whichever comes first: something remembered that fits, the
// flight for a, or the deadline.
func (s *suggester) answer(ctx context.Context, a *ask) (answer, error) {
	deadline := time.NewTimer(a.deadline)
	defer deadline.Stop()
	var f *flight
	late := false // the deadline has passed, and there was nothing
	for {
		s.mu.Lock()
		if late && f != nil && !f.landed {
			if shown := s.present(ctx, a, f.best.items); len(shown) > 0 {
				s.leave(f, false)
				got := f.best
				got.items, got.incomplete, got.pending = shown, true, true
				s.mu.Unlock()
				return got, nil
			}
		}
		if f != nil && f.landed {
			got := f.best
			got.items = s.present(ctx, a, got.items)
			s.mu.Unlock()
			return got, nil
		}
		if items, of, final := s.memory.recall(a); final || len(items) > 0 {
			if shown := s.present(ctx, a, items); final || len(shown) > 0 {
				s.counts.Remembered++
				s.told(of)
				s.leave(f, false)
				pending := !final && s.inTheAir(of)
				s.mu.Unlock()
				return answer{items: shown, pending: pending}, nil
			}
		}
		if f == nil && !time.Now().Before(a.due) {
			f = s.board(a)
		}
		changed := s.changed
		s.mu.Unlock()

		var due <-chan time.Time
		if wait := time.Until(a.due); f == nil && wait > 0 {
			due = time.After(wait)
		}
		select {
		case <-ctx.Done():
			s.mu.Lock()
			s.leave(f, true)
			s.mu.Unlock()
			return answer{}, ctx.Err()
		case <-deadline.C:
			s.mu.Lock()
			got := answer{incomplete: true}
			if f != nil {
				got = f.best
				got.items, got.incomplete, got.pending = s.present(ctx, a, f.best.items), true, true
			}
			if a.patient && !late && len(got.items) == 0 {
				late = true
				deadline.Reset(lateness)
				s.mu.Unlock()
				continue
			}
			s.leave(f, false)
			s.mu.Unlock()
			return got, nil
		case <-due:
		case <-changed:
		}
	}
}

// inTheAir reports whether a flight is still at work on a memo.
func (s *suggester) inTheAir(m *memo) bool {
	return slices.ContainsFunc(s.flights, func(f *flight) bool { return f.memo == m && !f.doomed })
}

// board finds a flight for the same cursor or starts one; nil if all are taken
// for now.
func (s *suggester) board(a *ask) *flight {
	for _, f := range s.flights {
		if !f.doomed && f.ask.path == a.path && f.ask.offset == a.offset && f.ask.world == a.world &&
			f.ask.invoked == a.invoked && bytes.Equal(f.ask.text, a.text) {
			f.waiting++
			f.ahead = false
			return f
		}
	}
	if s.ended {
		return nil // base has ended, and with it the request
	}
	if len(s.flights) >= maxFlights {
		if i := slices.IndexFunc(s.flights, func(f *flight) bool { return f.doomed || f.waiting == 0 }); i >= 0 {
			s.doom(s.flights[i])
		}
		return nil
	}
	s.callOff() // what was expected is here
	ctx, cancel := context.WithTimeout(s.base, flightLimit)
	f := &flight{ask: a, cancel: cancel, waiting: 1}
	f.memo = &memo{path: a.path, text: a.text, offset: a.offset, world: a.world, invoked: a.invoked}
	s.flights = append(s.flights, f)
	s.counts.Flown++
	s.landing.Add(1)
	go s.fly(ctx, f)
	return f
}

// fly is the flight's goroutine; the suggester owns it.
func (s *suggester) fly(ctx context.Context, f *flight) {
	defer s.landing.Done()
	defer f.cancel()
	start := time.Now()
	a := f.ask
	r := a.request()
	r.Due = start.Add(a.deadline)
	r.Partial = func(c Completion) { s.progress(f, c) }
	c, err := s.complete(ctx, r)
	s.mu.Lock()
	defer s.mu.Unlock()
	s.flights = slices.DeleteFunc(s.flights, func(o *flight) bool { return o == f })
	f.landed = true
	if c.Told { // whoever gets the answer, or nobody
		s.owed, c.Notice = append(s.owed, c.Notice), ""
	}
	switch {
	case f.doomed:
	case err != nil:
		s.log.Warn("completion failed", "path", a.path, "err", err)
		f.best = answer{notice: c.Notice, passing: c.Passing, heard: c.Notice != "", incomplete: true}
	default:
		s.took = smooth(s.took, time.Since(start))
		f.record(s, c, !c.Incomplete)
	}
	s.announce()
}

// complete calls the Completer; its panics cost one answer, not the server.
func (s *suggester) complete(ctx context.Context, r CompletionRequest) (c Completion, err error) {
	defer recovered(s.log, "completion", &err)
	return s.completer.Complete(ctx, r)
}

// progress takes a better answer from a flight that is still in the air.
func (s *suggester) progress(f *flight, c Completion) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if f.landed || f.doomed {
		return
	}
	f.record(s, c, false)
	s.announce()
}

func (f *flight) record(s *suggester, c Completion, complete bool) {
	f.best = answer{items: c.Items, notice: c.Notice, passing: c.Passing, heard: true, incomplete: !complete}
	if f.memo.items == nil && !f.memo.complete {
		s.memory.add(f.memo)
	}
	f.memo.items, f.memo.complete = slices.Concat([]Item{}, c.Items), complete
	if c.Trace == nil {
		return
	}
	if f.memo.report = (&Report{f.ask.request(), c}); !f.ahead {
		s.told(f.memo)
	}
}

// told makes a memo's account that of the last answer.
func (s *suggester) told(m *memo) {
	if m != nil && m.report != nil {
		s.reports[m.path], s.latest = *m.report, m.path
		m.report = nil
	}
}

// report is the account of the last answer in a document, or in any if path is
// "".
func (s *suggester) report(path string) (Report, bool) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if path == "" {
		path = s.latest
	}
	r, ok := s.reports[path]
	return r, ok
}

// promises reports whether the flight may still serve a: its document differs
// by nothing but what was typed at its cursor, and that is how its best answer
// so far begins.
func (f *flight) promises(a *ask) bool {
	typed, ok := f.memo.typed(a, 0)
	if !ok || f.ask.world != a.world {
		return false
	}
	return len(f.best.items) == 0 || slices.ContainsFunc(f.best.items, func(it Item) bool {
		return strings.HasPrefix(it.Text, typed)
	})
}

// leave says that a request no longer waits for f. A request that was given up
// takes the flight with it, unless the one that came in its place is typing what
// the flight has begun to say, be that one answered already with what there is.
func (s *suggester) leave(f *flight, givenUp bool) {
	if f == nil {
		return
	}
	f.waiting--
	if !givenUp || f.waiting > 0 || f.landed {
		return
	}
	switch {
	case s.carriedOn(f):
	case !f.broken && s.last[f.ask.path] == f.ask && len(f.best.items) > 0:
		time.AfterFunc(grace, func() {
			s.mu.Lock()
			defer s.mu.Unlock()
			if f.waiting == 0 && !f.landed && !s.carriedOn(f) {
				s.doom(f)
			}
		})
	default:
		s.doom(f)
	}
}

// carriedOn reports whether the last request in the document is a later one than
// f's, and types what f has begun to say.
func (s *suggester) carriedOn(f *flight) bool {
	next := s.last[f.ask.path]
	return next != nil && next != f.ask && len(f.best.items) > 0 && f.promises(next)
}

// ground cancels the flights that match.
func (s *suggester) ground(match func(*flight) bool) {
	for _, f := range s.flights {
		if match(f) {
			s.doom(f)
		}
	}
}

func (s *suggester) doom(f *flight) {
	f.doomed = true
	f.cancel()
}

// announce wakes the waiting requests.
func (s *suggester) announce() {
	close(s.changed)
	s.changed = make(chan struct{})
}

// present makes of what the model said what this document can show.
func (s *suggester) present(ctx context.Context, a *ask, items []Item) []Item {
	d := a.doc()
	shown := []Item{}
	for _, raw := range items {
		if cancelled(ctx) {
			break
		}
		if a.frame == nil {
			a.frame = newFrame(d)
		}
		it, reason := a.frame.show(raw.Text)
		switch {
		case reason == "" && sameAgain(it.Text, a.accepted):
			reason = "it was just accepted"
		case reason == "" && slices.Contains(shown, it):
			reason = "the same as a better one"
		case reason == "" && a.judge.breaks(ctx, d, it):
			reason = breaksFile
		}
		if reason != "" && a.hidden == "" {
			a.hidden = reason
		}
		if reason != "" {
			s.log.Debug("not shown", "path", a.path, "bytes", len(raw.Text), "why", reason) // the text is the user's code
			continue
		}
		if shown = append(shown, it); len(shown) == max(1, a.max) {
			break
		}
	}
	return shown
}

// forget drops all that concerns a document that was closed, and cancels what is
// still asked about it: nobody can see the answer.
func (s *suggester) forget(path string) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.memory.forget(path)
	delete(s.reports, path)
	delete(s.last, path)
	s.callOff()
	for _, t := range s.newest {
		if t.ask.path == path {
			t.cancel()
		}
	}
	s.ground(func(f *flight) bool { return f.ask.path == path })
}

// end cancels every request and flight; later ones end as they begin.
func (s *suggester) end() {
	s.mu.Lock()
	defer s.mu.Unlock()
	for _, t := range s.newest {
		t.cancel()
	}
	s.ground(func(*flight) bool { return true })
}

// latency is what an answer takes, 0 while unknown.
func (s *suggester) latency() time.Duration {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.took
}

func (s *suggester) accepted() {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.counts.Accepted++
}

// owes is what the user must still be told.
func (s *suggester) owes() []string {
	s.mu.Lock()
	defer s.mu.Unlock()
	owed := s.owed
	s.owed = nil
	return owed
}

func (s *suggester) counted() counts {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.counts
}

// smooth follows a duration with a memory of a few values.
func smooth(old, now time.Duration) time.Duration {
	if old == 0 {
		return now
	}
	return (3*old + now) / 4
}
