package rank

import (
	"context"
	"crypto/sha256"
	"errors"
	"fmt"
	"iter"
	"math"
	"slices"
	"time"

	"readahead/model"
)

// A Record is all that a model says at one cursor: every sample of every
// context, what was read where probabilities are read, and the likelihood of
// each distinct candidate. Whatever a Decision can depend on is in it, so that
// one pass of the model answers for every selector, order of contexts, number
// of samples, threshold and weight, over the very same samples:
//
//	              asks the model            does not
//	Request ──▶ Ranker.Record ──▶ Record ──▶ Decide(these Options)
//	                                │    ──▶ Decide(those Options) …
//	                                ▼
//	                               JSON
//
// Record.Decide is no second implementation: it is Ranker.Decide with the
// record in the model's place. It stops where that would have stopped, and
// counts only what that would have asked for.
type Record struct {
	Wanted int            `json:"wanted"` // N, samples of each context
	Pools  []RecordedPool `json:"pools"`  // one for each base of the request, in its order
	// Views are what the scorer read beside a candidate: that of the Options, and
	// the further ones that were asked for.
	Views []RecordedView `json:"views"`
}

// A Reading is how much code the scorer reads, in tokens: see
// Options.LeftTokens and RightTokens.
type Reading struct {
	Left  int `json:"left_tokens"`
	Right int `json:"right_tokens"`
}

// RaceReadings are the further readings that a record needs for races over a
// right context of the given length.
func RaceReadings(r Reading) []Reading {
	var out []Reading
	for n := firstPiece; n < r.Right; n *= 2 {
		out = append(out, Reading{r.Left, n})
	}
	return out
}

// A RecordedView is what the scorer read, and found.
type RecordedView struct {
	Reading
	Left   string  `json:"left"`
	Right  string  `json:"right"`
	Tokens Reading `json:"tokens"` // how many Left and Right really have
	// Scores are the likelihoods of Right, one for each distinct candidate of all
	// pools; empty if there is no code to read, nil if the model can't score.
	Scores []RecordedScore `json:"scores"`
	// Bayes are the same by Bayes' rule; nil if the model does not fill in the
	// middle, or was not asked to.
	Bayes []RecordedScore `json:"bayes,omitempty"`
}

// A RecordedPool is what one context gave.
type RecordedPool struct {
	Family string `json:"family"`
	// Context stands for the evidence: its hash, the same for the same text. Of
	// two pools with one Context only the first has samples.
	Context string           `json:"context"`
	Prompt  int              `json:"prompt,omitempty"` // tokens of it
	Samples []RecordedSample `json:"samples"`
	Greedy  *RecordedSample  `json:"greedy,omitempty"` // the sample at temperature 0
	// Explored is what following one beginning after the other told, the last of
	// at most N; nil if the model can't be explored or was not asked to be.
	Explored []RecordedFinding `json:"explored,omitempty"`
	// Ungraded: none of the candidates that only this context has is scored.
	Ungraded bool `json:"ungraded,omitempty"`
	// Again is what the same context gave when it was asked about a second time,
	// with the seeds that follow: see Recording.Twice.
	Again *RecordedPool `json:"again,omitempty"`
}

// A Recording says what a record is to hold beyond what its Options need.
type Recording struct {
	Readings []Reading // further ones of the scorer
	// Twice asks about each context twice, so that it can be told how far answers
	// depend on the luck of their seeds: see Record.Again.
	Twice bool
	// Graded are the families whose candidates are scored; nil: all.
	Graded []string
}

// grades reports whether any of the bases with that text is to be graded: they
// share their samples.
func (more Recording) grades(bases []Base, text string) bool {
	return more.Graded == nil || slices.ContainsFunc(bases, func(b Base) bool {
		return b.Text == text && slices.Contains(more.Graded, b.Family)
	})
}

// A RecordedFinding is what one continuation told.
type RecordedFinding struct {
	RecordedSample             // the text that was followed
	Requests       int         `json:"requests"`
	Lines          []foundLine `json:"lines"`
	Rest           float64     `json:"rest"`    // see Pool.Unknown
	Largest        float64     `json:"largest"` // of the beginnings that are left
}

