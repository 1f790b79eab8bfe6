package ollama

import (
	"context"
	"fmt"
	"slices"
	"strings"

	"readahead/model"
)

// A loan is the slot of samples under way while their caller looks at one of
// them. The slot as a whole is not given up between samples: another prompt
// would push this one out of the server's cache, and each sample would have it
// processed again. But a caller may ask from within its loop how a sample goes
// on (see model.Generator), and with one slot that would wait for itself. So
// the slot is lent, to prompts that extend its own: they find the cache as they
// need it, and leave it so.
type loan struct {
	prompt model.Prompt
	slot   chan struct{} // a token in it while nobody uses the slot
}

// lending runs f, which sends nothing under the caller's slot, while others may.
// It returns when the slot is the caller's again.
func (s *server) lending(p model.Prompt, f func()) {
	l := &loan{p, make(chan struct{}, 1)}
	l.slot <- struct{}{}
	s.mu.Lock()
	s.loans = append(s.loans, l)
	s.mu.Unlock()
	defer func() {
		s.mu.Lock()
		s.loans = slices.DeleteFunc(s.loans, func(o *loan) bool { return o == l })
		s.mu.Unlock()
		<-l.slot
	}()
	f()
}

// extending runs f while it owns a slot, be it one that is lent to p.
func (s *server) extending(ctx context.Context, p model.Prompt, what string, f func() error) error {
	l := s.lent(p)
	if l == nil {
		return s.exclusive(ctx, what, f)
	}
	if err := ctx.Err(); err != nil {
		return fmt.Errorf("ollama: %s: waiting for the model: %w", what, err)
	}
	select {
	case <-l.slot:
		defer func() { l.slot <- struct{}{} }()
		return f()
	case s.slots <- struct{}{}:
		defer func() { <-s.slots }()
		return f()
	case <-ctx.Done():
		return fmt.Errorf("ollama: %s: waiting for the model: %w", what, ctx.Err())
	}
}

// lent is the loan that p extends, nil if there is none.
func (s *server) lent(p model.Prompt) *loan {
	s.mu.Lock()
	defer s.mu.Unlock()
	for _, l := range slices.Backward(s.loans) {
		of := l.prompt
		left := of.Left
		of.Left = p.Left
		if of == p && strings.HasPrefix(p.Left, left) {
			return l
		}
	}
	return nil
}
