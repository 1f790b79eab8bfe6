package facts

import (
	"bytes"
	"path"
	"strings"

	"readahead/index/internal/treesitter"
)

// JavaScript, TypeScript and TSX are one language to whoever imports one file
// from another, and nearly one grammar. TSX is TypeScript in everything but the
// parser; which of the two it takes is told by the file's name.
var (
	javaScriptSpec = tableSpec(&table{
		mend: mendScript, grammar: treesitter.JavaScript, shapes: merge(ecmaShapes, jsxShapes, javaScriptShapes),
		keywords: ecmaKeywords, predeclared: ecmaWords, elements: ecmaElements, fields: true, free: "property_identifier",
	})
	typeScriptSpec = tableSpec(&table{
		mend: mendScript, grammar: treesitter.TypeScript, shapes: merge(ecmaShapes, typeScriptShapes),
		keywords: ecmaKeywords, predeclared: ecmaWords + typeScriptWords, elements: ecmaElements, fields: true, free: "property_identifier",
	})
	tsxSpec = tableSpec(&table{
		mend: mendScript, grammar: treesitter.TSX, shapes: merge(ecmaShapes, jsxShapes, typeScriptShapes),
		keywords: ecmaKeywords, predeclared: ecmaWords + typeScriptWords, elements: ecmaElements, fields: true, free: "property_identifier",
	})
)

// isTSX reports whether a TypeScript file has JSX in it.
func isTSX(name string) bool { return strings.EqualFold(path.Ext(name), ".tsx") }

// Keywords, and globals that no module redefines.
const (
	ecmaKeywords = `break case catch class const continue debugger default delete do else enum export extends
		false finally for function if import in instanceof new null return super switch this throw true try typeof var void
		while with`
	ecmaWords = `async await from get implements let of package set static yield undefined NaN Infinity arguments require module exports console Object Array String Number Boolean Symbol Math JSON
		Promise Error TypeError RangeError Map Set WeakMap WeakSet Date RegExp parseInt parseFloat isNaN`
	typeScriptWords = ` abstract any as asserts bigint boolean declare infer interface is keyof module namespace never
		object readonly satisfies type unique unknown private protected public override number string symbol
		Record Partial Required Readonly Pick Omit Exclude Extract NonNullable ReturnType Parameters Awaited`
	ecmaElements = ` map forEach filter find findLast findIndex some every flatMap `
)

