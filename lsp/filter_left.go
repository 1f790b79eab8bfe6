package lsp

import (
	"strings"
	"unicode/utf8"

	"readahead/index/facts"
)

const (
	// echoMin is how much of the cursor's line must come again, in bytes, before
	// it counts as said again rather than as chance.
	echoMin = 3
	// wordEchoMin is the same for the word at the cursor, if it comes again whole.
	wordEchoMin = 2
)

// withoutEcho drops what the model says again of the cursor's line. Chat models
// begin with the whole line, others with the word that was begun.
//
//	obj = json.lo|     obj = json.loads(s)  →  ads(s)
//	obj = json.loads|  loads(s)             →  (s)
func (f *frame) withoutEcho(text string) string {
	line := strings.TrimSpace(f.lineLeft)
	body := strings.TrimLeft(text, " \t")
	list := strings.HasSuffix(line, ",") // whose elements may well be equal
	if rest, ok := strings.CutPrefix(body, line); ok && len(line) >= echoMin && hasWord(line) && !list {
		if strings.HasSuffix(f.lineLeft, " ") {
			rest = strings.TrimPrefix(rest, " ")
		}
		return rest
	}
	word := wordBefore([]byte(f.lineLeft), len(f.lineLeft))
	rest, ok := strings.CutPrefix(text, word)
	if !ok || len(word) < wordEchoMin {
		return text
	}
	if next, _ := utf8.DecodeRuneInString(rest); rest == "" || !wordRune(next) || len(word) >= echoMin {
		return rest
	}
	return text
}

// indented makes the first line stand where it belongs when the cursor stands
// behind white space. Models write that white space again, if they see the line
// as theirs, or go on from it, if they see it as given; their text does not say
// which. So the line goes to the column that it names, unless its place by the
// code above is just where going on from the cursor would put it.
//
//	····|        ····x = 1      x = 1         named: column 4
//	if a:
//	··|          ··x = 1        ··x = 1       the block asks for column 4
func (f *frame) indented(text string) string {
	if strings.TrimSpace(f.lineLeft) != "" {
		return text
	}
	if strings.TrimSpace(f.lineRight) == "" {
		// The line is there already: empty lines before the text would add to it.
		if i := strings.IndexFunc(text, notSpace); i >= 0 {
			text = text[strings.LastIndexByte(text[:i], '\n')+1:]
		}
	}
	body := strings.TrimLeft(text, " \t")
	space := text[:len(text)-len(body)]
	if f.lineLeft == "" || space == "" || strings.HasPrefix(body, "\n") {
		return text
	}
	at, named := indentWidth(f.lineLeft), indentWidth(space)
	if want, ok := f.expectedIndent(); ok && want == at+named && want != named {
		return text
	}
	if rest, ok := strings.CutPrefix(space, f.lineLeft); ok {
		return rest + body
	}
	if named <= at {
		return body
	}
	if strings.Contains(f.lineLeft, "\t") {
		return strings.Repeat("\t", (named-at)/tabWidth) + body
	}
	return strings.Repeat(" ", named-at) + body
}

func notSpace(r rune) bool { return r != ' ' && r != '\t' && r != '\n' }

// expectedIndent is the width at which a line below the code above stands: that
// of the last line, one step further if it opens a block.
func (f *frame) expectedIndent() (width int, ok bool) {
	above := linesAbove(f.left)
	last, ok := above()
	if !ok {
		return 0, false
	}
	width = indentWidth(last)
	if !f.opensBlock(last) {
		return width, true
	}
	return width + f.step(), true
}

// opensBlock reports whether the line below l is one step further in.
func (f *frame) opensBlock(l string) bool {
	l = strings.TrimRight(l, " \t")
	return strings.HasSuffix(l, "{") || strings.HasSuffix(l, "(") || strings.HasSuffix(l, "[") ||
		f.syntax.colon && strings.HasSuffix(l, ":")
}

// stepLines is how far up the code shows how wide it indents.
const stepLines = 200

// step is how much further in a block stands than the line that opens it, by the
// code above; if that does not say, what most people write in the language.
func (f *frame) step() int {
	above := linesAbove(f.left)
	inner, ok := above()
	for i := 0; ok && i < stepLines; i++ {
		var outer string
		if outer, ok = above(); !ok {
			break
		}
		if d := indentWidth(inner) - indentWidth(outer); d > 0 && d <= 8 && f.opensBlock(outer) {
			return d
		}
		inner = outer
	}
	switch f.lang {
	case facts.JavaScript, facts.TypeScript, facts.Ruby:
		return tabWidth / 2
	}
	return tabWidth
}

// linesAbove yields the lines with text above the cursor's, nearest first.
func linesAbove(left string) func() (string, bool) {
	rest := left[:strings.LastIndexByte(left, '\n')+1]
	return func() (string, bool) {
		for rest != "" {
			body := rest[:len(rest)-1]
			i := strings.LastIndexByte(body, '\n') + 1
			line := body[i:]
			rest = rest[:i]
			if strings.TrimSpace(line) != "" {
				return line, true
			}
		}
		return "", false
	}
}
