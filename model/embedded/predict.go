package embedded

import "slices"

// A predictor is the distribution of the unit that follows the cache.
//
// Every context is one layer. A layer that knows its context mixes its counts
// with the layers below it, the more of its own the more often it saw the context
// and the fewer different units followed (Witten & Bell 1991, method C, with a
// weight):
//
//	P(u) = (n(u) + e · P_below(u)) / (total + e)     e = doubt · distinct units
//
//	longest    cache, corpus   the longest context found, of 4…8 words
//	3 words    cache, corpus
//	2 words    cache, corpus
//	governed   cache, corpus   the last word and its parent (governor)
//	1 word     cache, corpus
//	0 words    cache, corpus
//	base                       every word that is known, and the unknown one
//
// Longer contexts know better, and at the same length the text at hand knows
// better than the workspace. The sum over all units is one by construction.
//
// Counts of the corpus are Kneser–Ney's (see counts), but the discounts of
// modified Kneser–Ney are not used: they assume that counts are drawn
// independently, and trust long contexts of copied code far too much. See
// doubts for the measurement.
type predictor struct {
	corpus *corpus
	cache  *cache
	layers []layer // base first
	recent recent
	// Base probabilities: of a word of the cache and of the corpus, a count, and
	// of everything that neither has.
	ofCache, ofCorpus, ofNone float64
	dense                     []float64
}

type layer struct {
	counts   *counts // of the corpus; nil: the cache's
	place    int     // of the cache's counts in follow
	total    int
	scale    float64 // 1 / (total + e)
	back     float64 // e / (total + e)
	distinct int
}

// Places of a follow: by context length, and behind them the governed context.
// The cache's counts without context are kept by the cache itself.
const (
	noContext = 0
	governed  = contextWords + 1
	places    = contextWords + 2
)

// recent are the cache's counts behind the current context.
type recent struct {
	index    []int32 // by unit, one more than its place in follows
	follows  []follow
	total    [places]int
	distinct [places]int
}

type follow struct {
	unit unit
	n    [places]uint16
}

func (r *recent) of(u unit) *follow {
	if int(u) < len(r.index) {
		if i := r.index[u]; i > 0 {
			return &r.follows[i-1]
		}
	}
	return nil
}

func (r *recent) read(c *cache) {
	for i := range r.follows {
		r.index[r.follows[i].unit] = 0
	}
	r.follows = r.follows[:0]
	if len(r.index) < len(c.n) {
		r.index = make([]int32, len(c.n)+1024)
	}
	c.places(func(u unit, k int, sameParent bool) {
		if r.index[u] == 0 {
			r.follows = append(r.follows, follow{unit: u})
			r.index[u] = int32(len(r.follows))
		}
		f := &r.follows[r.index[u]-1]
		f.n[k]++
		if sameParent {
			f.n[governed]++
		}
	})
	r.total, r.distinct = [places]int{}, [places]int{}
	for i := range r.follows {
		f := &r.follows[i]
		for k := contextWords - 1; k >= 1; k-- {
			f.n[k] += f.n[k+1] // what has k+1 words in common has k
		}
		for k, n := range f.n {
			r.total[k] += int(n)
			r.distinct[k] += int(min(n, 1))
		}
	}
}

// longest is the longest context that the cache has seen before.
func (r *recent) longest() int {
	k := contextWords
	for k > 0 && r.total[k] == 0 {
		k--
	}
	return k
}

