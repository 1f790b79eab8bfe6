package facts

import (
	"bytes"
	"path"
	"strings"
	"sync"
	"unicode"
	"unicode/utf8"

	"readahead/index/internal/treesitter"
)

// Kinds of the nodes that Go's facts come from.
const (
	goComment = treesitter.FirstKind + iota
	goPackageClause
	goPackageIdentifier
	goImportSpec
	goConstDeclaration
	goVarDeclaration
	goTypeDeclaration
	goVarSpecList
	goConstSpec
	goVarSpec
	goTypeSpec
	goTypeAlias
	goFunctionDeclaration
	goMethodDeclaration
	goFuncLiteral
	goFunctionType
	goParameterList
	goParameter
	goVariadicParameter
	goTypeParameter
	goStructType
	goInterfaceType
	goFieldList
	goField
	goMethodElem
	goTypeElem
	goIdentifier
	goFieldIdentifier
	goTypeIdentifier
	goBlankIdentifier
	goBlock
	goIf
	goFor
	goSwitch
	goTypeSwitch
	goSelect
	goCase
	goTypeCase
	goDefaultCase
	goCommCase
	goShortVar
	goRangeClause
	goReceive
	goAssignment
	goInc
	goDec
	goExpressionList
	goCall
	goConversion
	goSelector
	goIndex
	goSlice
	goParenthesized
	goUnary
	goAssertion
	goComposite
	goLiteralValue
	goLiteralElement
	goKeyedElement
	goQualifiedType
	goGenericType
	goPointerType
	goParenthesizedType
	goSliceType
	goArrayType
	goImplicitArrayType
	goMapType
	goTypeArguments
	goString
	goRawString
	goInt
	goFloat
	goImaginary
	goRune
	goTrue
	goFalse
)

// goTypes are the grammar's names of the kinds above, in their order.
var goTypes = []string{
	"comment",
	"package_clause",
	"package_identifier",
	"import_spec",
	"const_declaration",
	"var_declaration",
	"type_declaration",
	"var_spec_list",
	"const_spec",
	"var_spec",
	"type_spec",
	"type_alias",
	"function_declaration",
	"method_declaration",
	"func_literal",
	"function_type",
	"parameter_list",
	"parameter_declaration",
	"variadic_parameter_declaration",
	"type_parameter_declaration",
	"struct_type",
	"interface_type",
	"field_declaration_list",
	"field_declaration",
	"method_elem",
	"type_elem",
	"identifier",
	"field_identifier",
	"type_identifier",
	"blank_identifier",
	"block",
	"if_statement",
	"for_statement",
	"expression_switch_statement",
	"type_switch_statement",
	"select_statement",
	"expression_case",
	"type_case",
	"default_case",
	"communication_case",
	"short_var_declaration",
	"range_clause",
	"receive_statement",
	"assignment_statement",
	"inc_statement",
	"dec_statement",
	"expression_list",
	"call_expression",
	"type_conversion_expression",
	"selector_expression",
	"index_expression",
	"slice_expression",
	"parenthesized_expression",
	"unary_expression",
	"type_assertion_expression",
	"composite_literal",
	"literal_value",
	"literal_element",
	"keyed_element",
	"qualified_type",
	"generic_type",
	"pointer_type",
	"parenthesized_type",
	"slice_type",
	"array_type",
	"implicit_length_array_type",
	"map_type",
	"type_arguments",
	"interpreted_string_literal",
	"raw_string_literal",
	"int_literal",
	"float_literal",
	"imaginary_literal",
	"rune_literal",
	"true",
	"false",
}

// Fields by which Go's facts find their way among a node's children.
const (
	goNameField = 1 + iota
	goTypeField
	goValueField
	goBodyField
	goReceiverField
	goResultField
	goPathField
	goLeftField
	goRightField
	goFunctionField
	goOperandField
	goFieldField
	goAliasField
	goPackageField
	goElementField
	goKeyField
	goArgumentsField
)

var goFields = []string{
	"name", "type", "value", "body", "receiver", "result", "path", "left", "right", "function", "operand", "field",
	"alias", "package", "element", "key", "arguments",
}

var goSpec = spec{
	grammar: sync.OnceValue(func() *treesitter.Grammar {
		return treesitter.MustGrammar(treesitter.Go(), goTypes, goFields)
	}),
	comment: goComment,
	mend:    mendGo,
	visitor: func(b *builder) visitor { return &goVisitor{builder: b} },
}

// goVisitor reads Go.
//
//	package cart                          File.Name
//	type Cart struct { items []Item }     Cart#  Cart#items.
//	func (c *Cart) Add(it Item)           Cart#Add().   bindings c: *Cart, it: Item
//	func New(db *sql.DB) *Cart            New().
//	const ( A Role = iota; B )            A.  B.        both of type Role
//
// Scopes are Go's own: a name is local from the end of its declaration to the
// end of the block.
type goVisitor struct {
	*builder
	testFile  bool
	constType string // type of the last constant that has one, which iota repetition inherits
}

