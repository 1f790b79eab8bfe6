package rank

import (
	"context"
	"errors"
	"fmt"
	"math"
	"slices"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"readahead/model"
	"readahead/model/replay"
)

func TestMinmax(t *testing.T) {
	huge := math.MaxFloat64
	tests := []struct {
		name string
		xs   []float64
		want string
	}{
		{"between the ends", []float64{-4, -1, -2}, "[0 1 0.6666666666666666]"},
		{"all alike tell nothing", []float64{-3, -3}, "[0 0]"},
		{"one alone neither", []float64{7}, "[0]"},
		{"an overflowing difference", []float64{-huge, huge, 0}, "[0 1 0.5]"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			var got []float64
			for _, x := range tt.xs {
				got = append(got, minmax(tt.xs, x))
			}
			if fmt.Sprint(got) != tt.want {
				t.Errorf("got %v, want %s", got, tt.want)
			}
		})
	}
}

func TestBlend(t *testing.T) {
	r := func(x float64) *model.Likelihood { return &model.Likelihood{LogProb: x} }
	tests := []struct {
		name   string
		cs     []Candidate // greatest share first, as pools have them
		weight float64
		want   string
	}{
		{"the likelihood outweighs votes", []Candidate{{Text: "a", Share: .6, Reverse: r(-9)}, {Text: "b", Share: .1, Reverse: r(-1)}}, 0.75, "b a"},
		{"votes break a near tie of likelihoods", []Candidate{{Text: "a", Share: .6, Reverse: r(-1.1)}, {Text: "b", Share: .1, Reverse: r(-1)}, {Text: "c", Share: .1, Reverse: r(-9)}}, 0.75, "a b c"},
		{"likelihoods all alike leave it to the votes", []Candidate{{Text: "a", Share: .3, Reverse: r(-2)}, {Text: "b", Share: .2, Reverse: r(-2)}}, 0.75, "a b"},
		{"all alike leave it to what was drawn first", []Candidate{{Text: "a", Share: .1, Reverse: r(-2)}, {Text: "b", Share: .1, Reverse: r(-2)}}, 0.75, "a b"},
		{"no score is the worst score", []Candidate{{Text: "a", Share: .1}, {Text: "b", Share: .1, Reverse: r(-900)}, {Text: "c", Share: .1, Reverse: r(-901)}}, 0.75, "b a c"},
		{"weight 1 ignores votes", []Candidate{{Text: "a", Share: .9, Reverse: r(-2)}, {Text: "b", Share: .1, Reverse: r(-1.9)}}, 1, "b a"},
		{"weight 0 ignores likelihoods", []Candidate{{Text: "a", Share: .2, Reverse: r(-9)}, {Text: "b", Share: .1, Reverse: r(-1)}}, 0, "a b"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			blend(tt.cs, tt.weight)
			if got := fmt.Sprint(lines(tt.cs)); got != "["+tt.want+"]" {
				t.Errorf("got %s, want %s", got, tt.want)
			}
		})
	}
}

// The order does not depend on the scale of the likelihoods, such as that of
// another model, and every blend is a share.
func TestBlendIsFreeOfScale(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		n := rapid.IntRange(1, 6).Draw(t, "n")
		var a, b []Candidate
		for i := range n {
			votes := rapid.IntRange(1, 4).Draw(t, "votes")
			score := -float64(rapid.IntRange(0, 64).Draw(t, "score"))
			a = append(a, Candidate{Text: fmt.Sprint(i), Votes: votes, Reverse: &model.Likelihood{LogProb: score}})
			b = append(b, Candidate{Text: fmt.Sprint(i), Votes: votes, Reverse: &model.Likelihood{LogProb: score*4 - 512}})
		}
		blend(a, 0.75)
		blend(b, 0.75)
		if !slices.Equal(lines(a), lines(b)) {
			t.Fatalf("%q, scaled %q", lines(a), lines(b))
		}
		for _, c := range a {
			if !(c.Blend >= 0 && c.Blend <= 1) {
				t.Fatalf("blend %v", c.Blend)
			}
		}
	})
}

// broken is a scorer that answers whatever it likes.
type broken struct {
	scores []model.Likelihood
	err    error
}

func (b broken) Score(context.Context, []model.Pair) ([]model.Likelihood, model.Usage, error) {
	return b.scores, model.Usage{Requests: 1}, b.err
}

