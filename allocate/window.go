package allocate

import "sort"

// A span is a half-open range of line numbers, from 0.
type span struct{ from, to int }

func (s span) len() int { return s.to - s.from }

// largest is the largest run of lines around centre that fits, among lines 0 to
// n−1: first the widest that reaches equally far to both sides (as far as there
// are lines), then whatever more one side has room for, below before above.
// It is empty where not even the centre fits.
//
// fits must be monotone: a part of what fits, fits. The search asks it O(log n)
// times, and never about more than about twice what fits, so that a huge object
// costs no more than its share.
func largest(n, centre int, fits func(span) bool) span {
	around := func(r int) span { return span{max(0, centre-r), min(n, centre+r+1)} }
	if !fits(around(0)) {
		return span{centre, centre}
	}
	reach := extend(max(centre, n-1-centre), func(r int) bool { return fits(around(r)) })
	w := around(reach)
	below := extend(n-w.to, func(k int) bool { return fits(span{w.from, w.to + k}) })
	above := extend(w.from, func(k int) bool { return fits(span{w.from - k, w.to}) })
	if below >= above {
		return span{w.from, w.to + below}
	}
	return span{w.from - above, w.to}
}

// extend is the greatest k ≤ limit for which ok(k), given that ok(0). It doubles
// until it fails, then halves in between.
func extend(limit int, ok func(int) bool) int {
	good, step := 0, 1
	for good+step <= limit && ok(good+step) {
		good += step
		step *= 2
	}
	top := min(step, limit-good+1) // ok fails at good+top, or that is beyond limit
	return good + sort.Search(top-1, func(i int) bool { return !ok(good + i + 1) })
}

// joined is parts, which come in order and apart, with one more: still in order
// and apart.
func joined(parts []span, more span) []span {
	var out []span
	for _, s := range parts {
		switch {
		case s.to < more.from:
			out = append(out, s)
		case more.to < s.from:
			out = append(out, more)
			more = s
		default:
			more = span{min(s.from, more.from), max(s.to, more.to)}
		}
	}
	return append(out, more)
}
