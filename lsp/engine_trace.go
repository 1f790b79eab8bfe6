package lsp

import (
	"time"

	"readahead/allocate"
	"readahead/index"
	"readahead/index/facts"
	"readahead/model"
	"readahead/rank"
)

// A Trace is the whole account of one completion: what was read, why, what the
// model said, and what became of it.
type Trace struct {
	Path     string
	Lang     string
	Offset   int
	Refused  string // why nothing was tried; "" if something was
	Notice   string
	Model    model.Info
	Contexts []FamilyContext // in the order of the cascade
	Order    string          // which is first, and why
	Decision rank.Decision
	Block    *rank.Block // the block that the shown line opens; nil without one
	Transfer *Transfer   // what was held against it; nil if nothing was
	Hidden   []Hidden    // candidates that may not be shown
	Took     Stages

	Visible facts.Span   // what of the document the prompt holds
	Window  Budget       // how the model's window was divided
	Causal  bool         // the prompt ended at the cursor
	Ranking rank.Options // how the model was asked

	tokens func(string) int
	render func(model.Prompt) string
}

// Used is the index in Contexts of the one that the shown candidates come from,
// or -1.
func (t *Trace) Used() int {
	if t.Decision.Routed < 0 || t.Decision.Routed >= len(t.Decision.Pools) {
		return -1
	}
	family := t.Decision.Pools[t.Decision.Routed].Family
	for i, c := range t.Contexts {
		if string(c.Family) == family {
			return i
		}
	}
	return -1
}

// A FamilyContext is the evidence of one retrieval family as the model reads it.
type FamilyContext struct {
	Family  index.Family
	Context allocate.Context
}

// Hidden is a candidate that the document makes useless.
type Hidden struct {
	Text   string `json:"text"`
	Reason string `json:"reason"`
}

// Stages are wall times, as far as the request waited: evidence may have been found
// ahead. Prepare is what the local model took to learn.
type Stages struct{ Prepare, Retrieve, Allocate, Rank, Block, Total time.Duration }
