package lsp

import (
	"strings"
	"testing"

	"readahead/index/facts"
)

func TestWhichLinesOpenABlock(t *testing.T) {
	const allman = "class A\n{\n    void g()\n    {\n        if (x)\n        {\n            h();\n        }\n    }\n\n    $0\n}\n"
	const kr = "class A {\n    void g() {\n        if (x) {\n            h();\n        }\n    }\n\n    $0\n}\n"
	for _, test := range []struct {
		lang   facts.Language
		around string // "" for an empty document
		opens  []string
		not    []string
	}{
		{facts.Go, "package a\n\nfunc f() {\n\t$0\n}\n",
			[]string{"if x {", "for i := range n {", "go func() {", "x := []int{", "if x { // why", "switch x := y.(type) {", `if s == "}" {`},
			[]string{"// use {", "/* { */", `s := "{"`, "x()", "if x { y() }", "s := `a {", "x := '{'", "return"}},
		{facts.Python, "def f():\n    $0\n",
			[]string{"if x:", "for x in y:", "class A(B):", "async def g(a: int) -> str:", "else:", "with a as b:  # why", "try:", "match x:"},
			[]string{"# note:", `s = "a:"`, "x[1:", "d = {'a':", "x: int", "lambda x:", "f(x):", `s = 'if x:`}},
		{facts.Python, "d = {\n    $0\n", nil, []string{"'if':", "else:"}},
		{facts.Ruby, "class A\n  $0\nend\n",
			[]string{"if x", "xs.each do |x|", "xs.map { |x|", "def f(a = 1)", "def f", "x = if y", "case x", "begin", "class B < C", "private def f", "loop do", "x ||= begin", "unless x # why", "class << self"},
			[]string{"return if x", "def f(a) = a + 1", "def f = 1", "# do", "x = 1", "if x then y end", `puts "do`, "end", "x = y unless z", "do_it", "iffy = 1"}},
		{facts.JavaScript, "$0\n",
			[]string{"if (x) {", "const f = (a) => {", "class A {", "foo(() => {", "x = `}`; if (x) {"},
			[]string{"// {", "const s = '{'", "const s = `a ${", "if (x)", "x => x", "`{`"}},
		{facts.TypeScript, "$0\n",
			[]string{"interface A {", "function f(a: number): string {", "export default {"},
			[]string{"type A = B", "/* {", "let a: string"}},
		{facts.Rust, "fn f() {\n    $0\n}\n",
			[]string{"match x {", "if let Some(x) = y {", "let v = Foo {", "impl<'a> A<'a> {"},
			[]string{"// {", "let c = '{';", `let s = "{";`, "fn g()"}},
		{facts.Java, kr, []string{"void f() {", "class B {"}, []string{"void f()", "if (x)", "else", "// {", "void f() { }"}},
		{facts.Java, allman, []string{"public void f(int a)", "if (x)", "class B extends C"}, []string{"f(a)", "return f(a)", "int x = f(a)", "int x", "f(a);", "// if (x)", "@Test"}},
		{facts.CSharp, "namespace N\n{\n    $0\n}\n",
			[]string{"public int F(int a)", "class A : B", "if (x)", "foreach (var x in xs)", "else", "try", "public A(int a) : base(a)", "void F<T>(T a) where T : class", "if (x) {", "if (x) // why"},
			[]string{"x = F(a)", "F(a)", "return F(a)", "new A(b)", "int F(int a) => a;", "using System;", "// class A", "var s = \"if (x)", "await F(a)", "throw new A(b)"}},
		{facts.CSharp, kr, []string{"void F() {"}, []string{"void F()", "if (x)"}},
		{facts.PHP, "<?php\n$0\n",
			[]string{"function f($a)", "class A extends B", "final class A", "public function f(int $a): string", "if ($x) {", "interface A"},
			[]string{"if ($x)", "f($a)", "return f($a)", "echo f($a)", "$x = f($a)", "// class A", "# {", "$s = '{"}},
		{facts.C, "int g(void)\n{\n    if (x)\n    {\n        h();\n    }\n}\n\n$0\n",
			[]string{"static int f(const char *s)", "if (x)", "while (x)", "struct a", "int f(int a) {"},
			[]string{"f(s)", "return f(s)", "int x", "int f(void);", "// int f(void)", "char c = '{'"}},
		{facts.C, "int g(void) {\n    h();\n}\n\n$0\n", nil, []string{"int f(int a)"}},
		{facts.Cpp, "void g()\n{\n    h();\n}\n\n$0\n",
			[]string{"int A::f(int a) const", "class A : public B", "std::vector<int> f(const A& a)", "namespace a"},
			[]string{"f(a)", "if (x)", "int x = f(a)", "using namespace a"}},
		{"lua", "$0\n", []string{"x = {"}, []string{"-- {", "x = 1"}},
	} {
		before, after, _ := strings.Cut(test.around, "$0")
		doc := Doc{Text: []byte(before + after), Offset: len(before), Lang: test.lang}
		for _, line := range test.opens {
			if !wantsBlock(doc, line) {
				t.Errorf("%s: opens no block: %s", test.lang, line)
			}
		}
		for _, line := range test.not {
			if wantsBlock(doc, line) {
				t.Errorf("%s: opens a block: %s", test.lang, line)
			}
		}
	}
}

func TestABlockThatIsThereAlreadyIsNotWrittenAgain(t *testing.T) {
	for _, test := range []struct {
		name, around string
		lang         facts.Language
		line         string
		want         bool
	}{
		{"its body stands below", "$0\n\tx()\n}\n", facts.Go, "if x {", false},
		{"its brace stands below", "$0\n{\n    x();\n}\n", facts.CSharp, "void F()", false},
		{"something else stands below", "$0\nx()\n", facts.Go, "if x {", true},
		{"the line goes on behind the cursor", "$0 }\n", facts.Go, "if x {", false},
		{"the head was begun before the cursor", "if $0\n", facts.Python, "x:", true},
		{"in a comment", "# $0\n", facts.Python, "if x:", false},
		{"in a comment over several lines", "/*\n$0\n*/\n", facts.Go, "if x {", false},
	} {
		before, after, _ := strings.Cut(test.around, "$0")
		if got := wantsBlock(Doc{Text: []byte(before + after), Offset: len(before), Lang: test.lang}, test.line); got != test.want {
			t.Errorf("%s: %v", test.name, got)
		}
	}
}
