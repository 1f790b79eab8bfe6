package rank

import (
	"context"
	"errors"
	"iter"
	"reflect"
	"slices"
	"strings"
	"testing"

	"readahead/model"
	"readahead/model/replay"
)

// words counts a word as a token, as replay does, so that budgets can be
// checked by eye.
func words(s string) int { return len(strings.Fields(s)) }

// ranker is Caret's recipe over a scripted model.
func ranker(m *replay.Model, change ...func(*Options)) Ranker {
	got := m.Model()
	r := Ranker{Generator: got.Generator, Scorer: got.Scorer, Tokens: words, Options: DefaultOptions()}
	for _, c := range change {
		c(&r.Options)
	}
	return r
}

// byContext answers each context with its own samples.
func byContext(replies map[string]replay.Reply) *replay.Model {
	m := replay.New()
	m.Respond = func(_ int, p model.Prompt, _ model.Options) replay.Reply { return replies[p.Context] }
	return m
}

// shown is the winner's text, "-" if there is nothing to show.
func shown(d Decision) string {
	c, ok := d.Best()
	if !ok {
		return "-"
	}
	return c.Text
}

func lines(cs []Candidate) (out []string) {
	for _, c := range cs {
		out = append(out, c.Text)
	}
	return out
}

func samples(d Decision) (out []int) {
	for _, p := range d.Pools {
		out = append(out, len(p.Samples))
	}
	return out
}

// TestPaperExample is the task that §III-A goes through: the modal sample is
// wrong, at an agreement above τ and below θ, and the code after the cursor
// tells.
func TestPaperExample(t *testing.T) {
	m := replay.New(replay.Texts(
		"get_by_id(1)", "get_by_id(1)", "get_by_id(order1.id)", "get_by_id(1)", "get_by_id(order1.id)",
		"get_by_id(1)", "get_by_id(id)", "get_by_id(1)", "get_by_id(order1.id)", "get_by_id(1)"))
	m.Score = replay.Table{"get_by_id(1)": -31, "get_by_id(order1.id)": -12, "get_by_id(id)": -29}.Score
	q := Request{
		Bases: []Base{{"structural", "# repository.py"}, {"lexical", "# other.py"}},
		Path:  "tests/test_orders.py", Lang: "py",
		Left:  "order1 = make_order()\nfound = repository.",
		Right: "\nassert found.id == order1.id\n", Causal: true,
	}
	d, err := ranker(m).Decide(t.Context(), q)
	if err != nil {
		t.Fatal(err)
	}
	if got := shown(d); got != "get_by_id(order1.id)" {
		t.Errorf("shown %s", got)
	}
	p := d.Pools[0]
	if p.Agreement != 0.6 || d.Route != "primary" || d.Rule != "blend" || len(d.Pools) != 1 {
		t.Errorf("agreement %v, route %q, rule %q, %d pools", p.Agreement, d.Route, d.Rule, len(d.Pools))
	}
	// r̄ = 1, 0, 2/19 and v̄ = 0.4, 1, 0.
	if a, b, c := p.Candidates[0].Blend, p.Candidates[1].Blend, p.Candidates[2].Blend; a != 0.75+0.25*0.4 || b != 0.25 || c != 0.75*(2.0/19) {
		t.Errorf("blends %v %v %v of %q", a, b, c, lines(p.Candidates))
	}
	if got, want := d.RelativeCost(), 1.1+3*0.054; got != want {
		t.Errorf("relative cost %v, want %v", got, want)
	}

	wantPrompt := model.Prompt{Context: "# repository.py", Path: q.Path, Lang: "py", Left: q.Left, Right: q.Right, Causal: true}
	wantOptions := model.Options{Temperature: 0.8, TopP: 0.95, MaxTokens: 64, Stop: []string{"\n"}, N: 10}
	calls := m.Calls()
	if len(calls) != 1 || calls[0].Prompt != wantPrompt || !reflect.DeepEqual(calls[0].Options, wantOptions) || calls[0].Yielded != 10 {
		t.Errorf("the model was asked %+v", calls)
	}
	wantPairs := []model.Pair{
		{Prefix: q.Left + "get_by_id(1)", Continuation: q.Right},
		{Prefix: q.Left + "get_by_id(order1.id)", Continuation: q.Right},
		{Prefix: q.Left + "get_by_id(id)", Continuation: q.Right},
	}
	if got := m.Pairs(); !reflect.DeepEqual(got, wantPairs) {
		t.Errorf("scored %q\nwant %q", got, wantPairs)
	}
}

