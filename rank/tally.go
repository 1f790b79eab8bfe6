package rank

import (
	"cmp"
	"fmt"
	"slices"
)

// A tally counts samples that would insert the same code, and knows when
// drawing more of them could no longer change the outcome.
//
// The outcome is which pool is routed to and which candidate it emits, as it
// would be after all N samples. It is decided early in two cases only:
//
//	beaten   even if every sample to come agreed with the leader, this pool
//	         would not agree more than one drawn before it, and ties keep the
//	         earlier one: nothing of this pool can be emitted.
//	settled  this pool is certain to be routed to, nobody can overtake its
//	         leader, and the leader is what will be emitted: either its votes
//	         reach θ already, or votes alone decide.
//
// There is no third. Where the likelihood decides (τ ≤ a < θ) a candidate not
// yet drawn may win, so every sample counts; and a primary pool that is certain
// to stay below τ must still be drawn out, since the alternative is compared
// with its final agreement and it may yet win.
//
// The routing that follows reads a = votes over the samples drawn, though the
// gates were decided over N. That is sound: with N−n samples missing,
// lead/N ≤ lead/n ≤ (lead+N−n)/N, so what holds for the bound holds for a.
type tally struct {
	wanted int // N
	drawn  int
	blank  int         // drawn, without a candidate
	lines  []Candidate // in the order first drawn; Votes counts
	forms  []string    // of lines
}

// add counts one sample that would insert line.
func (t *tally) add(form string, line Candidate) {
	t.drawn++
	i := slices.Index(t.forms, form)
	if i < 0 {
		i = len(t.forms)
		t.forms = append(t.forms, form)
		t.lines = append(t.lines, line)
	}
	t.lines[i].Votes++
}

// addBlank counts one sample without a line of code.
func (t *tally) addBlank() { t.drawn++; t.blank++ }

// lead is the index of the modal candidate and its votes; the one drawn first
// if several have as many, and -1 if there is none.
func (t *tally) lead() (int, int) {
	at, most := -1, 0
	for i, c := range t.lines {
		if c.Votes > most {
			at, most = i, c.Votes
		}
	}
	return at, most
}

// share is a vote count as a share. Division of small integers is rounded
// correctly, so 8 of 10 is the same float64 as the literal 0.8.
func share(votes, of int) float64 {
	if of == 0 {
		return 0
	}
	return float64(votes) / float64(of)
}

// gates are what the outcome of one pool depends on beside its samples.
type gates struct {
	tau    float64
	theta  float64
	best   float64 // the agreement that this pool has to exceed; 0 for the first
	last   bool    // no further context would be consulted
	verify bool    // below θ the likelihood decides, not the votes
}

// decided says why further samples can't change the outcome; "" while they can.
func (t *tally) decided(g gates) string {
	lead, votes := t.lead()
	left := t.wanted - t.drawn
	if most := share(votes+left, t.wanted); most <= g.best {
		return fmt.Sprintf("beaten: agreement can't exceed %.2f, an earlier context has %.2f", most, g.best)
	}
	certain := share(votes, t.wanted)
	routed := certain > g.best && (certain >= g.tau || g.last)
	if !routed || !t.settled(lead, votes, left) {
		return ""
	}
	switch {
	case !g.verify:
		return fmt.Sprintf("settled: no line can overtake one with %d votes", votes)
	case certain >= g.theta:
		return fmt.Sprintf("settled: %d of %d samples agree already", votes, t.wanted)
	}
	return ""
}

// settled reports whether the leader stays the modal candidate whatever comes.
// The hardest case is that all that comes goes to one rival, which overtakes
// with more votes, or with as many if it was drawn earlier. A line not seen yet
// is a rival without votes that is drawn later than all.
func (t *tally) settled(lead, votes, left int) bool {
	if left > votes {
		return false
	}
	for i, c := range t.lines {
		if i != lead && (c.Votes+left > votes || c.Votes+left == votes && i < lead) {
			return false
		}
	}
	return true
}

// candidates are the distinct lines, most votes first, then first drawn.
func (t *tally) candidates() []Candidate {
	out := make([]Candidate, len(t.lines))
	for i, c := range t.lines {
		c.Share = share(c.Votes, t.drawn)
		out[i] = c
	}
	slices.SortStableFunc(out, func(a, b Candidate) int { return cmp.Compare(b.Votes, a.Votes) })
	return out
}
