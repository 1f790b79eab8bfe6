package rank

import (
	"context"
	"errors"
	"fmt"
	"iter"
	"reflect"
	"slices"
	"strings"
	"testing"
	"testing/synctest"
	"time"
	"unicode/utf8"

	"readahead/model"
	"readahead/model/replay"
)

// after answers by what the prompt's left context ends with: a model that says
// one line at a time.
func after(left string, lines map[string]string) *replay.Model {
	m := replay.New()
	m.Respond = func(_ int, p model.Prompt, _ model.Options) replay.Reply {
		return replay.Texts(lines[p.Left[len(left):]])
	}
	return m
}

func TestCommentsAreGoneOnFrom(t *testing.T) {
	const left = "func f() {\n\t"
	m := after(left, map[string]string{
		"":                          "// Add the",
		"// Add the\n":              "\t// price.",
		"// Add the\n\t// price.\n": "\ttotal += price",
	})
	r := ranker(m, func(o *Options) { o.Samples, o.Seed, o.NeverStop = 2, 5, true })
	d, err := r.Decide(t.Context(), Request{Bases: []Base{{"structural", "evidence"}}, Lang: "go", Left: left, Right: "\n}"})
	if err != nil || shown(d) != "total += price" {
		t.Fatalf("shown %q, %v", shown(d), err)
	}
	s := d.Pools[0].Samples[0]
	if s.Text != "// Add the\n\t// price.\n\ttotal += price" || s.Usage.Requests != 3 || s.Usage.Generated != 8 {
		t.Errorf("sample %+v", s)
	}
	if d.Usage.Requests != 6 {
		t.Errorf("%d requests", d.Usage.Requests)
	}
	var got []string
	for _, c := range m.Calls() {
		if c.Prompt.Context != "evidence" || c.Prompt.Right != "\n}" || !reflect.DeepEqual(c.Options.Stop, []string{"\n"}) {
			t.Errorf("asked %+v with %+v", c.Prompt, c.Options)
		}
		got = append(got, fmt.Sprintf("%q seed %d, %d tokens, took %d", c.Prompt.Left[len(left):], c.Options.Seed, c.Options.MaxTokens, c.Yielded))
	}
	want := []string{
		`"" seed 5, 64 tokens, took 2`,
		`"// Add the\n" seed 5, 61 tokens, took 1`,
		`"// Add the\n\t// price.\n" seed 5, 59 tokens, took 1`,
		`"// Add the\n" seed 6, 61 tokens, took 1`,
		`"// Add the\n\t// price.\n" seed 6, 59 tokens, took 1`,
	}
	if !slices.Equal(got, want) {
		t.Errorf("asked\n%q\nwant\n%q", got, want)
	}
}

func TestGoingOnEnds(t *testing.T) {
	tests := []struct {
		name     string
		lines    func(left string) model.Sample
		requests int // of one sample
	}{
		{"at the token cap", func(string) model.Sample {
			return model.Sample{Text: "# more", Stopped: true, Usage: model.Usage{Requests: 1, Generated: 20}}
		}, 4},
		{"where the cap cut a comment", func(string) model.Sample {
			return model.Sample{Text: "# mo", Usage: model.Usage{Requests: 1, Generated: 9}}
		}, 1},
		{"after blank lines without end", func(string) model.Sample {
			return model.Sample{Text: "  ", Stopped: true, Usage: model.Usage{Requests: 1}}
		}, blankLines + 1},
		{"by reported tokens if usage says nothing", func(string) model.Sample {
			return model.Sample{Text: "# more", Stopped: true, Tokens: make([]model.Token, 32), Usage: model.Usage{Requests: 1}}
		}, 2},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			m := replay.New()
			m.Respond = func(_ int, p model.Prompt, _ model.Options) replay.Reply {
				return replay.Reply{Samples: []model.Sample{tt.lines(p.Left)}}
			}
			d, err := ranker(m, func(o *Options) { o.Samples = 1 }).Decide(t.Context(), Request{Bases: make([]Base, 1), Lang: "py"})
			if err != nil || d.Routed != -1 || d.Pools[0].Blank != 1 || d.Usage.Requests != tt.requests {
				t.Errorf("%d requests, want %d; %+v, %v", d.Usage.Requests, tt.requests, d, err)
			}
		})
	}
}

