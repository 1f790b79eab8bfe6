package facts

import (
	"bytes"
	"strings"

	"readahead/index/internal/treesitter"
)

// mendRuby makes broken Ruby parse (see mender). Ruby's layout says a lot: what is
// open when a line begins with an end that is less far in was left open, and so was
// what is open when a def begins no further in.
//
//	def refund              def refund
//	  total =                 total
//	  clear(cart,    ──▶      clear(cart)
//	end                     end
//
// What a word does in Ruby depends on where it stands, so text that parses is not
// touched (spec.unsure). An end too many, further in than the block that it would
// close, goes. What has too few gets them where the layout proves a block open (see
// endBlocks), or else at the end of the text: without it the parser sees no class at all. Which of the methods in it stand in one another then
// is for outdent to say.
func mendRuby(src []byte) []byte {
	m := rubyMender{mender: mender{src: src}}
	switch m.scan(); {
	case m.balance < 0:
		m = rubyMender{mender: mender{src: src}, many: true}
		m.scan()
	case len(m.blocks) > 0:
		m = rubyMender{mender: mender{src: src}, few: true}
		m.scan()
	}
	out := m.finish()
	if len(m.blocks) == 0 {
		return out
	}
	out = bytes.Clone(out)
	for range m.blocks {
		out = append(out, "\nend"...)
	}
	return out
}

// hasStrayEnd reports whether an end closes nothing: the grammar takes it for a name.
func hasStrayEnd(x *extractor, tree *treesitter.Tree, src []byte) bool {
	m := rubyMender{mender: mender{src: src}}
	if m.scan(); m.balance >= 0 {
		return false
	}
	x.builder.nodes = tree.Flatten(x.grammar, x.builder.nodes)
	for i, n := range x.builder.nodes {
		if n.Next == uint32(i+1) && n.End-n.Start == 3 && string(src[n.Start:n.End]) == "end" {
			return true
		}
	}
	return false
}

type rubyMender struct {
	mender
	indents  []int    // of the lines on which the open brackets stand
	blocks   []int    // how far in the lines are that the open blocks begin on
	flat     []bool   // of each of them, whether its first line is no further in
	begun    []int    // of each of them, where that line begins
	heredocs [][]byte // that begin below the line
	balance  int      // blocks opened less ended
	endless  int      // heredocs that have only begun
	many     bool     // there are too many ends
	few      bool     // or too few
}

func (m *rubyMender) scan() {
	for at := 0; at < len(m.src); {
		at = m.scanLine(at)
	}
}

// scanLine reads the line at an offset and returns the offset of the next one that is
// code.
func (m *rubyMender) scanLine(line int) int {
	src := m.src
	end := line + bytes.IndexByte(src[line:], '\n')
	if end < line {
		end = len(src)
	}
	first := skipBlanks(src, line)
	if first >= end {
		return end + 1
	}
	if next, ok := skipRubyText(src, line, "=begin", "\n=end"); ok {
		return next
	}
	in := first - line
	word := string(src[first:word(src, first)])
	m.outdent(word, in, first)
	if word == "end" && m.many && m.surplus(in, end) {
		for k := range 3 {
			m.set(first+k, ' ')
		}
		first += 3
	} else if len(m.open) == 0 && src[first] != '#' {
		m.endBlocks(word, in, first)
		m.count(bytes.TrimSpace(src[first:end]), in, line)
	}
	end = m.scanCode(first, end, in)
	m.unfinished(end)
	for _, name := range m.heredocs {
		end = endOfHeredoc(src, end, name)
	}
	m.heredocs = m.heredocs[:0]
	return end + 1
}

// skipRubyText returns the offset behind a text between two marks, the first of which
// has to be at an offset.
func skipRubyText(src []byte, at int, from, to string) (int, bool) {
	if !bytes.HasPrefix(src[at:], []byte(from)) {
		return at, false
	}
	n := bytes.Index(src[at:], []byte(to))
	if n < 0 {
		return len(src), true
	}
	return at + n + len(to), true
}

