package lsp

import (
	"time"

	"readahead/model"
)

// A CompletionRequest is one cursor in one version of a document.
type CompletionRequest struct {
	// Path is the absolute path of the document, or its URI if it has no file
	// (untitled:Untitled-1).
	Path       string
	LanguageID string // as the editor names it: "go", "python", "typescriptreact"; "" if unknown
	// Text is the document as it stands at the cursor, with its own line ends.
	// It is a snapshot: neither side writes to it.
	Text    []byte
	Offset  int  // the cursor, in bytes of Text: 0 ≤ Offset ≤ len(Text)
	Invoked bool // the user asked and waits, as opposed to a pause in typing
	Max     int  // candidates wanted, best first; 0 and 1 mean one
	// Multiline lets a candidate go on to the end of the block that it opens.
	Multiline bool
	// Due is when the requester stops waiting; zero if it waits for as long as the
	// context lasts. Where it is Invoked, a model that has said nothing shortly
	// before that is given up, so that there is another's answer.
	Due time.Time
	// Partial, if not nil, is called with the best answer so far each time there
	// is a better one, before Complete returns. It returns at once. The server
	// answers with the latest when a request's deadline passes, and lets Complete
	// go on: what it finally returns serves the next keystroke.
	Partial func(Completion)

	judge *judge // of the items; nil: Complete makes its own
}

// A Completion is the answer to a CompletionRequest.
type Completion struct {
	Items []Item     // best first, distinct; empty if nothing is worth showing
	Model model.Info // which model answered
	// Notice is one sentence for the user, "" if all is well: the model server
	// is down, another model answered; or it is on another machine, said once. The
	// server shows a failure if it lasts.
	Notice string
	// Passing says that the Notice may be over by the next request: the model was
	// slow once.
	Passing bool
	// Told says that the Notice is about no failure: it is for the user to know,
	// and comes once.
	Told bool
	// Incomplete says that more time would have given a better answer: the
	// context ended first.
	Incomplete bool
	// Trace is the whole account of the answer; nil from a Completer that keeps
	// none.
	Trace *Trace
}

// An Item is one edit at the cursor: Text replaces the Replace bytes that stand
// behind it.
type Item struct {
	Text    string `json:"text"`    // line ends are \n whatever the document's are
	Replace int    `json:"replace"` // bytes after the cursor, all on its line
}
