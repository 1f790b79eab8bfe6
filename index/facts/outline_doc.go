package facts

import "bytes"

// noteRemark remembers the run of comments that node i ends. Some grammars count
// the line's end to a comment.
func (o *outline) noteRemark(i uint32) {
	s := o.trimRight(o.span(i))
	switch {
	case o.above.End > 0 && o.newlines(o.above.End, s.Start) == 1:
		o.above.End = s.End
	case o.startsLine(s.Start):
		o.above = s
	default: // behind code: it says something about that
		o.above = Span{}
	}
}

// noteAttribute remembers the run of attributes that node i ends, the comment
// above them and those between them included.
func (o *outline) noteAttribute(i uint32) {
	s := o.trimRight(o.span(i))
	if o.lead.End > 0 && o.follows(o.lead.End, s.Start) {
		o.lead.End = s.End
		return
	}
	o.lead, o.leadDoc = s, o.docAbove(s.Start)
	if o.leadDoc.End > 0 {
		o.lead.Start = o.leadDoc.Start
	}
}

// follows reports whether nothing but white space and the comments seen last
// stands between two offsets.
func (o *outline) follows(a, z uint32) bool {
	if o.above.End > 0 && a <= o.above.Start && o.above.End <= z {
		return o.newlines(a, o.above.Start) >= 0 && o.newlines(o.above.End, z) >= 0
	}
	return o.newlines(a, z) >= 0
}

// document extends a declaration to the attributes and the comment above it,
// which may stand in either order.
func (o *outline) document(d *Object) {
	at := d.Span.Start
	if above := o.docAbove(at); above.End > 0 && above.End <= at {
		d.Doc, d.Span.Start = above, min(at, above.Start)
	}
	if o.lead.End > 0 && o.lead.End <= d.Span.Start && o.newlines(o.lead.End, d.Span.Start) >= 0 {
		d.Span.Start = o.lead.Start
		if o.leadDoc.End > 0 {
			d.Doc = o.leadDoc
		}
	}
}

// afterAttributes is where a declaration begins behind the attributes that are
// part of its node.
func (o *outline) afterAttributes(i uint32) uint32 {
	at := o.nodes[i].Start
	for depth := 0; i != 0 && depth < 4; depth++ {
		inner := uint32(0)
		for c := o.first(i); c != 0; c = o.next(i, c) {
			switch o.shape(c).is {
			case attribute:
				if o.newlines(at, o.nodes[c].Start) < 0 {
					return at
				}
				at = o.nodes[c].End
				continue
			case remark:
				continue
			case modifiers, wrapper:
				inner = c
			default:
				if o.nodes[c].Start == at {
					inner = c
				}
			}
			break
		}
		i = inner
	}
	for int(at) < len(o.src) && isSpace(o.src[at]) {
		at++
	}
	return at
}

// moduleDoc sets the module's documentation to the comments at its head that say
// that they are about the file: //! in Rust, @file elsewhere.
func (o *outline) moduleDoc() {
	d := &o.file.Objects[0].Doc
	for c := o.first(0); c != 0 && o.shape(c).is == remark; c = o.next(0, c) {
		s := o.trimRight(o.span(c))
		text := o.slice(s)
		inner := bytes.HasPrefix(text, []byte("//!")) || bytes.HasPrefix(text, []byte("/*!"))
		switch {
		case inner && d.End > 0:
			d.End = s.End
		case inner || bytes.Contains(text, []byte("@file")):
			*d = s
		}
	}
}
