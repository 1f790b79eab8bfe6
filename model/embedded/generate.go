package embedded

import (
	"cmp"
	"context"
	"fmt"
	"iter"
	"math"
	"math/rand/v2"
	"slices"
	"strings"
	"time"

	"readahead/model"
)

// Samples draws from the prompt's text, its evidence and, unless Causal, the code
// after the cursor: all of them are read into the cache.
func (g *generator) Samples(ctx context.Context, p model.Prompt, o model.Options) iter.Seq2[model.Sample, error] {
	return func(yield func(model.Sample, error) bool) {
		start := time.Now()
		t := newTree(g.of.now(), p, g.of.o.MaxContext)
		prompt := len(t.cache.units)
		for i := 0; ; i++ {
			s, err := t.draw(ctx, o, rand.New(rand.NewPCG(uint64(o.Seed+i), 0)))
			s.Usage = model.Usage{Requests: 1, Prompt: prompt, Generated: len(s.Tokens), Time: time.Since(start)}
			if err != nil {
				yield(model.Sample{}, fmt.Errorf("embedded: complete %s: %w", p.Path, err))
				return
			}
			if !yield(s, nil) {
				return
			}
			start = time.Now()
		}
	}
}

// A tree remembers the distributions at the places that samples of one prompt
// went through, since they share most of their beginnings.
type tree struct {
	*session
	lang     string
	origin   layout
	part     partial
	governor governor // origin, part and governor: at the end of the prompt
	root     node
}

type node struct {
	choices []choice // most probable first; nil: not asked yet
	next    map[unit]*node
}

// A choice is one unit that can be drawn.
type choice struct {
	unit unit
	p    float64 // its exact probability, untempered
}

func newTree(c *corpus, p model.Prompt, limit int) *tree {
	s := c.read(p, limit)
	return &tree{session: s, lang: p.Lang, origin: s.layout.clone(), part: s.partial, governor: s.cache.governor.clone()}
}

// read is a session that has read a prompt.
func (c *corpus) read(p model.Prompt, limit int) *session {
	s := c.session()
	s.evidence(p.Context, limit/2)
	if !p.Causal {
		s.evidence(p.Right, limit/8)
	}
	s.text(p.Left, limit/2)
	return s
}

// draw follows one sample from the prompt to its end.
func (t *tree) draw(ctx context.Context, o model.Options, r *rand.Rand) (model.Sample, error) {
	t.cache.cut(t.governor)
	t.layout, t.partial = t.origin.clone(), t.part
	var s sampling
	s.stop = o.Stop
	limit := o.MaxTokens
	if limit <= 0 {
		limit = defaultTokens
	}
	var units []unit
	for n := &t.root; s.drawn < limit && !s.stopped && !loops(units); {
		if err := ctx.Err(); err != nil {
			return model.Sample{}, err
		}
		if n.choices == nil {
			n.choices = t.choices()
		}
		if len(n.choices) == 0 {
			s.stopped = true
			break
		}
		c := pick(n.choices, o, r)
		if c.unit.word() == end {
			s.stopped = true
			break
		}
		text := t.render(c.unit)[len(t.partial.text):]
		s.add(model.Token{Text: text, LogProb: math.Log(c.p)})
		t.follow(c.unit)
		units = append(units, c.unit)
		n = n.child(c.unit)
	}
	return model.Sample{Text: s.text.String()[:s.size], Tokens: s.tokens, Stopped: s.stopped}, nil
}

func (n *node) child(u unit) *node {
	if n.next == nil {
		n.next = map[unit]*node{}
	}
	if n.next[u] == nil {
		n.next[u] = new(node)
	}
	return n.next[u]
}

const defaultTokens = 64

// loops reports whether units end in maxRepeats times the same few.
func loops(units []unit) bool {
	for n := 1; n <= contextWords && n*maxRepeats <= len(units); n++ {
		tail := units[len(units)-n*maxRepeats:]
		if slices.Equal(tail[n:], tail[:len(tail)-n]) {
			return true
		}
	}
	return false
}

// maxRepeats is how often a sample may say the same words in a row: a context
// is 8 words, and behind four rounds of two the model can only go on.
const maxRepeats = 4

// A sampling is a sample in the making.
type sampling struct {
	drawn   int // tokens that gave text
	text    strings.Builder
	size    int // of the text that counts
	tokens  []model.Token
	stop    []string
	stopped bool
}

