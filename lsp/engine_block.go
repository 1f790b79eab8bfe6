package lsp

import (
	"context"
	"strings"

	"readahead/model"
	"readahead/rank"
)

// blockTokens bounds what is written after the line that opens a block: about a
// screenful, which is what one looks at before accepting it.
const blockTokens = 256

// indentOf is the width of a line's indentation, a tab counting as one: deeper
// is longer within one file.
func indentOf(line string) int { return len(line) - len(strings.TrimLeft(line, " \t")) }

// block writes out the block that the shown line opens (Caret §VI-B: the line
// by agreement, the rest greedily). The n-gram model writes no blocks: what it
// knows of a line does not reach over several.
//
// Where it ends, the brackets and the indentation say, exactly; a parser knows no
// better before the end is there, so none is asked after each line
// (rank.Continuation.Done). Afterwards one is: a block that breaks the file is
// not shown, and the line stands alone (see judge).
func block(ctx context.Context, ranker rank.Ranker, q rank.Request, d rank.Decision, m model.Info, doc Doc) (rank.Block, bool) {
	best, ok := d.Best()
	if !ok || m.Provider == "embedded" || !wantsBlock(doc, strings.TrimRight(best.Text, " \t")) {
		return rank.Block{}, false
	}
	b, err := ranker.Continue(ctx, q, rank.Continuation{Base: d.Pools[d.Routed].Base, Line: best.Text, MaxTokens: blockTokens})
	if err != nil || b.Ended == "tokens" || !strings.Contains(b.Text, "\n") {
		return b, false // the line alone stands
	}
	return b, true
}
