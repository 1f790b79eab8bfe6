package allocate

import (
	"strings"
	"testing"

	"readahead/index"
)

func likely(p float64, name string, code string) index.View {
	v := scored(p, body(thing(name, name+".go", code)))
	v.Family = index.Structural
	return v
}

func TestATailIsWorthItsTokens(t *testing.T) {
	long := "func big() {\n" + strings.Repeat("\tone two three\n", 20) + "}" // 65 words
	o := Options{Objects: 1, Budget: 1000, ObjectBudget: 50, Excerpt: 20, Floor: 8, Worth: 0.01}
	for _, tc := range []struct {
		sentence string
		views    []index.View
		change   func(*Options)
		want     string
	}{
		{"ten words for ten per cent are worth it", []index.View{likely(0.9, "a", "func a() {}"), likely(0.1, "b", "func b() { 1 2 3 4 5 6 }")}, nil, "a b"},
		{"for five per cent they are not", []index.View{likely(0.9, "a", "func a() {}"), likely(0.05, "b", "func b() { 1 2 3 4 5 6 }")}, nil, "a"},
		{"what is too large costs, and gets, the floor", []index.View{likely(0.9, "a", "func a() {}"), likely(0.1, "big", long)}, nil, "a big"},
		{"without a threshold there is no tail", []index.View{likely(0.9, "a", "func a() {}"), likely(0.9, "b", "func b() {}")},
			func(o *Options) { o.Worth = 0 }, "a"},
		{"a lexical score is no probability", []index.View{likely(0.9, "a", "func a() {}"), scored(9, body(thing("b", "b.go", "func b() {}")))}, nil, "a"},
		{"no tokens are taken from the core", []index.View{likely(0.9, "a", "func a() { 1 2 3 4 5 6 7 8 9 }"), likely(0.8, "b", "func b() { 1 2 3 4 5 6 }")},
			func(o *Options) { o.Budget = 16 }, "a"},
	} {
		t.Run(tc.sentence, func(t *testing.T) {
			o := o
			if tc.change != nil {
				tc.change(&o)
			}
			c := Allocate(Request{Views: tc.views, Lang: "go", Tokens: words}, o)
			if got := strings.NewReplacer("~", "", "+", "").Replace(names(c.Portfolio)); got != tc.want {
				t.Errorf("positions are %q, want %q", got, tc.want)
			}
			for _, s := range c.Portfolio.Slots {
				if limit := o.limit(s.Role, s.Demand); s.Budget > limit {
					t.Errorf("%s has %d of at most %d tokens", s.Object.Name, s.Budget, limit)
				}
			}
			if c.Tokens > o.Budget {
				t.Errorf("%d of %d tokens", c.Tokens, o.Budget)
			}
		})
	}
}

func TestWhatIsNotWorthItsTokensSaysSo(t *testing.T) {
	o := Options{Objects: 1, Budget: 1000, ObjectBudget: 50, Floor: 8, Worth: 0.01}
	c := Allocate(Request{Views: []index.View{likely(0.9, "a", "func a() {}"), likely(0.01, "b", "func b() {}")}, Lang: "go", Tokens: words}, o)
	if got := losers(c.Portfolio); got != "b: "+unworthy {
		t.Errorf("dropped: %q", got)
	}
}
