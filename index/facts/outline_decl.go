package facts

import (
	"bytes"
	"strings"
)

// declareType opens a type's object; inside a function it is a local, and so is
// what it declares.
func (o *outline) declareType(i uint32, n *node) uint32 {
	name := o.part(i, n.name)
	if o.nameless(name) {
		o.enter(i)
		return i + 1
	}
	if o.top().inside {
		o.declare(name, 0)
		o.enter(i)
		return i + 1
	}
	o.mark(name, declaredFlag)
	o.openType(i, name, Type, o.here(), Descriptor{Name: o.nameOf(name), Suffix: TypeSuffix})
	return i + 1
}

// openType adds a type's object and enters it.
func (o *outline) openType(i, name uint32, kind Kind, prefix string, d Descriptor) int {
	n := o.shape(i)
	t := Object{Name: o.nameOf(name), Kind: kind, Ident: o.nameSpan(name), Parent: o.top().object}
	o.spans(i, o.outer(i), o.part(i, n.body), 0, &t)
	t.Bases = o.basesOf(i, nil, 0)
	if v := o.part(i, n.value); v != 0 && t.Body.Len() == 0 {
		if text := o.typ(v); text != "" {
			t.Bases = append(t.Bases, text)
		}
	}
	t.Test = o.isTest(i, &t)
	object := o.add(prefix, d, t)
	o.openMembers(i, object)
	return object
}

// openMembers enters an object whose members are declared in node i.
func (o *outline) openMembers(i uint32, object int) {
	f := o.enterObject(i, object)
	f.class, f.space = object, ""
}

// basesOf collects the types under the nodes that hold what i derives from.
func (o *outline) basesOf(i uint32, list []string, depth int) []string {
	for c := o.first(i); c != 0 && depth < 4; c = o.next(i, c) {
		if o.shape(c).is != bases {
			continue
		}
		for b := o.first(c); b != 0; b = o.next(c, b) {
			switch n := o.shape(b); {
			case n.form == textForm, n.is == ident, n.is == typeIdent, n.is == typeExpr, n.is == access, n.is == calling, n.is == types:
				if t := o.typ(b); t != "" {
					list = append(list, t)
				}
			}
		}
		list = o.basesOf(c, list, depth+1)
	}
	return list
}

// declareFunction opens a function's object and scope.
func (o *outline) declareFunction(i uint32, n *node) uint32 {
	name := o.part(i, n.name)
	if o.nameless(name) {
		o.enterBody(i, 0)
		return i + 1
	}
	if o.top().inside {
		if o.shape(name).is == ident || o.first(name) == 0 {
			o.declare(name, 0)
		}
		o.enterBody(i, 0)
		return i + 1
	}
	for j := name; j < o.nodes[name].Next; j++ {
		o.mark(j, declaredFlag)
	}
	o.enterBody(i, o.addFunction(i, i, name, n))
	return i + 1
}

// addFunction adds the object of the function that node i is, declared by node
// at.
func (o *outline) addFunction(i, at, name uint32, n *node) int {
	parent := o.top().object
	f := Object{Name: o.nameOf(name), Kind: Function, Ident: o.nameSpan(name), Parent: parent}
	if parent != 0 || strings.HasSuffix(o.top().space, "]") {
		f.Kind = Method
	}
	o.markType(o.part(i, n.typ))
	f.Type = o.resultType(i, n)
	o.spans(i, o.outer(at), o.part(i, n.body), 0, &f)
	f.Test = o.isTest(at, &f)
	d := Descriptor{Name: f.Name, Suffix: MethodSuffix, Disambiguator: o.disambiguator(i, at, name)}
	return o.add(o.here(), d, f)
}

func (o *outline) resultType(i uint32, n *node) string { return o.typ(o.part(i, n.typ)) }

// disambiguator tells functions of one name apart by what they say themselves: a
// setter is no getter, and overloads have parameters of other types.
func (o *outline) disambiguator(i, at, name uint32) string {
	if o.table.overloads {
		return o.parameterTypes(i)
	}
	before := bytes.Fields(o.slice(o.between(o.nodes[at].Start, o.nodes[name].Start)))
	if len(before) > 0 && string(before[len(before)-1]) == "set" {
		return "setter"
	}
	if o.part(i, o.shape(i).body) == 0 && o.isOverload(i, name) {
		return o.parameterTypes(i)
	}
	return ""
}

