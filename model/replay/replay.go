// Package replay is a model that says what a test wrote down.
//
// A test of ranking or of the server needs a model that is fast, repeatable,
// and bad on demand: slow, failing in the middle, out of answers. And it must
// be able to see what the model was asked, since a wrong prompt with a right
// answer is a failure too.
//
//	Reply, Reply, …                 what Samples calls get, in order
//	     ▼
//	  *Model ──Model()──▶ model.Model
//	     ▲
//	Calls(), Pairs()                what was asked, in order
//
// A Model behaves like a real one where callers can tell the difference: it
// draws samples for as long as the caller iterates, cuts them at stop strings,
// ends after the first error, and gives up a delay when its context ends. It
// has no goroutine of its own and works under testing/synctest.
//
// It does not tokenise: one word is one token, so that budgets in a test can be
// checked by eye, and Options.MaxTokens is recorded but cuts nothing.
package replay

import (
	"context"
	"fmt"
	"iter"
	"slices"
	"strings"
	"sync"
	"time"

	"readahead/model"
)

// A Reply is what one call of Samples gets. Without an error its samples are
// repeated from the first when the caller wants more; a Reply of nothing is an
// error that names the prompt.
type Reply struct {
	Samples []model.Sample
	Err     error         // comes after Samples, and ends the iteration
	Delay   time.Duration // before every sample and before Err
}

// Texts is a Reply of finished samples with these texts.
func Texts(texts ...string) Reply {
	var r Reply
	for _, t := range texts {
		r.Samples = append(r.Samples, model.Sample{Text: t, Stopped: true})
	}
	return r
}

// Fail is a Reply that is an error from the first sample on.
func Fail(err error) Reply { return Reply{Err: err} }

// A Call is one recorded call of Samples.
type Call struct {
	Prompt  model.Prompt
	Options model.Options
	// Yielded counts the samples that the caller took.
	Yielded int
	// Cancelled says that the context ended before the caller had enough.
	Cancelled bool
}

// A Model answers from its script. Set the exported fields before first use;
// everything else is safe for concurrent use.
type Model struct {
	// Info describes the model; New fills in a name and a provider.
	Info model.Info
	// Respond decides the reply of the call'th call (from 0). Nil: the replies
	// given to New in order, the last one again and again.
	Respond func(call int, p model.Prompt, o model.Options) Reply
	// Score grades one pair. Nil: Model has no Scorer, so votes decide alone.
	Score func(model.Pair) (model.Likelihood, error)
	// ScoreDelay passes before each graded pair.
	ScoreDelay time.Duration
	// Tokens counts tokens. Nil: words.
	Tokens func(string) int

	replies []Reply

	mu     sync.Mutex
	calls  []*Call
	pairs  []model.Pair
	waited time.Duration
}

// New is a model that answers its first call with the first reply, and so on;
// the last reply serves all later calls.
func New(replies ...Reply) *Model {
	return &Model{
		Info:    model.Info{Name: "replay", Provider: "replay", Context: 4096},
		replies: replies,
	}
}

// Model is m as the rest of readahead sees it.
func (m *Model) Model() *model.Model {
	r := &model.Model{Info: m.Info, Generator: generator{m}, Tokens: m.Tokens}
	if r.Tokens == nil {
		r.Tokens = words
	}
	if m.Score != nil {
		r.Scorer = scorer{m}
		if r.Info.Scoring == "" {
			r.Info.Scoring = "exact"
		}
	}
	return r
}

// Calls are the calls of Samples so far, in the order in which their
// iterations began.
func (m *Model) Calls() []Call {
	m.mu.Lock()
	defer m.mu.Unlock()
	calls := make([]Call, len(m.calls))
	for i, c := range m.calls {
		calls[i] = *c
	}
	return calls
}

// Pairs are the pairs graded so far, in order.
func (m *Model) Pairs() []model.Pair {
	m.mu.Lock()
	defer m.mu.Unlock()
	return slices.Clone(m.pairs)
}

// Waited is how long callers have waited for the model, all of them together: a
// clock runs past a delay now and then, and that is the model's time, too.
func (m *Model) Waited() time.Duration {
	m.mu.Lock()
	defer m.mu.Unlock()
	return m.waited
}

type generator struct{ m *Model }

func (g generator) Samples(ctx context.Context, p model.Prompt, o model.Options) iter.Seq2[model.Sample, error] {
	return func(yield func(model.Sample, error) bool) {
		number, call := g.m.begin(p, o)
		reply := g.m.reply(number, p, o)
		for i := 0; ; i++ {
			if err := g.m.sleep(ctx, reply.Delay); err != nil {
				g.m.update(func() { call.Cancelled = true })
				yield(model.Sample{}, err)
				return
			}
			if i >= len(reply.Samples) && reply.Err != nil {
				yield(model.Sample{}, reply.Err)
				return
			}
			g.m.update(func() { call.Yielded++ })
			if !yield(cut(reply.Samples[i%len(reply.Samples)], o.Stop), nil) {
				return
			}
		}
	}
}

func (m *Model) begin(p model.Prompt, o model.Options) (int, *Call) {
	m.mu.Lock()
	defer m.mu.Unlock()
	c := &Call{Prompt: p, Options: o}
	m.calls = append(m.calls, c)
	return len(m.calls) - 1, c
}

func (m *Model) update(f func()) {
	m.mu.Lock()
	defer m.mu.Unlock()
	f()
}

// reply never is a Reply of nothing: the iteration could neither go on nor end.
func (m *Model) reply(call int, p model.Prompt, o model.Options) Reply {
	var r Reply
	switch {
	case m.Respond != nil:
		r = m.Respond(call, p, o)
	case len(m.replies) > 0:
		r = m.replies[min(call, len(m.replies)-1)]
	}
	if len(r.Samples) == 0 && r.Err == nil {
		r.Err = fmt.Errorf("replay: no reply is scripted for call %d, a prompt that ends in %q (add a Reply)", call, tail(p.Left, 40))
	}
	return r
}

// cut ends a sample before the first stop string, as a server does. The usage
// is one request of the sample's words unless the script says otherwise.
func cut(s model.Sample, stop []string) model.Sample {
	for _, end := range stop {
		if i := strings.Index(s.Text, end); i >= 0 && end != "" {
			s.Text, s.Stopped = s.Text[:i], true
		}
	}
	if s.Usage == (model.Usage{}) {
		s.Usage = model.Usage{Requests: 1, Generated: words(s.Text)}
	}
	return s
}

func (m *Model) sleep(ctx context.Context, d time.Duration) error {
	if d <= 0 {
		return ctx.Err()
	}
	start := time.Now()
	defer func() { m.update(func() { m.waited += time.Since(start) }) }()
	timer := time.NewTimer(d)
	defer timer.Stop()
	select {
	case <-ctx.Done():
		return ctx.Err()
	case <-timer.C:
		return nil
	}
}

func words(s string) int { return len(strings.Fields(s)) }

func tail(s string, n int) string { return s[max(0, len(s)-n):] }