func TestScorerTrouble(t *testing.T) {
	tests := []struct {
		name    string
		scorer  broken
		shown   string
		rule    string
		skipped string
	}{
		{"an error leaves it to the votes", broken{nil, errors.New("out of memory")}, "a", "votes", "scores: out of memory"},
		{"so do too few scores", broken{make([]model.Likelihood, 1), nil}, "a", "votes", "scores: the model gave 1 for 2 candidates"},
		{"and scores none of which is a number", broken{[]model.Likelihood{{LogProb: math.NaN()}, {LogProb: math.Inf(-1)}}, nil}, "a", "votes", `score of "b": the model gave -Inf`},
		{"one that is no number is the worst", broken{[]model.Likelihood{{LogProb: math.Inf(1)}, {LogProb: -3}}, nil}, "a", "blend", `score of "a": the model gave +Inf`},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			r := ranker(replay.New(replay.Texts("a", "b", "a")), func(o *Options) { o.Samples = 3 })
			r.Scorer = tt.scorer
			d, err := r.Decide(t.Context(), Request{Bases: make([]Base, 1), Left: "x = ", Right: "\ny\n"})
			if err != nil || shown(d) != tt.shown || d.Rule != tt.rule || !slices.Contains(d.Skipped, tt.skipped) {
				t.Errorf("shown %s by %q, skipped %q, %v", shown(d), d.Rule, d.Skipped, err)
			}
		})
	}
}

// A race reads the code after the cursor in pieces that double, with the better
// half of the candidates each time, and two to the end.
func TestRace(t *testing.T) {
	const n = 5
	right := "\n" + strings.Repeat("one two three four five six seven eight\n", 16) // 8 words a line
	var asked []string
	scorer := func(better string) scoreFunc {
		return func(pairs []model.Pair) ([]model.Likelihood, error) {
			var out []model.Likelihood
			heard := ""
			for _, p := range pairs {
				line := strings.TrimPrefix(p.Prefix, "x = ")[:1]
				heard += line
				each := -10.0 - float64(line[0])
				if line == better && strings.Count(p.Prefix, "\n") > 2 { // only further below it shows
					each = -1
				}
				out = append(out, model.Likelihood{LogProb: each * float64(words(p.Continuation)), Tokens: []model.Token{{Text: p.Continuation}}, Exact: true})
			}
			asked = append(asked, fmt.Sprintf("%s:%d", heard, words(pairs[0].Continuation)))
			return out, nil
		}
	}
	tests := []struct {
		name    string
		samples string
		grade   Grade
		scorer  scoreFunc
		asked   string
		ranked  string
	}{
		{"all over all of it", "abcde", Whole, scorer(""), "abcde:128", "a b c d e"},
		{"halves", "abcde", Race, scorer(""), "abcde:16 abc:16 ab:32 ab:64", "a b c d e"},
		{"one that gets better overtakes", "abcde", Race, scorer("b"), "abcde:16 abc:16 ba:32 ba:64", "b a c d e"},
		{"one that got better too late is out", "abcde", Race, scorer("e"), "abcde:16 abc:16 ab:32 ab:64", "a b c d e"},
		{"no number in the first piece is no score in the others", "aaaaaabcde", Race, func(pairs []model.Pair) ([]model.Likelihood, error) {
			out, err := scorer("")(pairs)
			if len(pairs) == n {
				out[0].LogProb = math.NaN()
			}
			return out, err
		}, "abcde:16 bcd:16 bc:32 bc:64", "b c d e a"},
		{"an error after the first piece leaves what is known", "abcde", Race, func(pairs []model.Pair) ([]model.Likelihood, error) {
			if len(pairs) < n {
				return nil, errors.New("gone")
			}
			return scorer("")(pairs)
		}, "abcde:16", "a b c d e"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			asked = nil
			r := ranker(replay.New(replay.Texts(strings.Split(tt.samples, "")...)), func(o *Options) { o.Samples, o.Grade, o.Tau = len(tt.samples), tt.grade, 0 })
			r.Scorer = tt.scorer
			d, err := r.Decide(t.Context(), Request{Bases: make([]Base, 1), Left: "x = ", Right: right})
			if err != nil || d.Rule != "blend" {
				t.Fatalf("rule %q, %v, skipped %q", d.Rule, err, d.Skipped)
			}
			if got := strings.Join(asked, " "); got != tt.asked {
				t.Errorf("asked %s, want %s", got, tt.asked)
			}
			got := strings.Join(lines(d.Pools[0].Candidates), " ")
			if got != tt.ranked {
				t.Errorf("ranked %s, want %s", got, tt.ranked)
			}
			if c := d.Pools[0].Candidates[0]; tt.grade == Race && tt.asked != "abcde:16" && (len(c.Reverse.Tokens) != 4 || !c.Reverse.Exact) {
				t.Errorf("the winner's score is of %d pieces: %+v", len(c.Reverse.Tokens), c.Reverse)
			}
		})
	}
}

type scoreFunc func([]model.Pair) ([]model.Likelihood, error)

func (f scoreFunc) Score(_ context.Context, pairs []model.Pair) ([]model.Likelihood, model.Usage, error) {
	out, err := f(pairs)
	return out, model.Usage{Requests: len(pairs)}, err
}

