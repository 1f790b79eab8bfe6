package rank

import (
	"context"
	"iter"
	"strings"
	"testing"

	"readahead/model"
)

// instant is a model that answers at once and, unlike replay, remembers nothing.
type instant []string

func (lines instant) Samples(context.Context, model.Prompt, model.Options) iter.Seq2[model.Sample, error] {
	return func(yield func(model.Sample, error) bool) {
		for i := 0; yield(model.Sample{Text: lines[i%len(lines)], Stopped: true}, nil); i++ {
		}
	}
}

// BenchmarkDecide is the ranking's own work, over a model that answers at once:
// ten samples with five distinct lines, all scored, in the middle of a file.
func BenchmarkDecide(b *testing.B) {
	lines := []string{
		"total += item.Price * item.Count", "total += item.Price", "total += item.Price * item.Count",
		"total = total.Add(item.Price)", "total += item.Cost()", "total += item.Price",
		"total += item.Price * item.Count", "sum += item.Price", "total += item.Price", "total += item.Cost()",
	}
	q := Request{
		Bases: []Base{{"structural", strings.Repeat("evidence ", 2000)}, {"lexical", "other"}},
		Path:  "cart/cart.go", Lang: "go",
		Left:  strings.Repeat("\tx := compute(a, b, \"some text\") // why\n", 100) + "\t",
		Right: strings.Repeat("\n\treturn total, nil // done", 100),
	}
	r := Ranker{Generator: instant(lines), Scorer: scattered{}, Tokens: words, Options: DefaultOptions()}
	b.ReportAllocs()
	for b.Loop() {
		d, err := r.Decide(b.Context(), q)
		if err != nil || d.Rule != "blend" {
			b.Fatalf("rule %q, %v", d.Rule, err)
		}
	}
}
