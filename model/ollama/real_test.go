package ollama

import (
	"errors"
	"fmt"
	"math"
	"strings"
	"testing"
	"time"

	"readahead/model"
	"readahead/model/internal/modeltest"
	"readahead/model/ollama/ollamatest"
)

func openReal(t *testing.T, s *ollamatest.Server, c Config) *Model {
	t.Helper()
	c.Endpoint, c.Model = s.Endpoint, s.Model
	m, err := Open(t.Context(), c)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(m.Close)
	return m
}

// source is real code, n bytes of it.
func source(t *testing.T, n int) string {
	t.Helper()
	return modeltest.Source(t, "walk.go", -200, n)
}

// TestReal runs in one server, from what leaves it unharmed to what kills it.
func TestReal(t *testing.T) {
	srv := ollamatest.Start(t)
	m := openReal(t, srv, Config{})
	t.Run("it says what it can do", func(t *testing.T) {
		want := model.Info{Name: srv.Model, Provider: "ollama", Family: "qwen2.5-coder", FIM: true, Scoring: "walk", Context: 2048}
		if got := m.Info; got.Name != want.Name || got.Family != want.Family || !got.FIM || got.Scoring != want.Scoring || got.Context != want.Context || got.Remote != "" || len(got.Notes) != 0 {
			t.Errorf("got %+v; want %+v", got, want)
		}
		name, err := PickCodeModel(t.Context(), srv.Endpoint)
		if err != nil || strings.TrimSuffix(name, ":latest") != srv.Model {
			t.Errorf("picked %q, %v", name, err)
		}
	})
	t.Run("ten samples process their prompt once", func(t *testing.T) { tenSamples(t, m) })
	t.Run("samples repeat with their seed", func(t *testing.T) { repeated(t, m) })
	t.Run("no options reload the model", func(t *testing.T) {
		if n := srv.Loads(); n != 1 {
			t.Errorf("the model was loaded %d times", n)
		}
	})
	t.Run("special tokens in the user's code stay text", func(t *testing.T) { specialText(t, m) })
	t.Run("the estimate of tokens is not too low", func(t *testing.T) { estimates(t, m) })
	t.Run("the walk agrees with forced decoding", func(t *testing.T) { walksAgree(t, m) })
	t.Run("exploring tells what is drawn", func(t *testing.T) { explores(t, m) })
	t.Run("texts in many bytes are scored", func(t *testing.T) { modeltest.ScoresOddTexts(t, m.Model, m.server.prompter.Neutralise) })
	t.Run("a prompt that does not fit is refused", func(t *testing.T) { doesNotFit(t, m) })
	t.Run("cancelling stops the model", func(t *testing.T) { modeltest.CancelsAtOnce(t, m.Model) })
	t.Run("still one load", func(t *testing.T) {
		if n := srv.Loads(); n != 1 {
			t.Errorf("the model was loaded %d times", n)
		}
	})
	t.Run("a model that is missing", func(t *testing.T) {
		if _, err := Open(t.Context(), Config{Endpoint: srv.Endpoint, Model: "nobody-has-this"}); !errors.Is(err, ErrModelMissing) {
			t.Errorf("got %v", err)
		}
	})
	t.Run("the model's process is killed", func(t *testing.T) { killedRunner(t, srv, m) })
	t.Run("the server is killed", func(t *testing.T) { killedServer(t, srv, m) })
}

// The same in a server that answers four requests at once: samples still come one
// after another, in the slot that has their prompt. With four requests allowed from
// here they are as good.
func TestRealSlots(t *testing.T) {
	srv := ollamatest.Start(t, "OLLAMA_NUM_PARALLEL=4")
	for _, parallel := range []int{1, 4} {
		m := openReal(t, srv, Config{Parallel: parallel})
		t.Run(fmt.Sprintf("%d at once", parallel), func(t *testing.T) {
			t.Run("ten samples process their prompt once", func(t *testing.T) { tenSamples(t, m) })
			t.Run("samples repeat with their seed", func(t *testing.T) { repeated(t, m) })
			t.Run("the walk agrees with forced decoding", func(t *testing.T) { walksAgree(t, m) })
			t.Run("cancelling stops the model", func(t *testing.T) { modeltest.CancelsAtOnce(t, m.Model) })
		})
	}
	if n := srv.Loads(); n != 1 {
		t.Errorf("the model was loaded %d times", n)
	}
}

