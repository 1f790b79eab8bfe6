package eval

import (
	"bytes"
	"context"
	"errors"
	"maps"
	"math"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"readahead/allocate"
	"readahead/index"
	"readahead/lsp"
	"readahead/model"
	"readahead/model/replay"
	"readahead/rank"
)

// said is what a scripted model says about a task: its samples by family, and
// the greedy one.
type said struct {
	structural, lexical []string
	greedy              [2]string
}

// scripted answers the tasks in their order: of each, first the structural
// context, then the lexical one.
func scripted(answers []said) *replay.Model {
	m := replay.New()
	contexts := map[string]int{} // by task, as they come
	m.Respond = func(_ int, p model.Prompt, o model.Options) replay.Reply {
		task := 0
		if strings.Contains(p.Left, "AddItem") {
			task = 1
		}
		key := string(rune('0'+task)) + p.Context
		if _, ok := contexts[key]; !ok {
			contexts[key] = 0
			for k := range contexts {
				if k != key && k[0] == key[0] {
					contexts[key] = 1
				}
			}
		}
		family, a := contexts[key], answers[task]
		if o.Temperature == 0 {
			return replay.Texts(a.greedy[family])
		}
		return replay.Texts([][]string{a.structural, a.lexical}[family]...)
	}
	return m
}

func modelFor(m *replay.Model) func() ModelFor {
	return func() ModelFor {
		return func(context.Context, *index.Snapshot, lsp.CompletionRequest) (model.Model, error) {
			return *m.Model(), nil
		}
	}
}

func sampling(t interface {
	Helper()
	Fatal(...any)
}, dir, pools string, m *replay.Model, n int) Sampling {
	t.Helper()
	sweep := DefaultSweep()
	p, err := OpenPools(pools, Terms{Model: "replay", Samples: n, Scored: sweep.Scored(), Contexts: sweep.Contexts(), Readings: sweep.Readings()})
	if err != nil {
		t.Fatal(err)
	}
	return Sampling{
		Setup:  Setup{Sources: dir, Policies: allocate.Policies()[:1], Options: allocate.DefaultOptions()},
		Config: lsp.DefaultConfig(), Models: modelFor(m), Samples: n, Pools: p,
	}
}

const (
	target1 = `if err := c.AddItem("tea"); err != nil {` // main.go:9
	wrong1  = `if err := c.AddItem("tee"); err != nil {` // one letter of 40
	target2 = `return pay.Charge(100)`                   // main.go:12
	wrong2  = `return pay.Charge(109)`                   // one of 22
)

