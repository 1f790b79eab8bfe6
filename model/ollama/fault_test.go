package ollama

import (
	"context"
	"errors"
	"fmt"
	"io"
	"log"
	"net/http"
	"net/http/httptest"
	"runtime"
	"strings"
	"testing"
	"time"

	"github.com/ollama/ollama/api"

	"readahead/model"
	"readahead/model/internal/modeltest"
)

// The texts are those of Ollama 0.17.4.
func TestWhatTheServerSaysBecomesASentence(t *testing.T) {
	for _, tt := range []struct {
		name string
		code int
		body string
		want error
		says string // part of the message: what to do next
	}{
		{"no such model", 404, `{"error":"model 'toy' not found"}`, ErrModelMissing, "ollama pull toy"},
		{"the prompt is too long", 400, `{"error":"the input length exceeds the context length"}`, ErrPromptTooLong, "ask again with less text"},
		{"the queue is full", 503, `{"error":"server busy, please try again.  maximum pending requests exceeded"}`, ErrBusy, "in a moment"},
		{"503 of a proxy", 503, `<html>unavailable</html>`, ErrBusy, "in a moment"},
		{"the runner was killed", 500, `{"error":"an error was encountered while running the model: unexpected EOF"}`, ErrRunnerDied, "loads it again"},
		{"the runner was killed before it began", 500, `{"error":"model runner has unexpectedly stopped, this may be due to resource limitations or an internal error, check ollama server logs for details"}`, ErrRunnerDied, "loads it again"},
		{"the runner did not start", 500, `{"error":"llama runner process has terminated: exit status 2"}`, ErrRunnerDied, "log"},
		{"not enough memory", 500, `{"error":"model requires more system memory (5.5 GiB) than is available (2.1 GiB)"}`, ErrOutOfMemory, "smaller model"},
		{"an embedding model", 400, `{"error":"\"toy\" does not support generate"}`, ErrNotGenerative, "code model"},
		{"another kind of server", 404, `404 page not found`, ErrNotOllama, "set the endpoint"},
		{"HTML instead of JSON", 200, `<html><body>Welcome</body></html>`, ErrNotOllama, "set the endpoint"},
		{"JSON that stops", 200, `{"response":"ret`, ErrNotOllama, "not Ollama's JSON"},
		{"nothing", 200, ``, ErrNotOllama, "not Ollama's JSON"},
		{"a reply that is not finished", 200, `{"response":"ret","done":false}`, ErrNotOllama, "not finished"},
		{"an error with status 200", 200, `{"error":"an error was encountered while running the model: unexpected EOF"}`, ErrRunnerDied, "loads it again"},
		{"a gateway without a server", 502, `Bad Gateway`, ErrServerDown, "gateway"},
		{"something new", 500, `{"error":"flux capacitor empty"}`, nil, "flux capacitor empty"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			f := newFake(t)
			f.before = func(w http.ResponseWriter, _ *http.Request, _ api.GenerateRequest) bool {
				w.WriteHeader(tt.code)
				_, _ = w.Write([]byte(tt.body))
				return true
			}
			m := f.openDirect(t, Config{})
			_, err := draw(t.Context(), m, model.Prompt{Left: "a"}, tenTokens, 1)
			if err == nil || tt.want != nil && !errors.Is(err, tt.want) || !strings.Contains(err.Error(), tt.says) {
				t.Errorf("got %v\nwant %v, with %q", err, tt.want, tt.says)
			}
			if err != nil && (!strings.HasPrefix(err.Error(), "ollama: generate with toy") || strings.Contains(err.Error(), "\n")) {
				t.Errorf("the message does not say what was attempted, on one line: %v", err)
			}
			if _, _, err := m.Scorer.Score(t.Context(), []model.Pair{{Prefix: "a", Continuation: "b"}}); tt.want != nil && !errors.Is(err, tt.want) {
				t.Errorf("scoring: %v", err)
			}
		})
	}
}

