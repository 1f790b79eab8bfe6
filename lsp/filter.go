package lsp

import (
	"fmt"
	"strings"

	"readahead/index/facts"
)

// A Doc is a document at a cursor, as far as it decides what may be shown there.
type Doc struct {
	Path   string // the file's name tells dialects apart (.tsx); may be ""
	Text   []byte // with its own line ends
	Offset int    // the cursor, in bytes
	Lang   facts.Language
}

// Show turns what a model said into the edit to offer, or says why there is
// none. It depends on nothing but its arguments.
//
//	settle   what the model's text means at this cursor: without its control
//	         tokens and fences, without what it says again of the cursor's line,
//	         indented for the cursor's column
//	fit      what of it this document has room for: not the code that follows
//	         anyway, not a closing bracket that is there already, not the line
//	         above over again
//
// Settling is done once, on the model's text. Fitting may be repeated on its own
// result, and is, when the user has typed the beginning of an item: the text
// is then what is left of it.
//
// No text is dropped for how it looks: a line that begins with // is code to
// someone. There are two judgements on content: repeating helps nobody, and
// nobody can check what does not show (see unseen). Whether an item breaks the
// file is another's to say: see judge.
func Show(d Doc, raw string) (Item, string) { return newFrame(d).show(raw) }

// show is Show, for one text of several: what was read of the document serves them
// all.
func (f *frame) show(raw string) (Item, string) {
	text, reason := f.settle(raw)
	if reason != "" {
		return Item{}, reason
	}
	return f.fit(text)
}

// fit is the second half of Show, for text that was shown before.
func fit(d Doc, text string) (Item, string) { return newFrame(d).fit(text) }

const (
	blankReason  = "there is nothing but white space in it"
	repeatsBelow = "it repeats the code after the cursor"
	repeatsAbove = "it repeats the lines above"
	wrongBracket = "its brackets do not match"
	openString   = "it leaves a string open"
	openList     = "it leaves a bracket open that the code after it does not close"
	hidesCode    = "it makes a comment of the code after the cursor"
	onlyRemark   = "it is a comment where code has to follow"
	unseenReason = "it holds a character that cannot be seen and changes what is: %U"
)

// A frame is the document around the cursor, with \n for all line ends. It is for
// one goroutine at a time.
type frame struct {
	lang        facts.Language
	syntax      *syntax
	left, right string
	lineLeft    string // the cursor's line up to it
	lineRight   string // and behind it

	// Once they were needed:
	before *scan       // of left
	behind map[int]int // see closedBehind
}

// frameBytes bounds what is read on each side: more code than any bracket at
// the cursor reaches over.
const frameBytes = 1 << 20

func newFrame(d Doc) *frame {
	at := max(0, min(d.Offset, len(d.Text)))
	f := &frame{
		lang: d.Lang, syntax: syntaxOf(d.Lang),
		left:  unixLines(d.Text[max(0, at-frameBytes):at]),
		right: unixLines(d.Text[at:min(len(d.Text), at+frameBytes)]),
	}
	f.lineLeft = f.left[strings.LastIndexByte(f.left, '\n')+1:]
	f.lineRight, _, _ = strings.Cut(f.right, "\n")
	return f
}

// settle is what the model's text means at the cursor.
func (f *frame) settle(raw string) (text, reason string) {
	text = f.plainCode(raw)
	if r, ok := f.unseen(text); ok {
		return "", fmt.Sprintf(unseenReason, r)
	}
	if strings.TrimSpace(text) == "" {
		return "", blankReason
	}
	text = f.withoutEcho(text)
	return f.indented(text), ""
}

// fitRounds bounds how often fitting is repeated. Each round but the last takes
// something away, so few are needed; text that never comes to rest is no code.
const fitRounds = 8

// fit is what of text the document has room for. It is repeated until nothing
// changes any more, since what is left after a cut may end like what was cut:
// fitting what it returns gives the same again.
func (f *frame) fit(text string) (Item, string) {
	for range fitRounds {
		it, reason := f.fitOnce(text)
		if reason != "" || it.Text == text {
			return it, reason
		}
		text = it.Text
	}
	return Item{}, repeatsBelow
}

func (f *frame) fitOnce(text string) (Item, string) {
	if strings.TrimSpace(text) == "" {
		return Item{}, blankReason
	}
	text = f.withoutLoop(text)
	if f.aboveAgain(text) {
		return Item{}, repeatsAbove
	}
	text = f.onOneLine(text)
	text = f.beforeLineRest(text)
	text = f.beforeLinesBelow(text)
	text = strings.ToValidUTF8(text, "") // a document may go on in the middle of a character
	if strings.TrimSpace(text) == "" {
		return Item{}, repeatsBelow
	}
	it, reason := f.balanced(text)
	if reason != "" {
		return Item{}, reason
	}
	it.Text = strings.TrimRight(it.Text, " \t\n")
	if it.Text == "" {
		return Item{}, repeatsBelow
	}
	switch {
	case f.leavesOpen(it):
		return Item{}, openList
	case f.hides(it):
		return Item{}, hidesCode
	case f.remarks(it):
		return Item{}, onlyRemark
	}
	return it, ""
}
