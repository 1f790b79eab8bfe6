package embedded

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
