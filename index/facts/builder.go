package facts

import (
	"bytes"
	"cmp"
	"slices"

	"readahead/index/internal/treesitter"
)

// A builder collects the facts of one file while a visitor goes over its nodes.
// It knows which object and which scopes enclose the node being visited, what
// names are taken, and where the last comment ended; none of it is specific to
// a language.
type builder struct {
	src     []byte
	nodes   []treesitter.Node
	comment uint16 // kind of a comment node
	sigil   string // in front of locals in the text, but not in path forms

	names  *names
	scopes scopes
	frames []frame        // what encloses the node being visited, outermost first
	taken  map[string]int // descriptors so far, and how often each was wanted
	above  Span           // the comment lines seen last
	buf    []byte         // scratch
	// extended says that mending put something behind the text.
	extended bool

	file     File // Objects, Refs, Imports and Bindings are reused from file to file
	modules  map[int32]bool
	exported []string
}

// A frame encloses the nodes up to until.
type frame struct {
	until  uint32 // index of the first node behind it
	object int    // the innermost object
	decls  int    // locals declared before it was entered
	// inside is set within a function: what is declared there is local.
	inside bool
	// class is the object whose members the receiver reaches, and receiver the
	// number of that name (self); both 0 where there is none.
	class    int
	receiver int32
	// space is the descriptors of the namespaces that lie between the object and
	// what is declared.
	space string
}

func newBuilder(comment uint16) *builder {
	return &builder{comment: comment, names: newNames(), taken: map[string]int{}, modules: map[int32]bool{}}
}

func (b *builder) begin(lang Language, pkg, name string, src []byte) {
	if len(b.names.strings) > maxNames {
		b.names, b.scopes = newNames(), scopes{}
	}
	clear(b.taken)
	clear(b.modules)
	b.src, b.above, b.exported = src, Span{}, nil
	b.file.Lang, b.file.Package, b.file.Name = lang, pkg, ""
	b.file.Objects = append(b.file.Objects, module(name, src))
	b.frames = append(b.frames[:0], frame{until: treesitter.NoParent})
}

// clip ends nodes with the text, behind which mending may have put brackets.
func (b *builder) clip() {
	end := uint32(len(b.src))
	if b.extended = len(b.nodes) > 0 && b.nodes[0].End > end; !b.extended {
		return
	}
	for i := range b.nodes {
		b.nodes[i].Start, b.nodes[i].End = min(b.nodes[i].Start, end), min(b.nodes[i].End, end)
	}
}

// run visits all nodes in order, leaving frames where they end.
func (b *builder) run(v visitor) {
	for i := uint32(0); i < uint32(len(b.nodes)); {
		for i >= b.top().until {
			b.leave()
		}
		i = v.visit(i)
	}
	for len(b.frames) > 0 {
		b.leave()
	}
}

// finish returns the facts and makes the builder ready for the next file.
func (b *builder) finish() *File {
	f := b.file
	if inOrder := func(a, b Ref) int { return cmp.Compare(a.At.Start, b.At.Start) }; !slices.IsSortedFunc(f.Refs, inOrder) {
		slices.SortStableFunc(f.Refs, inOrder)
	}
	nest(f.Objects)
	// half-typed: import .*, and : int
	f.Imports = slices.DeleteFunc(f.Imports, func(i Import) bool { return i.Path == "" })
	f.Bindings = slices.DeleteFunc(f.Bindings, func(b Binding) bool { return b.Name == "" })
	f.Objects, f.Refs = exact(f.Objects), exact(f.Refs)
	f.Imports, f.Bindings = exact(f.Imports), exact(f.Bindings)
	f.Exports = b.exported
	b.file.Objects, b.file.Refs = empty(b.file.Objects), empty(b.file.Refs)
	b.file.Imports, b.file.Bindings = empty(b.file.Imports), empty(b.file.Bindings)
	b.src = nil
	return &f
}