// ecmaShapes are the nodes that all of these grammars have.
var ecmaShapes = map[string]shape{
	"comment":          {is: remark},
	"hash_bang_line":   {is: silent},
	"regex":            {is: silent},
	"string":           {is: silent, form: literalForm, says: "string"},
	"template_string":  {form: literalForm, says: "string"},
	"number":           {form: literalForm, says: "number"},
	"true":             {form: literalForm, says: "boolean"},
	"false":            {form: literalForm, says: "boolean"},
	"identifier":       {is: ident, form: nameForm},
	"this":             {form: selfForm, says: "this"},
	"super":            {form: selfForm, says: "super"},
	"meta_property":    {is: silent, form: textForm},
	"import":           {form: selfForm, says: "import"},
	"statement_block":  {is: scope},
	"switch_body":      {is: scope},
	"for_statement":    {is: scope},
	"catch_clause":     {is: plain, name: "parameter", do: ecmaCatch},
	"for_in_statement": {is: loop, name: "left", value: "right", do: ecmaLoop},

	"property_identifier":                   {do: ecmaProperty},
	"private_property_identifier":           {do: ecmaProperty},
	"shorthand_property_identifier":         {is: ident, form: nameForm},
	"shorthand_property_identifier_pattern": {is: ident, form: nameForm, says: "shorthand"},
	"statement_identifier":                  {is: silent},

	"object_pattern":            {is: pattern},
	"array_pattern":             {is: pattern},
	"pair_pattern":              {is: pattern, object: "key", name: "value"},
	"rest_pattern":              {is: pattern, says: "rest"},
	"assignment_pattern":        {is: pattern, name: "left"},
	"object_assignment_pattern": {is: pattern, name: "left"},

	"member_expression":        {is: access, form: accessForm, object: "object", name: "property"},
	"subscript_expression":     {form: indexForm, object: "object"},
	"call_expression":          {is: calling, form: callForm, name: "function", do: ecmaCall},
	"new_expression":           {is: create, form: createForm, typ: "constructor", do: ecmaNew},
	"await_expression":         {form: innerForm},
	"parenthesized_expression": {form: innerForm},
	"binary_expression":        {form: choiceForm, do: instanceOf},
	"arguments":                {is: values},
	"ternary_expression":       {form: choiceForm, object: "condition"},

	"import_statement": {value: "source", do: ecmaImport},
	"import_clause":    {},
	"import_specifier": {name: "name", object: "alias"},
	"namespace_import": {},
	"export_clause":    {},
	"export_specifier": {name: "name", object: "alias"},
	"namespace_export": {},
	"export_statement": {is: wrapper, value: "source", name: "declaration", do: ecmaExport},

	"lexical_declaration":  {is: wrapper},
	"variable_declaration": {is: wrapper},
	"variable_declarator":  {is: variable, name: "name", value: "value", do: ecmaVariable},

	"function_declaration":           {is: function, name: "name", body: "body", params: "parameters"},
	"generator_function_declaration": {is: function, name: "name", body: "body", params: "parameters"},
	"method_definition":              {is: function, name: "name", body: "body", params: "parameters", do: ecmaMethod},
	"arrow_function":                 {is: lambda, params: "parameter parameters", body: "body"},
	"function_expression":            {is: lambda, name: "name", params: "parameters", body: "body", do: ecmaFunctionExpression},
	"generator_function":             {is: lambda, name: "name", params: "parameters", body: "body", do: ecmaFunctionExpression},
	"formal_parameters":              {is: parameters},
	"class_declaration":              {is: typeDecl, name: "name", body: "body"},
	"class":                          {is: scope, body: "body", do: ecmaClass},
	"class_static_block":             {is: lambda},
	"decorator":                      {is: attribute, do: ecmaDecorator},

	"expression_statement":            {is: wrapper},
	"assignment_expression":           {is: assign, name: "left", value: "right", do: ecmaAssign},
	"augmented_assignment_expression": {is: assign, name: "left"},
	"update_expression":               {is: assign, name: "argument"},
	"object":                          {do: ecmaObject},
	"pair":                            {name: "key", value: "value", do: ecmaPair},
}

var javaScriptShapes = map[string]shape{
	"class_heritage":   {is: bases},
	"field_definition": {is: variable, name: "property", value: "value", do: ecmaField},
}

var jsxShapes = map[string]shape{
	"jsx_opening_element":      {is: calling, name: "name", do: jsxElement},
	"jsx_self_closing_element": {is: calling, name: "name", do: jsxElement},
	"jsx_closing_element":      {is: silent},
	"jsx_attribute":            {do: jsxAttribute},
	"jsx_text":                 {is: silent},
}

