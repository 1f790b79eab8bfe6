package lsp

import (
	"context"
	"encoding/json"
	"slices"
	"strings"
	"time"
	"unicode"
	"unicode/utf8"

	"go.lsp.dev/protocol"
)

// completion answers clients that have no inline completions, above all Helix:
// the item is one entry of the popup menu, first and selected.
func (s *Server) completion(params json.RawMessage) (finisher, error) {
	var p cursorParams
	if err := json.Unmarshal(params, &p); err != nil {
		return nil, invalid(err)
	}
	d, err := s.document(p.TextDocument.URI)
	if err != nil {
		return nil, err
	}
	if s.silent() {
		return done{menu(nil)}, nil
	}
	at := s.spot(d, p.Position, nil)
	d.pace.request(time.Now())
	at.ask.max = automaticItems
	word := wordBefore(at.ask.text, at.ask.offset)
	at.start -= len(word)
	at.typed = word
	answer := s.suggester.begin("menu", at.ask)
	markdown := slices.Contains(s.client.Capabilities.TextDocument.Completion.CompletionItem.DocumentationFormat, string(protocol.MarkupKindMarkdown))
	return later(func(ctx context.Context) (any, error) {
		got, err := answer(ctx)
		if err != nil {
			return nil, err
		}
		s.hear(ctx, got)
		return menu(at.menuItems(got.items, markdown)), nil
	}), nil
}

// wordBefore is the identifier, or the part of one, that ends at the cursor.
func wordBefore(b []byte, offset int) string {
	start := offset
	for start > 0 {
		r, size := utf8.DecodeLastRune(b[:start])
		if !wordRune(r) {
			break
		}
		start -= size
	}
	return string(b[start:offset])
}

// wordRune reports whether r may stand in an identifier.
func wordRune(r rune) bool { return r == '_' || unicode.IsLetter(r) || unicode.IsDigit(r) }

// menu is always incomplete, so that the client asks again at the next key:
// an empty list that is complete would end our part in the menu.
func menu(items []protocol.CompletionItem) *protocol.CompletionList {
	return &protocol.CompletionList{IsIncomplete: true, Items: append([]protocol.CompletionItem{}, items...)}
}

// menuItems puts the items into the form that Helix 25 shows well: kind Text
// and PlainText, or it would expand $ as in a snippet; a label on one line; the
// document's own line ends, which it inserts as they are; AsIs, or VS Code would
// indent the further lines once more.
func (at *spot) menuItems(items []Item, markdown bool) (list []protocol.CompletionItem) {
	eol := lineEnd(at.ask.text)
	for i, it := range items {
		whole := at.typed + it.Text
		list = append(list, protocol.CompletionItem{
			Label:            label(whole),
			Kind:             protocol.CompletionItemKindText,
			Detail:           protocol.NewOptional("readahead"),
			Documentation:    at.preview(whole, markdown),
			Preselect:        protocol.NewOptional(i == 0),
			SortText:         protocol.NewOptional("\x00" + strings.Repeat("\x01", i)), // before all others, in our order
			FilterText:       protocol.NewOptional(firstLine(whole)),
			InsertTextFormat: protocol.InsertTextFormatPlainText,
			InsertTextMode:   protocol.InsertTextModeAsIs,
			TextEdit:         &protocol.TextEdit{Range: *at.span(it), NewText: strings.ReplaceAll(whole, "\n", eol)},
			Command:          acceptedCommand(i),
		})
	}
	return list
}

// labelRunes is what fits a popup menu.
const labelRunes = 60

// label is the first line of text, shortened.
func label(text string) string {
	line := []rune(firstLine(text))
	more := strings.Contains(strings.TrimSpace(text), "\n")
	if len(line) > labelRunes {
		line, more = line[:labelRunes], true
	}
	if more {
		return string(line) + "…"
	}
	return string(line)
}

// preview shows all of an item beside the menu.
func (at *spot) preview(text string, markdown bool) protocol.InlayHintTooltip {
	if !markdown {
		return protocol.String(text)
	}
	fence := "```"
	for strings.Contains(text, fence) {
		fence += "`"
	}
	return &protocol.MarkupContent{Kind: protocol.MarkupKindMarkdown,
		Value: fence + at.ask.languageID + "\n" + text + "\n" + fence}
}
