package facts

import (
	"bytes"
	"strings"
	"sync"

	"readahead/index/internal/treesitter"
)

// Kinds of the nodes that Python's facts come from.
const (
	pyComment = treesitter.FirstKind + iota
	pyIdentifier
	pyDottedName
	pyImport
	pyFromImport
	pyFutureImport
	pyAliasedImport
	pyWildcardImport
	pyClass
	pyFunction
	pyDecorated
	pyDecorator
	pyBlock
	pyTypedParameter
	pyDefaultParameter
	pyTypedDefaultParameter
	pyListSplatPattern
	pyDictSplatPattern
	pyLambda
	pyListComprehension
	pyDictComprehension
	pySetComprehension
	pyGenerator
	pyForIn
	pyFor
	pyAsPattern
	pyAsPatternTarget
	pyExcept
	pyExceptGroup
	pyGlobal
	pyNonlocal
	pyExpressionStatement
	pyAssignment
	pyAugmentedAssignment
	pyNamedExpression
	pyPatternList
	pyTuplePattern
	pyListPattern
	pyExpressionList
	pyTuple
	pyList
	pySet
	pyDictionary
	pyCall
	pyAttribute
	pySubscript
	pyArguments
	pyKeywordArgument
	pyType
	pyTypeParameter
	pyConstrainedType
	pyGenericType
	pySplatType
	pyTypeAlias
	pyString
	pyStringContent
	pyInterpolation
	pyConcatenatedString
	pyInteger
	pyFloat
	pyTrue
	pyFalse
	pyAwait
	pyParenthesized
	pyBooleanOperator
	pyConditional
	pyListSplat
	pyCasePattern
	pyClassPattern
	pyKeywordPattern
	pySplatPattern
)

// pythonTypes are the grammar's names of the kinds above, in their order.
var pythonTypes = []string{
	"comment",
	"identifier",
	"dotted_name",
	"import_statement",
	"import_from_statement",
	"future_import_statement",
	"aliased_import",
	"wildcard_import",
	"class_definition",
	"function_definition",
	"decorated_definition",
	"decorator",
	"block",
	"typed_parameter",
	"default_parameter",
	"typed_default_parameter",
	"list_splat_pattern",
	"dictionary_splat_pattern",
	"lambda",
	"list_comprehension",
	"dictionary_comprehension",
	"set_comprehension",
	"generator_expression",
	"for_in_clause",
	"for_statement",
	"as_pattern",
	"as_pattern_target",
	"except_clause",
	"except_group_clause",
	"global_statement",
	"nonlocal_statement",
	"expression_statement",
	"assignment",
	"augmented_assignment",
	"named_expression",
	"pattern_list",
	"tuple_pattern",
	"list_pattern",
	"expression_list",
	"tuple",
	"list",
	"set",
	"dictionary",
	"call",
	"attribute",
	"subscript",
	"argument_list",
	"keyword_argument",
	"type",
	"type_parameter",
	"constrained_type",
	"generic_type",
	"splat_type",
	"type_alias_statement",
	"string",
	"string_content",
	"interpolation",
	"concatenated_string",
	"integer",
	"float",
	"true",
	"false",
	"await",
	"parenthesized_expression",
	"boolean_operator",
	"conditional_expression",
	"list_splat",
	"case_pattern",
	"class_pattern",
	"keyword_pattern",
	"splat_pattern",
}

// Fields by which Python's facts find their way among a node's children.
const (
	pyNameField = 1 + iota
	pyBodyField
	pyParametersField
	pyReturnTypeField
	pySuperclassesField
	pyTypeParametersField
	pyDefinitionField
	pyLeftField
	pyRightField
	pyTypeField
	pyValueField
	pyFunctionField
	pyArgumentsField
	pyObjectField
	pyAttributeField
	pyAliasField
	pyModuleNameField
)

var pythonFields = []string{
	"name", "body", "parameters", "return_type", "superclasses", "type_parameters", "definition", "left", "right",
	"type", "value", "function", "arguments", "object", "attribute", "alias", "module_name",
}

var pythonSpec = spec{
	grammar: sync.OnceValue(func() *treesitter.Grammar {
		return treesitter.MustGrammar(treesitter.Python(), pythonTypes, pythonFields)
	}),
	comment: pyComment,
	mend:    mendPython,
	visitor: func(b *builder) visitor { return &pyVisitor{builder: b, members: map[string]int{}} },
}

// pyVisitor reads Python.
//
//	class Flask(Scaffold):            Flask#           Bases: Scaffold
//	    debug: bool = False           Flask#debug.
//	    def __init__(self, name):     Flask#__init__().
//	        self.name = name          Flask#name.
//	    @property
//	    def env(self): …              Flask#env().
//	    @env.setter
//	    def env(self, v): …           Flask#env(setter).
//	MAX = 3                           MAX.             a Constant
//
// A name that a function assigns anywhere is local in all of it, unless it says
// global; names that it imports are not, since they stand for something
// elsewhere. What is declared under if, try or with at module level counts as
// declared at module level.
type pyVisitor struct {
	*builder
	testFile  bool
	typeUntil uint32         // offset up to which names stand in a type expression
	members   map[string]int // objects of variables and fields by descriptors
	globals   []int32        // names that the function being entered says are global
}

func (p *pyVisitor) begin() {
	name := p.file.Objects[0].Name
	p.testFile = strings.HasPrefix(name, "test_") || strings.HasSuffix(name, "_test.py") || name == "conftest.py"
	p.typeUntil = 0
	clear(p.members)
	if len(p.nodes) > 0 {
		p.file.Objects[0].Doc = p.docstring(0)
	}
}

