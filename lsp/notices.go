package lsp

import (
	"context"
	"sync"
	"time"

	"go.lsp.dev/protocol"
)

// Notices are what the user is told in a popup: that something needs doing. A
// server that is busy or restarts needs nothing, so of a model that has answered
// before it takes noticeAfter of failures until the user hears of them, and of one
// that was just slow the next failure; a sentence that was shown is not shown
// again before noticeAgain.
type notices struct {
	mu      sync.Mutex
	said    map[topic]string // last
	healthy bool             // a model has answered as it should
	since   time.Time        // it fails; zero while it does not
	shown   map[string]time.Time
}

// A topic is what can be well or not: what is said about one is said once in a
// row.
type topic uint8

const (
	ofConfiguration topic = iota
	ofIndex
	ofFolders
)

const (
	// noticeAfter is longer than a server takes to start again, and than it takes
	// until it is tried again (firstRetry).
	noticeAfter = 15 * time.Second
	noticeAgain = time.Hour
)

// changed reports whether a topic's text is news that must be shown; "" says that
// all is well again.
func (n *notices) changed(about topic, text string) bool {
	n.mu.Lock()
	defer n.mu.Unlock()
	if n.said == nil {
		n.said = map[topic]string{}
	}
	news := n.said[about] != text
	n.said[about] = text
	return news && text != ""
}

// answered reports whether the notice of an answer must be shown.
func (n *notices) answered(a answer, now time.Time) bool {
	n.mu.Lock()
	defer n.mu.Unlock()
	switch {
	case !a.heard:
		return false // from memory, or too early: it says nothing about the model
	case a.notice == "":
		n.healthy, n.since = true, time.Time{}
		return false
	case n.since.IsZero():
		n.since = now
	}
	if a.passing || n.healthy && now.Sub(n.since) < noticeAfter {
		return false
	}
	if last, ok := n.shown[a.notice]; ok && now.Sub(last) < noticeAgain {
		return false
	}
	if n.shown == nil {
		n.shown = map[string]time.Time{}
	}
	n.shown[a.notice] = now
	return true
}

// notice shows the user what must be done about a topic.
func (s *Server) notice(ctx context.Context, about topic, text string) {
	if s.notices.changed(about, text) {
		s.message(ctx, text)
	}
}

// hear takes the notice of an answer.
func (s *Server) hear(ctx context.Context, a answer) {
	for _, text := range s.suggester.owes() {
		s.message(ctx, text)
	}
	if s.notices.answered(a, time.Now()) {
		s.message(ctx, a.notice)
	}
}

func (s *Server) message(ctx context.Context, text string) {
	s.log.Warn("notice", "text", text)
	s.notify(ctx, protocol.MethodWindowShowMessage,
		&protocol.ShowMessageParams{Type: protocol.MessageTypeWarning, Message: "readahead: " + text})
}

// problem is an error as a sentence, or as a line for each that it joins; "" for none.
func problem(what string, err error) string {
	if err == nil {
		return ""
	}
	return what + inLines(err)
}