func TestDecide(t *testing.T) {
	const left, right = "func f() {\n\t", "\n\treturn x\n}\n"
	score := replay.Table{"a": -5, "b": -1, "c": -9, "d": -9}
	tests := []struct {
		name      string
		primary   string // samples, one letter each; drawn again from the first as needed
		other     string
		change    func(*Options, *Request, *Ranker)
		shown     string
		route     string
		rule      string
		drawn     []int
		agreement float64 // of the routed pool
	}{
		{"agreement at θ is emitted unscored, and stops as soon as it is certain",
			"aaaaaaaabb", "", nil, "a", "primary", "agreement", []int{8}, 1},
		{"a vote below θ is overruled by the code after the cursor",
			"aaaaaaabbb", "", nil, "b", "primary", "blend", []int{10}, 0.7},
		{"agreement at τ keeps the primary context",
			"aabcdefghi", "zzzzzzzzzz", func(o *Options, _ *Request, _ *Ranker) { o.Selector = Votes }, "a", "primary", "votes", []int{9}, 2.0 / 9},
		{"below τ the context that agrees more wins",
			"abcdefghij", "zzzzzzzzzz", nil, "z", "alternative", "agreement", []int{10, 8}, 1},
		{"a tie keeps the primary context, as soon as the other can't agree more",
			"abcdefghij", "zyxwvutsrq", func(o *Options, _ *Request, _ *Ranker) { o.Selector = Votes }, "a", "primary after alternative", "votes", []int{10, 10}, 0.1},
		{"τ above 1 always consults the alternative",
			"aaaaaaaaaa", "zzzzzzzzzz", func(o *Options, _ *Request, _ *Ranker) { o.Tau = 1.1 }, "a", "primary after alternative", "agreement", []int{10, 1}, 1},
		{"τ 0 never does",
			"abcdefghij", "zzzzzzzzzz", func(o *Options, _ *Request, _ *Ranker) { o.Tau, o.Selector = 0, Votes }, "a", "primary", "votes", []int{10}, 0.1},
		{"θ above 1 scores even a unanimous but for one pool",
			"aaaaaaaaab", "", func(o *Options, _ *Request, _ *Ranker) { o.Theta = 2 }, "b", "primary", "blend", []int{10}, 0.9},
		{"one candidate needs no score",
			"aaaaaaaaaa", "", func(o *Options, _ *Request, _ *Ranker) { o.Theta = 2 }, "a", "primary", "votes", []int{10}, 1},
		{"without code after the cursor votes decide, and stop when nobody can overtake",
			"aaabbbaaab", "", func(_ *Options, q *Request, _ *Ranker) { q.Right = " \n\n" }, "a", "primary", "votes", []int{8}, 5.0 / 8},
		{"without a scorer votes decide",
			"aaabbbaaab", "", func(_ *Options, _ *Request, r *Ranker) { r.Scorer = nil }, "a", "primary", "votes", []int{8}, 5.0 / 8},
		{"a right context of no tokens is none",
			"aaabbbaaab", "", func(o *Options, _ *Request, _ *Ranker) { o.RightTokens = 0 }, "a", "primary", "votes", []int{8}, 5.0 / 8},
		{"the votes selector scores nothing",
			"aaabbbaaab", "", func(o *Options, _ *Request, _ *Ranker) { o.Selector = Votes }, "a", "primary", "votes", []int{8}, 5.0 / 8},
		{"the reverse selector trusts no vote",
			"aaaaaaaaab", "", func(o *Options, _ *Request, _ *Ranker) { o.Selector = Reverse }, "b", "primary", "reverse", []int{10}, 0.9},
		{"greedy asks once",
			"abbbbbbbbb", "zzzzzzzzzz", func(o *Options, _ *Request, _ *Ranker) { o.Selector = Greedy }, "a", "primary", "greedy", []int{1}, 1},
		{"never stopping draws all",
			"aaaaaaaaaa", "", func(o *Options, _ *Request, _ *Ranker) { o.NeverStop = true }, "a", "primary", "agreement", []int{10}, 1},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			texts := func(s string) replay.Reply { return replay.Texts(strings.Split(s, "")...) }
			m := byContext(map[string]replay.Reply{"1": texts(tt.primary), "2": texts(tt.other)})
			m.Score = score.Score
			r := ranker(m)
			q := Request{Bases: []Base{{"structural", "1"}}, Lang: "go", Left: left, Right: right}
			if tt.other != "" {
				q.Bases = append(q.Bases, Base{"lexical", "2"})
			}
			if tt.change != nil {
				tt.change(&r.Options, &q, &r)
			}
			d, err := r.Decide(t.Context(), q)
			if err != nil {
				t.Fatal(err)
			}
			if shown(d) != tt.shown || d.Route != tt.route || d.Rule != tt.rule || !reflect.DeepEqual(samples(d), tt.drawn) {
				t.Errorf("shown %s by %q, %q, drawn %v\nwant  %s by %q, %q, drawn %v\n%q",
					shown(d), d.Route, d.Rule, samples(d), tt.shown, tt.route, tt.rule, tt.drawn, d.Skipped)
			}
			if got := d.Pools[d.Routed].Agreement; got != tt.agreement {
				t.Errorf("agreement %v, want %v", got, tt.agreement)
			}
			if (d.Rule == "blend" || d.Rule == "reverse") != (len(m.Pairs()) > 0) || len(m.Pairs()) != d.Scored() {
				t.Errorf("rule %q with %d pairs asked, %d scored", d.Rule, len(m.Pairs()), d.Scored())
			}
			for i, c := range m.Calls() {
				if c.Yielded != tt.drawn[i] {
					t.Errorf("the model drew %d samples for context %d, want %d", c.Yielded, i, tt.drawn[i])
				}
			}
		})
	}
}

