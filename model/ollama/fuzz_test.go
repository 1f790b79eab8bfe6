package ollama

import (
	"bytes"
	"encoding/json"
	"io"
	"math"
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"
	"unicode/utf8"

	"readahead/model"
)

// canned is a server that gives one answer to every question of a kind.
type canned struct {
	status          int
	about, generate []byte
}

func (c canned) RoundTrip(r *http.Request) (*http.Response, error) {
	body := c.about
	if strings.HasSuffix(r.URL.Path, "/generate") {
		body = c.generate
	}
	return &http.Response{StatusCode: c.status, Status: http.StatusText(c.status), Header: http.Header{}, Body: io.NopCloser(bytes.NewReader(body)), Request: r, ProtoMajor: 1, ProtoMinor: 1}, nil
}

// Whatever a server sends, it is either refused or becomes a model, samples and
// likelihoods that can be worked with.
func FuzzReply(f *testing.F) {
	about := `{"version":"0.17.4","template":"{{ .Prompt }}<fim>{{ .Suffix }}","parameters":"num_ctx 4096\n","capabilities":["completion"],"model_info":{"general.architecture":"x","x.context_length":2048,"tokenizer.ggml.fim_pre_token_id":1,"tokenizer.ggml.tokens":["a","<fim>"]}}`
	for _, reply := range []string{
		`{"model":"m","created_at":"2026-11-30T00:00:00Z","response":"a)\nb","done":true,"done_reason":"stop","prompt_eval_count":3,"prompt_eval_duration":5,"eval_count":2,"logprobs":[{"token":"a","bytes":[97],"logprob":-1,"top_logprobs":[{"token":"a","bytes":[97],"logprob":-1},{"token":"b","logprob":-9999}]}]}`,
		`{"response":"日","done":false}`, `{"error":"oh"}`, `null`, `{"response":"\ufffd","done":true,"logprobs":[{"token":"","bytes":[230,151],"logprob":1e300}]}`,
		`{"done":true,"response":"x","prompt_eval_count":-5,"eval_count":-1,"eval_duration":-7}`,
	} {
		f.Add(uint16(200), []byte(about), []byte(reply))
	}
	recorded, err := filepath.Glob(filepath.Join("testdata", "recorded", "*.json"))
	if err != nil || len(recorded) == 0 {
		f.Fatal(recorded, err)
	}
	for _, file := range recorded {
		data, err := os.ReadFile(file)
		if err != nil {
			f.Fatal(err)
		}
		var e exchange
		if err := json.Unmarshal(data, &e); err != nil {
			f.Fatal(err)
		}
		f.Add(uint16(e.Status), []byte(about), []byte(e.Reply))
		f.Add(uint16(e.Status), []byte(e.Reply), []byte(`{"done":true,"response":"x"}`))
	}
	f.Fuzz(func(t *testing.T, status uint16, about, generate []byte) {
		u, err := parseEndpoint("127.0.0.1")
		if err != nil {
			t.Fatal(err)
		}
		ctx := t.Context()
		if models, err := listed(ctx, over(u, canned{int(status), about, generate})); err == nil {
			for _, m := range models {
				if math.IsNaN(m.Params) || math.IsInf(m.Params, 0) || m.Params < 0 {
					t.Errorf("%q has %v billion parameters", m.Name, m.Params)
				}
			}
		}
		m, err := open(ctx, over(u, canned{int(status), about, generate}), Config{Model: "m", ScoreRequests: 4, Deadline: time.Second})
		if err != nil {
			return
		}
		defer m.Close()
		if m.Info.Context <= 0 || m.Info.Context > math.MaxInt32 {
			t.Errorf("a window of %d tokens", m.Info.Context)
		}
		for s, err := range m.Generator.Samples(ctx, model.Prompt{Left: "a", Right: "\nb"}, model.Options{MaxTokens: 8, Stop: []string{"\n"}}) {
			if err == nil && (strings.Contains(s.Text, "\n") || !utf8.ValidString(s.Text)) {
				t.Errorf("sample %q", s.Text)
			}
			for _, token := range s.Tokens {
				if !(token.LogProb <= 0) || math.IsInf(token.LogProb, 0) {
					t.Errorf("token %q has log-probability %v", token.Text, token.LogProb)
				}
			}
			if u := s.Usage; u.Prompt < 0 || u.Generated < 0 || u.Time < 0 || u.PromptTime < 0 {
				t.Errorf("usage %+v", u)
			}
			break
		}
		if speed := m.PromptSpeed(); math.IsNaN(speed) || math.IsInf(speed, 0) || speed < 0 {
			t.Errorf("it reads %v tokens a second", speed)
		}
		if n := m.Tokens("for each of them"); n <= 0 {
			t.Errorf("a text of %d tokens", n)
		}
		if m.Scorer != nil {
			found, _, err := m.Scorer.Score(ctx, []model.Pair{{Prefix: "for", Continuation: " each"}})
			for _, l := range found {
				if err == nil && (math.IsNaN(l.LogProb) || math.IsInf(l.LogProb, 0) || l.LogProb > 0) {
					t.Errorf("a likelihood of %v", l.LogProb)
				}
			}
		}
	})
}
