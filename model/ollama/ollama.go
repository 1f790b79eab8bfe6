// Package ollama draws samples from, and grades texts with, a model that an
// Ollama server runs.
//
// Ollama's API was made for chat. It has no sample count, no way to score a
// given text, and no way to count tokens; it applies chat templates unless told
// not to, cuts prompts that are too long in front without a word, and reloads a
// model when the options of two requests differ. This package turns it into
// what readahead needs:
//
//	model.Prompt ──prompter──▶ text ──┐                ┌─▶ model.Sample, one after another
//	              FIM tokens,         ├─▶ queue ─▶ server
//	              neutralised code    │   one request  └─▶ walk ─▶ model.Likelihood
//	model.Pair ───────────────────────┘   a slot
//	                                       │
//	              gauge ◀── prompt_eval_count (token estimates)
//	        speedometer ◀── prompt_eval_duration (how much evidence is worth its time)
//
// Properties:
//   - Samples of one prompt are drawn in sequence. A server slot keeps the
//     prompt that it processed last, so the second to tenth sample process one
//     prompt token each, while concurrent ones process it once per slot.
//   - A caller keeps its slot until it is done: two callers that took turns
//     would throw each other's prompts out of the cache.
//   - Every request carries the same num_ctx, so nothing makes the model reload.
//   - Requests are not streamed. Cancelling streams wedges servers (0.17.4 after
//     4 to 8 of them), cancelling others has not; and a server that accepts
//     requests and answers none is noticed, unloaded once, and reported.
//   - Log-probabilities come from the untempered distribution; sampling options
//     choose the token, not the value.
//   - An ability that server or model lacks is a nil field and a sentence in
//     Info.Notes.
//
// It refuses to follow redirects, to use a chat template, and to choose by
// itself a model that runs on somebody else's machine.
package ollama

import (
	"context"
	"fmt"
	"sync"
	"sync/atomic"
	"time"

	"github.com/ollama/ollama/api"

	"readahead/model"
	"readahead/model/fim"
	"readahead/model/meter"
)

// A Config says which model on which server. Only Model is required.
type Config struct {
	// Endpoint is the server's address; "" is OLLAMA_HOST, or else Ollama's
	// usual address. Scheme and port may be missing.
	Endpoint string
	// Model is the name as `ollama list` shows it.
	Model string
	// NumCtx is the number of tokens for prompt and answer together. 0 is the
	// model's own num_ctx if its Modelfile sets one, else DefaultNumCtx; more
	// than the model was trained for is lowered to that.
	NumCtx int
	// KeepAlive is how long the server keeps the model in memory after a
	// request. 0 is DefaultKeepAlive; negative is for ever.
	KeepAlive time.Duration
	// Deadline bounds one request, so that a server that hangs is noticed.
	// 0 is DefaultDeadline.
	Deadline time.Duration
	// Parallel is how many requests may be at the server at once; more than its
	// OLLAMA_NUM_PARALLEL gains nothing. 0 is 1.
	Parallel int
	// Family overrides the detected prompt family ("codellama", …).
	Family string
	// ScoreRequests bounds the requests for one pair. 0 is DefaultScoreRequests.
	ScoreRequests int
}

const (
	// DefaultNumCtx holds VITAL-RAG's 4,096 tokens of evidence and as much of
	// the file, in memory that small machines have.
	DefaultNumCtx = 8192
	// DefaultKeepAlive outlasts a coffee, so that the first line afterwards
	// does not wait for a model to load.
	DefaultKeepAlive = 30 * time.Minute
	// DefaultDeadline leaves time to load a large model from a slow disk and to
	// process a full prompt on a slow processor.
	DefaultDeadline = 3 * time.Minute
	// DefaultScoreRequests is enough for a right context of 128 tokens
	// (measured: 73 requests with the small test model).
	DefaultScoreRequests = 96
)

// A Model is an open model. The embedded model.Model is what the rest of
// readahead uses; Close releases the connections.
type Model struct {
	model.Model
	// Version is the server's, as it reports it.
	Version string

	server  *server
	release func()
}

// Open asks the server once what the model can do. It does not load the model:
// the first request does, or Load.
//
// It fails with ErrServerDown, ErrNotOllama, ErrModelMissing, or
// ErrNotGenerative. A server too old for log-probabilities is no failure: the
// Scorer is nil and Info.Notes says so.
func Open(ctx context.Context, c Config) (*Model, error) {
	u, err := parseEndpoint(c.Endpoint)
	if err != nil {
		return nil, err
	}
	return open(ctx, dial(u), c)
}

