package lsp

import (
	"testing"

	"readahead/allocate"
	"readahead/index"
)

// What a word has found must not be lost at its next letter: it would be found
// again at the one after, and each time the model reads another context.
func TestLettersThatHaveFoundSomethingGoOnToCount(t *testing.T) {
	const path = "/w/main.go"
	var c contexts
	found := func(names ...string) {
		p := &allocate.Portfolio{}
		for _, n := range names {
			p.Slots = append(p.Slots, allocate.Slot{Object: &index.Object{Name: n}})
		}
		c.remember(&findings{portfolios: []remembered{{task{path: path, family: index.Structural}, p}}})
	}
	ask := func(text string) int {
		at, now := c.queryAt(CompletionRequest{Path: path, Text: []byte(text), Offset: len(text)})
		c.remember(&findings{typed: now})
		return at
	}
	steps := []struct {
		name  string
		found []string // by the request before
		text  string
		want  int
	}{
		{"nothing is remembered: all letters count", nil, "if has", 6},
		{"a few letters say nothing", []string{"other"}, "if ha", 3},
		{"letters that nothing remembered begins with count", []string{"other"}, "if has", 6},
		{"they go on to count when they have found something", []string{"hasToken"}, "if hasT", 6},
		{"and at the letter after", []string{"hasToken"}, "if hasTo", 6},
		{"until they lead elsewhere", []string{"hasToken"}, "if hasTree", 10},
		{"a word that begins otherwise is another word", []string{"hasToken"}, "if hat", 6},
		{"another word starts anew", []string{"hasToken", "tokens"}, "if has(tok", 7},
	}
	for _, s := range steps {
		if s.found != nil {
			found(s.found...)
		}
		if got := ask(s.text); got != s.want {
			t.Errorf("%s: evidence for %q is looked for at %d, want %d", s.name, s.text, got, s.want)
		}
	}
}

func TestALineStaysWithItsObjectWhileItIsTyped(t *testing.T) {
	var c contexts
	at := func(text, found, want string) {
		t.Helper()
		r := CompletionRequest{Path: "a.go", Text: []byte(text), Offset: len(text)}
		got := c.around(r, index.SymbolID(found))
		if c.remember(&findings{line: got}); got.within != index.SymbolID(want) {
			t.Errorf("%q: around %s, want %s", text, got.within, want)
		}
	}
	at("func f() {\n\tx := g", "f", "f")
	at("func f() {\n\tx := g(\"", "file", "f") // the open quote has taken the rest of the file
	at("func f() {\n\tx := g(\"a\")\n\t", "f", "f")
	at("func f() {\n\tx := g(\"a\")\n}\n\nfunc h() {\n\t", "h", "h")
	c.forget()
	at("func f() {\n\tx := g(\"", "file", "file")
}
