// Package facts says what one source file says by itself.
//
// The index answers questions about a workspace; every answer starts from what
// single files declare and mention. That part is a pure function:
//
//	language, package name, bytes  ──Extract──▶  File
//	                                             ├ Objects    what is declared here
//	                                             ├ Refs       which names are used, where, how
//	                                             ├ Imports    which names come from elsewhere
//	                                             └ Bindings   what local names stand for
//
// Facts never look at another file, so an edit re-computes one file, the result
// can be cached by content hash, and files can be extracted in parallel. Joining
// names across files is package index's work.
//
// A syntax error costs the statement it stands in, never the file: tree-sitter's
// error nodes are walked like any other node, and what can be recognised inside
// them is kept.
package facts

// A Language is one the extractor knows to full depth; "" is any other text.
type Language string

const (
	Go     Language = "go"
	Python Language = "py"
)

// A Span is a half-open range of bytes in the file.
type Span struct{ Start, End uint32 }

// Len is the length of s in bytes.
func (s Span) Len() int { return int(s.End) - int(s.Start) }

// Contains reports whether the byte at p lies in s.
func (s Span) Contains(p uint32) bool { return s.Start <= p && p < s.End }

// A File is everything that one version of a file says.
type File struct {
	Lang    Language
	Package string // as the language names it: import path, dotted module
	// Name is the package clause's name where the language has one (Go), which
	// may differ from the last element of Package; "" elsewhere.
	Name     string
	Objects  []Object // Objects[0] is the file's module object; parents precede children
	Refs     []Ref    // in source order
	Imports  []Import
	Bindings []Binding
	// Exports are the names listed in __all__, in their order; nil if the file
	// has no such list.
	Exports []string
}

// Kind is what sort of thing an Object is.
type Kind uint8

const (
	Module   Kind = iota // the file itself
	Function             // callable without a receiver
	Method               // callable with a receiver, or inside a type
	Type                 // class, struct, interface, alias, enum
	Constant
	Variable // package-level variable
	Field    // struct field, class attribute, interface element that is not a method
)

// An Object is one declaration. Locals and closures belong to the object that
// encloses them and are no objects of their own.
type Object struct {
	// Descriptors is the qualified name inside the package in SCIP's suffix
	// notation: Cart#Add(). Two objects of one file never share it.
	Descriptors string
	Name        string // the bare identifier; the file's base name for a Module
	Kind        Kind
	Parent      int  // index in File.Objects; -1 for the module object
	Ident       Span // the name; empty for a Module
	Span        Span // the whole declaration, with its doc comment and decorators
	Signature   Span // up to, not including, the body: `func (c *Cart) Add(it Item) error`
	Doc         Span // doc comment or docstring; empty if none
	Body        Span // the block; empty if none
	// Type is the type expression, as written, of a variable, constant or field,
	// and of the first result of a function or method; "" if not written.
	Type string
	// Results are the types of all results of a function or method that has more
	// than one, in their order; Results[0] is Type.
	Results []string
	// Value is the initialiser of a variable, constant or field in path form
	// (see Binding); "" if there is none or it has no such form.
	Value string
	Bases []string // type expressions of embedded, inherited or aliased types
	Test  bool     // a test, benchmark, example or fuzz function, or inside a test class
}

// Role is how a name is used.
type Role uint8

const (
	Read Role = iota
	Call
	TypeUse
	Write
	ImportUse
)

// A Ref is one use of a name that is not its declaration. Names that are
// declared inside the same function (locals, parameters) are left out when they
// stand bare, and kept as the head of Path.
type Ref struct {
	Name   string
	At     Span
	Object int // index in File.Objects of the innermost enclosing object
	Role   Role
	// Path is the expression that qualifies Name, in path form (see Binding):
	// for s.db.Query(x), Name is Query and Path is "s.db". "" for a bare name.
	Path string
}

// An Import binds a name of this file to something elsewhere.
type Import struct {
	Local string // the name bound here; "." for a Go dot import, "*" for a star import, "_" or "" for none
	Path  string // package or module exactly as written: net/http, ..models
	Name  string // the member taken out of it (from Path import Name); "" for the module itself
	At    Span
}

// A Binding says what a local name or parameter stands for, so that a receiver
// can be followed to its type without a type checker.
//
// Type is a type expression as written. Value is the initialiser in path form:
// identifiers joined by dots, with () behind what is called and [] behind what
// is indexed or iterated over:
//
//	c := cart.New(db)      Value "cart.New()"
//	for _, it := range c.items   Value "c.items[]"
//	with open(p) as f:     Value "open()"
//	x := &Cart{}           Type "Cart"
//
// An expression with no such form has neither.
type Binding struct {
	Name   string
	Object int    // index in File.Objects of the enclosing function or method
	At     uint32 // where the binding starts to hold
	Type   string
	Value  string
	Result int // which result of a multi-value initialiser, from 0
}