func (p *pyVisitor) visit(i uint32) uint32 {
	switch p.kind(i) {
	case pyIdentifier:
		p.identifier(i)
	case pyComment:
		p.noteComment(i)
	case pyCall:
		p.markCallee(p.field(i, pyFunctionField))
	case pyDecorator:
		return p.decorator(i)
	case pyType:
		p.typeUntil = max(p.typeUntil, p.nodes[i].End)
	case pyString:
		p.stringInType(i)
	case pyImport, pyFutureImport:
		return p.importStatement(i)
	case pyFromImport:
		return p.fromImport(i)
	case pyDecorated:
		p.decorated(i)
	case pyFunction:
		p.function(i, i)
	case pyClass:
		p.class(i, i)
	case pyTypeAlias:
		p.typeAlias(i)
	case pyAssignment:
		p.assignment(i)
	case pyAugmentedAssignment:
		p.augmented(i)
	case pyNamedExpression:
		p.assign(p.field(i, pyNameField), p.field(i, pyValueField), 0, i)
	case pyFor:
		p.iterate(i)
	case pyAsPattern:
		p.asPattern(i)
	case pyLambda:
		p.lambda(i)
	case pyListComprehension, pyDictComprehension, pySetComprehension, pyGenerator:
		p.comprehension(i)
	case pyForIn:
		p.iterate(i)
	case pyGlobal, pyNonlocal:
		return p.skip(i)
	}
	return i + 1
}

// Names in use.

func (p *pyVisitor) identifier(i uint32) {
	if p.marked(i, declaredFlag) || p.missing(i) {
		return
	}
	parent := p.parent(i)
	switch p.kind(parent) {
	case pyAttribute:
		if p.nodes[i].Field == pyAttributeField {
			p.ref(i, p.roleOf(i), p.pathOf(p.field(parent, pyObjectField)))
			return
		}
		if !p.local(i) && p.modules[p.names.id(p.text(i))] {
			return // the Path of the name behind the dot
		}
	case pyKeywordArgument:
		if i == parent+1 {
			p.argumentName(i)
			return
		}
	case pyKeywordPattern:
		if i == parent+1 {
			p.patternKey(i)
			return
		}
	case pyDottedName:
		p.dotted(parent, i)
		return
	}
	if !p.local(i) && !pyPredeclared(p.text(i)) && !p.isStringPrefix(i) {
		p.ref(i, p.roleOf(i), p.memberPath(i))
	}
}

// argumentName records x in Point(x=1): what a class is made of goes into its fields.
// Other functions' parameters are nothing that a file declares.
func (p *pyVisitor) argumentName(i uint32) {
	call := p.parent(p.parent(p.parent(i)))
	if call == treesitter.NoParent || p.kind(call) != pyCall {
		return
	}
	path := p.pathOf(p.field(call, pyFunctionField))
	if name := path[strings.LastIndexByte(path, '.')+1:]; name != "" && isCapital(name[0]) && !isUpper(name) {
		p.ref(i, Write, path)
	}
}

// patternKey records x in case Point(x=0) as a member of Point.
func (p *pyVisitor) patternKey(i uint32) {
	for c, depth := p.parent(i), 0; depth < 3 && c != treesitter.NoParent; c, depth = p.parent(c), depth+1 {
		if p.kind(c) != pyClassPattern {
			continue
		}
		if class := p.code(c); class != 0 && p.nodes[class].End-p.nodes[class].Start <= maxType {
			p.ref(i, Read, p.str(class))
		}
		return
	}
}

// memberPath returns the class that a bare name in a class body is a member of:
// Flask for X in class Flask: X = 1; Y = X. It is "" for any other name.
func (p *pyVisitor) memberPath(i uint32) string {
	f := p.top()
	if f.inside || p.file.Objects[f.object].Kind != Type {
		return ""
	}
	d := Descriptor{Name: string(p.text(i)), Suffix: TermSuffix}
	p.buf = d.append(append(p.buf[:0], p.prefix(f.object)...))
	if _, found := p.members[string(p.buf)]; !found {
		return ""
	}
	return p.className(f.object)
}

// isStringPrefix reports whether node i is the prefix of a kind of string that
// the grammar does not know: t in t"Hello {name}".
func (p *pyVisitor) isStringPrefix(i uint32) bool {
	end := p.nodes[i].End
	return int(end) < len(p.src) && (p.src[end] == '"' || p.src[end] == '\'')
}

// dotted records a name in a dotted pattern: the class of case Point(x=0), or
// the value of case color.RED.
func (p *pyVisitor) dotted(parent, i uint32) {
	role := Read
	if p.kind(p.parent(parent)) == pyClassPattern && p.nodes[i].Next == p.nodes[parent].Next {
		role = TypeUse
	}
	if i > parent+1 {
		prefix := Span{p.nodes[parent].Start, p.nodes[i-1].End}
		p.ref(i, role, p.names.intern(p.slice(prefix)))
		return
	}
	if !p.local(i) && !pyPredeclared(p.text(i)) && !p.modules[p.names.id(p.text(i))] {
		p.ref(i, role, "")
	}
}

func (p *pyVisitor) roleOf(i uint32) Role {
	if role := p.role(i); role != Read {
		return role
	}
	if p.nodes[i].Start < p.typeUntil {
		return TypeUse
	}
	return Read
}

// pyPredeclared reports whether a name means the same in every module. Builtins
// that modules do redefine, such as open or input, are not among them.
func pyPredeclared(name []byte) bool {
	switch string(name) {
	case "bool", "bytes", "dict", "float", "frozenset", "int", "list", "object", "set", "str", "tuple",
		"classmethod", "property", "staticmethod", "super",
		"enumerate", "getattr", "hasattr", "isinstance", "issubclass", "len", "print", "range", "setattr", "zip",
		"ArithmeticError", "AssertionError", "AttributeError", "BaseException", "Exception", "ImportError", "IndexError",
		"KeyError", "KeyboardInterrupt", "LookupError", "ModuleNotFoundError", "NameError", "NotImplementedError", "OSError",
		"OverflowError", "RuntimeError", "StopIteration", "SystemExit", "TypeError", "UnicodeDecodeError", "UnicodeEncodeError",
		"UnicodeError", "ValueError", "ZeroDivisionError",
		"NotImplemented", "__name__", "__file__", "_":
		return true
	case "and", "as", "assert", "async", "await", "break", "class", "continue", "def", "del", "elif", "else", "except",
		"finally", "for", "from", "global", "if", "import", "in", "is", "lambda", "nonlocal", "not", "or", "pass",
		"raise", "return", "try", "while", "with", "yield": // taken for names where code is broken
		return true
	}
	return false
}

