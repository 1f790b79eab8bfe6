package main

import (
	"fmt"
	"math"
	"time"

	"readahead/cmd/readahead/internal/eval"
	"readahead/index"
)

func (r *tuning) print(s screen) {
	s.printf("%s, %s held out of %s, %v, decided by %s\n\n", s.bold(r.choice.Model), lines(r.choice.Lines),
		thousands(r.all), r.took.Round(time.Second/10), r.selected)
	s.printf("  %-18s %12s %8s   %s\n", "asked first with", "lines right", "EM", "95 %")
	for _, row := range []struct {
		name string
		sum  eval.Summary
	}{{"structural", r.structural}, {"lexical", r.lexical}} {
		s.printf("  %-18s %12d %6.1f %%   %.1f to %.1f\n", row.name, r.right(row.sum), row.sum.EM, row.sum.EMInterval.Low, row.sum.EMInterval.High)
	}
	s.printf("\n")
	for _, sentence := range r.says() {
		s.printf("%s\n", sentence)
	}
}

func (r *tuning) right(s eval.Summary) int {
	return int(math.Round(s.EM * float64(r.choice.Lines) / 100))
}

// says is the result in sentences.
func (r *tuning) says() []string {
	a := r.against
	out := []string{
		fmt.Sprintf("With lexical evidence first, %s right that the other order gets wrong, and %s wrong that it gets right: %+.1f points (95 %%: %+.1f to %+.1f, p = %.2g).",
			come(a.Wins), come(a.Losses), a.Difference, a.Interval.Low, a.Interval.High, a.P),
		r.verdict(),
	}
	if r.overridden != "auto" && r.overridden != "" {
		out = append(out, fmt.Sprintf("It has no effect as long as your configuration says primary = %q.", r.overridden))
	}
	if r.selected == "votes" && r.model.Scoring != "" {
		out = append(out, "Votes decided, and nothing was graded by the code after the cursor: this server cannot score a text in one request, and the grading would have taken most of the time.")
	}
	if r.kept == "" {
		return append(out, "It could not be kept.")
	}
	return append(out, fmt.Sprintf("Kept in %s, for this workspace and this model; an editor that is running counts it from its next start on. `primary` in your configuration overrides it, and `readahead tune --forget` drops it.", r.kept))
}

// fewest lines that must differ, all in one direction, for a difference to be
// more than chance: 2·½⁶ < 0.05.
const fewest = 6

func (r *tuning) verdict() string {
	switch differ := r.against.Wins + r.against.Losses; {
	case r.choice.Primary == index.Lexical:
		return "That is more than chance: lexical evidence comes first from now on."
	case r.choice.Clear:
		return "That is more than chance: structural evidence stays first."
	case differ < fewest && r.choice.Lines < r.all:
		return fmt.Sprintf("That says nothing: at least %d lines must differ, all one way, to be more than chance. Structural evidence, the default, stays first; more lines (--limit, --time) may tell.", fewest)
	case differ < fewest:
		return fmt.Sprintf("That says nothing: at least %d lines must differ, all one way, to be more than chance. Structural evidence, the default, stays first; there are no more lines here to ask about.", fewest)
	}
	return "That is within what chance does: structural evidence, the default, stays first."
}

func come(n int) string {
	if n == 1 {
		return "1 line comes out"
	}
	return fmt.Sprintf("%s lines come out", thousands(n))
}

func lines(n int) string {
	if n == 1 {
		return "1 line"
	}
	return thousands(n) + " lines"
}

// thousands is n with commas.
func thousands(n int) string {
	s := fmt.Sprint(n)
	for i := len(s) - 3; i > 0; i -= 3 {
		s = s[:i] + "," + s[i:]
	}
	return s
}
