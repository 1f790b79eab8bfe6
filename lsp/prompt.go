package lsp

import (
	"strings"

	"bytes"

	"readahead/index/facts"
	"readahead/index/redact"
	"readahead/model"
	"readahead/rank"
)

// A Prompt is a document at a cursor as far as one model gets to read it. The
// Engine asks about the documents that are open, `readahead eval` about lines
// that were taken out: both through here, so what is measured is what ships.
type Prompt struct {
	Budget
	Doc    Doc
	View   facts.Span // of Doc.Text: what the model reads of the document
	Causal bool       // without what stands behind the cursor
}

// PromptFor divides a model's window between the document and evidence. What is
// secret in the document is hidden: see package redact.
func PromptFor(m model.Model, c Config, doc Doc) Prompt {
	b := split(m.Info.Context, c.EvidenceTokens)
	start, end := cutLeft(doc.Text, doc.Offset, b.Left, m.Tokens), cutRight(doc.Text, doc.Offset, b.Right, m.Tokens)
	doc.Text = redact.Around(doc.Text, start, end)
	return Prompt{
		Budget: b,
		Doc:    doc,
		View:   facts.Span{Start: uint32(start), End: uint32(end)},
		Causal: c.Prompt == "causal" || c.Prompt != "fim" && !m.Info.FIM && m.Info.Provider != embeddedProvider,
	}
}

// embeddedProvider is the model that gains by the code after the cursor without
// having learned to fill in: it makes its own words likelier (README,
// "Completions").
const embeddedProvider = "embedded"

// Request is the question that a ranker gets: path is the document's, relative
// to the workspace; bases are the contexts, in the order of the cascade.
func (p Prompt) Request(path string, bases []rank.Base) rank.Request {
	return rank.Request{
		Bases:  bases,
		Path:   path,
		Lang:   string(p.Doc.Lang),
		Left:   unixLines(p.Doc.Text[p.View.Start:p.Doc.Offset]),
		Right:  unixLines(p.Doc.Text[p.Doc.Offset:p.View.End]),
		Causal: p.Causal,
		Fit:    fitTo(p.Doc),
	}
}

// A Budget says how many tokens of the model's window each part of the prompt
// may take.
type Budget struct {
	Evidence int // code from elsewhere
	Left     int // of the document before the cursor
	Right    int // of the document behind it
}

const (
	// outputTokens is what one candidate may take, and formatTokens what the
	// family's own separators and file name may.
	outputTokens = 64
	formatTokens = 64

	// maxLeft and maxRight bound the document's own share. A screenful before
	// the cursor decides most lines; what stands behind it is read twice, by a
	// fill-in-the-middle prompt and by the scorer, and Caret's own figure is
	// that 128 tokens of it are near-lossless (§V-C).
	maxLeft  = 1024
	maxRight = 256
)

// split divides a window of n tokens. The left context comes first, since no
// evidence makes up for it; evidence gets what is left, up to want. The window
// is taken for a tenth smaller than it is, because token counts are estimates.
func split(n, want int) Budget {
	n = max(0, n-margin(n)-outputTokens-formatTokens)
	left := min(maxLeft, n*2/5)
	right := min(maxRight, n/8)
	return Budget{
		Evidence: max(0, min(want, n-left-right)),
		Left:     left,
		Right:    right,
	}
}

// margin is what of a window of n tokens is left alone.
func margin(n int) int { return n / 10 }

// cutStride is the number of lines by which the start of the left context
// moves: it stays put while the user types, so that the server's prompt cache
// holds, and jumps once every cutStride lines.
const cutStride = 16

