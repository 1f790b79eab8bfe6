// Package openai draws samples from, and grades texts with, a model behind a
// completions endpoint: vLLM, llama-server, SGLang, and what imitates them.
//
// It is for a team whose model runs on a machine of its own. There, what a single
// user's server lacks is to be had: many samples of one prompt in one request,
// and the probability of a text that is given. But "OpenAI-compatible" says little:
// servers ignore what they do not know, refuse it, or answer in a form of their
// own. So Open asks for each ability once, with texts that mean nothing, and
// believes what comes back rather than what the server calls itself:
//
//	GET  /v1/models         which models, how long a context
//	POST /v1/completions    two samples at once? log-probabilities?    ┐
//	                        the prompt's own (echo, prompt_logprobs)?  ├ at once
//	                        a forced text (llama-server)?              ┘
//	        │
//	        ▼
//	model.Prompt ──fim──▶ text ──▶ n choices ──▶ model.Sample, one after another
//	model.Pair ───────────────────▶ tokens of the whole text ──cover──▶ model.Likelihood
//
// Properties:
//   - One request draws all samples that the caller means to take, or as many as
//     the server gives at once. It reads the prompt once for all of them.
//   - Likelihoods are exact where the server can tell them: from the model's own
//     reading of the text (Scoring), with a token that stands across the boundary
//     of prefix and continuation divided at it (see cover).
//   - Where it cannot, the Scorer is nil, Info.Notes says so, and votes decide.
//     The walk of package ollama would go too, but takes some seven hundred
//     requests for ten candidates: of one's own machine that may be asked, of a
//     server that others wait for it may not.
//   - A busy server (429, 503) is asked again, twice at most, when it says.
//   - What servers say is bounded, checked, and never trusted to fit together.
//
// It refuses to follow redirects, to send a key over a plain connection to another
// machine unless told to, to use a chat endpoint, and to name the key in any
// error.
//
// The wire is net/http: the official client has neither prompt_logprobs nor
// echo of token arrays nor llama-server's grammar, adds retries of its own, and
// would hide the bytes that have to be checked.
package openai

import (
	"context"
	"fmt"
	"time"

	"readahead/model"
	"readahead/model/fim"
	"readahead/model/meter"
)

// A Config says which model on which server, and how to get in. Endpoint is
// required.
type Config struct {
	// Endpoint is the server's address, with or without /v1 at the end.
	Endpoint string
	// Model is its name as /v1/models lists it; "" is the only one listed, or the
	// only one that looks like a code model.
	Model string
	// Key is sent as a bearer token with every request; "" sends none.
	Key Secret
	// CA holds PEM certificates to trust beside the system's, for a server whose
	// certificate a team signs itself.
	CA []byte
	// PlainHTTP allows a key to go over http to another machine, where everybody
	// on the way can read it.
	PlainHTTP bool
	// NumCtx is the number of tokens for prompt and answer together, at most the
	// server's own. 0 is the server's own, or DefaultNumCtx if it does not say.
	NumCtx int
	// Deadline bounds one request; 0 is DefaultDeadline.
	Deadline time.Duration
	// Parallel is how many requests may be at the server at once; 0 is
	// DefaultParallel.
	Parallel int
	// Family overrides the detected prompt family ("codellama", …).
	Family string
	// Suffix sends what stands behind the cursor as the request's suffix, and
	// leaves the prompt's form to the server.
	Suffix bool
}

const (
	// DefaultNumCtx is what most code models can do.
	DefaultNumCtx = 8192
	// DefaultDeadline is far beyond what anybody waits for a line; a server that
	// takes longer has lost the request.
	DefaultDeadline = time.Minute
	// DefaultParallel is one user's fair share of a server that batches: enough for
	// ten candidates in three rounds.
	DefaultParallel = 4
)

// Values of model.Info.Scoring: where likelihoods come from.
const (
	scoringEcho   = "echo"            // the prompt comes back with its log-probabilities
	scoringPrompt = "prompt_logprobs" // vLLM's field for the same
	scoringForced = "forced"          // llama-server generates the very tokens of the text
)

// A Model is an open model. The embedded model.Model is what the rest of
// readahead uses; Close releases the connections.
type Model struct {
	model.Model
	// Server is what the server seems to be: "vLLM", "llama-server", …; "" if it
	// does not say.
	Server string

	server *server
}

// A server is one model on one server.
type server struct {
	wire     *wire
	kind     kind
	name     string // of the model
	prompter fim.Prompter
	suffix   bool
	gauge    *meter.Gauge
	speed    *meter.Speedometer
	logProbs bool
	batch    *batch
	parallel int
}