func tenSamples(t *testing.T, m *Model) {
	prompt := model.Prompt{Left: source(t, 2500)}
	o := model.Options{Temperature: 0.8, TopP: 0.95, MaxTokens: 32, Seed: 1, Stop: []string{"\n"}}
	samples, err := draw(t.Context(), m, prompt, o, 10)
	if err != nil {
		t.Fatal(err)
	}
	first, rest := samples[0].Usage.PromptTime, time.Duration(0)
	// the nine that found the prompt in the cache must not count as fast reading
	if truth := float64(samples[0].Usage.Prompt) / first.Seconds(); m.PromptSpeed() < truth/3 || m.PromptSpeed() > 3*truth {
		t.Errorf("the server reads %.0f tokens/s, as measured %.0f", truth, m.PromptSpeed())
	}
	distinct := map[string]bool{}
	for i, s := range samples {
		distinct[s.Text] = true
		if i > 0 {
			rest += s.Usage.PromptTime
		}
		if s.Usage.Prompt < 300 || strings.Contains(s.Text, "\n") {
			t.Errorf("sample %d: %d prompt tokens, text %q", i, s.Usage.Prompt, s.Text)
		}
		text := ""
		for _, token := range s.Tokens {
			text += token.Text
			if token.LogProb > 0 || math.IsNaN(token.LogProb) {
				t.Errorf("token %q has log-probability %v", token.Text, token.LogProb)
			}
		}
		if !strings.HasPrefix(text, s.Text) && !strings.HasPrefix(s.Text, text) {
			t.Errorf("tokens %q are not those of %q", text, s.Text)
		}
	}
	t.Logf("prompt of %d tokens: %v for the first sample, %v for each of the others; %d distinct", samples[0].Usage.Prompt, first, rest/9, len(distinct))
	if rest/9 > first/3 {
		t.Errorf("the first sample took %v to process its prompt, the others %v each: it was processed again", first, rest/9)
	}
	if len(distinct) < 2 {
		t.Error("ten samples at temperature 0.8 are all the same")
	}
}

// The first sample of each is drawn from a prompt processed in one go, the
// others from the cache; that alone changes the last digits of the logits, so
// it is left out.
func repeated(t *testing.T, m *Model) {
	o := model.Options{Temperature: 0.8, TopP: 0.95, MaxTokens: 16, Seed: 5}
	p := model.Prompt{Left: "func (s *Server) "}
	a, err := draw(t.Context(), m, p, o, 4)
	if err != nil {
		t.Fatal(err)
	}
	b, err := draw(t.Context(), m, p, o, 4)
	if err != nil {
		t.Fatal(err)
	}
	for i := 1; i < len(a); i++ {
		if a[i].Text != b[i].Text {
			t.Errorf("sample %d: %q, then %q", i, a[i].Text, b[i].Text)
		}
	}
}

// A special string costs one token as itself and several as text.
func specialText(t *testing.T, m *Model) {
	count := func(prompt string) int {
		r, err := m.server.wire.generate(t.Context(), m.server.body(generation{prompt: prompt, tokens: 1}))
		if err != nil {
			t.Fatal(err)
		}
		return r.PromptEvalCount
	}
	for _, s := range m.server.prompter.Family.Special {
		if s == "<|im_start|>" || s == "<|im_end|>" { // the small model has none of a chat
			continue
		}
		raw, plain := count("x = \""+s), count("x = \""+m.server.prompter.Neutralise(s))
		if plain-raw < 3 {
			t.Errorf("%s: %d tokens as it is, %d neutralised: it is still special", s, raw, plain)
		}
	}
}

func estimates(t *testing.T, m *Model) {
	texts := modeltest.Code(source(t, 3000))
	texts["Japanese"] = strings.Repeat("// 次の行を提案する\n", 15)
	modeltest.EstimatesTokens(t, m.Model, texts, 0.95)
}

// The walk must give what forcing token by token gives, in fewer requests, and
// find code more probable where it stands than elsewhere.
func walksAgree(t *testing.T, m *Model) {
	code := source(t, 6000)
	var pairs []model.Pair
	for at := 600; at+40 < len(code) && len(pairs) < 8; at += 500 {
		line, _, _ := strings.Cut(code[at:], "\n")
		if line = line[:min(24, len(line))]; len(strings.TrimSpace(line)) > 6 && !strings.ContainsFunc(line, func(r rune) bool { return r > 126 }) {
			pairs = append(pairs, model.Pair{Prefix: code[at-600 : at], Continuation: line})
		}
	}
	n := len(pairs)
	for i := range n {
		// from far away: what stands just behind has a copy of it
		pairs = append(pairs, model.Pair{Prefix: pairs[(i+n/2)%n].Prefix, Continuation: pairs[i].Continuation})
	}
	began := time.Now()
	walked, usage, err := m.Scorer.Score(t.Context(), pairs)
	if err != nil {
		t.Fatal(err)
	}
	took := time.Since(began)
	narrow := *m.Scorer.(*Walk)
	narrow.MaxWindow = 1
	began = time.Now()
	forced, slow, err := narrow.Score(t.Context(), pairs)
	if err != nil {
		t.Fatal(err)
	}
	tookForced := time.Since(began)
	var a, b []float64
	for i, p := range pairs {
		if l := walked[i]; l.LogProb > 0 || math.IsInf(l.LogProb, 0) || math.IsNaN(l.LogProb) || l.Exact {
			t.Errorf("%q scores %+v", p.Continuation, l)
		}
		a, b = append(a, walked[i].LogProb), append(b, forced[i].LogProb)
	}
	better := 0
	for i := range n {
		if walked[i].LogProb > walked[n+i].LogProb {
			better++
		}
	}
	t.Logf("%d pairs: walk %d requests, %d tokens, %v; token by token %d requests, %v; correlation %.3f; code is more probable where it stands than elsewhere in %d of %d",
		len(pairs), usage.Requests, usage.Generated, took, slow.Requests, tookForced, correlation(a, b), better, n)
	if r := correlation(a, b); !(r > 0.9) { // 0.92 to 0.995 over several runs
		t.Errorf("the walk correlates with forcing token by token at %.3f", r)
	}
	if usage.Requests >= slow.Requests {
		t.Errorf("%d requests for the walk, %d token by token", usage.Requests, slow.Requests)
	}
	if 4*better < 3*n {
		t.Errorf("code is more probable where it stands than elsewhere in %d of %d", better, n)
	}
}

