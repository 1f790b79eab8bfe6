package facts

import (
	"bytes"

	"readahead/index/internal/treesitter"
)

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

// noteAttribute remembers the run of attributes that node i ends, comments
// between them included.
func (o *outline) noteAttribute(i uint32) {
	s := o.trimRight(o.span(i))
	if o.lead.End > 0 && o.follows(o.lead.End, s.Start) {
		o.lead.End = s.End
		return
	}
	o.lead = s
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
	for range 2 {
		if o.lead.End > 0 && o.lead.Start < d.Span.Start && o.lead.End <= d.Span.Start && o.follows(o.lead.End, d.Span.Start) {
			if o.above.Start >= o.lead.End && o.above.End <= d.Span.Start && o.above.End > 0 {
				d.Doc = o.above
			}
			d.Span.Start = o.lead.Start
		}
		if d.Doc.End == 0 {
			if above := o.docAbove(d.Span.Start); above.End > 0 && above.End <= d.Span.Start {
				d.Doc = above
				d.Span.Start = min(d.Span.Start, above.Start)
			}
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

// moduleDoc sets the module's documentation to the comments that are about the
// text around them: //! in Rust.
func (o *outline) moduleDoc(mark string) {
	for i := uint32(0); i < uint32(len(o.nodes)); i++ {
		if o.kind(i) == treesitter.OtherKind && i == 0 {
			continue
		}
		if o.shape(i).is != remark || !bytes.HasPrefix(o.text(i), []byte(mark)) {
			if i == 0 {
				continue
			}
			return
		}
		s := o.trimRight(o.span(i))
		if d := &o.file.Objects[0].Doc; d.End == 0 {
			*d = s
		} else {
			d.End = s.End
		}
		i = o.skip(i) - 1
	}
}
