package lsp

import (
	"context"
	"strings"

	"readahead/index"
	"readahead/model"
	"readahead/rank"
)

// A Transfer is the account of two blocks, written from the two contexts. The
// second takes the first one's place only for the Witness, and stays out where
// there is none.
type Transfer struct {
	Witness     rank.Witness `json:"witness"` // "": the default stands
	Default     rank.Program `json:"default"`
	Alternative rank.Program `json:"alternative"`
}

// chosen is the block that is shown: text, unless there is a witness against it.
func (t *Transfer) chosen(text string) string {
	if t != nil && t.Witness != "" {
		return t.Alternative.Text
	}
	return text
}

// A blockWriter writes the block that is held against the one that was chosen.
type blockWriter struct {
	ranker   rank.Ranker
	request  rank.Request
	decision rank.Decision
	model    model.Model
	doc      Doc
	path     string
	snap     *index.Snapshot
}

// transfer writes the other block, and compares. nil says that there is none:
// one context only, another line that opens no block, or no time.
func (w blockWriter) transfer(ctx context.Context, standard rank.Block) *Transfer {
	base, line := w.other(ctx)
	if base < 0 || !wantsBlock(w.doc, line) {
		return nil
	}
	b, err := w.ranker.Continue(ctx, w.request, rank.Continuation{Base: base, Line: line, MaxTokens: blockTokens})
	if err != nil || b.Ended == "tokens" || !strings.Contains(b.Text, "\n") {
		return nil
	}
	t := &Transfer{
		Default:     programOf(w.snap, w.path, w.doc, standard.Text, w.model.Tokens),
		Alternative: programOf(w.snap, w.path, w.doc, b.Text, w.model.Tokens),
	}
	t.Witness = rank.Transfer(t.Default, t.Alternative)
	return t
}

// other is the context that was not routed to, and its best line: of its pool if
// it was consulted, else its greedy answer. It is -1 if both say the same.
func (w blockWriter) other(ctx context.Context) (base int, line string) {
	routed := w.decision.Pools[w.decision.Routed].Base
	base = -1
	for i, b := range w.request.Bases {
		if i != routed && b.Text != w.request.Bases[routed].Text {
			base = i
		}
	}
	if base < 0 {
		return -1, ""
	}
	for _, p := range w.decision.Pools {
		if p.Base == base && len(p.Candidates) > 0 {
			return base, strings.TrimRight(p.Candidates[0].Text, " \t")
		}
	}
	ranker, q := w.ranker, w.request
	ranker.Options.Selector, q.Bases, q.Progress = rank.Greedy, q.Bases[base:base+1], nil
	d, err := ranker.Decide(ctx, q)
	if best, ok := d.Best(); err == nil && ok {
		return base, strings.TrimRight(best.Text, " \t")
	}
	return -1, ""
}
