package facts

import "strings"

// parameterList declares the parameters that are no more than a name or a
// pattern; the others are met as parameters of their own.
func (o *outline) parameterList(i uint32) {
	first := true
	for c := o.first(i); c != 0; c = o.next(i, c) {
		switch n := o.shape(c); n.is {
		case ident:
			v := value{}
			if first {
				v = o.element(i)
			}
			o.declareParameter(c, v)
		case pattern:
			o.eachName(c, "", func(name uint32, _ string, _ int) { o.declareParameter(name, value{}) })
		case remark:
			continue
		}
		first = false
	}
}

// declareParameter makes the name at node i a parameter of the function around
// it.
func (o *outline) declareParameter(i uint32, v value) {
	o.declare(i, 0)
	o.bindName(i, o.nodes[i].End, v, 0)
}

// bindName is bind for a name that may have a sigil.
func (o *outline) bindName(i, from uint32, v value, result int) {
	if o.nameless(i) {
		return
	}
	o.file.Bindings = append(o.file.Bindings, Binding{
		Name: o.nameOf(i), Object: o.top().object, At: from, Type: v.typ, Value: v.path, Result: result,
	})
}

// parameter declares and binds one parameter.
func (o *outline) parameter(i uint32, n *node) {
	name := o.part(i, n.name)
	if o.nameless(name) {
		return
	}
	o.markType(o.part(i, n.typ))
	if !o.top().inside { // of a function type or a declaration
		o.mark(name, declaredFlag)
		return
	}
	v := value{typ: o.typ(o.part(i, n.typ))}
	if v.typ == "" {
		if right := o.part(i, n.value); right != 0 {
			v = o.value(right)
		} else if list := o.parent(i); o.code(list) == i {
			v = o.element(list)
		}
	}
	if rest := o.code(name); o.shape(name).says == "rest" && rest != 0 && o.shape(rest).is == ident { // ...args: T[]
		name = rest
	}
	if o.shape(name).is != pattern {
		o.declareParameter(name, v)
		return
	}
	head := v.path
	if isDotted(v.typ) && v.typ != "" {
		head = v.typ + "()"
	}
	o.eachName(name, head, func(name uint32, path string, _ int) { o.declareParameter(name, value{path: path}) })
}

// declareTypeParameter makes the name at node i stand for its constraint.
func (o *outline) declareTypeParameter(i, constraint uint32) {
	o.declare(i, 0)
	if t := o.typ(constraint); t != "" {
		o.bindName(i, o.nodes[i].End, value{typ: t}, 0)
	}
}

// element is what the first parameter of a function stands for that is handed
// to a method which calls it with each element: c.items[] for it in
// c.items.map(it => …). i is the list of its parameters, or the parameter.
func (o *outline) element(i uint32) value {
	f := o.parent(i)
	if o.isRoot(i) || o.shape(f).is != lambda || o.isRoot(f) {
		return value{}
	}
	call := o.parent(f)
	if n := o.shape(call); n.is != calling && !o.isRoot(call) {
		if o.first(call) != f {
			return value{}
		}
		call = o.parent(call)
	}
	return o.handedOut(call)
}

// handedOut is what a call hands to the function that it is given: each element of its
// object.
func (o *outline) handedOut(call uint32) value {
	n := o.shape(call)
	if n.is != calling {
		return value{}
	}
	name, object := o.part(call, n.name), o.part(call, n.object)
	if object == 0 && name != 0 && o.shape(name).is == access {
		callee := o.shape(name)
		name, object = o.part(name, callee.name), o.part(name, callee.object)
	}
	if name == 0 || object == 0 || !strings.Contains(o.table.elements, " "+o.nameOf(name)+" ") {
		return value{}
	}
	buf, ok := o.appendPath(o.buf[:0], object, 0)
	if o.buf = buf; !ok {
		return value{}
	}
	return value{path: o.names.intern(append(buf, "[]"...))}
}

// enterLambda opens the scope of a function without a name. One that is a
// variable's value has the variable's object.
func (o *outline) enterLambda(i uint32, n *node) {
	object := o.lambdas[i]
	o.enterBody(i, object)
	if p := o.part(i, n.params); p != 0 && o.shape(p).is == ident && !o.nameless(p) {
		o.declareParameter(p, o.element(p))
	}
}

