package eval

import (
	"context"
	"fmt"
	"runtime"
	"slices"
	"time"

	"golang.org/x/sync/errgroup"

	"readahead/lsp"
	"readahead/rank"
)

// An Answer is what one variant would have shown for one task.
type Answer struct {
	Text     string   // the shown line, "" if none
	Right    bool     // EM: it is the target, in canonical form
	Similar  float64  // ES, 0 to 1, of the canonical forms
	Possible bool     // oracle: a sample of a consulted context would have been right
	Choice   []string // what could have been shown: each distinct line of those samples
	Cost     float64  // relative cost: see rank.Decision.RelativeCost
	Contexts int      // consulted
	Requests int      // for samples, or what is read instead; not for scores
	Grading  int      // requests for scores
	Written  int      // tokens that the model generated for samples, or what is read instead
	Scored   int      // distinct candidates
	// In those of one greedy answer from the first context: the tokens that were
	// new to the model (see rank.Record.Decide), written ones included, and its
	// time.
	Larger, Slower float64
	Verdict        Verdict
	Again          *Verdict // when everything is asked a second time; nil if that was not done
	Order          []string // of the candidates, best first, if they were graded

	Sample, Score time.Duration // what the model took
	Total         time.Duration // with retrieval and allocation
}

// Answers are what each variant makes of what was said about each task: by
// variant, then by task.
func Answers(ctx context.Context, tasks []*Task, said []Said, s Setup, variants []Variant) ([][]Answer, error) {
	out := make([][]Answer, len(variants))
	for v := range out {
		out[v] = make([]Answer, len(tasks))
	}
	workers, ctx := errgroup.WithContext(ctx)
	workers.SetLimit(runtime.GOMAXPROCS(0))
	for i, t := range tasks {
		workers.Go(func() error {
			judgements := map[string]*judgement{} // by prompt
			for v, variant := range variants {
				j, err := judgements[variant.Prompt], error(nil)
				if j == nil {
					j, err = newJudgement(t, said[i][variant.Prompt], s)
					judgements[variant.Prompt] = j
				}
				if err != nil {
					return err
				}
				if out[v][i], err = j.answer(ctx, variant); err != nil {
					return fmt.Errorf("task %s, %s: %w (if its record in the pools file is damaged, delete its line)", t.ID, variant.Select, err)
				}
			}
			return nil
		})
	}
	if err := workers.Wait(); err != nil {
		return nil, err
	}
	return out, nil
}

// A Verdict is what a decision comes to.
type Verdict struct {
	Agreed    bool   // so many samples agree that nothing is graded
	Scattered bool   // so few of the first context that another one is asked
	Family    string // of the context that is used, "" if none has a line
	Line      string // shown, in canonical form
}

// A judgement is one task under all variants.
type judgement struct {
	t      *Task
	said   *Sampled
	again  *rank.Record // of the second time; nil if there was none
	prompt lsp.Prompt
	target string              // canonical
	fit    func(string) string // rank.Request.Fit; it remembers, as show does
	show   func(string) string // what is shown of a line, "" if nothing
}

func newJudgement(t *Task, said *Sampled, s Setup) (*judgement, error) {
	text, err := t.read(t.dir(s.Sources))
	if err != nil {
		return nil, err
	}
	doc := t.without(text, s.Mid)
	prompt, err := said.prompt(doc)
	if err != nil {
		return nil, err
	}
	_, target := t.cursor(s.Mid)
	show := func(line string) string { item, _ := lsp.Show(doc, line); return item.Text }
	return &judgement{
		t: t, said: said, again: said.Record.Again(), prompt: prompt, target: t.Canonical(target),
		fit: remember(prompt.Request(t.Path, nil).Fit), show: remember(show),
	}, nil
}

