package facts

import (
	"strings"

	"readahead/index/internal/treesitter"
)

// An outline is the visitor of every language that a table describes.
//
// Grammars differ in the names of their nodes more than in what the nodes are:
// a class_declaration, a struct_item and a class_specifier all declare a type
// with a name, bases and a body. So a language is a table from the grammar's
// node types to shapes,
//
//	"class_declaration": {is: typeDecl, name: "name", body: "body"},
//	"method_invocation": {is: calling, form: callForm, object: "object", name: "name"},
//	"this":              {form: selfForm, says: "this"},
//
// and what no table can say (import syntax, C's declarators, Ruby's
// attr_accessor) is a hook in the row of the node that it concerns. One pass in
// pre-order then finds declarations, uses and bindings the same way everywhere:
//
//	is     what the node does when it is met        typeDecl, parameter, scope …
//	form   what it is worth as part of an expression  nameForm, callForm …
//
// A declaration inside a function is a local. Members of a namespace have the
// namespace in front of their descriptors; the namespace itself is no object,
// since its text is that of all its members.
type outline struct {
	*builder
	*compiledTable
	table    *table
	members  map[string]int // variables and fields by descriptors
	lambdas  map[uint32]int // objects of functions without a name, by node
	lead     Span           // the attributes seen last, with the comment above them
	leadDoc  Span           // that comment
	previous sibling        // the function declared last
	contexts []context      // what names stand for, the innermost last
	taking   string         // the module whose members a pattern takes: require("m")
	testFile bool
}

// memberFlag marks a name behind a dot: its parent knows what stands before it.
const memberFlag treesitter.Flags = 1 << 7

func (o *outline) begin() {
	clear(o.members)
	clear(o.lambdas)
	o.lead, o.leadDoc, o.contexts, o.previous = Span{}, Span{}, o.contexts[:0], sibling{}
	if o.sigil = ""; o.table.sigils == "$" {
		o.sigil = "$"
	}
	o.testFile = namesTest(o.file.Objects[0].Name)
	if len(o.nodes) > 0 {
		o.moduleDoc()
	}
}

// namesTest reports whether a file's name says that it holds tests: cart.test.ts,
// CartTest.java, cart_spec.rb, test_cart.c.
func namesTest(name string) bool {
	stem, _, _ := strings.Cut(name, ".")
	for _, word := range []string{"Test", "Tests", "Spec", "_test", "_spec", "-test"} {
		if strings.HasSuffix(stem, word) {
			return true
		}
	}
	return strings.HasPrefix(name, "test_") || strings.Contains(name, ".test.") || strings.Contains(name, ".spec.") ||
		stem == "test" || stem == "tests"
}

func (o *outline) shape(i uint32) *node { return &o.shapes[o.kind(i)] }

func (o *outline) visit(i uint32) uint32 {
	n := o.shape(i)
	if n.do != nil {
		return n.do(o, i, n)
	}
	return o.act(i, n)
}

// act does what a node's role says, hooks aside.
func (o *outline) act(i uint32, n *node) uint32 {
	switch n.is {
	case silent:
		return o.skip(i)
	case remark:
		o.noteRemark(i)
		return o.skip(i)
	case ident:
		o.use(i, n)
	case typeIdent:
		o.mark(i, typeFlag)
		o.use(i, n)
	case access:
		o.markMember(i, n)
	case calling:
		o.markCallee(i, n)
	case create:
		o.markCreated(o.part(i, n.typ), 0)
	case attribute:
		o.noteAttribute(i)
	case typeDecl:
		return o.declareType(i, n)
	case function:
		return o.declareFunction(i, n)
	case variable:
		o.declareVariable(i, n)
	case enumMember:
		if name := o.part(i, n.name); !o.nameless(name) && !o.top().inside {
			if m := o.addEnumMember(i, name); o.part(i, n.body) != 0 {
				o.enterObject(i, m)
			}
		}
	case parameter:
		o.parameter(i, n)
	case parameters:
		o.parameterList(i)
	case typeParameter:
		if name := o.part(i, n.name); !o.nameless(name) {
			o.declareTypeParameter(name, o.part(i, n.typ))
		}
	case lambda:
		o.markType(o.part(i, n.typ))
		o.enterLambda(i, n)
	case scope:
		o.enter(i)
	case memberIdent:
		if o.marked(i, memberFlag) {
			o.use(i, n)
		}
	case wrapper:
		o.markType(o.part(i, n.typ))
	case binding:
		o.bindPart(i, n)
	case loop:
		o.loop(i, n)
	case assign:
		o.assign(i, n)
	case space:
		o.enterSpace(i, o.part(i, n.name))
	case types, bases:
		o.stand(i, true)
	case values:
		o.stand(i, false)
	}
	return i + 1
}

