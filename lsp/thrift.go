package lsp

import (
	"sync"
	"time"
)

// A thrift makes the evidence budget fit the machine. A context that is new to
// the model, because the user went to another function, must be read before the
// first token of an answer; on a processor that takes seconds for 4096 tokens,
// and the answer comes after the user has typed the line.
//
// So evidence gets no more tokens than the model reads within the time that an
// automatic answer may take (deadlineMs), by the speed of its latest replies.
// The budget moves in halves and doubles, and doubles only with room to spare: a
// budget that followed every measurement would change the prompt, and throw the
// server's cache away, which costs more than it saves.
type thrift struct {
	mu       sync.Mutex
	model    string
	halvings int
}

const (
	// leastEvidence is what a slow model still gets: two objects of the least
	// size (β, VITAL-RAG eq. 4).
	leastEvidence = 256
	// spare is by how much the speed must exceed what the doubled budget needs.
	spare = 1.25
)

// tokens is the budget for a model that reads so many tokens a second (0: not
// known, the configured bound), and whether it is another than the last time.
func (t *thrift) tokens(model string, speed float64, c Config) (n int, changed bool) {
	t.mu.Lock()
	defer t.mu.Unlock()
	if t.model != model {
		t.model, t.halvings = model, 0
	}
	at := func(halvings int) int { return max(min(leastEvidence, c.EvidenceTokens), c.EvidenceTokens>>halvings) }
	was := t.halvings
	if speed > 0 {
		within := speed * (time.Duration(c.DeadlineMs) * time.Millisecond).Seconds()
		for float64(at(t.halvings)) > within && at(t.halvings+1) < at(t.halvings) {
			t.halvings++
		}
		for t.halvings > 0 && float64(at(t.halvings-1))*spare <= within {
			t.halvings--
		}
	}
	return at(t.halvings), t.halvings != was
}

// EvidenceFor is how many tokens of evidence a model gets that reads so many
// tokens a second: EvidenceTokens, or as much as it reads within the deadline.
func (c Config) EvidenceFor(speed float64) int {
	n, _ := new(thrift).tokens("", speed, c)
	return n
}

// EvidenceRoom is how many tokens of a model's window the document and the
// answer leave for evidence.
func EvidenceRoom(window int) int { return split(window, window).Evidence }
