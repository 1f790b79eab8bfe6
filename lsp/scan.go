package lsp

import (
	"strings"
	"unicode/utf8"
)

// A scan reads code from left to right and knows what is open: brackets, and the
// strings and comments in which brackets are only text. Strings stand on the
// stack like brackets, since an editor closes them by itself just the same.
type scan struct {
	syntax *syntax
	stack  []open
	// comment is what ends the comment that the scan is in: "\n" or the closer of
	// a block; "" outside.
	comment string
}

// An open is one bracket or string that has not been closed.
type open struct {
	by     string // the bracket, or the opener of the string or of the hole in one
	quote  *quote // of a string
	indent int    // width of the indentation of the line it stands on
}

// An event is a bracket or a quote that opens or closes something.
type event struct {
	at, end int    // bytes of the text
	closes  bool   // else it opens
	by      string // the bracket or quote, as written
	level   int    // of the stack: which entry it opens or closes
	fits    bool   // a closer: it is of the kind that the entry needs
	lost    bool   // a string that ended with its line, without a closing quote
}

// clone is a copy that can go its own way.
func (s *scan) clone() *scan {
	c := *s
	c.stack = append([]open(nil), s.stack...)
	return &c
}

// inString is the string the scan is in, nil if it is in code.
func (s *scan) inString() *quote {
	if len(s.stack) == 0 {
		return nil
	}
	return s.stack[len(s.stack)-1].quote
}

// run reads text and reports what opens and closes. A closer is reported before
// it takes effect, and takes effect only if it fits; visit may shorten the stack
// itself. It returns false to stop.
func (s *scan) run(text string, visit func(event) bool) {
	line := 0 // where the line of the next byte begins
	for i := 0; i < len(text); {
		if c := text[i]; c == '\n' {
			line = i + 1
		} else if s.comment == "" && !s.syntax.marks[c] {
			i++ // most bytes
			continue
		}
		n, ok := s.step(text, i, line, visit)
		if !ok {
			return
		}
		i += n
	}
}

// step reads one token at i and returns its length.
func (s *scan) step(text string, i, line int, visit func(event) bool) (n int, ok bool) {
	rest := text[i:]
	if s.comment != "" {
		if strings.HasPrefix(rest, s.comment) {
			n = len(s.comment)
			s.comment = ""
			return n, true
		}
		if i := strings.IndexAny(rest[1:], "\n"+s.comment[:1]); i >= 0 {
			return i + 1, true
		}
		return len(rest), true
	}
	if q := s.inString(); q != nil {
		return s.stepString(text, i, line, q, visit)
	}
	switch c := rest[0]; c {
	case '(', '[', '{':
		return 1, s.open(text, i, line, open{by: rest[:1]}, visit)
	case ')', ']', '}':
		return 1, s.close(i, rest[:1], visit)
	case '\'':
		if s.syntax.runes {
			return runeLiteral(rest), true
		}
	}
	if s.beginsComment(rest) {
		return 1, true
	}
	for k := range s.syntax.quotes {
		if q := &s.syntax.quotes[k]; strings.HasPrefix(rest, q.open) {
			return len(q.open), s.open(text, i, line, open{by: q.open, quote: q}, visit)
		}
	}
	return 1, true
}

func (s *scan) beginsComment(rest string) bool {
	for _, b := range s.syntax.block {
		if strings.HasPrefix(rest, b.open) {
			s.comment = b.close
			return true
		}
	}
	for _, l := range s.syntax.line {
		if strings.HasPrefix(rest, l) {
			s.comment = "\n"
			return true
		}
	}
	return false
}

func (s *scan) stepString(text string, i, line int, q *quote, visit func(event) bool) (n int, ok bool) {
	rest := text[i:]
	switch {
	case !q.raw && rest[0] == '\\':
		return min(2, len(rest)), true
	case strings.HasPrefix(rest, q.close):
		return len(q.close), s.close(i, q.close, visit)
	case q.hole != "" && strings.HasPrefix(rest, q.hole):
		return len(q.hole), s.open(text, i, line, open{by: q.hole}, visit)
	case rest[0] == '\n' && !q.lines:
		level := len(s.stack) - 1
		s.stack = s.stack[:level]
		return 1, visit(event{at: i, end: i, closes: true, by: q.close, level: level, lost: true})
	}
	return 1, true
}

func (s *scan) open(text string, i, line int, o open, visit func(event) bool) bool {
	o.indent = indentWidth(text[line:])
	s.stack = append(s.stack, o)
	return visit(event{at: i, end: i + len(o.by), by: o.by, level: len(s.stack) - 1})
}

func (s *scan) close(i int, by string, visit func(event) bool) bool {
	level := len(s.stack) - 1
	e := event{at: i, end: i + len(by), closes: true, by: by, level: level}
	e.fits = level >= 0 && s.stack[level].closer() == by
	if !visit(e) {
		return false
	}
	if e.fits && len(s.stack) > level { // visit may have closed more
		s.stack = s.stack[:level]
	}
	return true
}

// closer is what closes o.
func (o open) closer() string {
	if o.quote != nil {
		return o.quote.close
	}
	switch o.by[len(o.by)-1] {
	case '(':
		return ")"
	case '[':
		return "]"
	}
	return "}"
}

// runeLiteral is the length of the character literal that rest begins with; 1 if
// it is none.
func runeLiteral(rest string) int {
	if len(rest) > 1 && rest[1] == '\\' {
		if end := strings.IndexByte(rest[2:min(len(rest), 14)], '\''); end == 0 && len(rest) > 3 && rest[3] == '\'' {
			return 4 // '\''
		} else if end > 0 {
			return end + 3
		}
		return 1
	}
	_, size := utf8.DecodeRuneInString(rest[1:])
	if size > 0 && len(rest) > 1+size && rest[1+size] == '\'' {
		return size + 2
	}
	return 1
}

// tabWidth is how wide a tab counts where indentations are compared.
const tabWidth = 4

// indentWidth is the width of the white space that s begins with.
func indentWidth(s string) (w int) {
	for i := range len(s) {
		switch s[i] {
		case ' ':
			w++
		case '\t':
			w += tabWidth - w%tabWidth
		default:
			return w
		}
	}
	return w
}
