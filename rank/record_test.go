package rank

import (
	"context"
	"encoding/json"
	"errors"
	"hash/fnv"
	"math"
	"reflect"
	"slices"
	"strings"
	"testing"
	"time"

	"pgregory.net/rapid"

	"readahead/model"
	"readahead/model/replay"
)

// What a record decides is what the model would have decided with the same
// options: the same winner, the same samples drawn, the same candidates scored,
// the same reasons. The way over JSON changes nothing.
func TestARecordDecidesAsTheModelWould(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		const wanted = 6
		line := rapid.SampledFrom([]string{"a", "b", "c", "  a", "// x", "// x\nb", "", "\n\n\n\n\n", "a(1)", "a( 1)", "d\ne"})
		lines := map[string][]string{} // by seed
		greedy := map[string]replay.Reply{}
		for _, context := range []string{"one", "two"} {
			lines[context] = rapid.SliceOfN(line, wanted, wanted).Draw(t, context)
			greedy[context] = replay.Texts(line.Draw(t, "greedy "+context))
		}
		m := replay.New()
		m.Respond = func(_ int, p model.Prompt, o model.Options) replay.Reply {
			if o.Temperature == 0 {
				return greedy[p.Context]
			}
			seeded := o.Seed % wanted
			return replay.Texts(slices.Concat(lines[p.Context][seeded:], lines[p.Context][:seeded])...)
		}
		salt := rapid.Byte().Draw(t, "salt")
		if rapid.Bool().Draw(t, "scores") {
			m.Score = func(p model.Pair) (model.Likelihood, error) {
				h := fnv.New32()
				h.Write([]byte{salt})
				h.Write([]byte(p.Prefix))
				x := -float64(h.Sum32() % 50)
				if x == 0 {
					x = math.Inf(-1)
				}
				return model.Likelihood{LogProb: x, Exact: true}, nil
			}
		}
		second := rapid.SampledFrom([]string{"one", "two"}).Draw(t, "second")
		q := Request{Lang: "go", Left: rapid.SampledFrom([]string{"f()\n\t", "x = "}).Draw(t, "left"), Right: rapid.SampledFrom([]string{"", ")", "\ng()\n"}).Draw(t, "right"),
			Bases: []Base{{"structural", "one"}, {"lexical", second}}}
		rec, err := ranker(m, func(o *Options) { o.Samples = wanted }).Record(t.Context(), q, Recording{Twice: rapid.Bool().Draw(t, "twice")})
		if err != nil {
			t.Fatal(err)
		}
		rec = throughJSON(t, rec)

		o := DefaultOptions()
		o.Samples = rapid.IntRange(1, wanted).Draw(t, "N")
		o.Tau = rapid.SampledFrom([]float64{0, 0.2, 0.5, 1.5}).Draw(t, "τ")
		o.Theta = rapid.SampledFrom([]float64{0.3, 0.8, 2}).Draw(t, "θ")
		o.Weight = rapid.SampledFrom([]float64{0, 0.75, 1}).Draw(t, "weight")
		o.Selector = rapid.SampledFrom([]Selector{Blend, Votes, Reverse, Greedy}).Draw(t, "selector")
		o.NeverStop = rapid.Bool().Draw(t, "never stop")
		o.LikeliestFirst = rapid.Bool().Draw(t, "likeliest first")
		order := rapid.SampledFrom([][]int{{0, 1}, {1, 0}, {0}, {1}}).Draw(t, "order")
		live, stored := q, q
		live.Bases, stored.Bases = pick(q.Bases, order), pick(rec.Bases(), order)
		want, err := ranker(m, func(p *Options) { *p = o }).Decide(t.Context(), live)
		if err != nil {
			t.Fatal(err)
		}
		got, err := rec.Decide(t.Context(), stored, o)
		if err != nil {
			t.Fatal(err)
		}
		if a, b := account(got), account(want); !reflect.DeepEqual(a, b) {
			t.Fatalf("from the record\n%+v\nfrom the model\n%+v", a, b)
		}
	})
}

