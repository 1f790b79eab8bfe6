package ollama

import (
	"context"
	"errors"
	"net/http"
	"slices"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/ollama/ollama/api"

	"readahead/model"
	"readahead/model/fim"
	"readahead/model/internal/modeltest"
)

// draw takes at most n samples.
func draw(ctx context.Context, m *Model, p model.Prompt, o model.Options, n int) ([]model.Sample, error) {
	return modeltest.Draw(ctx, m.Model, p, o, n)
}

var tenTokens = model.Options{Temperature: 0.8, TopP: 0.95, MaxTokens: 10, Seed: 3, Stop: []string{"\n"}}

func TestEveryRequestIsRawWholeAndAlike(t *testing.T) {
	f := newFake(t)
	m := f.openDirect(t, Config{Model: "toy", KeepAlive: 5 * time.Minute})
	if _, err := draw(t.Context(), m, model.Prompt{Left: "a", Right: "b"}, tenTokens, 3); err != nil {
		t.Fatal(err)
	}
	for _, long := range []int{1, 100, 1500} { // however long a prompt is
		p := model.Prompt{Left: strings.Repeat("a", long), Causal: long == 100}
		if _, err := draw(t.Context(), m, p, tenTokens, 1); err != nil {
			t.Fatal(err)
		}
		err := m.Explorer.Explore(t.Context(), p, func(next model.Continue) error {
			_, _, err := next(nil, 4)
			return err
		})
		if err != nil {
			t.Fatal(err)
		}
	}
	if _, _, err := m.Scorer.Score(t.Context(), []model.Pair{{Prefix: "a", Continuation: "b"}}); err != nil {
		t.Fatal(err)
	}
	if _, _, err := m.Filler.Fill(t.Context(), []model.Gap{{Left: "a", Middle: "b", Right: "a"}}); err != nil {
		t.Fatal(err)
	}
	if err := m.Load(t.Context()); err != nil {
		t.Fatal(err)
	}
	for i, a := range f.asked() {
		if !a.Raw || a.Stream == nil || *a.Stream || a.Truncate == nil || *a.Truncate || a.Shift == nil || *a.Shift {
			t.Errorf("request %d: raw %v, stream, truncate or shift not off", i, a.Raw)
		}
		if a.Suffix != "" || a.System != "" || a.Template != "" {
			t.Errorf("request %d uses the model's template: %+v", i, a)
		}
		if a.KeepAlive == nil || a.KeepAlive.Duration != 5*time.Minute {
			t.Errorf("request %d: keep_alive %v", i, a.KeepAlive)
		}
		for _, runner := range []string{"num_batch", "num_thread", "num_gpu", "main_gpu", "use_mmap"} {
			if v, ok := a.Options[runner]; ok {
				t.Errorf("request %d sets %s to %v, which can reload the model", i, runner, v)
			}
		}
		if a.Options["num_ctx"] != 2048.0 {
			t.Errorf("request %d: num_ctx %v; want the Modelfile's 2048", i, a.Options["num_ctx"])
		}
	}
	for i, a := range f.asked()[:3] {
		want := map[string]any{"temperature": 0.8, "top_p": 0.95, "top_k": 0.0, "min_p": 0.0, "repeat_penalty": 1.0, "num_predict": 10.0, "seed": float64(3 + i)}
		for key, v := range want {
			if a.Options[key] != v {
				t.Errorf("sample %d: %s is %v; want %v", i, key, a.Options[key], v)
			}
		}
		if a.Prompt != "<|fim_prefix|>a<|fim_suffix|>b<|fim_middle|>" || !a.Logprobs {
			t.Errorf("sample %d: prompt %q, logprobs %v", i, a.Prompt, a.Logprobs)
		}
		if shown := m.Render(model.Prompt{Left: "a", Right: "b"}); shown != a.Prompt {
			t.Errorf("sample %d was sent %q; people are shown %q", i, a.Prompt, shown)
		}
		if stop := a.Options["stop"].([]any); stop[0] != "\n" || !slices.Contains(stop, any("<|file_sep|>")) {
			t.Errorf("sample %d stops at %v", i, stop)
		}
	}
}

func TestSamplesRepeatWithTheirSeed(t *testing.T) {
	f := newFake(t)
	m := f.openDirect(t, Config{})
	texts := func(seed int) (texts []string) {
		o := tenTokens
		o.Seed = seed
		samples, err := draw(t.Context(), m, model.Prompt{Left: "a"}, o, 6)
		if err != nil {
			t.Fatal(err)
		}
		for _, s := range samples {
			texts = append(texts, s.Text)
		}
		return texts
	}
	first := texts(3)
	if again := texts(3); !slices.Equal(first, again) {
		t.Errorf("the same seed gave %q and %q", first, again)
	}
	if next := texts(4); !slices.Equal(first[1:], next[:5]) {
		t.Errorf("seed 4 gave %q; want what came after the first of %q", next, first)
	}
	slices.Sort(first)
	if len(slices.Compact(first)) == 1 {
		t.Error("six samples are all the same")
	}
}

