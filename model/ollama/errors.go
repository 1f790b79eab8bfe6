package ollama

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"net"
	"net/http"
	"net/url"
	"strings"

	"github.com/ollama/ollama/api"

	"readahead/model/link"
)

// What callers branch on. The errors of this package wrap them in a sentence
// that names the server or model and says what to do next.
var (
	ErrServerDown    = errors.New("no server answers")
	ErrScheme        = errors.New("the endpoint says http where the server speaks https, or the other way round")
	ErrNotOllama     = errors.New("what answers is not an Ollama server")
	ErrDenied        = errors.New("the server lets nobody in")
	ErrModelMissing  = errors.New("model not found")
	ErrNoCodeModel   = errors.New("no code model is installed")
	ErrNotGenerative = errors.New("the model does not generate text")
	ErrPromptTooLong = errors.New("the prompt is longer than the model's context")
	ErrBusy          = errors.New("the server is busy or still loads the model")
	ErrRunnerDied    = errors.New("the process that runs the model ended in mid-request")
	ErrOutOfMemory   = errors.New("the model does not fit into memory")
	ErrNoAnswer      = errors.New("no answer within the deadline")
	ErrWedged        = errors.New("the server accepts requests and answers none")
	ErrNoLogProbs    = errors.New("the server reports no log-probabilities")
)

// A request is described for its errors: what was attempted, with which model,
// on which server.
type attempt struct {
	what, model, host string
	sent              string // the prompt, which no error repeats
}

// server is what is known of the way to it.
func (a attempt) server() link.Server {
	start := "ollama serve"
	if a.host != net.JoinHostPort(usualHost, usualPort) {
		start = "OLLAMA_HOST=" + a.host + " " + start
	}
	return link.Server{
		Host: a.host, Here: link.Remote(&url.URL{Host: a.host}) == "", Start: start,
		There: "there: OLLAMA_HOST=0.0.0.0 ollama serve",
		Trust: "add the authority that signed the certificate to those that the system trusts (on Linux also: export SSL_CERT_FILE=its.pem)",
	}
}

// unreachable is the error for a server that could not be asked, and why.
func (a attempt) unreachable(k link.Kind, cause string) error {
	step := a.server().Mend(k)
	return link.Mended(a.fail(ErrServerDown, fmt.Sprintf("tried %s: %s: %s", a.host, cause, step)), step)
}

// denied is the error for a server that wants to know who asks. Of Ollama's own
// only models in its cloud do.
func (a attempt) denied(says string) error {
	step := "ollama signin, for a model of Ollama's cloud"
	if !a.server().Here {
		step = `set server = "openai" and apiKeyFile, if a gateway there wants a key; or ask who runs ` + a.host
	}
	if says != "" {
		says = "; the server said: " + link.Said(says, a.sent)
	}
	return link.Mended(a.fail(ErrDenied, fmt.Sprintf("tried %s: %s%s", a.host, step, says)), step)
}

func (a attempt) fail(kind error, next string) error {
	if next == "" {
		return fmt.Errorf("ollama: %s: %w", a.what, kind)
	}
	return fmt.Errorf("ollama: %s: %w (%s)", a.what, kind, next)
}

// explain turns what api.Client returned into a sentence with a sentinel. The
// context's own end is passed through, so that a caller that cancelled finds
// its cancellation, and one whose time is over finds that.
func (a attempt) explain(ctx context.Context, err error) error {
	if err == nil {
		return nil
	}
	if errors.Is(ctx.Err(), context.DeadlineExceeded) {
		return late(a.fail(ErrNoAnswer, fmt.Sprintf("the server at %s accepts requests and may be busy or hung: see its log, start it again, or set another endpoint", a.host)).Error())
	}
	if ctx.Err() != nil {
		return fmt.Errorf("ollama: %s: %w", a.what, ctx.Err())
	}
	var status api.StatusError
	var denied api.AuthorizationError
	switch {
	case errors.As(err, &status):
		return a.status(status.StatusCode, status.ErrorMessage)
	case errors.As(err, &denied):
		return a.denied("")
	case errors.Is(err, link.ErrRedirect):
		return a.fail(ErrNotOllama, fmt.Sprintf("%s redirects elsewhere, and code is not sent after it: set the endpoint to the server itself", a.host))
	case link.OtherScheme(err.Error()) != "":
		return a.fail(ErrScheme, "tried "+a.host+": "+link.OtherScheme(err.Error()))
	case link.Unreachable(err):
		return a.unreachable(link.KindOf(err), link.Cause(err))
	}
	if notJSON(err) {
		return a.fail(ErrNotOllama, fmt.Sprintf("set the endpoint to the Ollama server: %s sent something that is not Ollama's JSON", a.host))
	}
	// A streamed error of the server, or a line of ours about what it sent.
	return a.status(http.StatusOK, err.Error())
}

