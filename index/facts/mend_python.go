package facts

import "bytes"

// mendPython mends Python (see mender): statements that begin a line can't stand
// in brackets, and a name must follow a dot on the same line outside of them.
func mendPython(src []byte) []byte {
	m := mender{src: src}
	for i := 0; i < len(src); {
		switch c := src[i]; c {
		case ' ', '\t', '\n', '\r', '\f':
			i++
			continue
		case '#':
			i = lineEnd(src, i)
			continue
		case '\\':
			if i++; i < len(src) {
				i++
			}
			continue
		case '"', '\'':
			i = m.pyQuoted(i, m.pyPrefix(i))
		case '(', '[', '{':
			m.push(i)
			i++
		case ')', ']', '}':
			m.pop(i)
			i++
		case '.':
			if m.danglesInPython(i) {
				m.set(i, ' ')
			}
			i++
		case '@':
			if len(m.open) > 0 && i+1 < len(src) && isWord(src[i+1]) && startsLine(src, i) {
				m.likely(i)
			}
			i++
		default:
			if !isWord(c) {
				i++
				break
			}
			end := word(src, i)
			if from := m.pyWord(i, end); from < i {
				i = from
				continue
			}
			i = end
		}
		m.end = i
	}
	return m.finish()
}

func lineEnd(src []byte, at int) int {
	if n := bytes.IndexByte(src[at:], '\n'); n >= 0 {
		return at + n
	}
	return len(src)
}

// pyWord is goWord for Python.
func (m *mender) pyWord(i, end int) int {
	if len(m.open) == 0 {
		return i
	}
	switch w := m.src[i:end]; string(w) {
	case "async":
		next := skipBlanks(m.src, end)
		if string(m.src[next:word(m.src, next)]) == "def" && startsLine(m.src, i) {
			return m.closeAll(i)
		}
	case "class", "def":
		if startsLine(m.src, i) {
			return m.closeAll(i)
		}
	case "assert", "break", "continue", "del", "elif", "except", "finally", "global", "import", "nonlocal", "pass",
		"raise", "return", "try", "while", "with":
		if startsLine(m.src, i) {
			m.retreat = retreat{}
			m.closeTo(0, i)
		}
	}
	return i
}

// pyPrefix returns the letters in front of a quote: rb, f.
func (m *mender) pyPrefix(quote int) []byte {
	start := quote
	for start > 0 && quote-start < 3 && isWord(m.src[start-1]) {
		start--
	}
	if quote-start > 2 || m.end != quote {
		return nil
	}
	return m.src[start:quote]
}

// pyQuoted returns the end of the string whose quote stands at an offset, and
// ends it where its line does.
func (m *mender) pyQuoted(at int, prefix []byte) int {
	quotes := pyQuotes(m.src, at)
	if bytes.ContainsAny(prefix, "fFtT") {
		if end := pyFormatEnd(m.src, at, 0); end > 0 {
			return end
		}
	}
	i := at + len(quotes)
	for ; i < len(m.src); i++ {
		switch {
		case m.src[i] == '\\':
			i++
		case m.src[i] == '\n' && len(quotes) == 1:
			m.endString(at, i, quotes[0])
			return i
		case m.src[i] == quotes[0] && bytes.HasPrefix(m.src[i:], quotes):
			return i + len(quotes)
		}
	}
	if len(quotes) == 1 {
		m.endString(at, len(m.src), quotes[0])
	}
	return len(m.src)
}

// pyQuotes returns the one or three quotes at an offset.
func pyQuotes(src []byte, at int) []byte {
	if at+2 < len(src) && src[at+1] == src[at] && src[at+2] == src[at] {
		return src[at : at+3]
	}
	return src[at : at+1]
}

// maxFormatDepth bounds how deep format strings are followed into each other.
const maxFormatDepth = 8

// pyFormatEnd returns the end of a format string, in whose braces strings with
// the same quotes may stand; 0 if it has none.
func pyFormatEnd(src []byte, at, depth int) int {
	if depth > maxFormatDepth {
		return 0
	}
	quotes := pyQuotes(src, at)
	for i := at + len(quotes); i < len(src); {
		switch c := src[i]; {
		case c == '\\':
			i += 2
		case c == '\n' && len(quotes) == 1:
			return 0
		case c == quotes[0] && bytes.HasPrefix(src[i:], quotes):
			return i + len(quotes)
		case c == '{' && i+1 < len(src) && src[i+1] == '{':
			i += 2
		case c == '{':
			if i = pyFieldEnd(src, i+1, depth); i == 0 {
				return 0
			}
		default:
			i++
		}
	}
	return 0
}

// pyFieldEnd returns the end of a replacement field, from behind its opening
// brace to behind its closing one. In the part behind the colon quotes are plain
// characters.
func pyFieldEnd(src []byte, i, depth int) int {
	brackets, spec := 0, 0
	for i < len(src) {
		switch c := src[i]; c {
		case '"', '\'':
			if spec > 0 && brackets == spec-1 {
				i++
				continue
			}
			end := pyFormatEnd(src, i, depth+1)
			if end == 0 {
				return 0
			}
			i = end
			continue
		case '(', '[', '{':
			brackets++
		case ')', ']':
			brackets--
		case '}':
			if brackets == 0 {
				return i + 1
			}
			brackets--
		case ':':
			if brackets == 0 {
				spec = 1
			}
		}
		i++
	}
	return 0
}

// danglesInPython reports whether no name can follow the dot at an offset: its
// line ends there.
func (m *mender) danglesInPython(at int) bool {
	src := m.src
	if at == 0 || len(m.open) > 0 || m.end != at || src[at-1] == '.' || src[at-1] == ' ' || endsNumber(src, at) {
		return false
	}
	next := skipBlanks(src, at+1)
	return (next == len(src) || src[next] == '\n' || src[next] == '\r' || src[next] == '#') && !fromImport(src, at)
}

// fromImport reports whether a line that ends at an offset begins with from or
// import, where dots may stand alone.
func fromImport(src []byte, at int) bool {
	line := bytes.TrimLeft(src[bytes.LastIndexByte(src[:at], '\n')+1:at], " \t")
	return bytes.HasPrefix(line, []byte("from ")) || bytes.HasPrefix(line, []byte("import "))
}
