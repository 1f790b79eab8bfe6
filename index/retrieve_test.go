package index

import (
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"readahead/index/facts"
)

func TestStructuralRetrievalFollowsNames(t *testing.T) {
	for _, c := range []struct {
		about        string
		archive      string
		file, cursor string // the cursor stands behind this text; what follows is hidden
		within       int    // how far down the wanted object may stand
		want         SymbolID
	}{
		{"a parameter's type gives its methods",
			"shop.txtar", "checkout/checkout.go", "total, err := c.", 2, "go example.com/shop/cart Cart#Total()."},
		{"a field's type gives its methods, even of an interface",
			"shop.txtar", "checkout/checkout.go", "return d.Bank.", 2, "go example.com/shop/checkout Charger#"},
		{"the result of a call has a type",
			"shop.txtar", "checkout/checkout.go", `return "paid " + total.`, 2, "go example.com/shop/cart Money#Format()."},
		{"a range variable has the type of the elements",
			"shop.txtar", "cart/cart.go", "sum = sum.Plus(it.", 1, "go example.com/shop/cart Item#"},
		{"a variable's written type gives its methods, from another file of the package",
			"shop.txtar", "cart/cart.go", "sum = sum.", 1, "go example.com/shop/cart Money#Plus()."},
		{"a field of the receiver leads on",
			"shop.txtar", "cart/cart.go", "c.log.", 2, "go example.com/shop/cart Log#Write()."},
		{"an imported package offers its functions",
			"shop.txtar", "main.go", "c := cart.", 4, "go example.com/shop/cart New()."},
		{"a local made by a function of another package",
			"shop.txtar", "main.go", "if err := c.", 2, "go example.com/shop/cart Cart#Add()."},
		{"a composite literal names its type",
			"shop.txtar", "main.go", "if err := desk.", 2, "go example.com/shop/checkout Desk#Pay()."},
		{"an annotation gives a parameter its methods, through a re-export",
			"blog.txtar", "src/blog/web/views.py", "author = post.author.", 3, "py blog.models Author#display_name()."},
		{"a module imported relatively offers its functions",
			"blog.txtar", "src/blog/web/views.py", "title = text.", 2, "py blog.util.text shorten()."},
		{"a function's annotated result has methods",
			"blog.txtar", "src/blog/web/views.py", "post = store.", 3, "py blog.store Store#load()."},
		{"a method's annotated result has methods, in another module",
			"blog.txtar", "src/blog/web/views.py", "print(show(post), post.", 4, "py blog.models Post#slug()."},
		{"inherited methods count",
			"blog.txtar", "src/blog/store.py", "self.posts[post.", 4, "py blog.models Entity#cache_key()."},
		{"a star import brings names in",
			"blog.txtar", "src/blog/store.py", "return self.posts[norm", 1, "py blog.util.text normalize()."},
		{"a name imported through a package's __init__",
			"blog.txtar", "tests/test_views.py", "assert sh", 1, "py blog.web.views show()."},
	} {
		t.Run(c.about, func(t *testing.T) {
			root := unpack(t, c.archive)
			s := built(t, Options{Roots: []string{root}}).Snapshot()
			views := s.Retrieve(at(t, root, c.file, c.cursor)).Structural
			if ids := objectsOf(views); !slices.Contains(ids[:min(len(ids), c.within)], c.want) {
				t.Errorf("want %s among the first %d; got\n%s", c.want, c.within, show(views[:min(len(views), 12)]))
			}
		})
	}
}

func TestViewsOfOneObjectShowItFromAllSides(t *testing.T) {
	root := unpack(t, "shop.txtar")
	s := built(t, Options{Roots: []string{root}}).Snapshot()
	views := s.Retrieve(at(t, root, "main.go", "if err := c.")).Structural
	got := map[ViewKind]View{}
	for _, v := range views {
		if v.Object.ID == "go example.com/shop/cart Cart#Total()." {
			got[v.Kind] = v
		}
	}
	for kind, want := range map[ViewKind]string{
		Body:      "cart/cart.go:39 // Total is the sum of all prices.\nfunc (c *Cart) Total() (Money, error) {\n\tif len",
		Signature: "cart/cart.go:40 func (c *Cart) Total() (Money, error)",
		Doc:       "cart/cart.go:39 // Total is the sum of all prices.",
		CallSite:  "checkout/checkout.go:23 total, err := c.Total()",
		Test:      "cart/cart_test.go:5 func TestTotalSumsPrices(t *testing.T) {",
	} {
		v, ok := got[kind]
		if text := fmt.Sprintf("%s:%d %s", v.Path, v.Line, v.Text); !ok || !strings.HasPrefix(text, want) {
			t.Errorf("view %d of Total is\n%s\nwant it to begin\n%s", kind, text, want)
		}
	}
	if o := got[Body].Object; o != nil && (o.Calls != 3 || o.Outer != "" && !strings.Contains(o.Outer, "Cart")) {
		t.Errorf("Total: %+v", o)
	}
}

