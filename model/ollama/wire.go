package ollama

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/url"

	"github.com/ollama/ollama/api"

	"readahead/model/link"
)

// A wire carries requests to one server, over a link. api.Client asks the small
// questions; generations are posted here, in the client's types, since its own
// Generate sets up an 8 MB buffer per request (a quarter of the CPU time of a
// sample) and takes a body that breaks off for its end.
type wire struct {
	url    *url.URL
	client *api.Client
	http   *http.Client
}

// maxBody holds a reply of thousands of tokens with 20 alternatives each, and the
// vocabulary of the largest tokenizers.
const maxBody = 64 << 20

func dial(u *url.URL) *wire { return over(u, link.Transport(nil)) }

func over(u *url.URL, t http.RoundTripper) *wire {
	h := link.Client(t, maxBody)
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
	sane(&reply.GenerateResponse)
	switch {
	case resp.StatusCode >= http.StatusBadRequest && err == nil && reply.Error != "":
		return reply.GenerateResponse, api.StatusError{StatusCode: resp.StatusCode, ErrorMessage: reply.Error}
	case resp.StatusCode >= http.StatusBadRequest:
		return reply.GenerateResponse, api.StatusError{StatusCode: resp.StatusCode, ErrorMessage: string(got)}
	case err != nil:
		return reply.GenerateResponse, fmt.Errorf("%.200q", got)
	case reply.Error != "":
		return reply.GenerateResponse, errors.New(reply.Error)
	case !reply.Done && (reply.Model == "" || reply.CreatedAt.IsZero()):
		return reply.GenerateResponse, fmt.Errorf("a reply that is not finished: %.200q", got)
	}
	return reply.GenerateResponse, nil
}
