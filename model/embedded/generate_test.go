package embedded

import (
	"context"
	"errors"
	"math"
	"slices"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"readahead/model"
)

const shop = `package shop

import "fmt"

func (c *Cart) Add(item Item) error {
	if err := c.check(item); err != nil {
		return fmt.Errorf("add %s: %w", item.Name, err)
	}
	c.items = append(c.items, item)
	fmt.Println(len(c.items))
	return nil
}

func (c *Cart) Total() (sum int) {
	for _, it := range c.items {
		sum += it.Price
	}
	return sum
}
`

func TestALineIsContinuedFromAnyCursor(t *testing.T) {
	m := train(t, File{Path: "shop.go", Text: shop})
	for _, c := range []struct{ name, left, want string }{
		{"inside a word", "\tfmt.Pri", "ntln(len(c.items))"},
		{"behind a whole word", "\tfmt.Println", "(len(c.items))"},
		{"behind a space", "\tif err := ", "c.check(item); err != nil {"},
		{"before a space", "\tif err :=", " c.check(item); err != nil {"},
		{"inside an operator", "\tif err :", "= c.check(item); err != nil {"},
		{"at the start of a line", "\tif err := c.check(item); err != nil {\n\t\t", `return fmt.Errorf("add %s: %w", item.Name, err)`},
		{"in column one of a block, with the indentation that is missing", "\tif err := c.check(item); err != nil {\n", "\t\t" + `return fmt.Errorf("add %s: %w", item.Name, err)`},
		{"in column one of a file", "", "package shop"},
		{"inside a word that only the prompt has", "\tbasket := 1\n\tbas", "ket := 1"},
		{"behind a word that nobody has", "\txylophone", "(c.items))"},
		{"inside a string", "\treturn fmt.Errorf(\"add %s: %", `w", item.Name, err)`},
		{"after a carriage return and line feed", "\tif err := c.check(item); err != nil {\r\n\t\treturn fmt.E", `rrorf("add %s: %w", item.Name, err)`},
	} {
		t.Run(c.name, func(t *testing.T) {
			if got := greedy(t, m, model.Prompt{Left: c.left, Lang: "go"}); got != c.want {
				t.Errorf("%s|\n got %q\nwant %q", c.left, got, c.want)
			}
		})
	}
}

func TestEvidenceIsBelieved(t *testing.T) {
	m := train(t, File{Path: "shop.go", Text: shop})
	p := model.Prompt{Left: "func main() {\n\torder.", Lang: "go"}
	if got := greedy(t, m, p); strings.HasPrefix(got, "Ship") {
		t.Fatalf("%q without evidence: this test shows nothing", got)
	}
	p.Context = "func (o *Order) Ship(to Address) error\n\n\tif err := order.Ship(home); err != nil {\n"
	if got := greedy(t, m, p); got != "Ship(home); err != nil {" {
		t.Errorf("with evidence %q", got)
	}
}

func TestCodeAfterTheCursorCountsUnlessCausal(t *testing.T) {
	m := train(t, File{Path: "shop.go", Text: shop})
	p := model.Prompt{Left: "\tledger.", Right: "\n\tledger.Close()\n", Lang: "go"}
	if got := greedy(t, m, p); got != "Close()" {
		t.Errorf("%q, want what stands below", got)
	}
	p.Causal = true
	if got := greedy(t, m, p); got == "Close()" {
		t.Errorf("a causal prompt read the code after the cursor")
	}
}

func TestALineDoesNotStartWithAComment(t *testing.T) {
	for _, c := range []struct{ lang, opener, typed, want string }{
		{"go", "//", "", "b = 2"},
		{"py", "#", "", "b = 2"},
		{"python", "#", "", "b = 2"},
		{"py", `"""`, "", "b = 2"},
		{"rs", "#", "", "# note"}, // an attribute
		{"py", "#", "#", " note"}, // the user started it
	} {
		often := strings.Repeat("a = 1\n"+c.opener+" note\n", 20)
		m := train(t, File{Path: "a", Text: often + strings.Repeat("a = 1\nb = 2\n", 8)})
		if got := greedy(t, m, model.Prompt{Left: "a = 1\n" + c.typed, Lang: c.lang}); got != c.want {
			t.Errorf("%s: after a = 1 and %q comes %q, want %q", c.lang, c.typed, got, c.want)
		}
	}
}

