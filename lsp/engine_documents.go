package lsp

import (
	"cmp"
	"maps"
	"slices"

	"readahead/index"
	"readahead/index/facts"
)

// An openText is a document that the editor has open, as a new index must be told
// of it.
//
// A file may be open by several names, if there are symbolic links to it. The index
// knows it by one, and has one text for it: that of the document which was opened
// or edited last.
type openText struct {
	name string // of the file in the present index: see index.Index.Name
	lang facts.Language
	text []byte
	turn int64 // counts what was opened or edited, over all documents
}

// OpenDocument: see Completer.
func (e *Engine) OpenDocument(path, languageID string, text []byte) {
	x := e.current()
	d := &openText{lang: languageOf(CompletionRequest{Path: path, LanguageID: languageID, Text: text}), text: slices.Clone(text), name: x.Name(path)}
	e.mu.Lock()
	if e.index != x {
		x = e.index
		d.name = x.Name(path)
	}
	d.turn = e.nextTurn()
	e.open[path] = d
	name, enabled := d.name, e.config.Enable // another index may give it another name
	e.mu.Unlock()
	if enabled {
		x.OpenDocument(name, d.lang, text)
	}
}

// EditDocument: see Completer.
func (e *Engine) EditDocument(path string, start, oldEnd int, text []byte) {
	e.mu.Lock()
	d := e.open[path]
	if d == nil {
		e.mu.Unlock()
		return
	}
	last := e.latest(d.name) == d
	d.text, d.turn = slices.Concat(d.text[:start], text, d.text[oldEnd:]), e.nextTurn()
	name, lang, whole := d.name, d.lang, d.text
	x, enabled := e.index, e.config.Enable
	e.mu.Unlock()
	switch {
	case !enabled:
	case last:
		x.EditDocument(name, start, oldEnd, text)
	default: // the index has the text of another document
		x.OpenDocument(name, lang, whole)
	}
}

// CloseDocument: see Completer.
func (e *Engine) CloseDocument(path string) {
	e.mu.Lock()
	d := e.open[path]
	if d == nil {
		e.mu.Unlock()
		return
	}
	delete(e.open, path)
	var other openText // by another name
	last := e.latest(d.name)
	if last != nil {
		other = *last
	}
	x, enabled := e.index, e.config.Enable
	e.mu.Unlock()
	switch {
	case !enabled:
	case last != nil:
		x.OpenDocument(other.name, other.lang, other.text)
	default:
		x.CloseDocument(d.name)
	}
}

// name is the path by which an index knows the document at path.
func (e *Engine) name(x *index.Index, path string) string {
	e.mu.RLock()
	name := ""
	if d := e.open[path]; d != nil && e.index == x {
		name = d.name
	}
	e.mu.RUnlock()
	if name != "" {
		return name
	}
	return x.Name(path)
}

// latest is the document whose text the index has for a file, nil without one;
// e.mu is held.
func (e *Engine) latest(name string) (last *openText) {
	for _, d := range e.open {
		if d.name == name && (last == nil || d.turn > last.turn) {
			last = d
		}
	}
	return last
}

// reopen tells a new index what is open; e.mu is held.
func (e *Engine) reopen() {
	for path, d := range e.open {
		d.name = e.index.Name(path)
	}
	if !e.config.Enable {
		return
	}
	for _, d := range slices.SortedFunc(maps.Values(e.open), func(a, b *openText) int { return cmp.Compare(a.turn, b.turn) }) {
		e.index.OpenDocument(d.name, d.lang, d.text)
	}
}

// nextTurn counts; e.mu is held.
func (e *Engine) nextTurn() int64 {
	e.turns++
	return e.turns
}
