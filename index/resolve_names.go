package index

import (
	"strings"

	"readahead/index/facts"
)

// What resolving takes beyond Go and Python: receivers called this, members used
// without one, names of a namespace or of the whole program, re-exports, and
// types written with their package in front.

// receiver resolves the names of a method's receiver and of what its type is
// derived from, and, where a method may do so, a member that is used bare.
func (r *resolver) receiver(s site, name string, depth int) value {
	if s.file.classic() {
		return value{}
	}
	switch name {
	case "this", "self", "Self", "static":
		if t, ok := r.ownerType(s); ok {
			return value{objects: []site{t}, types: []site{t}}
		}
	case "super", "base", "parent":
		if t, ok := r.ownerType(s); ok {
			var types []site
			for _, b := range t.file.basesOf(t.object()) {
				types = append(types, r.typesIn(t.file, b, depth+1)...)
			}
			return value{types: distinct(types)}
		}
	}
	if !s.file.implicitReceiver() {
		return value{}
	}
	id, ok := r.snap.names.find(name)
	if !ok {
		return value{}
	}
	for t := range r.around(s) {
		var v value
		r.eachMember(t, depth, func(m site) bool {
			if m.object().name == id {
				v.objects = append(v.objects, m)
			}
			return len(v.objects) < maxSites
		})
		if !v.empty() {
			return r.typed(v, depth)
		}
	}
	return value{}
}

// around yields the types that a place lies in, the innermost first.
func (r *resolver) around(s site) func(yield func(site) bool) {
	return func(yield func(site) bool) {
		inside := false
		for o := s.obj; o > 0; o = int(s.file.objects[o].parent) {
			if s.file.objects[o].kind == facts.Type {
				inside = true
				if !yield(site{s.file, o}) {
					return
				}
			}
		}
		if t, ok := r.ownerType(s); ok && !inside {
			yield(t)
		}
	}
}

// declaredOwner is the type that an object's qualified name says it is a member
// of, in whatever file that stands.
func (r *resolver) declaredOwner(s site) (site, bool) {
	owner := r.snap.names.str(s.object().owner)
	ds, err := facts.ParseDescriptors(owner)
	if err != nil || len(ds) == 0 {
		return site{}, false
	}
	id, ok := r.snap.names.find(ds[len(ds)-1].Name)
	if !ok {
		return site{}, false
	}
	for t := range r.snap.named(id) {
		if t.object().kind == facts.Type && r.snap.names.str(t.object().descriptors) == owner && r.snap.sharesTypes(s.file, t.file) {
			return t, true
		}
	}
	return site{}, false
}

// isTopLevel reports whether an object is reached by its name alone: it is
// declared in no other, or it is an enumerator of C, which is.
func isTopLevel(s site) bool {
	o := s.object()
	switch {
	case o.parent != 0:
		return family(s.file.lang) == facts.Cpp && o.kind == facts.Constant
	case s.file.classic():
		return o.kind != facts.Method
	}
	return o.kind != facts.Method && o.owner == 0
}

// inNamespace finds a name in the package of f, and in the namespaces around it.
func (r *resolver) inNamespace(f *file, name nameID, depth int) value {
	v := r.topLevel(f.pkg, name, func(*file) bool { return true }, depth)
	if f.lang != facts.CSharp {
		return v
	}
	for pkg := r.snap.names.str(f.pkg); v.empty(); {
		dot := strings.LastIndexByte(pkg, '.')
		if dot < 0 {
			break
		}
		pkg = pkg[:dot]
		if id, ok := r.snap.names.find(pkg); ok {
			v = r.topLevel(id, name, func(*file) bool { return true }, depth)
		}
	}
	return v
}

// anywhere finds a global name, definitions before declarations.
func (r *resolver) anywhere(f *file, name nameID, depth int) value {
	var bodies, rest []site
	for s := range r.snap.named(name) {
		switch {
		case !isTopLevel(s) || !related(f, s.file) || !s.file.global():
		case s.object().body.Len() > 0:
			bodies = append(bodies, s)
		default:
			rest = append(rest, s)
		}
		if len(bodies)+len(rest) >= 2*maxSites {
			break
		}
	}
	all := append(bodies, rest...)
	return r.typed(value{objects: all[:min(len(all), maxSites)]}, depth)
}

// qualified follows a path that begins with a package: com.shop.Cart.LIMIT. It
// returns what the package's part of it means, and what is left of the path.
func (r *resolver) qualified(f *file, path string) (value, string) {
	var names []string
	rest := path
	for rest != "" {
		var name string
		name, rest = step(rest)
		names = append(names, name)
	}
	if f.lang == facts.Cpp { // the namespaces in front are no packages
		for k := 1; k < len(names); k++ {
			if id, ok := r.snap.names.find(names[k]); ok {
				if v := r.anywhere(f, id, maxDepth); !v.empty() {
					return v, strings.Join(names[k+1:], ".")
				}
			}
		}
	}
	for k := min(len(names), maxDepth); k > 0; k-- {
		pkg := strings.Join(names[:k], separator(f.lang))
		tries := []string{pkg}
		if f.lang == facts.Rust {
			tries = rustImport(r.snap.names.str(f.pkg), pkg)
		}
		for _, try := range tries {
			if id, ok := r.snap.names.find(try); ok && id != 0 && r.isPackage(id) {
				return value{packages: []nameID{id}}, strings.Join(names[k:], ".")
			}
		}
	}
	return value{}, ""
}

