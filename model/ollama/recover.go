package ollama

import (
	"context"
	"fmt"
	"time"

	"github.com/ollama/ollama/api"
)

// A server can wedge: it accepts requests and answers none. Unloading the model
// frees it. Unloading costs a load, so it needs evidence:
//
//	a request runs into its deadline                          ┐
//	or requests that were cancelled waited that long, summed, ├─▶ probe ─▶ answers: slow, not wedged
//	with no answer among them                                 ┘     │
//	                                                                ▼ hangs
//	                                                   unload, once until an answer comes
//
// The second clue is needed because callers with deadlines of a second never
// see the first.

// probeTime bounds each step of a recovery: a token of a one-token prompt takes
// milliseconds, and a model of some gigabytes loads within it.
const probeTime = 20 * time.Second

func (s *server) answered() {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.silent, s.spent = 0, false
}

func (s *server) unanswered(waited time.Duration) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.silent += waited
}

// suspect says that the second clue is there. It is so once.
func (s *server) suspect() bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.silent < s.deadline {
		return false
	}
	s.silent = 0
	return true
}

// recover probes and unloads in the background, owned by Close, and waits for
// it no longer than ctx: the caller's request is then sent to find out.
func (s *server) recover(ctx context.Context) {
	done := make(chan struct{})
	s.work.Go(func() {
		defer close(done)
		s.unwedge(s.life)
	})
	select {
	case <-done:
	case <-ctx.Done():
	}
}

// overdue explains a request that ran into its deadline.
func (s *server) overdue(ctx context.Context, about attempt) error {
	switch s.unwedge(ctx) {
	case slow:
		return about.fail(ErrNoAnswer, fmt.Sprintf("%v; the server is alive, so prompt and machine don't match: use a smaller model or less evidence", s.deadline))
	case freed:
		return about.fail(ErrWedged, "the model was unloaded, which freed it: ask again")
	case ended:
		return fmt.Errorf("ollama: %s: %w", about.what, ctx.Err())
	}
	return about.fail(ErrWedged, "unloading the model did not help: restart Ollama")
}

type verdict int

const (
	slow  verdict = iota // it answers small requests
	freed                // it hung, and answers after the model was unloaded
	stuck                // it hangs still
	ended                // the context ended before that was known
)

func (s *server) unwedge(ctx context.Context) verdict {
	if s.probe(ctx) {
		s.answered()
		return slow
	}
	s.mu.Lock()
	before := s.spent
	s.spent = true
	s.mu.Unlock()
	switch {
	case ctx.Err() != nil:
		return ended
	case before:
		return stuck
	case s.unload(ctx) && s.probe(ctx):
		return freed
	case ctx.Err() != nil:
		return ended
	}
	return stuck
}

func (s *server) probe(ctx context.Context) bool {
	ctx, cancel := context.WithTimeout(ctx, min(probeTime, s.deadline))
	defer cancel()
	_, err := s.wire.generate(ctx, s.body(generation{prompt: "\n", tokens: 1}))
	return err == nil
}

func (s *server) unload(ctx context.Context) bool {
	ctx, cancel := context.WithTimeout(ctx, min(probeTime, s.deadline))
	defer cancel()
	r := s.loading()
	r.KeepAlive = &api.Duration{Duration: 0}
	_, err := s.wire.generate(ctx, r)
	return err == nil
}
