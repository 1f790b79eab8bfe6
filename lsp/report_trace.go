package lsp

import (
	"encoding/json"
	"time"

	"readahead/allocate"
	"readahead/index"
	"readahead/model"
	"readahead/rank"
)

// MarshalJSON gives milliseconds.
func (s Stages) MarshalJSON() ([]byte, error) {
	ms := func(d time.Duration) float64 { return model.Milliseconds(d) }
	return json.Marshal(map[string]float64{
		"prepare": ms(s.Prepare), "retrieve": ms(s.Retrieve), "allocate": ms(s.Allocate),
		"rank": ms(s.Rank), "block": ms(s.Block), "total": ms(s.Total),
	})
}

// An entry is a position or a candidate without one.
type entry struct {
	ID      index.SymbolID `json:"id"`
	Name    string         `json:"name"`
	Path    string         `json:"path"`
	Line    int            `json:"line"`
	Rank    int            `json:"rank"` // among all candidates of its family, from 1; 0 if it is none
	Role    string         `json:"role,omitempty"`
	Chosen  string         `json:"chosen,omitempty"` // what gave it its position
	Score   float64        `json:"score"`
	Why     string         `json:"why,omitempty"`    // what led retrieval to it
	Demand  int            `json:"demand,omitempty"` // tokens that all of it would take
	Budget  int            `json:"budget,omitempty"`
	Tokens  int            `json:"tokens,omitempty"`
	Omitted int            `json:"omitted,omitempty"` // lines not shown
	Kept    bool           `json:"kept,omitempty"`
	Text    string         `json:"text,omitempty"`
	Views   []view         `json:"views,omitempty"`
	Reason  string         `json:"reason,omitempty"` // for having no position
}

// A view is one rendering of an object that retrieval returned.
type view struct {
	Kind  string  `json:"kind"`
	Path  string  `json:"path"`
	Line  int     `json:"line"`
	Score float64 `json:"score"`
	Why   string  `json:"why"`
	Text  string  `json:"text"`
}

func held(s allocate.Slot) entry {
	v := s.Representative
	o := entry{Rank: s.Rank, Role: s.Role.String(), Chosen: s.Why, Score: v.Score, Why: v.Why, Demand: s.Demand,
		Budget: s.Budget, Tokens: s.Tokens, Omitted: s.Omitted, Kept: s.Kept, Text: s.Text}.of(s.Object)
	for _, v := range s.Views {
		o.Views = append(o.Views, view{v.Kind.String(), v.Path, v.Line, v.Score, v.Why, v.Text})
	}
	return o
}

func dropped(d allocate.Dropped) entry {
	o := entry{Rank: d.Rank, Score: d.View.Score, Why: d.View.Why, Reason: d.Reason}
	if d.Object == nil {
		o.Path, o.Line = d.View.Path, d.View.Line
		return o
	}
	return o.of(d.Object)
}

func (o entry) of(x *index.Object) entry {
	o.ID, o.Name, o.Path, o.Line = x.ID, x.Name, x.Path, x.Line
	return o
}

// MarshalJSON is the account within a Report: objects with their place, role,
// views and tokens, without the text of what was dropped.
func (t *Trace) MarshalJSON() ([]byte, error) {
	type family struct {
		Family  index.Family `json:"family"`
		Tokens  int          `json:"tokens"`
		Objects []entry      `json:"objects"`
		Dropped []entry      `json:"dropped"`
	}
	families := []family{}
	for _, c := range t.Contexts {
		f := family{Family: c.Family, Tokens: c.Context.Tokens, Objects: []entry{}, Dropped: []entry{}}
		for _, s := range c.Context.Portfolio.Slots {
			f.Objects = append(f.Objects, held(s))
		}
		for _, d := range c.Context.Portfolio.Dropped {
			f.Dropped = append(f.Dropped, dropped(d))
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
		Window   window        `json:"window"`
		Ranking  ranking       `json:"ranking"`
		Order    string        `json:"order,omitempty"`
		Contexts []family      `json:"contexts"`
		Decision rank.Decision `json:"decision"`
		Block    *rank.Block   `json:"block,omitempty"`
		Transfer *Transfer     `json:"transfer,omitempty"`
		Hidden   []Hidden      `json:"hidden"`
		Took     Stages        `json:"ms"`
	}{t.Path, t.Lang, t.Offset, t.Refused, t.Notice, t.Model, t.window(), rankingOf(t.Ranking), t.Order, families, t.Decision, t.Block, t.Transfer,
		append([]Hidden{}, t.Hidden...), t.Took})
}

// A window is how many tokens of the model's window each part of prompt and
// answer may take.
type window struct {
	Context  int `json:"context"` // of the whole
	Evidence int `json:"evidence"`
	Left     int `json:"left"`
	Right    int `json:"right"`
	Answer   int `json:"answer"`
	Format   int `json:"format"`
	Margin   int `json:"margin"` // token counts are estimates
}

func (t *Trace) window() window {
	n := t.Model.Context
	return window{n, t.Window.Evidence, t.Window.Left, t.Window.Right, outputTokens, formatTokens, margin(n)}
}

// ranking is how the model was asked: Caret's parameters.
type ranking struct {
	Samples     int           `json:"samples"`
	Temperature float64       `json:"temperature"`
	TopP        float64       `json:"top_p"`
	MaxTokens   int           `json:"max_tokens"`
	Seed        int           `json:"seed"` // of the first sample of each context
	Tau         float64       `json:"tau"`
	Theta       float64       `json:"theta"`
	Weight      float64       `json:"weight"`
	Selector    rank.Selector `json:"selector,omitempty"`
	LeftTokens  int           `json:"left_tokens"`
	RightTokens int           `json:"right_tokens"`
	Explore     bool          `json:"explore,omitempty"` // agreement from probabilities
	Grade       rank.Grade    `json:"grade,omitempty"`
	Graded      int           `json:"graded,omitempty"`          // candidates at most; absent: all
	Likeliest   bool          `json:"likeliest_first,omitempty"` // the first sample is drawn at temperature 0
}

func rankingOf(o rank.Options) ranking {
	return ranking{o.Samples, o.Temperature, o.TopP, o.MaxTokens, o.Seed, o.Tau, o.Theta, o.Weight, o.Selector, o.LeftTokens, o.RightTokens, o.Explore, o.Grade, o.Graded, o.LikeliestFirst}
}