func (p *pyVisitor) markCallee(i uint32) {
	if i == 0 {
		return
	}
	switch p.kind(i) {
	case pyIdentifier:
		p.mark(i, callFlag)
	case pyAttribute:
		if name := p.field(i, pyAttributeField); name != 0 {
			p.mark(name, callFlag)
		}
	}
}

// stringInType records the names in an annotation that is written as a string:
// Cart and Item in def f(c: "Cart[Item]").
func (p *pyVisitor) stringInType(i uint32) {
	content := p.child(i, pyStringContent)
	if content == 0 || p.nodes[i].Start >= p.typeUntil {
		return
	}
	s := p.span(content)
	for s.Start < s.End {
		if !isPyName(p.src[s.Start]) {
			s.Start++
			continue
		}
		chain := Span{s.Start, s.Start}
		for chain.End < s.End && (isPyName(p.src[chain.End]) || p.src[chain.End] == '.') {
			chain.End++
		}
		s.Start = chain.End
		p.quotedName(chain)
	}
}

func (p *pyVisitor) quotedName(chain Span) {
	text := p.slice(chain)
	dot := bytes.LastIndexByte(text, '.')
	name := Span{chain.Start + uint32(dot+1), chain.End}
	switch {
	case name.Len() == 0 || dot == 0:
	case dot > 0:
		p.refAt(name, TypeUse, p.names.intern(text[:dot]))
	case text[0] > '9' && !pyPredeclared(text) && string(text) != "None" && !p.scopes.local(p.names.id(text), chain.Start):
		p.refAt(name, TypeUse, "")
	}
}

func isPyName(c byte) bool {
	return c == '_' || 'a' <= c && c <= 'z' || 'A' <= c && c <= 'Z' || '0' <= c && c <= '9' || c >= 0x80
}

// Imports.

func (p *pyVisitor) importStatement(i uint32) uint32 {
	for c := p.first(i); c != 0; c = p.next(i, c) {
		name, alias := p.importedName(c)
		if name == 0 {
			continue
		}
		im := Import{Path: p.str(name), At: p.span(c)}
		if p.kind(i) == pyFutureImport {
			im.Path, im.Name = "__future__", im.Path
		}
		if alias != 0 {
			im.Local = p.str(alias)
		} else {
			im.Local = p.str(p.first(name))
		}
		p.modules[p.names.id([]byte(im.Local))] = true
		p.file.Imports = append(p.file.Imports, im)
	}
	return p.skip(i)
}

// importedName returns the dotted name that a part of an import takes, and the
// name it is given (0 for none).
func (p *pyVisitor) importedName(c uint32) (name, alias uint32) {
	switch {
	case p.nodes[c].Field != pyNameField:
		return 0, 0
	case p.kind(c) == pyAliasedImport:
		name, alias = p.field(c, pyNameField), p.field(c, pyAliasField)
	default:
		name = c
	}
	if name == 0 || p.first(name) == 0 || p.missing(name) {
		return 0, 0
	}
	return name, alias
}

func (p *pyVisitor) fromImport(i uint32) uint32 {
	module := p.field(i, pyModuleNameField)
	if module == 0 || p.missing(module) {
		return p.skip(i)
	}
	from := p.str(module)
	for c := p.first(i); c != 0; c = p.next(i, c) {
		if p.kind(c) == pyWildcardImport {
			p.file.Imports = append(p.file.Imports, Import{Local: "*", Path: from, At: p.span(c)})
			continue
		}
		name, alias := p.importedName(c)
		if name == 0 {
			continue
		}
		im := Import{Local: p.str(name), Path: from, Name: p.str(name), At: p.span(c)}
		if alias != 0 {
			im.Local = p.str(alias)
		}
		delete(p.modules, p.names.id([]byte(im.Local)))
		p.file.Imports = append(p.file.Imports, im)
		p.ref(name, ImportUse, from)
	}
	return p.skip(i)
}

// Functions and classes.

func (p *pyVisitor) decorated(i uint32) {
	d := p.field(i, pyDefinitionField)
	if d == 0 {
		return
	}
	switch p.kind(d) {
	case pyFunction:
		p.function(d, i)
	case pyClass:
		p.class(d, i)
	}
}

// function opens a function's object, which begins at outer, the node of its
// decorators or its own. The node itself is visited again inside; by then its
// name is marked as declared.
func (p *pyVisitor) function(i, outer uint32) {
	name := p.field(i, pyNameField)
	switch {
	case name == 0 || p.missing(name):
		p.enterFunction(i, 0)
	case p.marked(name, declaredFlag):
		p.enterFunction(i, p.top().object)
	case p.top().inside:
		p.mark(name, declaredFlag)
		if i == outer {
			p.enterFunction(i, 0)
		}
	default:
		p.mark(name, declaredFlag)
		p.enterObject(outer, p.addFunction(i, outer, name))
		if i == outer {
			p.enterFunction(i, p.top().object)
		}
	}
}

// decorator marks what decorates as called. In @name.setter nothing is used but
// the property that is being declared.
func (p *pyVisitor) decorator(i uint32) uint32 {
	switch accessor(p.text(i)) {
	case "setter", "deleter", "getter":
		return p.skip(i)
	}
	p.markCallee(p.code(i))
	return i + 1
}

// accessor returns what follows the last dot of a decorator, or all of it.
func accessor(decorator []byte) string {
	name := bytes.TrimSpace(bytes.TrimLeft(decorator, "@ \t"))
	return string(name[bytes.LastIndexByte(name, '.')+1:])
}