// Two tasks of four samples each. In the first, the right line has one vote of
// four and the better likelihood, in the second the structural samples scatter,
// and the lexical ones agree on the right line, whose likelihood is worse.
func TestCompletionsAreCountedAsByHand(t *testing.T) {
	m := scripted([]said{
		{structural: []string{wrong1, wrong1, target1, "x()"}, lexical: []string{target1, target1, target1, target1}, greedy: [2]string{wrong1, target1}},
		{structural: []string{"a()", "b()", "c()", "d()"}, lexical: []string{target2, wrong2, target2, target2}, greedy: [2]string{target2, wrong2}},
	})
	m.Score = replay.Table{wrong1: -30, target1: -10, "x()": -20, "a()": -1, "b()": -2, "c()": -3, "d()": -4, target2: -30, wrong2: -10}.Score
	dir := write(t, shop)
	tasks, err := Self(t.Context(), Workspace{Dir: dir}, 0)
	if err != nil || tasks[0].Target != target1 || tasks[1].Target != target2 {
		t.Fatalf("%v, %+v", err, tasks)
	}
	s := sampling(t, dir, "", m, 4)
	asked, said, err := Sample(t.Context(), tasks, s)
	if err != nil {
		t.Fatal(err)
	}
	sweep := DefaultSweep()
	sweep.Select, sweep.Route, sweep.Samples = Selectors, []string{"on", "off", "swapped"}, []int{4, 2}
	sweep.Tau, sweep.Theta, sweep.Weight = []float64{0.3, 0}, []float64{0.8, 0.7}, []float64{0.75, 0.5}
	variants, err := sweep.Variants()
	if err != nil {
		t.Fatal(err)
	}
	answers, err := Answers(t.Context(), asked, said, s.Setup, variants)
	if err != nil {
		t.Fatal(err)
	}
	// One letter off is a similarity of 39/40 and 21/22; the others were computed
	// by the reference scorer.
	const near1, near2 = 100 * 39 / 40.0, 100 * 21 / 22.0
	want := map[string]Matched{
		// right, and wrong2, which the likelihood prefers
		"blend N=4 τ=0.3":                {EM: 50, ES: (100 + near2) / 2, Oracle: 100, Shown: 100, Contexts: 1.5, Scored: 2.5},
		"votes N=4 τ=0.3":                {EM: 50, ES: (near1 + 100) / 2, Oracle: 100, Shown: 100, Contexts: 1.5},
		"rcv N=4 τ=0.3":                  {EM: 50, ES: (100 + near2) / 2, Oracle: 100, Shown: 100, Contexts: 1.5, Scored: 2.5},
		"greedy N=4 τ=0.3":               {EM: 50, ES: (near1 + 100) / 2, Oracle: 50, Shown: 100, Contexts: 1},
		"greedy route swapped N=4 τ=0.3": {EM: 50, ES: (100 + near2) / 2, Oracle: 50, Shown: 100, Contexts: 1},
		// a(), since it is the likeliest of four that nobody agrees on
		"blend route off N=4 τ=0.3": {EM: 50, ES: (100 + 100*EditSimilarity("a()", target2)) / 2, Oracle: 50, Shown: 100, Contexts: 1, Scored: 3.5},
		// four of four agree: nothing is scored
		"blend route swapped N=4 τ=0.3": {EM: 50, ES: (100 + near2) / 2, Oracle: 100, Shown: 100, Contexts: 1, Scored: 1},
		// three of four agree, which is enough
		"blend N=4 τ=0.3 θ=0.7": {EM: 100, ES: 100, Oracle: 100, Shown: 100, Contexts: 1.5, Scored: 1.5},
		// a tie of likelihood and votes goes to the votes
		"blend N=4 τ=0.3 w=0.5": {EM: 50, ES: (near1 + 100) / 2, Oracle: 100, Shown: 100, Contexts: 1.5, Scored: 2.5},
		// wrong1 twice; a() and b() agree as little as target2 and wrong2, but enough
		"blend N=2 τ=0.3": {EM: 0, ES: (near1 + 100*EditSimilarity("a()", target2)) / 2, Oracle: 0, Shown: 100, Contexts: 1, Scored: 1},
	}
	for _, sum := range MatchSummaries(asked, said, variants, answers) {
		w, ok := want[sum.Selector]
		if !ok {
			continue
		}
		delete(want, sum.Selector)
		w.RelativeCost = 1.1*w.Contexts + 0.054*w.Scored
		if strings.HasPrefix(sum.Selector, "greedy") {
			w.RelativeCost = 1
		}
		g := *sum.Matched
		for name, pair := range map[string][2]float64{"em": {g.EM, w.EM}, "es": {g.ES, w.ES}, "oracle": {g.Oracle, w.Oracle}, "shown": {g.Shown, w.Shown},
			"cost": {g.RelativeCost, w.RelativeCost}, "contexts": {g.Contexts, w.Contexts}, "scored": {g.Scored, w.Scored}} {
			if math.Abs(pair[0]-pair[1]) > 1e-9 {
				t.Errorf("%s: %s is %v; by hand %v", sum.Selector, name, pair[0], pair[1])
			}
		}
		if sum.Selector == "blend N=4 τ=0.3 θ=0.7" && (g.EMAgainst == nil || g.EMAgainst.Wins != 1 || g.EMAgainst.Losses != 0 || g.EMAgainst.Difference != 50) {
			t.Errorf("against the first: %+v", g.EMAgainst)
		}
		if sum.EMTasks != 2 || sum.By.Lang["go"].EM != g.EM || sum.Milliseconds.Total == nil {
			t.Errorf("%s: %+v", sum.Selector, sum)
		}
	}
	for name := range want {
		t.Errorf("no variant %q among %v", name, variants)
	}
}

// The model sees the document without the line, and nothing else of it.
func TestTheModelIsNotShownTheAnswer(t *testing.T) {
	m := replay.New(replay.Texts("x()"))
	dir := write(t, shop)
	tasks, err := Self(t.Context(), Workspace{Dir: dir}, 0)
	if err != nil {
		t.Fatal(err)
	}
	for _, mid := range []bool{false, true} {
		s := sampling(t, dir, "", m, 1)
		s.Mid = mid
		before := len(m.Calls())
		asked, _, err := Sample(t.Context(), tasks, s)
		if err != nil {
			t.Fatal(err)
		}
		calls := m.Calls()[before:]
		if len(calls) != 4*len(asked) {
			t.Fatalf("%d calls for %d tasks of two contexts", len(calls), len(asked))
		}
		for i, call := range calls {
			offset, target := asked[i/4].cursor(mid)
			text := shop["main.go"]
			if p := call.Prompt; p.Left != text[:offset] || p.Right != text[offset+len(target):] || strings.Contains(p.Context, target) {
				t.Errorf("mid %v: %q: left %q, right %q, context %q", mid, target, p.Left, p.Right, p.Context)
			}
		}
	}
}

