package main

import (
	"encoding/json"
	"fmt"
	"io"
	"log"
	"net/http"
	"net/http/httptest"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"readahead/lsp"
	"readahead/model"
)

// examined is what doctor --json says, by name.
func examined(t *testing.T, c *exec.Cmd) (map[string]diagnosis, result) {
	t.Helper()
	got := finish(t, c)
	var out struct{ Checks []diagnosis }
	if err := json.Unmarshal([]byte(got.stdout), &out); err != nil {
		t.Fatalf("not JSON: %v\n%s%s", err, got.stdout, got.stderr)
	}
	found := map[string]diagnosis{}
	for _, d := range out.Checks {
		found[d.Name] = d
		if d.Status != fine && d.Fix == "" {
			t.Errorf("%s: %q, and nothing to do about it", d.Name, d.Detail)
		}
	}
	return found, got
}

// ollamaLike answers as Ollama does: one code model, which reads and writes so
// many tokens a second.
func ollamaLike(t *testing.T, read, write float64) string {
	t.Helper()
	type object = map[string]any
	reply := func(w http.ResponseWriter, v any) { _ = json.NewEncoder(w).Encode(v) }
	mux := http.NewServeMux()
	mux.HandleFunc("GET /api/version", func(w http.ResponseWriter, _ *http.Request) { reply(w, object{"version": "0.17.4"}) })
	mux.HandleFunc("GET /api/tags", func(w http.ResponseWriter, _ *http.Request) {
		reply(w, object{"models": []object{{"name": "qwen2.5-coder:1.5b", "details": object{"parameter_size": "1.5B"}}}})
	})
	mux.HandleFunc("GET /api/ps", func(w http.ResponseWriter, _ *http.Request) { reply(w, object{"models": []object{}}) })
	mux.HandleFunc("POST /api/show", func(w http.ResponseWriter, r *http.Request) {
		var q struct{ Model string }
		if _ = json.NewDecoder(r.Body).Decode(&q); !strings.HasPrefix(q.Model, "qwen") {
			w.WriteHeader(http.StatusNotFound)
			reply(w, object{"error": "model '" + q.Model + "' not found"})
			return
		}
		reply(w, object{"template": "{{ if .Suffix }}<|fim_prefix|>{{ .Prompt }}<|fim_suffix|>{{ .Suffix }}<|fim_middle|>{{ end }}",
			"model_info": object{"general.architecture": "qwen2", "qwen2.context_length": 32768}})
	})
	mux.HandleFunc("POST /api/generate", func(w http.ResponseWriter, r *http.Request) {
		var q struct{ Prompt string }
		_ = json.NewDecoder(r.Body).Decode(&q)
		tokens := len(q.Prompt) / 3
		seconds := func(n int, perSecond float64) time.Duration { return time.Duration(float64(n) / perSecond * 1e9) }
		reply(w, object{"response": "return 1", "done": true, "done_reason": "stop",
			"prompt_eval_count": tokens, "prompt_eval_duration": seconds(tokens, read), "eval_count": 6, "eval_duration": seconds(6, write)})
	})
	srv := httptest.NewServer(mux)
	t.Cleanup(srv.Close)
	return srv.URL
}

func TestDoctorOfASetupWithoutAServerWarnsAndNamesTheCommand(t *testing.T) {
	dir := unpack(t, "shop")
	found, got := examined(t, command(t.Context(), t, "doctor", "--json", dir))
	if got.status != 0 {
		t.Errorf("status %d: %s", got.status, got.stderr)
	}
	if d := found["model server"]; d.Status != warning || !strings.HasSuffix(d.Fix, "ollama serve") {
		t.Errorf("model server: %+v", d)
	}
	if _, ok := found["model"]; ok {
		t.Error("a model is reported that no server has")
	}
	if d := found["index"]; d.Status != fine || !strings.Contains(d.Detail, "objects") {
		t.Errorf("index: %+v", d)
	}
	if d := found["completion"]; d.Status != fine || !strings.Contains(d.Detail, "embedded") {
		t.Errorf("completion: %+v", d)
	}
	if d := found["program"]; d.Status != warning || !strings.Contains(d.Detail, "PATH") && !strings.Contains(d.Detail, "another") {
		t.Errorf("program: %+v", d)
	}
}

