package eval

import (
	"fmt"
	"slices"
	"strings"

	"readahead/lsp"
	"readahead/rank"
)

// A Variant is one way to decide: Caret or an ablation of it.
type Variant struct {
	Select  string // see Selectors
	Route   string // see Routes
	Samples int
	Tau     float64
	Theta   float64
	Weight  float64
}

// Selectors are the ways to choose among the samples, by the names that Variant
// knows them under.
var Selectors = []string{"blend", "votes", "rcv", "greedy"}

var selectors = map[string]rank.Selector{"blend": rank.Blend, "votes": rank.Votes, "rcv": rank.Reverse, "greedy": rank.Greedy}

// Routes are the orders of the contexts: on is structural, then lexical if the
// samples scatter; off is structural alone; swapped is on the other way round.
var Routes = []string{"on", "off", "swapped"}

// DefaultVariant is what the product does.
func DefaultVariant() Variant {
	o := rank.DefaultOptions()
	return Variant{Select: "blend", Route: "on", Samples: o.Samples, Tau: o.Tau, Theta: o.Theta, Weight: o.Weight}
}

// Sweep says which values of each parameter are tried; the first of each is the
// reference.
type Sweep struct {
	Select, Route      []string
	Samples            []int
	Tau, Theta, Weight []float64
}

// Variants are the reference, every further pair of a selector and a route,
// and for each further value of another parameter the reference with only that
// changed. An error names the value that can't be.
func (s Sweep) Variants() ([]Variant, error) {
	if err := s.check(); err != nil {
		return nil, err
	}
	first := Variant{s.Select[0], s.Route[0], s.Samples[0], s.Tau[0], s.Theta[0], s.Weight[0]}
	var out []Variant
	add := func(change func(*Variant)) {
		v := first
		change(&v)
		if v.Select == "greedy" && v.Route == "off" {
			v.Route = "on" // it reads the first context only
		}
		if !slices.Contains(out, v) {
			out = append(out, v)
		}
	}
	for _, selector := range s.Select {
		for _, route := range s.Route {
			add(func(v *Variant) { v.Select, v.Route = selector, route })
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
	return out, nil
}

// maxSamples is far beyond where another sample changes anything.
const maxSamples = 256

func (s Sweep) check() error {
	if min(len(s.Select), len(s.Route), len(s.Samples), len(s.Tau), len(s.Theta), len(s.Weight)) == 0 {
		return fmt.Errorf("a parameter without a value")
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
	for _, n := range s.Samples {
		if n < 1 {
			return fmt.Errorf("%d samples decide nothing", n)
		}
		if n > maxSamples {
			return fmt.Errorf("%d samples of a context are too many to wait for (at most %d)", n, maxSamples)
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
func (s Sweep) Most() int { return slices.Max(append(s.Samples, 1)) }

// Scores reports whether any variant needs the likelihood of the code after the
// cursor.
func (s Sweep) Scores() bool {
	return slices.Contains(s.Select, "blend") || slices.Contains(s.Select, "rcv")
}

// String is the selector, and what else differs from the product.
func (v Variant) String() string {
	d := DefaultVariant()
	parts := []string{v.Select}
	add := func(differs bool, format string, value any) {
		if differs {
			parts = append(parts, fmt.Sprintf(format, value))
		}
	}
	add(v.Route != d.Route, "route %s", v.Route)
	add(v.Samples != d.Samples, "N=%d", v.Samples)
	add(v.Tau != d.Tau, "τ=%v", v.Tau)
	add(v.Theta != d.Theta, "θ=%v", v.Theta)
	add(v.Weight != d.Weight, "w=%v", v.Weight)
	return strings.Join(parts, " ")
}

// options are those of the ranker.
func (v Variant) options() rank.Options {
	o := rank.DefaultOptions()
	o.Selector, o.Samples, o.Tau, o.Theta, o.Weight = selectors[v.Select], v.Samples, v.Tau, v.Theta, v.Weight
	return o
}

// order is which bases are asked, in which order.
func (v Variant) order(bases []rank.Base) []rank.Base {
	switch v.Route {
	case "off":
		return bases[:1]
	case "swapped":
		bases = slices.Clone(bases)
		slices.Reverse(bases)
	}
	return bases
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