// Scores are documented: structural in [0, 1] and falling, lexical positive and
// falling.
func TestScoresKeepTheirBounds(t *testing.T) {
	for archive, cursor := range map[string][2]string{"shop.txtar": {"main.go", "desk := "}, "blog.txtar": {"src/blog/store.py", "return self."}} {
		root := unpack(t, archive)
		s := built(t, Options{Roots: []string{root}}).Snapshot()
		q := at(t, root, cursor[0], cursor[1])
		q.MaxViews = 12
		e := s.Retrieve(q)
		for _, views := range [][]View{e.Structural, e.Lexical} {
			if len(views) == 0 || len(views) > q.MaxViews {
				t.Errorf("%s: %d views, want 1 to %d", archive, len(views), q.MaxViews)
			}
			for i, v := range views {
				if v.Score <= 0 || v.Family == Structural && v.Score > 1 || i > 0 && v.Score > views[i-1].Score {
					t.Errorf("%s: view %d scores %v after %v", archive, i, v.Score, views[max(0, i-1)].Score)
				}
				if v.Object == nil || v.Text == "" || v.Why == "" || v.Line < 1 || v.Path == "" {
					t.Errorf("%s: incomplete view %+v", archive, v)
				}
			}
		}
		if len(e.Terms) == 0 {
			t.Errorf("%s: no terms", archive)
		}
	}
}

// No view shows a line of the document that the prompt shows, that is hidden,
// or that the cursor stands in.
func TestWhatIsVisibleOrHiddenIsNeverEvidence(t *testing.T) {
	for archive, file := range map[string]string{"shop.txtar": "cart/cart.go", "blog.txtar": "src/blog/models.py"} {
		root := unpack(t, archive)
		ix := built(t, Options{Roots: []string{root}})
		path := filepath.Join(root, filepath.FromSlash(file))
		src, err := os.ReadFile(path)
		if err != nil {
			t.Fatal(err)
		}
		ix.OpenDocument(path, "", src)
		if err := ix.Settle(t.Context()); err != nil {
			t.Fatal(err)
		}
		s := ix.Snapshot()
		for offset := 0; offset <= len(src); offset += 7 {
			q := Query{Path: path, Src: src, Offset: offset,
				Visible: facts.Span{Start: uint32(max(0, offset-120)), End: uint32(offset)},
				Hidden:  facts.Span{Start: uint32(offset), End: uint32(min(len(src), offset+200))}}
			first := 1 + strings.Count(string(src[:q.Visible.Start]), "\n")
			last := 1 + strings.Count(string(src[:offset]), "\n")
			if q.Hidden.Len() > 0 {
				last = 1 + strings.Count(string(src[:q.Hidden.End-1]), "\n")
			}
			e := s.Retrieve(q)
			for _, v := range slices.Concat(e.Structural, e.Lexical) {
				end := v.Line + strings.Count(strings.TrimSuffix(v.Text, "\n"), "\n")
				if v.Path == file && v.Line <= last && first <= end {
					t.Fatalf("cursor at %d, lines %d to %d are taken; %s view shows lines %d to %d:\n%s", offset, first, last, v.Family, v.Line, end, v.Text)
				}
			}
		}
	}
}

func TestAQueryFromADocumentThatTheIndexDoesNotKnow(t *testing.T) {
	root := unpack(t, "shop.txtar")
	s := built(t, Options{Roots: []string{root}}).Snapshot()
	src := "package cart\n\nfunc refill(c *Cart) {\n\tc."
	for _, path := range []string{filepath.Join(root, "cart", "refill.go"), filepath.Join(t.TempDir(), "elsewhere.go")} {
		e := s.Retrieve(Query{Path: path, Src: []byte(src), Offset: len(src)})
		ids := objectsOf(e.Structural)
		found := slices.ContainsFunc(ids, func(id SymbolID) bool { return strings.Contains(string(id), " Cart#") })
		if inside := strings.HasPrefix(path, root); inside && !found {
			t.Errorf("a new file of the package does not see Cart: %v", ids)
		}
	}
}

