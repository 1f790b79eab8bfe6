package meter

import (
	"slices"
	"sync"
	"time"
)

// A Speedometer knows how fast the server reads a prompt, in tokens a second.
//
// A reply tells how long its prompt took and how many tokens it had, not how
// many of them were in the server's cache. Those are the beginning that the
// prompt has in common with one that a slot holds, so the prompts that the slots
// were last given are kept:
//
//	slot's last prompt   evidence evidence left
//	this prompt          evidence evidence left and right
//	                     └ cached ───────────┘ └ read ──┘   in prompt_eval_duration
//
// A Speedometer is safe for concurrent use.
type Speedometer struct {
	mu    sync.Mutex
	slots int
	held  []string // one prompt a slot, the last given at the end
	speed float64  // 0: unknown
}

const (
	// leastRead is how many tokens must have been read for their time to say
	// something: a request costs 10 to 30 ms beyond its tokens.
	leastRead = 256
	// speedRate is the share that a new measurement has. A machine may get busy
	// or free: three replies with long prompts move most of the way.
	speedRate = 0.4
)

// NewSpeedometer is for a server that keeps so many prompts.
func NewSpeedometer(slots int) *Speedometer { return &Speedometer{slots: slots} }

// Learn takes in that a prompt of this many tokens, cached ones included, was
// answered after it had been read for this long.
func (s *Speedometer) Learn(prompt string, tokens int, took time.Duration) {
	s.mu.Lock()
	defer s.mu.Unlock()
	slot, shared := -1, 0
	for i, held := range s.held {
		if n := commonPrefix(held, prompt); n > shared {
			slot, shared = i, n
		}
	}
	if slot < 0 && len(s.held) == s.slots {
		slot = 0
	}
	if slot >= 0 {
		s.held = slices.Delete(s.held, slot, slot+1)
	}
	s.held = append(s.held, prompt)
	s.took(float64(tokens)*(1-float64(shared)/float64(max(1, len(prompt)))), took)
}

// LearnRead takes in that so many tokens, none of them cached, were read for this
// long: for a server that tells them apart.
func (s *Speedometer) LearnRead(tokens int, took time.Duration) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.took(float64(tokens), took)
}

func (s *Speedometer) took(read float64, took time.Duration) {
	if read < leastRead || took <= 0 {
		return
	}
	seen := read / took.Seconds()
	if s.speed == 0 {
		s.speed = seen
	}
	s.speed += speedRate * (seen - s.speed)
}

// Speed is in tokens a second; 0 if nothing has been measured.
func (s *Speedometer) Speed() float64 {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.speed
}

func commonPrefix(a, b string) int {
	n := min(len(a), len(b))
	for i := range n {
		if a[i] != b[i] {
			return i
		}
	}
	return n
}
