package embedded

import (
	"math"
	"slices"
	"testing"

	"readahead/model"
)

func train(t testing.TB, files ...File) *Model {
	t.Helper()
	m := New(DefaultOptions())
	if _, err := m.Train(t.Context(), slices.Values(files)); err != nil {
		t.Fatal(err)
	}
	return m
}

func TestProbabilitiesSumToOne(t *testing.T) {
	m := train(t, File{"a.go", "go", "func f(x int) {\n\treturn x + 1\n}\n"}, File{"b.go", "go", "func g(x int) {\n\treturn f(x, y)\n}\n"})
	s := m.now().session()
	s.evidence("func h(z int)")
	s.text("package p\nfunc k() {\n\treturn f(")
	for i := 0; i < 3; i++ {
		s.read()
		sum, each := 0.0, 0.0
		for u, x := range s.all() {
			sum += x
			p := s.prob(unit(u))
			if s.known(unit(u).word()) {
				each += p
			}
			if math.Abs(p-x) > 1e-12 {
				t.Errorf("unit %d: prob %g, all %g", u, p, x)
			}
		}
		if math.Abs(sum-1) > 1e-9 || math.Abs(each-1) > 1e-9 {
			t.Fatal(sum, each)
		}
		s.follow(s.unit(lexeme{text: "x"}))
	}
}

func TestSample(t *testing.T) {
	m := train(t, File{"a.go", "go", "func f(x int) {\n\tfmt.Println(x)\n\treturn x + 1\n}\n"}, File{"b.go", "go", "func g(x int) {\n\treturn f(x, y)\n}\n"})
	for _, temp := range []float64{0, 0.8} {
		n := 0
		for s, err := range m.Model().Generator.Samples(t.Context(), model.Prompt{Left: "func g(x int) {\n\tfmt.Pri"}, model.Options{Temperature: temp, Stop: []string{"\n"}, TopP: 0.95}) {
			if err != nil {
				t.Fatal(err)
			}
			ls, _, err := m.Model().Scorer.Score(t.Context(), []model.Pair{{Prefix: "func g(x int) {\n\tfmt.Pri", Continuation: s.Text}})
			if err != nil {
				t.Fatal(err)
			}
			sum := 0.0
			for _, x := range s.Tokens {
				sum += x.LogProb
			}
			t.Logf("%q %v %.5f %.5f", s.Text, s.Stopped, sum, ls[0].LogProb)
			if n++; n > 4 {
				break
			}
		}
	}
}
