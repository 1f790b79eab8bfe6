package allocate

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"pgregory.net/rapid"
	"readahead/index"
)

func TestShares(t *testing.T) {
	for _, tc := range []struct {
		sentence              string
		demands               []int
		budget, object, floor int
		want                  []int
	}{
		{"small objects get what they ask for", []int{3, 4}, 100, 50, 10, []int{3, 4}},
		{"none gets more than its own cap", []int{99, 4}, 100, 50, 10, []int{50, 4}},
		{"the floor of those to come is kept back", []int{99, 99, 99}, 100, 99, 10, []int{80, 10, 10}},
		{"a floor that is not used up is not handed back", []int{99, 99, 1}, 100, 99, 10, []int{80, 10, 1}},
		{"without room for a floor under each there is none", []int{99, 99, 99}, 29, 99, 10, []int{29, 0, 0}},
		{"with just that room all get it", []int{99, 99, 99}, 30, 99, 10, []int{10, 10, 10}},
		{"a floor above the cap does no harm", []int{9, 9}, 100, 5, 50, []int{5, 5}},
		{"the paper's setting", []int{2000, 2000, 2000, 2000, 2000}, 4096, 1024, 128, []int{1024, 1024, 1024, 896, 128}},
		{"no budget", []int{1, 2}, 0, 5, 0, []int{0, 0}},
		{"nobody to share", nil, 10, 5, 1, []int{}},
	} {
		if got := shares(tc.demands, tc.budget, tc.object, tc.floor); !slices.Equal(got, tc.want) {
			t.Errorf("%s: %v, want %v", tc.sentence, got, tc.want)
		}
	}
}

func TestFrugalSharesKeepBackOnlyWhatIsWanted(t *testing.T) {
	if got, want := frugal([]int{99, 99, 1}, 100, 99, 10), []int{89, 10, 1}; !slices.Equal(got, want) {
		t.Errorf("got %v, want %v", got, want)
	}
	rapid.Check(t, func(t *rapid.T) {
		d := rapid.SliceOfN(rapid.IntRange(0, 60), 0, 9).Draw(t, "d")
		B, cap, bmin := rapid.IntRange(0, 200).Draw(t, "B"), rapid.IntRange(0, 50).Draw(t, "b_obj"), rapid.IntRange(0, 25).Draw(t, "b_min")
		paper, total := shares(d, B, cap, bmin), 0
		for i, b := range frugal(d, B, cap, bmin) {
			total += b
			if b < 0 || b > cap || b > d[i] {
				t.Fatalf("b_%d = %d of %d", i+1, b, d[i])
			}
			if B >= len(d)*bmin && b < min(d[i], cap, bmin) {
				t.Fatalf("b_%d = %d is below the floor", i+1, b)
			}
		}
		if total > B {
			t.Fatalf("%d of %d tokens", total, B)
		}
		sum := 0
		for _, b := range paper {
			sum += b
		}
		if B >= len(d)*bmin && total < sum {
			t.Fatalf("spends %d where eq. 4 spends %d", total, sum)
		}
	})
}

// Eq. 4 as the paper writes it, with R_i summed up anew for every i.
func TestSharesAreEquationFour(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		d := rapid.SliceOfN(rapid.IntRange(0, 60), 0, 7).Draw(t, "d")
		B, cap, bmin := rapid.IntRange(0, 120).Draw(t, "B"), rapid.IntRange(0, 50).Draw(t, "b_obj"), rapid.IntRange(0, 25).Draw(t, "b_min")
		m, got, total := len(d), shares(d, B, cap, bmin), 0
		for i := 1; i <= m; i++ {
			R := B
			for j := 1; j < i; j++ {
				R -= got[j-1]
			}
			beta := 0
			if B >= m*bmin {
				beta = bmin
			}
			if want := min(d[i-1], cap, max(0, R-(m-i)*beta)); got[i-1] != want {
				t.Fatalf("b_%d = %d, want %d", i, got[i-1], want)
			}
			if got[i-1] < 0 || got[i-1] > cap {
				t.Fatalf("b_%d = %d is not in 0..%d", i, got[i-1], cap)
			}
			total += got[i-1]
		}
		if total > B {
			t.Fatalf("the shares add up to %d > %d", total, B)
		}
	})
}

