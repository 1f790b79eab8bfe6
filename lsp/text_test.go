package lsp

import (
	"bytes"
	"math"
	"slices"
	"strings"
	"testing"
	"unicode/utf8"

	"pgregory.net/rapid"
)

func TestPositions(t *testing.T) {
	const doc = "ab\r\nжя🙂z\rlast\n"
	for _, c := range []struct {
		name   string
		at     position
		units  encoding
		before string // the text before the offset
	}{
		{"the first character", position{0, 0}, utf16Units, ""},
		{"a character behind its line is the end of the line, before its end", position{0, 9}, utf16Units, "ab"},
		{"two units for a character outside the basic plane", position{1, 4}, utf16Units, "ab\r\nжя🙂"},
		{"between the two is before the character", position{1, 3}, utf16Units, "ab\r\nжя"},
		{"four bytes in UTF-8", position{1, 8}, utf8Units, "ab\r\nжя🙂"},
		{"inside a character is before it", position{1, 3}, utf8Units, "ab\r\nж"},
		{"one in UTF-32", position{1, 3}, utf32Units, "ab\r\nжя🙂"},
		{"a lone \\r ends a line", position{2, 4}, utf16Units, "ab\r\nжя🙂z\rlast"},
		{"the line behind the last line end", position{3, 0}, utf16Units, doc},
		{"a line that does not exist is the end of the text", position{4, 0}, utf16Units, doc},
		{"as is one beyond 32 bits", position{1 << 40, 3}, utf16Units, doc},
		{"and a negative one its beginning", position{-1, 3}, utf16Units, ""},
		{"a huge character number", position{0, math.MaxInt64}, utf8Units, "ab"},
	} {
		t.Run(c.name, func(t *testing.T) {
			x := newText([]byte(doc))
			if got := doc[:x.offset(c.at, c.units)]; got != c.before {
				t.Errorf("offset of %v: before it %q, want %q", c.at, got, c.before)
			}
		})
	}
}

// naiveStarts is the definition of a line start.
func naiveStarts(b []byte) []int {
	starts := []int{0}
	for i := 1; i <= len(b); i++ {
		if b[i-1] == '\n' || b[i-1] == '\r' && (i == len(b) || b[i] != '\n') {
			starts = append(starts, i)
		}
	}
	return starts
}

func content(t *rapid.T, label string, most int) []byte {
	pieces := rapid.SliceOfN(rapid.SampledFrom([]string{"a", "bc", "\n", "\r", "\r\n", "é", "🙂", "\xff", "\xf0\x9f", ""}), 0, most).Draw(t, label)
	return []byte(strings.Join(pieces, ""))
}

func TestEditsEqualTheNaiveApplication(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		want := content(t, "document", 30)
		x := newText(slices.Clone(want))
		for range rapid.IntRange(1, 12).Draw(t, "edits") {
			start := rapid.IntRange(0, len(want)).Draw(t, "start")
			end := rapid.IntRange(start, len(want)).Draw(t, "end")
			with := content(t, "with", 6)
			var kept, before []byte
			if rapid.Bool().Draw(t, "snapshot") {
				kept = x.snapshot()
				before = slices.Clone(kept)
			}
			x.replace(start, end, with)
			want = slices.Concat(want[:start], with, want[end:])
			if !bytes.Equal(x.bytes, want) {
				t.Fatalf("text %q, want %q", x.bytes, want)
			}
			if !slices.Equal(x.starts, naiveStarts(want)) {
				t.Fatalf("lines of %q at %v, want %v", want, x.starts, naiveStarts(want))
			}
			if !bytes.Equal(kept, before) {
				t.Fatalf("a snapshot changed from %q to %q", before, kept)
			}
		}
	})
}

func TestPositionsRoundTrip(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		b := content(t, "document", 40)
		x := newText(b)
		units := rapid.SampledFrom([]encoding{utf8Units, utf16Units, utf32Units}).Draw(t, "units")
		for i := 0; i <= len(b); {
			inCRLF := i > 0 && i < len(b) && b[i-1] == '\r' && b[i] == '\n'
			if got := x.offset(x.position(i, units), units); got != i && !inCRLF {
				t.Fatalf("%q: offset %d is %v, which is offset %d", b, i, x.position(i, units), got)
			}
			_, size := utf8.DecodeRune(b[i:])
			i += max(1, size)
		}
	})
}

// FuzzEdits applies what a client might send, sensible or not.
func FuzzEdits(f *testing.F) {
	f.Add("a\r\nb🙂c\n", int64(1), int64(1), int64(1), int64(3), "x\r", uint8(0))
	f.Add("", int64(1<<31), int64(-1), int64(0), int64(1<<40), "\n", uint8(1))
	f.Add("\xff\xf0\x9f", int64(0), int64(1), int64(0), int64(2), "", uint8(2))
	f.Fuzz(func(t *testing.T, doc string, l1, c1, l2, c2 int64, with string, units uint8) {
		e := encoding(units % 3)
		x := newText([]byte(doc))
		start, end := x.offset(position{l1, c1}, e), x.offset(position{l2, c2}, e)
		start, end = min(start, end), max(start, end)
		x.replace(start, end, []byte(with))
		if want := doc[:start] + with + doc[end:]; string(x.bytes) != want {
			t.Fatalf("%q, want %q", x.bytes, want)
		}
		if want := naiveStarts(x.bytes); !slices.Equal(x.starts, want) {
			t.Fatalf("lines of %q at %v, want %v", x.bytes, x.starts, want)
		}
	})
}

func TestLineEnds(t *testing.T) {
	for doc, want := range map[string]string{"": "\n", "a": "\n", "a\nb\r\n": "\n", "a\r\nb\n": "\r\n", "a\rb": "\r", "\r": "\r"} {
		if got := lineEnd([]byte(doc)); got != want {
			t.Errorf("line end of %q: %q, want %q", doc, got, want)
		}
	}
}

// BenchmarkKey types in the middle of a document of 5,000 lines, whose
// snapshot every key's request takes.
func BenchmarkKey(b *testing.B) {
	doc := []byte(strings.Repeat("\tresult = append(result, value) // a line\n", 5000))
	x := newText(doc)
	at := len(doc) / 2
	b.ReportAllocs()
	for b.Loop() {
		p := x.position(at, utf16Units)
		o := x.offset(p, utf16Units)
		x.replace(o, o, []byte("x"))
		x.snapshot()
		x.replace(o, o+1, nil)
	}
}
