package facts

import (
	"bytes"

	"readahead/index/internal/treesitter"
)

// rubySpec reads Ruby.
//
//	module Shop                 Shop#
//	  class Cart < Base         Shop#Cart#            Bases: Base, Comparable
//	    include Comparable
//	    attr_reader :name       Shop#Cart#name.
//	    def self.create; end    Shop#Cart#create().
//	    def add(item)           Shop#Cart#add().
//	      @items = []           Shop#Cart#items.
//	  LIMIT = 3                 Shop#LIMIT.
//	  Point = Struct.new(:x)    Shop#Point#
//
// @items is items under the path self. A bare name that is no local is a call.
var rubySpec = tableSpec(&table{
	mend: mendRuby, unsure: hasStrayEnd, grammar: treesitter.Ruby, shapes: rubyShapes, sigils: "@$", free: "method singleton_method", fields: true,
	keywords: `BEGIN END alias and begin break case class def defined? do else elsif end ensure false for if in module next nil
		not or redo rescue retry return self super then true undef unless until when while yield`,
	predeclared: `private protected public module_function private_constant private_class_method puts print p raise lambda proc
		loop block_given? require require_relative autoload include extend prepend attr_reader attr_writer attr_accessor
		define_method alias_method freeze nil? String Integer Float Array Hash Symbol Object Struct Class Module
		StandardError ArgumentError RuntimeError NotImplementedError TypeError Kernel Comparable Enumerable __FILE__ __dir__ _`,
	elements: ` each map select reject find detect collect flat_map each_with_index all? any? none? sum sort_by group_by
		filter filter_map partition min_by max_by each_with_object inject reduce `,
})

var rubyShapes = map[string]shape{
	"comment":           {is: remark},
	"string":            {form: literalForm, says: "String"},
	"string_content":    {is: silent},
	"integer":           {form: literalForm, says: "Integer"},
	"float":             {form: literalForm, says: "Float"},
	"true":              {form: literalForm, says: "true"},
	"false":             {form: literalForm, says: "false"},
	"array":             {form: literalForm, says: "Array"},
	"hash":              {form: literalForm, says: "Hash"},
	"simple_symbol":     {is: silent, form: literalForm, says: "Symbol"},
	"hash_key_symbol":   {is: silent},
	"heredoc_beginning": {is: silent, form: literalForm, says: "String"},

	"identifier":        {is: ident, form: nameForm, do: rubyIdentifier},
	"constant":          {is: ident, form: nameForm},
	"instance_variable": {is: ident, form: fieldForm, says: "self", do: rubyField},
	"class_variable":    {is: ident, form: fieldForm, says: "self", do: rubyField},
	"global_variable":   {is: ident, form: nameForm},
	"self":              {form: selfForm, says: "self"},
	"super":             {form: selfForm, says: "super"},
	"setter":            {},
	"operator":          {is: silent},
	"scope_resolution":  {is: access, form: accessForm, object: "scope", name: "name"},
	"superclass":        {is: bases},

	"call":                         {is: calling, form: callForm, object: "receiver", name: "method", params: "arguments", do: rubyCall},
	"argument_list":                {},
	"element_reference":            {form: indexForm, object: "object"},
	"parenthesized_statements":     {form: innerForm},
	"conditional":                  {form: choiceForm, object: "condition"},
	"binary":                       {form: choiceForm},
	"assignment":                   {is: assign, name: "left", value: "right", do: rubyAssign},
	"operator_assignment":          {is: assign, name: "left", value: "right", do: rubyAssign},
	"left_assignment_list":         {is: pattern},
	"destructured_left_assignment": {is: pattern},
	"rest_assignment":              {is: pattern, says: "rest"},

	"class":            {is: typeDecl, name: "name", body: "body", do: rubyClass},
	"module":           {is: typeDecl, name: "name", body: "body", do: rubyClass},
	"body_statement":   {},
	"method":           {is: function, name: "name", body: "body", params: "parameters", do: rubyMethod},
	"singleton_method": {is: function, name: "name", body: "body", params: "parameters", do: rubyMethod},
	"alias":            {name: "name", do: rubyAlias},

	"method_parameters":      {is: parameters},
	"block_parameters":       {is: parameters},
	"lambda_parameters":      {is: parameters},
	"optional_parameter":     {is: parameter, name: "name", value: "value"},
	"keyword_parameter":      {is: parameter, name: "name", value: "value"},
	"splat_parameter":        {is: parameter, name: "name"},
	"hash_splat_parameter":   {is: parameter, name: "name"},
	"block_parameter":        {is: parameter, name: "name"},
	"destructured_parameter": {is: pattern},

	"block":      {is: lambda, params: "parameters", body: "body", do: rubyBlock},
	"do_block":   {is: lambda, params: "parameters", body: "body", do: rubyBlock},
	"lambda":     {is: lambda},
	"for":        {name: "pattern", value: "value", do: rubyFor},
	"rescue":     {name: "variable", typ: "exceptions", do: rubyRescue},
	"as_pattern": {is: binding, name: "name", typ: "value"},

	"in_clause":                  {name: "pattern", do: rubyPattern},
	"match_pattern":              {name: "pattern", do: rubyPattern},
	"test_pattern":               {name: "pattern", do: rubyPattern},
	"variable_reference_pattern": {},
	"hash_pattern":               {typ: "class"},
	"array_pattern":              {typ: "class"},
	"find_pattern":               {typ: "class"},
	"keyword_pattern":            {object: "key", value: "value"},
	"alternative_pattern":        {},
	"block_argument":             {do: rubyBlockArgument},
}

