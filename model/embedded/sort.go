package embedded

// sortContexts sorts all positions of units by the contextWords words before
// them, by doubling (Karp, Miller & Rosenberg 1972): when positions are ranked
// by k words, the rank of the k words before those is the rank k places to the
// left, so that one counting sort ranks by 2k. Equal contexts keep text order.
func sortContexts(units []unit) []uint32 {
	n := len(units)
	rank, order := make([]uint32, n), make([]uint32, n)
	next, start := make([]uint32, n), make([]uint32, n+2)
	groups := rankByWord(units, rank)
	for i := range order {
		order[i] = uint32(i)
	}
	for k := 0; k < contextWords; k = max(1, 2*k) {
		clear(start)
		for _, r := range rank {
			start[r+1]++
		}
		for r := range groups {
			start[r+1] += start[r]
		}
		// order is sorted by the k words before; k places on, that is the
		// second key.
		put := func(p uint32) { next[start[rank[p]]] = p; start[rank[p]]++ }
		for p := range min(k, n) {
			put(uint32(p))
		}
		for _, p := range order {
			if int(p)+k < n {
				put(p + uint32(k))
			}
		}
		order, next = next, order
		if 2*k < contextWords || k == 0 {
			groups = rerank(order, rank, start[:n], k)
		}
	}
	return order
}

// rankByWord ranks positions by the word before them.
func rankByWord(units []unit, rank []uint32) (groups uint32) {
	top := word(0)
	for _, u := range units {
		top = max(top, u.word())
	}
	seen := make([]uint32, top+1)
	for _, u := range units {
		seen[u.word()] = 1
	}
	for w, s := range seen {
		seen[w] = groups
		groups += s
	}
	for i := 1; i < len(units); i++ {
		rank[i] = seen[units[i-1].word()]
	}
	return groups
}

// rerank numbers the distinct pairs of ranks (here, k to the left) in order.
func rerank(order, rank, scratch []uint32, k int) (groups uint32) {
	if k == 0 {
		if len(order) == 0 {
			return 0
		}
		return rank[order[len(order)-1]] + 1
	}
	before := func(p uint32) uint32 {
		if int(p) < k {
			return 0
		}
		return rank[p-uint32(k)]
	}
	for i, p := range order {
		if i > 0 {
			q := order[i-1]
			if rank[p] != rank[q] || before(p) != before(q) {
				groups++
			}
		}
		scratch[p] = groups
	}
	copy(rank, scratch)
	return groups + 1
}

// sortKeys sorts positions by their keys, in three passes of counting.
func sortKeys(order, keys []uint32) []uint32 {
	next := make([]uint32, len(order))
	for shift := 0; shift < 32; shift += 11 {
		var start [1<<11 + 1]uint32
		digit := func(p uint32) uint32 { return keys[p] >> shift & (1<<11 - 1) }
		for _, p := range order {
			start[digit(p)+1]++
		}
		for d := range start[1:] {
			start[d+1] += start[d]
		}
		for _, p := range order {
			d := digit(p)
			next[start[d]] = p
			start[d]++
		}
		order, next = next, order
	}
	return order
}