func TestDoctorMeasuresTheModel(t *testing.T) {
	dir := unpack(t, "shop")
	for _, test := range []struct {
		name        string
		read, write float64
		status      status
		says        string
	}{
		{"a graphics card needs nothing", 6000, 120, fine, "writes 120 tokens/s"},
		{"a processor gets less evidence", 600, 20, warning, "lowered from 4096 tokens"},
		{"a model too large comes late", 100, 2, warning, "later than deadlineMs"},
	} {
		c := command(t.Context(), t, "doctor", "--json", dir)
		c.Env = append(c.Env, "OLLAMA_HOST="+ollamaLike(t, test.read, test.write))
		found, got := examined(t, c)
		if got.status != 0 {
			t.Errorf("%s: status %d: %s", test.name, got.status, got.stderr)
		}
		if d := found["model"]; d.Status != fine && !strings.Contains(d.Detail, "qwen2.5-coder:1.5b") {
			t.Errorf("%s: model: %+v", test.name, d)
		}
		if d := found["speed"]; d.Status != test.status || !strings.Contains(d.Detail, test.says) {
			t.Errorf("%s: speed: %+v", test.name, d)
		}
		if d := found["grading"]; d.Status != warning || !strings.Contains(d.Detail, "no log-probabilities") { // whatever its version
			t.Errorf("%s: grading: %+v", test.name, d)
		}
		if d := found["completion"]; d.Status != fine || !strings.Contains(d.Detail, "qwen2.5-coder:1.5b answered") {
			t.Errorf("%s: completion: %+v", test.name, d)
		}
	}
}

func TestDoctorNamesWhatWasAskedForAndIsNotThere(t *testing.T) {
	dir := unpack(t, "shop")
	tests := []struct {
		name, check string
		args        []string
		server      bool
		fix         string
	}{
		{"a model that the server lacks", "model", []string{"--model", "starcoder2:3b"}, true, "ollama pull starcoder2:3b"},
		{"a server that was configured", "model server", []string{"--endpoint", nobody}, false, "ollama serve"},
		{"a server of the other scheme", "model server", []string{"--endpoint", strings.Replace(notOllama(t), "http:", "https:", 1)}, false, "correct the endpoint"},
		{"a server that is another program", "model server", []string{"--endpoint", notOllama(t)}, false, "set endpoint"},
	}
	for _, test := range tests {
		c := command(t.Context(), t, append([]string{"doctor", "--json", dir}, test.args...)...)
		if test.server {
			c.Env = append(c.Env, "OLLAMA_HOST="+ollamaLike(t, 6000, 100))
		}
		found, got := examined(t, c)
		if d := found[test.check]; d.Status != problem || !strings.Contains(d.Fix, test.fix) {
			t.Errorf("%s: %+v", test.name, d)
		}
		if got.status != 1 || !strings.Contains(got.stderr, "problems above") {
			t.Errorf("%s: status %d, %q", test.name, got.status, got.stderr)
		}
	}
}

func notOllama(t *testing.T) string {
	srv := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) { _, _ = w.Write([]byte("<html>hello</html>")) }))
	t.Cleanup(srv.Close)
	return srv.URL
}

