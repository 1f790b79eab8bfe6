package rank

import (
	"cmp"
	"context"
	"math"
	"slices"
	"time"

	"readahead/model"
)

// Rules that are no Selector's name.
const (
	ruleAgreement = "agreement"
	ruleVotes     = string(Votes)
)

// unverifiable says why no candidate can be scored, whatever the samples are;
// "" if they can.
func (r *decision) unverifiable() string {
	switch {
	case r.o.Selector == Votes || r.o.Selector == Greedy:
		return "the selector is " + string(r.o.Selector)
	case r.Scorer == nil:
		return "the model can't score"
	case blank(r.right):
		return "no code after the cursor"
	}
	return ""
}

// choose orders the routed pool's candidates, best first (§III-C). Unless the
// model may be asked, votes alone decide.
func (r *decision) choose(ctx context.Context, ask bool) {
	p := &r.d.Pools[r.d.Routed]
	r.d.Rule = ruleVotes
	why := r.unverifiable()
	switch {
	case r.o.Selector == Greedy:
		r.d.Rule = string(Greedy)
	case why != "":
		r.skip("scores: %s", why)
	case p.Agreement >= r.o.Theta && !p.interrupted:
		r.d.Rule = ruleAgreement
		r.skip("scores: not needed, agreement %.2f ≥ θ %.2f", p.Agreement, r.o.Theta)
	case len(p.Candidates) == 1:
		r.skip("scores: there is one candidate only")
	case !ask && ctx.Err() != nil:
		r.skip("scores: %s", noTime)
	case !ask:
		r.skip("scores: %s", afterError)
	default:
		r.score(ctx, p)
	}
}

// score asks for r_i = log P(X̃_r | X̃_l ⊕ c_i) of each distinct candidate (eq.
// 1) and takes the argmax of eq. 2. The texts are joined as the file would
// read: the right context begins with the rest of the cursor's line.
func (r *decision) score(ctx context.Context, p *Pool) {
	start := time.Now()
	pairs := make([]model.Pair, len(p.Candidates))
	for i, c := range p.Candidates {
		pairs[i] = model.Pair{Prefix: r.left + c.Text, Continuation: r.right}
	}
	scores, usage, err := r.Scorer.Score(ctx, pairs)
	r.d.Took.Score += time.Since(start)
	r.d.Usage = r.d.Usage.Plus(usage)
	switch {
	case err != nil && ctx.Err() != nil:
		r.skip("scores: %s", noTime)
	case err != nil:
		r.skip("scores: %v", err)
	case len(scores) != len(pairs):
		r.skip("scores: the model gave %d for %d candidates", len(scores), len(pairs))
	case r.attach(p, scores):
		r.d.Rule = string(r.o.Selector)
		blend(p.Candidates, r.o.weight())
	}
}

// attach notes the scores that are numbers, and reports whether any is.
func (r *decision) attach(p *Pool, scores []model.Likelihood) bool {
	some := false
	p.Candidates = slices.Clone(p.Candidates) // Progress gave them away
	for i := range scores {
		if x := scores[i].LogProb; math.IsNaN(x) || math.IsInf(x, 0) {
			r.skip("score of %q: the model gave %v", p.Candidates[i].Text, x)
			continue
		}
		p.Candidates[i].Reverse = &scores[i]
		some = true
	}
	return some
}

// blend orders candidates by weight·r̄ + (1−weight)·v̄ (eq. 2), then votes, then
// first drawn, which is the order they come in. A candidate without a score has
// r̄ = 0, the worst.
func blend(cs []Candidate, weight float64) {
	var scores, votes []float64
	for _, c := range cs {
		votes = append(votes, c.Share)
		if c.Reverse != nil {
			scores = append(scores, c.Reverse.LogProb)
		}
	}
	for i := range cs {
		b := (1 - weight) * minmax(votes, cs[i].Share)
		if cs[i].Reverse != nil {
			b += weight * minmax(scores, cs[i].Reverse.LogProb)
		}
		cs[i].Blend = b
	}
	slices.SortStableFunc(cs, func(a, b Candidate) int {
		return cmp.Or(cmp.Compare(b.Blend, a.Blend), cmp.Compare(b.Share, a.Share))
	})
}

// minmax is where x, one of xs, lies between the least and the greatest of them,
// from 0 to 1. If all are alike it is 0 for each, so that they tell nothing
// apart. Halving first keeps the difference of huge values finite.
func minmax(xs []float64, x float64) float64 {
	low, high := slices.Min(xs)/2, slices.Max(xs)/2
	if low == high {
		return 0
	}
	return (x/2 - low) / (high - low)
}
