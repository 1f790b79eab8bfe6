package allocate

import "readahead/index"

// extend adds a tail to a choice: every further candidate whose tokens are worth
// it, o.Worth being the least that one token must add to the probability that
// the model reads what the line needs.
//
// VITAL-RAG gives five objects up to 1,024 tokens each. Most of what is needed
// is smaller than that and ranks lower than fifth, and most of what fills 1,024
// tokens is a piece of a class that is not needed. Where retrieval's scores are
// probabilities, as the structural family's are, the knapsack answers how to
// divide tokens: a candidate is worth its score divided by its cost. What does
// not fit whole costs, and gets, only the floor: its descriptor and signature.
//
// The tail keeps the order of the ranking and stands behind the positions of
// the paper; it takes none of them, and no tokens that they ask for. A candidate that the last context
// showed stays until it is worth less than half of what a new one must be, so
// that the end of the context does not flicker.
func (ch choice) extend(r Request, ranked ranking, o Options) choice {
	if o.Worth <= 0 || len(ch.picks) == 0 {
		return ch
	}
	chosen := make(map[int]bool, len(ch.picks))
	used := 0
	for _, p := range ch.picks {
		chosen[p.candidate] = true
		used += cost(ranked.view(p.candidate), p.role, r.Tokens, o)
	}
	before := map[string]bool{}
	if o.Previous != nil {
		for i := range o.Previous.Slots {
			if s := &o.Previous.Slots[i]; s.Object != nil {
				before[keyOf(s.Object)] = true
			}
		}
	}
	// eq. 4 keeps a floor for everyone only while there is room for it.
	most := len(ranked.best)
	if o.Floor > 0 {
		most = o.Budget / o.Floor
	}
	for c := range ranked.best {
		v := ranked.view(c)
		if chosen[c] || v.Family != index.Structural || len(ch.picks) >= most {
			continue
		}
		least := o.Worth
		if before[keyOf(v.Object)] {
			least /= 2
		}
		n := cost(v, Tail, r.Tokens, o)
		if min(v.Score, 1) < least*float64(n) || used+n > o.Budget {
			continue
		}
		used += n
		chosen[c] = true
		ch.picks = append(ch.picks, pick{candidate: c, role: Tail, why: "likely enough for what it costs"})
	}
	reason := ch.reason
	ch.reason = func(c int) string {
		if ranked.view(c).Family == index.Structural {
			return unworthy
		}
		return reason(c)
	}
	return ch
}

// cost estimates what a candidate takes: its code, or an excerpt if that does
// not fit whole.
func cost(v *index.View, role Role, count func(string) int, o Options) int {
	code := v.Object.Source
	if isView(v.Object) {
		code = v.Text
	}
	n := count(code)
	return max(1, min(n, o.limit(role, n)))
}

// limit is the most that a position may show of a demand: the object's budget
// if all of it fits, else an excerpt.
func (o Options) limit(role Role, demand int) int {
	switch {
	case o.Excerpt <= 0 || demand <= o.ObjectBudget:
		return o.ObjectBudget
	case role == Tail:
		return min(o.ObjectBudget, o.Floor)
	}
	return min(o.ObjectBudget, o.Excerpt)
}
