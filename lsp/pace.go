package lsp

import "time"

// A pace knows how fast one document is being typed in, to say how long a
// request should wait for the next key before the model is asked.
//
// Waiting pays only while another key is likely to come within the wait. So a
// first key after a pause is not held up at all, a burst is waited out, and
// typing that is slower than the bound is answered key by key. The wait counts
// from the key, not from the request: a client that waits itself is not made to
// wait twice. And where the model answers faster than the keys come there is
// nothing to save: the wait is never longer than an answer takes.
type pace struct {
	last time.Time     // of the last edit
	gap  time.Duration // between keys, smoothed; 0: no burst
	// lag is how long after a key the client asks, smoothed; 0 while unknown.
	lag   time.Duration
	asked bool // since the last edit
}

const (
	// burstGap ends a burst: a longer pause says nothing about the next key.
	burstGap = time.Second
	// A wait of gapMargin gaps covers the ordinary unevenness of typing.
	gapMargin = 1.5
	// readiness is how long before a request its preparation begins: evidence takes
	// some 10 ms in a repository of 100,000 lines, twice that on a busy machine, and
	// the facts of what was typed as much again.
	readiness = 40 * time.Millisecond
)

func (p *pace) edited(now time.Time) {
	gap := now.Sub(p.last)
	switch {
	case p.last.IsZero() || gap > burstGap:
		p.gap = 0
	case p.gap == 0:
		p.gap = gap
	default:
		p.gap = (2*p.gap + gap) / 3
	}
	p.last, p.asked = now, false
}

// request records when a client asks by itself.
func (p *pace) request(now time.Time) {
	if lag := now.Sub(p.last); !p.asked && !p.last.IsZero() && lag < burstGap {
		p.lag = smooth(p.lag, lag)
	}
	p.asked = true
}

// lead is how long after a key the preparation of the request should begin that
// will come; false if the client asks too soon after a key for that to help, or is
// not known.
func (p *pace) lead() (time.Duration, bool) {
	return max(0, p.lag-readiness), p.lag >= readiness/2
}

// due is when the model may be asked. bound is the longest wait; answer is how
// long the model takes, 0 if unknown.
func (p *pace) due(bound, answer time.Duration) time.Time {
	if p.gap == 0 || p.gap > bound {
		return p.last
	}
	wait := min(time.Duration(gapMargin*float64(p.gap)), bound)
	if answer > 0 {
		wait = min(wait, answer)
	}
	return p.last.Add(wait)
}
