package ollama

import (
	"context"
	"errors"
	"math"
	"net/http"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/ollama/ollama/api"
	"pgregory.net/rapid"

	"readahead/model"
)

// vocabularies are the worlds that walks are checked in; all but the last fit
// into the alternatives that a server lists, so nothing is hidden.
var vocabularies = map[string][]string{
	"letters":                 {"", "a", "b", "ab", "ba", " ", "\n", "aba"},
	"characters in parts":     {"", "a", "b", "ab", "\xe6", "\x97", "\xa5", "é", "\xc3", "\xa9", "\xe6\x97", " \xe6", "\xa5b"},
	"more than is ever shown": {"", "a", "b", "ab", "c", "d", "e", "f", "g", "h", "i", "j", "k", "l", "m", "n", "o", "p", "q", "r", "s", "t", "u", "v", "w", "x", "y", "z", " ", "\n"},
}

func targets(v []string) *rapid.Generator[string] {
	return rapid.Custom(func(t *rapid.T) string {
		runes := []rune{'a', 'b'}
		for _, s := range v {
			for _, r := range s {
				if r != '\uFFFD' {
					runes = append(runes, r)
				}
			}
		}
		return rapid.StringOfN(rapid.SampledFrom(append(runes, '日', 'x')), 0, 12, -1).Draw(t, "target")
	})
}

func TestAWalkAccountsForEveryByte(t *testing.T) {
	for name, v := range vocabularies {
		t.Run(name, func(t *testing.T) {
			f := newFake(t)
			f.toy.vocabulary = v
			m := f.openDirect(t, Config{})
			rapid.Check(t, func(r *rapid.T) {
				f.toy.salt = rapid.StringN(0, 3, -1).Draw(r, "salt")
				pair := model.Pair{Prefix: targets(v).Draw(r, "prefix"), Continuation: targets(v).Draw(r, "continuation")}
				got, _, err := m.Scorer.Score(t.Context(), []model.Pair{pair})
				if err != nil {
					r.Fatal(err)
				}
				text, sum := "", 0.0
				for _, token := range got[0].Tokens {
					text += token.Text
					sum += token.LogProb
					if token.LogProb > 0 || math.IsNaN(token.LogProb) || math.IsInf(token.LogProb, 0) {
						r.Fatalf("token %q costs %v", token.Text, token.LogProb)
					}
				}
				if text != pair.Continuation || math.Abs(sum-got[0].LogProb) > 1e-9 || got[0].Exact {
					r.Fatalf("tokens %q sum to %v; want %q and %v, not exact", text, sum, pair.Continuation, got[0].LogProb)
				}
			})
		})
	}
}

// The window is a shortcut: it saves requests and must not change the value.
func TestAWindowEqualsATokenARequest(t *testing.T) {
	for name, v := range vocabularies {
		t.Run(name, func(t *testing.T) {
			f := newFake(t)
			f.toy.vocabulary = v
			m := f.openDirect(t, Config{ScoreRequests: 1000})
			wide := m.Scorer.(*Walk)
			narrow := *wide
			narrow.MaxWindow = 1
			compare := func(t rapid.TB, pair model.Pair) (saved int) {
				a, fast, err := wide.Score(context.Background(), []model.Pair{pair})
				if err != nil {
					t.Fatal(err)
				}
				b, slow, err := narrow.Score(context.Background(), []model.Pair{pair})
				if err != nil {
					t.Fatal(err)
				}
				if math.Abs(a[0].LogProb-b[0].LogProb) > 1e-9 {
					t.Fatalf("%v in windows, %v token by token\n%v\n%v", a[0].LogProb, b[0].LogProb, a[0].Tokens, b[0].Tokens)
				}
				return slow.Requests - fast.Requests
			}
			rapid.Check(t, func(r *rapid.T) {
				f.toy.salt = rapid.StringN(0, 3, -1).Draw(r, "salt")
				compare(r, model.Pair{Prefix: "p" + targets(v).Draw(r, "prefix"), Continuation: targets(v).Draw(r, "continuation")})
			})
			// what the model would have said itself is where windows pay
			saved := 0
			for salt := range 20 {
				f.toy.salt = strconv.Itoa(salt)
				own := f.toy.generate(api.GenerateRequest{Prompt: "p"}, genOptions{NumPredict: 8}).Response
				saved += compare(t, model.Pair{Prefix: "p", Continuation: strings.ToValidUTF8(own, "")})
			}
			if saved <= 0 {
				t.Errorf("windows saved %d requests", saved)
			}
		})
	}
}