// rubyPattern declares the names that in {name:, at: [x, *rest]} binds, which is what
// the keys without a value and the bare names stand for. Keys of a class are read.
func rubyPattern(o *outline, i uint32, n *node) uint32 {
	pattern := o.part(i, n.name)
	if pattern == 0 {
		return i + 1
	}
	for j := pattern; j < o.nodes[pattern].Next; j++ {
		switch p := o.parent(j); {
		case o.isA(j, "variable_reference_pattern"):
			j = o.skip(j) - 1
		case o.isA(j, "identifier") && !o.missing(j) && o.bindsIn(p):
			o.bindLocal(j, o.nodes[j].Start, value{})
		case o.isA(j, "identifier") && j == pattern && !o.missing(j):
			o.bindLocal(j, o.nodes[j].Start, value{})
		case o.isA(j, "hash_key_symbol") && !o.missing(j):
			o.rubyKey(j, p)
		}
	}
	return i + 1
}

// bindsIn reports whether a bare name in node i, of a pattern, is bound by it. What
// stands behind * and => declares itself.
func (o *outline) bindsIn(i uint32) bool {
	return o.isA(i, "array_pattern") || o.isA(i, "find_pattern") || o.isA(i, "keyword_pattern") || o.isA(i, "alternative_pattern")
}

// rubyKey reads the key x: of a pattern, which binds x if no value follows.
func (o *outline) rubyKey(key, pair uint32) {
	if o.isA(pair, "keyword_pattern") && o.part(pair, o.shape(pair).value) == 0 && word(o.src, int(o.nodes[key].Start)) == int(o.nodes[key].End) {
		o.bindLocal(key, o.nodes[key].Start, value{})
	}
	if o.isRoot(pair) {
		return
	}
	if class := o.part(o.parent(pair), o.shape(o.parent(pair)).typ); class != 0 && o.isA(o.parent(pair), "hash_pattern") {
		o.ref(key, Read, o.pathOf(class))
	}
}

// rubyBlockArgument reads map(&:price) as a call of price on what map hands out.
func rubyBlockArgument(o *outline, i uint32, _ *node) uint32 {
	symbol := o.code(i)
	if symbol == 0 || !o.isA(symbol, "simple_symbol") || o.nodes[symbol].End-o.nodes[symbol].Start < 2 {
		return i + 1
	}
	at := Span{o.nodes[symbol].Start + 1, o.nodes[symbol].End}
	if !isWord(o.src[at.Start]) || o.isRoot(i) || o.isRoot(o.parent(i)) {
		return i + 1
	}
	path := unknownPath
	if v := o.handedOut(o.parent(o.parent(i))); v.path != "" {
		path = v.path
	}
	o.refAt(at, Call, path)
	return i + 1
}

// rubyIdentifier reads a bare name, which is a call if it is no local. In a block without
// parameters it and _1 are what the block is handed.
func rubyIdentifier(o *outline, i uint32, n *node) uint32 {
	if name := string(o.text(i)); (name == "it" || len(name) == 2 && name[0] == '_' && '1' <= name[1] && name[1] <= '9') && !o.marked(i, declaredFlag) {
		if block := o.blockAround(i); block != 0 && !o.isNamed(i) {
			if v := o.handedOut(o.parent(block)); name[len(name)-1] <= '1' || name == "it" {
				o.bindName(i, o.nodes[i].Start, v, 0)
			}
			o.mark(i, declaredFlag)
			return i + 1
		}
	}
	if !o.marked(i, writeFlag|typeFlag) && o.isStatement(i) {
		o.mark(i, callFlag)
	}
	o.use(i, n)
	return i + 1
}

