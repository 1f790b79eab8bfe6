package lsp

import (
	"strings"
	"testing"
	"time"

	"readahead/index/facts"
)

// shown applies what Show offers to a document whose cursor is |, and returns
// the result, or "none: " and the reason.
func shown(t *testing.T, lang facts.Language, doc, raw string) string {
	t.Helper()
	at := strings.LastIndexByte(doc, '|')
	if at < 0 {
		t.Fatalf("no cursor in %q", doc)
	}
	left, right := doc[:at], doc[at+1:]
	it, reason := Show(Doc{Text: []byte(left + right), Offset: len(left), Lang: lang}, raw)
	if reason != "" {
		return "none: " + reason
	}
	return left + it.Text + "|" + right[it.Replace:]
}

// Looking for the opener of each closer among all that is open took time in the
// square of the depth: half a minute here.
func TestDeepNestingTakesNoTime(t *testing.T) {
	depth := 40_000
	if testing.Short() { // with the race detector, which takes several times as long
		depth = 10_000
	}
	deep := strings.Repeat("(", depth)
	for name, behind := range map[string]string{
		"on one line":     strings.Repeat(")", depth),
		"a line each":     strings.Repeat("\n)", depth),
		"of another kind": strings.Repeat("\n}", depth),
	} {
		start := time.Now()
		shown(t, facts.Go, "x = "+deep+"|"+behind, "f(1)")
		if took := time.Since(start); took > 5*time.Second {
			t.Errorf("%s: %v", name, took)
		}
	}
}