var typeScriptShapes = map[string]shape{
	"type_identifier":           {is: typeIdent, form: nameForm},
	"nested_type_identifier":    {is: access, form: accessForm, object: "module", name: "name"},
	"nested_identifier":         {is: access, form: accessForm, object: "object", name: "property"},
	"generic_type":              {is: typeExpr, name: "name"},
	"type_annotation":           {is: types},
	"asserts_annotation":        {is: types},
	"type_predicate_annotation": {is: types},
	"constraint":                {is: types},
	"default_type":              {is: types},
	"type_arguments":            {is: types},
	"type_query":                {is: values},
	"array_type":                {is: typeExpr},
	"union_type":                {is: typeExpr},
	"intersection_type":         {is: typeExpr},
	"function_type":             {is: lambda},
	"constructor_type":          {is: lambda},
	"object_type":               {do: ecmaObjectType},
	"mapped_type_clause":        {is: scope, name: "name", do: ecmaMapped},
	"infer_type":                {is: plain, do: ecmaInfer},
	"type_predicate":            {do: ecmaPredicate},
	"predefined_type":           {is: silent},
	"this_type":                 {is: silent},
	"as_expression":             {form: castForm, typ: "<type_identifier> <generic_type> <array_type> <nested_type_identifier> <predefined_type>", do: ecmaCast},
	"satisfies_expression":      {form: innerForm},
	"non_null_expression":       {form: innerForm},
	"instantiation_expression":  {form: innerForm},

	"class_heritage":      {is: bases},
	"extends_clause":      {is: bases},
	"implements_clause":   {is: bases},
	"extends_type_clause": {is: bases},

	"ambient_declaration":        {is: wrapper},
	"internal_module":            {is: space, name: "name"},
	"module":                     {is: space, name: "name"},
	"import_alias":               {do: ecmaImportAlias},
	"import_require_clause":      {},
	"variable_declarator":        {is: variable, name: "name", typ: "type", value: "value", do: ecmaVariable},
	"abstract_class_declaration": {is: typeDecl, name: "name", body: "body"},
	"interface_declaration":      {is: typeDecl, name: "name", body: "body"},
	"type_alias_declaration":     {is: typeDecl, name: "name", body: "<object_type>", value: "value"},
	"enum_declaration":           {is: typeDecl, name: "name", body: "body"},
	"enum_body":                  {},
	"enum_assignment":            {is: enumMember, name: "name"},
	"type_parameter":             {is: typeParameter, name: "name", typ: "constraint"},

	"function_declaration":           {is: function, name: "name", typ: "return_type", body: "body", params: "parameters"},
	"generator_function_declaration": {is: function, name: "name", typ: "return_type", body: "body", params: "parameters"},
	"method_definition":              {is: function, name: "name", typ: "return_type", body: "body", params: "parameters", do: ecmaMethod},
	"arrow_function":                 {is: lambda, typ: "return_type", params: "parameter parameters", body: "body"},
	"function_expression":            {is: lambda, name: "name", typ: "return_type", params: "parameters", body: "body", do: ecmaFunctionExpression},
	"function_signature":             {is: function, name: "name", typ: "return_type", params: "parameters"},
	"method_signature":               {is: function, name: "name", typ: "return_type", params: "parameters"},
	"abstract_method_signature":      {is: function, name: "name", typ: "return_type", params: "parameters"},
	"construct_signature":            {is: lambda},
	"call_signature":                 {is: lambda},
	"index_signature":                {is: lambda, name: "name", do: ecmaIndexSignature},
	"property_signature":             {is: variable, name: "name", typ: "type", do: ecmaField},
	"public_field_definition":        {is: variable, name: "name", typ: "type", value: "value", do: ecmaField},
	"required_parameter":             {is: parameter, name: "pattern", typ: "type", value: "value", do: ecmaParameter},
	"optional_parameter":             {is: parameter, name: "pattern", typ: "type", value: "value", do: ecmaParameter},
}

// Imports and exports.

// ecmaImport reads import d, { a as b } from "m", import * as n from "m",
// import "m" and import x = require("m").
func ecmaImport(o *outline, i uint32, n *node) uint32 {
	module := o.quoted(o.part(i, n.value))
	found := false
	for j := i + 1; j < o.nodes[i].Next; j++ {
		im := Import{Path: module, At: o.span(j)}
		name := uint32(0)
		switch {
		case o.isA(j, "import_specifier"):
			s := o.shape(j)
			if name = o.part(j, s.name); name != 0 {
				im.Name = o.str(name)
				o.ref(name, ImportUse, module)
			}
			if alias := o.part(j, s.object); alias != 0 {
				name = alias
			}
		case o.isA(j, "namespace_import"):
			name = o.code(j)
		case o.isA(j, "import_require_clause"):
			name, im.Path = o.code(j), o.quoted(o.part(j, n.value))
		case o.isA(j, "identifier") && o.isA(o.parent(j), "import_clause"):
			name, im.Name = j, "default"
		}
		if found = found || name != 0; name == 0 || im.Path == "" || o.missing(name) {
			continue
		}
		im.Local = o.str(name)
		o.modules[o.names.id(o.text(name))] = im.Name == ""
		o.file.Imports = append(o.file.Imports, im)
		j = o.skip(j) - 1
	}
	if !found && module != "" {
		o.file.Imports = append(o.file.Imports, Import{Local: "_", Path: module, At: o.span(i)})
	}
	return o.skip(i)
}

