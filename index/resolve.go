package index

import (
	"slices"
	"strings"

	"readahead/index/facts"
)

// A resolver follows names across files. It is not a type checker: it joins
// what files say about themselves, prefers several candidates over none, and
// gives up after a few steps. It serves one query; results are remembered.
//
// Depth alone bounds nothing: a name that no import brings in is looked for in what
// each import brings in as a whole, and there again. So each name of a file is
// followed through its imports once, and all steps are counted.
type resolver struct {
	snap     *Snapshot
	values   map[valueKey]value
	types    map[typeKey][]site
	exports  map[exportKey]value
	imports  map[importKey]value
	packages map[*imported][]nameID
	members  map[site][]site
	steps    int
	deepest  int // what ends chains of re-exports, aliases and inheritance
}

const (
	// maxDepth ends chains of re-exports, aliases and inheritance. Languages whose
	// every import is a chain of modules get twice that.
	maxDepth = 8
	// maxSteps bounds the work of one query; what is not resolved by then stays
	// unresolved.
	maxSteps = 20000
	// maxSites is how many declarations of one name are followed.
	maxSites = 8
)

// A value is what an expression may stand for.
type value struct {
	objects  []site   // what it names
	types    []site   // what its members are looked up in
	packages []nameID // if it names packages or modules
}

type (
	valueKey struct {
		file   *file
		object int
		at     uint32
		path   string
	}
	typeKey struct {
		file *file
		expr nameID
	}
	exportKey struct{ pkg, name nameID }
	importKey struct {
		file *file
		name nameID
	}
)

func newResolver(s *Snapshot) *resolver {
	return &resolver{
		snap: s, values: map[valueKey]value{}, types: map[typeKey][]site{}, exports: map[exportKey]value{},
		imports: map[importKey]value{}, packages: map[*imported][]nameID{}, members: map[site][]site{}, deepest: maxDepth,
	}
}

// spend counts one step, and reports whether it may be taken.
func (r *resolver) spend() bool {
	r.steps++
	return r.steps <= maxSteps
}

func (v value) empty() bool { return len(v.objects)+len(v.types)+len(v.packages) == 0 }

func (v value) or(w value) value {
	if v.empty() {
		return w
	}
	return v
}

// eval follows a path expression (see facts.Binding) as written in object of f
// at a byte offset.
func (r *resolver) eval(f *file, object int, at uint32, path string, depth int) value {
	if path == "" || depth > r.deepest || !r.spend() {
		return value{}
	}
	key := valueKey{f, object, at, path}
	if v, ok := r.values[key]; ok {
		return v
	}
	r.values[key] = value{} // a cycle ends here
	head, rest := step(path)
	v := r.head(f, object, at, head, depth+1)
	if v.empty() && !f.classic() {
		v, rest = r.qualified(f, path)
	}
	for rest != "" && !v.empty() {
		var name string
		name, rest = step(rest)
		v = r.member(v, name, depth+1)
	}
	r.values[key] = v
	return v
}

// step splits the first name off a path; calls and indices are dropped, since a
// call has the type of its result and an element the types named in its
// container's.
func step(path string) (name, rest string) {
	name, rest, _ = strings.Cut(path, ".")
	if i := strings.IndexAny(name, "(["); i >= 0 {
		name = name[:i]
	}
	return name, rest
}

// head resolves a bare name: locals, the receiver, the file, its imports, its
// package.
func (r *resolver) head(f *file, object int, at uint32, name string, depth int) value {
	id, ok := r.snap.names.find(name)
	if !ok || depth > 2*maxDepth || !r.spend() {
		return value{}
	}
	if b, ok := localBinding(f, object, at, id); ok {
		if v := r.bound(f, &b, depth); !v.empty() {
			return v
		}
	}
	if f.lang == facts.Python && (name == "self" || name == "cls") {
		if t, ok := r.ownerType(site{f, object}); ok {
			return value{types: []site{t}}
		}
	}
	if v := r.receiver(site{f, object}, name, depth); !v.empty() {
		return v
	}
	if v := r.topLevel(f.pkg, id, func(g *file) bool { return g == f }, depth); !v.empty() {
		return v
	}
	if v := r.imported(f, id, depth); !v.empty() {
		return v
	}
	if f.lang == facts.Go || clauseNames(f.lang) {
		return r.inNamespace(f, id, depth)
	}
	if f.global() {
		return r.anywhere(f, id, depth)
	}
	return value{}
}

