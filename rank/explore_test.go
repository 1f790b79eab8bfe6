package rank

import (
	"context"
	"errors"
	"fmt"
	"hash/fnv"
	"iter"
	"math"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"readahead/model"
)

// A toy is a language model small enough to write down all that it can say: the
// next token depends on the last two bytes of the text, and a text ends, or
// breaks its line, more and more likely.
type toy struct {
	salt   string
	tokens []string // "" is the end of the text
	listed int      // of the tokens; fewer than all: the others are not told
}

func (m toy) step(text string) model.Step {
	h := fnv.New64a()
	h.Write([]byte(m.salt + text[max(0, len(text)-2):]))
	r := rand.New(rand.NewPCG(h.Sum64(), 1))
	s := model.Step{Whole: m.listed >= len(m.tokens)}
	sum := 0.0
	for _, token := range m.tokens {
		x := 2 * r.NormFloat64()
		if token == "" || strings.Contains(token, "\n") {
			x += float64(len(text)) / 2
		}
		s.Listed = append(s.Listed, model.Choice{Token: model.Token{Text: token, LogProb: x}, End: token == ""})
		sum += math.Exp(x)
	}
	for i := range s.Listed {
		s.Listed[i].LogProb -= math.Log(sum)
	}
	slices.SortStableFunc(s.Listed, func(a, b model.Choice) int {
		if a.LogProb > b.LogProb {
			return -1
		}
		return 1
	})
	s.Listed = s.Listed[:min(m.listed, len(s.Listed))]
	return s
}

func (m toy) Explore(ctx context.Context, p model.Prompt, f func(model.Continue) error) error {
	return f(func(written []string, limit int) (steps []model.Step, u model.Usage, err error) {
		text := p.Context + p.Left + strings.Join(written, "")
		for len(steps) < limit {
			s := m.step(text)
			steps = append(steps, s)
			if s.Listed[0].End || strings.Contains(s.Listed[0].Text, "\n") {
				break
			}
			text += s.Listed[0].Text
		}
		return steps, model.Usage{Requests: 1, Generated: len(steps)}, ctx.Err()
	})
}

// Samples draws from the same distribution; only of a toy that lists all.
func (m toy) Samples(_ context.Context, p model.Prompt, o model.Options) iter.Seq2[model.Sample, error] {
	return func(yield func(model.Sample, error) bool) {
		r := rand.New(rand.NewPCG(uint64(o.Seed), 7))
		so := Options{Temperature: o.Temperature, TopP: o.TopP}
		for {
			s := model.Sample{}
			text := p.Context + p.Left
			for n := 0; n < o.MaxTokens && !s.Stopped; n++ {
				step := m.step(text)
				shares, _ := so.shares(step)
				x, at := r.Float64(), 0
				for at < len(shares)-1 && x >= shares[at] {
					x -= shares[at]
					at++
				}
				head, _, ended := strings.Cut(step.Listed[at].Text, "\n")
				s.Text += head
				text += head
				s.Stopped = ended || step.Listed[at].End
			}
			if !yield(s, nil) {
				return
			}
		}
	}
}

// exactly is the probability of every line, written down by going through all
// texts of up to limit tokens.
func (m toy) exactly(text, line string, o Options, limit int, p float64, out map[string]float64) {
	if p < 1e-12 {
		return
	}
	if limit == 0 {
		out[line] += p
		return
	}
	s := m.step(text)
	shares, _ := o.shares(s)
	for i, c := range s.Listed {
		head, _, ended := strings.Cut(c.Text, "\n")
		if c.End || ended {
			out[line+head] += p * shares[i]
		} else if shares[i] > 0 {
			m.exactly(text+c.Text, line+c.Text, o, limit-1, p*shares[i], out)
		}
	}
}

func drawToy(t *rapid.T) toy {
	m := toy{salt: rapid.StringN(0, 3, -1).Draw(t, "salt"), tokens: []string{"", "\n", "a", "b", "ab", "c\n"}}
	m.listed = rapid.IntRange(1, len(m.tokens)).Draw(t, "listed")
	return m
}