// part returns the child of i that a part names, or 0 for none. Of several steps
// the first that leads somewhere counts.
func (o *outline) part(i uint32, p part) uint32 {
	for _, s := range p {
		switch s.place {
		case foremost:
			return o.code(i)
		case hindmost:
			return o.last(i)
		}
		for c := o.first(i); c != 0; c = o.next(i, c) {
			if n := &o.nodes[c]; s.field != 0 && n.Field == s.field || s.kind != 0 && n.Kind == s.kind {
				return c
			}
		}
	}
	return 0
}

// code returns the first child of i that is no comment, or 0 for none.
func (o *outline) code(i uint32) uint32 {
	for c := o.first(i); c != 0; c = o.next(i, c) {
		if o.shape(c).is != remark {
			return c
		}
	}
	return 0
}

// last returns the last child of i that is no comment, or 0 for none.
func (o *outline) last(i uint32) uint32 {
	last := uint32(0)
	for c := o.first(i); c != 0; c = o.next(i, c) {
		if o.shape(c).is != remark {
			last = c
		}
	}
	return last
}

// isA reports whether node i is of a type of the grammar.
func (o *outline) isA(i uint32, kind string) bool {
	k, ok := o.kinds[kind]
	return ok && i < uint32(len(o.nodes)) && o.kind(i) == k
}

// nameSpan is where the name at node i stands, without the sigil that some
// languages put in front of it.
func (o *outline) nameSpan(i uint32) Span {
	s := o.span(i)
	for s.Start < s.End && strings.IndexByte(o.table.sigils, o.src[s.Start]) >= 0 {
		s.Start++
	}
	return s
}

// nameless reports whether node i is none, or no name: missing, empty, or a
// keyword that error recovery took for one.
func (o *outline) nameless(i uint32) bool {
	return i == 0 || o.missing(i) || o.nameSpan(i).Len() == 0 || o.words[string(o.text(i))] && !o.wordNames(i)
}

// wordNames reports whether a keyword at node i is the name of a member:
// repository.delete() is nothing special. But what error recovery took for a member
// may be a statement that begins its line, or a declaration's first word.
func (o *outline) wordNames(i uint32) bool {
	if !o.free[o.kind(i)] && (o.isRoot(i) || !o.free[o.kind(o.parent(i))]) {
		return false
	}
	end := skipBlanks(o.src, int(o.nodes[i].End))
	if end < len(o.src) && strings.IndexByte("(=:;?!<,}\r\n", o.src[end]) < 0 {
		return false
	}
	return !o.startsLine(o.nodes[i].Start) || o.free[o.kind(i)] && !braceStatements[string(o.text(i))]
}

func (o *outline) nameOf(i uint32) string { return o.names.intern(o.slice(o.nameSpan(i))) }

// enterSpace opens a namespace: what is declared in it has its name in front.
func (o *outline) enterSpace(i, name uint32) {
	f := o.enter(i)
	if o.nameless(name) {
		return
	}
	for j := name; j < o.nodes[name].Next; j++ {
		o.mark(j, declaredFlag)
	}
	prefix := f.space
	text := string(o.text(name))
	if text[0] == '"' || text[0] == '\'' { // declare module "./cell.js"
		f.space = prefix + Descriptor{Name: strings.Trim(text, `"'`), Suffix: NamespaceSuffix}.String()
		return
	}
	for _, s := range strings.FieldsFunc(text, isSeparator) {
		prefix += Descriptor{Name: s, Suffix: NamespaceSuffix}.String()
	}
	f.space = prefix
}

func isSeparator(r rune) bool { return strings.ContainsRune(`.:\"' `, r) }

// here is what the descriptors of something declared at the node being visited
// begin with.
func (o *outline) here() string { return o.prefix(o.top().object) + o.top().space }
