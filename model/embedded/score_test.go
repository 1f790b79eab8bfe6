package embedded

import (
	"math"
	"slices"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"readahead/model"
)

// TestProbabilitiesSumToOne sums over every unit that can follow, at random
// places of random texts.
func TestProbabilitiesSumToOne(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		m := New(DefaultOptions())
		for _, path := range []string{"p", "q"}[:rapid.IntRange(0, 2).Draw(t, "files")] {
			m.Update(path, code.Draw(t, path))
		}
		s := m.now().session()
		s.evidence(code.Draw(t, "evidence"), 1<<20)
		s.text(code.Draw(t, "left"), 1<<20)
		s.read()
		sum, each := 0.0, 0.0
		for u, x := range s.all() {
			sum += x
			if p := s.prob(unit(u)); math.Abs(p-x) > 1e-12 {
				t.Fatalf("P(%q) is %g alone and %g among all", s.render(unit(u)), p, x)
			} else if s.known(unit(u).word()) {
				each += p
			}
		}
		if math.Abs(sum-1) > 1e-9 || math.Abs(each-1) > 1e-9 {
			t.Fatalf("all sum to %g, the known ones to %g", sum, each)
		}
	})
}

// TestContinuationsOfAWordSumToOne does the same behind an unfinished word: all
// words that start so, known or spelled.
func TestContinuationsOfAWordSumToOne(t *testing.T) {
	m := train(t, File{Path: "shop.go", Text: shop})
	for _, left := range []string{"fmt.Pri", "x ", "x :", "c.items", "", "}\n"} {
		s := m.now().session()
		s.text(left, 1<<20)
		s.read()
		q := slices.Clone(s.all())
		z := s.normaliser(q)
		sum := 0.0
		for u, x := range q {
			if w := unit(u).word(); x == 0 || w == unknown || !s.partial.continues(unit(u), s.render(unit(u))) {
				continue
			}
			sum += math.Exp(s.logProb(lexemeOf(s, unit(u)), z))
		}
		if s.partial.text == "" {
			sum += q[unknown.bare()] + q[unknown.bare()|1]
		} else if !s.partial.newline {
			spelled := q[unknown.bare()] * math.Exp(s.corpus.spelled().logProb(s.partial.text, false))
			if t, ok := strings.CutPrefix(s.partial.text, " "); ok {
				spelled += q[unknown.bare()|1] * math.Exp(s.corpus.spelled().logProb(t, false))
			}
			sum += spelled / z
		}
		if math.Abs(sum-1) > 1e-9 {
			t.Errorf("after %q: %g", left, sum)
		}
	}
}

func lexemeOf(s *session, u unit) lexeme {
	if w := u.word(); w < firstWord {
		return lexeme{special: w}
	}
	return lexeme{text: s.list.text(u.word()), spaced: u.spaced()}
}

// TestSpellingsSumToOne sums over all words of up to two bytes and the beginnings
// of all longer ones.
func TestSpellingsSumToOne(t *testing.T) {
	s := train(t, File{Path: "a", Text: "ab abc b x1"}).now().spelled()
	sum := math.Exp(s.logProb("", true))
	for a := range 256 {
		one := string([]byte{byte(a)})
		sum += math.Exp(s.logProb(one, true))
		for b := range 256 {
			sum += math.Exp(s.logProb(one+string([]byte{byte(b)}), false))
		}
	}
	if math.Abs(sum-1) > 1e-9 {
		t.Errorf("%g", sum)
	}
}

func TestTokensAddUpToTheWhole(t *testing.T) {
	m := train(t, File{Path: "shop.go", Text: shop})
	text := "\tfor _, it := range c.things {\n\t\tsum += it.Weight\n\t}\n"
	whole := score(t, m, "func f() {\n", text)
	sum, joined := 0.0, ""
	for _, x := range whole.Tokens {
		sum += x.LogProb
		joined += x.Text
	}
	if math.Abs(sum-whole.LogProb) > 1e-9 || joined != text || !whole.Exact {
		t.Errorf("tokens sum to %g over %q, the whole is %g", sum, joined, whole.LogProb)
	}
}

