package ollama

import (
	"fmt"
	"net"
	"net/url"
	"os"
	"strconv"
	"strings"

	"readahead/model/link"
)

// usual is where Ollama listens unless told otherwise.
const (
	usualHost = "127.0.0.1"
	usualPort = "11434"
)

// parseEndpoint reads an address the way Ollama's own client reads OLLAMA_HOST:
// scheme and port may be missing, "http://" alone means port 80. An empty
// endpoint is OLLAMA_HOST, and that empty is 127.0.0.1:11434.
//
// Unlike Ollama's client it refuses what it can't read instead of falling back
// to the usual port, and it takes 0.0.0.0, with which people tell a server to
// listen everywhere, as this machine.
func parseEndpoint(s string) (*url.URL, error) {
	if s = strings.TrimSpace(s); s == "" {
		s = strings.Trim(strings.TrimSpace(os.Getenv("OLLAMA_HOST")), `"'`)
	}
	port := usualPort
	shown := link.Redacted(s)
	scheme, rest, ok := strings.Cut(s, "://")
	switch {
	case !ok:
		scheme, rest = "http", s
	case scheme == "http":
		port = "80"
	case scheme == "https":
		port = "443"
	default:
		return nil, fmt.Errorf("ollama: endpoint %q: scheme %q is not http or https (write it like http://127.0.0.1:11434)", shown, scheme)
	}
	hostport, path, _ := strings.Cut(rest, "/")
	// A password may hold a slash, so an @ counts wherever it stands.
	if strings.ContainsAny(hostport, "?#") || strings.Contains(rest, "@") {
		return nil, fmt.Errorf("ollama: endpoint %q: only a host, a port and a path belong in it (write it like http://127.0.0.1:11434)", shown)
	}
	host, given, err := net.SplitHostPort(hostport)
	if err != nil {
		host = strings.Trim(hostport, "[]")
	} else if given != "" {
		port = given
	}
	if n, err := strconv.ParseUint(port, 10, 16); err != nil || n == 0 {
		return nil, fmt.Errorf("ollama: endpoint %q: %q is not a port (write it like http://127.0.0.1:11434)", shown, port)
	}
	if ip := net.ParseIP(host); host == "" || ip != nil && ip.IsUnspecified() {
		host = usualHost
	}
	u := &url.URL{Scheme: scheme, Host: net.JoinHostPort(host, port)}
	if _, err := url.Parse(u.String()); err != nil {
		return nil, fmt.Errorf("ollama: endpoint %q: no host can be read from it (write it like http://127.0.0.1:11434)", shown)
	}
	if path != "" {
		u.Path = "/" + path
	}
	return u, nil
}