// The same, where probabilities are read, and for every reading of the scorer.
func TestARecordOfWhatWasReadDecidesAsTheModelWould(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		m := drawToy(t)
		m.listed = len(m.tokens)
		r := Ranker{Generator: m, Explorer: m, Scorer: hashed{}, Tokens: words, Options: DefaultOptions()}
		r.Options.MaxTokens, r.Options.Explore, r.Options.Grade = 6, true, Bayes
		r.Filler = fillFunc(func(gaps []model.Gap) (out []model.Likelihood) {
			for _, g := range gaps {
				h := fnv.New32()
				h.Write([]byte(g.Middle))
				out = append(out, model.Likelihood{LogProb: -float64(h.Sum32() % 100)})
			}
			return out
		})
		q := within()
		q.Left, q.Right = "one two\n"+q.Left, "\none\ntwo three\n"
		q.Bases = append(q.Bases, Base{"lexical", "y"})
		q.Right += strings.Repeat(" four five six seven\n", 8)
		further := append([]Reading{{0, 128}, {256, 1}}, RaceReadings(Reading{256, 128})...)
		at := rapid.IntRange(0, len(further)).Draw(t, "readings at once")
		rec, err := r.Record(context.Background(), q, Recording{Readings: further[:at]})
		if err != nil {
			t.Fatal(err)
		}
		rec = throughJSON(t, rec)
		if rec, err = r.Extend(context.Background(), q, rec, further); err != nil {
			t.Fatal(err)
		}
		rec = throughJSON(t, rec)

		r.Options.Explore = rapid.Bool().Draw(t, "explore")
		r.Options.Samples = rapid.IntRange(1, r.Options.Samples).Draw(t, "N")
		r.Options.Tau = rapid.SampledFrom([]float64{0, 0.2, 0.5, 1.5}).Draw(t, "τ")
		r.Options.Selector = rapid.SampledFrom([]Selector{Blend, Votes, Reverse, Greedy}).Draw(t, "selector")
		r.Options.Graded = rapid.SampledFrom([]int{0, 0, 2, 3}).Draw(t, "graded")
		r.Options.Grade = rapid.SampledFrom([]Grade{"", Race, Bayes}).Draw(t, "grade")
		if r.Options.Grade != "" {
			// its readings are those of the default
		} else if i := rapid.IntRange(-2, len(further)-1).Draw(t, "reading"); i == -2 {
			r.Options.RightTokens = 0
		} else if i >= 0 {
			r.Options.LeftTokens, r.Options.RightTokens = further[i].Left, further[i].Right
		}
		want, err := r.Decide(context.Background(), q)
		if err != nil {
			t.Fatal(err)
		}
		q.Bases = rec.Bases()
		got, err := rec.Decide(context.Background(), q, r.Options)
		if err != nil {
			t.Fatal(err)
		}
		if a, b := account(got), account(want); !reflect.DeepEqual(a, b) {
			t.Fatalf("from the record\n%+v\nfrom the model\n%+v", a, b)
		}
	})
}

// hashed scores whatever it is given, byte by byte and differently, so that the
// parts of a text add up.
type hashed struct{}

func (hashed) Score(_ context.Context, pairs []model.Pair) ([]model.Likelihood, model.Usage, error) {
	out := make([]model.Likelihood, len(pairs))
	for i, p := range pairs {
		h := fnv.New32()
		h.Write([]byte(p.Prefix))
		for j := range len(p.Continuation) {
			h.Write([]byte{p.Continuation[j]})
			out[i].LogProb -= float64(h.Sum32() % 10)
		}
	}
	return out, model.Usage{}, nil
}

func throughJSON(t interface {
	Helper()
	Fatal(...any)
}, rec *Record) *Record {
	t.Helper()
	text, err := json.Marshal(rec)
	if err != nil {
		t.Fatal(err)
	}
	var out *Record
	if err := json.Unmarshal(text, &out); err != nil {
		t.Fatal(err)
	}
	return out
}

