package openai

import (
	"bytes"
	"compress/gzip"
	"context"
	"errors"
	"fmt"
	"io"
	"net/http"
	"runtime"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"readahead/model"
	"readahead/model/internal/modeltest"
)

// answers makes the fake answer completions with these bytes.
func answers(code int, header, body string) func(http.ResponseWriter, *http.Request, map[string]any) bool {
	return func(w http.ResponseWriter, _ *http.Request, _ map[string]any) bool {
		if name, value, ok := strings.Cut(header, ": "); ok {
			w.Header().Set(name, value)
		}
		w.WriteHeader(code)
		_, _ = io.WriteString(w, body)
		return true
	}
}

// The texts are those of vLLM, llama-server 0.7, llama-cpp-python 0.3.35 and Ollama
// 0.17.4, and of what stands before them.
func TestWhatTheServerSaysBecomesASentence(t *testing.T) {
	for _, tt := range []struct {
		name string
		code int
		body string
		want error
		says string // part of the message: what to do next
	}{
		{"a wrong key", 401, `{"error":{"message":"Invalid API Key","type":"authentication_error"}}`, ErrDenied, "READAHEAD_API_KEY"},
		{"a wrong key, FastAPI's way", 401, `{"detail":"Invalid API key"}`, ErrDenied, "said: Invalid API key"},
		{"a key without the right", 403, `{"error":"forbidden"}`, ErrDenied, "READAHEAD_API_KEY"},
		{"no such model", 404, `{"object":"error","message":"The model ` + "`x`" + ` does not exist.","type":"NotFoundError","code":404}`, ErrModelMissing, "set model to one"},
		{"no such path", 404, `{"detail":"Not Found"}`, ErrNotCompletions, "/v1/completions"},
		{"the prompt is too long for vLLM", 400, `{"error":{"message":"This model's maximum context length is 4096 tokens. However, you requested 5000 tokens"}}`, ErrPromptTooLong, "numCtx"},
		{"the prompt is too long for llama-server", 400, `{"error":{"code":400,"message":"request (5003 tokens) exceeds the available context size (2048 tokens), try increasing it","type":"exceed_context_size_error"}}`, ErrPromptTooLong, "numCtx"},
		{"the prompt is too long for llama-cpp-python", 400, `{"error":{"message":"This model's maximum context length is 2048 tokens, however you requested 5002 tokens"}}`, ErrPromptTooLong, "less text"},
		{"llama-server still loads its model", 503, `{"error":{"message":"Loading model","type":"unavailable_error","code":503}}`, ErrBusy, "in a moment"},
		{"too many requests", 429, `{"error":{"message":"Rate limit reached"}}`, ErrBusy, "in a moment"},
		{"an HTML page with an error", 500, `<html><h1>Internal error</h1></html>`, ErrBroken, "see its log"},
		{"an error that is nothing", 500, ``, ErrBroken, "see its log"},
		{"a refusal", 422, `{"detail":[{"loc":["body","prompt"],"msg":"field required"}]}`, ErrRefused, "field required"},
		{"a gateway without a server", 502, `Bad Gateway`, ErrServerDown, "gateway"},
		{"an HTML page", 200, `<html><body>Welcome</body></html>`, ErrGarbled, "set the endpoint"},
		{"JSON that stops", 200, `{"choices":[{"text":"ret`, ErrGarbled, "set the endpoint"},
		{"nothing", 200, ``, ErrGarbled, "set the endpoint"},
		{"an error with status 200", 200, `{"error":{"message":"worker died"}}`, ErrBroken, "worker died"},
		{"no choices", 200, `{"choices":[]}`, ErrGarbled, "without choices"},
		{"a chat's choice", 200, `{"choices":[{"message":{"content":"x"}}]}`, ErrGarbled, "chat endpoint"},
		{"a number for a text", 200, `{"choices":[{"text":7}]}`, ErrGarbled, "set the endpoint"},
		{"lists of different lengths", 200, `{"choices":[{"text":"ab","logprobs":{"tokens":["a","b"],"token_logprobs":[-1]}}]}`, ErrGarbled, "2 tokens with 1 log-probabilities"},
		{"a list of everything", 200, `[1,2,3]`, ErrGarbled, "set the endpoint"},
		{"JSON nested beyond reason", 200, strings.Repeat("[", 20000), ErrGarbled, "set the endpoint"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			f := newFake(t)
			m := f.open(t, Config{})
			f.before = answers(tt.code, "", tt.body)
			samples, err := draw(t.Context(), m, model.Prompt{Left: "a"}, ten, 1)
			if len(samples) != 0 || !errors.Is(err, tt.want) || !strings.Contains(err.Error(), tt.says) {
				t.Fatalf("got %v; want %v that says %q", err, tt.want, tt.says)
			}
			if !strings.HasPrefix(err.Error(), "openai: generate with qwen2.5-coder-7b: ") || strings.Contains(err.Error(), "\n") || len(err.Error()) > 700 {
				t.Errorf("the message does not say what was attempted, on one line: %v", err)
			}
			if _, _, err := m.Scorer.Score(t.Context(), []model.Pair{{Prefix: "for each of them", Continuation: "b"}}); !errors.Is(err, tt.want) {
				t.Errorf("scoring: %v", err)
			}
		})
	}
}

