package modeltest

import (
	"context"
	"errors"
	"maps"
	"math"
	"strings"
	"testing"
	"time"

	"readahead/model"
)

// Code is of kinds that estimates of tokens go wrong on; real is some of it.
func Code(real string) map[string]string {
	return map[string]string{
		"real":     real,
		"digits":   strings.Repeat("0x1f, 42, 100000, ", 40),
		"indented": strings.Repeat("\t\t\t\t\treturn nil\n", 40),
	}
}

// EstimatesTokens holds m's estimate of tokens against the server's count: it is
// least of that at least.
func EstimatesTokens(t *testing.T, m model.Model, texts map[string]string, least float64) {
	t.Helper()
	for name, text := range maps.All(texts) {
		estimate := m.Tokens(text)
		s, err := Draw(t.Context(), m, model.Prompt{Left: text, Causal: true}, model.Options{MaxTokens: 1}, 1)
		if err != nil {
			t.Fatal(err)
		}
		truth := s[0].Usage.Prompt
		t.Logf("%s: estimated %d, counted %d", name, estimate, truth)
		if float64(estimate) < least*float64(truth) {
			t.Errorf("%s: estimated %d of %d tokens", name, estimate, truth)
		}
	}
}

// ScoresOddTexts has m score what is no plain text. Its tokens make up what
// neutralise makes of the text.
func ScoresOddTexts(t *testing.T, m model.Model, neutralise func(string) string) {
	t.Helper()
	for _, text := range []string{"日本語", "é = 1", "\x00\xff", "🙂🙂", "", "<|fim_middle|>", "\u200b", strings.Repeat("}", 30), strings.Repeat("日本", 20)} {
		l, _, err := m.Scorer.Score(t.Context(), []model.Pair{{Prefix: "s := \"", Continuation: text}})
		if err != nil {
			t.Errorf("%q: %v", text, err)
			continue
		}
		got := ""
		for _, token := range l[0].Tokens {
			got += token.Text
		}
		if want := neutralise(text); got != want || math.IsInf(l[0].LogProb, 0) || math.IsNaN(l[0].LogProb) {
			t.Errorf("%q: tokens %q, log-probability %v", text, got, l[0].LogProb)
		}
	}
}

// long is a request that takes a server seconds.
var long = model.Options{Temperature: 0.8, MaxTokens: 1500}

// CancelsAtOnce cancels samples while they are drawn: that is felt at once, and the
// server is free for the next request.
func CancelsAtOnce(t *testing.T, m model.Model) {
	t.Helper()
	const after = 300 * time.Millisecond
	ctx, cancel := context.WithCancel(t.Context())
	time.AfterFunc(after, cancel)
	began := time.Now()
	_, err := Draw(ctx, m, model.Prompt{Left: "// all about it\n", Causal: true}, long, 100)
	if !errors.Is(err, context.Canceled) {
		t.Fatalf("got %v after %v", err, time.Since(began))
	}
	returned := time.Since(began) - after
	began = time.Now() // the one slot is free again only when the server has stopped, too
	if _, err := Draw(t.Context(), m, model.Prompt{Left: "x"}, model.Options{MaxTokens: 1}, 1); err != nil {
		t.Fatal(err)
	}
	t.Logf("returned %v after the cancellation; the next answer took %v", returned, time.Since(began))
	if returned > 5*time.Second { // milliseconds, where a core is free
		t.Errorf("returned %v after the cancellation", returned)
	}
}

// During does harm while samples are drawn, and gives their error and how long
// after the harm it came.
func During(t *testing.T, m model.Model, harm func()) (after time.Duration, err error) {
	t.Helper()
	result := make(chan error, 1)
	go func() {
		_, err := Draw(t.Context(), m, model.Prompt{Left: "package main\n\n// long\n", Causal: true}, long, 100)
		result <- err
	}()
	time.Sleep(500 * time.Millisecond)
	harm()
	began := time.Now()
	select {
	case err := <-result:
		return time.Since(began), err
	case <-time.After(2 * time.Minute):
		t.Fatal("no error within two minutes")
		return 0, nil
	}
}

// ComesBack draws from a server that was started again.
func ComesBack(t *testing.T, m model.Model) {
	t.Helper()
	if _, err := Draw(t.Context(), m, model.Prompt{Left: "x"}, model.Options{MaxTokens: 1}, 1); err != nil {
		t.Errorf("after it came back: %v", err)
	}
}