// add appends a token, up to the first stop string that it completes. A line
// ending that completes one is left out as a whole: \r\n must not leave \r.
func (s *sampling) add(t model.Token) {
	s.text.WriteString(t.Text)
	s.drawn += min(len(t.Text), 1)
	text, cut := s.text.String(), -1
	for _, stop := range s.stop {
		from := max(0, s.size-len(stop)+1)
		if i := strings.Index(text[from:], stop); stop != "" && i >= 0 && (cut < 0 || from+i < cut) {
			cut = from + i
		}
	}
	if cut < 0 {
		s.size = len(text)
		s.tokens = append(s.tokens, t)
		return
	}
	s.stopped = true
	if strings.HasPrefix(t.Text, "\r\n") && cut > s.size {
		cut = s.size
	}
	for cut < s.size {
		last := &s.tokens[len(s.tokens)-1]
		if s.size-len(last.Text) < cut {
			last.Text = last.Text[:len(last.Text)-(s.size-cut)]
			break
		}
		s.size -= len(last.Text)
		s.tokens = s.tokens[:len(s.tokens)-1]
	}
	if cut > s.size {
		t.Text = text[s.size:cut]
		s.tokens = append(s.tokens, t)
	}
	s.size = cut
}

// choices are the most probable units at this place, at most maxTop.
func (t *tree) choices() []choice {
	t.read()
	var all []choice
	if t.partial.text != "" {
		all = t.completions()
	} else {
		for u := range t.candidates() {
			if t.drawable(u) {
				all = append(all, choice{u, t.prob(u)})
			}
		}
	}
	slices.SortFunc(all, func(a, b choice) int {
		if a.p != b.p {
			return cmp.Compare(b.p, a.p)
		}
		return cmp.Or(strings.Compare(t.render(a.unit), t.render(b.unit)), cmp.Compare(a.unit, b.unit))
	})
	return all[:min(len(all), maxTop)]
}

// completions are the units that the partial token can become. If it is a new
// word it is left as it is.
func (t *tree) completions() []choice {
	q := t.all()
	z := t.normaliser(q)
	var all []choice
	for u, x := range q {
		u := unit(u)
		if x > 0 && t.drawable(u) && t.partial.continues(u, t.render(u)) {
			all = append(all, choice{u, x / z})
		}
	}
	if len(all) == 0 {
		l := lexer{src: t.partial.text, layout: t.layout.clone()}
		if x, ok := l.next(); ok {
			all = append(all, choice{t.unit(x), 1})
		}
	}
	return all
}

// candidates are the units that any layer puts among its most frequent.
func (t *tree) candidates() map[unit]struct{} {
	set := map[unit]struct{}{}
	add := func(u unit) { set[u] = struct{}{} }
	for i := range t.layers {
		l := &t.layers[i]
		switch {
		case l.counts != nil:
			l.counts.best(add)
		case l.place == noContext:
			for u, n := range t.cache.n {
				if n > 0 {
					add(unit(u))
				}
			}
		case l.place == 1:
			for _, f := range t.recent.follows {
				add(f.unit)
			}
		}
	}
	return set
}

// drawable keeps out what is no text of its own, and comments: at the start of a
// line somebody waits for code.
func (t *tree) drawable(u unit) bool {
	switch w := u.word(); {
	case w == begin, w == unknown, w == flipEnding, w == newlineAbs:
		return false
	case w == blankLine:
		return !t.partial.newline
	case w < firstWord || t.cache.governor.head != 0 || t.partial.text != "":
		return true
	default:
		return !opensComment(t.lang, t.list.text(w))
	}
}

// opensComment reports whether a line that starts with the word is a comment, or
// a docstring.
func opensComment(lang, word string) bool {
	switch word {
	case "//", "/*":
		return true
	case "#":
		return hashComments[lang]
	case `"""`, "'''":
		return lang == "py" || lang == "python"
	}
	return false
}

// hashComments are the languages, by the names of package facts and of editors,
// in which # starts a comment and nothing else.
var hashComments = map[string]bool{"py": true, "python": true, "rb": true, "ruby": true, "shellscript": true, "yaml": true}

// pick draws one of the choices: tempered, then from the nucleus.
func pick(all []choice, o model.Options, r *rand.Rand) choice {
	if o.Temperature <= 0 {
		return all[0]
	}
	weights := make([]float64, len(all))
	total := 0.0
	for i, c := range all {
		weights[i] = math.Exp(math.Log(c.p/all[0].p) / o.Temperature)
		total += weights[i]
	}
	if o.TopP > 0 && o.TopP < 1 {
		kept := 0.0
		for i, w := range weights {
			if kept += w; kept >= o.TopP*total {
				weights, total = weights[:i+1], kept
				break
			}
		}
	}
	x := r.Float64() * total
	for i, w := range weights {
		if x -= w; x < 0 {
			return all[i]
		}
	}
	return all[len(weights)-1]
}
