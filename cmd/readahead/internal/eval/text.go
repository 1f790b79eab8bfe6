package eval

import (
	"strings"
	"unicode"
)

// Tokens estimates how many tokens a model's tokeniser makes of s: words in
// pieces of six letters, numbers in pieces of three digits, other characters in
// pairs, each line break, and blanks before something unless it is one space.
// It is a fixed yardstick: budgets and recalls counted with it mean the same
// for every model.
func Tokens(s string) int {
	n := 0
	for rs := []rune(s); len(rs) > 0; {
		length, counts := piece(rs)
		if counts {
			n++
		}
		rs = rs[length:]
	}
	return n
}

// piece is the length of the first piece of rs, in runes, and whether it is a
// token.
func piece(rs []rune) (length int, counts bool) {
	switch r := rs[0]; {
	case isLetter(r):
		return run(rs, 6, isLetter), true
	case unicode.IsDigit(r):
		return run(rs, 3, unicode.IsDigit), true
	case r == '\n':
		return 1, true
	case r == ' ' || r == '\t':
		n := run(rs, len(rs), func(r rune) bool { return r == ' ' || r == '\t' })
		before := n < len(rs) && !isSpace(rs[n])
		return n, before && !(n == 1 && r == ' ')
	case isSpace(r):
		return 1, false
	}
	return run(rs, 2, func(r rune) bool { return !isLetter(r) && !unicode.IsDigit(r) && !isSpace(r) }), true
}

// run is how many of the first most runes fit.
func run(rs []rune, most int, fits func(rune) bool) int {
	n := 0
	for n < min(most, len(rs)) && fits(rs[n]) {
		n++
	}
	return n
}

func isLetter(r rune) bool { return 'a' <= r && r <= 'z' || 'A' <= r && r <= 'Z' }

// isSpace is Unicode's white space and the four separators of ASCII.
func isSpace(r rune) bool { return unicode.IsSpace(r) || 0x1c <= r && r <= 0x1f }

// collapse has one space for every run of white space, and none at the ends.
func collapse(s string) string { return strings.Join(strings.FieldsFunc(s, isSpace), " ") }

func trim(s string) string { return strings.TrimFunc(s, isSpace) }

// commentOf opens a comment line in a language; "//" unless known better.
var commentOf = map[string]string{"python": "#", "py": "#", "ruby": "#", "rb": "#"}

// firstCodeLine is the first line that is neither blank nor a comment (Caret's
// canonical form of a completion); without one, all of s.
func firstCodeLine(s, lang string) string {
	comment, ok := commentOf[lang]
	if !ok {
		comment = "//"
	}
	for line := range strings.SplitSeq(s, "\n") {
		if line = trim(line); line != "" && !strings.HasPrefix(line, comment) {
			return line
		}
	}
	return trim(s)
}

// Canonical is the form of an answer to t in which it is compared: of a line
// task the first code line, of a task of k lines the first k, of a function all.
func (t *Task) Canonical(s string) string {
	if strings.HasSuffix(t.Subset, "_func") {
		return collapse(s)
	}
	k := t.EndLine - t.Line + 1
	if k <= 1 {
		return collapse(firstCodeLine(s, t.Lang))
	}
	lines := strings.Split(strings.Trim(s, "\n"), "\n")
	return collapse(strings.Join(lines[:min(k, len(lines))], "\n"))
}

// EditSimilarity is 1 − Levenshtein distance / longer length, in characters.
func EditSimilarity(a, b string) float64 {
	x, y := []rune(a), []rune(b)
	longer := max(len(x), len(y))
	if longer == 0 {
		return 1
	}
	return 1 - float64(distance(x, y))/float64(longer)
}

// distance is Levenshtein's: the fewest insertions, deletions and replacements.
func distance(a, b []rune) int {
	row := make([]int, len(b)+1)
	for j := range row {
		row[j] = j
	}
	for i, x := range a {
		diagonal := row[0]
		row[0] = i + 1
		for j, y := range b {
			cost := 1
			if x == y {
				cost = 0
			}
			diagonal, row[j+1] = row[j+1], min(row[j+1]+1, row[j]+1, diagonal+cost)
		}
	}
	return row[len(b)]
}

// squeeze is a text without blank lines and with single spaces: what counts
// when code is looked for in a rendering.
func squeeze(s string) string {
	var lines []string
	for line := range strings.SplitSeq(s, "\n") {
		if line = collapse(line); line != "" {
			lines = append(lines, line)
		}
	}
	return strings.Join(lines, "\n")
}

// contains reports whether all of code stands, line for line, in a squeezed text.
func contains(squeezed, code string) bool {
	return strings.Contains("\n"+squeezed+"\n", "\n"+squeeze(code)+"\n")
}

// clip is the longest beginning of whole lines that takes at most budget tokens.
func clip(s string, budget int) string {
	used, end := 0, 0
	for rest := s; ; {
		line, _, more := strings.Cut(rest, "\n")
		if used += Tokens(line + "\n"); used > budget {
			return strings.TrimSuffix(s[:end], "\n")
		}
		if !more {
			return s
		}
		end += len(line) + 1
		rest = rest[len(line)+1:]
	}
}
