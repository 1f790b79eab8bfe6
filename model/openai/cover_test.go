package openai

import (
	"errors"
	"math"
	"strings"
	"testing"

	"pgregory.net/rapid"
)

func tok(text string, logProb float64, listed ...piece) token {
	return token{text: text, logProb: logProb, known: true, listed: listed}
}

var start = token{text: "<s>"} // the beginning of a text, as some servers list it

func TestCover(t *testing.T) {
	half := math.Log(0.5)
	for _, tt := range []struct {
		name   string
		tokens []token
		prefix string
		target string
		want   float64
		text   string // of the tokens that count, with | between
		exact  bool
	}{
		{"what stands before the boundary is free", []token{tok("ab", -9), tok("c", -1), tok("d", -2)}, "ab", "cd", -3, "c|d", true},
		{"a first token without a probability stands before it", []token{{text: "ab"}, tok("cd", -1)}, "ab", "cd", -1, "cd", true},
		{"a token for the beginning is no text", []token{start, tok("ab", -9), tok("c", -1)}, "ab", "c", -1, "c", true},
		{"what was generated behind is left alone", []token{tok("a", -1), tok("b", -2), tok("xyz", -7)}, "a", "b", -2, "b", true},
		{"a token across it is divided by all that begin like it",
			[]token{tok("a", -1), tok(")\n", half, piece{")", math.Log(0.25)}, piece{")\n", half}, piece{"x", math.Log(0.25)}), tok("}", -1)}, "a)", "\n}",
			math.Log(0.5/0.75) - 1, "\n|}", true},
		{"what was not listed leaves a doubt, and half of it is charged",
			[]token{tok("a", -1), tok(")\n", half, piece{")", math.Log(0.25)})}, "a)", "\n",
			math.Log(0.5/0.75) - math.Log1p(0.25/0.75)/2, "\n", false},
		{"spaces of some vocabularies", []token{tok("▁a", -1), tok("▁▁b", -2)}, "a", "  b", -2, "  b", true},
		{"a character in three bytes", []token{tok("a", -1), tok("\uFFFD", -1), tok("\uFFFD", -2), tok("\uFFFD", -3), tok("b", -4)}, "a", "日b", -10, "日|b", true},
		{"a character whose bytes are lost", []token{tok("a", -1), tok("", -1), tok("", -2), tok("", -3), tok("b", -4)}, "a", "日b", -10, "日|b", true},
		{"a character in two tokens", []token{tok("a", -1), tok("\uFFFD\uFFFD", -1), tok("\uFFFD", -2), tok("b", -4)}, "a", "日b", -7, "日|b", true},
		{"a character that is in the last of its tokens", []token{tok("a", -1), tok("", -1), tok("", -2), tok("日", -3), tok("b", -4)}, "a", "日b", -10, "日|b", true},
		{"bytes as they are", []token{tok("a", -1), tok("\xe6", -1), tok("\x97\xa5", -2)}, "a", "日", -3, "日", true},
		{"the boundary between characters in bytes", []token{tok("a", -1), tok("", -1), tok("", -1), tok("", -1), tok("", -2), tok("", -2), tok("", -2)}, "a日", "本", -6, "本", true},
		{"the boundary inside what cannot be told apart", []token{tok("a", -1), tok("\uFFFD", -4), tok("\uFFFD", -2)}, "a日", "本", -3, "本", false},
		{"a real replacement character", []token{tok("a", -1), tok("\uFFFD", -2)}, "a", "\uFFFD", -2, "\uFFFD", true},
		{"what is ruled out costs no more than the worst", []token{tok("a", -1), tok("b", -9999)}, "a", "b", worst, "b", true},
		{"nothing is certain beyond certainty", []token{tok("a", -1), tok("b", 0.001)}, "a", "b", 0, "b", true},
	} {
		t.Run(tt.name, func(t *testing.T) {
			l, err := cover(tt.tokens, tt.prefix+tt.target, len(tt.prefix))
			if err != nil {
				t.Fatal(err)
			}
			var texts []string
			sum := 0.0
			for _, k := range l.Tokens {
				texts = append(texts, k.Text)
				sum += k.LogProb
			}
			if math.Abs(l.LogProb-tt.want) > 1e-9 || math.Abs(sum-tt.want) > 1e-9 || strings.Join(texts, "|") != tt.text || l.Exact != tt.exact {
				t.Errorf("got %v in %q, exact %v; want %v in %q, exact %v", l.LogProb, strings.Join(texts, "|"), l.Exact, tt.want, tt.text, tt.exact)
			}
		})
	}
}

func TestTokensThatDoNotJoinAreRefused(t *testing.T) {
	for name, tokens := range map[string][]token{
		"another text": {tok("a", -1), tok("x", -1)},
		"too short":    {tok("a", -1)},
		"nothing":      nil,
		"a gap":        {tok("a", -1), tok("c", -1)},
		"only parts":   {tok("", -1), tok("", -1)},
	} {
		if l, err := cover(tokens, "abc", 1); !errors.Is(err, errJoin) {
			t.Errorf("%s: %+v, %v", name, l, err)
		}
	}
	if _, err := cover([]token{{text: "ab"}}, "ab", 1); err == nil || !strings.Contains(err.Error(), "no log-probability") {
		t.Errorf("a text of one token: %v", err)
	}
}

// However a text is split, and whatever is lost of characters on the way, what
// counts is what stands behind the boundary.
func TestCoverOfAnySplit(t *testing.T) {
	rapid.Check(t, func(r *rapid.T) {
		text := strings.Join(rapid.SliceOfN(rapid.SampledFrom([]string{"a", "b ", "\n", "日", "é", "🙂", ")", "\t\t"}), 2, 12).Draw(r, "text"), "")
		runes := []rune(text)
		from := len(string(runes[:rapid.IntRange(0, len(runes)-1).Draw(r, "from")]))
		var tokens []token
		want := 0.0
		aligned := true
		for at := 0; at < len(text); {
			n := rapid.IntRange(1, min(5, len(text)-at)).Draw(r, "n")
			lost := rapid.Bool().Draw(r, "lost")
			t := tok(text[at:at+n], -float64(n))
			if !strings.Contains(strings.ToValidUTF8(t.text, "\uFFFD"), "\uFFFD") {
				lost = false
			}
			if lost {
				t.text = strings.ToValidUTF8(t.text, "\uFFFD")
			}
			tokens = append(tokens, t)
			if at < from && at+n > from || lost {
				aligned = false
			}
			if at >= from {
				want -= float64(n)
			}
			at += n
		}
		l, err := cover(tokens, text, from)
		if err != nil && !aligned {
			return // what was lost may leave nothing to find the rest by
		}
		if err != nil {
			r.Fatal(err)
		}
		got := ""
		for _, k := range l.Tokens {
			got += k.Text
		}
		if got != text[from:] || l.LogProb > 0 || math.IsInf(l.LogProb, 0) {
			r.Fatalf("tokens %q of %q, log-probability %v", got, text[from:], l.LogProb)
		}
		if aligned && math.Abs(l.LogProb-want) > 1e-9 {
			r.Fatalf("%v, want %v", l.LogProb, want)
		}
	})
}
