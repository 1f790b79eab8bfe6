package facts

import (
	"bytes"
	"strings"

	"readahead/index/internal/treesitter"
)

// javaSpec reads Java.
//
//	package com.shop;             the file's Name
//	class Cart extends Base {     Cart#                  Bases: Base
//	    int count;                Cart#count.
//	    void add(Item x, int n)   Cart#add(`Item,int`).
//	    enum Size { SMALL }       Cart#Size#SMALL.
//	record Line(Item item) {}     Line#, Line#item.
var javaSpec = tableSpec(&table{
	mend: braceSyntax{}.mend, grammar: treesitter.Java, shapes: javaShapes, overloads: true,
	keywords: `abstract assert boolean break byte case catch char class const continue default do double else enum extends
		final finally float for goto if implements import instanceof int interface long native new null package private
		protected public return short static strictfp super switch synchronized this throw throws transient true try
		void volatile while`,
	predeclared: `var yield Object String Integer Long Double Float Boolean Byte Short Character Void Math System Override Deprecated
		SuppressWarnings FunctionalInterface Exception RuntimeException IllegalArgumentException IllegalStateException`,
	tests:    `@Test @ParameterizedTest @RepeatedTest @Before @After`,
	elements: ` forEach map filter anyMatch allMatch noneMatch flatMap mapToInt mapToLong removeIf peek ifPresent `,
})

var javaShapes = map[string]shape{
	"line_comment":                   {is: remark},
	"block_comment":                  {is: remark},
	"string_literal":                 {form: literalForm, says: "String"},
	"character_literal":              {is: silent, form: literalForm, says: "char"},
	"decimal_integer_literal":        {form: literalForm, says: "int"},
	"hex_integer_literal":            {form: literalForm, says: "int"},
	"decimal_floating_point_literal": {form: literalForm, says: "double"},
	"true":                           {form: literalForm, says: "boolean"},
	"false":                          {form: literalForm, says: "boolean"},
	"class_literal":                  {form: literalForm, says: "Class"},

	"identifier":             {is: ident, form: nameForm},
	"type_identifier":        {is: typeIdent, form: nameForm},
	"scoped_identifier":      {is: access, form: accessForm, object: "scope", name: "name"},
	"scoped_type_identifier": {is: access, form: accessForm, object: "^", name: "$"},
	"generic_type":           {is: typeExpr, form: innerForm},
	"array_type":             {is: typeExpr},
	"annotated_type":         {is: typeExpr},
	"type_list":              {is: bases},
	"superclass":             {is: bases},
	"super_interfaces":       {is: bases},
	"extends_interfaces":     {is: bases},
	"permits":                {is: types},
	"type_bound":             {is: types},
	"type_parameter":         {is: typeParameter, name: "<type_identifier>", typ: "<type_bound>"},
	"integral_type":          {is: typeExpr},
	"floating_point_type":    {is: typeExpr},
	"boolean_type":           {is: typeExpr},
	"void_type":              {},

	"this":                       {form: selfForm, says: "this"},
	"super":                      {form: selfForm, says: "super"},
	"field_access":               {is: access, form: accessForm, object: "object", name: "field"},
	"array_access":               {form: indexForm, object: "array"},
	"method_invocation":          {is: calling, form: callForm, object: "object", name: "name"},
	"method_reference":           {is: calling, form: accessForm, object: "^", name: "$"},
	"object_creation_expression": {is: create, form: createForm, typ: "type"},
	"array_creation_expression":  {is: plain, form: castForm, typ: "type"},
	"cast_expression":            {form: castForm, typ: "type"},
	"parenthesized_expression":   {form: innerForm},
	"ternary_expression":         {form: choiceForm, object: "condition"},
	"assignment_expression":      {is: assign, name: "left", value: "right"},
	"update_expression":          {do: markUpdate},
	"element_value_pair":         {do: javaElement},

	"package_declaration": {do: javaPackage},
	"import_declaration":  {do: javaImport},

	"modifiers":         {is: modifiers},
	"marker_annotation": {is: attribute, name: "name", do: javaAnnotation},
	"annotation":        {is: attribute, name: "name", do: javaAnnotation},

	"class_declaration":           {is: typeDecl, name: "name", body: "body"},
	"interface_declaration":       {is: typeDecl, name: "name", body: "body"},
	"annotation_type_declaration": {is: typeDecl, name: "name", body: "body"},
	"enum_declaration":            {is: typeDecl, name: "name", body: "body"},
	"record_declaration":          {is: typeDecl, name: "name", body: "body"},
	"enum_constant":               {is: enumMember, name: "name", body: "body"},

	"method_declaration":                  {is: function, name: "name", typ: "type", body: "body", params: "parameters"},
	"constructor_declaration":             {is: function, name: "name", body: "body", params: "parameters"},
	"compact_constructor_declaration":     {is: function, name: "name", body: "body"},
	"annotation_type_element_declaration": {is: function, name: "name", typ: "type"},
	"static_initializer":                  {is: lambda},
	"formal_parameters":                   {is: parameters, do: recordParameters},
	"inferred_parameters":                 {is: parameters},
	"formal_parameter":                    {is: parameter, name: "name", typ: "type"},
	"catch_formal_parameter":              {is: parameter, name: "name", typ: "<catch_type>"},
	"spread_parameter":                    {is: wrapper, typ: "<type_identifier> <generic_type> <array_type> <scoped_type_identifier> <integral_type> <floating_point_type> <boolean_type>"},
	"receiver_parameter":                  {is: silent},
	"catch_type":                          {is: types},
	"throws":                              {is: types},

	"field_declaration":          {is: wrapper, typ: "type"},
	"constant_declaration":       {is: wrapper, typ: "type"},
	"local_variable_declaration": {is: wrapper, typ: "type"},
	"variable_declarator":        {is: variable, name: "name", value: "value"},
	"resource":                   {is: binding, name: "name", typ: "type", value: "value"},
	"class_body":                 {do: javaClassBody},

	"lambda_expression":            {is: lambda, params: "parameters", body: "body"},
	"block":                        {is: scope},
	"switch_block":                 {is: scope},
	"switch_rule":                  {is: scope},
	"for_statement":                {is: scope},
	"catch_clause":                 {is: scope},
	"try_with_resources_statement": {is: scope},
	"enhanced_for_statement":       {is: loop, name: "name", typ: "type", value: "value"},
	"instanceof_expression":        {is: binding, name: "name", typ: "right"},
	"type_pattern":                 {is: binding, name: "$", typ: "^"},
	"record_pattern":               {do: javaRecordPattern},
	"record_pattern_component":     {is: binding, name: "$", typ: "^"},
	"labeled_statement":            {do: javaLabel},
	"break_statement":              {is: silent},
	"continue_statement":           {is: silent},
	"module_declaration":           {is: silent},
}

