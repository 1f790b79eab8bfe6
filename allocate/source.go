package allocate

import (
	"fmt"
	"strings"

	"readahead/index"
)

// A source is the lines of one piece of code, told apart by what they are:
//
//	doc        a doc comment right before the head, or a docstring right behind it
//	head       decorators and signature
//	body       the rest
//
// It can show any of them, with marks where lines are missing.
type source struct {
	count func(string) int

	lines []string // without line feeds
	first int      // number in the file of lines[0]

	doc       span
	head      span // signature and the decorators before it
	signature span
	body      span // may hold what is documentation in other places
	hint      span // the part that retrieval pointed at; empty if that is all

	mark  marker
	costs []int // of single lines, in tokens; -1 if not yet counted
}

// sourceOfView takes the text of a view for the code.
func sourceOfView(v index.View, count func(string) int) source {
	lines := evidence(&v)
	return newSource(source{count: count, lines: lines, first: v.Line, body: span{0, len(lines)}}, v.Object)
}

// sourceOf takes the whole declaration of v's object.
func sourceOf(v index.View, count func(string) int) source {
	o := v.Object
	s := source{count: count, lines: evidence(&v), first: o.Line}
	s.signature = find(s.lines, o.Signature, o.NameLine-o.Line)
	s.head, s.body = span{0, s.signature.to}, span{s.signature.to, len(s.lines)}
	switch doc := find(s.lines, o.Doc, -1); {
	case doc.from == 0 && doc.to <= s.signature.from:
		s.doc, s.head.from = doc, doc.to
	case doc.from == s.signature.to:
		s.doc, s.body.from = doc, doc.to
	}
	if (v.Kind == index.Body || v.Kind == index.Window) && v.Path == o.Path {
		s.hint = span{v.Line - o.Line, v.Line - o.Line + len(splitLines(v.Text))}
	}
	return newSource(s, o)
}

func newSource(s source, o *index.Object) source {
	s.mark = marker{syntax: commentSyntax(o.Lang, o.Path)}
	if s.head.len() > 0 {
		s.mark.outside = indent(s.lines[s.head.from])
	}
	if s.body.len() > 0 {
		s.mark.inside = indent(s.lines[s.body.from])
	}
	s.costs = make([]int, len(s.lines))
	for i := range s.costs {
		s.costs[i] = -1
	}
	return s
}

func (s *source) bodyLines() []bodyLine {
	var out []bodyLine
	for n := s.body.from; n < s.body.to; n++ {
		out = append(out, bodyLine{s.lines[n], s.hint.from <= n && n < s.hint.to})
	}
	return out
}

// inBody is a window of the body in lines of the source.
func (s *source) inBody(w span) span { return span{s.body.from + w.from, s.body.from + w.to} }

// all shows every line.
func (s *source) all() excerpt { return s.show(span{0, len(s.lines)}) }

// show renders the lines of the spans, which come in order. Between them, and
// before and after, a mark stands for what is missing, unless showing it costs
// no more than the mark. By that rule a larger selection never costs less,
// which the search for the largest window relies on.
func (s *source) show(spans ...span) excerpt {
	var x excerpt
	var text strings.Builder
	write := func(r span) {
		for _, line := range s.lines[r.from:r.to] {
			text.WriteString(line)
			text.WriteByte('\n')
		}
		if r.len() > 0 {
			x.lines = appendRange(x.lines, s.first+r.from, s.first+r.to-1)
		}
	}
	done := 0
	for _, r := range append(spans, span{len(s.lines), len(s.lines)}) {
		if gap := (span{done, r.from}); gap.len() > 0 {
			if m := s.mark.line(gap, s.head); s.cheap(gap, m) {
				write(gap)
			} else {
				text.WriteString(m)
				x.omitted += gap.len()
			}
		}
		write(r)
		done = max(done, r.to)
	}
	x.text = text.String()
	return x
}

// cheap reports whether the lines of gap count no more tokens than mark.
func (s *source) cheap(gap span, mark string) bool {
	left := s.count(mark)
	for i := gap.from; i < gap.to && left >= 0; i++ {
		if s.costs[i] < 0 {
			s.costs[i] = s.count(s.lines[i] + "\n")
		}
		left -= s.costs[i]
	}
	return left >= 0
}

// appendRange adds first to last, joined to the range before if they touch.
func appendRange(ranges [][2]int, first, last int) [][2]int {
	if n := len(ranges); n > 0 && ranges[n-1][1]+1 == first {
		ranges[n-1][1] = last
		return ranges
	}
	return append(ranges, [2]int{first, last})
}

// A marker writes the line that stands for lines left out, in the comment
// syntax of the code and at its depth: "// … 12 lines".
type marker struct {
	syntax          syntax
	outside, inside string // white space of the head, and of the body
}

func (m marker) line(gap, head span) string {
	depth := m.inside
	if gap.from < head.to {
		depth = m.outside
	}
	if gap.len() == 1 {
		return depth + m.syntax.line("… 1 line")
	}
	return depth + m.syntax.line(fmt.Sprintf("… %d lines", gap.len()))
}

// find is the lines of the first place where text stands, or, where line ≥ 0,
// of the first that covers that line, else that line by itself. It is empty if
// text is blank and no line is asked for.
func find(lines []string, text string, line int) span {
	found, want := span{}, splitLines(strings.TrimSpace(text))
	for i := 0; len(want) > 0 && i+len(want) <= len(lines); i++ {
		if !standsAt(lines[i:], want) {
			continue
		}
		s := span{i, i + len(want)}
		if line < 0 || s.from <= line && line < s.to {
			return s
		}
		if found.len() == 0 {
			found = s
		}
	}
	if found.len() == 0 && 0 <= line && line < len(lines) {
		return span{line, line + 1}
	}
	return found
}

// standsAt reports whether want stands at the start of lines; its first line
// may begin, and its last end, in mid-line.
func standsAt(lines, want []string) bool {
	last := len(want) - 1
	if last == 0 {
		return strings.Contains(lines[0], want[0])
	}
	if !strings.HasSuffix(lines[0], want[0]) || !strings.HasPrefix(lines[last], want[last]) {
		return false
	}
	for i := 1; i < last; i++ {
		if lines[i] != want[i] {
			return false
		}
	}
	return true
}

// splitLines are the lines of text without their ends, normalised. A line feed
// at the end of text starts no further line.
func splitLines(text string) []string {
	if text == "" {
		return nil
	}
	return strings.Split(strings.TrimSuffix(normal(text), "\n"), "\n")
}

// normal has \n for every \r\n, and no other carriage return: a prompt has one
// kind of line end, and a lone \r is white space.
func normal(text string) string {
	if strings.IndexByte(text, '\r') < 0 {
		return text
	}
	return strings.ReplaceAll(strings.ReplaceAll(text, "\r\n", "\n"), "\r", " ")
}

func indent(line string) string {
	return line[:len(line)-len(strings.TrimLeft(line, " \t"))]
}
