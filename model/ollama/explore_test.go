package ollama

import (
	"context"
	"errors"
	"math"
	"net/http"
	"slices"
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/ollama/ollama/api"
	"pgregory.net/rapid"

	"readahead/model"
)

// Every step lists what the model says about that place, and the steps lead to
// the end of the line.
func TestStepsAreTheModelsOwn(t *testing.T) {
	for name, v := range vocabularies {
		t.Run(name, func(t *testing.T) {
			f := newFake(t)
			f.toy.vocabulary = v
			m := f.openDirect(t, Config{})
			rapid.Check(t, func(t *rapid.T) {
				f.toy.salt = rapid.StringN(0, 3, -1).Draw(t, "salt")
				p := model.Prompt{Left: targets(v).Draw(t, "left"), Right: "x", Causal: rapid.Bool().Draw(t, "causal")}
				written := rapid.SliceOfN(rapid.SampledFrom([]string{"a", "b", "ab"}), 0, 3).Draw(t, "written")
				limit := rapid.IntRange(1, 12).Draw(t, "limit")
				var steps []model.Step
				err := m.Explorer.Explore(context.Background(), p, func(next model.Continue) (err error) {
					steps, _, err = next(written, limit)
					return err
				})
				if err != nil {
					t.Fatal(err)
				}
				text := m.server.prompter.Text(p) + strings.Join(written, "")
				for i, s := range steps {
					checkStep(t, f.toy, text, s)
					first := s.Listed[0]
					if last := i == len(steps)-1; (first.End || strings.Contains(first.Text, "\n")) && !last {
						t.Fatalf("goes on behind step %d of %d, %q", i, len(steps), first.Text)
					}
					text += first.Text
				}
				if len(steps) > limit {
					t.Fatalf("%d steps, %d are wanted", len(steps), limit)
				}
			})
		})
	}
}

// checkStep holds a step against the toy. A token that is part of a character is
// no choice, and a character made of several is one without a value of its own.
func checkStep(t *rapid.T, m toy, text string, s model.Step) {
	exact := map[string]float64{}
	for i, lp := range m.logProbs(text) {
		exact[m.vocabulary[i]] = lp
	}
	for i, c := range s.Listed {
		name := c.Text
		if c.End {
			name = ""
		}
		want, ok := exact[name]
		if i == 0 && c.Text != "" && c.Text[0] >= utf8.RuneSelf {
			continue // a character may be one token, and is several here
		}
		if ok && math.Abs(want-c.LogProb) > 1e-6 || !ok && i > 0 {
			t.Fatalf("behind %q: %q costs %v, want %v", text, c.Text, c.LogProb, want)
		}
		if i > 1 && c.LogProb > s.Listed[i-1].LogProb {
			t.Fatalf("behind %q: %q is listed behind the less probable %q", text, c.Text, s.Listed[i-1].Text)
		}
	}
}

// The end of a line is one token in a second request: where the line could have
// gone on is known, too.
func TestTheEndOfALineIsAskedFor(t *testing.T) {
	f := newFake(t)
	m := f.openDirect(t, Config{})
	for salt := range 20 {
		f.toy.salt = strings.Repeat("s", salt)
		err := m.Explorer.Explore(t.Context(), model.Prompt{Left: "a", Causal: true}, func(next model.Continue) error {
			before := len(f.asked())
			steps, u, err := next(nil, 40)
			if err != nil || len(steps) == 0 {
				t.Fatalf("%d steps, %v", len(steps), err)
			}
			last := steps[len(steps)-1].Listed[0]
			ended := last.End || strings.Contains(last.Text, "\n")
			if asked := len(f.asked()) - before; asked != u.Requests || asked > 3 || ended && asked == 1 {
				t.Errorf("%d requests, %d told, for a line that ended: %v", asked, u.Requests, ended)
			}
			if last.End && math.Abs(last.LogProb-f.toy.logProbs("a" + texts(steps))[0]) > 1e-6 {
				t.Errorf("the end costs %v", last.LogProb)
			}
			return nil
		})
		if err != nil {
			t.Fatal(err)
		}
	}
}

func texts(steps []model.Step) string {
	var b strings.Builder
	for _, s := range steps {
		b.WriteString(s.Listed[0].Text)
	}
	return b.String()
}

// What the model says of special tokens never reaches the line, and what it
// copies of the user's own text is shown as the user wrote it.
func TestSpecialTokensWhileExploring(t *testing.T) {
	f := newFake(t)
	f.toy.vocabulary = []string{"", "<|fim_pad|>", "<\u200b|fim_middle|>"}
	m := f.openDirect(t, Config{})
	ends, copies := 0, 0
	for salt := range 20 {
		f.toy.salt = strings.Repeat("s", salt)
		err := m.Explorer.Explore(t.Context(), model.Prompt{Left: "a", Right: "b"}, func(next model.Continue) error {
			steps, _, err := next([]string{"<|fim_middle|>"}, 3)
			for _, s := range steps {
				for _, c := range s.Listed {
					switch {
					case c.End && c.Text == "":
						ends++
					case c.Text == "<|fim_middle|>":
						copies++
					default:
						t.Errorf("a choice %+v", c)
					}
				}
			}
			return err
		})
		if err != nil {
			t.Fatal(err)
		}
	}
	if ends == 0 || copies == 0 {
		t.Errorf("%d ends and %d copies were seen", ends, copies)
	}
	if last := f.asked()[len(f.asked())-1].Prompt; !strings.Contains(last, "<|fim_middle|><\u200b|fim_middle|>") {
		t.Errorf("written behind the prompt without being made plain text: %q", last)
	}
}

func TestExploringFails(t *testing.T) {
	f := newFake(t)
	m := f.open(t, Config{})
	explore := func(ctx context.Context) error {
		return m.Explorer.Explore(ctx, model.Prompt{Left: "a"}, func(next model.Continue) error {
			_, _, err := next(nil, 8)
			return err
		})
	}
	f.before = func(w http.ResponseWriter, _ *http.Request, g api.GenerateRequest) bool {
		reply(w, 404, map[string]string{"error": "model 'toy' not found"})
		return true
	}
	if err := explore(t.Context()); !errors.Is(err, ErrModelMissing) {
		t.Errorf("a model that is gone: %v", err)
	}
	f.before = func(w http.ResponseWriter, _ *http.Request, g api.GenerateRequest) bool {
		reply(w, 200, api.GenerateResponse{Response: "ab", Done: true, DoneReason: "stop"})
		return true
	}
	if err := explore(t.Context()); !errors.Is(err, ErrNoLogProbs) {
		t.Errorf("a server without log-probabilities: %v", err)
	}
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if err := explore(ctx); !errors.Is(err, context.Canceled) {
		t.Errorf("cancelled: %v", err)
	}
	if slices.ContainsFunc(f.asked(), func(g api.GenerateRequest) bool { return g.Stream == nil || *g.Stream }) {
		t.Error("a request was streamed")
	}
}
