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
// names across files is package index's work. For a file that is being edited, a
// Document keeps the tree between edits and has the same facts sooner.
//
// # How
//
//	text ──mend──▶ text ──parse──▶ tree ──flatten──▶ nodes ──visit──▶ File
//	     brackets       (C)             in pre-order        one pass
//
// A syntax error costs the statement it stands in, never the file. Brackets that
// provably stay open are closed before parsing (see mender), macros and syntax that
// the grammar is too old for go where they would be in its way (see eraseMacros),
// error nodes are walked like any other, and what can be recognised inside them is
// kept. A pass
// over the nodes is a loop over a slice, not a recursion, and nothing in it looks
// further than a bounded way up or down, so nesting of any depth is harmless.
//
// What this package refuses to do: resolve a name to another file, guess a type
// that is not written down, or run longer than one pass.
//
// # Adding a language
//
//  1. Link its grammar and add a function for it in internal/treesitter/grammar.go.
//  2. Add a Language constant here and its extensions in language.go.
//  3. Write lang_NAME.go: a table from the grammar's node types to what they are
//     (see outline), and hooks for what no table can say. Add its spec to specs in
//     extract.go. Go and Python have visitors of their own, a switch over kinds
//     each; what is common to all (objects and their unique names, scopes, marks
//     on nodes yet to come, comments, path forms) is in builder.
//  4. Write a mend function if the language's layout can prove brackets open;
//     without one, a spec's text is parsed as it is.
//  5. Put files with real and broken syntax in testdata/NAME/, run the tests with
//     -update, and read the result line by line. The property tests, fuzzers and
//     benchmarks take the new language in by themselves where they go over specs;
//     give pieces in document_test.go what typing looks like in it.
package facts

// A Language is one the extractor knows to full depth; "" is any other text.
type Language string

const (
	C          Language = "c"
	CSharp     Language = "cs"
	Cpp        Language = "cpp"
	Go         Language = "go"
	Java       Language = "java"
	JavaScript Language = "js"
	PHP        Language = "php"
	Python     Language = "py"
	Ruby       Language = "rb"
	Rust       Language = "rs"
	TypeScript Language = "ts" // TSX included: one file imports the other
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
	// Name is the name in the package clause where the language has one: Go's,
	// which may differ from the last element of Package, Java's package, and the
	// first namespace of a C# or PHP file as written. "" elsewhere.
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
	// Parent is the object that declares this one inside itself, by its index in
	// File.Objects; -1 for the module object. A Go method's is the module, since
	// its type may stand in another file; Descriptors name the type all the same.
	// A field that a Python method declares through self belongs to the class.
	Parent    int
	Ident     Span // the name; empty for a Module
	Span      Span // the whole declaration, with its doc comment and decorators
	Signature Span // up to, not including, the body: `func (c *Cart) Add(it Item) error`
	Doc       Span // doc comment or docstring; empty if none
	Body      Span // the block; empty if none
	// Type is the type expression, as written, of a variable, constant or field,
	// and of the first result of a function or method; "" if not written. Where an
	// initialiser says the type outright (T{}, 1.5), that counts as written, and so
	// does the type that a Go constant repeats from the line above it. Of a Go
	// type that is neither a struct, an interface nor another type's name it is the
	// underlying type. Type expressions over 256 bytes are left out.
	Type string
	// Results are the types of all results of a function or method that has more
	// than one, in their order; Results[0] is Type.
	Results []string
	// Value is the initialiser of a variable, constant or field in path form
	// (see Binding); "" if there is none or it has no such form. It never begins
	// with a local name: self.x = db is given the type of the parameter db.
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
// stand bare, and kept as the head of Path; so are names of imported modules. Bare
// names that mean the same everywhere (string, append; str, isinstance) are left
// out too. The Role ImportUse is that of a member named in an import: models in
// from .db import models, with the Path .db.
type Ref struct {
	Name   string
	At     Span
	Object int // index in File.Objects of the innermost enclosing object
	Role   Role
	// Path is the expression that qualifies Name, in path form (see Binding):
	// for s.db.Query(x), Name is Query and Path is "s.db". "" for a bare name, "?"
	// for an expression that has no path form. The keys of a Go composite literal
	// are written to under the literal's type: X in Point{X: 1} has Path "Point". So
	// are C's designators and what a Python class is called with (Point(x=1)); other
	// named arguments are left out. What a pattern takes out of a value is read, under
	// the type that the pattern says or the value's path: x in let Point { x, .. } = p
	// has Path "Point", in const { x } = p it has Path "p".
	// A bare name in the body of a Python class that is a member of it has the
	// class for its Path.
	Path string
}

// An Import binds a name of this file to something elsewhere.
type Import struct {
	// Local is the name bound here; "." for a Go dot import, "*" for a star import,
	// "_" for none. Without an alias a Go package's name is guessed from its path.
	// Python's import os.path binds os, with the Path os.path.
	Local string
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
// An expression with no such form has neither, nor has the key of an iteration,
// nor the only variable of a Go range, whose meaning depends on the operand's
// type. Of a choice (a or b) the first operand that says something counts. A type
// parameter is bound to its constraint.
type Binding struct {
	Name   string
	Object int    // index in File.Objects of the innermost enclosing object
	At     uint32 // where the binding starts to hold
	Type   string
	Value  string
	Result int // which result of a multi-value initialiser, from 0
}