// quoted returns what stands in the string at node i; "" for none.
func (o *outline) quoted(i uint32) string {
	if i == 0 || o.nodes[i].End-o.nodes[i].Start < 3 {
		return ""
	}
	s := o.span(i)
	if q := o.src[s.Start]; (q != '"' && q != '\'' && q != '`') || o.src[s.End-1] != q {
		return ""
	}
	return o.names.intern(o.src[s.Start+1 : s.End-1])
}

// ecmaExport reads export { a as b } from "m", export * from "m" as imports that
// are passed on, and export default x as a binding of the name default.
func ecmaExport(o *outline, i uint32, n *node) uint32 {
	if from := o.quoted(o.part(i, n.value)); from != "" {
		o.reExport(i, from)
		return o.skip(i)
	}
	for j := i + 1; j < o.nodes[i].Next; j++ {
		if o.isA(j, "export_clause") {
			continue
		}
		if !o.isA(j, "export_specifier") {
			break
		}
		s := o.shape(j)
		if name, alias := o.part(j, s.name), o.part(j, s.object); name != 0 && alias != 0 {
			o.file.Bindings = append(o.file.Bindings, Binding{Name: o.str(alias), At: o.nodes[j].Start, Value: o.str(name)})
			o.mark(alias, declaredFlag)
		}
		j = o.skip(j) - 1
	}
	if isDefault(o.text(i)) {
		o.exportDefault(i)
	}
	return i + 1
}

func isDefault(text []byte) bool {
	rest, ok := bytes.CutPrefix(text, []byte("export"))
	return ok && bytes.HasPrefix(bytes.TrimLeft(rest, " \t\r\n"), []byte("default"))
}

func (o *outline) reExport(i uint32, from string) {
	found := false
	for j := i + 1; j < o.nodes[i].Next; j++ {
		im := Import{Path: from, At: o.span(j)}
		name := uint32(0)
		switch {
		case o.isA(j, "export_specifier"):
			s := o.shape(j)
			if name = o.part(j, s.name); name != 0 {
				im.Name = o.str(name)
				o.ref(name, ImportUse, from)
			}
			if alias := o.part(j, s.object); alias != 0 {
				name = alias
			}
		case o.isA(j, "namespace_export"):
			name = o.code(j)
		}
		if found = found || name != 0; name == 0 || o.missing(name) {
			continue
		}
		im.Local = o.str(name)
		o.file.Imports = append(o.file.Imports, im)
		j = o.skip(j) - 1
	}
	if !found && bytes.IndexByte(o.text(i), '*') >= 0 {
		o.file.Imports = append(o.file.Imports, Import{Local: "*", Path: from, At: o.span(i)})
	}
}

// exportDefault binds default to what a module exports under no name. A class or
// function without a name is called default itself.
func (o *outline) exportDefault(i uint32) {
	d := o.last(i)
	if d == 0 {
		return
	}
	n := o.shape(d)
	if name := o.part(d, n.name); name != 0 && (n.is == typeDecl || n.is == function) {
		o.file.Bindings = append(o.file.Bindings, Binding{Name: "default", At: o.nodes[i].Start, Value: o.nameOf(name)})
		return
	}
	keyword := Span{}
	if at := bytes.Index(o.text(i), []byte("default")); at >= 0 {
		keyword.Start = o.nodes[i].Start + uint32(at)
		keyword.End = keyword.Start + uint32(len("default"))
	}
	switch {
	case o.isA(d, "class"):
		t := Object{Name: "default", Kind: Type, Ident: keyword, Parent: o.top().object}
		o.spans(d, i, o.part(d, n.body), 0, &t)
		t.Bases = o.basesOf(d, nil, 0)
		o.lambdas[d] = o.add(o.here(), Descriptor{Name: "default", Suffix: TypeSuffix}, t)
	case n.is == lambda:
		f := Object{Name: "default", Kind: Function, Ident: keyword, Parent: o.top().object, Type: o.resultType(d, n)}
		o.spans(d, i, o.part(d, n.body), 0, &f)
		o.lambdas[d] = o.add(o.here(), Descriptor{Name: "default", Suffix: MethodSuffix}, f)
	case o.isA(d, "object"):
		v := Object{Name: "default", Kind: Variable, Ident: keyword, Parent: o.top().object}
		o.spans(i, i, 0, d, &v)
		o.lambdas[d] = o.add(o.here(), Descriptor{Name: "default", Suffix: TermSuffix}, v)
	default:
		if v := o.value(d); v != (value{}) {
			o.file.Bindings = append(o.file.Bindings, Binding{Name: "default", At: o.nodes[i].Start, Type: v.typ, Value: v.path})
		}
	}
}

