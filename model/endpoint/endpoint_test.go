package endpoint

import (
	"errors"
	"strings"
	"testing"
)

func TestAddressesAsPeopleWriteThem(t *testing.T) {
	for _, tt := range []struct {
		name, given string
		want        Address
	}{
		{"a host", "localhost", Address{Host: "localhost"}},
		{"a host and a port", "gpu.lan:8080", Address{Host: "gpu.lan", Port: "8080"}},
		{"all there is", "https://gw.example.com:8443/llm/v1/", Address{"https", "gw.example.com", "8443", "llm/v1/"}},
		{"a port of this machine", ":11500", Address{Port: "11500"}},
		{"IPv4", "http://10.0.0.1", Address{Scheme: "http", Host: "10.0.0.1"}},
		{"IPv6", "http://[::1]:80", Address{"http", "::1", "80", ""}},
		{"IPv6 without a port", "[fe80::1]", Address{Host: "fe80::1"}},
		{"IPv6 without brackets", "::1", Address{Host: "::1"}},
		{"IPv6 of one network card", "[fe80::1%eth0]:1", Address{Host: "fe80::1%eth0", Port: "1"}},
		{"a colon without a port", "localhost:", Address{Host: "localhost"}},
		{"a name of a container", "http://ollama_1:11434", Address{"http", "ollama_1", "11434", ""}},
		{"a name in its own script", "http://bücher.example", Address{Scheme: "http", Host: "bücher.example"}},
		{"a scheme in capitals", "HTTPS://x", Address{Scheme: "https", Host: "x"}},
		{"spaces around", " localhost\n", Address{Host: "localhost"}},
	} {
		if got, err := Parse(tt.given); err != nil || got != tt.want {
			t.Errorf("%s: %q is %+v, %v; want %+v", tt.name, tt.given, got, err, tt.want)
		}
	}
}

func TestWhatIsNoAddressIsRefused(t *testing.T) {
	for _, tt := range []struct {
		name, given string
		want        error
	}{
		{"nothing", "", ErrHost},
		{"a scheme alone", "http://", ErrHost},
		{"a scheme and a port", "http://:80", ErrHost},
		{"a path alone", "/v1", ErrHost},
		{"another scheme", "ftp://x", ErrScheme},
		{"half a scheme", "http:/x", ErrHost},
		{"half of another scheme", "unix:/run/x", ErrScheme},
		{"an open bracket", "http://[::1", ErrHost},
		{"a closed one", "::1]", ErrPort},
		{"a name in brackets", "[localhost]:1", ErrHost},
		{"something behind brackets", "[::1]x", ErrHost},
		{"a space", "http://a b", ErrHost},
		{"a control character", "http://a\x1bb", ErrHost},
		{"broken UTF-8", "http://a\xffb", ErrHost},
		{"a percent sign", "http://a%20b", ErrHost},
		{"a word as a port", "x:port", ErrPort},
		{"port zero", "x:0", ErrPort},
		{"a port too high", "x:70000", ErrPort},
		{"a negative port", "x:-1", ErrPort},
		{"two ports", "x:1:2", ErrPort},
		{"a user", "http://me@x", ErrMore},
		{"a password with a slash in it", "http://me:hunter2/hunter2@x", ErrMore},
		{"a query", "http://x?key=hunter2", ErrMore},
		{"a query behind a path", "http://x/v1?key=hunter2", ErrMore},
		{"a fragment", "http://x/#hunter2", ErrMore},
		{"a broken path", "http://x/%zz", ErrPath},
		{"a path with a space", "http://x/a b", ErrPath},
	} {
		got, err := Parse(tt.given)
		if !errors.Is(err, tt.want) || got != (Address{}) {
			t.Errorf("%s: %q is %+v, %v; want %v", tt.name, tt.given, got, err, tt.want)
			continue
		}
		if !strings.Contains(err.Error(), Form) || strings.Contains(err.Error(), "hunter2") {
			t.Errorf("%s: %v", tt.name, err)
		}
	}
}

func FuzzParse(f *testing.F) {
	for _, seed := range []string{"http://[::1]:80/v1", "localhost", "http://user:secret@x", "::1", ":1", "a:b:c", "[", "http://x/%2e"} {
		f.Add(seed)
	}
	f.Fuzz(func(t *testing.T, s string) {
		a, err := Parse(s)
		if err != nil {
			return
		}
		host := a.Host
		if strings.Contains(host, ":") {
			host = "[" + host + "]"
		}
		again := host
		if a.Port != "" {
			again += ":" + a.Port
		}
		if a.Scheme != "" {
			again = a.Scheme + "://" + again
		}
		if b, err := Parse(again + "/" + a.Path); err != nil || b != a {
			t.Errorf("%q is %+v; written again, %+v, %v", s, a, b, err)
		}
	})
}
