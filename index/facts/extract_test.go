package facts

import (
	"bytes"
	"strings"
	"sync"
	"testing"

	"github.com/google/go-cmp/cmp"
)

func TestTheNameSaysTheLanguage(t *testing.T) {
	for _, c := range []struct {
		file, head string
		want       Language
	}{
		{"a.go", "", Go},
		{"/x/y.v2/a.py", "", Python},
		{"a.pyi", "", Python},
		{`C:\x\A.PY`, "", Python},
		{"bin/tool", "#!/usr/bin/python3\nimport os\n", Python},
		{"tool", "#!/usr/bin/env -S PYTHONPATH=. python3.12 -I", Python},
		{"tool", "#!/bin/sh\npython3\n", ""},
		{"tool", "#!/usr/bin/env node", JavaScript},
		{"a.tsx", "", TypeScript},
		{"a.mjs", "", JavaScript},
		{"a.h", "#ifndef A_H\nint f(void);\n", C},
		{"a.h", "#pragma once\nnamespace a {\n", Cpp},
		{"a.cc", "", Cpp},
		{"A.cs", "", CSharp},
		{"Rakefile", "", ""},
		{"a.rs", "", Rust},
		{"README.md", "#!/usr/bin/python3", ""},
		{"Makefile", "", ""},
		{"", "", ""},
	} {
		if got := LanguageOf(c.file, []byte(c.head)); got != c.want {
			t.Errorf("LanguageOf(%q, %q) = %q, want %q", c.file, c.head, got, c.want)
		}
	}
}

func TestUnknownTextsHaveTheirModule(t *testing.T) {
	for name, f := range map[string]*File{
		"no language": Extract("", "p", "notes.txt", []byte("hello")),
		"too long":    Extract(Go, "p", "notes.txt", make([]byte, MaxSource+1)),
	} {
		if len(f.Objects) != 1 || f.Objects[0].Descriptors != "`notes.txt`/" || f.Objects[0].Kind != Module {
			t.Errorf("%s: %+v", name, f)
		}
	}
}

func TestOddTextsHaveValidFacts(t *testing.T) {
	for lang := range specs {
		// The texts are Go and Python; in another language they are garbage, on
		// which a parser takes long to recover.
		k := 10
		if (lang == Go || lang == Python) && !testing.Short() {
			k = 1
		}
		for name, src := range oddTexts(k) {
			t.Run(string(lang)+" "+name, func(t *testing.T) {
				if msg := invalid(Extract(lang, "p", "a", []byte(src)), []byte(src)); msg != "" {
					t.Error(msg)
				}
			})
		}
	}
}

// oddTexts are texts of no use; the long ones are k times shorter.
func oddTexts(k int) map[string]string {
	deep := strings.Repeat("(", 10_000/k)
	return map[string]string{
		"empty":                 "",
		"blank":                 " \t\r\n\f",
		"NUL":                   "package p\x00\nfunc f\x00() {}\ndef g\x00(): pass\n",
		"not UTF-8":             "package p\nfunc \xff\xfe() {}\ndef \xff(): pass\n",
		"a byte-order mark":     "\ufeffpackage p\nfunc f() {}\n",
		"old Mac line ends":     "package p\rfunc f() {}\rdef g(): pass\r",
		"Windows line ends":     "package p\r\n\r\n// f is\r\n// two.\r\nfunc f() {\r\n}\r\n",
		"deep parentheses":      "package p\nvar x = " + deep + "1" + strings.Repeat(")", 10_000/k),
		"deep and open":         "x = " + deep,
		"deep brackets":         "x = " + strings.Repeat("[", 10_000/k) + strings.Repeat("]", 10_000/k),
		"deep calls":            "package p\nvar x = " + strings.Repeat("f(", 10_000/k) + strings.Repeat(")", 10_000/k),
		"deep blocks":           "package p\nfunc f() " + strings.Repeat("{", 10_000/k) + strings.Repeat("}", 10_000/k),
		"deep types":            "package p\ntype T " + strings.Repeat("struct { x ", 2000/k) + "int" + strings.Repeat("}", 2000/k),
		"deep literals":         "package p\nvar x = T" + strings.Repeat("{a: ", 5000/k) + "1" + strings.Repeat("}", 5000/k),
		"deep functions":        "package p\nvar x = " + strings.Repeat("func() { y := ", 3000/k) + "1" + strings.Repeat("}", 3000/k),
		"deep lambdas":          "x = " + strings.Repeat("lambda a: ", 2000/k) + "a",
		"deep choices":          "x = " + strings.Repeat("(a or ", 5000/k) + "b" + strings.Repeat(")", 5000/k),
		"deep indentation":      indented(300 / k),
		"a long chain":          "package p\nvar x = a" + strings.Repeat(".b", 20_000/k),
		"a long chain of calls": "x = a" + strings.Repeat(".b()", 20_000/k),
		"a long sum":            "package p\nvar x = 1" + strings.Repeat(" + y", 20_000/k),
		"a long assignment":     strings.Repeat("x = ", 5000/k) + "1",
		"many names":            many(2000 / k),
		"many of one name":      "package p\n" + strings.Repeat("func init() {}\n", 1000/k),
		"many methods":          "class C:\n" + strings.Repeat("  def f(self): self.x = y\n", 5000/k),
		"many open strings":     strings.Repeat("x = \"\n", 5000/k),
		"many open functions":   "package p\n" + strings.Repeat("func f() {\ntype T struct {\n", 2000/k),
		"many open calls":       strings.Repeat("x = f(\ndef g(:\n@d\n", 2000/k),
		"many stray brackets":   "package p\n" + strings.Repeat("}])\n", 5000/k),
	}
}