// javaPackage notes the package that the file says it is in.
func javaPackage(o *outline, i uint32, _ *node) uint32 {
	for c := o.first(i); c != 0; c = o.next(i, c) {
		if o.shape(c).form == nameForm || o.shape(c).form == accessForm {
			o.file.Name = o.names.intern(bytes.Join(bytes.Fields(o.text(c)), nil))
		}
	}
	return o.skip(i)
}

// javaImport reads import a.b.C as C of a.b, import a.b.* as all of a.b, and
// both of a type's static members; import module m as all of m.
func javaImport(o *outline, i uint32, _ *node) uint32 {
	name := uint32(0)
	for c := o.first(i); c != 0; c = o.next(i, c) {
		if f := o.shape(c).form; f == nameForm || f == accessForm {
			name = c
		}
	}
	if name == 0 {
		return o.skip(i)
	}
	path := string(bytes.Join(bytes.Fields(o.text(name)), nil))
	im := Import{Local: "*", Path: path, At: o.span(i)}
	words := bytes.Fields(o.text(i))
	if len(words) > 2 && string(words[1]) == "module" && o.nodes[name].Start < o.nodes[i].End {
		im.Path = strings.Trim(string(bytes.Join(words[2:], nil)), "; ")
	} else if text := bytes.TrimRight(o.text(i), "; \t"); !bytes.HasSuffix(text, []byte("*")) {
		dot := strings.LastIndexByte(path, '.')
		im.Path, im.Name = path[:max(dot, 0)], path[dot+1:]
		if im.Local = im.Name; im.Path == "" || im.Name == "" {
			return o.skip(i)
		}
		at := Span{o.nodes[name].End - uint32(len(im.Name)), o.nodes[name].End}
		if string(o.slice(at)) == im.Name {
			o.refAt(at, ImportUse, im.Path)
		}
	}
	o.file.Imports = append(o.file.Imports, im)
	return o.skip(i)
}

func javaAnnotation(o *outline, i uint32, n *node) uint32 {
	if name := o.part(i, n.name); name != 0 {
		o.markCalled(name)
	}
	return i + 1
}

func javaElement(o *outline, i uint32, _ *node) uint32 {
	if key := o.code(i); key != 0 && o.shape(key).is == ident {
		o.mark(key, declaredFlag)
	}
	return i + 1
}

// javaClassBody opens the body of a class without a name.
func javaClassBody(o *outline, i uint32, _ *node) uint32 {
	if o.shape(o.parent(i)).is != typeDecl && o.shape(o.parent(i)).is != enumMember {
		o.enter(i).inside = true
	}
	return i + 1
}

// recordParameters declares the components of a record as its fields.
func recordParameters(o *outline, i uint32, _ *node) uint32 {
	o.parameterList(i)
	if o.shape(o.parent(i)).is != typeDecl || o.top().inside {
		return i + 1
	}
	for c := o.first(i); c != 0; c = o.next(i, c) {
		n := o.shape(c)
		if name := o.part(c, n.name); n.is == parameter && name != 0 && !o.missing(name) {
			o.mark(name, declaredFlag)
			o.promote(c, name, o.top().object, n)
		}
	}
	return i + 1
}

// markUpdate marks x in x++ as written to.
func markUpdate(o *outline, i uint32, _ *node) uint32 {
	if c := o.code(i); c != 0 && o.shape(c).is == ident {
		o.mark(c, writeFlag)
	} else if c != 0 && o.shape(c).is == access {
		if name := o.part(c, o.shape(c).name); name != 0 {
			o.mark(name, writeFlag)
		}
	}
	return i + 1
}

func javaRecordPattern(o *outline, i uint32, _ *node) uint32 {
	if name := o.code(i); name != 0 {
		o.mark(name, typeFlag)
	}
	return i + 1
}

func javaLabel(o *outline, i uint32, _ *node) uint32 {
	if name := o.code(i); name != 0 && o.shape(name).is == ident {
		o.mark(name, declaredFlag)
	}
	return i + 1
}
