package openai

import (
	"context"
	"errors"
	"iter"
	"slices"
	"strings"
	"sync"

	"readahead/model"
)

// A sampler draws as many samples a request as the caller means to take and the
// server gives, and hands them out one by one.
type sampler struct{ server *server }

func (g sampler) Samples(ctx context.Context, p model.Prompt, o model.Options) iter.Seq2[model.Sample, error] {
	return func(yield func(model.Sample, error) bool) {
		for drawn := 0; ; {
			samples, err := g.server.draw(ctx, p, o, drawn)
			if err != nil {
				yield(model.Sample{}, err)
				return
			}
			for _, s := range samples {
				if !yield(s, nil) {
					return
				}
			}
			drawn += len(samples)
		}
	}
}

// A batch is how many samples the server gives in one request, as far as is known.
type batch struct {
	mu   sync.Mutex
	most int
}

func (b *batch) of(wanted int) int {
	b.mu.Lock()
	defer b.mu.Unlock()
	return max(1, min(wanted, b.most))
}

// gave takes in that the server gave no more than n.
func (b *batch) gave(n int) {
	b.mu.Lock()
	defer b.mu.Unlock()
	b.most = min(b.most, max(1, n))
}

// draw is one request's worth of samples, at least one. A server that refuses as
// many is asked for half as many, and never for more again; one that fails is left
// alone.
func (s *server) draw(ctx context.Context, p model.Prompt, o model.Options, drawn int) ([]model.Sample, error) {
	most := s.batch.of(o.N - drawn)
	if o.Temperature <= 0 {
		most = 1 // they would all be the same
	}
	for n := most; ; n /= 2 {
		samples, err := s.drawn(ctx, s.sampling(p, o, drawn, n), o)
		switch {
		case err == nil && len(samples) < most:
			s.batch.gave(len(samples))
		case err != nil && n > 1 && understood(err) && !errors.Is(err, ErrBroken):
			continue
		}
		return samples, err
	}
}

// sampling is the request for n samples.
func (s *server) sampling(p model.Prompt, o model.Options, drawn, n int) request {
	seed, topP := (o.Seed+drawn)&0x7fffffff, o.TopP
	if topP <= 0 {
		topP = 1
	}
	r := request{
		Prompt: s.prompter.Text(p), MaxTokens: o.MaxTokens, Temperature: o.Temperature, TopP: topP,
		Seed: &seed, Stop: s.stops(o.Stop), tuning: s.kind.tuning(),
	}
	if n > 1 {
		r.N = n
	}
	if s.logProbs {
		one := 1
		r.LogProbs = &one
	}
	if s.suffix {
		head := p
		head.Causal = true
		right := s.prompter.Neutralise(p.Right)
		r.Prompt = s.prompter.Text(head)
		if !p.Causal {
			r.Suffix = &right
		}
	}
	return r
}

// maxStops is the most that OpenAI's own API takes.
const maxStops = 4

// stops are the caller's, and as many of the family's as the server takes: a
// special token ends an answer, and what is left of it after one Answer cuts.
func (s *server) stops(own []string) []string {
	stop := slices.DeleteFunc(slices.Clone(own), func(s string) bool { return s == "" })
	for _, special := range s.prompter.Family.Special {
		if s.prompter.FIM && len(stop) < maxStops && !slices.Contains(stop, special) {
			stop = append(stop, special)
		}
	}
	return stop
}

func (s *server) drawn(ctx context.Context, r request, o model.Options) ([]model.Sample, error) {
	got, u, err := s.complete(ctx, "generate with "+s.name, r)
	if err != nil {
		return nil, err
	}
	choices := got.Choices[:min(len(got.Choices), max(1, r.N))]
	out := make([]model.Sample, len(choices))
	for i, c := range choices {
		out[i] = s.sample(c, o)
		out[i].Usage.Generated = len(out[i].Tokens)
		if out[i].Tokens == nil {
			out[i].Usage.Generated = u.Generated / len(choices)
		}
	}
	// What the request cost as a whole is the first one's: usages add up. Tokens of
	// samples that nobody takes are not counted.
	u.Generated = out[0].Usage.Generated
	out[0].Usage = u
	return out, nil
}

// sample reads one choice. The server cuts at stop strings and after the tokens that
// were asked for; cutting here again costs nothing and holds for servers that do not.
func (s *server) sample(c choice, o model.Options) model.Sample {
	text, whole := o.Cut(*c.Text)
	out := model.Sample{Text: s.prompter.Answer(text), Stopped: c.Finish != "length" && c.Finish != "" && whole}
	for _, end := range o.Stop {
		if i := strings.Index(out.Text, end); i >= 0 && end != "" {
			out.Text, out.Stopped = out.Text[:i], true
		}
	}
	tokens := c.LogProbs.tokens()
	for _, t := range tokens[:o.CutTokens(len(tokens))] {
		out.Tokens = append(out.Tokens, model.Token{Text: t.text, LogProb: bounded(t.logProb)})
	}
	return out
}
