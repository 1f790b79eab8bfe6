package facts

import (
	"bytes"
	"strings"

	"readahead/index/internal/treesitter"
)

// cSpec and cppSpec read C and C++.
//
//	struct cart { int n; };          cart#, cart#n.
//	typedef struct { int x; } pt;    pt#, pt#x.
//	int parse(void);                 parse().
//	static int helper(void) {}       `a.c`/helper().        known in the file alone
//	#define LIMIT 100                LIMIT!
//	namespace shop { class Cart      shop/Cart#
//	  { void Add(Item it); }; }      shop/Cart#Add(Item).
//	void shop::Cart::Add(Item it)    shop/Cart#Add(Item).   its class is elsewhere
//
// What #if leaves out is read like the rest: which branch is compiled nobody
// says. An include brings in every name, so it is imported as *.
var (
	cSpec = tableSpec(&table{
		mend: mendC, macros: true, grammar: treesitter.C, shapes: cShapes, keywords: cKeywords, predeclared: cWords, constants: "#define",
	})
	cppSpec = tableSpec(&table{
		mend: mendC, macros: true, grammar: treesitter.Cpp, shapes: merge(cShapes, cppShapes), overloads: true, casts: true,
		keywords: cKeywords + cppKeywords, predeclared: cWords + cppWords, constants: "constexpr",
	})
)

const (
	cKeywords = `auto break case char const continue default do double else enum extern float for goto if inline int long
		register return short signed sizeof static struct switch typedef union unsigned void volatile while`
	cWords = `NULL true false bool size_t ssize_t int8_t int16_t int32_t int64_t uint8_t uint16_t uint32_t uint64_t
		intptr_t uintptr_t va_list va_start va_end va_arg assert defined static_assert _Static_assert typeof __typeof__
		alignof alignas _Alignof _Alignas _Atomic _BitInt _Bool _Generic _Noreturn _Thread_local
		__attribute__ __has_include __has_attribute __has_builtin __cplusplus`
	cppKeywords = ` catch class co_await co_return co_yield concept constexpr delete explicit export friend mutable namespace
		new noexcept operator private protected public requires template this throw try typename using virtual`
	cppWords = ` nullptr std final override decltype static_cast dynamic_cast const_cast reinterpret_cast`
)

var cShapes = map[string]shape{
	"comment":               {is: remark},
	"string_literal":        {is: silent, form: literalForm, says: "char"},
	"concatenated_string":   {form: literalForm, says: "char"},
	"char_literal":          {is: silent, form: literalForm, says: "char"},
	"number_literal":        {form: literalForm, says: "int"},
	"true":                  {form: literalForm, says: "bool"},
	"false":                 {form: literalForm, says: "bool"},
	"system_lib_string":     {is: silent},
	"identifier":            {is: ident, form: nameForm},
	"type_identifier":       {is: typeIdent, form: nameForm},
	"field_identifier":      {is: memberIdent},
	"statement_identifier":  {is: silent},
	"attribute_specifier":   {is: attribute, do: cAttribute},
	"attribute":             {is: silent},
	"attribute_declaration": {is: attribute},
	"type_descriptor":       {is: typeExpr, name: "type"},
	"primitive_type":        {is: typeExpr},
	"sized_type_specifier":  {is: typeExpr},
	"preproc_arg":           {is: silent},

	"field_expression":            {is: access, form: accessForm, object: "argument", name: "field"},
	"call_expression":             {is: calling, form: callForm, name: "function"},
	"subscript_expression":        {form: indexForm, object: "argument"},
	"pointer_expression":          {form: innerForm, value: "argument"},
	"parenthesized_expression":    {form: innerForm},
	"cast_expression":             {form: castForm, typ: "type"},
	"compound_literal_expression": {form: castForm, typ: "type"},
	"conditional_expression":      {form: choiceForm, object: "condition"},
	"assignment_expression":       {is: assign, name: "left", value: "right"},
	"update_expression":           {is: assign, name: "argument"},

	"preproc_include":      {object: "path", do: cInclude},
	"preproc_def":          {name: "name", value: "value", do: cMacro},
	"preproc_function_def": {name: "name", value: "value", params: "parameters", do: cMacro},

	"struct_specifier":         {is: typeDecl, name: "name", body: "body", do: cSpecifier},
	"union_specifier":          {is: typeDecl, name: "name", body: "body", do: cSpecifier},
	"enum_specifier":           {is: typeDecl, name: "name", body: "body", do: cSpecifier},
	"enumerator":               {is: enumMember, name: "name"},
	"type_definition":          {is: wrapper, typ: "type", do: cTypedef},
	"declaration":              {is: wrapper, typ: "type", do: cDeclaration},
	"field_declaration":        {is: wrapper, typ: "type", do: cDeclaration},
	"function_definition":      {is: function, typ: "type", name: "declarator", body: "body", do: cFunction},
	"init_declarator":          {name: "declarator", value: "value"},
	"initializer_list":         {},
	"initializer_pair":         {},
	"field_designator":         {name: "<field_identifier>", do: cDesignator},
	"function_declarator":      {is: plain, name: "declarator", params: "parameters", do: cErrorFunction},
	"pointer_declarator":       {name: "declarator"},
	"array_declarator":         {name: "declarator"},
	"attributed_declarator":    {name: "^"},
	"parenthesized_declarator": {name: "^"},
	"parameter_list":           {is: parameters, do: cParameters},
	"parameter_declaration":    {is: plain, name: "declarator", typ: "type"},

	"compound_statement": {is: scope, do: cBlock},
	"for_statement":      {is: scope},
	"labeled_statement":  {},
}

