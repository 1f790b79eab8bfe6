package facts

import (
	"bytes"
	"regexp"
	"slices"
	"unicode/utf8"
)

// A braceSyntax is what mending has to know of a language that is written in
// braces.
type braceSyntax struct {
	script   bool // ' and ` quote strings, and / may begin a regular expression
	longText bool // strings in " may go over several lines
	directed bool // has #if and #else
	hash     bool // # begins a comment
}

// mend returns what mends the languages of a syntax (see mender).
//
// Layout proves nothing where braces rule, so only text whose brackets do not
// match is touched at all; in that, indentation says where they were meant to:
//
//	class Desk {                     class Desk {
//	  pay(card) {                      pay(card) {
//	    if (total > (          ──▶       if total >  }
//	  }                                }
//	  refund() {}                      refund() {}
//	}                                }
//
// A } at the start of a line closes the block that began on a line as far in; a
// statement's or declaration's keyword stands in no parentheses; and a
// declaration at the margin ends what is open around it, unless that block is
// not indented at all. Dots without a name go from any text.
func (b braceSyntax) mend(src []byte) []byte {
	m := braceMender{mender: mender{src: src}, syntax: b}
	if m.scan(); !m.odd {
		return m.finish()
	}
	m = braceMender{mender: mender{src: src}, syntax: b, mending: true}
	m.scan()
	return m.finish()
}

type braceMender struct {
	mender
	syntax  braceSyntax
	mending bool   // brackets don't match: change them; false: find out
	odd     bool   // they don't
	indents []int  // of the statements to which the open brackets belong, see pushed
	flat    []bool // whether the block's first line is not indented
	begun   []int  // at each depth, from 0, how far in the statement begins; none: -1
	line    int    // where the current line begins
}

// scan goes over the brackets of the text once.
func (m *braceMender) scan() {
	src := m.src
	m.begun = []int{-1}
	for i := 0; i < len(src); {
		switch c := src[i]; {
		case c == '\n':
			m.line = i + 1
			i++
			continue
		case isSpace(c):
			i++
			continue
		}
		if end := m.skipped(i); end > i {
			if from := bytes.LastIndexByte(src[i:end], '\n'); from >= 0 {
				m.line = i + from + 1
			}
			i = end
			continue
		}
		first := startsLine(src, i)
		if first && m.mending && m.atLineStart(i) {
			i++
			continue
		}
		m.begin(i)
		switch c := src[i]; {
		case c == '(' || c == '[' || c == '{':
			m.noteFirst(i)
			m.pushed(i)
			i++
		case c == ')' || c == ']' || c == '}':
			m.close(i)
			i++
		case bytes.IndexByte([]byte("+*%=<&|^"), c) >= 0:
			if n := m.unfinished(i); n > 0 {
				m.set(i, ';')
				for k := 1; k < n; k++ {
					m.set(i+k, ' ')
				}
				i += n
				continue
			}
			for i < len(src) && src[i] == c {
				i++
			}
		case c == '.' || c == '-' || c == ':':
			if n := m.dangles(i); n > 0 {
				for k := range n {
					m.set(i+k, ' ')
				}
				if next := skipSpaces(src, i+n); !m.inParentheses() && bytes.IndexByte(src[i:next], '\n') >= 0 {
					m.set(i, ';')
				}
				i += n
				continue
			}
			i++
		case isWord(c):
			m.noteFirst(i)
			i = word(src, i)
		default:
			i++
		}
		m.end = i
	}
	m.odd = m.odd || len(m.open) > 0
}

// begin takes note of where statements begin: behind a semicolon, a brace, or a colon
// that ends its line.
func (m *braceMender) begin(i int) {
	at := &m.begun[len(m.open)]
	switch c := m.src[i]; {
	case c == ';', c == ':' && endsLine(m.src, i+1):
		*at = -1
	case *at < 0 && c != '}':
		*at = m.indent()
	}
}

// endsLine reports whether nothing but white space stands between an offset and the
// end of its line.
func endsLine(src []byte, i int) bool {
	i = skipBlanks(src, i)
	return i == len(src) || src[i] == '\n' || src[i] == '\r'
}

