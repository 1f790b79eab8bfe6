package embedded

import (
	"slices"
	"strings"
	"testing"
)

// words shows the lexemes of a text: ␣ is the space of a word, specials have
// names.
func words(text string) string {
	names := map[word]string{flipEnding: "flip", blankLine: "blank", newlineSame: "same", newlineDeeper: "deeper",
		newlineZero: "zero", newlineAbs: "abs", newlineOut: "out1", newlineOut + 1: "out2"}
	var out []string
	l := newLexer(text)
	for x, ok := l.next(); ok; x, ok = l.next() {
		switch {
		case x.special != 0:
			out = append(out, names[x.special])
		case x.spaced:
			out = append(out, "␣"+x.text)
		case isBlank(x.text):
			out = append(out, strings.NewReplacer(" ", "·", "\t", "⇥").Replace(x.text))
		default:
			out = append(out, x.text)
		}
	}
	return strings.Join(out, " ")
}

func TestATextBecomesWordsAndLineStructure(t *testing.T) {
	for _, c := range []struct{ name, text, want string }{
		{"one space belongs to the word behind it", "x := f(y, z2)", "x ␣:= ␣f ( y , ␣z2 )"},
		{"an alignment is a word of its own", "a   = 1", "a ··· = ␣1"},
		{"so is a space at the end of a line", "a \nb", "a · same b"},
		{"the longest operator wins", "a<<=b...", "a <<= b ..."},
		{"a string is its words", `"no such %s"`, `" no ␣such ␣% s "`},
		{"letters of any script make words", "größe+µs", "größe + µs"},
		{"one level deeper and back, in tabs", "f {\n\tg\n}", "f ␣{ deeper g zero }"},
		{"in spaces the first level is said in full", "f:\n    g\n        h\ni", "f : abs ···· g deeper h zero i"},
		{"the width of a level is learned", "a\n  b\n    c\n  d", "a abs ·· b deeper c out1 d"},
		{"two levels at once", "a\n\tb\n\t\tc\n\t\t\td\n\te", "a deeper b deeper c deeper d out2 e"},
		{"a continuation line is indented absolutely", "f(a,\n  b)", "f ( a , abs ·· b )"},
		{"every blank line counts", "a\n\n\nb", "a blank blank same b"},
		{"the other line ending is said once", "a\r\nb\r\nc", "a flip same b same c"},
		{"a carriage return alone is a byte like any other", "a\rb", "a \r b"},
		{"a NUL too", "a\x00b", "a \x00 b"},
	} {
		t.Run(c.name, func(t *testing.T) {
			if got := words(c.text); got != c.want {
				t.Errorf("%q\n got %s\nwant %s", c.text, got, c.want)
			}
		})
	}
}

func TestALongWordIsCutBetweenCharacters(t *testing.T) {
	l := lexer{src: strings.Repeat("a", maxWord-1) + "é" + strings.Repeat("b", 10)}
	x, _ := l.next()
	if len(x.text) != maxWord-1 {
		t.Errorf("the first piece has %d bytes, want the %d before the é", len(x.text), maxWord-1)
	}
}

// FuzzTokensAreLossless checks that the lexemes are the text, and that a decoder
// which sees only units has the same text.
func FuzzTokensAreLossless(f *testing.F) {
	for _, s := range []string{"", " ", "\n", "\r", "a\r\n\tb\n\r\n  c \n", "if x {\n\t\ty\n  z\n}", "\xff\xfe\x00é\xc3", "\n\n\n \t\n",
		strings.Repeat(" ", maxIndent+3) + "x\n" + strings.Repeat("\t", maxIndent+3) + "y", "  \n     \n   a\n     b", strings.Repeat("漢", 50)} {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, text string) {
		var whole strings.Builder
		s := emptyCorpus().session()
		decoded := emptyCorpus().session()
		decoded.list = s.list
		l := newLexer(text)
		for x, ok := l.next(); ok; x, ok = l.next() {
			if x.spaced {
				whole.WriteByte(' ')
			}
			whole.WriteString(x.text)
			if len(x.text) > maxIndent+2 {
				t.Fatalf("a lexeme of %d bytes", len(x.text))
			}
			u := s.unit(x)
			decoded.list = s.list
			want := x.text
			if x.spaced {
				want = " " + want
			}
			if got := decoded.render(u); got != want {
				t.Fatalf("unit of %q is rendered as %q", want, got)
			}
			decoded.follow(u)
		}
		if whole.String() != text {
			t.Fatalf("the lexemes are %q", whole.String())
		}
		if !slices.Equal(decoded.layout.open, l.open) || decoded.layout.crlf != l.crlf {
			t.Fatalf("the decoder's lines are %+v, the encoder's %+v", decoded.layout, l.layout)
		}
	})
}
