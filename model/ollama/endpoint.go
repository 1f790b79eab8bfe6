package ollama

import (
	"fmt"
	"net"
	"net/netip"
	"net/url"
	"os"
	"strings"

	"readahead/model/endpoint"
)

// usual is where Ollama listens unless told otherwise.
const (
	usualHost = "127.0.0.1"
	usualPort = "11434"
)

// CheckEndpoint says what is wrong with an address, before a server is asked at
// it; an empty one is OLLAMA_HOST.
func CheckEndpoint(s string) error {
	_, err := parseEndpoint(s)
	return err
}

// parseEndpoint reads an address the way Ollama's own client reads OLLAMA_HOST:
// scheme and port may be missing. An empty endpoint is OLLAMA_HOST, and that empty
// is 127.0.0.1:11434.
//
// Unlike Ollama's client it refuses what it can't read instead of falling back
// to the usual port, and it takes 0.0.0.0, with which people tell a server to
// listen everywhere, as this machine.
func parseEndpoint(s string) (*url.URL, error) {
	from := ""
	if s = strings.TrimSpace(s); s == "" {
		s = strings.Trim(strings.TrimSpace(os.Getenv("OLLAMA_HOST")), `"'`)
		from = "OLLAMA_HOST: "
	}
	if s == "" {
		s = usualHost
	}
	a, err := endpoint.Parse(s)
	if err != nil {
		return nil, fmt.Errorf("ollama: %s%w", from, err)
	}
	if ip, err := netip.ParseAddr(a.Host); a.Host == "" || err == nil && ip.IsUnspecified() {
		a.Host = usualHost
	}
	switch {
	case a.Port != "":
	case a.Scheme == "":
		a.Port = usualPort
	default:
		a.Port = map[string]string{"http": "80", "https": "443"}[a.Scheme]
	}
	if a.Scheme == "" {
		a.Scheme = "http"
	}
	u := &url.URL{Scheme: a.Scheme, Host: net.JoinHostPort(a.Host, a.Port)}
	if a.Path != "" {
		u.Path = "/" + a.Path
	}
	return u, nil
}
