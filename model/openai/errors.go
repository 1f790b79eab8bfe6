package openai

import (
	"context"
	"crypto/tls"
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"net/url"
	"strings"

	"readahead/model/link"
)

// What callers branch on. The errors of this package wrap them in a sentence
// that names the server or model and says what to do next.
var (
	ErrServerDown     = errors.New("no server answers")
	ErrScheme         = errors.New("the endpoint says http where the server speaks https, or the other way round")
	ErrNotCompletions = errors.New("what answers has no completions endpoint")
	ErrDenied         = errors.New("the server lets nobody in without the right key")
	ErrUntrusted      = errors.New("the server's certificate is not trusted")
	ErrModelMissing   = errors.New("model not found")
	ErrNoModel        = errors.New("no model can be chosen")
	ErrPromptTooLong  = errors.New("the prompt is longer than the model's context")
	ErrBusy           = errors.New("the server is busy")
	ErrNoAnswer       = errors.New("no answer within the deadline")
	ErrBroken         = errors.New("the server failed")
	ErrRefused        = errors.New("the server refuses the request")
	ErrGarbled        = errors.New("the answer does not make sense")
)

// An attempt is described for its errors: what, with which model, where.
type attempt struct {
	what, model, host string
	sent              []byte // the body; no error repeats the prompt in it
}

// server is what is known of the way to it.
func (a attempt) server() link.Server {
	return link.Server{
		Host: a.host, Here: link.Remote(&url.URL{Host: a.host}) == "", Start: "start the server, or correct the port in the endpoint",
		There: "--host 0.0.0.0, or through a proxy: README, For a team",
		Trust: "set caFile to the certificate of the authority that signed the server's",
	}
}

// unreachable is the error for a server that could not be asked, and why.
func (a attempt) unreachable(kind error, k link.Kind, cause string) error {
	step := a.server().Mend(k)
	return link.Mended(a.fail(kind, fmt.Sprintf("tried %s: %s: %s", a.host, cause, step)), step)
}

func (a attempt) fail(kind error, next string) error {
	return fmt.Errorf("openai: %s: %w (%s)", a.what, kind, next)
}

// said is what a server says, without the code that it was sent.
func (a attempt) said(says string) string {
	var body struct{ Prompt, Suffix json.RawMessage }
	_ = json.Unmarshal(a.sent, &body) // a body that is none holds no code
	return link.Said(says, string(body.Prompt), string(body.Suffix))
}

// A refusal is an answer with an error status.
type refusal struct {
	code int
	says string // the server's words, without the key
}

func (r *refusal) Error() string { return fmt.Sprintf("%d: %s", r.code, r.says) }

// mentions says whether the server's words have one of these in them.
func (r *refusal) mentions(words ...string) bool {
	says := strings.ToLower(r.says)
	for _, w := range words {
		if strings.Contains(says, w) {
			return true
		}
	}
	return false
}

// lacks says that the request was understood and something in it was not taken:
// the server is there, and lets us in, but has no such ability.
func lacks(err error) bool {
	var r *refusal
	if !errors.As(err, &r) {
		return false
	}
	switch r.code {
	case http.StatusUnauthorized, http.StatusForbidden, http.StatusTooManyRequests,
		http.StatusBadGateway, http.StatusServiceUnavailable, http.StatusGatewayTimeout:
		return false
	}
	return true
}

