package allocate

import (
	"strings"
	"testing"

	"readahead/index"
	"readahead/index/facts"
)

func TestKeepingTheContextStill(t *testing.T) {
	o := Options{Objects: 3, Budget: 1000, ObjectBudget: 100, Margin: 0.2}
	// ranked "a:9 b:8" are views of a and b with those scores
	ranked := func(list string) Request {
		r := Request{Lang: "go", Tokens: words}
		for _, item := range strings.Fields(list) {
			name, score := item[:1], float64(item[2]-'0')
			r.Views = append(r.Views, scored(score, body(thing(name, name+".go", "func "+name+"() {}"))))
		}
		return r
	}
	for _, tc := range []struct {
		sentence, last, now, want, dropped string
	}{
		{"the same ranking changes nothing", "a:9 b:8 c:7", "a:9 b:8 c:7", "a b c", ""},
		{"a new order among the same objects changes nothing", "a:9 b:8 c:7", "c:9 a:8 b:7", "a b c", ""},
		{"a newcomer that is hardly better waits", "a:9 b:8 c:7", "a:9 b:8 d:8 c:7", "a b c",
			"d: ranks high enough, but beats no object of the last context by the margin"},
		{"one that is clearly better takes the weakest position, and goes last", "a:9 b:8 c:7", "d:9 b:8 c:8 a:7", "b c d",
			"a: was in the last context, and a newcomer beats it by the margin"},
		{"two of them take two", "a:9 b:8 c:7", "d:9 e:9 c:8 b:6 a:5", "c d e",
			"b: was in the last context, and a newcomer beats it by the margin\n" +
				"a: was in the last context, and a newcomer beats it by the margin"},
		{"an object that is no longer found leaves", "a:9 b:8 c:7", "c:9 d:8", "c d", ""},
		{"a free position goes to the next best", "a:9 b:8", "b:9 d:8 a:7 e:6", "a b d", "e: all positions are taken"},
		{"without scores what is found again stays", "a:0 b:0 c:0", "d:0 e:0 f:0 c:0 b:0", "b c d",
			"e: ranks high enough, but beats no object of the last context by the margin\n" +
				"f: ranks high enough, but beats no object of the last context by the margin"},
		{"nothing before is a fresh choice", "", "b:9 a:8", "b a", ""},
		{"nothing found is nothing kept", "a:9 b:8", "", "", ""},
	} {
		t.Run(tc.sentence, func(t *testing.T) {
			last := Allocate(ranked(tc.last), o).Portfolio
			with := o
			with.Previous = &last
			got := Allocate(ranked(tc.now), with).Portfolio
			if names(got) != tc.want {
				t.Errorf("positions are %q, want %q", names(got), tc.want)
			}
			if losers(got) != tc.dropped {
				t.Errorf("dropped are\n%s\nwant\n%s", losers(got), tc.dropped)
			}
			for _, s := range got.Slots {
				if was := strings.Contains(tc.last, s.Object.Name); s.Kept != was {
					t.Errorf("%s: Kept is %v, but it was in the last context: %v", s.Object.Name, s.Kept, was)
				}
			}
		})
	}
}

func TestFewerPositionsKeepTheFirst(t *testing.T) {
	a, b := body(thing("a", "a.go", "a")), body(thing("b", "b.go", "b"))
	last := Allocate(Request{Views: []index.View{a, b}}, DefaultOptions()).Portfolio
	o := DefaultOptions()
	o.Objects, o.Companions, o.Previous, o.Worth = 1, 0, &last, 0
	if got := names(Allocate(Request{Views: []index.View{a, b}}, o).Portfolio); got != "a" {
		t.Errorf("positions are %q, want a", got)
	}
}

// With a tail, a context only grows while the task stays the same.
func TestAContextWithATailOnlyGrows(t *testing.T) {
	o := Options{Objects: 2, Budget: 1000, ObjectBudget: 100, Floor: 5, Worth: 0.01, Margin: 0.2}
	// ranked "a:9 b:8" are views of a and b with the probabilities 0.9 and 0.8
	ranked := func(list string) Request {
		r := Request{Lang: "go", Tokens: words}
		for _, item := range strings.Fields(list) {
			v := scored(float64(item[2]-'0')/10, body(thing(item[:1], item[:1]+".go", "func "+item[:1]+"() {}")))
			v.Family = index.Structural
			r.Views = append(r.Views, v)
		}
		return r
	}
	for _, tc := range []struct{ sentence, last, now, want string }{
		{"what is likely enough follows the core", "", "a:9 b:8 c:7 d:0", "a b c"},
		{"another order changes nothing", "a:9 b:8 c:7", "c:9 b:8 a:7", "a b c"},
		{"what is no longer likely enough stays", "a:9 b:8 c:7", "a:9 b:8 c:0", "a b c"},
		{"a newcomer to the tail waits", "a:9 b:8 c:7", "a:9 b:8 d:7 c:6", "a b c"},
		{"one that is hardly better than the core waits", "a:8 b:8 c:7", "d:9 a:8 b:8", "a b"},
		{"one that is clearly better goes last, and takes the tail along", "a:6 b:5 c:4", "d:9 a:6 b:5 e:4 c:4", "a b c d e"},
		{"what is no longer found leaves", "a:9 b:8 c:7", "a:9 c:7", "a c"},
		{"another core is another context", "a:9 b:8 c:7", "d:9 e:9 a:0 b:0 c:0", "d e"},
	} {
		t.Run(tc.sentence, func(t *testing.T) {
			with := o
			if tc.last != "" {
				last := Allocate(ranked(tc.last), o).Portfolio
				with.Previous = &last
			}
			if got := names(Allocate(ranked(tc.now), with).Portfolio); strings.NewReplacer("~", "", "+", "").Replace(got) != tc.want {
				t.Errorf("positions are %q, want %q", got, tc.want)
			}
		})
	}
}

