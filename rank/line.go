package rank

import (
	"strings"
	"unicode"
	"unicode/utf8"
)

// A cursor is what the text around it says about the lines that fit there.
//
//	start of a line    ····|          the first line of code is proposed; blank
//	                                  and comment lines before it are skipped
//	                                  (Caret §III-B: “first non-comment line”)
//	within a line      x = f(|)       the rest of this line is proposed, up to
//	                                  the line break; it may be nothing
type cursor struct {
	syntax *syntax
	within bool
	indent string // white space before the cursor, at the start of a line
	begins inside // what the cursor is in, as far as its own line tells
	rest   string // of the line after the cursor
}

func cursorOf(q Request) cursor {
	head := q.Left[strings.LastIndexByte(q.Left, '\n')+1:]
	rest, _, _ := strings.Cut(q.Right, "\n")
	c := cursor{syntax: syntaxOf(q.Lang), rest: rest}
	if c.within = !blank(head) || !blank(rest); c.within {
		c.begins = c.syntax.scan(head, inside{}, func(kind, string) {})
	} else {
		c.indent = head
	}
	return c
}

// A proposal is the line that a sample's text proposes to insert.
type proposal struct {
	line string
	last bool // no line break follows it in the text
	none bool // only blank and comment lines so far
}

// propose finds the line.
//
// At the start of a line the skipped comments are dropped from what is
// inserted: the samples did not agree on them and the likelihood was not asked
// about them, so they would reach the user unexamined. The line of code then
// stands at the cursor itself, so it loses the indentation that is there.
func (c cursor) propose(text string) proposal {
	if c.within {
		line, _, found := strings.Cut(text, "\n")
		if blank(c.rest) {
			return proposal{line: trimRight(line), last: !found}
		}
		return proposal{line: strings.TrimRight(line, "\r"), last: !found}
	}
	in := inside{}
	for first := true; ; first = false {
		line, rest, found := strings.Cut(text, "\n")
		var isCode bool
		if in, isCode = c.syntax.hasCode(line, in); isCode {
			if !first {
				line = c.dedent(line)
			}
			return proposal{line: trimRight(line), last: !found}
		}
		if !found {
			return proposal{none: true}
		}
		text = rest
	}
}

// dedent takes the cursor's indentation from a line that stood below it. A line
// with less than that is put at the cursor as well.
func (c cursor) dedent(line string) string {
	if own, ok := strings.CutPrefix(line, c.indent); ok {
		return own
	}
	return strings.TrimLeftFunc(line, unicode.IsSpace)
}

func trimRight(s string) string { return strings.TrimRightFunc(s, unicode.IsSpace) }

// hasCode reports whether a line has anything but comments and white space, and
// what the next line begins inside.
func (s *syntax) hasCode(line string, in inside) (inside, bool) {
	found := false
	in = s.scan(line, in, func(k kind, text string) {
		found = found || k != comment && !blank(text)
	})
	return in.newline(), found
}

// form is the canonical form of a line: two lines with the same form count as
// the same candidate. It is the line with runs of white space made one blank,
// and none at its ends, by which exact match is judged too (§IV-C); but what
// stands in string literals stays as it is, since it is not layout.
func (c cursor) form(line string) string {
	var b strings.Builder
	b.Grow(len(line))
	gap := false
	c.syntax.scan(line, c.begins, func(k kind, text string) {
		if k == literal {
			b.WriteString(separator(gap && b.Len() > 0))
			b.WriteString(text)
			gap = false
			return
		}
		for len(text) > 0 {
			r, n := utf8.DecodeRuneInString(text)
			if unicode.IsSpace(r) {
				gap = true
			} else {
				b.WriteString(separator(gap && b.Len() > 0))
				b.WriteString(text[:n])
				gap = false
			}
			text = text[n:]
		}
	})
	return trimRight(b.String())
}

func separator(gap bool) string {
	if gap {
		return " "
	}
	return ""
}

func blank(s string) bool { return strings.TrimSpace(s) == "" }
