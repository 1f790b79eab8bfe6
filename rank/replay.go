package rank

import (
	"context"
	"errors"
	"fmt"
	"iter"
	"math"
	"slices"
	"strings"
	"time"

	"readahead/model"
)

// Bases are the contexts of a record, in the order in which they were asked
// about, with stand-ins for their texts. A request to Decide has some of them,
// in the order of its cascade.
func (rec *Record) Bases() []Base {
	var out []Base
	for _, p := range rec.Pools {
		out = append(out, Base{p.Family, p.Context})
	}
	return out
}

// Again is the record of the second time that the contexts were asked about, with
// the scores of both; nil if they were asked about once.
func (rec *Record) Again() *Record {
	again := *rec
	again.Pools = slices.Clone(rec.Pools)
	for i, p := range rec.Pools {
		switch {
		case p.Again != nil:
			again.Pools[i] = *p.Again
		case len(p.Samples) > 0:
			return nil
		}
	}
	return &again
}

// Decide is the Decision that Ranker.Decide would have come to with these
// Options: q is the recorded request with some of rec.Bases. Of the Options,
// those that say what is asked (Temperature, TopP, MaxTokens, Seed) are what
// they were, whatever o says. Took is what the model took when it was recorded.
// Usage counts as Prompt the tokens that are new to the model: of each context
// its prompt, of the grader's code before the cursor one reading, and what each
// candidate adds to that.
//
// An error says that the record can't answer: more samples are wanted than were
// drawn, o reads what was not recorded, or q is another request.
func (rec *Record) Decide(ctx context.Context, q Request, o Options) (Decision, error) {
	said := &recording{Record: rec, q: q}
	r := Ranker{Generator: said, Options: o}
	if len(rec.Views) > 0 && rec.Views[0].Scores != nil {
		r.Scorer = said
	}
	run, err := r.begin(q)
	if err != nil {
		return run.d, err
	}
	if run.o.Samples > rec.Wanted {
		return run.d, fmt.Errorf("rank: %d samples are wanted of a record of %d", run.o.Samples, rec.Wanted)
	}
	reading := Reading{run.o.LeftTokens, run.o.RightTokens}
	said.view = &RecordedView{Reading: reading}
	if v := rec.view(reading); v != nil {
		said.view = v
	} else if reading.Right > 0 && r.Scorer != nil {
		return run.d, fmt.Errorf("rank: a record without scores over %d tokens to the left and %d to the right", reading.Left, reading.Right)
	}
	if said.view.Bayes != nil {
		run.Filler = said
	} else if run.o.Grade == Bayes && run.unverifiable() == "" {
		return run.d, errors.New("rank: a record without scores by Bayes' rule")
	}
	run.left, run.right, said.greedy = said.view.Left, said.view.Right, run.o.Selector == Greedy
	said.likeliest = run.o.LikeliestFirst
	run.findings, run.recorded = said.findings, said.beginning
	if err = run.decide(ctx); err == nil {
		err = said.missing
	}
	run.d.Took = Timings{Sample: run.d.Usage.Time - said.scoring, Score: said.scoring, Total: run.d.Usage.Time}
	return run.d, err
}

// A recording is a record that answers as the model did.
type recording struct {
	*Record
	q      Request
	view   *RecordedView
	greedy bool
	// likeliest: the first sample is the greedy one, see Options.LikeliestFirst.
	likeliest bool
	began     bool // the grader has read the code before the cursor
	scoring   time.Duration
	missing   error // a candidate that was not recorded
}

func (m *recording) Samples(ctx context.Context, p model.Prompt, o model.Options) iter.Seq2[model.Sample, error] {
	return func(yield func(model.Sample, error) bool) {
		pool := m.pool(p.Context)
		switch {
		case pool == nil:
			yield(model.Sample{}, fmt.Errorf("rank: no context %q in the record", p.Context))
			return
		case p.Left != m.q.Left:
			yield(model.Sample{}, nil) // what a sample without code went on with is part of it already
			return
		case (m.greedy || m.likeliest && o.Temperature == 0) && pool.Greedy != nil:
			yield(pool.Greedy.sample(pool.Prompt), nil)
			return
		}
		for i, s := range pool.Samples {
			if i == 0 && m.likeliest {
				continue // its place has the greedy one, which has read the prompt
			}
			if !yield(s.sample(pool.unread(i)), nil) {
				return
			}
		}
	}
}

// unread is what answer number i had to read of the prompt.
func (p *RecordedPool) unread(i int) int {
	if i == 0 {
		return p.Prompt
	}
	return 0
}

func (s RecordedSample) sample(read int) model.Sample {
	return model.Sample{Text: s.Text, Stopped: s.Stopped, Usage: model.Usage{Requests: 1, Prompt: read, Generated: s.Tokens, Time: milliseconds(s.MS)}}
}