var cppShapes = map[string]shape{
	"function_definition":         {is: function, typ: "type", name: "declarator", body: "body <try_statement>", do: cFunction},
	"this":                        {form: selfForm, says: "this"},
	"auto":                        {is: silent},
	"namespace_identifier":        {is: ident, form: nameForm},
	"qualified_identifier":        {is: access, form: accessForm, object: "scope", name: "name", do: cppQualified},
	"dependent_name":              {is: typeExpr, form: innerForm},
	"template_type":               {is: typeExpr, form: innerForm, name: "name"},
	"template_function":           {is: typeExpr, form: innerForm, name: "name"},
	"template_method":             {is: typeExpr, form: innerForm, name: "name"},
	"template_argument_list":      {is: types},
	"base_class_clause":           {is: bases},
	"trailing_return_type":        {is: types},
	"decltype":                    {is: values},
	"pure_virtual_clause":         {is: silent},
	"destructor_name":             {is: silent},
	"operator_name":               {is: silent},
	"operator_cast":               {name: "declarator"},
	"raw_string_literal":          {is: silent, form: literalForm, says: "char"},
	"access_specifier":            {is: silent},
	"new_expression":              {is: create, form: createForm, typ: "type"},
	"co_await_expression":         {form: innerForm, value: "argument"},
	"compound_literal_expression": {is: create, form: castForm, typ: "type"},

	"namespace_definition":                {is: space, name: "name", do: cppNamespace},
	"template_declaration":                {is: wrapper, do: cppTemplate},
	"class_specifier":                     {is: typeDecl, name: "name", body: "body", do: cSpecifier},
	"alias_declaration":                   {is: typeDecl, name: "name", value: "type"},
	"concept_definition":                  {is: typeDecl, name: "name"},
	"friend_declaration":                  {do: cppFriend},
	"using_declaration":                   {is: types},
	"field_initializer":                   {name: "^", do: cppInitializer},
	"reference_declarator":                {name: "^"},
	"pointer_type_declarator":             {name: "declarator"},
	"variadic_declarator":                 {name: "^"},
	"structured_binding_declarator":       {is: pattern},
	"optional_parameter_declaration":      {name: "declarator", typ: "type", value: "default_value"},
	"variadic_parameter_declaration":      {name: "declarator", typ: "type"},
	"type_parameter_declaration":          {is: typeParameter, name: "<type_identifier>"},
	"variadic_type_parameter_declaration": {is: typeParameter, name: "<type_identifier>"},
	"optional_type_parameter_declaration": {is: typeParameter, name: "name"},
	"template_parameter_list":             {do: cppTemplateParameters},

	"lambda_expression":        {is: lambda},
	"requires_expression":      {is: lambda},
	"lambda_capture_specifier": {do: cppCaptures},
	"for_range_loop":           {name: "declarator", typ: "type", value: "right", do: cppRange},
	"catch_clause":             {is: scope},
	"if_statement":             {is: scope},
	"try_statement":            {},
}

