package rank

import (
	"cmp"
	"context"
	"errors"
	"fmt"
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
//
// In a race X̃_r is read in pieces, each as long as all before it, and after
// each the worse half of the candidates is out, but for two: log P(uv|x) is
// log P(u|x) + log P(v|xu), so a piece adds to what is known. Of eight
// candidates it reads three eighths as much.
func (r *decision) score(ctx context.Context, p *Pool) {
	start := time.Now()
	defer func() { r.d.Took.Score += time.Since(start) }()
	p.Candidates = slices.Clone(p.Candidates) // Progress gave them away
	running, read := p.Candidates, ""
	if n := r.o.Graded; n > 0 && n < len(running) {
		running = running[:n]
		r.skip("scores: not of the %d least probable candidates", len(p.Candidates)-n)
	}
	for i, next := range r.pieces(len(running)) {
		if i > 0 {
			if running = survivors(running); len(running) < 2 {
				return
			}
		}
		scores, err := r.grade(ctx, running, read, next)
		switch {
		case err != nil && ctx.Err() != nil:
			r.skip("scores: %s", noTime)
		case err != nil:
			r.skip("scores: %v", err)
		case r.attach(running, scores, i > 0):
			r.d.Rule = string(r.o.Selector)
			blend(running, r.o.weight())
		default:
			err = errNoScore
		}
		if err != nil {
			return
		}
		read += next
	}
}

// survivors are the better half of cs, or two; what has no score is out. The
// others stay behind them.
func survivors(cs []Candidate) []Candidate {
	unscored := func(c Candidate) int {
		if c.Reverse == nil {
			return 1
		}
		return 0
	}
	slices.SortStableFunc(cs, func(a, b Candidate) int { return unscored(a) - unscored(b) })
	cs = cs[:max(2, (len(cs)+1)/2)]
	for len(cs) > 0 && cs[len(cs)-1].Reverse == nil {
		cs = cs[:len(cs)-1]
	}
	return cs
}

// errNoScore ends a race in which nothing is known of any candidate.
var errNoScore = errors.New("no score is a number")

// firstPiece is how many tokens the first piece of a race has.
const firstPiece = 16

// pieces are the parts of X̃_r in the order in which n candidates are graded by
// them.
func (r *decision) pieces(n int) []string {
	if r.o.Grade != Race || n <= 2 {
		return []string{r.right}
	}
	var out []string
	read := 0
	for limit := firstPiece; limit < r.o.RightTokens; limit *= 2 {
		if next := r.beginning(limit); len(next) > read && !blank(next[read:]) {
			out = append(out, next[read:])
			read = len(next)
		}
	}
	if read < len(r.right) {
		out = append(out, r.right[read:])
	}
	return out
}

// beginning is X̃_r as it would be with a limit of fewer tokens.
func (r *decision) beginning(limit int) string {
	if r.recorded != nil {
		return r.recorded(limit)
	}
	return rightView(r.right, limit, r.tokens)
}

// grade asks how probable next is behind each candidate and what was read of
// X̃_r already.
func (r *decision) grade(ctx context.Context, cs []Candidate, read, next string) ([]model.Likelihood, error) {
	if r.o.Grade == Bayes && r.Filler != nil {
		return r.bayes(ctx, cs)
	}
	pairs := make([]model.Pair, len(cs))
	for i, c := range cs {
		pairs[i] = model.Pair{Prefix: r.left + c.Text + read, Continuation: next}
	}
	scores, usage, err := r.Scorer.Score(ctx, pairs)
	r.d.Usage = r.d.Usage.Plus(usage)
	if err == nil && len(scores) != len(pairs) {
		err = fmt.Errorf("the model gave %d for %d candidates", len(scores), len(pairs))
	}
	return scores, err
}

// bayes asks how probable each candidate is between both sides, and behind the
// left one alone.
func (r *decision) bayes(ctx context.Context, cs []Candidate) ([]model.Likelihood, error) {
	gaps, pairs := make([]model.Gap, len(cs)), make([]model.Pair, len(cs))
	for i, c := range cs {
		gaps[i] = model.Gap{Left: r.left, Middle: c.Text, Right: r.right}
		pairs[i] = model.Pair{Prefix: r.left, Continuation: c.Text}
	}
	between, usage, err := r.Filler.Fill(ctx, gaps)
	r.d.Usage = r.d.Usage.Plus(usage)
	if err != nil {
		return nil, err
	}
	behind, usage, err := r.Scorer.Score(ctx, pairs)
	r.d.Usage = r.d.Usage.Plus(usage)
	if err != nil {
		return nil, err
	}
	if len(between) != len(cs) || len(behind) != len(cs) {
		return nil, fmt.Errorf("the model gave %d and %d for %d candidates", len(between), len(behind), len(cs))
	}
	out := make([]model.Likelihood, len(cs))
	for i := range out {
		out[i].LogProb = between[i].LogProb - behind[i].LogProb
	}
	return out, nil
}

// attach notes the scores that are numbers, or adds them to those of earlier
// pieces, and reports whether any is.
func (r *decision) attach(cs []Candidate, scores []model.Likelihood, more bool) bool {
	some := false
	for i := range scores {
		x, before := scores[i].LogProb, cs[i].Reverse
		if math.IsNaN(x) || math.IsInf(x, 0) {
			r.skip("score of %q: the model gave %v", cs[i].Text, x)
			cs[i].Reverse = nil
			continue
		}
		if more {
			scores[i] = model.Likelihood{LogProb: before.LogProb + x, Tokens: slices.Concat(before.Tokens, scores[i].Tokens), Exact: before.Exact && scores[i].Exact}
		}
		cs[i].Reverse = &scores[i]
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
