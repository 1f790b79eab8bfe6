package rank

import (
	"cmp"
	"context"
	"fmt"
	"iter"
	"math"
	"slices"
	"strings"
	"time"

	"readahead/model"
)

// Agreement can be read instead of drawn. N samples estimate how probable each
// line is; a model that tells its tokens' probabilities knows it. So the
// likeliest line is followed first, then the likeliest thing that the model
// could have said instead, and so on until the verdict is certain:
//
//	return 0.9 ┬ err 0.7 ── \n 1.0          0.63  return err
//	           └ nil 0.3 ┬─ \n 0.8          0.22  return nil
//	                     └─ , 0.2 ── …      0.05  not followed yet
//	if     0.1 ── …                         0.10  not followed yet
//
// The masses are of the distribution that samples are drawn from: tempered, and
// cut to its nucleus. A line's mass is what its share of infinitely many
// samples would be. The result depends on nothing random, so that asking again
// gives the same line, and an easy line takes one continuation instead of ten
// samples.
//
// What is not certain: a server lists the most probable tokens only, 20 of
// them, and a beginning that is sent back as text may be split into other
// tokens than those that were listed. What is missing from the lists counts as
// not followed.
//
// Where the likelihood of the code after the cursor decides (τ ≤ a < θ), every
// line counts that samples would have found: beginnings are followed until each
// one left is worth less than half a sample, or N have been.

// A finding is what one continuation told.
type finding struct {
	Lines   []foundLine
	Rest    float64 // mass that is not followed yet, or can't be
	Largest float64 // of the beginnings that can be followed, the mass of the likeliest
	Path    model.Sample
}

// A foundLine is a text that ends, and the probability that a sample is it.
type foundLine struct {
	Text string  `json:"text"`
	Mass float64 `json:"mass"`
	Cut  bool    `json:"cut,omitempty"`
}

// explore fills one pool by reading.
func (r *decision) explore(ctx context.Context, base int, g gates) error {
	start := time.Now()
	b := r.q.Bases[base]
	pool := Pool{Base: base, Family: b.Family, Wanted: r.o.Samples, Samples: []model.Sample{}, Explored: true, interrupted: true}
	r.d.Pools = append(r.d.Pools, pool)
	i := len(r.d.Pools) - 1
	m := &masses{wanted: r.o.Samples}
	err := r.read(ctx, r.prompt(b), g, i, &pool, m)
	m.fill(&pool)
	r.d.Pools[i] = pool
	r.d.Usage = r.d.Usage.Plus(pool.Usage)
	r.d.Took.Sample += time.Since(start)
	return err
}

// read follows beginnings until the outcome is certain, or none is left.
func (r *decision) read(ctx context.Context, p model.Prompt, g gates, i int, pool *Pool, m *masses) error {
	findings := r.findings
	if findings == nil {
		findings = r.followed
	}
	for f, err := range findings(ctx, p) {
		pool.Usage = pool.Usage.Plus(f.Path.Usage)
		if err != nil && ctx.Err() != nil {
			pool.Stopped = noTime
			return ctx.Err()
		}
		if err != nil {
			pool.Stopped = err.Error()
			return fmt.Errorf("rank: explore from the %s context: %w", pool.Family, err)
		}
		pool.Samples = append(pool.Samples, f.Path)
		for _, l := range f.Lines {
			r.weigh(m, l)
		}
		m.rest, m.largest = f.Rest, f.Largest
		r.progress(i, *pool, m)
		switch why := m.decided(g); {
		case len(pool.Samples) == m.wanted:
			pool.interrupted = false
			return nil
		case why != "" && !r.o.NeverStop:
			pool.interrupted, pool.Stopped = false, why
			return nil
		}
	}
	pool.interrupted = false // nothing is left to follow
	return nil
}

// weigh adds a line to the masses.
func (r *decision) weigh(m *masses, l foundLine) {
	found, form := r.canonical(l.Text)
	if found.none {
		return // it is in nobody's share
	}
	m.add(form, Candidate{Text: found.line, Cut: l.Cut && found.last, Share: l.Mass})
}

// A beginning is how samples begin whose rest is not known yet.
type beginning struct {
	written []string // tokens
	text    string
	mass    float64
}

// followed asks the model.
func (r *decision) followed(ctx context.Context, p model.Prompt) iter.Seq2[finding, error] {
	return func(yield func(finding, error) bool) {
		more := true
		err := r.Explorer.Explore(ctx, p, func(next model.Continue) error {
			f := frontier{decision: r, open: []beginning{{mass: 1}}}
			for more && len(f.open) > 0 {
				if err := ctx.Err(); err != nil {
					return err
				}
				found, err := f.follow(next)
				if err != nil {
					more = yield(found, err)
					more = false
					return nil
				}
				more = yield(found, nil)
			}
			return nil
		})
		if err != nil && more {
			yield(finding{}, err)
		}
	}
}