func TestAnswersThatAreLessThanWasAskedForAreUsed(t *testing.T) {
	for _, tt := range []struct {
		name, body string
		texts      []string
		tokens     int
	}{
		{"log-probabilities that are null", `{"choices":[{"index":0,"text":"a","logprobs":null,"finish_reason":"stop"}]}`, []string{"a"}, 0},
		{"log-probabilities of nothing", `{"choices":[{"index":0,"text":"a","logprobs":{}}]}`, []string{"a"}, 0},
		{"one that is null", `{"choices":[{"text":"a","logprobs":{"tokens":["a"],"token_logprobs":[null],"top_logprobs":[null]}}]}`, []string{"a"}, 1},
		{"choices out of order", `{"choices":[{"index":1,"text":"b"},{"index":0,"text":"a"}]}`, []string{"a", "b"}, 0},
		{"half a character", `{"choices":[{"index":0,"text":"a` + "\\ufffd" + `"}]}`, []string{"a\uFFFD"}, 0},
		{"a text longer than was asked for", `{"choices":[{"text":"` + strings.Repeat("(", 1<<20) + `"}]}`, []string{strings.Repeat("(", 2560)}, 0},
		{"more tokens than were asked for", `{"choices":[{"text":"a","logprobs":{"tokens":["a"` + strings.Repeat(`,"a"`, 999) + `],"token_logprobs":[null` + strings.Repeat(",null", 999) + `]}}]}`, []string{"a"}, 10},
		{"more choices than were asked for", `{"choices":[` + strings.Repeat(`{"text":"a"},`, 99) + `{"text":"a"}]}`, strings.Fields(strings.Repeat("a ", 10)), 0},
	} {
		t.Run(tt.name, func(t *testing.T) {
			f := newFake(t)
			m := f.open(t, Config{})
			var asked atomic.Int32
			f.before = func(w http.ResponseWriter, r *http.Request, body map[string]any) bool {
				if asked.Add(1) > 1 {
					refuse(w, http.StatusInternalServerError, "that was all")
					return true
				}
				return answers(200, "", tt.body)(w, r, body)
			}
			samples, err := draw(t.Context(), m, model.Prompt{Left: "a"}, ten, 20)
			if !errors.Is(err, ErrBroken) || len(samples) != len(tt.texts) {
				t.Fatalf("%d samples, %v", len(samples), err)
			}
			for i, s := range samples {
				if s.Text != tt.texts[i] || len(s.Tokens) != tt.tokens {
					t.Errorf("sample %d: %q with %d tokens", i, s.Text, len(s.Tokens))
				}
			}
		})
	}
}

func TestScoresThatContradictThemselvesAreRefused(t *testing.T) {
	for name, body := range map[string]string{
		"the text does not come back":   `{"choices":[{"text":"x","logprobs":{"tokens":["x"],"token_logprobs":[-1]}}]}`,
		"tokens of another text":        `{"choices":[{"text":"for each of themb","logprobs":{"tokens":["for","eich"],"token_logprobs":[-1,-2]}}]}`,
		"tokens that end early":         `{"choices":[{"text":"for each of themb","logprobs":{"tokens":["for"],"token_logprobs":[-1]}}]}`,
		"no tokens":                     `{"choices":[{"text":"for each of themb","logprobs":null}]}`,
		"a probability that is missing": `{"choices":[{"text":"for each of themb","logprobs":{"tokens":["for each of them","b"],"token_logprobs":[-1,null]}}]}`,
	} {
		f := newFake(t)
		m := f.open(t, Config{})
		f.before = answers(200, "", body)
		_, _, err := m.Scorer.Score(t.Context(), []model.Pair{{Prefix: "for each of them", Continuation: "b"}})
		if !errors.Is(err, ErrGarbled) || !strings.Contains(err.Error(), "update") {
			t.Errorf("%s: %v", name, err)
		}
	}
}