func TestShow(t *testing.T) {
	for _, c := range []struct {
		name string
		lang facts.Language
		doc  string
		raw  string
		want string
	}{
		// what cannot be seen
		{"an escape sequence of a terminal is not offered",
			"go", "x := |\n", "f() // \x1b[31mred", "none: it holds a character that cannot be seen and changes what is: U+001B"},
		{"nor a character that turns the direction of writing",
			"py", "x = |\n", "'user\u202e' # admin", "none: it holds a character that cannot be seen and changes what is: U+202E"},
		{"nor a control of Latin-1, which some terminals obey",
			"go", "x := |\n", "\"\u009b1m\"", "none: it holds a character that cannot be seen and changes what is: U+009B"},
		{"nor one without a shape",
			"go", "|\n", "\ufeffx()", "none: it holds a character that cannot be seen and changes what is: U+FEFF"},
		{"nor a filler that looks like nothing",
			"go", "|\n", "a\u3164b()", "none: it holds a character that cannot be seen and changes what is: U+3164"},
		{"emoji are put together as they are",
			"go", "|\n", "f(\"❤\ufe0f👩\u200d💻\")", "f(\"❤\ufe0f👩\u200d💻\")|\n"},
		{"one that the document uses already is the user's own",
			"py", "a = '\u202bא\u202c'\nx = |\n", "'\u202bב\u202c'", "a = '\u202bא\u202c'\nx = '\u202bב\u202c'|\n"},
		{"tabs and line ends are white space of code",
			"go", "func f() {\n\t|\n}\n", "if x {\r\n\t\ty()\r\n\t}", "func f() {\n\tif x {\n\t\ty()\n\t}|\n}\n"},

		// comments
		{"code behind the cursor does not become a comment",
			"go", "|x := 1\n", "// first", "none: " + hidesCode},
		{"nor does it behind an item that ends in one",
			"py", "return |f(x)\n", "n + # twice", "none: " + hidesCode},
		{"what is one already may get more of it",
			"go", "x := 1 |// a\n", "+ 2 // b", "x := 1 + 2 // b|// a\n"},
		{"nor is there anything to hide in a comment",
			"go", "// see |the rest\n", "// and", "// see // and|the rest\n"},
		{"an operand is no comment",
			"go", "\treturn |\n", "// Add finds the sum", "none: " + onlyRemark},
		{"nor is the value of a variable",
			"rb", "x = |\n", "# the value", "none: " + onlyRemark},
		{"a list may have one before its first element",
			"py", "x = [|\n", "# the values", "x = [# the values|\n"},
		{"so may a finished statement behind it",
			"go", "x := 1 |\n", "// one", "x := 1 // one|\n"},
		{"a star that begins the line of a comment multiplies nothing",
			"go", "/*\n * |\n */\n", "// old style", "/*\n * // old style|\n */\n"},

		// closing brackets
		{"a closer that the editor typed is not doubled (case 1)",
			"py", "x = np.array(|)\n", "[1, 2, 3])", "x = np.array([1, 2, 3]|)\n"},
		{"a closer that the text needs itself stays",
			"py", "print(|)\n", "f(x)", "print(f(x)|)\n"},
		{"only the closer too many goes",
			"py", "print(|)\n", "f(g(x)))", "print(f(g(x))|)\n"},
		{"text that goes on behind the editor's closer takes its place",
			"py", "y = f(|)\n", "a) + g(b)", "y = f(a) + g(b)|\n"},
		{"text that repeats all that the editor typed is cut before it",
			"js", "foo(|);\n", "a, b);", "foo(a, b|);\n"},
		{"nested closers of the editor are taken over one by one",
			"js", "f([|])\n", "a], b)", "f([a], b|)\n"},
		{"a quote of the editor is a closer like others",
			"py", "print(\"|\")\n", "hello\")", "print(\"hello|\")\n"},
		{"text that leaves the string behind the cursor's quote takes its place",
			"py", "print(\"|\")\n", "hello\", x", "print(\"hello\", x|)\n"},
		{"a block that ends below is not ended twice",
			"go", "func a() {\n\t|\n}\n\nfunc b() {}\n", "return\n}", "func a() {\n\treturn|\n}\n\nfunc b() {}\n"},
		{"what comes behind a block that ends below is not for here",
			"go", "func a() {\n\t|\n}\n", "return 1\n}\n\nfunc c() {\n\tpanic(1)\n}", "func a() {\n\treturn 1|\n}\n"},
		{"a block that is not ended yet may be ended",
			"go", "func a() {\n\tif x {\n\t\t|\n}\n", "return\n\t}", "func a() {\n\tif x {\n\t\treturn\n\t}|\n}\n"},
		{"at the end of the file nothing closes what is open",
			"go", "func a() {\n\t|", "return 1\n}", "func a() {\n\treturn 1\n}|"},
		{"brackets in strings and comments do not count",
			"go", "f(|)\n", "\")\", ')', /* ) */ x)", "f(\")\", ')', /* ) */ x|)\n"},
		{"a line comment with a bracket does not close",
			"js", "function f() {\n  |\n}\n", "x() // }", "function f() {\n  x() // }|\n}\n"},
		{"a template literal holds code in its holes",
			"js", "log(|)\n", "`a ${f({b: 1})}`)", "log(`a ${f({b: 1})}`|)\n"},
		{"a lifetime is no string",
			"rs", "fn f(|) {}\n", "x: &'a str)", "fn f(x: &'a str|) {}\n"},
		{"a bracket that the text opens is closed before the editor's closer",
			"py", "print(|)\n", "f(x", "print(f(x)|)\n"},
		{"brackets that do not match are not shown",
			"go", "x := |\n", "f(a]", "none: " + wrongBracket},
		{"a string left open is not shown",
			"go", "x := |\n", "f(\"a", "none: " + openString},
		{"a docstring may go on in the next line",
			"py", "def f():\n    |\n", "\"\"\"Return the sum.", "def f():\n    \"\"\"Return the sum.|\n"},
		{"in prose brackets are punctuation",
			"markdown", "See |\n", "a) first", "See a) first|\n"},

		{"a square bracket is left open like a round one",
			"py", "|\ny = 2\n", "x = [", "none: " + openList},
		{"the last of a block's lines may go on below",
			"py", "if a:\n    |\nb = 1\n", "x = f(", "if a:\n    x = f(|\nb = 1\n"},
		{"a line below that begins with an operator goes on with it",
			"py", "|\nand b)\n", "x = (a", "x = (a|\nand b)\n"},
		{"one that ends with a comma does, too",
			"js", "|\na,\nb);\n", "f(", "f(|\na,\nb);\n"},
		{"a callback's brace opens a block",
			"js", "|\ny();\n", "f(() => {", "f(() => {|\ny();\n"},
		{"a bracket in a comment is none",
			"go", "|\ny()\n", "x() // see (a", "x() // see (a|\ny()\n"},
		{"before more code on its line nothing is known",
			"py", "|, 2]\ny = 1\n", "f(1", "f(1|, 2]\ny = 1\n"},
		{"nor in a language without a grammar",
			"lua", "|\ny = 1\n", "f(", "f(|\ny = 1\n"},

		// the code after the cursor
		{"text that is the rest of the line is not shown (case 2)",
			"py", "f(a|, b)\nx = 1\n", ", b)", "none: " + repeatsBelow},
		{"text that ends with the rest of the line is cut before it",
			"py", "f(|, b)\n", "a, b)", "f(a|, b)\n"},
		{"the beginning of the rest is enough",
			"py", "f(a|, b, c)\n", ", b", "none: " + repeatsBelow},
		{"a blank suffix takes nothing away (case 3)",
			"py", "x = |   \n\n", "1 + 2", "x = 1 + 2|   \n\n"},
		{"nor does an empty one",
			"py", "x = |", "1 + 2", "x = 1 + 2|"},
		{"the line below is not offered again",
			"py", "a = 1\n|\nb = compute(a)\n", "b = compute(a)", "none: " + repeatsBelow},
		{"nor with another indentation",
			"js", "{\n  a();\n    |\n  b.c();\n}\n", "b.c();", "none: " + repeatsBelow},
		{"text that runs into the lines below ends before them",
			"py", "a = 1\n|\nc = 3\nd = 4\n", "b = 2\nc = 3\nd = 4", "a = 1\nb = 2|\nc = 3\nd = 4\n"},
		{"a return in a block may be the one behind it, too",
			"py", "def f(x):\n    if x:\n        |\n    return None\n", "return None", "def f(x):\n    if x:\n        return None|\n    return None\n"},
		{"a line inside the text's own block may equal the one below",
			"go", "\t|\n\treturn nil\n}\n", "if a {\n\t\treturn nil\n\t}", "\tif a {\n\t\treturn nil\n\t}|\n\treturn nil\n}\n"},
		{"before code on the same line only one line fits",
			"py", "x = [|, 3]\n", "1,\n     2", "x = [1|, 3]\n"},

		// the cursor's line
		{"the line that is typed already is not typed again",
			"py", "obj = json.lo|\n", "obj = json.loads(s)", "obj = json.loads(s)|\n"},
		{"nor the word at the cursor",
			"py", "obj = json.loads|\n", "loads(s)", "obj = json.loads(s)|\n"},
		{"a multibyte line may come again (case 5)",
			"py", "μ, σ = fit(|)\n", "μ, σ = fit(x)", "μ, σ = fit(x|)\n"},
		{"or in part",
			"py", "μ = mean(x)  # μ is|\n", "is the mean of μ", "μ = mean(x)  # μ is the mean of μ|\n"},
		{"elements of a list may be equal",
			"go", "x := []bool{\n\ttrue, |\n}\n", "true, false,", "x := []bool{\n\ttrue, true, false,|\n}\n"},
		{"a short word may begin another",
			"py", "x = co|\n", "coa", "x = cocoa|\n"},

		// indentation
		{"indentation that the line has is not doubled (case 15)",
			"py", "def f():\n    a = 1\n    |\n", "    b = 2", "def f():\n    a = 1\n    b = 2|\n"},
		{"deeper text goes to its own column",
			"py", "def f():\n    if a:\n    |\n", "        b = 2", "def f():\n    if a:\n        b = 2|\n"},
		{"a block asks for its column",
			"py", "def f():\n    if a:\n    |\n", "    b = 2", "def f():\n    if a:\n        b = 2|\n"},
		{"text further out than the cursor stays at the cursor",
			"py", "def f():\n    a = 1\n    |\n", "  b = 2", "def f():\n    a = 1\n    b = 2|\n"},
		{"tabs are not doubled either",
			"go", "func f() {\n\ta()\n\t|\n}\n", "\tb()", "func f() {\n\ta()\n\tb()|\n}\n"},
		{"spaces for a tab mean the same column",
			"go", "func f() {\n\ta()\n\t|\n}\n", "    b()", "func f() {\n\ta()\n\tb()|\n}\n"},
		{"at the first column the text's own indentation counts",
			"py", "def f():\n|\n", "    b = 2", "def f():\n    b = 2|\n"},
		{"empty lines before the text are not added to an empty line",
			"py", "a = 1\n|\n", "\n\nb = 2", "a = 1\nb = 2|\n"},

		// what the model says around code
		{"a control token ends the text (case 12)",
			"py", "x = |\n", "1<|im_end|>", "x = 1|\n"},
		{"text behind it goes, too",
			"py", "x = |\n", "1<|endoftext|>import os", "x = 1|\n"},
		{"one before the text is dropped",
			"py", "x = |\n", "<fim_middle>1<fim_pad>", "x = 1|\n"},
		{"those of other families as well",
			"py", "x = |\n", "1<｜end▁of▁sentence｜>", "x = 1|\n"},
		{"half a token at the limit goes",
			"py", "x = |\n", "1<|im_e", "x = 1|\n"},
		{"a token alone is nothing",
			"py", "x = |\n", "<|im_end|>", "none: " + blankReason},
		{"a token that the document is about is code",
			"py", "STOP = \"<|im_end|>\"\nx = |\n", "[\"<|im_end|>\"]", "STOP = \"<|im_end|>\"\nx = [\"<|im_end|>\"]|\n"},
		{"a fence is not code",
			"py", "x = |\n", "```python\n1 + 2\n```\nThis adds.", "x = 1 + 2|\n"},
		{"in Markdown it is text",
			"markdown", "Example:\n|\n", "```python\nx\n```", "Example:\n```python\nx\n```|\n"},
		{"half a character at the limit goes",
			"py", "x = |\n", "'é\xc3", "none: " + openString},
		{"line ends are \\n",
			"go", "func f() {\n\t|\n}\n", "a()\r\n\tb()\r\n", "func f() {\n\ta()\n\tb()|\n}\n"},

		// nothing at all
		{"a tab is nothing (case 22)", "go", "func f() {\n\t|\n}\n", "\t", "none: " + blankReason},
		{"white space is nothing", "py", "x = 1|\n", "   \n  \n", "none: " + blankReason},
		{"no text is nothing", "py", "x = 1|\n", "", "none: " + blankReason},

		// repetition
		{"the line above is not offered again",
			"py", "items.append(first)\n|\n", "items.append(first)", "none: " + repeatsAbove},
		{"a short line may come twice",
			"c", "i++;\n|\n", "i++;", "i++;\ni++;|\n"},
		{"but not for ever",
			"c", "i++;\ni++;\n|\n", "i++;", "none: " + repeatsAbove},
		{"brackets may follow brackets",
			"js", "a(() => {\n  b(() => {\n  })\n|", "})", "a(() => {\n  b(() => {\n  })\n})|"},
		{"a model that runs in circles is stopped after one round",
			"py", "|\n", "a = 1\nb = 2\na = 1\nb = 2\na = 1\nb = 2\n", "a = 1\nb = 2|\n"},

		// no stop lists
		{"a comment is code (case 21)", "go", "\t|\n", "// path is below /src/ of the module", "\t// path is below /src/ of the module|\n"},
		{"a hash is code", "py", "|\n", "# type: ignore", "# type: ignore|\n"},
		{"a URL is code", "js", "const u = |\n", "\"https://example.com/src/\"", "const u = \"https://example.com/src/\"|\n"},
	} {
		t.Run(c.name, func(t *testing.T) {
			if got := shown(t, c.lang, c.doc, c.raw); got != c.want {
				t.Errorf("Show(%q, %q)\n got %q\nwant %q", c.doc, c.raw, got, c.want)
			}
		})
	}
}