// read prepares the distribution for the cache as it stands.
func (p *predictor) read() {
	p.recent.read(p.cache)
	p.layers = p.layers[:0]
	var spans [contextWords + 1]span
	spans[0] = span{0, uint32(len(p.corpus.order))}
	spans[1] = p.corpus.ends(p.cache.back(1))
	long := 1
	for long < contextWords && spans[long].len() > 0 {
		spans[long+1] = p.corpus.narrow(spans[long], long, p.cache.back(long+1))
		long++
	}
	for long > 0 && spans[long].len() == 0 {
		long--
	}
	for k := range shortWords + 1 {
		p.addCorpus(spans[k], k)
		if k == 1 {
			p.addGoverned()
		}
		p.addCache(k, cacheDoubts[k])
		if k == 1 {
			p.addCache(governed, cacheGovernedDoubt)
		}
	}
	if long > shortWords {
		p.addCorpus(spans[long], long)
	}
	if k := p.recent.longest(); k > shortWords {
		p.addCache(k, cacheDoubts[k])
	}
	p.weighBase()
}

func (p *predictor) addCorpus(s span, k int) {
	if s.len() > 0 {
		n := p.corpus.counts(s, k)
		p.add(layer{counts: n, total: n.total, distinct: len(n.items)}, corpusDoubts[k])
	}
}

func (p *predictor) addGoverned() {
	if s := p.corpus.governs(p.cache.governor.key()); s.len() > 0 {
		n := p.corpus.governedCounts(s)
		p.add(layer{counts: n, total: n.total, distinct: len(n.items)}, corpusGovernedDoubt)
	}
}

func (p *predictor) addCache(place int, doubt float64) {
	l := layer{place: place, total: p.recent.total[place], distinct: p.recent.distinct[place]}
	if place == noContext {
		l.total, l.distinct = p.cache.total, p.cache.distinct
	}
	if l.total > 0 {
		p.add(l, doubt)
	}
}

func (p *predictor) add(l layer, doubt float64) {
	e := doubt * float64(l.distinct)
	l.scale = 1 / (float64(l.total) + e)
	l.back = e * l.scale
	p.layers = append(p.layers, l)
}

// prob is P(u).
func (p *predictor) prob(u unit) float64 {
	f := p.recent.of(u)
	x := p.base(u)
	for i := range p.layers {
		l := &p.layers[i]
		x = l.back*x + l.scale*float64(l.n(u, f, p.cache))
	}
	return x
}

func (l *layer) n(u unit, f *follow, c *cache) uint32 {
	switch {
	case l.counts != nil:
		return l.counts.of(u)
	case l.place == noContext:
		return c.count(u)
	case f != nil:
		return uint32(f.n[l.place])
	}
	return 0
}

// all returns P(u) for every unit, by unit; the slice is the predictor's own. It
// takes time in proportion to the vocabulary.
func (p *predictor) all() []float64 {
	size := 2 * max(len(p.corpus.words), len(p.cache.last))
	p.dense = slices.Grow(p.dense[:0], size)[:size]
	clear(p.dense)
	left := 1.0
	for i := len(p.layers) - 1; i >= 0; i-- {
		l := &p.layers[i]
		l.each(p, func(u unit, n uint32) { p.dense[u] += left * l.scale * float64(n) })
		left *= l.back
	}
	p.eachBase(func(u unit, x float64) { p.dense[u] += left * x })
	return p.dense
}

// each calls f with the counts of one layer.
func (l *layer) each(p *predictor, f func(u unit, n uint32)) {
	switch {
	case l.counts != nil:
		for _, it := range l.counts.items {
			f(it.unit, it.n)
		}
	case l.place == noContext:
		for u, n := range p.cache.n {
			f(unit(u), n)
		}
	default:
		for i := range p.recent.follows {
			f(p.recent.follows[i].unit, uint32(p.recent.follows[i].n[l.place]))
		}
	}
}

// known reports whether the word can be predicted as a whole.
func (p *predictor) known(w word) bool {
	if w < firstWord || p.cache.count(w.bare())+p.cache.count(w.bare()|1) > 0 {
		return true
	}
	n := p.unigrams()
	return n != nil && n.of(w.bare())+n.of(w.bare()|1) > 0
}

// unigrams are the corpus's counts without context, nil if it is empty.
func (p *predictor) unigrams() *counts {
	if len(p.layers) > 0 {
		return p.layers[0].counts
	}
	return nil
}