func (g *goVisitor) begin() {
	g.testFile = strings.HasSuffix(g.file.Objects[0].Name, "_test.go")
	g.constType = ""
}

func (g *goVisitor) visit(i uint32) uint32 {
	switch g.kind(i) {
	case goIdentifier:
		g.identifier(i)
	case goFieldIdentifier:
		g.member(i)
	case goTypeIdentifier:
		g.typeName(i)
	case goPackageIdentifier:
		return g.skip(i)
	case goBlock, goIf, goFor, goSwitch, goSelect, goCase, goDefaultCase, goCommCase:
		g.enter(i)
	case goTypeSwitch:
		g.typeSwitch(i)
	case goComment:
		g.noteComment(i)
	case goCall:
		g.markCallee(g.field(i, goFunctionField))
	case goConversion:
		g.markCallee(g.field(i, goTypeField))
	case goKeyedElement:
		g.key(i)
	case goShortVar:
		g.define(i, g.nodes[i].End)
	case goRangeClause:
		g.rangeClause(i)
	case goReceive:
		g.receive(i)
	case goAssignment:
		g.markWritten(g.field(i, goLeftField))
	case goInc, goDec:
		g.markWritten(g.first(i))
	case goTypeCase:
		g.typeCase(i)
	case goConstDeclaration:
		g.constType = ""
	case goPackageClause:
		return g.packageClause(i)
	case goImportSpec:
		return g.importSpec(i)
	case goFunctionDeclaration, goMethodDeclaration:
		g.function(i)
	case goFuncLiteral, goFunctionType:
		g.enter(i).inside = true
	case goParameter, goVariadicParameter:
		g.parameter(i)
	case goTypeParameter:
		g.typeParameter(i)
	case goTypeSpec, goTypeAlias:
		g.typeSpec(i)
	case goConstSpec, goVarSpec:
		g.valueSpec(i)
	case goField:
		g.fieldDeclaration(i)
	case goMethodElem:
		g.interfaceMethod(i)
	case goTypeElem:
		g.embedded(i)
	}
	return i + 1
}

// Names in use.

func (g *goVisitor) identifier(i uint32) {
	if g.marked(i, declaredFlag) || g.missing(i) || g.local(i) || goPredeclared(g.text(i)) {
		return
	}
	if p := g.parent(i); g.kind(p) == goSelector && i == p+1 && g.modules[g.names.id(g.text(i))] {
		return // the Path of the name behind the dot
	}
	g.ref(i, g.role(i), "")
}

// member records the use of a field or method behind a dot.
func (g *goVisitor) member(i uint32) {
	p := g.parent(i)
	if g.marked(i, declaredFlag) || g.missing(i) || g.kind(p) != goSelector {
		return
	}
	g.ref(i, g.role(i), g.pathOf(g.field(p, goOperandField)))
}

func (g *goVisitor) typeName(i uint32) {
	if g.marked(i, declaredFlag) || g.missing(i) {
		return
	}
	role := TypeUse
	if g.marked(i, callFlag) {
		role = Call
	}
	if p := g.parent(i); g.kind(p) == goQualifiedType {
		g.ref(i, role, g.str(g.first(p)))
		return
	}
	if !g.local(i) && !goPredeclared(g.text(i)) {
		g.ref(i, role, "")
	}
}

// goPredeclared reports whether a name means the same in every package. Names
// that packages do declare themselves, such as min, are not among them.
func goPredeclared(name []byte) bool {
	switch string(name) {
	case "any", "bool", "byte", "comparable", "complex64", "complex128", "error", "float32", "float64",
		"int", "int8", "int16", "int32", "int64", "rune", "string",
		"uint", "uint8", "uint16", "uint32", "uint64", "uintptr",
		"nil", "true", "false", "iota", "_",
		"append", "cap", "len", "make", "new", "panic", "recover":
		return true
	case "break", "case", "chan", "const", "continue", "default", "defer", "else", "fallthrough", "for", "func",
		"go", "goto", "if", "import", "interface", "map", "package", "range", "return", "select", "struct",
		"switch", "type", "var": // taken for names where code is broken
		return true
	}
	return false
}

func (g *goVisitor) markCallee(i uint32) {
	for i != 0 {
		switch g.kind(i) {
		case goIdentifier, goTypeIdentifier:
			g.mark(i, callFlag)
			return
		case goSelector:
			i = g.field(i, goFieldField)
			if i != 0 {
				g.mark(i, callFlag)
			}
			return
		case goGenericType:
			i = g.field(i, goTypeField)
		case goQualifiedType:
			i = g.field(i, goNameField)
		case goIndex:
			i = g.field(i, goOperandField)
		case goParenthesized:
			i = g.code(i)
		case goUnary:
			g.markPointer(i)
			return
		default:
			return
		}
	}
}