func TestBrokenConnections(t *testing.T) {
	for name, after := range modeltest.BrokenReplies(`{"response":"a","done":true}`) {
		t.Run(name, func(t *testing.T) {
			f := newFake(t)
			f.before = func(w http.ResponseWriter, _ *http.Request, _ api.GenerateRequest) bool {
				modeltest.HangUp(w, after)
				return true
			}
			m := f.open(t, Config{})
			samples, err := draw(t.Context(), m, model.Prompt{Left: "a"}, tenTokens, 1)
			if len(samples) != 0 || !errors.Is(err, ErrServerDown) || !strings.Contains(err.Error(), "ollama serve") {
				t.Errorf("%d samples, %v; want ErrServerDown and how to start it", len(samples), err)
			}
		})
	}
}

func TestNoServer(t *testing.T) {
	address := modeltest.Nobody(t)
	_, openErr := Open(t.Context(), Config{Endpoint: address, Model: "toy"})
	_, probeErr := Probe(t.Context(), address)
	_, listErr := List(t.Context(), address)
	_, pickErr := PickCodeModel(t.Context(), address)
	for name, err := range map[string]error{"Open": openErr, "Probe": probeErr, "List": listErr, "PickCodeModel": pickErr} {
		if !errors.Is(err, ErrServerDown) || !strings.Contains(err.Error(), "ollama serve") || !strings.Contains(err.Error(), address) {
			t.Errorf("%s: %v", name, err)
		}
	}
}

// Whatever else answers, it is said in words about the server.
func TestWhatIsNoOllamaIsSaidWithoutADecodersWords(t *testing.T) {
	for name, body := range map[string]string{
		"a page": "<html>hello</html>", "white space": " ", "half an object": `{"version": "0`, "a list": `[1]`, "a number for a word": `{"version": 5, "models": 7}`,
	} {
		s := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) { _, _ = w.Write([]byte(body)) }))
		_, openErr := Open(t.Context(), Config{Endpoint: s.URL, Model: "toy"})
		_, probeErr := Probe(t.Context(), s.URL)
		_, pickErr := PickCodeModel(t.Context(), s.URL)
		s.Close()
		for what, err := range map[string]error{"Open": openErr, "Probe": probeErr, "PickCodeModel": pickErr} {
			if !errors.Is(err, ErrNotOllama) || !strings.Contains(err.Error(), "set the endpoint") {
				t.Errorf("%s, %s: %v", name, what, err)
				continue
			}
			for _, word := range []string{"invalid character", "unmarshal", "unexpected end", "Go value", "EOF"} {
				if strings.Contains(err.Error(), word) {
					t.Errorf("%s, %s: %q is for programmers: %v", name, what, word, err)
				}
			}
		}
	}
}

func TestAServerOfTheOtherSchemeSaysWhichToWrite(t *testing.T) {
	plain, secret := httptest.NewServer(http.NotFoundHandler()), httptest.NewUnstartedServer(http.NotFoundHandler())
	secret.Config.ErrorLog = log.New(io.Discard, "", 0)
	secret.StartTLS()
	defer plain.Close()
	defer secret.Close()
	for _, tt := range []struct {
		endpoint, says string
		kind           error
	}{
		{strings.Replace(plain.URL, "http:", "https:", 1), "it speaks plain http: write http:// in the endpoint", ErrScheme},
		{strings.Replace(secret.URL, "https:", "http:", 1), "it speaks https: write https:// in the endpoint", ErrScheme},
		{secret.URL, "nobody that is trusted here has signed its certificate: add the authority", ErrServerDown},
	} {
		_, openErr := Open(t.Context(), Config{Endpoint: tt.endpoint, Model: "toy"})
		_, probeErr := Probe(t.Context(), tt.endpoint)
		for what, err := range map[string]error{"Open": openErr, "Probe": probeErr} {
			if !errors.Is(err, tt.kind) || !strings.Contains(err.Error(), tt.says) {
				t.Errorf("%s %s: %v", what, tt.endpoint, err)
			}
		}
	}
}

func TestAModelThatIsNotInstalled(t *testing.T) {
	f := newFake(t)
	_, err := Open(t.Context(), Config{Endpoint: f.URL, Model: "missing"})
	if !errors.Is(err, ErrModelMissing) || !strings.Contains(err.Error(), "ollama pull missing") {
		t.Errorf("got %v", err)
	}
}