// outdent closes the brackets that a line which begins with a word proves open.
func (m *rubyMender) outdent(word string, in, at int) {
	switch {
	case rubyDeclarations[word]:
		in--
	case word == "" || rubyParts[word] && word != "end":
		return
	}
	for d := range m.open {
		if m.indents[d] > in {
			m.closeBrackets(d, at)
			return
		}
	}
}

// closeBrackets closes all open brackets but the outermost d, before the token at an
// offset; commas and operators before that go.
func (m *rubyMender) closeBrackets(d, at int) {
	m.strip()
	m.closeTo(d, at)
	m.indents = m.indents[:len(m.open)]
	for m.end > 0 && m.out != nil && isSpace(m.out[m.end-1]) { // brackets that went
		m.end--
	}
	m.strip()
}

// strip erases the commas and operators that the code so far ends with.
func (m *rubyMender) strip() {
	for m.end > 0 && bytes.IndexByte([]byte(",=+-*/<>&|"), m.src[m.end-1]) >= 0 {
		m.set(m.end-1, ' ')
		m.end = len(bytes.TrimRight(m.src[:m.end-1], " \t\r\n"))
	}
}

// surplus reports whether an end, as far in as that, closes nothing: the innermost
// block is less far in, and its own end is still to come.
func (m *rubyMender) surplus(in, at int) bool {
	d := len(m.blocks) - 1
	if d < 0 || m.blocks[d] >= in {
		return false
	}
	for range maxSurplus {
		if at++; at >= len(m.src) {
			return false
		}
		first := skipBlanks(m.src, at)
		next := at + bytes.IndexByte(m.src[at:], '\n')
		if next < at {
			next = len(m.src)
		}
		if first < next && first-at <= m.blocks[d] {
			return first-at == m.blocks[d] && bytes.HasPrefix(m.src[first:], []byte("end"))
		}
		at = next
	}
	return false
}

// count takes note of the blocks that a line opens or ends.
func (m *rubyMender) count(line []byte, in, at int) {
	n := rubyBlocks(line)
	m.balance += n
	for ; n > 0; n-- {
		m.blocks, m.flat, m.begun = append(m.blocks, in), append(m.flat, false), append(m.begun, at)
	}
	m.leave(max(0, len(m.blocks)+n))
}

// leave forgets all open blocks but the outermost d.
func (m *rubyMender) leave(d int) {
	m.blocks, m.flat, m.begun = m.blocks[:d], m.flat[:d], m.begun[:d]
}

// endBlocks ends the blocks that a statement, which begins with a word as far in as
// that, proves open: it is no further in than the block, whose own first line is.
//
//	def refund              def refund
//	  total = 0      ──▶      total = 0;end
//
//	alias pay refund        alias pay refund
func (m *rubyMender) endBlocks(word string, in, at int) {
	d := len(m.blocks) - 1
	if d < 0 {
		return
	}
	if m.end <= m.begun[d]+len(m.lineAt(m.begun[d])) {
		m.flat[d] = in == m.blocks[d] && word != "end" && !bytes.HasPrefix(m.src[skipBlanks(m.src, m.begun[d]):], []byte("def "))
	}
	for d++; d > 0 && m.few && !m.flat[d-1] && (in < m.blocks[d-1] || in == m.blocks[d-1] && !rubyParts[word] && (isWord(m.src[at]) || m.src[at] == '@')); d-- {
	}
	if m.end > 0 && d < len(m.blocks) {
		m.few = m.putEnds(d, at)
	}
}

// rubyParts begin a line that goes on with the block around it.
var rubyParts = wordSet(`end else elsif when in rescue ensure then public protected private`)

// lineAt is the line that begins at an offset.
func (m *rubyMender) lineAt(at int) []byte {
	line, _, _ := bytes.Cut(m.src[at:], []byte("\n"))
	return line
}

