package rank

import (
	"encoding/json"
	"time"

	"readahead/model"
)

// A Candidate is one distinct line among the samples.
//
// An empty Text says that nothing belongs at the cursor. It is counted and
// scored like any other, so that it can win, but there is nothing to show.
type Candidate struct {
	// Text is what would be inserted: the line of the first sample with this
	// canonical form. Not the most frequent spelling, so that what is on screen
	// doesn't change while further samples only confirm it.
	Text string `json:"text"`
	// Cut says that MaxTokens ended the line, not the model.
	Cut   bool    `json:"cut,omitempty"`
	Votes int     `json:"votes"` // samples that equal it after canonicalisation; 0 in a pool that was explored
	Share float64 `json:"share"` // v_i: Votes over the samples drawn from its pool, or its probability
	// Reverse is r_i, of the code after the cursor; nil if not scored.
	Reverse *model.Likelihood `json:"reverse,omitempty"`
	// Blend is what the argmax was taken over; 0 if votes alone decided. Of a
	// candidate that a race dropped, as Reverse, up to where it did.
	Blend float64 `json:"blend"`
}

// A Pool is what one base context gave.
type Pool struct {
	Base       int            `json:"base"` // index in Request.Bases
	Family     string         `json:"family"`
	Candidates []Candidate    `json:"candidates"` // best first: by Blend if scored, then Votes, then first drawn
	Samples    []model.Sample `json:"samples"`    // in the order drawn
	Wanted     int            `json:"wanted"`     // N
	// Blank counts samples without a line of code: they are in the denominator
	// of Share and Agreement, but propose nothing.
	Blank int `json:"blank"`
	// Explored says that the lines' probabilities were read, not estimated by
	// drawing: see Options.Explore. Samples are then the texts that were followed,
	// the likeliest beginning first, and Unknown is the probability of all that
	// was not.
	Explored bool    `json:"explored,omitempty"`
	Unknown  float64 `json:"unknown,omitempty"`
	// Agreement is a = max v_i, over the samples drawn. Where sampling stopped
	// early, all N might have given another value, but not another outcome.
	Agreement float64 `json:"agreement"`
	// Stopped says why fewer than N samples were drawn; "" if all were.
	Stopped string      `json:"stopped,omitempty"`
	Usage   model.Usage `json:"usage"` // of its samples

	interrupted bool // fewer than N samples, and not because they were enough
}

// Complete reports whether the pool is what all its samples would have made of
// it; false if the model failed or time ran out before.
func (p *Pool) Complete() bool { return !p.interrupted }

// standing is the agreement that routing compares: of an interrupted pool what
// is certain, since one sample always agrees with itself.
func (p *Pool) standing() float64 {
	if p.interrupted && !p.Explored && len(p.Candidates) > 0 {
		return share(p.Candidates[0].Votes, p.Wanted)
	}
	return p.Agreement
}

// A Decision is the whole account of one ranking. Its JSON is part of
// `readahead complete --json`.
type Decision struct {
	Pools  []Pool `json:"pools"`  // in the order consulted
	Routed int    `json:"routed"` // index of the pool that won; -1 if no pool has a candidate
	// Route is "primary", "alternative" or "primary after alternative"; "" if
	// Routed is -1.
	Route string `json:"route"`
	// Rule is what chose the winner: "agreement" (fast path), "blend",
	// "reverse", "votes", "greedy"; "" if Routed is -1.
	Rule    string      `json:"rule"`
	Skipped []string    `json:"skipped,omitempty"` // what was not done, and why, in words
	Usage   model.Usage `json:"usage"`             // of all samples and scores
	Took    Timings     `json:"ms"`
}

// Best is the line to show; false if there is none, or if the winner is that
// nothing belongs at the cursor.
func (d Decision) Best() (Candidate, bool) {
	if d.Routed < 0 || d.Routed >= len(d.Pools) || len(d.Pools[d.Routed].Candidates) == 0 {
		return Candidate{}, false
	}
	c := d.Pools[d.Routed].Candidates[0]
	return c, c.Text != ""
}

// Ranked is the list for someone who asked for one: the routed pool's
// candidates, best first, without the proposal to insert nothing. It is longer
// with Options.NeverStop.
func (d Decision) Ranked() []Candidate {
	var out []Candidate
	if d.Routed >= 0 && d.Routed < len(d.Pools) {
		for _, c := range d.Pools[d.Routed].Candidates {
			if c.Text != "" {
				out = append(out, c)
			}
		}
	}
	return out
}

// The unit costs of Caret §II-D, in greedy retrieval-augmented generations:
// a batch of ten samples over a cached prompt, and one reverse-context pass.
const (
	costSample = 1.1
	costScore  = 0.054
	// costText is one more text over a cached prompt.
	costText = (costSample - 1) / 9
)

// RelativeCost is the model's work in multiples of one greedy generation, by
// the accounting of Caret §II-D: contexts sampled × 1.1 + candidates scored ×
// 0.054, and one sample alone is one generation. A batch that stopped early is
// charged in full, so the number compares with the paper's; Usage says what was
// really spent. Where probabilities were read, each text that was followed
// costs what one of the batch does beyond the first.
func (d Decision) RelativeCost() float64 {
	cost := costScore * float64(d.Scored())
	for _, p := range d.Pools {
		switch {
		case len(p.Samples) == 0:
		case p.Wanted == 1:
			cost++ // it is one generation
		case p.Explored:
			cost += 1 + costText*float64(len(p.Samples)-1)
		default:
			cost += costSample
		}
	}
	return cost
}

// Consulted is the number of contexts that were sampled.
func (d Decision) Consulted() int {
	n := 0
	for _, p := range d.Pools {
		if len(p.Samples) > 0 {
			n++
		}
	}
	return n
}

// Scored is the number of distinct candidates whose likelihood was asked for
// and came back.
func (d Decision) Scored() int {
	n := 0
	for _, p := range d.Pools {
		for _, c := range p.Candidates {
			if c.Reverse != nil {
				n++
			}
		}
	}
	return n
}

// Timings are wall times per stage; Total includes our own work.
type Timings struct{ Sample, Score, Total time.Duration }

// MarshalJSON gives milliseconds, to the microsecond.
func (t Timings) MarshalJSON() ([]byte, error) {
	return json.Marshal(struct {
		Sample float64 `json:"sample"`
		Score  float64 `json:"score"`
		Total  float64 `json:"total"`
	}{model.Milliseconds(t.Sample), model.Milliseconds(t.Score), model.Milliseconds(t.Total)})
}
