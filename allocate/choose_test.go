package allocate

import (
	"strings"
	"testing"

	"readahead/index"
)

func TestPositions(t *testing.T) {
	var (
		a = thing("a", "a.go", "func a() { total }")
		b = thing("b", "b.go", "func b() { }")
		c = thing("c", "c.go", "func c() { }")
		d = thing("d", "d.go", "func d() { total }")
		e = thing("e", "e.go", "func e() { total }")
		f = thing("f", "f.go", "func f() { }")
		// neighbours of a in a.go, on other lines
		near    = thing("near", "a.go", "func near() { total }")
		silent  = thing("silent", "a.go", "func silent() { nothing }")
		further = thing("further", "a.go", "func further() { total }")
	)
	near.Line, silent.Line, further.Line = 10, 20, 30

	for _, tc := range []struct {
		sentence string
		views    []index.View
		terms    string
		want     string
		dropped  string
	}{
		{"nothing found is nothing shown", nil, "total", "", ""},
		{"one object takes one position, however many views it has",
			[]index.View{body(a), part(a, index.Signature, "a"), part(a, index.CallSite, "a()"), part(a, index.Test, "a?"), body(b)},
			"", "a b", ""},
		{"fewer objects than positions all get one; the fifth waits for a companion and is none here",
			[]index.View{body(a), body(b), body(c), body(d), body(e)},
			"total", "a b c d ~e", ""},
		{"a neighbour of the core that shares an identifier goes before a better object from elsewhere",
			[]index.View{body(a), body(b), body(c), body(d), body(e), body(f), body(near)},
			"total", "a b c d +near",
			"e: all positions are taken, and it is in no file of the core\nf: all positions are taken, and it is in no file of the core"},
		{"a neighbour that shares nothing does not",
			[]index.View{body(a), body(b), body(c), body(d), body(e), body(silent)},
			"total", "a b c d ~e", "silent: in a file of the core, but shares no identifier with the query"},
		{"of two companions the stronger one gets the position",
			[]index.View{body(a), body(b), body(c), body(d), body(silent), body(near), body(further)},
			"total", "a b c d +near",
			"silent: in a file of the core, but shares no identifier with the query\n" +
				"further: in a file of the core, but a stronger one has the companion's position"},
		{"what the companion shares must stand in its strongest view",
			[]index.View{body(a), body(b), body(c), body(d), part(near, index.Signature, "func near()"), body(e), body(near)},
			"total", "a b c d ~near", "e: all positions are taken, and it is in no file of the core"},
		{"part of an identifier is not an identifier",
			[]index.View{body(a), body(b), body(c), body(d), body(e), body(near)},
			"tot", "a b c d ~e", "near: in a file of the core, but shares no identifier with the query"},
		{"a word that all code shares makes no companion",
			[]index.View{body(a), body(b), body(c), body(d), body(e), body(silent)},
			"func and nothing_else", "a b c d ~e", "silent: in a file of the core, but shares no identifier with the query"},
		{"a view of nothing takes no position",
			[]index.View{{Text: "lost"}, body(a)}, "", "a", "?: the view names no object"},
	} {
		t.Run(tc.sentence, func(t *testing.T) {
			got := Allocate(Request{Views: tc.views, Terms: strings.Fields(tc.terms), Lang: "go", Tokens: words}, DefaultOptions()).Portfolio
			if names(got) != tc.want {
				t.Errorf("positions are %q, want %q", names(got), tc.want)
			}
			if losers(got) != tc.dropped {
				t.Errorf("dropped are\n%s\nwant\n%s", losers(got), tc.dropped)
			}
		})
	}
}

func TestNumberOfPositions(t *testing.T) {
	var views []index.View
	for _, name := range strings.Fields("a b c d e f g") {
		views = append(views, body(thing(name, name+".go", "func "+name+"() { total }")))
	}
	near := thing("near", "a.go", "func near() { total }")
	near.Line = 10
	views = append(views, body(near))
	for _, tc := range []struct {
		objects, companions int
		want                string
	}{
		{0, 0, ""},
		{-3, 1, ""},
		{1, 0, "a"},
		{1, 1, "~a"}, // no core, so no file that a companion could come from
		{2, 1, "a +near"},
		{3, 2, "a +near ~b"},
		{3, -1, "a b c"},
		{3, 9, "~a ~b ~c"},
		{100, 1, "a b c d e f g near"},
	} {
		o := DefaultOptions()
		o.Objects, o.Companions = tc.objects, tc.companions
		if got := names(Allocate(Request{Views: views, Terms: []string{"total"}}, o).Portfolio); got != tc.want {
			t.Errorf("%d positions, %d of them for companions: %q, want %q", tc.objects, tc.companions, got, tc.want)
		}
	}
}

