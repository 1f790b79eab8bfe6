package allocate

import (
	"strings"

	"readahead/index"
)

// A rawPage shows the text of one view as retrieval returned it, from its first
// line as far as it fits: the paper's baselines render so.
type rawPage struct {
	count func(string) int
	lines []string
	first int
}

func newRawPage(r Request, _ query, v index.View, _ []index.View) page {
	return rawPage{r.Tokens, splitLines(v.Text), v.Line}
}

func (p rawPage) prefix(n int) string {
	if n == 0 {
		return ""
	}
	return strings.Join(p.lines[:n], "\n") + "\n"
}

func (p rawPage) demand() int { return p.count(p.prefix(len(p.lines))) }

func (p rawPage) fit(b int) excerpt {
	n := extend(len(p.lines), func(n int) bool { return p.count(p.prefix(n)) <= b })
	x := excerpt{text: p.prefix(n), omitted: len(p.lines) - n}
	if n > 0 {
		x.lines = [][2]int{{p.first, p.first + n - 1}}
	}
	return x
}
