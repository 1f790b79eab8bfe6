package rank

import (
	"readahead/model"
	"time"
)

// Options are Caret's parameters (§VI-B: one recipe for every model).
type Options struct {
	Samples     int // N, drawn from each consulted context
	Temperature float64
	TopP        float64
	MaxTokens   int     // new tokens of one sample
	Tau         float64 // τ: below this agreement the alternative context is consulted
	Theta       float64 // θ: at this agreement the modal candidate is emitted unscored
	Weight      float64 // of the reverse-context likelihood in the blend; votes weigh 1−Weight
	RightTokens int     // right context that the scorer reads, in tokens
	LeftTokens  int     // left context that the scorer reads, in tokens
	Seed        int
	// NeverStop draws all N samples even when the verdict can no longer change.
	NeverStop bool
}

// DefaultOptions is the recipe of Caret §IV-E and §VI-B.
func DefaultOptions() Options {
	return Options{Samples: 10, Temperature: 0.8, TopP: 0.95, MaxTokens: 64, Tau: 0.2, Theta: 0.8,
		Weight: 0.75, RightTokens: 128, LeftTokens: 256}
}

// A Base is one base context: the rendered evidence of one retrieval family.
type Base struct {
	Family string // "structural", "lexical"
	Text   string
}

// A Request is one cursor.
type Request struct {
	Bases  []Base // in the order in which the cascade consults them; at least one
	Path   string
	Lang   string
	Left   string // text before the cursor, cut to its budget
	Right  string // text after the cursor, cut to its budget; "" if there is none
	Causal bool
}

// A Candidate is one distinct line among the samples.
type Candidate struct {
	Text    string            // as it would be inserted
	Votes   int               // samples that equal it after canonicalisation
	Share   float64           // v_i: Votes over the samples drawn from its pool
	Reverse *model.Likelihood // r_i: of the code after the cursor; nil if not scored
	Blend   float64           // what the argmax was taken over; 0 if the vote alone decided
}

// A Pool is what one base context gave.
type Pool struct {
	Family     string
	Candidates []Candidate // best first: by Blend if scored, then Votes, then first drawn
	Samples    []model.Sample
	Agreement  float64 // a = max v_i
	Stopped    string  // why fewer than N samples were drawn; "" if all were
}

// A Decision is the whole account of one ranking: what is shown is
// Pools[Routed].Candidates[0].
type Decision struct {
	Pools   []Pool
	Routed  int      // index of the pool that won; -1 if there is no candidate
	Route   string   // "primary", "alternative", "primary after alternative"
	Rule    string   // what chose the winner: "agreement", "blend", "votes"
	Skipped []string // what was not done, and why, in words
	Usage   model.Usage
	Took    Timings
}

// Timings are wall times per stage.
type Timings struct{ Sample, Score, Total time.Duration }
