package allocate

import (
	"slices"
	"strings"
)

// A pick is a candidate that got a position.
type pick struct {
	candidate int
	role      Role
	why       string
	last      *Slot // its position in Options.Previous; nil if it had none
}

// A choice is the outcome of choosing: who, in allocation order, and for the
// others the reason why not.
type choice struct {
	picks  []pick
	reason func(candidate int) string
}

// A chooser hands out at most o.Objects positions. However it chooses, it
// leaves no position empty while candidates remain: |A| = min(K, |E|).
type chooser func(r ranking, q query, o Options) choice

// Reasons of Portfolio.Dropped.
const (
	taken       = "all positions are taken, and it is in no file of the core"
	outranked   = "in a file of the core, but a stronger one has the companion's position"
	unrelated   = "in a file of the core, but shares no identifier with the query"
	beyond      = "all positions are taken"
	unworthy    = "not likely enough for the tokens that it would take"
	noObject    = "the view names no object"
	notThisTime = "ranks high enough, but beats no object of the last context by the margin"
	beaten      = "was in the last context, and a newcomer beats it by the margin"
)

// coreAndCompanions is the choice of VITAL-RAG §5.3: the K−c best candidates
// are the core, and the c positions that remain are offered to the strongest
// others that come from a file of the core and share an identifier with the
// query (eq. 3). Where there are too few, the best of the rest fill up.
//
// Ungated, any candidate from a file of the core will do, which is the paper's
// baseline Entity-First 4+1.
func coreAndCompanions(gated bool) chooser {
	return func(r ranking, q query, o Options) choice {
		n := len(r.best)
		k := min(o.Objects, n)
		core := min(max(0, o.Objects-o.Companions), n)

		ch := choice{picks: topCore(core)}
		paths := make(map[string]bool, core)
		for c := range core {
			paths[r.path[c]] = true
		}

		companions := map[int]bool{}
		last := core - 1 // the weakest candidate that was tested
		for c := core; c < n && len(ch.picks) < k; c++ {
			last = c
			if !paths[r.path[c]] {
				continue
			}
			shared := q.shared(r.view(c).Text)
			if gated && len(shared) == 0 {
				continue
			}
			companions[c] = true
			ch.picks = append(ch.picks, pick{c, Companion, companionWhy(shared), nil})
		}
		for c := core; c < n && len(ch.picks) < k; c++ {
			if !companions[c] {
				ch.picks = append(ch.picks, pick{c, Filler, "best of the rest: no companion in the files of the core", nil})
			}
		}
		ch.reason = func(c int) string {
			switch {
			case o.Companions <= 0:
				return beyond
			case !paths[r.path[c]]:
				return taken
			case c <= last:
				return unrelated
			default:
				return outranked
			}
		}
		return ch
	}
}

func topCore(n int) []pick {
	picks := make([]pick, n, n+2)
	for c := range picks {
		picks[c] = pick{c, Core, "one of the most relevant", nil}
	}
	return picks
}

func companionWhy(shared []string) string {
	const in = "in a file of the core"
	if len(shared) == 0 {
		return in
	}
	return in + ", shares " + strings.Join(shared[:min(3, len(shared))], ", ") + " with the query"
}

// A query is T(q), the identifiers of the query, without words that any two
// pieces of code share.
type query map[string]bool

func newQuery(terms []string) query {
	q := make(query, len(terms))
	for _, t := range terms {
		q[t] = true
	}
	for _, w := range commonWords {
		delete(q, w)
	}
	return q
}

// commonWords say nothing about what a line is about: keywords of the languages
// that the index knows, and the English of comments, which the paper's
// identifier-like tokens include. With "and" or "for" among the terms, every
// neighbour of the core would be a companion.
var commonWords = strings.Fields(`
	abstract as async await bool boolean break byte case catch chan char class const continue def default defer del do
	double elif else end enum except export extends false final finally float fn for foreach from func function global go
	if impl implements import in include int interface is lambda let long map match mod module mut namespace new nil not
	None null or override package pass private protected pub public raise range return self Self short static string struct super
	switch template this throw throws trait true True False try type typedef union unless unsafe use using var virtual void
	when where while with yield
	a an and any are at be been but by can does has have if it its no of on only should so such that the their then there these
	they to was were which will would you`)

// shared is T(q) ∩ T(text) without repetitions, in order of appearance.
func (q query) shared(text string) []string {
	var out []string
	for id := range identifiers(text) {
		if q[id] && !slices.Contains(out, id) {
			out = append(out, id)
		}
	}
	return out
}
