package facts

import (
	"bytes"
	"go/parser"
	"go/token"
	"strings"
	"sync/atomic"
	"testing"

	"readahead/index/internal/treesitter"
)

func TestMendingShowsInTheText(t *testing.T) {
	for _, c := range []struct {
		name      string
		lang      Language
		src, want string
	}{
		{"text that is whole stays as it is", Go,
			"func f() { g([]int{1}) }\n", "func f() { g([]int{1}) }\n"},
		{"a call is closed in front of the next function", Go,
			"var v = start(\n\nfunc f() {}\n", "var v = start()\nfunc f() {}\n"},
		{"without a blank line to spare its bracket goes", Go,
			"var v = start(\nfunc f() {}\n", "var v = start \nfunc f() {}\n"},
		{"what is open inside goes first", Go,
			"var v = a(b[\n\nfunc f() {}\n", "var v = a(b )\nfunc f() {}\n"},
		{"a method ends the block before it", Go,
			"func f() {\n\tg()\n\nfunc (t *T) m() {}\n", "func f() {\n\tg()}\nfunc (t *T) m() {}\n"},
		{"a function literal does not", Go,
			"f(g,\nfunc (x int) string { return h })\n", "f(g,\nfunc (x int) string { return h })\n"},
		{"a type at the margin ends a block that a later function proves open", Go,
			"func f() {\n\ntype T struct{}\n\nfunc g() {}\n", "func f() {}\ntype T struct{}\n\nfunc g() {}\n"},
		{"but not one that is closed after it", Go,
			"func f() {\n\ntype T struct{}\n}\n\nfunc g() {}\n", "func f() {\n\ntype T struct{}\n}\n\nfunc g() {}\n"},
		{"a statement does not stand in parentheses", Go,
			"func f() {\n\tg(a,\n\treturn\n}\n", "func f() {\n\tg a,\n\treturn\n}\n"},
		{"a closing parenthesis that closes nothing goes", Go,
			"func f() { g) }\n", "func f() { g  }\n"},
		{"a brace closes the parentheses inside it", Go,
			"func f() { g(a }\n", "func f() { g(a)}\n"},
		{"a comment is not written into", Go,
			"var v = f( // see\n\nfunc g() {}\n", "var v = f()// see\n\nfunc g() {}\n"},
		{"the end of the text closes everything", Go,
			"func f() { g(\"a\"", "func f() { g(\"a\"\n)}"},
		{"brackets in strings and comments don't count", Go,
			"var s = \"(\" + `{` + '[' // (\n", "var s = \"(\" + `{` + '[' // (\n"},
		{"a string ends with its line", Go,
			"var s = \"abc\nvar t = 1\n", "var s = \"ab\"\nvar t = 1\n"},
		{"a string that just begins is a value", Go,
			"var s = \"\nvar t = 1\n", "var s = 0\nvar t = 1\n"},
		{"a dot without a name goes", Go,
			"func f() {\n\tc.\n}\n", "func f() {\n\tc \n}\n"},
		{"a dot before a name on the next line stays", Go,
			"func f() {\n\tc.\n\t\tg()\n}\n", "func f() {\n\tc.\n\t\tg()\n}\n"},
		{"new takes an expression since Go 1.26", Go,
			"x := new(f(1))\ny := new(T)\nz := new(p.T[int])\n", "x := nev(f(1))\ny := new(T)\nz := new(p.T[int])\n"},

		{"a call is closed in front of the next definition", Python,
			"x = f(a,\n\n\ndef g():\n    pass\n", "x = f(a,)\n\ndef g():\n    pass\n"},
		{"the colon of a header stays behind its parentheses", Python,
			"def f(a:\n\n\ndef g(): pass\n", "def f(a):\n\ndef g(): pass\n"},
		{"a decorator belongs to the definition after it", Python,
			"x = f(a\n\n@dec\ndef g(): pass\n", "x = f(a)\n@dec\ndef g(): pass\n"},
		{"an operator that looks like one does not", Python,
			"x = (a\n@b)\ndef g(): pass\n", "x = (a\n@b)\ndef g(): pass\n"},
		{"a statement does not stand in brackets", Python,
			"def f():\n    x = [1,\n    return x\n", "def f():\n    x =  1,\n    return x\n"},
		{"a name in format string braces may have quotes", Python,
			"x = f\"{d[\"a(\"]:>{w}}\" + f'{x:\"^3}'\n", "x = f\"{d[\"a(\"]:>{w}}\" + f'{x:\"^3}'\n"},
		{"a long string spans lines", Python,
			"x = \"\"\"(\n\"\"\"\ndef f(): pass\n", "x = \"\"\"(\n\"\"\"\ndef f(): pass\n"},
		{"a dot without a name goes from a line", Python,
			"self.x.\ny = 1.\nfrom .\n", "self.x \ny = 1.\nfrom .\n"},
	} {
		t.Run(c.name, func(t *testing.T) {
			src := []byte(c.src)
			got := specs[c.lang].mended(src)
			if string(got) != c.want {
				t.Errorf("mended:\n%s\nwant:\n%s", got, c.want)
			}
			if string(src) != c.src {
				t.Error("the text itself was changed")
			}
		})
	}
}

