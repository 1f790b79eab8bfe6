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
	Written  int      // tokens that the model generated for them
	Slower   float64  // model's time, in those of one greedy answer from the first context
	Scored   int      // distinct candidates

	Sample, Score time.Duration // what the model took
	Total         time.Duration // with retrieval and allocation
}

// Answers are what each variant makes of what was said about each task: by
// variant, then by task.
func Answers(ctx context.Context, tasks []*Task, said []*Sampled, s Setup, variants []Variant) ([][]Answer, error) {
	out := make([][]Answer, len(variants))
	for v := range out {
		out[v] = make([]Answer, len(tasks))
	}
	workers, ctx := errgroup.WithContext(ctx)
	workers.SetLimit(runtime.GOMAXPROCS(0))
	for i, t := range tasks {
		workers.Go(func() error {
			j, err := newJudgement(t, said[i], s)
			if err != nil {
				return err
			}
			for v, variant := range variants {
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

// A judgement is one task under all variants.
type judgement struct {
	t      *Task
	said   *Sampled
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
		t: t, said: said, prompt: prompt, target: t.Canonical(target),
		fit: remember(prompt.Request(t.Path, nil).Fit), show: remember(show),
	}, nil
}

func (j *judgement) answer(ctx context.Context, v Variant) (Answer, error) {
	o := v.options()
	bases := v.order(j.said.Record.Bases())
	if len(bases) < len(contextsOf[v.Route]) {
		return Answer{}, fmt.Errorf("its record lacks a context of route %s", v.Route)
	}
	q := j.prompt.Request(j.t.Path, bases)
	q.Fit = j.fit
	d, err := j.said.Record.Decide(ctx, q, o)
	if err != nil {
		return Answer{}, err
	}
	// Sampling stops where more would change nothing, but the oracle's N samples
	// are all of them.
	o.NeverStop = true
	all, err := j.said.Record.Decide(ctx, q, o)
	if err != nil {
		return Answer{}, err
	}
	a := Answer{
		Cost: d.RelativeCost(), Contexts: d.Consulted(), Scored: d.Scored(), Sample: d.Took.Sample, Score: d.Took.Score,
		Requests: d.Usage.Requests, Written: d.Usage.Generated,
	}
	if v.Route == "iterative" { // the answer that the context was retrieved with
		first := j.greedy(lexical)
		a.Cost, a.Contexts, a.Requests, a.Written, a.Sample = a.Cost+1, a.Contexts+1, a.Requests+1, a.Written+first.Tokens, a.Sample+milliseconds(first.MS)
	}
	if greedy := j.greedy(bases[0].Family); greedy.MS > 0 {
		a.Slower = (a.Sample + a.Score).Seconds() / milliseconds(greedy.MS).Seconds()
	}
	a.Total = a.Sample + a.Score + milliseconds(j.said.Retrieve+j.said.Allocate)
	if best, ok := d.Best(); ok {
		a.Text = j.show(best.Text)
	}
	form := j.t.Canonical(a.Text)
	a.Right, a.Similar = form == j.target, EditSimilarity(form, j.target)
	a.Choice = j.choice(all)
	for _, line := range a.Choice {
		a.Possible = a.Possible || j.t.Canonical(line) == j.target
	}
	return a, nil
}

// greedy is the greedy answer from a context, which is kept where the same text
// was first asked about.
func (j *judgement) greedy(family string) rank.RecordedSample {
	pools := j.said.Record.Pools
	i := slices.IndexFunc(pools, func(p rank.RecordedPool) bool { return p.Family == family })
	if i < 0 {
		return rank.RecordedSample{}
	}
	i = slices.IndexFunc(pools, func(p rank.RecordedPool) bool { return p.Context == pools[i].Context })
	if pools[i].Greedy == nil {
		return rank.RecordedSample{}
	}
	return *pools[i].Greedy
}

// choice is each distinct line that could have been shown.
func (j *judgement) choice(d rank.Decision) []string {
	var out []string
	seen := map[string]bool{}
	for _, p := range d.Pools {
		for _, c := range p.Candidates {
			if line := j.show(c.Text); !seen[line] {
				seen[line] = true
				out = append(out, line)
			}
		}
	}
	return out
}

func milliseconds(ms float64) time.Duration { return time.Duration(ms * float64(time.Millisecond)) }
