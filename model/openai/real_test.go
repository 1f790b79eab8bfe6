package openai

import (
	"context"
	"errors"
	"math"
	"slices"
	"strings"
	"testing"
	"time"

	"readahead/model"
	"readahead/model/internal/modeltest"
	"readahead/model/ollama/ollamatest"
	"readahead/model/openai/openaitest"
)

func openReal(t *testing.T, s *openaitest.Server, c Config) *Model {
	t.Helper()
	c.Endpoint, c.Key = s.Endpoint, NewSecret(s.Key)
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
	return modeltest.Source(t, "wire.go", 800, n)
}

// draw takes n samples.
func draw(ctx context.Context, m *Model, p model.Prompt, o model.Options, n int) ([]model.Sample, error) {
	return modeltest.Draw(ctx, m.Model, p, o, n)
}

// TestRealLlamaServer runs in one server, from what leaves it unharmed to what
// kills it.
func TestRealLlamaServer(t *testing.T) {
	srv := openaitest.LlamaServer(t)
	m := openReal(t, srv, Config{})
	t.Run("it says what it can do", func(t *testing.T) {
		want := model.Info{Name: openaitest.Model, Provider: "openai", Family: "qwen2.5-coder", FIM: true, Scoring: "forced", Context: 2048}
		if got := m.Info; got.Name != want.Name || got.Provider != want.Provider || got.Family != want.Family || !got.FIM || got.Scoring != want.Scoring || got.Context != want.Context || len(got.Notes) != 0 || m.Server != "llama-server" {
			t.Errorf("got %+v of %q; want %+v", got, m.Server, want)
		}
	})
	t.Run("ten samples come in few requests and differ", func(t *testing.T) { realSamples(t, m, 5) })
	t.Run("likelihoods agree with forcing token by token", func(t *testing.T) { agreesWithForcing(t, m) })
	t.Run("a token across the boundary costs what the whole vocabulary says", func(t *testing.T) { dividesTruly(t, m) })
	t.Run("texts in many bytes are scored", func(t *testing.T) { modeltest.ScoresOddTexts(t, m.Model, m.server.prompter.Neutralise) })
	t.Run("the estimate of tokens is not too low", func(t *testing.T) {
		modeltest.EstimatesTokens(t, m.Model, modeltest.Code(source(t, 3000)), 0.9) // lsp leaves a tenth of a window free
	})
	t.Run("a prompt that does not fit is refused", func(t *testing.T) {
		_, err := draw(t.Context(), m, model.Prompt{Left: strings.Repeat("x = compute(y)\n", 1000)}, model.Options{MaxTokens: 4}, 1)
		if !errors.Is(err, ErrPromptTooLong) {
			t.Errorf("got %v", err)
		}
	})
	t.Run("a wrong key lets nobody in", func(t *testing.T) { wrongKey(t, srv) })
	t.Run("a model that is missing", func(t *testing.T) { missingModel(t, srv) })
	t.Run("cancelling stops the model", func(t *testing.T) { modeltest.CancelsAtOnce(t, m.Model) })
	t.Run("the server is killed in mid-request", func(t *testing.T) { killed(t, srv, m) })
}

// TestRealLlamaCppPython holds two servers, which score in different ways, against
// each other. The model gets a token for the beginning of a text: without one
// this server reports the log-probabilities of a prompt shifted by a token.
func TestRealLlamaCppPython(t *testing.T) {
	echo := openaitest.LlamaCppPython(t, "--logits_all", "true", "--kv_overrides", "tokenizer.ggml.add_bos_token=bool:true")
	forced := openaitest.LlamaServer(t, "--override-kv", "tokenizer.ggml.add_bos_token=bool:true")
	m, other := openReal(t, echo, Config{Family: "qwen2.5-coder", NumCtx: 2048}), openReal(t, forced, Config{})
	if m.Info.Scoring != "echo" || other.Info.Scoring != "forced" {
		t.Fatalf("they score by %q and %q", m.Info.Scoring, other.Info.Scoring)
	}
	t.Run("samples come one a request", func(t *testing.T) { realSamples(t, m, 10) })
	t.Run("its likelihoods are those of llama-server", func(t *testing.T) {
		pairs := realPairs(t)
		a, _, err := m.Scorer.Score(t.Context(), pairs)
		if err != nil {
			t.Fatal(err)
		}
		b, _, err := other.Scorer.Score(t.Context(), pairs)
		if err != nil {
			t.Fatal(err)
		}
		worst := 0.0
		for i, p := range pairs {
			off := math.Abs(a[i].LogProb - b[i].LogProb)
			worst = max(worst, off)
			if off > sameScore || len(a[i].Tokens) != len(b[i].Tokens) {
				t.Errorf("%q behind …%q: %.3f in %d tokens by echo, %.3f in %d by forcing", p.Continuation, p.Prefix[max(0, len(p.Prefix)-20):], a[i].LogProb, len(a[i].Tokens), b[i].LogProb, len(b[i].Tokens))
			}
		}
		t.Logf("%d pairs differ by at most %.4f", len(pairs), worst)
	})
	t.Run("a wrong key lets nobody in", func(t *testing.T) { wrongKey(t, echo) })
	t.Run("shifted log-probabilities are found out", func(t *testing.T) {
		shifted := openReal(t, openaitest.LlamaCppPython(t, "--logits_all", "true"), Config{})
		if shifted.Scorer != nil || !slices.ContainsFunc(shifted.Info.Notes, func(n string) bool { return strings.Contains(n, "cannot be right") }) {
			t.Errorf("got %+v", shifted.Info)
		}
	})
	t.Run("without log-probabilities votes decide", func(t *testing.T) {
		without := openReal(t, openaitest.LlamaCppPython(t, "--logits_all", "false"), Config{})
		if without.Scorer != nil || !slices.ContainsFunc(without.Info.Notes, func(n string) bool { return strings.Contains(n, "no log-probabilities") }) {
			t.Errorf("got %+v", without.Info)
		}
		realSamples(t, without, 10)
	})
}

