package lsp

import (
	"bytes"
	"slices"
	"sort"
	"unicode/utf8"
)

// An encoding is the unit in which a client counts characters in a line.
type encoding uint8

const (
	utf16Units encoding = iota // the protocol's default
	utf8Units
	utf32Units
)

// A position is a line and a character in it, both from 0, as the wire has
// them: any number may stand there.
type position struct {
	Line      int64 `json:"line"`
	Character int64 `json:"character"`
}

// A text is the content of one document with a table of its lines. \n, \r\n and
// \r end a line, also mixed in one document.
//
//	bytes    f o o \r \n b a r \n
//	starts   0           5          9     always begins with 0
//
// An edit changes the bytes in place and repairs the table around it. A snapshot
// hands out the bytes themselves, and the next edit moves to a copy.
type text struct {
	bytes  []byte
	starts []int // where each line begins
	shared bool  // bytes were handed out
}

func newText(content []byte) *text {
	t := &text{bytes: content, starts: []int{0}, shared: true}
	t.starts = appendStarts(t.starts, content, 1, len(content))
	return t
}

// snapshot is the content as it stands. Nobody writes to it any more.
func (t *text) snapshot() []byte {
	t.shared = true
	return t.bytes
}

// replace puts with in the place of the bytes start..end.
func (t *text) replace(start, end int, with []byte) {
	if t.shared {
		t.bytes = slices.Concat(t.bytes[:start], with, t.bytes[end:])
		t.shared = false
	} else {
		t.bytes = slices.Replace(t.bytes, start, end, with...)
	}
	// Whether a line starts at p depends on the bytes p-1 and p, so what may have
	// changed is start..start+len(with).
	from, _ := slices.BinarySearch(t.starts, max(start, 1))
	to, _ := slices.BinarySearch(t.starts, end+1)
	grown := len(with) - (end - start)
	for i := to; i < len(t.starts); i++ {
		t.starts[i] += grown
	}
	fresh := appendStarts(nil, t.bytes, max(start, 1), start+len(with))
	t.starts = slices.Replace(t.starts, from, to, fresh...)
}

// appendStarts appends every line start p with from ≤ p ≤ to.
func appendStarts(starts []int, b []byte, from, to int) []int {
	for p := from; p <= to; {
		i := bytes.IndexAny(b[p-1:to], "\r\n")
		if i < 0 {
			break
		}
		p += i
		if b[p-1] == '\n' || p == len(b) || b[p] != '\n' {
			starts = append(starts, p)
		}
		p++
	}
	return starts
}

// line is where line n, which exists, begins and ends, without its line end.
func (t *text) line(n int) (start, end int) {
	start = t.starts[n]
	if n+1 == len(t.starts) {
		return start, len(t.bytes)
	}
	end = t.starts[n+1] - 1
	if end > start && t.bytes[end] == '\n' && t.bytes[end-1] == '\r' {
		end--
	}
	return start, end
}

// offset is the byte that p stands for. A line that does not exist means the
// end of the text, a character behind its line the end of the line, and one
// inside a character the start of it.
func (t *text) offset(p position, e encoding) int {
	if p.Line < 0 {
		return 0
	}
	if p.Line >= int64(len(t.starts)) {
		return len(t.bytes)
	}
	start, end := t.line(int(p.Line))
	line := t.bytes[start:end]
	if e == utf8Units {
		n := int(min(max(p.Character, 0), int64(len(line))))
		for n > 0 && n < len(line) && !utf8.RuneStart(line[n]) && insideRune(line, n) {
			n--
		}
		return start + n
	}
	i := 0
	for left := p.Character; left > 0 && i < len(line); {
		r, size := utf8.DecodeRune(line[i:])
		if left -= units(r, size, e); left < 0 {
			break
		}
		i += size
	}
	return start + i
}

// insideRune reports whether b[n] continues a valid character, so that a stray
// continuation byte counts as a character of its own.
func insideRune(b []byte, n int) bool {
	for i := n - 1; i >= 0 && n-i < utf8.UTFMax; i-- {
		if utf8.RuneStart(b[i]) {
			_, size := utf8.DecodeRune(b[i:])
			return i+size > n
		}
	}
	return false
}

// position is the inverse of offset. An offset between \r and \n is the end of
// their line.
func (t *text) position(offset int, e encoding) position {
	n := sort.SearchInts(t.starts, offset+1) - 1
	start, end := t.line(n)
	line := t.bytes[start:min(offset, end)]
	p := position{Line: int64(n)}
	if e == utf8Units {
		p.Character = int64(len(line))
		return p
	}
	for i := 0; i < len(line); {
		r, size := utf8.DecodeRune(line[i:])
		p.Character += units(r, size, e)
		i += size
	}
	return p
}

// units is how many units of e a character takes.
func units(r rune, size int, e encoding) int64 {
	switch {
	case e == utf8Units:
		return int64(size)
	case e == utf16Units && r > 0xFFFF:
		return 2
	}
	return 1
}

// lineEnd is the line end that the document uses, by its first line; \n if it
// has only one.
func lineEnd(b []byte) string {
	i := bytes.IndexAny(b, "\r\n")
	switch {
	case i < 0 || b[i] == '\n':
		return "\n"
	case i+1 < len(b) && b[i+1] == '\n':
		return "\r\n"
	}
	return "\r"
}
