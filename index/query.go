package index

import (
	"bytes"
	"path/filepath"
	"slices"
	"sync"

	"github.com/cespare/xxhash/v2"

	"readahead/index/facts"
	"readahead/index/redact"
)

// Retrieve finds evidence for a cursor in both families. It reads the snapshot,
// Query.Src, and the files that it shows; it never waits for the index.
//
// Structural scores are the estimated probability, 0 to 1, that the next line
// uses the object, scaled down for views that show less of it. Lexical scores
// are BM25.
func (s *Snapshot) Retrieve(q Query) Evidence { return s.prepare(q).evidence() }

// evidence has the windows sought on another goroutine, which ends before it does.
func (q *query) evidence() Evidence {
	var ahead sync.WaitGroup
	ahead.Go(func() {
		defer func() { _ = recover() }() // it panics again where the windows are used
		q.hits()
	})
	defer ahead.Wait()
	return Evidence{
		Structural: q.structural(), Lexical: q.lexical(), Terms: q.terms(),
		Within: q.snap.symbol(site{q.self, q.enclosing()}).ID(),
	}
}

// A query is one Retrieve: the snapshot with the document as the query has it.
type query struct {
	Query
	snap    *Snapshot
	self    *file  // the document
	text    []byte // its text with what is hidden blanked out
	max     int
	cursor  int // 1-based line of the cursor
	objects map[site]*Object

	blockedLines []lineRange // of self: never shown

	windows func() []windowHit // see hits
}

func (s *Snapshot) prepare(q Query) *query {
	x := &query{Query: q, max: q.MaxViews, objects: map[site]*Object{}}
	if x.max <= 0 {
		x.max = DefaultMaxViews
	}
	x.Offset = max(0, min(q.Offset, len(q.Src)))
	x.Visible, x.Hidden = clamp(q.Visible, len(q.Src)), clamp(q.Hidden, len(q.Src))
	x.text = blank(q.Src, x.Hidden)
	x.cursor = 1 + bytes.Count(x.text[:x.Offset], []byte{'\n'})
	x.windows = sync.OnceValue(x.search)
	x.self = s.document(x)
	x.snap = s
	if x.self != s.file(x.self.path) {
		x.snap = s.with(x.self)
	}
	x.blockedLines = []lineRange{{x.cursor, x.cursor}}
	for _, span := range []facts.Span{x.Visible, x.Hidden} {
		if span.Len() > 0 {
			first := 1 + bytes.Count(x.text[:span.Start], []byte{'\n'})
			x.blockedLines = append(x.blockedLines, lineRange{first, first + bytes.Count(x.text[span.Start:span.End-1], []byte{'\n'})})
		}
	}
	return x
}

func clamp(s facts.Span, n int) facts.Span {
	end := min(s.End, uint32(n))
	return facts.Span{Start: min(s.Start, end), End: end}
}

// blank overwrites a part with spaces; lines and offsets stay.
func blank(src []byte, hidden facts.Span) []byte {
	if hidden.Len() == 0 {
		return src
	}
	out := slices.Clone(src)
	for i := hidden.Start; i < hidden.End; i++ {
		if out[i] != '\n' {
			out[i] = ' '
		}
	}
	return out
}

// maxShift is the size of an edit, in bytes, that the last good facts are mapped
// through in any case; behind a larger one, of more than half of the text, they say
// too little.
const maxShift = 4 << 10

// document is the file of the query: what the index has if the text is the
// same, the last good facts moved through a small edit, or facts made now.
func (s *Snapshot) document(q *query) *file {
	path := s.folders.abs(q.Path)
	known := s.file(path)
	hash := xxhash.Sum64(q.text)
	lang := q.Lang
	if lang == "" {
		lang = facts.LanguageOf(path, q.text)
	}
	if known != nil && known.hash == hash && known.lang == lang && (known.parsed || lang == "") && (known.text == nil || bytes.Equal(known.text, q.text)) {
		return known
	}
	if known != nil && known.text != nil && known.parsed && known.lang == lang && q.Hidden.Len() == 0 {
		if f, sameWindows := shifted(known, q.text, hash); f != nil {
			if !sameWindows {
				newLexer(s.names).index(f, redact.Text(q.text))
			}
			return f
		}
	}
	f := &file{path: path, rel: s.Rel(path), root: -1, lang: lang, size: int64(len(q.text)), hash: hash,
		text: q.text}
	shown := redact.Text(q.text)
	newLexer(s.names).index(f, shown)
	if lang != "" {
		pkg := ""
		if known != nil && known.parsed {
			pkg = s.names.str(known.pkg)
		} else {
			pkg = s.packageBeside(path, lang)
		}
		f.pack(s.names, facts.Extract(lang, pkg, filepath.Base(path), shown))
	}
	f.sift = siftOf(f)
	return f
}

