package main

import (
	"fmt"
	"io"
	"os"
	"slices"
	"strings"
	"unicode/utf8"

	"golang.org/x/term"

	"readahead/lsp"
)

// A screen writes to a terminal, or to a file or pipe with the same words and
// no colours. Everything that is printed goes through one, errors and warnings too,
// and nothing that it prints can act on the terminal: see printf.
type screen struct {
	w      io.Writer
	colour bool
}

func newScreen(w io.Writer) screen {
	f := terminalOf(w)
	return screen{w, isTerminal(f) && os.Getenv("NO_COLOR") == ""}
}

func isTerminal(f *os.File) bool { return f != nil && term.IsTerminal(int(f.Fd())) }

// A marked is text in its final form: safe, and with the terminal's own marks.
type marked string

func (s screen) styled(code, text string) marked {
	text = lsp.OneLine(text)
	if !s.colour || text == "" {
		return marked(text)
	}
	return marked("\x1b[" + code + "m" + text + "\x1b[0m")
}

func (s screen) bold(text string) marked { return s.styled("1", text) }
func (s screen) dim(text string) marked  { return s.styled("2", text) }

// ghost marks text that is offered, not there: by colour, else by brackets.
func (s screen) ghost(text string) marked {
	if s.colour {
		return s.styled("3;36", text)
	}
	return marked("‹" + lsp.OneLine(text) + "›")
}

// printf prints format as it is, and of its arguments what is text as one line that
// can do nothing but be read: they quote names, paths and servers.
func (s screen) printf(format string, args ...any) {
	safe := make([]any, len(args))
	for i, a := range args {
		switch a := a.(type) {
		case marked:
			safe[i] = string(a)
		case string:
			safe[i] = lsp.OneLine(a)
		case error:
			safe[i] = lsp.OneLine(a.Error())
		case fmt.Stringer:
			safe[i] = lsp.OneLine(a.String())
		default:
			safe[i] = a // a number
		}
	}
	fmt.Fprintf(s.w, format, safe...)
}

// warn says what a command has to say beside its result, in one line.
func warn(w io.Writer, format string, args ...any) {
	newScreen(w).printf("readahead: "+format+"\n", args...)
}

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
		offered := marked("")
		if l != "" || len(insert) == 1 {
			offered = s.ghost(start(visible(l)))
		}
		s.line(number+i, head, offered, tail)
	}
	for i := 1; i <= after && i < len(right); i++ {
		if i == len(right)-1 && right[i] == "" {
			break
		}
		s.line(number+len(insert)-1+i, start(visible(right[i])))
	}
}

// line prints the parts of a line of code.
func (s screen) line(n int, parts ...any) {
	s.printf("  %s "+strings.Repeat("%s", len(parts))+"\n", slices.Insert(parts, 0, any(s.dim(fmt.Sprintf("%5d │", n))))...)
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
	return strings.Map(lsp.Visible, strings.ReplaceAll(line, "\t", "    "))
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
			fmt.Sprintf("%-9s %s:%d  %s", slot.Role, slot.Object.Path, slot.Object.Line, slot.Object.Name),
			s.dim(slot.Representative.Why))
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
