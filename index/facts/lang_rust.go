package facts

import (
	"bytes"
	"strings"

	"readahead/index/internal/treesitter"
)

// rustSpec reads Rust.
//
//	struct Cart { items: Vec<Item> }   Cart#, Cart#items.
//	enum Size { Small }                Size#Small.
//	impl Cart { fn new() }             impl#[Cart]new().
//	impl Display for Cart { fn fmt() } impl#[Cart][Display]fmt().
//	mod rules { const N: u8 = 1; }     rules/N.
//	macro_rules! cart                  cart!
//
// A trait that the file implements for a type of its own is among the type's
// Bases. Inside macro calls there is no syntax, only tokens: names in them are
// read with the dots in front of them.
var rustSpec = tableSpec(&table{
	mend: braceSyntax{longText: true}.mend, grammar: treesitter.Rust, shapes: rustShapes, capitals: true,
	keywords: `as async await break const continue dyn else enum extern false fn for if impl in let loop match mod move mut pub
		ref return static struct trait true type unsafe use where while`,
	predeclared: `self Self super crate union safe Some None Ok Err String Vec Option Result Box Clone Copy Debug Default
		Send Sync Sized Fn FnMut FnOnce Iterator Into From drop println eprintln print format write writeln vec panic
		assert assert_eq assert_ne debug_assert matches todo unimplemented unreachable
		derive cfg test allow warn deny inline must_use doc macro_export std core alloc _`,
	tests:    `#[test] #[tokio::test] #[bench]`,
	elements: ` map filter for_each any all find filter_map flat_map inspect take_while skip_while and_then `,
})