// Every variant that is measured from the pools shows what the ranker would have
// shown if it had been asked with these options.
func TestASweepAgreesWithAskingTheModelEachTime(t *testing.T) {
	dir := write(t, shop)
	tasks, err := Self(t.Context(), Workspace{Dir: dir}, 0)
	if err != nil {
		t.Fatal(err)
	}
	rapid.Check(t, func(t *rapid.T) {
		const n = 5
		line := rapid.SampledFrom([]string{target1, wrong1, target2, wrong2, "x()", "x( )", "// no\nx()", "", "return err", "}"})
		pool := rapid.SliceOfN(line, n, n)
		var answers []said
		for range tasks {
			answers = append(answers, said{pool.Draw(t, "structural"), pool.Draw(t, "lexical"), [2]string{line.Draw(t, "greedy"), line.Draw(t, "greedy")}})
		}
		m := scripted(answers)
		m.Score = func(p model.Pair) (model.Likelihood, error) {
			return model.Likelihood{LogProb: -float64(len(p.Prefix) % 7), Exact: true}, nil
		}
		s := sampling(t, dir, "", m, n)
		asked, said, err := Sample(t.Context(), tasks, s)
		if err != nil {
			t.Fatal(err)
		}
		calls := m.Calls()
		v := DefaultVariant()
		v.Select, v.Route = rapid.SampledFrom(Selectors).Draw(t, "select"), rapid.SampledFrom([]string{"on", "off", "swapped", "lexical"}).Draw(t, "route")
		v.Samples, v.Weight = rapid.IntRange(1, n).Draw(t, "N"), rapid.SampledFrom([]float64{0, 0.5, 1}).Draw(t, "weight")
		v.Tau, v.Theta = rapid.SampledFrom([]float64{0, 0.2, 0.5, 2}).Draw(t, "τ"), rapid.SampledFrom([]float64{0.4, 0.8, 2}).Draw(t, "θ")
		got, err := Answers(t.Context(), asked, said, s.Setup, []Variant{v})
		if err != nil {
			t.Fatal(err)
		}
		for i, task := range asked {
			text, err := os.ReadFile(filepath.Join(dir, task.Path))
			if err != nil {
				t.Fatal(err)
			}
			doc := task.without(text, false)
			var bases []rank.Base
			for _, c := range calls {
				if c.Prompt.Left == string(text[:task.Offset]) && c.Options.Temperature > 0 {
					bases = append(bases, rank.Base{Family: []string{structural, lexical}[len(bases)], Text: c.Prompt.Context})
				}
			}
			live := *m.Model()
			q := lsp.PromptFor(live, s.Config, doc).Request(task.Path, v.order(bases))
			d, err := rank.Ranker{Generator: live.Generator, Scorer: live.Scorer, Tokens: live.Tokens, Options: v.options()}.Decide(t.Context(), q)
			if err != nil {
				t.Fatal(err)
			}
			best, _ := d.Best()
			item, _ := lsp.Show(doc, best.Text)
			if a := got[0][i]; a.Text != item.Text || a.Cost != d.RelativeCost() || a.Scored != d.Scored() || a.Contexts != d.Consulted() {
				t.Fatalf("%v of %s: from the pools %+v; asked %q, cost %v, %d scored", v, task.ID, a, item.Text, d.RelativeCost(), d.Scored())
			}
			if a := got[0][i]; a.Right && (a.Similar != 1 || !a.Possible) {
				t.Fatalf("right, but %+v", a)
			}
		}
	})
}