// loop binds the name that stands for each element of what is gone through.
func (o *outline) loop(i uint32, n *node) {
	o.enter(i)
	name, right := o.part(i, n.name), o.part(i, n.value)
	o.markType(o.part(i, n.typ))
	if o.nameless(name) {
		return
	}
	at := o.nodes[name].End
	v := value{typ: o.typ(o.part(i, n.typ))}
	if right != 0 {
		at = o.nodes[right].End
		if v.typ == "" {
			buf, ok := o.appendPath(o.buf[:0], right, 0)
			if o.buf = buf; ok {
				v.path = o.names.intern(append(buf, "[]"...))
			}
		}
	}
	o.bindLocal(name, at, v)
}

// bindPart binds the name of a pattern, a resource or an exception.
func (o *outline) bindPart(i uint32, n *node) {
	name, typ := o.part(i, n.name), o.part(i, n.typ)
	o.markType(typ)
	if o.nameless(name) || name == typ {
		return
	}
	v := value{typ: o.typ(typ)}
	if v.typ == "" {
		v = o.value(o.part(i, n.value))
	}
	o.bindLocal(name, o.nodes[i].End, v)
}

// bindLocal makes a name, or those of a pattern, local from an offset on.
func (o *outline) bindLocal(name, at uint32, v value) {
	switch is := o.shape(name).is; {
	case is == pattern:
		o.eachName(name, v.path, func(name uint32, path string, result int) {
			o.declare(name, at)
			o.bindName(name, at, value{path: path}, result)
		})
	case is == ident || o.first(name) == 0:
		o.declare(name, at)
		o.bindName(name, at, v, 0)
	}
}

// A piece is what a pattern takes apart: a value, or a part of one.
type piece struct {
	path   string // of the value
	owner  string // path of what its members are members of: of its type if the pattern says it
	number int    // in the list that it is in
	depth  int
}

// eachName calls f for the names that a pattern binds. path is that of the value
// that is taken apart: a name that stands for a member of it has the member's
// path, one in a list the same path and its number. The members that the pattern
// names are read.
func (o *outline) eachName(i uint32, path string, f func(name uint32, path string, result int)) {
	o.takeApart(i, piece{path: path, owner: path}, f)
}

func (o *outline) takeApart(i uint32, p piece, f func(name uint32, path string, result int)) {
	if p.depth > maxPath {
		return
	}
	n := o.shape(i)
	if o.part(i, n.name) != 0 { // x = 1, of which only x is bound
		o.take(i, p, f)
		return
	}
	typ := o.part(i, n.typ)
	if typ != 0 {
		p.owner = o.pathOf(typ)
	}
	for c := o.first(i); c != 0; c = o.next(i, c) {
		if o.shape(c).is != remark && (c != typ || typ == 0) {
			o.take(c, p, f)
			p.number++
		}
	}
}

// take calls f for the names that one element of a pattern binds.
func (o *outline) take(c uint32, p piece, f func(name uint32, path string, result int)) {
	n := o.shape(c)
	switch {
	case n.is == ident && (o.missing(c) || o.table.capitals && isCapital(o.src[o.nodes[c].Start])):
	case n.is == ident && n.says == "shorthand":
		f(c, o.takeMember(p, c), 0)
	case n.is == ident:
		f(c, p.path, p.number)
	case n.is == pattern:
		name, inner := o.part(c, n.name), piece{path: p.path, owner: p.path, depth: p.depth + 1}
		key := o.part(c, n.object)
		if key != 0 {
			inner.path = o.takeMember(p, key)
		} else if name == 0 && n.says == "rest" {
			inner.path = ""
		}
		inner.owner = inner.path
		switch {
		case name == 0:
			o.takeApart(c, inner, f)
		case o.shape(name).is == ident && o.shape(name).says == "shorthand":
			f(name, o.takeMember(p, name), 0)
		case o.shape(name).is == ident && key != 0:
			f(name, inner.path, 0)
		case o.shape(name).is == ident:
			f(name, inner.path, p.number)
		case o.shape(name).is == pattern:
			o.takeApart(name, inner, f)
		}
	}
}

func isCapital(c byte) bool { return 'A' <= c && c <= 'Z' }

// takeMember records that a pattern reads the member at node name, and returns the
// member's path.
func (o *outline) takeMember(p piece, name uint32) string {
	if o.first(name) != 0 || o.missing(name) || !isWord(o.src[o.nodes[name].Start]) || o.src[o.nodes[name].Start] <= '9' {
		return ""
	}
	switch {
	case o.taking != "" && p.depth == 0:
		o.refAt(o.nameSpan(name), ImportUse, o.taking)
	case o.taking == "" && p.owner != "":
		o.refAt(o.nameSpan(name), Read, p.owner)
	}
	if p.path == "" {
		return ""
	}
	return o.names.intern([]byte(p.path + "." + o.nameOf(name)))
}