func TestBudgets(t *testing.T) {
	long := func(name string, n int) *index.Object {
		code := "func " + name
		for i := range n {
			code += fmt.Sprintf("\nline%d", i)
		}
		return thing(name, name+".go", code)
	}
	for _, tc := range []struct {
		sentence              string
		sizes                 []int // lines of one word behind a signature of two and a descriptor of three
		budget, object, floor int
		want                  []int // tokens used
	}{
		{"an object over its own budget leaves room for the next", []int{100, 4}, 40, 20, 5, []int{20, 9}},
		{"the last one can at least show its signature", []int{100, 100, 100}, 40, 40, 9, []int{22, 9, 9}},
		{"a budget below the descriptor shows nothing", []int{4}, 2, 2, 0, []int{0}},
		{"a budget of the descriptor shows it alone", []int{4}, 3, 3, 0, []int{3}},
	} {
		t.Run(tc.sentence, func(t *testing.T) {
			var views []index.View
			for i, n := range tc.sizes {
				views = append(views, body(long(string(rune('a'+i)), n)))
			}
			c := Allocate(Request{Views: views, Lang: "go", Tokens: words},
				Options{Objects: 5, Companions: 1, Budget: tc.budget, ObjectBudget: tc.object, Floor: tc.floor})
			for i, s := range c.Portfolio.Slots {
				if s.Tokens != tc.want[i] || words(s.Text) != tc.want[i] {
					t.Errorf("object %d uses %d of %d tokens, want %d:\n%s", i+1, s.Tokens, s.Budget, tc.want[i], s.Text)
				}
			}
		})
	}
}

// A call line is paid from tokens that nobody else needs.
func TestCallLineNeverDisplacesCode(t *testing.T) {
	a, b := thing("a", "a.go", "func a() {\n\tone two three\n}"), thing("b", "b.go", "func b() {\n\tone two three\n}")
	views := []index.View{body(a), part(a, index.CallSite, "x := a()"), body(b)}
	need := Allocate(Request{Views: []index.View{views[0], views[2]}, Lang: "go", Tokens: words}, DefaultOptions()).Tokens
	hint := words("// call in a.go: x := a()")
	for budget := need; budget <= need+hint; budget++ {
		o := DefaultOptions()
		o.Budget, o.Floor = budget, 0
		c := Allocate(Request{Views: views, Lang: "go", Tokens: words}, o)
		for _, code := range []string{a.Source, b.Source} {
			if !strings.Contains(c.Text, code+"\n") {
				t.Errorf("budget %d: %q is not whole in\n%s", budget, code, c.Text)
			}
		}
		if has := strings.Contains(c.Text, "// call in"); has != (budget >= need+hint) {
			t.Errorf("budget %d of %d: call line shown is %v", budget, need+hint, has)
		}
	}
}

// A fixed page shows its text or nothing.
type fixed struct {
	asks       int
	text, call string
	count      func(string) int
}

func (p fixed) demand() int { return p.asks }

func (p fixed) fit(b int) excerpt {
	if p.count(p.text) > b {
		return excerpt{}
	}
	return excerpt{text: p.text, call: p.call}
}

func TestLayingOut(t *testing.T) {
	steep := func(s string) int { // a text of more than six words costs ten more
		if n := words(s); n > 6 {
			return n + 10
		}
		return words(s)
	}
	half := func(s string) int { return words(s) / 2 }
	for _, tc := range []struct {
		sentence string
		pages    []fixed
		budget   int
		count    func(string) int
		want     string
	}{
		{"a call line is shown if there is room",
			[]fixed{{asks: 3, text: "a b c\n", call: "k\n"}, {asks: 3, text: "d e f\n"}}, 7, words, "a b c\nk\nd e f\n"},
		{"not in room that another object was given, even if it has no use for it",
			[]fixed{{asks: 3, text: "a b c\n", call: "k\n"}, {asks: 10, text: "x\n"}}, 13, words, "a b c\nx\n"},
		{"nor if the whole then counts more than its parts",
			[]fixed{{asks: 3, text: "a b c\n", call: "k\n"}, {asks: 3, text: "d e f\n"}}, 12, steep, "a b c\nd e f\n"},
		{"where the whole counts more than its parts, there is less of it",
			[]fixed{{asks: 3, text: "a b c\n"}, {asks: 3, text: "d e f\n"}, {asks: 3, text: "g h i\n"}}, 12, steep, "a b c\n"},
		{"even if the parts count nothing",
			[]fixed{{asks: 0, text: "a\n"}, {asks: 0, text: "b\n"}}, 0, half, "a\n"},
	} {
		t.Run(tc.sentence, func(t *testing.T) {
			var pages []page
			for _, p := range tc.pages {
				p.count = tc.count
				pages = append(pages, p)
			}
			slots, text, tokens := layOut(pages, slices.Repeat([]int{20}, len(pages)), tc.count, Options{Budget: tc.budget, ObjectBudget: 20})
			if text != tc.want || tokens != tc.count(text) {
				t.Errorf("shows %q as %d tokens, want %q", text, tokens, tc.want)
			}
			sum := 0
			for _, s := range slots {
				sum += s.Budget
			}
			if sum > tc.budget || tokens > tc.budget {
				t.Errorf("%d tokens, budgets of %d, where %d are allowed", tokens, sum, tc.budget)
			}
		})
	}
}
