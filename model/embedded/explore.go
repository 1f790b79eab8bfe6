package embedded

import (
	"context"
	"fmt"
	"math"
	"strings"
	"time"

	"readahead/model"
)

// Explore is over the distributions that Samples draws from.
func (g *generator) Explore(ctx context.Context, p model.Prompt, f func(model.Continue) error) error {
	start := time.Now()
	t := newTree(g.of.now(), p, g.of.o.MaxContext)
	prompt := len(t.cache.units)
	return f(func(written []string, limit int) ([]model.Step, model.Usage, error) {
		steps, err := t.steps(ctx, written, limit)
		if err != nil {
			err = fmt.Errorf("embedded: complete %s: %w", p.Path, err)
		}
		u := model.Usage{Requests: 1, Prompt: prompt + len(written), Generated: len(steps), Time: time.Since(start)}
		start = time.Now()
		return steps, u, err
	})
}

// steps goes along what is written, and on from there.
func (t *tree) steps(ctx context.Context, written []string, limit int) ([]model.Step, error) {
	t.cache.cut(t.governor)
	t.layout, t.partial = t.origin.clone(), t.part
	n := &t.root
	var units []unit
	for _, text := range written {
		u, ok := t.named(n, text)
		if !ok {
			return nil, fmt.Errorf("%q was never listed behind %q", text, t.written(units))
		}
		t.follow(u)
		units = append(units, u)
		n = n.child(u)
	}
	var steps []model.Step
	for drawn := 0; drawn < limit; {
		if err := ctx.Err(); err != nil {
			return nil, err
		}
		if n.choices == nil {
			n.choices = t.choices()
		}
		if len(n.choices) == 0 || loops(units) {
			return append(steps, model.Step{Listed: []model.Choice{{End: true}}, Whole: true}), nil
		}
		s := model.Step{Whole: true}
		for _, c := range n.choices {
			s.Listed = append(s.Listed, model.Choice{Token: model.Token{Text: t.textOf(c.unit), LogProb: math.Log(c.p)}, End: c.unit.word() == end})
		}
		steps = append(steps, s)
		if first := s.Listed[0]; first.End || strings.ContainsAny(first.Text, "\r\n") {
			break
		}
		u := n.choices[0].unit
		drawn += min(len(s.Listed[0].Text), 1)
		t.follow(u)
		units = append(units, u)
		n = n.child(u)
	}
	return steps, nil
}

// textOf is what a unit adds to the text here.
func (t *tree) textOf(u unit) string {
	if u.word() == end {
		return ""
	}
	return t.render(u)[len(t.partial.text):]
}

// named is the choice at n that adds text.
func (t *tree) named(n *node, text string) (unit, bool) {
	if n.choices == nil {
		n.choices = t.choices()
	}
	for _, c := range n.choices {
		if c.unit.word() != end && t.textOf(c.unit) == text {
			return c.unit, true
		}
	}
	return 0, false
}

// written is the text of units, for a message.
func (t *tree) written(units []unit) string {
	var b strings.Builder
	for _, u := range units {
		b.WriteString(t.render(u))
	}
	return b.String()
}