// TestRealOllama takes Ollama for a completions server, which it is beside its own
// API: without echo, and one sample at a time.
func TestRealOllama(t *testing.T) {
	srv := ollamatest.Start(t)
	m, err := Open(t.Context(), Config{Endpoint: srv.Endpoint, Family: "qwen2.5-coder", NumCtx: 2048})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(m.Close)
	if m.Server != "Ollama" || m.Scorer != nil || !slices.ContainsFunc(m.Info.Notes, func(n string) bool { return strings.Contains(n, "set server to ollama") }) {
		t.Errorf("got %+v of %q", m.Info, m.Server)
	}
	realSamples(t, m, 10)
}

// sameScore is how far two ways to the same likelihood may lie apart, in nats over
// some 25 tokens: 0.005 was measured within a server and 0.03 between two, which
// compute in different orders.
const sameScore = 0.05

func realSamples(t *testing.T, m *Model, requests int) {
	t.Helper()
	o := model.Options{Temperature: 0.8, TopP: 0.95, MaxTokens: 24, Seed: 1, Stop: []string{"\n"}, N: 10}
	samples, err := draw(t.Context(), m, model.Prompt{Left: source(t, 1200), Right: "\n}\n"}, o, 10)
	if err != nil {
		t.Fatal(err)
	}
	var u model.Usage
	distinct := map[string]bool{}
	for i, s := range samples {
		u = u.Plus(s.Usage)
		distinct[s.Text] = true
		if strings.Contains(s.Text, "\n") || s.Usage.Generated > 24 {
			t.Errorf("sample %d: %+v", i, s)
		}
		for _, token := range s.Tokens {
			if token.LogProb > 0 || math.IsNaN(token.LogProb) {
				t.Errorf("token %q has log-probability %v", token.Text, token.LogProb)
			}
		}
	}
	t.Logf("%d requests, %d distinct, %d tokens generated", u.Requests, len(distinct), u.Generated)
	if len(distinct) < 2 || u.Requests > requests || u.Generated == 0 || u.Prompt < 200 {
		t.Errorf("%d distinct samples, usage %+v, want at most %d requests", len(distinct), u, requests)
	}
}

// realPairs are pieces of real code behind what stands before them, and behind what
// does not; every other one begins within a line.
func realPairs(t *testing.T) []model.Pair {
	code := source(t, 5000)
	var pairs []model.Pair
	for at := 600; at+200 < len(code); at += 300 {
		if len(pairs)%2 == 0 {
			at += strings.IndexByte(code[at:], '\n')
		}
		pairs = append(pairs, model.Pair{Prefix: code[at-600 : at], Continuation: code[at : at+60]})
	}
	n := len(pairs)
	for i := range n {
		pairs = append(pairs, model.Pair{Prefix: pairs[(i+n/2)%n].Prefix, Continuation: pairs[i].Continuation}) // far away: no copy of it is in there
	}
	return pairs
}