func TestGreedyIsTemperatureZero(t *testing.T) {
	m := replay.New(replay.Texts("a"))
	d, err := ranker(m, func(o *Options) { o.Selector, o.Seed = Greedy, 7 }).Decide(t.Context(), Request{Bases: make([]Base, 1)})
	want := model.Options{Temperature: 0, TopP: 1, MaxTokens: 64, Seed: 7, Stop: []string{"\n"}, N: 1}
	if got := m.Calls()[0].Options; err != nil || !reflect.DeepEqual(got, want) || d.RelativeCost() != 1 {
		t.Errorf("asked with %+v, cost %v, %v", got, d.RelativeCost(), err)
	}
}

// The first sample is the one that takes the most probable token everywhere, what it
// goes on with behind a comment included. It wins where nothing else has more votes.
func TestTheLikeliestLineIsTheFirstSample(t *testing.T) {
	m := replay.New()
	m.Respond = func(_ int, p model.Prompt, o model.Options) replay.Reply {
		switch {
		case o.Temperature > 0:
			return replay.Texts("b", "c", "d")
		case strings.HasSuffix(p.Left, "// so\n"):
			return replay.Texts("a")
		}
		return replay.Texts("// so")
	}
	d, err := ranker(m, func(o *Options) { o.Selector, o.Tau, o.Samples, o.Seed, o.LikeliestFirst = Votes, 0, 4, 7, true }).
		Decide(t.Context(), Request{Lang: "go", Bases: make([]Base, 1)})
	if err != nil || shown(d) != "a" || len(d.Pools[0].Samples) != 4 {
		t.Errorf("%v, shown %q of %d samples", err, shown(d), len(d.Pools[0].Samples))
	}
	type asked struct {
		temperature, topP float64
		seed, n           int
	}
	var got []asked
	for _, c := range m.Calls() {
		got = append(got, asked{c.Options.Temperature, c.Options.TopP, c.Options.Seed, c.Options.N})
	}
	if want := []asked{{0, 1, 7, 1}, {0, 1, 7, 1}, {0.8, 0.95, 8, 3}}; !reflect.DeepEqual(got, want) {
		t.Errorf("asked with %v; want %v", got, want)
	}
	broken := errors.New("broken")
	m.Respond = func(int, model.Prompt, model.Options) replay.Reply { return replay.Fail(broken) }
	if _, err := ranker(m, func(o *Options) { o.LikeliestFirst = true }).Decide(t.Context(), Request{Bases: make([]Base, 1)}); !errors.Is(err, broken) {
		t.Errorf("got %v", err)
	}
	if n := len(m.Calls()); n != 4 {
		t.Errorf("asked %d times; the last time is the first that fails", n)
	}
	m.Respond = func(int, model.Prompt, model.Options) replay.Reply { return replay.Texts("a") }
	one := ranker(m, func(o *Options) { o.Samples, o.LikeliestFirst = 1, true })
	if d, err := one.Decide(t.Context(), Request{Bases: make([]Base, 1)}); err != nil || len(d.Pools[0].Samples) != 1 || len(m.Calls()) != 5 {
		t.Errorf("one sample: %v, %d samples, %d calls", err, len(d.Pools[0].Samples), len(m.Calls()))
	}
}

