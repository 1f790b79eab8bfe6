package index

import (
	"fmt"
	"math"
	"os"
	"slices"
	"strings"
	"testing"
)

// An example is one task for fitting: the features of its candidates, and which
// of them hold the gold.
type example struct {
	repo, lang string
	x          []features
	gold       []bool
}

// fitPool is how many candidates of a task, by the current weights, take part.
const fitPool = 150

// TestFitWeights fits the weights in score.go: the softmax over a task's
// candidates should fall on those that hold the gold. It prints them as Go, and
// R@5 with each repository left out of the fit in turn. It is slow and run by
// hand: READAHEAD_FIT=1.
func TestFitWeights(t *testing.T) {
	if os.Getenv("READAHEAD_FIT") == "" {
		t.Skip("set READAHEAD_FIT=1, READAHEAD_TASKS and READAHEAD_SOURCES to fit the weights of structural retrieval")
	}
	var examples []example
	lost := 0
	eachTask(t, "xfile", func(one *task, s *Snapshot, q Query) {
		if e, ok := exampleOf(one, s, q); ok {
			examples = append(examples, e)
		} else {
			lost++
		}
	})
	repos := map[string]int{}
	for _, e := range examples {
		repos[e.repo]++
	}
	hits, first := 0, 0
	var names []string
	for r := range repos {
		names = append(names, r)
	}
	slices.Sort(names)
	for _, out := range names {
		w := fit(slices.DeleteFunc(slices.Clone(examples), func(e example) bool { return e.repo == out }))
		h, n := 0, 0
		for _, e := range examples {
			if e.repo == out {
				n++
				r := e.rank(&w)
				if r < 5 {
					h++
				}
				if r < 1 {
					first++
				}
			}
		}
		hits += h
		t.Logf("%-14s left out: R@5 %.1f of the tasks with gold among the candidates (%d)", out, 100*float64(h)/float64(n), n)
	}
	t.Logf("left out: R@1 %.1f R@5 %.1f of all %d tasks; gold not among candidates: %d", 100*float64(first)/float64(len(examples)+lost), 100*float64(hits)/float64(len(examples)+lost), len(examples)+lost, lost)
	w := fit(examples)
	within := 0
	for _, e := range examples {
		if e.rank(&w) < 5 {
			within++
		}
	}
	var b strings.Builder
	for i, v := range w {
		fmt.Fprintf(&b, "f%d: %.2f, ", i, v)
	}
	t.Logf("fitted on all: R@5 %.1f\n%s", 100*float64(within)/float64(len(examples)+lost), b.String())
}

func exampleOf(one *task, s *Snapshot, q Query) (example, bool) {
	x := s.prepare(q)
	if !x.self.parsed {
		return example{}, false
	}
	c := x.collect()
	c.rank()
	gold := one.Gold[0]
	e := example{repo: one.ID[:strings.Index(one.ID, "/xfile")], lang: one.Lang}
	smallest, at := math.MaxInt, -1
	texts := map[*file]*text{}
	for i, k := range c.order {
		if k.at.file.rel != gold.Path {
			continue
		}
		tx := texts[k.at.file]
		if tx == nil {
			var err error
			if tx, err = s.texts.of(k.at.file); err != nil {
				continue
			}
			texts[k.at.file] = tx
		}
		o := k.at.object()
		first, last := tx.line(o.whole.Start), tx.line(o.whole.End-1)
		if first <= gold.NameLine && gold.NameLine <= last && last-first < smallest {
			smallest, at = last-first, i
		}
	}
	if at < 0 {
		return e, false
	}
	for i, k := range c.order {
		if i < fitPool || i == at {
			e.x = append(e.x, k.x)
			e.gold = append(e.gold, i == at)
		}
	}
	return e, true
}

func dot(w, x *features) float64 {
	z := 0.0
	for i := range w {
		z += w[i] * x[i]
	}
	return z
}

// rank is how many candidates score at least as high as the gold.
func (e *example) rank(w *features) int {
	best := math.Inf(-1)
	for i := range e.x {
		if e.gold[i] {
			best = max(best, dot(w, &e.x[i]))
		}
	}
	n := 0
	for i := range e.x {
		if !e.gold[i] && dot(w, &e.x[i]) >= best {
			n++
		}
	}
	return n
}

// fit descends along the gradient (Adam) with a small pull towards zero.
func fit(examples []example) features {
	w := weights
	var m, v features
	const rate, decay = 0.05, 0.002
	for epoch := 1; epoch <= 250; epoch++ {
		var grad features
		for _, e := range examples {
			e.gradient(&w, &grad)
		}
		for i := range w {
			g := -grad[i]/float64(len(examples)) + decay*w[i]
			m[i] = 0.9*m[i] + 0.1*g
			v[i] = 0.99*v[i] + 0.01*g*g
			mh, vh := m[i]/(1-math.Pow(0.9, float64(epoch))), v[i]/(1-math.Pow(0.99, float64(epoch)))
			w[i] -= rate * mh / (math.Sqrt(vh) + 1e-8)
		}
	}
	return w
}

func (e *example) gradient(w, grad *features) {
	z := make([]float64, len(e.x))
	top := math.Inf(-1)
	for i := range e.x {
		z[i] = dot(w, &e.x[i])
		top = max(top, z[i])
	}
	sum, goldSum := 0.0, 0.0
	for i := range z {
		z[i] = math.Exp(z[i] - top)
		sum += z[i]
		if e.gold[i] {
			goldSum += z[i]
		}
	}
	for i := range z {
		g := -z[i] / sum
		if e.gold[i] {
			g += z[i] / goldSum
		}
		for j := range grad {
			grad[j] += g * e.x[i][j]
		}
	}
}