func TestAnEmbeddingModelIsRefused(t *testing.T) {
	f := newFake(t)
	f.show.Capabilities = capabilities("embedding")
	if _, err := Open(t.Context(), Config{Endpoint: f.URL, Model: "nomic-embed-text"}); !errors.Is(err, ErrNotGenerative) {
		t.Errorf("got %v", err)
	}
}

func TestRedirectsAreNotFollowed(t *testing.T) {
	elsewhere, leaked := modeltest.Elsewhere(t)
	f := newFake(t)
	f.before = func(w http.ResponseWriter, r *http.Request, _ api.GenerateRequest) bool {
		http.Redirect(w, r, elsewhere, http.StatusTemporaryRedirect)
		return true
	}
	m := f.open(t, Config{})
	_, err := draw(t.Context(), m, model.Prompt{Left: "secret"}, tenTokens, 1)
	if !errors.Is(err, ErrNotOllama) || !strings.Contains(err.Error(), "redirects") || leaked.Load() != 0 {
		t.Errorf("%v, and %d requests went elsewhere", err, leaked.Load())
	}
}

func TestCancellationReachesTheServerAtOnce(t *testing.T) {
	f := newFake(t)
	arrived, left := make(chan struct{}), make(chan time.Time, 1)
	f.before = func(_ http.ResponseWriter, r *http.Request, _ api.GenerateRequest) bool {
		close(arrived)
		<-r.Context().Done()
		left <- time.Now()
		return true
	}
	m := f.open(t, Config{})
	ctx, cancel := context.WithCancel(t.Context())
	var cancelled time.Time
	go func() {
		<-arrived
		cancelled = time.Now()
		cancel()
	}()
	_, err := draw(ctx, m, model.Prompt{Left: "a"}, tenTokens, 1)
	returned := time.Now()
	if !errors.Is(err, context.Canceled) {
		t.Errorf("ended with %v", err)
	}
	// 50 ms by themselves; the rest is for machines where every core is taken.
	const soon = 500 * time.Millisecond
	if d := returned.Sub(cancelled); d > soon {
		t.Errorf("returned %v after the cancellation", d)
	}
	select {
	case at := <-left:
		if d := at.Sub(cancelled); d > soon {
			t.Errorf("the server noticed after %v", d)
		}
	case <-time.After(10 * time.Second):
		t.Error("the server never noticed")
	}
}

func TestNoGoroutinesAreLeft(t *testing.T) {
	f := newFake(t)
	f.before = func(_ http.ResponseWriter, r *http.Request, g api.GenerateRequest) bool {
		if strings.HasPrefix(g.Prompt, "slow") {
			<-r.Context().Done()
			return true
		}
		return false
	}
	before := runtime.NumGoroutine()
	for i := range 10 {
		m := f.open(t, Config{})
		if _, err := draw(t.Context(), m, model.Prompt{Left: fmt.Sprint("quick ", i)}, tenTokens, 2); err != nil {
			t.Fatal(err)
		}
		ctx, cancel := context.WithTimeout(t.Context(), 5*time.Millisecond)
		_, _ = draw(ctx, m, model.Prompt{Left: "slow"}, tenTokens, 1)
		cancel()
		m.Close()
	}
	f.CloseClientConnections()
	for range 100 {
		if runtime.NumGoroutine() <= before+2 { // the test server's own come and go
			return
		}
		time.Sleep(50 * time.Millisecond)
	}
	t.Errorf("%d goroutines before, %d after", before, runtime.NumGoroutine())
}

func TestTooLongPromptsCorrectTheEstimate(t *testing.T) {
	f := newFake(t)
	f.before = func(w http.ResponseWriter, _ *http.Request, _ api.GenerateRequest) bool {
		reply(w, 400, map[string]string{"error": "the input length exceeds the context length"})
		return true
	}
	m := f.openDirect(t, Config{})
	text := strings.Repeat("word ", 100)
	before := m.Tokens(text)
	_, _ = draw(t.Context(), m, model.Prompt{Left: text}, tenTokens, 1)
	if after := m.Tokens(text); after <= before {
		t.Errorf("estimated %d tokens before and %d after a prompt that did not fit", before, after)
	}
}