// A frontier is what there is to follow.
type frontier struct {
	*decision
	open []beginning // not followed yet
	lost float64     // mass that can't be followed
	now  finding
}

// faint is the mass below which a beginning is not kept.
const faint = 1e-4

// follow continues the likeliest beginning.
func (f *frontier) follow(next model.Continue) (finding, error) {
	at := 0
	for i, b := range f.open {
		if b.mass > f.open[at].mass {
			at = i
		}
	}
	b := f.open[at]
	f.open = slices.Delete(f.open, at, at+1)
	start := time.Now()
	steps, usage, err := next(b.written, f.o.MaxTokens-len(b.written))
	if usage.Time == 0 {
		usage.Time = time.Since(start)
	}
	f.now = finding{Path: model.Sample{Usage: usage}}
	if err != nil {
		return f.now, err
	}
	f.along(b, steps)
	f.now.Rest = f.lost
	for _, b := range f.open {
		f.now.Rest += b.mass
		f.now.Largest = max(f.now.Largest, b.mass)
	}
	return f.now, nil
}

// along goes down the steps, and leaves what branches off on the way.
func (f *frontier) along(b beginning, steps []model.Step) {
	if len(steps) == 0 {
		f.lost += b.mass // the model does not go on from here
	}
	path := &f.now.Path
	for i, s := range steps {
		shares, rest := f.o.shares(s)
		f.lost += b.mass * rest
		for j, c := range s.Listed[1:] {
			f.branch(b, c, b.mass*shares[j+1])
		}
		first := s.Listed[0]
		path.Tokens = append(path.Tokens, first.Token)
		if mass := b.mass * shares[0]; i == len(steps)-1 {
			path.Text, path.Stopped = f.branch(b, first, mass)
		} else {
			b = b.with(first.Text, mass)
		}
	}
}

// branch is where a text goes on with c, and gives what is known of it: a line
// that ends here, or one more beginning to follow.
func (f *frontier) branch(b beginning, c model.Choice, mass float64) (text string, ended bool) {
	head, _, ended := strings.Cut(c.Text, "\n")
	text = b.text + head
	switch next := b.with(c.Text, mass); {
	case mass == 0:
	case c.End:
		f.line(b.text, mass, false)
		return b.text, true
	case ended && f.at.propose(text).none && !f.spent(next):
		f.keep(next) // a comment, or nothing: the line of code is still to come
	case ended:
		f.line(text, mass, false)
	case f.spent(next):
		f.line(next.text, mass, true)
	default:
		f.keep(next)
	}
	return text, ended
}

// spent reports whether a sample would not go on from here.
func (f *frontier) spent(b beginning) bool {
	return len(b.written) >= f.o.MaxTokens || blankRun(b.text) > blankLines
}

func (f *frontier) line(text string, mass float64, cut bool) {
	f.now.Lines = append(f.now.Lines, foundLine{text, mass, cut})
}

func (f *frontier) keep(b beginning) {
	if b.mass < faint {
		f.lost += b.mass
		return
	}
	f.open = append(f.open, b)
}

// with is b and one token more; they share no memory that either changes.
func (b beginning) with(token string, mass float64) beginning {
	return beginning{append(slices.Clip(b.written), token), b.text + token, mass}
}

// shares are the probabilities with which a sample goes on with each listed
// token, tempered and cut to the nucleus, and what is left for tokens that are
// not listed: at most, since each of those is no more probable than the last
// one listed.
func (o Options) shares(s model.Step) (shares []float64, rest float64) {
	shares = make([]float64, len(s.Listed))
	if o.Temperature <= 0 {
		shares[0] = 1
		return shares, 0
	}
	order := make([]int, len(s.Listed))
	listed, total, least := 0.0, 0.0, 0.0
	for i, c := range s.Listed {
		order[i] = i
		listed += math.Exp(c.LogProb)
		shares[i] = math.Exp(c.LogProb / o.Temperature)
		total += shares[i]
		least = min(least, c.LogProb)
	}
	slices.SortStableFunc(order, func(a, b int) int { return cmp.Compare(shares[b], shares[a]) })
	unlisted := 0.0
	if !s.Whole {
		unlisted = max(0, 1-listed) * math.Exp(least*(1/o.Temperature-1))
	}
	nucleus := total + unlisted
	if o.TopP > 0 && o.TopP < 1 {
		nucleus *= o.TopP
	}
	kept := 0.0
	for n, i := range order {
		if kept >= nucleus {
			for _, i := range order[n:] {
				shares[i] = 0
			}
			break
		}
		kept += shares[i]
	}
	whole := max(kept, nucleus)
	for i := range shares {
		shares[i] /= whole
	}
	return shares, (whole - kept) / whole
}
