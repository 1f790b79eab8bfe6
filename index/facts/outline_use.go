package facts

// use records the use of the name at node i.
func (o *outline) use(i uint32, n *node) {
	if o.marked(i, declaredFlag) || o.missing(i) {
		return
	}
	s := o.nameSpan(i)
	if s.Len() == 0 {
		return
	}
	name := o.slice(s)
	if o.marked(i, memberFlag) {
		p := o.parent(i)
		for o.shape(p).is == typeExpr && !o.isRoot(p) {
			p = o.parent(p)
		}
		o.refAt(s, o.roleOf(i), o.qualifier(i, p))
		return
	}
	id := o.names.id(o.text(i))
	if o.known[string(name)] || o.scopes.local(id, o.nodes[i].Start) || o.modules[id] {
		return
	}
	o.refAt(s, o.roleOf(i), "")
}

// qualifier returns the path of what stands before the member at node i, of an access
// at node p. Where accesses are nested to the right, as in a::(b::c), that begins
// further out.
func (o *outline) qualifier(i, p uint32) string {
	n := o.shape(p)
	object := o.part(p, n.object)
	path := ""
	if object == 0 || object != i && !o.within(i, object) {
		path = o.pathOf(object)
	}
	for depth := 0; depth < maxPath && !o.isRoot(p); depth++ {
		outer := o.parent(p)
		if n := o.shape(outer); n.is != access || o.part(outer, n.name) != p {
			break
		}
		p = outer
		object := o.part(p, o.shape(p).object)
		if object == 0 { // ::a::b
			break
		}
		before := o.pathOf(object)
		if path != "" {
			before += "." + path
		}
		path = before
	}
	return o.names.intern([]byte(path))
}

// within reports whether node i is inside node j.
func (o *outline) within(i, j uint32) bool { return j < i && i < o.nodes[j].Next }

func (o *outline) roleOf(i uint32) Role {
	switch role := o.role(i); {
	case role == TypeUse && o.isNamespace(i):
		return Read
	case role != Read:
		return role
	}
	if o.leaveContexts(i); len(o.contexts) > 0 && o.contexts[len(o.contexts)-1].types && !o.isNamespace(i) {
		return TypeUse
	}
	return Read
}

// A context is a part of the text in which names stand for types, or for values:
// that of a base's arguments in class A extends mixin(B) {}.
type context struct {
	until uint32
	types bool
}

// stand notes what the names in node i stand for.
func (o *outline) stand(i uint32, types bool) {
	o.leaveContexts(i)
	o.contexts = append(o.contexts, context{o.nodes[i].End, types})
}

// leaveContexts forgets those that end before node i.
func (o *outline) leaveContexts(i uint32) {
	n := len(o.contexts)
	for n > 0 && o.contexts[n-1].until <= o.nodes[i].Start {
		n--
	}
	o.contexts = o.contexts[:n]
}

// isNamespace reports whether a name in a type is what the type is looked up in,
// and written as namespaces and packages are: std in std::string.
func (o *outline) isNamespace(i uint32) bool {
	if isCapital(o.src[o.nodes[i].Start]) {
		return false
	}
	for range 2 {
		if o.isRoot(i) {
			return false
		}
		p := o.parent(i)
		n := o.shape(p)
		if n.is != access {
			return false
		}
		if o.part(p, n.object) == i {
			return true
		}
		i = p
	}
	return false
}

// namedArgument leaves a name out that belongs to what is called, as x in f(x: 1).
func namedArgument(o *outline, i uint32, n *node) uint32 {
	if name := o.part(i, n.name); name != 0 {
		o.mark(name, declaredFlag)
	}
	return i + 1
}

// markMember marks the name behind a dot, so that it is known for a member when
// it is met.
func (o *outline) markMember(i uint32, n *node) {
	name := o.part(i, n.name)
	if name == 0 || o.part(i, n.object) == 0 {
		return
	}
	for o.shape(name).is == typeExpr { // with type arguments
		inner := o.inner(name, o.shape(name))
		if inner == 0 {
			return
		}
		name = inner
	}
	o.mark(name, memberFlag)
}

