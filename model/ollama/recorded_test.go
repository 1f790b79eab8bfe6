package ollama

import (
	"bytes"
	"encoding/json"
	"errors"
	"flag"
	"io"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/ollama/ollama/api"

	"readahead/model"
	"readahead/model/ollama/ollamatest"
)

var record = flag.Bool("record", false, "record testdata/recorded anew, from a real server")

// An exchange is one request and what Ollama 0.17.4 with the model of
// testdata/model answered.
type exchange struct {
	Method, Path string
	Request      json.RawMessage `json:",omitempty"`
	Status       int
	Reply        json.RawMessage
}

func (e exchange) send(t *testing.T, endpoint string) exchange {
	r, err := http.NewRequestWithContext(t.Context(), e.Method, endpoint+e.Path, bytes.NewReader(e.Request))
	if err != nil {
		t.Fatal(err)
	}
	resp, err := http.DefaultClient.Do(r)
	if err != nil {
		t.Fatal(err)
	}
	defer resp.Body.Close()
	body, err := io.ReadAll(resp.Body)
	if err != nil {
		t.Fatal(err)
	}
	e.Status, e.Reply = resp.StatusCode, body
	return e
}

// ServeHTTP answers as was recorded, whatever is asked.
func (e exchange) ServeHTTP(w http.ResponseWriter, _ *http.Request) {
	w.WriteHeader(e.Status)
	_, _ = w.Write(e.Reply)
}

// wanted are the exchanges that the tests below need.
func wanted(t *testing.T) map[string]exchange {
	s := &server{name: ollamatest.Model, numCtx: 2048, logProbs: true, keepAlive: DefaultKeepAlive}
	generate := func(g generation) exchange {
		b, err := json.Marshal(s.body(g))
		if err != nil {
			t.Fatal(err)
		}
		return exchange{Method: "POST", Path: "/api/generate", Request: b}
	}
	return map[string]exchange{
		"version":  {Method: "GET", Path: "/api/version"},
		"show":     {Method: "POST", Path: "/api/show", Request: json.RawMessage(`{"model":"tiny-code"}`)},
		"missing":  {Method: "POST", Path: "/api/show", Request: json.RawMessage(`{"model":"nobody-has-this"}`)},
		"tags":     {Method: "GET", Path: "/api/tags"},
		"stop":     generate(generation{prompt: "func (s *Server) Close() error {\n\treturn ", tokens: 32, seed: 1, stop: []string{"\n"}}),
		"top":      generate(generation{prompt: "for i := 0; i < ", tokens: 6, top: alternatives}),
		"partial":  generate(generation{prompt: "// 日本語 é 中文 ", tokens: 3, top: alternatives}),
		"cut":      generate(generation{prompt: "// 日本語 é 中文 ", tokens: 1, top: alternatives}),
		"too-long": generate(generation{prompt: strings.Repeat("x = compute(y)\n", 1000), tokens: 1}),
	}
}

func recorded(t *testing.T, name string) exchange {
	t.Helper()
	b, err := os.ReadFile(filepath.Join("testdata", "recorded", name+".json"))
	if err != nil {
		t.Fatal(err)
	}
	var e exchange
	if err := json.Unmarshal(b, &e); err != nil {
		t.Fatal(err)
	}
	return e
}

func TestRecord(t *testing.T) {
	if *record {
		srv := ollamatest.Start(t)
		for name, e := range wanted(t) {
			e = e.send(t, srv.Endpoint)
			if name == "too-long" {
				e.Request = nil // 15 kB of the same line
			}
			if name == "show" {
				e.Reply = withoutPaths(t, e.Reply)
			}
			b, err := json.MarshalIndent(e, "", "\t")
			if err != nil {
				t.Fatal(err)
			}
			if err := os.WriteFile(filepath.Join("testdata", "recorded", name+".json"), append(b, '\n'), 0o644); err != nil {
				t.Fatal(err)
			}
		}
	}
	for name, e := range wanted(t) {
		if got := recorded(t, name); got.Path != e.Path || got.Status == 0 {
			t.Errorf("%s: recorded %s with status %d, wanted %s (record it anew with -record)", name, got.Path, got.Status, e.Path)
		}
	}
}

