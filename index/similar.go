package index

import (
	"math"
	"slices"
	"sync"
)

// contextWords are the sub-words of the code around the cursor: names that are
// made of the same words are about the same thing.
type contextWords map[string]wordWeight

// A wordWeight is how near a word stands in the lines before the cursor, and in the
// names of what the cursor stands in: 0 to 1.
type wordWeight struct{ near, owner float64 }

// nameLines is how many lines before the cursor lend their words.
const nameLines = 12

func (c *collector) contextWords() contextWords {
	w := contextWords{}
	left := lastLines(c.left(), nameLines)
	last := countLines(left)
	words(left, func(line int, term []byte) {
		x := w[string(term)]
		x.near = max(x.near, 1/(1+float64(last-line)/4))
		w[string(term)] = x
	})
	weight := 1.0
	for o := c.object; o > 0; o = int(c.self.objects[o].parent) {
		words([]byte(c.snap.names.str(c.self.objects[o].name)), func(_ int, term []byte) {
			x := w[string(term)]
			x.owner = max(x.owner, weight)
			w[string(term)] = x
		})
		weight /= 2
	}
	return w
}

// overlap is the share of a name's words, by rarity, that stand near the cursor,
// and how near, and the share of those that name what it stands in: 0 to 1.
func (p *nameParts) overlap(weights map[partID]wordWeight) (near, owner float64) {
	if p.rarity == 0 {
		return 0, 0
	}
	for _, part := range p.words {
		x := weights[part.id]
		near += part.rarity * x.near
		owner += part.rarity * x.owner
	}
	return near / p.rarity, owner / p.rarity
}

// A namePart is one of the words that a name is made of, and how rare it is in the
// workspace's windows.
type namePart struct {
	id     partID
	rarity float64
}

// A partID stands for a word that names are made of.
type partID uint32

// nameParts are the words of a name, and the sum of their rarities.
type nameParts struct {
	words  []namePart
	rarity float64
}

// knownParts remembers the parts of names that were asked for: queries meet the same
// ones. It holds for one segment, by which rarity goes.
type knownParts struct {
	mu    sync.Mutex
	known map[nameID]*nameParts
	ids   map[string]partID
}

// maxKnownParts bounds their number, at some hundred bytes a name, but for those of
// one query.
const maxKnownParts = 1 << 16

// look gives each candidate the parts of its name, and returns the words of the
// context by the same IDs.
func (k *knownParts) look(candidates []candidate, context contextWords, all *names, base *segment) map[partID]wordWeight {
	k.mu.Lock()
	defer k.mu.Unlock()
	if k.known == nil || len(k.known) >= maxKnownParts {
		k.known, k.ids = map[nameID]*nameParts{}, map[string]partID{}
	}
	for i := range candidates {
		name := candidates[i].at.object().name
		parts, ok := k.known[name]
		if !ok {
			parts = k.split(name, all, base)
			k.known[name] = parts
		}
		candidates[i].parts = parts
	}
	out := map[partID]wordWeight{}
	for text, weight := range context {
		if id, ok := k.ids[text]; ok {
			out[id] = weight
		}
	}
	return out
}

func (k *knownParts) split(name nameID, all *names, base *segment) *nameParts {
	parts := &nameParts{}
	windows := float64(max(1, len(base.windowFile)))
	words([]byte(all.str(name)), func(_ int, term []byte) {
		text, n := string(term), 0.0
		if id, known := all.find(text); known {
			_, frequency := base.termPostings(id)
			n = float64(frequency)
		}
		id, ok := k.ids[text]
		if !ok {
			id = partID(len(k.ids))
			k.ids[text] = id
		}
		p := namePart{id, math.Log(1 + windows/(1+n))}
		parts.words, parts.rarity = append(parts.words, p), parts.rarity+p.rarity
	})
	return parts
}

// A taker compares what functions take with what is in scope.
type taker struct{ types, names idSet }

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

func (c *collector) taker() *taker {
	t := &taker{}
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
