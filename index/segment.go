package index

import (
	"slices"

	"readahead/index/facts"
)

// A segment is the packed bulk of a workspace: flat arrays without pointers,
// which the cache file holds byte for byte. It never changes; files that did
// change since stand in the snapshot's overlay and hide its entries.
//
//	files ─┬ objects, refs, imports, binds, types   one array each, by file
//	       └ windows                                 tokens, by window
//	defs      name  → objects of that name
//	members   owner → objects inside types of that name
//	mentions  name  → files that use the name, and how often
//	postings  term  → windows, delta-coded
type segment struct {
	files    []*file
	defs     table[def]
	members  table[def]
	mentions table[mention]

	windowFile []uint32 // file of each window
	firstOf    []uint32 // first window of each file
	lengths    []windowLength
	tokens     int64 // over all windows
	terms      table[byte]
	frequency  []uint32 // windows with the term, by position in terms.keys

	byPath    map[string]uint32
	byPackage map[nameID][]uint32

	parts knownParts
	tops  tops
	uses  knownUses
}

// A def is an object in a segment.
type def struct{ file, object uint32 }

// A mention says that a file uses a name.
type mention struct {
	file  uint32
	uses  uint16 // all roles, at most maxUses
	calls uint16
}

const maxUses = 1<<16 - 1

// A windowLength is the number of tokens of a window, up to 32,767, and in its
// highest bit whether the file is generated: a search looks at both together, for
// each of many windows.
type windowLength uint16

func lengthOf(tokens uint16, generated bool) windowLength {
	n := windowLength(min(tokens, 1<<15-1))
	if generated {
		n |= 1 << 15
	}
	return n
}

func (n windowLength) tokens() int     { return int(n &^ (1 << 15)) }
func (n windowLength) generated() bool { return n>>15 == 1 }

// A table maps names to runs of values; keys rise.
type table[T any] struct {
	keys   []nameID
	starts []uint32 // run i is values[starts[i]:starts[i+1]]
	values []T
}

func (t *table[T]) get(k nameID) []T {
	i, ok := slices.BinarySearch(t.keys, k)
	if !ok {
		return nil
	}
	return t.values[t.starts[i]:t.starts[i+1]]
}

// group builds a table from pairs. each must produce the same pairs each time
// it is called.
func group[T any](names int, each func(yield func(nameID, T))) table[T] {
	counts := make([]uint32, names+1)
	each(func(k nameID, _ T) { counts[k]++ })
	var t table[T]
	var total uint32
	for k, n := range counts {
		if n > 0 {
			t.keys = append(t.keys, nameID(k))
			t.starts = append(t.starts, total)
		}
		counts[k] = total
		total += n
	}
	t.starts = append(t.starts, total)
	t.values = make([]T, total)
	each(func(k nameID, v T) {
		t.values[counts[k]] = v
		counts[k]++
	})
	t.keys, t.starts = slices.Clip(t.keys), slices.Clip(t.starts)
	return t
}

// mergeSegments makes a segment of what is alive in old and of added, in that
// order. names is an upper bound for the IDs in use.
func mergeSegments(old *segment, dead func(doc uint32) bool, added []*file, names int) *segment {
	s := &segment{}
	moved := make([]uint32, len(old.files)) // old document → new, or gone
	var keep []*file
	for doc, f := range old.files {
		moved[doc] = gone
		if !dead(uint32(doc)) {
			moved[doc] = uint32(len(keep))
			keep = append(keep, f)
		}
	}
	s.adopt(slices.Concat(keep, added))
	s.indexWindows()
	s.mergePostings(old, moved, added, len(keep), names)
	s.indexNames(names)
	s.indexFiles()
	return s
}

const gone = ^uint32(0)

