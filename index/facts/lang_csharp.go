package facts

import (
	"bytes"
	"strings"

	"readahead/index/internal/treesitter"
)

// csharpSpec reads C#.
//
//	namespace Shop.Carts;              the file's Name
//	class Cart : Base {                Cart#                  Bases: Base
//	    public int Count { get; }      Cart#Count.
//	    void Add(Item x, int n)        Cart#Add(`Item,int`).
//	record Line(Item Item);            Line#, Line#Item.
//
// The first namespace of a file is what its File.Name says; any other is in
// front of what is declared in it.
var csharpSpec = tableSpec(&table{
	mend: mendCSharp, grammar: treesitter.CSharp, shapes: csharpShapes, overloads: true, constants: "const",
	keywords: `abstract as base bool break byte case catch char checked class const continue decimal default delegate do double
		else enum event explicit extern false finally fixed float for foreach goto if implicit in int interface internal is
		lock long namespace new null object operator out override params private protected public readonly ref return sbyte
		sealed short sizeof stackalloc static string struct switch this throw true try typeof uint ulong unchecked unsafe
		ushort using virtual void volatile while`,
	predeclared: `allows notnull unmanaged scoped var dynamic nameof value await async yield get set init String Object Exception ArgumentException
		ArgumentNullException InvalidOperationException NotImplementedException Console Math Obsolete Serializable _`,
	tests:    `[Fact [Theory [Test [TestMethod [TestCase [TestClass [TestFixture`,
	elements: ` Select Where ForEach Any All First FirstOrDefault Single SingleOrDefault Count Sum OrderBy OrderByDescending GroupBy ToDictionary Max Min `,
})