func TestBrokenConnections(t *testing.T) {
	for name, after := range modeltest.BrokenReplies(`{"choices":[{"text":"a"}]}`) {
		t.Run(name, func(t *testing.T) {
			f := newFake(t)
			m := f.open(t, Config{})
			f.before = func(w http.ResponseWriter, _ *http.Request, _ map[string]any) bool {
				modeltest.HangUp(w, after)
				return true
			}
			samples, err := draw(t.Context(), m, model.Prompt{Left: "a"}, ten, 1)
			if len(samples) != 0 || !errors.Is(err, ErrServerDown) || !strings.Contains(err.Error(), "see the server's log") {
				t.Errorf("%d samples, %v", len(samples), err)
			}
		})
	}
}

func TestAPackedAnswerIsRead(t *testing.T) {
	f := newFake(t)
	m := f.open(t, Config{})
	f.before = func(w http.ResponseWriter, r *http.Request, _ map[string]any) bool {
		if !strings.Contains(r.Header.Get("Accept-Encoding"), "gzip") {
			t.Error("gzip is not accepted")
		}
		var b bytes.Buffer
		z := gzip.NewWriter(&b)
		_, _ = io.WriteString(z, `{"choices":[{"text":"packed"}]}`)
		_ = z.Close()
		w.Header().Set("Content-Encoding", "gzip")
		_, _ = w.Write(b.Bytes())
		return true
	}
	if s, err := draw(t.Context(), m, model.Prompt{Left: "a"}, ten, 1); err != nil || s[0].Text != "packed" {
		t.Errorf("%v, %v", s, err)
	}
}

func TestAHugeAnswerIsGivenUpInBoundedMemory(t *testing.T) {
	f := newFake(t)
	m := f.open(t, Config{})
	f.before = func(w http.ResponseWriter, _ *http.Request, _ map[string]any) bool {
		_, _ = io.WriteString(w, `{"choices":[{"text":"`)
		for { // until the client hangs up
			if _, err := w.Write(bytes.Repeat([]byte("x"), 1<<16)); err != nil {
				return true
			}
		}
	}
	var before, after runtime.MemStats
	runtime.ReadMemStats(&before)
	_, err := draw(t.Context(), m, model.Prompt{Left: "a"}, ten, 1)
	runtime.ReadMemStats(&after)
	if !errors.Is(err, ErrGarbled) || !strings.Contains(err.Error(), fmt.Sprintf("more than %d MiB", maxBody>>20)) {
		t.Errorf("got %v", err)
	}
	if n := after.TotalAlloc - before.TotalAlloc; n > 16*maxBody {
		t.Errorf("%d MiB were allocated", n>>20)
	}
}

func TestAServerThatHangsIsGivenUp(t *testing.T) {
	for name, act := range map[string]func(http.ResponseWriter, *http.Request){
		"without a word": func(_ http.ResponseWriter, r *http.Request) { <-r.Context().Done() },
		"drip by drip": func(w http.ResponseWriter, r *http.Request) {
			for r.Context().Err() == nil {
				_, _ = io.WriteString(w, " ")
				_ = http.NewResponseController(w).Flush()
				time.Sleep(5 * time.Millisecond)
			}
		},
	} {
		t.Run(name, func(t *testing.T) {
			f := newFake(t)
			m := f.open(t, Config{})
			m.server.wire.deadline = 150 * time.Millisecond
			f.before = func(w http.ResponseWriter, r *http.Request, _ map[string]any) bool {
				act(w, r)
				return true
			}
			began := time.Now()
			_, err := draw(t.Context(), m, model.Prompt{Left: "a"}, ten, 1)
			if !errors.Is(err, ErrNoAnswer) || !strings.Contains(err.Error(), "150ms") || time.Since(began) > 5*time.Second {
				t.Errorf("%v after %v", err, time.Since(began))
			}
			short, cancel := context.WithTimeout(t.Context(), 20*time.Millisecond)
			defer cancel()
			_, err = draw(short, m, model.Prompt{Left: "a"}, ten, 1)
			if !errors.Is(err, context.DeadlineExceeded) || !strings.Contains(err.Error(), "set another endpoint") || strings.Contains(err.Error(), "context") {
				t.Errorf("where the caller has less time: %v", err)
			}
		})
	}
}