// importedType is what an import's path means where its last part is a type:
// import static com.shop.Rules.*.
func (r *resolver) importedType(f *file, m *imported, depth int) value {
	if depth > r.deepest {
		return value{}
	}
	path := plainPaths.Replace(r.snap.names.str(m.path))
	v, rest := r.qualified(f, path)
	if rest == "" {
		if v.empty() { // a type of this module, as in use Size::*
			head, after := step(path)
			v, rest = r.typeHead(f, head, depth+1), after
		} else {
			return value{} // a package, which was asked already
		}
	}
	for rest != "" && !v.empty() {
		var name string
		name, rest = step(rest)
		v = r.member(v, name, depth+1)
	}
	return v
}

// wholeModule is an imported module: its members are reached through it, and in
// JavaScript it may be what it exports by default.
func (r *resolver) wholeModule(f *file, pkgs []nameID, depth int) value {
	v := value{packages: pkgs}
	name, ok := r.snap.names.find("default")
	if family(f.lang) != facts.TypeScript || !ok {
		return v
	}
	for _, pkg := range pkgs {
		d := r.export(pkg, name, depth+1)
		v.objects, v.types = append(v.objects, d.objects...), append(v.types, d.types...)
	}
	return v
}

// exported is what a module passes on under a name: a declaration under another
// name, or what it imports.
func (r *resolver) exported(g *file, name nameID, depth int) value {
	for i := range g.binds {
		if b := &g.binds[i]; b.object == 0 && b.name == name && (b.value != 0 || b.typ != 0) && family(g.lang) == facts.TypeScript {
			var v value
			if b.value != 0 {
				v = r.eval(g, 0, b.at, r.snap.names.str(b.value), depth+1)
			}
			if v.empty() && b.typ != 0 {
				v = value{types: r.typesIn(g, b.typ, depth+1)}
			}
			if !v.empty() {
				return v
			}
		}
	}
	switch g.lang {
	case facts.Java, facts.CSharp, facts.PHP:
		return value{}
	}
	return r.imported(g, name, depth)
}

// submodule is a module below a package.
func (r *resolver) submodule(pkg, name nameID) value {
	lang := facts.Language("")
	for g := range r.snap.inPackage(pkg) {
		lang = g.lang
		break
	}
	if lang != facts.Python && lang != facts.Rust && lang != facts.Go {
		return value{}
	}
	if id, ok := r.snap.names.find(r.snap.names.str(pkg) + separator(lang) + r.snap.names.str(name)); ok && r.isPackage(id) {
		return value{packages: []nameID{id}}
	}
	return value{}
}

// eachPart yields what a variable declares inside itself: the functions of an
// object.
func (r *resolver) eachPart(s site, yield func(site)) {
	if k := s.object().kind; s.file.classic() || s.obj == 0 || k != facts.Variable && k != facts.Constant {
		return
	}
	for i := range s.file.objects {
		if int(s.file.objects[i].parent) == s.obj {
			yield(site{s.file, i})
		}
	}
}

// part is the part of a variable that is called name.
func (r *resolver) part(s site, name nameID, depth int) value {
	var v value
	r.eachPart(s, func(p site) {
		if p.object().name == name {
			v.objects = append(v.objects, p)
		}
	})
	return r.typed(v, depth)
}

// isSelfType reports whether an object's type is that of its receiver.
func (r *resolver) isSelfType(s site) bool {
	if s.file.classic() {
		return false
	}
	for name := range dottedNames(r.snap.names.str(s.object().typ)) {
		switch name {
		case "this", "self", "Self", "static":
			return true
		}
	}
	return false
}

// elementMethods are methods of the standard libraries after which one still has
// the elements, or the value inside: what a type expression names is followed
// through them. Ruby's new makes what it is called on.
var elementMethods = map[string]bool{}

func init() {
	for name := range strings.FieldsSeq(`new iter iter_mut into_iter unwrap unwrap_or unwrap_or_default expect clone cloned copied
		as_ref as_mut as_deref borrow borrow_mut lock read write get get_mut first last next pop await collect filter rev take skip
		to_owned into ok values stream toList toArray orElse orElseThrow findFirst findAny filter sorted limit distinct
		find at slice concat reverse sort shift filter values then front back begin end data value
		First FirstOrDefault Single SingleOrDefault Last LastOrDefault Where OrderBy ToList ToArray Result Value AsReadOnly
		first! find! detect select reject compact sort_by dup freeze tap lock!`) {
		elementMethods[name] = true
	}
}

func keepsElements(name string) bool { return elementMethods[name] }
