package lsp

import (
	"bytes"
	"encoding/json"
	"runtime"
	"time"

	"readahead/index/facts"
)

// A document is one open file as the editor has it. Only the reader touches it;
// what runs beside the reader works on snapshots.
type document struct {
	path       string
	languageID string
	lang       facts.Language
	text       *text
	edits      int64 // how often it was changed
	pace       pace
}

func (s *Server) didOpen(params json.RawMessage) (finisher, error) {
	var p didOpenParams
	if err := json.Unmarshal(params, &p); err != nil {
		return nil, invalid(err)
	}
	content := []byte(p.TextDocument.Text)
	d := &document{path: fileOf(p.TextDocument.URI), languageID: p.TextDocument.LanguageID, text: newText(content)}
	d.lang = languageOf(CompletionRequest{Path: d.path, LanguageID: d.languageID, Text: content})
	if d.lang == "" {
		d.lang = facts.Language(d.languageID)
	}
	s.documents[d.path] = d
	s.edits++
	s.completer.OpenDocument(d.path, d.languageID, content)
	return nil, nil
}

func (s *Server) didChange(params json.RawMessage) (finisher, error) {
	var p didChangeParams
	if err := json.Unmarshal(params, &p); err != nil {
		return nil, invalid(err)
	}
	d, err := s.document(p.TextDocument.URI)
	if err != nil {
		return nil, err
	}
	var start int
	for _, c := range p.Changes {
		start = s.change(d, c.Range, []byte(c.Text))
	}
	d.pace.edited(time.Now())
	if len(p.Changes) == 1 && p.Changes[0].Range != nil { // else nothing says where the cursor is
		s.heed(d, start, []byte(p.Changes[0].Text))
	}
	return nil, nil
}

// change applies one change and returns where it begins; without a range it is the
// whole text.
func (s *Server) change(d *document, r *wireRange, with []byte) int {
	if r == nil {
		s.rewrite(d, with)
		return 0
	}
	start, end := d.text.offset(r.Start.position(), s.encoding), d.text.offset(r.End.position(), s.encoding)
	s.edit(d, min(start, end), max(start, end), with)
	return min(start, end)
}

// edit is the one place where a document changes.
func (s *Server) edit(d *document, start, end int, with []byte) {
	d.text.replace(start, end, with)
	d.edits++
	s.edits++
	s.completer.EditDocument(d.path, start, end, with)
}

// rewrite replaces the whole text by an edit of what differs, so that a client
// that sends whole documents costs no more than the difference behind it.
func (s *Server) rewrite(d *document, with []byte) {
	old := d.text.bytes
	n := min(len(old), len(with))
	head := 0
	for head < n && old[head] == with[head] {
		head++
	}
	tail := 0
	for tail < n-head && old[len(old)-1-tail] == with[len(with)-1-tail] {
		tail++
	}
	if head == len(old) && head == len(with) {
		return
	}
	s.edit(d, head, len(old)-tail, bytes.Clone(with[head:len(with)-tail]))
}

func (s *Server) didClose(params json.RawMessage) (finisher, error) {
	var p documentParams
	if err := json.Unmarshal(params, &p); err != nil {
		return nil, invalid(err)
	}
	d, err := s.document(p.TextDocument.URI)
	if err != nil {
		return nil, err
	}
	delete(s.documents, d.path)
	s.edits++
	s.suggester.forget(d.path)
	s.completer.CloseDocument(d.path)
	return nil, nil
}

// nothing is for messages that are understood and change nothing here: the
// index notices saves by the file system, and traces go to the log.
func nothing(json.RawMessage) (finisher, error) { return nil, nil }

func (s *Server) document(uri string) (*document, error) {
	d := s.documents[fileOf(uri)]
	if d == nil {
		return nil, wrong("document %s is not open (textDocument/didOpen comes first)", clip(uri, 200))
	}
	return d, nil
}

// fileOf is pathOf on this system.
func fileOf(uri string) string { return pathOf(uri, runtime.GOOS == "windows") }
