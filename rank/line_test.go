package rank

import (
	"go/scanner"
	"go/token"
	"strings"
	"testing"

	"pgregory.net/rapid"
)

// at is the cursor at | in text.
func at(lang, text string) cursor {
	left, right, _ := strings.Cut(text, "|")
	return cursorOf(Request{Lang: lang, Left: left, Right: right})
}

func TestProposal(t *testing.T) {
	tests := []struct {
		name   string
		lang   string
		cursor string
		sample string
		want   string // "-" for none
	}{
		{"a line of code", "go", "\t|", "x := 1", "x := 1"},
		{"not the lines after it", "go", "\t|", "x := 1\n\ty := 2", "x := 1"},
		{"without the white space at its end", "go", "\t|", "x := 1 \t\r", "x := 1"},
		{"with the white space at its beginning", "py", "if x:\n|", "    return", "    return"},
		{"blank lines are skipped", "go", "\t|", "\n\n\tx := 1", "x := 1"},
		{"and the indentation that is at the cursor already", "py", "    |", "# why\n        x = 1", "    x = 1"},
		{"a line that is indented less stands at the cursor", "py", "        |", "# done\n    return", "return"},
		{"nothing but comments", "go", "|", "// a\n/* b\n c */\n", "-"},
		{"nothing at all", "go", "|", "", "-"},
		{"within a line, the rest of it", "go", "x := |", "f(a) // why", "f(a) // why"},
		{"within a line, nothing to add", "go", "x := f()|", "\ny := 2", ""},
		{"within a line a comment is part of it", "py", "x = 1  |", "# why", "# why"},
		{"before code, the line goes on after the cursor", "go", "|f()", "x = ", "x = "},
		{"before code, an empty line is an answer", "go", "\t|f()", "", ""},
		{"NUL and broken UTF-8", "go", "|", "\x00\xff\xfe", "\x00\xff\xfe"},

		{"Go: comment", "go", "|", "// a\nx", "x"},
		{"Go: block comment", "go", "|", "/* a\n * b\n */\nx", "x"},
		{"Go: code after a block comment", "go", "|", "/* a */ x", "/* a */ x"},
		{"Go: an embed directive is code", "go", "|", "//go:embed a.txt\nvar x string", "//go:embed a.txt"},
		{"Go: a raw string may begin like a comment", "go", "|", "`// a`", "`// a`"},
		{"Python: comment", "py", "|", "# a\nx", "x"},
		{"Python: a docstring is code", "python", "|", `"""Doc."""`, `"""Doc."""`},
		{"Python: // is no comment", "py", "|", "//a", "//a"},
		{"TypeScript: doc comment", "ts", "|", "/** a */\n// b\nx", "x"},
		{"TypeScript: a private name is code", "typescript", "|", "#x = 1", "#x = 1"},
		{"JavaScript: comment", "javascriptreact", "|", "// a\nx", "x"},
		{"Java: doc comment", "java", "|", "/**\n * a\n */\nx", "x"},
		{"Rust: doc comment", "rs", "|", "/// a\n//! b\nx", "x"},
		{"Rust: an attribute is code", "rust", "|", "#[test]", "#[test]"},
		{"Rust: block comments nest", "rs", "|", "/* a /* b */ c */\nx", "x"},
		{"C: a directive is code", "c", "|", "#include <a.h>", "#include <a.h>"},
		{"C: block comments don't nest", "c", "|", "/* a /* b */ c */", "/* a /* b */ c */"},
		{"C++: comment", "cpp", "|", "// a\nx", "x"},
		{"C#: doc comment", "cs", "|", "/// <summary>\nx", "x"},
		{"C#: a directive is code", "csharp", "|", "#region a", "#region a"},
		{"Ruby: comment", "rb", "|", "# a\nx", "x"},
		{"Ruby: block comment", "ruby", "|", "=begin\na\n=end\nx", "x"},
		{"PHP: both comments", "php", "|", "# a\n// b\nx", "x"},
		{"PHP: an attribute is code", "php", "|", "#[Pure]", "#[Pure]"},
		{"in an unknown language nothing is a comment", "", "|", "// a", "// a"},
		{"in an unknown language # neither", "cobol", "|", "# a", "# a"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			got := at(tt.lang, tt.cursor).propose(tt.sample)
			if got.none {
				got.line = "-"
			}
			if got.line != tt.want {
				t.Errorf("got %q, want %q", got.line, tt.want)
			}
		})
	}
}