var rustShapes = map[string]shape{
	"line_comment":         {is: remark},
	"block_comment":        {is: remark},
	"string_literal":       {is: silent, form: literalForm, says: "str"},
	"raw_string_literal":   {is: silent, form: literalForm, says: "str"},
	"char_literal":         {is: silent, form: literalForm, says: "char"},
	"integer_literal":      {},
	"float_literal":        {form: literalForm, says: "f64"},
	"boolean_literal":      {form: literalForm, says: "bool"},
	"lifetime":             {is: silent},
	"label":                {is: silent},
	"visibility_modifier":  {is: silent},
	"primitive_type":       {is: silent},
	"attribute_item":       {is: attribute},
	"inner_attribute_item": {is: plain},
	"attribute":            {do: rustAttribute},

	"identifier":                  {is: ident, form: nameForm, do: rustIdentifier},
	"shorthand_field_identifier":  {is: ident, form: nameForm, says: "shorthand"},
	"type_identifier":             {is: typeIdent, form: nameForm},
	"field_identifier":            {is: memberIdent},
	"self":                        {form: selfForm, says: "self"},
	"super":                       {form: selfForm, says: "super"},
	"crate":                       {form: selfForm, says: "crate"},
	"scoped_identifier":           {is: access, form: accessForm, object: "path", name: "name"},
	"scoped_type_identifier":      {is: access, form: accessForm, object: "path", name: "name"},
	"generic_type":                {is: typeExpr, form: innerForm, name: "type"},
	"generic_type_with_turbofish": {is: typeExpr, form: innerForm, name: "type"},
	"generic_function":            {form: innerForm, name: "function"},
	"reference_type":              {is: typeExpr, name: "type"},
	"type_arguments":              {is: types},
	"type_binding":                {name: "name", do: rustTypeBinding},
	"trait_bounds":                {is: bases},

	"field_expression":         {is: access, form: accessForm, object: "value", name: "field"},
	"index_expression":         {form: indexForm, object: "^"},
	"call_expression":          {is: calling, form: callForm, name: "function"},
	"macro_invocation":         {is: calling, name: "macro"},
	"try_expression":           {form: innerForm},
	"await_expression":         {form: innerForm},
	"parenthesized_expression": {form: innerForm},
	"reference_expression":     {form: innerForm, value: "value"},
	"type_cast_expression":     {form: castForm, typ: "type"},
	"struct_expression":        {is: create, form: createForm, typ: "name"},
	"field_initializer":        {name: "field", do: rustInitializer},

	"shorthand_field_initializer": {name: "<identifier>", do: rustInitializer},
	"assignment_expression":       {is: assign, name: "left", value: "right"},
	"compound_assignment_expr":    {is: assign, name: "left"},

	"use_declaration":          {object: "argument", do: rustUse},
	"scoped_use_list":          {object: "path", name: "list"},
	"use_as_clause":            {object: "path", name: "alias"},
	"use_list":                 {},
	"use_wildcard":             {},
	"extern_crate_declaration": {name: "name", value: "alias", do: rustExternCrate},

	"mod_item":                {is: space, name: "name", body: "body", do: rustModule},
	"impl_item":               {name: "type", object: "trait", do: rustImpl},
	"struct_item":             {is: typeDecl, name: "name", body: "body"},
	"union_item":              {is: typeDecl, name: "name", body: "body"},
	"enum_item":               {is: typeDecl, name: "name", body: "body"},
	"trait_item":              {is: typeDecl, name: "name", body: "body"},
	"type_item":               {is: typeDecl, name: "name", value: "type"},
	"associated_type":         {is: typeDecl, name: "name"},
	"enum_variant":            {is: enumMember, name: "name", body: "body"},
	"field_declaration":       {is: variable, name: "name", typ: "type"},
	"const_item":              {is: variable, kind: Constant, name: "name", typ: "type", value: "value"},
	"static_item":             {is: variable, name: "name", typ: "type", value: "value"},
	"function_item":           {is: function, name: "name", typ: "return_type", body: "body", params: "parameters"},
	"function_signature_item": {is: function, name: "name", typ: "return_type", params: "parameters"},
	"token_tree":              {},
	"token_repetition":        {},
	"macro_definition":        {name: "name", do: rustMacro},

	"parameters":                 {is: parameters},
	"closure_parameters":         {is: parameters},
	"parameter":                  {is: parameter, name: "pattern", typ: "type"},
	"self_parameter":             {is: silent},
	"type_parameters":            {do: rustTypeParameters},
	"constrained_type_parameter": {is: typeParameter, name: "left", typ: "bounds"},
	"optional_type_parameter":    {is: typeParameter, name: "name"},
	"const_parameter":            {is: typeParameter, name: "name"},

	"closure_expression": {is: lambda, params: "parameters", body: "body"},
	"block":              {is: scope},
	"match_arm":          {name: "pattern", do: rustArm},
	"match_block":        {},
	"match_expression":   {value: "value"},
	"if_expression":      {is: scope},
	"while_expression":   {is: scope},
	"for_expression":     {is: loop, name: "pattern", value: "value"},
	"let_condition":      {is: binding, name: "pattern", value: "value"},
	"let_declaration":    {is: variable, name: "pattern", typ: "type", value: "value", do: rustLet},

	"match_pattern":        {is: pattern},
	"tuple_pattern":        {is: pattern},
	"slice_pattern":        {is: pattern},
	"tuple_struct_pattern": {is: pattern, typ: "type"},
	"struct_pattern":       {is: pattern, typ: "type"},
	"field_pattern":        {is: pattern, object: "<field_identifier>", name: "pattern name"},
	"mut_pattern":          {is: pattern},
	"ref_pattern":          {is: pattern},
	"reference_pattern":    {is: pattern},
	"captured_pattern":     {is: pattern},
	"or_pattern":           {is: pattern},
}

// rustTypeBinding reads Item in Iterator<Item = T> as a member of Iterator.
func rustTypeBinding(o *outline, i uint32, n *node) uint32 {
	name := o.part(i, n.name)
	if name == 0 || o.missing(name) || o.isRoot(i) || o.isRoot(o.parent(i)) {
		return i + 1
	}
	o.mark(name, declaredFlag)
	path := unknownPath
	if of := o.parent(o.parent(i)); o.isA(of, "generic_type") {
		path = o.pathOf(of)
	}
	o.ref(name, TypeUse, path)
	return i + 1
}