func TestACandidateRaisesTheCodeThatUsesIt(t *testing.T) {
	m := train(t, File{Path: "shop.go", Text: shop})
	right := "\n\tif discount > 0 {\n\t\tsum -= discount\n\t}\n"
	with := score(t, m, "func f() {\n\tdiscount := 1", right)
	without := score(t, m, "func f() {\n\tsum := 1", right)
	if with.LogProb <= without.LogProb {
		t.Errorf("%g with the name, %g without", with.LogProb, without.LogProb)
	}
}

// FuzzEveryTextHasAScore checks that any bytes have a finite log-probability, and
// that its tokens cover them.
func FuzzEveryTextHasAScore(f *testing.F) {
	m := train(f, File{Path: "shop.go", Text: shop})
	for _, s := range []string{"", "\n", "\r\n\t x", "\x00\xff", "unheard of", strings.Repeat("é", 99), "\n\n\n", "  ", "\r", "c.items"} {
		f.Add("func f", s)
		f.Add(s, shop[:50])
	}
	f.Fuzz(func(t *testing.T, prefix, text string) {
		l := score(t, m, prefix, text)
		if math.IsNaN(l.LogProb) || math.IsInf(l.LogProb, 0) || l.LogProb > 1e-9 {
			t.Fatalf("log P = %g", l.LogProb)
		}
		covered := ""
		for _, x := range l.Tokens {
			covered += x.Text
		}
		if covered != text {
			t.Fatalf("the tokens cover %q", covered)
		}
	})
}

func score(t testing.TB, m *Model, prefix, text string) model.Likelihood {
	t.Helper()
	l, usage, err := m.Model().Scorer.Score(t.Context(), []model.Pair{{Prefix: prefix, Continuation: text}})
	if err != nil || len(l) != 1 || usage.Requests != 1 {
		t.Fatalf("%d likelihoods, %+v, %v", len(l), usage, err)
	}
	return l[0]
}

// What fills a gap is as probable as it is to be drawn there, the end of its line
// included, and code behind the gap makes its own words more probable.
func TestAGapIsGradedAsItIsFilled(t *testing.T) {
	m := train(t, File{Path: "shop.go", Text: shop}).Model()
	left := "package shop\n\nfunc f(c *Cart) {\n\t"
	grade := func(g model.Gap) float64 {
		t.Helper()
		got, usage, err := m.Filler.Fill(t.Context(), []model.Gap{g})
		if err != nil || len(got) != 1 || !got[0].Exact || usage.Requests != 1 {
			t.Fatalf("%+v, %+v, %v", got, usage, err)
		}
		return got[0].LogProb
	}
	for _, right := range []string{"\n\t\treturn c.items\n}\n", "\n\t}\n}\n", ""} {
		p := model.Prompt{Left: left, Right: right}
		err := m.Explorer.Explore(t.Context(), p, func(next model.Continue) error {
			steps, _, err := next(nil, 40)
			if err != nil {
				return err
			}
			line, want := "", 0.0
			for _, s := range steps[:len(steps)-1] {
				line += s.Listed[0].Text
				want += s.Listed[0].LogProb
			}
			ends := right != ""
			for _, c := range steps[len(steps)-1].Listed {
				if ends && strings.HasPrefix(right, c.Text+"}") || ends && strings.HasPrefix(right, c.Text+"return") {
					want += c.LogProb
					ends = false
				}
			}
			if ends {
				t.Fatalf("before %q: no line break like it behind %q", right, line)
			}
			if got := grade(model.Gap{Left: left, Middle: line, Right: right}); math.Abs(got-want) > 1e-9 {
				t.Errorf("%q before %q: graded %g, drawn at %g", line, right, got, want)
			}
			return nil
		})
		if err != nil {
			t.Fatal(err)
		}
	}
	const odd = "frobnicate(c)"
	without, with := grade(model.Gap{Left: left, Middle: odd, Right: "\n}\n"}), grade(model.Gap{Left: left, Middle: odd, Right: "\n\tfrobnicate(c)\n}\n"})
	if with <= without {
		t.Errorf("%q: %g where it stands below as well, %g where it does not", odd, with, without)
	}
}