// Open asks the server what the model can do.
//
// It fails with ErrServerDown, ErrNotCompletions, ErrDenied, ErrModelMissing,
// ErrNoModel, ErrBusy or ErrNoAnswer. A lack of log-probabilities or of several
// samples a request is no failure: Info.Notes says what it costs.
func Open(ctx context.Context, c Config) (*Model, error) {
	w, err := dial(c)
	if err != nil {
		return nil, err
	}
	m, err := open(ctx, w, c)
	if err != nil {
		w.close()
		return nil, err
	}
	return m, nil
}

func open(ctx context.Context, w *wire, c Config) (*Model, error) {
	listed, err := w.models(ctx)
	if err != nil {
		return nil, err
	}
	chosen, err := choose(listed, c.Model, w.host)
	if err != nil {
		return nil, err
	}
	w.model = chosen.ID
	a, err := ask(ctx, w, chosen, c)
	if err != nil {
		return nil, err
	}
	return newModel(w, c, chosen, a), nil
}

func newModel(w *wire, c Config, l listed, a abilities) *Model {
	p := fim.NewPrompter(a.family, a.fim)
	s := &server{
		wire: w, kind: l.kind(), name: l.ID, prompter: p, suffix: c.Suffix,
		gauge: meter.NewGauge(), speed: meter.NewSpeedometer(1),
		logProbs: a.logProbs, batch: &batch{most: a.batch}, parallel: parallel(c),
	}
	m := &Model{
		Model: model.Model{
			Info: model.Info{
				Name: l.ID, Provider: "openai", Family: a.family.Name, FIM: p.FIM || c.Suffix,
				Scoring: a.scoring, Context: window(c.NumCtx, a.context), Remote: w.remote,
			},
			Generator:   sampler{s},
			Tokens:      s.gauge.Tokens,
			PromptSpeed: s.speed.Speed,
			Render:      p.Text,
		},
		Server: l.kind().String(),
		server: s,
	}
	if c.Suffix {
		m.Render = nil
	}
	if a.scoring != "" {
		m.Scorer = scorer{s, a.scoring}
	}
	m.Info.Notes = notes(c, m, a)
	return m
}

func parallel(c Config) int {
	if c.Parallel > 0 {
		return c.Parallel
	}
	return DefaultParallel
}

// window is the context that prompts are cut for.
func window(wanted, own int) int {
	switch {
	case own > 0 && wanted > 0:
		return min(wanted, own)
	case own > 0:
		return own
	case wanted > 0:
		return wanted
	}
	return DefaultNumCtx
}

// notes are sentences about what is lacking, and what that costs.
func notes(c Config, m *Model, a abilities) []string {
	var out []string
	say := func(format string, args ...any) { out = append(out, fmt.Sprintf(format, args...)) }
	if _, known := fim.Named(c.Family); c.Family != "" && !known {
		say("prompt family %q is not known (known: %s); using %q", c.Family, fim.Names(), a.family.Name)
	}
	switch {
	case !a.logProbs:
		say("the server reports no log-probabilities%s, so votes decide alone", a.whyNot)
	case a.scoring == "" && a.wrong:
		say("the log-probabilities that the server reports of a given text cannot be right (llama-cpp-python shifts them by a token for models without a token for the beginning of a text), so votes decide alone")
	case a.scoring == "":
		say("the server cannot score a given text (it has neither echo nor prompt_logprobs), so votes decide alone; vLLM, SGLang and llama-server can")
	}
	if a.batch == 1 {
		say("the server draws one sample a request, so ten samples take ten requests")
	}
	if !m.Info.FIM {
		say("the model is of no prompt family that is known here, so prompts end at the cursor (set family to one of: %s)", fim.Names())
	}
	if m.server.kind == ollamaKind {
		say("this server is Ollama, whose completions apply the model's template: set server to ollama to use its own API")
	}
	if a.context == 0 && c.NumCtx == 0 {
		say("the server does not say how long its context is; %d tokens are assumed (set numCtx)", m.Info.Context)
	}
	if a.context > 0 && c.NumCtx > a.context {
		say("numCtx %d is lowered to the %d tokens that the server takes", c.NumCtx, a.context)
	}
	if m.Info.Remote != "" {
		say("code is sent to %s, another machine", m.Info.Remote)
	}
	return out
}

// Close closes idle connections. Requests in flight are not touched; their
// contexts end them.
func (m *Model) Close() { m.server.wire.close() }