// adopt copies the files' arrays into one array each, so that the garbage
// collector sees a handful of objects and the cache can write them as they are.
func (s *segment) adopt(files []*file) {
	var objects, refs, imports, binds, types, windows int
	for _, f := range files {
		objects, refs, imports = objects+len(f.objects), refs+len(f.refs), imports+len(f.imports)
		binds, types, windows = binds+len(f.binds), types+len(f.types), windows+len(f.windows)
	}
	a := arrays{
		objects: make([]object, 0, objects), refs: make([]ref, 0, refs), imports: make([]imported, 0, imports),
		binds: make([]bind, 0, binds), types: make([]nameID, 0, types), windows: make([]uint16, 0, windows),
	}
	s.files = make([]*file, len(files))
	for i, f := range files {
		g := *f
		g.terms, g.text, g.sift = nil, nil, nil
		g.objects = move(&a.objects, f.objects)
		g.refs = move(&a.refs, f.refs)
		g.imports = move(&a.imports, f.imports)
		g.binds = move(&a.binds, f.binds)
		g.types = move(&a.types, f.types)
		g.windows = move(&a.windows, f.windows)
		s.files[i] = &g
	}
}

// arrays are the per-file facts of many files, one file after another.
type arrays struct {
	objects []object
	refs    []ref
	imports []imported
	binds   []bind
	types   []nameID
	windows []uint16
}

func move[T any](to *[]T, from []T) []T {
	start := len(*to)
	*to = append(*to, from...)
	return (*to)[start:len(*to):len(*to)]
}

func (s *segment) indexWindows() {
	for doc, f := range s.files {
		s.firstOf = append(s.firstOf, uint32(len(s.windowFile)))
		for _, n := range f.windows {
			s.windowFile = append(s.windowFile, uint32(doc))
			s.lengths = append(s.lengths, lengthOf(n, f.generated))
			s.tokens += int64(n)
		}
	}
}

// mergePostings renumbers the windows of old and appends those of added. Both
// keep their order, so every list stays sorted without sorting.
func (s *segment) mergePostings(old *segment, moved []uint32, added []*file, keep, names int) {
	fresh := make([][]byte, names) // per term: postings of added, windows of s
	last := make([]uint32, names)
	count := make([]uint32, names)
	for i, f := range added {
		first := s.firstOf[keep+i]
		eachTerm(f.terms, func(t nameID, n int, r *postingReader) {
			for range n {
				p := r.next()
				fresh[t] = appendPostings(fresh[t], []posting{{first + p.window, p.count}}, last[t])
				last[t] = first + p.window
			}
			count[t] += uint32(n)
		})
	}
	var at int // in old.terms
	for t := range nameID(names) {
		start := len(s.terms.values)
		n, prev := count[t], uint32(0)
		if at < len(old.terms.keys) && old.terms.keys[at] == t {
			var kept uint32
			kept, prev = s.copyPostings(old, at, moved)
			n += kept
			at++
		}
		if n == 0 {
			continue
		}
		if len(fresh[t]) > 0 {
			// Only the first delta counts from another window.
			r := &postingReader{data: fresh[t]}
			p := r.next()
			s.terms.values = appendPostings(s.terms.values, []posting{p}, prev)
			s.terms.values = append(s.terms.values, r.data...)
		}
		s.terms.keys = append(s.terms.keys, t)
		s.terms.starts = append(s.terms.starts, uint32(start))
		s.frequency = append(s.frequency, n)
	}
	s.terms.starts = append(s.terms.starts, uint32(len(s.terms.values)))
	s.terms.values = slices.Clip(s.terms.values)
}

func (s *segment) copyPostings(old *segment, at int, moved []uint32) (n, last uint32) {
	r := &postingReader{data: old.terms.values[old.terms.starts[at]:old.terms.starts[at+1]]}
	for range old.frequency[at] {
		p := r.next()
		doc := old.windowFile[p.window]
		if moved[doc] == gone {
			continue
		}
		w := s.firstOf[moved[doc]] + p.window - old.firstOf[doc]
		s.terms.values = appendPostings(s.terms.values, []posting{{w, p.count}}, last)
		last = w
		n++
	}
	return n, last
}