// A token is forced by a request of its own here: what the model says of it when a
// grammar allows no other, behind all tokens before it.
func agreesWithForcing(t *testing.T, m *Model) {
	pairs := realPairs(t)
	began := time.Now()
	got, usage, err := m.Scorer.Score(t.Context(), pairs)
	if err != nil {
		t.Fatal(err)
	}
	took := time.Since(began)
	worst, exact, better := 0.0, 0, 0
	for i, p := range pairs {
		want := oneByOne(t, m, p)
		sum := 0.0
		for _, token := range got[i].Tokens {
			sum += token.LogProb
		}
		off := math.Abs(got[i].LogProb - want)
		worst = max(worst, off)
		if off > sameScore || math.Abs(sum-got[i].LogProb) > 1e-9 {
			t.Errorf("%q: %.4f, tokens add up to %.4f, one by one %.4f", p.Continuation, got[i].LogProb, sum, want)
		}
		if got[i].Exact {
			exact++
		}
		if n := len(pairs) / 2; i < n && got[i].LogProb > got[n+i].LogProb {
			better++
		}
	}
	t.Logf("%d pairs, %d exact, in %d requests and %v; one by one differs by at most %.4f; code is more probable where it stands than elsewhere in %d of %d",
		len(pairs), exact, usage.Requests, took, worst, better, len(pairs)/2)
	if 4*better < 3*len(pairs)/2 {
		t.Errorf("code is more probable where it stands than elsewhere in %d of %d", better, len(pairs)/2)
	}
}

func oneByOne(t *testing.T, m *Model, p model.Pair) float64 {
	t.Helper()
	s := m.server
	prefix, target := s.prompter.Pair(p)
	text := prefix + target
	words, err := s.wire.words(t.Context(), "test", text, true)
	if err != nil {
		t.Fatal(err)
	}
	first, start := boundary(words, text, len(prefix))
	var tokens []token
	for i := first; i < len(words); i++ {
		one, _, err := s.generate(t.Context(), "test", words[:i], words[i:i+1])
		if err != nil {
			t.Fatal(err)
		}
		tokens = append(tokens, one...)
	}
	l, err := cover(tokens, text[start:], len(prefix)-start)
	if err != nil {
		t.Fatal(err)
	}
	return l.LogProb
}

// With all tokens listed nothing is in doubt but those that are shorter than what is
// given. What five of them say has to agree with that as far as it claims to.
func dividesTruly(t *testing.T, m *Model) {
	s := m.server
	divided, worst := 0, 0.0
	for _, p := range realPairs(t) {
		prefix, target := s.prompter.Pair(p)
		words, err := s.wire.words(t.Context(), "test", prefix+target, true)
		if err != nil {
			t.Fatal(err)
		}
		first, start := boundary(words, prefix+target, len(prefix))
		if start == len(prefix) {
			continue
		}
		divided++
		at := func(k int) (price, doubt float64) {
			got, _, err := s.complete(t.Context(), "test", request{Prompt: ids(words[:first]), MaxTokens: 1, TopP: 1, LogProbs: &k, Grammar: rule(words[first : first+1])})
			if err != nil {
				t.Fatal(err)
			}
			token := got.Choices[0].LogProbs.tokens()[0]
			return span{token: token}.divided(prefix[start:], len(token.text)-len(prefix)+start)
		}
		few, doubt := at(listedTokens)
		all, left := at(vocabulary)
		worst = max(worst, math.Abs(few-all))
		if math.Abs(few-all) > doubt+left+sameScore {
			t.Errorf("%q of %q: %.3f ± %.3f by %d tokens, %.3f ± %.3f by all", words[first].Piece[len(prefix)-start:], words[first].Piece, few, doubt, listedTokens, all, left)
		}
	}
	t.Logf("%d of the tokens at a boundary stand across it; five alternatives are off by at most %.3f", divided, worst)
	if divided < 3 {
		t.Errorf("%d tokens stand across a boundary, too few to tell", divided)
	}
}

// vocabulary is the number of the test model's tokens.
const vocabulary = 8192

func wrongKey(t *testing.T, s *openaitest.Server) {
	for _, key := range []string{"", "wrong-key"} {
		_, err := Open(t.Context(), Config{Endpoint: s.Endpoint, Key: NewSecret(key)})
		// llama-server lists its models to everybody, and asks for the key after that
		if !errors.Is(err, ErrDenied) || !strings.Contains(err.Error(), "READAHEAD_API_KEY") || strings.Contains(err.Error(), "wrong-key") {
			t.Errorf("key %q: %v", key, err)
		}
	}
}

func missingModel(t *testing.T, s *openaitest.Server) {
	_, err := Open(t.Context(), Config{Endpoint: s.Endpoint, Key: NewSecret(s.Key), Model: "nobody-has-this"})
	if !errors.Is(err, ErrModelMissing) || !strings.Contains(err.Error(), openaitest.Model) {
		t.Errorf("got %v; want ErrModelMissing and what there is", err)
	}
}

func killed(t *testing.T, srv *openaitest.Server, m *Model) {
	after, err := modeltest.During(t, m.Model, srv.Kill)
	if !errors.Is(err, ErrServerDown) || !strings.Contains(err.Error(), "start the server") || after > time.Minute {
		t.Errorf("got %v after %v", err, after)
	}
	srv.Restart()
	modeltest.ComesBack(t, m.Model)
}
