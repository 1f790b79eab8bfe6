package index

import (
	"cmp"
	"slices"

	"readahead/index/facts"
)

// A Part is a member of a type: its lines, and how probable it is that the next
// line uses it.
//
// A class of a hundred methods may be the best evidence there is and still have no
// room in a prompt. Which of its methods are meant, retrieval has an opinion on
// even where none of them is likely enough to be evidence by itself.
type Part struct {
	Line, EndLine int     // 1-based, both ends included, in the file of the type
	Score         float64 // 0 to 1; without what the workspace's usage of the name says, where that was not looked up
}

const (
	// longType is the length in bytes from which a type has parts. A shorter one
	// is shown whole under every sensible budget.
	longType = 2 << 10
	// partedTypes is how many of the best candidates may have parts: those that
	// positions are given out to by rank, and a few for those left out.
	partedTypes = 8
)

// parts are the candidates among the members of a long type, most probable first.
func (c *collector) parts(k *candidate) []Part {
	o := k.at.object()
	if o.kind != facts.Type || o.whole.Len() < longType {
		return nil
	}
	t, err := c.snap.texts.of(k.at.file)
	if err != nil {
		return nil // rendering the type says so
	}
	var out []Part
	for i := range k.at.file.objects {
		s := k.at.file.objects[i].whole
		if int(k.at.file.objects[i].parent) != k.at.obj || s.Len() == 0 || s.Start <= o.whole.Start || s.End > o.whole.End {
			continue
		}
		if m := c.find(site{k.at.file, i}); m != nil {
			out = append(out, Part{t.line(s.Start), t.line(s.End - 1), probability(m.logit)})
		}
	}
	slices.SortStableFunc(out, func(a, b Part) int { return cmp.Compare(b.Score, a.Score) })
	return out
}
