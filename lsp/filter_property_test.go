package lsp

import (
	"strings"
	"testing"
	"unicode/utf8"

	"pgregory.net/rapid"

	"readahead/index/facts"
)

var (
	codePieces = []string{"foo", "x", "1", " ", "  ", "\t", "\n", "\n", "(", ")", "[", "]", "{", "}", `"`, "'", "`", "${",
		",", ";", ":", "=", "//", "#", "/*", "*/", `"""`, `\`, "é", "🙂", "return", "if x:", "\r\n", "\x00", "\xff"}
	modelPieces = append([]string{"<|im_end|>", "<fim_middle>", "```", "</s>", "<|im_e"}, codePieces...)
	codeLangs   = []facts.Language{"go", "py", "js", "rs", "java", "c", "cs", "php", "rb", "lua", "sql", "css", "", "markdown"}
)

func drawCode(t *rapid.T, label string, from []string, most int) string {
	return strings.Join(rapid.SliceOfN(rapid.SampledFrom(from), 0, most).Draw(t, label), "")
}

// checkShown checks what must hold for every document and every text.
func checkShown(t interface {
	Helper()
	Fatalf(string, ...any)
}, d Doc, raw string) {
	t.Helper()
	it, reason := Show(d, raw)
	if reason != "" {
		if it != (Item{}) {
			t.Fatalf("not shown (%s), and yet %+v", reason, it)
		}
		return
	}
	right := string(d.Text[d.Offset:])
	line, _, _ := strings.Cut(strings.ReplaceAll(right, "\r", "\n"), "\n")
	switch {
	case strings.TrimSpace(it.Text) == "":
		t.Fatalf("shown: white space %q", it.Text)
	case strings.ContainsAny(it.Text, "\r\x00"):
		t.Fatalf("shown: a character that is no text in %q", it.Text)
	case !utf8.ValidString(it.Text):
		t.Fatalf("shown: broken UTF-8 in %q", it.Text)
	case it.Text != strings.TrimRight(it.Text, " \t\n"):
		t.Fatalf("shown: white space at the end of %q", it.Text)
	case it.Replace < 0 || it.Replace > len(line):
		t.Fatalf("replaces %d bytes of a line rest of %d", it.Replace, len(line))
	}
	again, reason := fit(d, it.Text)
	if reason != "" || again != it {
		t.Fatalf("shown once %+v, shown again %+v %q", it, again, reason)
	}
}

func TestWhatIsShownFitsAndStaysAsItIs(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		left := drawCode(t, "left", codePieces, 20)
		right := drawCode(t, "right", codePieces, 15)
		checkShown(t, Doc{
			Text: []byte(left + right), Offset: len(left),
			Lang: rapid.SampledFrom(codeLangs).Draw(t, "lang"),
		}, drawCode(t, "raw", modelPieces, 15))
	})
}

func FuzzShow(f *testing.F) {
	f.Add("x = f(", ")\n", "a) + g(b)", uint8(1))
	f.Add("func f() {\n\t", "\n}\n", "return\n}\n\nfunc g() {", uint8(0))
	f.Add("", "", "```go\n\xff<|im_end|>", uint8(2))
	f.Fuzz(func(t *testing.T, left, right, raw string, lang uint8) {
		checkShown(t, Doc{Text: []byte(left + right), Offset: len(left), Lang: codeLangs[int(lang)%len(codeLangs)]}, raw)
	})
}

// Text that closes what it opens, in code that closes what it opens, leaves
// code that does.
func TestBalancedCodeStaysBalanced(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		before, after := drawNest(t, "document")
		in, out := drawNest(t, "text")
		raw := "a" + in + "b" + out
		d := Doc{Text: []byte(before + after), Offset: len(before), Lang: "c"}
		// The editor's closers may be said again, all or some of them.
		if again := rapid.IntRange(0, len(after)).Draw(t, "again"); again > 0 {
			raw += after[:again]
		}
		it, reason := Show(d, raw)
		if reason != "" {
			t.Fatalf("%q in %q: %s", raw, before+"|"+after, reason)
		}
		s := &scan{syntax: syntaxOf("c")}
		s.run(before+it.Text+after[it.Replace:], func(e event) bool {
			if e.closes && !e.fits {
				t.Fatalf("%q in %q became %q", raw, before+"|"+after, before+it.Text+after[it.Replace:])
			}
			return true
		})
		if len(s.stack) != 0 {
			t.Fatalf("%q in %q became %q", raw, before+"|"+after, before+it.Text+after[it.Replace:])
		}
	})
}

// drawNest draws brackets and what closes them.
func drawNest(t *rapid.T, label string) (opens, closes string) {
	for _, b := range rapid.SliceOfN(rapid.SampledFrom([]string{"()", "[]", "{}"}), 0, 4).Draw(t, label) {
		opens += b[:1]
		closes = b[1:] + closes
	}
	return opens, closes
}

// BenchmarkShow is one candidate in the middle of a file of 5,000 lines.
func BenchmarkShow(b *testing.B) {
	half := strings.Repeat("func f(a []int) { // a (comment\n\tresult = append(result, a[0], \"(\")\n}\n", 833)
	d := Doc{Text: []byte(half + "func g() {\n\tfoo()\n}\n" + half), Offset: len(half) + len("func g() {\n\tfoo("), Lang: "go"}
	for b.Loop() {
		if _, reason := Show(d, "value, other(1))"); reason != "" {
			b.Fatal(reason)
		}
	}
}
