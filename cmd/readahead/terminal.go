package main

import (
	"fmt"
	"io"
	"os"
	"strings"
	"unicode"
	"unicode/utf8"

	"golang.org/x/term"

	"readahead/lsp"
)

// A screen writes to a terminal, or to a file or pipe with the same words and
// no colours.
type screen struct {
	w      io.Writer
	colour bool
}

func newScreen(w io.Writer) screen {
	f, ok := w.(*os.File)
	return screen{w, ok && term.IsTerminal(int(f.Fd())) && os.Getenv("NO_COLOR") == ""}
}

func (s screen) styled(code, text string) string {
	if !s.colour || text == "" {
		return text
	}
	return "\x1b[" + code + "m" + text + "\x1b[0m"
}

func (s screen) bold(text string) string { return s.styled("1", text) }
func (s screen) dim(text string) string  { return s.styled("2", text) }

// ghost marks text that is offered, not there: by colour, else by brackets.
func (s screen) ghost(text string) string {
	if s.colour {
		return s.styled("3;36", text)
	}
	return "‹" + text + "›"
}

func (s screen) printf(format string, args ...any) { fmt.Fprintf(s.w, format, args...) }

// code prints the lines around a cursor with the item in its place.
func (s screen) code(text []byte, offset int, item lsp.Item, before, after int) {
	left := strings.Split(string(text[:offset]), "\n")
	number := len(left)
	first := max(0, len(left)-1-before)
	for i := first; i < len(left)-1; i++ {
		s.line(i+1, start(visible(left[i])))
	}
	behind := text[min(len(text), offset+item.Replace):]
	right := strings.Split(string(behind), "\n")
	insert := strings.Split(item.Text, "\n")
	insert[len(insert)-1] += "\x00" // marks where the document goes on
	for i, l := range insert {
		head := ""
		if i == 0 {
			head = end(visible(left[len(left)-1]))
		}
		tail := ""
		l, last := strings.CutSuffix(l, "\x00")
		if last {
			tail = start(visible(right[0]))
		}
		if l != "" || len(insert) == 1 {
			l = s.ghost(start(visible(l)))
		}
		s.line(number+i, head+l+tail)
	}
	for i := 1; i <= after && i < len(right); i++ {
		if i == len(right)-1 && right[i] == "" {
			break
		}
		s.line(number+len(insert)-1+i, start(visible(right[i])))
	}
}

func (s screen) line(n int, text string) {
	s.printf("  %s %s\n", s.dim(fmt.Sprintf("%5d │", n)), text)
}

// lineShown is how many characters of a line are shown: some lines are data, and
// megabytes long.
const lineShown = 240

// start is the line up to lineShown.
func start(line string) string {
	n := 0
	for i := range line {
		if n++; n > lineShown {
			return line[:i] + "…"
		}
	}
	return line
}

// end is the last lineShown of a line.
func end(line string) string {
	i := len(line)
	for range lineShown {
		_, size := utf8.DecodeLastRuneInString(line[:i])
		i -= size
	}
	if i == 0 {
		return line
	}
	return "…" + line[i:]
}

// visible makes a line of source safe and aligned on a terminal: tabs become
// spaces, and control characters cannot act, nor turn the direction of writing.
func visible(line string) string {
	line = strings.TrimSuffix(line, "\r")
	return strings.Map(func(r rune) rune {
		if r < ' ' || r >= 0x7f && r < 0xa0 || unicode.Is(unicode.Bidi_Control, r) {
			return '\uFFFD'
		}
		return r
	}, strings.ReplaceAll(line, "\t", "    "))
}

// harmless is visible for a text of several lines, as an error may be that quotes
// a model server.
func harmless(text string) string {
	lines := strings.Split(text, "\n")
	for i, l := range lines {
		lines[i] = visible(l)
	}
	return strings.Join(lines, "\n")
}

// evidence prints the objects of the context that was used, one a line.
func (s screen) evidence(t *lsp.Trace) {
	i := t.Used()
	if i < 0 {
		return
	}
	c := t.Contexts[i]
	if len(c.Context.Portfolio.Slots) == 0 {
		s.printf("  %s\n", s.dim("no evidence from elsewhere in the repository"))
		return
	}
	for _, slot := range c.Context.Portfolio.Slots {
		s.printf("  %s %s %s\n",
			s.dim(fmt.Sprintf("%4d tokens", slot.Tokens)),
			visible(fmt.Sprintf("%-9s %s:%d  %s", slot.Role, slot.Object.Path, slot.Object.Line, slot.Object.Name)),
			s.dim(visible(slot.Representative.Why)))
	}
}

// verdict is how the decision was reached, in a line.
func verdict(t *lsp.Trace) string {
	d := t.Decision
	if d.Routed < 0 || d.Routed >= len(d.Pools) {
		return "no candidate"
	}
	p := d.Pools[d.Routed]
	drawn := "samples"
	if p.Explored {
		drawn = "lines followed"
	}
	return fmt.Sprintf("%s context, %d %s, agreement %.0f %%, chosen by %s, %d ms",
		p.Family, len(p.Samples), drawn, 100*p.Agreement, d.Rule, t.Took.Total.Milliseconds())
}
