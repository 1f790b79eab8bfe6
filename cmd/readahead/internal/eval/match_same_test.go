package eval

import (
	"math"
	"testing"
)

func TestRankCorrelation(t *testing.T) {
	for _, tt := range []struct {
		name string
		a, b string
		want float64
		ok   bool
	}{
		{"the same order", "abcd", "abcd", 1, true},
		{"turned round", "abcd", "dcba", -1, true},
		{"two neighbours of four", "abcd", "bacd", 0.8, true},
		{"one thing has no order", "a", "a", 0, false},
		{"nothing", "", "", 0, false},
		{"other things", "abc", "abd", 0, false},
		{"fewer things", "abc", "ab", 0, false},
	} {
		letters := func(s string) (out []string) {
			for _, r := range s {
				out = append(out, string(r))
			}
			return out
		}
		if got, ok := rankCorrelation(letters(tt.a), letters(tt.b)); ok != tt.ok || math.Abs(got-tt.want) > 1e-12 {
			t.Errorf("%s: %v, %v", tt.name, got, ok)
		}
	}
}

func TestWhatComesToTheSame(t *testing.T) {
	answer := func(v Verdict, again *Verdict, order ...string) Answer {
		return Answer{Verdict: v, Again: again, Order: order}
	}
	agreed, scattered := Verdict{Agreed: true, Family: structural, Line: "a"}, Verdict{Scattered: true, Family: lexical, Line: "b"}
	other := scattered
	other.Line = "c"
	drawn := []Answer{answer(agreed, &agreed), answer(agreed, &scattered), answer(scattered, &other, "b", "c"), answer(other, &other, "c", "b")}
	read := []Answer{answer(agreed, nil), answer(agreed, nil), answer(agreed, nil), answer(other, nil)}
	race := []Answer{answer(agreed, nil), answer(agreed, nil, "a", "b"), answer(scattered, nil, "b", "c"), answer(other, nil, "b", "c")}
	draws := DefaultVariant()
	reads, races := draws, draws
	reads.Agreement, races.Grade = "probabilities", "race"
	variants, answers := []Variant{draws, reads, races}, [][]Answer{drawn, read, race}
	if got := againstItself(drawn); got == nil || *got != (Sameness{"", 75, 75, 50}) {
		t.Errorf("asked again: %+v", got)
	}
	if got := againstItself(read); got != nil {
		t.Errorf("asked once, but again: %+v", got)
	}
	if got := againstSamples(1, variants, answers); got == nil || *got != (Sameness{"blend", 75, 75, 75}) {
		t.Errorf("read beside drawn: %+v", got)
	}
	if got := againstSamples(0, variants, answers); got != nil {
		t.Errorf("drawn beside itself: %+v", got)
	}
	// The tasks that both graded: the same order, and the other one.
	if got := againstWhole(2, variants, answers); got == nil || *got != (Gradedness{"blend", 2, 50, 0}) {
		t.Errorf("a race beside whole readings: %+v", got)
	}
	if got := againstWhole(0, variants, answers); got != nil {
		t.Errorf("whole readings beside themselves: %+v", got)
	}
}

func TestAPromptStandsBesideTheCausalOne(t *testing.T) {
	right := func(rights ...bool) (out []Answer) {
		for _, r := range rights {
			out = append(out, Answer{Right: r})
		}
		return out
	}
	fills, goesOn := DefaultVariant(), DefaultVariant()
	fills.Prompt, goesOn.Prompt = "fim", "causal"
	variants, answers := []Variant{fills, goesOn}, [][]Answer{right(true, true, false, false), right(true, false, false, true)}
	if got := againstPrompt(0, variants, answers); got == nil || got.Wins != 1 || got.Losses != 1 {
		t.Errorf("beside the causal one: %+v", got)
	}
	if got := againstPrompt(1, variants, answers); got != nil {
		t.Errorf("beside itself: %+v", got)
	}
}
