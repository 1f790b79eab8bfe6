package openai

import (
	"errors"
	"math"
	"net/http"
	"slices"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"readahead/model"
)

func TestLikelihoodsAreTheModelsOwn(t *testing.T) {
	for _, tt := range []struct {
		name string
		set  func(*fake)
		how  string
	}{
		{"by echo", func(*fake) {}, "echo"},
		{"by prompt_logprobs, where echo is refused", func(f *fake) { f.echo, f.prompt = false, true }, "prompt_logprobs"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			f := newFake(t)
			tt.set(f)
			m := f.open(t, Config{})
			if m.Info.Scoring != tt.how {
				t.Fatalf("scoring %q, want %q", m.Info.Scoring, tt.how)
			}
			pairs := []model.Pair{
				{Prefix: "func add(a, b int) ", Continuation: "int {\n"},
				{Prefix: "for each one of them ", Continuation: "日本 é"},
				{Prefix: "a(", Continuation: "b = c"},
				{Prefix: "x = <|fim_", Continuation: "middle|>\n"},
				{Prefix: "whatever comes", Continuation: ""},
			}
			got, usage, err := m.Scorer.Score(t.Context(), pairs)
			if err != nil {
				t.Fatal(err)
			}
			for i, p := range pairs {
				prefix, target := m.server.prompter.Pair(p)
				if len(prefix) < leastPrefix {
					prefix = "\n" + prefix
				}
				tokens, want, at := toy{}.split(prefix+target), 0.0, 0
				for k, token := range tokens {
					if at >= len(prefix) {
						want += toy{}.logProb(tokens[:k], token)
					}
					at += len(token)
				}
				if math.Abs(got[i].LogProb-want) > 1e-9 || !got[i].Exact {
					t.Errorf("%q: %v, exact %v; want %v", p.Continuation, got[i].LogProb, got[i].Exact, want)
				}
			}
			if usage.Requests != 4 {
				t.Errorf("%d requests, want one for each text", usage.Requests)
			}
		})
	}
}

func TestAbilitiesAreSeenNotBelieved(t *testing.T) {
	for _, tt := range []struct {
		name    string
		set     func(*fake)
		config  Config
		scoring string
		fim     bool
		batch   bool
		notes   []string
	}{
		{"all of it", func(*fake) {}, Config{}, "echo", true, true, nil},
		{"echo is refused", func(f *fake) { f.echo = false }, Config{}, "", true, true, []string{"cannot score a given text"}},
		{"log-probabilities of a text that are not its own", func(f *fake) { f.shifted = true }, Config{}, "", true, true, []string{"cannot be right"}},
		{"no log-probabilities", func(f *fake) { f.silent = true }, Config{}, "", true, true, []string{"no log-probabilities"}},
		{"one sample a request", func(f *fake) { f.most = 1 }, Config{}, "echo", true, false, []string{"one sample a request"}},
		{"one sample a request, and more are refused", func(f *fake) { f.most, f.refuses = 1, true }, Config{}, "echo", true, false, []string{"one sample a request"}},
		{"a name that says nothing", func(f *fake) { f.model.ID = "ours" }, Config{}, "echo", false, true, []string{"prompts end at the cursor"}},
		{"a model for chats", func(f *fake) { f.model.ID = "deepseek-coder-instruct" }, Config{}, "echo", false, true, []string{"prompts end at the cursor"}},
		{"the user knows better", func(f *fake) { f.model.ID = "ours" }, Config{Family: "starcoder2"}, "echo", true, true, nil},
		{"the user errs", func(*fake) {}, Config{Family: "starcoder9"}, "echo", true, true, []string{`"starcoder9" is not known`}},
		{"the context is not told", func(f *fake) { f.model.MaxModelLen = 0 }, Config{}, "echo", true, true, []string{"8192 tokens are assumed"}},
		{"the user wants more than there is", func(*fake) {}, Config{NumCtx: 9999}, "echo", true, true, []string{"lowered to the 4096"}},
	} {
		t.Run(tt.name, func(t *testing.T) {
			f := newFake(t)
			tt.set(f)
			m := f.open(t, tt.config)
			i := m.Info
			if i.Scoring != tt.scoring || (m.Scorer != nil) != (tt.scoring != "") || i.FIM != tt.fim || (m.server.batch.most > 1) != tt.batch {
				t.Errorf("got %+v, %d samples a request", i, m.server.batch.most)
			}
			if len(i.Notes) != len(tt.notes) {
				t.Errorf("notes %q", i.Notes)
			}
			for _, want := range tt.notes {
				if !slices.ContainsFunc(i.Notes, func(n string) bool { return strings.Contains(n, want) }) {
					t.Errorf("no note says %q: %q", want, i.Notes)
				}
			}
		})
	}
}

func TestWhichModelIsMeant(t *testing.T) {
	models := func(ids ...string) (out []listed) {
		for _, id := range ids {
			out = append(out, listed{ID: id})
		}
		return out
	}
	for _, tt := range []struct {
		name   string
		models []listed
		asked  string
		want   string
		err    error
	}{
		{"the only one", models("anything"), "", "anything", nil},
		{"the one that completes code", models("llama-3", "Qwen/Qwen2.5-Coder-7B", "bge-embed"), "", "Qwen/Qwen2.5-Coder-7B", nil},
		{"none of several", models("llama-3", "mistral"), "", "", ErrNoModel},
		{"one of two", models("codellama", "starcoder2"), "", "", ErrNoModel},
		{"the one asked for", models("codellama", "starcoder2"), "starcoder2", "starcoder2", nil},
		{"one by another name", []listed{{ID: "path/to.gguf", Aliases: []string{"ours"}}}, "ours", "ours", nil},
		{"one that is not there", models("codellama"), "starcoder2", "", ErrModelMissing},
	} {
		m, err := choose(tt.models, tt.asked, "host")
		if m.ID != tt.want || !errors.Is(err, tt.err) || err != nil && !strings.Contains(err.Error(), tt.models[0].ID) {
			t.Errorf("%s: %q, %v", tt.name, m.ID, err)
		}
	}
}

func TestAFailureEndsAllScores(t *testing.T) {
	f := newFake(t)
	m := f.open(t, Config{Parallel: 2})
	var asked atomic.Int32
	f.before = func(w http.ResponseWriter, r *http.Request, _ map[string]any) bool {
		if asked.Add(1) == 1 {
			refuse(w, http.StatusInternalServerError, "out of memory")
			return true
		}
		select { // the others would take long
		case <-r.Context().Done():
		case <-time.After(20 * time.Second):
		}
		return true
	}
	began := time.Now()
	_, _, err := m.Scorer.Score(t.Context(), slices.Repeat([]model.Pair{{Prefix: "for each of them", Continuation: "x"}}, 10))
	if !errors.Is(err, ErrBroken) || time.Since(began) > 5*time.Second {
		t.Errorf("%v after %v", err, time.Since(began))
	}
}
