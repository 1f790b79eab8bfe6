package allocate

import (
	"strings"
	"testing"

	"readahead/index"
	"readahead/index/facts"
)

func TestDescriptor(t *testing.T) {
	for _, tc := range []struct {
		id, name string
		calls    int
		want     string
	}{
		{"go example.com/shop/cart New().", "New", 0, "f: New"},
		{"go example.com/shop/cart Cart#Add().", "Add", 1, "f: Cart.Add, called once"},
		{"go example.com/shop/cart Cart#Add().", "Add", 14, "f: Cart.Add, called 14 times"},
		{"go example.com/a%20b Cart#", "Cart", 0, "f: Cart"},
		{"py flask.app Flask#route().", "route", 0, "f: Flask.route"},
		{"ts src/cart Cart#total.", "total", 0, "f: Cart.total"},
		{"java com.x Outer#Inner#put(`String,int`).", "put", 0, "f: Outer.Inner.put"},
		{"java com.x Box#[T]get(+1).", "get", 0, "f: Box.get"},
		{"rs shop cart/impl#[Cart][Display]fmt().", "fmt", 0, "f: Cart::fmt"},
		{"cpp . shop/Cart#add().", "add", 0, "f: Cart::add"},
		{"php App Cart#add().", "add", 0, "f: Cart::add"},
		{"c src/a.c parse().", "parse", 0, "f: parse"},
		{"rb shop Cart#`total=`().", "total=", 0, "f: Cart.total="},
		{"x y `a``b`.", "a`b", 0, "f: a`b"},
		{"not an ID", "plain", 0, "f: plain"},
		{"go p Other#name.", "mine", 0, "f: mine"},
		{"", "mine", 0, "f: mine"},
		{"go p (((", "mine", 0, "f: mine"},
		{"go p `open", "mine", 0, "f: mine"},
	} {
		lang, _, _ := strings.Cut(tc.id, " ")
		o := &index.Object{ID: index.SymbolID(tc.id), Name: tc.name, Kind: facts.Method, Lang: facts.Language(lang), Path: "f", Calls: tc.calls}
		if got := descriptor(o); got != tc.want {
			t.Errorf("%s is described as %q, want %q", tc.id, got, tc.want)
		}
	}
	if got := descriptor(&index.Object{Kind: facts.Module, Name: "a.py", Path: "p/a.py", Calls: 3}); got != "p/a.py" {
		t.Errorf("a module is described as %q, want its path alone", got)
	}
}

func TestCallHint(t *testing.T) {
	o := thing("add", "cart.go", "func add() {}")
	at := func(path, text string) index.View {
		return index.View{Object: o, Kind: index.CallSite, Path: path, Text: text}
	}
	long := "add(" + strings.Repeat("x, ", longestHint) + ")"
	for _, tc := range []struct {
		sentence string
		views    []index.View
		want     string
	}{
		{"no call known", []index.View{body(o)}, ""},
		{"the strongest call site counts", []index.View{body(o), at("m.go", "\tadd(1)"), at("n.go", "add(2)")}, "call in m.go: add(1)"},
		{"of its lines the one with the call", []index.View{at("m.go", "address := 1\r\n  x := c.add(2)\r\nreturn")}, "call in m.go: x := c.add(2)"},
		{"or else its first", []index.View{at("m.go", "\n  via(alias)\n")}, "call in m.go: via(alias)"},
		{"a line too long is not cut, the next call is taken", []index.View{at("m.go", long), at("n.go", "add(2)")}, "call in n.go: add(2)"},
		{"an empty one says nothing", []index.View{at("m.go", " \n")}, ""},
	} {
		if got := callHint(o, tc.views); got != tc.want {
			t.Errorf("%s: %q, want %q", tc.sentence, got, tc.want)
		}
	}
}

func TestSummary(t *testing.T) {
	for _, tc := range []struct{ doc, want string }{
		{"// Add adds.\n// And more.", "Add adds."},
		{"/// Adds.", "Adds."},
		{"/**\n * Adds an item.\n * @param it the item\n */", "Adds an item."},
		{"/** Adds. */", "Adds."},
		{"\"\"\"Add an item.\n\n    More.\n    \"\"\"", "Add an item."},
		{"'''\nAdd.\n'''", "Add."},
		{`r"""Add \x."""`, `Add \x.`},
		{"# Adds.\r\n# More.", "Adds."},
		{"/// <summary>\n/// Adds.\n/// </summary>", "Adds."},
		{"<!---->", ""},
		{"/***/", ""},
		{"", ""},
		{"// " + strings.Repeat("long ", longestHint) + "\n// Short.", "Short."},
	} {
		if got := summary(tc.doc); got != tc.want {
			t.Errorf("summary of %q is %q, want %q", tc.doc, got, tc.want)
		}
	}
}
