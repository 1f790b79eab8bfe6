package openai

import (
	"bytes"
	"encoding/json"
	"flag"
	"io"
	"math"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"reflect"
	"strings"
	"sync"
	"testing"

	"readahead/model"
	"readahead/model/ollama/ollamatest"
	"readahead/model/openai/openaitest"
)

var record = flag.Bool("record", false, "record testdata/recorded anew, from the real servers that the environment names")

// An exchange is one request and what a real server with the model of
// testdata/model answered; testdata/recorded/README.md says which.
type exchange struct {
	Method, Path string
	Request      json.RawMessage `json:",omitempty"`
	Status       int
	Reply        json.RawMessage
}

// A recorder passes requests on, and keeps what was said.
type recorder struct {
	to  string
	mu  sync.Mutex
	all []exchange
}

func (p *recorder) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	sent, err := io.ReadAll(r.Body)
	if err == nil {
		var out *http.Request
		if out, err = http.NewRequestWithContext(r.Context(), r.Method, p.to+r.URL.Path, bytes.NewReader(sent)); err == nil {
			out.Header.Set("Authorization", r.Header.Get("Authorization")) // passed on, not kept
			out.Header.Set("Content-Type", r.Header.Get("Content-Type"))
			var resp *http.Response
			if resp, err = http.DefaultClient.Do(out); err == nil {
				defer resp.Body.Close()
				var got []byte
				if got, err = io.ReadAll(resp.Body); err == nil {
					p.mu.Lock()
					p.all = append(p.all, exchange{r.Method, r.URL.Path, sent, resp.StatusCode, got})
					p.mu.Unlock()
					w.WriteHeader(resp.StatusCode)
					_, _ = w.Write(got)
					return
				}
			}
		}
	}
	http.Error(w, err.Error(), http.StatusBadGateway)
}

// A replayer answers a request as it was answered before.
type replayer struct {
	t   *testing.T
	all []exchange
}

func (p replayer) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	sent, err := io.ReadAll(r.Body)
	if err != nil {
		p.t.Error(err)
	}
	for _, e := range p.all {
		if e.Method == r.Method && e.Path == r.URL.Path && sameJSON(e.Request, sent) {
			w.WriteHeader(e.Status)
			_, _ = w.Write(e.Reply)
			return
		}
	}
	p.t.Errorf("%s %s was not recorded (run the test again with -record): %s", r.Method, r.URL.Path, sent)
	http.Error(w, "not recorded", http.StatusTeapot)
}

func sameJSON(a, b []byte) bool {
	if len(a) == 0 || len(b) == 0 {
		return len(a) == len(b)
	}
	var x, y any
	return json.Unmarshal(a, &x) == nil && json.Unmarshal(b, &y) == nil && reflect.DeepEqual(x, y)
}

// through is a server with the recorded exchanges; with -record the real one, whose
// exchanges are kept when the test ends.
func through(t *testing.T, name string, real func() (endpoint string)) string {
	t.Helper()
	file := filepath.Join("testdata", "recorded", name+".json")
	if *record {
		p := &recorder{to: real()}
		s := httptest.NewServer(p)
		t.Cleanup(func() {
			s.Close()
			var lines []string
			for _, e := range p.all {
				line, err := json.Marshal(e)
				if err != nil {
					t.Error(err)
				}
				lines = append(lines, string(line))
			}
			if err := os.WriteFile(file, []byte("[\n"+strings.Join(lines, ",\n")+"\n]\n"), 0o644); err != nil {
				t.Error(err)
			}
		})
		return s.URL
	}
	data, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	p := replayer{t: t}
	if err := json.Unmarshal(data, &p.all); err != nil {
		t.Fatal(err)
	}
	s := httptest.NewServer(p)
	t.Cleanup(s.Close)
	return s.URL
}

// pair has a token across its boundary, and a character in three tokens.
var pair = model.Pair{Prefix: "func add(a, b int) int {\n\treturn f(a", Continuation: ")\n} // 日\n"}

func TestRecordedServers(t *testing.T) {
	for _, tt := range []struct {
		name     string
		config   Config
		real     func() string
		want     model.Info
		requests int // for four samples
		score    float64
	}{
		{"llama-server", Config{}, func() string { return openaitest.LlamaServer(t).Endpoint },
			model.Info{Name: "tiny-code", Family: "qwen2.5-coder", FIM: true, Scoring: "forced", Context: 2048}, 2, -41.03},
		{"llama-cpp-python", Config{Family: "qwen2.5-coder"}, func() string {
			return openaitest.LlamaCppPython(t, "--logits_all", "true", "--kv_overrides", "tokenizer.ggml.add_bos_token=bool:true").Endpoint
		}, model.Info{Name: "tiny-code", Family: "qwen2.5-coder", FIM: true, Scoring: "echo", Context: DefaultNumCtx}, 4, -52.41},
		{"ollama", Config{Family: "qwen2.5-coder", NumCtx: 2048}, func() string { return ollamatest.Start(t).Endpoint },
			model.Info{Name: "tiny-code:latest", Family: "qwen2.5-coder", FIM: true, Context: 2048}, 4, 0},
	} {
		t.Run(tt.name, func(t *testing.T) {
			c := tt.config
			c.Endpoint, c.Key, c.Parallel = through(t, tt.name, tt.real), NewSecret("key-of-the-test"), 1
			m, err := Open(t.Context(), c)
			if err != nil {
				t.Fatal(err)
			}
			defer m.Close()
			tt.want.Provider, tt.want.Notes = "openai", m.Info.Notes
			if !reflect.DeepEqual(m.Info, tt.want) {
				t.Errorf("got  %+v\nwant %+v", m.Info, tt.want)
			}
			o := model.Options{Temperature: 0.8, TopP: 0.95, MaxTokens: 12, Seed: 1, Stop: []string{"\n"}, N: 4}
			samples, err := draw(t.Context(), m, model.Prompt{Left: "func add(a, b int) ", Right: "\n}\n"}, o, 4)
			if err != nil {
				t.Fatal(err)
			}
			var u model.Usage
			for _, s := range samples {
				u = u.Plus(s.Usage)
				if strings.Contains(s.Text, "\n") {
					t.Errorf("sample %q", s.Text)
				}
			}
			if u.Requests > tt.requests+1 || u.Prompt == 0 || u.Generated == 0 {
				t.Errorf("four samples cost %+v, want %d requests", u, tt.requests)
			}
			if m.Scorer == nil {
				return
			}
			l, _, err := m.Scorer.Score(t.Context(), []model.Pair{pair})
			if err != nil {
				t.Fatal(err)
			}
			text := ""
			for _, token := range l[0].Tokens {
				text += token.Text
			}
			if text != pair.Continuation || math.Abs(l[0].LogProb-tt.score) > sameScore {
				t.Errorf("likelihood %+v", l[0])
			}
			t.Logf("%d requests; likelihood %.2f of %q, exact %v", u.Requests, l[0].LogProb, text, l[0].Exact)
		})
	}
}