// cInclude imports all names of a header.
func cInclude(o *outline, i uint32, n *node) uint32 {
	if path := o.part(i, n.object); path != 0 {
		if text := bytes.Trim(o.text(path), `<>" `); len(text) > 0 {
			o.file.Imports = append(o.file.Imports, Import{Local: "*", Path: o.names.intern(text), At: o.span(path)})
		}
	}
	return o.skip(i)
}

// cMacro declares a macro that stands for something: include guards do not.
func cMacro(o *outline, i uint32, n *node) uint32 {
	name, right := o.part(i, n.name), o.part(i, n.value)
	if o.nameless(name) || right == 0 && len(n.params) == 0 || o.top().inside {
		return o.skip(i)
	}
	m := Object{Name: o.str(name), Kind: Constant, Ident: o.span(name)}
	if len(n.params) > 0 {
		m.Kind = Function
	}
	o.spans(i, i, 0, right, &m)
	o.add("", Descriptor{Name: m.Name, Suffix: MacroSuffix}, m) // the preprocessor knows no namespace
	return o.skip(i)
}

// A declarator is what a C declaration declares one of: the name, and the node
// of the function that it is, 0 if it is a variable.
type declarator struct{ name, function uint32 }

// declarator goes down *(name[3])(args) to its name.
func (o *outline) declarator(d uint32) declarator {
	found := declarator{}
	for depth := 0; d != 0 && depth < maxPath; depth++ {
		n := o.shape(d)
		switch {
		case o.isA(d, "function_declarator"):
			found.function = d
		case o.isA(d, "parenthesized_declarator"):
			if c := o.code(d); c != 0 && !isNameNode(o.shape(c)) {
				found.function = 0
			}
		case isNameNode(n) || n.is == access || o.isA(d, "destructor_name") || o.isA(d, "operator_name") || o.isA(d, "structured_binding_declarator"):
			found.name = d
			return found
		case o.isA(d, "template_function"):
		}
		d = o.part(d, n.name)
	}
	return declarator{}
}

func isNameNode(n *node) bool { return n.is == ident || n.is == typeIdent || n.is == memberIdent }

// isStatic reports whether what node i declares is known in its file alone.
func (o *outline) isStatic(i uint32) bool {
	if o.top().object != 0 {
		return false
	}
	for c := o.first(i); c != 0; c = o.next(i, c) {
		if o.nodes[c].End-o.nodes[c].Start == 6 && string(o.text(c)) == "static" {
			return true
		}
	}
	return false
}

// homeOf is what the descriptors of what node i declares begin with.
func (o *outline) homeOf(i uint32) string {
	home := o.here()
	if o.isStatic(i) && !strings.HasPrefix(home, o.file.Objects[0].Descriptors) {
		home = o.file.Objects[0].Descriptors + home
	}
	return home
}

// cDeclaration reads what a declaration declares, one declarator after another.
func cDeclaration(o *outline, i uint32, n *node) uint32 {
	typ := o.part(i, n.typ)
	o.markType(typ)
	for c := o.first(i); c != 0; c = o.next(i, c) {
		if !o.isDeclarator(i, c) || c == typ {
			continue
		}
		right := uint32(0)
		if o.isA(c, "init_declarator") {
			right = o.part(c, o.shape(c).value)
		}
		d := o.declarator(c)
		if d.name == 0 || o.missing(d.name) || o.words[string(o.text(d.name))] {
			continue
		}
		o.cDeclare(i, d, typ, right)
	}
	if o.isA(i, "field_declaration") {
		o.swallowedField(i, typ)
	}
	return i + 1
}

// swallowedField declares y of int x = 0, y = 0; which the grammar takes for the value
// of x.
func (o *outline) swallowedField(i, typ uint32) {
	if e := o.last(i); o.isA(e, "assignment_expression") && !o.top().inside {
		n := o.shape(e)
		if name := o.part(e, n.name); name != 0 && o.isA(name, "identifier") && !o.missing(name) {
			o.cDeclare(i, declarator{name: name}, typ, o.part(e, n.value))
		}
	}
}

