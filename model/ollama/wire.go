package ollama

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/url"
	"time"

	"github.com/ollama/ollama/api"
)

// A wire carries requests to one server. api.Client asks the small questions;
// generations are posted here, in the client's types, since its own Generate
// sets up an 8 MB buffer per request (a quarter of the CPU time of a sample) and
// takes a body that breaks off for its end. Everything goes through a transport
// with
//
//	redirects    refused: a redirected POST would carry code to another host
//	size         a body is read up to maxBody, whatever the server sends
//	dial time    a host that drops packets is given up after dialTimeout
type wire struct {
	url    *url.URL
	client *api.Client
	http   *http.Client
}

const (
	// maxBody holds a reply of thousands of tokens with 20 alternatives each,
	// and the vocabulary of the largest tokenizers.
	maxBody = 64 << 20
	// dialTimeout is long for a local network and short for a person.
	dialTimeout = 3 * time.Second
	// idleTimeout closes connections that nobody uses any more.
	idleTimeout = 30 * time.Second
)

var (
	errRedirect = errors.New("redirected")
	errCutOff   = errors.New("the connection broke in the middle of the answer")
)

func dial(u *url.URL) *wire {
	return over(u, &http.Transport{
		Proxy:               http.ProxyFromEnvironment, // never used for loopback
		DialContext:         (&net.Dialer{Timeout: dialTimeout}).DialContext,
		TLSHandshakeTimeout: dialTimeout,
		MaxIdleConnsPerHost: 4,
		IdleConnTimeout:     idleTimeout,
	})
}

func over(u *url.URL, t http.RoundTripper) *wire {
	h := &http.Client{
		Transport:     guard{t},
		CheckRedirect: func(*http.Request, []*http.Request) error { return errRedirect },
	}
	return &wire{url: u, client: api.NewClient(u, h), http: h}
}

func (w *wire) close() { w.http.CloseIdleConnections() }

// generate sends one request and returns its one reply. Errors of the server
// are api.StatusErrors, as api.Client's are.
//
// A reply of the server's own form that is not done is whole all the same: the
// runner gives up without a last word when a model repeats one token thirty
// times over, and what it said until then is an answer that was cut.
func (w *wire) generate(ctx context.Context, g *api.GenerateRequest) (api.GenerateResponse, error) {
	var reply struct {
		api.GenerateResponse
		Error string `json:"error"`
	}
	sent, err := json.Marshal(g)
	if err != nil {
		return reply.GenerateResponse, err
	}
	r, err := http.NewRequestWithContext(ctx, http.MethodPost, w.url.JoinPath("/api/generate").String(), bytes.NewReader(sent))
	if err != nil {
		return reply.GenerateResponse, err
	}
	r.Header.Set("Content-Type", "application/json")
	r.Header.Set("Accept", "application/json")
	resp, err := w.http.Do(r)
	if err != nil {
		return reply.GenerateResponse, err
	}
	defer resp.Body.Close()
	got, err := io.ReadAll(resp.Body)
	if err != nil {
		return reply.GenerateResponse, err
	}
	err = json.Unmarshal(got, &reply)
	switch {
	case resp.StatusCode >= http.StatusBadRequest && err == nil && reply.Error != "":
		return reply.GenerateResponse, api.StatusError{StatusCode: resp.StatusCode, ErrorMessage: reply.Error}
	case resp.StatusCode >= http.StatusBadRequest:
		return reply.GenerateResponse, api.StatusError{StatusCode: resp.StatusCode, ErrorMessage: string(got)}
	case err != nil:
		return reply.GenerateResponse, fmt.Errorf("%w: %.200q", err, got)
	case reply.Error != "":
		return reply.GenerateResponse, errors.New(reply.Error)
	case !reply.Done && (reply.Model == "" || reply.CreatedAt.IsZero()):
		return reply.GenerateResponse, fmt.Errorf("a reply that is not finished: %.200q", got)
	}
	return reply.GenerateResponse, nil
}

// guard bounds bodies and says of those that break that they did.
type guard struct{ next http.RoundTripper }

func (g guard) RoundTrip(r *http.Request) (*http.Response, error) {
	resp, err := g.next.RoundTrip(r)
	if err != nil {
		return nil, err
	}
	resp.Body = &reader{resp.Body, maxBody}
	return resp, nil
}

// CloseIdleConnections is what http.Client looks for in a transport.
func (g guard) CloseIdleConnections() {
	if t, ok := g.next.(*http.Transport); ok {
		t.CloseIdleConnections()
	}
}

type reader struct {
	io.ReadCloser
	left int64
}

func (r *reader) Read(p []byte) (int, error) {
	n, err := r.ReadCloser.Read(p)
	r.left -= int64(n)
	switch {
	case r.left < 0:
		return n, fmt.Errorf("an answer of more than %d MiB", maxBody>>20)
	case err != nil && err != io.EOF:
		return n, fmt.Errorf("%w: %w", errCutOff, err)
	}
	return n, err
}
