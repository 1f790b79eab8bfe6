package openai

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/url"
	"strconv"
	"strings"
	"time"

	"readahead/model/link"
)

// A wire carries requests to one server, with the key, over a link.
type wire struct {
	url      *url.URL
	host     string // as messages name it
	remote   string // the host if it is another machine, "" if it is this one
	key      Secret
	http     *http.Client
	deadline time.Duration
	slots    chan struct{} // one token in it per request at the server
	model    string        // for messages; "" while it is not chosen
}

const (
	// maxBody holds the log-probabilities of a prompt of thousands of tokens with
	// the alternatives of each.
	maxBody = 32 << 20
	// retries is how often a busy server is asked again.
	retries = 2
	// firstWait is waited before the first retry where the server names no time,
	// and twice that before the second.
	firstWait = 200 * time.Millisecond
	// longestWait is the most that a server may ask for: a line that comes later
	// is of no use, so then the error comes at once, with the time in it.
	longestWait = 2 * time.Second
)

func dial(c Config) (*wire, error) {
	u, err := parseEndpoint(c.Endpoint)
	if err != nil {
		return nil, err
	}
	if err := mayCarry(u, c); err != nil {
		return nil, err
	}
	t, err := trust(c.CA)
	if err != nil {
		return nil, err
	}
	deadline := c.Deadline
	if deadline <= 0 {
		deadline = DefaultDeadline
	}
	return &wire{
		url: u, host: u.Host, remote: link.Remote(u), key: c.Key, http: link.Client(link.Transport(t), maxBody),
		deadline: deadline, slots: make(chan struct{}, parallel(c)),
	}, nil
}

func (w *wire) close() { w.http.CloseIdleConnections() }

// get asks for path and reads the answer into reply.
func (w *wire) get(ctx context.Context, what, path string, reply any) error {
	return w.call(ctx, what, http.MethodGet, path, nil, reply)
}

// post sends body to path and reads the answer into reply.
func (w *wire) post(ctx context.Context, what, path string, body, reply any) error {
	sent, err := json.Marshal(body)
	if err != nil {
		return fmt.Errorf("openai: %s: %w", what, err)
	}
	return w.call(ctx, what, http.MethodPost, path, sent, reply)
}

// call sends one request, and again if the server is busy. It waits for a slot no
// longer than ctx, so that a superseded request leaves the queue. Its errors are
// explained.
func (w *wire) call(ctx context.Context, what, method, path string, body []byte, reply any) error {
	about := attempt{what: what, model: w.model, host: w.host, sent: body}
	select {
	case w.slots <- struct{}{}:
		defer func() { <-w.slots }()
	case <-ctx.Done():
		return fmt.Errorf("openai: %s: waiting for the model: %w", what, ctx.Err())
	}
	limited, cancel := context.WithTimeout(ctx, w.deadline)
	defer cancel()
	for i := 0; ; i++ {
		after, err := w.once(limited, method, path, body, reply)
		if err == nil {
			return nil
		}
		if i < retries && busy(err) && after <= longestWait {
			if after == 0 {
				after = firstWait << i
			}
			if pause(limited, after) {
				continue
			}
		}
		explained := about.explain(ctx, err)
		if limited.Err() != nil && ctx.Err() == nil {
			explained = about.fail(ErrNoAnswer, fmt.Sprintf("%s said nothing for %v: it is overloaded or hangs; see its log", w.host, w.deadline))
		}
		if after > longestWait {
			explained = fmt.Errorf("%w; it asks to be left alone for %v", explained, after)
		}
		return refused{explained, err}
	}
}

// refused is an explained error that has not forgotten what it was.
type refused struct {
	error
	cause error
}

func (r refused) Unwrap() []error { return []error{r.error, r.cause} }

func busy(err error) bool {
	var r *refusal
	return errors.As(err, &r) && (r.code == http.StatusTooManyRequests || r.code == http.StatusServiceUnavailable)
}

// pause waits, and reports whether there was time for it.
func pause(ctx context.Context, d time.Duration) bool {
	if end, ok := ctx.Deadline(); ok && time.Until(end) < d {
		return false
	}
	t := time.NewTimer(d)
	defer t.Stop()
	select {
	case <-t.C:
		return true
	case <-ctx.Done():
		return false
	}
}

// once sends one request. after is how long the server asks to be left alone; 0 if
// it does not say.
func (w *wire) once(ctx context.Context, method, path string, body []byte, reply any) (after time.Duration, err error) {
	r, err := http.NewRequestWithContext(ctx, method, w.url.JoinPath(path).String(), bytes.NewReader(body))
	if err != nil {
		return 0, err
	}
	r.Header.Set("Accept", "application/json")
	if body != nil {
		r.Header.Set("Content-Type", "application/json")
		// Not sent: it tells net/http that the request may be repeated if it went
		// into a connection that the server was just closing. It changes nothing
		// there.
		r.Header["Idempotency-Key"] = nil
	}
	if !w.key.Empty() {
		r.Header.Set("Authorization", "Bearer "+w.key.key)
	}
	resp, err := w.http.Do(r)
	if err != nil {
		return 0, err
	}
	defer resp.Body.Close()
	got, err := io.ReadAll(resp.Body)
	if err != nil {
		return 0, err
	}
	if resp.StatusCode >= http.StatusBadRequest {
		return retryAfter(resp.Header.Get("Retry-After"), time.Now()), &refusal{resp.StatusCode, w.withoutKey(complaint(got))}
	}
	if err := json.Unmarshal(got, reply); err != nil {
		return 0, fmt.Errorf("something that is not the JSON of a completion: %.200q", w.withoutKey(string(got[:min(len(got), 400)])))
	}
	return 0, nil
}

// withoutKey keeps a server that quotes the key from bringing it into a message.
func (w *wire) withoutKey(s string) string {
	if w.key.Empty() {
		return s
	}
	return strings.ReplaceAll(s, w.key.key, hidden)
}

// complaint is what a body with an error status says. Servers write
// {"error":{"message":…}}, {"error":"…"}, {"message":…} or {"detail":…}, and what
// stands before them writes HTML.
func complaint(body []byte) string {
	var forms struct {
		Error, Message, Detail json.RawMessage
	}
	if json.Unmarshal(body, &forms) != nil {
		return string(body[:min(len(body), 400)])
	}
	for _, raw := range []json.RawMessage{forms.Error, forms.Message, forms.Detail} {
		var text string
		var inner struct{ Message string }
		switch {
		case len(raw) == 0:
		case json.Unmarshal(raw, &text) == nil && text != "":
			return text
		case json.Unmarshal(raw, &inner) == nil && inner.Message != "":
			return inner.Message
		default:
			return string(raw[:min(len(raw), 400)])
		}
	}
	return string(body[:min(len(body), 400)])
}

// retryAfter reads the header's two forms, seconds and a date.
func retryAfter(s string, now time.Time) time.Duration {
	if n, err := strconv.ParseFloat(strings.TrimSpace(s), 64); err == nil && n > 0 && n < 1e6 {
		return time.Duration(n * float64(time.Second))
	}
	if at, err := http.ParseTime(s); err == nil && at.After(now) {
		return at.Sub(now)
	}
	return 0
}
