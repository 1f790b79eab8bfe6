package facts

import (
	"bytes"
	"strings"

	"readahead/index/internal/treesitter"
)

// phpSpec reads PHP.
//
//	namespace Shop;                       the file's Name
//	class Cart extends Base { use Logs;   Cart#            Bases: Base, Logs
//	    private array $items;             Cart#items.
//	    function __construct(private $db) Cart#__construct()., Cart#db.
//	    const LIMIT = 1;                  Cart#LIMIT.
//	function total() {}                   total().
//
// The $ is no part of a variable's name: $this->items is items under the path
// this.
var phpSpec = tableSpec(&table{
	mend: mendPHP, grammar: treesitter.PHP, shapes: phpShapes, sigils: "$", constants: "const", fields: true,
	free: "method_declaration",
	keywords: `abstract array as break callable case catch class clone const continue declare default do echo else elseif empty
		enddeclare endfor endforeach endif endswitch endwhile extends final finally fn for foreach function global goto if
		implements include include_once instanceof insteadof interface isset list namespace new or print private protected
		public require require_once return static switch throw trait try unset use var while xor yield`,
	predeclared: `self parent this true false null int float string bool void mixed never object iterable count strlen isset
		array_map array_filter array_merge array_keys array_values in_array is_array is_string is_null implode explode
		sprintf define defined __DIR__ __FILE__ __CLASS__ Exception RuntimeException InvalidArgumentException`,
	tests: `#[Test @test`,
})

var phpShapes = map[string]shape{
	"comment":             {is: remark},
	"php_tag":             {is: silent},
	"text":                {is: silent},
	"string":              {is: silent, form: literalForm, says: "string"},
	"encapsed_string":     {form: literalForm, says: "string"},
	"heredoc":             {form: literalForm, says: "string"},
	"nowdoc":              {is: silent, form: literalForm, says: "string"},
	"integer":             {form: literalForm, says: "int"},
	"float":               {form: literalForm, says: "float"},
	"boolean":             {form: literalForm, says: "bool"},
	"primitive_type":      {is: typeExpr},
	"visibility_modifier": {is: silent},

	"name":                   {is: ident, form: nameForm},
	"variable_name":          {is: ident, form: nameForm, do: phpVariable},
	"qualified_name":         {form: textForm, do: phpQualified},
	"namespace_name":         {is: silent, form: textForm},
	"relative_scope":         {form: nameForm},
	"named_type":             {is: types},
	"optional_type":          {is: typeExpr},
	"union_type":             {is: typeExpr},
	"intersection_type":      {is: typeExpr},
	"base_clause":            {is: bases},
	"class_interface_clause": {is: bases},
	"type_list":              {is: types},

	"member_access_expression":          {is: access, form: accessForm, object: "object", name: "<name>"},
	"nullsafe_member_access_expression": {is: access, form: accessForm, object: "object", name: "<name>"},
	"class_constant_access_expression":  {is: access, form: accessForm, object: "^", name: "$", do: phpConstant},
	"scoped_property_access_expression": {is: access, form: accessForm, object: "scope", name: "name"},
	"member_call_expression":            {is: calling, form: callForm, object: "object", name: "<name>"},
	"nullsafe_member_call_expression":   {is: calling, form: callForm, object: "object", name: "<name>"},
	"scoped_call_expression":            {is: calling, form: callForm, object: "scope", name: "name"},
	"function_call_expression":          {is: calling, form: callForm, name: "function", do: phpCall},
	"object_creation_expression":        {is: create, form: createForm, typ: "<name> <qualified_name>"},
	"subscript_expression":              {form: indexForm, object: "^"},
	"parenthesized_expression":          {form: innerForm},
	"clone_expression":                  {form: innerForm},
	"property_initializer":              {form: innerForm},
	"conditional_expression":            {form: choiceForm, object: "condition"},
	"binary_expression":                 {form: choiceForm, do: instanceOf},
	"assignment_expression":             {is: assign, name: "left", value: "right", do: phpAssign},
	"reference_assignment_expression":   {is: assign, name: "left", value: "right", do: phpAssign},
	"augmented_assignment_expression":   {is: assign, name: "left"},
	"update_expression":                 {is: assign, name: "argument"},
	"list_literal":                      {is: pattern},
	"argument":                          {name: "name", do: namedArgument},
	"array_creation_expression":         {form: literalForm, says: "array"},

	"namespace_definition":       {is: space, name: "name", do: csharpNamespace},
	"namespace_use_declaration":  {do: phpUse},
	"namespace_use_clause":       {name: "<qualified_name> <name> <namespace_name>", value: "<namespace_aliasing_clause>"},
	"namespace_use_group_clause": {name: "<namespace_name>", value: "<namespace_aliasing_clause>"},
	"namespace_aliasing_clause":  {},
	"use_declaration":            {do: phpTraits},
	"use_list":                   {is: silent},
	"declare_statement":          {is: silent},
	"global_declaration":         {do: phpGlobal},

	"attribute_list": {is: attribute},
	"attribute":      {name: "^", do: csharpAttribute},

	"class_declaration":     {is: typeDecl, name: "name", body: "body"},
	"interface_declaration": {is: typeDecl, name: "name", body: "body"},
	"trait_declaration":     {is: typeDecl, name: "name", body: "body"},
	"enum_declaration":      {is: typeDecl, name: "name", body: "body"},
	"enum_case":             {is: enumMember, name: "name", do: phpEnumCase},
	"declaration_list":      {do: phpMembers},

	"function_definition":          {is: function, name: "name", typ: "return_type", body: "body", params: "parameters"},
	"method_declaration":           {is: function, name: "name", typ: "return_type", body: "body", params: "parameters"},
	"formal_parameters":            {is: parameters},
	"simple_parameter":             {is: parameter, name: "name", typ: "type", value: "default_value"},
	"variadic_parameter":           {is: parameter, name: "name", typ: "type"},
	"property_promotion_parameter": {is: parameter, name: "name", typ: "type", value: "default_value", do: phpPromotion},
	"const_declaration":            {is: wrapper},
	"const_element":                {is: variable, kind: Constant, name: "<name>", value: "$"},
	"property_declaration":         {is: wrapper, typ: "type"},
	"property_element":             {is: variable, name: "<variable_name>", value: "<property_initializer>"},

	"anonymous_function_creation_expression": {is: lambda, params: "parameters", body: "body"},
	"arrow_function":                         {is: lambda, params: "parameters", body: "body"},
	"expression_statement":                   {is: wrapper},
	"foreach_statement":                      {do: phpForeach},
	"pair":                                   {name: "$"},
	"by_ref":                                 {form: innerForm},
	"catch_clause":                           {name: "name", typ: "type", do: phpCatch},
	"static_variable_declaration":            {is: variable, name: "name", value: "value"},
}

