package embedded

import (
	"slices"
	"sync"
)

// Counts are what followed one context, and how often.
//
// Behind k words they say, after Kneser and Ney, not how often a unit occurred
// but in how many different contexts of k+1 words: shorter contexts are asked
// when the longer one fails, and then a unit that is frequent behind one single
// phrase (“Francisco”) says little.
type counts struct {
	items []item   // sorted by unit
	top   []uint32 // places of the most frequent items, if there are more than maxTop
	total int
}

type item struct {
	unit unit
	n    uint32
}

// maxTop is how many units of one context are looked at when drawing. Further
// ones still have their exact probability; they are just not drawn.
const maxTop = 256

func (c *counts) of(u unit) uint32 {
	lo, hi := 0, len(c.items)
	for lo < hi {
		if m := int(uint(lo+hi) >> 1); c.items[m].unit < u {
			lo = m + 1
		} else {
			hi = m
		}
	}
	if lo < len(c.items) && c.items[lo].unit == u {
		return c.items[lo].n
	}
	return 0
}

// best calls f for the most frequent units.
func (c *counts) best(f func(unit)) {
	if len(c.items) <= maxTop {
		for _, it := range c.items {
			f(it.unit)
		}
		return
	}
	for _, i := range c.top {
		f(c.items[i].unit)
	}
}

// A tally counts the units of one span. It is as large as the vocabulary, so it
// is kept.
type tally struct {
	n     []uint32
	group []uint32 // the last group that the unit was seen in
	seen  []unit
}

var tallies = sync.Pool{New: func() any { return new(tally) }}

// count tallies the units of span s, whose places share k words of context.
func (c *corpus) count(s span, k int) *counts {
	t := c.tally()
	defer tallies.Put(t)
	group := uint32(0)
	for i := s.from; i < s.to; i++ {
		if k == contextWords || i == s.from || int(c.shared[i]) <= k {
			group++ // another context of k+1 words
		}
		if u := c.next[i]; t.n[u] == 0 || t.group[u] != group {
			t.add(u)
			t.group[u] = group
		}
	}
	return t.counts()
}

// countGoverned tallies the units of a span of the governed order.
func (c *corpus) countGoverned(s span) *counts {
	t := c.tally()
	defer tallies.Put(t)
	for _, p := range c.governed[s.from:s.to] {
		t.add(c.units[p])
	}
	return t.counts()
}

func (c *corpus) tally() *tally {
	t := tallies.Get().(*tally)
	if need := 2 * len(c.words); len(t.n) < need {
		t.n, t.group = make([]uint32, need), make([]uint32, need)
	}
	return t
}

func (t *tally) add(u unit) {
	if t.n[u] == 0 {
		t.seen = append(t.seen, u)
	}
	t.n[u]++
}

func (t *tally) counts() *counts {
	slices.Sort(t.seen)
	c := &counts{items: make([]item, len(t.seen))}
	for i, u := range t.seen {
		n := t.n[u]
		c.items[i] = item{u, n}
		c.total += int(n)
		t.n[u] = 0
	}
	t.seen = t.seen[:0]
	c.rank()
	return c
}

func (c *counts) rank() {
	if len(c.items) <= maxTop {
		return
	}
	all := make([]uint32, len(c.items))
	for i := range all {
		all[i] = uint32(i)
	}
	slices.SortFunc(all, func(a, b uint32) int {
		if x, y := c.items[a].n, c.items[b].n; x != y {
			return int(y) - int(x)
		}
		return int(a) - int(b)
	})
	c.top = slices.Clone(all[:maxTop])
}

// A contextMemo keeps the counts of contexts with many places, which are asked
// over and over and take long to count. Counting is pure, so that a race costs
// work and nothing else.
type contextMemo struct {
	mu sync.RWMutex
	m  map[uint64]*counts
}

const (
	memoPlaces   = 24      // counting fewer places is as cheap as looking them up
	memoContexts = 1 << 15 // bounds the memo: some 10 MB
)

// counts returns what followed in the places of s, which share k words.
func (c *corpus) counts(s span, k int) *counts {
	if s.len() < memoPlaces {
		return c.count(s, k)
	}
	return c.memo.get(uint64(k)<<32|uint64(s.from), func() *counts { return c.count(s, k) })
}

// governedCounts returns what followed in the places of s, a span of the governed
// order.
func (c *corpus) governedCounts(s span) *counts {
	if s.len() < memoPlaces {
		return c.countGoverned(s)
	}
	return c.memo.get(1<<63|uint64(s.from), func() *counts { return c.countGoverned(s) })
}

func (m *contextMemo) get(key uint64, count func() *counts) *counts {
	m.mu.RLock()
	n := m.m[key]
	m.mu.RUnlock()
	if n != nil {
		return n
	}
	n = count()
	m.mu.Lock()
	defer m.mu.Unlock()
	if m.m == nil {
		m.m = map[uint64]*counts{}
	}
	if len(m.m) < memoContexts {
		m.m[key] = n
	}
	return n
}
