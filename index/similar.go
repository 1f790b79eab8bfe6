package index

import "math"

// contextWords are the sub-words of the code around the cursor: names that are
// made of the same words are about the same thing.
type contextWords struct {
	weight map[string]float64
	total  float64
	rarity func(word string) float64
}

// nameLines is how many lines before the cursor lend their words.
const nameLines = 12

func (c *collector) contextWords() *contextWords {
	w := &contextWords{weight: map[string]float64{}}
	cache := map[string]float64{}
	windows := float64(max(1, len(c.snap.base.windowFile)))
	w.rarity = func(word string) float64 {
		r, ok := cache[word]
		if !ok {
			n := 0.0
			if id, known := c.snap.names.find(word); known {
				_, frequency := c.snap.base.termPostings(id)
				n = float64(frequency)
			}
			r = math.Log(1 + windows/(1+n))
			cache[word] = r
		}
		return r
	}
	left := lastLines(c.left(), nameLines)
	last := countLines(left)
	words(left, func(line int, term []byte) {
		w.put(string(term), 1/(1+float64(last-line)/4))
	})
	for o := c.object; o > 0; o = int(c.self.objects[o].parent) {
		words([]byte(c.snap.names.str(c.self.objects[o].name)), func(_ int, term []byte) { w.put(string(term), 0.7) })
	}
	return w
}

func (w *contextWords) put(word string, weight float64) {
	w.weight[word] = max(w.weight[word], weight)
}

// overlap is between 0 and 1: the share of the name's words, by rarity, that
// stand near the cursor, and how near.
func (w *contextWords) overlap(name string) float64 {
	var shared, all float64
	words([]byte(name), func(_ int, term []byte) {
		r := w.rarity(string(term))
		all += r
		shared += r * w.weight[string(term)]
	})
	if all == 0 {
		return 0
	}
	return shared / all
}
