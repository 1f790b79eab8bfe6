package ollama

import (
	"strings"
	"testing"

	"github.com/ollama/ollama/envconfig"

	"readahead/model/link"
)

func TestEndpoints(t *testing.T) {
	for _, tt := range []struct{ name, given, want, remote string }{
		{"nothing: the usual address", "", "http://127.0.0.1:11434", ""},
		{"a host", "localhost", "http://localhost:11434", ""},
		{"a host and a port", "gpu.lan:8080", "http://gpu.lan:8080", "gpu.lan"},
		{"a scheme without a port means the scheme's", "http://gpu.lan", "http://gpu.lan:80", "gpu.lan"},
		{"https", "https://gpu.lan", "https://gpu.lan:443", "gpu.lan"},
		{"a path", "https://gpu.lan/ollama", "https://gpu.lan:443/ollama", "gpu.lan"},
		{"a port alone", ":11500", "http://127.0.0.1:11500", ""},
		{"IPv6", "[::1]:1234", "http://[::1]:1234", ""},
		{"IPv6 without a port", "::1", "http://[::1]:11434", ""},
		{"listening everywhere is here", "0.0.0.0:11434", "http://127.0.0.1:11434", ""},
		{"spaces around", " 127.0.0.2 ", "http://127.0.0.2:11434", ""},
	} {
		t.Run(tt.name, func(t *testing.T) {
			t.Setenv("OLLAMA_HOST", "")
			u, err := parseEndpoint(tt.given)
			if err != nil {
				t.Fatal(err)
			}
			if u.String() != tt.want || link.Remote(u) != tt.remote {
				t.Errorf("got %s, remote %q; want %s, %q", u, link.Remote(u), tt.want, tt.remote)
			}
		})
	}
	for _, bad := range []string{"ftp://x", "x:notaport", "x:0", "x:70000", "http://user:secret@x", "x?y=z", "http://a b", "http://a\x1bb", "http://", "http://[::1", "http://:80"} {
		if u, err := parseEndpoint(bad); err == nil || !strings.Contains(err.Error(), "http://127.0.0.1:11434") {
			t.Errorf("%q became %v, %v; want an error that shows the form", bad, u, err)
		}
	}
}

func TestAnAddressIsToldWithoutItsPassword(t *testing.T) {
	for _, bad := range []string{
		"http://user:hunter2@x", "http://user:pass/hunter2@x", "user:hunter2@x", "ftp://user:hunter2@x",
		"http://user:hunter2@x:notaport", "http://x:notaport?key=hunter2", "http://x?user=me@x&key=hunter2", "x#hunter2", "hunter2@@x",
	} {
		_, err := parseEndpoint(bad)
		if err == nil || strings.Contains(err.Error(), "hunter2") || !strings.Contains(err.Error(), "x") {
			t.Errorf("%q: %v", bad, err)
		}
	}
}

// Where Ollama's own client can read OLLAMA_HOST, this package reads the same.
func TestTheEnvironmentIsReadAsOllamaReadsIt(t *testing.T) {
	for _, host := range []string{"", "localhost", "10.0.0.1", "10.0.0.1:80", "http://a.b", "https://a.b", "http://a.b:7", "[::1]", "::1", "[fe80::1]:9", ":1", `"quoted.host"`} {
		t.Setenv("OLLAMA_HOST", host)
		u, err := parseEndpoint("")
		if err != nil {
			t.Errorf("OLLAMA_HOST=%s: %v", host, err)
			continue
		}
		theirs := envconfig.Host()
		if h := theirs.Hostname(); h == "" {
			theirs.Host = "127.0.0.1" + theirs.Host
		}
		if u.String() != theirs.String() {
			t.Errorf("OLLAMA_HOST=%s: %s here, %s at Ollama's", host, u, theirs)
		}
	}
}