// localBinding is the binding of name that holds at a place: the last one
// before it, in the innermost object that has one.
func localBinding(f *file, object int, at uint32, name nameID) (bind, bool) {
	for o := object; o > 0; o = int(f.objects[o].parent) {
		found := -1
		for i, b := range f.binds {
			if b.name == name && int(b.object) == o && b.at <= at && (b.typ != 0 || b.value != 0) {
				found = i
			}
		}
		if found >= 0 {
			return f.binds[found], true
		}
	}
	return bind{}, false
}

func (r *resolver) bound(f *file, b *bind, depth int) value {
	if b.typ != 0 {
		if ts := r.typesIn(f, b.typ, depth); len(ts) > 0 {
			return value{types: ts}
		}
	}
	if b.value == 0 {
		return value{}
	}
	v := r.eval(f, int(b.object), b.at-min(b.at, 1), r.snap.names.str(b.value), depth+1)
	if b.result > 0 {
		return value{types: r.resultTypes(v.objects, int(b.result), depth+1)}
	}
	return value{types: v.types, packages: v.packages}
}

// resultTypes are the types of one result of functions.
func (r *resolver) resultTypes(functions []site, result, depth int) []site {
	var out []site
	for _, s := range functions {
		if results := s.file.resultsOf(s.object()); result < len(results) {
			out = append(out, r.typesIn(s.file, results[result], depth)...)
		}
	}
	return distinct(out)
}

// ownerType is the type around a method.
func (r *resolver) ownerType(s site) (site, bool) {
	for o := s.obj; o > 0; o = int(s.file.objects[o].parent) {
		if p := int(s.file.objects[o].parent); p > 0 && s.file.objects[p].kind == facts.Type {
			return site{s.file, p}, true
		}
	}
	owner := s.object().owner
	if owner == 0 {
		return site{}, false
	}
	if !s.file.classic() {
		return r.declaredOwner(s)
	}
	name := strings.TrimSuffix(r.snap.names.str(owner), "#")
	if id, ok := r.snap.names.find(name); ok {
		for t := range r.snap.named(id) {
			if t.file.pkg == s.file.pkg && t.object().kind == facts.Type && t.object().owner == 0 {
				return t, true
			}
		}
	}
	return site{}, false
}

// topLevel finds declarations of a package by name.
func (r *resolver) topLevel(pkg, name nameID, in func(*file) bool, depth int) value {
	var v value
	for s := range r.snap.named(name) {
		if s.file.pkg == pkg && isTopLevel(s) && in(s.file) {
			v.objects = append(v.objects, s)
			if len(v.objects) == maxSites {
				break
			}
		}
	}
	return r.typed(v, depth)
}

// typed adds what the objects of v are, as values.
func (r *resolver) typed(v value, depth int) value {
	for _, s := range v.objects {
		v.types = append(v.types, r.typeOf(s, depth+1)...)
	}
	v.types = distinct(v.types)
	return v
}

// typeOf is the type of an object used as a value: of a function its result, of
// a class itself.
func (r *resolver) typeOf(s site, depth int) []site {
	if depth > r.deepest {
		return nil
	}
	o := s.object()
	switch {
	case o.kind == facts.Type:
		return []site{s}
	case o.typ != 0 && r.isSelfType(s):
		if t, ok := r.ownerType(s); ok {
			return []site{t}
		}
	case o.typ != 0:
		if ts := r.typesIn(s.file, o.typ, depth); len(ts) > 0 {
			return ts
		}
	}
	if o.value != 0 {
		return r.eval(s.file, s.file.scope(s.obj), o.whole.Start, r.snap.names.str(o.value), depth+1).types
	}
	return nil
}

// imported resolves a name that an import binds.
func (r *resolver) imported(f *file, name nameID, depth int) value {
	key := importKey{f, name}
	v, ok := r.imports[key]
	if !ok {
		r.imports[key] = value{} // a cycle ends here
		v = r.importedAnew(f, name, depth)
		r.imports[key] = v
	}
	return v
}