func TestPoolsGoOnWhereARunEnded(t *testing.T) {
	dir := write(t, shop)
	tasks, err := Self(t.Context(), Workspace{Dir: dir}, 0)
	if err != nil {
		t.Fatal(err)
	}
	file := filepath.Join(t.TempDir(), "pools.jsonl")
	broken := errors.New("broken")
	m := replay.New(replay.Texts("a"), replay.Texts("a"), replay.Texts("a"), replay.Texts("a"), replay.Fail(broken))
	if _, _, err := Sample(t.Context(), tasks, sampling(t, dir, file, m, 1)); !errors.Is(err, broken) || !strings.Contains(err.Error(), tasks[1].ID) {
		t.Fatalf("a model that breaks at the second task: %v", err)
	}
	f, err := os.OpenFile(file, os.O_APPEND|os.O_WRONLY, 0)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := f.WriteString(`{"id":"half a li`); err != nil || f.Close() != nil {
		t.Fatal(err)
	}
	m = replay.New(replay.Texts("b"))
	s := sampling(t, dir, file, m, 1)
	var reported []int
	s.Report = func(done, total int) { reported = append(reported, done, total) }
	_, said, err := Sample(t.Context(), tasks, s)
	if err != nil || len(m.Calls()) != 4 || len(reported) != 2 || reported[0] != 2 || reported[1] != 2 {
		t.Fatalf("%v; %d calls for one task; reported %v", err, len(m.Calls()), reported)
	}
	if a, b := said[0]["auto"].Record.Pools[0].Samples[0].Text, said[1]["auto"].Record.Pools[0].Samples[0].Text; a != "a" || b != "b" {
		t.Errorf("pools of %q and %q", a, b)
	}
	nobody := replay.New()
	if _, again, err := Sample(t.Context(), tasks, sampling(t, dir, file, nobody, 1)); err != nil || len(nobody.Calls()) != 0 || again[1]["auto"].Record.Pools[0].Samples[0].Text != "b" {
		t.Errorf("all is known, but %v, %d calls", err, len(nobody.Calls()))
	}
}

func TestEveryFormOfPromptIsAskedAboutOnce(t *testing.T) {
	dir := write(t, shop)
	tasks, err := Self(t.Context(), Workspace{Dir: dir}, 0)
	if err != nil {
		t.Fatal(err)
	}
	file := filepath.Join(t.TempDir(), "pools.jsonl")
	for _, tt := range []struct {
		prompts []string
		calls   int // a sample and a greedy one, for two contexts of two tasks
		causal  int
	}{
		{[]string{"fim", "causal"}, 16, 8},
		{[]string{"causal"}, 0, 0},
		{[]string{"fim"}, 0, 0},
	} {
		m := replay.New(replay.Texts("x()"))
		s := sampling(t, dir, "", m, 1)
		terms := s.Pools.terms
		terms.Prompts = tt.prompts
		if s.Pools, err = OpenPools(file, terms); err != nil {
			t.Fatal(err)
		}
		_, said, err := Sample(t.Context(), tasks, s)
		if err != nil || s.Pools.Close() != nil {
			t.Fatal(err)
		}
		causal := 0
		for _, c := range m.Calls() {
			if c.Prompt.Causal {
				causal++
			}
		}
		if len(m.Calls()) != tt.calls || causal != tt.causal || said[1]["fim"] == nil || said[1]["causal"] == nil {
			t.Errorf("%v: %d calls, %d of them causal; said %v", tt.prompts, len(m.Calls()), causal, said)
		}
	}
}

// What was drawn serves for other lengths of the code that candidates are graded
// by: they are graded over what is missing, and nothing is drawn again. A run that
// is ended in between goes on.
func TestPoolsAreGradedOverWhatTheyLack(t *testing.T) {
	dir := write(t, shop)
	tasks, err := Self(t.Context(), Workspace{Dir: dir}, 0)
	if err != nil {
		t.Fatal(err)
	}
	file := filepath.Join(t.TempDir(), "pools.jsonl")
	ask := func(right []int, tasks []Task) (calls, pairs int) {
		t.Helper()
		m := replay.New(replay.Texts("x()", "y()"))
		m.Score = replay.Table{"x()": -1, "y()": -2}.Score
		s := sampling(t, dir, "", m, 2)
		sweep := DefaultSweep()
		sweep.Right, sweep.Samples = right, []int{2}
		if s.Pools, err = OpenPools(file, Terms{Model: "replay", Samples: 2, Scored: sweep.Scored(), Contexts: sweep.Contexts(), Readings: sweep.Readings()}); err != nil {
			t.Fatal(err)
		}
		asked, said, err := Sample(t.Context(), tasks, s)
		if err != nil || s.Pools.Close() != nil {
			t.Fatal(err)
		}
		variants, err := sweep.Variants()
		if err != nil {
			t.Fatal(err)
		}
		if _, err := Answers(t.Context(), asked, said, s.Setup, variants); err != nil {
			t.Error(err)
		}
		return len(m.Calls()), len(m.Pairs())
	}
	for _, tt := range []struct {
		right        []int
		tasks        int
		calls, pairs int // two candidates of each task; two contexts, each with one greedy answer
	}{
		{[]int{128}, 2, 8, 4},
		{[]int{32, 64}, 1, 0, 4},
		{[]int{32, 64}, 2, 0, 4},
		{[]int{128, 64}, 2, 0, 0},
	} {
		if calls, pairs := ask(tt.right, tasks[:tt.tasks]); calls != tt.calls || pairs != tt.pairs {
			t.Errorf("graded by %v, %d tasks: %d calls and %d pairs scored; want %d, %d", tt.right, tt.tasks, calls, pairs, tt.calls, tt.pairs)
		}
	}
	// A run that is ended before it has graded anything costs the others nothing.
	m := replay.New()
	m.Score = func(model.Pair) (model.Likelihood, error) { return model.Likelihood{}, errors.New("gone") }
	s := sampling(t, dir, "", m, 2)
	if s.Pools, err = OpenPools(file, Terms{Model: "replay", Samples: 2, Scored: DefaultSweep().Scored(), Contexts: DefaultSweep().Contexts(), Readings: []rank.Reading{{Left: 1, Right: 1}}}); err != nil {
		t.Fatal(err)
	}
	if _, _, err := Sample(t.Context(), tasks, s); err == nil || !strings.Contains(err.Error(), "gone") {
		t.Errorf("a model that is gone: %v", err)
	}
	s.Pools.Close()
	if calls, pairs := ask([]int{32}, tasks); calls+pairs > 0 {
		t.Errorf("after a run that failed: %d calls and %d pairs scored", calls, pairs)
	}
	whole, err := os.ReadFile(file)
	if err != nil || bytes.Count(whole, []byte("\n")) != 5 {
		t.Errorf("%v; %d lines, want the terms, two tasks, and both with more readings", err, bytes.Count(whole, []byte("\n")))
	}
}

