package embedded

import (
	"slices"
	"strings"
)

// A layout is what a newline means at some place of a text: the indentations
// that are open, the text of one level, and the line ending. It lets “one level
// deeper” be one token at every depth, in tabs or spaces, LF or CRLF.
//
//	text    if x {⏎⇥⇥return⏎⇥}          left of it one tab is open
//	tokens  if x {  deeper  return  out1  }
//
// Encoder and decoder run the same layout over the same tokens, which is what
// makes the tokens lossless.
type layout struct {
	open     []string // indentations of the lines around, outermost (not "") first
	unit     string   // what the last deeper line added
	crlf     bool
	absolute bool // at the start of the text or behind newlineAbs: blanks are an indentation
}

// current is the indentation of the line that the text ends in.
func (l *layout) current() string {
	if len(l.open) == 0 {
		return ""
	}
	return l.open[len(l.open)-1]
}

func (l *layout) clone() layout {
	c := *l
	c.open = append([]string(nil), l.open...)
	return c
}

func (l *layout) eol() string {
	if l.crlf {
		return "\r\n"
	}
	return "\n"
}

// step is what one more level adds: what it last added, else what fits the
// current indentation.
func (l *layout) step() string {
	if l.unit != "" {
		return l.unit
	}
	if strings.HasPrefix(l.current(), " ") {
		return "    "
	}
	return "\t"
}

// relate names the newline token whose next line is indented by indent. The
// order of the cases is part of the format: one text has one encoding.
func (l *layout) relate(indent string) word {
	cur := l.current()
	switch {
	case indent == cur:
		return newlineSame
	case len(indent) == len(cur)+len(l.step()) && indent[:len(cur)] == cur && indent[len(cur):] == l.step():
		return newlineDeeper
	case indent == "":
		return newlineZero
	}
	for k := 1; k <= maxOut && k < len(l.open); k++ {
		if l.open[len(l.open)-1-k] == indent {
			return newlineOut + word(k-1)
		}
	}
	return newlineAbs
}

// indentAfter is the indentation that newline token w would give the next line,
// or false if w means nothing here (three levels out of two).
func (l *layout) indentAfter(w word) (string, bool) {
	switch {
	case w == newlineSame:
		return l.current(), true
	case w == newlineDeeper:
		return l.current() + l.step(), true
	case w == newlineZero:
		return "", l.current() != "" // else it is newlineSame
	case w == newlineAbs, w == blankLine:
		return "", true
	case w >= newlineOut && w < newlineOut+maxOut:
		if i := len(l.open) - 2 - int(w-newlineOut); i >= 0 {
			return l.open[i], true
		}
	}
	return "", false
}

// apply moves over newline token w and returns its text. A token that means
// nothing here goes to column zero.
func (l *layout) apply(w word) string {
	indent, _ := l.indentAfter(w)
	switch {
	case w == blankLine:
		return l.eol()
	case w == newlineAbs:
		l.absolute = true
		return l.eol()
	case w == newlineDeeper:
		l.unit = l.step()
		l.open = append(l.open, indent)
	case w != newlineSame:
		l.settle(indent)
	}
	return l.eol() + indent
}

// indent moves over a word where blanks are an indentation.
func (l *layout) indent(text string) {
	if l.absolute && isBlank(text) {
		l.settle(text)
	}
	l.absolute = false
}

func isBlank(t string) bool { return strings.Trim(t, " \t") == "" }

// settle makes indent the current indentation. If none was known, which is at
// the start of a text that may be cut out of the middle of a file, all levels up
// to it are open.
func (l *layout) settle(indent string) {
	n := len(l.open)
	for n > 0 && (len(l.open[n-1]) > len(indent) || !strings.HasPrefix(indent, l.open[n-1])) {
		n--
	}
	l.open = l.open[:n]
	added := indent[len(l.current()):]
	if added == "" {
		return
	}
	if u := level(added); u != "" {
		for n == 0 && l.unit == "" && len(u) < len(added) {
			added = added[:len(added)-len(u)]
			l.open = append(l.open, added)
		}
		slices.SortFunc(l.open, func(a, b string) int { return len(a) - len(b) })
		l.unit = u
	}
	l.open = append(l.open, indent)
}

// level is the text of one level in an indentation of one or more, "" if it
// looks like an alignment.
func level(indent string) string {
	n := len(indent)
	switch {
	case strings.Trim(indent, "\t") == "":
		return "\t"
	case strings.Trim(indent, " ") != "":
		return ""
	case n <= 4 || n == 8:
		return indent[:min(n, 4)]
	case n%4 == 0 && n <= maxStep:
		return indent[:4]
	}
	return ""
}
