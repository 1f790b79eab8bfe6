package rank

import (
	"context"
	"errors"
	"fmt"
	"iter"
	"slices"
	"strings"
	"time"

	"readahead/model"
)

// blankLines is how many blank lines in a row a sample may give before it
// counts as one without code: two separate Python's top-level definitions, and
// a model that has nothing to say gives no end of them.
const blankLines = 3

// sample draws one pool. An error leaves the pool with what was drawn until
// then.
func (r *decision) sample(ctx context.Context, base int, g gates) error {
	start := time.Now()
	b := r.q.Bases[base]
	p := r.prompt(b)
	o := model.Options{Temperature: r.o.Temperature, TopP: r.o.TopP, MaxTokens: r.o.MaxTokens, Seed: r.o.Seed, Stop: []string{"\n"}, N: r.o.Samples}
	t := &tally{wanted: r.o.Samples}
	pool := Pool{Base: base, Family: b.Family, Wanted: r.o.Samples, Samples: []model.Sample{}, interrupted: true}
	r.d.Pools = append(r.d.Pools, pool)
	i := len(r.d.Pools) - 1
	err := r.draw(ctx, p, o, g, i, &pool, t)
	t.fill(&pool)
	r.d.Pools[i] = pool
	r.d.Usage = r.d.Usage.Plus(pool.Usage)
	r.d.Took.Sample += time.Since(start)
	return err
}

// prompt is what the model is asked with one context.
func (r *decision) prompt(b Base) model.Prompt {
	return model.Prompt{Context: b.Text, Path: r.q.Path, Lang: r.q.Lang, Left: r.q.Left, Right: r.q.Right, Causal: r.q.Causal}
}

// draw draws samples until the outcome is certain, or none can be drawn.
func (r *decision) draw(ctx context.Context, p model.Prompt, o model.Options, g gates, i int, pool *Pool, t *tally) error {
	for s, err := range r.samples(ctx, p, o) {
		if err == nil {
			s, err = r.goOn(ctx, p, o, t.drawn, s)
		}
		pool.Usage = pool.Usage.Plus(s.Usage)
		if err != nil {
			return r.interrupt(ctx, pool, t, err)
		}
		s = r.bounded(s)
		pool.Samples = append(pool.Samples, s)
		r.count(t, s)
		r.progress(i, *pool, t)
		switch why := t.decided(g); {
		case t.drawn == t.wanted:
			pool.interrupted = false
			return nil
		case why != "" && !r.o.NeverStop:
			pool.interrupted = false
			r.stop(pool, t, why)
			return nil
		case ctx.Err() != nil:
			return r.interrupt(ctx, pool, t, ctx.Err())
		}
	}
	return r.interrupt(ctx, pool, t, errEnded)
}

// samples are the model's answers, the likeliest before the others if Options say
// so.
func (r *decision) samples(ctx context.Context, p model.Prompt, o model.Options) iter.Seq2[model.Sample, error] {
	if !r.o.LikeliestFirst {
		return r.Generator.Samples(ctx, p, o)
	}
	return func(yield func(model.Sample, error) bool) {
		if s, err := first(r.Generator.Samples(ctx, p, likeliest(o))); !yield(s, err) || err != nil || o.N == 1 {
			return
		}
		o.Seed++
		o.N--
		for s, err := range r.Generator.Samples(ctx, p, o) {
			if !yield(s, err) {
				return
			}
		}
	}
}

// likeliest asks for one answer, each token of which is the most probable one.
func likeliest(o model.Options) model.Options {
	o.Temperature, o.TopP, o.N = 0, 1, 1
	return o
}

// tokenBytes is more than any tokenizer's tokens have on average.
const tokenBytes = 64

// bounded cuts a text that is longer than MaxTokens can be: whoever says it does
// not keep to what was asked, and reading it would take its time many times over.
func (r *decision) bounded(s model.Sample) model.Sample {
	if most := tokenBytes * r.o.MaxTokens; len(s.Text) > most {
		s.Text, s.Stopped = s.Text[:down(s.Text, most)], false
	}
	return s
}

// errEnded is a Generator that breaks its contract.
var errEnded = errors.New("the model ended without an error")

