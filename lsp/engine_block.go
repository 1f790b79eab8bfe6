package lsp

import (
	"context"
	"strings"

	"readahead/index/facts"
	"readahead/model"
	"readahead/rank"
)

// blockTokens bounds what is written after the line that opens a block: about a
// screenful, which is what one looks at before accepting it.
const blockTokens = 256

// wantsBlock reports whether a line opens a block that the document does not
// have yet.
func wantsBlock(doc Doc, line string) bool {
	opens := strings.HasSuffix(line, "{")
	switch doc.Lang {
	case facts.Python:
		opens = strings.HasSuffix(line, ":")
	case facts.Ruby:
		opens = opensRubyBlock(line)
	}
	f := newFrame(doc)
	if !opens || strings.TrimSpace(f.lineRight) != "" {
		return false
	}
	_, below, _ := strings.Cut(f.right, "\n")
	for next := range strings.Lines(below) {
		if strings.TrimSpace(next) != "" {
			return indentOf(next) <= indentOf(f.lineLeft+line)
		}
	}
	return true
}

// opensRubyBlock reports whether an end must follow a line of Ruby.
func opensRubyBlock(line string) bool {
	line = strings.TrimSpace(line)
	if strings.HasSuffix(line, " do") || strings.HasSuffix(line, "|") && strings.Contains(line, " do |") || strings.HasSuffix(line, "{") {
		return true
	}
	first, rest, _ := strings.Cut(line, " ")
	switch first {
	case "if", "unless", "while", "until", "case", "class", "module":
		return !strings.HasSuffix(line, " end")
	case "def":
		return !strings.HasSuffix(line, " end") && !strings.Contains(rest, " = ")
	}
	return false
}

// indentOf is the width of a line's indentation, a tab counting as one: deeper
// is longer within one file.
func indentOf(line string) int { return len(line) - len(strings.TrimLeft(line, " \t")) }

// block writes out the block that the shown line opens (Caret §VI-B: the line
// by agreement, the rest greedily). The n-gram model writes no blocks: what it
// knows of a line does not reach over several.
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
