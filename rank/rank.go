// Package rank decides which line to propose.
//
// A small model that is asked once says something plausible. Asked ten times it
// also says, by how far it agrees with itself, whether it had what it needed,
// and the right line is often among the ten though not the most frequent one.
// What tells it from the others is the code after the cursor: a correct line
// makes that code more probable. So one model samples, votes, and then grades
// its own candidates by reading ahead. This is Caret (Training-Free Test-Time
// Scaling for Repository-Level Code Completion, §III):
//
//	Request.Bases     evidence, one text per retrieval family
//	     │  sample    N lines from the first context, over one cached prompt
//	     ▼
//	Pool              distinct lines; agreement a = share of the most frequent
//	     │  route     a < τ: sample the next context too; keep the pool that
//	     │            agrees more, the earlier one if they agree alike
//	     ▼
//	Pool              the routed one
//	     │  select    a ≥ θ: its most frequent line, unscored.  Otherwise
//	     │            argmax ¾·minmax(log P(after | before + line)) + ¼·minmax(votes)
//	     ▼
//	Decision          the ranked lines, and the account of how they came about
//
// Properties:
//   - Sampling stops when it can no longer change the outcome, and only then:
//     see tally. The line proposed is the one that all N samples would give.
//   - The same Request, Options and model give the same Decision: sample i has
//     its own seed (see SeedAt), and ties go to what was drawn first.
//   - A deadline yields the best so far. What was left out for it, for lack of
//     a scorer or of code after the cursor, or because a shortcut of the paper
//     applied, is in Decision.Skipped.
//   - Whole blocks are not voted on: ten bodies agree on nothing (§VI-B). A
//     chosen line that opens a block is continued by Ranker.Continue.
//
// The package keeps no state, starts no goroutine, and does not look at the
// document beyond the Request. It proposes what the model says: whether a line
// repeats what already follows, or breaks the file, is for the caller to see.
package rank

import (
	"context"
	"errors"
	"fmt"
	"iter"
	"slices"
	"time"

	"readahead/model"
)

// A Base is one base context: the rendered evidence of one retrieval family.
type Base struct {
	Family string // "structural", "lexical"
	Text   string // may be empty
}

// A Request is one cursor. Line breaks in its texts are "\n".
type Request struct {
	Bases  []Base // in the order in which the cascade consults them; at least one
	Path   string // of the document, as model.Prompt has it
	Lang   string // as package facts names it, or LSP; "" knows no comments
	Left   string // text before the cursor, cut to its budget
	Right  string // text after the cursor, cut to its budget; "" if there is none
	Causal bool   // prompt without Right (the setting of §IV-E); the scorer reads it all the same

	// Fit gives what would really be inserted for a sampled line, such as without
	// a bracket that the editor has closed already, so that samples which come to
	// the same are one candidate. "" says that nothing is left to insert. nil
	// inserts lines as they are.
	Fit func(line string) string

	// Progress, if set, is called from within Decide after each sample with the
	// decision as it would be if no more could be drawn. The Decision shares
	// nothing that Decide will change.
	Progress func(Decision)
}

// A Ranker ranks what one model says. It is safe for concurrent use if the
// model is.
type Ranker struct {
	Generator model.Generator
	Explorer  model.Explorer   // nil: nothing can be explored, samples are drawn
	Scorer    model.Scorer     // nil: votes alone
	Filler    model.Filler     // nil: no Bayes
	Tokens    func(string) int // of the scorer's model; nil estimates 3 bytes a token
	Options   Options
}

// Decide samples, routes and selects.
//
// When ctx's deadline passes after the first sample, the result is the best so
// far, without an error. When ctx is cancelled the error is ctx.Err(). When the
// model fails to give samples, the error comes with the Decision so far, which
// stands if its Routed is not -1; when it fails to score, votes decide.
func (r Ranker) Decide(ctx context.Context, q Request) (Decision, error) {
	start := time.Now()
	run, err := r.begin(q)
	if err != nil {
		return run.d, err
	}
	err = run.decide(ctx)
	run.d.Took.Total = time.Since(start)
	return run.d, err
}

