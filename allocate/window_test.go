package allocate

import (
	"math"
	"strings"
	"testing"

	"pgregory.net/rapid"
)

// better is the order that largest promises: reach to both sides, as far as
// there are lines, then length, then below before above.
func better(a, b span, n, centre int) bool {
	reach := func(s span) int {
		up, down := centre-s.from, s.to-1-centre
		if s.from == 0 {
			up = math.MaxInt
		}
		if s.to == n {
			down = math.MaxInt
		}
		return min(up, down)
	}
	if ra, rb := reach(a), reach(b); ra != rb {
		return ra > rb
	}
	if a.len() != b.len() {
		return a.len() > b.len()
	}
	return a.to > b.to
}

func exhaustive(n, centre int, fits func(span) bool) span {
	best := span{centre, centre}
	for from := 0; from <= centre; from++ {
		for to := centre + 1; to <= n; to++ {
			if s := (span{from, to}); fits(s) && (best.len() == 0 || better(s, best, n, centre)) {
				best = s
			}
		}
	}
	return best
}

func TestLargestWindow(t *testing.T) {
	for _, tc := range []struct {
		sentence string
		costs    []int
		centre   int
		budget   int
		want     span
	}{
		{"all if it fits", []int{1, 1, 1}, 1, 3, span{0, 3}},
		{"equally far to both sides", []int{1, 1, 1, 1, 1}, 2, 4, span{1, 5}},
		{"below before above", []int{2, 1, 2}, 1, 3, span{1, 3}},
		{"the longer side before the shorter", []int{1, 1, 1, 4, 1}, 2, 4, span{0, 3}},
		{"from the border only inwards", []int{1, 1, 1, 1}, 0, 3, span{0, 3}},
		{"nothing if the centre does not fit", []int{1, 9, 1}, 1, 8, span{1, 1}},
	} {
		fits := func(s span) bool {
			sum := 0
			for _, c := range tc.costs[s.from:s.to] {
				sum += c
			}
			return sum <= tc.budget
		}
		if got := largest(len(tc.costs), tc.centre, fits); got != tc.want {
			t.Errorf("%s: %v, want %v", tc.sentence, got, tc.want)
		}
	}
}

func TestLargestWindowIsTheBestOfAll(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		costs := rapid.SliceOfN(rapid.IntRange(0, 5), 1, 14).Draw(t, "costs")
		centre := rapid.IntRange(0, len(costs)-1).Draw(t, "centre")
		budget := rapid.IntRange(0, 40).Draw(t, "budget")
		fits := func(s span) bool {
			sum := 0
			for _, c := range costs[s.from:s.to] {
				sum += c
			}
			return sum <= budget
		}
		if got, want := largest(len(costs), centre, fits), exhaustive(len(costs), centre, fits); got != want {
			t.Fatalf("found %v, the largest is %v", got, want)
		}
	})
}

// The same against the text that is really rendered: signature, marks of what
// is missing, docstring and all. Every window is tried.
func TestRenderedWindowIsTheBestOfAll(t *testing.T) {
	for name, count := range counters {
		t.Run(name, rapid.MakeCheck(func(t *rapid.T) {
			doc := rapid.IntRange(0, 2).Draw(t, "doc")
			lines := []string{"def f():"}
			for range doc {
				lines = append(lines, "    words of documentation, quite many of them")
			}
			// No blank lines: a counter that takes them for nothing makes the mark of
			// what is missing dearer than what it stands for, and then a window one
			// line wider can be cheaper, which the search does not look for.
			line := rapid.SampledFrom([]string{"    x", "    x y", "    x y z u v w", "    a(b, c, d) e f g h i j k l m n o p q"})
			lines = append(lines, rapid.SliceOfN(line, 1, 12).Draw(t, "body")...)
			o := thing("f", "f.py", strings.Join(lines, "\n"))
			o.Lang, o.Doc = "py", strings.Join(lines[1:1+doc], "\n")
			v := body(o)
			p := newObjectPage(Request{Tokens: count, Lang: "py"}, nil, v, nil).(*objectPage)

			budget := rapid.IntRange(0, p.demand()).Draw(t, "budget")
			got, ok := p.window(budget)
			if !ok {
				return
			}
			_, before, _ := p.fitting(budget, p.show(p.head), p.descriptor+p.summary+p.outer, p.descriptor+p.outer, p.descriptor)
			show := func(w span) string { return before + p.show(p.head, p.inBody(w)).text }
			fits := func(w span) bool { return count(show(w)) <= budget }
			want := before + p.show(p.head).text
			if centre := focus(p.bodyLines(), nil, func(i int) bool { return fits(span{i, i + 1}) }); centre >= 0 {
				want = show(exhaustive(p.body.len(), centre, fits))
			}
			if got.text != want {
				t.Fatalf("in %d tokens\n%s\nbut the largest is\n%s", budget, got.text, want)
			}
		}))
	}
}

// The search looks at little more than fits, however long the object is.
func TestWindowSearchStaysNearTheWindow(t *testing.T) {
	const n, centre, fit = 1_000_000, 400_000, 50
	asked := 0
	got := largest(n, centre, func(s span) bool {
		asked++
		if s.len() > 4*fit {
			t.Fatalf("asked about %d lines where %d fit", s.len(), fit)
		}
		return s.len() <= fit
	})
	if got.len() != fit {
		t.Errorf("found %d lines, %d fit", got.len(), fit)
	}
	if asked > 40 {
		t.Errorf("asked %d times", asked)
	}
}
