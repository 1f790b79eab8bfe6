package allocate

import "readahead/index"

// An objectPage renders an object compactly (VITAL-RAG §5.4): descriptor,
// signature, then the largest line-complete window around the query.
//
//	// cart/cart.py: Cart.add, called 14 times       descriptor
//	// call in shop/main.py: cart.add(item, 2)        call: only from tokens that nobody else needs
//	// Put n of an item into the cart.                summary  ┐ if they fit
//	class Cart(Base):                                 outer    ┘
//	    def add(self, item, n=1):                     head
//	        # … 12 lines
//	        self.total += n * item.price              window
//	        # … 3 lines
//
// If all of it fits, the object stands there line for line, its doc comment
// included, and has no summary. What has to go, goes in this order: the doc
// comment (its first line stays as the summary), the summary, the type's
// header, the body from both ends towards the query, decorators, the signature
// from its end. The complete body is worth more than summary and header, a part
// of it is not.
//
// Where the body does not fit, members of it that retrieval weighed, too, come
// before what merely surrounds the query, each whole: half a method says little,
// and the window of a class is likely to cut the one that was meant. The paper has
// the window alone.
type objectPage struct {
	source
	q       query
	members []span // that come before what surrounds the query where not all fits, most deserving first

	descriptor, call, summary, outer string // each one line with its line feed, or ""
}

// newObjectPage prepares what a candidate could show in front of a document of
// r's language.
func newObjectPage(r Request, q query, v index.View, views []index.View) page {
	o := v.Object
	comment := commentSyntax(r.Lang, r.Path)
	p := &objectPage{q: q, descriptor: comment.line(descriptor(o))}
	if call := callHint(o, views); call != "" {
		p.call = comment.line(call)
	}
	if isView(o) {
		// The whole file, or nothing, is known of it: the view is the evidence.
		p.source = sourceOfView(v, r.Tokens)
		return p
	}
	p.source = sourceOf(v, r.Tokens)
	if s := summary(o.Doc); s != "" && p.doc.len() > 0 && !p.cheap(p.doc, p.mark.line(p.doc, p.head)) {
		p.summary = comment.line(s) // a doc that costs no more than its mark is shown itself
	}
	if o.Outer != "" {
		p.outer = splitLines(o.Outer)[0] + "\n"
	}
	return p
}

func (p *objectPage) demand() int {
	return p.count(p.descriptor + p.outer + p.all().text)
}

func (p *objectPage) fit(b int) excerpt {
	for _, try := range []func(int) (excerpt, bool){p.whole, p.window, p.clipped} {
		if x, ok := try(b); ok {
			x.call = p.call
			return x
		}
	}
	return excerpt{omitted: len(p.lines)}
}

// fitting is x behind the first of the texts with which it counts at most b.
func (p *objectPage) fitting(b int, x excerpt, before ...string) (excerpt, string, bool) {
	for _, text := range before {
		if p.count(text+x.text) <= b {
			x.text = text + x.text
			return x, text, true
		}
	}
	return excerpt{}, "", false
}

// whole shows the complete declaration, at the expense of what stands around it.
func (p *objectPage) whole(b int) (excerpt, bool) {
	x, _, ok := p.fitting(b, p.all(), p.descriptor+p.outer)
	if !ok {
		x, _, ok = p.fitting(b, p.show(span{0, p.doc.from}, span{p.doc.to, len(p.lines)}),
			p.descriptor+p.summary+p.outer, p.descriptor+p.outer, p.descriptor)
	}
	return x, ok
}

// window shows the head and the largest window of the body.
func (p *objectPage) window(b int) (excerpt, bool) {
	x, before, ok := p.fitting(b, p.show(p.head),
		p.descriptor+p.summary+p.outer, p.descriptor+p.outer, p.descriptor)
	if !ok {
		return x, false
	}
	open := func(parts ...span) excerpt {
		x := p.show(append([]span{p.head}, parts...)...)
		x.text = before + x.text
		return x
	}
	fits := func(parts ...span) bool { return p.count(open(parts...).text) <= b }
	var kept []span
	for _, m := range p.members {
		if with := joined(kept, m); p.body.from <= m.from && m.to <= p.body.to && fits(with...) {
			kept = with
		}
	}
	around := func(w span) []span { return joined(kept, p.inBody(w)) }
	centre := focus(p.bodyLines(), p.q, func(i int) bool { return fits(around(span{i, i + 1})...) })
	if centre < 0 {
		return open(kept...), true
	}
	return open(around(largest(p.body.len(), centre, func(w span) bool { return fits(around(w)...) }))...), true
}

// clipped shows what fits of the head: the signature rather than decorators,
// and its beginning rather than its end; at least the descriptor.
func (p *objectPage) clipped(b int) (excerpt, bool) {
	for to := p.signature.to; to > p.signature.from; to-- {
		if x, _, ok := p.fitting(b, p.show(span{p.signature.from, to}), p.descriptor); ok {
			return x, true
		}
	}
	x, _, ok := p.fitting(b, excerpt{omitted: len(p.lines)}, p.descriptor)
	return x, ok
}
