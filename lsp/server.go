package lsp

import "context"

// A Completer answers requests and follows the workspace: *Engine in the
// product. Document calls come in wire order from one goroutine and return at
// once; the others may come from any goroutine.
type Completer interface {
	// Complete answers one request. It returns its best so far when ctx's
	// deadline passes, and ctx.Err() when ctx is cancelled: the work stops at the
	// model too.
	Complete(ctx context.Context, r CompletionRequest) (Completion, error)

	// OpenDocument says that the editor's text of a document counts now, not the
	// disk's. text is the callee's to read, never to write.
	OpenDocument(path, languageID string, text []byte)
	// EditDocument replaces the bytes start..oldEnd of an open document by text.
	// The range always lies inside the document.
	EditDocument(path string, start, oldEnd int, text []byte)
	// CloseDocument says that the disk's text counts again.
	CloseDocument(path string)

	// FilesChanged names absolute paths that were created, changed or deleted on
	// disk, as far as the editor noticed.
	FilesChanged(ctx context.Context, paths []string)
	// FoldersChanged adds and removes workspace folders (absolute paths) and
	// returns when the added ones are indexed, calling report now and then.
	FoldersChanged(ctx context.Context, added, removed []string, report func(Progress)) error
}

// Progress is how far indexing has come.
type Progress struct {
	Done, Total int    // files; Total is 0 while it is not known
	What        string // what is being done, for people
}
