package facts

import (
	"bytes"
	"fmt"
	"slices"

	"readahead/index/internal/treesitter"
)

// A Document is a text that is being edited. It keeps the text's tree, about 30
// bytes of memory for each byte, so that an edit costs the parsing of what it
// changed. It is for one goroutine at a time, and its owner closes it.
//
// Its facts are those that Extract finds in the same text. What tree-sitter
// parses incrementally equals what it parses from scratch only where there is no
// error: recovery depends on what could be reused. So a tree with an error in it
// is parsed again from scratch. Mending (see mender) keeps that rare: of the
// states that a text goes through while it is typed, most have no error left.
type Document struct {
	lang      Language
	pkg, name string
	src       []byte
	// tree is that of parsed, the mended text of an earlier state; nil before the
	// first parse and where there is no parser.
	tree   *treesitter.Tree
	parsed []byte
	facts  *File // nil after an edit
}

// NewDocument returns a document that holds a copy of src. The arguments are
// Extract's.
func NewDocument(lang Language, pkg, name string, src []byte) *Document {
	return &Document{lang: lang, pkg: pkg, name: name, src: bytes.Clone(src)}
}

// Close frees the tree. The document must not be used after it.
func (d *Document) Close() {
	if d.tree != nil {
		d.tree.Close()
		d.tree = nil
	}
}

// Text returns the text as it stands; it changes with the next edit.
func (d *Document) Text() []byte { return d.src }

// Edit replaces the bytes [start, oldEnd) by text. Nothing is parsed before
// Facts, so a burst of edits costs one parse. A range outside the text is an
// error and changes nothing.
func (d *Document) Edit(start, oldEnd uint32, text []byte) error {
	if start > oldEnd || int64(oldEnd) > int64(len(d.src)) {
		return fmt.Errorf("facts: edit %s: range [%d,%d) is outside a text of %d bytes (send the whole text again)",
			d.name, start, oldEnd, len(d.src))
	}
	d.src = slices.Replace(d.src, int(start), int(oldEnd), text...)
	d.facts = nil
	return nil
}

// Facts returns the facts of the text as it stands.
func (d *Document) Facts() *File {
	if d.facts == nil {
		d.facts = d.extract()
	}
	return d.facts
}

func (d *Document) extract() *File {
	s := specOf(d.lang, d.name)
	if s == nil || len(d.src) > MaxSource {
		return bare(d.lang, d.pkg, d.name, d.src)
	}
	x := s.extractor()
	if x == nil {
		return bare(d.lang, d.pkg, d.name, d.src)
	}
	defer s.pool.Put(x)
	err := d.parse(x.parser, s.first(d.src))
	if err == nil && s.isBroken(x, d.tree, d.src) {
		err = d.parse(x.parser, s.mended(d.src))
	}
	if err != nil {
		return bare(d.lang, d.pkg, d.name, d.src)
	}
	return x.best(s, d.tree, d.lang, d.pkg, d.name, d.src)
}

// parse brings the tree to a new mended text.
func (d *Document) parse(p *treesitter.Parser, text []byte) error {
	old := d.tree
	if old != nil {
		if e, changed := editBetween(d.parsed, text); changed {
			old.Edit(e)
		}
		defer old.Close()
	}
	d.tree, d.parsed = nil, nil
	tree, err := p.Parse(text, old)
	if err == nil && old != nil && tree.HasError() {
		tree.Close()
		tree, err = p.Parse(text, nil)
	}
	if err != nil {
		return err
	}
	d.tree, d.parsed = tree, text
	if len(text) > 0 && len(d.src) > 0 && &text[0] == &d.src[0] {
		d.parsed = bytes.Clone(text) // edits change src in place
	}
	return nil
}

// editBetween returns the smallest edit that turns one text into another.
func editBetween(old, text []byte) (e treesitter.InputEdit, changed bool) {
	start := commonPrefix(old, text)
	if start == len(old) && start == len(text) {
		return e, false
	}
	tail := commonSuffix(old[start:], text[start:])
	oldEnd, newEnd := len(old)-tail, len(text)-tail
	return treesitter.InputEdit{
		Start: uint32(start), OldEnd: uint32(oldEnd), NewEnd: uint32(newEnd),
		StartPoint: point(old, start), OldEndPoint: point(old, oldEnd), NewEndPoint: point(text, newEnd),
	}, true
}

func commonPrefix(a, b []byte) int {
	n, end := 0, min(len(a), len(b))
	for n+64 <= end && bytes.Equal(a[n:n+64], b[n:n+64]) {
		n += 64
	}
	for n < end && a[n] == b[n] {
		n++
	}
	return n
}

func commonSuffix(a, b []byte) int {
	n, end := 0, min(len(a), len(b))
	for n+64 <= end && bytes.Equal(a[len(a)-n-64:len(a)-n], b[len(b)-n-64:len(b)-n]) {
		n += 64
	}
	for n < end && a[len(a)-n-1] == b[len(b)-n-1] {
		n++
	}
	return n
}

func point(text []byte, at int) treesitter.Point {
	return treesitter.Point{
		Row:    uint32(bytes.Count(text[:at], []byte("\n"))),
		Column: uint32(at - 1 - bytes.LastIndexByte(text[:at], '\n')),
	}
}