func TestASeedRepeatsItsSamples(t *testing.T) {
	m := train(t, File{Path: "shop.go", Text: shop})
	p, o := model.Prompt{Left: "\tc", Lang: "go"}, model.Options{Temperature: 1, MaxTokens: 12, Seed: 7}
	texts := func(n int) (out []string) {
		for _, s := range draw(t, m, p, o, n) {
			out = append(out, s.Text)
		}
		return out
	}
	first := texts(8)
	if again := texts(8); !slices.Equal(first, again) {
		t.Errorf("%q, then %q", first, again)
	}
	o.Seed += 3
	if got := texts(1)[0]; got != first[3] {
		t.Errorf("sample 3 of seed 7 is %q, sample 0 of seed 10 %q", first[3], got)
	}
}

func TestTemperatureAndNucleusNarrowTheChoice(t *testing.T) {
	m := train(t, File{Path: "shop.go", Text: shop})
	distinct := func(o model.Options) int {
		o.MaxTokens = 6
		seen := map[string]bool{}
		for _, s := range draw(t, m, model.Prompt{Left: "\tc.", Lang: "go"}, o, 60) {
			seen[s.Text] = true
		}
		return len(seen)
	}
	hot, cold := distinct(model.Options{Temperature: 1}), distinct(model.Options{Temperature: 0.3})
	nucleus, greedy := distinct(model.Options{Temperature: 1, TopP: 0.5}), distinct(model.Options{})
	if !(hot > cold && hot > nucleus && cold >= 1 && greedy == 1) {
		t.Errorf("distinct samples: hot %d, cold %d, nucleus %d, greedy %d", hot, cold, nucleus, greedy)
	}
}

func TestASampleEndsBeforeItsStopString(t *testing.T) {
	m := train(t, File{Path: "shop.go", Text: shop}, File{Path: "dos", Text: "one two three\r\nfour\r\n"})
	for _, c := range []struct {
		name, left string
		o          model.Options
		want       string
		stopped    bool
	}{
		{"at a line ending", "\tfmt.Println(", model.Options{Stop: []string{"\n"}}, "len(c.items))", true},
		{"inside a token", "\tfmt.Println(", model.Options{Stop: []string{"tem"}}, "len(c.i", true},
		{"across tokens", "\tfmt.Println(", model.Options{Stop: []string{".items)"}}, "len(c", true},
		{"at the first of several", "\tfmt.Println(", model.Options{Stop: []string{"\n", "c.", "items"}}, "len(", true},
		{"with no half of a line ending", "x\r\none", model.Options{Stop: []string{"\n"}}, " two three", true},
		{"or at its last token", "\tfmt.Println(", model.Options{MaxTokens: 2}, "len(", false},
		{"or at the end of a file", "\treturn sum\n", model.Options{}, "}\n", true},
	} {
		t.Run(c.name, func(t *testing.T) {
			s := draw(t, m, model.Prompt{Left: c.left, Lang: "go"}, c.o, 1)[0]
			joined := ""
			for _, x := range s.Tokens {
				joined += x.Text
			}
			if s.Text != c.want || s.Stopped != c.stopped || joined != s.Text {
				t.Errorf("%q, stopped %v, tokens %q; want %q, %v", s.Text, s.Stopped, joined, c.want, c.stopped)
			}
		})
	}
}

