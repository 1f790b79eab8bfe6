package facts

import "bytes"

// A mender makes broken text parse almost everywhere.
//
// While someone types, brackets are open: foo( without its end, a block whose
// brace is still to come. A parser without knowledge of the language's layout
// looks for the end to the bottom of the file, and whole functions vanish. But
// text often proves that a bracket will not be closed: no func Name( can stand
// inside a block, no return inside parentheses, no ) can close a {. The mender
// walks over the brackets, and where that is proven, it closes or erases them:
//
//	v = start(            v = start()
//	                 ──▶
//	func after() {}       func after() {}
//
// The mended text has the length and the line ends that matter of the original,
// so that every offset holds in both: a closing bracket takes the place of white
// space behind the last token; where there is none to spare, the opening bracket
// is erased. At the end of the text, where nothing follows, brackets are
// appended. Only what can't be valid is touched: text without syntax errors
// stays as it is, and so does text with errors that brackets don't explain.
//
// The parser alone reads the mended text. Names, types and documentation are
// taken from the original.
type mender struct {
	src   []byte
	out   []byte // nil while equal to src
	edits []int  // where it is not, in the order of change
	open  []bracket
	end   int // end of the last token
	// retreat is where the outermost bracket was likely to end, had it been
	// closed: the scanner goes back there once it is proven that it was not.
	retreat  retreat
	retreats int // how often it did
}

type bracket struct {
	at   int
	char byte // as opened
}

// A retreat is a place to go back to.
type retreat struct {
	at, end int // of the scanner, and of the token before
	open    int // brackets open there; 0 for no retreat
}

func closer(open byte) byte {
	switch open {
	case '(':
		return ')'
	case '[':
		return ']'
	}
	return '}'
}

func (m *mender) set(at int, c byte) {
	if m.out == nil {
		m.out = bytes.Clone(m.src)
	}
	m.out[at] = c
	m.edits = append(m.edits, at)
}

// undo takes back the changes from an offset on.
func (m *mender) undo(from int) {
	kept := m.edits[:0]
	for _, at := range m.edits {
		if at < from {
			kept = append(kept, at)
		} else {
			m.out[at] = m.src[at]
		}
	}
	m.edits = kept
}

// now is the byte at an offset as mended so far.
func (m *mender) now(i int) byte {
	if m.out == nil {
		return m.src[i]
	}
	return m.out[i]
}

func (m *mender) push(at int) { m.open = append(m.open, bracket{at, m.src[at]}) }

// pop takes note of a closing bracket. One that closes nothing is erased; those
// that are open inside what it closes are closed before it. A parenthesis never
// closes a block.
func (m *mender) pop(at int) {
	c := m.src[at]
	for d := len(m.open) - 1; d >= 0; d-- {
		switch open := m.open[d].char; {
		case closer(open) == c:
			m.closeTo(d+1, at)
			m.open = m.open[:d]
			if m.retreat.open > d {
				m.retreat = retreat{}
			}
			return
		case open == '{':
			m.set(at, ' ')
			return
		}
	}
	m.set(at, ' ')
}

// inParentheses reports whether the innermost open bracket holds expressions
// only.
func (m *mender) inParentheses() bool {
	return len(m.open) > 0 && m.open[len(m.open)-1].char != '{'
}

// closeParentheses closes the brackets inside the innermost block, before the
// token at an offset.
func (m *mender) closeParentheses(at int) {
	d := len(m.open)
	for d > 0 && m.open[d-1].char != '{' {
		d--
	}
	m.closeTo(d, at)
}

// closeTo closes all open brackets but the outermost d, before the token at an
// offset, the innermost first. What finds no room between the last token and
// the line of this one is erased where it opened, again the innermost first.
//
// A colon that is the last token inside parentheses ends the header of a block
// and goes behind them: def f(a: is def f(a):
func (m *mender) closeTo(d, at int) {
	room := m.room(at)
	colon := room > 0 && len(m.open) > d && m.src[m.end-1] == ':' && m.open[len(m.open)-1].char == '('
	if colon {
		m.end--
		defer func() {
			m.set(m.end, ':')
			m.end++
		}()
	}
	for len(m.open) > d {
		last := m.open[len(m.open)-1]
		m.open = m.open[:len(m.open)-1]
		if len(m.open)-d >= room {
			m.set(last.at, ' ')
			continue
		}
		m.set(m.end, closer(last.char))
		m.end++
	}
}

// room returns how many bytes behind the last token can be overwritten, when the
// next token stands at an offset. Of the line ends between them one stays.
func (m *mender) room(at int) int {
	n := 0
	for n < at-m.end && isSpace(m.src[m.end+n]) {
		n++
	}
	if line := bytes.LastIndexByte(m.src[m.end:m.end+n], '\n'); line >= 0 {
		return line
	}
	return n
}

// finish closes what is open at the end of the text, behind it, and returns what
// the parser should read.
func (m *mender) finish() []byte {
	out := m.out
	if out == nil {
		out = m.src
	}
	if len(m.open) == 0 {
		return out
	}
	out = append(bytes.Clone(out), '\n')
	for d := len(m.open) - 1; d >= 0; d-- {
		out = append(out, closer(m.open[d].char))
	}
	return out
}

// likely marks the token at an offset as one before which the outermost bracket
// probably ended.
func (m *mender) likely(at int) {
	if m.retreat.open == 0 {
		m.retreat = retreat{at, m.end, len(m.open)}
	}
}

// maxRetreats bounds how often a scanner goes back in one text: each time takes
// it over a part of the text again.
const maxRetreats = 64

// closeAll closes all open brackets, now that they are known to be so: where the
// outermost probably ended, or else before the token at an offset. It returns
// the offset to go on from.
func (m *mender) closeAll(at int) int {
	r := m.retreat
	if r.open > 0 && r.open <= len(m.open) && m.retreats < maxRetreats {
		m.undo(r.end)
		m.open, m.end, at = m.open[:r.open], r.end, r.at
		m.retreats++
	}
	m.retreat = retreat{}
	m.closeTo(0, at)
	return at
}

// endString ends a one-line string that has no end on its line. Its last byte
// becomes the quote; an empty one becomes a number.
func (m *mender) endString(start, end int, quote byte) {
	if end-start < 2 {
		m.set(start, '0')
		return
	}
	m.set(end-1, quote)
}

// startsLine reports whether only white space stands before an offset on its
// line.
func startsLine(src []byte, at int) bool {
	for at--; at >= 0; at-- {
		switch src[at] {
		case '\n':
			return true
		case ' ', '\t', '\f':
		default:
			return false
		}
	}
	return true
}

func isSpace(c byte) bool { return c == ' ' || c == '\t' || c == '\n' || c == '\r' || c == '\f' }

func isWord(c byte) bool {
	return c == '_' || 'a' <= c && c <= 'z' || 'A' <= c && c <= 'Z' || '0' <= c && c <= '9' || c >= 0x80
}

// word returns the end of the identifier or number that begins at an offset.
func word(src []byte, at int) int {
	for at < len(src) && isWord(src[at]) {
		at++
	}
	return at
}