func TestScoreIsInheritedNotSummed(t *testing.T) {
	a, b := thing("a", "a.go", "a"), thing("b", "b.go", "b")
	got := Allocate(Request{Views: []index.View{
		scored(0.9, body(b)), scored(0.8, body(a)), scored(0.7, body(a)), scored(0.6, body(a)),
	}}, DefaultOptions()).Portfolio
	if names(got) != "b a" {
		t.Errorf("positions are %q: three views of a outrank the better one of b", names(got))
	}
	if s := got.Slots[1]; s.Representative.Score != 0.8 || len(s.Views) != 3 {
		t.Errorf("a is represented by its view of score %v of %d, want 0.8 of 3", s.Representative.Score, len(s.Views))
	}
}

func TestSitesOfOneObjectShareAPosition(t *testing.T) {
	linux, darwin := thing("open", "open_linux.go", "func open() { linux }"), thing("open", "open_darwin.go", "func open() { darwin }")
	got := Allocate(Request{Views: []index.View{body(darwin), body(linux)}}, DefaultOptions())
	if len(got.Portfolio.Slots) != 1 || !strings.Contains(got.Text, "darwin }") || strings.Contains(got.Text, "linux }") {
		t.Errorf("want the stronger site alone, got\n%s", got.Text)
	}
}

func TestObjectsWithoutIDAreToldApartByPathAndName(t *testing.T) {
	one, two := thing("Open", "a.go", "func Open() {}"), thing("open", "./a.go", "func open() {}")
	elsewhere := thing("open", "b.go", "func open() {}")
	one.ID, two.ID, elsewhere.ID = "", "", ""
	got := Allocate(Request{Views: []index.View{body(one), body(two), body(elsewhere)}}, DefaultOptions()).Portfolio
	if names(got) != "Open open" {
		t.Errorf("positions are %q, want one for a.go and one for b.go", names(got))
	}
}

func TestAnObjectThatAnotherShowsAnywayFreesItsPosition(t *testing.T) {
	class := thing("Cart", "cart.py", "class Cart:\n    def add(self):\n        pass\n    def drop(self):\n        pass")
	add := thing("add", "cart.py", "def add(self):\n        pass")
	add.Line, add.Indent = 2, "    "
	first, second := thing("x", "v.go", "var x, y int"), thing("y", "v.go", "var x, y int")

	var rest []index.View
	for _, name := range strings.Fields("p q r s") {
		rest = append(rest, body(thing(name, name+".go", "func "+name+"() {}")))
	}
	for _, tc := range []struct {
		sentence string
		views    []index.View
		budget   int
		want     string
	}{
		{"a method behind its class", append([]index.View{body(class), body(add)}, rest...), 100, "Cart p q r ~s"},
		{"a method before its class", append([]index.View{body(add), body(class)}, rest...), 100, "Cart p q r ~s"},
		{"the second variable of one declaration", append([]index.View{body(second), body(first)}, rest...), 100, "y p q r ~s"},
		{"but not where the class has no room to show it", append([]index.View{body(class), body(add)}, rest...), 7, "Cart add p q ~r"},
	} {
		t.Run(tc.sentence, func(t *testing.T) {
			o := DefaultOptions()
			o.ObjectBudget = tc.budget
			got := Allocate(Request{Views: tc.views, Tokens: words}, o)
			if names(got.Portfolio) != tc.want {
				t.Errorf("positions are %q, want %q\n%s", names(got.Portfolio), tc.want, got.Text)
			}
			if n := strings.Count(got.Text, "def add"); n > 1 {
				t.Errorf("the method stands in the text %d times", n)
			}
		})
	}
}

// Without the method in the core its class is no companion any more, so freeing
// the method's position would lose both.
func TestACoveredObjectThatWouldBeLostStays(t *testing.T) {
	add := thing("add", "cart.py", "def add(self):\n        total")
	class := thing("Cart", "cart.py", "class Cart:\n    def add(self):\n        total")
	add.Line, add.Indent = 2, "    "
	views := []index.View{body(add)}
	for _, name := range strings.Fields("p q r") {
		views = append(views, body(thing(name, name+".go", "func "+name+"() {}")))
	}
	o := DefaultOptions()
	o.Objects = 3
	got := Allocate(Request{Views: append(views, body(class)), Terms: []string{"total"}, Tokens: words}, o)
	if names(got.Portfolio) != "add p +Cart" {
		t.Errorf("positions are %q, want add p +Cart", names(got.Portfolio))
	}
}
