package ollama

import (
	"encoding/json"
	"hash/fnv"
	"math"
	"math/rand/v2"
	"net/http"
	"net/http/httptest"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"
	"unicode/utf8"

	"github.com/ollama/ollama/api"
	modelcap "github.com/ollama/ollama/types/model"
)

// A toy is a language model small enough to know everything about: its next
// token depends on the last two bytes of the text. Behind fake it answers like
// Ollama's runner does, flaws included: it reports no token for the end of a
// text, parts of characters as U+FFFD, and at most 20 alternatives.
type toy struct {
	vocabulary []string // the first one is the end of the text
	salt       string
}

func (m toy) logProbs(text string) []float64 {
	h := fnv.New64a()
	h.Write([]byte(m.salt + text[max(0, len(text)-2):]))
	r := rand.New(rand.NewPCG(h.Sum64(), 1))
	out := make([]float64, len(m.vocabulary))
	sum := 0.0
	for i := range out {
		out[i] = 3 * r.NormFloat64()
		sum += math.Exp(out[i])
	}
	for i := range out {
		out[i] -= math.Log(sum)
	}
	return out
}

// top are token numbers, most probable first.
func top(logProbs []float64) []int {
	order := make([]int, len(logProbs))
	for i := range order {
		order[i] = i
	}
	slices.SortStableFunc(order, func(a, b int) int {
		switch {
		case logProbs[a] > logProbs[b]:
			return -1
		case logProbs[a] < logProbs[b]:
			return 1
		}
		return 0
	})
	return order
}

func (m toy) choose(logProbs []float64, temperature float64, r *rand.Rand) int {
	if temperature == 0 {
		return top(logProbs)[0]
	}
	weights, sum := make([]float64, len(logProbs)), 0.0
	for i, l := range logProbs {
		weights[i] = math.Exp(l / temperature)
		sum += weights[i]
	}
	x := r.Float64() * sum
	for i, w := range weights {
		if x -= w; x < 0 {
			return i
		}
	}
	return len(weights) - 1
}

type genOptions struct {
	Temperature float64
	NumPredict  int      `json:"num_predict"`
	NumCtx      int      `json:"num_ctx"`
	Seed        int      `json:"seed"`
	Stop        []string `json:"stop"`
}

func (m toy) generate(r api.GenerateRequest, o genOptions) api.GenerateResponse {
	rng := rand.New(rand.NewPCG(uint64(o.Seed), 2))
	out := api.GenerateResponse{Model: r.Model, Done: true, DoneReason: "length"}
	out.PromptEvalCount = max(1, len(r.Prompt)/3)
	text := ""
	for out.EvalCount < o.NumPredict {
		lp := m.logProbs(r.Prompt + text)
		i := m.choose(lp, o.Temperature, rng)
		if i == 0 {
			out.DoneReason = "stop"
			break
		}
		out.EvalCount++
		text += m.vocabulary[i]
		l := api.Logprob{TokenLogprob: m.token(i, lp[i])}
		for _, j := range top(lp)[:min(r.TopLogprobs, len(lp))] {
			l.TopLogprobs = append(l.TopLogprobs, m.token(j, lp[j]))
		}
		if r.Logprobs {
			out.Logprobs = append(out.Logprobs, l)
		}
		if end := firstStop(text, o.Stop); end >= 0 {
			text, out.DoneReason = text[:end], "stop"
			break
		}
	}
	for !utf8.ValidString(text) {
		text = text[:len(text)-1]
	}
	if text == "" {
		out.Logprobs = nil // they come with text only
	}
	out.Response = text
	return out
}

func firstStop(text string, stop []string) int {
	first := -1
	for _, s := range stop {
		if i := strings.Index(text, s); i >= 0 && (first < 0 || i < first) {
			first = i
		}
	}
	return first
}

func (m toy) token(i int, logProb float64) api.TokenLogprob {
	var text strings.Builder
	for _, r := range m.vocabulary[i] { // one U+FFFD for every byte that is no character
		text.WriteRune(r)
	}
	t := api.TokenLogprob{Token: text.String(), Logprob: logProb}
	for _, b := range []byte(t.Token) {
		t.Bytes = append(t.Bytes, int(b))
	}
	return t
}

// A fake is a server with one toy. Fields are set before requests come.
type fake struct {
	*httptest.Server
	toy     toy
	version string
	// promptSpeed, in tokens a second, is what replies claim; 0 claims nothing.
	promptSpeed float64
	show        api.ShowResponse
	// before runs in front of every generation and says whether it has answered.
	before func(w http.ResponseWriter, r *http.Request, g api.GenerateRequest) bool

	mu   sync.Mutex
	asks []api.GenerateRequest
}