// pushed takes note of an opening bracket. It is as far in as the statement that it
// ends the head of, whose brace need not be on its first line:
//
//	static int total(Cart cart,
//	                 Taxes taxes) {
//	}
//
// unless it begins its line, or stands in parentheses, where it is as far in as its
// line.
func (m *braceMender) pushed(i int) {
	in := m.indent()
	if begun := m.begun[len(m.open)]; begun >= 0 && !startsLine(m.src, i) && !m.inParentheses() {
		in = min(in, begun)
	}
	m.push(i)
	m.indents, m.flat, m.begun = append(m.indents, in), append(m.flat, false), append(m.begun, -1)
}

// indent is the width of the white space at the start of the current line.
func (m *braceMender) indent() int { return skipBlanks(m.src, m.line) - m.line }

// noteFirst notes for the innermost block whether its first line is indented.
func (m *braceMender) noteFirst(i int) {
	d := len(m.open) - 1
	if d >= 0 && m.open[d].at < m.line && bytes.Count(m.src[m.open[d].at:i], []byte("\n")) > 0 && m.end == m.open[d].at+1 {
		m.flat[d] = m.indent() <= m.indents[d]
	}
}

// inNamespace reports whether the innermost bracket opens a namespace, whose content
// many do not indent.
func (m *braceMender) inNamespace() bool {
	if len(m.open) == 0 {
		return false
	}
	at := m.open[len(m.open)-1].at
	return namespaces.Match(m.src[bytes.LastIndexByte(m.src[:at], '\n')+1 : at])
}

var namespaces = regexp.MustCompile(`^\s*(?:(?:inline|export|declare)\s+)*(?:namespace|module|extern)\b`)

// close takes note of a closing bracket.
func (m *braceMender) close(i int) {
	d := len(m.open)
	if d == 0 || closer(m.open[d-1].char) != m.src[i] {
		m.odd = true
		for d > 0 && m.mending && closer(m.open[d-1].char) != m.src[i] && m.open[d-1].char != '{' {
			d--
		}
		if d > 0 && d < len(m.open) && closer(m.open[d-1].char) == m.src[i] {
			m.closeBrackets(d, i)
		}
	}
	m.pop(i)
	m.shrink()
	if m.src[i] == '}' {
		m.begun[len(m.open)] = -1
	}
}

func (m *braceMender) shrink() {
	m.indents, m.flat, m.begun = m.indents[:len(m.open)], m.flat[:len(m.open)], m.begun[:len(m.open)+1]
}

// atLineStart closes what the line at an offset shows to be open by mistake. It
// reports whether the brace there goes.
func (m *braceMender) atLineStart(i int) bool {
	in := i - m.line
	if m.src[i] == '}' {
		if m.surplus(i, in) {
			m.set(i, ' ')
			return true
		}
		for d := len(m.open) - 1; d >= 0; d-- {
			if m.open[d].char == '{' && m.indents[d] == in {
				m.closeBrackets(d+1, i)
				break
			}
		}
		m.shrink()
		return false
	}
	end := word(m.src, i)
	w := m.src[i:end]
	if next := skipBlanks(m.src, end); next < len(m.src) && m.src[next] == ':' && !bytes.HasPrefix(m.src[next:], []byte("::")) {
		return false // public: of a class, which declares nothing
	}
	if m.inParentheses() && (braceStatements[string(w)] || braceDeclarations[string(w)] && !m.isParameter(i)) && in <= m.indents[len(m.open)-1]+8 {
		d := len(m.open)
		for d > 0 && m.open[d-1].char != '{' {
			d--
		}
		m.closeBrackets(d, i)
		m.shrink()
	}
	if !braceDeclarations[string(w)] {
		return false
	}
	if m.inNamespace() {
		m.noteFirst(i) // it may be the first in a block that is not indented
	}
	for d := range m.open {
		if m.indents[d] >= in && !m.flat[d] {
			m.closeBrackets(d, i)
			break
		}
	}
	m.shrink()
	return false
}

