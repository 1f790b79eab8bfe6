package index

import (
	"math"
	"slices"
	"sync"
)

// contextWords are the sub-words of the code around the cursor: names that are
// made of the same words are about the same thing.
type contextWords struct {
	names   *names
	base    *segment
	weights map[string]wordWeight
}

// A wordWeight is how near a word stands in the lines before the cursor, and in the
// names of what the cursor stands in: 0 to 1.
type wordWeight struct{ near, owner float64 }

// nameLines is how many lines before the cursor lend their words.
const nameLines = 12

func (c *collector) contextWords() *contextWords {
	w := &contextWords{names: c.snap.names, base: c.snap.base, weights: map[string]wordWeight{}}
	left := lastLines(c.left(), nameLines)
	last := countLines(left)
	words(left, func(line int, term []byte) {
		x := w.weights[string(term)]
		x.near = max(x.near, 1/(1+float64(last-line)/4))
		w.weights[string(term)] = x
	})
	weight := 1.0
	for o := c.object; o > 0; o = int(c.self.objects[o].parent) {
		words([]byte(c.snap.names.str(c.self.objects[o].name)), func(_ int, term []byte) {
			x := w.weights[string(term)]
			x.owner = max(x.owner, weight)
			w.weights[string(term)] = x
		})
		weight /= 2
	}
	return w
}

// overlap is the share of a name's words, by rarity, that stand near the cursor,
// and how near, and the share of those that name what it stands in: 0 to 1.
func (w *contextWords) overlap(name nameID) (near, owner float64) {
	parts := w.base.parts.of(name, w.names, w.base)
	if parts.rarity == 0 {
		return 0, 0
	}
	for _, p := range parts.words {
		x := w.weights[p.text]
		near += p.rarity * x.near
		owner += p.rarity * x.owner
	}
	return near / parts.rarity, owner / parts.rarity
}

// A namePart is one of the words that a name is made of, and how rare it is in the
// workspace's windows.
type namePart struct {
	text   string
	rarity float64
}

// nameParts are the words of a name, and the sum of their rarities.
type nameParts struct {
	words  []namePart
	rarity float64
}

// knownParts remembers the parts of names that were asked for: queries meet the same
// ones. It holds for one segment, by which rarity goes.
type knownParts struct {
	mu    sync.RWMutex
	known map[nameID]nameParts
}

// maxKnownParts bounds their number, at some hundred bytes a name.
const maxKnownParts = 1 << 16

func (k *knownParts) of(name nameID, all *names, base *segment) nameParts {
	k.mu.RLock()
	parts, ok := k.known[name]
	k.mu.RUnlock()
	if ok {
		return parts
	}
	windows := float64(max(1, len(base.windowFile)))
	words([]byte(all.str(name)), func(_ int, term []byte) {
		p, n := namePart{text: string(term)}, 0.0
		if id, known := all.find(p.text); known {
			_, frequency := base.termPostings(id)
			n = float64(frequency)
		}
		p.rarity = math.Log(1 + windows/(1+n))
		parts.words, parts.rarity = append(parts.words, p), parts.rarity+p.rarity
	})
	k.mu.Lock()
	defer k.mu.Unlock()
	if k.known == nil || len(k.known) >= maxKnownParts {
		k.known = map[nameID]nameParts{}
	}
	k.known[name] = parts
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

func (c *collector) takes() *taker {
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

// match is 1 for each that fits; m is what the query knows of the file.
func (t *taker) match(at site, m *met) (byType, byName float64) {
	if !m.compared {
		m.takes, m.compared = t.of(at.file), true
	}
	if m.takes == nil {
		return 0, 0
	}
	x := m.takes[at.obj]
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