var csharpShapes = map[string]shape{
	"comment":                        {is: remark},
	"string_literal":                 {is: silent, form: literalForm, says: "string"},
	"verbatim_string_literal":        {is: silent, form: literalForm, says: "string"},
	"raw_string_literal":             {is: silent, form: literalForm, says: "string"},
	"interpolated_string_expression": {form: literalForm, says: "string"},
	"character_literal":              {is: silent, form: literalForm, says: "char"},
	"integer_literal":                {form: literalForm, says: "int"},
	"real_literal":                   {form: literalForm, says: "double"},
	"boolean_literal":                {form: literalForm, says: "bool"},
	"modifier":                       {is: silent},
	"preproc_region":                 {is: silent},
	"preproc_endregion":              {is: silent},
	"preproc_pragma":                 {is: silent},
	"preproc_define":                 {is: silent},
	"preproc_nullable":               {is: silent},

	"identifier":                        {is: ident, form: nameForm},
	"implicit_parameter":                {is: ident, form: nameForm},
	`"this"`:                            {form: selfForm, says: "this"},
	`"base"`:                            {form: selfForm, says: "base"},
	"predefined_type":                   {is: typeExpr},
	"nullable_type":                     {is: typeExpr, name: "type"},
	"array_type":                        {is: typeExpr, name: "type"},
	"generic_name":                      {is: typeExpr, form: innerForm, name: "<identifier>"},
	"type_argument_list":                {is: types},
	"qualified_name":                    {is: access, form: accessForm, object: "qualifier", name: "name"},
	"alias_qualified_name":              {is: access, form: accessForm, object: "alias", name: "name"},
	"base_list":                         {is: bases},
	"primary_constructor_base_type":     {is: typeExpr, name: "type"},
	"explicit_interface_specifier":      {is: types},
	"type_parameter":                    {is: typeParameter, name: "name"},
	"type_parameter_constraints_clause": {is: types},

	"member_access_expression":             {is: access, form: accessForm, object: "expression", name: "name"},
	"conditional_access_expression":        {is: access, form: accessForm, object: "condition", name: "<member_binding_expression> <invocation_expression>"},
	"member_binding_expression":            {is: typeExpr, form: innerForm, name: "name"},
	"element_access_expression":            {form: indexForm, object: "expression"},
	"invocation_expression":                {is: calling, form: callForm, name: "function"},
	"object_creation_expression":           {is: create, form: createForm, typ: "type"},
	"array_creation_expression":            {form: castForm, typ: "type"},
	"cast_expression":                      {form: castForm, typ: "type", do: csharpCast},
	"as_expression":                        {form: castForm, typ: "right", do: csharpCast},
	"parenthesized_expression":             {form: innerForm},
	"await_expression":                     {form: innerForm},
	"conditional_expression":               {form: choiceForm, object: "condition"},
	"assignment_expression":                {is: assign, name: "left", value: "right", do: csharpAssign},
	"initializer_expression":               {},
	"postfix_unary_expression":             {do: markUpdate},
	"argument_list":                        {is: values},
	"is_expression":                        {typ: "right", do: csharpCast},
	"with_expression":                      {},
	"with_initializer":                     {name: "<identifier>", do: csharpWith},
	"typeof_expression":                    {is: types},
	"default_expression":                   {is: types},
	"sizeof_expression":                    {is: types},
	"argument":                             {name: "name", do: namedArgument},
	"tuple_expression":                     {},
	"anonymous_object_creation_expression": {do: csharpAnonymous},

	"using_directive":                   {name: "name", do: csharpUsing},
	"namespace_declaration":             {is: space, name: "name", do: csharpNamespace},
	"file_scoped_namespace_declaration": {is: space, name: "name", do: csharpNamespace},

	"attribute_list": {is: attribute},
	"attribute":      {name: "name", do: csharpAttribute},

	"class_declaration":       {is: typeDecl, name: "name", body: "body"},
	"struct_declaration":      {is: typeDecl, name: "name", body: "body"},
	"interface_declaration":   {is: typeDecl, name: "name", body: "body"},
	"record_declaration":      {is: typeDecl, name: "name", body: "body"},
	"enum_declaration":        {is: typeDecl, name: "name", body: "body"},
	"delegate_declaration":    {is: typeDecl, name: "name", do: csharpDelegate},
	"enum_member_declaration": {is: enumMember, name: "name"},

	"method_declaration":              {is: function, name: "name", typ: "returns", body: "body", params: "parameters"},
	"constructor_declaration":         {is: function, name: "name", body: "body", params: "parameters", do: csharpConstructor},
	"local_function_statement":        {is: function, name: "name", typ: "type", body: "body", params: "parameters"},
	"destructor_declaration":          {is: lambda, name: "name", do: csharpDestructor},
	"operator_declaration":            {is: lambda, typ: "type"},
	"conversion_operator_declaration": {is: lambda, typ: "type"},
	"indexer_declaration":             {is: lambda, typ: "type"},
	"accessor_declaration":            {is: lambda},
	"arrow_expression_clause":         {is: lambda},
	"property_declaration":            {name: "name", typ: "type", body: "accessors value", do: csharpProperty},
	"event_declaration":               {name: "name", typ: "type", body: "accessors", do: csharpProperty},
	"parameter_list":                  {is: parameters, name: "name", typ: "type", do: csharpParameters},
	"scoped_type":                     {is: typeExpr, name: "type"},
	"ref_type":                        {is: typeExpr, name: "type"},
	"bracketed_parameter_list":        {is: parameters},
	"parameter":                       {is: parameter, name: "name", typ: "type"},

	"field_declaration":           {is: wrapper},
	"event_field_declaration":     {is: wrapper},
	"local_declaration_statement": {is: wrapper},
	"variable_declaration":        {is: wrapper, typ: "type"},
	"variable_declarator":         {is: variable, name: "name <tuple_pattern>", value: "$"},
	"tuple_pattern":               {is: pattern},

	"lambda_expression":           {is: lambda, params: "parameters", body: "body"},
	"anonymous_method_expression": {is: lambda},
	"block":                       {is: scope},
	"for_statement":               {is: scope},
	"using_statement":             {is: scope},
	"catch_clause":                {is: scope},
	"switch_section":              {is: scope},
	"switch_expression_arm":       {is: scope},
	"foreach_statement":           {is: loop, name: "left", typ: "type", value: "right"},
	"catch_declaration":           {is: binding, name: "name", typ: "type"},
	"declaration_expression":      {is: binding, name: "name", typ: "type"},
	"declaration_pattern":         {is: binding, name: "name", typ: "type"},
	"recursive_pattern":           {is: binding, name: "name", typ: "type"},
	"var_pattern":                 {is: binding, name: "name"},
	"subpattern":                  {do: csharpSubpattern},
	"query_expression":            {is: scope},
	"from_clause":                 {name: "name", value: "$", do: csharpFrom},
	"join_clause":                 {name: "<identifier>", do: csharpRange},
	"join_into_clause":            {name: "<identifier>", do: csharpRange},
	"let_clause":                  {name: "<identifier>", value: "$", do: csharpLet},
	"labeled_statement":           {do: javaLabel},
	"goto_statement":              {is: silent},
}