// ecmaImportAlias reads import A = B.C.
func ecmaImportAlias(o *outline, i uint32, _ *node) uint32 {
	if name := o.code(i); name != 0 && o.shape(name).is == ident {
		target := o.next(i, name)
		o.mark(name, declaredFlag)
		if target != 0 {
			o.file.Bindings = append(o.file.Bindings, Binding{Name: o.str(name), Object: o.top().object, At: o.nodes[i].End, Value: o.pathOf(target)})
		}
	}
	return i + 1
}

// ecmaVariable reads const x = require("m") as an import and everything else as
// a variable.
func ecmaVariable(o *outline, i uint32, n *node) uint32 {
	name, right := o.part(i, n.name), o.part(i, n.value)
	if module, member := o.required(right); module != "" && name != 0 && o.top().object == 0 {
		o.requireInto(name, module, member)
		return o.skip(i)
	}
	if right != 0 && o.isA(right, "class") && name != 0 && !o.missing(name) && !o.top().inside {
		o.mark(name, declaredFlag)
		t := Object{Name: o.str(name), Kind: Type, Ident: o.span(name), Parent: o.top().object}
		o.spans(right, o.outer(i), o.part(right, o.shape(right).body), 0, &t)
		t.Bases = o.basesOf(right, nil, 0)
		o.lambdas[right] = o.add(o.here(), Descriptor{Name: t.Name, Suffix: TypeSuffix}, t)
		return i + 1
	}
	o.declareVariable(i, n)
	return i + 1
}

// required returns the module in require("m") and the member in
// require("m").x.
func (o *outline) required(e uint32) (module, member string) {
	if e == 0 {
		return "", ""
	}
	n := o.shape(e)
	if n.is == access {
		if name := o.part(e, n.name); name != 0 {
			module, _ = o.required(o.part(e, n.object))
			return module, o.str(name)
		}
	}
	if n.is != calling {
		return "", ""
	}
	callee := o.part(e, n.name)
	if callee == 0 || string(o.text(callee)) != "require" {
		return "", ""
	}
	args := o.next(e, callee)
	if args == 0 {
		return "", ""
	}
	return o.quoted(o.code(args)), ""
}

func (o *outline) requireInto(name uint32, module, member string) {
	if o.shape(name).is == ident {
		im := Import{Local: o.str(name), Path: module, Name: member, At: o.span(name)}
		o.modules[o.names.id(o.text(name))] = member == ""
		o.file.Imports = append(o.file.Imports, im)
		return
	}
	o.taking = module
	defer func() { o.taking = "" }()
	o.eachName(name, "m", func(name uint32, path string, _ int) {
		if path = strings.TrimPrefix(path, "m."); path != "" && !strings.Contains(path, ".") {
			o.file.Imports = append(o.file.Imports, Import{Local: o.str(name), Path: module, Name: path, At: o.span(name)})
		}
	})
}

// ecmaCall leaves import("m") and require("m") to be read as imports of nothing
// by name.
func ecmaCall(o *outline, i uint32, n *node) uint32 {
	callee := o.part(i, n.name)
	if callee != 0 && (string(o.text(callee)) == "require" || string(o.text(callee)) == "import") {
		if args := o.next(i, callee); args != 0 {
			if module := o.quoted(o.code(args)); module != "" {
				o.file.Imports = append(o.file.Imports, Import{Local: "_", Path: module, At: o.span(i)})
			}
		}
	}
	o.markCallee(i, n)
	return i + 1
}

// ecmaNew marks the class as called, and in new this.x() the member.
func ecmaNew(o *outline, i uint32, n *node) uint32 {
	o.markCreated(o.part(i, n.typ), 0)
	return i + 1
}

// Names.