// interrupt ends a pool before its outcome is certain.
func (r *decision) interrupt(ctx context.Context, p *Pool, t *tally, err error) error {
	if ctx.Err() != nil {
		r.stop(p, t, noTime)
		return ctx.Err()
	}
	r.stop(p, t, err.Error())
	return fmt.Errorf("rank: sample from the %s context: %w", p.Family, err)
}

// stop notes why the rest of a pool's samples are not drawn.
func (r *decision) stop(p *Pool, t *tally, why string) {
	p.Stopped = why
	r.skip("%d of %d samples of the %s context: %s", t.wanted-t.drawn, t.wanted, p.Family, why)
}

// goOn completes sample number n, which ended at the first line break, if that
// line is blank or a comment: it asks for the lines after it, until there is
// one of code or the token cap of the sample is spent (Caret keeps the first
// line that is no comment of up to 64 tokens, §IV-E).
func (r *decision) goOn(ctx context.Context, p model.Prompt, o model.Options, n int, s model.Sample) (model.Sample, error) {
	o.Seed += n
	if o.N = 1; n == 0 && r.o.LikeliestFirst {
		o = likeliest(o)
	}
	left := p.Left
	spent := r.spent(s)
	for s.Stopped && spent < r.o.MaxTokens && r.at.propose(s.Text).none && blankRun(s.Text) <= blankLines {
		p.Left = left + s.Text + "\n"
		o.MaxTokens = r.o.MaxTokens - spent
		next, err := first(r.Generator.Samples(ctx, p, o))
		s = join(s, next)
		spent += r.spent(next)
		if err != nil {
			return s, err
		}
	}
	return s, nil
}

// blankRun is the number of blank lines at the end of text.
func blankRun(text string) int {
	for n := 0; ; n++ {
		i := strings.LastIndexByte(text, '\n')
		if !blank(text[i+1:]) {
			return n
		}
		if i < 0 {
			return n + 1
		}
		text = text[:i]
	}
}

// spent is how many tokens of the cap a sample took, its line break included,
// and at least one, so that going on comes to an end.
func (r Ranker) spent(s model.Sample) int {
	switch {
	case s.Usage.Generated > 0:
		return s.Usage.Generated
	case len(s.Tokens) > 0:
		return len(s.Tokens)
	}
	return r.tokens(s.Text) + 1
}

// join is a sample that was drawn in two pieces, with the line break between.
func join(s, next model.Sample) model.Sample {
	return model.Sample{
		Text:    s.Text + "\n" + next.Text,
		Tokens:  slices.Concat(s.Tokens, next.Tokens),
		Stopped: next.Stopped,
		Usage:   s.Usage.Plus(next.Usage),
	}
}

// first takes one sample.
func first(samples iter.Seq2[model.Sample, error]) (model.Sample, error) {
	for s, err := range samples {
		return s, err
	}
	return model.Sample{}, errEnded
}

// count adds what a sample proposes to the tally.
func (r *decision) count(t *tally, s model.Sample) {
	found, form := r.canonical(s.Text)
	if found.none {
		t.addBlank()
		return
	}
	t.add(form, Candidate{Text: found.line, Cut: found.last && !s.Stopped})
}

// canonical is the line that a text would insert, and the form by which it
// equals others.
func (r *decision) canonical(text string) (proposal, string) {
	found := r.at.propose(text)
	if found.none {
		return found, ""
	}
	if r.q.Fit != nil {
		found.line = r.q.Fit(found.line)
	}
	form := r.at.form(found.line)
	if form == "" {
		found.line = "" // white space alone is nothing to insert
	}
	return found, form
}

// fill writes the counts into p.
func (t *tally) fill(p *Pool) {
	p.Candidates = t.candidates()
	p.Blank = t.blank
	_, votes := t.lead()
	p.Agreement = share(votes, t.drawn)
}

// progress reports the decision as it stands in the middle of pool i.
func (r *decision) progress(i int, p Pool, t interface{ fill(*Pool) }) {
	if r.q.Progress == nil {
		return
	}
	d := r.d
	d.Usage = d.Usage.Plus(p.Usage)
	d.Pools = slices.Clone(d.Pools)
	d.Skipped = slices.Clone(d.Skipped)
	p.Samples = slices.Clone(p.Samples)
	t.fill(&p)
	d.Pools[i] = p
	if d.route(); d.Routed >= 0 {
		d.Rule = ruleVotes
	}
	r.q.Progress(d)
}