// What was said about other code is not said about this.
func TestATaskWhoseCodeHasChangedIsAskedAgain(t *testing.T) {
	dir := write(t, shop)
	tasks, err := Self(t.Context(), Workspace{Dir: dir}, 0)
	if err != nil {
		t.Fatal(err)
	}
	file := filepath.Join(t.TempDir(), "pools.jsonl")
	for _, tt := range []struct {
		name  string
		calls int // a sample and a greedy one, for two contexts of two tasks
	}{{"nothing is known", 8}, {"nothing has changed", 0}, {"both tasks' file has", 8}, {"nothing more has", 0}} {
		if strings.HasPrefix(tt.name, "both") {
			name := tasks[0].file(tasks[0].dir(dir))
			text, err := os.ReadFile(name)
			if err == nil {
				err = os.WriteFile(name, append(text, "\n// more\n"...), 0o600)
			}
			if err != nil {
				t.Fatal(err)
			}
		}
		m := replay.New(replay.Texts("x()"))
		s := sampling(t, dir, file, m, 1)
		s.Pools.terms.Scored, s.Pools.wanted.Scored = nil, nil
		_, _, err := Sample(t.Context(), tasks, s)
		if err != nil || len(m.Calls()) != tt.calls || s.Pools.Close() != nil {
			t.Errorf("%s: %v, %d calls; want %d", tt.name, err, len(m.Calls()), tt.calls)
		}
	}
}

func TestPoolsThatCannotBeUsedSayWhy(t *testing.T) {
	dir := t.TempDir()
	header := `{"model":"m","policy":"vital","budget":1,"samples":2,"mid":false,"prompts":["auto"],"scored":["lexical"]}` + "\n"
	for _, tt := range []struct{ name, text, says string }{
		{"another model", strings.Replace(header, `"m"`, `"n"`, 1), "other terms: model n instead of m (name another file)"},
		{"another server", strings.Replace(header, `{`, `{"server":"ollama",`, 1), "other terms: server ollama instead of "},
		{"without the scores", header, "other terms: scores of [lexical] instead of [structural], grader  instead of http://other"},
		{"tasks, not pools", "hello\n", "is it a pools file"},
		{"somebody's line without an end", "hello", "not a pools file"},
		{"a line that is no JSON", header + "{\n", "line 2"},
		{"a line without a record", header + `{"id":"x"}` + "\n", "no record"},
	} {
		file := filepath.Join(dir, tt.name)
		if err := os.WriteFile(file, []byte(tt.text), 0o644); err != nil {
			t.Fatal(err)
		}
		terms := Terms{Model: "m", Policy: "vital", Budget: 1, Samples: 2, Prompts: []string{"auto"}}
		if tt.name == "without the scores" {
			terms.Scored, terms.Grader = []string{"structural"}, "http://other"
		}
		_, err := OpenPools(file, terms)
		if err == nil || !strings.Contains(err.Error(), tt.says) || !strings.Contains(err.Error(), tt.name) {
			t.Errorf("%s: %v", tt.name, err)
		}
		if kept, _ := os.ReadFile(file); string(kept) != tt.text {
			t.Errorf("%s: the file was changed", tt.name)
		}
	}
	if _, err := OpenPools(filepath.Join(dir, "no", "folder"), Terms{}); err == nil {
		t.Error("a file in no folder was opened")
	}
}

