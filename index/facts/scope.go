package facts

// A scopes table knows which names are local at the node being visited. It is
// the symbol table of a one-pass compiler: for each name a chain of
// declarations, the innermost first, from which leaving a block takes off what
// the block put on.
type scopes struct {
	heads []int32 // by name number: 1 + index of the innermost declaration; 0 for none
	decls []local
}

type local struct {
	name int32
	from uint32 // offset where it begins to hold
	next int32  // the declaration that this one hides, as in heads
}

// declare makes a name local from an offset on until the scope is left.
func (s *scopes) declare(name int32, from uint32) {
	if int(name) >= len(s.heads) {
		s.heads = append(s.heads, make([]int32, int(name)+1-len(s.heads)+1024)...)
	}
	s.decls = append(s.decls, local{name, from, s.heads[name]})
	s.heads[name] = int32(len(s.decls))
}

// local reports whether a name used at an offset is a local one.
func (s *scopes) local(name int32, at uint32) bool {
	if int(name) >= len(s.heads) {
		return false
	}
	for i := s.heads[name]; i != 0; i = s.decls[i-1].next {
		if s.decls[i-1].from <= at {
			return true
		}
	}
	return false
}

// leave forgets all declarations but the first n.
func (s *scopes) leave(n int) {
	for i := len(s.decls) - 1; i >= n; i-- {
		s.heads[s.decls[i].name] = s.decls[i].next
	}
	s.decls = s.decls[:n]
}