// nest makes every object stand inside its parent, and its parts inside it. In
// broken code one may reach beyond what encloses it: its end is given up there,
// or, if even its name is outside, the parent reaches as far.
func nest(objects []Object) {
	for i := 1; i < len(objects); i++ {
		o := &objects[i]
		if o.Ident.Len() > 0 {
			o.Span.Start, o.Span.End = min(o.Span.Start, o.Ident.Start), max(o.Span.End, o.Ident.End)
		}
		within := objects[o.Parent].Span
		switch {
		case o.Span.Start >= within.Start && o.Span.End <= within.End:
		case o.Span.Start >= within.Start && o.Ident.End <= within.End && o.Span.Start < within.End:
			o.Span.End = within.End
		default:
			for p := o.Parent; p >= 0; p = objects[p].Parent {
				outer := &objects[p].Span
				outer.Start, outer.End = min(outer.Start, o.Span.Start), max(outer.End, o.Span.End)
			}
		}
		for _, part := range []*Span{&o.Signature, &o.Doc, &o.Body} {
			if part.Start, part.End = max(part.Start, o.Span.Start), min(part.End, o.Span.End); part.Start >= part.End {
				*part = Span{}
			}
		}
		if o.Body.Len() > 0 && o.Signature.End > o.Body.Start {
			o.Signature.End = max(o.Signature.Start, o.Body.Start)
		}
	}
}

// exact returns a copy of s without room to grow; nil if s is empty.
func exact[T any](s []T) []T {
	if len(s) == 0 {
		return nil
	}
	return append(make([]T, 0, len(s)), s...)
}

// empty returns s without its elements and what they point to.
func empty[T any](s []T) []T {
	clear(s)
	return s[:0]
}

// The tree.

func (b *builder) text(i uint32) []byte     { return b.src[b.nodes[i].Start:b.nodes[i].End] }
func (b *builder) str(i uint32) string      { return b.names.intern(b.text(i)) }
func (b *builder) kind(i uint32) uint16     { return b.nodes[i].Kind }
func (b *builder) span(i uint32) Span       { return Span{b.nodes[i].Start, b.nodes[i].End} }
func (b *builder) parent(i uint32) uint32   { return b.nodes[i].Parent }
func (b *builder) isRoot(i uint32) bool     { return b.nodes[i].Parent == treesitter.NoParent }
func (b *builder) skip(i uint32) uint32     { return b.nodes[i].Next }
func (b *builder) missing(i uint32) bool    { return b.nodes[i].Start == b.nodes[i].End }
func (b *builder) slice(s Span) []byte      { return b.src[s.Start:s.End] }
func (b *builder) between(a, z uint32) Span { return Span{a, max(a, z)} }

// first returns the first child of i, or 0 for none: node 0 is nobody's child.
func (b *builder) first(i uint32) uint32 {
	if b.nodes[i].Next > i+1 {
		return i + 1
	}
	return 0
}

// next returns the sibling behind child c of i, or 0 for none.
func (b *builder) next(i, c uint32) uint32 {
	if n := b.nodes[c].Next; n < b.nodes[i].Next {
		return n
	}
	return 0
}

// field returns the first child of i that fills a field, or 0 for none.
func (b *builder) field(i uint32, field uint8) uint32 {
	for c := b.first(i); c != 0; c = b.next(i, c) {
		if b.nodes[c].Field == field {
			return c
		}
	}
	return 0
}

// child returns the first child of i of a kind, or 0 for none.
func (b *builder) child(i uint32, kind uint16) uint32 {
	for c := b.first(i); c != 0; c = b.next(i, c) {
		if b.nodes[c].Kind == kind {
			return c
		}
	}
	return 0
}

// code returns the first child of i that is no comment, or 0 for none.
func (b *builder) code(i uint32) uint32 {
	for c := b.first(i); c != 0; c = b.next(i, c) {
		if b.nodes[c].Kind != b.comment {
			return c
		}
	}
	return 0
}

// Marks on nodes still to be visited.

const (
	declaredFlag treesitter.Flags = treesitter.UserFlag << iota // a name that is declared here, not used
	callFlag
	writeFlag
	typeFlag
)

func (b *builder) mark(i uint32, f treesitter.Flags) { b.nodes[i].Flags |= f }

func (b *builder) marked(i uint32, f treesitter.Flags) bool { return b.nodes[i].Flags&f != 0 }

// role is how node i is used, by its marks.
func (b *builder) role(i uint32) Role {
	switch f := b.nodes[i].Flags; {
	case f&writeFlag != 0:
		return Write
	case f&callFlag != 0:
		return Call
	case f&typeFlag != 0:
		return TypeUse
	}
	return Read
}

// Frames and scopes.

func (b *builder) top() *frame { return &b.frames[len(b.frames)-1] }

// enter opens a scope that ends with node i.
func (b *builder) enter(i uint32) *frame {
	f := *b.top()
	f.until, f.decls = b.nodes[i].Next, len(b.scopes.decls)
	b.frames = append(b.frames, f)
	return b.top()
}

