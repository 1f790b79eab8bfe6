package openai

import (
	"slices"
	"strings"
	"testing"

	"readahead/model"
)

var ten = model.Options{Temperature: 0.8, TopP: 0.95, MaxTokens: 10, Seed: 3, Stop: []string{"\n"}, N: 10}

func TestOneRequestDrawsWhatTheCallerMeansToTake(t *testing.T) {
	for _, tt := range []struct {
		name     string
		set      func(*fake)
		options  model.Options
		take     int
		requests []int // n of each
	}{
		{"ten in one", func(*fake) {}, ten, 10, []int{10}},
		{"more than was meant come one by one", func(*fake) {}, ten, 12, []int{10, 1, 1}},
		{"fewer cost no second request", func(*fake) {}, ten, 3, []int{10}},
		{"a caller that says nothing gets one a request", func(*fake) {}, model.Options{Temperature: 1, MaxTokens: 5}, 2, []int{1, 1}},
		{"greedy samples would all be the same", func(*fake) {}, model.Options{N: 10, MaxTokens: 5}, 2, []int{1, 1}},
		{"a server that refuses ten is asked for half as many", func(f *fake) { f.most, f.refuses = 4, true }, ten, 10, []int{10, 5, 2, 2, 2, 2, 2}},
		{"a server that ignores n gives one a request", func(f *fake) { f.most = 1 }, ten, 3, []int{1, 1, 1}},
		{"a server that gives fewer is not asked for more again", func(f *fake) { f.most = 3 }, ten, 7, []int{10, 3, 3}},
	} {
		t.Run(tt.name, func(t *testing.T) {
			f := newFake(t)
			tt.set(f)
			m := f.open(t, Config{})
			samples, err := draw(t.Context(), m, model.Prompt{Left: "a"}, tt.options, tt.take)
			if err != nil || len(samples) != tt.take {
				t.Fatalf("%d samples, %v", len(samples), err)
			}
			var got []int
			for _, r := range f.requests() {
				n := 1
				if v, ok := r["n"].(float64); ok {
					n = int(v)
				}
				got = append(got, n)
			}
			if !slices.Equal(got, tt.requests) {
				t.Errorf("requests for %v samples, want %v", got, tt.requests)
			}
		})
	}
}

func TestARequestSaysWhatTheCallerAskedForAndNoMore(t *testing.T) {
	f := newFake(t)
	m := f.open(t, Config{})
	if _, err := draw(t.Context(), m, model.Prompt{Left: "LEFT <|fim_middle|>", Right: "RIGHT"}, ten, 1); err != nil {
		t.Fatal(err)
	}
	got := f.requests()[0]
	for key, want := range map[string]any{
		"model": "qwen2.5-coder-7b", "n": 10.0, "temperature": 0.8, "top_p": 0.95, "max_tokens": 10.0, "seed": 3.0, "logprobs": 1.0,
		"prompt": "<|fim_prefix|>LEFT <\u200b|fim_middle|><|fim_suffix|>RIGHT<|fim_middle|>",
		// vLLM's defaults are the publisher's, for chats
		"top_k": -1.0, "min_p": 0.0, "repetition_penalty": 1.0, "skip_special_tokens": false, "spaces_between_special_tokens": false,
	} {
		if got[key] != want {
			t.Errorf("%s is %v, want %v", key, got[key], want)
		}
	}
	if stop := got["stop"].([]any); stop[0] != "\n" || len(stop) > maxStops {
		t.Errorf("stop %v", stop)
	}
	if _, there := got["stream"]; there || got["echo"] != nil || got["suffix"] != nil {
		t.Errorf("sent %v", got)
	}
}

func TestAServerOfUnknownKindIsSentTheStandardAlone(t *testing.T) {
	f := newFake(t)
	f.model.OwnedBy, f.strict = "somebody", true
	m := f.open(t, Config{})
	if _, err := draw(t.Context(), m, model.Prompt{Left: "a"}, ten, 1); err != nil {
		t.Error(err)
	}
}

func TestTheServersSuffixIsUsedOnlyIfAskedFor(t *testing.T) {
	f := newFake(t)
	f.suffix = true
	m := f.open(t, Config{Suffix: true})
	if _, err := draw(t.Context(), m, model.Prompt{Context: "E", Left: "L", Right: "R"}, ten, 1); err != nil {
		t.Fatal(err)
	}
	if got := f.requests()[0]; got["prompt"] != "E\nL" || got["suffix"] != "R" || !m.Info.FIM || m.Render != nil {
		t.Errorf("sent %v, %+v", got, m.Info)
	}
	f.suffix = false
	if _, err := Open(t.Context(), Config{Endpoint: f.URL, Suffix: true}); err == nil || !strings.Contains(err.Error(), "set prompt to auto or fim") {
		t.Errorf("a server without suffix: %v", err)
	}
}

func TestASampleAccountsForItself(t *testing.T) {
	f := newFake(t)
	f.text = "ab\ncd<|endoftext|>more"
	m := f.open(t, Config{})
	samples, err := draw(t.Context(), m, model.Prompt{Left: "abc"}, ten, 10)
	if err != nil {
		t.Fatal(err)
	}
	var u model.Usage
	for _, s := range samples {
		u = u.Plus(s.Usage)
		if s.Text != "ab" || !s.Stopped || len(s.Tokens) == 0 || s.Usage.Generated != len(s.Tokens) {
			t.Errorf("got %+v; want it cut at the line break", s)
		}
	}
	if u.Requests != 1 || u.Prompt == 0 || u.Generated != 10*len(samples[0].Tokens) || u.Time <= 0 {
		t.Errorf("ten samples of one request cost %+v", u)
	}
}

// The body of the loop may ask for more, as a sample that is only a comment is
// continued on the spot.
func TestSamplesCanBeAskedForInsideTheLoop(t *testing.T) {
	m := newFake(t).open(t, Config{Parallel: 1})
	for _, err := range m.Generator.Samples(t.Context(), model.Prompt{Left: "a"}, ten) {
		if err != nil {
			t.Fatal(err)
		}
		if _, err := draw(t.Context(), m, model.Prompt{Left: "ab"}, ten, 1); err != nil {
			t.Fatal(err)
		}
		break
	}
}