// explain turns what the wire returned into a sentence with a sentinel. The
// context's own end is passed through, so that a caller that cancelled finds its
// cancellation.
func (a attempt) explain(ctx context.Context, err error) error {
	if err == nil {
		return nil
	}
	if errors.Is(ctx.Err(), context.DeadlineExceeded) {
		return late(a.fail(ErrNoAnswer, fmt.Sprintf("the server at %s accepts requests and may be busy or hung: see its log, start it again, or set another endpoint", a.host)).Error())
	}
	if ctx.Err() != nil {
		return fmt.Errorf("openai: %s: %w", a.what, ctx.Err())
	}
	var r *refusal
	var certificate *tls.CertificateVerificationError
	switch {
	case errors.As(err, &r):
		return a.refused(r)
	case errors.As(err, &certificate):
		return a.unreachable(ErrUntrusted, link.KindOf(certificate), link.Cause(certificate))
	case errors.Is(err, link.ErrRedirect):
		return a.fail(ErrNotCompletions, fmt.Sprintf("%s redirects elsewhere, and neither code nor key is sent after it: set the endpoint to the server itself", a.host))
	case errors.Is(err, link.ErrTooLong):
		return a.fail(ErrGarbled, fmt.Sprintf("%s sent more than %d MiB: is it a model server?", a.host, maxBody>>20))
	case link.OtherScheme(err.Error()) != "":
		return a.fail(ErrScheme, "tried "+a.host+": "+link.OtherScheme(err.Error()))
	case link.Unreachable(err):
		return a.unreachable(ErrServerDown, link.KindOf(err), link.Cause(err))
	}
	return a.fail(ErrGarbled, fmt.Sprintf("set the endpoint to a completions server: %s sent %s", a.host, a.said(err.Error())))
}

// refused says what a status with an error means. The texts are those of vLLM,
// llama-server, llama-cpp-python and Ollama.
func (a attempt) refused(r *refusal) error {
	said := "; the server said: " + a.said(r.says)
	if r.says == "" {
		said = ""
	}
	switch {
	case link.OtherScheme(r.says) != "":
		return a.fail(ErrScheme, "tried "+a.host+": "+link.OtherScheme(r.says))
	case r.code == http.StatusUnauthorized || r.code == http.StatusForbidden:
		return a.fail(ErrDenied, fmt.Sprintf("%s answered %d: set READAHEAD_API_KEY, or apiKeyFile, to a key that it knows%s", a.host, r.code, said))
	case r.code == http.StatusProxyAuthRequired:
		return a.unreachable(ErrServerDown, link.Proxy, "a proxy on the way wants to know who asks")
	case r.mentions("context length", "exceed context size", "context window", "exceeds the available context", "maximum context", "too many tokens", "longer than the maximum"):
		return a.fail(ErrPromptTooLong, "the estimate of its tokens is corrected from here on: ask again with less text, or set numCtx to what the server takes"+said)
	case r.code == http.StatusTooManyRequests || r.code == http.StatusServiceUnavailable:
		return a.fail(ErrBusy, "ask again in a moment"+said)
	case r.code == http.StatusNotFound && r.mentions("model"):
		return a.fail(ErrModelMissing, fmt.Sprintf("%s does not serve %q: set model to one that GET /v1/models lists%s", a.host, a.model, said))
	case r.code == http.StatusNotFound || r.code == http.StatusMethodNotAllowed:
		return a.fail(ErrNotCompletions, fmt.Sprintf("%s answered %d: set the endpoint to a server with /v1/completions%s", a.host, r.code, said))
	case r.code == http.StatusBadGateway || r.code == http.StatusGatewayTimeout:
		step := "start the server behind the gateway (or proxy) at " + a.host + ", or set the endpoint to the server itself"
		return link.Mended(a.fail(ErrServerDown, fmt.Sprintf("a gateway at %s answered %d: %s", a.host, r.code, step)), step)
	case r.code >= http.StatusInternalServerError:
		return a.fail(ErrBroken, fmt.Sprintf("%s answered %d: see its log%s", a.host, r.code, said))
	}
	return a.fail(ErrRefused, fmt.Sprintf("%s answered %d%s", a.host, r.code, said))
}

// late is the end of the caller's time, in words for the user.
type late string

func (e late) Error() string { return string(e) }

// Is keeps it the end of the caller's time to those who branch on that.
func (late) Is(target error) bool {
	return target == context.DeadlineExceeded || target == ErrNoAnswer
}
