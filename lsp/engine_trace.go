package lsp

import (
	"encoding/json"
	"time"

	"readahead/allocate"
	"readahead/index"
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
	Decision rank.Decision
	Block    *rank.Block // the block that the shown line opens; nil without one
	Hidden   []Hidden    // candidates that may not be shown
	Took     Stages
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

// Stages are wall times. Prepare is what the local model took to learn.
type Stages struct{ Prepare, Retrieve, Allocate, Rank, Total time.Duration }

// MarshalJSON gives milliseconds.
func (s Stages) MarshalJSON() ([]byte, error) {
	ms := func(d time.Duration) float64 { return float64(d.Microseconds()) / 1000 }
	return json.Marshal(map[string]float64{
		"prepare": ms(s.Prepare), "retrieve": ms(s.Retrieve), "allocate": ms(s.Allocate), "rank": ms(s.Rank), "total": ms(s.Total),
	})
}

// MarshalJSON is the documented form of `readahead complete --json`: objects
// with their place, role and tokens, without the text of what was dropped.
func (t *Trace) MarshalJSON() ([]byte, error) {
	type object struct {
		ID     index.SymbolID `json:"id"`
		Path   string         `json:"path"`
		Line   int            `json:"line"`
		Role   string         `json:"role,omitempty"`
		Score  float64        `json:"score"`
		Why    string         `json:"why,omitempty"`
		Tokens int            `json:"tokens,omitempty"`
		Budget int            `json:"budget,omitempty"`
		Kept   bool           `json:"kept,omitempty"`
		Text   string         `json:"text,omitempty"`
		Reason string         `json:"reason,omitempty"`
	}
	type family struct {
		Family  index.Family `json:"family"`
		Tokens  int          `json:"tokens"`
		Objects []object     `json:"objects"`
		Dropped []object     `json:"dropped"`
	}
	families := []family{}
	for _, c := range t.Contexts {
		f := family{Family: c.Family, Tokens: c.Context.Tokens, Objects: []object{}, Dropped: []object{}}
		for _, s := range c.Context.Portfolio.Slots {
			f.Objects = append(f.Objects, object{
				ID: s.Object.ID, Path: s.Object.Path, Line: s.Object.Line, Role: s.Role.String(),
				Score: s.Representative.Score, Why: s.Representative.Why, Tokens: s.Tokens, Budget: s.Budget, Kept: s.Kept, Text: s.Text,
			})
		}
		for _, d := range c.Context.Portfolio.Dropped {
			f.Dropped = append(f.Dropped, object{
				ID: d.Object.ID, Path: d.Object.Path, Line: d.Object.Line, Score: d.View.Score, Why: d.View.Why, Reason: d.Reason,
			})
		}
		families = append(families, f)
	}
	return json.Marshal(struct {
		Path     string        `json:"path"`
		Lang     string        `json:"lang"`
		Offset   int           `json:"offset"`
		Refused  string        `json:"refused,omitempty"`
		Notice   string        `json:"notice,omitempty"`
		Model    model.Info    `json:"model"`
		Contexts []family      `json:"contexts"`
		Decision rank.Decision `json:"decision"`
		Block    *rank.Block   `json:"block,omitempty"`
		Hidden   []Hidden      `json:"hidden"`
		Took     Stages        `json:"ms"`
	}{t.Path, t.Lang, t.Offset, t.Refused, t.Notice, t.Model, families, t.Decision, t.Block, append([]Hidden{}, t.Hidden...), t.Took})
}