func TestALexicalWindowBelongsToTheObjectThatItShows(t *testing.T) {
	root := unpack(t, "shop.txtar")
	s := built(t, Options{Roots: []string{root}}).Snapshot()
	src := "A checkout charges the total of a cart, and carts hold items"
	e := s.Retrieve(Query{Path: filepath.Join(root, "notes.md"), Src: []byte(src), Offset: len(src)})
	if len(e.Structural) != 0 {
		t.Errorf("plain text has structure: %s", show(e.Structural))
	}
	var readme bool
	for _, v := range e.Lexical {
		readme = readme || v.Path == "README.md" && v.Object.ID == "text README.md " && v.Object.Kind == facts.Module
	}
	if !readme {
		t.Errorf("README.md is not among\n%s", show(e.Lexical))
	}
}

func FuzzRetrieveSurvivesAnyDocument(f *testing.F) {
	f.Add("package a\n\nfunc f() {\n\tx.", 20, 3, 9, true)
	f.Add("class A:\n    def f(self):\n        self.", 30, 0, 40, false)
	f.Add("\xff\x00{{{((((", 5, 2, 4, true)
	root := unpack(f, "shop.txtar")
	s := built(f, Options{Roots: []string{root}}).Snapshot()
	f.Fuzz(func(t *testing.T, src string, offset, from, to int, isGo bool) {
		q := Query{Path: filepath.Join(root, "x.py"), Src: []byte(src), Offset: offset,
			Hidden: facts.Span{Start: uint32(from), End: uint32(to)}, Visible: facts.Span{Start: uint32(to), End: uint32(from)}}
		if isGo {
			q.Path = filepath.Join(root, "cart", "cart.go")
		}
		for _, v := range s.Retrieve(q).Structural {
			if v.Object == nil || v.Score < 0 || v.Score > 1 {
				t.Errorf("bad view %+v", v)
			}
		}
	})
}

func TestStaleFactsAreMovedThroughAnEdit(t *testing.T) {
	n := newNames(frozenNames{})
	parse := func(src string) *file {
		f := &file{path: "/w/a.go", rel: "a.go", lang: facts.Go, text: []byte(src)}
		newLexer(n).index(f, f.text)
		f.pack(n, facts.Extract(facts.Go, "a", "a.go", f.text))
		return f
	}
	const before, after = "package a\n\nfunc f() {\n\tg(1)\n}\n\n", "\nfunc g(n int) int { return h(n) }\n"
	old := parse(before + after)
	got, same := shifted(old, []byte(before+"// A comment comes in.\n"+after), 1)
	want := parse(before + "// A comment comes in.\n" + after)
	pasted, other := shifted(old, []byte(before+strings.Repeat("//\n", windowStride+1)+after), 1)
	if !same || other {
		t.Errorf("a line keeps the windows: %v; more lines than from window to window: %v", same, other)
	}
	if got.lines != old.lines+1 || pasted.lines != old.lines+windowStride+1 {
		t.Errorf("%d and %d lines out of %d", got.lines, pasted.lines, old.lines)
	}
	for i := range want.objects {
		if i > 0 && got.objects[i].ident != want.objects[i].ident {
			t.Errorf("%s stands at %v, want %v", n.str(want.objects[i].name), got.objects[i].ident, want.objects[i].ident)
		}
	}
	for i := range want.refs {
		if got.refs[i].at != want.refs[i].at {
			t.Errorf("reference %s at %d, want %d", n.str(want.refs[i].name), got.refs[i].at, want.refs[i].at)
		}
	}
	if f, _ := shifted(old, []byte(strings.Repeat("x", 2*maxShift)), 1); f != nil {
		t.Error("facts are moved through an edit that replaces everything")
	}
}