// csharpUsing reads using N as all of N, using static T as all of T's members,
// and using A = N.T.
func csharpUsing(o *outline, i uint32, n *node) uint32 {
	target, alias := o.last(i), o.part(i, n.name)
	if target == 0 || o.missing(target) {
		return o.skip(i)
	}
	path := string(bytes.Join(bytes.Fields(o.text(target)), nil))
	if strings.ContainsAny(path, "(<[*") { // using Point = (int X, int Y), which imports nothing
		return o.skip(i)
	}
	im := Import{Local: "*", Path: strings.TrimPrefix(path, "global::"), At: o.span(i)}
	if alias != 0 && alias != target {
		im.Local = o.str(alias)
		if dot := strings.LastIndexByte(im.Path, '.'); dot > 0 {
			im.Path, im.Name = im.Path[:dot], im.Path[dot+1:]
		}
	}
	o.file.Imports = append(o.file.Imports, im)
	return o.skip(i)
}

func csharpNamespace(o *outline, i uint32, n *node) uint32 {
	name := o.part(i, n.name)
	if o.nameless(name) {
		return i + 1
	}
	text := string(bytes.Join(bytes.Fields(o.text(name)), nil))
	if o.file.Name == "" && o.top().space == "" {
		o.file.Name = text
	} else if o.file.Name != text || o.top().space != "" {
		o.enterSpace(i, name)
		return i + 1
	}
	for j := name; j < o.nodes[name].Next; j++ {
		o.mark(j, declaredFlag)
	}
	return i + 1
}

func csharpAttribute(o *outline, i uint32, n *node) uint32 {
	if name := o.part(i, n.name); name != 0 {
		o.markCalled(name)
	}
	return i + 1
}

func csharpCast(o *outline, i uint32, n *node) uint32 {
	o.markType(o.part(i, n.typ))
	return i + 1
}

// csharpConstructor opens a constructor. What looks like one and is called extension
// has members of the class around it.
func csharpConstructor(o *outline, i uint32, n *node) uint32 {
	if name := o.part(i, n.name); name != 0 && string(o.text(name)) == "extension" {
		o.mark(name, declaredFlag)
		o.enter(i)
		return i + 1
	}
	return o.declareFunction(i, n)
}

// csharpDelegate reads a delegate, which is a type with parameters.
func csharpDelegate(o *outline, i uint32, n *node) uint32 {
	o.declareType(i, n)
	o.top().inside = true
	return i + 1
}

// csharpProperty opens a property, which has code of its own.
func csharpProperty(o *outline, i uint32, n *node) uint32 {
	name := o.part(i, n.name)
	o.markType(o.part(i, n.typ))
	if o.nameless(name) || o.top().inside {
		return i + 1
	}
	o.mark(name, declaredFlag)
	p := Object{Name: o.str(name), Kind: Field, Ident: o.span(name), Parent: o.top().object, Type: o.typ(o.part(i, n.typ))}
	o.spans(i, i, o.part(i, n.body), 0, &p)
	object := o.add(o.here(), Descriptor{Name: p.Name, Suffix: TermSuffix}, p)
	o.members[o.file.Objects[object].Descriptors] = object
	o.enterObject(i, object)
	return i + 1
}

// csharpAssign reads an assignment; in new T { A = 1 } it is to a member of T.
func csharpAssign(o *outline, i uint32, n *node) uint32 {
	left, list := o.part(i, n.name), o.parent(i)
	switch {
	case left != 0 && o.isA(left, "tuple_expression"):
		for c := o.first(left); c != 0; c = o.next(left, c) {
			if e := o.code(c); e != 0 {
				o.markWritten(e, 0)
			}
		}
		return i + 1
	case left != 0 && !o.isRoot(i) && o.isA(list, "attribute_argument") && !o.missing(left):
		attribute := o.parent(o.parent(list))
		o.ref(left, Write, o.pathOf(o.part(attribute, o.shape(attribute).name)))
		o.mark(left, declaredFlag)
		return i + 1
	}
	if left == 0 || o.shape(left).is != ident || o.isRoot(i) || !o.isA(list, "initializer_expression") || o.isRoot(list) {
		o.assign(i, n)
		return i + 1
	}
	path := unknownPath
	if literal := o.parent(list); o.shape(literal).is == create {
		path = o.pathOf(o.part(literal, o.shape(literal).typ))
	}
	if !o.missing(left) {
		o.ref(left, Write, path)
		o.mark(left, declaredFlag)
	}
	return i + 1
}

