package embedded

// A cache is the text that is read right now: evidence, code after the cursor,
// code before it, and behind that what is drawn or scored.
//
// Code repeats itself where it stands much more than it repeats the rest of the
// repository (Hellendoorn & Devanbu 2017, §3.2), so the cache has counts of its
// own for every context length. A few thousand tokens need no sorting: places
// with the same last word are chained, and each is compared backwards.
//
// What is drawn or scored is context and teaches nothing: a sample would
// else talk itself into a loop.
type cache struct {
	units    []unit
	keys     []uint32 // the governor's at each place
	governor governor

	learned         int      // units up to here are counted
	prev            []int32  // of these, the place before with the same word; -1: none
	last            []int32  // by word: its last place, plus one; 0: none
	n               []uint32 // by unit: how often
	total, distinct int
}

// begin starts another text: no context reaches over it.
func (c *cache) begin() { c.push(begin.bare()) }

// push reads a unit of the prompt.
func (c *cache) push(u unit) {
	w := u.word()
	if int(w) >= len(c.last) {
		c.last = append(c.last, make([]int32, int(w)+1-len(c.last))...)
		c.n = append(c.n, make([]uint32, 2*len(c.last)-len(c.n))...)
	}
	c.extend(u)
	c.prev = append(c.prev, c.last[w]-1)
	c.learned = len(c.units)
	c.last[w] = int32(c.learned)
	if w == begin {
		return
	}
	if c.n[u] == 0 {
		c.distinct++
	}
	c.n[u]++
	c.total++
}

// extend reads a unit that is drawn or scored. No push comes after it.
func (c *cache) extend(u unit) {
	c.units = append(c.units, u)
	c.keys = append(c.keys, c.governor.key())
	c.governor.push(u)
}

// cut drops what was extended; g is the governor at the end of the prompt.
func (c *cache) cut(g governor) {
	c.units, c.keys = c.units[:c.learned], c.keys[:c.learned]
	c.governor = g.clone()
}

func (c *cache) count(u unit) uint32 {
	if int(u) < len(c.n) {
		return c.n[u]
	}
	return 0
}

// back returns the k-th word from the end, begin if there is none.
func (c *cache) back(k int) word {
	if i := len(c.units) - k; i >= 0 {
		return c.units[i].word()
	}
	return begin
}

// maxPlaces bounds how many places of a frequent word are compared, nearest first.
const maxPlaces = 2048

// places calls f for every earlier place with the same last word: what followed
// there, how many words of context are the same, and whether the parent is.
func (c *cache) places(f func(u unit, k int, governed bool)) {
	end := len(c.units) - 1
	if end < 0 || c.units[end].word() == begin {
		return
	}
	key, left := c.governor.key(), maxPlaces
	for p := c.latest(c.units[end].word()); p >= 0 && left > 0; p, left = int(c.prev[p]), left-1 {
		if p+1 >= c.learned || c.units[p+1].word() == begin {
			continue
		}
		u := c.units[p+1]
		k := 1
		for k < contextWords && p-k >= 0 && c.units[p-k].word() != begin && c.units[p-k].word() == c.units[end-k].word() {
			k++
		}
		f(u, k, c.keys[p+1] == key)
	}
}

func (c *cache) latest(w word) int {
	if int(w) < len(c.last) {
		return int(c.last[w]) - 1
	}
	return -1
}
