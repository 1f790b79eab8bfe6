package lsp

import (
	"fmt"
	"path/filepath"
)

// A user who sees nothing wants to know whether that is meant. The status says why
// the last request was answered with nothing; how it came about in full is in the
// Report.

// silence is why the last answer had nothing in it; "" if it had.
type silence struct{ path, why string }

// heardNothing keeps why an ask got nothing, if it did; s.mu is held.
func (s *suggester) heardNothing(a *ask, got answer) {
	s.silence = silence{}
	if len(got.items) == 0 {
		s.silence = silence{a.path, s.whyNothing(a, got)}
		s.log.Debug("nothing to show", "path", a.path, "why", s.silence.why)
	}
}

func (s *suggester) whyNothing(a *ask, got answer) string {
	r, known := s.reports[a.path]
	switch {
	case a.hidden != "":
		return "of what the model says, " + a.hidden
	case got.pending:
		return fmt.Sprintf("the model has said nothing within %v (deadlineMs), and is still at work", a.deadline)
	case got.notice != "":
		return got.notice
	case !known:
		return "the model has nothing to say"
	}
	t := r.Completion.Trace
	switch {
	case t.Refused != "":
		return t.Refused
	case len(t.Hidden) > 0:
		return "of what the model says, " + t.Hidden[0].Reason
	case len(t.Decision.Pools) > 0:
		return "the model says that nothing belongs here"
	}
	return "the model has nothing to say"
}

// lastSilence is the line of a status about the last answer; "" if that had
// something in it, or there was none.
func (s *suggester) lastSilence() string {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.silence.why == "" {
		return ""
	}
	return fmt.Sprintf("nothing was shown at the last request, in %s: %s", filepath.Base(s.silence.path), s.silence.why)
}
