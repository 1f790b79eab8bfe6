package index

import (
	"math"
	"slices"
)

// contextWords are the sub-words of the code around the cursor: names that are
// made of the same words are about the same thing.
type contextWords struct {
	snap    *Snapshot
	windows float64
	near    map[string]float64 // in the lines before the cursor, by how near
	owner   map[string]float64 // in the names of what the cursor stands in
	rarity  map[string]float64 // known so far
}

// nameLines is how many lines before the cursor lend their words.
const nameLines = 12

func (c *collector) contextWords() *contextWords {
	w := &contextWords{
		snap: c.snap, windows: float64(max(1, len(c.snap.base.windowFile))),
		near: map[string]float64{}, owner: map[string]float64{}, rarity: map[string]float64{},
	}
	left := lastLines(c.left(), nameLines)
	last := countLines(left)
	words(left, func(line int, term []byte) {
		w.near[string(term)] = max(w.near[string(term)], 1/(1+float64(last-line)/4))
	})
	weight := 1.0
	for o := c.object; o > 0; o = int(c.self.objects[o].parent) {
		words([]byte(c.snap.names.str(c.self.objects[o].name)), func(_ int, term []byte) {
			w.owner[string(term)] = max(w.owner[string(term)], weight)
		})
		weight /= 2
	}
	return w
}

// rare is how rare a word is in the workspace's windows.
func (w *contextWords) rare(word []byte) float64 {
	r, ok := w.rarity[string(word)]
	if !ok {
		n, word := 0.0, string(word)
		if id, known := w.snap.names.find(word); known {
			_, frequency := w.snap.base.termPostings(id)
			n = float64(frequency)
		}
		r = math.Log(1 + w.windows/(1+n))
		w.rarity[word] = r
	}
	return r
}

// overlap is the share of a name's words, by rarity, that stand near the cursor,
// and how near, and the share of those that name what it stands in: 0 to 1.
func (w *contextWords) overlap(name string) (near, owner float64) {
	var all float64
	words([]byte(name), func(_ int, term []byte) {
		r := w.rare(term)
		all += r
		near += r * w.near[string(term)]
		owner += r * w.owner[string(term)]
	})
	if all == 0 {
		return 0, 0
	}
	return near / all, owner / all
}

// A taker compares what functions take with what is in scope.
type taker struct {
	types, names idSet
	fits         map[*file]map[int]taken
}

// A taken is what one function takes that is in scope.
type taken struct{ byType, byName bool }

// An idSet is a small set of names that is asked for many others.
type idSet struct {
	ids  []nameID
	mask uint64 // of their lowest bits: most others are told apart by it
}

func (s *idSet) add(id nameID) {
	if s.has(id) {
		return
	}
	s.ids = append(s.ids, id)
	s.mask |= 1 << (id & 63)
}

func (s *idSet) has(id nameID) bool { return s.mask>>(id&63)&1 == 1 && slices.Contains(s.ids, id) }

func (c *collector) takes() *taker {
	t := &taker{fits: map[*file]map[int]taken{}}
	for o := c.object; o > 0; o = int(c.self.objects[o].parent) {
		for _, b := range c.self.binds {
			if int(b.object) == o && int(b.at) <= c.Offset {
				t.names.add(b.name)
				if b.typ != 0 {
					t.types.add(b.typ)
				}
			}
		}
	}
	return t
}

// match is 1 for each that fits.
func (t *taker) match(at site) (byType, byName float64) {
	fits, ok := t.fits[at.file]
	if !ok {
		fits = t.of(at.file)
		t.fits[at.file] = fits
	}
	x := fits[at.obj]
	return indicator(x.byType), indicator(x.byName)
}

// of are the functions of a file that take something in scope.
func (t *taker) of(f *file) map[int]taken {
	var out map[int]taken
	for _, b := range f.binds {
		byType, byName := b.typ != 0 && t.types.has(b.typ), t.names.has(b.name)
		if !byType && !byName {
			continue
		}
		if o := &f.objects[b.object]; b.at > o.body.Start && o.body.Len() > 0 {
			continue
		}
		if out == nil {
			out = map[int]taken{}
		}
		x := out[int(b.object)]
		out[int(b.object)] = taken{x.byType || byType, x.byName || byName}
	}
	return out
}
