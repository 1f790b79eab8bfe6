package rank

import (
	"fmt"
	"hash/fnv"
	"io"
	"math"
	"strings"
)

// A Selector is how the winner of the routed pool is chosen. Blend is Caret;
// the others are its ablations (§V-C) and the baselines of its tables, kept so
// that an evaluation compares them over the very same samples.
//
//	method of the paper        Selector   other options
//	Caret                      Blend      defaults
//	without routing            Blend      Tau 0
//	without the fast path      Blend      Theta above 1
//	majority vote, routed      Votes      defaults            (Table III)
//	self-consistency@N         Votes      Tau 0, Samples N    (§IV-D)
//	reverse likelihood alone   Reverse    defaults            (Table V)
//	greedy                     Greedy     any                 (§IV-D)
//
// Which context is primary is the order of Request.Bases: routing off on the
// alternative context is a Request with only that one.
type Selector string

const (
	Blend   Selector = "blend"   // fast path, else Weight·r̄ + (1−Weight)·v̄ (eq. 2); also ""
	Votes   Selector = "votes"   // the modal candidate; nothing is scored
	Reverse Selector = "reverse" // r alone; no fast path, since that trusts votes
	Greedy  Selector = "greedy"  // one sample at temperature 0 from the first context
)

// A Grade is how the likelihood of the right context behind a candidate is found.
type Grade string

const (
	// Whole asks for it directly, for every candidate (§III-C); also "".
	Whole Grade = "whole"
	// Race reads it in pieces, and drops the worse half of the candidates after
	// each.
	Race Grade = "race"
	// Bayes turns it round: log P(X̃_r | X̃_l c) is log P(c | X̃_l, X̃_r) −
	// log P(c | X̃_l) and a constant, which makes no difference. Both are of the
	// short candidate instead of the long right context. It takes a model that
	// fills in the middle, and is as good as that skill; without one it is Whole.
	Bayes Grade = "bayes"
)

// Options are Caret's parameters (§VI-B: one recipe for every model).
type Options struct {
	Samples     int      // N, drawn from each consulted context; at least 1
	Temperature float64  // of the samples
	TopP        float64  // nucleus of the samples
	MaxTokens   int      // new tokens of one sample, skipped comments included; at least 1
	Tau         float64  // τ: below this agreement the alternative context is consulted; 0: never, above 1: always
	Theta       float64  // θ: at this agreement the modal candidate is emitted unscored; above 1: never
	Selector    Selector // "" is Blend
	Weight      float64  // of the reverse-context likelihood in the blend, 0 to 1; votes weigh 1−Weight
	RightTokens int      // right context that the scorer reads, in tokens; 0: nothing is scored
	LeftTokens  int      // left context that the scorer reads, in tokens; the cursor's line comes on top
	Seed        int      // sample i of each context is drawn with Seed+i
	Grade       Grade    // how candidates are graded; "" is Whole
	Graded      int      // most candidates that are graded, the most probable ones; 0: all
	// Explore reads agreement from the model's probabilities instead of drawing
	// samples, where the model tells them; following at most Samples beginnings.
	Explore bool
	// LikeliestFirst draws the first sample of each context at temperature 0, so that
	// the line that the model holds likeliest, token by token, is always a candidate,
	// has a vote, and wins where all others have one, too. Caret draws all at one
	// temperature (§IV-E).
	LikeliestFirst bool
	// NeverStop draws all N samples even when the winner can no longer change: for
	// a user who asked for a list, and for measuring. The winner is the same.
	NeverStop bool
}

// DefaultOptions is the recipe of Caret §IV-E and §VI-B, for completion of
// lines with any model. LeftTokens is the 1,000-character tail that Java needed
// (§VI-A); Python can do without.
func DefaultOptions() Options {
	return Options{Samples: 10, Temperature: 0.8, TopP: 0.95, MaxTokens: 64, Tau: 0.2, Theta: 0.8,
		Selector: Blend, Weight: 0.75, RightTokens: 128, LeftTokens: 256}
}

// check refuses options that no decision can be made with, and spells out what
// a Selector implies.
func (o Options) check() (Options, error) {
	switch o.Selector {
	case "":
		o.Selector = Blend
	case Greedy:
		o.Samples, o.Temperature, o.TopP, o.Tau = 1, 0, 1, 0
	case Reverse:
		o.Theta = math.Inf(1)
	case Blend, Votes:
	default:
		return o, fmt.Errorf("rank: selector %q is unknown (use %s, %s, %s or %s)", o.Selector, Blend, Votes, Reverse, Greedy)
	}
	switch o.Grade {
	case "":
		o.Grade = Whole
	case Whole, Race, Bayes:
	default:
		return o, fmt.Errorf("rank: grade %q is unknown (use %s, %s or %s)", o.Grade, Whole, Race, Bayes)
	}
	if o.Samples < 1 || o.MaxTokens < 1 {
		return o, fmt.Errorf("rank: %d samples of at most %d tokens decide nothing (start from DefaultOptions)", o.Samples, o.MaxTokens)
	}
	if o.Graded < 0 || o.Graded == 1 {
		return o, fmt.Errorf("rank: %d graded candidates cannot be told apart (two at least, or 0 for all)", o.Graded)
	}
	if !(o.Weight >= 0 && o.Weight <= 1) {
		return o, fmt.Errorf("rank: weight %v of the likelihood is not between 0 and 1", o.Weight)
	}
	return o, nil
}

// weight is that of the likelihood in the argmax.
func (o Options) weight() float64 {
	if o.Selector == Reverse {
		return 1
	}
	return o.Weight
}

// SeedAt is the seed for a cursor: another one on every line, since the same few
// random numbers for each request would give the same luck to each (those that
// seeds 0 to 9 give the embedded model for its second word are all above 0.35),
// and the same one while a line is typed, so that samples change only where the
// model's mind does. left is the text before the cursor.
func SeedAt(left string) int {
	const enough = 256 // bytes that tell one line from another
	above := left[:strings.LastIndexByte(left, '\n')+1]
	h := fnv.New32a()
	io.WriteString(h, above[max(0, len(above)-enough):])
	return int(h.Sum32() >> 1)
}