func (s *segment) indexNames(names int) {
	s.defs = group(names, func(yield func(nameID, def)) {
		for doc, f := range s.files {
			for i := range f.objects {
				if i > 0 {
					yield(f.objects[i].name, def{uint32(doc), uint32(i)})
				}
			}
		}
	})
	s.members = group(names, func(yield func(nameID, def)) {
		for doc, f := range s.files {
			for i := range f.objects {
				if f.objects[i].owner != 0 {
					yield(f.objects[i].owner, def{uint32(doc), uint32(i)})
				}
			}
		}
	})
	tally := newTally(names)
	s.mentions = group(names, func(yield func(nameID, mention)) {
		for doc, f := range s.files {
			tally.count(f, func(name nameID, uses, calls uint16) { yield(name, mention{uint32(doc), uses, calls}) })
		}
	})
}

// A tally counts the uses of each name in a file; it is scratch space.
type tally struct {
	uses, calls []uint16
	seen        []nameID
}

func newTally(names int) *tally { return &tally{make([]uint16, names), make([]uint16, names), nil} }

func (t *tally) count(f *file, yield func(name nameID, uses, calls uint16)) {
	t.seen = t.seen[:0]
	for _, r := range f.refs {
		if t.uses[r.name] == 0 {
			t.seen = append(t.seen, r.name)
		}
		if t.uses[r.name] < maxUses {
			t.uses[r.name]++
			if r.role() == facts.Call {
				t.calls[r.name]++
			}
		}
	}
	for _, n := range t.seen {
		yield(n, t.uses[n], t.calls[n])
		t.uses[n], t.calls[n] = 0, 0
	}
}

func (s *segment) indexFiles() {
	s.byPath = make(map[string]uint32, len(s.files))
	s.byPackage = map[nameID][]uint32{}
	for doc, f := range s.files {
		s.byPath[f.path] = uint32(doc)
		if f.parsed {
			s.byPackage[f.pkg] = append(s.byPackage[f.pkg], uint32(doc))
		}
	}
}

// termPostings finds the windows with a term.
func (s *segment) termPostings(t nameID) (r postingReader, frequency uint32) {
	i, ok := slices.BinarySearch(s.terms.keys, t)
	if !ok {
		return r, 0
	}
	return postingReader{data: s.terms.values[s.terms.starts[i]:s.terms.starts[i+1]]}, s.frequency[i]
}

// A foundTerm are the postings of one term in one file.
type foundTerm struct {
	postings postingReader
	count    uint32
}

// findTerms finds terms, which ascend, in the encoded terms of one file, in one
// pass: what stands before a term tells where it begins.
func findTerms(terms []byte, wanted []nameID) []foundTerm {
	out := make([]foundTerm, len(wanted))
	scan := postingReader{data: terms}
	term, i := nameID(0), 0
	for len(scan.data) > 0 && i < len(wanted) {
		term += nameID(scan.uvarint())
		n := uint32(scan.uvarint())
		for i < len(wanted) && wanted[i] < term {
			i++
		}
		if i < len(wanted) && wanted[i] == term {
			out[i] = foundTerm{postingReader{data: scan.data}, n}
			i++
		}
		for range n {
			scan.next()
		}
	}
	return out
}

func (s *segment) resident() int64 {
	n := bytesOf(s.windowFile) + bytesOf(s.firstOf) + bytesOf(s.lengths) + bytesOf(s.frequency) +
		s.defs.resident() + s.members.resident() + s.mentions.resident() + s.terms.resident()
	for _, f := range s.files {
		n += f.resident() + mapEntry
	}
	return n
}

func (t *table[T]) resident() int64 { return bytesOf(t.keys) + bytesOf(t.starts) + bytesOf(t.values) }