// ecmaProperty is a name behind a dot, a key, or a member of an enumeration.
func ecmaProperty(o *outline, i uint32, n *node) uint32 {
	switch {
	case o.marked(i, memberFlag) && o.isA(o.code(o.parent(i)), "import"): // import.meta
	case o.marked(i, memberFlag):
		o.use(i, n)
	case o.isA(o.parent(i), "binary_expression") && o.code(o.parent(i)) == i: // #x in y
		o.ref(i, Read, o.pathOf(o.last(o.parent(i))))
	case o.isA(o.parent(i), "enum_body") && !o.top().inside:
		o.addEnumMember(i, i)
	}
	return o.skip(i)
}

// jsxElement marks the component of <Row/> as called; <p> names none.
func jsxElement(o *outline, i uint32, n *node) uint32 {
	name := o.part(i, n.name)
	if name == 0 {
		return i + 1
	}
	if c := o.src[o.nodes[name].Start]; 'a' <= c && c <= 'z' && o.shape(name).is == ident {
		o.mark(name, declaredFlag)
	}
	o.markCalled(name)
	return i + 1
}

func jsxAttribute(o *outline, i uint32, _ *node) uint32 {
	if name := o.code(i); name != 0 && o.shape(name).is == ident {
		o.mark(name, declaredFlag)
	}
	return i + 1
}

func ecmaDecorator(o *outline, i uint32, _ *node) uint32 {
	o.noteAttribute(i)
	if e := o.code(i); e != 0 {
		o.markCalled(e)
	}
	return i + 1
}

func ecmaCast(o *outline, i uint32, _ *node) uint32 {
	if t := o.last(i); t != o.code(i) { // not of as const
		o.markType(t)
	}
	return i + 1
}

// instanceOf marks what stands behind x instanceof, which is a type.
func instanceOf(o *outline, i uint32, _ *node) uint32 {
	left, right := o.code(i), o.last(i)
	if left == 0 || left == right {
		return i + 1
	}
	if string(bytes.TrimSpace(o.slice(o.between(o.nodes[left].End, o.nodes[right].Start)))) == "instanceof" {
		if n := o.shape(right); n.is == access {
			right = o.part(right, n.name)
		}
		if right != 0 {
			o.mark(right, typeFlag)
		}
	}
	return i + 1
}

func ecmaCatch(o *outline, i uint32, n *node) uint32 {
	o.enter(i)
	if name := o.part(i, n.name); name != 0 && !o.missing(name) {
		o.bindLocal(name, o.nodes[name].End, value{})
	}
	return i + 1
}

// ecmaLoop reads for (const x of xs), and for (x.y in xs) as a use.
func ecmaLoop(o *outline, i uint32, n *node) uint32 {
	left := o.part(i, n.name)
	if left == 0 || o.shape(left).is != ident && o.shape(left).is != pattern {
		o.enter(i)
		return i + 1
	}
	right := o.part(i, n.value)
	if right != 0 && bytes.Contains(o.slice(o.between(o.nodes[left].End, o.nodes[right].Start)), []byte("in")) { // keys
		o.enter(i)
		o.bindLocal(left, o.nodes[right].End, value{})
		return i + 1
	}
	o.loop(i, n)
	return i + 1
}

// Declarations.

// ecmaClass opens a class without a name, which may be a variable's value or the
// default export.
func ecmaClass(o *outline, i uint32, _ *node) uint32 {
	object := o.lambdas[i]
	if object != 0 {
		o.openMembers(i, object)
		return i + 1
	}
	f := o.enter(i)
	f.inside = true
	return i + 1
}

// ecmaMethod reads a method of a class, or of an object: that of a variable's
// value is a member of the variable.
func ecmaMethod(o *outline, i uint32, n *node) uint32 {
	name := o.part(i, n.name)
	if name != 0 && o.shape(name).is != plain || name != 0 && o.first(name) != 0 { // computed, or a string
		if name != 0 && o.quoted(name) == "" {
			o.enterBody(i, 0)
			return i + 1
		}
	}
	if name == 0 || o.top().inside {
		o.enterBody(i, 0)
		return i + 1
	}
	if o.quoted(name) != "" {
		return o.quotedMethod(i, name, n)
	}
	return o.declareFunction(i, n)
}

