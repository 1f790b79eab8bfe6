package allocate

import (
	"strings"
	"testing"
)

func TestFocus(t *testing.T) {
	for _, tc := range []struct {
		sentence string
		lines    string // separated by |; > marks what retrieval pointed at, ! what does not fit
		terms    string
		want     int
	}{
		{"the line that shares most with the query", "a | a b | b", "a b", 1},
		{"a term on every line decides nothing against a rare one", "ctx db | ctx db | ctx total", "ctx db total", 2},
		{"nor do two against a rare one and another", "ctx | ctx rare | ctx", "ctx rare", 1},
		{"without any hit what retrieval pointed at", "x | > y | > z", "total", 1},
		{"without that the first line", "| x | y", "total", 1},
		{"being pointed at weighs as much as one rare term", "total | > x", "total", 0},
		{"and more than a frequent one", "total | total | > x", "total", 2},
		{"a line that does not fit is passed over", "! a b | a | c", "a b", 1},
		{"if none fits there is none", "! a | ! b", "a", -1},
		{"nor in an empty body", "", "a", -1},
	} {
		var lines []bodyLine
		unusable := map[int]bool{}
		for i, l := range strings.Split(tc.lines, "|") {
			l = strings.TrimSpace(l)
			l, hinted := strings.CutPrefix(l, ">")
			l, huge := strings.CutPrefix(l, "!")
			unusable[i] = huge
			lines = append(lines, bodyLine{l, hinted})
		}
		got := focus(lines, newQuery(strings.Fields(tc.terms)), func(i int) bool { return !unusable[i] })
		if got != tc.want {
			t.Errorf("%s: line %d, want %d", tc.sentence, got, tc.want)
		}
	}
}
