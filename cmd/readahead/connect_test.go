package main

import (
	"context"
	"encoding/json"
	"net/http"
	"net/http/httptest"
	"net/http/httputil"
	"net/url"
	"os"
	"path/filepath"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"readahead/lsp"
	"readahead/model/ollama/ollamatest"
	"readahead/model/openai/openaitest"
)

const teamKey = "sk-of-the-team"

// teamLike answers as a completions server does that lets in who has teamKey. It
// has one thing to say, and no echo.
func teamLike(t *testing.T, says string) (endpoint string, denied *atomic.Int32) {
	t.Helper()
	return teamServing(t, "qwen2.5-coder-7b", says)
}

// teamServing is teamLike with another model.
func teamServing(t *testing.T, name, says string) (endpoint string, denied *atomic.Int32) {
	t.Helper()
	type object = map[string]any
	denied = new(atomic.Int32)
	reply := func(w http.ResponseWriter, v any) { _ = json.NewEncoder(w).Encode(v) }
	mux := http.NewServeMux()
	mux.HandleFunc("GET /v1/models", func(w http.ResponseWriter, _ *http.Request) {
		reply(w, object{"data": []object{{"id": name, "owned_by": "vllm", "max_model_len": 8192}}})
	})
	mux.HandleFunc("POST /v1/completions", func(w http.ResponseWriter, r *http.Request) {
		var q struct {
			N    int
			Echo bool
		}
		_ = json.NewDecoder(r.Body).Decode(&q)
		choices := []object{}
		for i := range max(1, q.N) {
			choices = append(choices, object{"index": i, "text": says, "finish_reason": "stop", "logprobs": object{"tokens": []string{says}, "token_logprobs": []float64{-1}}})
		}
		reply(w, object{"choices": choices, "usage": object{"prompt_tokens": 100, "completion_tokens": 5 * len(choices)}})
	})
	srv := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if r.Header.Get("Authorization") != "Bearer "+teamKey {
			denied.Add(1)
			w.WriteHeader(http.StatusUnauthorized)
			reply(w, object{"error": object{"message": "no such key: " + r.Header.Get("Authorization")}})
			return
		}
		mux.ServeHTTP(w, r)
	}))
	t.Cleanup(srv.Close)
	return srv.URL, denied
}