// quotedMethod declares a method whose name is a string.
func (o *outline) quotedMethod(i, name uint32, n *node) uint32 {
	f := Object{Name: o.quoted(name), Kind: Method, Ident: Span{o.nodes[name].Start + 1, o.nodes[name].End - 1},
		Parent: o.top().object, Type: o.resultType(i, n)}
	o.spans(i, o.outer(i), o.part(i, n.body), 0, &f)
	o.enterBody(i, o.add(o.here(), Descriptor{Name: f.Name, Suffix: MethodSuffix}, f))
	return i + 1
}

// ecmaFunctionExpression opens a function that may have a name of its own, which
// only it can use.
func ecmaFunctionExpression(o *outline, i uint32, n *node) uint32 {
	o.enterLambda(i, n)
	if name := o.part(i, n.name); name != 0 {
		o.declare(name, 0)
	}
	return i + 1
}

// ecmaField reads a property of a class or an interface.
func ecmaField(o *outline, i uint32, n *node) uint32 {
	name := o.part(i, n.name)
	if name == 0 || o.top().inside || o.first(name) != 0 && o.quoted(name) == "" || o.quoted(name) != "" {
		if right := o.part(i, n.value); right != 0 && o.shape(right).is != lambda {
			f := o.enter(i)
			f.inside = true
		}
		return i + 1
	}
	o.declareVariable(i, n)
	return i + 1
}

// ecmaParameter reads a parameter; one with a modifier declares a field too.
func ecmaParameter(o *outline, i uint32, n *node) uint32 {
	name := o.part(i, n.name)
	if name == 0 {
		return i + 1
	}
	before := o.slice(o.between(o.nodes[i].Start, o.nodes[name].Start))
	o.parameter(i, n)
	class := o.top().class
	if class == 0 || o.shape(name).is != ident {
		return i + 1
	}
	for _, w := range []string{"public", "private", "protected", "readonly"} {
		if bytes.Contains(before, []byte(w)) {
			o.promote(i, name, class, n)
			break
		}
	}
	return i + 1
}

// promote adds the field that a constructor's parameter declares.
func (o *outline) promote(i, name uint32, class int, n *node) {
	field := Object{Name: o.nameOf(name), Kind: Field, Ident: o.nameSpan(name), Parent: class, Type: o.typ(o.part(i, n.typ))}
	if field.Type == "" {
		v := o.value(o.part(i, n.value))
		field.Type, field.Value = v.typ, v.path
	}
	if !o.file.Objects[class].Span.Contains(o.nodes[i].Start) {
		return
	}
	o.spans(i, i, 0, 0, &field)
	object := o.add(o.prefix(class), Descriptor{Name: field.Name, Suffix: TermSuffix}, field)
	o.members[o.file.Objects[object].Descriptors] = object
}

// ecmaObjectType opens a type written in braces: its members are those of the
// alias that it is, and nobody's elsewhere.
func ecmaObjectType(o *outline, i uint32, _ *node) uint32 {
	f := o.enter(i)
	if o.shape(o.parent(i)).is != typeDecl {
		f.inside = true
	}
	return i + 1
}

// ecmaMapped declares K in { [K in Keys]: T<K> } for the signature around it.
func ecmaMapped(o *outline, i uint32, n *node) uint32 {
	if name := o.part(i, n.name); name != 0 {
		o.declare(name, 0)
	}
	return i + 1
}

func ecmaInfer(o *outline, i uint32, _ *node) uint32 {
	if name := o.code(i); name != 0 {
		o.declare(name, 0)
	}
	return i + 1
}

func ecmaPredicate(o *outline, i uint32, _ *node) uint32 {
	o.stand(i, true)
	return i + 1
}

func ecmaIndexSignature(o *outline, i uint32, n *node) uint32 {
	o.enterBody(i, 0)
	if name := o.part(i, n.name); name != 0 {
		o.declare(name, 0)
	}
	return i + 1
}

// Assignments.

