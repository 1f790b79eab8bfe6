package rank

import (
	"context"
	"fmt"
	"iter"
	"math"
	"strings"
	"testing"

	"readahead/model"
)

// The proof that stopping early changes nothing but the counts: over every
// sequence of samples from a small alphabet, every pair of gates, with one
// context and with two, with votes deciding and with the likelihood deciding,
// the outcome is that of never stopping. Sequences that differ only in what
// their candidates are called are one sequence: the cascade can't tell them
// apart, and the scores below differ for each name.

// An outcome is all that a user or a following stage can see of a decision.
type outcome struct {
	routed    int
	route     string
	rule      string
	shown     string
	overTheta bool // where θ has a part in it
	consulted int
	scored    int
	ranked    string // only where scores decide: votes rank what was drawn
}

func outcomeOf(d Decision, o Options) outcome {
	out := outcome{routed: d.Routed, route: d.Route, rule: d.Rule, shown: shown(d), consulted: d.Consulted(), scored: d.Scored()}
	if d.Routed < 0 {
		return out
	}
	p := d.Pools[d.Routed]
	if d.Rule == "blend" || d.Rule == "agreement" {
		out.overTheta = p.Agreement >= o.Theta
	}
	if d.Rule == "blend" {
		out.ranked = fmt.Sprint(lines(p.Candidates))
	}
	return out
}

// scripted gives the n'th letter of its context as sample n; “.” is a sample
// without code.
type scripted struct{}

func (scripted) Samples(_ context.Context, p model.Prompt, o model.Options) iter.Seq2[model.Sample, error] {
	return func(yield func(model.Sample, error) bool) {
		for i := 0; ; i++ {
			s := model.Sample{Text: p.Context[i%len(p.Context):][:1]}
			s.Stopped = s.Text != "."
			if s.Text == "." {
				s.Text = "// cut off"
			}
			if !yield(s, nil) {
				return
			}
		}
	}
}

// scattered scores each candidate by its letter, in an order that is not the
// alphabet's.
type scattered struct{}

func (scattered) Score(_ context.Context, pairs []model.Pair) ([]model.Likelihood, model.Usage, error) {
	out := make([]model.Likelihood, len(pairs))
	for i, p := range pairs {
		letter := int(p.Prefix[len(p.Prefix)-1])
		out[i].LogProb = -float64(letter * 7 % 11)
	}
	return out, model.Usage{}, nil
}

// sequences yields every sequence of n samples up to renaming: each letter's
// first use comes in alphabetical order; “.” may stand anywhere.
func sequences(n int) (all []string) {
	var grow func(s string, next byte)
	grow = func(s string, next byte) {
		if len(s) == n {
			all = append(all, s)
			return
		}
		grow(s+".", next)
		for c := byte('a'); c <= next; c++ {
			if c == next {
				grow(s+string(c), next+1)
			} else {
				grow(s+string(c), next)
			}
		}
	}
	grow("", 'a')
	return all
}

// gateValues puts τ and θ on, below and between the shares that n samples can
// have, and beyond them.
func gateValues(n int) []float64 {
	values := []float64{0, 1.1}
	for k := 1; k <= n; k++ {
		values = append(values, share(k, n), share(2*k-1, 2*n))
	}
	return values
}

func checkStop(t *testing.T, contexts []string, o Options, verify bool) (saved int) {
	t.Helper()
	r := Ranker{Generator: scripted{}, Options: o}
	q := Request{Lang: "go", Left: "\n", Right: "\nreturn\n"}
	if verify {
		r.Scorer = scattered{}
	}
	for i, text := range contexts {
		q.Bases = append(q.Bases, Base{fmt.Sprint(i), text})
	}
	early, err := r.Decide(t.Context(), q)
	if err != nil {
		t.Fatal(err)
	}
	r.Options.NeverStop = true
	full, err := r.Decide(t.Context(), q)
	if err != nil {
		t.Fatal(err)
	}
	if a, b := outcomeOf(early, o), outcomeOf(full, o); a != b {
		t.Fatalf("samples %q, τ %v, θ %v, verify %v:\nstopping early %+v\nnever stopping %+v\n%q", contexts, o.Tau, o.Theta, verify, a, b, early.Skipped)
	}
	for i, p := range full.Pools {
		saved += len(p.Samples) - len(early.Pools[i].Samples)
		if (early.Pools[i].Stopped == "") != (len(p.Samples) == len(early.Pools[i].Samples)) {
			t.Fatalf("samples %q: %d drawn of %d, said to be stopped by %q", contexts, len(early.Pools[i].Samples), len(p.Samples), early.Pools[i].Stopped)
		}
	}
	return saved
}