// isParameter reports whether the line that begins with the word at an offset is one of
// a list, private readonly Database $db, for a comma or a parenthesis is behind it.
func (m *braceMender) isParameter(i int) bool {
	line, rest, _ := bytes.Cut(m.src[i:], []byte("\n"))
	line = bytes.TrimRight(line, " \t\r")
	return bytes.HasSuffix(line, []byte(",")) || bytes.HasPrefix(bytes.TrimLeft(rest, " \t\r\n"), []byte(")"))
}

// surplus reports whether the brace that begins a line, as far in as that, closes
// nothing: the innermost block is less far in, and its own brace is still to come.
func (m *braceMender) surplus(i, in int) bool {
	d := len(m.open) - 1
	if d < 0 || m.open[d].char != '{' || m.indents[d] >= in {
		return false
	}
	at := i
	for range maxSurplus {
		n := bytes.IndexByte(m.src[at:], '\n')
		if n < 0 {
			return false
		}
		at += n + 1
		first := skipBlanks(m.src, at)
		if first < len(m.src) && m.src[first] != '\n' && m.src[first] != '\r' && first-at <= m.indents[d] {
			return first-at == m.indents[d] && m.src[first] == '}'
		}
	}
	return false
}

// maxSurplus bounds how many lines are looked at for a brace that is still to come.
const maxSurplus = 200

// closeBrackets closes all open brackets but the outermost d, before the token at an
// offset, the innermost first, and ends the statement that they are in:
//
//	if (total > (          if (total);
//	clear(cart,      ──▶   clear(cart);
//
// What cannot end an expression goes before. The brackets take the place of it and of
// white space, of which one line end stays; those that find no room are erased where
// they opened.
func (m *braceMender) closeBrackets(d, at int) {
	if len(m.open) <= d {
		return
	}
	m.strip(d, at)
	room := m.places(at)
	for len(m.open) > d {
		last := m.open[len(m.open)-1]
		m.open = m.open[:len(m.open)-1]
		if len(room) < len(m.open)-d+1 {
			m.set(last.at, ' ')
			continue
		}
		if m.wants(last) && len(room) > len(m.open)-d+1 {
			m.set(room[0], ';')
			room = room[1:]
		}
		m.set(room[0], closer(last.char))
		m.end, room = room[0]+1, room[1:]
	}
	if len(room) > 0 && !m.inParentheses() {
		m.set(room[0], ';')
		m.end = room[0] + 1
	}
}

// wants reports whether a bracket opens a block of statements of which the last one
// lacks its semicolon.
func (m *braceMender) wants(b bracket) bool {
	if b.char != '{' || bytes.IndexByte([]byte(";{}:"), m.now(m.end-1)) >= 0 {
		return false
	}
	before := m.lastToken(b.at)
	at := before
	for at > 0 && isWord(m.src[at-1]) {
		at--
	}
	return blockWords[string(m.src[at:before])] || bytes.HasSuffix(m.src[:before], []byte(")")) || bytes.HasSuffix(m.src[:before], []byte("=>"))
}

// blockWords stand before a block of statements.
var blockWords = wordSet(`else do try finally`)

// strip erases the operators, commas and brackets at the end of what stands in open
// parentheses, before the token at an offset, but for the parenthesis of a call that
// there is room to close.
func (m *braceMender) strip(d, at int) {
	for len(m.open) > d && m.end > 0 {
		last := m.open[len(m.open)-1].at
		switch c := m.src[m.end-1]; {
		case !m.inParentheses(): // a block in them that has only begun
			if m.end-1 != last || len(m.open)-1 <= d || m.open[len(m.open)-2].char == '{' {
				return
			}
			m.open = m.open[:len(m.open)-1]
		case m.end-1 == last:
			if before := m.lastToken(last); last > 0 && before > 0 && isWord(m.src[before-1]) && len(m.places(at)) >= len(m.open)-d {
				return
			}
			m.open = m.open[:len(m.open)-1]
		case m.end-1 < last || bytes.IndexByte([]byte("+-*/%=<>!&|^,?:~"), c) < 0:
			return
		}
		m.set(m.end-1, ' ')
		m.end = m.lastToken(m.end - 1)
	}
	m.shrink()
}

// lastToken returns the end of the last token before an offset.
func (m *braceMender) lastToken(at int) int {
	for at > 0 && isSpace(m.src[at-1]) {
		at--
	}
	return at
}