// begin checks what is asked, and cuts the scorer's views.
func (r Ranker) begin(q Request) (*decision, error) {
	run := &decision{Ranker: r, q: q, d: Decision{Pools: []Pool{}, Routed: -1}}
	o, err := r.Options.check()
	if err == nil && len(q.Bases) == 0 {
		err = errors.New("rank: a request without a base context (an empty Base asks without evidence)")
	}
	if err != nil {
		return run, err
	}
	run.o, run.at = o, cursorOf(q)
	run.left, run.right = leftView(q.Left, o.LeftTokens, r.tokens), rightView(q.Right, o.RightTokens, r.tokens)
	return run, nil
}

// tokens counts tokens of the scorer's model.
func (r Ranker) tokens(s string) int {
	if r.Tokens == nil {
		return (len(s) + 2) / 3
	}
	return r.Tokens(s)
}

// A decision is one Decide under way.
type decision struct {
	Ranker
	q           Request
	o           Options // checked
	at          cursor
	left, right string // the scorer's views
	d           Decision
	// Of a record, nil if the model is asked: what it was found to say, and the
	// beginnings of right that it graded by.
	findings func(context.Context, model.Prompt) iter.Seq2[finding, error]
	recorded func(limit int) string
}

func (r *decision) decide(ctx context.Context) error {
	err := r.cascade(ctx)
	r.d.route()
	switch {
	case errors.Is(ctx.Err(), context.Canceled):
		return ctx.Err()
	case err != nil && ctx.Err() != nil:
		if r.d.Consulted() == 0 {
			return fmt.Errorf("rank: not one sample before the deadline: %w", ctx.Err())
		}
		err = nil
	}
	if r.d.Routed >= 0 {
		r.choose(ctx, err == nil && ctx.Err() == nil)
	}
	if errors.Is(ctx.Err(), context.Canceled) {
		return ctx.Err()
	}
	return err
}

// cascade samples one context after another until one agrees enough (§III-B).
func (r *decision) cascade(ctx context.Context) (err error) {
	bases := r.distinct()
	best, enough := 0.0, ""
	for i, base := range bases {
		if enough != "" {
			r.skip("%s context: %s", r.q.Bases[base].Family, enough)
			continue
		}
		last := i == len(bases)-1
		g := gates{tau: r.o.Tau, theta: r.o.Theta, best: best, last: last, verify: r.unverifiable() == ""}
		if r.explores() {
			err = r.explore(ctx, base, g)
		} else {
			err = r.sample(ctx, base, g)
		}
		a := r.d.Pools[i].standing()
		best = max(best, a)
		switch {
		case ctx.Err() != nil:
			enough = noTime
		case err != nil:
			enough = afterError
		case a >= r.o.Tau:
			enough = fmt.Sprintf("not needed, agreement %.2f ≥ τ %.2f", a, r.o.Tau)
		}
	}
	return err
}

// explores reports whether probabilities are read.
func (r *decision) explores() bool {
	return r.o.Explore && r.o.Selector != Greedy && (r.Explorer != nil || r.findings != nil)
}

// Reasons for which no more is asked of the model.
const (
	noTime     = "no time left"
	afterError = "nothing more is asked of a model that failed"
)

// distinct are the contexts to consult, without those that say the same as an
// earlier one: asking again would only draw the same votes.
func (r *decision) distinct() []int {
	var out []int
	for i, b := range r.q.Bases {
		same := slices.IndexFunc(r.q.Bases[:i], func(e Base) bool { return e.Text == b.Text })
		switch {
		case r.o.Selector == Greedy && i > 0:
			r.skip("%s context: greedy reads the first only", b.Family)
		case same >= 0:
			r.skip("%s context: the same text as %s", b.Family, r.q.Bases[same].Family)
		default:
			out = append(out, i)
		}
	}
	return out
}

// route sets which pool is used: the one that agrees most, the earliest of
// those that agree alike (§III-B: the comparison is symmetric).
func (d *Decision) route() {
	d.Routed, d.Route, d.Rule = -1, "", ""
	best := 0.0
	for i := range d.Pools {
		if s := d.Pools[i].standing(); s > best {
			best, d.Routed = s, i
		}
	}
	switch {
	case d.Routed > 0:
		d.Route = "alternative"
	case d.Routed == 0 && len(d.Pools) > 1:
		d.Route = "primary after alternative"
	case d.Routed == 0:
		d.Route = "primary"
	}
}

func (r *decision) skip(format string, args ...any) {
	r.d.Skipped = append(r.d.Skipped, fmt.Sprintf(format, args...))
}
