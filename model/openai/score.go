package openai

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"strings"
	"sync"
	"time"

	"readahead/model"
)

// A scorer asks what the model thinks of a text that is given (Caret §III-C, eq. 1:
// one teacher-forced pass). how is one of:
//
//	echo             the prompt is sent back with the probability of each token
//	prompt_logprobs  the same, in vLLM's own field
//	forced           llama-server has neither. But it generates what a grammar
//	                 allows, a grammar may be a list of token numbers, and what it
//	                 reports of a token does not depend on the grammar. So the
//	                 continuation's own tokens are generated, one after another.
type scorer struct {
	server *server
	how    string
}

// listedTokens is how many alternatives of each token are asked for: OpenAI's own API
// gives no more. They divide the token at the boundary (see cover).
const listedTokens = 5

// Score grades pairs, as many at once as the server may be asked. The first error
// ends all of them.
func (g scorer) Score(ctx context.Context, pairs []model.Pair) ([]model.Likelihood, model.Usage, error) {
	out := make([]model.Likelihood, len(pairs))
	ctx, cancel := context.WithCancelCause(ctx)
	defer cancel(nil)
	var (
		wg    sync.WaitGroup
		mu    sync.Mutex
		total model.Usage
	)
	gate := make(chan struct{}, g.server.parallel)
	for i, p := range pairs {
		wg.Go(func() {
			gate <- struct{}{}
			defer func() { <-gate }()
			prefix, target := g.server.prompter.Pair(p)
			l, u, err := g.one(ctx, prefix, target)
			mu.Lock()
			out[i], total = l, total.Plus(u)
			mu.Unlock()
			if err != nil {
				cancel(err)
			}
		})
	}
	wg.Wait()
	if err := context.Cause(ctx); err != nil {
		return nil, total, g.first(ctx, err)
	}
	return out, total, nil
}

// first is the error that ended a Score: the caller's own end as it is.
func (g scorer) first(ctx context.Context, err error) error {
	if err == context.Canceled || err == context.DeadlineExceeded {
		return fmt.Errorf("openai: score with %s: %w", g.server.name, err)
	}
	return err
}

// leastPrefix, in bytes, is what the first token of a text may take up. It has
// nothing before it that it could be expected from, and hence no probability; so
// that it is no token at the boundary, a line break goes before a shorter prefix.
const leastPrefix = 16

func (g scorer) one(ctx context.Context, prefix, target string) (model.Likelihood, model.Usage, error) {
	if target == "" {
		return model.Likelihood{Exact: true}, model.Usage{}, nil
	}
	if len(prefix) < leastPrefix {
		prefix = "\n" + prefix
	}
	if g.how == scoringForced {
		return g.server.force(ctx, prefix, target)
	}
	return g.server.read(ctx, g.how, prefix, target)
}

// read has the model read prefix and target, and adds up what it thought of the
// target. It generates one token, since some servers take no request for none.
func (s *server) read(ctx context.Context, how, prefix, target string) (model.Likelihood, model.Usage, error) {
	text := prefix + target
	r := request{Prompt: text, MaxTokens: 1, TopP: 1}
	k := listedTokens
	if how == scoringEcho {
		r.Echo, r.LogProbs = true, &k
	} else {
		r.PromptLogProbs = &k
	}
	got, u, err := s.complete(ctx, "score with "+s.name, r)
	if err != nil {
		return model.Likelihood{}, u, err
	}
	tokens, err := got.read(how, text)
	if err != nil {
		return model.Likelihood{}, u, s.garbled("score with "+s.name, err)
	}
	l, err := cover(tokens, text, len(prefix))
	if err != nil {
		return l, u, s.garbled("score with "+s.name, err)
	}
	return l, u, nil
}

// read is what a reply says of the text that was sent.
func (r *reply) read(how, text string) ([]token, error) {
	c := r.Choices[0]
	if how == scoringPrompt {
		return promptTokens(c.PromptLogProbs, text), nil
	}
	if !strings.HasPrefix(*c.Text, text) {
		return nil, errors.New("the text does not come back")
	}
	return c.LogProbs.tokens(), nil
}

// garbled is the error for a reply whose parts contradict each other.
func (s *server) garbled(what string, err error) error {
	return attempt{what: what, model: s.name, host: s.wire.host}.fail(ErrGarbled, fmt.Sprintf("%s: %v: the server may need an update", s.wire.host, err))
}

// complete sends r for this model, learns from the reply, and says what it cost.
func (s *server) complete(ctx context.Context, what string, r request) (*reply, model.Usage, error) {
	r.Model = s.name
	began := time.Now()
	got := new(reply)
	err := s.wire.post(ctx, what, "v1/completions", r, got)
	if err == nil {
		if wrong := got.check(); wrong != nil {
			err = refused{attempt{what: what, model: s.name, host: s.wire.host}.explain(ctx, wrong), wrong}
		}
	}
	if errors.Is(err, ErrPromptTooLong) {
		s.gauge.Overran()
	}
	if err != nil {
		return nil, model.Usage{}, err
	}
	read := time.Duration(got.Timings.PromptMS * float64(time.Millisecond))
	s.speed.LearnRead(got.Timings.PromptN, read)
	if text, ok := r.Prompt.(string); ok && !s.suffix {
		s.gauge.Learn(text, got.Usage.Prompt)
	}
	return got, model.Usage{Requests: 1, Prompt: got.Usage.Prompt, Generated: got.Usage.Completion, PromptTime: read, Time: time.Since(began)}, nil
}

// status is the HTTP status of a refusal, 0 of any other error.
func status(err error) int {
	var r *refusal
	if errors.As(err, &r) {
		return r.code
	}
	return 0
}

// understood says that a server took the request for one of its own and did not
// like what is in it.
func understood(err error) bool {
	switch status(err) {
	case http.StatusBadRequest, http.StatusUnprocessableEntity, http.StatusInternalServerError, http.StatusNotImplemented:
		return !errors.Is(err, ErrPromptTooLong)
	}
	return false
}
