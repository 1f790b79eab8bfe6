package embedded

import "math"

// A spelling is the distribution of words that no count has: byte by byte, each
// after the two before it, with an end. It is learned from the vocabulary, every
// word once, since a new word looks like the rare ones and not like the common.
// All byte strings have a probability, and all together have at most one.
type spelling struct {
	three [spellRows]row // by the two bytes before; rows are shared, which costs sharpness and not the sum
	two   [257]row       // by the byte before; 256 is the start
	one   row
}

const (
	spellRows = 2048
	wordEnd   = 256
	// weightBelow is how many observations the shorter context counts for.
	weightBelow = 4
)

// A row counts the bytes after one context; wordEnd is the end of the word.
type row struct {
	total uint32
	n     [257]uint32
}

func (r *row) add(b int) { r.n[b]++; r.total++ }

func (r *row) mix(b int, below float64) float64 {
	return (float64(r.n[b]) + weightBelow*below) / (float64(r.total) + weightBelow)
}

func spellRow(a, b int) int { return (a*131 + b*7) % spellRows }

func (s *spelling) learn(text string) {
	a, b := wordEnd, wordEnd
	for i := range len(text) + 1 {
		c := wordEnd
		if i < len(text) {
			c = int(text[i])
		}
		s.three[spellRow(a, b)].add(c)
		s.two[b].add(c)
		s.one.add(c)
		a, b = b, c
	}
}

// logProb is the logarithm of the probability that a word starts with text;
// that it is text, if whole.
func (s *spelling) logProb(text string, whole bool) float64 {
	x, a, b := 0.0, wordEnd, wordEnd
	next := func(c int) {
		x += math.Log(s.three[spellRow(a, b)].mix(c, s.two[b].mix(c, s.one.mix(c, 1.0/257))))
		a, b = b, c
	}
	for i := range len(text) {
		next(int(text[i]))
	}
	if whole {
		next(wordEnd)
	}
	return x
}