// phpVariable reads $x. In a function every variable is its own.
func phpVariable(o *outline, i uint32, n *node) uint32 {
	if o.marked(i, memberFlag) || !o.top().inside {
		if string(o.text(i)) != "$this" {
			o.use(i, n)
		}
	}
	return o.skip(i)
}

// phpQualified reads Shop\Cart and \Shop\Cart as Cart under the path Shop.
func phpQualified(o *outline, i uint32, _ *node) uint32 {
	name := o.last(i)
	if name == 0 || o.missing(name) || o.shape(name).is != ident {
		return o.skip(i)
	}
	if o.shape(o.parent(i)).is == calling || o.shape(o.parent(i)).is == create || o.isA(o.parent(i), "attribute") {
		if p := o.parent(i); o.code(p) == i || o.shape(p).is == create {
			o.mark(i, callFlag)
		}
	}
	prefix := dotted(o.slice(o.between(o.nodes[i].Start, o.nodes[name].Start)))
	role := o.roleOf(name)
	switch {
	case o.marked(i, callFlag):
		role = Call
	case o.marked(i, typeFlag):
		role = TypeUse
	}
	if len(prefix) == 0 && o.known[string(o.text(name))] {
		return o.skip(i)
	}
	o.ref(name, role, o.names.intern(prefix))
	return o.skip(i)
}

