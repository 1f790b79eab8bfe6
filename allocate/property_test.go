package allocate

import (
	"fmt"
	"maps"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"
	"readahead/index"
	"readahead/index/facts"
)

// A repository of a few objects, some inside others, some with docs, with every
// hazard that a line may bring.
func drawObjects(t *rapid.T) []*index.Object {
	line := rapid.SampledFrom([]string{
		"", "x", "  total := a + b", "\treturn self.items[i]", "// … 3 lines", "a b c d e f g h i j k", "}", "\"\"\"", "*/ ?> -->",
		"crlf\r", "lone\rreturn", "nul\x00", "broken\xff\xfe", "日本語 μ", "sep\u2028line", "   ",
	})
	path := rapid.SampledFrom([]string{"a.go", "./a.go", "b.py", "c/d.rs", "page.html", "x", ""})
	return rapid.SliceOfN(rapid.Custom(func(t *rapid.T) *index.Object {
		doc := rapid.SliceOfN(line, 0, 3).Draw(t, "doc")
		signature := rapid.SliceOfN(line, 0, 3).Draw(t, "signature")
		rest := rapid.SliceOfN(line, 0, 10).Draw(t, "rest")
		o := &index.Object{
			ID:   index.SymbolID(rapid.SampledFrom([]string{"", "go p a().", "go p b().", "py p C#m().", "rs p impl#[T]f().", "?"}).Draw(t, "id")),
			Name: rapid.SampledFrom([]string{"a", "b", "C", "m", ""}).Draw(t, "name"),
			Kind: rapid.SampledFrom([]facts.Kind{facts.Module, facts.Function, facts.Method, facts.Type}).Draw(t, "kind"),
			Path: path.Draw(t, "path"), Lang: rapid.SampledFrom([]facts.Language{"", "go", "py", "rs"}).Draw(t, "lang"),
			Line: rapid.IntRange(0, 12).Draw(t, "line"), Indent: rapid.SampledFrom([]string{"", "\t"}).Draw(t, "indent"),
			Outer: rapid.SampledFrom([]string{"", "type T {", "class\nC:\r\n"}).Draw(t, "outer"),
			Doc:   strings.Join(doc, "\n"), Signature: strings.Join(signature, "\n"),
			Source: strings.Join(slices.Concat(doc, signature, rest), "\n"),
			Calls:  rapid.IntRange(0, 2).Draw(t, "calls"),
		}
		o.NameLine = o.Line + rapid.IntRange(-1, 5).Draw(t, "name line")
		return o
	}), 0, 9).Draw(t, "objects")
}

func drawView(t *rapid.T, objects []*index.Object) index.View {
	o := rapid.SampledFrom(objects).Draw(t, "object")
	lines := splitLines(o.Source)
	from := rapid.IntRange(0, len(lines)).Draw(t, "from")
	to := rapid.IntRange(from, len(lines)).Draw(t, "to")
	parts := rapid.SliceOfN(rapid.Custom(func(t *rapid.T) index.Part {
		line := o.Line + rapid.IntRange(-2, len(lines)+2).Draw(t, "line")
		return index.Part{Line: line, EndLine: line + rapid.IntRange(-1, 3).Draw(t, "more"), Score: rapid.SampledFrom([]float64{0, 0.1, 1, -1}).Draw(t, "share")}
	}), 0, 4).Draw(t, "parts")
	return index.View{Object: o, Kind: index.ViewKind(rapid.IntRange(0, 5).Draw(t, "kind")), Path: o.Path, Line: o.Line + from, Parts: parts,
		Text: strings.Join(lines[from:to], "\n"), Score: rapid.SampledFrom([]float64{0, 0.5, 1, 2, -1}).Draw(t, "score")}
}

func drawRequest(t *rapid.T) Request {
	r := Request{
		Terms: rapid.SliceOf(rapid.SampledFrom([]string{"total", "items", "i", "x", ""})).Draw(t, "terms"),
		Lang:  rapid.SampledFrom([]facts.Language{"go", "py", "php", ""}).Draw(t, "lang"),
		Path:  rapid.SampledFrom([]string{"", "doc.css"}).Draw(t, "doc"),
	}
	if objects := drawObjects(t); len(objects) > 0 {
		r.Views = rapid.SliceOfN(rapid.Custom(func(t *rapid.T) index.View { return drawView(t, objects) }), 0, 25).Draw(t, "views")
	}
	return r
}

