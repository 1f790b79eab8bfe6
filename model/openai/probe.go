package openai

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"sync"

	"readahead/model"
	"readahead/model/fim"
	"readahead/model/link"
	"readahead/model/meter"
)

// abilities are what a server and a model were found to offer.
type abilities struct {
	family   fim.Family
	fim      bool
	context  int // tokens; 0 if the server does not say
	batch    int // samples a request; 1 if the server gives one
	logProbs bool
	whyNot   string // there are none, in the server's words
	scoring  string // "" for none
	wrong    bool   // it reports probabilities of a given text that cannot be right
}

// The texts of the probes have nothing to do with the user's. Behind given, which
// repeats itself, every model expects expected, and none unexpected. A server that
// does not see it so reports something else than the model's own probabilities of
// these tokens: all the same to it (it reports what a grammar left), or shifted by
// one (llama-cpp-python, for models without a token for the beginning of a text).
const (
	given      = "a = 1\nb = 2\nc = 3\na = 1\nb = 2\nc = 3\na = 1\nb = 2\nc = 3\n"
	expected   = "a = 1\nb = 2\nc = 3\n"
	unexpected = "1 a =\n2 b =\n3 c =\n"
)

// A likelihood of expected is plausible from leastExpected nats a byte on, and if
// it lies leastApart nats above that of unexpected. The small test model, which is
// worse at it than any in use, has -0.8 and 47; shifted by one they are -5.9 and -13.
const leastExpected, leastApart = -2.0, 5.0

// mostSamples is what is asked of a server that gave two at once; one that has
// room for fewer refuses, and is asked for less (see draw).
const mostSamples = 64

// ask finds out what the server can do, with all questions at once: each costs a
// token or two. An answer that something is not to be had is an ability that is
// lacking; no answer at all is an error.
func ask(ctx context.Context, w *wire, l listed, c Config) (abilities, error) {
	s := &server{
		wire: w, kind: l.kind(), name: l.ID, prompter: fim.NewPrompter(fim.Unknown(), false),
		gauge: meter.NewGauge(), speed: meter.NewSpeedometer(1), batch: &batch{most: 2},
	}
	a := abilities{context: l.MaxModelLen, batch: 1}
	if l.Meta != nil && l.Meta.NCtx > 0 {
		a.context = l.Meta.NCtx
	}
	var scoring string
	var wg sync.WaitGroup
	var errs [3]error
	wg.Go(func() { errs[0] = s.askSamples(ctx, c, &a) })
	wg.Go(func() { a.family, a.fim, errs[1] = s.askFamily(ctx, l, c) })
	wg.Go(func() { scoring, a.wrong, errs[2] = s.askScoring(ctx) })
	wg.Wait()
	if a.logProbs { // without them what comes back is not probabilities
		a.scoring = scoring
	}
	return a, first(errs[:])
}

func first(errs []error) error {
	for _, err := range errs {
		if err != nil {
			return err
		}
	}
	return nil
}

// askSamples asks for two samples with log-probabilities, for one, and for one
// without, until the server gives what was asked.
func (s *server) askSamples(ctx context.Context, c Config, a *abilities) error {
	o := model.Options{Temperature: 1, TopP: 1, MaxTokens: 2, Seed: 1, Stop: []string{"\n"}}
	p := model.Prompt{Left: given}
	var refusal error
	for _, try := range []struct {
		n        int
		logProbs bool
	}{{2, true}, {1, true}, {2, false}, {1, false}} {
		s.logProbs = try.logProbs
		r := s.sampling(p, o, 0, try.n)
		if c.Suffix {
			right := "\n"
			r.Suffix = &right
		}
		samples, err := s.drawn(ctx, r, o)
		if err == nil {
			a.logProbs = try.logProbs && samples[0].Tokens != nil
			if len(samples) > 1 {
				a.batch = mostSamples
			}
			if !a.logProbs && refusal != nil {
				a.whyNot = " (it says: " + link.Short(said(refusal)) + ")"
			}
			return nil
		}
		if !understood(err) {
			return err
		}
		refusal = err
	}
	if c.Suffix {
		return fmt.Errorf("openai: the server takes no suffix: set prompt to auto or fim: %w", refusal)
	}
	return refusal
}

// said are the server's words.
func said(err error) string {
	var r *refusal
	if errors.As(err, &r) {
		return r.says
	}
	return err.Error()
}

// askScoring tries each way to score, and names the first that works; "" if none
// does, wrong if one seemed to. A way that the server's kind is known not to have
// is left out.
func (s *server) askScoring(ctx context.Context) (how string, wrong bool, err error) {
	ways := []string{scoringEcho, scoringPrompt}
	switch s.kind {
	case llamaKind:
		ways = []string{scoringEcho, scoringForced}
	case ollamaKind:
		ways = []string{scoringEcho}
	}
	for _, how := range ways {
		plausible, err := scorer{s, how}.plausible(ctx)
		switch {
		case err == nil && plausible:
			return how, false, nil
		case err == nil:
			wrong = true
		case !lacks(err) && !errors.Is(err, ErrGarbled):
			return "", false, err
		}
	}
	return "", wrong, nil
}

// plausible says whether likelihoods come out as they must.
func (g scorer) plausible(ctx context.Context) (bool, error) {
	high, _, err := g.one(ctx, given, expected)
	if err != nil {
		return false, err
	}
	low, _, err := g.one(ctx, given, unexpected)
	return high.LogProb >= leastExpected*float64(len(expected)) && high.LogProb-low.LogProb >= leastApart, err
}

// askFamily goes by what the user says, by the model's name, and, where the
// server shows its vocabulary, by the tokens in it.
func (s *server) askFamily(ctx context.Context, l listed, c Config) (fim.Family, bool, error) {
	if c.Suffix {
		return fim.Unknown(), false, nil
	}
	if f, ok := fim.Named(c.Family); ok {
		return f, true, nil
	}
	names := []string{l.ID, l.Root}
	named, ok := fim.CalledBy(names...)
	if ok && !fim.ForChat(strings.Join(names, " ")) {
		return named, true, nil
	}
	if s.kind == llamaKind {
		f, found, err := s.vocabulary(ctx, named)
		if found || err != nil {
			return f, found, err
		}
	}
	if ok {
		return named, false, nil
	}
	return fim.Unknown(), false, nil
}

// vocabulary finds a family whose fill-in-the-middle tokens are each one token of
// the model; named comes first, since families share tokens.
func (s *server) vocabulary(ctx context.Context, named fim.Family) (fim.Family, bool, error) {
	for _, f := range append([]fim.Family{named}, fim.Families...) {
		tokens := f.FIMTokens()
		if len(tokens) == 0 {
			continue
		}
		words, err := s.wire.words(ctx, "ask for the tokens of "+s.name, strings.Join(tokens, ""), false)
		if err != nil {
			if lacks(err) {
				return fim.Family{}, false, nil
			}
			return fim.Family{}, false, err
		}
		if len(words) == len(tokens) {
			return f, true, nil
		}
	}
	return fim.Family{}, false, nil
}