func TestStoppingEarlyChangesNothing(t *testing.T) {
	for _, tt := range []struct{ contexts, n int }{{1, 4}, {2, 3}} {
		cases, saved := 0, 0
		for _, first := range sequences(tt.n) {
			seconds := []string{""}
			if tt.contexts == 2 {
				seconds = sequences(tt.n)
			}
			for _, second := range seconds {
				contexts := []string{first}
				if tt.contexts == 2 {
					// Other letters, so that no text is asked for twice.
					contexts = append(contexts, strings.ToUpper(second))
				}
				for _, tau := range gateValues(tt.n) {
					for _, theta := range gateValues(tt.n) {
						for _, verify := range []bool{false, true} {
							if !verify && theta != 0 {
								continue // θ has no part in a vote
							}
							o := DefaultOptions()
							o.Samples, o.Tau, o.Theta = tt.n, tau, theta
							saved += checkStop(t, contexts, o, verify)
							cases++
						}
					}
				}
			}
		}
		if saved == 0 {
			t.Error("nothing was ever stopped early")
		}
		t.Logf("%d contexts of %d samples: %d decisions, %d samples saved", tt.contexts, tt.n, cases, saved)
	}
}

// The test is exact: where decided says nothing, some samples to come lead to
// another outcome. Shown for votes, where the outcome is the modal candidate.
func TestSamplingGoesOnOnlyWhileItMatters(t *testing.T) {
	const n = 5
	all := sequences(n)
	for _, s := range all {
		for drawn := 1; drawn < n; drawn++ {
			winners := map[string]bool{}
			for _, other := range all {
				if strings.HasPrefix(other, s[:drawn]) {
					at, _ := tallyOf(other, n).lead()
					winners[fmt.Sprint(at)] = true
				}
			}
			why := tallyOf(s[:drawn], n).decided(gates{last: true})
			if (why != "") != (len(winners) == 1 && !winners["-1"]) {
				t.Fatalf("after %q %d winners are possible, decided says %q", s[:drawn], len(winners), why)
			}
		}
	}
}

func tallyOf(s string, wanted int) *tally {
	t := &tally{wanted: wanted}
	for _, c := range s {
		if c == '.' {
			t.addBlank()
		} else {
			t.add(string(c), Candidate{Text: string(c)})
		}
	}
	return t
}

func FuzzStoppingEarlyChangesNothing(f *testing.F) {
	f.Add([]byte("aaaaaaaabc"), []byte("zzzzyyyyxx"), []byte("mmmmmmmmmm"), uint8(10), 0.2, 0.8, true)
	f.Add([]byte("abcdefghij"), []byte("ABCDEFGHIJ"), []byte("..........."), uint8(10), 0.2, 0.8, false)
	f.Add([]byte("aab"), []byte("c"), []byte("dd"), uint8(3), 0.7, 0.5, true)
	f.Fuzz(func(t *testing.T, one, two, three []byte, n uint8, tau, theta float64, verify bool) {
		if math.IsNaN(tau) || math.IsNaN(theta) {
			t.Skip()
		}
		var contexts []string
		for _, raw := range [][]byte{one, two, three} {
			text := strings.Map(func(c rune) rune { return rune("abcdefghijklmno."[c%16]) }, string(raw))
			if text != "" {
				contexts = append(contexts, text)
			}
		}
		if len(contexts) == 0 {
			t.Skip()
		}
		o := DefaultOptions()
		o.Samples, o.Tau, o.Theta = int(n%24)+1, tau, theta
		checkStop(t, contexts, o, verify)
	})
}