// Two runs with one file: the one that finds the other's line stops, and nothing
// that was written is lost.
func TestTwoRunsDoNotShareAPoolsFile(t *testing.T) {
	file := filepath.Join(t.TempDir(), "pools.jsonl")
	open := func() *Pools {
		p, err := OpenPools(file, Terms{Model: "m"})
		if err != nil {
			t.Fatal(err)
		}
		return p
	}
	one, two := open(), open()
	first, second := &Sampled{ID: "first", Record: &rank.Record{}}, &Sampled{ID: "second", Record: &rank.Record{}}
	if err := one.keep(first); err != nil {
		t.Fatal(err)
	}
	if err := two.keep(second); err == nil || !strings.Contains(err.Error(), "another run writes to "+file) {
		t.Errorf("the second run: %v", err)
	}
	if err := one.keep(second); err != nil {
		t.Errorf("the first run, after the second one has stopped: %v", err)
	}
	if one.Close() != nil || two.Close() != nil {
		t.Fatal("close")
	}
	all := open()
	defer all.Close()
	if len(all.known) != 2 {
		t.Errorf("%d tasks are kept", len(all.known))
	}
}

// Votes and greedy need no likelihoods, and scoring is what takes long.
func TestNothingIsScoredThatNoSelectorNeeds(t *testing.T) {
	dir := write(t, shop)
	tasks, err := Self(t.Context(), Workspace{Dir: dir}, 0)
	if err != nil {
		t.Fatal(err)
	}
	file := filepath.Join(t.TempDir(), "pools.jsonl")
	for _, tt := range []struct {
		name   string
		tasks  int
		file   string
		scored []string
		pairs  int // two candidates of each task
	}{
		{"votes alone", 2, "", nil, 0},
		{"blend, of one task", 1, file, DefaultSweep().Scored(), 2},
		{"votes alone, over pools that have scores", 2, file, nil, 2},
	} {
		m := replay.New(replay.Texts("x()", "y()"))
		m.Score = replay.Table{"x()": -1, "y()": -2}.Score
		s := sampling(t, dir, "", m, 2)
		sweep := DefaultSweep()
		if s.Pools, err = OpenPools(tt.file, Terms{Scored: tt.scored, Contexts: sweep.Contexts(), Readings: sweep.Readings()}); err != nil {
			t.Fatal(err)
		}
		_, said, err := Sample(t.Context(), tasks[:tt.tasks], s)
		if err != nil || len(m.Pairs()) != tt.pairs {
			t.Errorf("%s: %v, %d pairs scored", tt.name, err, len(m.Pairs()))
		}
		if got := said[tt.tasks-1]["auto"].Record.Views[0].Scores != nil; got != (tt.pairs > 0) {
			t.Errorf("%s: scores in the record: %v", tt.name, got)
		}
		if s.Pools.Close() != nil {
			t.Fatal("close")
		}
	}
}

func TestAModelThatCannotDoWhatIsMeasured(t *testing.T) {
	dir := write(t, shop)
	tasks, err := Self(t.Context(), Workspace{Dir: dir}, 0)
	if err != nil {
		t.Fatal(err)
	}
	for says, terms := range map[string]Terms{
		"does not tell its tokens' probabilities": {Explores: true}, "does not fill in the middle": {Scored: []string{structural}, Bayes: true},
	} {
		s := sampling(t, dir, "", replay.New(replay.Texts("x()")), 1)
		s.Pools.terms, s.Pools.wanted = terms, terms
		if _, _, err := Sample(t.Context(), tasks, s); err == nil || !strings.Contains(err.Error(), says) {
			t.Errorf("%v; want %q", err, says)
		}
	}
}

