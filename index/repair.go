package index

import "readahead/index/facts"

// repaired is the text to take facts from. Where everything after the cursor is
// hidden, the code ends in the middle of a function; a parser then makes of it
// what it can, and often not a function. So open brackets are closed, in the
// room that the hidden part leaves.
func repaired(q *query) []byte {
	if q.Lang != facts.Go && q.Hidden.Len() == 0 || int(q.Hidden.End) != len(q.text) || int(q.Hidden.Start) < q.Offset {
		return q.text
	}
	var closers []byte
	if facts.LanguageOf(q.Path, nil) == facts.Python || q.Lang == facts.Python {
		closers = []byte("pass")
	} else {
		closers = openBrackets(q.text[:q.Hidden.Start])
	}
	if len(closers) == 0 || len(closers) > q.Hidden.Len() {
		return q.text
	}
	out := append([]byte(nil), q.text...)
	copy(out[q.Hidden.Start:], closers)
	return out
}

// openBrackets are the brackets that close what Go code leaves open, innermost
// first.
func openBrackets(code []byte) []byte {
	var open []byte
	for i := 0; i < len(code); {
		if n := skipped(code[i:]); n > 0 {
			i += n
			continue
		}
		switch c := code[i]; c {
		case '(':
			open = append(open, ')')
		case '[':
			open = append(open, ']')
		case '{':
			open = append(open, '}')
		case ')', ']', '}':
			if len(open) > 0 && open[len(open)-1] == c {
				open = open[:len(open)-1]
			}
		}
		i++
	}
	for i, j := 0, len(open)-1; i < j; i, j = i+1, j-1 {
		open[i], open[j] = open[j], open[i]
	}
	return open
}

// skipped is the length of the comment or literal at the start of Go code.
func skipped(code []byte) int {
	until := func(from int, end string, escapes bool) int {
		for i := from; i < len(code); i++ {
			if escapes && code[i] == '\\' {
				i++
			} else if len(code)-i >= len(end) && string(code[i:i+len(end)]) == end {
				return i + len(end)
			}
		}
		return len(code)
	}
	switch {
	case code[0] == '"', code[0] == '\'':
		return until(1, string(code[:1]), true)
	case code[0] == '`':
		return until(1, "`", false)
	case len(code) > 1 && code[0] == '/' && code[1] == '/':
		return until(2, "\n", false)
	case len(code) > 1 && code[0] == '/' && code[1] == '*':
		return until(2, "*/", false)
	}
	return 0
}