func pick(bases []Base, order []int) (out []Base) {
	for _, i := range order {
		out = append(out, bases[i])
	}
	return out
}

// account is a decision without times and costs of requests.
func account(d Decision) any {
	type candidate struct {
		Text         string
		Votes        int
		Share, Blend float64
		Reverse      float64
	}
	type pool struct {
		Family     string
		Drawn      int
		Agreement  float64
		Stopped    string
		Candidates []candidate
	}
	var pools []pool
	for _, p := range d.Pools {
		one := pool{p.Family, len(p.Samples), p.Agreement, p.Stopped, nil}
		for _, c := range p.Candidates {
			x := candidate{c.Text, c.Votes, c.Share, c.Blend, 0}
			if c.Reverse != nil {
				x.Reverse = c.Reverse.LogProb
			}
			one.Candidates = append(one.Candidates, x)
		}
		pools = append(pools, one)
	}
	// The reasons why a score is no number differ in which one it was.
	var skipped []string
	for _, s := range d.Skipped {
		before, _, _ := strings.Cut(s, ": the model gave")
		skipped = append(skipped, before)
	}
	return []any{d.Routed, d.Route, d.Rule, skipped, d.RelativeCost(), d.Scored(), pools}
}

// The times of a decision are those of the samples and scores that it used.
func TestARecordKeepsWhatEachAnswerTook(t *testing.T) {
	o := DefaultOptions()
	rec := &Record{Wanted: 3, Views: []RecordedView{{Reading: Reading{o.LeftTokens, o.RightTokens}, Left: "x = ", Right: "\ny\n", Scores: []RecordedScore{}}}}
	view := &rec.Views[0]
	q := Request{Left: view.Left, Right: view.Right}
	for _, p := range []struct{ family, texts string }{{"structural", "abc"}, {"lexical", "ddd"}} {
		pool := RecordedPool{Family: p.family, Context: p.family, Greedy: &RecordedSample{Text: "g", Stopped: true, MS: 7}}
		for _, c := range p.texts {
			pool.Samples = append(pool.Samples, RecordedSample{Text: string(c), Stopped: true, MS: 10})
			x := -float64(c)
			if view.score(string(c)) == nil {
				view.Scores = append(view.Scores, RecordedScore{Text: string(c), LogProb: &x, Cost: Cost{MS: 1}})
			}
		}
		rec.Pools = append(rec.Pools, pool)
	}
	for _, tt := range []struct {
		name          string
		change        func(*Options)
		sample, score int // ms
		wins          string
	}{
		{"the primary alone: three samples, three scores", func(o *Options) { o.Tau = 0 }, 30, 3, "a"},
		{"both: the alternative agrees, and needs no score", func(o *Options) { o.Tau = 0.5 }, 60, 0, "d"},
		{"two samples of the primary", func(o *Options) { o.Tau, o.Samples = 0, 2 }, 20, 2, "a"},
		{"greedy", func(o *Options) { o.Selector = Greedy }, 7, 0, "g"},
	} {
		o := DefaultOptions()
		o.Samples = 3
		tt.change(&o)
		q.Bases = rec.Bases()
		d, err := rec.Decide(t.Context(), q, o)
		if err != nil || shown(d) != tt.wins || d.Took != (Timings{Sample: time.Duration(tt.sample) * time.Millisecond, Score: time.Duration(tt.score) * time.Millisecond, Total: time.Duration(tt.sample+tt.score) * time.Millisecond}) {
			t.Errorf("%s: %v, %s in %+v", tt.name, err, shown(d), d.Took)
		}
	}
}