// reference is the walk's value straight from its definition, with the whole
// distribution at hand: the longest token that fits, and at the end the mass of
// all tokens that begin with what is left, if that is more.
func reference(m toy, prompt, rest string) float64 {
	sum := 0.0
	for rest != "" {
		best, mass, lp := -1, 0.0, m.logProbs(prompt)
		for i, token := range m.vocabulary {
			if token == "" {
				continue
			}
			if strings.HasPrefix(rest, token) && (best < 0 || len(token) > len(m.vocabulary[best])) {
				best = i
			}
			if strings.HasPrefix(token, rest) {
				mass += math.Exp(lp[i])
			}
		}
		if mass > 0 && (best < 0 || mass >= math.Exp(lp[best])) {
			return sum + math.Log(mass)
		}
		sum += lp[best]
		prompt, rest = prompt+m.vocabulary[best], rest[len(m.vocabulary[best]):]
	}
	return sum
}

func TestAWalkFollowsItsDefinition(t *testing.T) {
	f := newFake(t)
	m := f.openDirect(t, Config{})
	rapid.Check(t, func(r *rapid.T) {
		f.toy.salt = rapid.StringN(0, 3, -1).Draw(r, "salt")
		letters := rapid.StringOfN(rapid.SampledFrom([]rune("ab \n")), 1, 12, -1)
		pair := model.Pair{Prefix: letters.Draw(r, "prefix"), Continuation: letters.Draw(r, "continuation")}
		got, _, err := m.Scorer.Score(t.Context(), []model.Pair{pair})
		if err != nil {
			r.Fatal(err)
		}
		if want := reference(f.toy, pair.Prefix, pair.Continuation); math.Abs(got[0].LogProb-want) > 1e-9 {
			r.Fatalf("%+v: got %v from %v, want %v", pair, got[0].LogProb, got[0].Tokens, want)
		}
	})
}

func TestPairsTogetherScoreAsAlone(t *testing.T) {
	f := newFake(t)
	m := f.openDirect(t, Config{})
	pairs := []model.Pair{{Prefix: "b", Continuation: "abab"}, {Prefix: "a", Continuation: "ab"}, {Prefix: "b", Continuation: "abba"}, {Prefix: "a", Continuation: ""}}
	together, all, err := m.Scorer.Score(t.Context(), pairs)
	if err != nil {
		t.Fatal(err)
	}
	apart := 0
	for i, p := range pairs {
		alone, usage, err := m.Scorer.Score(t.Context(), []model.Pair{p})
		if err != nil {
			t.Fatal(err)
		}
		apart += usage.Requests
		if alone[0].LogProb != together[i].LogProb {
			t.Errorf("pair %d scores %v alone and %v among others", i, alone[0].LogProb, together[i].LogProb)
		}
	}
	if all.Requests >= apart {
		t.Errorf("%d requests together, %d apart: shared prefixes were asked about twice", all.Requests, apart)
	}
	if together[3].LogProb != 0 {
		t.Errorf("no continuation scores %v; nothing is certain", together[3].LogProb)
	}
}

func TestRequestsForAPairAreBounded(t *testing.T) {
	f := newFake(t)
	m := f.openDirect(t, Config{ScoreRequests: 3})
	got, usage, err := m.Scorer.Score(t.Context(), []model.Pair{{Prefix: "a", Continuation: strings.Repeat("xyz ", 50)}})
	if err != nil {
		t.Fatal(err)
	}
	if usage.Requests > 3 || !(got[0].LogProb < -100) || math.IsInf(got[0].LogProb, 0) {
		t.Errorf("%d requests, %v; want at most 3 and a finite price for the rest", usage.Requests, got[0].LogProb)
	}
}

func TestAScorerWithoutLogProbabilities(t *testing.T) {
	f := newFake(t)
	f.version = "0.12.10"
	if m := f.openDirect(t, Config{}); m.Scorer != nil || m.Info.Scoring != "" || !strings.Contains(strings.Join(m.Info.Notes, " "), "votes decide alone") {
		t.Errorf("an old server: %+v", m.Info)
	}
	f.version = "0.12.11"
	if m := f.openDirect(t, Config{}); m.Scorer == nil || m.Info.Scoring != "walk" {
		t.Errorf("a server that is new enough: %+v", m.Info)
	}
}