// A RecordedSample is one sample, comments that it skipped included.
type RecordedSample struct {
	Text    string  `json:"text"`
	Stopped bool    `json:"stopped"`
	Tokens  int     `json:"tokens"` // generated
	MS      float64 `json:"ms"`     // wall time; the first sample's has the prompt in it, and Greedy's
}

// A RecordedScore is the likelihood of the code after the cursor behind one
// candidate.
type RecordedScore struct {
	Text    string   `json:"text"`    // Candidate.Text
	LogProb *float64 `json:"logprob"` // nil if the model gave no number
	Exact   bool     `json:"exact"`
	Tokens  int      `json:"tokens"` // of Text
	Cost
}

// A Cost is a candidate's share of what grading those of its pool took.
type Cost struct {
	MS        float64 `json:"ms"` // wall time
	Requests  float64 `json:"requests"`
	Generated float64 `json:"generated,omitempty"` // tokens, where the server can only generate
}

func (c Cost) plus(d Cost) Cost {
	return Cost{c.MS + d.MS, c.Requests + d.Requests, c.Generated + d.Generated}
}

func (c Cost) minus(d Cost) Cost {
	return Cost{c.MS - d.MS, c.Requests - d.Requests, c.Generated - d.Generated}
}

// Record draws all Options.Samples from every context and one sample at
// temperature 0, explores each if Options.Explore says so, and scores all
// distinct candidates, over the reading of the Options and those of more, and
// by Bayes' rule, too, if Options.Grade says so.
// Selector, Tau, Theta and Weight are for Record.Decide to say. An error, be it
// the model's or ctx's, leaves no Record: half of one would decide otherwise.
func (r Ranker) Record(ctx context.Context, q Request, more Recording) (*Record, error) {
	explore := r.Options.Explore && r.Explorer != nil
	r.Options.Selector, r.Options.Tau, r.Options.NeverStop, r.Options.Explore, r.Options.LikeliestFirst = Votes, 0, true, false, false
	run, err := r.begin(q)
	if err != nil {
		return nil, err
	}
	rec := &Record{Wanted: run.o.Samples}
	for _, reading := range append([]Reading{{run.o.LeftTokens, run.o.RightTokens}}, more.Readings...) {
		if rec.view(reading) == nil {
			rec.Views = append(rec.Views, r.recordedView(q, reading))
		}
	}
	for _, b := range q.Bases {
		p := RecordedPool{Family: b.Family, Context: standIn(b.Text), Ungraded: !more.grades(q.Bases, b.Text)}
		if rec.pool(p.Context) == nil {
			err = r.record(ctx, q, b, rec, &p, explore)
			if err == nil && more.Twice {
				again := r
				again.Options.Seed += run.o.Samples
				p.Again = &RecordedPool{Family: p.Family, Context: p.Context, Ungraded: p.Ungraded}
				err = again.record(ctx, q, b, rec, p.Again, explore)
			}
		}
		if err != nil {
			return nil, err
		}
		rec.Pools = append(rec.Pools, p)
	}
	return rec, nil
}

// Extend is the record with further readings: all of its candidates of graded
// contexts, over each that it lacks. q is the recorded request. Nothing is drawn again.
func (r Ranker) Extend(ctx context.Context, q Request, rec *Record, readings []Reading) (*Record, error) {
	candidates, err := rec.candidates(ctx, q)
	if err != nil {
		return nil, err
	}
	longer := *rec
	longer.Views = slices.Clone(rec.Views)
	for _, reading := range readings {
		if longer.view(reading) != nil {
			continue
		}
		v := r.recordedView(q, reading)
		if err := r.recordScores(ctx, candidates, &v); err != nil {
			return nil, err
		}
		longer.Views = append(longer.Views, v)
	}
	return &longer, nil
}

// Has reports whether the record has that reading.
func (rec *Record) Has(reading Reading) bool { return rec.view(reading) != nil }