func (r *resolver) importedAnew(f *file, name nameID, depth int) value {
	var v value
	for i := range f.imports {
		if m := &f.imports[i]; m.local == name {
			v = v.or(r.target(f, m, depth))
		}
	}
	if !v.empty() {
		return v
	}
	star, _ := r.snap.names.find("*")
	dot, _ := r.snap.names.find(".")
	for i := range f.imports {
		m := &f.imports[i]
		switch {
		case m.local != 0 && (m.local == star || m.local == dot):
			for _, pkg := range r.importedPackages(f, m) {
				v = v.or(r.export(pkg, name, depth+1))
			}
			if v.empty() && !f.classic() && !f.global() {
				v = r.member(r.importedType(f, m, depth), r.snap.names.str(name), depth+1)
			}
		case f.lang == facts.Go:
			// The package clause decides what an import without a name binds.
			for _, pkg := range r.importedPackages(f, m) {
				if r.clauseIs(pkg, name) && m.local != 0 && r.snap.names.str(m.local) == lastElement(r.snap.names.str(m.path)) {
					v.packages = append(v.packages, pkg)
				}
			}
		}
	}
	return v
}

func lastElement(path string) string { return path[strings.LastIndexByte(path, '/')+1:] }

func (r *resolver) clauseIs(pkg, name nameID) bool {
	for g := range r.snap.inPackage(pkg) {
		if g.clause == name {
			return true
		}
	}
	return false
}

// target is what an import binds its name to.
func (r *resolver) target(f *file, m *imported, depth int) value {
	pkgs := r.importedPackages(f, m)
	if m.name == 0 {
		return r.wholeModule(f, pkgs, depth)
	}
	var v value
	for _, pkg := range pkgs {
		v = v.or(r.export(pkg, m.name, depth+1))
	}
	if v.empty() && !f.classic() {
		v = r.member(r.importedType(f, m, depth), r.snap.names.str(m.name), depth+1)
	}
	return v
}

// importedPackages are the packages of the workspace that an import means.
func (r *resolver) importedPackages(f *file, m *imported) []nameID {
	out, ok := r.packages[m]
	if ok {
		return out
	}
	for _, try := range r.snap.importPaths(f, m) {
		if id, ok := r.snap.names.find(try); ok && r.isPackage(id) {
			out = []nameID{id}
			break
		}
	}
	r.packages[m] = out
	return out
}

func (r *resolver) isPackage(id nameID) bool {
	for range r.snap.inPackage(id) {
		return true
	}
	return false
}

// pythonImport lists the modules that path may mean in a module: relative to its
// package, absolute, or beside it, as scripts import.
func pythonImport(module string, isPackage bool, path string) []string {
	parent := func(m string) string { return m[:max(0, strings.LastIndexByte(m, '.'))] }
	dots := len(path) - len(strings.TrimLeft(path, "."))
	if dots == 0 {
		if p := parent(module); p != "" {
			return []string{path, p + "." + path}
		}
		return []string{path}
	}
	base := module
	if !isPackage {
		base = parent(base)
	}
	for range dots - 1 {
		base = parent(base)
	}
	rest := path[dots:]
	switch {
	case base == "":
		return []string{rest}
	case rest == "":
		return []string{base}
	}
	return []string{base + "." + rest}
}

// export is what a package offers under a name: its own declaration, what it
// imports under that name (Python re-exports), or a module below it.
func (r *resolver) export(pkg, name nameID, depth int) value {
	key := exportKey{pkg, name}
	if v, ok := r.exports[key]; ok || depth > r.deepest {
		return v
	}
	r.exports[key] = value{}
	v := r.topLevel(pkg, name, func(*file) bool { return true }, depth)
	if v.empty() {
		for g := range r.snap.inPackage(pkg) {
			switch {
			case g.lang == facts.Go:
			case g.lang == facts.Python:
				v = v.or(r.imported(g, name, depth+1))
			default:
				v = v.or(r.exported(g, name, depth+1))
			}
		}
	}
	if v.empty() {
		v = r.submodule(pkg, name)
	}
	r.exports[key] = v
	return v
}