// markPointer marks T in (*T)(x), where the grammar sees a value.
func (g *goVisitor) markPointer(i uint32) {
	e := g.code(i)
	if g.src[g.nodes[i].Start] != '*' || e == 0 {
		return
	}
	switch g.kind(e) {
	case goIdentifier:
		g.mark(e, typeFlag)
	case goSelector:
		if f := g.field(e, goFieldField); f != 0 {
			g.mark(f, typeFlag)
		}
	}
}

// markWritten marks what stands left of an assignment: x in x = 1, and y in
// x.y = 1. In x[i] = 1 both are only read.
func (g *goVisitor) markWritten(i uint32) {
	if i == 0 {
		return
	}
	switch g.kind(i) {
	case goIdentifier:
		g.mark(i, writeFlag)
	case goSelector:
		if f := g.field(i, goFieldField); f != 0 {
			g.mark(f, writeFlag)
		}
	case goExpressionList:
		for c := g.first(i); c != 0; c = g.next(i, c) {
			if g.kind(c) != goExpressionList {
				g.markWritten(c)
			}
		}
	}
}

// key records the field that a composite literal sets: items in Cart{items: x}.
// In a map or array literal the key is an expression like any other.
func (g *goVisitor) key(i uint32) {
	element := g.first(i)
	if element == 0 || g.kind(element) != goLiteralElement {
		return
	}
	name := g.first(element)
	if name == 0 || g.kind(name) != goIdentifier {
		return
	}
	literal := g.parent(i)
	if g.kind(literal) != goLiteralValue {
		return
	}
	if owner, isField := g.literalOwner(literal); isField {
		g.mark(name, declaredFlag)
		g.ref(name, Write, owner)
	}
}

// literalOwner returns the type whose fields the keys of a literal value name.
// Where literals nest with their types left out, the outermost has it.
func (g *goVisitor) literalOwner(literal uint32) (owner string, isField bool) {
	for depth := 0; depth <= maxPath; depth++ {
		p := g.parent(literal)
		switch g.kind(p) {
		case goComposite:
			return g.elementOwner(g.field(p, goTypeField), depth)
		case goLiteralElement:
			if outer := g.parent(p); g.kind(outer) == goLiteralValue {
				literal = outer
				continue
			} else if g.kind(outer) == goKeyedElement && g.first(outer) != p && g.kind(g.parent(outer)) == goLiteralValue {
				literal = g.parent(outer)
				continue
			}
		}
		return "", false
	}
	return "", false
}

// elementOwner goes depth element types down from type t, to the one whose
// fields the keys name.
func (g *goVisitor) elementOwner(t uint32, depth int) (owner string, isField bool) {
	for ; depth > 0 && t != 0; depth-- {
		switch g.kind(t) {
		case goSliceType, goArrayType, goImplicitArrayType:
			t = g.field(t, goElementField)
		case goMapType:
			t = g.field(t, goValueField)
		default: // a named type: what its elements are stands elsewhere
			return unknownPath, true
		}
	}
	if t != 0 && g.kind(t) == goPointerType {
		t = g.code(t)
	}
	if t == 0 {
		return "", false
	}
	switch g.kind(t) {
	case goTypeIdentifier, goQualifiedType, goGenericType:
		return g.pathOf(t), true
	case goStructType:
		return unknownPath, true
	}
	return "", false
}

// Declarations.

func (g *goVisitor) packageClause(i uint32) uint32 {
	if name := g.child(i, goPackageIdentifier); name != 0 && g.file.Name == "" {
		g.file.Name = g.str(name)
		g.file.Objects[0].Doc = g.docAbove(g.nodes[i].Start)
		g.file.Objects[0].Signature = g.span(i)
	}
	return g.skip(i)
}

func (g *goVisitor) importSpec(i uint32) uint32 {
	p := g.field(i, goPathField)
	if p == 0 || g.nodes[p].End-g.nodes[p].Start <= 2 { // import "" is an error
		return g.skip(i)
	}
	text := g.text(p)
	im := Import{Path: g.names.intern(text[1 : len(text)-1]), At: g.span(i)}
	if name := g.field(i, goNameField); name != 0 {
		im.Local = g.str(name)
	} else {
		im.Local = goPackageName(im.Path)
	}
	g.modules[g.names.id([]byte(im.Local))] = true
	g.file.Imports = append(g.file.Imports, im)
	return g.skip(i)
}

// goPackageName guesses a package's name from its import path: the last element
// without a major version, a go- in front, and what can't stand in a name.
func goPackageName(importPath string) string {
	base := path.Base(importPath)
	if len(base) > 1 && base[0] == 'v' && strings.Trim(base[1:], "0123456789") == "" && base != importPath {
		base = path.Base(path.Dir(importPath))
	}
	base = strings.TrimPrefix(base, "go-")
	end := strings.IndexFunc(base, func(r rune) bool { return r != '_' && !unicode.IsLetter(r) && !unicode.IsDigit(r) })
	if end >= 0 {
		base = base[:end]
	}
	return base
}

