package embedded

import "unicode/utf8"

// A word is a vocabulary entry; a unit is what is counted and predicted: a word
// with or without one space in front. Contexts are made of words, so that
// f(x, y) and f(x,y) teach each other.
type (
	word uint32
	unit uint32
)

func (u unit) word() word   { return word(u >> 1) }
func (u unit) spaced() bool { return u&1 != 0 }
func (w word) bare() unit   { return unit(w << 1) }

// Words that stand for no fixed text. Ordinary words start at firstWord.
const (
	begin         word = iota // before the first token of a text; never predicted
	end                       // after the last token of a file
	unknown                   // a word that is in no count: it is spelled, byte by byte
	flipEnding                // from here on lines end the other way (LF, CRLF); no text of its own
	blankLine                 // a line ending right before another one
	newlineSame               // a line ending and the same indentation as this line
	newlineDeeper             // … one level more
	newlineZero               // … none
	newlineAbs                // a line ending; the indentation follows as a word of its own
	newlineOut                // … that of the k-th line around this one, k = 1..maxOut
	firstWord     = newlineOut + maxOut
)

// The first ordinary words are those that the governor looks for.
const (
	roundOpen = firstWord + iota
	roundClose
	squareOpen
	squareClose
	curlyOpen
	curlyClose
	comma
)

var punctuation = []string{"(", ")", "[", "]", "{", "}", ","}

const (
	maxOut  = 6  // levels that one line can close; more become column zero or an absolute indentation
	maxStep = 16 // widest indentation that is read as several levels of four; wider ones are alignments
	maxWord = 64 // bytes of one word: a blob of base64 must not become one vocabulary entry
	// maxIndent is the widest indentation in bytes; wider ones are blanks like any
	// other.
	maxIndent = 256
)

func (w word) newline() bool { return w >= blankLine && w < firstWord }

// A lexeme is one token of a text.
type lexeme struct {
	special word   // or 0: then text is an ordinary word
	text    string // without its space; for specials, all the bytes it covers
	spaced  bool
}

// len is the number of bytes that the lexeme covers.
func (x lexeme) len() int {
	if x.spaced {
		return len(x.text) + 1
	}
	return len(x.text)
}

// A lexer cuts any bytes into lexemes whose texts, in order, are those bytes. It
// knows no language: words, operators, blanks and line structure look alike in
// all of them, and half-typed strings or comments can't derail it.
type lexer struct {
	src string
	at  int
	layout
}

// newLexer reads a text from the start of a line.
func newLexer(text string) lexer { return lexer{src: text, layout: layout{absolute: true}} }

type class uint8

const (
	other class = iota // one byte a lexeme, or an operator
	letter
	blank
)

var classes = func() (c [256]class) {
	for b := range c {
		switch {
		case b >= 'a' && b <= 'z', b >= 'A' && b <= 'Z', b >= '0' && b <= '9', b == '_', b == '$', b >= 0x80:
			c[b] = letter
		case b == ' ', b == '\t':
			c[b] = blank
		}
	}
	return c
}()

// next returns the next lexeme, or false at the end of the text.
func (l *lexer) next() (lexeme, bool) {
	s, i := l.src, l.at
	if i >= len(s) {
		return lexeme{}, false
	}
	c := s[i]
	if c == '\n' || c == '\r' && i+1 < len(s) && s[i+1] == '\n' {
		return l.newline(), true
	}
	if classes[c] == blank {
		if c != ' ' || l.absolute || i+1 >= len(s) || !wordStart(s, i+1) {
			return l.blanks(), true
		}
		x := lexeme{text: token(s[i+1:]), spaced: true}
		l.at += x.len()
		return x, true
	}
	l.absolute = false
	x := lexeme{text: token(s[i:])}
	l.at += x.len()
	return x, true
}

// wordStart reports whether a space before s[i] belongs to the word there.
func wordStart(s string, i int) bool {
	return classes[s[i]] != blank && s[i] != '\n' && !(s[i] == '\r' && i+1 < len(s) && s[i+1] == '\n')
}

func (l *lexer) newline() lexeme {
	s := l.src[l.at:]
	if crlf := s[0] == '\r'; crlf != l.crlf {
		l.crlf = crlf
		return lexeme{special: flipEnding}
	}
	n := len(l.eol())
	if rest := s[n:]; rest != "" && (rest[0] == '\n' || rest[0] == '\r' && len(rest) > 1 && rest[1] == '\n') {
		l.at += n
		return lexeme{special: blankLine, text: s[:n]}
	}
	i := n
	for i < len(s) && classes[s[i]] == blank {
		i++
	}
	if i-n > maxIndent {
		i = n
	}
	w := l.relate(s[n:i])
	if w == newlineAbs {
		i = n
	}
	l.apply(w)
	l.at += i
	return lexeme{special: w, text: s[:i]}
}

// blanks reads a run of spaces and tabs that is a word of its own: an alignment,
// white space at the end of a line, an absolute indentation.
func (l *lexer) blanks() lexeme {
	i := l.at
	for i < len(l.src) && classes[l.src[i]] == blank && i-l.at < maxIndent && (l.absolute || i-l.at < maxWord) {
		i++
	}
	text := l.src[l.at:i]
	l.indent(text)
	l.at = i
	return lexeme{text: text}
}

// token is the first word or operator of s, which is not empty and starts with
// neither a blank nor a line ending.
func token(s string) string {
	if classes[s[0]] == letter {
		i := 1
		for i < len(s) && i < maxWord && classes[s[i]] == letter {
			i++
		}
		if i == maxWord {
			i = wholeRune(s, i)
		}
		return s[:i]
	}
	if len(s) > 2 && operators[s[:3]] {
		return s[:3]
	}
	if len(s) > 1 && s[1] < 0x80 && classes[s[1]] == other && operators[s[:2]] {
		return s[:2]
	}
	return s[:1]
}

// wholeRune moves a cut at i back to the start of the character that it would
// split, if it is one.
func wholeRune(s string, i int) int {
	if i >= len(s) || utf8.RuneStart(s[i]) {
		return i
	}
	for j := i - 1; j > 0 && j > i-utf8.UTFMax; j-- {
		if utf8.RuneStart(s[j]) {
			return j
		}
	}
	return i
}

var operators = func() map[string]bool {
	m := map[string]bool{}
	for _, op := range []string{
		":=", "==", "!=", "<=", ">=", "&&", "||", "++", "--", "+=", "-=", "*=", "/=", "%=", "|=", "&=", "^=",
		"<<", ">>", "->", "=>", "<-", "::", "**", "//", "/*", "*/", "..", "??", "?.",
		"...", "===", "!==", "<<=", ">>=", "&^=", "**=", "//=", `"""`, "'''", "```",
	} {
		m[op] = true
	}
	return m
}()