// A sibling is a function that is remembered for the one behind it.
type sibling struct {
	name string
	list uint32 // the node around it
}

// isOverload reports whether the declaration before or behind that of node i is
// of the same name.
func (o *outline) isOverload(i, name uint32) bool {
	at := o.outer(i)
	list, before := o.parent(at), o.previous
	o.previous = sibling{o.nameOf(name), list}
	if before == o.previous {
		return true
	}
	if o.isRoot(at) {
		return false
	}
	for c := o.next(list, at); c != 0; c = o.next(list, c) {
		if is := o.shape(c).is; is != remark && is != attribute {
			return o.declares(c, name)
		}
	}
	return false
}

// declares reports whether node c, or what it wraps, declares a function called
// as the node name.
func (o *outline) declares(c, name uint32) bool {
	for depth := 0; c != 0 && depth < 4; depth++ {
		n := o.shape(c)
		switch n.is {
		case function:
			other := o.part(c, n.name)
			return other != 0 && bytes.Equal(o.text(other), o.text(name))
		case wrapper:
			c = o.last(c)
			continue
		}
		return false
	}
	return false
}

// enterBody opens the scope of a function. object is its own, or 0 if it has
// none.
func (o *outline) enterBody(i uint32, object int) *frame {
	class := 0
	if p := o.top().object; p != 0 && !o.top().inside && o.file.Objects[p].Kind == Type {
		class = p
	}
	f := o.enter(i)
	if object != 0 {
		f.object = object
	}
	if class != 0 {
		f.class = class
	}
	f.inside, f.space = true, ""
	return f
}

// declareVariable reads name: typ = value. A function or class as the value is
// what the name stands for.
func (o *outline) declareVariable(i uint32, n *node) {
	name, right := o.part(i, n.name), o.part(i, n.value)
	if o.nameless(name) {
		return
	}
	if right == name {
		right = 0
	}
	typ := o.part(i, n.typ)
	o.markType(typ)
	if typ == 0 && !o.isRoot(i) {
		typ = o.part(o.parent(i), o.shape(o.parent(i)).typ)
	}
	o.declareNamed(i, name, typ, right)
}

// declareNamed declares the name or the names in a pattern, which node i states.
func (o *outline) declareNamed(i, name, typ, right uint32) {
	v := value{typ: o.typ(typ)}
	if v.typ == "" && right != 0 {
		v = o.value(right)
	}
	if o.shape(name).is == pattern {
		o.eachName(name, v.path, func(name uint32, path string, result int) {
			o.declareOne(i, name, right, value{path: path}, result)
		})
		return
	}
	o.declareOne(i, name, right, v, 0)
}

func (o *outline) declareOne(i, name, right uint32, v value, result int) {
	if o.nameless(name) {
		return
	}
	if o.top().inside {
		o.declare(name, o.nodes[i].End)
		o.bindName(name, o.nodes[i].End, v, result)
		return
	}
	o.mark(name, declaredFlag)
	kind := Variable
	switch parent := o.top().object; {
	case right != 0 && o.shape(right).is == lambda:
		o.declareLambda(i, name, right)
		return
	case o.isConstant(i, name):
		kind = Constant
	case parent != 0:
		kind = Field
	}
	w := Object{Name: o.nameOf(name), Kind: kind, Ident: o.nameSpan(name), Parent: o.top().object, Type: v.typ}
	if result == 0 {
		w.Value = v.path
	}
	o.spans(i, o.outer(i), 0, right, &w)
	object := o.add(o.here(), Descriptor{Name: w.Name, Suffix: TermSuffix}, w)
	o.members[o.file.Objects[object].Descriptors] = object
}

// isConstant reports whether a variable says that it never changes and is
// written as one.
func (o *outline) isConstant(i, name uint32) bool {
	if o.shape(i).kind == Constant {
		return true
	}
	before := bytes.Fields(o.slice(o.between(o.nodes[o.outer(i)].Start, o.nodes[name].Start)))
	for _, w := range before {
		if o.table.constants != "" && string(w) == o.table.constants {
			return true
		}
		switch string(w) {
		case "final", "const", "readonly", "constexpr":
			return isUpper(o.nameOf(name))
		}
	}
	return false
}

// declareLambda adds the object of a function that is a variable's value, and
// has its body belong to it.
func (o *outline) declareLambda(i, name, right uint32) {
	object := o.addFunction(right, i, name, o.shape(right))
	o.lambdas[right] = object
}

