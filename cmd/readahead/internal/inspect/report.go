package inspect

import (
	"cmp"
	"fmt"
	"math"
	"slices"
	"strings"
)

// A Report is the part of a report's JSON that the page shows, which is nearly
// all. Names and meanings are those of README's table.
type Report struct {
	File    string
	Line    int
	Column  int
	Items   []Item
	Code    Code
	Prompts []Prompt
	Trace   *Trace
}

// An Item is one edit at the cursor: Text replaces Replace bytes behind it.
type Item struct {
	Text    string
	Replace int
}

// Code is what stands around the cursor.
type Code struct {
	Line          int
	Before, After string
}

// A Prompt is what the model was given with one context, or would have been.
type Prompt struct {
	Family               string
	Asked, Causal        bool
	Text                 string
	Context, Left, Right string
	Tokens               struct{ Context, Left, Right int }
}

// A Trace is how the answer came about.
type Trace struct {
	Path, Lang, Refused, Notice string
	Model                       struct {
		Name, Provider, Family, Scoring, Remote string
		FIM                                     bool
		Context                                 int
		Notes                                   []string
	}
	Window   struct{ Context, Evidence, Left, Right, Answer, Format, Margin int }
	Ranking  Ranking
	Order    string // which context is first, and why
	Contexts []Context
	Decision Decision
	Block    *struct{ Text, Ended string }
	Transfer *struct {
		Witness     string
		Alternative struct{ Text string }
	}
	Hidden []struct{ Text, Reason string }
	MS     struct{ Prepare, Retrieve, Allocate, Rank, Block, Total float64 }
}

// Ranking is how the model was asked: Caret's parameters.
type Ranking struct {
	Samples     int
	Temperature float64
	TopP        float64 `json:"top_p"`
	MaxTokens   int     `json:"max_tokens"`
	Seed        int
	Tau, Theta  float64
	Weight      float64
	LeftTokens  int `json:"left_tokens"`
	RightTokens int `json:"right_tokens"`
}

// A Context is the evidence of one retrieval family.
type Context struct {
	Family           string
	Tokens           int
	Objects, Dropped []Object
}

// An Object is a position of a context, or a candidate without one.
type Object struct {
	ID, Name, Path                  string
	Line, Rank                      int
	Role, Chosen, Why, Reason       string
	Score                           float64
	Demand, Budget, Tokens, Omitted int
	Kept                            bool
	Text                            string
	Views                           []View
}

// A View is one rendering of an object that retrieval returned.
type View struct {
	Kind, Path string
	Line       int
	Score      float64
	Why, Text  string
}

// A Decision is which line won, and by what.
type Decision struct {
	Pools       []Pool
	Routed      int
	Route, Rule string
	Skipped     []string
	Usage       Usage
	MS          struct{ Sample, Score, Total float64 }
}

// A Pool is what the samples of one context proposed.
type Pool struct {
	Base       int
	Family     string
	Candidates []Candidate
	Samples    []struct {
		Text    string
		Stopped bool
		Usage   Usage
	}
	Wanted, Blank int
	Explored      bool // probabilities were read: Samples are the texts that were followed
	Agreement     float64
	Stopped       string
	Usage         Usage
}

// Usage is what the model spent. MS is milliseconds.
type Usage struct {
	Requests  int
	Prompt    int `json:"prompt_tokens"`
	Generated int `json:"generated_tokens"`
	MS        float64
}

// A Candidate is one distinct line among the samples.
type Candidate struct {
	Text    string
	Cut     bool
	Votes   int
	Share   float64
	Reverse *Likelihood
	Blend   float64
}

// A Likelihood is ln P of the code after the cursor behind a candidate.
type Likelihood struct {
	LogProb *float64
	Tokens  []Token
	Exact   bool
}

// A Token is one token of that code.
type Token struct {
	Text    string
	LogProb *float64 // nil: minus infinity
}

// Name is the document's, as short as it is unambiguous.
func (r Report) Name() string {
	if r.Trace != nil {
		return cmp.Or(r.Trace.Path, r.File)
	}
	return r.File
}

// Routed is the pool that the candidates come from, nil without one.
func (r Report) Routed() *Pool {
	if r.Trace == nil || r.Trace.Decision.Routed < 0 || r.Trace.Decision.Routed >= len(r.Trace.Decision.Pools) {
		return nil
	}
	return &r.Trace.Decision.Pools[r.Trace.Decision.Routed]
}

// Refused reports whether nothing was tried.
func (r Report) Refused() bool { return r.Trace != nil && r.Trace.Refused != "" }