func TestCancellationReachesTheServerAtOnce(t *testing.T) {
	f := newFake(t)
	m := f.open(t, Config{})
	arrived, left := make(chan struct{}), make(chan struct{})
	f.before = func(_ http.ResponseWriter, r *http.Request, _ map[string]any) bool {
		close(arrived)
		<-r.Context().Done()
		close(left)
		return true
	}
	ctx, cancel := context.WithCancel(t.Context())
	go func() { <-arrived; cancel() }()
	if _, err := draw(ctx, m, model.Prompt{Left: "a"}, ten, 1); !errors.Is(err, context.Canceled) {
		t.Errorf("got %v", err)
	}
	select {
	case <-left:
	case <-time.After(10 * time.Second):
		t.Error("the server was not told")
	}
}

func TestABusyServerIsAskedAgainWhenItSays(t *testing.T) {
	for _, tt := range []struct {
		name     string
		code     int
		after    string
		busy     int32 // answers before it has time
		asked    int32
		err      error
		says     string
		atLeast  time.Duration
		noLonger time.Duration
	}{
		{"once busy", 429, "0.1", 1, 2, nil, "", 100 * time.Millisecond, 5 * time.Second},
		{"busy without saying for how long", 503, "", 2, 3, nil, "", firstWait * 3, 10 * time.Second},
		{"always busy", 429, "0.01", 99, 3, ErrBusy, "in a moment", 0, 5 * time.Second},
		{"for longer than a line is waited for", 503, "120", 99, 1, ErrBusy, "left alone for 2m0s", 0, time.Second},
		{"a storm of errors is no business of ours", 500, "", 99, 1, ErrBroken, "see its log", 0, time.Second},
	} {
		t.Run(tt.name, func(t *testing.T) {
			f := newFake(t)
			m := f.open(t, Config{})
			var asked atomic.Int32
			f.before = func(w http.ResponseWriter, _ *http.Request, _ map[string]any) bool {
				if asked.Add(1) > tt.busy {
					return false
				}
				if tt.after != "" {
					w.Header().Set("Retry-After", tt.after)
				}
				refuse(w, tt.code, "not now")
				return true
			}
			began := time.Now()
			_, err := draw(t.Context(), m, model.Prompt{Left: "a"}, ten, 1)
			took := time.Since(began)
			if !errors.Is(err, tt.err) || asked.Load() != tt.asked || took < tt.atLeast || took > tt.noLonger {
				t.Errorf("%v after %d requests and %v", err, asked.Load(), took)
			}
			if err != nil && !strings.Contains(err.Error(), tt.says) {
				t.Errorf("%v does not say %q", err, tt.says)
			}
		})
	}
}

func TestRetryAfterHasTwoForms(t *testing.T) {
	now := time.Date(2026, 11, 30, 10, 0, 0, 0, time.UTC)
	for s, want := range map[string]time.Duration{
		"": 0, "3": 3 * time.Second, "1.5": 1500 * time.Millisecond, "-1": 0, "soon": 0, "NaN": 0, "1e300": 0,
		"Mon, 30 Nov 2026 10:00:07 GMT": 7 * time.Second, "Mon, 30 Nov 2026 09:00:00 GMT": 0,
	} {
		if got := retryAfter(s, now); got != want {
			t.Errorf("%q is %v, want %v", s, got, want)
		}
	}
}

func TestNoServer(t *testing.T) {
	address := modeltest.Nobody(t)
	if _, err := Open(t.Context(), Config{Endpoint: address}); !errors.Is(err, ErrServerDown) || !strings.Contains(err.Error(), address) {
		t.Errorf("got %v", err)
	}
}

func TestAPromptThatDidNotFitIsEstimatedLongerFromThenOn(t *testing.T) {
	f := newFake(t)
	m := f.open(t, Config{})
	before := m.Tokens("some text of some length")
	f.before = answers(400, "", `{"error":{"message":"maximum context length is 4096 tokens"}}`)
	if _, err := draw(t.Context(), m, model.Prompt{Left: "a"}, ten, 1); !errors.Is(err, ErrPromptTooLong) {
		t.Fatal(err)
	}
	if after := m.Tokens("some text of some length"); after <= before {
		t.Errorf("%d tokens before, %d after", before, after)
	}
	if got := len(f.requests()); got != 1 {
		t.Errorf("%d requests: fewer samples would not have helped", got)
	}
}