func (j *judgement) answer(ctx context.Context, v Variant) (Answer, error) {
	d, all, err := j.decide(ctx, v, j.said.Record)
	if err != nil {
		return Answer{}, err
	}
	a := Answer{
		Cost: d.RelativeCost(), Contexts: d.Consulted(), Scored: d.Scored(), Sample: d.Took.Sample, Score: d.Took.Score, Order: order(d),
	}
	for _, p := range d.Pools {
		a.Requests, a.Written = a.Requests+p.Usage.Requests, a.Written+p.Usage.Generated
	}
	a.Grading = d.Usage.Requests - a.Requests
	read := d.Usage.Prompt + d.Usage.Generated
	if v.Route == "iterative" { // the answer that the context was retrieved with
		first := j.greedy(lexical)
		a.Cost, a.Contexts, a.Requests, a.Written, a.Sample = a.Cost+1, a.Contexts+1, a.Requests+1, a.Written+first.written, a.Sample+first.took
		read += first.read + first.written
	}
	if greedy := j.greedy(contextsOf[v.Route][0]); greedy.took > 0 {
		a.Slower = (a.Sample + a.Score).Seconds() / greedy.took.Seconds()
		a.Larger = float64(read) / float64(max(1, greedy.read+greedy.written))
	}
	a.Total = a.Sample + a.Score + milliseconds(j.said.Retrieve+j.said.Allocate)
	if best, ok := d.Best(); ok {
		a.Text = j.show(best.Text)
	}
	a.Verdict = j.verdict(v, d, all)
	a.Right, a.Similar = a.Verdict.Line == j.target, EditSimilarity(a.Verdict.Line, j.target)
	a.Choice = j.choice(all, d)
	for _, line := range a.Choice {
		a.Possible = a.Possible || j.t.Canonical(line) == j.target
	}
	if j.again == nil {
		return a, nil
	}
	d, all, err = j.decide(ctx, v, j.again)
	if err == nil {
		again := j.verdict(v, d, all)
		a.Again = &again
	}
	return a, err
}

// decide is what v makes of a record, and what it would with all N samples:
// sampling stops where more would change nothing, but the oracle's samples and
// the agreement are those of all of them.
func (j *judgement) decide(ctx context.Context, v Variant, rec *rank.Record) (d, all rank.Decision, err error) {
	o := v.options()
	bases := v.order(rec.Bases())
	if len(bases) < len(contextsOf[v.Route]) {
		return d, all, fmt.Errorf("its record lacks a context of route %s", v.Route)
	}
	q := j.prompt.Request(j.t.Path, bases)
	q.Fit = j.fit
	if d, err = rec.Decide(ctx, q, o); err != nil {
		return d, all, err
	}
	o.NeverStop = true
	all, err = rec.Decide(ctx, q, o)
	return d, all, err
}

func (j *judgement) verdict(v Variant, d, all rank.Decision) Verdict {
	var out Verdict
	if best, ok := d.Best(); ok {
		out.Line = j.show(best.Text)
	}
	out.Line = j.t.Canonical(out.Line)
	if d.Routed >= 0 {
		out.Family = d.Pools[d.Routed].Family
	}
	if all.Routed >= 0 {
		out.Agreed = all.Pools[all.Routed].Agreement >= v.Theta
	}
	out.Scattered = len(all.Pools) == 0 || all.Pools[0].Agreement < v.Tau
	return out
}

// order is that of the candidates of a decision that graded them.
func order(d rank.Decision) []string {
	if d.Rule != string(rank.Blend) && d.Rule != string(rank.Reverse) {
		return nil
	}
	var out []string
	for _, c := range d.Pools[d.Routed].Candidates {
		out = append(out, c.Text)
	}
	return out
}

// A greedy is one answer at temperature 0.
type greedy struct {
	read, written int // tokens
	took          time.Duration
}

// greedy is the greedy answer from a context, which is kept where the same text
// was first asked about.
func (j *judgement) greedy(family string) greedy {
	pools := j.said.Record.Pools
	i := slices.IndexFunc(pools, func(p rank.RecordedPool) bool { return p.Family == family })
	if i < 0 {
		return greedy{}
	}
	i = slices.IndexFunc(pools, func(p rank.RecordedPool) bool { return p.Context == pools[i].Context })
	if pools[i].Greedy == nil {
		return greedy{}
	}
	return greedy{pools[i].Prompt, pools[i].Greedy.Tokens, milliseconds(pools[i].Greedy.MS)}
}

// choice is each distinct line that could have been shown: of the candidates of
// all N, and of fewer, since where probabilities are read the least of them give
// way to what is found later.
func (j *judgement) choice(of ...rank.Decision) []string {
	var out []string
	seen := map[string]bool{}
	for _, d := range of {
		for _, p := range d.Pools {
			for _, c := range p.Candidates {
				if line := j.show(c.Text); !seen[line] {
					seen[line] = true
					out = append(out, line)
				}
			}
		}
	}
	return out
}

func milliseconds(ms float64) time.Duration { return time.Duration(ms * float64(time.Millisecond)) }
