package rank

import (
	"context"
	"crypto/sha256"
	"errors"
	"fmt"
	"math"
	"slices"
	"time"

	"readahead/model"
)

// A Record is all that a model says at one cursor: every sample of every
// context, and the likelihood of each distinct candidate. Whatever a Decision
// can depend on is in it, so that one pass of the model answers for every
// selector, order of contexts, number of samples, threshold and weight, over
// the very same samples:
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
	// Left and Right are what the scorer read beside a candidate.
	Left  string `json:"left"`
	Right string `json:"right"`
	// Scores are the likelihoods of Right, one for each distinct candidate of all
	// pools; empty if there is no code to read, nil if the model can't score.
	Scores []RecordedScore `json:"scores"`
}

// A RecordedPool is what one context gave.
type RecordedPool struct {
	Family string `json:"family"`
	// Context stands for the evidence: its hash, the same for the same text. Of
	// two pools with one Context only the first has samples.
	Context string           `json:"context"`
	Samples []RecordedSample `json:"samples"`
	Greedy  *RecordedSample  `json:"greedy,omitempty"` // the sample at temperature 0
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
	MS      float64  `json:"ms"` // its share of its pool's wall time
}

// Record draws all Options.Samples from every context and one sample at
// temperature 0, and scores all distinct candidates. Selector, Tau, Theta and
// Weight are for Record.Decide to say. An error, be it the model's or ctx's,
// leaves no Record: half of one would decide otherwise.
func (r Ranker) Record(ctx context.Context, q Request) (*Record, error) {
	r.Options.Selector, r.Options.Tau, r.Options.NeverStop = Votes, 0, true
	run, err := r.begin(q)
	if err != nil {
		return nil, err
	}
	rec := &Record{Wanted: run.o.Samples, Left: run.left, Right: run.right}
	if r.Scorer != nil {
		rec.Scores = []RecordedScore{}
	}
	for _, b := range q.Bases {
		p := RecordedPool{Family: b.Family, Context: standIn(b.Text)}
		if rec.pool(p.Context) == nil {
			err = r.record(ctx, q, b, rec, &p)
		}
		if err != nil {
			return nil, err
		}
		rec.Pools = append(rec.Pools, p)
	}
	return rec, nil
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
func (r Ranker) record(ctx context.Context, q Request, b Base, rec *Record, p *RecordedPool) error {
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
	}
	start := time.Now()
	r.Options.Selector, q.Progress = Greedy, nil
	greedy, err := r.whole(ctx, q)
	if err != nil {
		return err
	}
	// Asked first, it would have had the prompt to process.
	prompt := max(0, sampled.Samples[0].Usage.PromptTime-greedy.Samples[0].Usage.PromptTime)
	g := recorded(greedy.Samples[0], time.Since(start)+prompt)
	p.Greedy = &g
	return r.recordScores(ctx, sampled.Candidates, rec)
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
func (r Ranker) recordScores(ctx context.Context, cs []Candidate, rec *Record) error {
	if r.Scorer == nil || blank(rec.Right) {
		return nil
	}
	var pairs []model.Pair
	var texts []string
	for _, c := range cs {
		if rec.score(c.Text) == nil {
			texts = append(texts, c.Text)
			pairs = append(pairs, model.Pair{Prefix: rec.Left + c.Text, Continuation: rec.Right})
		}
	}
	if len(pairs) == 0 {
		return nil
	}
	start := time.Now()
	scores, _, err := r.Scorer.Score(ctx, pairs)
	if err == nil && len(scores) != len(pairs) {
		err = fmt.Errorf("the model gave %d for %d candidates", len(scores), len(pairs))
	}
	if err != nil {
		return fmt.Errorf("rank: record scores: %w", err)
	}
	each := model.Milliseconds(time.Since(start)) / float64(len(pairs))
	for i, s := range scores {
		one := RecordedScore{Text: texts[i], Exact: s.Exact, MS: each}
		if x := s.LogProb; !math.IsNaN(x) && !math.IsInf(x, 0) {
			one.LogProb = &x
		}
		rec.Scores = append(rec.Scores, one)
	}
	return nil
}

func (rec *Record) score(text string) *RecordedScore {
	i := slices.IndexFunc(rec.Scores, func(s RecordedScore) bool { return s.Text == text })
	if i < 0 {
		return nil
	}
	return &rec.Scores[i]
}
