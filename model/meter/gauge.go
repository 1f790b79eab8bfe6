// Package meter learns from a model server's replies what its API does not tell:
// how many tokens a text has (Gauge), and how fast a prompt is read (Speedometer).
//
// Both err to the careful side until replies teach them better, and both move
// only when they have to: budgets are cut by them, and a budget that moves makes
// another prompt, which no server has in its cache.
package meter

import (
	"math"
	"sync"
	"unicode/utf8"
)

// A Gauge estimates tokens, since the server offers no way to count them.
//
// Text weighs by what tokenizers do with it, and the number of weights in a
// token is learned: each reply says how many tokens its prompt had. The
// estimate is the mean less a margin, so that it errs towards too many tokens:
//
//	Tokens(s) = weight(s) / (mean − the larger of spread·deviation and leastMargin·mean)
//
// What budgets are cut by must not move with every reply: a context cut one line
// further up is another prompt, which the server has to read from its start. So
// the divisor in use is left alone until the learned one has moved away from it.
//
// A Gauge is safe for concurrent use.
type Gauge struct {
	mu        sync.Mutex
	mean      float64 // weight of one token
	deviation float64 // mean absolute difference from mean
	seen      int     // replies learned from
	divisor   float64 // weight of one token as it is estimated; 0: to be set
}

const (
	// startMean suits code in vocabularies of 32 k to 150 k tokens, which
	// measure 2.9 to 4; startDeviation keeps the first estimates careful.
	startMean, startDeviation = 3.2, 0.25
	// spread deviations below the mean is where the estimate lies. It stays
	// leastMargin below the mean however alike prompts have been so far: the
	// next file may be of another kind.
	spread, leastMargin = 2.0, 0.1
	// rate is the least share that a new observation has: some ten replies of a
	// different kind of text move the estimate. The first ones share equally.
	rate = 0.15
	// A divisor stays in use while the learned one is between below and above
	// times as large. Below it lies well within the margin; above it, some of
	// the window is not made use of.
	below, above = 0.95, 1.15
	// minSample is the least prompt, in tokens, that says something.
	minSample = 48
	// minMean is a token for every weight: no tokenizer does worse on text.
	minMean = 1.0
	// tooLong is how far the estimate drops when a prompt did not fit.
	tooLong = 0.8
)

// NewGauge is careful: it has seen no reply.
func NewGauge() *Gauge { return &Gauge{mean: startMean, deviation: startDeviation} }

// Tokens estimates the tokens of s.
func (g *Gauge) Tokens(s string) int {
	g.mu.Lock()
	defer g.mu.Unlock()
	if g.divisor == 0 {
		g.divisor = g.learned()
	}
	return int(math.Ceil(weight(s) / g.divisor))
}

// learned is the weight of one token less the margin.
func (g *Gauge) learned() float64 {
	return max(minMean, g.mean-max(spread*g.deviation, leastMargin*g.mean))
}

// Learn takes in that s had this many tokens.
func (g *Gauge) Learn(s string, tokens int) {
	if tokens < minSample {
		return
	}
	seen := max(minMean, weight(s)/float64(tokens))
	g.mu.Lock()
	defer g.mu.Unlock()
	g.seen++
	share := max(rate, 1/float64(g.seen))
	if g.seen > 1 { // the first says nothing of how texts differ
		g.deviation += share * (math.Abs(seen-g.mean) - g.deviation)
	}
	g.mean += share * (seen - g.mean)
	if now := g.learned(); now < below*g.divisor || now > above*g.divisor {
		g.divisor = now
	}
}

// Overran takes in that a prompt did not fit although it was thought to.
func (g *Gauge) Overran() {
	g.mu.Lock()
	defer g.mu.Unlock()
	g.mean = max(minMean, g.mean*tooLong)
	g.divisor = g.learned()
}

// weight is the length of s in bytes, with digits and characters outside ASCII
// counted more: most code tokenizers give every digit a token of its own, and
// split rare characters into bytes. The test model's small vocabulary is the
// worst case: 18 tokens for "0x1f, 42, 100000, ", and 3 for a kanji.
func weight(s string) float64 {
	const letter, digit, rare = 1, 4, 3
	w := 0.0
	for i := 0; i < len(s); i++ {
		switch c := s[i]; {
		case '0' <= c && c <= '9':
			w += digit
		case c >= utf8.RuneSelf:
			w += rare
		default:
			w += letter
		}
	}
	return w
}