// isDeclarator reports whether child c of a declaration is one of the things it
// declares.
func (o *outline) isDeclarator(i, c uint32) bool {
	d := o.part(i, declaratorPart(o))
	return d != 0 && o.nodes[c].Field == o.nodes[d].Field
}

func declaratorPart(o *outline) part { return o.shapes[o.kinds["function_declarator"]].name }

// cDeclare declares one thing.
func (o *outline) cDeclare(i uint32, d declarator, typ, right uint32) {
	v := value{typ: o.specified(typ)}
	if v.typ == "" && right != 0 {
		v = o.value(right)
	}
	if o.isA(d.name, "structured_binding_declarator") {
		o.eachName(d.name, v.path, func(name uint32, path string, result int) {
			o.declare(name, o.nodes[i].End)
			o.bindName(name, o.nodes[i].End, value{path: path}, result)
		})
		return
	}
	if o.top().inside {
		if o.shape(d.name).is == ident {
			o.declare(d.name, o.nodes[d.name].End) // in p = malloc(sizeof *p) already
			o.bindName(d.name, o.nodes[i].End, v, 0)
		}
		return
	}
	if d.function != 0 {
		o.addCFunction(i, d, 0)
		return
	}
	name, prefix := o.qualified(d.name, o.homeOf(i))
	if name == 0 {
		return
	}
	o.mark(name, declaredFlag)
	w := Object{Name: o.nameOf(name), Kind: Variable, Ident: o.span(name), Parent: o.top().object, Type: v.typ, Value: v.path}
	if w.Parent != 0 || strings.HasSuffix(prefix, "#") {
		w.Kind = Field
	}
	if before := o.slice(o.between(o.nodes[i].Start, o.nodes[name].Start)); bytes.Contains(before, []byte("constexpr")) ||
		bytes.Contains(before, []byte("const ")) && isUpper(w.Name) {
		w.Kind = Constant
	}
	o.spans(i, o.outer(i), 0, right, &w)
	object := o.add(prefix, Descriptor{Name: w.Name, Suffix: TermSuffix}, w)
	o.members[o.file.Objects[object].Descriptors] = object
}

// specified is the type at a node; of one that is declared there, its name.
func (o *outline) specified(typ uint32) string {
	if typ != 0 && o.shape(typ).is == typeDecl && o.part(typ, o.shape(typ).body) != 0 {
		return o.typ(o.part(typ, o.shape(typ).name))
	}
	return o.typ(typ)
}

// addCFunction adds the function that a declarator declares in node i.
func (o *outline) addCFunction(i uint32, d declarator, body uint32) int {
	name, prefix := o.qualified(d.name, o.homeOf(i))
	if name == 0 {
		return 0
	}
	o.mark(name, declaredFlag)
	f := Object{Name: o.nameOf(name), Kind: Function, Ident: o.span(name), Parent: o.top().object}
	if f.Parent != 0 || strings.HasSuffix(prefix, "#") {
		f.Kind = Method
	}
	f.Type = o.typ(o.part(i, o.shape(i).typ))
	o.spans(i, o.outer(i), body, 0, &f)
	f.Test = o.isTest(i, &f)
	if f.Type == "" && strings.HasPrefix(f.Name, "TEST") {
		f.Test = true
		o.nameTest(d.function)
	}
	disambiguator := ""
	if o.table.overloads {
		disambiguator = o.cParameterTypes(d.function)
	}
	return o.addDefinition(prefix, Descriptor{Name: f.Name, Suffix: MethodSuffix, Disambiguator: disambiguator}, f)
}

// nameTest marks the second argument of TEST_F(Fixture, Works), which is no type.
func (o *outline) nameTest(function uint32) {
	list := o.part(function, o.shape(function).params)
	if list == 0 {
		return
	}
	if fixture := o.code(list); fixture != 0 && o.next(list, fixture) != 0 {
		if name := o.part(o.next(list, fixture), o.shape(o.next(list, fixture)).typ); name != 0 {
			o.mark(name, declaredFlag)
		}
	}
}