func (p *pyVisitor) addFunction(i, outer, name uint32) int {
	parent := p.top().object
	o := Object{Name: p.str(name), Kind: Function, Ident: p.span(name), Parent: parent}
	if p.file.Objects[parent].Kind == Type {
		o.Kind = Method
	}
	o.Test = p.isTestFunction(p.text(name), parent)
	o.Type = p.typ(p.field(i, pyReturnTypeField))
	p.spans(i, outer, &o)
	d := Descriptor{Name: o.Name, Suffix: MethodSuffix, Disambiguator: p.disambiguator(i, outer)}
	return p.add(p.prefix(parent), d, o)
}

func (p *pyVisitor) isTestFunction(name []byte, parent int) bool {
	return p.file.Objects[parent].Test || p.testFile && bytes.HasPrefix(name, []byte("test"))
}

// disambiguator tells functions of one name apart by what their decorators say:
// the setter of a property, the parameter types of an overload.
func (p *pyVisitor) disambiguator(i, outer uint32) string {
	for c := p.first(outer); c != 0 && i != outer; c = p.next(outer, c) {
		if p.kind(c) != pyDecorator {
			continue
		}
		switch name := accessor(p.text(c)); name {
		case "setter", "deleter", "getter":
			return name
		case "overload":
			return p.parameterTypes(i)
		}
	}
	return ""
}

func (p *pyVisitor) parameterTypes(i uint32) string {
	params := p.field(i, pyParametersField)
	if params == 0 {
		return ""
	}
	var types []string
	for c := p.first(params); c != 0; c = p.next(params, c) {
		if t := p.field(c, pyTypeField); t != 0 {
			types = append(types, strings.Join(strings.Fields(string(p.text(t))), " "))
		}
	}
	return strings.Join(types, ",")
}

// spans sets where a function or class stands.
func (p *pyVisitor) spans(i, outer uint32, o *Object) {
	o.Span = p.span(outer)
	o.Signature = p.span(i)
	if body := p.body(i); body != 0 {
		o.Body = Span{p.nodes[body].Start, p.nodes[i].End}
		o.Signature = p.header(i, body)
		if p.kind(body) == pyBlock {
			o.Doc = p.docstring(body)
		}
	}
	if above := p.docAbove(o.Span.Start); above.End > 0 {
		o.Span.Start = above.Start
		if o.Doc.End == 0 {
			o.Doc = above
		}
	}
}

// body returns the node that a function's or class's body begins with, 0 for
// none: its block, or what of it could not be parsed.
func (p *pyVisitor) body(i uint32) uint32 {
	header := true
	for c := p.first(i); c != 0; c = p.next(i, c) {
		switch {
		case p.kind(c) == pyBlock && !p.missing(c), p.kind(c) == treesitter.ErrorKind && !header:
			return c
		case p.nodes[c].Field == pyParametersField:
			header = false
		}
	}
	return 0
}

// header returns def f(x) -> int: without the comment that may follow it.
func (p *pyVisitor) header(i, body uint32) Span {
	end := p.nodes[i].Start
	for c := p.first(i); c != 0 && c != body; c = p.next(i, c) {
		if p.kind(c) != pyComment {
			end = p.nodes[c].End
		}
	}
	colon := bytes.IndexByte(p.slice(p.between(end, p.nodes[body].Start)), ':')
	return Span{p.nodes[i].Start, end + uint32(colon+1)}
}

// docstring returns the string that a block begins with.
func (p *pyVisitor) docstring(block uint32) Span {
	statement := p.code(block)
	if statement == 0 || p.kind(statement) != pyExpressionStatement {
		return Span{}
	}
	s := p.first(statement)
	if s == 0 || p.kind(s) != pyString && p.kind(s) != pyConcatenatedString {
		return Span{}
	}
	return p.span(s)
}

// enterFunction opens the scope of a function. object is its own, or 0 if it
// has none.
func (p *pyVisitor) enterFunction(i uint32, object int) {
	owner := p.top().object
	f := p.enter(i)
	wasInside := f.inside
	f.inside = true
	if object != 0 && p.file.Objects[owner].Kind == Method && !wasInside {
		f.class = p.file.Objects[owner].Parent
	}
	p.globals = p.globals[:0]
	p.declareTypeParameters(i)
	p.parameters(i, f.class != 0 && !wasInside)
	if body := p.field(i, pyBodyField); body != 0 {
		p.declareLocals(body)
	}
}

// parameters declares and binds a function's parameters; the first of a method
// stands for its class.
func (p *pyVisitor) parameters(i uint32, method bool) {
	list := p.field(i, pyParametersField)
	if list == 0 {
		return
	}
	at := p.nodes[list].Start
	first := method && !p.isStatic(i)
	for c := p.first(list); c != 0; c = p.next(list, c) {
		if p.kind(c) == pyComment {
			continue
		}
		name := p.parameterName(c)
		if name == 0 {
			p.declareNames(c)
			continue
		}
		p.declare(name, 0)
		v := p.parameterValue(c, name)
		if first {
			p.top().receiver = p.names.id(p.text(name))
			if v.typ == "" {
				v = value{typ: p.className(p.top().class)}
			}
			first = false
		}
		p.bind(name, at, v, 0)
	}
}

func (p *pyVisitor) isStatic(i uint32) bool {
	outer := p.parent(i)
	if p.kind(outer) != pyDecorated {
		return false
	}
	for c := p.first(outer); c != 0; c = p.next(outer, c) {
		if p.kind(c) == pyDecorator && string(bytes.TrimLeft(p.text(c), "@ \t")) == "staticmethod" {
			return true
		}
	}
	return false
}

func (p *pyVisitor) parameterName(c uint32) uint32 {
	switch p.kind(c) {
	case pyIdentifier:
	case pyTypedParameter, pyListSplatPattern, pyDictSplatPattern:
		c = p.code(c)
		if c != 0 && p.kind(c) != pyIdentifier {
			c = p.code(c)
		}
	case pyDefaultParameter, pyTypedDefaultParameter:
		c = p.field(c, pyNameField)
	default:
		return 0
	}
	if c == 0 || p.kind(c) != pyIdentifier || p.missing(c) {
		return 0
	}
	return c
}

