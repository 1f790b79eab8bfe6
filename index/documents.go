package index

import (
	"context"
	"path/filepath"
	"slices"

	"github.com/cespare/xxhash/v2"

	"readahead/index/facts"
)

// A document is a file that is open in the editor: its text is what the editor
// says, whatever the disk holds.
//
// An edit only changes the text and leaves a note. The index's goroutine parses
// the newest text when it gets to it; a parse that takes long, as an unbalanced
// brace at the top of a long file does, delays the facts of this document and
// nothing else. Until then queries map the last good facts through the edit.
type document struct {
	path string
	rel  string
	root int
	lang facts.Language
	pkg  string
	// ignored documents are kept, since the rules may change, but not indexed.
	ignored bool

	text    []byte // never changed in place
	pending []edit // not yet applied to parser
	version int    // counts edits
	parsed  int    // version of file; -1 before the first
	file    *file  // last good facts; nil before the first
}

type edit struct {
	start, oldEnd int
	text          []byte
}

// maxPending is the number of edits after which parsing afresh is no slower
// than applying them one by one.
const maxPending = 128

// OpenDocument makes text the content of the file at path until CloseDocument,
// and parses it in the background. Documents that are ignored or outside the
// workspace are not indexed: only queries from themselves see them.
func (ix *Index) OpenDocument(path string, lang facts.Language, text []byte) {
	path = filepath.Clean(path)
	root, rel, ok := ix.locate(path)
	if !ok {
		return
	}
	if lang == "" {
		lang = facts.LanguageOf(path, text)
	}
	path = filepath.Join(ix.roots[root].path, filepath.FromSlash(rel))
	d := &document{path: path, rel: rel, root: root, lang: lang, text: slices.Clone(text), parsed: -1}
	ix.mu.Lock()
	defer ix.mu.Unlock()
	ix.docs[path] = d
	ix.place(d)
	ix.wakeParser()
}

// place finds out what the rules and manifests on disk say about a document.
// The caller holds mu.
func (ix *Index) place(d *document) {
	_, ignored := ix.Ignored(d.path)
	pkg := ix.packages.of(d.lang, d.path, ix.roots[d.root].path)
	if pkg != d.pkg || ignored != d.ignored {
		d.parsed, d.file = -1, nil
	}
	d.pkg, d.ignored = pkg, ignored
}

// EditDocument replaces the bytes [start, oldEnd) of an open document by text.
// Offsets out of range are clamped. A document that is not open is left alone.
func (ix *Index) EditDocument(path string, start, oldEnd int, text []byte) {
	ix.mu.Lock()
	defer ix.mu.Unlock()
	d := ix.docs[ix.key(path)]
	if d == nil {
		return
	}
	start = max(0, min(start, len(d.text)))
	oldEnd = max(start, min(oldEnd, len(d.text)))
	d.text = slices.Concat(d.text[:start], text, d.text[oldEnd:])
	d.pending = append(d.pending, edit{start, oldEnd, slices.Clone(text)})
	d.version++
	ix.wakeParser()
}

// CloseDocument gives the file back to the disk. If it was saved meanwhile,
// FilesChanged or Sweep finds out.
func (ix *Index) CloseDocument(path string) {
	ix.mu.Lock()
	defer ix.mu.Unlock()
	d := ix.docs[ix.key(path)]
	if d == nil {
		return
	}
	delete(ix.docs, d.path)
	ix.publish()
	ix.wakeParser() // a Settle may be waiting for this document
}

// Settle waits until all open documents are parsed as they stand now.
func (ix *Index) Settle(ctx context.Context) error {
	for {
		ix.mu.Lock()
		busy, signal := ix.dirty() != nil, ix.parsed
		ix.mu.Unlock()
		if !busy {
			return nil
		}
		select {
		case <-signal:
		case <-ix.stop:
			return nil
		case <-ctx.Done():
			return ctx.Err()
		}
	}
}

func (ix *Index) key(path string) string {
	path = filepath.Clean(path)
	if root, rel, ok := ix.locate(path); ok {
		return filepath.Join(ix.roots[root].path, filepath.FromSlash(rel))
	}
	return path
}

func (ix *Index) wakeParser() {
	select {
	case ix.wake <- struct{}{}:
	default:
	}
}

// dirty is a document whose text is newer than its facts. The caller holds mu.
func (ix *Index) dirty() *document {
	for _, d := range ix.docs {
		if d.parsed != d.version && !d.ignored {
			return d
		}
	}
	return nil
}

// parseDocuments is the index's goroutine.
func (ix *Index) parseDocuments() {
	lexer := newLexer(ix.names)
	for {
		select {
		case <-ix.stop:
			return
		case <-ix.wake:
		}
		for ix.parseOne(lexer) {
		}
	}
}

// parseOne parses one dirty document; false if there is none.
func (ix *Index) parseOne(lexer *lexer) bool {
	select {
	case <-ix.stop:
		return false
	default:
	}
	ix.mu.Lock()
	d := ix.dirty()
	if d == nil {
		ix.mu.Unlock()
		return false
	}
	text, version, pkg := d.text, d.version, d.pkg
	d.pending = nil
	ix.mu.Unlock()

	f := d.parse(ix.names, lexer, text, pkg)

	ix.mu.Lock()
	defer ix.mu.Unlock()
	if ix.docs[d.path] == d && d.pkg == pkg && !d.ignored {
		d.file, d.parsed = f, version
		ix.publish()
	}
	close(ix.parsed)
	ix.parsed = make(chan struct{})
	return true
}

func (d *document) parse(n *names, lexer *lexer, text []byte, pkg string) *file {
	f := &file{path: d.path, rel: d.rel, root: d.root, lang: d.lang, size: int64(len(text)), hash: xxhash.Sum64(text), text: text}
	lexer.index(f, text)
	if d.lang == "" {
		return f
	}
	f.pack(n, facts.Extract(d.lang, pkg, filepath.Base(d.path), text))
	return f
}
