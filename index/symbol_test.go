package index

import (
	"strings"
	"testing"

	"readahead/index/facts"
)

func TestSymbolsReadAsTheLanguageNamesThem(t *testing.T) {
	for _, c := range []struct {
		symbol Symbol
		id     SymbolID
	}{
		{Symbol{facts.Go, "example.com/shop/cart", "Cart#Add()."}, "go example.com/shop/cart Cart#Add()."},
		{Symbol{facts.Python, "flask.app", "Flask#route()."}, "py flask.app Flask#route()."},
		{Symbol{textLang, "docs/my notes.md", ""}, "text docs/my%20notes.md "},
		{Symbol{facts.Go, "", "main()."}, "go  main()."},
	} {
		if id := c.symbol.ID(); id != c.id {
			t.Errorf("%+v is called %q, want %q", c.symbol, id, c.id)
		}
	}
}

func TestWhatIsNoSymbolIsRefused(t *testing.T) {
	for _, id := range []SymbolID{"", "go", "go example.com/shop"} {
		if s, err := ParseSymbol(id); err == nil {
			t.Errorf("%q is taken for %+v", id, s)
		}
	}
}

func FuzzSymbolsComeBackFromTheirIDs(f *testing.F) {
	f.Add("go", "example.com/a b%", "Cart#`odd name`.")
	f.Fuzz(func(t *testing.T, lang, pkg, descriptors string) {
		if strings.Contains(lang, " ") {
			return // no language is called so
		}
		want := Symbol{facts.Language(lang), pkg, descriptors}
		got, err := ParseSymbol(want.ID())
		if err != nil || got != want {
			t.Errorf("%+v became %q and came back as %+v, %v", want, want.ID(), got, err)
		}
	})
}

func TestTheOwnerOfAMemberIsTheInnermostTypeAround(t *testing.T) {
	for descriptors, owner := range map[string]string{
		"Cart#Add().":        "Cart#",
		"Outer#Inner#put().": "Outer#Inner#",
		"Outer#Inner#":       "Outer#",
		"Cart#":              "",
		"parse().":           "",
		"cart.go/":           "",
		"":                   "",
	} {
		if got := ownerOf(descriptors); got != owner {
			t.Errorf("the owner of %q is %q, want %q", descriptors, got, owner)
		}
	}
}