// putEnds ends all open blocks but the outermost d, between the last token and an
// offset. Where there is no room for that, the statements before it go, and so does a
// block that has only begun. It reports whether it could.
func (m *rubyMender) putEnds(d, at int) bool {
	const end = ";end"
	from, room := m.end, m.end
	for room < at && isSpace(m.now(room)) {
		room++
	}
	keep := len(m.blocks)
	for room-from < (keep-d)*len(end)+1 && keep > d {
		line := 1 + bytes.LastIndexByte(m.src[:from], '\n')
		first := skipBlanks(m.src, line)
		switch {
		case first >= from || line < m.begun[keep-1]:
			return false
		case line > m.begun[keep-1]:
			if rubyBlocks(m.src[first:from]) != 0 {
				return false
			}
		case rubyDeclarations[string(m.src[first:word(m.src, first)])]:
			return false
		default:
			keep--
		}
		from = m.codeBefore(line)
	}
	for k := from; k < m.end; k++ {
		if m.src[k] != '\n' {
			m.set(k, ' ')
		}
	}
	m.end = from
	for range keep - d {
		for k := range len(end) {
			m.set(m.end+k, end[k])
		}
		m.end += len(end)
	}
	if keep > d && m.now(m.end) != '\n' {
		m.set(m.end, '\n')
	}
	m.leave(d)
	return true
}

// codeBefore is the end of the last code above a line.
func (m *rubyMender) codeBefore(line int) int {
	for line > 0 {
		start := 1 + bytes.LastIndexByte(m.src[:line-1], '\n')
		if code := bytes.TrimRight(withoutRemark(m.src[start:line-1]), " \t\r"); len(code) > 0 {
			return start + len(code)
		}
		line = start
	}
	return 0
}

// withoutRemark is a line up to the comment that ends it.
func withoutRemark(line []byte) []byte {
	quote := byte(0)
	for i, c := range line {
		switch {
		case quote == 0 && (c == '"' || c == '\''), quote == c:
			quote ^= c
		case quote == 0 && c == '#' && (i == 0 || isSpace(line[i-1])):
			return line[:i]
		}
	}
	return line
}

// rubyDeclarations begin a declaration.
var rubyDeclarations = wordSet(`def class module`)

// scanCode goes over the brackets of a line, and returns where it ends: strings and
// lists of words may go over more than one.
func (m *rubyMender) scanCode(i, end, in int) int {
	src := m.src
	for i < end {
		switch c := src[i]; {
		case c == '#':
			return end
		case isSpace(c):
			i++
			continue
		case c == '"', c == '\'', c == '`':
			i = m.quoted(i, end, in)
		case c == '$':
			i += 2 // $' is a variable
		case c == '/' && m.operand(i):
			if n := closingQuote(src[:end], i); n > i {
				i = n
			}
			i++
		case c == '%' && m.operand(i):
			i = skipRubyList(src, i)
		case c == '?' && i+1 < end && m.operand(i):
			i += 2 // a character
		case c == '<' && bytes.HasPrefix(src[i:], []byte("<<")):
			i = m.heredoc(i)
		case c == '(', c == '[', c == '{':
			m.push(i)
			m.indents = append(m.indents, in)
			i++
		case c == ')', c == ']', c == '}':
			m.pop(i)
			m.indents = m.indents[:len(m.open)]
			i++
		case isWord(c):
			i = word(src, i)
		default:
			i++
		}
		m.end = min(i, len(src))
		if i > end {
			if n := bytes.IndexByte(src[min(i, len(src)):], '\n'); n >= 0 {
				end = i + n
			} else {
				end = len(src)
			}
		}
	}
	return end
}