func TestASweepIsOneReferenceAndWhatDiffersFromIt(t *testing.T) {
	for _, tt := range []struct {
		name   string
		change func(*Sweep)
		want   string
	}{
		{"what the product does", func(*Sweep) {}, "blend"},
		{"every pair of selector and route", func(s *Sweep) { s.Select, s.Route = []string{"votes", "rcv"}, []string{"off", "on"} },
			"votes route off, votes, rcv route off, rcv"},
		{"greedy reads one context whether routing is on or off", func(s *Sweep) { s.Select, s.Route = []string{"greedy"}, Routes[:4] }, "greedy, greedy route swapped"},
		{"greedy draws nothing", func(s *Sweep) { s.Select, s.Agreement = []string{"votes", "greedy"}, Agreements }, "votes, votes probabilities, greedy"},
		{"numbers one at a time", func(s *Sweep) {
			s.Samples, s.Tau, s.Theta, s.Weight, s.Right, s.Left = []int{10, 5}, []float64{0.2, 0}, []float64{0.8, 2}, []float64{0.75, 1}, []int{128, 0}, []int{256, 0}
		}, "blend, blend N=5, blend τ=0, blend θ=2, blend w=1, blend right 0, blend left 0"},
		{"what readahead does by default, too", func(s *Sweep) {
			s.Also = []Variant{ByDefault(lsp.DefaultConfig(), model.Info{Provider: "embedded", Scoring: "exact"}, "auto"), ByDefault(lsp.DefaultConfig(), model.Info{Scoring: "walk"}, "fim")}
		}, "blend, blend probabilities τ=0.05 right 32 left 64 graded 7, blend fim race right 32 first likeliest"},
		{"every form of prompt, and the most that are graded", func(s *Sweep) { s.Prompt, s.Graded = []string{"causal", "fim"}, []int{0, 3} }, "blend causal, blend fim, blend causal graded 3"},
		{"one graded candidate", func(s *Sweep) { s.Graded = []int{1} }, "1 graded candidates cannot be told apart (two at least, or 0 for all)"},
		{"no selector", func(s *Sweep) { s.Select = nil }, "--select wants a value at least"},
		{"an unknown one", func(s *Sweep) { s.Select = []string{"best"} }, `selector "best" is none of blend, votes, rcv, greedy`},
		{"an unknown route", func(s *Sweep) { s.Route = []string{"maybe"} }, `route "maybe" is none of on, off, swapped, lexical, none, both, iterative`},
		{"an unknown agreement", func(s *Sweep) { s.Agreement = []string{"guess"} }, `agreement of "guess" is of none of samples, probabilities`},
		{"an unknown prompt", func(s *Sweep) { s.Prompt = []string{"chat"} }, `prompt "chat" is none of auto, fim, causal`},
		{"an unknown grade", func(s *Sweep) { s.Grade = []string{"A"} }, `grade "A" is none of whole, race, bayes`},
		{"less than no code", func(s *Sweep) { s.Right = []int{-1} }, "-1 tokens of code cannot be read"},
		{"more samples than anybody waits for", func(s *Sweep) { s.Samples = []int{1_000_000} }, "1000000 samples of a context are too many to wait for (at most 256)"},
		{"no samples", func(s *Sweep) { s.Samples = []int{0} }, "0 samples decide nothing"},
		{"a negative threshold", func(s *Sweep) { s.Theta = []float64{-1} }, "threshold -1 is not a share of samples (0 or more; above 1 is never reached)"},
		{"a weight above one", func(s *Sweep) { s.Weight = []float64{2} }, "weight 2 is not between 0 and 1"},
	} {
		s := DefaultSweep()
		tt.change(&s)
		variants, err := s.Variants()
		var names []string
		for _, v := range variants {
			names = append(names, v.String())
		}
		got := strings.Join(names, ", ")
		if err != nil {
			got = err.Error()
		}
		if got != tt.want {
			t.Errorf("%s: got %s", tt.name, got)
		}
	}
}

// What is measured beside the sweep is asked for as well.
func TestASweepAsksForWhatTheDefaultNeeds(t *testing.T) {
	s := DefaultSweep()
	s.Select, s.Samples = []string{"votes"}, []int{3}
	if s.Scored() != nil || s.Explores() || s.Most() != 3 {
		t.Errorf("votes of three samples: scores %v, explores %v, %d samples", s.Scored(), s.Explores(), s.Most())
	}
	for _, info := range []model.Info{{Provider: "embedded", Scoring: "exact"}, {Provider: "ollama", Scoring: "walk"}} {
		v := ByDefault(lsp.DefaultConfig(), info, "auto")
		s.Also = []Variant{v}
		readings := map[rank.Reading]bool{}
		for _, r := range s.Readings() {
			readings[r] = true
		}
		if len(s.Scored()) != 2 || s.Explores() != (v.Agreement == "probabilities") || s.Most() != v.Samples || !readings[rank.Reading{Left: v.Left, Right: v.Right}] {
			t.Errorf("%v: scores %v, explores %v, %d samples, readings %v", v, s.Scored(), s.Explores(), s.Most(), readings)
		}
		if races := readings[rank.RaceReadings(rank.Reading{Left: v.Left, Right: v.Right})[0]]; races != (v.Grade == string(rank.Race)) {
			t.Errorf("%v: readings %v", v, readings)
		}
	}
}

