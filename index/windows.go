package index

import (
	"bytes"
	"encoding/binary"
	"slices"
)

// Lexical retrieval reads files as overlapping windows of lines (Caret §III-B,
// after RepoCoder): window i covers lines [i·stride, i·stride+windowLines).
const (
	windowLines  = 20
	windowStride = 10
)

// maxWindows bounds what one file adds; the rest of it has no lexical entries.
// It is out of reach for files under the default size limit.
const maxWindows = 1 << 16

// windowCount is the number of windows of a file with that many lines: the last
// stride lines are always covered by the window before.
func windowCount(lines int) int {
	return min(maxWindows, max(1, (lines-windowLines+windowStride-1)/windowStride+1))
}

// A posting is how often a term occurs in one window.
type posting struct{ window, count uint32 }

// lexer turns texts into encoded terms. It is scratch space: one a goroutine.
type lexer struct {
	names *names
	ids   map[string]nameID
	occur []occurrence
}

type occurrence struct {
	term nameID
	line uint32
}

func newLexer(n *names) *lexer { return &lexer{names: n, ids: map[string]nameID{}} }

// maxLexerTerms bounds the private copy of the vocabulary that keeps workers
// off the shared lock.
const maxLexerTerms = 1 << 17

func (x *lexer) intern(term []byte) nameID {
	if id, ok := x.ids[string(term)]; ok {
		return id
	}
	id := x.names.intern(string(term))
	if len(x.ids) >= maxLexerTerms {
		clear(x.ids)
	}
	x.ids[string(term)] = id
	return id
}

// index fills the lexical part of f from its text: the token count of every
// window, and f.terms, which lists by rising term
//
//	term delta, number of postings, (window delta << 1 | count is 1, count unless 1)…
//
// as varints. Counts are those of the window, so overlapping windows both count
// the lines that they share. So that no term is part of a secret, the text is one that
// redact.Text returned.
func (x *lexer) index(f *file, text []byte) {
	f.lines = uint32(countLines(text))
	windows := windowCount(int(f.lines))
	f.windows = make([]uint16, windows)
	x.occur = x.occur[:0]
	words(text, func(line int, term []byte) {
		x.occur = append(x.occur, occurrence{x.intern(term), uint32(line)})
	})
	for _, o := range x.occur {
		first, last := windowsOf(int(o.line), windows)
		for w := first; w <= last; w++ {
			if f.windows[w] < 1<<16-1 {
				f.windows[w]++
			}
		}
	}
	slices.SortFunc(x.occur, func(a, b occurrence) int {
		if a.term != b.term {
			return int(a.term) - int(b.term)
		}
		return int(a.line) - int(b.line)
	})
	f.terms = encodeTerms(x.occur, windows)
}

func encodeTerms(occur []occurrence, windows int) []byte {
	var out []byte
	var ps []posting
	last := nameID(0)
	for len(occur) > 0 {
		n := 1
		for n < len(occur) && occur[n].term == occur[0].term {
			n++
		}
		ps = ps[:0]
		for _, o := range occur[:n] {
			ps = countLine(ps, int(o.line), windows)
		}
		out = binary.AppendUvarint(out, uint64(occur[0].term-last))
		out = binary.AppendUvarint(out, uint64(len(ps)))
		out = appendPostings(out, ps, 0)
		last = occur[0].term
		occur = occur[n:]
	}
	return out
}

// countLine adds one occurrence to the windows that cover line. Lines come in
// rising order, so the windows to touch are at the end of ps.
func countLine(ps []posting, line, windows int) []posting {
	first, last := windowsOf(line, windows)
	for w := first; w <= last; w++ {
		i := len(ps) - 1
		for i >= 0 && ps[i].window > uint32(w) {
			i--
		}
		if i >= 0 && ps[i].window == uint32(w) {
			ps[i].count++
		} else {
			ps = slices.Insert(ps, i+1, posting{uint32(w), 1})
		}
	}
	return ps
}

// windowsOf are the windows that cover a line, first to last; first > last if
// the file has too many.
func windowsOf(line, windows int) (first, last int) {
	first = 0
	if line >= windowLines {
		first = (line-windowLines)/windowStride + 1
	}
	return first, min(line/windowStride, windows-1)
}

// appendPostings encodes ps with windows counted from base.
func appendPostings(out []byte, ps []posting, last uint32) []byte {
	for _, p := range ps {
		code := uint64(p.window-last) << 1
		if p.count == 1 {
			out = binary.AppendUvarint(out, code|1)
		} else {
			out = binary.AppendUvarint(out, code)
			out = binary.AppendUvarint(out, uint64(p.count))
		}
		last = p.window
	}
	return out
}

// postingReader decodes what appendPostings wrote.
type postingReader struct {
	data []byte
	last uint32
}

func (r *postingReader) next() posting {
	code := r.uvarint()
	r.last += uint32(code >> 1)
	if code&1 == 1 {
		return posting{r.last, 1}
	}
	return posting{r.last, uint32(r.uvarint())}
}

func (r *postingReader) uvarint() uint64 {
	if len(r.data) > 0 && r.data[0] < 0x80 {
		v := r.data[0]
		r.data = r.data[1:]
		return uint64(v)
	}
	v, n := binary.Uvarint(r.data)
	r.data = r.data[max(n, 1):]
	return v
}

// eachTerm decodes f.terms. read must consume all postings of the term.
func eachTerm(terms []byte, read func(term nameID, count int, r *postingReader)) {
	r := &postingReader{data: terms}
	term := nameID(0)
	for len(r.data) > 0 {
		term += nameID(r.uvarint())
		count := int(r.uvarint())
		r.last = 0
		read(term, count, r)
	}
}

// countLines counts the last line too when it has no newline; an empty text has
// no line.
func countLines(text []byte) int {
	n := bytes.Count(text, []byte{'\n'})
	if len(text) > 0 && text[len(text)-1] != '\n' {
		n++
	}
	return n
}
