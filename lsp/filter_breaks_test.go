package lsp

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
	"time"

	"golang.org/x/tools/txtar"

	"readahead/index/facts"
	"readahead/model/replay"
	"readahead/rank"
)

// judgedAt is whether an item would break a document, whose cursor is $0.
func judgedAt(t *testing.T, path, text, item string) bool {
	t.Helper()
	before, after, ok := strings.Cut(text, "$0")
	if !ok {
		t.Fatalf("no cursor in %q", text)
	}
	doc := Doc{Path: path, Text: []byte(before + after), Offset: len(before), Lang: facts.LanguageOf(path, []byte(text))}
	it, reason := Show(doc, item)
	if reason != "" {
		t.Fatalf("%q is not shown anyway: %s", item, reason)
	}
	return newJudge(doc).breaks(t.Context(), doc, it)
}

// A body of code by language, and lines that belong or do not belong there.
var bodies = []struct {
	path, text  string
	good, wrong []string
}{
	{"a.go", "package a\n\nfunc f(n int) error {\n\t$0\n\treturn nil\n}\n",
		[]string{"n++", "if n > 0 {", "for range n {", "switch n {", "x := []int{", "var err error", "// if {", "if n > 0 {\n\t\tn--\n\t}", "go func() {", "s := `if {", "else {", "defer g()"},
		[]string{"if n > 0 return nil", "n = = 1", "x := 1 2", "return return n 1", "var 1x int"}},
	{"a.py", "import os\n\n\ndef f(n):\n    $0\n    return n\n",
		[]string{"n += 1", "if n:", "for x in n:", "try:", "with open(n) as g:", "@cached", "# if :", "else:", "match n:", "if n:\n        n -= 1", "async def g():", "raise ValueError(n)"},
		[]string{"if n then n", "n = = 1", "x = 1 2", "for in n:", "return return n", "if n = = 1:"}},
	{"a.ts", "export function f(n: number): number {\n  $0\n  return n;\n}\n",
		[]string{"n++;", "const x = n", "if (n > 0) {", "const g = (x: number) => {", "items.map((x) => {", "try {", "else {", "let y: string | undefined;", "const o = {", "for (const x of y) {"},
		[]string{"if n > 0 return;", "const = 1;", "let x: = 1;", "n = = 1;", "return n n;"}},
	{"a.tsx", "export function View(n: number) {\n  $0\n  return <p>{n}</p>;\n}\n",
		[]string{"const x = <b>{n}</b>;", "if (n > 0) {", "const [a, b] = useState(0);"},
		[]string{"const = <b>;", "if n > 0 return;", "n = = 1;"}},
	{"a.js", "export function f(n) {\n  $0\n  return n;\n}\n",
		[]string{"n++;", "const x = n", "if (n > 0) {", "const g = async (x) => {", "switch (n) {", "do {", "class A {", "return `${n}`"},
		[]string{"if n > 0 return;", "const = 1;", "n = = 1;"}},
	{"A.java", "class A {\n    int f(int n) {\n        $0\n        return n;\n    }\n}\n",
		[]string{"n++;", "if (n > 0) {", "try {", "do {", "int x = n", "@SuppressWarnings(\"x\")", "for (var x : xs) {", "switch (n) {", "if (n > 0)", "List<String> y = new ArrayList<>();", "return g(n)", "Runnable r = () -> {"},
		[]string{"if n > 0 return;", "int = 1;", "n = = 1;", "for x in y {", "int x 1;"}},
	{"a.rs", "fn f(n: i32) -> i32 {\n    $0\n    n\n}\n",
		[]string{"let x = n;", "if n > 0 {", "let y = match n {", "match n {", "for x in 0..n {", "#[cfg(test)]", "let z = n", "println!(\"{}\", n);", "let g = |x| {", "unsafe {"},
		[]string{"let = 1;", "if n > 0 return;", "let x 1;", "for x n {", "n = = 1;"}},
	{"a.c", "int f(int n)\n{\n    $0\n    return n;\n}\n",
		[]string{"n++;", "if (n > 0) {", "if (n > 0)", "for (int i = 0; i < n; i++) {", "char *s = \"if (\";", "LIST_FOREACH(a, b, c) {", "return container_of(n, struct outer, member);", "#ifdef X", "do {", "list_for_each(a, b) {", "return g(n)", "goto out;"},
		[]string{"if n > 0 return;", "int = 1;", "n = = 1;", "int x 1;"}},
	{"a.cc", "int f(int n) {\n  $0\n  return n;\n}\n",
		[]string{"n++;", "for (auto& x : xs) {", "auto g = [&](int x) {", "try {", "std::vector<int> v{1, 2};", "Q_FOREACH(a, b) {", "if (auto p = g(); p) {"},
		[]string{"if n > 0 return;", "int = 1;", "n = = 1;", "auto x 1;"}},
	{"a.cs", "class A\n{\n    int F(int n)\n    {\n        $0\n        return n;\n    }\n}\n",
		[]string{"n++;", "if (n > 0)", "if (n > 0) {", "var x = n", "foreach (var x in xs)", "try", "try {", "using var f = Open();", "var q = xs.Where(x => x > 0);", "[Obsolete]", "switch (n) {"},
		[]string{"if n > 0 return;", "int = 1;", "n = = 1;", "int x 1;"}},
	{"a.rb", "class A\n  def f(n)\n    $0\n    n\n  end\nend\n",
		[]string{"n += 1", "if n > 0", "n.each do |x|", "unless n", "return n if n", "puts %w[a b]", "case n", "begin", "def g(x)", "else", "y = { a: 1 }"},
		[]string{"n = = 1", "x = 1 2", "if if n"}},
	{"a.php", "<?php\nclass A {\n    function f($n) {\n        $0\n        return $n;\n    }\n}\n",
		[]string{"$n++;", "if ($n > 0) {", "foreach ($n as $x) {", "try {", "$x = $n", "$g = function ($x) {", "echo <<<EOT", "if ($n > 0):", "// if {"},
		[]string{"if $n > 0 return;", "$x = = 1;", "foreach $n as $x {", "$x 1;"}},
}