func (p *pyVisitor) parameterValue(c, name uint32) value {
	if p.parent(name) != c || p.kind(c) == pyListSplatPattern || p.kind(c) == pyDictSplatPattern {
		return value{} // *args and **kw are a tuple and a dict of what is annotated
	}
	if c == name {
		return value{}
	}
	if t := p.field(c, pyTypeField); t != 0 {
		return value{typ: p.typ(t)}
	}
	if d := p.field(c, pyValueField); d != 0 {
		return p.value(d)
	}
	return value{}
}

// className returns the name of a class inside its module: Outer.Inner.
func (p *pyVisitor) className(object int) string {
	o := p.file.Objects[object]
	name := o.Name
	for depth := 0; o.Parent > 0 && depth < maxPath; depth++ {
		o = p.file.Objects[o.Parent]
		name = o.Name + "." + name
	}
	return name
}

// typ returns a type expression as written, without the quotes that may stand
// around it.
func (p *pyVisitor) typ(i uint32) string {
	if i == 0 {
		return ""
	}
	if s := p.code(i); s != 0 && p.kind(i) == pyType {
		i = s
	}
	return p.unquoted(i)
}

func (p *pyVisitor) unquoted(i uint32) string {
	if p.kind(i) == pyString {
		if content := p.child(i, pyStringContent); content != 0 {
			i = content
		}
	}
	return p.builder.typ(i)
}

// class opens a class's object; the node is visited again if it is decorated.
func (p *pyVisitor) class(i, outer uint32) {
	name := p.field(i, pyNameField)
	switch {
	case name == 0 || p.missing(name):
		p.enter(i)
	case p.marked(name, declaredFlag):
		p.enterClass(i)
	case p.top().inside:
		p.mark(name, declaredFlag)
		if i == outer {
			p.enterClass(i)
		}
	default:
		p.mark(name, declaredFlag)
		p.enterObject(outer, p.addClass(i, outer, name))
		if i == outer {
			p.enterClass(i)
		}
	}
}

func (p *pyVisitor) addClass(i, outer, name uint32) int {
	parent := p.top().object
	o := Object{Name: p.str(name), Kind: Type, Ident: p.span(name), Parent: parent}
	p.spans(i, outer, &o)
	if bases := p.field(i, pySuperclassesField); bases != 0 {
		for c := p.first(bases); c != 0; c = p.next(bases, c) {
			switch p.kind(c) {
			case pyIdentifier, pyAttribute, pySubscript, pyCall:
				o.Bases = append(o.Bases, p.builder.typ(c))
			}
		}
	}
	o.Test = p.isTestClass(&o)
	return p.add(p.prefix(parent), Descriptor{Name: o.Name, Suffix: TypeSuffix}, o)
}

func (p *pyVisitor) isTestClass(o *Object) bool {
	for _, base := range o.Bases {
		if strings.HasSuffix(base, "TestCase") {
			return true
		}
	}
	return p.file.Objects[o.Parent].Test || p.testFile && strings.HasPrefix(o.Name, "Test")
}

func (p *pyVisitor) enterClass(i uint32) {
	if bases := p.field(i, pySuperclassesField); bases != 0 {
		p.typeUntil = max(p.typeUntil, p.nodes[bases].End)
	}
	f := p.enter(i)
	p.declareTypeParameters(i)
	if body := p.field(i, pyBodyField); f.inside && body != 0 {
		p.globals = p.globals[:0]
		p.declareLocals(body)
	}
}

// declareTypeParameters makes T local in def f[T: Base](x: T).
func (p *pyVisitor) declareTypeParameters(i uint32) {
	list := p.field(i, pyTypeParametersField)
	if list == 0 {
		return
	}
	for c := p.first(list); c != 0; c = p.next(list, c) {
		if p.kind(c) == pyType { // anything else is a default, which the grammar does not know
			p.declareTypeParameter(c)
		}
	}
}

func (p *pyVisitor) declareTypeParameter(c uint32) {
	bound := uint32(0)
	for depth := 0; c != 0 && depth < maxPath; depth++ {
		switch p.kind(c) {
		case pyIdentifier:
			p.declare(c, 0)
			p.bind(c, p.nodes[c].Start, value{typ: p.typ(bound)}, 0)
			return
		case pyConstrainedType:
			if first := p.code(c); first != 0 {
				bound = p.next(c, first)
			}
		}
		c = p.code(c)
	}
}

func (p *pyVisitor) typeAlias(i uint32) {
	name := p.code(i)
	for depth := 0; name != 0 && p.kind(name) != pyIdentifier && depth < maxPath; depth++ {
		name = p.code(name)
	}
	if name == 0 || p.missing(name) || p.top().inside {
		return
	}
	p.mark(name, declaredFlag)
	o := Object{Name: p.str(name), Kind: Type, Ident: p.span(name), Parent: p.top().object}
	p.flatSpans(i, &o)
	if target := p.next(i, p.code(i)); target != 0 {
		o.Bases = []string{p.builder.typ(target)}
	}
	p.enterObject(i, p.add(p.prefix(o.Parent), Descriptor{Name: o.Name, Suffix: TypeSuffix}, o))
	if generic := p.code(p.code(i)); generic != 0 && p.kind(generic) == pyGenericType {
		if list := p.child(generic, pyTypeParameter); list != 0 {
			for c := p.first(list); c != 0; c = p.next(list, c) {
				p.declareTypeParameter(c)
			}
		}
	}
}

// flatSpans sets where a declaration without a body stands.
func (p *pyVisitor) flatSpans(i uint32, o *Object) {
	o.Span, o.Signature = p.span(i), p.span(i)
	o.Doc = p.docAbove(o.Span.Start)
	if o.Doc.End > 0 {
		o.Span.Start = o.Doc.Start
	}
	if behind := p.docBehind(i); behind.End > 0 {
		o.Span.End = behind.End
		if o.Doc.End == 0 {
			o.Doc = behind
		}
	}
}