// TestValidTextIsNotMended holds mending against every file of the standard
// libraries that parses.
func TestValidTextIsNotMended(t *testing.T) {
	var newer atomic.Int64
	walkCorpus(t, goCorpus(), ".go", func(path string, src []byte) {
		got := mendGo(src)
		if bytes.Equal(got, src) {
			return
		}
		if bytes.Equal(bytes.ReplaceAll(got, []byte("nev("), []byte("new(")), src) {
			newer.Add(1)
			return
		}
		if _, err := parser.ParseFile(token.NewFileSet(), path, src, parser.SkipObjectResolution); err == nil {
			t.Errorf("%s: mended although it parses", path)
		}
	})
	t.Logf("%d files with new(expression)", newer.Load())
	root := pythonCorpus()
	if root == "" {
		return
	}
	walkCorpus(t, root, ".py", func(path string, src []byte) {
		if bytes.Equal(mendPython(src), src) {
			return
		}
		p, err := treesitter.NewParser(treesitter.Python())
		if err != nil {
			t.Error(err)
			return
		}
		defer p.Close()
		tree, err := p.Parse(src, nil)
		if err != nil {
			t.Error(err)
			return
		}
		defer tree.Close()
		if !tree.HasError() {
			t.Errorf("%s: mended although it parses", path)
		}
	})
}

