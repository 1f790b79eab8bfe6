package lsp

import (
	"regexp"
	"strings"
)

// closing is what may well stand in another line than what it closes.
const closing = " \t)]}>\"'`;,"

// onOneLine cuts text to its first line where code follows on the cursor's line,
// which would end up behind the last. Closing brackets may well go there.
func (f *frame) onOneLine(text string) string {
	if !codeBehind(f.lineRight) {
		return text
	}
	line, _, _ := strings.Cut(text, "\n")
	return line
}

// hides reports whether an item ends in a comment that takes in the code behind
// the cursor, up to the end of its line.
func (f *frame) hides(it Item) bool {
	rest := f.lineRight[min(it.Replace, len(f.lineRight)):]
	s := f.scanned()
	if s.comment != "" || !codeBehind(rest) {
		return false
	}
	s.run(it.Text, func(event) bool { return true })
	return s.comment == "\n" && !f.comment(rest)
}

// remarks reports whether an item is a comment where the code before the cursor
// wants an operand.
func (f *frame) remarks(it Item) bool {
	s := f.scanned()
	return s.comment == "" && s.inString() == nil && wantsOperand.MatchString(f.lineLeft) && f.comment(it.Text)
}

// wantsOperand ends, on one line, in what has nothing to work on yet. Lists may be
// remarked upon before their first element, and behind each.
var wantsOperand = regexp.MustCompile(`(?:[-+*/%&|^=<>.]|\b(?:return|new|await|throw|raise|yield|not|and|or))[ \t]*$`)

// comment reports whether text begins with a comment that takes all of its line.
func (f *frame) comment(text string) bool {
	s := &scan{syntax: f.syntax}
	return s.beginsComment(strings.TrimLeft(text, " \t")) && s.comment == "\n"
}

// beforeLineRest cuts off the end of text that the rest of the cursor's line
// says anyway: the longest end that the rest begins with. An end that closes
// brackets of the text's own is not the rest's to say.
//
//	f(a|, b)       , b)    →  nothing
//	print(|)       f(x))   →  f(x)
//	print(|)       f(x)    →  f(x)
func (f *frame) beforeLineRest(text string) string {
	rest := strings.TrimRight(f.lineRight, " \t")
	body := strings.TrimRight(text, " \t\n")
	if rest == "" || body == "" {
		return text
	}
	for k := min(len(rest), len(body)); k > 0; k-- {
		if end := body[len(body)-k:]; strings.HasPrefix(rest, end) && strings.TrimSpace(end) != "" && f.neutral(body[:len(body)-k]) {
			return body[:len(body)-k]
		}
	}
	return text
}

// neutral reports whether reading text leaves open exactly what was open before
// it: nothing of its own is open, nothing before it was closed.
func (f *frame) neutral(text string) bool {
	if prose[f.lang] {
		return true
	}
	s := f.scanned()
	base := len(s.stack)
	whole := true
	s.run(text, func(e event) bool {
		whole = !e.lost && (!e.closes || e.level >= base && e.fits)
		return whole
	})
	return whole && len(s.stack) == base
}

// scanned is the scan of the code before the cursor.
func (f *frame) scanned() *scan {
	if f.before == nil {
		f.before = &scan{syntax: f.syntax}
		f.before.run(f.left, func(event) bool { return true })
	}
	return f.before.clone()
}

// significant is how long a line must be, in bytes, to be recognised by itself
// as the one below: shorter ones (return nil) do come twice.
const significant = 12

// beforeLinesBelow cuts off the lines of text that the document goes on with
// below the cursor. Nothing is left of a text that begins with them, whatever
// its indentation; later lines must be the same to the column.
func (f *frame) beforeLinesBelow(text string) string {
	if strings.TrimSpace(f.lineRight) != "" {
		return text
	}
	below := codeLines(f.right[len(f.lineRight):])
	lines := codeLines(text)
	if len(below) == 0 || len(lines) == 0 {
		return text
	}
	first := lines[0]
	if first.at == 0 || !strings.Contains(text[:first.at], "\n") {
		first.text = f.lineLeft + first.text
	}
	if strings.TrimSpace(first.text) == strings.TrimSpace(below[0].text) && hasWord(first.text) && !f.deeper(below[0].text) {
		return ""
	}
	for i := 1; i < len(lines); i++ {
		if lines[i].text != below[0].text || !hasWord(lines[i].text) {
			continue
		}
		if (len(strings.TrimSpace(lines[i].text)) >= significant || sameLines(lines[i:], below)) && f.neutral(text[:lines[i].at]) {
			return text[:lines[i].at]
		}
	}
	return text
}

// deeper reports whether the cursor stands in a block that was just opened and
// that the line below is not part of: the same line may well stand in both.
func (f *frame) deeper(below string) bool {
	last, ok := linesAbove(f.left)()
	return ok && f.opensBlock(last) && indentWidth(f.lineLeft) > indentWidth(below)
}

// A codeLine is a line with text on it, without the space at its end.
type codeLine struct {
	text string
	at   int // where the line begins
}

func codeLines(s string) (lines []codeLine) {
	at := 0
	for line := range strings.Lines(s) {
		if t := strings.TrimRight(line, " \t\n"); t != "" {
			lines = append(lines, codeLine{t, at})
		}
		at += len(line)
	}
	return lines
}

// sameLines reports whether a is how b begins.
func sameLines(a, b []codeLine) bool {
	if len(a) > len(b) {
		return false
	}
	for i := range a {
		if a[i].text != b[i].text {
			return false
		}
	}
	return true
}