// rustAttribute takes the name of an attribute for called, and what it derives for
// types. Words that only the attribute knows, as skip in #[serde(skip, default = f)],
// are no names.
func rustAttribute(o *outline, i uint32, _ *node) uint32 {
	name := o.code(i)
	if name == 0 {
		return i + 1
	}
	o.markCalled(name)
	derives := string(o.text(name)) == "derive"
	for j := o.skip(name); j < o.skip(i); j++ {
		switch s := o.span(j); {
		case !o.isA(j, "identifier"):
		case derives && isCapital(o.src[s.Start]):
			o.mark(j, typeFlag)
		case !isCapital(o.src[s.Start]) && o.betweenAny(s, "(,", ",)=("):
			o.mark(j, declaredFlag)
		}
	}
	return i + 1
}

// betweenAny reports whether a character of before stands before a span, and one of
// behind behind it, white space aside.
func (o *outline) betweenAny(s Span, before, behind string) bool {
	head := bytes.TrimRight(o.src[:s.Start], " \t\r\n")
	next := skipSpaces(o.src, int(s.End))
	return len(head) > 0 && strings.IndexByte(before, head[len(head)-1]) >= 0 &&
		next < len(o.src) && strings.IndexByte(behind, o.src[next]) >= 0
}

// rustToken declares the variable whose name is token i of a macro call, as in
// lazy_static! { static ref RE: Regex = new(); }, and reports whether it is one.
func (o *outline) rustToken(i uint32) bool {
	s := o.span(i)
	rest := o.src[skipBlanks(o.src, int(s.End)):]
	from, word := o.wordBefore(s.Start)
	if word == "ref" || word == "mut" {
		from, word = o.wordBefore(from)
	}
	if word != "static" && word != "const" || len(rest) == 0 || rest[0] != ':' || bytes.HasPrefix(rest, []byte("::")) {
		return word == "static" && o.isA(i, "identifier") && string(o.text(i)) == "ref"
	}
	o.mark(i, declaredFlag)
	if o.top().inside {
		return true
	}
	v := Object{Name: o.str(i), Kind: Variable, Ident: s, Parent: o.top().object}
	if word == "const" {
		v.Kind = Constant
	}
	end := uint32(len(o.src)-len(rest)) + uint32(max(0, bytes.IndexAny(rest, "=;}\n")))
	v.Span = o.trimRight(Span{from, end})
	v.Signature = v.Span
	if typ := strings.TrimSpace(strings.TrimLeft(string(o.src[s.End:v.Span.End]), ": ")); len(typ) <= maxType {
		v.Type = typ
	}
	o.document(&v)
	o.add(o.here(), Descriptor{Name: v.Name, Suffix: TermSuffix}, v)
	return true
}

// wordBefore returns the word that stands before an offset, and where it begins.
func (o *outline) wordBefore(at uint32) (uint32, string) {
	end := len(bytes.TrimRight(o.src[:at], " \t"))
	start := end
	for start > 0 && isWord(o.src[start-1]) && end-start < 8 {
		start--
	}
	return uint32(start), string(o.src[start:end])
}

// rustIdentifier reads a name; among a macro's tokens, with the dots before it.
func rustIdentifier(o *outline, i uint32, n *node) uint32 {
	if o.isRoot(i) || !o.isA(o.parent(i), "token_tree") && !o.isA(o.parent(i), "token_repetition") || o.marked(i, declaredFlag) {
		o.use(i, n)
		return i + 1
	}
	if o.rustToken(i) {
		return o.skip(i)
	}
	s := o.span(i)
	start := s.Start
	for start > 0 && (isWord(o.src[start-1]) || o.src[start-1] == '.' || o.src[start-1] == ':') && s.Start-start < maxType {
		start--
	}
	role := o.role(i)
	if turbofish := bytes.HasPrefix(o.src[s.End:], []byte("::<")); turbofish && !isCapital(o.src[s.Start]) {
		role = Call
	}
	if int(s.End) < len(o.src) && (o.src[s.End] == '(' || o.src[s.End] == '!') {
		role = Call
	}
	path := bytes.Trim(o.slice(Span{start, s.Start}), ".:")
	switch {
	case start == s.Start:
		if role == Call {
			o.mark(i, callFlag)
		}
		o.use(i, n)
	case len(path) == 0 || o.src[start] == '.':
		o.ref(i, role, unknownPath)
	default:
		o.ref(i, role, o.names.intern(bytes.ReplaceAll(path, []byte("::"), []byte("."))))
	}
	return i + 1
}

