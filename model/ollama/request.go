package ollama

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/ollama/ollama/api"
)

// exclusive runs f while it owns one of the server's slots. Waiting ends with
// ctx, so that a superseded request leaves the queue.
func (s *server) exclusive(ctx context.Context, what string, f func() error) error {
	err := ctx.Err() // a free slot does not make up for it
	if err == nil {
		select {
		case s.slots <- struct{}{}:
		case <-ctx.Done():
			err = ctx.Err()
		}
	}
	if err != nil {
		return fmt.Errorf("ollama: %s: waiting for the model: %w", what, err)
	}
	defer func() { <-s.slots }()
	if s.suspect() {
		s.recover(ctx)
	}
	return f()
}

// A generation is what differs between two requests for text.
type generation struct {
	prompt      string
	temperature float64
	topP        float64
	tokens      int
	seed        int
	stop        []string
	top         int // alternatives reported for each token
}

// body is the request for g. All options that sampling depends on are set:
// what is not sent, the Modelfile decides (repeat_penalty 1.1, top_k 40), and
// candidates would be drawn from something else than the nucleus asked for.
// Options that reload a model are the same in every request.
func (s *server) body(g generation) *api.GenerateRequest {
	r := s.loading()
	topP := g.topP
	if topP <= 0 {
		topP = 1
	}
	r.Prompt = g.prompt
	r.Logprobs = s.logProbs
	r.TopLogprobs = g.top
	r.Options["temperature"] = g.temperature
	r.Options["top_p"] = topP
	r.Options["top_k"] = 0
	r.Options["min_p"] = 0.0
	r.Options["typical_p"] = 1.0
	r.Options["repeat_penalty"] = 1.0
	r.Options["presence_penalty"] = 0.0
	r.Options["frequency_penalty"] = 0.0
	r.Options["num_predict"] = g.tokens
	r.Options["seed"] = g.seed
	r.Options["stop"] = g.stop
	return r
}

// loading is the request that only loads the model: no prompt.
func (s *server) loading() *api.GenerateRequest {
	stream, no := false, false
	return &api.GenerateRequest{
		Model:     s.name,
		Stream:    &stream,
		Raw:       true,
		Truncate:  &no, // an error instead of a prompt cut in front
		Shift:     &no, // an end instead of a context cut in front
		KeepAlive: &api.Duration{Duration: s.keepAlive},
		Options:   map[string]any{"num_ctx": s.numCtx},
	}
}

// request sends r and waits for the answer until ctx or the deadline ends. The
// caller owns a slot.
func (s *server) request(ctx context.Context, what string, r *api.GenerateRequest) (api.GenerateResponse, error) {
	about := attempt{what: what, model: s.name, host: s.host, sent: r.Prompt + "\n" + r.Suffix}
	limited, cancel := context.WithTimeout(ctx, s.deadline)
	defer cancel()
	began := time.Now()
	resp, err := s.wire.generate(limited, r)
	switch {
	case ctx.Err() != nil && err != nil:
		s.unanswered(time.Since(began))
	case limited.Err() != nil && err != nil:
		return resp, s.overdue(ctx, about)
	default:
		s.answered()
	}
	if err = about.explain(ctx, err); errors.Is(err, ErrPromptTooLong) {
		s.gauge.Overran()
	} else if err == nil {
		s.speedometer.Learn(r.Prompt, resp.PromptEvalCount, resp.PromptEvalDuration)
		if r.Logprobs && resp.Response != "" {
			s.mute.Store(len(resp.Logprobs) == 0)
		}
	}
	return resp, err
}

// tells is an error if the last answer came without the log-probabilities that were
// asked for: a version that can tell them may stand behind a proxy that does not, and
// what is known from a sample costs no request more.
func (s *server) tells(what string) error {
	if !s.mute.Load() {
		return nil
	}
	return attempt{what: what}.fail(ErrNoLogProbs, "Ollama 0.12.11 and later do: update it, or what stands before it; until then votes decide alone")
}
