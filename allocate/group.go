package allocate

import (
	"path"
	"strings"

	"readahead/index"
)

// A ranking is the views of a request divided into candidates, each standing
// for one claim on a position. Candidates are numbered in ≻_q, the order of
// their strongest views; scores are inherited from that view and never summed
// (eq. 2), so the number of views buys nothing.
type ranking struct {
	views []index.View
	best  []int    // candidate → its strongest view
	of    []int    // view → its candidate; -1 for a view without an object or of one left out
	rank  []int    // candidate → its place among all, from 1
	path  []string // candidate → its normalised source path, π
}

// groupBy makes views with the same key one candidate. Views come strongest
// first, so the first view with a key is the one that represents it.
func groupBy(views []index.View, key func(*index.View) string) ranking {
	r := ranking{views: views, of: make([]int, len(views))}
	seen := make(map[string]int, len(views))
	for i := range views {
		if views[i].Object == nil {
			r.of[i] = -1
			continue
		}
		k := key(&views[i])
		c, ok := seen[k]
		if !ok {
			c = r.add(i)
			seen[k] = c
		}
		r.of[i] = c
	}
	return r
}

// add makes view i the strongest of a new candidate.
func (r *ranking) add(i int) (candidate int) {
	r.best = append(r.best, i)
	r.rank = append(r.rank, len(r.best))
	r.path = append(r.path, path.Clean(r.views[i].Object.Path))
	return len(r.best) - 1
}

// without is r with some of its candidates left out. The others keep their
// ranks but are numbered anew.
func (r ranking) without(leave func(candidate int) bool) ranking {
	out := ranking{views: r.views, of: make([]int, len(r.of))}
	renumbered := make([]int, len(r.best))
	for c, best := range r.best {
		renumbered[c] = -1
		if !leave(c) {
			renumbered[c] = len(out.best)
			out.best = append(out.best, best)
			out.rank = append(out.rank, r.rank[c])
			out.path = append(out.path, r.path[c])
		}
	}
	for i, c := range r.of {
		out.of[i] = -1
		if c >= 0 {
			out.of[i] = renumbered[c]
		}
	}
	return out
}

// byObject is the quotient of VITAL-RAG §5.2.
func byObject(views []index.View) ranking {
	return groupBy(views, func(v *index.View) string { return keyOf(v.Object) })
}

// bySurface merges views with the same text, white space aside: the exact
// deduplication of VITAL-RAG Table 2.
func bySurface(views []index.View) ranking {
	return groupBy(views, func(v *index.View) string { return strings.Join(strings.Fields(v.Text), " ") })
}

// eachView lets every view claim a position: no quotient.
func eachView(views []index.View) ranking {
	r := ranking{views: views, of: make([]int, len(views))}
	for i := range views {
		r.of[i] = -1
		if views[i].Object != nil {
			r.of[i] = r.add(i)
		}
	}
	return r
}

// keyOf is the provenance adapter g_I: the symbol ID, which sites of one object
// in several files share. Without one it is the paper's own adapter, path and
// case-folded name.
func keyOf(o *index.Object) string {
	if o.ID != "" {
		return string(o.ID)
	}
	return path.Clean(o.Path) + "\x00" + strings.ToLower(o.Name)
}

// view is the strongest view v* of candidate c.
func (r ranking) view(c int) *index.View { return &r.views[r.best[c]] }

// viewsOf lists the views of each of the candidates cs, strongest first.
func (r ranking) viewsOf(cs []int) [][]index.View {
	place := make(map[int]int, len(cs))
	for i, c := range cs {
		place[c] = i
	}
	out := make([][]index.View, len(cs))
	for i, c := range r.of {
		if p, ok := place[c]; ok {
			out[p] = append(out[p], r.views[i])
		}
	}
	return out
}