func TestAnItemThatBreaksWhatParsedIsHiddenAndNoOther(t *testing.T) {
	for _, b := range bodies {
		t.Run(strings.TrimPrefix(filepath.Ext(b.path), "."), func(t *testing.T) {
			for _, good := range b.good {
				if judgedAt(t, b.path, b.text, good) {
					t.Errorf("hidden: %s", good)
				}
			}
			for _, wrong := range b.wrong {
				if !judgedAt(t, b.path, b.text, wrong) {
					t.Errorf("shown: %s", wrong)
				}
			}
		})
	}
}

func TestWhereNothingCanBeKnownEverythingIsShown(t *testing.T) {
	for _, test := range []struct{ name, path, text, item string }{
		{"the code is broken already", "a.go", "package a\n\nfunc f() {\n\tx := = 1\n\t$0\n}\n", "n = = 1"},
		{"what was typed breaks it", "a.go", "package a\n\nfunc f() {\n\tn = = $0\n}\n", "1"},
		{"in a comment", "a.go", "package a\n\n/*\nf is\n$0\n*/\nfunc f() {}\n", "a function of no use"},
		{"in a docstring", "a.py", "\"\"\"Words.\n\n$0\n\nmore\n\"\"\"\n", "of some length"},
		{"in a string over several lines", "a.go", "package a\n\nvar s = `\nx\n$0\n`\n", "n = = 1"},
		{"in text around PHP", "a.php", "<p>\n$0\n</p>\n<?php f(); ?>\n", "if = = 1"},
		{"in a here document", "a.rb", "x = <<~SQL\n  SELECT\n  $0\nSQL\n", "id FROM = ="},
		{"in a language without a grammar", "a.lua", "local x = 1\n$0\n", "n = = 1"},
		{"in an empty file", "a.go", "$0", "n = = 1"},
		{"behind half an expression", "a.go", "package a\n\nfunc f() {\n\tx := a ||\n\t$0\n\t\tb\n}\n", "n = = 1"},
		{"the body stands below already", "a.cs", "class A\n{\n    $0\n    {\n        return;\n    }\n}\n", "void F( int x)"},
	} {
		if judgedAt(t, test.path, test.text, test.item) {
			t.Errorf("%s: hidden", test.name)
		}
	}
}