// notJSON reports the errors of a decoder, which speak of characters and of types
// of ours.
func notJSON(err error) bool {
	var syntax *json.SyntaxError
	var kind *json.UnmarshalTypeError
	return errors.As(err, &syntax) || errors.As(err, &kind) || err.Error() == "unexpected end of JSON input"
}

// late is the end of the caller's time in words that help: by itself it says
// "context deadline exceeded", which tells nobody what to do.
type late string

func (e late) Error() string { return string(e) }

// Is keeps it the end of the caller's time to those who branch on that.
func (late) Is(target error) bool {
	return target == context.DeadlineExceeded || target == ErrNoAnswer
}

// symptoms map what servers say to what it means, first match first. The texts
// are those of 0.12 to 0.30; the status alone does not tell them apart.
var symptoms = []struct {
	says string
	kind error
	next string
}{
	{"exceeds the context length", ErrPromptTooLong, "the estimate of its tokens is corrected from here on: ask again with less text, or raise num_ctx"},
	{"exceed context size", ErrPromptTooLong, "the estimate of its tokens is corrected from here on: ask again with less text, or raise num_ctx"},
	{"requires more system memory", ErrOutOfMemory, "choose a smaller model, or a smaller num_ctx, or close other programs"},
	{"out of memory", ErrOutOfMemory, "choose a smaller model, or a smaller num_ctx, or close other programs"},
	{"memory layout cannot be allocated", ErrOutOfMemory, "choose a smaller model, or a smaller num_ctx, or close other programs"},
	{"failed to allocate memory", ErrOutOfMemory, "choose a smaller model, or a smaller num_ctx, or close other programs"},
	{"maximum pending requests exceeded", ErrBusy, "ask again in a moment"},
	{"loading model", ErrBusy, "ask again in a moment"},
	{"no slots available", ErrBusy, "ask again in a moment"},
	{"an error was encountered while running the model", ErrRunnerDied, "the next request loads it again; if this recurs, see the server's log"},
	{"has unexpectedly stopped", ErrRunnerDied, "the next request loads it again; if this recurs, see the server's log"},
	{"runner process", ErrRunnerDied, "the next request loads it again; if this recurs, see the server's log"},
	{"error reading llm response", ErrRunnerDied, "the next request loads it again; if this recurs, see the server's log"},
	{"do embedding request", ErrRunnerDied, "the next request loads it again; if this recurs, see the server's log"},
	{"does not support generate", ErrNotGenerative, "choose a code model, such as qwen2.5-coder:1.5b"},
}

func (a attempt) status(code int, says string) error {
	for _, s := range symptoms {
		if strings.Contains(says, s.says) {
			return a.fail(s.kind, s.next+"; the server said: "+link.Said(says, a.sent))
		}
	}
	switch {
	case link.OtherScheme(says) != "":
		return a.fail(ErrScheme, "tried "+a.host+": "+link.OtherScheme(says))
	case code == http.StatusNotFound && strings.Contains(says, "not found") && strings.Contains(says, "model"):
		return a.fail(ErrModelMissing, "run: ollama pull "+a.model)
	case code == http.StatusUnauthorized || code == http.StatusForbidden:
		return a.denied(says)
	case code == http.StatusProxyAuthRequired:
		return a.unreachable(link.Proxy, "a proxy on the way wants to know who asks")
	case code == http.StatusServiceUnavailable || code == http.StatusTooManyRequests:
		return a.fail(ErrBusy, "ask again in a moment; the server said: "+link.Said(says, a.sent))
	case code == http.StatusNotFound, code == http.StatusMethodNotAllowed:
		return a.fail(ErrNotOllama, fmt.Sprintf("%s answered %d to an Ollama request: set the endpoint to the Ollama server", a.host, code))
	case code < http.StatusBadRequest:
		return a.fail(ErrNotOllama, fmt.Sprintf("set the endpoint to the Ollama server: %s sent something that is not Ollama's JSON: %s", a.host, link.Said(says, a.sent)))
	case code == http.StatusBadGateway || code == http.StatusGatewayTimeout:
		step := "start the server behind the gateway (or proxy) at " + a.host + ", or set the endpoint to the server itself"
		return link.Mended(a.fail(ErrServerDown, fmt.Sprintf("a gateway at %s answered %d: %s", a.host, code, step)), step)
	}
	return fmt.Errorf("ollama: %s: the server answered %d: %s (see its log)", a.what, code, link.Said(says, a.sent))
}
