package index

// A gathering is where one query collects its candidates: some thousands, of which
// the best few are wanted, and which one query after another keeps in the same
// memory.
//
//	file ──files──▶ met.first ──+ object──▶ places ──▶ list
type gathering struct {
	list   []candidate
	files  map[*file]int32 // place in seen
	seen   []met
	places []int32 // by object of the files in seen: one more than the place in list, or one of the two below
	last   int32   // in seen: most come file by file
}

const (
	unmet     int32 = 0
	invisible int32 = -1
)

// A met is what a file is to a query.
type met struct {
	file    *file
	first   int           // of its objects in places
	related bool          // of a language whose names the document sees
	test    bool          // of Go
	near    bool          // in the document's folder
	used    float64       // how near the nearest use stands that leads to it, 0 to 1
	takes   map[int]taken // functions that take something in scope
}

var gatherings = newSpare(func() *gathering { return &gathering{files: map[*file]int32{}} })

// file is what f is to the query, and whether it was not met before. The pointer
// holds until the next call.
func (g *gathering) file(f *file) (m *met, fresh bool) {
	if int(g.last) < len(g.seen) && g.seen[g.last].file == f {
		return &g.seen[g.last], false
	}
	at, ok := g.files[f]
	if !ok {
		at = int32(len(g.seen))
		g.files[f] = at
		g.seen = append(g.seen, met{file: f, first: len(g.places)})
		g.places = append(g.places, make([]int32, len(f.objects))...)
	}
	g.last = at
	return &g.seen[at], !ok
}

// find is the candidate of an object; nil if there is none.
func (g *gathering) find(at site) *candidate {
	i, ok := g.files[at.file]
	if !ok {
		return nil
	}
	if place := g.places[g.seen[i].first+at.obj]; place > 0 {
		return &g.list[place-1]
	}
	return nil
}

// release forgets everything, for the next query. A second call does harm.
func (g *gathering) release() {
	clear(g.list)
	clear(g.files)
	clear(g.seen)
	g.list, g.seen, g.places, g.last = g.list[:0], g.seen[:0], g.places[:0], 0
	gatherings.give(g)
}
