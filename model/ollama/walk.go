package ollama

import (
	"cmp"
	"context"
	"math"
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"

	"readahead/model"
)

// A Walk approximates log P(continuation | prefix) on a server that scores only
// what it generates (Caret §III-C, eq. 1, needs one teacher-forced pass; Ollama
// has none).
//
// It lets the model generate greedily with the 20 best alternatives of every
// token, and follows the continuation through them, byte by byte:
//
//	target     return   err   ·or·nil …
//	generated  return   err   \n
//	                          └ differs: the longest alternative that the target
//	                            begins with is charged, and generation starts
//	                            anew from there (the server keeps the prefix)
//
// What is charged where:
//
//	generated token the target begins with   its log-probability
//	alternative     the target begins with   its log-probability; a new request
//	target ends inside tokens                the sum of their probabilities
//	nothing listed                           the floor: less than the least that
//	                                         was listed, and the unlisted mass
//	out of requests                          the mean of the bytes so far
//
// The result is finite and negative, never exact: the tokens are those that the
// model prefers on the way, not those of the whole text.
//
// With MaxWindow 1 every token is forced by a request of its own, always to the
// longest alternative: truer and slower, the reference for measuring the walk.
type Walk struct {
	server *server
	// MaxRequests bounds the requests for one pair.
	MaxRequests int
	// MaxWindow bounds the tokens generated per request: a window starts at
	// two, doubles while all of it matches, and falls back at a difference.
	MaxWindow int
}

const (
	// alternatives is what the server reports at most.
	alternatives = 20
	// firstWindow tokens are wanted after a difference, where the next one is
	// likely.
	firstWindow = 2
	// defaultWindow bounds what one difference can waste.
	defaultWindow = 16
	// worst is the least log-probability that is charged for one token: e⁻²⁰
	// is below anything that the comparison of candidates could rest on.
	worst = -20.0
	// unlisted is charged where the server lists nothing to go by.
	unlisted = -8.0
)

// Score grades the pairs one after another, those with a common prefix next to
// each other, in one slot. Positions that texts share are asked about once.
func (w *Walk) Score(ctx context.Context, pairs []model.Pair) ([]model.Likelihood, model.Usage, error) {
	texts := make([]walked, len(pairs))
	for i, p := range pairs {
		texts[i].prompt, texts[i].target = w.server.prompter.Pair(p)
	}
	return w.grade(ctx, texts)
}

// Fill grades the middles of gaps, the line's end or the text's behind them
// included: a middle of which more would have to follow is none. It is what
// Bayes' rule turns into the likelihood of the right side.
func (w *Walk) Fill(ctx context.Context, gaps []model.Gap) ([]model.Likelihood, model.Usage, error) {
	texts := make([]walked, len(gaps))
	for i, g := range gaps {
		texts[i] = walked{w.server.prompter.Text(model.Prompt{Left: g.Left, Right: g.Right}), w.server.prompter.Neutralise(g.Middle), true}
	}
	return w.grade(ctx, texts)
}

// A walked text is what one walk goes along.
type walked struct {
	prompt, target string
	ends           bool // and the text, or the line, ends behind it
}

func (w *Walk) grade(ctx context.Context, texts []walked) ([]model.Likelihood, model.Usage, error) {
	order := make([]int, len(texts))
	for i := range order {
		order[i] = i
	}
	slices.SortStableFunc(order, func(a, b int) int {
		return cmp.Or(strings.Compare(texts[a].prompt, texts[b].prompt), strings.Compare(texts[a].target, texts[b].target))
	})
	out := make([]model.Likelihood, len(texts))
	var usage model.Usage
	if len(texts) == 0 {
		return out, usage, nil
	}
	what := "score with " + w.server.name
	if err := w.server.tells(what); err != nil {
		return nil, usage, err
	}
	err := w.server.exclusive(ctx, what, func() error {
		known := map[string]run{}
		for _, i := range order {
			walk := walking{Walk: w, what: what, known: known, usage: &usage, prompt: texts[i].prompt, rest: texts[i].target}
			if err := walk.all(ctx); err != nil {
				return err
			}
			if texts[i].ends {
				if err := walk.end(ctx); err != nil {
					return err
				}
			}
			out[i] = walk.likelihood()
		}
		return nil
	})
	if err != nil {
		return nil, usage, err
	}
	return out, usage, nil
}

// walking is one walk in progress: rest is what is still to be found.
type walking struct {
	*Walk
	what     string
	known    map[string]run
	usage    *model.Usage
	prompt   string
	rest     string
	tokens   []model.Token
	requests int
}

func (w *walking) all(ctx context.Context) error {
	whole := w.rest
	window := min(firstWindow, w.MaxWindow)
	for w.rest != "" {
		if w.requests == w.MaxRequests {
			w.extrapolate(whole)
			return nil
		}
		r, err := w.next(ctx, window)
		if err != nil {
			return err
		}
		if w.follow(r) {
			window = min(2*window, w.MaxWindow)
		} else {
			window = min(firstWindow, w.MaxWindow)
		}
	}
	return nil
}

