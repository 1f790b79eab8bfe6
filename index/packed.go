package index

import (
	"slices"
	"strings"

	"readahead/index/facts"
)

// A file is one version of one file, packed: no pointers but its slices, names
// as IDs. Files are immutable; an edit makes a new one. The slices of a
// background file point into its segment.
type file struct {
	path string // absolute, cleaned
	rel  string // slash-separated, relative to its root
	root int    // index in Options.Roots; -1 for a document outside all of them
	lang facts.Language

	size  int64
	mtime int64  // Unix nanoseconds; 0 for an open document
	hash  uint64 // xxhash of the text

	// generated files are used, but not as examples; useless ones (binary,
	// minified) are only remembered, so that they are not read again.
	generated, useless bool

	lines   uint32
	parsed  bool // facts were extracted; false: lexical windows only
	pkg     nameID
	clause  nameID // the package clause's name, see facts.File.Name
	objects []object
	refs    []ref
	imports []imported
	binds   []bind
	types   []nameID // bases and results of the objects

	windows []uint16 // tokens in each lexical window
	terms   []byte   // encoded terms; nil once the file is in a segment

	text []byte // of an open document; nil: on disk
	sift *sift  // of an open document; nil: look everywhere
}

// An object is a facts.Object in 76 bytes.
type object struct {
	descriptors nameID
	name        nameID
	owner       nameID // descriptors of the type around it, see ownerOf
	typ         nameID
	value       nameID
	parent      int32
	ident       facts.Span
	whole       facts.Span
	signature   facts.Span
	doc         facts.Span
	body        facts.Span
	types       uint32 // first of its bases in file.types, behind them its results
	nbases      uint16
	nresults    uint8
	kind        facts.Kind
	test        bool
}

// A ref is a facts.Ref in 16 bytes: its end is at + len(name).
type ref struct {
	name nameID
	path nameID
	at   uint32
	in   uint32 // enclosing object << 3 | role
}

func (r ref) object() int      { return int(r.in >> 3) }
func (r ref) role() facts.Role { return facts.Role(r.in & 7) }

type imported struct {
	local, path, name nameID
	at                uint32
}

type bind struct {
	name, typ, value nameID
	at               uint32
	object           uint32
	result           uint32
}

// pack interns the facts of f.
func (f *file) pack(n *names, x *facts.File) {
	f.parsed = true
	f.pkg, f.clause = n.intern(packageOf(x, f.path)), n.intern(x.Name)
	f.objects = make([]object, len(x.Objects))
	for i, o := range x.Objects {
		p := object{
			descriptors: n.intern(o.Descriptors), name: n.intern(o.Name), owner: n.intern(ownerOf(o.Descriptors)),
			typ: n.intern(o.Type), value: n.intern(o.Value), parent: int32(o.Parent),
			ident: o.Ident, whole: o.Span, signature: o.Signature, doc: o.Doc, body: o.Body,
			types: uint32(len(f.types)), nbases: uint16(min(len(o.Bases), 1<<16-1)), nresults: uint8(min(len(o.Results), 1<<8-1)),
			kind: o.Kind, test: o.Test,
		}
		for _, t := range slices.Concat(o.Bases[:p.nbases], o.Results[:p.nresults]) {
			f.types = append(f.types, n.intern(t))
		}
		f.objects[i] = p
	}
	f.refs = make([]ref, len(x.Refs))
	for i, r := range x.Refs {
		f.refs[i] = ref{n.intern(r.Name), n.intern(r.Path), r.At.Start, uint32(r.Object)<<3 | uint32(r.Role)}
	}
	f.imports = make([]imported, len(x.Imports))
	for i, m := range x.Imports {
		f.imports[i] = imported{n.intern(m.Local), n.intern(m.Path), n.intern(m.Name), m.At.Start}
	}
	f.binds = make([]bind, len(x.Bindings))
	for i, b := range x.Bindings {
		f.binds[i] = bind{n.intern(b.Name), n.intern(b.Type), n.intern(b.Value), b.At, uint32(b.Object), uint32(b.Result)}
	}
}

// packageOf is x.Package, or what the file itself says where the language leaves
// that to it. A Go external test package is a package of its own: it sees only
// what importers see.
func packageOf(x *facts.File, path string) string {
	if clauseNames(x.Lang) && x.Name != "" {
		return x.Name
	}
	if x.Lang == facts.Go && strings.HasSuffix(x.Name, "_test") && strings.HasSuffix(path, "_test.go") {
		return x.Package + "_test"
	}
	return x.Package
}

// basesOf are the embedded or inherited type expressions of o.
func (f *file) basesOf(o *object) []nameID { return f.types[o.types:][:o.nbases] }

// resultsOf are the result types of a function with several.
func (f *file) resultsOf(o *object) []nameID { return f.types[o.types:][o.nbases:][:o.nresults] }

// enclosing is the innermost object around p; 0, the module, if there is none
// further in.
func (f *file) enclosing(p uint32) int {
	best := 0
	for i := 1; i < len(f.objects); i++ {
		w := f.objects[i].whole
		if w.Contains(p) && (best == 0 || w.Len() <= f.objects[best].whole.Len()) {
			best = i
		}
	}
	return best
}

// scope is the object in whose scope the initialiser of an object stands: the
// method that assigns it, for an attribute; else what it is declared in.
func (f *file) scope(object int) int {
	o := &f.objects[object]
	best := max(0, int(o.parent))
	for i := 1; i < len(f.objects); i++ {
		m := &f.objects[i]
		if (m.kind == facts.Function || m.kind == facts.Method) && m.whole.Contains(o.whole.Start) && i != object &&
			(f.objects[best].kind == facts.Type || m.whole.Len() <= f.objects[best].whole.Len()) {
			best = i
		}
	}
	return best
}

// A site is one object of one file.
type site struct {
	file *file
	obj  int
}

func (s site) object() *object { return &s.file.objects[s.obj] }