// The samples have made the server read the prompt before the greedy answer is
// asked for: what that took is charged to it, since every ratio of times is over a
// greedy answer that is asked for alone.
func TestTheGreedyAnswerIsChargedForThePrompt(t *testing.T) {
	m := replay.New()
	m.Respond = func(_ int, _ model.Prompt, o model.Options) replay.Reply {
		took := 10 * time.Second
		if o.Temperature == 0 {
			took = 2 * time.Second // of it is new
		}
		return replay.Reply{Samples: []model.Sample{{Text: "a", Stopped: true, Usage: model.Usage{PromptTime: took}}}}
	}
	rec, err := ranker(m, func(o *Options) { o.Samples = 1 }).Record(t.Context(), Request{Left: "x = ", Bases: []Base{{"structural", "one"}}}, Recording{})
	if err != nil {
		t.Fatal(err)
	}
	if ms := rec.Pools[0].Greedy.MS; ms < 8000 || ms > 9000 {
		t.Errorf("the greedy answer took %v ms; want the 8,000 of the prompt and little more", ms)
	}
}

func TestARecordSaysWhatItCannotAnswer(t *testing.T) {
	m := replay.New(replay.Texts("a", "b"))
	m.Score = replay.Table{"a": -1, "b": -2}.Score
	q := Request{Left: "x = ", Right: "\ny\n", Bases: []Base{{"structural", "one"}}}
	rec, err := ranker(m, func(o *Options) { o.Samples = 2 }).Record(t.Context(), q, Recording{})
	if err != nil {
		t.Fatal(err)
	}
	o := DefaultOptions()
	o.Samples = 2
	for _, tt := range []struct {
		says   string
		change func(*Request, *Options)
	}{
		{"3 samples are wanted of a record of 2", func(_ *Request, o *Options) { o.Samples = 3 }},
		{"no context", func(q *Request, _ *Options) { q.Bases = []Base{{"structural", "one"}} }},
		{"no likelihood", func(q *Request, _ *Options) { q.Fit = func(s string) string { return s + "!" } }},
		{"was not explored", func(_ *Request, o *Options) { o.Explore = true }},
		{"a record without scores over 256 tokens to the left and 7 to the right", func(_ *Request, o *Options) { o.RightTokens = 7 }},
		{"selector", func(_ *Request, o *Options) { o.Selector = "best" }},
	} {
		q, o := q, o
		q.Bases = rec.Bases()
		tt.change(&q, &o)
		if _, err := rec.Decide(t.Context(), q, o); err == nil || !strings.Contains(err.Error(), tt.says) {
			t.Errorf("%v; want %q", err, tt.says)
		}
	}
}

func TestHalfARecordIsNone(t *testing.T) {
	broken := errors.New("broken")
	m := replay.New(replay.Reply{Samples: []model.Sample{{Text: "a", Stopped: true}}, Err: broken})
	q := Request{Left: "x = ", Bases: []Base{{"structural", "one"}}}
	if rec, err := ranker(m).Record(t.Context(), q, Recording{}); !errors.Is(err, broken) || rec != nil {
		t.Errorf("after one sample of ten: %v, %v", rec, err)
	}
	m = replay.New(replay.Texts("a", "b"))
	m.Score = func(model.Pair) (model.Likelihood, error) { return model.Likelihood{}, broken }
	q.Right = "\ny\n"
	if rec, err := ranker(m).Record(t.Context(), q, Recording{}); !errors.Is(err, broken) || rec != nil {
		t.Errorf("without scores: %v, %v", rec, err)
	}
	whole, err := ranker(m, func(o *Options) { o.Samples, o.RightTokens = 2, 0 }).Record(t.Context(), q, Recording{})
	if err != nil {
		t.Fatal(err)
	}
	if rec, err := ranker(m).Extend(t.Context(), q, whole, []Reading{{256, 128}}); !errors.Is(err, broken) || rec != nil {
		t.Errorf("extended without scores: %v, %v", rec, err)
	}
}

