package index

import (
	"slices"
	"strings"

	"readahead/index/facts"
)

// fromCursor looks at the expression that the cursor stands in: for
// "x := cart.Ad|", the members of what cart is that begin with Ad.
func (c *collector) fromCursor() {
	c.expr = expressionBefore(plainPath(c.self.lang, c.text[c.line.Start:c.Offset]))
	if c.expr.path == "" {
		return
	}
	why := "member of " + c.expr.path + " at the cursor"
	member := func(s site) {
		if c.expr.begins(c.snap.names.str(s.object().name)) > 0 {
			c.expr.resolved = true
			c.add(s, fCursor, 1, why)
		}
	}
	v := c.r.eval(c.self, c.object, uint32(c.Offset), c.expr.path, 0)
	for _, t := range v.types {
		c.r.eachMember(t, 0, func(m site) bool {
			member(m)
			return true
		})
		c.add(t, fScopeType, 1, "type of "+c.expr.path)
	}
	for _, o := range v.objects {
		c.r.eachPart(o, member)
	}
	for _, pkg := range v.packages {
		c.eachTopLevel(pkg, member)
	}
}

// An expression is what stands directly before the cursor: path, a dot, and the
// beginning of a name.
type expression struct {
	path     string // "" without a dot
	prefix   string // may be empty
	resolved bool   // members of path are known
}

// begins is how much it says that a name begins with the prefix, ignoring case:
// everything from three letters on, and all names begin with nothing.
func (e *expression) begins(name string) float64 {
	switch {
	case len(name) < len(e.prefix) || !strings.EqualFold(name[:len(e.prefix)], e.prefix):
		return 0
	case e.prefix == "":
		return 1
	}
	return min(1, float64(len(e.prefix))/3)
}

// completes is how well a candidate that no rule led to fits the name that is
// being typed.
func (c *collector) completes(at site) float64 {
	if c.expr.prefix == "" || c.expr.resolved {
		return 0
	}
	v := c.expr.begins(c.snap.names.str(at.object().name))
	switch member := at.object().owner != 0; {
	case c.expr.path == "" && !member:
		return v
	case c.expr.path != "" && member:
		return v / 2
	}
	return 0
}

// expressionBefore is the path expression that ends the line, split at its last
// dot; empty if the line ends with none. Arguments inside are dropped.
func expressionBefore(line []byte) expression {
	i := len(line)
	var parts []byte
	for i > 0 {
		b := line[i-1]
		switch {
		case asciiWord[b] || b == '.' || b >= 0x80:
			parts = append(parts, b)
			i--
			continue
		case b == ')' || b == ']':
			start := opening(line[:i])
			if start < 0 {
				break
			}
			if b == ')' {
				parts = append(parts, ')', '(')
			} else {
				parts = append(parts, ']', '[')
			}
			i = start
			continue
		}
		break
	}
	for l, r := 0, len(parts)-1; l < r; l, r = l+1, r-1 {
		parts[l], parts[r] = parts[r], parts[l]
	}
	expr := string(parts)
	dot := strings.LastIndexByte(expr, '.')
	switch {
	case dot > 0:
		return expression{path: expr[:dot], prefix: expr[dot+1:]}
	case dot < 0 && wordLen([]byte(expr)) == len(expr):
		return expression{prefix: expr}
	}
	return expression{} // behind something that is no path
}

// opening is the index of the bracket that the last byte of line closes; -1 if
// it is on an earlier line.
func opening(line []byte) int {
	depth := 0
	for i := len(line) - 1; i >= 0; i-- {
		switch line[i] {
		case ')', ']', '}':
			depth++
		case '(', '[', '{':
			if depth--; depth == 0 {
				return i
			}
		}
	}
	return -1
}

// Half-lives of nearness, in lines.
const (
	useHalf   = 4
	scopeHalf = 6
)