// Scopes.

// declareLocals makes local what a body assigns anywhere, but not in the
// functions and classes nested in it.
func (p *pyVisitor) declareLocals(body uint32) {
	for i := body; i < p.nodes[body].Next; {
		switch p.kind(i) {
		case pyFunction, pyClass:
			if name := p.field(i, pyNameField); name != 0 {
				p.declareLocal(name)
			}
			i = p.skip(i)
			continue
		case pyGlobal:
			for c := p.first(i); c != 0; c = p.next(i, c) {
				p.globals = append(p.globals, p.names.id(p.text(c)))
			}
		case pyAssignment, pyAugmentedAssignment, pyFor:
			p.declareTargets(p.field(i, pyLeftField))
		case pyNamedExpression:
			p.declareTargets(p.field(i, pyNameField))
		case pyAsPattern:
			p.declareTargets(p.asTarget(i))
		case pyCasePattern, pyKeywordPattern, pySplatPattern:
			p.declareTargets(p.capture(i))
		case pyImport, pyFromImport, pyLambda:
			i = p.skip(i)
			continue
		}
		i++
	}
}

func (p *pyVisitor) declareLocal(i uint32) {
	if p.missing(i) {
		return
	}
	id := p.names.id(p.text(i))
	for _, g := range p.globals {
		if g == id {
			return
		}
	}
	p.scopes.declare(id, 0)
}

// declareTargets makes the names in an assignment's target local.
func (p *pyVisitor) declareTargets(target uint32) {
	if target == 0 {
		return
	}
	for i := target; i < p.nodes[target].Next; {
		switch p.kind(i) {
		case pyIdentifier:
			p.declareLocal(i)
		case pyAttribute, pySubscript:
			i = p.skip(i)
			continue
		}
		i++
	}
}

// declareNames makes all names under i local.
func (p *pyVisitor) declareNames(i uint32) {
	for j := i; j < p.nodes[i].Next; j++ {
		if p.kind(j) == pyIdentifier && !p.missing(j) {
			p.declare(j, 0)
		}
	}
}

// asTarget returns what stands behind as: in with and except a node of its own,
// in a pattern the last child.
func (p *pyVisitor) asTarget(i uint32) uint32 {
	if t := p.field(i, pyAliasField); t != 0 {
		return t
	}
	last := uint32(0)
	for c := p.first(i); c != 0; c = p.next(i, c) {
		last = c
	}
	if last != 0 && p.kind(last) == pyIdentifier && last != p.first(i) {
		return last
	}
	return 0
}

// capture returns the name that a pattern binds, or 0.
func (p *pyVisitor) capture(i uint32) uint32 {
	c := p.code(i)
	if p.kind(i) == pyKeywordPattern && c != 0 {
		c = p.next(i, c)
	}
	if c == 0 {
		return 0
	}
	switch p.kind(c) {
	case pyIdentifier:
		return c
	case pyDottedName:
		if name := p.first(c); name != 0 && p.next(c, name) == 0 {
			return name
		}
	}
	return 0
}

func (p *pyVisitor) lambda(i uint32) {
	p.enter(i)
	list := p.field(i, pyParametersField)
	if list == 0 {
		return
	}
	for c := p.first(list); c != 0; c = p.next(list, c) {
		if name := p.parameterName(c); name != 0 {
			p.declare(name, 0)
		}
	}
}

// comprehension declares the variables of its clauses, which stand behind the
// expression that uses them.
func (p *pyVisitor) comprehension(i uint32) {
	p.enter(i)
	for c := p.first(i); c != 0; c = p.next(i, c) {
		if p.kind(c) == pyForIn {
			p.declareScoped(p.field(c, pyLeftField))
		}
	}
}

func (p *pyVisitor) declareScoped(target uint32) {
	if target == 0 {
		return
	}
	for j := target; j < p.nodes[target].Next; j++ {
		if p.kind(j) == pyIdentifier && p.kind(p.parent(j)) != pyAttribute {
			p.declare(j, 0)
		}
	}
}

// Assignments.

// A chain a = b = f() nests to the right: each target gets the last value.
func (p *pyVisitor) assignment(i uint32) {
	right := p.field(i, pyRightField)
	for depth := 0; right != 0 && p.kind(right) == pyAssignment && depth < maxPath; depth++ {
		right = p.field(right, pyRightField)
	}
	p.assign(p.field(i, pyLeftField), right, p.field(i, pyTypeField), i)
}

// assign reads target: typ = right, which node i states.
func (p *pyVisitor) assign(target, right, typ, i uint32) {
	if target == 0 {
		return
	}
	v := value{typ: p.typ(typ)}
	switch p.kind(target) {
	case pyIdentifier, pyAttribute:
		if right != 0 && typ == 0 {
			v = p.value(right)
		}
		p.assignOne(target, v, 0, i, right)
	case pyPatternList, pyTuplePattern, pyListPattern:
		p.assignMany(target, right, i)
	}
}

// assignMany pairs targets with values; if there is but one value, each target
// is one result of it.
func (p *pyVisitor) assignMany(target, right, i uint32) {
	var v value
	element, paired := uint32(0), false
	if right != 0 {
		switch p.kind(right) {
		case pyExpressionList, pyTuple, pyList:
			element, paired = p.code(right), true
		default:
			v = p.value(right)
			v.typ = ""
		}
	}
	n := 0
	for c := p.code(target); c != 0; c = p.next(target, c) {
		one := v
		if paired && element != 0 {
			one = p.value(element)
		}
		switch p.kind(c) {
		case pyIdentifier, pyAttribute:
			p.assignOne(c, one, n, i, 0)
		case pyComment:
			n--
		default:
			p.assignNested(c, i)
		}
		if n++; paired {
			n = 0
			if element != 0 {
				element = p.next(right, element)
			}
		}
	}
}