// toyOptions leave nothing out, so that masses can be compared.
func toyOptions() Options {
	o := DefaultOptions()
	o.Explore, o.NeverStop, o.Selector, o.Tau = true, true, Votes, 0
	o.MaxTokens = 6
	return o
}

// within makes the cursor one within a line, where the line is all of the text.
func within() Request { return Request{Bases: []Base{{"structural", "x"}}, Left: "v = ", Right: "\n"} }

func TestExploredMassesAreTheExactOnes(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		m, o := drawToy(t), toyOptions()
		o.Samples = rapid.IntRange(1, 200).Draw(t, "N")
		o.Temperature = rapid.SampledFrom([]float64{0, 0.3, 0.8, 1}).Draw(t, "temperature")
		o.TopP = rapid.SampledFrom([]float64{0, 0.5, 0.95, 1}).Draw(t, "top-p")
		d, err := Ranker{Explorer: m, Options: o}.Decide(context.Background(), within())
		if err != nil {
			t.Fatal(err)
		}
		exact := map[string]float64{}
		m.exactly("xv = ", "", o, o.MaxTokens, 1, exact)
		p, sum := d.Pools[0], 0.0
		for _, c := range p.Candidates {
			sum += c.Share
			if c.Share > exact[c.Text]+1e-9 || c.Share < exact[c.Text]-p.Unknown-1e-9 {
				t.Errorf("%q has %.6f with %.6f unknown, exactly it is %.6f", c.Text, c.Share, p.Unknown, exact[c.Text])
			}
		}
		if got := sum + p.Unknown; got > 1+1e-9 || len(p.Candidates) < o.Samples && got < 1-1e-9 {
			t.Errorf("%d lines and the unknown have the mass %.9f", len(p.Candidates), got)
		}
	})
}

// What samples of the same distribution come to in the long run.
func TestManySamplesAgreeWithWhatIsRead(t *testing.T) {
	m := toy{tokens: []string{"", "\n", "a", "b", "ab", "c\n"}, listed: 6}
	o := toyOptions()
	o.Samples = 20_000
	o.Explore = false
	sampled, err := Ranker{Generator: m, Options: o}.Decide(t.Context(), within())
	if err != nil {
		t.Fatal(err)
	}
	o.Explore, o.Samples = true, 500
	read, err := Ranker{Explorer: m, Options: o}.Decide(t.Context(), within())
	if err != nil {
		t.Fatal(err)
	}
	shares := map[string]float64{}
	for _, c := range sampled.Pools[0].Candidates {
		shares[c.Text] = c.Share
	}
	for _, c := range read.Pools[0].Candidates {
		// five standard deviations
		if off := math.Abs(shares[c.Text] - c.Share); off > 5*math.Sqrt(c.Share/20_000)+1e-4 {
			t.Errorf("%q: read %.4f, %.4f of the samples", c.Text, c.Share, shares[c.Text])
		}
	}
}

// Stopping early comes to what never stopping comes to.
func TestExploringStopsWhenNothingCanChange(t *testing.T) {
	saved := 0
	rapid.Check(t, func(t *rapid.T) {
		m := drawToy(t)
		m.listed = len(m.tokens)
		o := toyOptions()
		o.Samples, o.NeverStop = 300, false
		o.Tau = rapid.SampledFrom([]float64{0, 0.2, 0.5}).Draw(t, "tau")
		q := within()
		q.Bases = append(q.Bases, Base{"lexical", "y"})
		early, err := Ranker{Explorer: m, Options: o}.Decide(context.Background(), q)
		if err != nil {
			t.Fatal(err)
		}
		o.NeverStop = true
		late, err := Ranker{Explorer: m, Options: o}.Decide(context.Background(), q)
		if err != nil {
			t.Fatal(err)
		}
		a, b := outcomeOf(early, o), outcomeOf(late, o)
		if a != b && early.Pools[early.Routed].Stopped != "" && !strings.HasPrefix(early.Pools[early.Routed].Stopped, "known") {
			t.Errorf("early %+v\nlate  %+v\n%s", a, b, early.Pools[early.Routed].Stopped)
		}
		saved += late.Usage.Requests - early.Usage.Requests
	})
	if saved <= 0 {
		t.Error("it never stopped early")
	}
}

