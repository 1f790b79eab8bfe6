package index

import (
	"bytes"
	"context"
	"path/filepath"
	"slices"

	"github.com/cespare/xxhash/v2"

	"readahead/index/facts"
	"readahead/index/redact"
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

	// Used by the parsing goroutine only.
	parser    *facts.Document
	parserPkg string
}

type edit struct {
	start, oldEnd int
	text          []byte
}

// maxPending is the number of edits after which parsing afresh is no slower
// than applying them one by one.
const maxPending = 128

// OpenDocument makes text the content of the file at path until CloseDocument,
// and parses it in the background. Documents that are ignored, by their own name
// or that of what it leads to, or outside the workspace are not indexed; nor are
// texts that would not be read from disk: too large, binary, a private key.
func (ix *Index) OpenDocument(path string, lang facts.Language, text []byte) {
	root, rel, ok := ix.locate(path)
	if !ok {
		return
	}
	if lang == "" {
		lang = facts.LanguageOf(path, text)
	}
	path = ix.folders.abs(path)
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
	d := ix.docs[ix.folders.abs(path)]
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
	d := ix.docs[ix.folders.abs(path)]
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
	p := &documentParser{ix: ix, lexer: newLexer(ix.names), trees: map[*document]bool{}}
	defer p.close()
	for {
		select {
		case <-ix.stop:
			return
		case <-ix.wake:
		}
		for p.parseOne() {
		}
		p.dropClosed()
	}
}

// A documentParser is what the index's goroutine works with.
type documentParser struct {
	ix    *Index
	lexer *lexer
	trees map[*document]bool // documents that hold a tree
}

// parseOne parses one dirty document; false if there is none.
func (p *documentParser) parseOne() bool {
	ix := p.ix
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
	text, edits, version, pkg := d.text, d.pending, d.version, d.pkg
	d.pending = nil
	ix.mu.Unlock()

	f := p.parse(d, text, edits, pkg)

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

func (p *documentParser) parse(d *document, text []byte, edits []edit, pkg string) *file {
	if p.ix.useless(text) {
		return &file{path: d.path, rel: d.rel, root: d.root, size: int64(len(text)), useless: true}
	}
	f := &file{path: d.path, rel: d.rel, root: d.root, lang: d.lang, size: int64(len(text)), hash: xxhash.Sum64(text), text: text}
	p.lexer.index(f, redact.Text(text))
	if d.lang == "" {
		return f
	}
	if d.parser != nil && (len(edits) > maxPending || d.parserPkg != pkg || !d.catchUp(edits, text)) {
		d.parser.Close()
		d.parser = nil
	}
	if d.parser == nil {
		d.parser, d.parserPkg = facts.NewDocument(d.lang, pkg, filepath.Base(d.path), text), pkg
		p.trees[d] = true
	}
	f.pack(p.ix.names, d.parser.Facts())
	f.sift = siftOf(f)
	return f
}

// catchUp applies edits to the parser's text; false if that does not lead to
// text.
func (d *document) catchUp(edits []edit, text []byte) bool {
	for _, e := range edits {
		if d.parser.Edit(uint32(e.start), uint32(e.oldEnd), e.text) != nil {
			return false
		}
	}
	return bytes.Equal(d.parser.Text(), text)
}

// dropClosed frees the trees of documents that were closed.
func (p *documentParser) dropClosed() {
	p.ix.mu.Lock()
	defer p.ix.mu.Unlock()
	for d := range p.trees {
		if p.ix.docs[d.path] != d {
			d.parser.Close()
			delete(p.trees, d)
		}
	}
}

func (p *documentParser) close() {
	for d := range p.trees {
		d.parser.Close()
	}
}
