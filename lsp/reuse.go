package lsp

import (
	"bytes"
	"slices"
	"strings"
	"unicode"
)

// A memory keeps recent answers, so that typing what is shown costs no model.
//
//	answered at      total := pri|          item "ce * count"
//	asked again at   total := pric|         "e * count" is what is left of it
//
// An answer holds as long as nothing that its prompt was made of has changed:
// the document, but for what was typed at the cursor, is compared byte by byte,
// and what happens elsewhere is a number, the world: the sum of counters that only
// grow, so that it is the same only if none has moved.
type memory struct{ memos []*memo } // oldest first

// rememberedAnswers bounds the memory. One document takes a few; each keeps the
// text that it was about alive.
const rememberedAnswers = 16

// A memo is one answer and what it was about.
type memo struct {
	path   string
	text   []byte
	offset int
	world  int64
	// invoked answers are the ranked list of a full run; what an automatic
	// request got is not enough for a user who asks.
	invoked  bool
	complete bool // false: the model was, or is, still at it
	items    []Item
	report   *Report // of the answer, until somebody has got it; nil if there is none
}

func (m *memory) add(a *memo) {
	if len(m.memos) == rememberedAnswers {
		m.memos = slices.Delete(m.memos, 0, 1)
	}
	m.memos = append(m.memos, a)
}

func (m *memory) forget(path string) {
	m.memos = slices.DeleteFunc(m.memos, func(o *memo) bool { return o.path == path })
}

// recall returns what is left of a remembered answer at a's cursor, and whose it
// is. final says that it is the answer for this very cursor, even if there is
// nothing in it.
func (m *memory) recall(a *ask) (items []Item, of *memo, final bool) {
	for _, o := range slices.Backward(m.memos) {
		if o.world != a.world || a.invoked && !o.invoked {
			continue
		}
		typed, ok := o.typed(a, 0)
		switch {
		case !ok:
		case typed == "" && o.complete:
			return o.items, o, true
		case typed != "" && items == nil:
			items, of = o.left(typed), o
		}
	}
	return items, of, false
}

// left are the items that begin with typed, without it.
func (o *memo) left(typed string) (left []Item) {
	for _, it := range o.items {
		rest, ok := strings.CutPrefix(it.Text, typed)
		if ok && strings.TrimSpace(rest) != "" {
			left = append(left, Item{Text: rest, Replace: it.Replace})
		}
	}
	return left
}

// typed is what was inserted at o's cursor since, if nothing else changed but
// replaced bytes behind it: then a's cursor stands behind the insertion. Its
// line ends are \n.
//
// An editor that closes brackets by itself puts the closer behind the cursor:
// one that what was typed had opened counts as nothing.
func (o *memo) typed(a *ask, replaced int) (string, bool) {
	if o.path != a.path || a.offset < o.offset || o.offset+replaced > len(o.text) ||
		!bytes.Equal(a.text[:o.offset], o.text[:o.offset]) {
		return "", false
	}
	typed := unixLines(a.text[o.offset:a.offset])
	after, rest := a.text[a.offset:], o.text[o.offset+replaced:]
	closers, ok := bytes.CutSuffix(after, rest)
	if !ok || len(closers) > maxAutoClosers || !opened(typed, closers) {
		return "", false
	}
	return typed, true
}

// maxAutoClosers is how deep a nest of brackets may be opened while typing
// through one item.
const maxAutoClosers = 8

// opened reports whether each of the closers belongs to an opener in typed.
func opened(typed string, closers []byte) bool {
	for _, c := range closers {
		i := strings.IndexByte(")]}\"'`>", c)
		if i < 0 || strings.IndexByte(typed, "([{\"'`<"[i]) < 0 {
			return false
		}
	}
	return true
}

// accepted are the remembered texts that were inserted as they stood, with
// nothing but white space typed since: the user has just accepted them, or typed
// them to the end.
func (m *memory) accepted(a *ask) (texts []string) {
	for _, o := range m.memos {
		for _, it := range o.items {
			typed, ok := o.typed(a, it.Replace)
			if !ok {
				continue
			}
			if rest, ok := strings.CutPrefix(typed, it.Text); ok && strings.TrimSpace(rest) == "" {
				texts = append(texts, it.Text)
			}
		}
	}
	return texts
}

// sameAgain reports whether an item says first what was just accepted. Lines of
// brackets alone may well follow each other.
func sameAgain(item string, accepted []string) bool {
	line := firstLine(item)
	return hasWord(line) && slices.ContainsFunc(accepted, func(t string) bool {
		return line == firstLine(t) || line == lastLine(t)
	})
}

// firstLine is the first line with text on it, without the space around it.
func firstLine(s string) string {
	line, _, _ := strings.Cut(strings.TrimSpace(s), "\n")
	return strings.TrimSpace(line)
}

func lastLine(s string) string {
	s = strings.TrimSpace(s)
	return strings.TrimSpace(s[strings.LastIndexByte(s, '\n')+1:])
}

// hasWord reports whether s says anything beyond punctuation.
func hasWord(s string) bool {
	return strings.ContainsFunc(s, func(r rune) bool { return unicode.IsLetter(r) || unicode.IsDigit(r) })
}
