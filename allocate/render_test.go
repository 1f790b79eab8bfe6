package allocate

import (
	"fmt"
	"strings"
	"testing"

	"readahead/index"
	"readahead/index/facts"
)

// method is a Python method as the index hands it over.
var method = index.Object{
	ID: "py shop.cart Cart#add().", Name: "add", Kind: facts.Method, Lang: "py", Path: "cart.py", Line: 10, NameLine: 11,
	Outer: "class Cart(Base):", Indent: "    ", Calls: 3,
	Signature: "def add(self, item):",
	Doc:       `"""Put an item in.` + "\n\n        Raises if sold out or past its date of sale.\n" + `        """`,
	Source: strings.Join([]string{
		"@logged(level = 1, to = x)", "    def add(self, item):", `        """Put an item in.`, "", "        Raises if sold out or past its date of sale.", `        """`,
		"        check(item)", "        n = one(item)", "        assert n >= 0, why", "        total = n * item.price",
		"        self.sum += total", "        self.count += n", "        log(item)", "        return n",
	}, "\n"),
}

// stream is a Go function with its doc in front.
var stream = index.Object{
	ID: "go p Stream().", Name: "Stream", Kind: facts.Function, Lang: "go", Path: "s.go", Line: 1, NameLine: 3,
	Signature: "func Stream(\n\tw io.Writer,\n) error",
	Doc:       "// Stream streams.\n// At great length, and then some.",
	Source:    "// Stream streams.\n// At great length, and then some.\nfunc Stream(\n\tw io.Writer,\n) error {\n\ta b c d e\n\tf g h i j\n}",
}

// brief has a doc of three words.
var brief = index.Object{
	ID: "go p Brief().", Name: "Brief", Kind: facts.Function, Lang: "go", Path: "b.go", Line: 1, NameLine: 2,
	Signature: "func Brief()", Doc: "// Brief is.", Source: "// Brief is.\nfunc Brief() {\n\ta b c d e\n\tf g h i j\n}",
}

func TestRendering(t *testing.T) {
	for _, tc := range []struct {
		sentence string
		object   index.Object
		terms    string
		budget   int // words
		want     string
	}{
		{"what fits is whole, under its type's header", method, "", 55, `
# cart.py: Cart.add, called 3 times
class Cart(Base):
    @logged(level = 1, to = x)
    def add(self, item):
        """Put an item in.

        Raises if sold out or past its date of sale.
        """
        check(item)
        n = one(item)
        assert n >= 0, why
        total = n * item.price
        self.sum += total
        self.count += n
        log(item)
        return n
`},
		{"the doc goes first, and leaves its first line", method, "", 54, `
# cart.py: Cart.add, called 3 times
# Put an item in.
class Cart(Base):
    @logged(level = 1, to = x)
    def add(self, item):
        # … 4 lines
        check(item)
        n = one(item)
        assert n >= 0, why
        total = n * item.price
        self.sum += total
        self.count += n
        log(item)
        return n
`},
		{"then that line", method, "", 48, `
# cart.py: Cart.add, called 3 times
class Cart(Base):
    @logged(level = 1, to = x)
    def add(self, item):
        # … 4 lines
        check(item)
        n = one(item)
        assert n >= 0, why
        total = n * item.price
        self.sum += total
        self.count += n
        log(item)
        return n
`},
		{"then the type's header, for the body to be complete", method, "", 43, `
# cart.py: Cart.add, called 3 times
    @logged(level = 1, to = x)
    def add(self, item):
        # … 4 lines
        check(item)
        n = one(item)
        assert n >= 0, why
        total = n * item.price
        self.sum += total
        self.count += n
        log(item)
        return n
`},
		{"a body that is not complete anyway leaves room for them again, and is shown around the query", method, "total", 41, `
# cart.py: Cart.add, called 3 times
# Put an item in.
class Cart(Base):
    @logged(level = 1, to = x)
    def add(self, item):
        # … 7 lines
        total = n * item.price
        self.sum += total
        self.count += n
        log(item)
        return n
`},
		{"wherever that is", method, "log", 29, `
# cart.py: Cart.add, called 3 times
# Put an item in.
class Cart(Base):
    @logged(level = 1, to = x)
    def add(self, item):
        # … 10 lines
        log(item)
        return n
`},
		{"the signature outlasts the body", method, "", 27, `
# cart.py: Cart.add, called 3 times
# Put an item in.
class Cart(Base):
    @logged(level = 1, to = x)
    def add(self, item):
        # … 12 lines
`},
		{"and the summary", method, "", 22, `
# cart.py: Cart.add, called 3 times
class Cart(Base):
    @logged(level = 1, to = x)
    def add(self, item):
        # … 12 lines
`},
		{"and the header", method, "", 20, `
# cart.py: Cart.add, called 3 times
    @logged(level = 1, to = x)
    def add(self, item):
        # … 12 lines
`},
		{"decorators go before the signature does", method, "", 18, `
# cart.py: Cart.add, called 3 times
    # … 1 line
    def add(self, item):
        # … 12 lines
`},
		{"the descriptor is last", method, "", 6, `
# cart.py: Cart.add, called 3 times
`},
		{"and is not cut", method, "", 5, ""},
		{"a leading doc goes without the code", stream, "", 28, `
# s.go: Stream
# Stream streams.
// … 2 lines
func Stream(
	w io.Writer,
) error {
	a b c d e
	f g h i j
}
`},
		{"a doc that costs no more than its mark is shown itself, and not summed up", brief, "", 16, `
# b.go: Brief
// Brief is.
func Brief() {
	// … 2 lines
}
`},
		{"a long signature is shown from its start", stream, "", 13, `
# s.go: Stream
// … 2 lines
func Stream(
// … 5 lines
`},
	} {
		t.Run(tc.sentence, func(t *testing.T) {
			v := body(&tc.object)
			r := Request{Views: []index.View{v}, Terms: strings.Fields(tc.terms), Lang: "py", Tokens: words}
			c := Allocate(r, Options{Objects: 1, Budget: tc.budget, ObjectBudget: tc.budget})
			if want := strings.TrimPrefix(tc.want, "\n"); c.Text != want {
				t.Errorf("in %d words: got %d words\n%s\nwant %d\n%s", tc.budget, c.Tokens, c.Text, words(want), want)
			}
		})
	}
}

