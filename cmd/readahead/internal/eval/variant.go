package eval

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"readahead/index"
	"readahead/lsp"
	"readahead/model"
	"readahead/rank"
)

// A Variant is one way to decide: Caret, an ablation of it, or a baseline.
type Variant struct {
	Select    string // see Selectors
	Route     string // see Routes
	Agreement string // see Agreements
	Prompt    string // see Prompts
	Grade     string // see Grades
	Samples   int
	Tau       float64
	Theta     float64
	Weight    float64
	Right     int    // tokens after the cursor that candidates are graded by
	Left      int    // tokens before the cursor that the grader reads
	Graded    int    // most candidates that are graded; 0: all
	First     string // see Firsts
}

// Selectors are the ways to choose among the samples, by the names that Variant
// knows them under.
var Selectors = []string{"blend", "votes", "rcv", "greedy"}

var selectors = map[string]rank.Selector{"blend": rank.Blend, "votes": rank.Votes, "rcv": rank.Reverse, "greedy": rank.Greedy}

// Routes are which contexts are asked, in which order:
//
//	on          structural, then lexical if the samples scatter
//	off         structural alone
//	swapped     lexical, then structural if the samples scatter
//	lexical     lexical alone
//	none        no evidence: the code before the cursor alone (zero-shot)
//	both        one context of both families, each with half of the budget
//	iterative   lexical, retrieved again with the line that it led to (RepoCoder,
//	            arXiv 2303.12570)
var Routes = []string{"on", "off", "swapped", "lexical", "none", "both", "iterative"}

// contextsOf are the contexts of each route, by the names that records have
// them under.
var contextsOf = map[string][]string{
	"on": {structural, lexical}, "off": {structural}, "swapped": {lexical, structural},
	"lexical": {lexical}, "none": {"none"}, "both": {"both"}, "iterative": {"iterative"},
}

const (
	structural = string(index.Structural)
	lexical    = string(index.Lexical)
)

// Agreements are how it is known how far a model agrees with itself: from
// samples, or from its tokens' probabilities (see rank.Options.Explore).
var Agreements = []string{"samples", "probabilities"}

// Prompts are the forms in which a model is asked: by what it can, filling in the
// middle, or going on behind the code before the cursor.
var Prompts = []string{"auto", "fim", "causal"}

// Grades are how candidates are graded, by the names of rank.Grade.
var Grades = []string{string(rank.Whole), string(rank.Race), string(rank.Bayes)}

// Firsts are how the first sample of a context comes about: drawn like the others, or
// the likeliest one (rank.Options.LikeliestFirst).
var Firsts = []string{"drawn", "likeliest"}

// DefaultVariant is Caret with the values of its paper (§III); ByDefault is what
// readahead does with a model.
func DefaultVariant() Variant {
	o := rank.DefaultOptions()
	return Variant{Select: "blend", Route: "on", Agreement: "samples", Prompt: "auto", Grade: string(rank.Whole), Samples: o.Samples, Tau: o.Tau, Theta: o.Theta, Weight: o.Weight,
		Right: o.RightTokens, Left: o.LeftTokens, Graded: o.Graded, First: Firsts[0]}
}

// ByDefault is how readahead decides with a model, asked in one form of prompt.
func ByDefault(c lsp.Config, m model.Info, prompt string) Variant {
	o := lsp.RankOptions(c, m)
	v := Variant{Select: "blend", Route: "on", Agreement: Agreements[0], Prompt: prompt, Grade: cmp.Or(string(o.Grade), string(rank.Whole)), Samples: o.Samples,
		Tau: o.Tau, Theta: o.Theta, Weight: o.Weight, Right: o.RightTokens, Left: o.LeftTokens, Graded: o.Graded, First: Firsts[0]}
	if o.Explore {
		v.Agreement = Agreements[1]
	}
	if o.LikeliestFirst {
		v.First = Firsts[1]
	}
	return v
}

// Sweep says which values of each parameter are tried; the first of each is the
// reference.
type Sweep struct {
	Select, Route, Agreement, Prompt, Grade, First []string
	Samples, Right, Left, Graded                   []int
	Tau, Theta, Weight                             []float64
	Also                                           []Variant // measured, too, next to the reference
}

// DefaultSweep tries the DefaultVariant, and nothing else.
func DefaultSweep() Sweep {
	d := DefaultVariant()
	return Sweep{
		Select: []string{d.Select}, Route: []string{d.Route}, Agreement: []string{d.Agreement}, Prompt: []string{d.Prompt}, Grade: []string{d.Grade}, Samples: []int{d.Samples},
		Tau: []float64{d.Tau}, Theta: []float64{d.Theta}, Weight: []float64{d.Weight}, Right: []int{d.Right}, Left: []int{d.Left}, Graded: []int{d.Graded}, First: []string{d.First},
	}
}

