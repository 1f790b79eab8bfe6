package facts

import (
	"slices"
	"strings"
	"sync"

	"readahead/index/internal/treesitter"
)

// A role is what a node does when it is met.
type role uint8

const (
	plain         role = iota // nothing; what is inside may do something
	silent                    // nothing, nor does what is inside
	remark                    // is a comment
	ident                     // uses a name
	typeIdent                 // uses a name as a type
	typeExpr                  // is a type that is more than a name
	access                    // names a member: object, name
	calling                   // calls: object and name, or name alone for the callee
	create                    // makes a value of a type: typ
	attribute                 // says something about the declaration behind or around it
	modifiers                 // may hold attributes
	wrapper                   // belongs to the declaration inside it: export, template<>
	typeDecl                  // declares a type: name, body, bases, value
	bases                     // holds the types that a type is derived from
	function                  // declares a function: name, typ, body
	variable                  // declares a variable or field: name, typ, value
	enumMember                // declares a member of an enumeration: name
	parameter                 // declares a parameter: name, typ, value
	parameters                // holds parameters, some of which may be bare names
	typeParameter             // declares a type parameter: name, typ
	pattern                   // binds the names in it
	lambda                    // is a function without a name: params, body
	scope                     // ends what is declared in it
	binding                   // binds a name: name, typ, value
	memberIdent               // a name that is a use only behind a dot
	loop                      // binds a name to each element: name, typ, value, body
	assign                    // sets: name = value
	space                     // is a namespace: name
	types                     // has types in it, however they are written
	values                    // has values in it, where types may be around it
)

// A form is what a node is worth as part of an expression.
type form uint8

const (
	noForm      form = iota
	nameForm         // a name
	selfForm         // the receiver: says
	accessForm       // object.name
	callForm         // object.name() or name()
	indexForm        // object[]
	innerForm        // what is inside it: value, or its first child
	createForm       // a value of the type typ
	castForm         // a value of the type typ, whatever is inside
	choiceForm       // one of its children
	literalForm      // a value of the type that it says
	textForm         // a path as written, whatever separates it
	fieldForm        // a member of the receiver: says
)

// A shape is one row of a table. Parts say where things stand among a node's
// children: a field of the grammar, a <type of node>, ^ for the first or $ for the
// last; of several words the first that leads somewhere counts.
type shape struct {
	is   role
	form form
	kind Kind   // of what it declares, where the place does not say it
	says string // see form

	name, object, typ, value, body, params string

	// do replaces what the role does, and returns the next node to visit.
	do func(o *outline, i uint32, n *node) uint32
}

// A table is all that an outline has to know of a language.
type table struct {
	grammar func() treesitter.Language
	shapes  map[string]shape
	// keywords are taken for names where code is broken: they neither declare
	// nor use anything. The names of predeclared mean the same everywhere, so
	// they are no uses. Separated by spaces.
	keywords, predeclared string
	// macros says that mending takes macros out.
	macros bool
	// free are types of nodes which may be named by a keyword, or are such a name.
	free string
	// overloads says that functions of one name differ by their parameters' types.
	overloads bool
	// tests are attributes that make a function a test.
	tests string
	// casts says that casts look like calls: static_cast<T>(x).
	casts bool
	// sigils may stand in front of names and are no part of them.
	sigils string
	// elements are methods that hand each element to the function they are given.
	elements string
	// constants is the keyword that makes a variable a constant, however it is
	// written; "" if none does alone.
	constants string
	// capitals says that in a pattern a name with a capital is a constant's.
	capitals bool
	// mend and unsure are spec's.
	mend   func(src []byte) []byte
	unsure func(x *extractor, tree *treesitter.Tree, src []byte) bool
	// fields says that assigning to a member of the receiver declares a field.
	fields bool
}

// A node is a shape in numbers.
type node struct {
	shape
	name, object, typ, value, body, params part
}

// A part leads to a child; see shape.
type part []step

type step struct {
	field uint8
	kind  uint16
	place place
}

type place uint8

const (
	anywhere place = iota
	foremost       // ^
	hindmost       // $
)

// A compiledTable is a table in the numbers of its grammar.
type compiledTable struct {
	grammar *treesitter.Grammar
	shapes  []node
	kinds   map[string]uint16
	known   map[string]bool // names that are no uses
	words   map[string]bool // those that are keywords
	free    []bool          // by kind, the table's free
}

// tableSpec makes the spec of a language from its table.
func tableSpec(t *table) *spec {
	compiled := sync.OnceValue(t.compile)
	return &spec{
		grammar: func() *treesitter.Grammar { return compiled().grammar },
		comment: treesitter.FirstKind,
		mend:    t.mend,
		unsure:  t.unsure,
		visitor: func(b *builder) visitor {
			return &outline{builder: b, table: t, compiledTable: compiled(), members: map[string]int{}, lambdas: map[uint32]int{}}
		},
	}
}

func (t *table) compile() *compiledTable {
	var kinds, fields []string
	for name, s := range t.shapes {
		kinds = append(kinds, name)
		for _, p := range s.parts() {
			for w := range strings.FieldsSeq(p) {
				switch kind, isKind := strings.CutPrefix(w, "<"); {
				case isKind:
					kinds = append(kinds, strings.TrimSuffix(kind, ">"))
				case w != "^" && w != "$":
					fields = append(fields, w)
				}
			}
		}
	}
	slices.Sort(kinds)
	slices.Sort(fields)
	kinds, fields = slices.Compact(kinds), slices.Compact(fields)
	c := &compiledTable{
		grammar: treesitter.MustGrammar(t.grammar(), kinds, fields),
		shapes:  make([]node, int(treesitter.FirstKind)+len(kinds)),
		kinds:   map[string]uint16{},
		known:   map[string]bool{},
		words:   map[string]bool{},
		free:    make([]bool, int(treesitter.FirstKind)+len(kinds)),
	}
	for i, name := range kinds {
		c.kinds[name] = treesitter.FirstKind + uint16(i)
	}
	parse := func(s string) (p part) {
		for w := range strings.FieldsSeq(s) {
			switch kind, isKind := strings.CutPrefix(w, "<"); {
			case isKind:
				p = append(p, step{kind: c.kinds[strings.TrimSuffix(kind, ">")]})
			case w == "^":
				p = append(p, step{place: foremost})
			case w == "$":
				p = append(p, step{place: hindmost})
			default:
				p = append(p, step{field: uint8(1 + slices.Index(fields, w))})
			}
		}
		return p
	}
	for name, s := range t.shapes {
		c.shapes[c.kinds[name]] = node{s, parse(s.name), parse(s.object), parse(s.typ), parse(s.value), parse(s.body), parse(s.params)}
	}
	for w := range strings.FieldsSeq(t.free) {
		c.free[c.kinds[w]] = true
	}
	for w := range strings.FieldsSeq(t.predeclared) {
		c.known[w] = true
	}
	for w := range strings.FieldsSeq(t.keywords) {
		c.known[w], c.words[w] = true, true
	}
	return c
}

func (s *shape) parts() [6]string {
	return [...]string{s.name, s.object, s.typ, s.value, s.body, s.params}
}

// merge returns a table's rows with those of others over them.
func merge(rows ...map[string]shape) map[string]shape {
	all := map[string]shape{}
	for _, m := range rows {
		for name, s := range m {
			all[name] = s
		}
	}
	return all
}