// member follows .name from a value.
func (r *resolver) member(v value, name string, depth int) value {
	id, ok := r.snap.names.find(name)
	if !ok {
		return value{}
	}
	var out value
	for _, pkg := range v.packages {
		out = out.or(r.export(pkg, id, depth))
	}
	for _, o := range v.objects {
		out = out.or(r.part(o, id, depth))
	}
	for _, t := range v.types {
		if !out.empty() {
			break
		}
		r.eachMember(t, depth, func(m site) bool {
			if m.object().name == id {
				out.objects = append(out.objects, m)
			}
			return true
		})
		out = r.typed(out, depth)
	}
	if out.empty() && len(v.types) > 0 && !v.types[0].file.classic() && keepsElements(name) {
		return value{types: v.types}
	}
	return out
}

// eachMember yields the members of a type, those of embedded and inherited
// types after its own. Members that are shadowed are yielded too.
func (r *resolver) eachMember(t site, depth int, yield func(site) bool) {
	all, ok := r.members[t]
	if !ok {
		r.members[t] = nil // a type that is derived from itself ends here
		r.membersOf(t, depth, map[site]bool{}, func(m site) bool {
			all = append(all, m)
			return true
		})
		r.members[t] = all
	}
	for _, m := range all {
		if !yield(m) {
			return
		}
	}
}

func (r *resolver) membersOf(t site, depth int, seen map[site]bool, yield func(site) bool) bool {
	if depth > r.deepest || seen[t] || !r.spend() {
		return true
	}
	seen[t] = true
	o := t.object()
	if owner, ok := r.snap.names.find(strings.TrimSuffix(r.snap.names.str(o.descriptors), "#") + "#"); ok {
		for m := range r.snap.owned(owner) {
			if r.snap.sharesTypes(t.file, m.file) && !yield(m) {
				return false
			}
		}
	}
	for _, b := range t.file.basesOf(o) {
		for _, base := range r.typesIn(t.file, b, depth+1) {
			if !r.membersOf(base, depth+1, seen, yield) {
				return false
			}
		}
	}
	return true
}

// typesIn are the types of the workspace that a type expression names, wherever
// it does: []*Item, map[string]Item and Optional["Item"] all lead to Item.
func (r *resolver) typesIn(f *file, expr nameID, depth int) []site {
	key := typeKey{f, expr}
	if ts, ok := r.types[key]; ok || depth > r.deepest {
		return ts
	}
	r.types[key] = nil
	var out []site
	text := r.snap.names.str(expr)
	if !f.classic() {
		text = plainPaths.Replace(text)
	}
	for name := range dottedNames(text) {
		head, rest := step(name)
		v := r.typeHead(f, head, depth)
		if v.empty() && !f.classic() && rest != "" {
			v, rest = r.qualified(f, name)
		}
		for rest != "" && !v.empty() {
			head, rest = step(rest)
			v = r.member(v, head, depth+1)
		}
		for _, s := range v.objects {
			if s.object().kind == facts.Type {
				out = append(out, s)
			} else if s.object().kind == facts.Variable && s.object().value != 0 { // X = Y, a Python alias
				out = append(out, r.typeOf(s, depth+1)...)
			}
		}
	}
	out = distinct(out)
	r.types[key] = out
	return out
}

// typeHead resolves a name in a type expression: locals do not count.
func (r *resolver) typeHead(f *file, name string, depth int) value {
	return r.head(f, 0, 0, name, depth)
}

// dottedNames yields the names in an expression, with what their dots select.
func dottedNames(expr string) func(yield func(string) bool) {
	return func(yield func(string) bool) {
		for i := 0; i < len(expr); {
			n := 0
			for i+n < len(expr) {
				if expr[i+n] == '.' && n > 0 {
					n++
					continue
				}
				w := wordLen([]byte(expr[i+n : min(len(expr), i+n+maxTerm)]))
				if w == 0 {
					break
				}
				n += w
			}
			if n == 0 {
				i++
				continue
			}
			if name := strings.Trim(expr[i:i+n], "."); name != "" && !yield(name) {
				return
			}
			i += n
		}
	}
}

func distinct(sites []site) []site {
	var out []site
	for _, s := range sites {
		if !slices.Contains(out, s) {
			if out = append(out, s); len(out) == maxSites {
				break
			}
		}
	}
	return out
}
