package main

import (
	"encoding/json"
	"fmt"
	"io"
	"maps"
	"slices"

	"readahead/cmd/readahead/internal/eval"
)

// contextWriter writes what a reference scorer reads: the positions in their
// order, and the text.
func contextWriter(w io.Writer) func(*eval.Task, []eval.Result) error {
	e := json.NewEncoder(w)
	e.SetEscapeHTML(false)
	return func(t *eval.Task, results []eval.Result) error {
		claims := results[0].Claims
		if claims == nil {
			claims = []eval.Claim{}
		}
		err := e.Encode(struct {
			ID       string       `json:"id"`
			Items    []eval.Claim `json:"items"`
			Rendered string       `json:"rendered"`
		}{t.ID, claims, results[0].Rendered})
		if err != nil {
			return fmt.Errorf("write contexts: %w", err)
		}
		return nil
	}
}

// printEvalJSON prints the documented, stable form: the fields of the first
// policy and of the first variant, and those of the others under "policies" and
// "selectors".
func printEvalJSON(w io.Writer, sums, matches []eval.Summary) error {
	var first eval.Summary
	switch {
	case len(sums) == 0:
		first = matches[0]
	case len(matches) == 0:
		first = sums[0]
	default:
		first = sums[0].With(matches[0])
	}
	e := json.NewEncoder(w)
	e.SetIndent("", "  ")
	return e.Encode(struct {
		eval.Summary
		Policies  []eval.Summary `json:"policies,omitempty"`
		Selectors []eval.Summary `json:"selectors,omitempty"`
	}{first, others(sums), others(matches)})
}

func others(sums []eval.Summary) []eval.Summary { return sums[min(1, len(sums)):] }

// printEval prints what policies let the model read; nothing if that was not
// measured.
func printEval(to screen, sums []eval.Summary) {
	if len(sums) == 0 {
		return
	}
	to.printf("%d tasks with gold; retrieval p50 %.1f ms, p99 %.1f ms\n\n", sums[0].Tasks, sums[0].Milliseconds.Retrieve.P50, sums[0].Milliseconds.Retrieve.P99)
	to.printf("%-18s %6s %6s %6s %6s %7s %7s %6s %7s  %s\n", "policy", "R@5", "R@B", "ΔRec", "R@Bsig", "R@5fit", "R@Bfit", "Auth.", "tokens", "R@B against the first")
	for _, s := range sums {
		against := ""
		if a := s.Recalled.Against; a != nil {
			against = fmt.Sprintf("%+.2f [%+.2f, %+.2f] +%d −%d p=%.2g", a.Difference, a.Interval.Low, a.Interval.High, a.Wins, a.Losses, a.P)
		} else {
			against = fmt.Sprintf("95 %%: %.2f to %.2f", s.Interval.Low, s.Interval.High)
		}
		to.printf("%s  %s\n", row(s.Policy, s), against)
	}
	first := sums[0]
	to.printf("\n%s by part\n", first.Policy)
	eachPart(first.By, func(name string, s eval.Summary) { to.printf("%s  n=%d\n", row(name, s), s.Tasks) })
}

// eachPart goes over languages, then subsets, in the order of their names.
func eachPart(by *eval.Groups, show func(name string, s eval.Summary)) {
	for _, g := range []map[string]eval.Summary{by.Lang, by.Subset} {
		for _, k := range slices.Sorted(maps.Keys(g)) {
			show(k, g[k])
		}
	}
}

func row(name string, s eval.Summary) string {
	return fmt.Sprintf("%-18s %6.2f %6.2f %6.2f %6.2f %7.2f %7.2f %6.2f %7.0f", name, s.RecallAtK, s.RecallAtBudget, s.DeltaRecall, s.RecallSig,
		s.Fit.RecallAtK, s.Fit.RecallAtBudget, s.Authorities, s.TokensMean)
}