func TestCascadeOverManyContexts(t *testing.T) {
	scattered := replay.Texts("a", "b", "c", "d", "e")
	tests := []struct {
		name    string
		bases   string // texts
		replies map[string]replay.Reply
		routed  int
		shown   string
		skipped string // "" for none
	}{
		{"goes on while contexts scatter", "123", map[string]replay.Reply{"1": scattered, "2": scattered, "3": replay.Texts("z")}, 2, "z", ""},
		{"ends at the first that agrees", "123", map[string]replay.Reply{"1": scattered, "2": replay.Texts("z"), "3": scattered}, 1, "z",
			"third context: not needed, agreement 1.00 ≥ τ 0.40"},
		{"doesn't ask twice for the same text", "112", map[string]replay.Reply{"1": scattered, "2": replay.Texts("z")}, 1, "z",
			"second context: the same text as first"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			q := Request{Bases: []Base{{"first", tt.bases[:1]}, {"second", tt.bases[1:2]}, {"third", tt.bases[2:]}}}
			d, err := ranker(byContext(tt.replies), func(o *Options) { o.Samples, o.Tau = 5, 0.4 }).Decide(t.Context(), q)
			if err != nil || d.Routed != tt.routed || shown(d) != tt.shown || d.Route != "alternative" {
				t.Errorf("routed %d, shown %s, %q, %v", d.Routed, shown(d), d.Route, err)
			}
			if tt.skipped != "" && !slices.Contains(d.Skipped, tt.skipped) {
				t.Errorf("skipped %q, want %q", d.Skipped, tt.skipped)
			}
		})
	}
}

// A pool whose samples all say nothing can't be routed to, even alone.
func TestNoCandidate(t *testing.T) {
	d, err := ranker(replay.New(replay.Texts("// nothing")), func(o *Options) { o.MaxTokens = 3 }).Decide(t.Context(),
		Request{Bases: make([]Base, 1), Lang: "go", Left: "\t"})
	if err != nil || d.Routed != -1 || d.Route != "" || d.Rule != "" || shown(d) != "-" || d.Pools[0].Blank != 10 {
		t.Errorf("%+v, %v", d, err)
	}
}