// fromScope adds what can be reached through the values in scope: members of
// the types of parameters, receivers and locals, and one field further.
func (c *collector) fromScope() {
	f := c.self
	if c.object == 0 {
		return
	}
	seen := map[nameID]bool{}
	for o := c.object; o > 0; o = int(f.objects[o].parent) {
		for i := len(f.binds) - 1; i >= 0; i-- {
			b := f.binds[i]
			if int(b.object) != o || int(b.at) > c.Offset || seen[b.name] {
				continue
			}
			v := c.r.bound(f, &b, 0)
			if v.empty() {
				continue
			}
			seen[b.name] = true
			name := c.snap.names.str(b.name)
			c.reach(v, name, max(0.1, c.nearName(name, scopeHalf)))
		}
	}
	if t, ok := c.r.ownerType(site{f, c.object}); ok {
		name := "self"
		if f.lang == facts.Go {
			name = "the receiver"
		}
		c.reach(value{types: []site{t}}, name, max(0.3, c.nearName("self", scopeHalf)))
	}
}

// reach adds the types of a value, their members, and the members of the types
// of their fields.
func (c *collector) reach(v value, name string, weight float64) {
	isType, isMember := "type of "+name, "member of "+name
	for _, t := range v.types {
		c.add(t, fScopeType, weight, isType)
		// A class of a hundred fields has them of a few types: each is gone through
		// for the field that says the most.
		var order []site
		best := map[site]fieldOf{}
		c.r.eachMember(t, 0, func(m site) bool {
			c.add(m, fMember, weight, isMember)
			if k := m.object().kind; k == facts.Field || k == facts.Variable {
				for _, ft := range c.r.typeOf(m, 0) {
					field := c.snap.names.str(m.object().name)
					w := max(weight/4, min(weight, c.nearName(field, scopeHalf)))
					known, met := best[ft]
					if !met {
						order = append(order, ft)
					}
					if !met || w > known.weight {
						best[ft] = fieldOf{field, w}
					}
				}
			}
			return true
		})
		for _, ft := range order {
			field := best[ft]
			c.add(ft, fFieldType, field.weight, isType+"."+field.name)
			why := isMember + "." + field.name
			c.r.eachMember(ft, 0, func(m site) bool {
				c.add(m, fReach, field.weight, why)
				return true
			})
		}
	}
	why := "in " + name
	for _, pkg := range v.packages {
		c.eachTopLevel(pkg, func(s site) { c.add(s, fPackage, weight, why) })
	}
}

// A fieldOf is a field of some type, and how near it is mentioned.
type fieldOf struct {
	name   string
	weight float64
}

// A use is what the document uses under one path and name.
type use struct {
	ref   ref
	count int
	line  int // nearest to the cursor
	here  bool
}

// fromUses resolves what the document uses already: code repeats itself.
func (c *collector) fromUses() {
	type key struct{ path, name nameID }
	uses := map[key]*use{}
	var order []*use
	t, line := &text{lines: lineStarts(c.text)}, 1
	for _, r := range c.self.refs {
		for line < len(t.lines) && t.lines[line] <= r.at {
			line++
		}
		u := uses[key{r.path, r.name}]
		if u == nil {
			u = &use{ref: r, line: line}
			uses[key{r.path, r.name}] = u
			order = append(order, u)
		}
		u.count++
		u.here = u.here || c.object > 0 && r.object() == c.object
		if abs(line-c.cursor) <= abs(u.line-c.cursor) {
			u.line, u.ref = line, r
		}
	}
	for _, u := range order {
		c.addUse(u)
	}
}