// What follows an unchanged object must not move, so its text stays, byte for
// byte, while its code does.
func TestKeptObjectsKeepTheirText(t *testing.T) {
	code := "func a() {\n\tfirst one two three\n\tsecond one two three\n\tthird one two three\n\tfourth one two three\n\tfifth one two three\n\tsixth one two three\n}"
	before := body(thing("a", "a.go", code))
	o := Options{Objects: 1, Budget: 20, ObjectBudget: 20, Margin: 0.2}
	ask := func(v index.View, o Options, last *Portfolio, terms ...string) Context {
		o.Previous = last
		return Allocate(Request{Views: []index.View{v}, Terms: terms, Lang: "go", Tokens: words}, o)
	}
	first := ask(before, o, nil, "second")
	if !strings.Contains(first.Text, "second") || strings.Contains(first.Text, "fourth") {
		t.Fatalf("the example does not show a window:\n%s", first.Text)
	}

	moved, called, edited := *before.Object, *before.Object, *before.Object
	moved.Line += 7
	called.Calls = 99
	edited.Source = strings.Replace(code, "second", "2nd", 1)
	wide, wider, narrow := o, o, o
	wide.Budget, wide.ObjectBudget = 24, 24
	wider.Budget, wider.ObjectBudget = 28, 28
	narrow.Budget, narrow.ObjectBudget = 12, 12

	for _, tc := range []struct {
		sentence string
		o        Options
		object   *index.Object
		terms    string
		same     bool
	}{
		{"another query does not move the window", o, before.Object, "fourth", true},
		{"nor do more calls change the descriptor", o, &called, "second", true},
		{"nor an edit above in the file", o, &moved, "fourth", true},
		{"nor a budget a little larger", wide, before.Object, "fourth", true},
		{"a much larger one does", wider, before.Object, "fourth", false},
		{"a smaller one must", narrow, before.Object, "second", false},
		{"an edit of the code does", o, &edited, "second", false},
	} {
		t.Run(tc.sentence, func(t *testing.T) {
			v := body(tc.object)
			got := ask(v, tc.o, &first.Portfolio, tc.terms)
			if same := got.Text == first.Text; same != tc.same {
				t.Errorf("text kept: %v, want %v:\n%s", same, tc.same, got.Text)
			}
			if s := got.Portfolio.Slots[0]; s.Tokens > s.Budget || got.Tokens > tc.o.Budget {
				t.Errorf("%d tokens in a budget of %d", s.Tokens, s.Budget)
			}
			if tc.object == &moved && got.Portfolio.Slots[0].Lines[0][0] != first.Portfolio.Slots[0].Lines[0][0]+7 {
				t.Errorf("lines are %v, 7 below %v", got.Portfolio.Slots[0].Lines, first.Portfolio.Slots[0].Lines)
			}
		})
	}
}

// What is outside all objects is shown as one window of its file, and which one
// follows the same rule.
func TestKeptWindowOfAFile(t *testing.T) {
	file := &index.Object{ID: "conf", Name: "conf.txt", Kind: facts.Module, Path: "conf.txt", Source: "one\ntwo\nthree\nfour"}
	one, two := part(file, index.Window, "one\ntwo"), part(file, index.Window, "three\nfour")
	one.Line, two.Line = 1, 3
	first := Allocate(Request{Views: []index.View{scored(5, one)}}, DefaultOptions())

	for _, tc := range []struct {
		sentence string
		views    []index.View
		same     bool
	}{
		{"the same window is the same text", []index.View{scored(7, one)}, true},
		{"a hardly better one does not replace it", []index.View{scored(5.5, two), scored(5, one)}, true},
		{"a clearly better one does", []index.View{scored(9, two), scored(5, one)}, false},
		{"and any when it is no longer found", []index.View{scored(1, two)}, false},
	} {
		t.Run(tc.sentence, func(t *testing.T) {
			o := DefaultOptions()
			o.Previous = &first.Portfolio
			got := Allocate(Request{Views: tc.views}, o)
			if same := got.Text == first.Text; same != tc.same {
				t.Errorf("text kept: %v, want %v:\n%s", same, tc.same, got.Text)
			}
			if !tc.same && !strings.Contains(got.Text, two.Text) {
				t.Errorf("the other window is not shown:\n%s", got.Text)
			}
		})
	}
}