// operand reports whether an operand can begin at an offset: no name or bracket ends
// right before it, or white space is before it and not behind.
func (m *rubyMender) operand(i int) bool {
	if i == 0 || i+1 >= len(m.src) || isSpace(m.src[i+1]) || m.src[i+1] == '=' {
		return false
	}
	c := m.src[i-1]
	return isSpace(c) || bytes.IndexByte([]byte("(,[{=|&!"), c) >= 0
}

// quoted returns the end of the string at an offset in a line that ends at another.
// One that goes on behind it is taken for a mistake if the layout says so.
func (m *rubyMender) quoted(i, end, in int) int {
	if n := endOfRubyString(m.src[:end], i); n > i {
		return n
	}
	first := skipSpaces(m.src, end)
	for first < len(m.src) && m.src[first] == '#' {
		first = skipSpaces(m.src, first+len(m.lineAt(first)))
	}
	line := bytes.LastIndexByte(m.src[:first], '\n') + 1
	if next := string(m.src[first:word(m.src, first)]); rubyParts[next] || rubyDeclarations[next] || next == "alias_method" {
		switch {
		case first-line > in:
		case end-i > 1:
			for k := i; k < end-1; k++ { // code in it isn't closed either
				if m.src[k] == '#' && m.src[k+1] == '{' {
					m.set(k, ' ')
					m.set(k+1, ' ')
				}
			}
			m.endString(i, end, m.src[i])
			return end
		default: // nothing behind it
			m.set(i, ' ')
			return end
		}
	}
	if n := endOfRubyString(m.src, i); n > i {
		return n
	}
	return end
}

// maxRubyText bounds the bytes of a string or list, so that one without an end costs
// no more than that.
const maxRubyText = 2 << 10

// endOfRubyString returns the offset behind the string at an offset, or that offset if
// it does not end. In "…#{…}" is code, with strings of its own.
func endOfRubyString(src []byte, i int) int {
	var open []byte // the quotes and braces around
	for at := i; at < min(len(src), i+maxRubyText); at++ {
		last := byte('}')
		if len(open) > 0 {
			last = open[len(open)-1]
		}
		switch c := src[at]; {
		case c == '\\':
			at++
		case len(open) > 0 && c == last:
			if open = open[:len(open)-1]; len(open) == 0 {
				return at + 1
			}
		case last == '}' && (c == '"' || c == '\'' || c == '`'):
			open = append(open, c)
		case last == '}' && c == '{':
			open = append(open, '}')
		case last == '"' && c == '#' && at+1 < len(src) && src[at+1] == '{':
			open = append(open, '}')
			at++
		}
	}
	return i
}

// skipRubyList returns the offset behind the %w[…] at an offset.
func skipRubyList(src []byte, i int) int {
	at := i + 1
	if at < len(src) && bytes.IndexByte([]byte("wWiIqQrs"), src[at]) >= 0 {
		at++
	}
	if at >= len(src) || isWord(src[at]) || isSpace(src[at]) {
		return i + 1
	}
	first, last := src[at], src[at]
	if n := bytes.IndexByte([]byte("([{<"), first); n >= 0 {
		last = ")]}>"[n]
	}
	depth := 0
	for end := at; end < min(len(src), i+maxRubyText); end++ {
		switch c := src[end]; {
		case c == '\\':
			end++
		case c == last && (end > at || first != last):
			if depth--; depth <= 0 {
				return end + 1
			}
		case c == first:
			depth++
		}
	}
	return i + 1
}

// heredoc takes note of the <<~NAME at an offset, if it is one.
func (m *rubyMender) heredoc(i int) int {
	at := i + 2
	if at < len(m.src) && (m.src[at] == '~' || m.src[at] == '-') {
		at++
	}
	quote := at < len(m.src) && (m.src[at] == '"' || m.src[at] == '\'')
	if quote {
		at++
	}
	end := word(m.src, at)
	if end == at || m.src[at] < 'A' || m.src[at] > 'Z' && m.src[at] != '_' {
		return i + 2
	}
	name := m.src[at:end]
	if quote {
		end++
	}
	if m.endless < maxEndless && endOfHeredoc(m.src, end, name) == len(m.src) && !bytes.HasSuffix(bytes.TrimSpace(m.src), name) { // it has only begun
		m.endless++
		for k := i; k < min(end, len(m.src)); k++ {
			m.set(k, "nil "[min(k-i, 3)])
		}
		return end
	}
	m.heredocs = append(m.heredocs, name)
	return end
}

