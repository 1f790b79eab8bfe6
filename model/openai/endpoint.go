package openai

import (
	"crypto/tls"
	"crypto/x509"
	"errors"
	"fmt"
	"net"
	"net/url"
	"strconv"
	"strings"

	"readahead/model/link"
)

// form is how an endpoint is written.
const form = "write it like http://127.0.0.1:8000, or https://models.example.com"

// parseEndpoint reads an address. Its scheme may be missing if its host is this
// machine, and /v1 may stand at its end.
func parseEndpoint(s string) (*url.URL, error) {
	s = strings.TrimSpace(s)
	shown := link.Redacted(s)
	refuse := func(format string, args ...any) (*url.URL, error) {
		return nil, fmt.Errorf("openai: endpoint %q: %s (%s)", shown, fmt.Sprintf(format, args...), form)
	}
	if s == "" {
		return nil, fmt.Errorf("openai: no endpoint is set (%s)", form)
	}
	scheme, rest, ok := strings.Cut(s, "://")
	if !ok {
		scheme, rest = "http", s
	}
	if scheme != "http" && scheme != "https" {
		return refuse("scheme %q is not http or https", scheme)
	}
	host, path, _ := strings.Cut(rest, "/")
	// A password may hold a slash, so an @ counts wherever it stands.
	if strings.ContainsAny(rest, "@?#") {
		return refuse("only a host, a port and a path belong in it; a key goes into READAHEAD_API_KEY or apiKeyFile")
	}
	u, err := url.Parse(scheme + "://" + host)
	if err != nil || u.Hostname() == "" {
		return refuse("no host can be read from it")
	}
	if p := u.Port(); p != "" {
		if n, err := strconv.ParseUint(p, 10, 16); err != nil || n == 0 {
			return refuse("%q is not a port", p)
		}
	}
	if ip := net.ParseIP(u.Hostname()); ip != nil && ip.IsUnspecified() {
		u.Host = strings.Replace(u.Host, u.Hostname(), "127.0.0.1", 1)
	}
	if !ok && link.Remote(u) != "" {
		return refuse("say whether it is http or https, since it is another machine")
	}
	path = strings.TrimSuffix(strings.TrimRight(path, "/"), "v1")
	u.Path = strings.TrimRight("/"+path, "/")
	return u, nil
}

// mayCarry refuses to send a key where everybody on the way can read it.
func mayCarry(u *url.URL, c Config) error {
	if c.Key.Empty() || u.Scheme == "https" || link.Remote(u) == "" || c.PlainHTTP {
		return nil
	}
	return fmt.Errorf("openai: endpoint %s: an API key is not sent over plain http to another machine, where everybody on the way can read it (use https, or set plainHTTP = true if the network is yours)", u)
}

// trust is whom the connection trusts: the system's authorities, and those in pem.
func trust(pem []byte) (*tls.Config, error) {
	if len(pem) == 0 {
		return nil, nil
	}
	pool, err := x509.SystemCertPool()
	if err != nil {
		pool = x509.NewCertPool() // a system without any
	}
	if !pool.AppendCertsFromPEM(pem) {
		return nil, errors.New("openai: the certificates to trust (caFile): no certificate is in it (it must be in PEM form, with BEGIN CERTIFICATE)")
	}
	return &tls.Config{RootCAs: pool, MinVersion: tls.VersionTLS12}, nil
}
