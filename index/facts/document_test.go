package facts

import (
	"bytes"
	"maps"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"
)

// reparsed fails unless a document's facts are those of its text from scratch.
func reparsed(t interface {
	Helper()
	Fatalf(string, ...any)
}, d *Document) {
	t.Helper()
	want := Extract(d.lang, d.pkg, d.name, bytes.Clone(d.Text()))
	if diff := cmp.Diff(want, d.Facts()); diff != "" {
		t.Fatalf("facts after the edits differ from a parse of\n%s\n(-scratch +edited):\n%s", d.Text(), diff)
	}
	if msg := invalid(d.Facts(), d.Text()); msg != "" {
		t.Fatalf("%s\nin\n%s", msg, d.Text())
	}
}

// pieces are what typing and pasting put into source text.
var pieces = map[Language][]string{
	Go: {
		"(", ")", "{", "}", "[", "]", "\"", "`", "'", ".", ",", ";", ":=", "=", "/*", "*/", "//", "\n", "\n\n", "\t", " ",
		"x", "func", "func f() {\n}\n", "func (c *C) m(a int) (b T, err error) {", "type T struct {\n\ta int\n}\n", "return x\n",
		"if x {\n", "for i := range xs {", "import \"os\"\n", "const (\n\tA = iota\n\tB\n)\n", "var v = f(", "new(f(1))",
		"case int:\n", "switch y := x.(type) {\n", "\r\n", "\x00", "\xff", "é", "// doc\n", "go func() {\n", "interface {\n\tM()\n}",
	},
	Python: {
		"(", ")", "{", "}", "[", "]", "\"", "'", "\"\"\"", ".", ",", ":", "=", "#", "\n", "\n\n", "    ", "        ", "\t", " ",
		"x", "def f(self, a: int = 1) -> T:\n", "class C(B):\n", "return x\n", "if x:\n", "for i in xs:\n", "import os\n",
		"from .a import b as c\n", "@property\n", "async ", "lambda a: ", "self.x = ", "f\"{x}\"", "except E as e:\n", "try:\n",
		"with open(p) as f:\n", "\\\n", "\r\n", "\x00", "\xff", "é", "# doc\n", "match x:\n", "case C(a=b):\n", "type T = int\n", "pass\n",
	},
	C: {
		"(", ")", "{", "}", "[", "]", "\"", "'", "->", ".", ",", ";", "=", "*", "/*", "*/", "//", "#if X\n", "#endif\n", "\n", " ",
		"x", "int f(void) {\n", "static ", "struct s {\n\tint a;\n};\n", "typedef ", "#define A 1\n", "#include \"a.h\"\n", "\x00", "é",
		"SHOP_API ", "SHOP_API(char *) ", "SHOP_BEGIN\n", "#else\n", "#ifdef __cplusplus\nextern \"C\" {\n#endif\n", "int f(int) API;\n", "\\\n",
	},
	Cpp: {
		"(", ")", "{", "}", "<", ">", "\"", "'", "->", "::", ",", ";", "=", "&", "/*", "//", "\n", " ", "x", "class C : B {\n", "public:\n",
		"template <typename T>\n", "namespace n {\n", "void C::f(int a) {\n", "auto x = [&](T y) {", "for (auto& a : b)", "\x00", "é", "operator+",
		"class SHOP_API C {\n", "SHOP_API ", "export ", "import a;\n", "(this C& c)", "#if X\n", "#else\n", "#endif\n", "#if __has_include(<a>)\n",
	},
	CSharp: {
		"(", ")", "{", "}", "[", "]", "\"", "$\"{x}\"", "'", ".", "?.", ",", ";", "=>", "/*", "///", "\n", " ", "x", "class C : B {\n", "namespace N;\n",
		"public int P { get; set; }\n", "void F(int a) {\n", "using A.B;\n", "foreach (var x in y)", "[Fact]\n", "\x00", "é", "record R(int A);\n",
		"#if A\n", "#else\n", "#endif\n", "extension(C c) {\n", "@class",
	},
	Java: {
		"(", ")", "{", "}", "[", "]", "\"", "'", ".", "::", ",", ";", "->", "/**", "*/", "//", "\n", " ", "x", "class C extends B {\n", "@Override\n",
		"void f(int a) {\n", "import a.b.C;\n", "for (T x : y)", "record R(int a) {}\n", "enum E { A, B }\n", "\x00", "é", "case T t ->",
	},
	JavaScript: {
		"(", ")", "{", "}", "[", "]", "\"", "'", "`", "${", ".", "?.", ",", ";", "=>", "/*", "*/", "//", "\n", " ", "x", "class C extends B {\n",
		"function f(a) {\n", "const x = ", "import { a } from 'b';\n", "export default ", "require('m')", "<p>", "</p>", "this.x = ", "\x00", "é",
	},
	PHP: {
		"(", ")", "{", "}", "[", "]", "\"", "'", "->", "::", ",", ";", "=>", "/**", "*/", "//", "#", "\n", " ", "$x", "class C extends B {\n",
		"function f(int $a) {\n", "use A\\B;\n", "namespace N;\n", "<?php\n", "?>", "foreach ($a as $b)", "\x00", "é", "$this->x = ",
		"public $a { get; }\n", "private(set) ", "enum E {\n", "const A = 1;\n", "|> ", "function list() {}\n",
	},
	Ruby: {
		"(", ")", "{", "}", "[", "]", "\"", "'", "#{", ".", "&.", ",", ";", "|x|", "#", "\n", " ", "x", "class C < B\n", "end\n", "def f(a)\n", "do |x|\n",
		"@x = ", "attr_reader :a\n", "require 'a'\n", "module M\n", "if x\n", "\x00", "é", "A::B", "=> e\n",
		"  end\n", "<<~A\n", "A\n", "%w[", "x = if y\n", "S = Struct.new(:a) do\n", "def class\n", "begin\n", "x =\n",
	},
	Rust: {
		"(", ")", "{", "}", "<", ">", "\"", "'", "::", ".", ",", ";", "=>", "&", "/*", "///", "\n", " ", "x", "struct S {\n", "impl T for S {\n", "fn f(a: T) -> U {\n",
		"use a::{b, c};\n", "let Some(x) = ", "match x {\n", "#[test]\n", "mod m {\n", "\x00", "é", "vec![", "|x| ",
	},
	TypeScript: {
		"(", ")", "{", "}", "<", ">", "[", "]", "\"", "'", "`", "${", ".", "?.", ":", ";", "=>", "/*", "//", "\n", " ", "x", "class C<T> extends B {\n", "@dec()\n",
		"interface I {\n", "type T = ", "enum E { A }\n", "import { a } from 'b';\n", "export * from 'c';\n", "namespace N {\n", "\x00", "é", "f(a: T): U {\n",
	},
}