// Variants are the reference, every further combination of a selector, a route,
// an agreement and a form of prompt, and for each further value of another parameter the
// reference with only that changed. An error names the value that can't be.
func (s Sweep) Variants() ([]Variant, error) {
	if err := s.check(); err != nil {
		return nil, err
	}
	first := Variant{s.Select[0], s.Route[0], s.Agreement[0], s.Prompt[0], s.Grade[0], s.Samples[0], s.Tau[0], s.Theta[0], s.Weight[0], s.Right[0], s.Left[0], s.Graded[0], s.First[0]}
	var out []Variant
	add := func(change func(*Variant)) {
		v := first
		change(&v)
		if v.Select == "greedy" { // it reads the first context only, and draws nothing
			v.Route = cmp.Or(map[string]string{"off": "on", "lexical": "swapped"}[v.Route], v.Route)
			v.Agreement = DefaultVariant().Agreement
		}
		if !slices.Contains(out, v) {
			out = append(out, v)
		}
	}
	add(func(*Variant) {})
	for _, v := range s.Also {
		add(func(w *Variant) { *w = v })
	}
	for _, selector := range s.Select {
		for _, route := range s.Route {
			for _, agreement := range s.Agreement {
				for _, prompt := range s.Prompt {
					add(func(v *Variant) { v.Select, v.Route, v.Agreement, v.Prompt = selector, route, agreement, prompt })
				}
			}
		}
	}
	for _, n := range s.Samples {
		add(func(v *Variant) { v.Samples = n })
	}
	for _, x := range s.Tau {
		add(func(v *Variant) { v.Tau = x })
	}
	for _, x := range s.Theta {
		add(func(v *Variant) { v.Theta = x })
	}
	for _, x := range s.Weight {
		add(func(v *Variant) { v.Weight = x })
	}
	for _, x := range s.Grade {
		add(func(v *Variant) { v.Grade = x })
	}
	for _, n := range s.Right {
		add(func(v *Variant) { v.Right = n })
	}
	for _, n := range s.Left {
		add(func(v *Variant) { v.Left = n })
	}
	for _, n := range s.Graded {
		add(func(v *Variant) { v.Graded = n })
	}
	for _, x := range s.First {
		add(func(v *Variant) { v.First = x })
	}
	return out, nil
}

// MaxSamples is far beyond where another sample changes anything.
const MaxSamples = 256

func (s Sweep) check() error {
	for _, p := range []struct {
		name   string
		values int
	}{{"select", len(s.Select)}, {"route", len(s.Route)}, {"agreement", len(s.Agreement)}, {"prompt", len(s.Prompt)}, {"grade", len(s.Grade)}, {"samples", len(s.Samples)},
		{"tau", len(s.Tau)}, {"theta", len(s.Theta)}, {"weight", len(s.Weight)}, {"right", len(s.Right)}, {"before", len(s.Left)}, {"graded", len(s.Graded)}, {"first", len(s.First)}} {
		if p.values == 0 {
			return fmt.Errorf("--%s wants a value at least", p.name)
		}
	}
	for _, x := range s.Select {
		if !slices.Contains(Selectors, x) {
			return fmt.Errorf("selector %q is none of %s", x, strings.Join(Selectors, ", "))
		}
	}
	for _, x := range s.Route {
		if !slices.Contains(Routes, x) {
			return fmt.Errorf("route %q is none of %s", x, strings.Join(Routes, ", "))
		}
	}
	for _, x := range s.Agreement {
		if !slices.Contains(Agreements, x) {
			return fmt.Errorf("agreement of %q is of none of %s", x, strings.Join(Agreements, ", "))
		}
	}
	for _, x := range s.Prompt {
		if !slices.Contains(Prompts, x) {
			return fmt.Errorf("prompt %q is none of %s", x, strings.Join(Prompts, ", "))
		}
	}
	for _, x := range s.First {
		if !slices.Contains(Firsts, x) {
			return fmt.Errorf("first %q is none of %s", x, strings.Join(Firsts, ", "))
		}
	}
	for _, x := range s.Grade {
		if !slices.Contains(Grades, x) {
			return fmt.Errorf("grade %q is none of %s", x, strings.Join(Grades, ", "))
		}
	}
	for _, n := range slices.Concat(s.Right, s.Left) {
		if n < 0 {
			return fmt.Errorf("%d tokens of code cannot be read", n)
		}
	}
	for _, n := range s.Graded {
		if n < 0 || n == 1 {
			return fmt.Errorf("%d graded candidates cannot be told apart (two at least, or 0 for all)", n)
		}
	}
	for _, n := range s.Samples {
		if n < 1 {
			return fmt.Errorf("%d samples decide nothing", n)
		}
		if n > MaxSamples {
			return fmt.Errorf("%d samples of a context are too many to wait for (at most %d)", n, MaxSamples)
		}
	}
	for _, x := range slices.Concat(s.Tau, s.Theta) {
		if !(x >= 0) {
			return fmt.Errorf("threshold %v is not a share of samples (0 or more; above 1 is never reached)", x)
		}
	}
	for _, x := range s.Weight {
		if !(x >= 0 && x <= 1) {
			return fmt.Errorf("weight %v is not between 0 and 1", x)
		}
	}
	return nil
}