// What is looked up by name in a document is what looking through all of it finds.
func TestASiftHidesNothing(t *testing.T) {
	root := unpack(t, "polyglot.txtar")
	s := built(t, Options{Roots: []string{root}}).Snapshot()
	for f := range s.files() {
		text, err := os.ReadFile(f.path)
		if err != nil {
			t.Fatal(err)
		}
		open := s.prepare(Query{Path: f.path, Src: append(text, '\n')}).snap
		sifted := open.file(f.path)
		if sifted.parsed && sifted.sift == nil {
			t.Fatalf("%s: a document without a sift", f.rel)
		}
		plain := *sifted
		plain.sift = nil
		whole := s.with(&plain)
		for id := range nameID(s.names.len()) {
			count := func(s *Snapshot) (n [3]int) {
				for range s.named(id) {
					n[0]++
				}
				for range s.owned(id) {
					n[1]++
				}
				for range s.mentioning(id) {
					n[2]++
				}
				return n
			}
			if got, want := count(open), count(whole); got != want {
				t.Errorf("%s: %q is declared, owner and mentioned %v times, want %v", f.rel, s.names.str(id), got, want)
			}
		}
	}
}

func TestExpressionsBeforeTheCursor(t *testing.T) {
	for _, c := range []struct{ line, path, prefix string }{
		{"\tx := cart.Ad", "cart", "Ad"},
		{"\ts.db.Query(a, f(b)).", "s.db.Query()", ""},
		{"\treturn items[i].", "items[]", ""},
		{"\tAdd", "", "Add"},
		{"\tfoo(", "", ""},
		{"", "", ""},
		{"\t)).x", "", ""},
	} {
		if e := expressionBefore([]byte(c.line)); e.path != c.path || e.prefix != c.prefix {
			t.Errorf("%q ends with %q.%q, want %q.%q", c.line, e.path, e.prefix, c.path, c.prefix)
		}
	}
}

func TestPackagesAreNamedAsTheLanguagesDo(t *testing.T) {
	root := t.TempDir()
	for path, text := range map[string]string{
		"go.mod": "// A comment.\nmodule example.com/m // another\n", "std/go.mod": "module std\n", "py/pyproject.toml": "",
		"py/src/pkg/__init__.py": "", "py/src/pkg/sub/__init__.py": "", "flat/a/__init__.py": "",
		"maven/pom.xml": "<project/>", "gradle/build.gradle.kts": "",
		"cs/Shop.Core.csproj": "<Project/>", "cs/named/x.csproj": "<Project><RootNamespace> Shop.Named </RootNamespace></Project>",
		"php/composer.json": `{"autoload": {"psr-4": {"Shop\\": "src/", "Shop\\Money\\": ["money", "lib/money/"]}}, "autoload-dev": {"psr-4": {"Tests\\": "tests"}}}`,
		"odd/composer.json": `{"autoload": {"psr-4": {"Shop\\": 3}}}`,
	} {
		write(t, filepath.Join(root, filepath.FromSlash(path)), text)
	}
	p := newPackages()
	for file, want := range map[string]string{
		"main.go":                      "example.com/m",
		"x/y/z.go":                     "example.com/m/x/y",
		"std/net/http/client.go":       "net/http",
		"std/vendor/golang.org/x/a.go": "golang.org/x",
		"py/src/pkg/__init__.py":       "pkg",
		"py/src/pkg/sub/mod.py":        "pkg.sub.mod",
		"py/src/script.py":             "script",
		"py/tools/gen.py":              "tools.gen",
		"flat/a/b.py":                  "a.b",

		"maven/src/main/java/com/shop/Cart.java":   "com.shop",
		"maven/src/test/java/com/shop/cart/T.java": "com.shop.cart",
		"maven/src/main/java/Main.java":            ".",
		"gradle/src/com/shop/Cart.java":            "com.shop",
		"nowhere/com/shop/Cart.java":               "nowhere/com/shop",
		"cs/Carts/Cart.cs":                         "Shop.Core.Carts",
		"cs/Cart.cs":                               "Shop.Core",
		"cs/named/deep/Cart.cs":                    "Shop.Named.deep",
		"php/src/Carts/Cart.php":                   `Shop\Carts`,
		"php/lib/money/Euro.php":                   `Shop\Money`,
		"php/money/old/Mark.php":                   `Shop\Money\old`,
		"php/tests/CartTest.php":                   "Tests",
		"php/bin/run.php":                          "php/bin",
		"odd/src/Cart.php":                         "odd/src",
	} {
		path := filepath.Join(root, filepath.FromSlash(file))
		if got := p.of(facts.LanguageOf(path, nil), path, root); got != want {
			t.Errorf("%s is in %q, want %q", file, got, want)
		}
	}
}
