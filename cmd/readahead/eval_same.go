package main

import (
	"slices"

	"readahead/cmd/readahead/internal/eval"
)

// printCosts prints what variants take, in answers of the first context at
// temperature 0.
func printCosts(to screen, width int, sums []eval.Summary) {
	to.printf("\n%-*s %20s  %13s  %13s\n", width, "in greedy answers", "Caret's accounting", "new tokens", "time")
	to.printf("%-*s %6s %6s %6s  %6s %6s  %6s %6s\n", width, "selector", "mean", "p50", "p90", "p50", "p90", "p50", "p90")
	for _, s := range sums {
		to.printf("%-*s %6.2f %6.2f %6.2f  %6.2f %6.2f  %6.2f %6.2f\n", width, s.Selector, s.RelativeCost, s.Cost.P50, s.Cost.P90, s.Larger.P50, s.Larger.P90, s.Slower.P50, s.Slower.P90)
	}
}

// printSame prints which variants come to the same, as far as that was measured.
func printSame(to screen, width int, sums []eval.Summary) {
	if of := measured(sums, func(s eval.Summary) bool { return s.Again != nil || s.Drawn != nil }); len(of) > 0 {
		to.printf("\n%-*s %7s %7s %7s  %s\n", width, "the same, in percent", "verdict", "route", "line", "beside")
		row := func(s eval.Summary, same *eval.Sameness, beside string) {
			if same != nil {
				to.printf("%-*s %7.2f %7.2f %7.2f  %s\n", width, s.Selector, same.Verdict, same.Route, same.Line, beside)
			}
		}
		for _, s := range of {
			row(s, s.Again, "itself, asked again")
			if s.Drawn != nil {
				row(s, s.Drawn, s.Drawn.With)
			}
		}
	}
	if of := measured(sums, func(s eval.Summary) bool { return s.Causal != nil }); len(of) > 0 {
		to.printf("\n%-*s %s\n", width, "prompts", "EM against the same with a causal one")
		for _, s := range of {
			to.printf("%-*s %s\n", width, s.Selector, difference(s.Causal))
		}
	}
	if of := measured(sums, func(s eval.Summary) bool { return s.Graded != nil }); len(of) > 0 {
		to.printf("\n%-*s %7s %11s %6s  %s\n", width, "grades", "winner", "correlation", "tasks", "beside")
		for _, s := range of {
			g := s.Graded
			to.printf("%-*s %7.2f %11.3f %6d  %s\n", width, s.Selector, g.Winner, g.Correlation, g.Tasks, g.With)
		}
	}
}

func measured(sums []eval.Summary, has func(eval.Summary) bool) []eval.Summary {
	return slices.DeleteFunc(slices.Clone(sums), func(s eval.Summary) bool { return !has(s) })
}