// TestDrawnTokensHaveTheirScores checks that Score gives a sample the very
// log-probabilities that it was drawn with.
func TestDrawnTokensHaveTheirScores(t *testing.T) {
	m := train(t, File{Path: "shop.go", Text: shop})
	rapid.Check(t, func(t *rapid.T) {
		cut := rapid.IntRange(0, len(shop)).Draw(t, "cut")
		left := shop[:cut] + rapid.SampledFrom([]string{"", "zz", "\n", " ", "c.", "\r"}).Draw(t, "typed")
		o := model.Options{Temperature: 1, MaxTokens: 10, Stop: []string{"\n"}, Seed: rapid.IntRange(0, 1000).Draw(t, "seed")}
		for s, err := range m.Model().Generator.Samples(context.Background(), model.Prompt{Left: left}, o) {
			if err != nil {
				t.Fatal(err)
			}
			if len(s.Tokens) == 0 || s.Tokens[0].Text == "" {
				return // ends, or leaves the last word: nothing to compare
			}
			drawn := 0.0
			for _, x := range s.Tokens {
				drawn += x.LogProb
			}
			l, _, err := m.Model().Scorer.Score(context.Background(), []model.Pair{{Prefix: left, Continuation: s.Text}})
			if err != nil {
				t.Fatal(err)
			}
			// A draw may join words that the lexer cuts otherwise.
			same := slices.EqualFunc(s.Tokens, l[0].Tokens, func(a, b model.Token) bool { return a.Text == b.Text })
			if same && math.Abs(l[0].LogProb-drawn) > 1e-9 {
				t.Fatalf("%q after %q: drawn with %g, scored %g", s.Text, left, drawn, l[0].LogProb)
			}
			return
		}
	})
}

func TestCancellingEndsASample(t *testing.T) {
	m := train(t, File{Path: "shop.go", Text: shop})
	ctx, cancel := context.WithCancel(t.Context())
	defer cancel()
	n := 0
	for _, err := range m.Model().Generator.Samples(ctx, model.Prompt{Left: "c"}, model.Options{Temperature: 1}) {
		if n++; n == 2 {
			cancel()
		}
		if n == 3 && !errors.Is(err, context.Canceled) || n > 3 {
			t.Fatalf("answer %d: %v", n, err)
		}
	}
	if n != 3 {
		t.Errorf("%d answers, want two and an error", n)
	}
	if _, _, err := m.Model().Scorer.Score(ctx, []model.Pair{{Prefix: "c", Continuation: "d"}}); !errors.Is(err, context.Canceled) {
		t.Errorf("score: %v", err)
	}
}

// TestNothingGrowsWithoutEnd draws long from texts that repeat themselves, from
// nothing, and from what is no text.
func TestNothingGrowsWithoutEnd(t *testing.T) {
	for name, text := range map[string]string{
		"nothing":           "",
		"white space":       " \t \n\n \t\r\n   ",
		"one letter":        strings.Repeat("a", 1<<20),
		"one line":          strings.Repeat("a, ", 1<<18),
		"NULs":              strings.Repeat("\x00", 1<<10),
		"bytes of no text":  strings.Repeat("\xff\xfe\xc3", 1<<10),
		"blanks":            strings.Repeat(" ", 1<<20),
		"indentations":      "\n" + strings.Repeat("\n"+strings.Repeat("\t", 300)+"x", 20),
		"brackets":          strings.Repeat("(", 1<<12),
		"carriage returns":  strings.Repeat("\r", 100),
		"mixed line ends":   strings.Repeat("a\r\nb\n", 100),
		"nothing but lines": strings.Repeat("\n", 1<<12),
	} {
		t.Run(name, func(t *testing.T) {
			m := train(t, File{Path: "it", Text: text})
			for _, left := range []string{text, "", "a"} {
				for _, o := range []model.Options{{}, {Temperature: 2, MaxTokens: 64}} {
					for _, s := range draw(t, m, model.Prompt{Left: left, Context: text, Right: text}, o, 2) {
						if len(s.Tokens) > 64 || len(s.Text) > 64*(maxIndent+2) {
							t.Errorf("%d tokens, %d bytes", len(s.Tokens), len(s.Text))
						}
					}
				}
			}
		})
	}
}