// assignNested reads the targets inside a target, whose values have no form.
func (p *pyVisitor) assignNested(target, i uint32) {
	for j := target; j < p.nodes[target].Next; {
		switch p.kind(j) {
		case pyIdentifier:
			p.assignOne(j, value{}, 0, i, 0)
		case pyAttribute, pySubscript:
			if p.kind(j) == pyAttribute {
				p.assignOne(j, value{}, 0, i, 0)
			}
			j = p.skip(j)
			continue
		}
		j++
	}
}

// assignOne declares one name: a local of a function, a variable of the module,
// an attribute of a class or, through self, of an instance.
func (p *pyVisitor) assignOne(target uint32, v value, result int, i, right uint32) {
	if p.missing(target) {
		return
	}
	if p.kind(target) == pyAttribute {
		p.assignAttribute(target, v, result, i)
		return
	}
	p.mark(target, writeFlag)
	if p.top().inside || p.isScoped(target) {
		p.bind(target, p.nodes[i].End, v, result)
		return
	}
	if string(p.text(target)) == "__all__" && p.top().object == 0 {
		p.exports(right)
	}
	p.declareVariable(target, v, result, i)
}

// isScoped reports whether a name is a comprehension's or a lambda's.
func (p *pyVisitor) isScoped(target uint32) bool { return p.local(target) }

func (p *pyVisitor) declareVariable(name uint32, v value, result int, i uint32) {
	o := Object{Name: p.str(name), Ident: p.span(name), Parent: p.top().object, Type: v.typ}
	if result == 0 {
		o.Value = v.path
	}
	d := Descriptor{Name: o.Name, Suffix: TermSuffix}
	switch {
	case p.file.Objects[o.Parent].Kind == Type:
		o.Kind = Field
	case o.Type == "TypeAlias" || strings.HasSuffix(o.Type, ".TypeAlias"):
		o.Kind, o.Bases, o.Type, o.Value = Type, p.aliased(i), "", ""
		d.Suffix = TypeSuffix
	case isUpper(o.Name) || o.Type == "Final" || strings.HasPrefix(o.Type, "Final["):
		o.Kind = Constant
	default:
		o.Kind = Variable
	}
	p.flatSpans(i, &o)
	p.declareMember(name, o, d)
}

// aliased returns the type that X: TypeAlias = … stands for.
func (p *pyVisitor) aliased(i uint32) []string {
	right := p.field(i, pyRightField)
	if right == 0 {
		return nil
	}
	return []string{p.unquoted(right)}
}

// declareMember adds o unless an object of its name is there already: then the
// name is written to, and o says what was not known yet.
func (p *pyVisitor) declareMember(name uint32, o Object, d Descriptor) {
	p.buf = d.append(append(p.buf[:0], p.prefix(o.Parent)...))
	if known, ok := p.members[string(p.buf)]; ok {
		if k := &p.file.Objects[known]; k.Type == "" && k.Value == "" {
			k.Type, k.Value = o.Type, o.Value
		}
		return
	}
	p.mark(name, declaredFlag)
	object := p.add(p.prefix(o.Parent), d, o)
	p.members[p.file.Objects[object].Descriptors] = object
}

// isUpper reports whether a name is written as a constant's: MAX_SIZE, _X1.
func isUpper(name string) bool {
	letters := false
	for i := range len(name) {
		c := name[i]
		switch {
		case 'A' <= c && c <= 'Z':
			letters = true
		case c == '_' || '0' <= c && c <= '9':
		default:
			return false
		}
	}
	return letters
}

// assignAttribute reads x.y = …: a field of the class if x is self.
func (p *pyVisitor) assignAttribute(target uint32, v value, result int, i uint32) {
	name, object := p.field(target, pyAttributeField), p.field(target, pyObjectField)
	if name == 0 || object == 0 || p.missing(name) {
		return
	}
	p.mark(name, writeFlag)
	f := p.top()
	if f.class == 0 || f.receiver == 0 || p.kind(object) != pyIdentifier || p.names.id(p.text(object)) != f.receiver {
		return
	}
	v = p.outside(v, p.nodes[i].Start)
	o := Object{Name: p.str(name), Kind: Field, Ident: p.span(name), Parent: f.class, Type: v.typ}
	if result == 0 {
		o.Value = v.path
	}
	p.flatSpans(i, &o)
	p.declareMember(name, o, Descriptor{Name: o.Name, Suffix: TermSuffix})
}

func (p *pyVisitor) augmented(i uint32) {
	left := p.field(i, pyLeftField)
	if left == 0 {
		return
	}
	switch p.kind(left) {
	case pyIdentifier:
		p.mark(left, writeFlag)
		if string(p.text(left)) == "__all__" && p.top().object == 0 {
			p.exports(p.field(i, pyRightField))
		}
	case pyAttribute:
		if name := p.field(left, pyAttributeField); name != 0 {
			p.mark(name, writeFlag)
		}
	}
}

// exports adds the strings of a list or tuple to the file's exported names.
func (p *pyVisitor) exports(list uint32) {
	if list == 0 || p.kind(list) != pyList && p.kind(list) != pyTuple {
		return
	}
	for c := p.first(list); c != 0; c = p.next(list, c) {
		if p.kind(c) == pyString {
			if content := p.child(c, pyStringContent); content != 0 {
				p.exported = append(p.exported, p.str(content))
			}
		}
	}
}

// iterate reads for target in right, as a statement or a clause.
func (p *pyVisitor) iterate(i uint32) {
	target, right := p.field(i, pyLeftField), p.field(i, pyRightField)
	if target == 0 {
		return
	}
	at := p.nodes[target].End
	var v value
	if right != 0 {
		at = p.nodes[right].End
		buf, ok := p.appendPath(p.buf[:0], right, 0)
		if p.buf = buf; ok {
			v.path = p.names.intern(append(buf, "[]"...))
		}
	}
	p.bindTarget(target, v, at)
}