func drawOptions(t *rapid.T) Options {
	return Options{
		Objects: rapid.IntRange(-1, 7).Draw(t, "K"), Companions: rapid.IntRange(-1, 3).Draw(t, "companions"),
		Budget: rapid.IntRange(-1, 300).Draw(t, "B"), ObjectBudget: rapid.IntRange(-1, 120).Draw(t, "b_obj"),
		Floor: rapid.IntRange(-1, 40).Draw(t, "b_min"), Margin: rapid.SampledFrom([]float64{0, 0.2, 1}).Draw(t, "margin"),
	}
}

func allCounters() map[string]func(string) int {
	all := maps.Clone(counters)
	maps.Copy(all, warped)
	return all
}

// check holds c to everything that the package promises of any context.
func check(t interface{ Fatalf(string, ...any) }, p Policy, r Request, o Options, c Context) {
	o = o.clamped()
	var text strings.Builder
	owners, sum := map[string]bool{}, 0
	for i, s := range c.Portfolio.Slots {
		if key := keyOf(s.Object); p.merges && owners[key] {
			t.Fatalf("%s owns two positions (eq. 1)", key)
		} else {
			owners[key] = true
		}
		if s.Budget < 0 || s.Budget > o.ObjectBudget {
			t.Fatalf("b_%d = %d is not in 0..%d (eq. 4)", i+1, s.Budget, o.ObjectBudget)
		}
		if s.Text != "" && s.Tokens != r.Tokens(s.Text) || s.Text == "" && s.Tokens != 0 {
			t.Fatalf("position %d: Tokens is %d", i+1, s.Tokens)
		}
		if s.Tokens > s.Budget || s.Budget > s.Demand {
			t.Fatalf("position %d: not %d tokens ≤ %d budget ≤ %d demand", i+1, s.Tokens, s.Budget, s.Demand)
		}
		sum += s.Budget
		text.WriteString(s.Text)
		checkLines(t, p, s)
	}
	if sum > o.Budget {
		t.Fatalf("the budgets add up to %d > %d (eq. 4)", sum, o.Budget)
	}
	if text.String() != c.Text {
		t.Fatalf("the text is not the concatenation of the positions (eq. 5)")
	}
	if c.Text != "" && (c.Tokens != r.Tokens(c.Text) || c.Tokens > o.Budget) {
		t.Fatalf("%d tokens, said to be %d, in a budget of %d", r.Tokens(c.Text), c.Tokens, o.Budget)
	}
	if strings.Contains(c.Text, "\r") || c.Text != "" && !strings.HasSuffix(c.Text, "\n") {
		t.Fatalf("line ends are not normal: %q", c.Text)
	}
}

// checkLines holds what s says of its lines against its text.
func checkLines(t interface{ Fatalf(string, ...any) }, p Policy, s Slot) {
	all, first := evidence(&s.Representative), s.Object.Line
	if isView(s.Object) || p.raw {
		all, first = splitLines(s.Representative.Text), s.Representative.Line
	}
	shown, rest := 0, "\n"+s.Text
	for _, l := range s.Lines {
		part := "\n" + strings.Join(all[l[0]-first:l[1]-first+1], "\n") + "\n"
		_, after, ok := strings.Cut(rest, part)
		if !ok {
			t.Fatalf("lines %v do not stand in order and whole in\n%s", s.Lines, s.Text)
		}
		rest = "\n" + after
		shown += l[1] - l[0] + 1
	}
	if shown+s.Omitted != len(all) {
		t.Fatalf("%d lines shown and %d omitted are not the %d there are", shown, s.Omitted, len(all))
	}
	// A position that was cut because the whole counted too high may be brought to
	// its demand again by a call line, which is shorter than the code.
	called := strings.Contains(s.Text, " call in ")
	if s.Budget == s.Demand && s.Demand > 0 && s.Text != "" && s.Omitted > 0 && !s.Kept && !called {
		t.Fatalf("%d tokens are all that is asked for, yet %d lines are missing in\n%s", s.Budget, s.Omitted, s.Text)
	}
}