// candidates are all of graded contexts that any decision can rank: of what was
// drawn, the second time included, and of what was read.
func (rec *Record) candidates(ctx context.Context, q Request) ([]Candidate, error) {
	var all []Candidate
	q.Progress = func(d Decision) { all = append(all, d.Pools[0].Candidates...) }
	o := DefaultOptions()
	o.Samples, o.Selector, o.Tau, o.NeverStop, o.RightTokens = rec.Wanted, Votes, 0, true, 0
	for _, said := range []*Record{rec, rec.Again()} {
		if said == nil {
			continue
		}
		for i, base := range said.Bases() {
			if said.Pools[i].Ungraded {
				continue
			}
			q.Bases = []Base{base}
			for _, way := range []struct{ explore, likeliest bool }{{false, false}, {false, true}, {true, false}} {
				if o.Explore, o.LikeliestFirst = way.explore, way.likeliest; o.Explore && said.Pools[i].Explored == nil {
					continue
				}
				if _, err := said.Decide(ctx, q, o); err != nil {
					return nil, err
				}
			}
		}
	}
	return all, nil
}

func (r Ranker) recordedView(q Request, reading Reading) RecordedView {
	v := RecordedView{Reading: reading, Left: leftView(q.Left, reading.Left, r.tokens), Right: rightView(q.Right, reading.Right, r.tokens)}
	v.Tokens = Reading{r.tokens(v.Left), r.tokens(v.Right)}
	if r.Scorer != nil {
		v.Scores = []RecordedScore{}
	}
	return v
}

// view is the one of a reading.
func (rec *Record) view(reading Reading) *RecordedView {
	i := slices.IndexFunc(rec.Views, func(v RecordedView) bool { return v.Reading == reading })
	if i < 0 {
		return nil
	}
	return &rec.Views[i]
}

// standIn is what a record has in place of a context.
func standIn(text string) string {
	sum := sha256.Sum256([]byte(text))
	return fmt.Sprintf("%x", sum[:8])
}

// pool is the one with the samples of a context.
func (rec *Record) pool(context string) *RecordedPool {
	i := slices.IndexFunc(rec.Pools, func(p RecordedPool) bool { return p.Context == context })
	if i < 0 {
		return nil
	}
	return &rec.Pools[i]
}

// record asks about one context: the samples first, whose prompt the greedy
// one then finds in the server's cache.
func (r Ranker) record(ctx context.Context, q Request, b Base, rec *Record, p *RecordedPool, explore bool) error {
	q.Bases = []Base{b}
	var took []time.Duration
	last := time.Now()
	q.Progress = func(Decision) {
		now := time.Now()
		took, last = append(took, now.Sub(last)), now
	}
	sampled, err := r.whole(ctx, q)
	if err != nil {
		return err
	}
	for i, s := range sampled.Samples {
		p.Samples = append(p.Samples, recorded(s, took[i]))
		if n := s.Usage.Prompt; i == 0 || n < p.Prompt { // one that went on read it again
			p.Prompt = n
		}
	}
	start := time.Now()
	base := r.Options
	r.Options.Selector, q.Progress = Greedy, nil
	greedy, err := r.whole(ctx, q)
	if err != nil {
		return err
	}
	// Asked first, it would have had the prompt to process.
	prompt := max(0, sampled.Samples[0].Usage.PromptTime-greedy.Samples[0].Usage.PromptTime)
	g := recorded(greedy.Samples[0], time.Since(start)+prompt)
	p.Greedy = &g
	if r.Options = base; explore {
		if err := r.recordFindings(ctx, q, p); err != nil {
			return err
		}
		if len(p.Explored) > 0 {
			p.Explored[0].MS += model.Milliseconds(prompt) // as for the greedy one
		}
	}
	if p.Ungraded {
		return nil
	}
	one := &Record{Wanted: rec.Wanted, Pools: []RecordedPool{*p}}
	candidates, err := one.candidates(ctx, q)
	if err != nil {
		return err
	}
	for i := range rec.Views {
		if err := r.recordScores(ctx, candidates, &rec.Views[i]); err != nil {
			return err
		}
	}
	return nil
}