func (c *collector) addUse(u *use) {
	if u.ref.role() == facts.ImportUse {
		return
	}
	name := c.snap.names.str(u.ref.name)
	path := name
	if u.ref.path != 0 {
		path = c.snap.names.str(u.ref.path) + "." + name
	}
	v := c.r.eval(c.self, u.ref.object(), u.ref.at, path, 0)
	certain := 1.0
	if v.empty() {
		v.objects = c.everywhere(u.ref.name, u.ref.path != 0)
		certain = 1 / float64(1+len(v.objects))
	}
	why := "used nearby as " + name
	if u.ref.role() == facts.Call {
		why = name + " is called nearby"
	}
	near := c.near(u.line, useHalf)
	for _, s := range v.objects {
		c.add(s, fUsedNear, certain*near, why)
		c.add(s, fUsedOften, certain*min(1, float64(u.count)/8), why)
		if u.here {
			c.add(s, fUsedHere, certain, why)
		}
	}
	for _, t := range v.types {
		c.add(t, fNearType, certain*near, "type of "+name+", used nearby")
		if near > 0.25 { // within a dozen lines
			why := "member of " + name + ", used nearby"
			c.r.eachMember(t, 0, func(m site) bool {
				c.add(m, fNearMember, certain*near, why)
				return true
			})
		}
	}
}

// maxEverywhere is how many declarations of an unresolved name are taken; a
// name with more says too little.
const maxEverywhere = 4

// everywhere finds the declarations of a name that could not be resolved: exact
// matches, members only if the name stood behind a dot.
func (c *collector) everywhere(name nameID, member bool) []site {
	var out []site
	for s := range c.snap.named(name) {
		isMember := s.object().owner != 0
		if s.file == c.self || isMember != member {
			continue
		}
		if out = append(out, s); len(out) > maxEverywhere {
			return nil
		}
	}
	return out
}

// fromImports adds what the imports of the document bring in.
func (c *collector) fromImports() {
	for i := range c.self.imports {
		m := &c.self.imports[i]
		local := c.snap.names.str(m.local)
		v := c.r.target(c.self, m, 0)
		lines := c.near(c.importLine(local), scopeHalf)
		for _, s := range v.objects {
			c.add(s, fImported, 1, "imported here")
			if !c.usedBelowImports(local) {
				c.add(s, fUnused, 1, "imported and not used yet")
			}
			if s.object().kind == facts.Type {
				why := "member of " + local
				c.r.eachMember(s, 0, func(mm site) bool {
					c.add(mm, fReach, max(0.1, lines/2), why)
					return true
				})
			}
			for _, t := range c.r.typeOf(s, 0) {
				if t != s {
					c.reach(value{types: []site{t}}, local, max(0.1, lines/2))
				}
			}
		}
		pkgs, why := v.packages, "in imported "+local
		if m.name != 0 && c.snap.names.str(m.name) == "*" {
			pkgs, why = slices.Concat(pkgs, c.r.importedPackages(c.self, m)), "in imported "+c.snap.names.str(m.path)
		}
		for _, pkg := range pkgs {
			c.eachTopLevel(pkg, func(s site) { c.add(s, fPackage, max(0.1, lines), why) })
		}
	}
}

// importLine is where an imported name is mentioned nearest to the cursor.
func (c *collector) importLine(local string) int {
	if line, ok := c.lastLine.of(local); ok {
		return line
	}
	return 1
}

func (c *collector) usedBelowImports(local string) bool {
	id, ok := c.snap.names.find(local)
	if !ok {
		return false
	}
	for _, r := range c.self.refs {
		if r.name == id && r.role() != facts.ImportUse {
			return true
		}
		if r.path != 0 {
			if head, _ := step(c.snap.names.str(r.path)); head == local {
				return true
			}
		}
	}
	return false
}

// fromPackage adds the declarations of the document's own package.
func (c *collector) fromPackage() {
	c.eachTopLevel(c.self.pkg, func(s site) {
		if s.file != c.self {
			c.add(s, fSibling, 1, "in the same package")
		}
	})
}

// eachTopLevel yields what a package declares at its top.
func (c *collector) eachTopLevel(pkg nameID, yield func(site)) {
	for _, s := range c.snap.topLevel(pkg) {
		yield(s)
	}
}
