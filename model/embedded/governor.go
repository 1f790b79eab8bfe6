package embedded

// A governor follows a text and knows, at every place, what the grammar would
// call the parent of the next token, as far as brackets and line starts show it:
//
//	at the start of a line     the first word of the line before
//	inside ( or [              the word before the bracket, and the argument's number
//	else                       the first word of this line
//
// An n-gram of any length misses this behind a long argument: what closes
// if isPrintable(string(e.Key())) is decided by the if, eight words to the left.
// It is a guess from the look of the text, and wrong about brackets in strings;
// a wrong parent costs sharpness and nothing else.
type governor struct {
	open  []bracket
	head  word // first word of this line; 0: at its start
	above word // first word of the line before
	last  word
}

type bracket struct {
	kind, before word
	commas       uint8
}

// maxOpen bounds the stack: no code nests deeper, only data.
const maxOpen = 64

func (g *governor) push(u unit) {
	w := u.word()
	switch {
	case w == begin || w == end:
		*g = governor{open: g.open[:0]}
		return
	case w.newline():
		if g.head != 0 {
			g.above, g.head = g.head, 0
		}
	case g.head == 0 && w >= firstWord:
		g.head = w
	}
	switch w {
	case roundOpen, squareOpen, curlyOpen:
		if len(g.open) < maxOpen {
			g.open = append(g.open, bracket{kind: w, before: g.last})
		}
	case roundClose, squareClose, curlyClose:
		if n := len(g.open); n > 0 {
			g.open = g.open[:n-1]
		}
	case comma:
		if n := len(g.open); n > 0 && g.open[n-1].commas < maxCommas {
			g.open[n-1].commas++
		}
	}
	g.last = w
}

// maxCommas is the argument from which on arguments are all alike.
const maxCommas = 3

// key stands for the parent and the last word, the context of one layer. Two
// contexts may share a key: their counts are then one context's.
func (g *governor) key() uint32 {
	kind, parent := uint64(1), g.head
	if g.head == 0 {
		kind, parent = 2, g.above
	} else if n := len(g.open); n > 0 && g.open[n-1].kind != curlyOpen {
		kind, parent = 3+uint64(g.open[n-1].commas), g.open[n-1].before
	}
	x := (uint64(parent)<<32 | uint64(g.last)<<3 | kind) * 0x9e3779b97f4a7c15
	return uint32(x >> 32)
}

func (g *governor) clone() governor {
	c := *g
	c.open = append([]bracket(nil), g.open...)
	return c
}