// places are the offsets between the last token and the one at an offset that may be
// overwritten. Of the line ends among them the last stays, unless a brace follows and
// no comment is in between.
func (m *braceMender) places(at int) []int {
	var free []int
	for i := m.end; i < at; i++ {
		if isSpace(m.now(i)) {
			free = append(free, i)
		}
	}
	if at < len(m.src) && m.src[at] == '}' && len(free) == at-m.end {
		return free
	}
	kept := m.end + bytes.LastIndexByte(m.src[m.end:at], '\n')
	return slices.DeleteFunc(free, func(i int) bool { return i == kept })
}

// braceStatements begin a statement, and stand in no parentheses.
var braceStatements = wordSet(`if for while return switch try throw break continue do let var goto foreach`)

// braceDeclarations begin a declaration.
var braceDeclarations = wordSet(`class struct enum interface trait impl namespace module export import function pub fn public
	private protected internal record union use using package typedef template extern abstract final`)

func wordSet(words string) map[string]bool {
	set := map[string]bool{}
	for _, w := range bytes.Fields([]byte(words)) {
		set[string(w)] = true
	}
	return set
}

// unfinished returns the length of the operator at an offset if the block ends
// behind it, and 0 otherwise.
func (m *braceMender) unfinished(i int) int {
	end := i
	for end < len(m.src) && bytes.IndexByte([]byte("+*%=<&|^!"), m.src[end]) >= 0 {
		end++
	}
	next := skipSpaces(m.src, end)
	if next >= len(m.src) || m.src[next] != '}' || m.inParentheses() || m.end == 0 ||
		bytes.Equal(m.src[i:end], []byte("++")) || m.src[m.end-1] == ')' || m.src[m.end-1] == ']' {
		return 0
	}
	return end - i
}

// dangles returns the length of the dot or arrow at an offset if no name can
// follow it, and 0 otherwise.
func (m *braceMender) dangles(i int) int {
	src, n := m.src, 0
	switch {
	case src[i] == '.':
		if i > 0 && (src[i-1] == '.' || isSpace(src[i-1])) || i+1 < len(src) && src[i+1] == '.' || endsNumber(src, i) {
			return 0
		}
		n = 1
	case bytes.HasPrefix(src[i:], []byte("->")), bytes.HasPrefix(src[i:], []byte("::")):
		n = 2
	default:
		return 0
	}
	if m.end != i || i == 0 || !isWord(src[i-1]) && src[i-1] != ')' && src[i-1] != ']' && src[i-1] != '?' {
		return 0
	}
	next := i + n
	for next < len(src) && isSpace(src[next]) {
		next++
	}
	if next == len(src) || src[next] == '}' || src[next] == ')' || src[next] == ';' {
		return n
	}
	if w := src[next:word(src, next)]; startsLine(src, next) && (braceStatements[string(w)] || braceDeclarations[string(w)]) {
		return n
	}
	return 0
}

// skipped returns the end of the comment, string or directive at an offset, or
// the offset itself if none begins there.
func (m *braceMender) skipped(i int) int {
	src := m.src
	rest := src[i:]
	until := func(skip int, mark string) int {
		if end := bytes.Index(rest[min(skip, len(rest)):], []byte(mark)); end >= 0 {
			return i + skip + end + len(mark)
		}
		return len(src)
	}
	switch {
	case bytes.HasPrefix(rest, []byte("//")), m.syntax.hash && rest[0] == '#' && !bytes.HasPrefix(rest, []byte("#[")):
		return until(0, "\n") - 1 + boolInt(bytes.IndexByte(rest, '\n') < 0)
	case bytes.HasPrefix(rest, []byte("/*")):
		return until(2, "*/")
	case bytes.HasPrefix(rest, []byte(`"""`)):
		return until(3, `"""`)
	case m.syntax.directed && rest[0] == '#' && startsLine(src, i):
		return m.directive(i)
	case bytes.HasPrefix(rest, []byte(`R"(`)):
		return until(3, `)"`)
	case bytes.HasPrefix(rest, []byte(`@"`)):
		return until(2, `"`)
	case bytes.HasPrefix(rest, []byte(`r#"`)):
		return until(3, `"#`)
	case rest[0] == '"':
		return m.quoted(i, m.syntax.longText)
	case rest[0] == '`' && m.syntax.script:
		return m.quoted(i, true)
	case rest[0] == '\'' && m.syntax.script:
		return m.quoted(i, m.syntax.longText)
	case rest[0] == '\'':
		return m.character(i)
	case rest[0] == '/' && m.syntax.script && m.beginsRegexp(i):
		return m.quoted(i, false)
	}
	return i
}

