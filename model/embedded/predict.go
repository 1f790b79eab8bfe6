package embedded

// A predictor is the distribution of the unit that follows the cache.
//
// Every context length of the corpus and of the cache is one layer. A layer that
// knows its context takes a little off each count (Chen & Goodman 1999, modified
// Kneser–Ney) and hands what it took to the layers below it:
//
//	P(u) = (n(u) − D(n(u))) / total + back · P_below(u)
//
//	cache   8 words ┐
//	corpus  8 words │  longer contexts know better;
//	cache   7 words │  at the same length the text at hand knows
//	corpus  7 words │  better than the workspace
//	…               │
//	cache   0 words │
//	corpus  0 words ┘
//	base               every word that is known, and the unknown one
//
// The sum over all units is one, exactly: what a layer hands down is what it
// took.
type predictor struct {
	corpus *corpus
	cache  *cache
	layers []layer // base first
	recent recent
	// base weights: of a word of the cache and of the corpus, per count, and of
	// everything that neither has
	ofCache, ofCorpus, ofNone float64
	dense                     []float64
}

type layer struct {
	counts   *counts // of the corpus; nil: of the cache, for length contexts
	length   int
	scale    float64 // 1 / total
	back     float64
	discount *discount
}

// A discount is taken off counts of 1, 2, and 3 or more.
type discount [3]float64

func newLayer(total int, once [3]int, d *discount) layer {
	took := d[0]*float64(once[0]) + d[1]*float64(once[1]) + d[2]*float64(once[2])
	return layer{scale: 1 / float64(total), back: took / float64(total), discount: d}
}

func (l *layer) share(n uint32) float64 {
	if n == 0 {
		return 0
	}
	return (float64(n) - l.discount[min(n, 3)-1]) * l.scale
}

// recent are the cache's counts behind the current context, for all lengths.
type recent struct {
	index   []int32 // by unit, one more than its place in follows
	follows []follow
	total   [contextWords + 1]int
	once    [contextWords + 1][3]int
}

type follow struct {
	unit unit
	n    [contextWords + 1]uint16 // by context length
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
	c.places(func(u unit, k int) {
		if r.index[u] == 0 {
			r.follows = append(r.follows, follow{unit: u})
			r.index[u] = int32(len(r.follows))
		}
		r.follows[r.index[u]-1].n[k]++
	})
	r.total, r.once = [contextWords + 1]int{}, [contextWords + 1][3]int{}
	for i := range r.follows {
		f := &r.follows[i]
		for k := contextWords; k >= 1; k-- {
			if k < contextWords {
				f.n[k] += f.n[k+1]
			}
			if n := f.n[k]; n > 0 {
				r.total[k] += int(n)
				r.once[k][min(n, 3)-1]++
			}
		}
	}
}

// read prepares the distribution for the cache as it stands.
func (p *predictor) read() {
	p.recent.read(p.cache)
	p.layers = p.layers[:0]
	s := span{0, uint32(len(p.corpus.order))}
	for k := 0; k <= contextWords; k++ {
		switch {
		case k == 1:
			s = p.corpus.ends(p.cache.back(1))
		case k > 1 && s.len() > 0:
			s = p.corpus.narrow(s, k-1, p.cache.back(k))
		}
		if s.len() > 0 {
			n := p.corpus.counts(s, k)
			l := newLayer(n.total, n.once, &corpusDiscounts[k])
			l.counts = n
			p.layers = append(p.layers, l)
		}
		p.addCache(k)
	}
	p.weighBase()
}

func (p *predictor) addCache(k int) {
	total, once := p.recent.total[k], p.recent.once[k]
	if k == 0 {
		total, once = p.cache.total, p.cache.once
	}
	if total == 0 {
		return
	}
	l := newLayer(total, once, &cacheDiscounts[k])
	l.length = k
	p.layers = append(p.layers, l)
}