// languages are all that have an extractor, in a fixed order.
func languages() []Language { return slices.Sorted(maps.Keys(specs)) }

// language is the one that a fuzzer's number stands for.
func language(number uint8) Language {
	all := languages()
	return all[int(number)%len(all)]
}

func number(lang Language) uint8 { return uint8(slices.Index(languages(), lang)) }

func TestFactsAfterEditsEqualThoseOfTheText(t *testing.T) {
	for path, src := range goldenFiles(t) {
		t.Run(path, func(t *testing.T) {
			rapid.Check(t, func(t *rapid.T) {
				name := strings.TrimSuffix(path, ".txt")
				lang := LanguageOf(name, nil)
				d := NewDocument(lang, "p", name, src)
				defer d.Close()
				for range rapid.IntRange(1, 6).Draw(t, "edits") {
					n := len(d.Text())
					start := rapid.IntRange(0, n).Draw(t, "start")
					end := min(n, start+rapid.IntRange(0, 12).Draw(t, "length"))
					text := rapid.SampledFrom(pieces[lang]).Draw(t, "text")
					if err := d.Edit(uint32(start), uint32(end), []byte(text)); err != nil {
						t.Fatalf("%v", err)
					}
					if rapid.Bool().Draw(t, "look") {
						reparsed(t, d)
					}
				}
				reparsed(t, d)
			})
		})
	}
}