func TestPromises(t *testing.T) {
	for name, count := range allCounters() {
		t.Run(name, func(t *testing.T) {
			rapid.Check(t, func(t *rapid.T) {
				r, o := drawRequest(t), drawOptions(t)
				r.Tokens = count
				p := rapid.SampledFrom(Policies()).Draw(t, "policy")
				c := p.Allocate(r, o)
				check(t, p, r, o, c)
				if again := p.Allocate(r, o); !cmp.Equal(c, again) {
					t.Fatalf("twice the same request, two contexts:\n%s", cmp.Diff(c, again))
				}
				accounts(t, p, r, c, o)
			})
		})
	}
}

// accounts checks that every candidate is in the portfolio once, with a reason
// if it has no position, and that no position is left empty.
func accounts(t interface{ Fatalf(string, ...any) }, p Policy, r Request, c Context, o Options) {
	ranks := map[int]bool{}
	hidden := 0
	for _, d := range c.Portfolio.Dropped {
		if d.Reason == "" || ranks[d.Rank] {
			t.Fatalf("dropped without a reason, or twice: %+v", d)
		}
		ranks[d.Rank] = true
		if strings.HasPrefix(d.Reason, "every line") {
			hidden++
		}
	}
	for _, s := range c.Portfolio.Slots {
		if ranks[s.Rank] {
			t.Fatalf("rank %d has a position and is dropped", s.Rank)
		}
		ranks[s.Rank] = true
	}
	n := len(p.group(r.Views).best)
	for rank := 1; rank <= n; rank++ {
		if !ranks[rank] {
			t.Fatalf("rank %d of %d is not accounted for", rank, n)
		}
	}
	if got, want := len(c.Portfolio.Slots), min(max(0, o.Objects), n-hidden); got != want {
		t.Fatalf("%d positions are filled, want %d", got, want)
	}
}

func TestPromisesHoldOverTime(t *testing.T) {
	for name, count := range allCounters() {
		t.Run(name, func(t *testing.T) {
			rapid.Check(t, func(t *rapid.T) {
				objects := drawObjects(t)
				var last *Portfolio
				for range rapid.IntRange(1, 5).Draw(t, "keystrokes") {
					r, o := Request{Tokens: count, Lang: "go"}, drawOptions(t)
					if len(objects) > 0 {
						r.Views = rapid.SliceOfN(rapid.Custom(func(t *rapid.T) index.View { return drawView(t, objects) }), 0, 12).Draw(t, "views")
					}
					o.Previous = last
					c := Allocate(r, o)
					check(t, vital, r, o, c)
					last = &c.Portfolio
				}
			})
		})
	}
}

// Selective invariance (VITAL-RAG §4.3): another, weaker view of an object that
// is there already changes no position.
func TestWeakerViewsChangeNoPosition(t *testing.T) {
	for name, count := range allCounters() {
		t.Run(name, func(t *testing.T) {
			rapid.Check(t, func(t *rapid.T) {
				r, o := drawRequest(t), drawOptions(t)
				r.Tokens = count
				if len(r.Views) == 0 {
					return
				}
				before := Allocate(r, o)
				after := rapid.IntRange(0, len(r.Views)-1).Draw(t, "view")
				extra := drawView(t, []*index.Object{r.Views[after].Object})
				at := rapid.IntRange(after+1, len(r.Views)).Draw(t, "at")
				r.Views = slices.Insert(slices.Clone(r.Views), at, extra)
				if with := Allocate(r, o); !slices.Equal(positions(with), positions(before)) {
					t.Fatalf("positions %v became %v", positions(before), positions(with))
				}
			})
		})
	}
}

func positions(c Context) []string {
	var out []string
	for _, s := range c.Portfolio.Slots {
		out = append(out, fmt.Sprintf("%d %v %p", s.Rank, s.Role, s.Object))
	}
	return out
}