// What a record says of the second time is what the model would have said to
// somebody who asks with the seeds that follow.
func TestARecordThatWasAskedTwiceKnowsBothAnswers(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		const wanted = 4
		lines := rapid.SliceOfN(rapid.SampledFrom([]string{"a", "b", "c", "d", ""}), 2*wanted, 2*wanted).Draw(t, "by seed")
		m := replay.New()
		m.Respond = func(_ int, p model.Prompt, o model.Options) replay.Reply {
			if o.Temperature == 0 {
				return replay.Texts("g")
			}
			from := o.Seed
			if p.Context == "two" {
				from = (from + 3) % len(lines)
			}
			return replay.Texts(append(append([]string{}, lines[from:]...), lines[:from]...)...)
		}
		m.Score = replay.Table{"a": -3, "b": -1, "c": -2, "d": -4, "g": -5, "x = ": -2}.Score
		q := Request{Left: "x = ", Right: "\ny\n", Bases: []Base{{"structural", "one"}, {"lexical", rapid.SampledFrom([]string{"one", "two"}).Draw(t, "second")}}}
		options := func(o *Options) { o.Samples = wanted }
		first := func(o *Options) {
			o.Samples, o.RightTokens = wanted, rapid.SampledFrom([]int{0, 16}).Draw(t, "at first")
		}
		rec, err := ranker(m, first).Record(t.Context(), q, Recording{Twice: true})
		if err != nil {
			t.Fatal(err)
		}
		asked := len(m.Calls())
		o := ranker(m, options).Options
		if rec, err = ranker(m, options).Extend(t.Context(), q, throughJSON(t, rec), []Reading{{o.LeftTokens, o.RightTokens}}); err != nil || len(m.Calls()) > asked {
			t.Fatalf("%v; %d calls, then %d", err, asked, len(m.Calls()))
		}
		rec = throughJSON(t, rec)
		stored := q
		stored.Bases = rec.Bases()
		for seed, of := range map[int]*Record{0: rec, wanted: rec.Again()} {
			o := ranker(m, options).Options
			o.Seed = seed
			want, err := ranker(m, func(p *Options) { *p = o }).Decide(t.Context(), q)
			if err != nil {
				t.Fatal(err)
			}
			got, err := of.Decide(t.Context(), stored, o)
			if err != nil {
				t.Fatal(err)
			}
			if a, b := account(got), account(want); !reflect.DeepEqual(a, b) {
				t.Fatalf("seeds from %d, from the record\n%+v\nfrom the model\n%+v", seed, a, b)
			}
		}
	})
	rec := &Record{Pools: []RecordedPool{{Samples: []RecordedSample{{Text: "a"}}}}}
	if again := rec.Again(); again != nil {
		t.Errorf("asked once, but %+v", again)
	}
}

// What is new to the model: each prompt once, the grader's left side once, each
// candidate with what is read behind it. Two candidates of two words, one of one.
func TestARecordCountsWhatAModelReads(t *testing.T) {
	m := replay.New(replay.Reply{Samples: []model.Sample{
		{Text: "a b", Stopped: true, Usage: model.Usage{Requests: 1, Prompt: 1000, Generated: 3}},
		{Text: "a c", Stopped: true, Usage: model.Usage{Requests: 1, Prompt: 1000, Generated: 3}},
		{Text: "d", Stopped: true, Usage: model.Usage{Requests: 1, Prompt: 1000, Generated: 2}},
	}})
	scorer := counting{replay.Table{"a b": -3, "a c": -1, "d": -200}.Score}
	q := Request{Left: "one two\nthree four ", Right: "\n" + strings.Repeat("x ", 30) + "\n" + strings.Repeat("y ", 50) + "\n", Bases: []Base{{"structural", "one"}}}
	r := Ranker{Generator: m.Model().Generator, Scorer: scorer, Tokens: words, Options: DefaultOptions()}
	r.Options.Samples, r.Options.Tau = 3, 0
	rec, err := r.Record(t.Context(), q, Recording{Readings: RaceReadings(Reading{256, 128})})
	if err != nil {
		t.Fatal(err)
	}
	rec = throughJSON(t, rec)
	right, left := words(q.Right), words(q.Left)
	short := words(rec.view(Reading{256, 16}).Right)
	middle := words(rec.view(Reading{256, 64}).Right)
	const candidates, written = 2 + 2 + 1, 3 + 3 + 2
	for _, tt := range []struct {
		name            string
		change          func(*Options)
		read, generated int
	}{
		{"votes read the prompt", func(o *Options) { o.Selector = Votes }, 1000, written},
		{"every candidate is graded by all", func(o *Options) {}, 1000 + left + candidates + 3*right, written + 3*7},
		{"by less", func(o *Options) { o.RightTokens = 64 }, 1000 + left + candidates + 3*middle, written + 3*7},
		{"in a race the worst goes no further than the first piece", func(o *Options) { o.Grade = Race }, 1000 + left + candidates + 2*right + short, written + 3*7},
		{"greedy", func(o *Options) { o.Selector = Greedy }, 1000, 3},
	} {
		o := r.Options
		tt.change(&o)
		stored := q
		stored.Bases = rec.Bases()
		d, err := rec.Decide(t.Context(), stored, o)
		if err != nil || d.Usage.Prompt != tt.read || d.Usage.Generated != tt.generated {
			t.Errorf("%s: %v, read %d, generated %d; want %d and %d", tt.name, err, d.Usage.Prompt, d.Usage.Generated, tt.read, tt.generated)
		}
	}
}