// Most is the largest number of samples that is tried.
func (s Sweep) Most() int {
	most := slices.Max(append(s.Samples, 1))
	for _, v := range s.Also {
		most = max(most, v.Samples)
	}
	return most
}

// Contexts are what has to be asked about for the routes: both families always,
// so that a pools file serves further ones.
func (s Sweep) Contexts() []string {
	out := []string{structural, lexical}
	for _, route := range s.Route {
		for _, c := range contextsOf[route] {
			if !slices.Contains(out, c) {
				out = append(out, c)
			}
		}
	}
	return out
}

// Explores reports whether any variant reads probabilities.
func (s Sweep) Explores() bool {
	return slices.Contains(s.Agreement, "probabilities") || slices.ContainsFunc(s.Also, func(v Variant) bool { return v.Agreement == "probabilities" })
}

// Bayes reports whether any variant grades by Bayes' rule.
func (s Sweep) Bayes() bool { return slices.Contains(s.Grade, string(rank.Bayes)) }

// Readings are how much code candidates are graded over, the reference first.
func (s Sweep) Readings() []rank.Reading {
	var out []rank.Reading
	add := func(left, right int) {
		if r := (rank.Reading{Left: left, Right: right}); !slices.Contains(out, r) {
			out = append(out, r)
		}
	}
	for _, right := range s.Right {
		add(s.Left[0], right)
	}
	for _, left := range s.Left {
		add(left, s.Right[0])
	}
	races := slices.Contains(s.Grade, string(rank.Race))
	for _, v := range s.Also {
		add(v.Left, v.Right)
		races = races || v.Grade == string(rank.Race)
	}
	if races {
		for _, r := range slices.Clone(out) {
			for _, piece := range rank.RaceReadings(r) {
				add(piece.Left, piece.Right)
			}
		}
	}
	return out
}

// Scored are the contexts of which some variant needs the likelihood of the code
// after the cursor.
func (s Sweep) Scored() []string {
	var out []string
	add := func(selector, route string) {
		if selector != "blend" && selector != "rcv" {
			return
		}
		for _, c := range contextsOf[route] {
			if !slices.Contains(out, c) {
				out = append(out, c)
			}
		}
	}
	for _, selector := range s.Select {
		for _, route := range s.Route {
			add(selector, route)
		}
	}
	for _, v := range s.Also {
		add(v.Select, v.Route)
	}
	return out
}

// String is the selector, and what else differs from the DefaultVariant.
func (v Variant) String() string {
	d := DefaultVariant()
	parts := []string{v.Select}
	add := func(differs bool, format string, value any) {
		if differs {
			parts = append(parts, fmt.Sprintf(format, value))
		}
	}
	add(v.Route != d.Route, "route %s", v.Route)
	add(v.Agreement != d.Agreement, "%s", v.Agreement)
	add(v.Prompt != d.Prompt, "%s", v.Prompt)
	add(v.Grade != d.Grade, "%s", v.Grade)
	add(v.Samples != d.Samples, "N=%d", v.Samples)
	add(v.Tau != d.Tau, "τ=%v", v.Tau)
	add(v.Theta != d.Theta, "θ=%v", v.Theta)
	add(v.Weight != d.Weight, "w=%v", v.Weight)
	add(v.Right != d.Right, "right %d", v.Right)
	add(v.Left != d.Left, "left %d", v.Left)
	add(v.Graded != d.Graded, "graded %d", v.Graded)
	add(v.First != d.First, "first %s", v.First)
	return strings.Join(parts, " ")
}

// options are those of the ranker.
func (v Variant) options() rank.Options {
	o := rank.DefaultOptions()
	o.Selector, o.Samples, o.Tau, o.Theta, o.Weight = selectors[v.Select], v.Samples, v.Tau, v.Theta, v.Weight
	o.Grade = rank.Grade(v.Grade)
	o.Explore, o.RightTokens, o.LeftTokens = v.Agreement == "probabilities", v.Right, v.Left
	o.Graded, o.LikeliestFirst = v.Graded, v.First == Firsts[1]
	return o
}

// order is which bases are asked, in which order. One that was not recorded is
// missing.
func (v Variant) order(bases []rank.Base) []rank.Base {
	var out []rank.Base
	for _, name := range contextsOf[v.Route] {
		for _, b := range bases {
			if b.Family == name {
				out = append(out, b)
			}
		}
	}
	return out
}

// prompt is what was shown to the model of the document.
func (s *Sampled) prompt(doc lsp.Doc) (lsp.Prompt, error) {
	if !(0 <= s.Start && s.Start <= doc.Offset && doc.Offset <= s.End && s.End <= len(doc.Text)) {
		return lsp.Prompt{}, fmt.Errorf("task %s: the pools have bytes %d to %d for a cursor at %d of %d: they were drawn from other sources", s.ID, s.Start, s.End, doc.Offset, len(doc.Text))
	}
	p := lsp.Prompt{Doc: doc}
	p.View.Start, p.View.End = uint32(s.Start), uint32(s.End)
	return p, nil
}
