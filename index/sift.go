package index

// A sift knows most names that a document does not have. A segment finds what is
// called by a name in a table; an open document, which has none, is looked through
// from one end to the other, some thousand times for one query.
type sift struct{ objects, owners, refs nameSet }

// A nameSet may hold names that were never added, and holds all that were.
type nameSet [512]uint64

func (s *nameSet) add(n nameID)      { s[n>>6%512] |= 1 << (n & 63) }
func (s *nameSet) may(n nameID) bool { return s[n>>6%512]>>(n&63)&1 == 1 }

// siftOf serves f, and what is left of it behind an edit.
func siftOf(f *file) *sift {
	s := &sift{}
	for i := range f.objects {
		s.objects.add(f.objects[i].name)
		s.owners.add(f.objects[i].owner)
	}
	for i := range f.refs {
		s.refs.add(f.refs[i].name)
	}
	return s
}

// declares reports whether an object of f may be called name.
func (f *file) declares(name nameID) bool { return f.sift == nil || f.sift.objects.may(name) }

// owns reports whether an object of f may be a member of owner.
func (f *file) owns(owner nameID) bool { return f.sift == nil || f.sift.owners.may(owner) }

// uses reports whether f may use name.
func (f *file) uses(name nameID) bool { return f.sift == nil || f.sift.refs.may(name) }