func open(ctx context.Context, w *wire, c Config) (*Model, error) {
	a, err := ask(ctx, w, c.Model)
	if err != nil {
		w.close()
		return nil, err
	}
	return newModel(ctx, w, c, a), nil
}

func newModel(ctx context.Context, w *wire, c Config, a abilities) *Model {
	fam, middle := a.family, a.fim
	var notes []string
	if c.Family != "" {
		if f, ok := fim.Named(c.Family); ok {
			fam, middle = f, true
		} else {
			notes = append(notes, fmt.Sprintf("prompt family %q is not known (known: %s); using %q", c.Family, fim.Names(), fam.Name))
		}
	}
	p := fim.NewPrompter(fam, middle)
	// Recovery outlives the request that found it necessary, but not the model.
	life, release := context.WithCancel(context.WithoutCancel(ctx))
	slots := max(1, c.Parallel)
	s := &server{
		wire: w, name: c.Model, host: w.url.Host, prompter: p, gauge: meter.NewGauge(), speedometer: meter.NewSpeedometer(slots),
		numCtx: a.numCtx(c.NumCtx), keepAlive: orDefault(c.KeepAlive, DefaultKeepAlive),
		deadline: orDefault(c.Deadline, DefaultDeadline),
		slots:    make(chan struct{}, slots),
		logProbs: a.logProbs,
		life:     life,
	}
	m := &Model{
		Model: model.Model{
			Info: model.Info{
				Name: c.Model, Provider: "ollama", Family: fam.Name, FIM: p.FIM,
				Context: s.numCtx, Remote: a.remote,
			},
			Generator:   sampler{s},
			Tokens:      s.gauge.Tokens,
			PromptSpeed: s.speedometer.Speed,
			Render:      p.Text,
		},
		Version: a.version, server: s, release: release,
	}
	if a.logProbs {
		m.Info.Scoring = "walk"
		m.Explorer = explorer{s}
		walk := &Walk{server: s, MaxRequests: orDefault(c.ScoreRequests, DefaultScoreRequests), MaxWindow: defaultWindow}
		if m.Scorer = walk; p.FIM {
			m.Filler = walk
		}
	} else {
		notes = append(notes, fmt.Sprintf("Ollama %s reports no log-probabilities (0.12.11 and later do), so votes decide alone: update Ollama to have candidates graded by the code after the cursor", a.version))
	}
	if !p.FIM {
		notes = append(notes, "the model has no fill-in-the-middle tokens that are known here, so prompts end at the cursor")
	}
	if a.remote != "" {
		notes = append(notes, fmt.Sprintf("code is sent to %s, another machine", a.remote))
	}
	if c.NumCtx > s.numCtx {
		notes = append(notes, fmt.Sprintf("num_ctx %d is lowered to the %d tokens that the model was trained for", c.NumCtx, s.numCtx))
	}
	m.Info.Notes = notes
	return m
}

// Load makes the server load the model, so that the first completion does not
// wait for it.
func (m *Model) Load(ctx context.Context) error {
	return m.server.exclusive(ctx, "load "+m.server.name, func() error {
		_, err := m.server.request(ctx, "load "+m.server.name, m.server.loading())
		return err
	})
}

// Unload makes the server free the model's memory.
func (m *Model) Unload(ctx context.Context) error {
	return m.server.exclusive(ctx, "unload "+m.server.name, func() error {
		r := m.server.loading()
		r.KeepAlive = &api.Duration{Duration: 0}
		_, err := m.server.request(ctx, "unload "+m.server.name, r)
		return err
	})
}

// Close ends recovery work in progress, waits for it, and closes idle
// connections. Requests in flight are not touched; their contexts end them.
func (m *Model) Close() {
	m.release()
	m.server.work.Wait()
	m.server.wire.close()
}

func orDefault[T int | time.Duration](v, standard T) T {
	if v == 0 {
		return standard
	}
	return v
}

// A server is one model on one server, and the queue in front of it.
type server struct {
	wire        *wire
	name        string // of the model
	host        string
	prompter    fim.Prompter
	gauge       *meter.Gauge
	speedometer *meter.Speedometer
	numCtx      int
	keepAlive   time.Duration
	deadline    time.Duration
	logProbs    bool
	mute        atomic.Bool   // it was asked for log-probabilities, and told none
	slots       chan struct{} // one token in it per request at the server

	life context.Context // of recovery work; ended by Close
	work sync.WaitGroup

	mu     sync.Mutex
	loans  []*loan       // slots whose owners are looking at a sample
	silent time.Duration // waited for answers that were cancelled, since the last answer
	spent  bool          // the model was unloaded since the last answer
}