// One prompt with both evidences has no more of it than the others: half of each.
func TestBothEvidencesShareOneBudget(t *testing.T) {
	dir := write(t, shop)
	tasks, err := Self(t.Context(), Workspace{Dir: dir}, 0)
	if err != nil {
		t.Fatal(err)
	}
	m := replay.New(replay.Texts("x()"))
	m.Tokens = func(s string) int { return (len(s) + 2) / 3 }
	const budget = 60
	s := sampling(t, dir, "", m, 1)
	s.Config.EvidenceTokens = budget
	s.Pools.terms.Contexts = []string{structural, lexical, "both"}
	if _, _, err := Sample(t.Context(), tasks, s); err != nil {
		t.Fatal(err)
	}
	most := map[string]int{} // by prompt's evidence
	for _, c := range m.Calls() {
		most[c.Prompt.Context] = m.Tokens(c.Prompt.Context)
	}
	sizes := slices.Sorted(maps.Values(most))
	if len(sizes) < 3 || sizes[len(sizes)-1] > budget || sizes[len(sizes)-1] <= budget/2 {
		t.Errorf("evidence of %v tokens; want three contexts, of at most %d, and more than half of that", sizes, budget)
	}
}

// What the baselines' prompts show: nothing, half of each family, and what is
// found with the line that the lexical context led to.
func TestBaselineContexts(t *testing.T) {
	files := maps.Clone(shop)
	files["refund.py"] = "class Refund:\n    ledger = 1\n"
	dir := write(t, files)
	tasks, err := Self(t.Context(), Workspace{Dir: dir}, 0)
	if err != nil {
		t.Fatal(err)
	}
	m := replay.New(replay.Texts("return Refund(cents)"))
	const n = 2
	s := sampling(t, dir, "", m, n)
	sweep := DefaultSweep()
	sweep.Route, sweep.Samples = Routes, []int{n}
	s.Pools.terms.Contexts = sweep.Contexts()
	asked, said, err := Sample(t.Context(), tasks, s)
	if err != nil {
		t.Fatal(err)
	}
	var asks []string
	for _, c := range m.Calls() {
		if strings.Contains(c.Prompt.Left, "AddItem") && c.Options.Temperature > 0 {
			asks = append(asks, c.Prompt.Context)
		}
	}
	prompts, known := map[string]string{}, map[string]string{} // of the second task
	for _, p := range said[1]["auto"].Record.Pools {
		if _, ok := known[p.Context]; !ok { // the same text is asked about once
			known[p.Context], asks = asks[0], asks[1:]
		}
		prompts[p.Family] = known[p.Context]
	}
	if len(prompts) < 4 || prompts["none"] != "" {
		t.Errorf("prompts %q", prompts)
	}
	for _, family := range []string{structural, lexical} {
		if line, _, _ := strings.Cut(prompts[family], "\n"); line == "" || !strings.Contains(prompts["both"], line) {
			t.Errorf("the prompt of both lacks %q of the %s one:\n%s", line, family, prompts["both"])
		}
	}
	if !strings.Contains(prompts["iterative"], "Refund") || strings.Contains(prompts[lexical], "Refund") {
		t.Errorf("iterative:\n%s\nlexical:\n%s", prompts["iterative"], prompts[lexical])
	}
	sweep.Select = []string{"votes"}
	variants, err := sweep.Variants()
	if err != nil {
		t.Fatal(err)
	}
	answers, err := Answers(t.Context(), asked, said, s.Setup, variants)
	if err != nil {
		t.Fatal(err)
	}
	for v, variant := range variants {
		want := 1.1 // a batch of samples
		if variant.Route == "iterative" {
			want++ // and the answer to retrieve with
		}
		if a := answers[v][1]; a.Text != "return Refund(cents)" || a.Cost != want {
			t.Errorf("%v: %+v", variant, a)
		}
	}
}

func TestBothMeasuresStandInOneSummary(t *testing.T) {
	recall := Summary{Policy: "p", Tasks: 3, Recalled: &Recalled{RecallAtK: 10}, By: &Groups{Lang: map[string]Summary{"go": {Tasks: 3, Recalled: &Recalled{}}}}}
	match := Summary{Tasks: 5, Matched: &Matched{EMTasks: 5, EM: 20}, By: &Groups{Lang: map[string]Summary{
		"go": {Tasks: 4, Matched: &Matched{EMTasks: 4}}, "py": {Tasks: 1, Matched: &Matched{EMTasks: 1}}}}}
	got := recall.With(match)
	if got.Tasks != 3 || got.EMTasks != 5 || got.RecallAtK != 10 || got.EM != 20 {
		t.Errorf("got %+v", got)
	}
	if g := got.By.Lang["go"]; g.Tasks != 3 || g.EMTasks != 4 {
		t.Errorf("of both: %+v", g)
	}
	if p := got.By.Lang["py"]; p.Tasks != 0 || p.EMTasks != 1 || p.Recalled != nil {
		t.Errorf("without gold: %+v", p)
	}
}
