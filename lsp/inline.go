package lsp

import (
	"context"
	"encoding/json"
	"fmt"
	"slices"
	"time"

	"go.lsp.dev/protocol"
)

const (
	// invokedItems and automaticItems are how many alternatives a client gets: a
	// user who asks wants to choose.
	invokedItems   = 5
	automaticItems = 3
	// invokedDeadline is for a user who asked and waits.
	invokedDeadline = 10 * time.Second
)

// A spot is where a request's items go, captured with the document.
type spot struct {
	ask   *ask
	text  *text // of the ask; never changed
	units encoding
	start int    // the items' range begins here, at or before the cursor
	end   int    // and ends here, if an item replaces nothing
	typed string // what stands between start and the cursor in the ask: part of every item
	exact bool   // the range is given: an item that replaces more is none
}

// inlineCompletion answers with items whose ranges lie on the cursor's line.
func (s *Server) inlineCompletion(params json.RawMessage) (finisher, error) {
	var p cursorParams
	if err := json.Unmarshal(params, &p); err != nil {
		return nil, invalid(err)
	}
	d, err := s.document(p.TextDocument.URI)
	if err != nil {
		return nil, err
	}
	if s.silent() {
		return done{inlineList(nil)}, nil
	}
	invoked := p.Context.TriggerKind == int(protocol.InlineCompletionTriggerKindInvoked)
	at := s.spot(d, p.Position, p.Context.Selected)
	if at == nil {
		return done{inlineList(nil)}, nil
	}
	if !invoked {
		d.pace.request(time.Now())
	}
	at.ask.invoked, at.ask.patient = invoked, !invoked
	if at.ask.max = automaticItems; invoked {
		at.ask.max, at.ask.deadline, at.ask.due = invokedItems, invokedDeadline, time.Time{}
	}
	answer := s.suggester.begin("inline", at.ask)
	return later(func(ctx context.Context) (any, error) {
		got, err := answer(ctx)
		if err != nil {
			return nil, err
		}
		s.hear(ctx, got)
		list := at.inlineItems(got.items)
		if got.pending {
			return pending(list)
		}
		return list, nil
	}), nil
}

// pending is a list that says that the model is still at work on a better one,
// as lists of ordinary completions do: the block that a line opens comes after
// the line. The protocol has no word for it here; a client that knows ours asks
// again, others do not see it.
func pending(list *protocol.InlineCompletionList) (any, error) {
	items, err := json.Marshal(protocol.InlineCompletionItemSlice(list.Items))
	if err != nil {
		return nil, err
	}
	whole, err := json.Marshal(struct {
		Items        json.RawMessage `json:"items"`
		IsIncomplete bool            `json:"isIncomplete"`
	}{items, true})
	return protocol.LSPAny(whole), err
}

// silent reports whether nothing is to be offered at all.
func (s *Server) silent() bool { return s.paused.Load() || !s.config.Load().Enable }

// spot captures a document and a cursor in it. Where the popup menu has an item
// selected, the model is asked as if that were accepted already, and what it
// says extends the selected text over the same range: nil if there is no such
// range on one line.
func (s *Server) spot(d *document, p wirePosition, sel *selected) *spot {
	offset := d.text.offset(p.position(), s.encoding)
	a := s.askAt(d, offset)
	content := a.text
	at := &spot{ask: a, text: &text{bytes: content, starts: slices.Clone(d.text.starts)}, units: s.encoding,
		start: offset, end: offset}
	if sel == nil {
		return at
	}
	at.start, at.end = d.text.offset(sel.Range.Start.position(), s.encoding), d.text.offset(sel.Range.End.position(), s.encoding)
	if at.start > offset || at.end < offset || sel.Range.Start.Line != sel.Range.End.Line {
		return nil
	}
	at.typed, at.exact = sel.Text, true
	a.text = slices.Concat(content[:at.start], []byte(sel.Text), content[at.end:])
	a.offset = at.start + len(sel.Text)
	return at
}

// askAt captures a document and a cursor in it.
func (s *Server) askAt(d *document, offset int) *ask {
	c := s.config.Load()
	return &ask{
		path: d.path, languageID: d.languageID, lang: d.lang, text: d.text.snapshot(), offset: offset,
		world: s.world(d), multiline: c.Multiline, deadline: time.Duration(c.DeadlineMs) * time.Millisecond,
		due: d.pace.due(time.Duration(c.DebounceMs)*time.Millisecond, s.suggester.latency()),
	}
}

// world is all that an answer in d depends on besides d: see memory.
func (s *Server) world(d *document) int64 {
	return s.edits - d.edits + s.epoch.Load() + s.completer.Changes()
}

// inlineItems puts the items into the client's terms.
func (at *spot) inlineItems(items []Item) *protocol.InlineCompletionList {
	var list []protocol.InlineCompletionItem
	for i, it := range items {
		if at.exact && it.Replace > 0 {
			continue
		}
		list = append(list, protocol.InlineCompletionItem{
			InsertText: protocol.String(at.typed + it.Text),
			Range:      at.span(it),
			Command:    acceptedCommand(i),
		})
	}
	return inlineList(list)
}

// inlineList is never null: Neovim keeps showing the old text for a null.
func inlineList(items []protocol.InlineCompletionItem) *protocol.InlineCompletionList {
	return &protocol.InlineCompletionList{Items: append([]protocol.InlineCompletionItem{}, items...)}
}

// span is the range that an item replaces.
func (at *spot) span(it Item) *protocol.Range {
	return &protocol.Range{
		Start: at.text.position(at.start, at.units).wire(),
		End:   at.text.position(at.end+it.Replace, at.units).wire(),
	}
}

// acceptedCommand tells us that the user took the item, in clients that run
// commands.
func acceptedCommand(rank int) protocol.Command {
	return protocol.Command{Title: "accepted", Command: cmdAccepted,
		Arguments: []protocol.LSPAny{protocol.LSPAny(fmt.Sprint(rank))}}
}