func correlation(x, y []float64) float64 {
	n := float64(len(x))
	var sx, sy, sxx, syy, sxy float64
	for i := range x {
		sx, sy = sx+x[i], sy+y[i]
		sxx, syy, sxy = sxx+x[i]*x[i], syy+y[i]*y[i], sxy+x[i]*y[i]
	}
	return (n*sxy - sx*sy) / math.Sqrt((n*sxx-sx*sx)*(n*syy-sy*sy))
}

func doesNotFit(t *testing.T, m *Model) {
	_, err := draw(t.Context(), m, model.Prompt{Left: strings.Repeat("x = compute(y)\n", 1000)}, tenTokens, 1)
	if !errors.Is(err, ErrPromptTooLong) {
		t.Errorf("got %v", err)
	}
}

func killedRunner(t *testing.T, srv *ollamatest.Server, m *Model) {
	after, err := modeltest.During(t, m.Model, func() {
		if srv.KillRunner() == 0 {
			t.Fatal("the server runs no model")
		}
	})
	t.Logf("after %v: %v", after, err)
	if !errors.Is(err, ErrRunnerDied) || after > 30*time.Second {
		t.Errorf("got %v after %v; want ErrRunnerDied soon", err, after)
	}
	if _, err := draw(t.Context(), m, model.Prompt{Left: "x"}, model.Options{MaxTokens: 1}, 1); err != nil {
		t.Errorf("the next request: %v", err)
	}
}

func killedServer(t *testing.T, srv *ollamatest.Server, m *Model) {
	after, err := modeltest.During(t, m.Model, srv.Kill)
	t.Logf("after %v: %v", after, err)
	if !errors.Is(err, ErrServerDown) || after > 10*time.Second {
		t.Errorf("got %v after %v; want ErrServerDown soon", err, after)
	}
	if _, err := draw(t.Context(), m, model.Prompt{Left: "x"}, model.Options{MaxTokens: 1}, 1); !errors.Is(err, ErrServerDown) {
		t.Errorf("while it is down: %v", err)
	}
	srv.Restart()
	modeltest.ComesBack(t, m.Model)
}

// The steps are those of the greedy sample, and the end of the line is known.
func explores(t *testing.T, m *Model) {
	p := model.Prompt{Left: source(t, 2500), Causal: true}
	greedy, err := draw(t.Context(), m, p, model.Options{MaxTokens: 40, Stop: []string{"\n"}}, 1)
	if err != nil {
		t.Fatal(err)
	}
	err = m.Explorer.Explore(t.Context(), p, func(next model.Continue) error {
		steps, u, err := next(nil, 40)
		if err != nil {
			return err
		}
		text, _, ended := strings.Cut(texts(steps), "\n")
		if text != greedy[0].Text || !ended || len(steps) < len(greedy[0].Tokens) {
			t.Errorf("explored %q in %d steps, drawn %q", text, len(steps), greedy[0].Text)
		}
		for i, token := range greedy[0].Tokens {
			if off := steps[i].Listed[0].LogProb - token.LogProb; math.Abs(off) > 0.02 {
				t.Errorf("%q costs %v when explored, %v when drawn", token.Text, steps[i].Listed[0].LogProb, token.LogProb)
			}
		}
		for i, s := range steps {
			sum := 0.0
			for j, c := range s.Listed {
				sum += math.Exp(c.LogProb)
				if j > 0 && c.LogProb > s.Listed[j-1].LogProb {
					t.Errorf("step %d: %q is listed behind %q", i, c.Text, s.Listed[j-1].Text)
				}
			}
			if sum > 1.001 || sum < 0.3 {
				t.Errorf("step %d: the listed have probability %.3f", i, sum)
			}
		}
		again, v, err := next([]string{steps[0].Listed[1].Text}, 40)
		if err != nil || len(again) == 0 {
			t.Fatalf("the second choice leads to %d steps, %v", len(again), err)
		}
		t.Logf("%q in %d steps, %d requests, %v; then %q, prompt in %v", text, len(steps), u.Requests, u.Time, steps[0].Listed[1].Text+texts(again), v.PromptTime)
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
}
