package index

import (
	"cmp"
	"math"
	"slices"

	"readahead/index/facts"
)

// What follows elsewhere: where the names before the cursor are used in other
// places of the workspace, the names that come next there are likely to come
// next here. Names vote by how near they stand to the cursor and how rare they
// are; the votes go to names, which are resolved at the end.
const (
	// contextRefs is how many uses before the cursor vote.
	contextRefs = 24
	// commonFiles is the number of files from which on a name is too common to
	// tell two places apart; it still votes with the first of them.
	commonFiles = 150
	// scanBudget bounds the references that are looked at, over all votes.
	scanBudget = 400_000
	// ahead and behind bound the neighbourhood of a use that votes are cast in.
	ahead, behind = 16, 6
	// maxVoted is how many names are resolved in the end.
	maxVoted = 80
)

// A vote is what speaks for one name.
type vote struct {
	name     nameID
	follows  float64 // seen behind a name that stands before the cursor
	together float64 // seen around one
	similar  float64 // used in windows that read alike
}

// Votes are by name. A query casts tens of thousands of them, so that the place
// of a name's vote is looked up in an array over all names, which one query
// after another uses.
type votes struct {
	list  []vote
	place []uint32 // by name: one more than the place in list; all zero between queries
}

var ballots = newSpare(func() *votes { return new(votes) })

// of is the vote of a name; the pointer holds until the next call.
func (v *votes) of(name nameID) *vote {
	if int(name) >= len(v.place) {
		v.place = append(v.place, make([]uint32, int(name)+1-len(v.place))...)
	}
	if at := v.place[name]; at > 0 {
		return &v.list[at-1]
	}
	v.list = append(v.list, vote{name: name})
	v.place[name] = uint32(len(v.list))
	return &v.list[len(v.list)-1]
}

// clear forgets the votes.
func (v *votes) clear() {
	for _, x := range v.list {
		v.place[x.name] = 0
	}
	v.list = v.list[:0]
}

func (c *collector) fromElsewhere() {
	v := ballots.take()
	defer func() {
		v.clear()
		ballots.give(v)
	}()
	budget := scanBudget
	for _, w := range c.voters() {
		if budget <= 0 {
			break
		}
		budget -= c.poll(v, w)
	}
	c.pollSimilar(v)
	c.elect(v)
}

// similarWindows is how many of the most similar windows vote.
const similarWindows = 24

// pollSimilar has the code that reads like the code before the cursor vote for
// what it uses.
func (c *collector) pollSimilar(v *votes) {
	hits := c.hits()
	for i, h := range hits[:min(len(hits), similarWindows)] {
		t, err := c.snap.texts.of(h.file)
		if err != nil || !related(h.file, c.self) {
			continue
		}
		lines := windowSpan(h.file, h.window)
		start, end := t.span(lines)
		seen := map[nameID]bool{}
		at, _ := slices.BinarySearchFunc(h.file.refs, start, func(r ref, p uint32) int { return cmp.Compare(r.at, p) })
		for _, r := range h.file.refs[at:] {
			if r.at >= end {
				break
			}
			if !seen[r.name] {
				seen[r.name] = true
				v.of(r.name).similar += h.score / hits[0].score / float64(3+i)
			}
		}
	}
}

// A voter is a name used before the cursor.
type voter struct {
	name   nameID
	weight float64
	files  int
}

// voters are the last uses before the cursor, the most telling first.
func (c *collector) voters() []voter {
	before := c.self.refs
	for i, r := range before {
		if int(r.at) >= c.Offset {
			before = before[:i]
			break
		}
	}
	t := &text{lines: lineStarts(c.text)}
	seen := map[nameID]bool{}
	var out []voter
	for _, r := range slices.Backward(before) {
		if len(out) == contextRefs {
			break
		}
		if seen[r.name] || r.role() == facts.ImportUse {
			continue
		}
		seen[r.name] = true
		files := 1 + c.usageOf(r.name).count // the document is one
		rarity := 1 / math.Log2(2+float64(files))
		out = append(out, voter{r.name, rarity * c.near(t.line(r.at), useHalf), files})
	}
	slices.SortStableFunc(out, func(a, b voter) int { return cmp.Compare(b.weight, a.weight) })
	return out
}

