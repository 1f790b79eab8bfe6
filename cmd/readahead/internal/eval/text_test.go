package eval

import (
	"encoding/json"
	"math"
	"os"
	"testing"

	"pgregory.net/rapid"
)

// The values in testdata/metrics.json were computed by the reference scorer of
// the task files, an implementation in another language that shares nothing
// with this one.
func TestMetricsAgreeWithTheReferenceScorer(t *testing.T) {
	text, err := os.ReadFile("testdata/metrics.json")
	if err != nil {
		t.Fatal(err)
	}
	var want map[string][][]any
	if err := json.Unmarshal(text, &want); err != nil {
		t.Fatal(err)
	}
	number := func(v any) int { return int(v.(float64)) }
	for metric, of := range map[string]func(row []any) (got any){
		"tokens":     func(r []any) any { return float64(Tokens(r[0].(string))) },
		"squeeze":    func(r []any) any { return squeeze(r[0].(string)) },
		"clip":       func(r []any) any { return clip(r[0].(string), number(r[1])) },
		"similarity": func(r []any) any { return EditSimilarity(r[0].(string), r[1].(string)) },
		"contains":   func(r []any) any { return contains(squeeze(r[0].(string)), r[1].(string)) },
		"canonical": func(r []any) any {
			task := Task{Lang: r[1].(string), Line: 5, EndLine: 4 + number(r[2])}
			return task.Canonical(r[0].(string))
		},
	} {
		if len(want[metric]) < 50 {
			t.Errorf("%s: %d values", metric, len(want[metric]))
		}
		for _, row := range want[metric] {
			got, expected := of(row), row[len(row)-1]
			if a, ok := got.(float64); ok && math.Abs(a-expected.(float64)) < 1e-12 {
				continue
			}
			if got != expected {
				t.Errorf("%s(%q) = %#v; want %#v", metric, row[:len(row)-1], got, expected)
			}
		}
	}
}

func TestAClippedTextFitsAndIsTheBeginning(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		text := rapid.StringMatching(`([a-z (]{0,9}\n?){0,12}`).Draw(t, "text")
		budget := rapid.IntRange(0, 60).Draw(t, "budget")
		got := clip(text, budget)
		if len(got) > len(text) || text[:len(got)] != got {
			t.Fatalf("clip(%q, %d) = %q", text, budget, got)
		}
		if got != "" && Tokens(got) > budget {
			t.Fatalf("clip(%q, %d) = %q has %d tokens", text, budget, got, Tokens(got))
		}
	})
}