// recordFindings explores one context.
func (r Ranker) recordFindings(ctx context.Context, q Request, p *RecordedPool) error {
	r.Options.Explore = true
	run, err := r.begin(q)
	if err != nil {
		return err
	}
	run.findings = func(ctx context.Context, prompt model.Prompt) iter.Seq2[finding, error] {
		return func(yield func(finding, error) bool) {
			last := time.Now()
			for f, err := range run.followed(ctx, prompt) {
				if err == nil {
					p.Explored = append(p.Explored, RecordedFinding{
						RecordedSample: recorded(f.Path, time.Since(last)), Requests: f.Path.Usage.Requests,
						Lines: f.Lines, Rest: f.Rest, Largest: f.Largest,
					})
				}
				if !yield(f, err) {
					return
				}
				last = time.Now()
			}
		}
	}
	if err := run.decide(ctx); err != nil {
		return err
	}
	return ctx.Err()
}

// whole is the one pool of q, to its last sample.
func (r Ranker) whole(ctx context.Context, q Request) (Pool, error) {
	d, err := r.Decide(ctx, q)
	if err == nil && !(len(d.Pools) == 1 && d.Pools[0].Complete()) {
		err = errors.Join(errors.New("rank: record: fewer samples than wanted"), ctx.Err())
	}
	if err != nil {
		return Pool{}, err
	}
	return d.Pools[0], nil
}

func recorded(s model.Sample, took time.Duration) RecordedSample {
	return RecordedSample{s.Text, s.Stopped, s.Usage.Generated, model.Milliseconds(took)}
}

// recordScores grades the candidates that are new.
func (r Ranker) recordScores(ctx context.Context, cs []Candidate, v *RecordedView) error {
	if r.Scorer == nil || blank(v.Right) {
		return nil
	}
	var pairs []model.Pair
	var texts []string
	for _, c := range cs {
		if v.score(c.Text) == nil && !slices.Contains(texts, c.Text) {
			texts = append(texts, c.Text)
			pairs = append(pairs, model.Pair{Prefix: v.Left + c.Text, Continuation: v.Right})
		}
	}
	if len(pairs) == 0 {
		return nil
	}
	start := time.Now()
	scores, usage, err := r.Scorer.Score(ctx, pairs)
	if err == nil && len(scores) != len(pairs) {
		err = fmt.Errorf("the model gave %d for %d candidates", len(scores), len(pairs))
	}
	if err != nil {
		return fmt.Errorf("rank: record scores: %w", err)
	}
	v.Scores = append(v.Scores, r.recordedScores(texts, scores, usage, time.Since(start))...)
	if r.Options.Grade != Bayes || r.Filler == nil {
		return nil
	}
	run := &decision{Ranker: r, left: v.Left, right: v.Right}
	start = time.Now()
	if scores, err = run.bayes(ctx, withTexts(texts)); err != nil {
		return fmt.Errorf("rank: record scores by Bayes: %w", err)
	}
	v.Bayes = append(v.Bayes, r.recordedScores(texts, scores, run.d.Usage, time.Since(start))...)
	return nil
}

func withTexts(texts []string) []Candidate {
	cs := make([]Candidate, len(texts))
	for i, text := range texts {
		cs[i].Text = text
	}
	return cs
}

// recordedScores share what they cost.
func (r Ranker) recordedScores(texts []string, scores []model.Likelihood, u model.Usage, took time.Duration) []RecordedScore {
	n := float64(len(scores))
	each := Cost{model.Milliseconds(took) / n, float64(u.Requests) / n, float64(u.Generated) / n}
	var out []RecordedScore
	for i, s := range scores {
		one := RecordedScore{Text: texts[i], Exact: s.Exact, Tokens: r.tokens(texts[i]), Cost: each}
		if x := s.LogProb; !math.IsNaN(x) && !math.IsInf(x, 0) {
			one.LogProb = &x
		}
		out = append(out, one)
	}
	return out
}

func (v *RecordedView) score(text string) *RecordedScore { return scoreOf(v.Scores, text) }

func scoreOf(scores []RecordedScore, text string) *RecordedScore {
	i := slices.IndexFunc(scores, func(s RecordedScore) bool { return s.Text == text })
	if i < 0 {
		return nil
	}
	return &scores[i]
}