// told lists what may follow each text.
type told map[string][]model.Choice

func (m told) Explore(_ context.Context, p model.Prompt, f func(model.Continue) error) error {
	return f(func(written []string, limit int) (steps []model.Step, u model.Usage, err error) {
		text := strings.Join(written, "")
		for len(steps) < limit {
			next, known := m[text]
			if !known {
				return steps, u, fmt.Errorf("nothing is told behind %q", text)
			}
			steps = append(steps, model.Step{Listed: next, Whole: true})
			if next[0].End || strings.Contains(next[0].Text, "\n") {
				break
			}
			text += next[0].Text
		}
		return steps, model.Usage{Requests: 1}, nil
	})
}

func next(pairs ...any) (out []model.Choice) {
	for i := 0; i < len(pairs); i += 2 {
		c := model.Choice{Token: model.Token{Text: pairs[i].(string), LogProb: math.Log(pairs[i+1].(float64))}}
		c.End = c.Text == ""
		out = append(out, c)
	}
	return out
}

func TestExplore(t *testing.T) {
	exact := func(o *Options) { o.Temperature, o.TopP = 1, 1 }
	tests := []struct {
		name     string
		model    told
		left     string
		change   func(*Options)
		want     string // lines and masses
		followed int
		stopped  string
	}{
		{"a sure line takes one continuation", told{
			"": next("return", 0.9, "if", 0.1), "return": next(" err", 1.0), "return err": next("\n", 1.0),
		}, "", func(*Options) {}, "return err 0.94", 1, "settled: a line has probability 0.94"},
		{"lines that end on the way are found without following", told{
			"": next("a", 1.0), "a": next("b", 0.6, "\n", 0.4), "ab": next("\n", 0.7, "", 0.3),
		}, "", exact, "ab 0.60, a 0.40", 1, ""},
		{"comments are passed over, and what stands behind them counts", told{
			"": next("// c\n", 0.6, "a", 0.4), "a": next("\n", 1.0),
			"// c\n": next("a", 0.5, "b", 0.5), "// c\na": next("\n", 1.0), "// c\nb": next("\n", 1.0),
		}, "", exact, "a 0.70, b 0.30", 4, ""},
		{"spaces within a line make no other line", told{
			"": next("a", 1.0), "a": next(" b", 0.5, "  b", 0.5), "a b": next("\n", 1.0), "a  b": next("\n", 1.0),
		}, "", exact, "a b 1.00", 2, ""},
		{"blank texts are nobody's", told{
			"": next("", 0.7, "a", 0.3), "a": next("\n", 1.0),
		}, "", exact, "a 0.30", 2, ""},
		{"within a line nothing to insert is a line", told{
			"": next("\n", 0.7, "a", 0.3), "a": next("\n", 1.0),
		}, "x = f()", exact, " 0.70, a 0.30", 2, ""},
		{"the cap of tokens ends a line", told{
			"": next("a", 1.0), "a": next("a", 1.0), "aa": next("a", 1.0),
		}, "", func(o *Options) { exact(o); o.MaxTokens = 3 }, "aaa… 1.00", 1, ""},
		{"no more than N are followed", told{
			"": next("a", 0.4, "b", 0.3, "c", 0.3), "a": next("\n", 1.0), "b": next("\n", 1.0), "c": next("\n", 1.0),
		}, "", func(o *Options) { exact(o); o.Samples = 2 }, "a 0.40, b 0.30", 2, ""},
		{"half a sample is not followed", told{
			"": next("a", 0.57, "b", 0.39, "c", 0.04), "a": next("\n", 1.0), "b": next("\n", 1.0),
		}, "", func(o *Options) { exact(o); o.Theta = 1 }, "a 0.57, b 0.39", 2, "known: what else could be said has probability 0.04 at most"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			o := DefaultOptions()
			o.Explore = true
			tt.change(&o)
			q := Request{Bases: []Base{{"structural", ""}}, Lang: "go", Left: tt.left, Right: "\nx\n"}
			r := Ranker{Explorer: tt.model, Scorer: scattered{}, Options: o}
			d, err := r.Decide(t.Context(), q)
			if err != nil {
				t.Fatal(err)
			}
			p := d.Pools[0]
			slices.SortStableFunc(p.Candidates, func(a, b Candidate) int { return int(1e6 * (b.Share - a.Share)) })
			var got []string
			for _, c := range p.Candidates {
				cut := ""
				if c.Cut {
					cut = "…"
				}
				got = append(got, fmt.Sprintf("%s%s %.2f", c.Text, cut, c.Share))
			}
			if got := strings.Join(got, ", "); got != tt.want || len(p.Samples) != tt.followed || p.Stopped != tt.stopped {
				t.Errorf("got  %s (%d followed, %q)\nwant %s (%d followed, %q)", got, len(p.Samples), p.Stopped, tt.want, tt.followed, tt.stopped)
			}
		})
	}
}