// maxEndless bounds how often the rest of a text is searched in vain.
const maxEndless = 16

// endOfHeredoc returns the end of the line that ends a text of several lines, which
// begins behind an offset.
func endOfHeredoc(src []byte, at int, name []byte) int {
	for at < len(src) {
		end := at + 1 + bytes.IndexByte(src[min(at+1, len(src)):], '\n')
		if end == at {
			end = len(src)
		}
		if bytes.Equal(bytes.TrimSpace(src[min(at+1, len(src)):end]), name) {
			return end
		}
		at = end
	}
	return len(src)
}

// unfinished erases the operator or dot that ends a line, if the next one ends the
// block around it, and a dot in front of any other statement.
func (m *rubyMender) unfinished(end int) {
	first := skipSpaces(m.src, min(end, len(m.src)))
	next := m.src[min(first, len(m.src)):word(m.src, min(first, len(m.src)))]
	last, gone := m.end-1, ""
	switch {
	case len(next) == 0 && first >= len(m.src)-1, string(next) == "end":
		gone = ".=+<&"
	case rubyStatements[string(next)]:
		gone = "."
	}
	for last > 0 && len(m.open) == 0 && strings.IndexByte(gone, m.src[last]) >= 0 {
		m.set(last, ' ')
		last = len(bytes.TrimRight(m.src[:last], " \t")) - 1
	}
}

// rubyStatements begin a statement, and no method is called by such a name with its
// dot on the line before.
var rubyStatements = wordSet(`if unless while until case for begin return def class module else elsif when rescue ensure`)

// rubyBlocks is how many more blocks a line opens than it ends.
func rubyBlocks(line []byte) int {
	n := 0
	switch first := string(line[:word(line, 0)]); first {
	case "class", "module", "if", "unless", "case", "begin", "while", "until", "for":
		n++
		if first == "while" || first == "until" || first == "for" {
			line = bytes.TrimSuffix(line, []byte(" do"))
		}
	case "def":
		if !isEndless(line) {
			n++
		}
	case "end":
		return -1
	}
	for _, word := range rubyValues {
		if i := bytes.Index(line, word); i >= 0 && (i+len(word) == len(line) || line[i+len(word)] == ' ') {
			n++
		}
	}
	code, _, _ := bytes.Cut(line, []byte(" #"))
	code = bytes.TrimRight(code, " ")
	if bytes.HasSuffix(code, []byte(" do")) || bytes.HasSuffix(code, []byte("& begin")) || bytes.HasSuffix(code, []byte("| begin")) ||
		bytes.HasSuffix(code, []byte("|")) && bytes.Contains(code, []byte(" do |")) {
		n++
	}
	if bytes.HasSuffix(code, []byte("; end")) || bytes.HasSuffix(code, []byte(" end")) {
		n--
	}
	return n
}

// rubyValues begin blocks that are values.
var rubyValues = [][]byte{[]byte("= if"), []byte("= unless"), []byte("= case"), []byte("= begin"), []byte("<< if"), []byte("(if"), []byte("(begin")}

// isEndless reports whether a def has its body behind an equals sign.
func isEndless(line []byte) bool {
	depth := 0
	for i, c := range line {
		switch c {
		case '(', '[':
			depth++
		case ')', ']':
			depth--
		case '=':
			if depth == 0 && i > 0 && line[i-1] == ' ' && i+1 < len(line) && line[i+1] == ' ' {
				return true
			}
		}
	}
	return false
}
