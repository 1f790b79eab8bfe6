package openai

import (
	"bytes"
	"encoding/json"
	"encoding/pem"
	"errors"
	"fmt"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"net/url"
	"strings"
	"testing"

	"readahead/model"
	"readahead/model/internal/modeltest"
	"readahead/model/link"
)

func TestEndpoints(t *testing.T) {
	for _, tt := range []struct{ name, given, want, remote string }{
		{"a host and a port", "127.0.0.1:8000", "http://127.0.0.1:8000", ""},
		{"with /v1", "http://127.0.0.1:8000/v1", "http://127.0.0.1:8000", ""},
		{"with a slash at the end", "http://localhost:8000/v1/", "http://localhost:8000", ""},
		{"another machine", "https://models.example.com", "https://models.example.com", "models.example.com"},
		{"behind a path", "https://gw.example.com/llm/team-1/v1", "https://gw.example.com/llm/team-1", "gw.example.com"},
		{"a path that ends like it", "https://gw.example.com/modelsv2", "https://gw.example.com/modelsv2", "gw.example.com"},
		{"IPv6", "http://[::1]:8000", "http://[::1]:8000", ""},
		{"listening everywhere is here", "http://0.0.0.0:8000", "http://127.0.0.1:8000", ""},
		{"spaces around", " localhost:1 ", "http://localhost:1", ""},
	} {
		t.Run(tt.name, func(t *testing.T) {
			u, err := parseEndpoint(tt.given)
			if err != nil {
				t.Fatal(err)
			}
			if u.String() != tt.want || link.Remote(u) != tt.remote {
				t.Errorf("got %s, remote %q; want %s, %q", u, link.Remote(u), tt.want, tt.remote)
			}
			if got := u.JoinPath("v1/completions").String(); got != tt.want+"/v1/completions" {
				t.Errorf("asks %s", got)
			}
		})
	}
	for bad, says := range map[string]string{
		"": "no endpoint is set", "ftp://x": "neither http nor https", "http://": "no host", ":8000": "no host", "http://[::1": "no host", "http://x:notaport": "port", "http://x:0": "port", "http://x:70000": "port",
		"http://user:secret@x": "apiKeyFile", "https://x?key=secret": "apiKeyFile", "https://x/#secret": "apiKeyFile", "gpu.lan:8000": "http or https", "http://x y": "no host",
	} {
		u, err := parseEndpoint(bad)
		if err == nil || !strings.Contains(err.Error(), says) || !strings.Contains(err.Error(), "write it like") || strings.Contains(err.Error(), "secret") {
			t.Errorf("%q became %v, %v; want an error that says %q", bad, u, err, says)
		}
	}
}

func TestAKeyDoesNotCrossTheNetworkInTheClear(t *testing.T) {
	key := NewSecret("k")
	for _, tt := range []struct {
		name, endpoint string
		config         Config
		ok             bool
	}{
		{"to this machine", "http://127.0.0.1:8000", Config{Key: key}, true},
		{"over https", "https://gpu.example.com", Config{Key: key}, true},
		{"no key", "http://gpu.example.com", Config{}, true},
		{"in the clear", "http://gpu.example.com", Config{Key: key}, false},
		{"in the clear, to a private address", "http://10.0.0.7", Config{Key: key}, false},
		{"in the clear, as the user wants it", "http://gpu.example.com", Config{Key: key, PlainHTTP: true}, true},
	} {
		tt.config.Endpoint = tt.endpoint
		w, err := dial(tt.config)
		if (err == nil) != tt.ok || err != nil && (!strings.Contains(err.Error(), "use https") || !strings.Contains(err.Error(), "plainHTTP")) {
			t.Errorf("%s: %v", tt.name, err)
		}
		if w != nil {
			w.close()
		}
	}
}

