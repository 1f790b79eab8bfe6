package facts

import (
	"bytes"
	"strings"
)

// value returns what an initialiser says about what it initialises. Of a choice
// the first operand that says something counts.
func (o *outline) value(e uint32) value {
	for depth := 0; e != 0 && depth < maxPath; depth++ {
		n := o.shape(e)
		switch n.form {
		case literalForm:
			return value{typ: n.says}
		case createForm, castForm:
			if t := o.part(e, n.typ); t != 0 {
				return value{typ: o.typ(t)}
			}
			return value{}
		case choiceForm:
			return o.choice(e, n)
		case innerForm:
			e = o.inner(e, n)
			continue
		case callForm:
			if t := o.castTo(e, n); t != "" {
				return value{typ: t}
			}
		}
		buf, ok := o.appendPath(o.buf[:0], e, 0)
		if o.buf = buf; !ok {
			return value{}
		}
		return value{path: o.names.intern(buf)}
	}
	return value{}
}

// castTo is the type in static_cast<T>(x), "" for any other call.
func (o *outline) castTo(e uint32, n *node) string {
	callee := o.part(e, n.name)
	if !o.table.casts || callee == 0 {
		return ""
	}
	name, end, found := bytes.Cut(o.text(callee), []byte("<"))
	if typ, closed := bytes.CutSuffix(end, []byte(">")); found && closed && bytes.HasSuffix(name, []byte("_cast")) && len(typ) <= maxType {
		return o.names.intern(typ)
	}
	return ""
}

// choice tries the operands of a choice, but not its condition. A parameter or
// local of which nothing is known says nothing.
func (o *outline) choice(e uint32, n *node) value {
	condition := o.part(e, n.object)
	for c := o.code(e); c != 0; c = o.next(e, c) {
		if f := o.shape(c).form; c == condition || f == choiceForm {
			continue
		}
		if v := o.value(c); v != (value{}) && o.outside(v, o.nodes[c].Start) != (value{}) {
			return v
		}
	}
	return value{}
}

// typ returns the type expression at a node as written; "" for none and for one
// that says nothing, such as var.
func (o *outline) typ(i uint32) string {
	for depth := 0; i != 0 && o.shape(i).is == types && depth < maxPath; depth++ {
		i = o.code(i)
	}
	if i == 0 || o.missing(i) {
		return ""
	}
	switch t := strings.TrimLeft(o.builder.typ(i), ": "); t {
	case "var", "auto", "let", "_", "dynamic":
		return ""
	default:
		return t
	}
}

// pathOf returns the path form of an expression that qualifies a name.
func (o *outline) pathOf(e uint32) string {
	buf, ok := o.appendPath(o.buf[:0], e, 0)
	if o.buf = buf; !ok {
		return unknownPath
	}
	return o.names.intern(buf)
}

// appendPath writes the path form of an expression (see Binding).
func (o *outline) appendPath(buf []byte, e uint32, depth int) (_ []byte, ok bool) {
	if e == 0 || depth > maxPath {
		return buf, false
	}
	n := o.shape(e)
	switch n.form {
	case nameForm:
		return append(buf, o.slice(o.nameSpan(e))...), !o.missing(e)
	case selfForm:
		return append(buf, n.says...), true
	case fieldForm:
		return append(append(append(buf, n.says...), '.'), o.slice(o.nameSpan(e))...), true
	case textForm:
		return append(buf, dotted(o.text(e))...), o.nodes[e].End-o.nodes[e].Start <= maxType
	case accessForm:
		return o.appendAccess(buf, e, n, depth)
	case callForm:
		if buf, ok = o.appendAccess(buf, e, n, depth); !ok {
			return buf, false
		}
		return append(buf, "()"...), true
	case indexForm:
		if buf, ok = o.appendPath(buf, o.part(e, n.object), depth+1); !ok {
			return buf, false
		}
		return append(buf, "[]"...), true
	case innerForm:
		return o.appendPath(buf, o.inner(e, n), depth+1)
	case createForm:
		if buf, ok = o.appendPath(buf, o.part(e, n.typ), depth+1); !ok {
			return buf, false
		}
		return append(buf, "()"...), true
	}
	return buf, false
}

// appendAccess writes object.name, or name where there is no object.
func (o *outline) appendAccess(buf []byte, e uint32, n *node, depth int) (_ []byte, ok bool) {
	if object := o.part(e, n.object); object != 0 {
		if buf, ok = o.appendPath(buf, object, depth+1); !ok {
			return buf, false
		}
		buf = append(buf, '.')
	}
	name := o.part(e, n.name)
	if name != 0 && o.first(name) == 0 && o.shape(name).form == noForm { // a member's name
		return append(buf, o.slice(o.nameSpan(name))...), !o.missing(name)
	}
	return o.appendPath(buf, name, depth+1)
}

// parameterTypes are the types of a function's parameters, which tell overloads
// apart.
func (o *outline) parameterTypes(i uint32) string {
	var list []byte
	params := o.parametersOf(i)
	for c := o.first(params); params != 0 && c != 0; c = o.next(params, c) {
		n := o.shape(c)
		if n.is != parameter && n.is != wrapper {
			continue
		}
		if t := o.part(c, n.typ); t != 0 {
			if len(list) > 0 {
				list = append(list, ',')
			}
			for o.shape(t).is == types && o.code(t) != 0 {
				t = o.code(t)
			}
			list = append(list, bytes.Join(bytes.Fields(o.text(t)), []byte(" "))...)
			list = append(list, o.typeSuffix(c, t)...)
		}
	}
	if len(list) > maxType {
		list = list[:maxType]
	}
	return string(list)
}

// typeSuffix is what a parameter's type has behind it that is no part of its
// node: ... of a variable number.
func (o *outline) typeSuffix(param, typ uint32) string {
	rest := o.slice(o.between(o.nodes[typ].End, o.nodes[param].End))
	if bytes.HasPrefix(bytes.TrimLeft(rest, " "), []byte("...")) {
		return "..."
	}
	return ""
}

// parametersOf returns the list of a function's parameters, or 0 for none.
func (o *outline) parametersOf(i uint32) uint32 {
	if p := o.part(i, o.shape(i).params); p != 0 {
		return p
	}
	for c := o.first(i); c != 0; c = o.next(i, c) {
		if o.shape(c).is == parameters {
			return c
		}
	}
	return 0
}