// markType marks the names in a type expression.
func (o *outline) markType(i uint32) {
	if i == 0 {
		return
	}
	for j := i; j < o.nodes[i].Next; j++ {
		if o.shape(j).is == ident {
			o.mark(j, typeFlag)
		}
	}
}

// markCallee marks what a call calls.
func (o *outline) markCallee(i uint32, n *node) {
	o.markMember(i, n)
	if name := o.part(i, n.name); name != 0 {
		o.markCalled(name)
	}
}

// markCalled marks the name in an expression that is called: f in f, b in a.b,
// f in f<T>.
func (o *outline) markCalled(e uint32) {
	for depth := 0; e != 0 && depth < maxPath; depth++ {
		n := o.shape(e)
		switch {
		case n.is == ident || n.is == typeIdent || o.first(e) == 0:
			o.mark(e, callFlag)
			return
		case n.is == access:
			e = o.part(e, n.name)
		case n.is == typeExpr || n.form == innerForm:
			e = o.inner(e, n)
		default:
			return
		}
	}
}

// markCreated marks the type in new T() as called.
func (o *outline) markCreated(e uint32, depth int) {
	if e != 0 && depth < maxPath {
		o.markCalled(e)
	}
}

// inner is what a node that is no more than what it holds, holds.
func (o *outline) inner(e uint32, n *node) uint32 {
	if c := o.part(e, n.value); c != 0 {
		return c
	}
	if c := o.part(e, n.name); c != 0 {
		return c
	}
	return o.code(e)
}

// assign marks what is written to. Through the receiver, that may be a field's
// declaration.
func (o *outline) assign(i uint32, n *node) {
	target := o.part(i, n.name)
	if target == 0 {
		return
	}
	t := o.shape(target)
	switch {
	case t.is == access:
		name, object := o.part(target, t.name), o.part(target, t.object)
		if name == 0 {
			return
		}
		o.mark(name, writeFlag)
		if object != 0 && o.shape(object).form == selfForm && o.table.fields {
			o.declareField(name, i, o.part(i, n.value))
		}
	default:
		o.markWritten(target, 0)
	}
}

// markWritten marks the names that an assignment to an expression or a pattern
// writes to: a, b and d in [a, this.b, {c: d}] = x.
func (o *outline) markWritten(e uint32, depth int) {
	n := o.shape(e)
	switch {
	case depth > maxPath:
	case n.is == ident:
		o.mark(e, writeFlag)
	case n.is == access || n.is == calling:
		if name := o.part(e, n.name); name != 0 {
			o.mark(name, writeFlag)
		}
	case n.is == pattern && o.part(e, n.name) != 0:
		o.markWritten(o.part(e, n.name), depth+1)
	case n.is == pattern:
		for c := o.first(e); c != 0; c = o.next(e, c) {
			o.markWritten(c, depth+1)
		}
	}
}

// declareField adds the field that a method declares by assigning to it.
func (o *outline) declareField(name, i, right uint32) {
	f := o.top()
	if f.class == 0 || o.nameless(name) {
		return
	}
	class := &o.file.Objects[f.class]
	v := o.outside(o.value(right), o.nodes[i].Start)
	d := Descriptor{Name: o.nameOf(name), Suffix: TermSuffix}
	o.buf = d.append(append(o.buf[:0], class.Descriptors...))
	if known, ok := o.members[string(o.buf)]; ok {
		if k := &o.file.Objects[known]; k.Type == "" && k.Value == "" {
			k.Type, k.Value = v.typ, v.path
		}
		return
	}
	if !class.Body.Contains(o.nodes[i].Start) {
		return
	}
	o.mark(name, declaredFlag)
	field := Object{Name: d.Name, Kind: Field, Ident: o.nameSpan(name), Parent: f.class, Type: v.typ, Value: v.path}
	o.spans(i, i, 0, right, &field)
	o.members[string(o.buf)] = o.add(class.Descriptors, d, field)
}