// ecmaAssign reads T.prototype.m = function, exports.f = function and
// module.exports = x as the declarations that they are.
func ecmaAssign(o *outline, i uint32, n *node) uint32 {
	left, right := o.part(i, n.name), o.part(i, n.value)
	if left == 0 || right == 0 || o.top().inside || o.shape(left).is != access {
		o.assign(i, n)
		return i + 1
	}
	path := o.pathOf(left)
	name := o.part(left, o.shape(left).name)
	head := strings.TrimSuffix(path[:max(0, strings.LastIndexByte(path, '.'))], ".prototype")
	isFunction := o.shape(right).is == lambda
	switch {
	case path == "module.exports":
		o.mark(name, declaredFlag)
		o.moduleExports(i, right)
	case name == 0 || head == "" || strings.ContainsAny(head, "([?"):
		o.assign(i, n)
	case head == "exports" || head == "module.exports":
		o.mark(name, declaredFlag)
		if owner := o.part(left, o.shape(left).object); o.shape(owner).is == access {
			o.mark(o.part(owner, o.shape(owner).name), declaredFlag)
		}
		if isFunction {
			o.lambdas[right] = o.addFunction(right, i, name, o.shape(right))
		} else if v := o.value(right); v.path != o.str(name) && v != (value{}) {
			o.file.Bindings = append(o.file.Bindings, Binding{Name: o.str(name), At: o.nodes[i].Start, Type: v.typ, Value: v.path})
		}
	case isFunction && o.top().object == 0:
		o.mark(name, declaredFlag)
		f := Object{Name: o.str(name), Kind: Method, Ident: o.span(name), Type: o.resultType(right, o.shape(right))}
		o.spans(right, o.outer(i), o.part(right, o.shape(right).body), 0, &f)
		owner := ""
		for _, t := range strings.Split(head, ".") {
			owner += Descriptor{Name: t, Suffix: TypeSuffix}.String()
		}
		o.lambdas[right] = o.add(owner, Descriptor{Name: f.Name, Suffix: MethodSuffix}, f)
	default:
		o.assign(i, n)
	}
	return i + 1
}

// moduleExports binds default to what a CommonJS module is.
func (o *outline) moduleExports(i, right uint32) {
	if v := o.value(right); v != (value{}) {
		o.file.Bindings = append(o.file.Bindings, Binding{Name: "default", At: o.nodes[i].Start, Type: v.typ, Value: v.path})
	}
}

// ecmaObject opens an object that is a variable's value: its functions are
// members of the variable, those of module.exports the module's. Those of any other
// object are local.
func ecmaObject(o *outline, i uint32, _ *node) uint32 {
	p := o.parent(i)
	object, ok := o.valueOf(p, i)
	f := o.enter(i)
	if ok {
		f.object, f.space = object, ""
		return i + 1
	}
	f.inside = true
	return i + 1
}

// valueOf returns the object of the variable that a declarator declares with
// node right as its value.
func (o *outline) valueOf(i, right uint32) (int, bool) {
	if o.isRoot(i) || o.top().inside {
		return 0, false
	}
	n := o.shape(i)
	switch {
	case o.lambdas[right] != 0: // export default
		return o.lambdas[right], true
	case o.isA(i, "assignment_expression"):
		return 0, o.top().object == 0 && o.part(i, n.value) == right && o.pathOf(o.part(i, n.name)) == "module.exports"
	case n.form == innerForm && !o.isRoot(o.parent(i)): // as const, satisfies T
		return o.valueOf(o.parent(i), i)
	}
	if n.is != variable || o.part(i, n.value) != right {
		return 0, false
	}
	name := o.part(i, n.name)
	if name == 0 || o.shape(name).is == pattern {
		return 0, false
	}
	d := Descriptor{Name: o.nameOf(name), Suffix: TermSuffix}
	o.buf = d.append(append(o.buf[:0], o.here()...))
	object, ok := o.members[string(o.buf)]
	return object, ok
}

// ecmaPair reads key: function as a member of the variable around it.
func ecmaPair(o *outline, i uint32, n *node) uint32 {
	name, right := o.part(i, n.name), o.part(i, n.value)
	if name == 0 || right == 0 || o.top().inside || !o.isA(name, "property_identifier") || o.shape(right).is != lambda {
		return i + 1
	}
	o.mark(name, declaredFlag)
	o.lambdas[right] = o.addFunction(right, i, name, o.shape(right))
	return i + 1
}
