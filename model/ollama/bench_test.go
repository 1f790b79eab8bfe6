package ollama

import (
	"testing"

	"readahead/model"
)

// BenchmarkSample is what a sample costs beside the model: JSON, HTTP, queue.
func BenchmarkSample(b *testing.B) {
	f := newFake(b)
	m := f.open(b, Config{})
	b.ReportAllocs()
	for b.Loop() {
		for _, err := range m.Generator.Samples(b.Context(), model.Prompt{Left: "a"}, model.Options{MaxTokens: 16, Temperature: 0.8}) {
			if err != nil {
				b.Fatal(err)
			}
			break
		}
	}
}