// addDefinition adds a function. A prototype that stands before the definition
// is no object of its own: the definition takes its place.
func (o *outline) addDefinition(prefix string, d Descriptor, f Object) int {
	name := prefix + d.String()
	if known, ok := o.members[name]; ok {
		if p := &o.file.Objects[known]; f.Body.Len() > 0 && p.Body.Len() == 0 {
			f.Descriptors = name
			*p = f
			return known
		}
		if f.Body.Len() == 0 { // declared again
			return 0
		}
	}
	object := o.add(prefix, d, f)
	o.members[o.file.Objects[object].Descriptors] = object
	return object
}

// qualified takes a::B<T>::c apart: its last name, and the descriptors of what
// stands before it. A function that is defined by a qualified name is a member of
// a type; further out, names with a capital are types and others namespaces.
func (o *outline) qualified(name uint32, home string) (uint32, string) {
	var scopes []string
	for depth := 0; o.shape(name).is == access && depth < maxPath; depth++ {
		n := o.shape(name)
		if s := o.part(name, n.object); s != 0 {
			if text := o.lastName(s); text != "" {
				scopes = append(scopes, text)
			}
			for j := s; j < o.nodes[s].Next; j++ {
				if o.shape(j).is == ident {
					o.mark(j, typeFlag)
				}
			}
		}
		if name = o.part(name, n.name); name == 0 {
			return 0, home
		}
	}
	for depth := 0; o.shape(name).is == typeExpr && depth < maxPath; depth++ { // f<int>
		if name = o.inner(name, o.shape(name)); name == 0 {
			return 0, home
		}
	}
	if o.missing(name) || o.words[string(o.text(name))] {
		return 0, home
	}
	for k, s := range scopes {
		suffix := NamespaceSuffix
		if k == len(scopes)-1 || isCapital(s[0]) {
			suffix = TypeSuffix
		}
		step := Descriptor{Name: s, Suffix: suffix}.String()
		if !(suffix == NamespaceSuffix && strings.HasSuffix(home, step)) {
			home += step
		}
	}
	return name, home
}

// cParameterTypes are the types of a function's parameters, without their names.
func (o *outline) cParameterTypes(f uint32) string {
	params := o.part(f, o.shape(f).params)
	var list []byte
	for c := o.first(params); params != 0 && c != 0; c = o.next(params, c) {
		n := o.shape(c)
		if len(n.typ) == 0 {
			continue
		}
		text := o.span(c)
		if v := o.part(c, n.value); v != 0 {
			text.End = o.nodes[v].Start
		}
		typ := o.slice(text)
		if d := o.declarator(o.part(c, n.name)); d.name != 0 {
			typ = append(bytes.Clone(o.slice(o.between(text.Start, o.nodes[d.name].Start))),
				o.slice(o.between(o.nodes[d.name].End, max(o.nodes[d.name].End, text.End)))...)
		}
		typ = bytes.TrimRight(typ, " \t\r\n=")
		if len(list) > 0 {
			list = append(list, ',')
		}
		list = appendTight(list, typ)
	}
	if string(list) == "void" {
		return ""
	}
	return string(list[:min(len(list), maxType)])
}

// appendTight appends text with the white space that separates words, and no
// other.
func appendTight(buf, text []byte) []byte {
	space := false
	for _, c := range text {
		if isSpace(c) {
			space = true
			continue
		}
		if space && len(buf) > 0 && isWord(buf[len(buf)-1]) && isWord(c) {
			buf = append(buf, ' ')
		}
		buf, space = append(buf, c), false
	}
	return buf
}

// cFunction opens the object and the scope of a function with a body.
func cFunction(o *outline, i uint32, n *node) uint32 {
	o.markType(o.part(i, n.typ))
	d := o.declarator(o.part(i, n.name))
	body := o.part(i, n.body)
	if d.name != 0 && d.function == 0 && o.isA(o.last(i), "pure_virtual_clause") && !o.nameless(d.name) {
		o.cDeclare(i, d, o.part(i, n.typ), 0) // int n = 0; which looks like the end of virtual int n() = 0;
		return i + 1
	}
	if d.name == 0 || d.function == 0 || o.top().inside {
		if d.name != 0 && o.shape(d.name).is == ident {
			o.mark(d.name, declaredFlag)
		}
		o.enterBody(i, 0)
		return i + 1
	}
	o.enterBody(i, o.addCFunction(i, d, body))
	return i + 1
}

