package rank

import (
	"cmp"
	"fmt"
	"slices"
)

// Masses add up the probabilities of texts that would insert the same code, and
// know when following further ones could no longer change the outcome. They are
// to explore what a tally is to sample, with the unknown rest in the place of
// the samples to come.
type masses struct {
	wanted  int         // N: beginnings to follow at most
	lines   []Candidate // in the order found; Share is the mass
	forms   []string    // of lines
	rest    float64     // not known to be anything
	largest float64     // part of rest: the likeliest beginning
}

func (m *masses) add(form string, line Candidate) {
	i := slices.Index(m.forms, form)
	if i < 0 {
		m.forms, m.lines = append(m.forms, form), append(m.lines, line)
		return
	}
	m.lines[i].Share += line.Share
}

// lead are the masses of the likeliest line and of the one after it.
func (m *masses) lead() (first, second float64) {
	for _, l := range m.lines {
		if l.Share > first {
			first, second = l.Share, first
		} else {
			second = max(second, l.Share)
		}
	}
	return first, second
}

// decided says why following more can't change the outcome, or hardly; "" while
// it can.
func (m *masses) decided(g gates) string {
	if m.largest == 0 {
		return "" // nothing is left to follow anyway
	}
	first, second := m.lead()
	if most := first + m.rest; most <= g.best {
		return fmt.Sprintf("beaten: agreement can't exceed %.2f, an earlier context has %.2f", most, g.best)
	}
	routed := first > g.best && (first >= g.tau || g.last)
	settled := routed && first >= second+m.rest
	switch {
	case settled && !g.verify:
		return fmt.Sprintf("settled: no line can overtake one of probability %.2f", first)
	case settled && first >= g.theta:
		return fmt.Sprintf("settled: a line has probability %.2f", first)
	case m.largest < 0.5/float64(m.wanted):
		return fmt.Sprintf("known: what else could be said has probability %.2f at most", m.largest)
	}
	return ""
}

// fill writes the likeliest lines into p, as many as samples could have found.
func (m *masses) fill(p *Pool) {
	p.Candidates = slices.Clone(m.lines)
	slices.SortStableFunc(p.Candidates, func(a, b Candidate) int { return cmp.Compare(b.Share, a.Share) })
	p.Candidates = p.Candidates[:min(len(p.Candidates), m.wanted)]
	p.Unknown = m.rest
	p.Agreement, _ = m.lead()
}
