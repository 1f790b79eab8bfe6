package lsp

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"slices"
	"sync"
	"sync/atomic"
	"time"

	"readahead/index"
	"readahead/index/facts"
	"readahead/model"
	"readahead/rank"
)

// An Engine turns a cursor into ranked completions:
//
//	index.Retrieve ──▶ allocate.Allocate ──▶ rank.Decide ──▶ Show
//	 two families       one context each      one decision    what may appear
//
// It knows no protocol. The server, `readahead complete` and `readahead demo`
// all call Complete, so what is tried on the command line is what ships.
//
// Two models may answer. The user's own, on a model server, is asked first;
// the local one, an n-gram model of the workspace that needs no server, answers
// when that cannot, and the Completion says so. An Engine is safe for use by
// many goroutines, except that document calls come from one.
type Engine struct {
	options EngineOptions
	log     *slog.Logger
	server  connection

	mu     sync.RWMutex // guards the fields below, not the index itself
	config Config
	index  *index.Index
	// changes is the count of the indexes before this one.
	changes int64
	roots   []string
	open    map[string]*openText // by the editor's name
	turns   int64
	// known is closed once the workspace folders are placed.
	known chan struct{}
	// placed says that the workspace folders are known, and with them which
	// files are ignored: before that nothing is completed.
	placed bool
	// built says that the index was brought up to date once: before that, more
	// time gives a better answer.
	built bool

	watch  watcher
	last   contexts
	ahead  foresight
	thrift thrift
}

// EngineOptions are what an Engine is made of.
type EngineOptions struct {
	Config   Config
	Roots    []string // workspace folders, absolute
	CacheDir string   // of the index; "" keeps nothing on disk

	// Connect reaches the user's model; release, called once the model is not
	// used any more, frees what it holds. It is tried again, at growing
	// intervals, after it failed. nil: there is no model server.
	Connect func(ctx context.Context, c Config) (m model.Model, release func(), err error)
	// Local prepares the model that needs no server for one request, from the
	// workspace as the snapshot has it and the document as the request has it.
	// nil: there is none.
	Local func(ctx context.Context, s *index.Snapshot, r CompletionRequest) (model.Model, error)

	// Watch follows the disk after a build, until Close.
	Watch bool

	Log *slog.Logger // nil discards
}

// NewEngine opens the index of the workspace, without building it: completions
// work from the start, with the evidence that is there so far. Build indexes.
func NewEngine(ctx context.Context, o EngineOptions) (*Engine, error) {
	if o.Log == nil {
		o.Log = slog.New(slog.DiscardHandler)
	}
	e := &Engine{options: o, log: o.Log, config: o.Config, roots: o.Roots, open: map[string]*openText{}, known: make(chan struct{})}
	e.server.connect, e.server.config = o.Connect, o.Config
	x, err := e.openIndex(ctx, o.Roots)
	if err != nil {
		return nil, err
	}
	e.index = x
	if len(o.Roots) > 0 {
		e.placed = true
		close(e.known)
	}
	return e, nil
}

func (e *Engine) openIndex(ctx context.Context, roots []string) (*index.Index, error) {
	c := e.settings()
	return index.Open(ctx, index.Options{
		Roots:       roots,
		CacheDir:    e.options.CacheDir,
		MaxFileSize: int64(c.MaxFileSize),
		Ignore:      c.Ignore,
	})
}

// Close ends background work and returns when it has ended.
func (e *Engine) Close() error {
	e.server.end()
	e.watch.end()
	return e.current().Close()
}

func (e *Engine) settings() Config {
	e.mu.RLock()
	defer e.mu.RUnlock()
	return e.config
}

func (e *Engine) current() *index.Index {
	e.mu.RLock()
	defer e.mu.RUnlock()
	return e.index
}

// Snapshot is the workspace as the next completion will see it.
func (e *Engine) Snapshot() *index.Snapshot { return e.current().Snapshot() }

// Complete answers one request: see Completer.
func (e *Engine) Complete(ctx context.Context, r CompletionRequest) (Completion, error) {
	lang := languageOf(r)
	if err := e.awaitFolders(ctx); errors.Is(err, context.Canceled) {
		return Completion{}, err
	} else if err != nil {
		return refused(r, lang, "the workspace is not known yet"), nil
	}
	c := e.settings()
	x := e.current()
	_, built := e.progress()
	if reason := refuse(c, x, r, lang); reason != "" {
		return refused(r, lang, reason), nil
	}
	r.Path = e.name(x, r.Path)
	done, err := e.complete(ctx, c, x, lang, r)
	done.Incomplete = done.Incomplete || !built
	return done, err
}

