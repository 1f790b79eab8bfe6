package allocate

import "strings"

// A bodyLine is a line that a window may be centred on.
type bodyLine struct {
	text   string
	hinted bool // it belongs to the part that retrieval pointed at
}

// focus is the index of the line that the query is most about: the one with the
// most identifiers of the query, each weighing less the more lines have it, so
// that self or ctx on every line decides nothing; being hinted weighs as much as
// one identifier of its own. The first of equals wins.
//
// Blank lines and those for which usable is false are passed over; -1 if all are.
func focus(lines []bodyLine, q query, usable func(int) bool) int {
	hits, frequency := make([][]string, len(lines)), map[string]int{}
	for i := range lines {
		hits[i] = q.shared(lines[i].text)
		for _, id := range hits[i] {
			frequency[id]++
		}
	}
	best, bestWeight := -1, 0.0
	for i, ids := range hits {
		w := 0.0
		if lines[i].hinted {
			w = 1
		}
		for _, id := range ids {
			w += 1 / float64(frequency[id])
		}
		if (best < 0 || w > bestWeight) && strings.TrimSpace(lines[i].text) != "" && usable(i) {
			best, bestWeight = i, w
		}
	}
	return best
}