// In front of code on its line an item is judged by what the line was.
func TestAnItemInFrontOfCodeMustLeaveItWhole(t *testing.T) {
	for _, tt := range []struct {
		path, text  string
		good, wrong []string
	}{
		{"a.go", "$0package a\n\nfunc f() {}\n", []string{"/* a */ "}, []string{"<", "func f() string {", "import \"os\"", "return 1"}},
		{"a.go", "package a\n\n$0func f(n int) int {\n\treturn n\n}\n", []string{"func g() {}; ", "var x = 1; ", "type t int; "}, []string{"func g() string {", "<", "return 1 ", "n := "}},
		{"a.go", "package a\n\nfunc f(n int) int {\n\treturn $0g(n)\n}\n", []string{"n + ", "2 *", "h(n) - ", "-"}, []string{"[8]byte{1}", "if n {", "n 1 +"}},
		{"a.go", "package a\n\nfunc f(n int) {\n\t$0g(n)\n}\n", []string{"go ", "defer ", "h(n); ", "if n > 0 { ", "x := "}, []string{"return 1 +; ", "x := 1 ", "if n > 0 "}},
		{"a.py", "def f(n):\n    return $0g(n)\n", []string{"n + ", "not ", "h(n) + ", "[n] + "}, []string{"n 1 +", "if n: ", "[1] = "}},
		{"a.py", "$0import os\n", []string{"import re; "}, []string{"import re ", "if os "}},
		{"a.ts", "export function f(n: number) {\n  return $0g(n);\n}\n", []string{"n + ", "await ", "!", "h(n) || "}, []string{"n 1 +", "const x = 1 ", "{ a: "}},
		{"A.java", "class A {\n    $0int f(int n) {\n        return n;\n    }\n}\n", []string{"public ", "static final ", "int x = 1; ", "@Override "}, []string{"int g() {", "= ", "return 1 "}},
		{"a.rs", "fn f(n: i32) -> i32 {\n    $0n + 1\n}\n", []string{"2 * ", "g(); ", "-"}, []string{"let x = 1; = ", "n 1 +", "fn 1() {"}},
		{"a.c", "int f(int n)\n{\n    return $0g(n);\n}\n", []string{"n + ", "!", "-"}, []string{"n 1 +", "int x = 1 +", "if (n) {"}},
		{"a.rb", "def f(n)\n  return $0g(n)\nend\n", []string{"n + ", "!"}, []string{"= = "}},
		{"a.php", "<?php\nfunction f($n) {\n    return $0g($n);\n}\n", []string{"$n + ", "!"}, []string{"$n 1 +", "if ($n) "}},
		{"a.cs", "class A\n{\n    int F(int n)\n    {\n        return $0G(n);\n    }\n}\n", []string{"n + ", "-"}, []string{"n 1 ", "if (n) {"}},
		{"a.cc", "int f(int n) {\n  return $0g(n);\n}\n", []string{"n + ", "!"}, []string{"n 1 ", "if (n) {"}},
	} {
		for _, good := range tt.good {
			if judgedAt(t, tt.path, tt.text, good) {
				t.Errorf("%s: hidden: %q", tt.text, good)
			}
		}
		for _, wrong := range tt.wrong {
			if !judgedAt(t, tt.path, tt.text, wrong) {
				t.Errorf("%s: shown: %q", tt.text, wrong)
			}
		}
	}
	if judgedAt(t, "a.go", "package a\n\nfunc f() {\n\t$0n = = 1\n}\n", "m =") {
		t.Error("hidden in front of what is broken anyway")
	}
}

// A long file is judged by what stands around the cursor, a broken one where it
// is whole.
func TestALongFileIsJudgedByTheDeclarationAroundTheCursor(t *testing.T) {
	filler := strings.Repeat("    int g(int n) {\n        return n;\n    }\n\n", 400)
	for _, broken := range []string{"", "    int h( {\n\n"} {
		text := "class A {\n" + filler + broken + filler + "    int f(int n) {\n        $0\n        return n;\n    }\n\n" + filler + "}\n"
		for item, wrong := range map[string]bool{"n++;": false, "if (n > 0) {": false, "int = 1;": true} {
			if got := judgedAt(t, "A.java", text, item); got != wrong {
				t.Errorf("broken elsewhere %v: %s is hidden: %v", broken != "", item, got)
			}
		}
	}
}