// cErrorFunction opens a function whose head was understood, though what is in its
// body was not. The body ends where the layout says.
func cErrorFunction(o *outline, i uint32, _ *node) uint32 {
	if p := o.parent(i); o.isRoot(i) || !o.isRoot(p) && o.nodes[p].Kind != treesitter.ErrorKind || o.top().inside {
		return i + 1
	}
	open := skipSpaces(o.src, int(o.nodes[i].End))
	if open >= len(o.src) || o.src[open] != '{' {
		return i + 1
	}
	d, end := o.declarator(i), o.layoutEnd(int(o.nodes[i].Start), open)
	if d.name == 0 || end < 0 {
		return i + 1
	}
	object := o.addCFunction(i, d, 0)
	f := o.enterBody(i, object)
	for f.until < o.frames[len(o.frames)-2].until && f.until < uint32(len(o.nodes)) && int(o.nodes[f.until].Start) < end {
		f.until++
	}
	if w := &o.file.Objects[object]; object != 0 {
		if before := i - 1; o.parent(before) == o.parent(i) && w.Type == "" { // its type
			w.Type = o.typ(before)
			w.Span.Start = o.nodes[before].Start
			w.Signature.Start = w.Span.Start
		}
		whole := Span{0, uint32(len(o.src))}
		if w.Parent > 0 {
			whole = o.file.Objects[w.Parent].Span
		}
		w.Span.End = min(max(w.Span.End, uint32(end)), whole.End)
		w.Body = Span{uint32(open), w.Span.End}.within(w.Span)
	}
	return i + 1
}

// maxLayout bounds the lines of a function whose end the layout is asked for.
const maxLayout = 500

// layoutEnd returns the end of the block that opens at an offset, by the first line
// that begins with its brace as far in as the line of its head; -1 if there is none near enough.
func (o *outline) layoutEnd(head, open int) int {
	line := bytes.LastIndexByte(o.src[:head], '\n') + 1
	in := skipBlanks(o.src, line) - line
	at := open
	for range maxLayout {
		n := bytes.IndexByte(o.src[at:], '\n')
		if n < 0 {
			return -1
		}
		at += n + 1
		if brace := skipBlanks(o.src, at); brace-at == in && brace < len(o.src) && o.src[brace] == '}' {
			return brace + 1
		}
	}
	return -1
}

// cBlock opens a scope. One that is in no function is a function's all the same: its
// head is a macro, or was not understood.
func cBlock(o *outline, i uint32, _ *node) uint32 {
	o.enter(i).inside = true
	return i + 1
}

// cParameters declares the parameters of the function around it. Those of a
// declaration without a body are nobody's.
func cParameters(o *outline, i uint32, _ *node) uint32 {
	for c := o.first(i); c != 0; c = o.next(i, c) {
		n := o.shape(c)
		o.markType(o.part(c, n.typ))
		d := o.declarator(o.part(c, n.name))
		if d.name == 0 || o.shape(d.name).is != ident || o.missing(d.name) {
			continue
		}
		if !o.top().inside {
			o.mark(d.name, declaredFlag)
			continue
		}
		v := value{typ: o.typ(o.part(c, n.typ))}
		if v.typ == "" {
			v = o.value(o.part(c, n.value))
		}
		o.declareParameter(d.name, v)
	}
	return i + 1
}

// cSpecifier reads struct x { … }; without a body, x is used. One without a name
// may be called by a typedef, or lends its members to what is around it.
func cSpecifier(o *outline, i uint32, n *node) uint32 {
	name, body := o.part(i, n.name), o.part(i, n.body)
	switch object := o.lambdas[i]; {
	case object != 0:
		o.openMembers(i, object)
	case body == 0:
		if name != 0 {
			o.mark(name, typeFlag)
		}
	case name == 0:
		if f := o.enter(i); f.object == 0 && !o.isA(i, "enum_specifier") {
			f.inside = true
		}
	case o.shape(name).is == access: // struct a::b { … }
		last, prefix := o.qualified(name, o.here())
		if last == 0 || o.top().inside {
			o.enter(i)
			break
		}
		o.mark(last, declaredFlag)
		o.openType(i, last, Type, prefix, Descriptor{Name: o.nameOf(last), Suffix: TypeSuffix})
	default:
		for o.shape(name).is == typeExpr { // a specialisation
			inner := o.inner(name, o.shape(name))
			if inner == 0 {
				return o.declareType(i, n)
			}
			name = inner
		}
		if o.nameless(name) || o.top().inside {
			return o.declareType(i, n)
		}
		o.mark(name, declaredFlag)
		o.openType(i, name, Type, o.here(), Descriptor{Name: o.nameOf(name), Suffix: TypeSuffix})
	}
	return i + 1
}

