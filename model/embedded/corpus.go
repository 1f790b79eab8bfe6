package embedded

import (
	"cmp"
	"slices"
	"sort"
	"sync"
)

// A corpus is one immutable version of everything that was trained: the units of
// all files, and their positions sorted by what stands before them.
//
//	units  … ( x , y ) ⏎ return f ( x …     one file after another
//	order  positions of units, sorted by the word before, then the one before that, …
//	next   the units at these positions
//	shared how many words of context each position shares with its neighbour
//
// All places with the same last k words are neighbours in this order, for every
// k at once. What followed a context, and how often, is one slice of next. So
// one sort is all the training there is, and contexts need no tables of their own.
type corpus struct {
	vocab  *vocabulary
	words  []string // vocabulary when this version was made
	units  []unit   // append-only: later versions share the array
	order  []uint32
	next   []unit
	shared []uint8  // of order[i-1] and order[i], at most contextWords
	first  []uint32 // first[w]: where the contexts ending in word w start; len(words)+1 long

	keys     []uint32 // the governor's at each of units; append-only too
	governed []uint32 // positions sorted by key

	files map[string]extent
	live  int // tokens of files; the rest of units is garbage and padding

	memo  contextMemo
	once  sync.Once
	spell *spelling
}

// An extent is where the units of one file stand, its padding left out.
type extent struct{ from, to int }

// contextWords is the longest context in words; also the padding before a file,
// so that no context reaches into the file before. A power of two: the sort
// doubles up to it.
const contextWords = 8

// padding stands before every text.
var padding = slices.Repeat([]unit{begin.bare()}, contextWords)

func emptyCorpus() *corpus {
	v := newVocabulary()
	return (&corpus{vocab: v, words: v.words}).index(nil)
}

// with is c after the files of change have been replaced by their new units; a
// file without units is forgotten. A small change is merged into the old order,
// a big one, or one too many, is laid out and sorted afresh.
func (c *corpus) with(change map[string][]unit) *corpus {
	n := &corpus{vocab: c.vocab, words: c.vocab.words, units: c.units, keys: c.keys, live: c.live}
	n.files = make(map[string]extent, len(c.files)+len(change))
	var dead []extent
	for path, e := range c.files {
		if _, changed := change[path]; changed {
			dead = append(dead, e)
			n.live -= e.to - e.from
			continue
		}
		n.files[path] = e
	}
	fresh := 0
	for _, units := range change {
		fresh += len(units)
	}
	n.live += fresh
	if fresh > len(c.order)/8 || len(c.units) > 2*n.live+minGarbage {
		return n.rebuilt(change)
	}
	n.add(change)
	added := n.positions(len(c.units))
	slices.SortFunc(added, n.compareKeys)
	n.governed = merge(dropDead(slices.Clone(c.governed), dead), added, n.compareKeys)
	slices.SortFunc(added, n.compare)
	return n.index(merge(dropDead(slices.Clone(c.order), dead), added, n.compare))
}

// minGarbage is how many dead units are not worth a compaction.
const minGarbage = 1 << 16

// rebuilt lays out the files that c kept and those of change in a new array.
func (c *corpus) rebuilt(change map[string][]unit) *corpus {
	old, size := c.units, c.live+contextWords*(len(c.files)+len(change))
	c.units, c.keys = make([]unit, 0, size), make([]uint32, 0, size)
	for _, path := range sortedKeys(c.files) {
		e := c.files[path]
		c.files[path] = c.lay(old[e.from:e.to])
	}
	c.add(change)
	c.governed = sortKeys(c.positions(0), c.keys)
	return c.index(slices.DeleteFunc(sortContexts(c.units), func(p uint32) bool {
		return c.units[p].word() == begin
	}))
}

func (c *corpus) add(change map[string][]unit) {
	for _, path := range sortedKeys(change) {
		if units := change[path]; len(units) > 0 {
			c.files[path] = c.lay(units)
		}
	}
}

// lay appends one file behind its padding.
func (c *corpus) lay(units []unit) extent {
	c.units = append(c.units, padding...)
	from := len(c.units)
	c.units = append(c.units, units...)
	c.keys = append(c.keys, make([]uint32, contextWords)...)
	var g governor
	for _, u := range units {
		c.keys = append(c.keys, g.key())
		g.push(u)
	}
	return extent{from, len(c.units)}
}