// What the engine hides carries the reason; what is reused goes by the document
// as it is then.
func TestABreakingCandidateIsHiddenWithItsReason(t *testing.T) {
	dir := write(t, workspace)
	m := replay.New(replay.Texts("if name == = {", "println(name, 1)"))
	e := engine(t, dir, DefaultConfig(), m, nil)
	r := at(t, dir, "main.go", cursorInMain)
	r.Invoked, r.Max = true, 3
	done, err := e.Complete(t.Context(), r)
	if err != nil || len(done.Items) != 1 || done.Items[0].Text != "println(name, 1)" {
		t.Fatalf("got %+v, %v", done.Items, err)
	}
	if h := done.Trace.Hidden; len(h) != 1 || h[0].Reason != breaksFile {
		t.Errorf("hidden %+v", h)
	}
}

// The property: every line of real files, taken away and offered again, is shown.
func TestEveryLineThatStoodThereMayStandThereAgain(t *testing.T) {
	judged := map[facts.Language]int{}
	for path, text := range realFiles(t) {
		lang := facts.LanguageOf(path, []byte(text))
		whole := facts.Parses(lang, filepath.Base(path), []byte(text))
		at := 0
		for line := range strings.Lines(text) {
			start := at
			at += len(line)
			body := strings.TrimRight(line, " \t\n")
			in := indentOf(body)
			if len(body) == in {
				continue
			}
			doc := Doc{Path: path, Text: []byte(text[:start+in] + text[start+len(body):]), Offset: start + in, Lang: lang}
			j := newJudge(doc)
			if j.breaks(t.Context(), doc, Item{Text: body[in:]}) || whole && newFrame(doc).leavesOpen(Item{Text: body[in:]}) {
				t.Errorf("%s: hidden: %s", path, body)
			}
			if len(j.found.places) > 0 {
				judged[lang]++
			}
			cut, end := in, in
			for _, i := range eachWord.FindAllStringIndex(body[in:], 1) { // and its first word
				end = in + i[1]
				doc := Doc{Path: path, Text: []byte(text[:start+cut] + text[start+end:]), Offset: start + cut, Lang: lang}
				j := newJudge(doc)
				if j.breaks(t.Context(), doc, Item{Text: body[cut:end]}) {
					t.Errorf("%s: hidden in front of code: %s‹%s›%s", path, body[:cut], body[cut:end], body[end:])
				}
				cut = end
			}
		}
	}
	for _, lang := range []facts.Language{facts.C, facts.CSharp, facts.Cpp, facts.Go, facts.Java, facts.JavaScript, facts.PHP, facts.Python, facts.Ruby, facts.Rust, facts.TypeScript} {
		if judged[lang] < 15 {
			t.Errorf("%s: only %d lines could be judged", lang, judged[lang])
		}
	}
}

var eachWord = regexp.MustCompile(`\S+\s+`)

// realFiles are the sources under the testdata of this repository, and ours.
func realFiles(t *testing.T) map[string]string {
	t.Helper()
	files := map[string]string{}
	for _, pattern := range []string{"../index/facts/testdata/*/*.txt", "filter*.go", "../editors/vscode/src/*.ts"} {
		paths, err := filepath.Glob(pattern)
		if err != nil || len(paths) == 0 {
			t.Fatal(pattern, err)
		}
		for _, p := range paths {
			text, err := os.ReadFile(p)
			if err != nil {
				t.Fatal(err)
			}
			files[strings.TrimSuffix(p, ".txt")] = string(text)
		}
	}
	for _, p := range []string{"../index/testdata/polyglot.txtar", "../index/testdata/blog.txtar"} {
		archive, err := txtar.ParseFile(p)
		if err != nil {
			t.Fatal(err)
		}
		for _, f := range archive.Files {
			files[f.Name] = string(f.Data)
		}
	}
	return files
}