// cutLeft is where the left context starts, so that src[start:offset] takes at
// most limit tokens. It is the start of a line unless one line alone is too
// long.
func cutLeft(src []byte, offset, limit int, tokens func(string) int) int {
	fits := func(start int) bool { return tokens(string(src[start:offset])) <= limit }
	// The search is over line starts, counted from the top of the file, so that
	// the stride does not move with the cursor. Lines far beyond any budget are
	// not counted at all: no tokeniser makes a token of 64 bytes of code.
	from := max(0, offset-64*limit)
	if from > 0 {
		if i := bytes.IndexByte(src[from:offset], '\n'); i >= 0 {
			from += i + 1
		}
	}
	line := bytes.Count(src[:from], []byte("\n"))
	starts := []int{from}
	lines := []int{line}
	for i := from; i < offset; i++ {
		if src[i] == '\n' {
			line++
			starts, lines = append(starts, i+1), append(lines, line)
		}
	}
	// Fewer lines take fewer tokens: find the first start that fits.
	lo, hi := 0, len(starts)
	for lo < hi {
		if mid := (lo + hi) / 2; fits(starts[mid]) {
			hi = mid
		} else {
			lo = mid + 1
		}
	}
	if lo == len(starts) { // the cursor's own line is too long: cut inside it
		start := starts[len(starts)-1]
		for start < offset && !fits(start) {
			start += max(1, (offset-start)/4)
		}
		return runeStart(src, start, offset)
	}
	if lo == 0 {
		return starts[0]
	}
	for i := lo; i < len(starts); i++ {
		if lines[i]%cutStride == 0 {
			return starts[i]
		}
	}
	return starts[lo]
}

// cutRight is where the right context ends: after whole lines that take at most
// limit tokens, or inside the cursor's line if that alone is too long.
func cutRight(src []byte, offset, limit int, tokens func(string) int) int {
	end, used := offset, 0
	for end < len(src) {
		next := len(src)
		if i := bytes.IndexByte(src[end:], '\n'); i >= 0 {
			next = end + i + 1
		}
		if next-end > 64*limit+64 { // no need to count a line that cannot fit
			next = end + 64*limit + 64
		}
		n := tokens(string(src[end:next]))
		if used+n > limit {
			break
		}
		used += n
		end = next
	}
	if end == offset && len(src) > offset {
		end = min(len(src), offset+2*limit)
		for end > offset && tokens(string(src[offset:end])) > limit {
			end -= max(1, (end-offset)/4)
		}
		for end > offset && end < len(src) && src[end]&0xC0 == 0x80 {
			end--
		}
	}
	return end
}

// runeStart moves p forward to the start of a UTF-8 sequence.
func runeStart(src []byte, p, limit int) int {
	for p < limit && src[p]&0xC0 == 0x80 {
		p++
	}
	return p
}

// unixLines turns every line end into \n: a prompt holds one kind, whatever the
// document's is.
func unixLines(b []byte) string {
	if bytes.IndexByte(b, '\r') < 0 {
		return string(b)
	}
	b = bytes.ReplaceAll(b, []byte("\r\n"), []byte("\n"))
	return string(bytes.ReplaceAll(b, []byte("\r"), []byte("\n")))
}

// languageIDs are the names that editors use, where they differ from ours.
var languageIDs = map[string]facts.Language{
	"c":               facts.C,
	"c++":             facts.Cpp,
	"cpp":             facts.Cpp,
	"csharp":          facts.CSharp,
	"go":              facts.Go,
	"java":            facts.Java,
	"javascript":      facts.JavaScript,
	"javascriptreact": facts.JavaScript,
	"php":             facts.PHP,
	"python":          facts.Python,
	"ruby":            facts.Ruby,
	"rust":            facts.Rust,
	"typescript":      facts.TypeScript,
	"typescriptreact": facts.TypeScript,
}

// languageOf goes by the editor's word for it, else by the file.
func languageOf(r CompletionRequest) facts.Language {
	if l, ok := languageIDs[r.LanguageID]; ok {
		return l
	}
	return facts.LanguageOf(r.Path, r.Text[:min(len(r.Text), 256)])
}

// grammarPath is the path by which a grammar is chosen: JSX in a document that has no
// file is known by what the editor calls it.
func grammarPath(path, languageID string) string {
	if languageID == "typescriptreact" && !strings.HasSuffix(path, ".tsx") {
		return path + ".tsx"
	}
	return path
}