// positions are those of the units from i on, without padding.
func (c *corpus) positions(i int) []uint32 {
	out := make([]uint32, 0, len(c.units)-i)
	for ; i < len(c.units); i++ {
		if c.units[i].word() != begin {
			out = append(out, uint32(i))
		}
	}
	return out
}

// dropDead removes the positions inside dead extents, in place.
func dropDead(order []uint32, dead []extent) []uint32 {
	slices.SortFunc(dead, func(a, b extent) int { return a.from - b.from })
	return slices.DeleteFunc(order, func(p uint32) bool {
		i, found := slices.BinarySearchFunc(dead, int(p), func(e extent, p int) int { return e.from - p })
		return found || i > 0 && int(p) < dead[i-1].to
	})
}

// merge puts a few sorted positions into their places among many.
func merge(order, added []uint32, compare func(p, q uint32) int) []uint32 {
	out := make([]uint32, 0, len(order)+len(added))
	for _, p := range added {
		i, _ := slices.BinarySearchFunc(order, p, compare)
		out = append(append(out, order[:i]...), p)
		order = order[i:]
	}
	return append(out, order...)
}

func (c *corpus) compareKeys(p, q uint32) int { return cmp.Compare(c.keys[p], c.keys[q]) }

// compare orders two positions by their contexts.
func (c *corpus) compare(p, q uint32) int {
	for k := uint32(1); k <= contextWords; k++ {
		if a, b := c.units[p-k].word(), c.units[q-k].word(); a != b {
			return int(a) - int(b)
		}
	}
	return 0
}

// index derives everything else from an order.
func (c *corpus) index(order []uint32) *corpus {
	c.order = order
	c.next = make([]unit, len(order))
	c.shared = make([]uint8, len(order))
	c.first = make([]uint32, len(c.words)+1)
	w := word(0)
	for i, p := range order {
		c.next[i] = c.units[p]
		if i > 0 {
			c.shared[i] = c.sharedContext(order[i-1], p)
		}
		for ; c.shared[i] == 0 && w <= c.units[p-1].word(); w++ {
			c.first[w] = uint32(i)
		}
	}
	for ; int(w) < len(c.first); w++ {
		c.first[w] = uint32(len(order))
	}
	return c
}

func (c *corpus) sharedContext(p, q uint32) uint8 {
	k := uint32(1)
	for k <= contextWords && c.units[p-k].word() == c.units[q-k].word() {
		k++
	}
	return uint8(k - 1)
}

// A span is a slice of the order: the places that share a context.
type span struct{ from, to uint32 }

func (s span) len() int { return int(s.to - s.from) }

// ends is where the contexts that end in w stand.
func (c *corpus) ends(w word) span {
	if int(w) >= len(c.words) {
		return span{}
	}
	return span{c.first[w], c.first[w+1]}
}

// narrow cuts s, the places that share k words of context, to those where w
// stands before these words.
func (c *corpus) narrow(s span, k int, w word) span {
	at := func(i uint32) word { return c.units[c.order[i]-uint32(k)-1].word() }
	lo, hi := s.from, s.to
	for lo < hi {
		if m := lo + (hi-lo)/2; at(m) < w {
			lo = m + 1
		} else {
			hi = m
		}
	}
	from, hi := lo, s.to
	for lo < hi {
		if m := lo + (hi-lo)/2; at(m) <= w {
			lo = m + 1
		} else {
			hi = m
		}
	}
	return span{from, lo}
}

// governs is where key governs.
func (c *corpus) governs(key uint32) span {
	at := func(p, key uint32) int { return cmp.Compare(c.keys[p], key) }
	from, _ := slices.BinarySearchFunc(c.governed, key, at)
	n := sort.Search(len(c.governed)-from, func(i int) bool { return c.keys[c.governed[from+i]] > key })
	return span{uint32(from), uint32(from + n)}
}

func sortedKeys[V any](m map[string]V) []string {
	keys := make([]string, 0, len(m))
	for k := range m {
		keys = append(keys, k)
	}
	slices.Sort(keys)
	return keys
}