func TestGoingOnFails(t *testing.T) {
	m := replay.New(replay.Texts("x = 1", "# why", "y = 2"), replay.Fail(errors.New("down")))
	d, err := ranker(m).Decide(t.Context(), Request{Bases: make([]Base, 1), Lang: "py"})
	if err == nil || shown(d) != "x = 1" || len(d.Pools[0].Samples) != 1 || d.Usage.Requests != 2 {
		t.Errorf("shown %s of %d samples, %d requests, %v", shown(d), len(d.Pools[0].Samples), d.Usage.Requests, err)
	}
}

func TestCutLines(t *testing.T) {
	m := replay.New(replay.Reply{Samples: []model.Sample{{Text: "f(a, "}, {Text: "g()\n"}, {Text: "h()", Stopped: true}}})
	d, err := ranker(m, func(o *Options) { o.Samples = 3 }).Decide(t.Context(), Request{Bases: make([]Base, 1), Left: "x = "})
	var cut []bool
	for _, c := range d.Pools[0].Candidates {
		cut = append(cut, c.Cut)
	}
	if want := []bool{true, false, false}; err != nil || !slices.Equal(cut, want) {
		t.Errorf("cut %v, want %v, %v", cut, want, err)
	}
}

func TestDeadline(t *testing.T) {
	slow := func(d time.Duration, texts ...string) replay.Reply {
		r := replay.Texts(texts...)
		r.Delay = d
		return r
	}
	const ms = time.Millisecond
	tests := []struct {
		name       string
		primary    replay.Reply
		other      replay.Reply
		scoreDelay time.Duration
		deadline   time.Duration
		shown      string
		route      string
		rule       string
		skipped    []string
		took       time.Duration
	}{
		{"none is too long", slow(10*ms, "b", "a", "a"), slow(10*ms, "z"), ms, time.Second, "b", "primary", "blend",
			[]string{"lexical context: not needed, agreement 0.67 ≥ τ 0.50"}, 32 * ms},
		{"in the middle of the samples", slow(10*ms, "b", "a", "a"), replay.Reply{}, ms, 25 * ms, "b", "primary", "votes",
			[]string{"1 of 3 samples of the structural context: no time left", "lexical context: no time left", "scores: no time left"}, 25 * ms},
		{"in the alternative, where one sample beats nothing", slow(10*ms, "c", "b", "a"), slow(10*ms, "z"), ms, 45 * ms, "c", "primary after alternative", "votes",
			[]string{"2 of 3 samples of the lexical context: no time left", "scores: no time left"}, 45 * ms},
		{"in the alternative, where two of three beat one of three", slow(10*ms, "c", "b", "a"), slow(10*ms, "z", "z", "y"), ms, 55 * ms, "z", "alternative", "votes",
			[]string{"1 of 3 samples of the lexical context: no time left", "scores: there is one candidate only"}, 55 * ms},
		{"in the scores", slow(10*ms, "b", "a", "a"), replay.Reply{}, 10 * ms, 35 * ms, "a", "primary", "votes",
			[]string{"lexical context: not needed, agreement 0.67 ≥ τ 0.50", "scores: no time left"}, 35 * ms},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				m := byContext(map[string]replay.Reply{"1": tt.primary, "2": tt.other})
				m.Score, m.ScoreDelay = replay.Table{"a": -3, "b": -2, "c": -4}.Score, tt.scoreDelay
				ctx, cancel := context.WithTimeout(t.Context(), tt.deadline)
				defer cancel()
				start := time.Now()
				d, err := ranker(m, func(o *Options) { o.Samples, o.Tau = 3, 0.5 }).Decide(ctx,
					Request{Bases: []Base{{"structural", "1"}, {"lexical", "2"}}, Left: "x = ", Right: "\ny\n"})
				if err != nil || shown(d) != tt.shown || d.Route != tt.route || d.Rule != tt.rule {
					t.Errorf("shown %s by %q, %q, %v", shown(d), d.Route, d.Rule, err)
				}
				if !slices.Equal(d.Skipped, tt.skipped) {
					t.Errorf("skipped %q\nwant    %q", d.Skipped, tt.skipped)
				}
				if took := time.Since(start); took != tt.took || d.Took.Total != took || d.Took.Sample+d.Took.Score != took {
					t.Errorf("took %v, said %+v, want %v", took, d.Took, tt.took)
				}
			})
		})
	}
}

