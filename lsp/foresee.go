package lsp

import (
	"context"
	"time"
)

// A client that waits for the next key before it asks gives time to get ready:
// the evidence is found while it waits (see foresight), and not while the user
// does. How long it waits is learned from its requests (see pace). One that asks at
// the key, as our own plugin for Neovim does, is made to wait, and it is the same.

// typedTo is where the cursor most likely stands after with was inserted: between
// a pair of brackets or quotes, else behind it.
func typedTo(start int, with []byte) int {
	if len(with) == 2 && isCloser(with[1]) && (with[0] == with[1] || !isCloser(with[0])) {
		return start + 1
	}
	return start + len(with)
}

// foresee lets the Completer prepare for a after a while, unless there is another
// key before that. Where an answer is known there is nothing to prepare.
func (s *suggester) foresee(a *ask, after time.Duration) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.getReady(a, after)
}

// getReady is foresee; s.mu is held.
func (s *suggester) getReady(a *ask, after time.Duration) {
	s.callOff()
	if s.ended {
		return
	}
	ctx, cancel := context.WithCancel(s.base)
	timer := time.AfterFunc(after, func() { s.prepare(ctx, a) })
	s.unprepare = func() { timer.Stop(); cancel() }
}

// callOff ends what getReady began, as far as it can be ended; s.mu is held.
func (s *suggester) callOff() {
	if s.unprepare != nil {
		s.unprepare()
		s.unprepare = nil
	}
}

func (s *suggester) prepare(ctx context.Context, a *ask) {
	s.mu.Lock()
	items, _, known := s.memory.recall(a)
	if s.ended || known || len(items) > 0 {
		s.mu.Unlock()
		return
	}
	s.landing.Add(1)
	s.mu.Unlock()
	defer s.landing.Done()
	var err error // of a panic; it is in the log
	defer recovered(s.log, "preparation", &err)
	s.completer.Prepare(ctx, a.request())
}