// bindTarget binds the names that a for, with, except or case introduces.
func (p *pyVisitor) bindTarget(target uint32, v value, at uint32) {
	switch p.kind(target) {
	case pyIdentifier:
		p.bindName(target, v, 0, at)
	case pyPatternList, pyTuplePattern, pyListPattern, pyTuple, pyList:
		n := 0
		for c := p.first(target); c != 0; c = p.next(target, c) {
			if p.kind(c) == pyIdentifier {
				p.bindName(c, value{path: v.path}, n, at)
			} else {
				p.bindNested(c, at)
			}
			n++
		}
	default:
		p.bindNested(target, at)
	}
}

func (p *pyVisitor) bindNested(target, at uint32) {
	for j := target; j < p.nodes[target].Next; {
		switch p.kind(j) {
		case pyIdentifier:
			p.bindName(j, value{}, 0, at)
		case pyAttribute, pySubscript:
			j = p.skip(j)
			continue
		}
		j++
	}
}

func (p *pyVisitor) bindName(name uint32, v value, result int, at uint32) {
	if p.missing(name) {
		return
	}
	p.mark(name, writeFlag)
	if !p.top().inside {
		p.mark(name, declaredFlag)
	}
	p.bind(name, at, v, result)
}

// asPattern binds the name behind as: what with opened, what except caught.
func (p *pyVisitor) asPattern(i uint32) {
	target, e := p.asTarget(i), p.code(i)
	if target == 0 || e == 0 || e == target {
		return
	}
	if p.kind(target) == pyAsPatternTarget {
		target = p.code(target)
	}
	if target == 0 {
		return
	}
	var v value
	switch p.kind(p.parent(i)) {
	case pyExcept, pyExceptGroup:
		v = value{typ: p.caught(e)}
	case pyCasePattern:
		if class := p.code(e); class != 0 && p.kind(class) == pyClassPattern {
			v = value{typ: p.builder.typ(p.code(class))}
		}
	default:
		v = p.value(e)
	}
	p.bindTarget(target, v, p.nodes[i].End)
}

// caught returns the type of what except catches, of several the first.
func (p *pyVisitor) caught(e uint32) string {
	for depth := 0; e != 0 && depth < maxPath; depth++ {
		switch p.kind(e) {
		case pyTuple, pyListSplat, pyParenthesized:
			e = p.code(e)
			continue
		}
		return p.builder.typ(e)
	}
	return ""
}

// Expressions.

// value returns what an initialiser says about what it initialises. Of a choice
// (a or b, a if c else b) the first that says something counts.
func (p *pyVisitor) value(e uint32) value {
	for depth := 0; e != 0 && depth < maxPath; depth++ {
		switch p.kind(e) {
		case pyString, pyConcatenatedString:
			return value{typ: p.stringType(e)}
		case pyInteger:
			return value{typ: "int"}
		case pyFloat:
			return value{typ: "float"}
		case pyTrue, pyFalse:
			return value{typ: "bool"}
		case pyList, pyListComprehension:
			return value{typ: "list"}
		case pyDictionary, pyDictComprehension:
			return value{typ: "dict"}
		case pySet, pySetComprehension:
			return value{typ: "set"}
		case pyTuple, pyExpressionList:
			return value{typ: "tuple"}
		case pyAwait, pyParenthesized:
			e = p.code(e)
			continue
		case pyNamedExpression:
			e = p.field(e, pyValueField)
			continue
		case pyBooleanOperator, pyConditional:
			return p.choice(e)
		}
		break
	}
	if e == 0 {
		return value{}
	}
	buf, ok := p.appendPath(p.buf[:0], e, 0)
	if p.buf = buf; !ok {
		return value{}
	}
	return value{path: p.names.intern(buf)}
}

// choice tries the operands of a choice. A parameter or local of which nothing
// is known says nothing: in cache or Cache(), Cache() counts.
func (p *pyVisitor) choice(e uint32) value {
	n := 0
	for c := p.code(e); c != 0; c = p.next(e, c) {
		n++
		condition := n == 2 && p.kind(e) == pyConditional
		if condition || p.kind(c) == pyBooleanOperator || p.kind(c) == pyConditional {
			continue
		}
		if v := p.value(c); v != (value{}) && p.outside(v, p.nodes[c].Start) != (value{}) {
			return v
		}
	}
	return value{}
}

func (p *pyVisitor) stringType(e uint32) string {
	prefix, _, _ := bytes.Cut(p.text(e), []byte(`"`))
	prefix, _, _ = bytes.Cut(prefix, []byte(`'`))
	if bytes.ContainsAny(prefix, "bB") {
		return "bytes"
	}
	return "str"
}

// pathOf returns the path form of an expression that qualifies a name.
func (p *pyVisitor) pathOf(e uint32) string {
	if e == 0 {
		return unknownPath
	}
	buf, ok := p.appendPath(p.buf[:0], e, 0)
	if p.buf = buf; !ok {
		return unknownPath
	}
	return p.names.intern(buf)
}

// appendPath writes the path form of an expression (see Binding).
func (p *pyVisitor) appendPath(buf []byte, e uint32, depth int) (_ []byte, ok bool) {
	if e == 0 || depth > maxPath {
		return buf, false
	}
	switch p.kind(e) {
	case pyIdentifier:
		return append(buf, p.text(e)...), !p.missing(e)
	case pyAttribute:
		if buf, ok = p.appendPath(buf, p.field(e, pyObjectField), depth+1); !ok {
			return buf, false
		}
		return p.appendPath(append(buf, '.'), p.field(e, pyAttributeField), depth+1)
	case pyCall:
		if buf, ok = p.appendPath(buf, p.field(e, pyFunctionField), depth+1); !ok {
			return buf, false
		}
		return append(buf, "()"...), true
	case pySubscript:
		if buf, ok = p.appendPath(buf, p.field(e, pyValueField), depth+1); !ok {
			return buf, false
		}
		return append(buf, "[]"...), true
	case pyAwait, pyParenthesized:
		return p.appendPath(buf, p.code(e), depth+1)
	}
	return buf, false
}