func TestMembersThatWereFoundComeBeforeWhatSurroundsTheQuery(t *testing.T) {
	var body strings.Builder
	member := func(name, line string) string {
		return "    def " + name + "(self):\n" + strings.Repeat("        "+line+"\n", 5)
	}
	for i := range 20 {
		body.WriteString(member(fmt.Sprintf("other%d", i), "filler(query)"))
	}
	wanted := member("wanted", "pay()")
	source := "class Desk:\n" + body.String() + wanted + member("last", "filler(query)")
	desk := &index.Object{ID: "py shop Desk#", Path: "shop.py", Name: "Desk", Kind: facts.Type, Lang: facts.Python, Line: 1,
		EndLine: strings.Count(source, "\n"), NameLine: 1, Signature: "class Desk:", Source: strings.TrimSuffix(source, "\n")}
	from := 2 + strings.Count(body.String(), "\n")
	pay := &index.Object{ID: "py shop Desk#wanted().", Path: "shop.py", Name: "wanted", Kind: facts.Method, Lang: facts.Python, Line: from,
		EndLine: from + 5, NameLine: from, Signature: "def wanted(self):", Indent: "    ", Source: strings.TrimSpace(wanted), Outer: "class Desk:"}
	view := func(o *index.Object) index.View {
		return index.View{Object: o, Kind: index.Body, Path: o.Path, Line: o.Line, Text: o.Source, Family: index.Structural}
	}
	r := Request{Views: []index.View{view(desk), view(pay)}, Terms: []string{"query"}, Lang: facts.Python, Path: "main.py"}
	o := Options{Objects: 1, Budget: 400, ObjectBudget: 200}
	if got := vital.Allocate(r, o).Text; !strings.Contains(got, wanted) {
		t.Errorf("the member that retrieval found is not shown whole:\n%s", got)
	}
	paper := vital.but("", "", func(p *Policy) { p.gathers = false })
	if got := paper.Allocate(r, o).Text; strings.Contains(got, wanted) {
		t.Errorf("the window alone shows it, too, so this test shows nothing:\n%s", got)
	}
}

func TestPartsOfALongTypeCompeteByWhatTheyCost(t *testing.T) {
	source := "class Desk:" + strings.Repeat("\n    filler = query", 40)
	at := func(line int, name string, length int) string {
		lines := strings.Split(source, "\n")
		for i := range length {
			lines[line-1+i] = fmt.Sprintf("    %s%d = None", name, i)
		}
		source = strings.Join(lines, "\n")
		return strings.Join(lines[line-1:line-1+length], "\n") + "\n"
	}
	short, long, unlikely := at(10, "short", 1), at(20, "long", 8), at(35, "unlikely", 1)
	for _, tc := range []struct {
		sentence     string
		longScore    float64
		wanted, lost []string
	}{
		{"the likelier of two comes first where one alone fits", 0.9, []string{long}, []string{short, unlikely}},
		{"short ones, if the long one is hardly likelier", 0.11, []string{short, unlikely}, []string{long}},
	} {
		desk := &index.Object{ID: "py shop Desk#", Path: "shop.py", Name: "Desk", Kind: facts.Type, Lang: facts.Python, Line: 1,
			EndLine: 41, NameLine: 1, Signature: "class Desk:", Source: source}
		v := body(desk)
		v.Parts = []index.Part{{Line: 10, EndLine: 10, Score: 0.1}, {Line: 20, EndLine: 27, Score: tc.longScore}, {Line: 35, EndLine: 35, Score: 0.01}}
		c := vital.Allocate(Request{Views: []index.View{v}, Lang: facts.Python, Tokens: words}, Options{Objects: 1, Budget: 40, ObjectBudget: 40})
		for _, w := range tc.wanted {
			if !strings.Contains(c.Text, w) {
				t.Errorf("%s: %q is not in\n%s", tc.sentence, w, c.Text)
			}
		}
		for _, l := range tc.lost {
			if strings.Contains(c.Text, l) {
				t.Errorf("%s: %q is in\n%s", tc.sentence, l, c.Text)
			}
		}
	}
}