// A toy of two lines says all there is to say: Bayes' rule and the direct
// likelihood give candidates the same grades, whatever the probabilities are.
// The least probable candidates stay behind those that are graded, however well
// they would do.
func TestOnlyTheMostProbableAreGraded(t *testing.T) {
	for _, tt := range []struct {
		graded int
		grade  Grade
		want   string
		scored int
	}{
		{0, Whole, "d b c a", 4},
		{3, Whole, "b c a d", 3},
		{2, Whole, "b a c d", 2},
		{3, Race, "b c a d", 3},
		{9, Whole, "d b c a", 4},
	} {
		m := replay.New(replay.Texts("a", "b", "c", "d", "a", "b", "c", "a", "b", "a"))
		m.Score = func(p model.Pair) (model.Likelihood, error) {
			for i, line := range []string{"a", "c", "b", "d"} {
				if strings.Contains(p.Prefix, "x = "+line) {
					return model.Likelihood{LogProb: -9 + 3*float64(i)}, nil
				}
			}
			return model.Likelihood{}, errors.New("no such line")
		}
		r := ranker(m, func(o *Options) { o.Graded, o.Grade, o.Weight = tt.graded, tt.grade, 1 })
		d, err := r.Decide(t.Context(), Request{Bases: make([]Base, 1), Left: "x = ", Right: "\n" + strings.Repeat("y ", 40) + "\nz\n"})
		if err != nil {
			t.Fatal(err)
		}
		if got := strings.Join(lines(d.Pools[0].Candidates), " "); got != tt.want || d.Scored() != tt.scored {
			t.Errorf("%d of four, %s: %s, %d scored, skipped %q", tt.graded, tt.grade, got, d.Scored(), d.Skipped)
		}
		if skips := tt.graded == 2 || tt.graded == 3; skips != strings.Contains(strings.Join(d.Skipped, "\n"), "least probable") {
			t.Errorf("%d of four: skipped %q", tt.graded, d.Skipped)
		}
	}
	if _, err := ranker(replay.New(replay.Texts("a")), func(o *Options) { o.Graded = 1 }).Decide(t.Context(), Request{Bases: make([]Base, 1)}); err == nil || !strings.Contains(err.Error(), "told apart") {
		t.Errorf("one graded candidate: %v", err)
	}
}

func TestBayesGradesAsTheDirectLikelihoodDoes(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		const n = 4
		joint := make([][]float64, n) // of a candidate and what stands behind it
		for i := range joint {
			for range 3 {
				joint[i] = append(joint[i], float64(rapid.IntRange(1, 1000).Draw(t, "weight")))
			}
		}
		sum := func(of func(c, r int) bool) (p float64) {
			for c := range joint {
				for r := range joint[c] {
					if of(c, r) {
						p += joint[c][r]
					}
				}
			}
			return p
		}
		number := func(text string) int { return int(text[0] - 'a') }
		const right = 1
		scorer := scoreFunc(func(pairs []model.Pair) (out []model.Likelihood, _ error) {
			for _, p := range pairs {
				var given, both float64
				if p.Prefix == "x = " {
					given, both = sum(func(int, int) bool { return true }), sum(func(c, _ int) bool { return c == number(p.Continuation) })
				} else {
					at := number(strings.TrimPrefix(p.Prefix, "x = "))
					given, both = sum(func(c, _ int) bool { return c == at }), joint[at][right]
				}
				out = append(out, model.Likelihood{LogProb: math.Log(both / given), Exact: true})
			}
			return out, nil
		})
		filler := fillFunc(func(gaps []model.Gap) (out []model.Likelihood) {
			for _, g := range gaps {
				out = append(out, model.Likelihood{LogProb: math.Log(joint[number(g.Middle)][right] / sum(func(_, r int) bool { return r == right })), Exact: true})
			}
			return out
		})
		order := func(g Grade) string {
			r := ranker(replay.New(replay.Texts("a", "b", "c", "d")), func(o *Options) { o.Samples, o.Tau, o.Grade = n, 0, g })
			r.Scorer, r.Filler = scorer, filler
			d, err := r.Decide(context.Background(), Request{Bases: make([]Base, 1), Left: "x = ", Right: "\ny\n"})
			if err != nil || d.Rule != "blend" {
				t.Fatalf("rule %q, %v", d.Rule, err)
			}
			var out []string
			for _, c := range d.Pools[0].Candidates {
				out = append(out, fmt.Sprintf("%s %.6f", c.Text, c.Blend))
			}
			slices.Sort(out) // what is equal may differ in the last digit
			return strings.Join(out, ", ")
		}
		if direct, turned := order(Whole), order(Bayes); direct != turned {
			t.Errorf("directly %s\nby Bayes  %s", direct, turned)
		}
	})
}

type fillFunc func([]model.Gap) []model.Likelihood

func (f fillFunc) Fill(_ context.Context, gaps []model.Gap) ([]model.Likelihood, model.Usage, error) {
	return f(gaps), model.Usage{}, nil
}
