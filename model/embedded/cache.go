package embedded

// A cache is the text that is read right now: evidence, code after the cursor,
// code before it. It grows token by token, also by what is generated or scored,
// and can be cut back.
//
// Code repeats itself where it stands much more than it repeats the rest of the
// repository (Hellendoorn & Devanbu 2017, §3.2), so the cache has counts of its
// own for every context length. A few thousand tokens need no sorting: places
// with the same last word are chained, and each is compared backwards.
type cache struct {
	units []unit
	prev  []int32 // the place before with the same word; -1: none
	last  []int32 // by word: its last place, plus one; 0: none
	n     []uint32
	total int
	once  [3]int
}

// begin starts another text: no context reaches over it.
func (c *cache) begin() { c.push(begin.bare()) }

func (c *cache) push(u unit) {
	w := u.word()
	if int(w) >= len(c.last) {
		c.last = append(c.last, make([]int32, int(w)+1-len(c.last))...)
		c.n = append(c.n, make([]uint32, 2*len(c.last)-len(c.n))...)
	}
	c.units = append(c.units, u)
	c.prev = append(c.prev, c.last[w]-1)
	c.last[w] = int32(len(c.units))
	if w != begin {
		c.recount(u, +1)
	}
}

// cut drops everything behind the first n units.
func (c *cache) cut(n int) {
	for len(c.units) > n {
		i := len(c.units) - 1
		u := c.units[i]
		c.last[u.word()] = c.prev[i] + 1
		if u.word() != begin {
			c.recount(u, -1)
		}
		c.units, c.prev = c.units[:i], c.prev[:i]
	}
}

func (c *cache) recount(u unit, by int) {
	if n := c.n[u]; n > 0 {
		c.once[min(n, 3)-1]--
	}
	c.n[u] += uint32(by)
	c.total += by
	if n := c.n[u]; n > 0 {
		c.once[min(n, 3)-1]++
	}
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
// there, and how many words of context are the same.
func (c *cache) places(f func(u unit, k int)) {
	end := len(c.units) - 1
	if end < 0 || c.units[end].word() == begin {
		return
	}
	left := maxPlaces
	for p := c.prev[end]; p >= 0 && left > 0; p, left = c.prev[p], left-1 {
		u := c.units[p+1]
		if u.word() == begin {
			continue
		}
		k := 1
		for k < contextWords && int(p)-k >= 0 {
			if w := c.units[int(p)-k].word(); w == begin || w != c.units[end-k].word() {
				break
			}
			k++
		}
		f(u, k)
	}
}