func TestExploringThatFails(t *testing.T) {
	o := DefaultOptions()
	o.Explore = true
	q := Request{Bases: []Base{{"structural", ""}}, Lang: "go", Right: "\nx\n"}
	m := told{"": next("a", 0.4, "b", 0.35, "c", 0.25), "a": next("\n", 1.0)}
	d, err := Ranker{Explorer: m, Options: o}.Decide(t.Context(), q)
	if err == nil || !strings.Contains(err.Error(), `nothing is told behind "b"`) || shown(d) != "a" {
		t.Errorf("shown %q, %v; want what was found before, and the error", shown(d), err)
	}
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if _, err := (Ranker{Explorer: m, Options: o}).Decide(ctx, q); !errors.Is(err, context.Canceled) {
		t.Errorf("cancelled: %v", err)
	}
}

// Without an Explorer the samples are drawn.
func TestExploreFallsBackToSamples(t *testing.T) {
	o := DefaultOptions()
	o.Explore = true
	d, err := Ranker{Generator: instant{"a"}, Options: o}.Decide(t.Context(), Request{Bases: make([]Base, 1)})
	if err != nil || shown(d) != "a" || d.Pools[0].Explored {
		t.Errorf("%+v, %v", d, err)
	}
}

// What is not listed may go on with tokens that are each as probable as the last
// one listed, and no more: tempered, the mass m of those is m/e of e each, and e^(1/T)
// in place of e.
func TestWhatIsNotListedIsTemperedAtMostLikeTheLastListed(t *testing.T) {
	step := model.Step{Listed: []model.Choice{{Token: model.Token{LogProb: math.Log(0.5)}}, {Token: model.Token{LogProb: math.Log(0.3)}}, {Token: model.Token{LogProb: math.Log(0.1)}}}}
	for _, temperature := range []float64{0.5, 0.8, 1, 2} {
		tempered := func(p float64) float64 { return math.Pow(p, 1/temperature) }
		unlisted := tempered(0.1) // 0.1 are left, one token like the last
		total := tempered(0.5) + tempered(0.3) + tempered(0.1) + unlisted
		shares, rest := Options{Temperature: temperature}.shares(step)
		for i, p := range []float64{0.5, 0.3, 0.1} {
			if want := tempered(p) / total; math.Abs(shares[i]-want) > 1e-9 {
				t.Errorf("temperature %v, token %d: %v, want %v", temperature, i, shares[i], want)
			}
		}
		if want := unlisted / total; math.Abs(rest-want) > 1e-9 {
			t.Errorf("temperature %v: %v is left, want %v", temperature, rest, want)
		}
	}
}
