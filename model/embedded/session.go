package embedded

import (
	"math"
	"strings"
)

// A session is one text being continued: its words, its cache, its line
// structure, and the distribution of what comes next.
type session struct {
	predictor
	list   wordList
	layout layout
	// partial is the end of the text so far as far as the next unit may change
	// it: the cursor stands in or right behind a word (fmt.Pri|). The next unit
	// must start with it.
	partial partial
}

// A partial is an unfinished last token.
type partial struct {
	text    string // "": the text ends between two tokens
	newline bool   // it is the line ending before a cursor in column one
}

func (c *corpus) session() *session {
	s := &session{list: wordList{shared: c.vocab, words: c.words}}
	s.corpus, s.cache = c, new(cache)
	s.layout.absolute = true
	return s
}

// evidence reads the first limit tokens of a text that is not continued.
func (s *session) evidence(text string, limit int) {
	s.cache.begin()
	l := newLexer(text)
	for limit > 0 {
		indent := l.absolute
		x, ok := l.next()
		if !ok {
			break
		}
		if !indent || x.special != 0 || !isBlank(x.text) {
			s.cache.push(s.unit(x))
		}
		limit--
	}
}

// text reads the last limit tokens of the text that is continued.
func (s *session) text(text string, limit int) {
	l := newLexer(text)
	before := l.layout
	var units []unit
	for l.at < len(text) {
		if text[l.at] == '\n' || text[l.at] == '\r' {
			before = l.layout.clone()
		}
		indent := l.absolute
		x, _ := l.next()
		if indent && x.special == 0 && isBlank(x.text) {
			continue // where the text was cut: nothing to learn from, and taken at its word
		}
		if l.at == len(text) {
			s.partial = unfinished(x, &l.layout)
		}
		if s.partial.text == "" {
			units = append(units, s.unit(x))
		}
	}
	if s.partial.newline {
		l.layout = before
	}
	s.layout = l.layout.clone()
	s.cache.begin()
	for _, u := range units[max(0, len(units)-limit):] {
		s.cache.push(u)
	}
}

// unfinished is what of the last token of a text may still change.
//
// An indentation that was typed is taken at its word, and so is a carriage
// return, which could become half of a line ending, and a word at the length
// where words are cut.
func unfinished(x lexeme, l *layout) partial {
	switch {
	case x.special != 0:
		if x.special.newline() && l.current() == "" && x.special != newlineAbs {
			return partial{x.text, true}
		}
		return partial{}
	case x.text == "\r" || len(x.text) > maxWord-4:
		return partial{}
	case x.spaced:
		return partial{text: " " + x.text}
	}
	return partial{text: x.text}
}

// unit is the unit of a lexeme that was read: its word is known from now on.
func (s *session) unit(x lexeme) unit {
	w := x.special
	if w == 0 {
		w = s.list.add(x.text)
	}
	return toUnit(w, x.spaced)
}

// render is the text that u has at this place; the place does not move.
func (s *session) render(u unit) string {
	w := u.word()
	if w.newline() {
		indent, _ := s.layout.indentAfter(w)
		return s.layout.eol() + indent
	}
	if w < firstWord {
		return ""
	}
	if u.spaced() {
		return " " + s.list.text(w)
	}
	return s.list.text(w)
}

// follow moves behind u.
func (s *session) follow(u unit) {
	w := u.word()
	switch {
	case w.newline():
		s.layout.apply(w)
	case w == flipEnding:
		s.layout.crlf = !s.layout.crlf
	case w >= firstWord:
		s.layout.indent(s.list.text(w))
	}
	s.cache.extend(u)
	s.partial = partial{}
}

// continues reports whether u may stand where the partial token stands.
func (p partial) continues(u unit, text string) bool {
	if p.text == "" {
		return true
	}
	if p.newline || u.word() < firstWord {
		return p.newline && u.word().newline()
	}
	return strings.HasPrefix(text, p.text)
}

// normaliser is the probability that the next unit starts with the partial
// token: what probabilities at this place are divided by. q is the predictor's
// all.
func (s *session) normaliser(q []float64) float64 {
	if s.partial.text == "" {
		return 1
	}
	z := 0.0
	for u, x := range q {
		if x > 0 && s.partial.continues(unit(u), s.render(unit(u))) {
			z += x
		}
	}
	if s.partial.newline {
		return z
	}
	spell := s.corpus.spelled()
	z += q[unknown.bare()] * math.Exp(spell.logProb(s.partial.text, false))
	if t, ok := strings.CutPrefix(s.partial.text, " "); ok {
		z += q[unknown.bare()|1] * math.Exp(spell.logProb(t, false))
	}
	return z
}

// logProb is log P of one lexeme at this place; z is the normaliser.
func (s *session) logProb(x lexeme, z float64) float64 {
	if x.special != 0 {
		return math.Log(s.prob(x.special.bare()) / z)
	}
	if w, ok := s.list.find(x.text); ok && s.known(w) {
		return math.Log(s.prob(toUnit(w, x.spaced)) / z)
	}
	return math.Log(s.prob(toUnit(unknown, x.spaced))/z) + s.corpus.spelled().logProb(x.text, true)
}

// spelled is the byte model of this version's words, made when first asked.
func (c *corpus) spelled() *spelling {
	c.once.Do(func() {
		c.spell = new(spelling)
		if len(c.order) == 0 {
			return
		}
		seen := word(0)
		for _, it := range c.counts(span{0, uint32(len(c.order))}, 0).items {
			if w := it.unit.word(); w >= firstWord && w != seen {
				c.spell.learn(c.words[w])
				seen = w
			}
		}
	})
	return c.spell
}
