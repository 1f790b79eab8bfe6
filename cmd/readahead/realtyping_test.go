package main

import (
	"bytes"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"readahead/lsp"
	"readahead/model"
	"readahead/model/ollama/ollamatest"
)

// BenchmarkRealTypingSession types a function of Go's net/http key by key in
// front of a real Ollama and reports, by its prompt_eval_duration, how much of
// each prompt it did not process again, and what a key costs. One sample a key:
// a second context, and scores, are other prompts, which take the only slot.
//
//	READAHEAD_OLLAMA_BIN=… go test ./cmd/readahead -run '^$' -bench RealTypingSession -benchtime 1x
func BenchmarkRealTypingSession(b *testing.B) {
	srv := ollamatest.Start(b)
	root, err := exec.Command("go", "env", "GOROOT").Output()
	if err != nil {
		b.Fatal(err)
	}
	dir := filepath.Join(strings.TrimSpace(string(root)), "src", "net", "http")
	for range b.N {
		realTypingSession(b, srv.Endpoint, dir)
	}
}

func realTypingSession(b *testing.B, endpoint, dir string) {
	const keys = 200
	c := lsp.DefaultConfig()
	c.Endpoint, c.Model, c.Samples, c.DeadlineMs = endpoint, ollamatest.Model, 1, 60_000
	e, err := lsp.NewEngine(b.Context(), engineFlags{noCache: true}.with(c, []string{dir}))
	if err != nil {
		b.Fatal(err)
	}
	defer e.Close()
	if _, err := e.Build(b.Context(), nil); err != nil {
		b.Fatal(err)
	}
	file := filepath.Join(dir, "transfer.go")
	whole, err := os.ReadFile(file)
	if err != nil {
		b.Fatal(err)
	}
	start := bytes.Index(whole, []byte("func (t *transferWriter) writeHeader("))
	start += bytes.IndexByte(whole[start:], '\n') + 1
	end := start + bytes.Index(whole[start:], []byte("\n}\n"))
	text := append(append([]byte{}, whole[:start]...), whole[end:]...)
	e.OpenDocument(file, "go", text)
	var cold, all model.Usage
	for i := range keys {
		at := start + i
		text = append(append(append([]byte{}, text[:at]...), whole[at]), text[at:]...)
		e.EditDocument(file, at, at, whole[at:at+1])
		done, err := e.Complete(b.Context(), lsp.CompletionRequest{Path: file, LanguageID: "go", Text: text, Offset: at + 1})
		if err != nil || done.Trace == nil || done.Trace.Model.Provider != "ollama" || len(done.Trace.Decision.Pools) == 0 || len(done.Trace.Decision.Pools[0].Samples) == 0 {
			b.Fatalf("key %d: %v, notice %q", i, err, done.Notice)
		}
		sample := done.Trace.Decision.Pools[0].Samples[0].Usage
		if i == 0 {
			cold = sample
			continue
		}
		all = all.Plus(sample)
	}
	uncached := cold.PromptTime.Seconds() / float64(cold.Prompt) * float64(all.Prompt)
	b.ReportMetric(100*(1-all.PromptTime.Seconds()/uncached), "%prompt-kept")
	b.ReportMetric(float64(all.Prompt)/(keys-1), "prompt-tokens")
	b.ReportMetric(cold.PromptTime.Seconds()*1000, "ms-first-prompt")
	b.ReportMetric(all.PromptTime.Seconds()*1000/(keys-1), "ms-prompt/key")
}