// dotted is a path with dots for the separators that languages write.
func dotted(path []byte) []byte {
	path = bytes.ReplaceAll(path, []byte("::"), []byte("."))
	path = bytes.ReplaceAll(path, []byte(`\`), []byte("."))
	return bytes.Trim(path, ". \t\r\n")
}

// phpConstant reads A::X. In A::class there is no more than the type.
func phpConstant(o *outline, i uint32, n *node) uint32 {
	o.markMember(i, n)
	if name, class := o.part(i, n.name), o.part(i, n.object); name != 0 && string(o.text(name)) == "class" {
		o.mark(name, declaredFlag)
		if class != 0 {
			o.mark(class, typeFlag)
		}
	}
	return i + 1
}

// phpGlobal reads the variables of the file in global $a, $b.
func phpGlobal(o *outline, i uint32, _ *node) uint32 {
	for c := o.first(i); c != 0; c = o.next(i, c) {
		if s := o.nameSpan(c); o.isA(c, "variable_name") && s.Len() > 0 {
			o.refAt(s, Read, "")
		}
	}
	return o.skip(i)
}

// phpCall reads define('NAME', value) as the constant that it declares.
func phpCall(o *outline, i uint32, n *node) uint32 {
	o.markCallee(i, n)
	callee := o.part(i, n.name)
	if callee == 0 || string(o.text(callee)) != "define" || o.top().inside || o.next(i, callee) == 0 {
		return i + 1
	}
	first := o.code(o.next(i, callee))
	if first == 0 || o.code(first) == 0 || o.quoted(o.code(first)) == "" {
		return i + 1
	}
	s := o.span(o.code(first))
	c := Object{Kind: Constant, Ident: Span{s.Start + 1, s.End - 1}, Parent: o.top().object}
	if c.Name = o.names.intern(o.slice(c.Ident)); word(o.src, int(c.Ident.Start)) != int(c.Ident.End) {
		return i + 1
	}
	if right := o.next(o.next(i, callee), first); right != 0 && o.code(right) != 0 {
		v := o.value(o.code(right))
		c.Type, c.Value = v.typ, v.path
	}
	o.spans(i, o.outer(i), 0, 0, &c)
	o.add(o.here(), Descriptor{Name: c.Name, Suffix: TermSuffix}, c)
	return i + 1
}

func phpAssign(o *outline, i uint32, n *node) uint32 {
	left, right := o.part(i, n.name), o.part(i, n.value)
	if left != 0 && (o.shape(left).is == ident || o.shape(left).is == pattern) {
		o.assignNamed(i, left, right, Variable)
		return i + 1
	}
	o.assign(i, n)
	return i + 1
}

// phpUse reads use A\B as C, use A\{B, C as D}, use function and use const.
func phpUse(o *outline, i uint32, _ *node) uint32 {
	prefix := ""
	for j := i + 1; j < o.nodes[i].Next; j++ {
		switch {
		case o.isA(j, "namespace_name") && o.parent(j) == i:
			prefix = string(o.text(j)) + `\`
		case o.isA(j, "namespace_use_clause"), o.isA(j, "namespace_use_group_clause"):
			o.phpImport(j, prefix)
			j = o.skip(j) - 1
		}
	}
	return o.skip(i)
}

func (o *outline) phpImport(i uint32, prefix string) {
	n := o.shape(i)
	name := o.part(i, n.name)
	if name == 0 || o.missing(name) {
		return
	}
	path := strings.Trim(prefix+string(bytes.Join(bytes.Fields(o.text(name)), nil)), `\`)
	cut := strings.LastIndexByte(path, '\\')
	im := Import{Path: path[:max(cut, 0)], Name: path[cut+1:], At: o.span(i)}
	if im.Path == "" {
		im.Path = `\`
	}
	im.Local = im.Name
	if alias := o.part(i, n.value); alias != 0 && o.code(alias) != 0 {
		im.Local = o.str(o.code(alias))
	}
	if im.Name == "" || im.Local == "" {
		return
	}
	if at := (Span{o.nodes[name].End - uint32(len(im.Name)), o.nodes[name].End}); string(o.slice(at)) == im.Name {
		o.refAt(at, ImportUse, im.Path)
	}
	o.file.Imports = append(o.file.Imports, im)
}

// phpTraits adds the traits that a class uses to its bases.
func phpTraits(o *outline, i uint32, _ *node) uint32 {
	o.addBases(i)
	return i + 1
}

// phpEnumCase declares a case. A constant that mending wrote as one may have the value
// self::Name, which the grammar does not expect.
func phpEnumCase(o *outline, i uint32, n *node) uint32 {
	name := o.part(i, n.name)
	next := o.act(i, n)
	for j := i + 1; j < o.nodes[i].Next; j++ {
		if s := o.nodes[j].Start; j != name && o.isA(j, "name") && bytes.HasSuffix(o.src[:s], []byte("self::")) {
			o.mark(j, declaredFlag)
			o.ref(j, Read, "self")
		}
	}
	return next
}

// phpMembers opens the body of a class without a name.
func phpMembers(o *outline, i uint32, _ *node) uint32 {
	if o.isRoot(i) || o.shape(o.parent(i)).is != typeDecl {
		o.enter(i).inside = true
	}
	return i + 1
}

func phpPromotion(o *outline, i uint32, n *node) uint32 {
	o.parameter(i, n)
	if name, class := o.part(i, n.name), o.top().class; !o.nameless(name) && class != 0 {
		o.promote(i, name, class, n)
	}
	return i + 1
}

// phpForeach reads foreach ($xs as $k => $x).
func phpForeach(o *outline, i uint32, _ *node) uint32 {
	right := o.code(i)
	if right == 0 || !o.top().inside {
		return i + 1
	}
	target := o.next(i, right)
	for target != 0 && o.shape(target).is == remark {
		target = o.next(i, target)
	}
	if target == 0 {
		return i + 1
	}
	if n := o.shape(target); o.isA(target, "pair") {
		if key := o.code(target); key != 0 && o.shape(key).is == ident {
			o.bindLocal(key, o.nodes[right].End, value{})
		}
		target = o.part(target, n.name)
	}
	if o.isA(target, "by_ref") {
		target = o.code(target)
	}
	if target == 0 {
		return i + 1
	}
	v := o.value(right)
	if v.path != "" {
		v.path = o.names.intern([]byte(v.path + "[]"))
	}
	o.bindLocal(target, o.nodes[right].End, value{path: v.path})
	return i + 1
}

func phpCatch(o *outline, i uint32, n *node) uint32 {
	o.enter(i)
	if name := o.part(i, n.name); !o.nameless(name) {
		o.bindLocal(name, o.nodes[name].End, value{typ: o.typ(o.part(i, n.typ))})
	}
	return i + 1
}
