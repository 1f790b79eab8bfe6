package allocate

import (
	"cmp"
	"math"
	"path"
	"slices"
	"strings"

	"readahead/index"
	"readahead/index/facts"
)

// An arrangement is a complete answer: who holds the positions, and what each
// shows.
type arrangement struct {
	ranking
	choice
	slots  []Slot
	text   string
	tokens int
}

// arrange chooses, keeps, fits and renders by the rules of p.
func (p Policy) arrange(r Request, q query, ranked ranking, o Options) arrangement {
	a := arrangement{ranking: ranked, choice: p.choose(ranked, q, o).extend(r, ranked, o)}
	if p.merges && o.Previous != nil {
		a.choice = keep(ranked, a.choice, o.Previous, r.Tokens, o)
		ranked = ranked.keepWindows(a.picks, o.Margin)
		a.ranking = ranked
	}
	candidates := make([]int, len(a.picks))
	for i, k := range a.picks {
		candidates[i] = k.candidate
	}
	views := ranked.viewsOf(candidates)
	pages, limits := make([]page, len(a.picks)), make([]int, len(a.picks))
	for i, k := range a.picks {
		fresh := p.page(r, q, *ranked.view(k.candidate), views[i])
		if whole, ok := fresh.(*objectPage); ok && p.gathers {
			whole.members = ranked.members(k.candidate, candidates)
		}
		limits[i] = o.limit(k.role, fresh.demand())
		pages[i] = keepPage(fresh, ranked, k, r.Tokens, o.Margin)
	}
	a.slots, a.text, a.tokens = layOut(pages, limits, r.Tokens, o)
	for i, k := range a.picks {
		s, v := &a.slots[i], ranked.view(k.candidate)
		s.Object, s.Representative, s.Views = v.Object, *v, views[i]
		s.Rank, s.Role, s.Why, s.Kept = ranked.rank[k.candidate], k.role, k.why, k.last != nil
	}
	return a
}

// members are the lines of candidate c's object that its place should go to if it
// has no room for all, the most deserving first: the parts that retrieval names, or
// where it names none, the candidates within it. A part may hold a position of its
// own; if it is shown here, that position is free again (uncover).
func (r ranking) members(c int, picked []int) []span {
	v := r.view(c)
	if len(v.Parts) == 0 || isView(v.Object) {
		return r.within(c, picked)
	}
	lines, first := evidence(v), extent(v)[0]
	var out []span
	deserves := map[span]float64{}
	for _, p := range v.Parts {
		if s := (span{p.Line - first, p.EndLine - first + 1}); 0 < s.from && s.from < s.to && s.to <= len(lines) {
			out = append(out, s)
			deserves[s] = p.Score / math.Sqrt(float64(partOverhead+length(lines[s.from:s.to])))
		}
	}
	slices.SortStableFunc(out, func(a, b span) int { return cmp.Compare(deserves[b], deserves[a]) })
	return out
}

// partOverhead is what a part costs beside its own bytes, in bytes: the marks
// before and behind it. Probability is weighed against the square root of the length,
// since by length itself a class is shown as its one-line properties, and by
// probability alone as two long methods. On the development tasks 28 lines lost their member
// so, 31 by length, and 33 by probability.
const partOverhead = 100

// length is that of lines in bytes, without their indentation, which is a token.
func length(lines []string) int {
	n := 0
	for _, l := range lines {
		n += len(strings.TrimSpace(l)) + 1
	}
	return n
}

// within lists the candidates without a position that are parts of the body of
// candidate c, strongest first, as lines of c's object.
func (r ranking) within(c int, picked []int) []span {
	holder := r.view(c).Object
	if isView(holder) {
		return nil
	}
	var out []span
	of := extent(r.view(c))
	for part := range r.best {
		if r.path[part] != r.path[c] || isView(r.view(part).Object) || slices.Contains(picked, part) {
			continue
		}
		if e := extent(r.view(part)); of[0] < e[0] && e[1] <= of[1] {
			out = append(out, span{e[0] - of[0], e[1] - of[0] + 1})
		}
	}
	return out
}

// uncover frees the positions of objects of which another position shows every
// line anyway: a method whose class stands there whole, two variables of one
// declaration. VITAL-RAG gives both a position; the model would read the same
// lines twice. If in the end a covered object would not be shown after all,
// because the budget fell out differently, a stays as it was.
//
// hidden says for each candidate left out who shows it, by rank.
func (p Policy) uncover(r Request, q query, a arrangement, o Options) (b arrangement, hidden map[int]string) {
	b, hidden = a, map[int]string{}
	for {
		covers := b.covers()
		if !slices.ContainsFunc(b.picks, func(k pick) bool { return covers[k.candidate] != nil }) {
			break
		}
		for c, by := range covers {
			hidden[b.rank[c]] = by.Object.Name
		}
		b = p.arrange(r, q, b.without(func(c int) bool { return covers[c] != nil }), o)
	}
	for c, rank := range a.rank {
		if _, ok := hidden[rank]; ok && !slices.ContainsFunc(b.slots, func(s Slot) bool { return shows(&s, a.view(c)) }) {
			return a, nil
		}
	}
	return b, hidden
}

// covers maps each candidate whose every line is shown in the position of
// another to that position. Of two with the same lines the weaker is covered.
func (a arrangement) covers() map[int]*Slot {
	out := map[int]*Slot{}
	for i := range a.slots {
		s, holder := &a.slots[i], a.picks[i].candidate
		for c := range a.best {
			if c == holder || a.path[c] != a.path[holder] || out[c] != nil || !shows(s, a.view(c)) {
				continue
			}
			if holder < c || extent(a.view(c)) != extent(a.view(holder)) {
				out[c] = s
			}
		}
	}
	return out
}

// shows reports whether every line that v's object could show stands in s.
func shows(s *Slot, v *index.View) bool {
	if path.Clean(v.Object.Path) != path.Clean(s.Object.Path) {
		return false
	}
	e := extent(v)
	inside := func(l [2]int) bool { return l[0] <= e[0] && e[1] <= l[1] }
	return e[0] > 0 && slices.ContainsFunc(s.Lines, inside) &&
		strings.Contains(s.Text, strings.Join(evidence(v), "\n")+"\n")
}

// extent is the first and last line, as numbered in the file, of what v's
// object could show.
func extent(v *index.View) [2]int {
	if isView(v.Object) {
		return [2]int{v.Line, v.Line + strings.Count(strings.TrimSuffix(v.Text, "\n"), "\n")}
	}
	o := v.Object
	return [2]int{o.Line, o.Line + strings.Count(strings.TrimSuffix(o.Source, "\n"), "\n")}
}

// evidence is the lines that v's object could show.
func evidence(v *index.View) []string {
	if isView(v.Object) {
		return splitLines(v.Text)
	}
	return splitLines(v.Object.Indent + v.Object.Source)
}

// isView reports whether a view is all that can be shown of o, since its source
// is the whole file or not known.
func isView(o *index.Object) bool { return o.Kind == facts.Module || o.Source == "" }

// sameCode reports whether two states of an object would be shown alike.
func sameCode(a, b *index.Object) bool {
	return a.Path == b.Path && a.Source == b.Source && a.Indent == b.Indent && a.Outer == b.Outer && isView(a) == isView(b)
}