// Only the order of the strongest views is the ranking: the others may come in
// any order.
func TestOrderOfWeakerViewsDoesNotMatter(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		r, o := drawRequest(t), drawOptions(t)
		g := byObject(r.Views)
		strongest := make([]index.View, 0, len(g.best))
		for _, i := range g.best {
			strongest = append(strongest, r.Views[i])
		}
		var weaker []index.View
		for i, c := range g.of {
			if g.best[c] != i {
				weaker = append(weaker, r.Views[i])
			}
		}
		if len(weaker) > 1 {
			weaker = rapid.Permutation(weaker).Draw(t, "weaker")
		}
		before := Allocate(r, o)
		r.Views = append(strongest, weaker...)
		if after := Allocate(r, o); !slices.Equal(positions(after), positions(before)) {
			t.Fatalf("positions %v became %v", positions(before), positions(after))
		}
	})
}

// Eq. 3 as the paper writes it.
func TestChoiceIsEquationThree(t *testing.T) {
	paper, err := PolicyByName("vital-paper")
	if err != nil {
		t.Fatal(err)
	}
	rapid.Check(t, func(t *rapid.T) {
		r := drawRequest(t)
		o := DefaultOptions()
		o.Objects = rapid.IntRange(1, 6).Draw(t, "K")
		var got []*index.Object
		for _, s := range paper.Allocate(r, o).Portfolio.Slots {
			got = append(got, s.Object)
		}
		if want := equationThree(r, o.Objects); !slices.Equal(got, want) {
			t.Fatalf("chose %d objects, the paper %d, or others", len(got), len(want))
		}
	})
}

// equationThree is A_q: views are the ranking, E_q the objects in it.
func equationThree(r Request, k int) []*index.Object {
	var strongest []index.View
	for _, v := range r.Views {
		if !slices.ContainsFunc(strongest, func(w index.View) bool { return keyOf(w.Object) == keyOf(v.Object) }) {
			strongest = append(strongest, v)
		}
	}
	kq := min(k-1, len(strongest))
	core, others := strongest[:kq], strongest[kq:]
	eligible := slices.DeleteFunc(slices.Clone(others), func(e index.View) bool {
		local := slices.ContainsFunc(core, func(c index.View) bool {
			return strings.TrimPrefix(c.Object.Path, "./") == strings.TrimPrefix(e.Object.Path, "./")
		})
		relevant := slices.ContainsFunc(r.Terms, func(term string) bool {
			return slices.Contains(slices.Collect(identifiers(e.Text)), term)
		})
		return !local || !relevant
	})
	var a []*index.Object
	for _, v := range core {
		a = append(a, v.Object)
	}
	if len(eligible) > 0 {
		return append(a, eligible[0].Object)
	}
	if len(others) > 0 {
		return append(a, others[0].Object)
	}
	return a
}

// FuzzAllocate lets the fuzzer write the code itself.
func FuzzAllocate(f *testing.F) {
	f.Add("func a() {\n\tx\n}", "func a()", "// doc", "b := a()", "x", 20, 10, 3)
	f.Add("\r\n\r\r\n", "\r", "\n", "\x00", "\xff", 5, 5, 0)
	f.Add("", "", "", "", "", 0, 0, 0)
	f.Fuzz(func(t *testing.T, source, signature, doc, call, terms string, budget, object, floor int) {
		a := &index.Object{ID: "go p a().", Name: "a", Kind: facts.Function, Lang: "go", Path: call, Line: 1, NameLine: floor,
			Signature: signature, Doc: doc, Source: source, Indent: doc, Outer: signature}
		b := &index.Object{Name: terms, Path: call, Kind: facts.Type, Lang: facts.Language(doc), Line: 2, Source: signature + source + doc}
		r := Request{Terms: strings.Fields(terms), Lang: facts.Language(signature), Path: terms, Tokens: estimate, Views: []index.View{
			{Object: a, Kind: index.Body, Path: call, Line: budget, Text: source},
			{Object: b, Kind: index.Window, Path: call, Line: 2, Text: doc},
			{Object: a, Kind: index.CallSite, Path: doc, Line: 1, Text: call},
		}}
		o := Options{Objects: 5, Companions: 1, Budget: budget, ObjectBudget: object, Floor: floor}
		for _, p := range Policies() {
			check(t, p, r, o, p.Allocate(r, o))
		}
	})
}
