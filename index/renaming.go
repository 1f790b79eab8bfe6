package index

// A renaming gives the names that a segment uses new, dense IDs in their old
// order, and drops the others. Names are never forgotten while the index runs,
// and every keystroke may add one; without this the cache would keep them
// forever. Since the order stays, so do the sorted keys of the tables.
type renaming []nameID // by old ID; unused: 0

// renames finds the names in use and their new IDs, and lists the names by new
// ID. extra are names that the segment does not hold itself.
func (s *segment) renames(n *names, extra []nameID) (renaming, []string) {
	used := make([]bool, n.len())
	used[0] = true
	mark := func(ids ...nameID) {
		for _, id := range ids {
			used[id] = true
		}
	}
	mark(extra...)
	for _, f := range s.files {
		mark(f.pkg, f.clause)
		mark(f.types...)
		for i := range f.objects {
			o := &f.objects[i]
			mark(o.descriptors, o.name, o.owner, o.typ, o.value)
		}
		for _, r := range f.refs {
			mark(r.name, r.path)
		}
		for _, m := range f.imports {
			mark(m.local, m.path, m.name)
		}
		for _, b := range f.binds {
			mark(b.name, b.typ, b.value)
		}
	}
	mark(s.terms.keys...)
	to := make(renaming, len(used))
	var list []string
	for id, u := range used {
		if u {
			to[id] = nameID(len(list))
			list = append(list, n.str(nameID(id)))
		}
	}
	return to, list
}

func (to renaming) objects(in []object) []object {
	return renamed(in, func(o *object) {
		o.descriptors, o.name, o.owner, o.typ, o.value = to[o.descriptors], to[o.name], to[o.owner], to[o.typ], to[o.value]
	})
}

func (to renaming) refs(in []ref) []ref {
	return renamed(in, func(r *ref) { r.name, r.path = to[r.name], to[r.path] })
}

func (to renaming) imports(in []imported) []imported {
	return renamed(in, func(m *imported) { m.local, m.path, m.name = to[m.local], to[m.path], to[m.name] })
}

func (to renaming) binds(in []bind) []bind {
	return renamed(in, func(b *bind) { b.name, b.typ, b.value = to[b.name], to[b.typ], to[b.value] })
}

func (to renaming) ids(in []nameID) []nameID {
	return renamed(in, func(id *nameID) { *id = to[*id] })
}

func renamed[T any](in []T, rename func(*T)) []T {
	out := make([]T, len(in))
	for i, v := range in {
		rename(&v)
		out[i] = v
	}
	return out
}