// Verdict says in a sentence or two what was decided, and by what.
func (r Report) Verdict() string {
	switch {
	case r.Trace == nil:
		return "No model can answer."
	case r.Trace.Refused != "":
		return "Nothing was tried: " + r.Trace.Refused + "."
	}
	p := r.Routed()
	if p == nil || len(p.Candidates) == 0 {
		return "The model proposed no line of code."
	}
	return strings.TrimSpace(r.rule(p) + " " + r.outcome(p))
}

func (r Report) rule(p *Pool) string {
	best, o := p.Candidates[0], r.Trace.Ranking
	agree, scatter := fmt.Sprintf("%d of %d samples with the %s context agree on a line", best.Votes, len(p.Samples), p.Family), "that scatter"
	if p.Explored {
		agree, scatter = fmt.Sprintf("With the %s context one line has a probability of %.0f %%", p.Family, 100*best.Share), "none of which is nearly certain"
	}
	switch r.Trace.Decision.Rule {
	case "agreement":
		return fmt.Sprintf("%s; from %.0f %% on it wins without being graded.", agree, 100*o.Theta)
	case "blend":
		return fmt.Sprintf("The %s context gave %s %s, so each was graded by how probable it makes the code after the cursor. The best blend of that (%.0f %%) and of %s wins.",
			p.Family, count(len(p.Candidates), "line"), scatter, 100*o.Weight, p.Shares())
	case "reverse":
		return "The line that makes the code after the cursor most probable wins."
	case "greedy":
		return "One greedy answer, without a vote."
	}
	if p.Explored {
		return agree + ", the highest. That alone decided."
	}
	return agree + ", the most. Votes alone decided."
}

// Shares is what the candidates' shares are of.
func (p *Pool) Shares() string {
	if p.Explored {
		return "probabilities"
	}
	return "votes"
}

// Votes is how many samples, or how much probability, speak for a candidate.
func (p *Pool) Votes(c Candidate) string {
	if p.Explored {
		return percent(c.Share)
	}
	return count(c.Votes, "vote")
}

// outcome is what the winner came to. A person who asks gets the next best where
// the winner cannot be shown.
func (r Report) outcome(p *Pool) (said string) {
	winner := p.Candidates[0].Text
	switch why := r.HiddenWhy(winner); {
	case winner == "":
		said = "What won is that nothing belongs at the cursor."
	case why != "":
		said = "It is not shown: " + why + "."
	case len(r.Items) == 0:
		said = "Nothing is shown."
	default:
		return ""
	}
	if len(r.Items) > 0 {
		said += " The best of the others is offered."
	}
	return said
}

// HiddenWhy is why a candidate may not be shown; "" if it may.
func (r Report) HiddenWhy(text string) string {
	for _, h := range r.Trace.Hidden {
		if h.Text == text {
			return h.Reason
		}
	}
	return ""
}

// Fate is what became of the context i of the cascade.
func (r Report) Fate(i int) string {
	d := r.Trace.Decision
	for at, p := range d.Pools {
		switch {
		case p.Base != i:
		case at == d.Routed:
			return "used"
		default:
			return "consulted"
		}
	}
	return "not consulted"
}

// PoolOf is what the model made of context i, nil if it was not asked.
func (r Report) PoolOf(i int) *Pool {
	for k, p := range r.Trace.Decision.Pools {
		if p.Base == i {
			return &r.Trace.Decision.Pools[k]
		}
	}
	return nil
}

// Skipped is why context i was not consulted, as the ranker put it.
func (r Report) Skipped(i int) string {
	for _, s := range r.Trace.Decision.Skipped {
		if why, ok := strings.CutPrefix(s, r.Trace.Contexts[i].Family+" context: "); ok {
			return why
		}
	}
	return ""
}

// Least is the tokens of a likelihood that cost most, worst first: where a
// candidate makes the code after it hard to believe.
func (l Likelihood) Least() []Token {
	ts := slices.Clone(l.Tokens)
	slices.SortStableFunc(ts, func(a, b Token) int { return cmp.Compare(a.ln(), b.ln()) })
	n := 0
	for n < len(ts) && n < 5 && ts[n].ln() < -1 {
		n++
	}
	return ts[:n]
}

func (t Token) ln() float64 {
	if t.LogProb == nil {
		return math.Inf(-1)
	}
	return *t.LogProb
}

// Heat is how unlikely a token is, from 0 (more likely than not) to 6 (less than
// 1 in 400).
func (t Token) Heat() int {
	for i, limit := range []float64{-0.7, -1.4, -2.3, -3.5, -4.6, -6} {
		if t.ln() >= limit {
			return i
		}
	}
	return 6
}

// Roles are those of a context's objects, in order of appearance.
func (c Context) Roles() (roles []string) {
	for _, o := range c.Objects {
		if !slices.Contains(roles, o.Role) {
			roles = append(roles, o.Role)
		}
	}
	return roles
}