// function opens the object of a function or method; in a function there are
// only literals, so nothing but broken code declares one there.
func (g *goVisitor) function(i uint32) {
	name := g.field(i, goNameField)
	if name == 0 || g.missing(name) || g.top().inside {
		g.enter(i).inside = true
		return
	}
	g.mark(name, declaredFlag)
	o := Object{
		Name: g.str(name), Kind: Function, Ident: g.span(name),
		Test: g.testFile && isGoTest(g.text(name)),
	}
	g.bodied(i, i, g.field(i, goBodyField), &o)
	g.results(i, &o)
	prefix := ""
	receiver := g.field(i, goReceiverField)
	if receiver != 0 {
		o.Kind = Method
		if base := g.receiverBase(receiver); base != 0 {
			prefix = Descriptor{Name: g.str(base), Suffix: TypeSuffix}.String()
		}
	}
	object := g.add(prefix, Descriptor{Name: o.Name, Suffix: MethodSuffix}, o)
	g.enterObject(i, object).inside = true
	if receiver != 0 {
		g.declareReceiverTypes(receiver)
	}
}

// isGoTest reports whether go test runs a function of that name: TestX, Test_x,
// Test, but not Testing.
func isGoTest(name []byte) bool {
	for _, prefix := range []string{"Test", "Benchmark", "Example", "Fuzz"} {
		if rest, found := bytes.CutPrefix(name, []byte(prefix)); found {
			r, _ := utf8.DecodeRune(rest)
			return len(rest) == 0 || !unicode.IsLower(r)
		}
	}
	return false
}

// receiverBase returns the name of the receiver's type: Cart in *Cart[T].
func (g *goVisitor) receiverBase(list uint32) uint32 {
	t := g.receiverType(list)
	if t != 0 && g.kind(t) == goGenericType {
		t = g.field(t, goTypeField)
	}
	if t == 0 || g.kind(t) != goTypeIdentifier || g.missing(t) {
		return 0
	}
	return t
}

func (g *goVisitor) receiverType(list uint32) uint32 {
	param := g.child(list, goParameter)
	if param == 0 {
		return 0
	}
	t := g.field(param, goTypeField)
	for depth := 0; t != 0 && depth < maxPath && (g.kind(t) == goPointerType || g.kind(t) == goParenthesizedType); depth++ {
		t = g.code(t)
	}
	return t
}

// declareReceiverTypes makes T local in func (c *Cart[T]) …
func (g *goVisitor) declareReceiverTypes(list uint32) {
	t := g.receiverType(list)
	if t == 0 || g.kind(t) != goGenericType {
		return
	}
	args := g.child(t, goTypeArguments)
	if args == 0 {
		return
	}
	for j := args + 1; j < g.nodes[args].Next; j++ {
		if g.kind(j) == goTypeIdentifier {
			g.declare(j, 0)
		}
	}
}

// bodied sets the spans of an object declared at node i, in a declaration that
// begins at outer, with a body (0 for none).
func (g *goVisitor) bodied(i, outer, body uint32, o *Object) {
	start, end := g.nodes[outer].Start, g.nodes[i].End
	o.Span = Span{start, end}
	o.Signature = o.Span
	if body != 0 && !g.missing(body) {
		o.Body = g.span(body)
		o.Signature = g.trimRight(Span{start, o.Body.Start})
	}
	o.Doc = g.docAbove(start)
	if o.Doc.End > 0 {
		o.Span.Start = o.Doc.Start
	}
	if behind := g.docBehind(i); behind.End > 0 && body == 0 {
		o.Span.End = behind.End
		if o.Doc.End == 0 {
			o.Doc = behind
		}
	}
}

func (g *goVisitor) results(i uint32, o *Object) {
	result := g.field(i, goResultField)
	if result == 0 {
		return
	}
	if g.kind(result) != goParameterList {
		o.Type = g.typ(result)
		return
	}
	var types []string
	for c := g.first(result); c != 0; c = g.next(result, c) {
		if g.kind(c) != goParameter {
			continue
		}
		t := g.typ(g.field(c, goTypeField))
		names := 0
		for n := g.first(c); n != 0; n = g.next(c, n) {
			if g.nodes[n].Field == goNameField {
				names++
			}
		}
		for range max(1, names) {
			types = append(types, t)
		}
	}
	if len(types) > 0 {
		o.Type = types[0]
	}
	if len(types) > 1 {
		o.Results = types
	}
}

func (g *goVisitor) parameter(i uint32) {
	t := g.field(i, goTypeField)
	v := value{typ: g.typ(t)}
	if g.kind(i) == goVariadicParameter && v.typ != "" {
		v.typ = "[]" + v.typ
	}
	g.declareNames(i, v)
}

func (g *goVisitor) typeParameter(i uint32) {
	g.declareNames(i, value{typ: g.typ(g.field(i, goTypeField))})
	g.enter(i).inside = true // methods of a constraint written in place are nobody's members
}