// blockAround is the block that node i is in, if it has no parameters; 0 for none.
func (o *outline) blockAround(i uint32) uint32 {
	for depth := 0; depth < maxPath && !o.isRoot(i); depth++ {
		i = o.parent(i)
		switch {
		case o.isA(i, "block"), o.isA(i, "do_block"):
			if o.part(i, o.shape(i).params) != 0 || o.isRoot(i) {
				return 0
			}
			return i
		case o.shape(i).is == function:
			return 0
		}
	}
	return 0
}

// isNamed reports whether node i is the method of a call: it "works" do.
func (o *outline) isNamed(i uint32) bool {
	p := o.parent(i)
	return o.shape(p).is == calling && o.part(p, o.shape(p).name) == i
}

// isStatement reports whether an identifier stands for itself, not for the name
// in an alias or the like.
func (o *outline) isStatement(i uint32) bool { return !o.marked(i, declaredFlag) }

// rubyField reads @x as the member x of self.
func rubyField(o *outline, i uint32, _ *node) uint32 {
	if s := o.nameSpan(i); !o.marked(i, declaredFlag) && !o.missing(i) && s.Len() > 0 {
		o.refAt(s, o.role(i), "self")
	}
	return o.skip(i)
}

// outdent leaves the classes and methods that node i cannot be in, since they begin as
// far in as it does: their end is missing. Only where something is.
func (o *outline) outdent(i uint32) {
	at := o.nodes[i].Start
	if o.nodes[0].Flags&treesitter.HasError == 0 && !o.extended || !o.startsLine(at) {
		return
	}
	in := o.indent(at)
	for len(o.frames) > 1 && o.top().object != 0 {
		around := &o.file.Objects[o.top().object]
		if o.indent(around.Ident.Start) < in {
			return
		}
		around.Span.End = min(around.Span.End, max(at, around.Signature.End))
		around.Span = o.trimRight(around.Span)
		around.Body = around.Body.within(around.Span)
		o.leave()
	}
}

// indent is how far in the line of an offset is.
func (o *outline) indent(at uint32) int {
	line := bytes.LastIndexByte(o.src[:at], '\n') + 1
	return skipBlanks(o.src, line) - line
}

// rubyMethod opens a method.
func rubyMethod(o *outline, i uint32, n *node) uint32 {
	o.outdent(i)
	return o.declareFunction(i, n)
}

// rubyClass opens a class or module, which may be named by a path.
func rubyClass(o *outline, i uint32, n *node) uint32 {
	o.outdent(i)
	name := o.part(i, n.name)
	if name == 0 || o.shape(name).is != access || o.top().inside {
		return o.declareType(i, n)
	}
	prefix := o.here()
	for depth := 0; name != 0 && o.shape(name).is == access && depth < maxPath; depth++ {
		s := o.shape(name)
		if around := o.part(name, s.object); around != 0 && depth == 0 {
			for _, step := range bytes.Split(dotted(o.text(around)), []byte(".")) {
				if len(step) > 0 {
					prefix += Descriptor{Name: string(step), Suffix: TypeSuffix}.String()
				}
			}
		}
		name = o.part(name, s.name)
	}
	if o.nameless(name) {
		o.enter(i)
		return i + 1
	}
	o.mark(name, declaredFlag)
	o.openType(i, name, Type, prefix, Descriptor{Name: o.nameOf(name), Suffix: TypeSuffix})
	return i + 1
}

// rubyCall reads the calls that declare or import something.
func rubyCall(o *outline, i uint32, n *node) uint32 {
	o.markCallee(i, n)
	name := o.part(i, n.name)
	if name == 0 || o.part(i, n.object) != 0 {
		return i + 1
	}
	args := o.part(i, n.params)
	defer func() {
		if rubyNamers[string(o.text(name))] {
			o.rubySymbols(args)
		}
	}()
	switch method := string(o.text(name)); method {
	case "require", "require_relative", "load":
		o.rubyRequire(i, args, method)
	case "autoload":
		o.rubyAutoload(i, args)
	case "include", "extend", "prepend":
		if !o.top().inside {
			o.addBases(args)
		}
	case "attr_reader", "attr_writer", "attr_accessor", "has_many", "has_one", "belongs_to":
		o.rubyMembers(i, args, TermSuffix, 16)
	case "delegate", "def_delegators":
		o.rubyMembers(i, args, MethodSuffix, 16)
	case "define_method", "alias_method", "scope":
		o.rubyMembers(i, args, MethodSuffix, 1)
	}
	return i + 1
}

