package replay

import (
	"context"
	"fmt"
	"strings"

	"readahead/model"
)

// A Table grades a pair by the end of its prefix: the longest key that the
// prefix ends in gives the log-probability. With a cursor's left context and a
// candidate as the prefix, the candidates are the keys.
//
//	m.Score = replay.Table{"get(id)": -3, "get(order.id)": -1}.Score
type Table map[string]float64

// Score is the log-probability of the longest matching key, as one exact
// token; a pair that no key matches is an error that shows it.
func (t Table) Score(p model.Pair) (model.Likelihood, error) {
	longest, found := "", false
	for key := range t {
		if strings.HasSuffix(p.Prefix, key) && (!found || len(key) > len(longest)) {
			longest, found = key, true
		}
	}
	if !found {
		return model.Likelihood{}, fmt.Errorf("replay: no likelihood is scripted for a prefix that ends in %q (add a key to the Table)", tail(p.Prefix, 40))
	}
	lp := t[longest]
	return model.Likelihood{LogProb: lp, Exact: true, Tokens: []model.Token{{Text: p.Continuation, LogProb: lp}}}, nil
}

type scorer struct{ m *Model }

func (s scorer) Score(ctx context.Context, pairs []model.Pair) ([]model.Likelihood, model.Usage, error) {
	var out []model.Likelihood
	var usage model.Usage
	for _, p := range pairs {
		if err := s.m.sleep(ctx, s.m.ScoreDelay); err != nil {
			return nil, usage, err
		}
		s.m.update(func() { s.m.pairs = append(s.m.pairs, p) })
		l, err := s.m.Score(p)
		if err != nil {
			return nil, usage, err
		}
		out = append(out, l)
		usage = usage.Plus(model.Usage{Requests: 1, Prompt: words(p.Prefix) + words(p.Continuation)})
	}
	return out, usage, nil
}
