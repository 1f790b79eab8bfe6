package embedded

import (
	"context"
	"fmt"
	"strings"
	"time"

	"readahead/model"
)

// Score is exact: the chain rule over the same distributions that Samples draws
// from. The prefix is the cache, so that a candidate at its end that introduces a
// name makes the lines that use it more probable.
func (g *generator) Score(ctx context.Context, pairs []model.Pair) ([]model.Likelihood, model.Usage, error) {
	start := time.Now()
	var usage model.Usage
	c := g.of.now()
	out := make([]model.Likelihood, 0, len(pairs))
	for _, p := range pairs {
		s := c.session()
		s.text(p.Prefix, g.of.o.MaxContext)
		usage.Prompt += len(s.cache.units)
		l, err := s.score(ctx, p.Continuation)
		if err != nil {
			return nil, usage, fmt.Errorf("embedded: score %d pairs: %w", len(pairs), err)
		}
		usage.Requests++
		out = append(out, l)
	}
	usage.Time = time.Since(start)
	return out, usage, nil
}

// Fill is as exact, over a prompt that fills in the middle as this model can: the
// code behind the gap is read before that in front of it, and makes its own words
// more likely. Where a line break follows the gap it is part of what is graded, with
// the indentation behind it, as it is one unit.
func (g *generator) Fill(ctx context.Context, gaps []model.Gap) ([]model.Likelihood, model.Usage, error) {
	start := time.Now()
	var usage model.Usage
	c := g.of.now()
	out := make([]model.Likelihood, 0, len(gaps))
	for _, p := range gaps {
		s := c.read(model.Prompt{Left: p.Left, Right: p.Right}, g.of.o.MaxContext)
		usage.Prompt += len(s.cache.units)
		end := ""
		if strings.HasPrefix(p.Right, "\n") {
			end = p.Right[:len(p.Right)-len(strings.TrimLeft(p.Right, " \t\n"))]
		}
		l, err := s.score(ctx, p.Middle+end)
		if err != nil {
			return nil, usage, fmt.Errorf("embedded: score %d gaps: %w", len(gaps), err)
		}
		usage.Requests++
		out = append(out, l)
	}
	usage.Time = time.Since(start)
	return out, usage, nil
}

func (s *session) score(ctx context.Context, text string) (model.Likelihood, error) {
	out := model.Likelihood{Exact: true}
	if text == "" {
		return out, nil
	}
	had := len(s.partial.text)
	l := lexer{src: s.partial.text + text, layout: s.layout.clone()}
	z := 1.0
	for first := true; ; first = false {
		if err := ctx.Err(); err != nil {
			return out, err
		}
		x, ok := l.next()
		if !ok {
			return out, nil
		}
		s.read()
		if first {
			z = s.normaliser(s.all())
		}
		t := model.Token{LogProb: s.logProb(x, z)}
		if x.spaced {
			t.Text = " "
		}
		t.Text += x.text
		if first {
			t.Text, z = t.Text[min(had, len(t.Text)):], 1
		}
		out.LogProb += t.LogProb
		out.Tokens = append(out.Tokens, t)
		s.follow(s.unit(x))
	}
}