// rubyNamers are methods that are given the names of methods of the class around.
var rubyNamers = map[string]bool{
	"private": true, "protected": true, "public": true, "module_function": true, "private_class_method": true,
	"public_class_method": true, "alias_method": true, "send": true, "public_send": true, "__send__": true, "method": true,
	"before_action": true, "after_action": true, "around_action": true, "skip_before_action": true, "helper_method": true,
	"before_save": true, "after_save": true, "before_create": true, "after_create": true, "before_validation": true,
	"after_commit": true, "before_destroy": true, "after_destroy": true, "validate": true,
}

// rubySymbols reads the symbols of a call as names of methods, but for that which
// alias_method declares.
func (o *outline) rubySymbols(args uint32) {
	if args == 0 {
		return
	}
	for c := o.first(args); c != 0; c = o.next(args, c) {
		s := o.span(c)
		if o.isA(c, "simple_symbol") && s.Len() > 1 && isWord(o.src[s.Start+1]) && !o.declaresAt(s.Start+1) {
			o.refAt(Span{s.Start + 1, s.End}, Read, "self")
		}
	}
}

// declaresAt reports whether the object declared last has its name at an offset.
func (o *outline) declaresAt(at uint32) bool {
	return o.file.Objects[len(o.file.Objects)-1].Ident.Start == at
}

// rubyRequire imports a file: of a relative path the dot says so.
func (o *outline) rubyRequire(i, args uint32, method string) {
	if args == 0 {
		return
	}
	path := o.quoted(o.code(args))
	if path == "" {
		return
	}
	if method == "require_relative" && path[0] != '.' {
		path = "./" + path
	}
	o.file.Imports = append(o.file.Imports, Import{Local: "*", Path: path, At: o.span(i)})
}

func (o *outline) rubyAutoload(i, args uint32) {
	if args == 0 {
		return
	}
	name := o.code(args)
	if name == 0 || o.next(args, name) == 0 {
		return
	}
	if path := o.quoted(o.next(args, name)); path != "" && o.nodes[name].End-o.nodes[name].Start > 1 {
		o.file.Imports = append(o.file.Imports, Import{Local: string(bytes.TrimLeft(o.text(name), ":")), Path: path,
			Name: string(bytes.TrimLeft(o.text(name), ":")), At: o.span(i)})
	}
}

// rubyMembers adds the members that the symbols of a call name.
func (o *outline) rubyMembers(i, args uint32, suffix Suffix, most int) {
	if args == 0 || o.top().inside || o.top().class == 0 {
		return
	}
	for c := o.first(args); c != 0 && most > 0; c = o.next(args, c) {
		if !o.isA(c, "simple_symbol") || bytes.HasPrefix(o.text(c), []byte(":@")) {
			continue
		}
		most--
		at := Span{o.nodes[c].Start + 1, o.nodes[c].End}
		name := bytes.TrimLeft(o.slice(at), `"'@`)
		at.Start = at.End - uint32(len(name))
		if len(name) == 0 || !isWord(name[0]) || name[len(name)-1] == '"' {
			continue
		}
		m := Object{Name: o.names.intern(name), Kind: Field, Ident: at, Parent: o.top().object}
		if suffix == MethodSuffix {
			m.Kind = Method
		}
		d := Descriptor{Name: m.Name, Suffix: suffix}
		if _, ok := o.members[o.here()+d.String()]; ok {
			continue
		}
		o.spans(i, i, 0, 0, &m)
		object := o.add(o.here(), d, m)
		o.members[o.file.Objects[object].Descriptors] = object
	}
}

func rubyAlias(o *outline, i uint32, n *node) uint32 {
	name := o.part(i, n.name)
	if o.nameless(name) || o.top().inside || !o.isA(name, "identifier") {
		return o.skip(i)
	}
	m := Object{Name: o.str(name), Kind: Method, Ident: o.span(name), Parent: o.top().object}
	if m.Parent == 0 {
		m.Kind = Function
	}
	o.spans(i, i, 0, 0, &m)
	o.add(o.here(), Descriptor{Name: m.Name, Suffix: MethodSuffix}, m)
	if old := o.last(i); old != name && o.isA(old, "identifier") && !o.missing(old) {
		o.ref(old, Read, "")
	}
	return o.skip(i)
}