// declareNames makes the names of a parameter declaration local.
func (g *goVisitor) declareNames(i uint32, v value) {
	for c := g.first(i); c != 0; c = g.next(i, c) {
		if g.nodes[c].Field != goNameField || g.missing(c) {
			continue
		}
		g.declare(c, g.nodes[i].Start)
		if !isBlank(g.text(c)) && !g.ofType(i) {
			g.bind(c, g.nodes[i].Start, v, 0)
		}
	}
}

// ofType reports whether a parameter belongs to a function type or to a method
// of an interface: there is no code in which its name could stand.
func (g *goVisitor) ofType(param uint32) bool {
	list := g.parent(param)
	if g.isRoot(list) {
		return false
	}
	owner := g.kind(g.parent(list))
	return owner == goFunctionType || owner == goMethodElem
}

func isBlank(name []byte) bool { return string(name) == "_" }

// outer returns the declaration that a spec stands in alone, or the spec itself
// if it is one of a parenthesized group.
func (g *goVisitor) outer(spec uint32) uint32 {
	p := g.parent(spec)
	switch g.kind(p) {
	case goConstDeclaration, goVarDeclaration, goTypeDeclaration:
	default:
		return spec
	}
	keyword := 0
	for text := g.text(p); keyword < len(text) && 'a' <= text[keyword] && text[keyword] <= 'z'; keyword++ {
	}
	rest := g.text(p)[keyword:]
	if bytes.HasPrefix(bytes.TrimLeft(rest, " \t\r\n"), []byte("(")) {
		return spec
	}
	return p
}

func (g *goVisitor) typeSpec(i uint32) {
	name := g.field(i, goNameField)
	if name == 0 || g.missing(name) {
		g.enter(i)
		return
	}
	if g.top().inside {
		g.declare(name, g.nodes[i].Start)
		g.enter(i)
		return
	}
	g.mark(name, declaredFlag)
	o := Object{Name: g.str(name), Kind: Type, Ident: g.span(name), Parent: g.top().object}
	t := g.field(i, goTypeField)
	g.bodied(i, g.outer(i), g.typeBody(t), &o)
	if body := g.typeBody(t); body != 0 && g.kind(t) == goInterfaceType {
		o.Body, o.Signature = g.interfaceBody(t, o)
	}
	g.bases(t, &o)
	g.enterObject(i, g.add(g.prefix(o.Parent), Descriptor{Name: o.Name, Suffix: TypeSuffix}, o))
}

// typeBody returns the node whose text holds the braces of a struct or
// interface type, or 0.
func (g *goVisitor) typeBody(t uint32) uint32 {
	switch {
	case t == 0:
		return 0
	case g.kind(t) == goStructType:
		return g.child(t, goFieldList)
	case g.kind(t) == goInterfaceType:
		return t
	}
	return 0
}

// interfaceBody returns the braces of an interface, for which the grammar has no
// node, and the signature in front of them.
func (g *goVisitor) interfaceBody(t uint32, o Object) (body, signature Span) {
	whole := g.span(t)
	brace := bytes.IndexByte(g.slice(whole), '{')
	start := g.nodes[t].Start
	signature = Span{o.Signature.Start, whole.End}
	if brace < 0 {
		return Span{}, signature
	}
	return Span{start + uint32(brace), whole.End}, g.trimRight(Span{signature.Start, start + uint32(brace)})
}

// bases records the types that a type embeds or stands for.
func (g *goVisitor) bases(t uint32, o *Object) {
	if t == 0 {
		return
	}
	switch g.kind(t) {
	case goTypeIdentifier, goQualifiedType, goGenericType, goPointerType:
		o.Bases = []string{g.typ(t)}
	case goStructType:
		list := g.child(t, goFieldList)
		if list == 0 {
			return
		}
		for c := g.first(list); c != 0; c = g.next(list, c) {
			if g.kind(c) == goField && g.field(c, goNameField) == 0 && g.field(c, goTypeField) != 0 {
				o.Bases = append(o.Bases, g.embeddedType(c))
			}
		}
	case goInterfaceType:
		for c := g.first(t); c != 0; c = g.next(t, c) {
			if g.kind(c) == goTypeElem && g.embeddedName(c) != 0 {
				o.Bases = append(o.Bases, g.str(c))
			}
		}
	default:
		o.Type = g.typ(t)
	}
}

// embeddedType returns the type of an embedded field with its star.
func (g *goVisitor) embeddedType(field uint32) string {
	s := Span{g.nodes[field].Start, g.nodes[g.field(field, goTypeField)].End}
	if s.Len() > maxType {
		return ""
	}
	return g.names.intern(g.slice(s))
}

