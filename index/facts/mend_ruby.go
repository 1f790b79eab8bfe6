package facts

import "bytes"

// mendRuby ends what is open at the end of the text: while a class is typed, its
// end is still to come, and without it the parser sees no class at all. Words
// are counted where they begin a line; text that has ends enough stays as it is.
// A dot at the end of the last statement of a block goes too.
func mendRuby(src []byte) []byte {
	m := mender{src: src}
	open := 0
	for at := 0; at < len(src); {
		end := at + bytes.IndexByte(src[at:], '\n')
		if end < at {
			end = len(src)
		}
		line := bytes.TrimSpace(src[at:end])
		open = max(0, open+rubyBlocks(line))
		if last := at + len(bytes.TrimRight(src[at:end], " \t\r")) - 1; last > at && src[last] == '.' && isWord(src[last-1]) {
			next := bytes.TrimLeft(src[end:], " \t\r\n")
			if len(next) == 0 || bytes.HasPrefix(next, []byte("end")) && (len(next) == 3 || !isWord(next[3])) {
				m.set(last, ' ')
			}
		}
		at = end + 1
	}
	out := m.finish()
	if open == 0 {
		return out
	}
	out = bytes.Clone(out)
	for range open {
		out = append(out, "\nend"...)
	}
	return out
}

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
	if code, _, _ := bytes.Cut(line, []byte(" #")); bytes.HasSuffix(code, []byte(" do")) ||
		bytes.HasSuffix(code, []byte("|")) && bytes.Contains(code, []byte(" do |")) {
		n++
	}
	if bytes.HasSuffix(line, []byte("; end")) || bytes.HasSuffix(line, []byte(" end")) {
		n--
	}
	return n
}

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