// prob is P(u).
func (p *predictor) prob(u unit) float64 {
	f := p.recent.of(u)
	x := p.base(u)
	for i := range p.layers {
		l := &p.layers[i]
		x = l.back*x + l.share(l.n(u, f, p.cache))
	}
	return x
}

func (l *layer) n(u unit, f *follow, c *cache) uint32 {
	switch {
	case l.counts != nil:
		return l.counts.of(u)
	case l.length == 0:
		return c.count(u)
	case f != nil:
		return uint32(f.n[l.length])
	}
	return 0
}

// all returns P(u) for every unit, by unit; the slice is the predictor's own. It
// takes time in proportion to the vocabulary.
func (p *predictor) all() []float64 {
	size := 2 * max(len(p.corpus.words), len(p.cache.last), int(firstWord))
	p.dense = append(p.dense[:0], make([]float64, size)...)
	left := 1.0
	for i := len(p.layers) - 1; i >= 0; i-- {
		l := &p.layers[i]
		l.each(p, func(u unit, n uint32) { p.dense[u] += left * l.share(n) })
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
	case l.length == 0:
		for u, n := range p.cache.n {
			f(unit(u), n)
		}
	default:
		for i := range p.recent.follows {
			f(p.recent.follows[i].unit, uint32(p.recent.follows[i].n[l.length]))
		}
	}
}

// known reports whether the word can be predicted as a whole.
func (p *predictor) known(w word) bool {
	return w < firstWord || p.words(w) > 0
}

func (p *predictor) words(w word) (n uint32) {
	n = p.cache.count(w.bare()) + p.cache.count(w.bare()|1)
	if u := p.unigrams(); u != nil {
		n += u.of(w.bare()) + u.of(w.bare()|1)
	}
	return n
}

func (p *predictor) unigrams() *counts {
	if len(p.layers) > 0 {
		return p.layers[0].counts
	}
	return nil
}

// base is the distribution below all contexts: words however they were spaced
// where they were seen, the special ones, and the unknown word.
func (p *predictor) base(u unit) float64 {
	w := u.word()
	if w == begin || w < firstWord && w != unknown && u.spaced() {
		return 0
	}
	a, b := w.bare(), w.bare()|1
	x := p.ofCache * float64(p.cache.count(a)+p.cache.count(b))
	if n := p.unigrams(); n != nil {
		x += p.ofCorpus * float64(n.of(a)+n.of(b))
	}
	return p.spread(w, x)
}

// spread is the base probability of each unit of w, x being that of the word by
// its counts.
func (p *predictor) spread(w word, x float64) float64 {
	switch {
	case w == unknown:
		return p.ofNone * unknownBase / 2
	case w < firstWord:
		return x + p.ofNone*(1-unknownBase)/float64(firstWord-2)
	}
	return x / 2
}

// eachBase calls f with base's probabilities; a unit may come several times.
func (p *predictor) eachBase(f func(u unit, x float64)) {
	for w := end; w < firstWord; w++ {
		f(w.bare(), p.spread(w, 0))
	}
	f(unknown.bare()|1, p.spread(unknown, 0))
	words := func(u unit, x float64) {
		w := u.word()
		switch {
		case x == 0:
		case w < firstWord:
			f(u, x)
		default:
			f(w.bare(), x/2)
			f(w.bare()|1, x/2)
		}
	}
	for u, n := range p.cache.n {
		words(unit(u), p.ofCache*float64(n))
	}
	if n := p.unigrams(); n != nil {
		for _, it := range n.items {
			words(it.unit, p.ofCorpus*float64(it.n))
		}
	}
}

// weighBase divides the base between the cache's words, the corpus's words and
// what neither has.
func (p *predictor) weighBase() {
	p.ofCache, p.ofCorpus, p.ofNone = 0, 0, 1
	if t := p.cache.total; t > 0 {
		p.ofCache = respacedCache / float64(t)
		p.ofNone -= respacedCache
	}
	if n := p.unigrams(); n != nil {
		p.ofCorpus = respacedCorpus / float64(n.total)
		p.ofNone -= respacedCorpus
	}
}