// embeddedName returns the type name by which an embedded field, or a type
// element that is not a union, is known; 0 for none.
func (g *goVisitor) embeddedName(i uint32) uint32 {
	t := g.code(i)
	if g.kind(i) == goField {
		t = g.field(i, goTypeField)
	}
	if t == 0 || g.kind(i) == goTypeElem && g.next(i, t) != 0 {
		return 0
	}
	if g.kind(t) == goGenericType {
		t = g.field(t, goTypeField)
	}
	if t != 0 && g.kind(t) == goQualifiedType {
		t = g.field(t, goNameField)
	}
	if t == 0 || g.kind(t) != goTypeIdentifier || g.missing(t) {
		return 0
	}
	return t
}

func (g *goVisitor) fieldDeclaration(i uint32) {
	if g.top().inside {
		for c := g.first(i); c != 0; c = g.next(i, c) {
			if g.nodes[c].Field == goNameField {
				g.mark(c, declaredFlag)
			}
		}
		return
	}
	t := g.field(i, goTypeField)
	o := Object{Kind: Field, Type: g.typ(t)}
	g.bodied(i, i, 0, &o)
	first := -1
	for c := g.first(i); c != 0; c = g.next(i, c) {
		if g.nodes[c].Field == goNameField && !g.missing(c) {
			g.mark(c, declaredFlag)
			first = g.addMember(c, o, first)
		}
	}
	if first < 0 && g.field(i, goNameField) == 0 {
		if name := g.embeddedName(i); name != 0 {
			o.Type = g.embeddedType(i)
			first = g.addMember(name, o, first)
		}
	}
	if first >= 0 {
		g.enterObject(i, first)
	}
}

// addMember adds a copy of o for the name at a node and returns the first of
// its declaration's objects.
func (g *goVisitor) addMember(name uint32, o Object, first int) int {
	o.Name, o.Ident, o.Parent = g.str(name), g.span(name), g.top().object
	object := g.add(g.prefix(o.Parent), Descriptor{Name: o.Name, Suffix: TermSuffix}, o)
	if first < 0 {
		return object
	}
	return first
}

func (g *goVisitor) interfaceMethod(i uint32) {
	name := g.field(i, goNameField)
	if name == 0 || g.missing(name) {
		return
	}
	g.mark(name, declaredFlag)
	if g.top().inside {
		g.enter(i)
		return
	}
	o := Object{Name: g.str(name), Kind: Method, Ident: g.span(name), Parent: g.top().object}
	g.bodied(i, i, 0, &o)
	g.results(i, &o)
	g.enterObject(i, g.add(g.prefix(o.Parent), Descriptor{Name: o.Name, Suffix: MethodSuffix}, o)).inside = true
}

// embedded opens the object of an interface that another one embeds.
func (g *goVisitor) embedded(i uint32) {
	if g.top().inside || g.kind(g.parent(i)) != goInterfaceType {
		return
	}
	if name := g.embeddedName(i); name != 0 {
		o := Object{Kind: Field, Type: g.typ(i)}
		g.bodied(i, i, 0, &o)
		g.enterObject(i, g.addMember(name, o, -1))
	}
}

// valueSpec reads one line of a const or var declaration.
func (g *goVisitor) valueSpec(i uint32) {
	t := g.typ(g.field(i, goTypeField))
	values := g.field(i, goValueField)
	o := Object{Kind: Variable}
	if g.kind(i) == goConstSpec {
		o.Kind = Constant
		if t != "" || values != 0 {
			g.constType = t
		}
		t = g.constType
	}
	if g.top().inside {
		g.defineNames(i, goNameField, i, values, t, g.nodes[i].End)
		return
	}
	g.bodied(i, g.outer(i), 0, &o)
	o.Type = t
	first, n := -1, 0
	for c := g.first(i); c != 0; c = g.next(i, c) {
		if g.nodes[c].Field != goNameField || g.missing(c) {
			continue
		}
		g.mark(c, declaredFlag)
		one := o
		g.initialised(&one, i, values, n)
		first = g.addMember(c, one, first)
		n++
	}
	if first >= 0 {
		g.enterObject(i, first)
	}
}

// initialised gives the nth variable of a spec what its initialiser says.
func (g *goVisitor) initialised(o *Object, spec, values uint32, n int) {
	if values == 0 || o.Kind == Constant {
		return
	}
	e, result := g.nth(values, n)
	if e == 0 || result > 0 {
		return
	}
	v := g.value(e)
	o.Value = v.path
	if o.Type == "" {
		o.Type = v.typ
	}
	if body := g.literalBody(e); body != 0 && g.next(values, e) == 0 && n == 0 {
		o.Body = g.span(body)
		o.Signature = g.trimRight(Span{o.Signature.Start, o.Body.Start})
	}
}

// literalBody returns the braces of a composite or function literal, or 0.
func (g *goVisitor) literalBody(e uint32) uint32 {
	if g.kind(e) == goUnary {
		e = g.field(e, goOperandField)
	}
	if e == 0 || g.kind(e) != goComposite && g.kind(e) != goFuncLiteral {
		return 0
	}
	return g.field(e, goBodyField)
}