// addEnumMember adds a member of an enumeration, which is of the enumeration's
// type.
func (o *outline) addEnumMember(i, name uint32) int {
	o.mark(name, declaredFlag)
	m := Object{Name: o.nameOf(name), Kind: Constant, Ident: o.nameSpan(name), Parent: o.top().object}
	if class := o.top().class; class != 0 {
		m.Type = o.file.Objects[class].Name
	}
	o.spans(i, i, o.part(i, o.shape(i).body), 0, &m)
	return o.add(o.here(), Descriptor{Name: m.Name, Suffix: TermSuffix}, m)
}

// outer is the node that a declaration's text is: its own, or that of the
// statement, export or template around it.
func (o *outline) outer(i uint32) uint32 {
	for range 6 {
		p := o.parent(i)
		if o.isRoot(i) || o.shape(p).is != wrapper {
			break
		}
		i = p
	}
	return i
}

// spans sets where a declaration stands: it begins with its comment and its
// attributes, and its signature ends where its body or its long value begins.
func (o *outline) spans(i, outer, body, right uint32, d *Object) {
	d.Span = o.span(outer)
	d.Signature = Span{o.afterAttributes(outer), d.Span.End}
	if o.table.macros && d.Signature.Start == d.Span.Start {
		d.Span.Start = o.erasedFrom(outer)
		d.Signature.Start = d.Span.Start
	}
	switch {
	case body != 0:
		d.Body = Span{o.nodes[body].Start, max(o.nodes[body].Start, o.nodes[i].End)}
		d.Signature.End = d.Body.Start
	case right != 0 && bytes.IndexByte(o.text(right), '\n') >= 0:
		d.Signature.End = o.nodes[right].Start
	}
	d.Signature = o.trimSignature(d.Signature)
	d.Span = o.trimRight(d.Span)
	o.document(d)
	if p := d.Parent; p > 0 {
		d.Span.Start = max(d.Span.Start, o.file.Objects[p].Span.Start)
		d.Span.End = min(d.Span.End, o.file.Objects[p].Span.End)
	}
	d.Body = d.Body.within(d.Span)
	d.Signature.End = min(d.Signature.End, d.Span.End)
	if d.Body.Len() > 0 {
		d.Signature.End = min(d.Signature.End, d.Body.Start)
	}
	d.Signature.Start = min(d.Signature.Start, d.Signature.End)
}

// erasedFrom is where the line of node i begins, if nothing of the tree is between: a
// macro is, which the parser has not seen.
func (o *outline) erasedFrom(i uint32) uint32 {
	start := o.nodes[i].Start
	line := uint32(skipBlanks(o.src, bytes.LastIndexByte(o.src[:start], '\n')+1))
	if i == 0 || line >= start || bytes.ContainsAny(o.src[line:start], ";{}") {
		return start
	}
	if before := o.nodes[i-1]; before.End > line && (before.Next <= i || before.Start > line) {
		return start
	}
	return line
}

// within is the part of s that lies in t.
func (s Span) within(t Span) Span {
	s = Span{max(s.Start, t.Start), min(s.End, t.End)}
	if s.Start >= s.End {
		return Span{}
	}
	return s
}

func (o *outline) trimSignature(s Span) Span {
	if s.Start > s.End {
		return Span{s.End, s.End}
	}
	s.End = s.Start + uint32(len(bytes.TrimRight(o.slice(s), " \t\r\n\f;,")))
	return s
}

// isTest reports whether a declaration is a test: by an attribute, by its base,
// or by its name in a file of tests.
func (o *outline) isTest(i uint32, d *Object) bool {
	if d.Parent > 0 && o.file.Objects[d.Parent].Test {
		return true
	}
	if strings.Contains(o.top().space, "tests/") {
		return true
	}
	head := string(o.slice(o.between(d.Span.Start, d.Signature.Start)))
	for a := range strings.FieldsSeq(o.table.tests) {
		if strings.Contains(head, a) {
			return true
		}
	}
	for _, base := range d.Bases {
		if strings.HasSuffix(base, "TestCase") || strings.HasSuffix(base, "::Test") {
			return true
		}
	}
	lower := strings.ToLower(d.Name)
	return o.testFile && (strings.HasPrefix(lower, "test") || strings.HasSuffix(lower, "test") || strings.HasSuffix(lower, "tests"))
}