// next is the run from here. Greedy generation may list nothing: a window can
// end inside a character, and where the text ends, says the model, its token
// is not reported. Then any other token will do, since the alternatives are
// reported with it.
func (w *walking) next(ctx context.Context, window int) (run, error) {
	r, err := w.ask(ctx, w.prompt, window, 0)
	if err == nil && len(r.steps) == 0 && r.cut {
		r, err = w.ask(ctx, w.prompt, charWindow, 0)
	}
	if err == nil && len(r.steps) == 0 {
		r, err = w.ask(ctx, w.prompt, 1, anyToken)
		r.forced = true
	}
	if err == nil && len(r.steps) == 0 {
		r.steps = []step{{}} // nothing to be learned: a floor
	}
	return r, err
}

const (
	// anyToken is a temperature at which all tokens are about as likely, so
	// that one is drawn even where the end of the text is nearly certain. The
	// reported probabilities do not depend on it.
	anyToken = 1000
	// charWindow tokens hold any character and the token after it.
	charWindow = 6
)

// follow moves along one run, and says whether all of it matched.
func (w *walking) follow(r run) bool {
	for _, s := range r.steps {
		if w.rest == "" {
			return true
		}
		if s.count > 1 { // several tokens that are one character, checked against the text
			if !strings.HasPrefix(w.rest, s.text) {
				w.floor(s)
				return false
			}
			w.take(s.text, s.logProb)
			continue
		}
		best, found := s.best(w.rest)
		switch mass := s.massBeyond(w.rest); {
		case mass > 0 && (!found || mass >= math.Exp(best.logProb)):
			w.take(w.rest, math.Log(mass))
			return true
		case !found:
			w.floor(s)
			return false
		}
		w.take(best.text, best.logProb)
		if r.forced || best.text != s.text {
			return false
		}
	}
	return true
}

// end charges that the line or the text ends here: the tokens that break the
// line, the special ones, and the end of the text, which is not listed but is
// what a greedy answer without a token means.
func (w *walking) end(ctx context.Context) error {
	r, err := w.ask(ctx, w.prompt, 1, 0)
	ended := err == nil && len(r.steps) == 0 && !r.cut
	if ended {
		r, err = w.ask(ctx, w.prompt, charWindow, anyToken)
	}
	if err != nil {
		return err
	}
	mass, listed := 0.0, 0.0
	if len(r.steps) > 0 {
		for _, p := range r.steps[0].listed {
			listed += math.Exp(p.logProb)
			if strings.HasPrefix(p.text, "\n") || strings.HasPrefix(p.text, "\r") || slices.Contains(w.server.prompter.Family.Special, p.text) {
				mass += math.Exp(p.logProb)
			}
		}
	}
	if ended && mass == 0 {
		mass = max(1-listed, 1.0/2) // it was more probable than all that is listed
	}
	w.tokens = append(w.tokens, model.Token{LogProb: min(0, max(worst, math.Log(mass)))})
	return nil
}

func (w *walking) take(text string, logProb float64) {
	w.tokens = append(w.tokens, model.Token{Text: text, LogProb: min(0, max(worst, logProb))})
	w.prompt += text
	w.rest = w.rest[len(text):]
}

// floor charges one token that the server did not list. It is no more probable
// than the least that was listed, nor than all of the unlisted together; where
// nothing was listed at all it costs what it costs on average.
func (w *walking) floor(s step) {
	if len(s.listed) == 0 {
		w.take(nextPiece(w.rest), unlisted)
		return
	}
	listed, least := 0.0, 0.0
	for _, a := range s.listed {
		listed += math.Exp(a.logProb)
		least = min(least, a.logProb)
	}
	w.take(nextPiece(w.rest), min(least, math.Log(max(1-listed, math.Exp(worst)))))
}

// extrapolate charges what is left at the mean price of a byte so far.
func (w *walking) extrapolate(whole string) {
	done, sum := len(whole)-len(w.rest), 0.0
	for _, t := range w.tokens {
		sum += t.LogProb
	}
	price := unlisted / 4
	if done > 0 {
		price = sum / float64(done)
	}
	w.tokens = append(w.tokens, model.Token{Text: w.rest, LogProb: price * float64(len(w.rest))})
	w.rest = ""
}

func (w *walking) likelihood() model.Likelihood {
	l := model.Likelihood{Tokens: w.tokens}
	for _, t := range w.tokens {
		l.LogProb += t.LogProb
	}
	return l
}

// nextPiece guesses one token at the front of s: a run of white space, or a
// short word with the space before it, or one character.
func nextPiece(s string) string {
	const longest = 4 // bytes of an average token
	first, n := utf8.DecodeRuneInString(s)
	in := func(r rune) bool { return unicode.IsLetter(r) }
	switch {
	case unicode.IsSpace(first) && len(s) > n && !isLetter(s[n:]):
		in = func(r rune) bool { return r == first }
	case !unicode.IsSpace(first) && !unicode.IsLetter(first):
		return s[:n]
	}
	for n < len(s) && n < longest {
		r, size := utf8.DecodeRuneInString(s[n:])
		if !in(r) {
			break
		}
		n += size
	}
	return s[:n]
}

func isLetter(s string) bool {
	r, _ := utf8.DecodeRuneInString(s)
	return unicode.IsLetter(r)
}