// nth returns the expression of a list that initialises the nth of several
// names. If the list has but one expression, n is the result that it stands for.
func (g *goVisitor) nth(list uint32, n int) (e uint32, result int) {
	if list == 0 {
		return 0, 0
	}
	if g.kind(list) != goExpressionList {
		return list, n
	}
	count, found := 0, uint32(0)
	for c := g.first(list); c != 0; c = g.next(list, c) {
		if g.kind(c) == goComment {
			continue
		}
		if count == n {
			found = c
		}
		count++
	}
	if count == 1 {
		return g.code(list), n
	}
	return found, 0
}

// Locals.

// define makes the names left of := local.
func (g *goVisitor) define(i, from uint32) {
	left := g.field(i, goLeftField)
	if left != 0 {
		g.defineNames(left, 0, left, g.field(i, goRightField), "", from)
	}
}

// defineNames makes the children of list that fill a field (0: all identifiers)
// local from an offset on, with the types or values of what is right of them.
func (g *goVisitor) defineNames(list uint32, field uint8, parent, values uint32, typ string, from uint32) {
	n := 0
	for c := g.first(list); c != 0; c = g.next(list, c) {
		if g.kind(c) != goIdentifier || field != 0 && g.nodes[c].Field != field {
			continue
		}
		if !g.missing(c) && !isBlank(g.text(c)) {
			g.declare(c, from)
			g.bindNth(c, values, n, typ, from)
		}
		n++
	}
}

func (g *goVisitor) bindNth(name, values uint32, n int, typ string, from uint32) {
	v, result := value{typ: typ}, 0
	if typ == "" {
		var e uint32
		if e, result = g.nth(values, n); e != 0 {
			v = g.value(e)
			if result == 1 && g.isCommaOK(e) {
				v, result = value{typ: "bool"}, 0
			}
		}
	}
	g.bind(name, from, v, result)
}

// isCommaOK reports whether the second value of an expression is a bool.
func (g *goVisitor) isCommaOK(e uint32) bool {
	switch g.kind(e) {
	case goIndex, goAssertion:
		return true
	case goUnary:
		return bytes.HasPrefix(g.text(e), []byte("<-"))
	}
	return false
}

// rangeClause binds the element of what is iterated over. Keys and single
// variables, mostly int, stay without a type: which it is depends on the type of
// the operand.
func (g *goVisitor) rangeClause(i uint32) {
	left, right := g.field(i, goLeftField), g.field(i, goRightField)
	if left == 0 || right == 0 {
		return
	}
	if !bytes.Contains(g.slice(g.between(g.nodes[left].End, g.nodes[right].Start)), []byte(":=")) {
		g.markWritten(left)
		return
	}
	n := 0
	for c := g.first(left); c != 0; c = g.next(left, c) {
		if g.kind(c) != goIdentifier {
			continue
		}
		if !g.missing(c) && !isBlank(g.text(c)) {
			g.declare(c, g.nodes[i].End)
			v := value{}
			if p, ok := g.appendPath(nil, right, 0); ok && n == 1 {
				v.path = g.names.intern(append(p, "[]"...))
			}
			g.bind(c, g.nodes[i].End, v, 0)
		}
		n++
	}
}

// receive reads x := <-ch in a select.
func (g *goVisitor) receive(i uint32) {
	left, right := g.field(i, goLeftField), g.field(i, goRightField)
	if left == 0 || right == 0 {
		return
	}
	if bytes.Contains(g.slice(g.between(g.nodes[left].End, g.nodes[right].Start)), []byte(":=")) {
		g.define(i, g.nodes[i].End)
		return
	}
	g.markWritten(left)
}

// typeSwitch opens the scope of a type switch. Each case declares its variable
// anew.
func (g *goVisitor) typeSwitch(i uint32) {
	g.enter(i)
	if name := g.switched(i); name != 0 {
		g.mark(name, declaredFlag)
	}
}

// switched returns the variable of a type switch, or 0 for none.
func (g *goVisitor) switched(i uint32) uint32 {
	alias := g.field(i, goAliasField)
	if alias == 0 {
		return 0
	}
	if name := g.first(alias); name != 0 && !g.missing(name) {
		return name
	}
	return 0
}

// typeCase binds the variable of a type switch to the type of one case, or to
// the switched value where a case has several.
func (g *goVisitor) typeCase(i uint32) {
	g.enter(i)
	p := g.parent(i)
	if g.kind(p) != goTypeSwitch {
		return
	}
	name := g.switched(p)
	if name == 0 {
		return
	}
	g.declare(name, g.nodes[name].Start)
	v, types := value{}, 0
	for c := g.first(i); c != 0; c = g.next(i, c) {
		if g.nodes[c].Field == goTypeField {
			types++
			v.typ = g.typ(c)
		}
	}
	if types != 1 || v.typ == "nil" {
		v = value{}
		if e := g.field(p, goValueField); e != 0 {
			v = g.value(e)
		}
	}
	g.bind(name, g.nodes[i].Start, v, 0)
}

