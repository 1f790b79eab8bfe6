package lsp

import (
	"regexp"
	"strings"

	"readahead/index/facts"
)

// leavesOpen reports whether an item ends inside parentheses or square brackets
// that it opened itself, where nothing says that the list goes on: accepting it
// would leave a line that does not parse, and that swallows the next one.
//
//	below the cursor               "x = f("   "x = f(a,"   "x = f(a"
//	a line that goes on with it    shown      shown        shown
//	nothing yet: a blank line,
//	the end of the block or file   shown      shown        hidden
//	another statement              hidden     hidden       hidden
//
// A line goes on with the list if it is indented more than the cursor's, begins
// with a closer or an operator, ends with a comma, or closes the list. Where nothing stands below
// yet, the user may be writing such lines, if the item ends where people break
// them: behind a bracket, a comma or an operator. That a model stopped in the
// middle of an expression says only that it stopped.
//
// Taken away and offered again, one line in 50,000 of real code in eleven languages
// is hidden, and `readahead eval` finds as many lines right as without this (4.50 %
// of 400 of the repository's own tasks with the embedded model, 0.25 points fewer
// shown).
//
// Braces are another matter: they open blocks, and what a callback's brace leaves
// open with it goes on below. So is what was open before the item, and what is no
// language that is known, or a line that has more code behind the cursor.
func (f *frame) leavesOpen(it Item) bool {
	if len(shells[f.lang]) == 0 || strings.TrimSpace(f.lineRight[min(it.Replace, len(f.lineRight)):]) != "" {
		return false
	}
	s := f.scanned()
	base, clear := len(s.stack), true
	s.run(it.Text, func(e event) bool {
		clear = clear && !e.lost && (e.fits || !e.closes)
		if e.closes {
			base = min(base, e.level)
		}
		return true
	})
	if !clear || len(s.stack) <= base || s.comment != "" || s.inString() != nil {
		return false
	}
	own := s.stack[len(s.stack)-1]
	if own.by != "(" && own.by != "[" || f.lang == facts.Ruby && percent.MatchString(it.Text) {
		return false
	}
	last := strings.TrimRight(f.lineLeft+it.Text, " \t\n")
	last = last[strings.LastIndexByte(last, '\n')+1:]
	next, apart := f.lineBelow()
	in, more := indentWidth(next), strings.TrimSpace(next)
	switch {
	case more == "", apart, in < indentWidth(last), strings.HasPrefix(more, "}"): // nothing yet
		return !goesOn.MatchString(last)
	case in > indentWidth(last):
		return false
	}
	return !strings.HasSuffix(more, ",") && !listGoesOn.MatchString(more) && !closesIn(s, more)
}

// closesIn reports whether a line closes the innermost of what is open before it.
func closesIn(s *scan, line string) (closes bool) {
	level := len(s.stack) - 1
	s.run("\n"+line, func(e event) bool {
		closes = e.closes && e.fits && e.level == level
		return !closes
	})
	return closes
}

// listGoesOn begins with what closes a list, what needs an operand before it, or
// the brace of an operand.
var listGoesOn = regexp.MustCompile(`^(?:[-+*%&|^=<>,.?:)\]{]|/[^/*]|(?:and|or|is|in)\b)`)

// lineBelow is the first line with text behind the cursor's, and whether a blank
// one comes before it; "" at the end of the file.
func (f *frame) lineBelow() (line string, apart bool) {
	_, below, _ := strings.Cut(f.right, "\n")
	for l := range strings.Lines(below) {
		if strings.TrimSpace(l) != "" {
			return strings.TrimRight(l, "\n"), apart
		}
		apart = true
	}
	return "", false
}
