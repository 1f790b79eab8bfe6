package eval

import "slices"

// Two ways to come to a line are set side by side in three questions. Does what
// is read from probabilities come to the same as what is drawn? Does the same
// request, asked a second time with other seeds (flicker)? And does a shortcut in
// grading order the candidates as the whole likelihood does?

// A Sameness is how often two ways come to the same, in percent of the tasks.
type Sameness struct {
	With    string  `json:"with"`    // the other way; "" is the same one, asked again
	Verdict float64 `json:"verdict"` // agreed, scattered, or neither
	Route   float64 `json:"route"`   // the context whose candidates are used
	Line    float64 `json:"line"`    // what is shown; what it lacks to 100 is flicker
}

// A Gradedness is how a way of grading orders candidates beside the reference, on
// the tasks where both graded more than one.
type Gradedness struct {
	With        string  `json:"with"`
	Tasks       int     `json:"tasks"`
	Winner      float64 `json:"winner"`           // the same one, in percent
	Correlation float64 `json:"rank_correlation"` // of the whole order (Spearman), mean
}

func sameness(with string, of []Answer, other func(int) *Verdict) *Sameness {
	out := &Sameness{With: with}
	one := 100 / float64(max(1, len(of)))
	for i := range of {
		a, b := of[i].Verdict, *other(i)
		if a.Agreed == b.Agreed && a.Scattered == b.Scattered {
			out.Verdict += one
		}
		if a.Family == b.Family {
			out.Route += one
		}
		if a.Line == b.Line {
			out.Line += one
		}
	}
	return out
}

// againstItself is flicker; nil if nothing was asked twice.
func againstItself(of []Answer) *Sameness {
	if slices.ContainsFunc(of, func(a Answer) bool { return a.Again == nil }) || len(of) == 0 {
		return nil
	}
	return sameness("", of, func(i int) *Verdict { return of[i].Again })
}

// againstSamples sets a variant that reads probabilities beside the same one that
// draws; nil if it is no such variant, or the other was not measured.
func againstSamples(v int, variants []Variant, answers [][]Answer) *Sameness {
	u := variants[v]
	u.Agreement = "samples"
	i := slices.Index(variants, u)
	if i < 0 || i == v {
		return nil
	}
	return sameness(u.String(), answers[v], func(t int) *Verdict { return &answers[i][t].Verdict })
}

// againstPrompt sets a variant with another form of prompt beside the same one
// with a causal one.
func againstPrompt(v int, variants []Variant, answers [][]Answer) *Comparison {
	u := variants[v]
	u.Prompt = "causal"
	i := slices.Index(variants, u)
	if i < 0 || i == v {
		return nil
	}
	c := compare(rights(answers[v]), rights(answers[i]))
	return &c
}

// againstWhole sets a variant that grades in another way beside the same one that
// reads all of the code after the cursor behind each candidate.
func againstWhole(v int, variants []Variant, answers [][]Answer) *Gradedness {
	u := variants[v]
	u.Grade = DefaultVariant().Grade
	i := slices.Index(variants, u)
	if i < 0 || i == v {
		return nil
	}
	out := CompareGrades(answers[v], answers[i])
	out.With = u.String()
	return &out
}

// CompareGrades sets the orders of two ways of grading side by side, given their
// answers to the same tasks.
func CompareGrades(a, b []Answer) Gradedness {
	var out Gradedness
	var same, correlations []float64
	for t := range a {
		r, ok := rankCorrelation(a[t].Order, b[t].Order)
		if !ok {
			continue
		}
		out.Tasks++
		same = append(same, percents([]bool{a[t].Order[0] == b[t].Order[0]})...)
		correlations = append(correlations, r)
	}
	out.Winner, out.Correlation = mean(same), mean(correlations)
	return out
}

// rankCorrelation is Spearman's, of two orders of the same things, each once;
// false if they are not that, or fewer than two.
func rankCorrelation(a, b []string) (float64, bool) {
	n := float64(len(a))
	if len(a) != len(b) || len(a) < 2 {
		return 0, false
	}
	sum := 0.0
	for i, x := range a {
		j := slices.Index(b, x)
		if j < 0 {
			return 0, false
		}
		sum += float64((i - j) * (i - j))
	}
	return 1 - 6*sum/(n*(n*n-1)), true
}