func TestScoringEndsWithItsContext(t *testing.T) {
	f := newFake(t)
	m := f.openDirect(t, Config{})
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if l, _, err := m.Scorer.Score(ctx, []model.Pair{{Prefix: "a", Continuation: "b"}}); err == nil || l != nil {
		t.Errorf("scored %v, %v after the end of its context", l, err)
	}
	if l, _, err := m.Scorer.Score(ctx, nil); err != nil || len(l) != 0 {
		t.Errorf("no pairs: %v, %v", l, err)
	}
}

// The middle of a gap is walked behind a prompt of both sides, and what it costs
// that nothing follows is the probability of a line break or of the end.
func TestAFilledGapEnds(t *testing.T) {
	f := newFake(t)
	f.toy.vocabulary = vocabularies["letters"] // all of it is listed, but for the end
	m := f.openDirect(t, Config{})
	rapid.Check(t, func(t *rapid.T) {
		f.toy.salt = rapid.StringN(0, 3, -1).Draw(t, "salt")
		g := model.Gap{Left: "l" + targets(f.toy.vocabulary).Draw(t, "left"), Middle: targets([]string{"a", "b"}).Draw(t, "middle"), Right: "\nr"}
		before := len(f.asked())
		got, usage, err := m.Filler.Fill(context.Background(), []model.Gap{g})
		if err != nil {
			t.Fatal(err)
		}
		text, sum := "", 0.0
		for _, token := range got[0].Tokens {
			text, sum = text+token.Text, sum+token.LogProb
		}
		if text != g.Middle || math.Abs(sum-got[0].LogProb) > 1e-9 {
			t.Fatalf("tokens %q sum to %v, want %q and %v", text, sum, g.Middle, got[0].LogProb)
		}
		prompt := m.server.prompter.Text(model.Prompt{Left: g.Left, Right: g.Right})
		exact := f.toy.logProbs(prompt + g.Middle)
		end := math.Exp(exact[slices.Index(f.toy.vocabulary, "\n")])
		if last := got[0].Tokens[len(got[0].Tokens)-1]; last.Text != "" || math.Abs(last.LogProb-max(worst, math.Log(end))) > 1e-6 {
			t.Fatalf("behind %q the end costs %v, want %v", prompt+g.Middle, last.LogProb, math.Log(end))
		}
		asked := f.asked()[before:]
		if len(asked) != usage.Requests || asked[0].Prompt != prompt {
			t.Fatalf("%d requests, %d told; the first %q, want %q", len(asked), usage.Requests, asked[0].Prompt, prompt)
		}
	})
}

// A server's version may promise what a proxy before it takes away. A sample shows
// that, and nothing more is asked for; one that has them again counts.
func TestAServerThatTellsNoLogProbabilitiesIsAskedForNoGrades(t *testing.T) {
	f := newFake(t)
	m := f.open(t, Config{})
	silent := true
	f.before = func(w http.ResponseWriter, _ *http.Request, g api.GenerateRequest) bool {
		if silent {
			reply(w, 200, api.GenerateResponse{Response: "ab", Done: true, DoneReason: "stop"})
		}
		return silent
	}
	pairs := []model.Pair{{Prefix: "a", Continuation: "b"}}
	for _, tt := range []struct {
		silent bool
		sample bool
		asks   int
	}{{true, false, 1}, {true, false, 0}, {true, true, 0}, {false, true, 1}} {
		silent = tt.silent
		if tt.sample {
			if _, err := draw(t.Context(), m, model.Prompt{Left: "a"}, tenTokens, 1); err != nil {
				t.Fatal(err)
			}
		}
		before := len(f.asked())
		if _, _, err := m.Scorer.Score(t.Context(), pairs); errors.Is(err, ErrNoLogProbs) != tt.silent {
			t.Errorf("%+v: %v", tt, err)
		}
		if n := len(f.asked()) - before; tt.silent && n != tt.asks || !tt.silent && n < tt.asks {
			t.Errorf("%+v: %d requests", tt, n)
		}
	}
}