func TestDeclarationsSurviveABrokenNeighbour(t *testing.T) {
	// what typing leaves behind for a while, in languages with braces
	braces := []string{"x = f(", "if (x", "if (x {", "a[", "c.", "f(g(h(", "}", ")", "x = [{", "for (;", "while (x ==", "s = \"abc",
		"switch (x) {", "return f(", "x =", "f(a, b", "f(a,", "x = a +", "if (f(x) {", "try {", "else {", "f(\"a", "x &&", "return"}
	breaks := map[Language][]string{
		Go: {"x := f(", "if x {", "a[", "c.", "f(g(h(", "}", ")", "x := []T{{", "for i := range (", "if x ==", "go func() {",
			"s := \"abc", "switch {", "return f(func() {", "var x =", "x :=", "f(a, b", "case"},
		Python: {"x = f(", "if x", "a[", "c.", "f(g(h(", "}", ")", "x = [{", "for i in (", "while x ==", "lambda", "s = \"abc",
			"return f(", "x =", "f(a, b", "try:", "else:", "class", "def", "with open("},
		C: braces, Cpp: append(braces, "a->", "std::", "for (auto& x :"), CSharp: append(braces, "var x = new T {", "f(x => {"),
		Java:       append(braces, "f(() -> {", "T x = new T(", "List<"),
		JavaScript: append(braces, "f(() => {", "const {", "`a ${"), TypeScript: append(braces, "f((x: T) => {", "const x: ", "let y = <"),
		PHP:  append(braces, "$this->", "$x = fn(", "foreach ($a as"),
		Rust: append(braces, "let x = ", "match x {", "f(|x| {", "if let Some(", "x::"),
		Ruby: {"x = f(", "if x", "a[", "c.", "f(g(h(", "}", ")", "x = [{", "while x ==", "s = \"abc", "x =", "f(a, b", "begin",
			"x.each do |y|", "case x", "unless y", "f(a,", "end", "y = x.map {", "@a.", "puts \"a #{"},
	}
	frames := map[Language]string{
		Go:         "package p\n\nfunc before() { a() }\n\nfunc broken() {\n\tb()\n\t%s\n}\n\ntype T struct {\n\tx int\n}\n\nfunc (t *T) after() { c() }\n",
		Python:     "def before():\n    a()\n\n\nclass C:\n    def broken(self):\n        b()\n        %s\n\n    def after(self):\n        c()\n\n\ndef last():\n    d()\n",
		C:          "int before(void) { return a(); }\n\nvoid broken(void)\n{\n    b();\n    %s\n}\n\nstruct t {\n    int x;\n};\n\nint after(void)\n{\n    return c();\n}\n",
		Cpp:        "int before() { return a(); }\n\nclass C {\npublic:\n    void broken() {\n        b();\n        %s\n    }\n\n    void after() { c(); }\n};\n\nint last() { return 1; }\n",
		CSharp:     "class B { void before() { a(); } }\n\nclass C\n{\n    void broken()\n    {\n        b();\n        %s\n    }\n\n    void after() { c(); }\n}\n\nclass L { void last() { } }\n",
		Java:       "class B { void before() { a(); } }\n\nclass C {\n    void broken() {\n        b();\n        %s\n    }\n\n    void after() { c(); }\n}\n\nclass L { void last() { } }\n",
		JavaScript: "function before() { a(); }\n\nclass C {\n  broken() {\n    b();\n    %s\n  }\n\n  after() { c(); }\n}\n\nfunction last() { d(); }\n",
		TypeScript: "function before(): void { a(); }\n\nclass C {\n  broken(): void {\n    b();\n    %s\n  }\n\n  after(): void { c(); }\n}\n\nfunction last(): void { d(); }\n",
		PHP:        "<?php\nfunction before() { a(); }\n\nclass C\n{\n    public function broken()\n    {\n        b();\n        %s\n    }\n\n    public function after() { c(); }\n}\n\nfunction last() { d(); }\n",
		Rust:       "fn before() { a(); }\n\nstruct C;\n\nimpl C {\n    fn broken(&self) {\n        b();\n        %s\n    }\n\n    fn after(&self) { c(); }\n}\n\nfn last() { d(); }\n",
		Ruby:       "def before\n  a\nend\n\nclass C\n  def broken\n    b\n    %s\n  end\n\n  def after\n    c\n  end\nend\n\ndef last\n  d\nend\n",
	}
	wanted := map[Language]string{
		Go:         "before(). broken(). T# T#x. T#after().",
		Python:     "before(). C# C#broken(). C#after(). last().",
		C:          "before(). broken(). t# t#x. after().",
		Cpp:        "before(). C# C#broken(). C#after(). last().",
		CSharp:     "B# B#before(). C# C#broken(). C#after(). L# L#last().",
		Java:       "B# B#before(). C# C#broken(). C#after(). L# L#last().",
		JavaScript: "before(). C# C#broken(). C#after(). last().",
		TypeScript: "before(). C# C#broken(). C#after(). last().",
		PHP:        "before(). C# C#broken(). C#after(). last().",
		Rust:       "before(). C# impl#[C]broken(). impl#[C]after(). last().",
		Ruby:       "before(). C# C#broken(). C#after(). last().",
	}
	for lang, list := range breaks {
		for _, text := range list {
			t.Run(string(lang)+" "+text, func(t *testing.T) {
				src := strings.Replace(frames[lang], "%s", text, 1)
				var got []string
				for _, o := range Extract(lang, "p", "a", []byte(src)).Objects[1:] {
					got = append(got, o.Descriptors)
				}
				if s := strings.Join(got, " "); s != wanted[lang] {
					t.Errorf("objects %s, want %s", s, wanted[lang])
				}
			})
		}
	}
}