func TestForm(t *testing.T) {
	tests := []struct {
		name   string
		lang   string
		cursor string
		a, b   string
		same   bool
	}{
		{"white space is layout", "go", "|", "\tx  :=\t1 ", "x := 1", true},
		{"but there or not", "go", "|", "f(a,b)", "f(a, b)", false},
		{"in a string it is not", "go", "|", `f("a  b")`, `f("a b")`, false},
		{"after a string it is", "go", "|", `f("a  b",  c)`, `f("a  b", c)`, true},
		{"after an escaped quote the string goes on", "java", "|", `f("\"  b")`, `f("\" b")`, false},
		{"a backslash ends a raw string like any character", "go", "|", "f(`\\`,  c)", "f(`\\`, c)", true},
		{"in a comment it is layout, and a quote is none", "py", "|", "x # don't  say", "x # don't say", true},
		{"Python's triple quotes", "py", "|", `"""it's  "x" """,  y`, `"""it's  "x" """, y`, true},
		{"a template", "ts", "|", "`a  b`", "`a b`", false},
		{"a quote as a character", "go", "|", `'"',  x`, `'"', x`, true},
		{"an escaped character", "c", "|", `'\'',  x`, `'\'', x`, true},
		{"a lifetime is no quote", "rs", "|", "&'a  str, 'b", "&'a str, 'b", true},
		{"nor are digits separated", "cpp", "|", "1'000  + 2'000", "1'000 + 2'000", true},
		{"C#'s verbatim strings have no escapes", "cs", "|", `@"\",  x`, `@"\", x`, true},
		{"a string that began before the cursor", "go", `f("a|`, `  b")`, ` b")`, false},
		{"a comment that began before the cursor", "go", `x // it's|`, `  b`, ` b`, true},
		{"other code", "go", "|", "x := 1", "x := 2", false},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			c := at(tt.lang, tt.cursor)
			if a, b := c.form(tt.a), c.form(tt.b); (a == b) != tt.same {
				t.Errorf("%q and %q", a, b)
			}
		})
	}
}

// texts are what a model may say, strings, comments and brackets included.
func texts() *rapid.Generator[string] {
	piece := rapid.OneOf(rapid.SampledFrom([]string{" ", "  ", "\t", "\n", `"`, "'", "`", `\`, "//", "/*", "*/", "#", "x", "(", "}", `"""`,
		"=begin", "µ", "\xff", "\x00", "\u00a0"}), rapid.StringN(0, 3, -1))
	return rapid.Custom(func(t *rapid.T) string {
		return strings.Join(rapid.SliceOfN(piece, 0, 12).Draw(t, "pieces"), "")
	})
}

func langs() *rapid.Generator[string] {
	return rapid.SampledFrom([]string{"go", "py", "ts", "js", "java", "rs", "c", "cpp", "cs", "rb", "php", "", "nothing"})
}

func TestFormIsStable(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		line := strings.ReplaceAll(texts().Draw(t, "line"), "\n", "")
		c := at(langs().Draw(t, "lang"), "|")
		form := c.form(line)
		if again := c.form(form); again != form {
			t.Fatalf("the form of %q is %q, whose form is %q", line, form, again)
		}
		if a, b := strings.Join(strings.Fields(line), ""), strings.Join(strings.Fields(form), ""); a != b {
			t.Fatalf("the form of %q is %q: more than white space changed", line, form)
		}
	})
}

func TestScanLosesNothing(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		s := syntaxOf(langs().Draw(t, "lang"))
		in := inside{}
		for line := range strings.SplitSeq(texts().Draw(t, "text"), "\n") {
			var b strings.Builder
			in = s.scan(line, in, func(_ kind, text string) {
				if text == "" {
					t.Fatal("an empty stretch")
				}
				b.WriteString(text)
			}).newline()
			if b.String() != line {
				t.Fatalf("%q came back as %q", line, b.String())
			}
		}
	})
}

// Lines that count as one candidate are the same tokens, by Go's own scanner.
func TestSameFormIsSameGo(t *testing.T) {
	tokens := func(src string) (out []string, ok bool) {
		file := token.NewFileSet().AddFile("", -1, len(src))
		var s scanner.Scanner
		s.Init(file, []byte(src), nil, 0)
		for {
			_, kind, text := s.Scan()
			if kind == token.EOF {
				return out, s.ErrorCount == 0
			}
			out = append(out, kind.String()+text)
		}
	}
	word := rapid.SampledFrom([]string{"x", "+", "-", `"a  b"`, `"\"  "`, "`a \t b`", "'\"'", "' '", `'\''`, "1", ".", "(", "/", "*", "// it's \"a\"", "/* ' */"})
	gap := rapid.SampledFrom([]string{"", " ", "  ", "\t", " \t "})
	rapid.Check(t, func(t *rapid.T) {
		var a, b strings.Builder
		for _, w := range rapid.SliceOfN(word, 1, 8).Draw(t, "words") {
			a.WriteString(w + gap.Draw(t, "gap"))
			b.WriteString(w + gap.Draw(t, "gap"))
		}
		c := at("go", "|")
		left, okLeft := tokens(a.String())
		right, okRight := tokens(b.String())
		if okLeft && okRight && c.form(a.String()) == c.form(b.String()) && strings.Join(left, "\n") != strings.Join(right, "\n") {
			t.Fatalf("%q and %q are one candidate", a.String(), b.String())
		}
	})
}