func TestNothingToAddCanWin(t *testing.T) {
	m := replay.New(replay.Texts("", "", " ", "", "", "", "", "", ".x", ".x"))
	d, err := ranker(m).Decide(t.Context(), Request{Bases: make([]Base, 1), Left: "return a"})
	if err != nil || shown(d) != "-" || d.Routed != 0 {
		t.Errorf("shown %q, routed %d, %v", shown(d), d.Routed, err)
	}
	if c := d.Pools[0].Candidates[0]; c.Text != "" || c.Votes != 5 {
		t.Errorf("winner %+v", c)
	}
	m = replay.New(replay.Texts("", "", ".x", ".y"))
	d, err = ranker(m, func(o *Options) { o.Samples, o.NeverStop = 4, true }).Decide(t.Context(), Request{Bases: make([]Base, 1), Left: "return a"})
	if got := lines(d.Ranked()); err != nil || shown(d) != "-" || !reflect.DeepEqual(got, []string{".x", ".y"}) {
		t.Errorf("shown %q, ranked %q, %v", shown(d), got, err)
	}
}

func TestFitJoinsSamplesThatComeToTheSame(t *testing.T) {
	m := replay.New(replay.Texts("[1, 2])", "[1, 2]", "[]", "[1, 2])"))
	m.Score = replay.Table{"np.array([1, 2]": -2, "np.array([]": -4}.Score
	d, err := ranker(m, func(o *Options) { o.Samples = 4 }).Decide(t.Context(), Request{
		Bases: make([]Base, 1), Lang: "py", Left: "np.array(", Right: ")\n",
		Fit: func(line string) string { return strings.TrimSuffix(line, ")") },
	})
	if err != nil || shown(d) != "[1, 2]" || d.Pools[0].Candidates[0].Votes != 3 {
		t.Errorf("shown %q of %+v, %v", shown(d), d.Pools[0].Candidates, err)
	}
	want := []model.Pair{{Prefix: "np.array([1, 2]", Continuation: ")\n"}, {Prefix: "np.array([]", Continuation: ")\n"}}
	if got := m.Pairs(); !reflect.DeepEqual(got, want) {
		t.Errorf("scored %q, want %q", got, want)
	}
}

func TestProgressSeesTheBestSoFar(t *testing.T) {
	m := byContext(map[string]replay.Reply{"1": replay.Texts("a", "b", "c"), "2": replay.Texts("z")})
	m.Score = replay.Table{"": -1}.Score
	var got []string
	var kept []Decision
	q := Request{Bases: []Base{{"structural", "1"}, {"lexical", "2"}}, Right: "x\n", Progress: func(d Decision) {
		got = append(got, shown(d)+" "+d.Route)
		kept = append(kept, d)
	}}
	q.Left = "y = "
	d, err := ranker(m, func(o *Options) { o.Samples, o.Tau = 3, 0.5 }).Decide(t.Context(), q)
	want := []string{"a primary", "a primary", "a primary", "a primary after alternative", "z alternative", "z alternative"}
	if err != nil || !reflect.DeepEqual(got, want) {
		t.Errorf("progress %q, want %q, %v", got, want, err)
	}
	if shown(d) != "z" || len(kept[0].Pools[0].Samples) != 1 || kept[2].Pools[0].Candidates[0].Reverse != nil {
		t.Errorf("shown %s; the first report now says %+v", shown(d), kept[0].Pools)
	}
}

func TestDecideRefuses(t *testing.T) {
	tests := []struct {
		name   string
		change func(*Options, *Request)
		want   string
	}{
		{"no context", func(_ *Options, q *Request) { q.Bases = nil }, "without a base context"},
		{"no samples", func(o *Options, _ *Request) { o.Samples = 0 }, "start from DefaultOptions"},
		{"no tokens", func(o *Options, _ *Request) { o.MaxTokens = -1 }, "start from DefaultOptions"},
		{"a selector that isn't one", func(o *Options, _ *Request) { o.Selector = "best" }, `selector "best" is unknown (use blend, votes, reverse or greedy)`},
		{"a weight that is no share", func(o *Options, _ *Request) { o.Weight = 75 }, "weight 75"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			m := replay.New(replay.Texts("a"))
			r, q := ranker(m), Request{Bases: make([]Base, 1)}
			tt.change(&r.Options, &q)
			d, err := r.Decide(t.Context(), q)
			if err == nil || !strings.Contains(err.Error(), tt.want) || d.Routed != -1 || len(m.Calls()) != 0 {
				t.Errorf("got %v after %d calls, want %q", err, len(m.Calls()), tt.want)
			}
		})
	}
}

