package ollama

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/url"
	"time"

	"github.com/ollama/ollama/api"
)

// A wire carries requests to one server. api.Client does the talking; the wire
// adds what it leaves out:
//
//	redirects    refused: a redirected POST would carry code to another host
//	cut-off      api.Client takes a body that breaks off for its end; here it is an error
//	size         a body is read up to maxBody, whatever the server sends
//	dial time    a host that drops packets is given up after dialTimeout
type wire struct {
	url       *url.URL
	client    *api.Client
	transport *http.Transport
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
	t := &http.Transport{
		Proxy:               http.ProxyFromEnvironment, // never used for loopback
		DialContext:         (&net.Dialer{Timeout: dialTimeout}).DialContext,
		TLSHandshakeTimeout: dialTimeout,
		MaxIdleConnsPerHost: 4,
		IdleConnTimeout:     idleTimeout,
	}
	h := &http.Client{
		Transport:     guard{t},
		CheckRedirect: func(*http.Request, []*http.Request) error { return errRedirect },
	}
	return &wire{url: u, client: api.NewClient(u, h), transport: t}
}

func (w *wire) close() { w.transport.CloseIdleConnections() }

// generate sends one request and returns its one reply.
func (w *wire) generate(ctx context.Context, r *api.GenerateRequest) (api.GenerateResponse, error) {
	var got []api.GenerateResponse
	ctx, body := watch(ctx)
	err := w.client.Generate(ctx, r, func(g api.GenerateResponse) error {
		got = append(got, g)
		return nil
	})
	switch {
	case body.broke != nil:
		return api.GenerateResponse{}, body.broke
	case err != nil:
		return api.GenerateResponse{}, err
	case ctx.Err() != nil:
		return api.GenerateResponse{}, ctx.Err()
	case len(got) != 1 || !got[0].Done:
		return api.GenerateResponse{}, fmt.Errorf("%d replies where one finished reply was due", len(got))
	}
	return got[0], nil
}

// A body notes how reading an answer ended. It travels to the guard in the
// context of its request, and belongs to that request alone.
type body struct{ broke error }

type bodyKey struct{}

func watch(ctx context.Context) (context.Context, *body) {
	b := new(body)
	return context.WithValue(ctx, bodyKey{}, b), b
}

// guard bounds bodies and notes those that break.
type guard struct{ next http.RoundTripper }

func (g guard) RoundTrip(r *http.Request) (*http.Response, error) {
	resp, err := g.next.RoundTrip(r)
	if err != nil {
		return nil, err
	}
	b, ok := r.Context().Value(bodyKey{}).(*body)
	if !ok {
		b = new(body)
	}
	resp.Body = &reader{resp.Body, b, maxBody}
	return resp, nil
}

type reader struct {
	io.ReadCloser
	body *body
	left int64
}

func (r *reader) Read(p []byte) (int, error) {
	n, err := r.ReadCloser.Read(p)
	r.left -= int64(n)
	switch {
	case r.left < 0:
		err = fmt.Errorf("an answer of more than %d MiB", maxBody>>20)
		r.body.broke = err
	case err != nil && err != io.EOF:
		r.body.broke = fmt.Errorf("%w: %w", errCutOff, err)
	}
	return n, err
}