func TestAKeyIsShownToNobody(t *testing.T) {
	const key = "sk-hunter2"
	s := NewSecret(key)
	c := Config{Key: s}
	var log bytes.Buffer
	slog.New(slog.NewTextHandler(&log, nil)).Info("config", "key", s, "config", c)
	encoded, err := json.Marshal(c)
	if err != nil {
		t.Fatal(err)
	}
	for _, shown := range []string{fmt.Sprint(s), fmt.Sprintf("%+v %#v %s %q", c, c, s, s), log.String(), string(encoded)} {
		if strings.Contains(shown, "hunter2") {
			t.Errorf("the key is shown: %s", shown)
		}
	}
	if s.String() == "" || NewSecret("").String() != "" {
		t.Error("whether there is a key should show")
	}
	// a server that quotes it does not bring it into a message
	f := newFake(t)
	f.key = "the-right-one"
	_, err = Open(t.Context(), Config{Endpoint: f.URL, Key: s})
	if !errors.Is(err, ErrDenied) || strings.Contains(err.Error(), "hunter2") || !strings.Contains(err.Error(), hidden) {
		t.Errorf("got %v", err)
	}
}

func TestRedirectsCarryNeitherCodeNorKey(t *testing.T) {
	elsewhere, leaked := modeltest.Elsewhere(t)
	f := newFake(t)
	f.key = "k"
	m := f.open(t, Config{})
	f.before = func(w http.ResponseWriter, r *http.Request, _ map[string]any) bool {
		http.Redirect(w, r, elsewhere, http.StatusTemporaryRedirect)
		return true
	}
	_, err := draw(t.Context(), m, model.Prompt{Left: "secret"}, ten, 1)
	if !errors.Is(err, ErrNotCompletions) || !strings.Contains(err.Error(), "redirects") || leaked.Load() != 0 {
		t.Errorf("%v, and %d requests went elsewhere", err, leaked.Load())
	}
}

func TestTLS(t *testing.T) {
	f := newFake(t)
	secure := httptest.NewTLSServer(f)
	defer secure.Close()
	ca := pem.EncodeToMemory(&pem.Block{Type: "CERTIFICATE", Bytes: secure.Certificate().Raw})
	m, err := Open(t.Context(), Config{Endpoint: secure.URL, CA: ca})
	if err != nil {
		t.Fatal(err)
	}
	m.Close()
	if _, err := Open(t.Context(), Config{Endpoint: secure.URL}); !errors.Is(err, ErrUntrusted) || !strings.Contains(err.Error(), "caFile") {
		t.Errorf("without the certificate: %v", err)
	}
	if _, err := Open(t.Context(), Config{Endpoint: secure.URL, CA: []byte("nonsense")}); err == nil || !strings.Contains(err.Error(), "PEM") {
		t.Errorf("with nonsense: %v", err)
	}
	if _, err := Open(t.Context(), Config{Endpoint: strings.Replace(f.URL, "http:", "https:", 1)}); !errors.Is(err, ErrScheme) || !strings.Contains(err.Error(), "write http://") {
		t.Errorf("https to a plain server: %v", err)
	}
	if _, err := Open(t.Context(), Config{Endpoint: strings.Replace(secure.URL, "https:", "http:", 1)}); !errors.Is(err, ErrScheme) || !strings.Contains(err.Error(), "write https://") {
		t.Errorf("http to a server with TLS: %v", err)
	}
}

// The environment is read once a process, so what is asked here is that the
// connection would ask it.
func TestProxiesOfTheEnvironmentAreUsed(t *testing.T) {
	var asked *http.Request
	tr := link.Transport(nil)
	if tr.Proxy == nil {
		t.Fatal("no proxy is asked for")
	}
	tr.Proxy = func(r *http.Request) (*url.URL, error) { asked = r; return nil, nil }
	f := newFake(t)
	resp, err := link.Client(tr, 1<<20).Get(f.URL + "/v1/models")
	if err != nil {
		t.Fatal(err)
	}
	_ = resp.Body.Close()
	if asked == nil {
		t.Error("the proxy was not asked for")
	}
}
