package index

import (
	"bytes"
	"encoding/gob"
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
	ID, Repo, Lang string
	Mid            bool // cursor in mid-line
	X              []features
	Gold           []bool // the smallest candidate that holds the gold
	Holds          []bool // any that does
}

// fitPool is how many candidates of a task, by the current weights, take part.
const fitPool = 120

// TestFitWeights fits the weights in score.go: the softmax over a task's
// candidates should fall on those that hold the gold. It prints them as Go, and
// R@5 with a fifth of the repositories left out of the fit in turn. It is slow
// and run by hand: READAHEAD_FIT names a file that keeps the examples between
// runs.
func TestFitWeights(t *testing.T) {
	file := os.Getenv("READAHEAD_FIT")
	if file == "" {
		t.Skip("set READAHEAD_FIT to a file for the examples, READAHEAD_TASKS and READAHEAD_SOURCES, to fit the weights of structural retrieval")
	}
	examples := loadExamples(t, file)
	var repos []string
	for _, e := range examples {
		if !slices.Contains(repos, e.Repo) {
			repos = append(repos, e.Repo)
		}
	}
	const folds = 5
	left := map[string]*[3]int{} // tasks, R@1, R@5
	for fold := range folds {
		in := func(e example) bool { return slices.Index(repos, e.Repo)%folds == fold }
		w := fit(slices.DeleteFunc(slices.Clone(examples), in))
		for _, e := range examples {
			if in(e) {
				keys := []string{e.Repo, e.Lang, "all"}
				if e.Mid {
					keys = []string{"mid " + e.Lang, "mid"}
				}
				for _, key := range keys {
					if left[key] == nil {
						left[key] = new([3]int)
					}
					e.tally(&w, left[key])
				}
			}
		}
	}
	for key, n := range left {
		t.Logf("left out of the fit: %-12s %4d tasks, R@1 %.1f, R@5 %.1f", key, n[0], 100*float64(n[1])/float64(n[0]), 100*float64(n[2])/float64(n[0]))
	}
	w := fit(examples)
	var now, then [3]int
	for _, e := range examples {
		e.tally(&weights, &now)
		e.tally(&w, &then)
	}
	t.Logf("weights as they are: R@1 %.1f, R@5 %.1f; fitted on all: R@1 %.1f, R@5 %.1f", pct(now[1], now[0]), pct(now[2], now[0]), pct(then[1], then[0]), pct(then[2], then[0]))
	var b strings.Builder
	for i, v := range w {
		fmt.Fprintf(&b, "%d: %.2f, ", i, v)
	}
	t.Log(b.String())
}

func pct(part, all int) float64 { return 100 * float64(part) / float64(max(1, all)) }

func loadExamples(t *testing.T, file string) (examples []example) {
	if data, err := os.ReadFile(file); err == nil {
		if err := gob.NewDecoder(bytes.NewReader(data)).Decode(&examples); err != nil {
			t.Fatal(err)
		}
		return examples
	}
	eachTask(t, "xfile", func(one *task, s *Snapshot, q Query) {
		examples = append(examples, exampleOf(one, s, q))
		if one.TargetMid != "" {
			mid := one.inMidLine()
			e := exampleOf(&mid, s, mid.query(t, s.folders.paths[0]))
			e.Mid = true
			examples = append(examples, e)
		}
	})
	var b bytes.Buffer
	if err := gob.NewEncoder(&b).Encode(examples); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(file, b.Bytes(), 0o600); err != nil {
		t.Fatal(err)
	}
	return examples
}

// tally counts the example: n[0] tasks, n[1] with the gold first, n[2] in the
// first five. Gold that is no candidate is a miss.
func (e *example) tally(w *features, n *[3]int) {
	n[0]++
	r := e.rank(w)
	if r < 1 {
		n[1]++
	}
	if r < 5 {
		n[2]++
	}
}

func exampleOf(one *task, s *Snapshot, q Query) example {
	x := s.prepare(q)
	c := x.collect()
	defer c.release()
	d := c.describer()
	var order []*candidate
	for i := range c.list {
		order = append(order, &c.list[i])
	}
	slices.SortFunc(d.finish(order), candidatesInOrder)
	gold := one.Gold[0]
	e := example{ID: one.ID, Repo: one.ID[:strings.Index(one.ID, "/xfile")], Lang: one.Lang}
	smallest, at := math.MaxInt, -1
	holds := make([]bool, len(order))
	texts := map[*file]*text{}
	for i, k := range order {
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
		if first <= gold.NameLine && gold.NameLine <= last {
			holds[i] = true
			if last-first < smallest {
				smallest, at = last-first, i
			}
		}
	}
	for i, k := range order {
		if i < fitPool || i == at {
			f := d.features(k)
			d.describeUsage(k, &f)
			e.X = append(e.X, f)
			e.Gold = append(e.Gold, i == at)
			e.Holds = append(e.Holds, holds[i])
		}
	}
	return e
}

func dot(w, x *features) float64 {
	z := 0.0
	for i := range w {
		z += w[i] * x[i]
	}
	return z
}

// rank is how many candidates score at least as high as the best that holds the
// gold.
func (e *example) rank(w *features) int {
	best := math.Inf(-1)
	for i := range e.X {
		if e.Holds[i] {
			best = max(best, dot(w, &e.X[i]))
		}
	}
	n := 0
	for i := range e.X {
		if !e.Holds[i] && dot(w, &e.X[i]) >= best {
			n++
		}
	}
	if math.IsInf(best, -1) {
		return math.MaxInt
	}
	return n
}

// fit descends along the gradient (Adam) with a small pull towards zero.
func fit(examples []example) features {
	w := weights
	var m, v features
	const rate, decay = 0.05, 0.002
	for epoch := 1; epoch <= 150; epoch++ {
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
	z := make([]float64, len(e.X))
	top := math.Inf(-1)
	for i := range e.X {
		z[i] = dot(w, &e.X[i])
		top = max(top, z[i])
	}
	sum, goldSum := 0.0, 0.0
	for i := range z {
		z[i] = math.Exp(z[i] - top)
		sum += z[i]
		if e.Gold[i] {
			goldSum += z[i]
		}
	}
	if goldSum == 0 {
		return
	}
	for i := range z {
		g := -z[i] / sum
		if e.Gold[i] {
			g += z[i] / goldSum
		}
		for j := range grad {
			grad[j] += g * e.X[i][j]
		}
	}
}