func TestATeamsServerCompletes(t *testing.T) {
	endpoint, _ := teamLike(t, "Add(it)")
	dir := unpack(t, "shop")
	at := cursor(t, filepath.Join(dir, "order", "order.go"))
	keyFile := filepath.Join(t.TempDir(), "key")
	if err := os.WriteFile(keyFile, []byte(teamKey+"\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	config := filepath.Join(t.TempDir(), "config.toml")
	if err := os.WriteFile(config, []byte("server = \"openai\"\nendpoint = \""+endpoint+"/v1\"\napiKeyFile = \""+filepath.ToSlash(keyFile)+"\"\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	r, _ := complete(t, command(t.Context(), t, "complete", "--json", "--root", dir, "--config", config, at))
	if r.Trace.Model.Provider != "openai" || r.Trace.Model.Name != "qwen2.5-coder-7b" || len(r.Items) == 0 || !strings.HasPrefix(r.Items[0].Text, "Add(it)") {
		t.Errorf("model %+v, items %+v, notice %q", r.Trace.Model, r.Items, r.Trace.Notice)
	}
	c := command(t.Context(), t, "complete", "--json", "--root", dir, "--server", "openai", "--endpoint", endpoint, at)
	c.Env = append(c.Env, apiKeyVariable+"="+teamKey)
	if r, _ = complete(t, c); r.Trace.Model.Provider != "openai" {
		t.Errorf("with the key in the environment: %+v, notice %q", r.Trace.Model, r.Trace.Notice)
	}
}

// Whether the server takes the key or not, it stands in nothing that the editor is
// told, and in no log.
func TestTheKeyIsToldToNobody(t *testing.T) {
	endpoint, denied := teamLike(t, "Add(it)")
	for key, provider := range map[string]string{teamKey: "openai", "sk-wrong": "embedded"} {
		dir := unpack(t, "shop")
		log := filepath.Join(t.TempDir(), "log")
		config := filepath.Join(t.TempDir(), "config.toml")
		if err := os.WriteFile(config, []byte("server = \"openai\"\nlogLevel = \"debug\"\nendpoint = \""+endpoint+"\"\n"), 0o600); err != nil {
			t.Fatal(err)
		}
		s := serveWith(t.Context(), t, []string{"--log", log, "--config", config}, apiKeyVariable+"="+key)
		uri, at := s.open(dir, filepath.Join(dir, "order", "order.go"), "go")
		s.inline(uri, at)
		r := s.trace(uri)
		if r.Trace.Model.Provider != provider {
			t.Errorf("%s: answered by %+v, notice %q", key, r.Trace.Model, r.Trace.Notice)
		}
		status := s.call("workspace/executeCommand", map[string]any{"command": "readahead.status"})
		said, err := json.Marshal(append(s.said, status))
		if err != nil {
			t.Fatal(err)
		}
		if code := s.leave(); code != 0 {
			t.Errorf("exit status %d", code)
		}
		logged, err := os.ReadFile(log)
		if err != nil || len(logged) == 0 {
			t.Fatalf("the log: %d bytes, %v", len(logged), err)
		}
		for where, text := range map[string]string{"the log": string(logged), "what the editor was told": string(said), "the notice": r.Trace.Notice} {
			if strings.Contains(text, key) {
				t.Errorf("the key is in %s: %s", where, text)
			}
		}
	}
	if denied.Load() == 0 {
		t.Error("the wrong key was never tried")
	}
}

// The name of the model's machine is known to the proxy alone.
func TestAProxyLeadsToATeamsServer(t *testing.T) {
	endpoint, _ := teamLike(t, "Add(it)")
	server, err := url.Parse(endpoint)
	if err != nil {
		t.Fatal(err)
	}
	var passed atomic.Int32
	forward := httputil.NewSingleHostReverseProxy(server)
	proxy := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if r.URL.Host != "models.invalid" {
			t.Errorf("the proxy was asked for %s", r.URL)
		}
		passed.Add(1)
		forward.ServeHTTP(w, r)
	}))
	defer proxy.Close()
	dir := unpack(t, "shop")
	at := cursor(t, filepath.Join(dir, "order", "order.go"))
	config := filepath.Join(t.TempDir(), "config.toml")
	if err := os.WriteFile(config, []byte("server = \"openai\"\nendpoint = \"http://models.invalid\"\nplainHTTP = true\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	ask := func(env ...string) result {
		c := command(t.Context(), t, "complete", "--json", "--root", dir, "--config", config, at)
		c.Env = append(c.Env, append(env, apiKeyVariable+"="+teamKey, "HTTP_PROXY="+proxy.URL, "http_proxy="+proxy.URL)...)
		return finish(t, c)
	}
	got := ask("NO_PROXY=", "no_proxy=")
	if passed.Load() == 0 || !strings.Contains(got.stdout, `"remote": "models.invalid"`) || !strings.Contains(got.stdout, `"provider": "openai"`) {
		t.Errorf("%d requests by the proxy\n%s%s", passed.Load(), got.stderr, got.stdout)
	}
	passed.Store(0)
	if got = ask("NO_PROXY=models.invalid", "no_proxy=models.invalid"); passed.Load() != 0 || !strings.Contains(got.stdout, `"provider": "embedded"`) {
		t.Errorf("past the proxy: %d requests by it\n%s", passed.Load(), got.stderr)
	}
}

// A repository may want the user's code and key: what it says about where they go
// is ignored, and said to be.
func TestARepositoryCannotRedirectToItsOwnServer(t *testing.T) {
	endpoint, denied := teamLike(t, "Add(it)")
	dir := unpack(t, "shop")
	at := cursor(t, filepath.Join(dir, "order", "order.go"))
	if err := os.WriteFile(filepath.Join(dir, ".readahead.toml"), []byte("server = \"openai\"\nendpoint = \""+endpoint+"\"\nplainHTTP = true\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	c := command(t.Context(), t, "complete", "--json", "--root", dir, at)
	c.Env = append(c.Env, apiKeyVariable+"="+teamKey)
	got := finish(t, c)
	if got.status != 0 || !strings.Contains(got.stderr, "endpoint is ignored here") || !strings.Contains(got.stdout, `"provider": "embedded"`) || denied.Load() != 0 {
		t.Errorf("status %d, %d requests\n%s", got.status, denied.Load(), got.stderr)
	}
}

func TestDoctorKnowsATeamsServer(t *testing.T) {
	endpoint, _ := teamLike(t, "return nil")
	dir := unpack(t, "shop")
	args := []string{"doctor", "--json", "--server", "openai", "--endpoint", endpoint, dir}
	c := command(t.Context(), t, args...)
	c.Env = append(c.Env, apiKeyVariable+"=wrong-key")
	found, got := examined(t, c)
	if d := found["model server"]; got.status != 1 || d.Status != problem || !strings.Contains(d.Fix, apiKeyVariable) || strings.Contains(got.stdout+got.stderr, "wrong-key") {
		t.Errorf("a wrong key: status %d, %+v", got.status, d)
	}
	c = command(t.Context(), t, args...)
	c.Env = append(c.Env, apiKeyVariable+"="+teamKey)
	found, _ = examined(t, c)
	if d := found["model server"]; d.Status != fine || !strings.Contains(d.Detail, "vLLM answers") {
		t.Errorf("the right key: %+v", d)
	}
	if d := found["model"]; !strings.Contains(d.Detail, "votes decide alone") || !strings.Contains(d.Fix, "For a team") {
		t.Errorf("model: %+v", d)
	}
	if d, there := found["completion"]; !there || d.Status == problem {
		t.Errorf("completion: %+v", d)
	}
}

func TestKeysThatAreNotTaken(t *testing.T) {
	dir := t.TempDir()
	file := func(name, text string, mode os.FileMode) string {
		path := filepath.Join(dir, name)
		if err := os.WriteFile(path, []byte(text), mode); err != nil {
			t.Fatal(err)
		}
		if err := os.Chmod(path, mode); err != nil { // whatever the umask
			t.Fatal(err)
		}
		return path
	}
	t.Setenv(apiKeyVariable, "from-the-environment")
	t.Setenv("HOME", dir)
	for _, tt := range []struct{ name, path, says string }{
		{"a file of one's own", file("good", "key\n", 0o600), ""},
		{"a file in one's home", "~/good", ""},
		{"a file that cannot be written", file("read", "key", 0o400), ""},
		{"none, so the environment's", "", ""},
		{"a file that others can read", file("open", "hunter2", 0o644), "chmod 600"},
		{"a file that a group can read", file("group", "hunter2", 0o640), "chmod 600"},
		{"an empty file", file("empty", " \n", 0o600), "is empty"},
		{"several words", file("words", "hunter2 hunter2", 0o600), "one word"},
		{"a line break inside", file("lines", "hunter2\nX-Evil: yes", 0o600), "one word"},
		{"no file", filepath.Join(dir, "absent"), "no such file"},
		{"a folder", dir, "not a regular file"},
	} {
		key, err := apiKey(lsp.Config{APIKeyFile: tt.path})
		switch {
		case tt.says == "" && (err != nil || key.Empty()):
			t.Errorf("%s: %v", tt.name, err)
		case tt.says != "" && (err == nil || !strings.Contains(err.Error(), tt.says) || strings.Contains(err.Error(), "hunter2")):
			t.Errorf("%s: %v; want it to say %q", tt.name, err, tt.says)
		}
	}
	t.Setenv(apiKeyVariable, "two words")
	if _, err := apiKey(lsp.Config{}); err == nil || strings.Contains(err.Error(), "two words") {
		t.Errorf("a bad variable: %v", err)
	}
}

// Samples of Ollama's, graded exactly by a server of the same weights: one request a
// candidate instead of a walk of hundreds.
func TestRealLlamaServerGradesForOllama(t *testing.T) {
	grader, srv := openaitest.LlamaServer(t), ollamatest.Start(t)
	ctx, cancel := context.WithTimeout(t.Context(), 5*time.Minute)
	defer cancel()
	ask := func(endpoint string) result {
		c := asked(ctx, t, srv, "eval", "--self", unpack(t, "shop"), "-n", "2", "--metrics", "em", "--json", "--model", ollamatest.Model, "--prompt", "causal",
			"--samples", "3", "--select", "votes", "--route", "on,none", "--default", "--caret", "--grader", endpoint)
		c.Env = append(c.Env, apiKeyVariable+"="+grader.Key)
		return finish(t, c)
	}
	got := ask(grader.Endpoint)
	var r struct {
		Selectors []struct {
			Selector string  `json:"selector"`
			Scored   float64 `json:"scored_per_task"`
			Grading  float64 `json:"grading_requests_per_task"`
		} `json:"selectors"`
	}
	if err := json.Unmarshal([]byte(got.stdout), &r); err != nil {
		t.Fatalf("status %d: %s", got.status, got.stderr)
	}
	graded := 0
	for _, s := range r.Selectors {
		if s.Grading > 2*s.Scored {
			t.Errorf("%s: %v requests for %v candidates", s.Selector, s.Grading, s.Scored)
		}
		if strings.HasPrefix(s.Selector, "blend") && s.Scored > 0 {
			graded++
		}
	}
	if graded != 2 {
		t.Errorf("want the default and Caret among what was graded: %s", got.stdout)
	}
	if got := ask(srv.Endpoint); got.status != 1 || !strings.Contains(got.stderr, "does not score a given text") {
		t.Errorf("graded by one that cannot: status %d, %s", got.status, got.stderr)
	}
}

func TestRealLlamaServerCompletesAndScores(t *testing.T) {
	srv := openaitest.LlamaServer(t)
	dir := unpack(t, "shop")
	ctx, cancel := context.WithTimeout(t.Context(), 5*time.Minute)
	defer cancel()
	at := cursor(t, filepath.Join(dir, "order", "order.go"))
	c := command(ctx, t, "complete", "--json", "--n", "10", "--root", dir, "--wait", "2m", "--server", "openai", "--endpoint", srv.Endpoint, at)
	c.Env = append(c.Env, apiKeyVariable+"="+srv.Key)
	r, _ := complete(t, c)
	d := r.Trace.Decision
	if r.Trace.Model.Provider != "openai" || r.Trace.Model.Scoring != "forced" || d.Route == "" || len(d.Pools) == 0 {
		t.Fatalf("answered by %+v, notice %q", r.Trace.Model, r.Trace.Notice)
	}
	for _, p := range d.Pools {
		if len(p.Samples) != 10 {
			t.Errorf("%s: %d samples", p.Family, len(p.Samples))
		}
		for _, s := range p.Candidates {
			if s.Reverse != nil && s.Reverse.LogProb >= 0 {
				t.Errorf("reverse-context score %v of %q", s.Reverse.LogProb, s.Text)
			}
		}
	}
	if scored(r) == 0 && d.Rule != "agreement" {
		t.Errorf("nothing was scored, and the samples did not agree: %s", d.Rule)
	}
	t.Logf("%s, %s, agreement %v, %d scored", d.Route, d.Rule, d.Pools[0].Agreement, scored(r))
	c = command(ctx, t, "eval", "--self", dir, "-n", "1", "--metrics", "em", "--server", "openai", "--endpoint", srv.Endpoint, "--model", openaitest.Model, "--samples", "3")
	c.Env = append(c.Env, apiKeyVariable+"="+srv.Key)
	if out := finish(t, c); out.status != 0 || !strings.Contains(out.stdout, "blend N=3") {
		t.Errorf("eval: status %d\n%s%s", out.status, out.stdout, out.stderr)
	}
}