// cTypedef declares the names that a typedef gives to a type.
func cTypedef(o *outline, i uint32, n *node) uint32 {
	typ := o.part(i, n.typ)
	o.markType(typ)
	for c := o.first(i); c != 0; c = o.next(i, c) {
		if c == typ || !o.isDeclarator(i, c) {
			continue
		}
		d := o.declarator(c)
		if typ = o.part(i, n.typ); o.isA(c, "function_declarator") {
			typ = 0 // a function's, which is no type's name
		}
		if o.nameless(d.name) || o.shape(d.name).is != typeIdent {
			continue
		}
		if o.top().inside {
			o.declare(d.name, 0)
			continue
		}
		o.typedef(i, d.name, typ)
	}
	return i + 1
}

func (o *outline) typedef(i, name, typ uint32) {
	o.mark(name, declaredFlag)
	if typ != 0 && o.shape(typ).is == typeDecl && o.part(typ, o.shape(typ).body) != 0 {
		if tag := o.part(typ, o.shape(typ).name); tag != 0 && bytes.Equal(o.text(tag), o.text(name)) {
			return // typedef struct cart { … } cart: one object
		}
	}
	t := Object{Name: o.str(name), Kind: Type, Ident: o.span(name), Parent: o.top().object}
	body := uint32(0)
	if typ != 0 {
		n := o.shape(typ)
		body = o.part(typ, n.body)
		tag := o.part(typ, n.name)
		switch {
		case n.is != typeDecl:
			t.Bases = append(t.Bases, o.typ(typ))
		case tag != 0:
			if o.text(tag) != nil && !bytes.Equal(o.text(tag), o.text(name)) {
				t.Bases = append(t.Bases, o.str(tag))
			}
			body = 0
		}
	}
	o.spans(i, o.outer(i), 0, 0, &t)
	if body != 0 {
		t.Body = Span{o.nodes[body].Start, o.nodes[body].End}
		t.Signature.End = t.Body.Start
		t.Signature = o.trimSignature(t.Signature)
	}
	object := o.add(o.here(), Descriptor{Name: t.Name, Suffix: TypeSuffix}, t)
	if body != 0 && o.lambdas[typ] == 0 {
		o.lambdas[typ] = object
	}
}

// cAttribute leaves out what is written for the compiler alone, which is everything
// but the function in __attribute__((cleanup(f))).
func cAttribute(o *outline, i uint32, _ *node) uint32 {
	o.noteAttribute(i)
	if bytes.Contains(o.text(i), []byte("cleanup")) {
		return i + 1
	}
	return o.skip(i)
}

// cDesignator writes to the member .x of what an initialiser is for.
func cDesignator(o *outline, i uint32, n *node) uint32 {
	if name := o.part(i, n.name); name != 0 && !o.missing(name) {
		o.ref(name, Write, o.initialised(i))
	}
	return o.skip(i)
}

// initialised is the name of the type whose member a designator names: that of the
// declaration or the literal, of elements too if the list in the list is not the value of
// another member.
func (o *outline) initialised(designator uint32) string {
	if o.isRoot(designator) || o.isRoot(o.parent(designator)) {
		return unknownPath
	}
	list := o.parent(o.parent(designator))
	for depth := 0; depth < maxPath && !o.isRoot(list); depth++ {
		around := o.parent(list)
		switch {
		case o.isA(around, "initializer_list"), o.isA(around, "init_declarator"):
		case o.isA(around, "initializer_pair"):
			if c := o.code(around); o.isA(c, "field_designator") {
				return unknownPath
			}
		default:
			if name := o.lastName(o.tagged(o.part(around, o.shape(around).typ))); name != "" {
				return name
			}
			return unknownPath
		}
		list = around
	}
	return unknownPath
}