// rubyAssign reads an assignment by what it assigns to.
func rubyAssign(o *outline, i uint32, n *node) uint32 {
	left, right := o.part(i, n.name), o.part(i, n.value)
	if left == 0 || o.missing(left) {
		return i + 1
	}
	switch s := o.shape(left); {
	case s.form == fieldForm:
		o.mark(left, writeFlag)
		if o.top().inside {
			o.declareField(left, i, right)
		} else if o.top().class != 0 {
			o.assignOne(i, left, right, o.value(right), 0, Field)
		}
	case o.isA(left, "constant"):
		o.rubyConstant(i, left, right)
	case s.is == calling:
		if name := o.part(left, s.name); name != 0 {
			o.mark(name, writeFlag)
		}
	case o.isA(left, "global_variable") && !o.top().inside:
		f := o.enter(i) // known everywhere, wherever it stands
		f.object, f.class, f.space = 0, 0, ""
		o.assignNamed(i, left, right, Variable)
	case o.isA(left, "identifier") && o.top().class != 0 && !o.top().inside:
		o.declare(left, o.nodes[i].End) // of the class body alone
	default:
		o.assignNamed(i, left, right, Variable)
	}
	return i + 1
}

// rubyConstant declares a constant, or the type that Struct.new and Class.new
// make.
func (o *outline) rubyConstant(i, name, right uint32) {
	if o.top().inside || o.nameless(name) {
		o.mark(name, writeFlag)
		return
	}
	receiver := o.madeBy(right)
	if receiver == "" {
		o.assignOne(i, name, right, o.value(right), 0, Constant)
		return
	}
	o.mark(name, declaredFlag)
	t := Object{Name: o.str(name), Kind: Type, Ident: o.span(name), Parent: o.top().object}
	o.spans(i, i, 0, right, &t)
	if args := o.part(right, o.shape(right).params); args != 0 && receiver == "Class" {
		if base := o.code(args); base != 0 {
			t.Bases = append(t.Bases, o.typ(base))
		}
	}
	object := o.add(o.here(), Descriptor{Name: t.Name, Suffix: TypeSuffix}, t)
	for c := o.first(right); c != 0; c = o.next(right, c) {
		switch {
		case o.isA(c, "block"), o.isA(c, "do_block"):
			o.lambdas[c] = object // which has the methods in it
		case c == o.part(right, o.shape(right).params) && receiver != "Class" && receiver != "Module":
			o.rubyFields(c, object)
		}
	}
}

// rubyFields adds the fields that Struct.new and Data.define are given as symbols.
func (o *outline) rubyFields(args uint32, object int) {
	for c := o.first(args); c != 0; c = o.next(args, c) {
		if s := o.span(c); o.isA(c, "simple_symbol") && s.Len() > 1 && isWord(o.src[s.Start+1]) {
			at := Span{s.Start + 1, s.End}
			m := Object{Name: o.names.intern(o.slice(at)), Kind: Field, Ident: at, Parent: object}
			o.spans(c, c, 0, 0, &m)
			o.members[o.prefix(object)+Descriptor{Name: m.Name, Suffix: TermSuffix}.String()] = o.add(o.prefix(object), Descriptor{Name: m.Name, Suffix: TermSuffix}, m)
		}
	}
}

// rubyBlock opens a block: what is behind Struct.new(:x) do is the class's body.
func rubyBlock(o *outline, i uint32, n *node) uint32 {
	if object := o.lambdas[i]; object != 0 {
		o.openMembers(i, object)
		return i + 1
	}
	o.enterLambda(i, n)
	return i + 1
}

// madeBy returns Struct, Class, Module or Data for the call that makes one.
func (o *outline) madeBy(e uint32) string {
	if e == 0 || o.shape(e).is != calling {
		return ""
	}
	receiver, name := o.part(e, o.shape(e).object), o.part(e, o.shape(e).name)
	if receiver == 0 || name == 0 {
		return ""
	}
	switch made := string(o.text(receiver)) + "." + string(o.text(name)); made {
	case "Struct.new", "Class.new", "Module.new", "Data.define":
		return made[:bytes.IndexByte([]byte(made), '.')]
	}
	return ""
}

func rubyFor(o *outline, i uint32, n *node) uint32 {
	if name := o.part(i, n.name); name != 0 && o.top().inside {
		v := value{}
		if right := o.part(i, n.value); right != 0 && o.code(right) != 0 {
			if v = o.value(o.code(right)); v.path != "" {
				v.path += "[]"
			}
		}
		o.bindLocal(name, o.nodes[name].End, value{path: v.path})
	}
	return i + 1
}

// rubyRescue binds what is rescued.
func rubyRescue(o *outline, i uint32, n *node) uint32 {
	v := o.part(i, n.name)
	if v == 0 {
		return i + 1
	}
	typ := uint32(0)
	if list := o.part(i, n.typ); list != 0 {
		typ = o.code(list)
		o.markType(list)
	}
	if name := o.code(v); name != 0 && o.shape(name).is == ident && o.top().inside {
		o.bindLocal(name, o.nodes[name].End, value{typ: o.typ(typ)})
	}
	return i + 1
}