func TestDeadlineBeforeTheFirstSample(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		r := replay.Texts("a")
		r.Delay = time.Second
		ctx, cancel := context.WithTimeout(t.Context(), time.Millisecond)
		defer cancel()
		d, err := ranker(replay.New(r)).Decide(ctx, Request{Bases: make([]Base, 1)})
		if !errors.Is(err, context.DeadlineExceeded) || d.Routed != -1 {
			t.Errorf("%+v, %v", d, err)
		}
	})
}

func TestCancelled(t *testing.T) {
	const ms = time.Millisecond
	for _, at := range []time.Duration{0, 5 * ms, 25 * ms, 35 * ms} {
		t.Run(fmt.Sprint("after ", at), func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				r := replay.Texts("a", "b", "a")
				r.Delay = 10 * ms
				m := replay.New(r)
				m.Score, m.ScoreDelay = replay.Table{"": -3}.Score, 10*ms
				ctx, cancel := context.WithCancel(t.Context())
				defer cancel()
				time.AfterFunc(at, cancel)
				start := time.Now()
				_, err := ranker(m, func(o *Options) { o.Samples = 3 }).Decide(ctx, Request{Bases: make([]Base, 1), Right: "y\n", Left: "x = "})
				if err != context.Canceled || time.Since(start) != at {
					t.Errorf("after %v: %v", time.Since(start), err)
				}
			})
		})
	}
}

// endless gives samples however long the context is over.
type endless struct{}

func (endless) Samples(context.Context, model.Prompt, model.Options) iter.Seq2[model.Sample, error] {
	return func(yield func(model.Sample, error) bool) {
		for i := 0; yield(model.Sample{Text: fmt.Sprint(i), Stopped: true}, nil); i++ {
			time.Sleep(time.Second)
		}
	}
}

func TestDeadlineHoldsForAModelThatIgnoresIt(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		ctx, cancel := context.WithTimeout(t.Context(), 2500*time.Millisecond)
		defer cancel()
		d, err := (Ranker{Generator: endless{}, Options: DefaultOptions()}).Decide(ctx, Request{Bases: make([]Base, 1)})
		if err != nil || len(d.Pools[0].Samples) != 4 || d.Took.Total != 3*time.Second {
			t.Errorf("%d samples in %v, %v", len(d.Pools[0].Samples), d.Took.Total, err)
		}
	})
}

// A server that does not keep to MaxTokens is cut short.
func TestATextThatIsLongerThanWasAskedForIsCut(t *testing.T) {
	r := Ranker{Generator: instant{strings.Repeat("日", 1<<20)}, Options: DefaultOptions()}
	d, err := r.Decide(t.Context(), Request{Bases: make([]Base, 1), Lang: "go", Right: "\nx\n"})
	if err != nil {
		t.Fatal(err)
	}
	if c, ok := d.Best(); !ok || len(c.Text) > tokenBytes*r.Options.MaxTokens || !utf8.ValidString(c.Text) || !c.Cut {
		t.Errorf("%d bytes, cut %v", len(c.Text), c.Cut)
	}
}