// enterObject opens an object, and a scope in it, that end with node i.
func (b *builder) enterObject(i uint32, object int) *frame {
	f := b.enter(i)
	f.object = object
	return f
}

func (b *builder) leave() {
	b.scopes.leave(b.top().decls)
	b.frames = b.frames[:len(b.frames)-1]
}

// declare makes the name at node i local from an offset on.
func (b *builder) declare(i, from uint32) {
	b.mark(i, declaredFlag)
	b.scopes.declare(b.names.id(b.text(i)), from)
}

func (b *builder) local(i uint32) bool {
	return b.scopes.local(b.names.id(b.text(i)), b.nodes[i].Start)
}

// Facts.

// add records o, whose qualified name is prefix and d, and returns its index.
func (b *builder) add(prefix string, d Descriptor, o Object) int {
	o.Descriptors = b.unique(prefix, d)
	b.file.Objects = append(b.file.Objects, o)
	return len(b.file.Objects) - 1
}

// unique returns the qualified name of prefix and d. If it is taken already, an
// ordinal is added: f(+1). or T+1#.
func (b *builder) unique(prefix string, d Descriptor) string {
	first := prefix + d.String()
	for name := first; ; {
		if _, taken := b.taken[name]; !taken {
			b.taken[name] = 0
			return name
		}
		b.taken[first]++
		name = prefix + d.ordinal(b.taken[first]).String()
	}
}

// prefix is what the descriptors of an object's members begin with.
func (b *builder) prefix(object int) string {
	if object == 0 {
		return ""
	}
	return b.file.Objects[object].Descriptors
}

// ref records a use of the name at node i.
func (b *builder) ref(i uint32, role Role, path string) {
	b.refAt(b.span(i), role, path)
}

func (b *builder) refAt(at Span, role Role, path string) {
	b.file.Refs = append(b.file.Refs, Ref{
		Name: b.names.intern(b.slice(at)), At: at, Object: b.top().object, Role: role, Path: path,
	})
}

// bind records what the name at node i stands for from an offset on.
func (b *builder) bind(i, from uint32, v value, result int) {
	b.file.Bindings = append(b.file.Bindings, Binding{
		Name: b.str(i), Object: b.top().object, At: from, Type: v.typ, Value: v.path, Result: result,
	})
}

// maxType is the length in bytes of the longest type expression that is kept: a
// struct spelled out in place says nothing that could be looked up by name.
const maxType = 256

// typ returns the type expression at node i as written; "" for none.
func (b *builder) typ(i uint32) string {
	if i == 0 || len(b.text(i)) > maxType {
		return ""
	}
	return b.str(i)
}

// Comments.

// noteComment remembers the run of comment lines that node i ends.
func (b *builder) noteComment(i uint32) {
	n := b.nodes[i]
	switch {
	case b.above.End > 0 && b.newlines(b.above.End, n.Start) == 1:
		b.above.End = n.End
	case b.startsLine(n.Start):
		b.above = b.span(i)
	default: // behind code: it says something about that
		b.above = Span{}
	}
}

// docAbove returns the comment that ends on the line above the declaration at
// an offset.
func (b *builder) docAbove(start uint32) Span {
	if n := b.newlines(b.above.End, start); b.above.End > 0 && (n == 0 || n == 1) {
		return b.above
	}
	return Span{}
}

// docBehind returns the comment that follows node i on its last line.
func (b *builder) docBehind(i uint32) Span {
	n := b.nodes[i].Next
	if n >= uint32(len(b.nodes)) || b.nodes[n].Kind != b.comment || b.newlines(b.nodes[i].End, b.nodes[n].Start) != 0 {
		return Span{}
	}
	return b.span(n)
}

// newlines counts the line ends from a to z, which is -1 if anything but white
// space stands there.
func (b *builder) newlines(a, z uint32) int {
	if a > z {
		return -1
	}
	n := 0
	for _, c := range b.src[a:z] {
		switch c {
		case '\n':
			n++
		case ' ', '\t', '\r', '\f':
		default:
			return -1
		}
	}
	return n
}

func (b *builder) startsLine(at uint32) bool {
	for ; at > 0; at-- {
		switch b.src[at-1] {
		case '\n':
			return true
		case ' ', '\t', '\f':
		default:
			return false
		}
	}
	return true
}

// trimRight returns s without white space at its end.
func (b *builder) trimRight(s Span) Span {
	s.End = s.Start + uint32(len(bytes.TrimRight(b.slice(s), " \t\r\n\f")))
	return s
}
