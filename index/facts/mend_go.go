package facts

import "bytes"

// mendGo mends Go (see mender). It also turns new(f(x)), which the grammar is
// too old for, into a call of another function.
func mendGo(src []byte) []byte {
	m := mender{src: src}
	for i := 0; i < len(src); {
		switch c := src[i]; c {
		case ' ', '\t', '\n', '\r':
			i++
			continue
		case '/':
			if end := goCommentEnd(src, i); end > 0 {
				i = end
				continue
			}
			i++
		case '"', '\'':
			i = m.goQuoted(i)
		case '`':
			end := bytes.IndexByte(src[i+1:], '`')
			if end < 0 {
				m.set(i, '0')
				end = -1
			}
			i += end + 2
		case '(', '[', '{':
			m.push(i)
			i++
		case ')', ']', '}':
			m.pop(i)
			i++
		case '.':
			if m.danglesInGo(i) {
				m.set(i, ' ')
			}
			i++
		default:
			if !isWord(c) {
				i++
				break
			}
			end := word(src, i)
			if from := m.goWord(i, end); from < i {
				i = from
				continue
			}
			i = end
		}
		m.end = i
	}
	return m.finish()
}

// goCommentEnd returns the end of the comment at an offset, 0 if none begins
// there.
func goCommentEnd(src []byte, at int) int {
	rest := src[at:]
	end := -1
	switch {
	case bytes.HasPrefix(rest, []byte("//")):
		end = bytes.IndexByte(rest, '\n')
	case bytes.HasPrefix(rest, []byte("/*")):
		if end = bytes.Index(rest[2:], []byte("*/")); end >= 0 {
			end += 4
		}
	default:
		return 0
	}
	if end < 0 {
		return len(src)
	}
	return at + end
}

// goQuoted returns the end of the string or rune at an offset, and ends it where
// its line does.
func (m *mender) goQuoted(at int) int {
	quote := m.src[at]
	i := at + 1
	for ; i < len(m.src) && m.src[i] != '\n'; i++ {
		switch m.src[i] {
		case quote:
			return i + 1
		case '\\':
			if i+1 < len(m.src) && m.src[i+1] != '\n' {
				i++
			}
		}
	}
	m.endString(at, i, quote)
	return i
}

// goWord looks at the word from i to end for what it proves about the brackets
// around it, and returns where to go on: i, or an offset before it.
func (m *mender) goWord(i, end int) int {
	w := m.src[i:end]
	if string(w) == "new" && m.newOfExpression(end) {
		m.set(end-1, 'v')
		return i
	}
	if len(m.open) == 0 {
		return i
	}
	switch string(w) {
	case "func":
		if m.atMargin(i) && m.namesFunc(end) {
			return m.closeAll(i)
		}
	case "import", "package":
		if m.atMargin(i) {
			return m.closeAll(i)
		}
	case "const", "type", "var",
		"break", "case", "continue", "default", "defer", "else", "fallthrough", "for", "go", "goto", "if", "return",
		"select", "switch":
		if m.inParentheses() && startsLine(m.src, i) {
			m.closeParentheses(i)
		}
		if len(m.open) > 0 && m.atMargin(i) && (w[0] == 't' || w[0] == 'v' || string(w) == "const") {
			m.likely(i)
		}
	}
	return i
}

func (m *mender) atMargin(i int) bool { return i == 0 || m.src[i-1] == '\n' }

// namesFunc reports whether what follows func is a name, or a receiver and a
// name: then it is a declaration, which stands in no brackets.
func (m *mender) namesFunc(at int) bool {
	at = skipBlanks(m.src, at)
	if at == len(m.src) || m.src[at] != '(' {
		return at < len(m.src) && isWord(m.src[at])
	}
	end := bytes.IndexAny(m.src[at:], ")\n{")
	if end < 0 || m.src[at+end] != ')' {
		return false
	}
	name := skipBlanks(m.src, at+end+1)
	end = word(m.src, name)
	switch string(m.src[name:end]) {
	case "", "chan", "func", "interface", "map", "struct":
		return false
	}
	return end < len(m.src) && m.src[end] == '('
}

func skipBlanks(src []byte, at int) int {
	for at < len(src) && (src[at] == ' ' || src[at] == '\t') {
		at++
	}
	return at
}

// newOfExpression reports whether the parenthesis that follows new holds
// something that can't be a type.
func (m *mender) newOfExpression(at int) bool {
	src := m.src
	if at == len(src) || src[at] != '(' {
		return false
	}
	at = skipBlanks(src, at+1)
	if at == len(src) {
		return false
	}
	if c := src[at]; '0' <= c && c <= '9' || bytes.IndexByte([]byte("\"'`-+!&^"), c) >= 0 {
		return true
	}
	first := word(src, at)
	switch string(src[at:first]) {
	case "", "chan", "func", "interface", "map", "struct":
		return false
	}
	for at = first; at < len(src) && src[at] == '.'; {
		at = word(src, at+1)
	}
	at = skipBlanks(src, at)
	return at < len(src) && bytes.IndexByte([]byte(")[,\n/"), src[at]) < 0
}

// danglesInGo reports whether no name can follow the dot at an offset: a block
// or an argument list ends there, or a statement begins.
func (m *mender) danglesInGo(at int) bool {
	src := m.src
	if at == 0 || src[at-1] == '.' || m.end != at || endsNumber(src, at) {
		return false
	}
	next := at + 1
	for next < len(src) && isSpace(src[next]) {
		next++
	}
	if next == len(src) || src[next] == '}' || src[next] == ')' {
		return true
	}
	switch string(src[next:word(src, next)]) {
	case "break", "case", "continue", "default", "defer", "for", "func", "go", "goto", "if", "return", "select", "switch",
		"var":
		return startsLine(src, next)
	}
	return false
}

// endsNumber reports whether the word that ends at an offset begins with a
// digit.
func endsNumber(src []byte, end int) bool {
	start := end
	for start > 0 && isWord(src[start-1]) {
		start--
	}
	return start < end && '0' <= src[start] && src[start] <= '9'
}