// poll lets one name vote and returns the number of references it looked at.
func (c *collector) poll(v *votes, w voter) int {
	cost, files := 0, 0
	for f, m := range c.snap.mentioning(w.name) {
		if !related(f, c.self) || f.generated {
			continue
		}
		if files++; files > commonFiles {
			break
		}
		cost += len(f.refs)
		weight := w.weight * c.kinship(f)
		refs := f.refs
		if f == c.self {
			for i, r := range refs {
				if int(r.at) >= c.Offset {
					refs = refs[:i]
					break
				}
			}
		}
		left := int(m.uses)
		if left == maxUses {
			left = len(refs)
		}
		for i := 0; i < len(refs) && left > 0; i++ {
			if refs[i].name == w.name {
				v.cast(refs, i, weight)
				left--
			}
		}
	}
	return cost
}

// kinship is how much a file's habits say about the document's.
func (c *collector) kinship(f *file) float64 {
	switch {
	case f == c.self:
		return 1
	case dirOf(f.rel) == dirOf(c.self.rel):
		return 0.8
	}
	return 0.5
}

// cast spreads one occurrence's votes over its neighbours in the same object.
func (v *votes) cast(refs []ref, at int, weight float64) {
	for i := at + 1; i < min(len(refs), at+1+ahead); i++ {
		if refs[i].object() != refs[at].object() {
			break
		}
		if refs[i].name == refs[at].name {
			continue
		}
		v.of(refs[i].name).follows += weight / float64(2+i-at)
	}
	for i := max(0, at-behind); i < min(len(refs), at+1+ahead); i++ {
		if i != at && refs[i].object() == refs[at].object() {
			v.of(refs[i].name).together += weight
		}
	}
}

// elect gives the votes of the names to the objects that they can mean.
func (c *collector) elect(v *votes) {
	c.give(v, func(x *vote) float64 { return x.follows }, fFollows, "comes next in similar code")
	c.give(v, func(x *vote) float64 { return x.similar }, fSimilar, "used in similar code")
	c.give(v, func(x *vote) float64 { return x.together }, fTogether, "used together with nearby names")
}

// give raises a feature of what the names with the most votes of one kind mean,
// in proportion to the votes of the first.
func (c *collector) give(v *votes, of func(*vote) float64, f feature, why string) {
	top := heap[*vote]{better: func(a, b *vote) bool {
		if d := cmp.Compare(of(a), of(b)); d != 0 {
			return d > 0
		}
		return c.snap.names.str(a.name) < c.snap.names.str(b.name)
	}}
	for i := range v.list {
		if x := &v.list[i]; of(x) > 0 {
			top.offer(x, maxVoted)
		}
	}
	best := top.sorted()
	for _, x := range best {
		for _, s := range c.meant(x.name) {
			c.add(s.site, f, s.weight*of(x)/of(best[0]), why)
		}
	}
}

type meaning struct {
	site
	weight float64
}

// maxMeanings is how many objects share the votes of an ambiguous name.
const maxMeanings = 12

// meant are the objects that a name elsewhere in the workspace can mean, those
// that this document sees for certain first; ambiguity divides the weight.
func (c *collector) meant(name nameID) []meaning {
	var sure, maybe []site
	for _, s := range c.calledSo(name) {
		if c.find(c.group(s)) != nil {
			sure = append(sure, s)
		} else {
			maybe = append(maybe, s)
		}
	}
	var out []meaning
	for i, s := range sure {
		if i < maxMeanings {
			out = append(out, meaning{s, 1 / math.Sqrt(float64(len(sure)))})
		}
	}
	if len(sure) > 0 {
		return out
	}
	for i, s := range maybe {
		if i < maxMeanings {
			out = append(out, meaning{s, 0.5 / float64(len(maybe))})
		}
	}
	return out
}

// calledSo are objects of a name that this document could mean, those of other files.
func (c *collector) calledSo(name nameID) []site {
	sites, ok := c.called[name]
	if ok {
		return sites
	}
	for s := range c.snap.named(name) {
		if !related(s.file, c.self) || s.file == c.self {
			continue
		}
		if sites = append(sites, s); len(sites) > 4*maxMeanings {
			break
		}
	}
	c.called[name] = sites
	return sites
}
