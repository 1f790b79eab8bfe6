// Package link is the connection to a model server that may be anybody's.
//
// What is sent over it is the user's code, and maybe a key; what comes back is
// whatever the other side likes. So every client of this package has
//
//	redirects    refused: a redirected POST would carry code, and a key, elsewhere
//	size         a body is read up to a limit, after decompression
//	dial time    a host that drops packets is given up after DialTimeout
//	proxies      as the environment says (HTTPS_PROXY, NO_PROXY); loopback never
//	             goes through one
//	broken body  an answer that ends early is an error and no short answer
//
// It knows no API. What an answer says, and what to tell the user about it, is
// the business of the packages that use it.
package link

import (
	"crypto/tls"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/url"
	"strings"
	"time"
)

const (
	// DialTimeout is long for a local network and short for a person.
	DialTimeout = 3 * time.Second
	// idleTimeout closes connections that nobody uses any more.
	idleTimeout = 30 * time.Second
	// idleConns are kept for requests that come in bursts.
	idleConns = 8
)

var (
	ErrRedirect = errors.New("redirected")
	ErrCutOff   = errors.New("the connection broke in the middle of the answer")
	ErrTooLong  = errors.New("the answer is too long")
)

// Transport dials servers. config says whom to trust; nil: whom the system trusts.
func Transport(config *tls.Config) *http.Transport {
	return &http.Transport{
		Proxy:               http.ProxyFromEnvironment,
		DialContext:         (&net.Dialer{Timeout: DialTimeout}).DialContext,
		TLSHandshakeTimeout: DialTimeout,
		TLSClientConfig:     config,
		ForceAttemptHTTP2:   true,
		MaxIdleConnsPerHost: idleConns,
		IdleConnTimeout:     idleTimeout,
	}
}

// Client guards t: bodies of more than limit bytes end with ErrTooLong, those
// that break with ErrCutOff, and redirects with ErrRedirect.
func Client(t http.RoundTripper, limit int64) *http.Client {
	return &http.Client{
		Transport:     guard{t, limit},
		CheckRedirect: func(*http.Request, []*http.Request) error { return ErrRedirect },
	}
}

type guard struct {
	next  http.RoundTripper
	limit int64
}

func (g guard) RoundTrip(r *http.Request) (*http.Response, error) {
	resp, err := g.next.RoundTrip(r)
	if err != nil {
		return nil, err
	}
	resp.Body = &reader{resp.Body, g.limit, g.limit}
	return resp, nil
}

// CloseIdleConnections is what http.Client looks for in a transport.
func (g guard) CloseIdleConnections() {
	if t, ok := g.next.(interface{ CloseIdleConnections() }); ok {
		t.CloseIdleConnections()
	}
}

type reader struct {
	io.ReadCloser
	left, limit int64
}

func (r *reader) Read(p []byte) (int, error) {
	n, err := r.ReadCloser.Read(p)
	r.left -= int64(n)
	switch {
	case r.left < 0:
		return n, fmt.Errorf("%w: more than %d MiB", ErrTooLong, r.limit>>20)
	case err != nil && err != io.EOF:
		return n, fmt.Errorf("%w: %w", ErrCutOff, err)
	}
	return n, err
}

// Unreachable says whether err is the connection's, not the server's.
func Unreachable(err error) bool {
	var request *url.Error
	return errors.As(err, &request) || errors.Is(err, ErrCutOff)
}

// Remote is the host if text sent to u leaves this machine, "" if it does not.
func Remote(u *url.URL) string {
	host := u.Hostname()
	if ip := net.ParseIP(host); host == "localhost" || ip != nil && ip.IsLoopback() {
		return ""
	}
	return host
}

// Short keeps a server's words to one line of a message.
func Short(s string) string {
	s = strings.Join(strings.Fields(strings.ToValidUTF8(s, "")), " ")
	const limit = 200
	if len(s) <= limit {
		return s
	}
	return strings.ToValidUTF8(s[:limit], "") + "…"
}