// rustUse reads use a::{b, c as d, e::*} and pub use, one import a name.
func rustUse(o *outline, i uint32, n *node) uint32 {
	o.useTree(o.part(i, n.object), "", 0)
	return o.skip(i)
}

func (o *outline) useTree(e uint32, prefix string, depth int) {
	if e == 0 || depth > maxPath || o.missing(e) {
		return
	}
	n := o.shape(e)
	switch {
	case o.isA(e, "use_list"):
		for c := o.first(e); c != 0; c = o.next(e, c) {
			o.useTree(c, prefix, depth+1)
		}
	case o.isA(e, "scoped_use_list"):
		o.useTree(o.part(e, n.name), joinPath(prefix, o.part(e, n.object), o), depth+1)
	case o.isA(e, "use_wildcard"):
		if path := joinPath(prefix, o.code(e), o); path != "" {
			o.file.Imports = append(o.file.Imports, Import{Local: "*", Path: path, At: o.span(e)})
		}
	case o.isA(e, "use_as_clause"):
		o.addUse(e, o.part(e, n.object), prefix, o.part(e, n.name))
	case n.form == nameForm || n.form == accessForm || n.form == selfForm:
		o.addUse(e, e, prefix, 0)
	}
}

// addUse adds the import of the path at node e, called as the node alias if
// there is one.
func (o *outline) addUse(at, e uint32, prefix string, alias uint32) {
	path := joinPath(prefix, e, o)
	if o.shape(e).form == selfForm && prefix != "" { // a::{self}
		path = prefix
	}
	cut := strings.LastIndex(path, "::")
	im := Import{Path: path[:max(cut, 0)], Name: path[max(cut+2, 0):], At: o.span(at)}
	if cut < 0 {
		im.Path, im.Name = path, ""
	}
	im.Local = im.Name
	if im.Local == "" {
		im.Local = path
	}
	if alias != 0 {
		im.Local = o.str(alias)
	}
	if im.Path == "" || im.Local == "" {
		return
	}
	if s := o.span(e); im.Name != "" && s.Len() >= len(im.Name) {
		last := Span{s.End - uint32(len(im.Name)), s.End}
		if string(o.slice(last)) == im.Name {
			o.refAt(last, ImportUse, im.Path)
		}
	}
	o.file.Imports = append(o.file.Imports, im)
}

// joinPath is a prefix and the path at node e, without white space.
func joinPath(prefix string, e uint32, o *outline) string {
	if e == 0 {
		return prefix
	}
	path := string(bytes.Join(bytes.Fields(o.text(e)), nil))
	if prefix != "" {
		path = prefix + "::" + path
	}
	return strings.TrimPrefix(path, "::")
}

func rustExternCrate(o *outline, i uint32, n *node) uint32 {
	name := o.part(i, n.name)
	if name == 0 || o.missing(name) {
		return o.skip(i)
	}
	im := Import{Local: o.str(name), Path: o.str(name), At: o.span(i)}
	if alias := o.part(i, n.value); alias != 0 {
		im.Local = o.str(alias)
	}
	o.file.Imports = append(o.file.Imports, im)
	return o.skip(i)
}

// rustModule opens mod x { … }; mod x; says that a file of that name is a
// module below this one.
func rustModule(o *outline, i uint32, n *node) uint32 {
	name := o.part(i, n.name)
	if o.part(i, n.body) != 0 {
		o.enterSpace(i, name)
		return i + 1
	}
	if !o.nameless(name) {
		o.file.Imports = append(o.file.Imports, Import{Local: o.str(name), Path: "self", Name: o.str(name), At: o.span(i)})
	}
	return o.skip(i)
}