// withoutPaths leaves out what belongs to the machine that recorded, and the
// list of tensors.
func withoutPaths(t *testing.T, reply json.RawMessage) json.RawMessage {
	var show map[string]any
	if err := json.Unmarshal(reply, &show); err != nil {
		t.Fatal(err)
	}
	delete(show, "modelfile")
	delete(show, "tensors")
	delete(show["details"].(map[string]any), "parent_model")
	b, err := json.Marshal(show)
	if err != nil {
		t.Fatal(err)
	}
	return b
}

// replayed is a server that answers with these recordings, by path.
func replayed(t *testing.T, names ...string) *httptest.Server {
	mux := http.NewServeMux()
	for _, name := range names {
		e := recorded(t, name)
		mux.Handle(e.Method+" "+e.Path, e)
	}
	s := httptest.NewServer(mux)
	t.Cleanup(s.Close)
	return s
}

func openReplayed(t *testing.T, generate string) *Model {
	t.Helper()
	s := replayed(t, "version", "show", generate)
	m, err := Open(t.Context(), Config{Endpoint: s.URL, Model: ollamatest.Model})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(m.Close)
	return m
}

func TestARecordedModelOpens(t *testing.T) {
	i := openReplayed(t, "stop").Info
	if i.Family != "qwen2.5-coder" || !i.FIM || i.Scoring != "walk" || i.Context != 2048 || len(i.Notes) != 0 {
		t.Errorf("got %+v", i)
	}
	name, err := PickCodeModel(t.Context(), replayed(t, "tags").URL)
	if name != "tiny-code:latest" || err != nil {
		t.Errorf("picked %q, %v", name, err)
	}
	_, err = Open(t.Context(), Config{Endpoint: replayed(t, "version", "missing").URL, Model: "nobody-has-this"})
	if !errors.Is(err, ErrModelMissing) {
		t.Errorf("a model that is missing: %v", err)
	}
}

func TestARecordedSampleIsRead(t *testing.T) {
	samples, err := draw(t.Context(), openReplayed(t, "stop"), model.Prompt{Left: "x"}, model.Options{Stop: []string{"\n"}}, 1)
	if err != nil {
		t.Fatal(err)
	}
	s := samples[0]
	text := ""
	for _, token := range s.Tokens {
		text += token.Text
	}
	if s.Text == "" || strings.Contains(s.Text, "\n") || !s.Stopped || text != s.Text {
		t.Errorf("text %q, stopped %v, tokens %q", s.Text, s.Stopped, text)
	}
	if s.Usage.Prompt == 0 || s.Usage.Generated < len(s.Tokens) || s.Usage.Time == 0 {
		t.Errorf("usage %+v", s.Usage)
	}
}

func TestARecordedPromptThatIsTooLong(t *testing.T) {
	if _, err := draw(t.Context(), openReplayed(t, "too-long"), model.Prompt{Left: "x"}, tenTokens, 1); !errors.Is(err, ErrPromptTooLong) {
		t.Errorf("got %v", err)
	}
}

func TestRecordedAlternativesAreRead(t *testing.T) {
	for _, tt := range []struct {
		name  string
		steps string // with a bar between two
		cut   bool
	}{
		{"top", "", false},
		{"partial", "μ|ptr", false}, // of three tokens
		{"cut", "", true},           // half of μ
	} {
		var r api.GenerateResponse
		if err := json.Unmarshal(recorded(t, tt.name).Reply, &r); err != nil {
			t.Fatal(err)
		}
		got := read(r)
		var texts []string
		for _, s := range got.steps {
			texts = append(texts, s.text)
			if len(s.listed) > alternatives || s.logProb > 0 {
				t.Errorf("%s: step %+v", tt.name, s)
			}
		}
		if strings.Join(texts, "") != r.Response || got.cut != tt.cut || tt.steps != "" && strings.Join(texts, "|") != tt.steps {
			t.Errorf("%s: steps are %q of %q, cut %v", tt.name, texts, r.Response, got.cut)
		}
	}
}
