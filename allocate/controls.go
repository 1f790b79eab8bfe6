package allocate

// The choosers of VITAL-RAG Table 2 that are not ours. Each works on candidates
// that are already distinct objects: the paper reports 4.42 authorities among
// five candidates for them, as for Canonical-5, and no choice among unmerged
// views gets there.

// topK gives the positions to the best candidates.
func topK(r ranking, _ query, o Options) choice {
	return choice{topCore(min(o.Objects, len(r.best))), func(int) string { return beyond }}
}

// fileQuota first takes candidates from files not seen before, then fills up
// with the deferred ones.
func fileQuota(r ranking, _ query, o Options) choice {
	ch := choice{reason: func(int) string { return beyond }}
	var deferred []pick
	seen := map[string]bool{}
	for c := range r.best {
		if len(ch.picks) == o.Objects {
			break
		}
		if p := r.path[c]; !seen[p] {
			seen[p] = true
			ch.picks = append(ch.picks, pick{c, Core, "best of its file", nil})
		} else {
			deferred = append(deferred, pick{c, Filler, "deferred: its file had a position", nil})
		}
	}
	ch.picks = append(ch.picks, deferred[:min(len(deferred), o.Objects-len(ch.picks))]...)
	return ch
}

// maximalMarginal takes, one after another, the candidate with the greatest
//
//	½·relevance − ½·max Jaccard similarity to one already taken
//
// (Carbonell and Goldstein 1998, with the paper's equal weights). Relevance is
// the score scaled to 0..1 over the candidates, or, where all score the same,
// the share of the query's identifiers that the view has.
func maximalMarginal(r ranking, q query, o Options) choice {
	ch := choice{reason: func(int) string { return beyond }}
	n := len(r.best)
	words, redundancy, taken := make([]map[string]bool, n), make([]float64, n), make([]bool, n)
	for c := range words {
		words[c] = map[string]bool{}
		for id := range identifiers(r.view(c).Text) {
			words[c][id] = true
		}
	}
	relevance := relevances(r, q, words)
	for len(ch.picks) < min(o.Objects, n) {
		best := -1
		for c := range n {
			if !taken[c] && (best < 0 || relevance[c]-redundancy[c] > relevance[best]-redundancy[best]) {
				best = c
			}
		}
		taken[best] = true
		ch.picks = append(ch.picks, pick{best, Core, "most relevant for how little it repeats", nil})
		for c := range n {
			redundancy[c] = max(redundancy[c], jaccard(words[c], words[best]))
		}
	}
	return ch
}

func relevances(r ranking, q query, words []map[string]bool) []float64 {
	out := make([]float64, len(words))
	low, high := 0.0, 0.0
	for c := range out {
		out[c] = r.view(c).Score
		if c == 0 {
			low, high = out[c], out[c]
		}
		low, high = min(low, out[c]), max(high, out[c])
	}
	for c := range out {
		if high > low {
			out[c] = (out[c] - low) / (high - low)
		} else {
			out[c] = float64(common(q, words[c])) / float64(max(1, len(q)))
		}
	}
	return out
}

// jaccard is the share of the words of a or b that both have, 0 if there are none.
func jaccard(a, b map[string]bool) float64 {
	both := common(a, b)
	return float64(both) / float64(max(1, len(a)+len(b)-both))
}

func common(a, b map[string]bool) int {
	n := 0
	for w := range a {
		if b[w] {
			n++
		}
	}
	return n
}