// Refuses says why no completion would be offered in a document, whatever the index
// holds; "" if one may be.
func (e *Engine) Refuses(r CompletionRequest) string {
	return refuse(e.settings(), e.current(), r, languageOf(r))
}

// folderWait is how long a first request waits for the workspace folders: an
// editor whose user types while it starts asks before they are known, and asks
// again only at the next key.
const folderWait = 5 * time.Second

var errNoFolders = errors.New("lsp: the workspace folders are not known")

// awaitFolders waits for the workspace folders, for folderWait at most.
func (e *Engine) awaitFolders(ctx context.Context) error {
	select {
	case <-e.known:
		return nil
	default:
	}
	limit := time.NewTimer(folderWait)
	defer limit.Stop()
	select {
	case <-e.known:
		return nil
	case <-ctx.Done():
		return ctx.Err()
	case <-limit.C:
		return errNoFolders
	}
}

func (e *Engine) progress() (placed, built bool) {
	e.mu.RLock()
	defer e.mu.RUnlock()
	return e.placed, e.built
}

// refused is the answer where nothing is tried. It never lasts: rules change.
func refused(r CompletionRequest, lang facts.Language, reason string) Completion {
	return Completion{Items: []Item{}, Incomplete: true, Trace: &Trace{
		Path: r.Path, Lang: string(lang), Offset: r.Offset, Refused: reason,
		Decision: rank.Decision{Pools: []rank.Pool{}, Routed: -1},
	}}
}

// complete asks the user's model, and the local one if that cannot answer.
func (e *Engine) complete(ctx context.Context, c Config, x *index.Index, lang facts.Language, r CompletionRequest) (Completion, error) {
	r.Offset = max(0, min(r.Offset, len(r.Text)))
	m, notice, err := e.server.model(ctx)
	if err == nil {
		done, err := e.completeRemotely(ctx, m, c, x.Snapshot(), lang, r)
		switch {
		case err == nil:
			done.Notice = e.server.answered()
			done.Told = done.Notice != ""
			return done, nil
		case errors.Is(ctx.Err(), context.Canceled):
			return done, err
		}
		e.log.Warn("model failed", "model", m.Info.Name, "err", err)
		passing := false
		if notice, passing = e.server.failed(err); answered(done) {
			done.Notice, done.Passing = notice, passing
			return done, nil
		}
		if errors.Is(err, errSilent) {
			done, err := e.completeLocally(ctx, notice, c, x.Snapshot(), lang, r)
			done.Incomplete, done.Passing = true, passing // the next request may find it awake
			return done, err
		}
	}
	if ctx.Err() != nil && errors.Is(ctx.Err(), context.Canceled) {
		return Completion{}, ctx.Err()
	}
	if e.options.Local == nil {
		return Completion{Notice: notice}, nil
	}
	return e.completeLocally(ctx, notice, c, x.Snapshot(), lang, r)
}

// completeRemotely asks the user's model. An automatic request that it answers
// too late is no error: the next keystroke will find it warmer. But a model that
// has not said a word by then is as good as gone.
func (e *Engine) completeRemotely(ctx context.Context, m model.Model, c Config, s *index.Snapshot, lang facts.Language, r CompletionRequest) (Completion, error) {
	attempt, giveUp := context.WithCancelCause(ctx)
	defer giveUp(nil)
	var heard atomic.Bool
	partial := r.Partial
	r.Partial = func(c Completion) {
		heard.Store(true)
		if partial != nil {
			partial(c)
		}
	}
	silent := fmt.Errorf("%s %w", m.Info.Name, errSilent)
	if patience := time.Until(r.Due) - localReserve; r.Invoked && !r.Due.IsZero() && patience > 0 {
		timer := time.AfterFunc(patience, func() {
			if !heard.Load() {
				giveUp(silent)
			}
		})
		defer timer.Stop()
	}
	done, err := e.completeWith(attempt, m, c, s, lang, r)
	switch {
	case err == nil:
		return done, nil
	case ctx.Err() == nil && context.Cause(attempt) == silent:
		return done, silent
	case !r.Invoked && errors.Is(err, context.DeadlineExceeded) && heard.Load():
		done.Incomplete = true
		return done, nil
	case errors.Is(err, context.DeadlineExceeded) && !heard.Load():
		return done, silent
	}
	return done, err
}