// csharpSubpattern reads the member in T { Name: pattern }.
func csharpSubpattern(o *outline, i uint32, _ *node) uint32 {
	name := o.code(i)
	if name == 0 || o.shape(name).is != ident || o.missing(name) || o.next(i, name) == 0 {
		return i + 1
	}
	o.mark(name, declaredFlag)
	path := unknownPath
	for p, depth := i, 0; depth < 2 && !o.isRoot(p); depth++ {
		p = o.parent(p)
		if typ := o.part(p, o.shape(p).typ); o.isA(p, "recursive_pattern") && typ != 0 {
			path = o.pathOf(typ)
		}
	}
	o.ref(name, Read, path)
	return i + 1
}

// csharpWith writes to the member in x with { Name = 1 }.
func csharpWith(o *outline, i uint32, n *node) uint32 {
	name := o.part(i, n.name)
	if name == 0 || o.missing(name) || o.isRoot(i) {
		return i + 1
	}
	o.mark(name, declaredFlag)
	o.ref(name, Write, o.pathOf(o.code(o.parent(i))))
	return i + 1
}

// csharpParameters declares parameters; the grammar has those behind params in the list
// itself.
func csharpParameters(o *outline, i uint32, n *node) uint32 {
	if name, typ := o.part(i, n.name), o.part(i, n.typ); name != 0 && typ != 0 && !o.nameless(name) {
		o.markType(typ)
		if recordParameters(o, i, n); o.top().inside {
			o.scopeParameter(name, typ)
		}
		return i + 1
	}
	return recordParameters(o, i, n)
}

// scopeParameter gives the parameter that was declared last by a bare name its type.
func (o *outline) scopeParameter(name, typ uint32) {
	at := o.nodes[name].End
	for k := len(o.file.Bindings) - 1; k >= 0; k-- {
		if b := &o.file.Bindings[k]; b.At == at && b.Name == o.nameOf(name) {
			b.Type = o.typ(typ)
			return
		}
	}
}

// csharpDestructor opens ~T(), which says no more of T than where it is.
func csharpDestructor(o *outline, i uint32, n *node) uint32 {
	if name := o.part(i, n.name); name != 0 {
		o.mark(name, declaredFlag)
	}
	o.enterLambda(i, n)
	return i + 1
}

// csharpAnonymous leaves the names of members out that new { Name = x } declares.
func csharpAnonymous(o *outline, i uint32, _ *node) uint32 {
	for c := o.first(i); c != 0; c = o.next(i, c) {
		if next := skipSpaces(o.src, int(o.nodes[c].End)); o.shape(c).is == ident && next < len(o.src) && o.src[next] == '=' {
			o.mark(c, declaredFlag)
		}
	}
	return i + 1
}

// csharpRange declares x in join x in xs and into x.
func csharpRange(o *outline, i uint32, n *node) uint32 {
	if name := o.part(i, n.name); !o.nameless(name) {
		o.bindLocal(name, o.nodes[name].Start, value{})
	}
	return i + 1
}

// csharpLet reads let x = y.
func csharpLet(o *outline, i uint32, n *node) uint32 {
	if name := o.part(i, n.name); !o.nameless(name) {
		o.bindLocal(name, o.nodes[i].End, o.value(o.part(i, n.value)))
	}
	return i + 1
}

// csharpFrom reads from x in xs.
func csharpFrom(o *outline, i uint32, n *node) uint32 {
	name, right := o.part(i, n.name), o.part(i, n.value)
	if o.nameless(name) || right == 0 || right == name {
		return i + 1
	}
	v := o.value(right)
	if v.path != "" {
		v = value{path: v.path + "[]"}
	}
	o.bindLocal(name, o.nodes[i].End, v)
	return i + 1
}