func indented(depth int) string {
	var b strings.Builder
	for i := range depth {
		b.WriteString(strings.Repeat(" ", i) + "if x:\n")
	}
	return b.String() + strings.Repeat(" ", depth) + "pass\n"
}

func many(n int) string {
	var b strings.Builder
	b.WriteString("package p\nfunc f() {\n")
	for i := range n {
		b.WriteString("\tx" + string(rune('a'+i%26)) + strings.Repeat("y", i%50) + " := g(x)\n")
	}
	return b.String() + "}\n"
}

func TestExtractIsSafeFromManyGoroutines(t *testing.T) {
	files := goldenFiles(t)
	want := map[string]*File{}
	for path, src := range files {
		want[path] = extractGolden(path, src)
	}
	var running sync.WaitGroup
	for range 8 {
		running.Go(func() {
			for range 5 {
				for path, src := range files {
					if diff := cmp.Diff(want[path], extractGolden(path, src)); diff != "" {
						t.Errorf("%s: %s", path, diff)
					}
				}
			}
		})
	}
	running.Wait()
}

func TestFactsDoNotKeepTheTextAlive(t *testing.T) {
	src := []byte("package p\n\nfunc f(a T) { g(a.b) }\n")
	f := Extract(Go, "p", "a.go", src)
	before := describe(f, bytes.Clone(src))
	kept := bytes.Clone(src)
	clear(src)
	if after := describe(f, kept); after != before {
		t.Errorf("facts changed with the text:\n%s", after)
	}
}

// FuzzExtract holds facts of any text against what must be true of all.
func FuzzExtract(f *testing.F) {
	for path, src := range goldenFiles(f) {
		f.Add(number(LanguageOf(strings.TrimSuffix(path, ".txt"), nil)), src)
	}
	f.Fuzz(func(t *testing.T, number uint8, src []byte) {
		lang := language(number)
		if msg := invalid(Extract(lang, "p", "a", src), src); msg != "" {
			t.Error(msg)
		}
	})
}

func TestParses(t *testing.T) {
	for _, c := range []struct {
		lang Language
		name string
		src  string
		want bool
	}{
		{Go, "a.go", "package a\n\nfunc f() {}\n", true},
		{Go, "a.go", "package a\n\nfunc f() {\n", false},
		{Python, "a.py", "def f(:\n    pass\n", false},
		{TypeScript, "a.tsx", "const x = <b>text</b>\n", true},
		{"", "a.txt", "( not code", true},
	} {
		if got := Parses(c.lang, c.name, []byte(c.src)); got != c.want {
			t.Errorf("%s %q: %v", c.name, c.src, got)
		}
	}
}

func TestAnImportWithoutAPathIsNone(t *testing.T) {
	for lang, src := range map[Language]string{
		Java: "package p;\nimport )).*;\nimport a.B;\nclass C {}\n", Go: "package p\nimport \"\"\nimport \"os\"\n", Python: "from import *\nimport os\n",
	} {
		for _, i := range Extract(lang, "p", "a", []byte(src)).Imports {
			if i.Path == "" {
				t.Errorf("%s: import %+v in %q", lang, i, src)
			}
		}
	}
}
