package openai

import (
	"cmp"
	"crypto/tls"
	"crypto/x509"
	"errors"
	"fmt"
	"net/netip"
	"net/url"
	"strings"

	"readahead/model/endpoint"
	"readahead/model/link"
)

// form is how an endpoint is written.
const form = "write it like http://127.0.0.1:8000, or https://models.example.com"

// parseEndpoint reads an address. Its scheme may be missing if its host is this
// machine, and /v1 may stand at its end.
func parseEndpoint(s string) (*url.URL, error) {
	if strings.TrimSpace(s) == "" {
		return nil, fmt.Errorf("openai: no endpoint is set (%s)", form)
	}
	a, err := endpoint.Parse(s)
	switch {
	case errors.Is(err, endpoint.ErrMore):
		return nil, fmt.Errorf("openai: %w; a key goes into READAHEAD_API_KEY or apiKeyFile", err)
	case err != nil:
		return nil, fmt.Errorf("openai: %w", err)
	case a.Host == "":
		return nil, fmt.Errorf("openai: endpoint %q: %w (%s)", s, endpoint.ErrHost, form)
	}
	u := &url.URL{Scheme: cmp.Or(a.Scheme, "http"), Host: a.Host}
	if ip, err := netip.ParseAddr(a.Host); err == nil && ip.IsUnspecified() {
		u.Host = "127.0.0.1"
	} else if err == nil && ip.Is6() {
		u.Host = "[" + a.Host + "]"
	}
	if a.Port != "" {
		u.Host += ":" + a.Port
	}
	if a.Scheme == "" && link.Remote(u) != "" {
		return nil, fmt.Errorf("openai: endpoint %q: say whether it is http or https, since it is another machine (%s)", s, form)
	}
	path := strings.TrimSuffix(strings.TrimRight(a.Path, "/"), "v1")
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