func newFake(t testing.TB) *fake {
	f := &fake{
		version: "0.17.4",
		toy:     toy{vocabulary: []string{"", "a", "b", "ab", "\n", "ba", " "}},
		show: api.ShowResponse{
			Template:     `{{- if .Suffix }}<|fim_prefix|>{{ .Prompt }}<|fim_suffix|>{{ .Suffix }}<|fim_middle|>{{ else }}{{ .Prompt }}{{ end }}`,
			Parameters:   "num_ctx                        2048\nstop                           \"<|endoftext|>\"",
			Capabilities: capabilities("completion", "insert"),
			ModelInfo:    map[string]any{"general.architecture": "llama", "llama.context_length": 4096},
		},
	}
	f.Server = httptest.NewServer(f.handler())
	t.Cleanup(f.Close)
	return f
}

func (f *fake) handler() http.Handler {
	mux := http.NewServeMux()
	mux.HandleFunc("GET /api/version", func(w http.ResponseWriter, _ *http.Request) { reply(w, 200, map[string]string{"version": f.version}) })
	mux.HandleFunc("POST /api/show", func(w http.ResponseWriter, r *http.Request) {
		var q api.ShowRequest
		_ = json.NewDecoder(r.Body).Decode(&q)
		if q.Model == "missing" {
			reply(w, 404, map[string]string{"error": "model 'missing' not found"})
			return
		}
		reply(w, 200, f.show)
	})
	mux.HandleFunc("POST /api/generate", f.generate)
	return mux
}

func (f *fake) generate(w http.ResponseWriter, r *http.Request) {
	var g api.GenerateRequest
	if err := json.NewDecoder(r.Body).Decode(&g); err != nil {
		reply(w, 400, map[string]string{"error": err.Error()})
		return
	}
	f.mu.Lock()
	f.asks = append(f.asks, g)
	f.mu.Unlock()
	if f.before != nil && f.before(w, r, g) {
		return
	}
	if g.Prompt == "" {
		reply(w, 200, api.GenerateResponse{Done: true, DoneReason: "load"})
		return
	}
	var o genOptions
	b, _ := json.Marshal(g.Options)
	if err := json.Unmarshal(b, &o); err != nil {
		reply(w, 500, map[string]string{"error": err.Error()})
		return
	}
	out := f.toy.generate(g, o)
	if f.promptSpeed > 0 {
		out.PromptEvalDuration = time.Duration(float64(out.PromptEvalCount) / f.promptSpeed * float64(time.Second))
	}
	reply(w, 200, out)
}

func (f *fake) asked() []api.GenerateRequest {
	f.mu.Lock()
	defer f.mu.Unlock()
	return slices.Clone(f.asks)
}

func reply(w http.ResponseWriter, code int, v any) {
	w.Header().Set("Content-Type", "application/json")
	w.WriteHeader(code)
	_ = json.NewEncoder(w).Encode(v)
}

// open opens the fake's model with a deadline that tests can wait for.
func (f *fake) open(t testing.TB, c Config) *Model {
	t.Helper()
	u, err := parseEndpoint(f.URL)
	if err != nil {
		t.Fatal(err)
	}
	return f.openOver(t, dial(u), c)
}

// openDirect opens it without a network in between, for tests that ask a lot.
func (f *fake) openDirect(t testing.TB, c Config) *Model {
	t.Helper()
	u, err := parseEndpoint("")
	if err != nil {
		t.Fatal(err)
	}
	return f.openOver(t, over(u, direct{f.Config.Handler}), c)
}

func (f *fake) openOver(t testing.TB, w *wire, c Config) *Model {
	t.Helper()
	if c.Model == "" {
		c.Model = "toy"
	}
	if c.Deadline == 0 {
		c.Deadline = time.Minute
	}
	m, err := open(t.Context(), w, c)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(m.Close)
	return m
}

type direct struct{ http.Handler }

func (d direct) RoundTrip(r *http.Request) (*http.Response, error) {
	w := httptest.NewRecorder()
	d.ServeHTTP(w, r)
	return w.Result(), r.Context().Err()
}

// capabilities are what /api/show lists, in the type that api gives them.
func capabilities(names ...string) (c []modelcap.Capability) {
	for _, n := range names {
		c = append(c, modelcap.Capability(n))
	}
	return c
}

func same(t *testing.T, what, got, want string) {
	t.Helper()
	if got != want {
		t.Errorf("%s:\ngot  %q\nwant %q", what, got, want)
	}
}