func TestTypingAFileHasFactsAtEveryKey(t *testing.T) {
	for path, src := range goldenFiles(t) {
		t.Run(path, func(t *testing.T) {
			if len(src) > 1500 {
				src = src[:1500]
			}
			name := strings.TrimSuffix(path, ".txt")
			d := NewDocument(LanguageOf(name, nil), "p", name, nil)
			defer d.Close()
			for i := range src {
				if err := d.Edit(uint32(i), uint32(i), src[i:i+1]); err != nil {
					t.Fatal(err)
				}
				if i%7 == 0 || i == len(src)-1 {
					reparsed(t, d)
				}
			}
		})
	}
}

func TestAnEditOutsideTheTextIsRefused(t *testing.T) {
	d := NewDocument(Go, "p", "a.go", []byte("package p\n"))
	defer d.Close()
	for _, r := range [][2]uint32{{11, 11}, {0, 11}, {5, 4}, {0, 1<<32 - 1}} {
		if err := d.Edit(r[0], r[1], nil); err == nil {
			t.Errorf("edit of [%d,%d) accepted", r[0], r[1])
		}
	}
	if string(d.Text()) != "package p\n" {
		t.Errorf("text is now %q", d.Text())
	}
}

func TestADocumentInNoKnownLanguageHasItsModule(t *testing.T) {
	d := NewDocument("", "p", "README", []byte("hello"))
	defer d.Close()
	if err := d.Edit(5, 5, []byte(" there")); err != nil {
		t.Fatal(err)
	}
	if f := d.Facts(); len(f.Objects) != 1 || f.Objects[0].Span.End != 11 {
		t.Errorf("facts %+v", f)
	}
}

// FuzzEditEqualsReparse applies two edits to a text, looks between them, and
// holds the facts against a parse from scratch.
func FuzzEditEqualsReparse(f *testing.F) {
	for i, lang := range languages() {
		f.Add(uint8(i), "class C { f(a) { x.y(); } }\n", uint16(10), uint8(1), pieces[lang][0], uint16(3), uint8(2), pieces[lang][20])
	}
	golang, python := number(Go), number(Python)
	f.Add(golang, "package p\n\nfunc f() { g() }\n", uint16(20), uint8(1), "{", uint16(11), uint8(0), "x")
	f.Add(golang, "package p\nvar v = start()\nfunc f() {}\n", uint16(23), uint8(2), "", uint16(0), uint8(3), "/*")
	f.Add(python, "class A:\n    def f(self):\n        self.x = [1, 2]\n", uint16(45), uint8(1), "(", uint16(9), uint8(4), "")
	f.Add(python, "x = f\"{a['b']}\"\ny = '''z'''\n", uint16(7), uint8(1), "\"", uint16(0), uint8(0), "\n  ")
	f.Fuzz(func(t *testing.T, number uint8, src string, at uint16, n uint8, text string, at2 uint16, n2 uint8, text2 string) {
		lang, name := language(number), "a"
		d := NewDocument(lang, "p", name, []byte(src))
		defer d.Close()
		reparsed(t, d)
		for _, e := range []struct {
			at   int
			n    int
			text string
		}{{int(at), int(n), text}, {int(at2), int(n2), text2}} {
			start := min(e.at, len(d.Text()))
			end := min(start+e.n, len(d.Text()))
			if err := d.Edit(uint32(start), uint32(end), []byte(e.text)); err != nil {
				t.Fatal(err)
			}
			reparsed(t, d)
		}
	})
}

func TestTypingAHeredocInRubyLosesNothing(t *testing.T) {
	before, after := "def first\n  1\nend\n\ndef typed(out)\n  ", "\nend\n\n"+strings.Repeat("# what it is about\n", 30)+"def last\n  \"x\"\nend\n"
	for _, word := range []string{`"`, `"EOS"`, "'", "~EOS", "-`"} {
		d := NewDocument(Ruby, "", "a.rb", []byte(before+after))
		at := uint32(len(before))
		for _, key := range "out <<" + word {
			if err := d.Edit(at, at, []byte(string(key))); err != nil {
				t.Fatal(err)
			}
			at++
			f := d.Facts()
			for _, name := range []string{"first", "typed", "last"} {
				if !slices.ContainsFunc(f.Objects, func(o Object) bool { return o.Name == name }) {
					t.Errorf("behind %q: no %s", d.Text()[len(before):at], name)
				}
			}
		}
		d.Close()
	}
}