func milliseconds(ms float64) time.Duration { return time.Duration(ms * float64(time.Millisecond)) }

func (m *recording) findings(_ context.Context, p model.Prompt) iter.Seq2[finding, error] {
	return func(yield func(finding, error) bool) {
		pool := m.pool(p.Context)
		if pool == nil || pool.Explored == nil {
			yield(finding{}, fmt.Errorf("rank: context %q of the record was not explored", p.Context))
			return
		}
		for i, f := range pool.Explored {
			path := f.sample(pool.unread(i))
			path.Usage.Requests = f.Requests
			if !yield(finding{Lines: f.Lines, Rest: f.Rest, Largest: f.Largest, Path: path}, nil) {
				return
			}
		}
	}
}

// beginning is the recorded view of fewer tokens.
func (m *recording) beginning(limit int) string {
	v := m.Record.view(Reading{m.view.Reading.Left, limit})
	if v == nil {
		m.missing = fmt.Errorf("rank: a record without scores over %d tokens to the right, which a race needs", limit)
		return ""
	}
	return v.Right
}

// Score answers for a whole view, or for a piece of one in a race: the
// difference of two views of which one begins with the other.
func (m *recording) Score(_ context.Context, pairs []model.Pair) ([]model.Likelihood, model.Usage, error) {
	var out []model.Likelihood
	var cost Cost
	read := 0
	for _, p := range pairs {
		if p.Prefix == m.view.Left && scoreOf(m.view.Bayes, p.Continuation) != nil {
			out = append(out, model.Likelihood{}) // see Fill
			continue
		}
		l, n, c, err := m.likelihood(p)
		if err != nil {
			m.missing = err
			return nil, model.Usage{}, err
		}
		out = append(out, l)
		cost, read = cost.plus(c), read+n
	}
	if read > 0 && !m.began {
		m.began, read = true, read+m.view.Tokens.Left
	}
	return out, m.charge(cost, read), nil
}

// charge is what grading some candidates cost, with so many tokens read.
func (m *recording) charge(c Cost, read int) model.Usage {
	u := model.Usage{Requests: int(math.Round(c.Requests)), Prompt: read, Generated: int(math.Round(c.Generated)), Time: milliseconds(c.MS)}
	m.scoring += u.Time
	return u
}

// Fill answers with the whole of Bayes' rule, so that Score, asked how probable
// the candidates are behind the left side alone, has nothing to take off. Both
// sides are read once, the left one twice, and each candidate twice.
func (m *recording) Fill(_ context.Context, gaps []model.Gap) ([]model.Likelihood, model.Usage, error) {
	var out []model.Likelihood
	var cost Cost
	read := 2*m.view.Tokens.Left + m.view.Tokens.Right
	for _, g := range gaps {
		s := scoreOf(m.view.Bayes, g.Middle)
		if s == nil {
			m.missing = fmt.Errorf("rank: no likelihood of %q by Bayes' rule in the record", g.Middle)
			return nil, model.Usage{}, m.missing
		}
		l := model.Likelihood{LogProb: math.NaN()}
		if s.LogProb != nil {
			l.LogProb = *s.LogProb
		}
		out = append(out, l)
		cost, read = cost.plus(s.Cost), read+2*s.Tokens
	}
	return out, m.charge(cost, read), nil
}

// likelihood is also how many tokens are read for it, and what it took.
func (m *recording) likelihood(p model.Pair) (model.Likelihood, int, Cost, error) {
	for _, v := range m.Views {
		read, ok := strings.CutSuffix(v.Right, p.Continuation)
		if !ok || v.Left != m.view.Left || !strings.HasPrefix(m.view.Right, v.Right) {
			continue
		}
		line, ok := strings.CutSuffix(strings.TrimPrefix(p.Prefix, v.Left), read)
		if !ok {
			continue
		}
		whole, part, had := v.score(line), &RecordedScore{LogProb: new(float64), Exact: true}, 0
		for _, w := range m.Views {
			if read != "" && w.Left == v.Left && w.Right == read {
				part = w.score(line)
				had = w.Tokens.Right
				break
			}
		}
		if whole == nil || part == nil {
			continue
		}
		l := model.Likelihood{LogProb: math.NaN(), Exact: whole.Exact && part.Exact}
		if whole.LogProb != nil && part.LogProb != nil {
			l.LogProb = *whole.LogProb - *part.LogProb
		}
		return l, whole.Tokens - part.Tokens + v.Tokens.Right - had, whole.Cost.minus(part.Cost), nil
	}
	return model.Likelihood{}, 0, Cost{}, fmt.Errorf("rank: no likelihood of %q behind %q in the record", p.Continuation, strings.TrimPrefix(p.Prefix, m.view.Left))
}