func TestASampleAccountsForItself(t *testing.T) {
	qwen, _ := fim.Named("qwen2.5-coder")
	s := (&server{prompter: fim.NewPrompter(qwen, true)}).sample(api.GenerateResponse{
		Response: "return x;<|file_sep|>more", DoneReason: "length",
		Logprobs: []api.Logprob{{TokenLogprob: api.TokenLogprob{Token: "return", Logprob: -0.5, Bytes: []int{114, 101}}}, {TokenLogprob: api.TokenLogprob{Token: " x", Logprob: -1}}},
		Metrics:  api.Metrics{PromptEvalCount: 7, PromptEvalDuration: 2 * time.Second, EvalCount: 3, EvalDuration: time.Second},
	}, model.Options{Stop: []string{";"}, MaxTokens: 10})
	if s.Text != "return x" || !s.Stopped {
		t.Errorf("text %q, stopped %v; want it cut at the stop string", s.Text, s.Stopped)
	}
	if len(s.Tokens) != 2 || s.Tokens[0] != (model.Token{Text: "re", LogProb: -0.5}) || s.Tokens[1].Text != " x" {
		t.Errorf("tokens %+v; bytes come before text", s.Tokens)
	}
	want := model.Usage{Requests: 1, Prompt: 7, Generated: 3, PromptTime: 2 * time.Second, Time: 3 * time.Second}
	if s.Usage != want {
		t.Errorf("usage %+v; want %+v", s.Usage, want)
	}
}

// Seen with a small model: zeros without end, and a reply that is not done.
func TestAnAnswerThatTheRunnerGaveUpIsACutSample(t *testing.T) {
	f := newFake(t)
	f.before = func(w http.ResponseWriter, _ *http.Request, _ api.GenerateRequest) bool {
		reply(w, 200, api.GenerateResponse{Model: "toy", CreatedAt: time.Now(), Response: "x = 0000"})
		return true
	}
	m := f.openDirect(t, Config{})
	samples, err := draw(t.Context(), m, model.Prompt{Left: "a"}, tenTokens, 2)
	if err != nil || len(samples) != 2 || samples[0].Text != "x = 0000" || samples[0].Stopped {
		t.Errorf("got %+v, %v", samples, err)
	}
}

func TestAnAnswerIsNoLongerThanWasAskedFor(t *testing.T) {
	f := newFake(t)
	f.before = func(w http.ResponseWriter, _ *http.Request, _ api.GenerateRequest) bool {
		reply(w, 200, api.GenerateResponse{
			Model: "toy", Response: strings.Repeat("(", 5<<20), Done: true, DoneReason: "stop",
			Logprobs: slices.Repeat([]api.Logprob{{TokenLogprob: api.TokenLogprob{Token: "("}}}, 1000),
		})
		return true
	}
	m := f.openDirect(t, Config{})
	samples, err := draw(t.Context(), m, model.Prompt{Left: "a"}, tenTokens, 1)
	if err != nil || len(samples) != 1 {
		t.Fatalf("%d samples, %v", len(samples), err)
	}
	if s := samples[0]; len(s.Text) > 4096 || s.Stopped || len(s.Tokens) != tenTokens.MaxTokens {
		t.Errorf("%d bytes, %d tokens, stopped %v of an answer of %d tokens", len(s.Text), len(s.Tokens), s.Stopped, tenTokens.MaxTokens)
	}
}

// Two callers that took turns would process each other's prompts anew.
func TestACallerKeepsItsSlotToTheEnd(t *testing.T) {
	f := newFake(t)
	m := f.open(t, Config{})
	first, second := make(chan struct{}), make(chan error, 1)
	i := 0
	for _, err := range m.Generator.Samples(t.Context(), model.Prompt{Left: "first", Causal: true}, tenTokens) {
		if err != nil {
			t.Fatal(err)
		}
		if i++; i == 1 {
			go func() {
				close(first)
				_, err := draw(t.Context(), m, model.Prompt{Left: "second", Causal: true}, tenTokens, 2)
				second <- err
			}()
			<-first
		}
		if i == 4 {
			break
		}
	}
	if err := <-second; err != nil {
		t.Fatal(err)
	}
	var order []string
	for _, a := range f.asked() {
		order = append(order, a.Prompt)
	}
	if got := strings.Join(order, " "); got != "first first first first second second" {
		t.Errorf("requests were %s", got)
	}
}

func TestASupersededRequestLeavesTheQueue(t *testing.T) {
	f := newFake(t)
	m := f.open(t, Config{})
	for _, err := range m.Generator.Samples(t.Context(), model.Prompt{Left: "a"}, tenTokens) {
		if err != nil {
			t.Fatal(err)
		}
		ctx, cancel := context.WithTimeout(t.Context(), 20*time.Millisecond)
		defer cancel()
		if _, err := draw(ctx, m, model.Prompt{Left: "queued"}, tenTokens, 1); !errors.Is(err, context.DeadlineExceeded) {
			t.Errorf("the queued request ended with %v", err)
		}
		break
	}
	if n := len(f.asked()); n != 1 {
		t.Errorf("%d requests reached the server; the queued one should not", n)
	}
}

func TestMoreSlotsMoreRequestsAtOnce(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		f := &fake{version: "0.17.4", toy: toy{vocabulary: []string{"", "a"}}, show: api.ShowResponse{}}
		f.before = func(http.ResponseWriter, *http.Request, api.GenerateRequest) bool {
			time.Sleep(time.Second)
			return false
		}
		u, _ := parseEndpoint("127.0.0.1")
		m := newModel(t.Context(), over(u, direct{f.handler()}), Config{Model: "toy", Parallel: 2}, abilities{family: fim.Unknown()})
		defer m.Close()
		began := time.Now()
		done := make(chan error)
		for range 4 {
			go func() {
				_, err := draw(t.Context(), m, model.Prompt{Left: "a"}, tenTokens, 1)
				done <- err
			}()
		}
		for range 4 {
			if err := <-done; err != nil {
				t.Error(err)
			}
		}
		if took := time.Since(began); took != 2*time.Second {
			t.Errorf("four requests of a second took %v in two slots", took)
		}
	})
}