// BenchmarkJudge is what the judgement of one candidate costs in a file of some
// 5,000 lines, a good one and a bad one, with all that is worked out once for a
// cursor.
//
//	go test ./lsp -run '^$' -bench Judge
func BenchmarkJudge(b *testing.B) {
	_, path, whole := library(b, "server.go")
	at := strings.Index(string(whole), "\n}\n\nfunc (srv *Server) shuttingDown") + 1
	for name, item := range map[string]string{"good": "\tsrv.doKeepAlives()", "bad": "\tif srv nil x()"} {
		b.Run(name, func(b *testing.B) {
			for b.Loop() {
				text := string(whole[:at]) + "\n" + string(whole[at:])
				doc := Doc{Path: path, Text: []byte(text), Offset: at, Lang: facts.Go}
				if got := newJudge(doc).breaks(b.Context(), doc, Item{Text: item}); got != (name == "bad") {
					b.Fatalf("%s: hidden %v", item, got)
				}
			}
		})
	}
}

// What is typed into a line that was judged costs no parse.
func TestAJudgeServesTheLineWhateverIsTypedThere(t *testing.T) {
	const text = "package a\n\nfunc f(n int) {\n\t\n\tg()\n}\n"
	at := strings.Index(text, "\t\n") + 1
	doc := func(typed string) Doc {
		return Doc{Path: "a.go", Text: []byte(text[:at] + typed + text[at:]), Offset: at + len(typed), Lang: facts.Go}
	}
	j := newJudge(doc(""))
	if j.breaks(t.Context(), doc(""), Item{Text: "n = g(n)"}) || j.breaks(t.Context(), doc("n ="), Item{Text: " g(n)"}) || !j.breaks(t.Context(), doc("n ="), Item{Text: " = 1"}) {
		t.Error("judged wrongly")
	}
	if len(j.lines) != 2 {
		t.Errorf("lines judged: %v", j.lines)
	}
	other := doc("n")
	other.Text = append(other.Text, "// more"...)
	if !j.serves(doc("n")) || j.serves(other) {
		t.Error("it serves the wrong documents")
	}
}

// A request that the next key supersedes stops in the middle of its items, and what
// it did not judge is judged for the next.
func TestNothingIsJudgedForWhoHasLeft(t *testing.T) {
	text := "package a\n\nfunc f(n int) {\n\t$0\n}\n\n" + strings.Repeat("func g(n int) int { return n*n + n }\n\n", 90)
	before, after, _ := strings.Cut(text, "$0")
	doc := Doc{Path: "a.go", Text: []byte(before + after), Offset: len(before), Lang: facts.Go}
	var d rank.Decision
	d.Pools = []rank.Pool{{}}
	for i := range 2000 { // two seconds of parsing
		d.Pools[0].Candidates = append(d.Pools[0].Candidates, rank.Candidate{Text: fmt.Sprintf("x%d := %d 2", i, i), Votes: 1})
	}
	ctx, cancel := context.WithCancel(t.Context())
	j := newJudge(doc)
	left := time.AfterFunc(5*time.Millisecond, cancel)
	defer left.Stop()
	began := time.Now()
	show(ctx, doc, newFrame(doc), j, d, CompletionRequest{Invoked: true, Max: 10})
	took := time.Since(began)
	if !cancelled(ctx) || len(j.lines) > 1500 {
		t.Errorf("all %d lines were judged, in %v", len(j.lines), took)
	}
	cancel()
	bad := Item{Text: "x := 1 2"}
	fresh := newJudge(doc)
	if fresh.breaks(ctx, doc, bad) || fresh.found != nil || len(fresh.lines) != 0 {
		t.Errorf("judged for nobody: %v", fresh.lines)
	}
	if broken := "package a\n\nfunc ("; !(trial{ctx, fresh, new(grounds)}).parses(broken) || (trial{t.Context(), fresh, new(grounds)}).parses(broken) {
		t.Error("something was parsed for nobody")
	}
	if !fresh.breaks(t.Context(), doc, bad) {
		t.Error("not judged for the next")
	}
	late, end := context.WithDeadline(t.Context(), time.Now().Add(-time.Second))
	defer end()
	if !newJudge(doc).breaks(late, doc, bad) {
		t.Error("what is shown at the deadline is not judged")
	}
}