// packageBeside is the package of a document that the index does not know.
func (s *Snapshot) packageBeside(path string, lang facts.Language) string {
	if root, _, ok := s.folders.find(path); ok {
		return s.packages.of(lang, path, s.folders.paths[root])
	}
	return s.packages.of(lang, path, "")
}

// shifted moves the facts of f through one edit that makes text out of f.text;
// nil if too much differs. What lies inside the edit is cut to its edge, and
// references there are dropped. An edit of at most maxShift that moves what is behind
// it no farther than from one window to the next leaves the windows as they are: their
// words are some lines off, until the text is parsed.
func shifted(f *file, text []byte, hash uint64) (g *file, sameWindows bool) {
	old := f.text
	prefix := 0
	for prefix < min(len(old), len(text)) && old[prefix] == text[prefix] {
		prefix++
	}
	suffix := 0
	for suffix < min(len(old), len(text))-prefix && old[len(old)-1-suffix] == text[len(text)-1-suffix] {
		suffix++
	}
	if max(len(old), len(text))-prefix-suffix > max(maxShift, len(text)/2) {
		return nil, false
	}
	oldEnd, delta := len(old)-suffix, len(text)-len(old)
	removed := bytes.Count(old[prefix:oldEnd], []byte{'\n'})
	added := bytes.Count(text[prefix:len(text)-suffix], []byte{'\n'})
	sameWindows = abs(removed-added) <= windowStride && max(len(old), len(text))-prefix-suffix <= maxShift
	// An end that touches the edit moves behind it: the object around the cursor
	// grows with what is typed at its end.
	move := func(p uint32) uint32 {
		switch {
		case int(p) >= oldEnd:
			return uint32(int(p) + delta)
		case int(p) <= prefix:
			return p
		}
		return uint32(prefix)
	}
	moved := *f
	g = &moved
	g.text, g.hash, g.size = text, hash, int64(len(text))
	g.lines = uint32(max(0, int(f.lines)+added-removed))
	g.objects = slices.Clone(f.objects)
	for i := range g.objects {
		o := &g.objects[i]
		for _, s := range []*facts.Span{&o.ident, &o.whole, &o.signature, &o.doc, &o.body} {
			s.Start, s.End = move(s.Start), move(s.End)
		}
	}
	g.refs = slices.Clone(f.refs)
	for i := range g.refs {
		g.refs[i].at = move(g.refs[i].at)
	}
	g.refs = slices.DeleteFunc(g.refs, func(r ref) bool { return int(r.at) == prefix && delta < 0 })
	g.binds = slices.Clone(f.binds)
	for i := range g.binds {
		g.binds[i].at = move(g.binds[i].at)
	}
	return g, sameWindows
}

// left is the code before the cursor, up to what is hidden of it.
func (q *query) left() []byte { return q.text[:q.Offset] }

// blocked reports whether lines of f must not be shown.
func (q *query) blocked(f *file, lines lineRange) bool {
	if f != q.self {
		return false
	}
	return slices.ContainsFunc(q.blockedLines, func(b lineRange) bool { return b.first <= lines.last && lines.first <= b.last })
}

// object renders each object once a query.
func (q *query) object(at site) *Object {
	o, ok := q.objects[at]
	if !ok {
		o = q.snap.render(at)
		q.objects[at] = o
	}
	return o
}

// maxTerms bounds Evidence.Terms.
const maxTerms = 200

// terms are the identifiers of the lines before the cursor, nearest first.
func (q *query) terms() []string {
	var out []string
	seen := map[string]bool{}
	left := lastLines(q.left(), queryLines)
	var all []string
	for i := 0; i < len(left); {
		n := wordLen(left[i:])
		if n > 1 && n <= maxTerm && (left[i] < '0' || left[i] > '9') {
			all = append(all, string(left[i:i+n]))
		}
		i += max(n, 1)
	}
	for _, t := range slices.Backward(all) {
		if !seen[t] && len(out) < maxTerms {
			seen[t] = true
			out = append(out, t)
		}
	}
	return out
}
