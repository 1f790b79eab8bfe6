package ollama

import (
	"errors"
	"net/http"
	"net/http/httptest"
	"testing"
	"time"

	"github.com/ollama/ollama/api"
)

func installedServer(t *testing.T, loaded string, models ...api.ListModelResponse) string {
	mux := http.NewServeMux()
	mux.HandleFunc("GET /api/tags", func(w http.ResponseWriter, _ *http.Request) { reply(w, 200, api.ListResponse{Models: models}) })
	mux.HandleFunc("GET /api/ps", func(w http.ResponseWriter, _ *http.Request) {
		reply(w, 200, api.ProcessResponse{Models: []api.ProcessModelResponse{{Name: loaded}}})
	})
	s := httptest.NewServer(mux)
	t.Cleanup(s.Close)
	return s.URL
}

func TestPickCodeModel(t *testing.T) {
	named := func(name, size string) api.ListModelResponse {
		return api.ListModelResponse{Name: name, Details: api.ModelDetails{ParameterSize: size}}
	}
	cloud := named("qwen3-coder:480b-cloud", "480B")
	cloud.RemoteHost = "https://ollama.com:443"
	for _, tt := range []struct {
		name, loaded string
		models       []api.ListModelResponse
		want         string
	}{
		{"a code model among others", "", []api.ListModelResponse{named("llama3:8b", "8B"), named("qwen2.5-coder:1.5b", "1.5B")}, "qwen2.5-coder:1.5b"},
		{"the larger of the small", "", []api.ListModelResponse{named("qwen2.5-coder:0.5b", "494M"), named("qwen2.5-coder:3b", "3.1B")}, "qwen2.5-coder:3b"},
		{"a small one before a large one", "", []api.ListModelResponse{named("qwen2.5-coder:32b", "32B"), named("qwen2.5-coder:1.5b", "1.5B")}, "qwen2.5-coder:1.5b"},
		{"the smaller of the large", "", []api.ListModelResponse{named("codellama:34b", "34B"), named("codellama:7b", "7B")}, "codellama:7b"},
		{"the one in memory, though larger", "qwen2.5-coder:7b", []api.ListModelResponse{named("qwen2.5-coder:1.5b", "1.5B"), named("qwen2.5-coder:7b", "7B")}, "qwen2.5-coder:7b"},
		{"a base model before a chat model", "", []api.ListModelResponse{named("qwen2.5-coder:3b-instruct", "3B"), named("starcoder2:3b", "3B")}, "starcoder2:3b"},
		{"no known family, but a name", "", []api.ListModelResponse{named("tiny-code:latest", "6.9M"), named("llama3", "8B")}, "tiny-code:latest"},
		{"not an embedding model", "", []api.ListModelResponse{named("code-embed", "100M")}, ""},
		{"never one on another machine", "", []api.ListModelResponse{cloud}, ""},
		{"none", "", nil, ""},
	} {
		t.Run(tt.name, func(t *testing.T) {
			got, err := PickCodeModel(t.Context(), installedServer(t, tt.loaded, tt.models...))
			if tt.want == "" {
				if !errors.Is(err, ErrNoCodeModel) {
					t.Errorf("got %q, %v; want ErrNoCodeModel", got, err)
				}
				return
			}
			if got != tt.want || err != nil {
				t.Errorf("got %q, %v; want %q", got, err, tt.want)
			}
		})
	}
}

func TestAServerThatHangsIsGivenUpAtStart(t *testing.T) {
	hangs := httptest.NewServer(http.HandlerFunc(func(_ http.ResponseWriter, r *http.Request) { <-r.Context().Done() }))
	defer hangs.Close()
	began := time.Now()
	if _, err := Probe(t.Context(), hangs.URL); !errors.Is(err, ErrServerDown) {
		t.Errorf("got %v", err)
	}
	if d := time.Since(began); d < probeStart || d > probeStart+10*time.Second {
		t.Errorf("took %v; want %v", d, probeStart)
	}
}

func TestVersions(t *testing.T) {
	for version, want := range map[string]bool{
		"0.12.10": false, "0.12.11": true, "0.17.4": true, "0.9.9": false, "1.0": true, "v0.13.0-rc1": true,
		"0.12.11-rc0": true, "0.0.0": true, "0.6": false, "": true, "dev": true,
	} {
		if got := hasLogProbs(version); got != want {
			t.Errorf("%q: log-probabilities %v, want %v", version, got, want)
		}
	}
}

func TestContexts(t *testing.T) {
	for _, tt := range []struct {
		name                       string
		wanted, modelfile, trained int
		want                       int
	}{
		{"what is asked for", 4096, 2048, 32768, 4096},
		{"the Modelfile's", 0, 2048, 32768, 2048},
		{"the default", 0, 0, 32768, DefaultNumCtx},
		{"no more than it was trained for", 16384, 0, 2048, 2048},
		{"a model that does not say", 16384, 0, 0, 16384},
	} {
		if got := (abilities{own: tt.modelfile, context: tt.trained}).numCtx(tt.wanted); got != tt.want {
			t.Errorf("%s: %d, want %d", tt.name, got, tt.want)
		}
	}
}

func TestBillions(t *testing.T) {
	for size, want := range map[string]float64{"1.5B": 1.5, "494M": 0.494, "7B": 7, "": 0, "huge": 0, "xB": 0} {
		if got := billions(size); got != want {
			t.Errorf("%q is %v, want %v", size, got, want)
		}
	}
}