func boolInt(b bool) int {
	if b {
		return 1
	}
	return 0
}

// quoted returns the end of the string at an offset. One that its line does not
// end is no string: what opens it may be an apostrophe. When mending, it ends
// with its line.
func (m *braceMender) quoted(i int, long bool) int {
	quote, class := m.src[i], false
	for j := i + 1; j < len(m.src); j++ {
		switch c := m.src[j]; {
		case c == '\\':
			j++
		case c == '\n' && !long:
			if quote == '"' {
				m.odd = true
				if m.mending {
					end := m.stringEnd(i, j)
					m.endString(i, end, quote)
					m.end = end
					return end
				}
			}
			return i + 1
		case quote == '/' && c == '[':
			class = true
		case quote == '/' && c == ']':
			class = false
		case c == quote && !class:
			m.end = j + 1
			return j + 1
		}
	}
	return i + 1
}

// stringEnd is where the string that begins at an offset and does not end on its line
// ends, at end or before the brackets and semicolons that the line ends with.
func (m *braceMender) stringEnd(start, end int) int {
	for i := end; i > start+2; i-- {
		switch c := m.src[i-1]; {
		case c == '}', c == ')', c == ']', c == ';':
			end = i - 1
		case !isSpace(c):
			return end
		}
	}
	return end
}

// character returns the end of the character literal at an offset; an apostrophe
// that begins none is Rust's lifetime or C++'s 1'000.
func (m *braceMender) character(i int) int {
	end := i + 1
	if end < len(m.src) && m.src[end] == '\\' {
		for end += 2; end < min(len(m.src), i+12) && m.src[end] != '\'' && m.src[end] != '\n'; end++ {
		}
	} else {
		_, size := utf8.DecodeRune(m.src[min(end, len(m.src)):])
		end += size
	}
	if end < len(m.src) && end > i+1 && m.src[end] == '\'' && m.src[i+1] != '\'' && m.src[i+1] != '\n' {
		m.end = end + 1
		return end + 1
	}
	return i + 1
}

// beginsRegexp reports whether a slash stands where an operand does.
func (m *braceMender) beginsRegexp(i int) bool {
	if m.end == 0 {
		return true
	}
	c := m.src[m.end-1]
	if isWord(c) {
		start := m.end
		for start > 0 && isWord(m.src[start-1]) {
			start--
		}
		w := string(m.src[start:m.end])
		return w == "return" || w == "typeof" || w == "case" || w == "in"
	}
	return bytes.IndexByte([]byte(")]}\"'`"), c) < 0 && !bytes.HasPrefix(m.src[i:], []byte("/>")) && c != '<'
}

// directive returns the end of a preprocessor line. Of #if and #else only the
// first branch counts: both may open the same block.
func (m *braceMender) directive(i int) int {
	lineEnd := func(at int) int {
		for at < len(m.src) && m.src[at] != '\n' {
			if m.src[at] == '\\' {
				at++
			}
			at++
		}
		return min(at, len(m.src))
	}
	name := func(at int) string {
		at = skipBlanks(m.src, at+1)
		return string(m.src[at:word(m.src, at)])
	}
	if n := name(i); n != "else" && n != "elif" {
		return lineEnd(i)
	}
	depth := 0
	for at := lineEnd(i); at < len(m.src); at = lineEnd(at + 1) {
		start := skipBlanks(m.src, at+1)
		if start >= len(m.src) || m.src[start] != '#' {
			continue
		}
		switch name(start) {
		case "if", "ifdef", "ifndef":
			depth++
		case "endif":
			if depth--; depth < 0 {
				return lineEnd(start)
			}
		}
	}
	return len(m.src)
}
