package lsp

import (
	"strings"
	"testing"
)

func TestWhatWasTyped(t *testing.T) {
	for _, c := range []struct {
		name     string
		was, now string // | is the cursor
		replaced int
		typed    string
		ok       bool
	}{
		{"nothing", "a = |\n", "a = |\n", 0, "", true},
		{"a word", "a = |\n", "a = foo|\n", 0, "foo", true},
		{"a line end of the document's kind", "a = |\r\n", "a = b\r\n  c|\r\n", 0, "b\n  c", true},
		{"a bracket that the editor closed", "f|\n", "f(|)\n", 0, "(", true},
		{"a nest of them", "f|\n", "f([{|}])\n", 0, "([{", true},
		{"a quote that the editor closed", "a = |\n", "a = \"x|\"\n", 0, "\"x", true},
		{"a closer that nothing typed had opened", "f|\n", "fx|)\n", 0, "", false},
		{"an edit before the cursor", "a = |\n", "b = x|\n", 0, "", false},
		{"an edit behind it", "a = |\nb\n", "a = x|\nc\n", 0, "", false},
		{"a cursor before the old one", "a = |\n", "a |= \n", 0, "", false},
		{"what an item replaced is not there any more", "f(|)\n", "f(a) + 1|\n", 1, "a) + 1", true},
		{"more replaced than there is", "f(|)", "f(a|", 9, "", false},
	} {
		t.Run(c.name, func(t *testing.T) {
			parse := func(s string) ([]byte, int) {
				before, after, _ := strings.Cut(s, "|")
				return []byte(before + after), len(before)
			}
			o, a := &memo{path: "p"}, &ask{path: "p"}
			o.text, o.offset = parse(c.was)
			a.text, a.offset = parse(c.now)
			if typed, ok := o.typed(a, c.replaced); typed != c.typed || ok != c.ok {
				t.Errorf("typed %q, %v; want %q, %v", typed, ok, c.typed, c.ok)
			}
			a.path = "q"
			if _, ok := o.typed(a, c.replaced); ok {
				t.Error("in another document, too")
			}
		})
	}
}

func TestTheMemoryIsBounded(t *testing.T) {
	var m memory
	for range 3 * rememberedAnswers {
		m.add(&memo{path: "p"})
	}
	if len(m.memos) != rememberedAnswers {
		t.Errorf("%d answers are remembered", len(m.memos))
	}
	m.forget("p")
	if len(m.memos) != 0 {
		t.Error("a closed document is remembered")
	}
}