// errSilent is the failure of a model that is there and says nothing.
var errSilent = errors.New("has not begun to answer in time: it may still be loading; if it stays so, choose a smaller model")

// answered reports whether a decision stands although the model failed later:
// all samples of the context that it was routed to had been drawn.
func answered(c Completion) bool {
	return c.Trace != nil && len(c.Items) > 0 && c.Trace.Decision.Routed >= 0 &&
		c.Trace.Decision.Pools[c.Trace.Decision.Routed].Complete()
}

// localReserve is kept of an invoked request's time for the local model.
const localReserve = 3 * time.Second

// localGrace is how long the local model may take after the request's deadline
// has passed at the server: an invoked request ends with an answer.
const localGrace = 2 * time.Second

func (e *Engine) completeLocally(ctx context.Context, notice string, c Config, s *index.Snapshot, lang facts.Language, r CompletionRequest) (Completion, error) {
	if ctx.Err() != nil {
		late, cancel := context.WithTimeout(context.WithoutCancel(ctx), localGrace)
		defer cancel()
		ctx = late
	}
	start := time.Now()
	m, err := e.options.Local(ctx, s, r)
	if err != nil {
		return Completion{Notice: notice}, err
	}
	prepared := time.Since(start)
	done, err := e.completeWith(ctx, m, c, s, lang, r)
	done.Notice = notice
	if t := done.Trace; t != nil {
		t.Notice = notice
		t.Took.Prepare = prepared
		t.Took.Total += prepared
	}
	return done, err
}

// refuse says why no completion is offered in a document, "" if one may be.
func refuse(c Config, x *index.Index, r CompletionRequest, lang facts.Language) string {
	if !c.Enable {
		return "readahead is switched off (enable = false)"
	}
	if !c.CompletesIn(r.LanguageID, lang) {
		return "the language is not among the configured ones (languages)"
	}
	if why, refused := x.Refused(r.Path, r.Text); refused {
		return "the file is ignored: " + why
	}
	return ""
}

// evidenceFor is how many tokens of evidence are worth their time with m.
func (e *Engine) evidenceFor(m model.Model, c Config) int {
	if m.PromptSpeed == nil {
		return c.EvidenceTokens
	}
	speed := m.PromptSpeed()
	n, changed := e.thrift.tokens(m.Info.Name, speed, c)
	if changed {
		e.log.Info("evidence budget", "tokens", n, "model", m.Info.Name, "tokensPerSecond", int(speed))
	}
	return n
}

// completeWith is the pipeline on one model. On an error the Completion holds
// what there was until then.
func (e *Engine) completeWith(ctx context.Context, m model.Model, c Config, s *index.Snapshot, lang facts.Language, r CompletionRequest) (Completion, error) {
	start := time.Now()
	found, err := e.evidence(ctx, m, c, s, lang, r)
	if err != nil {
		return Completion{}, err
	}
	ready := time.Now()

	prompt, doc, t := found.prompt, found.prompt.Doc, &found.trace
	var bases []rank.Base
	for _, f := range t.Contexts {
		bases = append(bases, rank.Base{Family: string(f.Family), Text: f.Context.Text})
	}
	q := prompt.Request(t.Path, bases)
	judge := r.judge
	if judge == nil || !judge.serves(doc) {
		judge = newJudge(doc)
	}
	var aside sync.WaitGroup
	defer aside.Wait()
	aside.Go(func() { judge.ground(ctx) }) // while the model is at work
	frame := newFrame(doc)
	completion := func(d rank.Decision) Completion {
		shown, hidden := show(ctx, doc, frame, judge, d, r)
		t := *t
		t.Decision, t.Hidden = d, hidden
		t.Took = Stages{Retrieve: found.retrieve, Allocate: found.allocate, Rank: time.Since(ready), Total: time.Since(start)}
		return Completion{Items: shown, Model: m.Info, Trace: &t}
	}
	if r.Partial != nil {
		q.Progress = func(d rank.Decision) { r.Partial(completion(d)) }
	}
	t.Ranking = RankOptions(c, m.Info)
	t.Ranking.NeverStop = r.Invoked // the user asked for the choice, and waits for all of it
	t.Ranking.Seed = rank.SeedAt(q.Left)
	ranker := rank.Ranker{Generator: m.Generator, Explorer: m.Explorer, Scorer: m.Scorer, Filler: m.Filler, Tokens: m.Tokens, Options: t.Ranking}
	d, err := ranker.Decide(ctx, q)
	done := completion(d)
	if err == nil && c.Multiline && r.Multiline && len(done.Items) > 0 {
		began := time.Now()
		if b, ok := block(ctx, ranker, q, d, m.Info, doc); ok {
			w := blockWriter{ranker: ranker, request: q, decision: d, model: m, doc: doc, path: r.Path, snap: s}
			text := b.Text
			if r.Invoked { // who asked waits for a second opinion
				done.Trace.Transfer = w.transfer(ctx, b)
				text = done.Trace.Transfer.chosen(text)
			}
			if item, reason := frame.show(text); reason == "" && !judge.breaks(ctx, doc, item) {
				done.Items[0], done.Trace.Block = item, &b
				done.Trace.Took.Block = time.Since(began)
				done.Trace.Took.Total = time.Since(start)
			}
		}
	}
	done.Incomplete = err == nil && ctx.Err() != nil
	return done, err
}

