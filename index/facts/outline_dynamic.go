package facts

// In PHP and Ruby a variable is declared by its first assignment.

// assignNamed reads left = right, where left is a name, a pattern or something
// that only is written to. kind is of what a name outside functions declares.
func (o *outline) assignNamed(i, left, right uint32, kind Kind) {
	if left == 0 || o.missing(left) {
		return
	}
	v := value{}
	if right != 0 {
		v = o.value(right)
	}
	switch is := o.shape(left).is; {
	case is == pattern:
		for c := o.first(left); c != 0; c = o.next(left, c) {
			if n := o.shape(c); n.is == access || n.is == calling {
				o.markWritten(c, 0)
			}
		}
		o.eachName(left, v.path, func(name uint32, path string, result int) {
			o.assignPart(i, name, value{path: path}, result, kind)
		})
	case is == ident:
		o.assignOne(i, left, right, v, 0, kind)
	}
}

// assignPart reads the assignment to one name of a pattern.
func (o *outline) assignPart(i, name uint32, v value, result int, kind Kind) {
	switch {
	case o.shape(name).form == fieldForm:
		if o.mark(name, writeFlag); o.top().inside {
			o.declareField(name, i, 0)
		}
	case o.isA(name, "global_variable") && o.top().inside:
		o.mark(name, writeFlag)
	default:
		o.assignOne(i, name, 0, v, result, kind)
	}
}

func (o *outline) assignOne(i, name, right uint32, v value, result int, kind Kind) {
	if o.nameless(name) {
		return
	}
	if o.top().inside {
		if o.scopes.local(o.names.id(o.text(name)), o.nodes[i].Start) {
			o.mark(name, writeFlag)
		} else {
			o.declare(name, o.nodes[i].End)
		}
		o.bindName(name, o.nodes[i].End, v, result)
		return
	}
	d := Descriptor{Name: o.nameOf(name), Suffix: TermSuffix}
	full := o.here() + d.String()
	if known, ok := o.members[full]; ok {
		if k := &o.file.Objects[known]; k.Type == "" && k.Value == "" && result == 0 {
			k.Type, k.Value = v.typ, v.path
		}
		o.mark(name, writeFlag)
		return
	}
	o.mark(name, declaredFlag)
	w := Object{Name: d.Name, Kind: kind, Ident: o.nameSpan(name), Parent: o.top().object, Type: v.typ}
	if w.Parent != 0 && kind == Variable {
		w.Kind = Field
	}
	if result == 0 {
		w.Value = v.path
	}
	o.spans(i, o.outer(i), 0, right, &w)
	o.members[full] = o.add(o.here(), d, w)
}

// addBases adds the types at the children of a node to those that the type
// around it is derived from.
func (o *outline) addBases(list uint32) {
	class := o.top().class
	for c := o.first(list); list != 0 && class != 0 && c != 0; c = o.next(list, c) {
		switch n := o.shape(c); {
		case n.is == ident || n.is == access || n.form == textForm:
			o.file.Objects[class].Bases = append(o.file.Objects[class].Bases, o.typ(c))
			o.markType(c)
		}
	}
}