// rustImpl opens an implementation, whose members have the type and the trait
// in front of their names.
func rustImpl(o *outline, i uint32, n *node) uint32 {
	typ, trait := o.part(i, n.name), o.part(i, n.object)
	name := o.lastName(typ)
	if name == "" { // a tuple, a slice, a reference
		name = strings.Join(strings.Fields(o.typ(typ)), " ")
	}
	f := o.enter(i)
	if name == "" {
		f.inside = true
		return i + 1
	}
	owner := f.space + Descriptor{Name: name, Suffix: TypeSuffix}.String()
	prefix := f.space + "impl#" + Descriptor{Name: name, Suffix: TypeParameterSuffix}.String()
	if of := o.lastName(trait); of != "" {
		prefix += Descriptor{Name: of, Suffix: TypeParameterSuffix}.String()
		for k := range o.file.Objects {
			if t := &o.file.Objects[k]; t.Descriptors == owner {
				t.Bases = append(t.Bases, o.typ(trait))
			}
		}
	}
	f.space = prefix
	return i + 1
}

// lastName is the name that a type expression comes down to: Cart for
// super::Cart<T> and &Cart.
func (o *outline) lastName(e uint32) string {
	for depth := 0; e != 0 && depth < maxPath; depth++ {
		n := o.shape(e)
		switch {
		case n.form == nameForm:
			return o.nameOf(e)
		case n.is == access:
			e = o.part(e, n.name)
		case n.is == typeExpr:
			e = o.inner(e, n)
		default:
			return ""
		}
	}
	return ""
}

// rustTypeParameters declares those that are bare names.
func rustTypeParameters(o *outline, i uint32, _ *node) uint32 {
	for c := o.first(i); c != 0; c = o.next(i, c) {
		if o.isA(c, "type_identifier") && !o.missing(c) {
			o.declare(c, 0)
		}
	}
	return i + 1
}

func rustMacro(o *outline, i uint32, n *node) uint32 {
	name := o.part(i, n.name)
	if o.nameless(name) || o.top().inside {
		return o.skip(i)
	}
	m := Object{Name: o.str(name), Kind: Function, Ident: o.span(name), Parent: o.top().object}
	o.spans(i, i, 0, o.next(i, name), &m)
	m.Signature.End = min(m.Signature.End, o.nodes[name].End)
	o.add(o.here(), Descriptor{Name: m.Name, Suffix: MacroSuffix}, m)
	return o.skip(i)
}

// rustInitializer writes to a field under the type of the literal around it.
func rustInitializer(o *outline, i uint32, n *node) uint32 {
	name := o.part(i, n.name)
	list := o.parent(i)
	if name == 0 || o.isRoot(i) || o.isRoot(list) || o.missing(name) {
		return i + 1
	}
	literal := o.parent(list)
	path := unknownPath
	if t := o.part(literal, o.shape(literal).typ); o.shape(literal).is == create && t != 0 {
		path = o.pathOf(t)
	}
	o.ref(name, Write, path)
	o.mark(name, declaredFlag)
	return i + 1
}

// rustArm binds the names of a pattern for its arm.
func rustArm(o *outline, i uint32, n *node) uint32 {
	o.enter(i)
	p := o.part(i, n.name)
	if p == 0 {
		return i + 1
	}
	v := value{}
	if block := o.parent(i); !o.isRoot(i) && !o.isRoot(block) {
		if m := o.parent(block); o.isA(m, "match_expression") {
			v = o.value(o.part(m, o.shape(m).value))
		}
	}
	o.bindLocal(p, o.nodes[p].Start, value{path: v.path})
	return i + 1
}

// rustLet reads let, which declares locals wherever it stands.
func rustLet(o *outline, i uint32, n *node) uint32 {
	if o.top().inside {
		o.declareVariable(i, n)
	}
	return i + 1
}
