package lsp

import (
	"strings"
	"testing"
	"unicode/utf8"

	"pgregory.net/rapid"

	"readahead/index/facts"
	"readahead/model"
)

func wordCount(s string) int { return len(strings.Fields(s)) }

func TestSplitNeverExceedsTheWindow(t *testing.T) {
	for n := range 20_000 {
		b := split(n, 4096)
		if b.Evidence < 0 || b.Left < 0 || b.Right < 0 || b.Evidence+b.Left+b.Right > max(0, n-outputTokens) || b.Evidence > 4096 {
			t.Fatalf("a window of %d is split into %+v", n, b)
		}
	}
	if b := split(8192, 4096); b.Evidence != 4096 || b.Left != maxLeft || b.Right != maxRight {
		t.Errorf("an ordinary window is split into %+v", b)
	}
}

func TestTheCutsKeepWholeLinesWithinTheirBudgets(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		line := rapid.StringMatching(`[a-zμ ]{0,12}`)
		src := []byte(strings.Join(rapid.SliceOf(line).Draw(t, "lines"), "\n"))
		offset := rapid.IntRange(0, len(src)).Draw(t, "offset")
		for offset > 0 && offset < len(src) && !utf8.RuneStart(src[offset]) {
			offset--
		}
		limit := rapid.IntRange(0, 40).Draw(t, "limit")
		start, end := cutLeft(src, offset, limit, wordCount), cutRight(src, offset, limit, wordCount)
		if start < 0 || start > offset || end < offset || end > len(src) {
			t.Fatalf("cut %d..%d around %d of %d", start, end, offset, len(src))
		}
		if wordCount(string(src[start:offset])) > limit || wordCount(string(src[offset:end])) > limit {
			t.Fatalf("%q or %q take more than %d", src[start:offset], src[offset:end], limit)
		}
		lineStart := strings.LastIndexByte(string(src[:offset]), '\n') + 1
		if start > 0 && start <= lineStart && start != offset && src[start-1] != '\n' {
			t.Fatalf("the left context starts inside a line: %q", src[start:offset])
		}
		if !utf8.Valid(src[start:offset]) || !utf8.Valid(src[offset:end]) {
			t.Fatalf("a cut through a character: %q %q", src[start:offset], src[offset:end])
		}
	})
}

func TestTheLeftContextStaysPutWhileTyping(t *testing.T) {
	var b strings.Builder
	for range 500 {
		b.WriteString("one two three four five\n")
	}
	src := []byte(b.String())
	starts := map[int]bool{}
	for offset := len(src) / 2; offset < len(src)/2+cutStride*24; offset++ {
		starts[cutLeft(src, offset, 400, wordCount)] = true
	}
	if len(starts) > 2 {
		t.Errorf("typing %d lines moved the start of the left context %d times", cutStride, len(starts)-1)
	}
}

func TestAHugeLineIsCutInside(t *testing.T) {
	src := []byte(strings.Repeat("x", 5<<20))
	bytes := func(s string) int { return len(s) / 3 }
	start, end := cutLeft(src, 3<<20, 1000, bytes), cutRight(src, 3<<20, 100, bytes)
	if n := 3<<20 - start; n == 0 || n > 3100 {
		t.Errorf("%d bytes before the cursor", n)
	}
	if n := end - 3<<20; n == 0 || n > 310 {
		t.Errorf("%d bytes after it", n)
	}
}

// A document's own line endings stay in the editor: the model sees one kind, and
// what it sees is all of the view.
func TestAPromptHasOneKindOfLineEnding(t *testing.T) {
	for _, eol := range []string{"\n", "\r\n", "\r"} {
		text := strings.ReplaceAll("a = 1\nb = 2\n\nc = 3\n", "\n", eol)
		at := strings.Index(text, "b")
		m := model.Model{Info: model.Info{Context: 4096}, Tokens: func(s string) int { return len(s) }}
		q := PromptFor(m, DefaultConfig(), Doc{Text: []byte(text), Offset: at, Lang: facts.Python}).Request("a.py", nil)
		if q.Left != "a = 1\n" || q.Right != "b = 2\n\nc = 3\n" {
			t.Errorf("%q: left %q, right %q", eol, q.Left, q.Right)
		}
	}
}

// What the model reads of the document is what it may read: the tokens that were
// pasted into it are hidden, and every offset stays.
func TestAPromptHidesWhatIsSecretInTheDocument(t *testing.T) {
	token := strings.Repeat("Q7d0", 6)
	before, after := "a := \"sk_live_"+token+"\"\nb := ", "\nc := \"postgres://me:hunter2@db\"\n"
	doc := Doc{Text: []byte(before + after), Offset: len(before)}
	m := model.Model{Info: model.Info{Context: 8192}, Tokens: wordCount}
	q := PromptFor(m, DefaultConfig(), doc).Request("a.go", nil)
	hidden := strings.Repeat("x", len(token))
	if want := "a := \"sk_live_" + hidden + "\"\nb := "; q.Left != want {
		t.Errorf("before the cursor it reads\n%s\nwant\n%s", q.Left, want)
	}
	if want := "\nc := \"postgres://me:xxxxxxx@db\"\n"; q.Right != want {
		t.Errorf("behind the cursor it reads\n%s\nwant\n%s", q.Right, want)
	}
	if !strings.Contains(string(doc.Text), token) {
		t.Error("the document itself was changed")
	}
}

// The embedded model reads the code behind the cursor, too, unless told otherwise;
// a model of a server does if it can fill in.
func TestWhoReadsTheCodeBehindTheCursor(t *testing.T) {
	for _, tt := range []struct {
		info   model.Info
		prompt string
		causal bool
	}{
		{model.Info{Provider: "embedded"}, "auto", false},
		{model.Info{Provider: "embedded"}, "causal", true},
		{model.Info{Provider: "ollama", FIM: true}, "auto", false},
		{model.Info{Provider: "ollama"}, "auto", true},
		{model.Info{Provider: "ollama"}, "fim", false},
	} {
		c := DefaultConfig()
		c.Prompt = tt.prompt
		m := model.Model{Info: tt.info, Tokens: func(s string) int { return len(s) }}
		if got := PromptFor(m, c, Doc{Text: []byte("a\nb\n"), Offset: 2, Lang: facts.Go}).Causal; got != tt.causal {
			t.Errorf("%+v, prompt %s: causal %v", tt.info, tt.prompt, got)
		}
	}
}