func TestModelErrors(t *testing.T) {
	down := errors.New("connection refused")
	three := replay.Texts("a", "a", "b")
	three.Err = down
	scattered := replay.Texts("a", "b", "c", "d", "e", "f", "g", "h", "i", "j")
	one := replay.Texts("z")
	one.Err = down
	tests := []struct {
		name    string
		replies map[string]replay.Reply
		shown   string
		route   string
		skipped string
	}{
		{"from the start", map[string]replay.Reply{"1": replay.Fail(down)}, "-", "", "10 of 10 samples of the structural context: connection refused"},
		{"after three samples", map[string]replay.Reply{"1": three}, "a", "primary", "7 of 10 samples of the structural context: connection refused"},
		{"no more is asked then", map[string]replay.Reply{"1": three}, "a", "primary", "scores: nothing more is asked of a model that failed"},
		{"nor another context", map[string]replay.Reply{"1": three}, "a", "primary", "lexical context: nothing more is asked of a model that failed"},
		{"in the alternative, one sample of which doesn't beat ten", map[string]replay.Reply{"1": scattered, "2": one}, "a", "primary after alternative",
			"9 of 10 samples of the lexical context: connection refused"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			m := byContext(tt.replies)
			m.Score = replay.Table{"": -1}.Score
			d, err := ranker(m).Decide(t.Context(), Request{Bases: []Base{{"structural", "1"}, {"lexical", "2"}}, Left: "x = ", Right: "\ny\n"})
			if !errors.Is(err, down) || shown(d) != tt.shown || d.Route != tt.route || !slices.Contains(d.Skipped, tt.skipped) || len(m.Pairs()) != 0 {
				t.Errorf("shown %s, route %q, skipped %q, scored %d, %v", shown(d), d.Route, d.Skipped, len(m.Pairs()), err)
			}
		})
	}
}

func TestGeneratorThatEnds(t *testing.T) {
	r := Ranker{Generator: finite{"a", "a"}, Options: DefaultOptions()}
	d, err := r.Decide(t.Context(), Request{Bases: make([]Base, 1)})
	if !errors.Is(err, errEnded) || shown(d) != "a" {
		t.Errorf("shown %s, %v", shown(d), err)
	}
	if _, err := (Ranker{Generator: finite{}, Options: DefaultOptions()}).Decide(t.Context(), Request{Bases: make([]Base, 1)}); !errors.Is(err, errEnded) {
		t.Errorf("no samples: %v", err)
	}
}

// finite is a Generator that runs out of samples, against its contract.
type finite []string

func (f finite) Samples(context.Context, model.Prompt, model.Options) iter.Seq2[model.Sample, error] {
	return func(yield func(model.Sample, error) bool) {
		for _, text := range f {
			if !yield(model.Sample{Text: text, Stopped: true}, nil) {
				return
			}
		}
	}
}

func TestSeedAt(t *testing.T) {
	above := strings.Repeat("x := f()\n", 100)
	seed := SeedAt(above + "\tif ")
	if SeedAt(above) != seed || SeedAt(above+"\tif err") != seed || SeedAt(strings.Repeat("more\n", 9)+above) != seed {
		t.Error("it changes while a line is typed, or with how much of the file is read")
	}
	if SeedAt(above+"\n") == seed || SeedAt("") == seed || seed < 0 {
		t.Errorf("another line, or none: %d, %d, %d", SeedAt(above+"\n"), SeedAt(""), seed)
	}
}