// Expressions.

// value returns what an initialiser says about what it initialises.
func (g *goVisitor) value(e uint32) value {
	for depth := 0; depth < maxPath; depth++ {
		switch g.kind(e) {
		case goComposite, goAssertion:
			return value{typ: g.typ(g.field(e, goTypeField))}
		case goConversion:
			if t := g.field(e, goTypeField); t != 0 && g.kind(t) != goGenericType {
				return value{typ: g.typ(t)}
			}
		case goString, goRawString:
			return value{typ: "string"}
		case goInt:
			return value{typ: "int"}
		case goFloat:
			return value{typ: "float64"}
		case goImaginary:
			return value{typ: "complex128"}
		case goRune:
			return value{typ: "rune"}
		case goTrue, goFalse:
			return value{typ: "bool"}
		case goCall:
			if t := g.made(e); t != "" {
				return value{typ: t}
			}
		case goParenthesized, goUnary:
			inner := g.code(e)
			if inner == 0 || bytes.HasPrefix(g.text(e), []byte("<-")) {
				break
			}
			if c := g.text(e)[0]; c != '(' && c != '&' && c != '*' {
				return value{}
			}
			e = inner
			continue
		}
		break
	}
	buf, ok := g.appendPath(g.buf[:0], e, 0)
	g.buf = buf
	if !ok {
		return value{}
	}
	return value{path: g.names.intern(buf)}
}

// made returns the type that a call says outright: T of new(T) and (*T)(x),
// []T of make([]T, n).
func (g *goVisitor) made(call uint32) string {
	f := g.field(call, goFunctionField)
	if f == 0 {
		return ""
	}
	if g.kind(f) == goParenthesized {
		if inner := g.code(f); inner != 0 && g.kind(inner) == goUnary && g.text(inner)[0] == '*' {
			return g.typ(inner)
		}
		return ""
	}
	if name := string(g.text(f)); name != "new" && name != "make" {
		return ""
	}
	args := g.field(call, goArgumentsField)
	if args == 0 {
		return ""
	}
	arg := g.code(args)
	if arg == 0 || g.kind(arg) == goCall {
		return ""
	}
	return g.typ(arg)
}

// pathOf returns the path form of an expression that qualifies a name.
func (g *goVisitor) pathOf(e uint32) string {
	if e == 0 {
		return unknownPath
	}
	if g.kind(e) == goIdentifier {
		if g.missing(e) {
			return unknownPath
		}
		return g.str(e)
	}
	buf, ok := g.appendPath(g.buf[:0], e, 0)
	g.buf = buf
	if !ok {
		return unknownPath
	}
	return g.names.intern(buf)
}

// appendPath writes the path form of an expression (see Binding).
func (g *goVisitor) appendPath(buf []byte, e uint32, depth int) (_ []byte, ok bool) {
	if e == 0 || depth > maxPath {
		return buf, false
	}
	switch g.kind(e) {
	case goIdentifier, goTypeIdentifier, goPackageIdentifier, goFieldIdentifier:
		return append(buf, g.text(e)...), !g.missing(e)
	case goSelector, goQualifiedType:
		operand, name := g.first(e), uint32(0)
		if operand != 0 {
			name = g.next(e, operand)
		}
		if buf, ok = g.appendPath(buf, operand, depth+1); !ok {
			return buf, false
		}
		return g.appendPath(append(buf, '.'), name, depth+1)
	case goCall:
		if buf, ok = g.appendPath(buf, g.field(e, goFunctionField), depth+1); !ok {
			return buf, false
		}
		return append(buf, "()"...), true
	case goConversion:
		if buf, ok = g.appendPath(buf, g.field(e, goTypeField), depth+1); !ok {
			return buf, false
		}
		return append(buf, "()"...), true
	case goGenericType:
		return g.appendPath(buf, g.field(e, goTypeField), depth+1)
	case goIndex:
		if buf, ok = g.appendPath(buf, g.field(e, goOperandField), depth+1); !ok {
			return buf, false
		}
		return append(buf, "[]"...), true
	case goSlice:
		return g.appendPath(buf, g.field(e, goOperandField), depth+1)
	case goParenthesized:
		return g.appendPath(buf, g.code(e), depth+1)
	case goUnary:
		return g.appendUnary(buf, e, depth)
	}
	return buf, false
}

func (g *goVisitor) appendUnary(buf []byte, e uint32, depth int) (_ []byte, ok bool) {
	switch text := g.text(e); {
	case bytes.HasPrefix(text, []byte("<-")):
		if buf, ok = g.appendPath(buf, g.field(e, goOperandField), depth+1); !ok {
			return buf, false
		}
		return append(buf, "[]"...), true
	case text[0] == '&' || text[0] == '*':
		return g.appendPath(buf, g.field(e, goOperandField), depth+1)
	}
	return buf, false
}