// What differs from Caret's recipe, by what was measured (README, "Completions").
const (
	// gradedTokens is how much code after the cursor candidates are graded by where
	// that was tried: a quarter of Caret's tells them apart as well.
	gradedTokens = 32
	// readLeft is how much code before the cursor's line the grader reads where
	// probabilities are read; without any it errs.
	readLeft = 64
	// readTau is τ there: of ten samples two agree, which is Caret's 0.2, also where
	// no line is half as probable, by luck; and a second context that is asked more
	// often than this wins no more lines.
	readTau = 0.05
	// readGraded is how many lines are graded there: unlike samples they come in the
	// order of their probabilities, and what is behind the seventh seldom wins.
	readGraded = 7
)

// RankOptions is Caret's recipe, but for what was measured to be as good or
// better for less. A model that lists all that it could say is read, which finds
// more of it than ten samples; of samples the first is the likeliest line, which
// scatters less; where grading is a walk, it is a short race.
func RankOptions(c Config, m model.Info) rank.Options {
	o := rank.DefaultOptions()
	o.Samples = c.Samples
	if c.AgreementOf(m) == "probabilities" {
		o.Explore, o.Tau, o.Graded, o.LeftTokens, o.RightTokens = true, readTau, readGraded, readLeft, gradedTokens
	}
	o.LikeliestFirst = !o.Explore
	if m.Scoring == "walk" {
		o.Grade, o.RightTokens = rank.Race, gradedTokens
	}
	return o
}

// show turns ranked candidates into items, leaving out what the document makes
// useless; the reasons are for the trace. A pause in typing gets the winner or
// nothing: where the winner is that nothing belongs here, or repeats what stands
// behind the cursor, the next best would only be in the way. Who asked for a
// completion gets the list.
func show(ctx context.Context, doc Doc, frame *frame, judge *judge, d rank.Decision, r CompletionRequest) (items []Item, hidden []Hidden) {
	items = []Item{}
	ranked := d.Ranked()
	if !r.Invoked {
		if _, ok := d.Best(); !ok {
			return items, nil
		}
		ranked = ranked[:1]
	}
	for _, c := range ranked {
		if cancelled(ctx) {
			break
		}
		item, reason := frame.show(c.Text)
		if reason == "" && judge.breaks(ctx, doc, item) {
			reason = breaksFile
		}
		switch {
		case reason != "":
			hidden = append(hidden, Hidden{c.Text, reason})
		case slices.Contains(items, item):
			hidden = append(hidden, Hidden{c.Text, "the same edit as a better candidate"})
		case len(items) < max(1, r.Max):
			items = append(items, item)
		}
	}
	return items, hidden
}

// fitTo is what of a sampled line the document has room for, so that samples
// that come to the same edit vote for the same candidate. A line that may not be
// shown votes as it is, and is hidden afterwards with its reason.
func fitTo(doc Doc) func(string) string {
	frame := newFrame(doc)
	return func(line string) string {
		item, reason := frame.show(line)
		if reason != "" || item.Replace > 0 {
			return line
		}
		return item.Text
	}
}