// What mends one fault of the way to a server does not mend another.
func TestDoctorNamesTheStepThatMendsTheFault(t *testing.T) {
	dir := unpack(t, "shop")
	says := func(code int, body string) string {
		s := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) { http.Error(w, body, code) }))
		t.Cleanup(s.Close)
		return s.URL
	}
	secret := httptest.NewUnstartedServer(http.NotFoundHandler())
	secret.Config.ErrorLog = log.New(io.Discard, "", 0)
	secret.StartTLS()
	t.Cleanup(secret.Close)
	for _, tt := range []struct {
		name, endpoint string
		env            []string
		ollama, team   string // the step, by the kind of server that is configured
	}{
		{"nothing listens here", "http://" + nobody, nil, "OLLAMA_HOST=" + nobody + " ollama serve", "start the server"},
		{"no such name", "http://models.invalid:11434", nil, "models.invalid in the endpoint", "models.invalid in the endpoint"},
		{"a certificate of nobody's", secret.URL, nil, "SSL_CERT_FILE", "caFile"},
		{"nobody is let in", says(401, "who are you?"), nil, "ollama signin", apiKeyVariable},
		{"we are not let in", says(403, "no"), nil, "ollama signin", apiKeyVariable},
		{"a gateway to nothing", says(502, ""), nil, "behind the gateway", "behind the gateway"},
		{"a server that has too much to do", says(503, "loading model"), nil, "wait until", "wait until"},
		{"a wrong path", ollamaLike(t, 1000, 100) + "/elsewhere", nil, "set endpoint to the Ollama server", "set endpoint to a server"},
		{"a server that fails", says(500, "oh"), nil, "log", "log"},
		{"https at a server of http", strings.Replace(says(404, ""), "http:", "https:", 1), nil, "correct the endpoint", "correct the endpoint"},
		{"a proxy that is down", "https://models.example.com", []string{"HTTPS_PROXY=http://" + nobody, "NO_PROXY="}, "NO_PROXY=models.example.com", "NO_PROXY=models.example.com"},
		{"a server that says nothing", hangingAt(t, "/"), nil, "restart the server", "restart the server"},
	} {
		for server, step := range map[string]string{"ollama": tt.ollama, "openai": tt.team} {
			c := command(t.Context(), t, "doctor", "--json", "--time", "12s", "--server", server, "--endpoint", tt.endpoint, "--model", "m", dir)
			c.Env = append(c.Env, tt.env...)
			found, got := examined(t, c)
			d := found["model server"]
			if d.Status != problem || !strings.Contains(d.Fix, step) || got.status != 1 || d.Ms > 8000 {
				t.Errorf("%s, %s: %+v; want a step with %q", tt.name, server, d, step)
			}
			if strings.Contains(d.Fix, "ollama serve") && !strings.Contains(step, "serve") && !strings.Contains(step, "restart") && !strings.Contains(step, "log") {
				t.Errorf("%s, %s: ollama serve does not mend that: %+v", tt.name, server, d)
			}
		}
	}
}

func TestDoctorNamesAllMistakesOfAFile(t *testing.T) {
	dir := unpack(t, "shop")
	file := filepath.Join(t.TempDir(), "config.toml")
	var text strings.Builder
	for i := range 12 {
		fmt.Fprintf(&text, "mistake%d = 1\n", i)
	}
	if err := os.WriteFile(file, []byte(text.String()), 0o600); err != nil {
		t.Fatal(err)
	}
	got := run(t, "doctor", "--model", "embedded", "--config", file, dir)
	for i := range 12 {
		if want := fmt.Sprintf("%s:%d: unknown key \"mistake%d\"", file, i+1, i); !strings.Contains(got.stdout, want) {
			t.Errorf("not named: %s\n%s", want, got.stdout)
		}
	}
}

