package allocate

import (
	"fmt"
	"strings"
	"testing"

	"readahead/index"
)

// One pool for all policies: a is found three times, twice with the same text;
// near and a are in one file; twin says the same as b.
func pool() Request {
	a := thing("a", "a.go", "func a() {\n\tsame total\n}")
	near := thing("near", "a.go", "func near() {\n\ttotal\n}")
	mute := thing("mute", "a.go", "func mute() {\n\tsilence\n}")
	b := thing("b", "b.go", "func b() {\n\tthe same words exactly\n}")
	twin := thing("twin", "c.go", "func twin() {\n\tthe same words exactly\n}")
	d := thing("d", "d.go", "func d() {\n\tquite another thing\n}")
	e := thing("e", "e.go", "func e() {\n\tstill further off\n}")
	near.Line, mute.Line = 10, 20
	r := Request{Terms: []string{"total"}, Lang: "go", Tokens: words, Views: []index.View{
		body(a), part(a, index.Signature, "func a()"), part(a, index.Body, a.Source+"\n"),
		body(b), body(twin), body(mute), body(d), body(near), body(e),
	}}
	for i := range r.Views {
		r.Views[i].Score = float64(len(r.Views) - i)
	}
	return r
}

func TestPolicies(t *testing.T) {
	for _, tc := range []struct{ policy, want string }{
		{"vital+", "a b twin mute +near"}, // its pool is not structural: no score is a probability
		{"vital", "a b twin mute +near"},
		{"vital-paper", "a b twin mute +near"},
		{"5+0", "a b twin mute d"},
		{"3+2", "a b twin +near ~mute"},
		{"no-quotient", "a a a b +near"},
		{"no-rendering", "a b twin mute +near"},
		{"no-structure", "a a a b twin"},
		{"raw", "a a a b twin"},
		{"exact-dedup", "a a b twin mute"},
		{"canonical-5", "a b twin mute d"},
		{"file-quota", "a b twin d e"},
		{"mmr", "a b mute d e"},
		{"entity-first-4+1", "a b twin mute +near"},
	} {
		t.Run(tc.policy, func(t *testing.T) {
			p, err := PolicyByName(tc.policy)
			if err != nil {
				t.Fatal(err)
			}
			if got := names(p.Allocate(pool(), DefaultOptions()).Portfolio); got != tc.want {
				t.Errorf("positions are %q, want %q", got, tc.want)
			}
		})
	}
	if n := len(Policies()); n != 14 {
		t.Errorf("%d policies, 14 are tested here", n)
	}
}

func TestRawTextIsWhatRetrievalReturnedClippedAtALine(t *testing.T) {
	raw, err := PolicyByName("raw")
	if err != nil {
		t.Fatal(err)
	}
	all := raw.Allocate(pool(), DefaultOptions())
	want := ""
	for _, v := range pool().Views[:5] {
		want += strings.TrimSuffix(v.Text, "\n") + "\n"
	}
	if all.Text != want {
		t.Errorf("got\n%s\nwant the views one after another:\n%s", all.Text, want)
	}
	for budget := range all.Tokens + 1 {
		o := DefaultOptions()
		o.Budget, o.Floor = budget, 2 // a floor that raw text must not get
		c := raw.Allocate(pool(), o)
		_, next, _ := strings.Cut(want[len(c.Text):], "\n")
		line := want[len(c.Text) : len(want)-len(next)]
		if !strings.HasPrefix(want, c.Text) || line != "" && words(c.Text+line) <= budget {
			t.Errorf("in %d tokens\n%s", budget, c.Text)
		}
	}
}

func TestRawTextKeepsToTheObjectBudget(t *testing.T) {
	raw, _ := PolicyByName("raw")
	o := DefaultOptions()
	o.ObjectBudget = 3 // the signature line of a body
	c := raw.Allocate(pool(), o)
	if want := "func a() {\nfunc a()\nfunc a() {\nfunc b() {\nfunc twin() {\n"; c.Text != want {
		t.Errorf("got\n%s\nwant\n%s", c.Text, want)
	}
}

func TestUnknownPolicyListsTheKnown(t *testing.T) {
	_, err := PolicyByName("vitl")
	if err == nil {
		t.Fatal("no error")
	}
	for _, p := range Policies() {
		if !strings.Contains(err.Error(), p.Name) || p.Doc == "" {
			t.Errorf("%q is missing in %q, or has no doc", p.Name, err)
		}
	}
}

func TestShippedPolicyIsVitalPlus(t *testing.T) {
	p, err := PolicyByName("vital+")
	if err != nil {
		t.Fatal(err)
	}
	a, b := Allocate(pool(), DefaultOptions()), p.Allocate(pool(), DefaultOptions())
	if a.Text != b.Text || Policies()[0].Name != "vital+" {
		t.Errorf("Allocate is not the policy vital+, or it is not listed first")
	}
}

// benchmarkPool is n views of n/4 objects of twenty lines in n/16 files.
func benchmarkPool(n int) Request {
	r := Request{Terms: strings.Fields("total items check append cart line"), Lang: "go", Tokens: estimate}
	for i := range n {
		name := fmt.Sprintf("object%d", i/4)
		code := "func " + name + "(w io.Writer) error {\n" + strings.Repeat("\tif err := check(items, "+name+"); err != nil {\n\t\treturn err\n\t}\n", 6) + "\treturn nil\n}"
		o := thing(name, fmt.Sprintf("dir/file%d.go", i/16), code)
		o.Line = 1 + 30*(i/4)
		o.ID = index.SymbolID("go example.com/some/module/dir " + name + "().")
		v := body(o)
		switch i % 4 {
		case 1:
			v = part(o, index.Signature, o.Signature)
		case 2:
			v = part(o, index.CallSite, "\terr := "+name+"(w)")
		case 3:
			v = part(o, index.Window, code[:len(code)/2])
		}
		v.Score = 1 / float64(i+1)
		r.Views = append(r.Views, v)
	}
	return r
}

func BenchmarkAllocate(b *testing.B) {
	for _, n := range []int{64, 128, 1_000, 10_000} {
		for _, budget := range []int{4096, 1024} {
			r, o := benchmarkPool(n), DefaultOptions()
			o.Budget, o.ObjectBudget = budget, budget/16 // so that most are shown as windows in the smaller
			b.Run(fmt.Sprintf("views=%d/budget=%d", n, budget), func(b *testing.B) {
				b.ReportAllocs()
				for b.Loop() {
					Allocate(r, o)
				}
				b.ReportMetric(float64(b.Elapsed().Nanoseconds())/float64(b.N)/float64(n), "ns/view")
			})
		}
	}
}