// counting is a scorer that generates seven tokens in two requests a candidate.
type counting struct {
	of func(model.Pair) (model.Likelihood, error)
}

func (c counting) Score(_ context.Context, pairs []model.Pair) ([]model.Likelihood, model.Usage, error) {
	var out []model.Likelihood
	for _, p := range pairs {
		l, err := c.of(p)
		if err != nil {
			return nil, model.Usage{}, err
		}
		out = append(out, l)
	}
	return out, model.Usage{Requests: 2 * len(pairs), Generated: 7 * len(pairs)}, nil
}

// What only votes are asked of is not graded: neither at first nor over further code.
func TestOnlyGradedContextsAreScored(t *testing.T) {
	lines := map[string][]string{"one": {"a", "c"}, "two": {"b", "d"}}
	m := replay.New()
	m.Respond = func(_ int, p model.Prompt, _ model.Options) replay.Reply { return replay.Texts(lines[p.Context]...) }
	m.Score = replay.Table{"a": -1, "b": -2, "c": -3, "d": -4}.Score
	two := func(o *Options) { o.Samples, o.Theta = 2, 2 }
	for _, tt := range []struct {
		name  string
		bases []Base
		pairs int
	}{
		{"one of two", []Base{{"structural", "one"}, {"both", "two"}}, 2},
		{"both of the families have one text", []Base{{"both", "one"}, {"structural", "one"}}, 2},
		{"none", []Base{{"both", "two"}}, 0},
	} {
		q := Request{Left: "x = ", Right: "\ny z\n", Bases: tt.bases}
		before := len(m.Pairs())
		rec, err := ranker(m, two).Record(t.Context(), q, Recording{Twice: true, Graded: []string{"structural"}})
		if err != nil || len(m.Pairs())-before != tt.pairs {
			t.Fatalf("%s: %v, %d pairs scored", tt.name, err, len(m.Pairs())-before)
		}
		before = len(m.Pairs())
		if rec, err = ranker(m, two).Extend(t.Context(), q, throughJSON(t, rec), []Reading{{256, 1}}); err != nil || len(m.Pairs())-before != tt.pairs {
			t.Fatalf("%s, extended: %v, %d pairs scored", tt.name, err, len(m.Pairs())-before)
		}
		o := ranker(m, two).Options
		for i, b := range tt.bases {
			q.Bases = rec.Bases()[i : i+1]
			o.Selector = Votes
			if d, err := rec.Decide(t.Context(), q, o); err != nil || d.Pools[0].Candidates[0].Text != lines[b.Text][0] {
				t.Errorf("%s, votes of %s: %v, %+v", tt.name, b.Family, err, d)
			}
			o.Selector = Reverse
			if _, err := rec.Decide(t.Context(), q, o); (err == nil) != (tt.pairs > 0 && b.Text == "one") {
				t.Errorf("%s, graded by what follows, %s: %v", tt.name, b.Family, err)
			}
		}
	}
}