// Nobody means the whole disk by a workspace, and reading it would take the minute.
func TestDoctorDoesNotReadWhatHoldsEverything(t *testing.T) {
	home := t.TempDir()
	t.Setenv("READAHEAD_TEST_HOME", home)
	if err := os.WriteFile(filepath.Join(home, "a.go"), []byte("package a\n\nfunc F() {}\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	for _, dir := range []string{home, filepath.VolumeName(home) + string(filepath.Separator)} {
		found, got := examined(t, command(t.Context(), t, "doctor", "--json", "--model", "embedded", dir))
		if d := found["index"]; got.status != 0 || d.Status != warning || !strings.Contains(d.Detail, "not read: "+dir) {
			t.Errorf("%s: status %d, %+v", dir, got.status, d)
		}
		for _, name := range []string{"cache", "ignored", "watching", "completion"} {
			if d, ok := found[name]; ok {
				t.Errorf("%s: checked all the same: %+v", dir, d)
			}
		}
	}
}

func TestDoctorReadsTheConfiguration(t *testing.T) {
	dir := unpack(t, "shop")
	file := filepath.Join(t.TempDir(), "config.toml")
	for _, test := range []struct {
		name, text string
		status     status
		says       string
	}{
		{"all is well", "samples = 4\n", fine, file + ": 4 samples"},
		{"an unknown key is named", "sampels = 4\n", warning, "sampels"},
		{"what is no TOML is named", "samples = = 4\n", warning, "not valid TOML"},
		{"switched off is a problem", "enable = false\n", problem, "switched off"},
	} {
		if err := os.WriteFile(file, []byte(test.text), 0o600); err != nil {
			t.Fatal(err)
		}
		found, _ := examined(t, command(t.Context(), t, "doctor", "--json", "--config", file, dir))
		if d := found["configuration"]; d.Status != test.status || !strings.Contains(d.Detail, test.says) {
			t.Errorf("%s: %+v", test.name, d)
		}
	}
}

func TestDoctorFindsAFolderWithoutCodeAndACacheThatCannotBeKept(t *testing.T) {
	found, _ := examined(t, command(t.Context(), t, "doctor", "--json", t.TempDir()))
	if d := found["index"]; d.Status != warning || !strings.Contains(d.Detail, "no code") {
		t.Errorf("a folder without code: %+v", d)
	}
	c := command(t.Context(), t, "doctor", "--json", unpack(t, "shop"))
	c.Env = append(c.Env, "XDG_CACHE_HOME="+filepath.Join(os.DevNull, "cache"))
	found, _ = examined(t, c)
	if d := found["cache"]; d.Status != warning || !strings.Contains(d.Fix, "XDG_CACHE_HOME") {
		t.Errorf("a cache folder that cannot be made: %+v", d)
	}
	if got := run(t, "doctor", filepath.Join(t.TempDir(), "none")); got.status != 1 || got.stdout != "" {
		t.Errorf("a folder that does not exist: status %d, %q %q", got.status, got.stdout, got.stderr)
	}
}

func TestDoctorSaysWhatIsNotReadAndWhatIsKept(t *testing.T) {
	dir := unpack(t, "shop")
	for name, size := range map[string]int{".gitignore": 0, "gen.go": 10, "big.go": 2 << 20, ".env": 10} {
		if err := os.WriteFile(filepath.Join(dir, name), make([]byte, size), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	if err := os.WriteFile(filepath.Join(dir, ".gitignore"), []byte("gen.go\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	if err := os.Symlink("gen.go", filepath.Join(dir, "link.go")); err != nil {
		t.Fatal(err)
	}
	found, _ := examined(t, command(t.Context(), t, "doctor", "--json", "--model", "embedded", dir))
	if d := found["ignored"]; d.Status != fine || !strings.HasPrefix(d.Detail, "2 files and folders by .gitignore") || !strings.Contains(d.Detail, "1 files over maxFileSize = 1048576, 1 links") {
		t.Errorf("%+v", d)
	}
	if d := found["cache"]; d.Status != fine || !strings.Contains(d.Detail, ": 1 indexes, ") {
		t.Errorf("%+v", d)
	}
	if d := found["configuration"]; !strings.HasPrefix(d.Detail, "no file, the defaults: 10 samples") {
		t.Errorf("%+v", d)
	}
	without, _ := examined(t, command(t.Context(), t, "doctor", "--json", "--model", "embedded", "--no-cache", dir))
	if d, ok := without["cache"]; ok {
		t.Errorf("without a cache: %+v", d)
	}
}

func TestDoctorPrintsALineACheckAndWhatToDo(t *testing.T) {
	got := run(t, "doctor", unpack(t, "shop"))
	for _, line := range []string{"warning  model server   ollama: ", "→ OLLAMA_HOST=" + nobody + " ollama serve", "ok       index ", "ok       completion "} {
		if !strings.Contains(got.stdout, line) {
			t.Errorf("no %q in\n%s", line, got.stdout)
		}
	}
}

func TestVerdicts(t *testing.T) {
	c := lsp.DefaultConfig()
	for _, test := range []struct {
		name   string
		got    diagnosis
		status status
		says   string
	}{
		{"few folders", watches(10, 8192), fine, "10 folders of at most 8192"},
		{"most of the limit", watches(5000, 8192), warning, "now and then"},
		{"a complete model", about(model.Info{Name: "m", FIM: true, Scoring: "walk", Context: 8192}, c), fine, "fills in the middle"},
		{"a small window", about(model.Info{Name: "m", FIM: true, Scoring: "walk", Context: 2048}, c), warning, "for evidence"},
		{"a model elsewhere", about(model.Info{Name: "m", Context: 8192, Remote: "example.com"}, c), warning, "leaves this machine for example.com"},
		{"a model that lacks something", about(model.Info{Name: "m", Context: 8192, Notes: []string{"no log-probabilities"}}, c), warning, "no log-probabilities"},
	} {
		if test.got.Status != test.status || !strings.Contains(test.got.Detail, test.says) || test.status != fine && test.got.Fix == "" {
			t.Errorf("%s: %+v", test.name, test.got)
		}
	}
}