// tagged is the name in struct x, or the type itself.
func (o *outline) tagged(typ uint32) uint32 {
	for depth := 0; typ != 0 && depth < 3; depth++ {
		switch n := o.shape(typ); {
		case o.isA(typ, "type_descriptor"), n.is == typeDecl:
			typ = o.part(typ, n.name)
		default:
			return typ
		}
	}
	return typ
}

// C++.

// cppQualified reads a::b::c, which is a and, inside it, b::c: each name is one of
// what stands before it.
func cppQualified(o *outline, i uint32, n *node) uint32 {
	o.markMember(i, n)
	if p := o.parent(i); !o.isRoot(i) && o.isA(p, "qualified_identifier") {
		scope := o.part(i, n.object)
		for depth := 0; scope != 0 && o.shape(scope).is == typeExpr && depth < maxPath; depth++ {
			scope = o.inner(scope, o.shape(scope))
		}
		if scope != 0 && o.part(p, n.name) == i && o.part(p, n.object) != 0 {
			o.mark(scope, memberFlag)
		}
	}
	return i + 1
}

// cppNamespace opens a namespace; one without a name is known in its file alone.
func cppNamespace(o *outline, i uint32, n *node) uint32 {
	if name := o.part(i, n.name); name != 0 {
		o.enterSpace(i, name)
		return i + 1
	}
	f := o.enter(i)
	if !strings.HasPrefix(f.space, o.file.Objects[0].Descriptors) {
		f.space = o.file.Objects[0].Descriptors + f.space
	}
	return i + 1
}

// cppTemplate keeps a template's parameters to it.
func cppTemplate(o *outline, i uint32, _ *node) uint32 {
	o.enter(i)
	return i + 1
}

// cppTemplateParameters declares the parameters that are values.
func cppTemplateParameters(o *outline, i uint32, _ *node) uint32 {
	for c := o.first(i); c != 0; c = o.next(i, c) {
		n := o.shape(c)
		if d := o.declarator(o.part(c, n.name)); n.is != typeParameter && d.name != 0 && o.shape(d.name).is == ident {
			o.declare(d.name, 0)
		}
	}
	return i + 1
}

func cppFriend(o *outline, i uint32, _ *node) uint32 {
	o.enter(i).inside = true
	return i + 1
}

// cppInitializer writes to a field in front of a constructor's body, or calls the
// constructor of a base.
func cppInitializer(o *outline, i uint32, n *node) uint32 {
	name := o.part(i, n.name)
	switch {
	case name == 0 || !o.isA(name, "field_identifier") || o.missing(name):
	case o.isBase(o.str(name)):
		o.ref(name, Call, "")
	default:
		o.ref(name, Write, "this")
	}
	return i + 1
}

// isBase reports whether a name is that of the class around, or of one of its bases.
func (o *outline) isBase(name string) bool {
	class := o.top().class
	if class == 0 {
		return false
	}
	c := &o.file.Objects[class]
	for _, base := range c.Bases {
		base, _, _ = strings.Cut(base, "<")
		if base == name || strings.HasSuffix(base, "::"+name) {
			return true
		}
	}
	return c.Name == name
}

// cppCaptures declares n in [n = copy.count].
func cppCaptures(o *outline, i uint32, _ *node) uint32 {
	for c := o.first(i); c != 0; c = o.next(i, c) {
		n := o.shape(c)
		if name := o.part(c, n.name); n.is == assign && name != 0 && o.shape(name).is == ident && !o.nameless(name) {
			o.bindLocal(name, o.nodes[c].End, o.value(o.part(c, n.value)))
		}
	}
	return i + 1
}

// cppRange reads for (auto& x : xs).
func cppRange(o *outline, i uint32, n *node) uint32 {
	o.enter(i)
	typ, right := o.part(i, n.typ), o.part(i, n.value)
	o.markType(typ)
	d := o.declarator(o.part(i, n.name))
	if d.name == 0 || o.missing(d.name) {
		return i + 1
	}
	at := o.nodes[d.name].End
	v := value{typ: o.typ(typ)}
	if right != 0 {
		at = o.nodes[right].End
		if v.typ == "" {
			buf, ok := o.appendPath(o.buf[:0], right, 0)
			if o.buf = buf; ok {
				v.path = o.names.intern(append(buf, "[]"...))
			}
		}
	}
	o.bindLocal(d.name, at, v)
	return i + 1
}
