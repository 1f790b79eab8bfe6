package eval

import (
	"strings"

	"readahead/allocate"
	"readahead/index"
	"readahead/index/facts"
)

// A Claim is what one position of a portfolio stands for: lines of a file, from
// 1, both ends included.
type Claim struct {
	Path  string `json:"path"`
	Start int    `json:"start_line"`
	End   int    `json:"end_line"`
}

func (c Claim) holds(g Gold) bool {
	return c.Path == g.Path && c.Start <= g.NameLine && g.NameLine <= c.End
}

// claimOf is the claim of a position: its object's lines. A window outside all
// objects has the module for its object, and claims only itself.
func claimOf(s allocate.Slot) Claim {
	if v := s.Representative; s.Object == nil || s.Object.Kind == facts.Module {
		return Claim{v.Path, v.Line, v.Line + strings.Count(strings.TrimSuffix(v.Text, "\n"), "\n")}
	}
	return Claim{s.Object.Path, s.Object.Line, s.Object.EndLine}
}

// A Result is what one policy makes of one task.
type Result struct {
	Claims   []Claim `json:"items"`    // of the positions, in their order
	Rendered string  `json:"rendered"` // what the model would read

	Entered     bool // R@5: a claim holds the primary gold's name
	EnteredAll  bool // the same for every gold
	Survived    bool // R@B: the primary gold's whole definition stands in the text
	SurvivedAll bool
	Signature   bool // R@B_sig: at least its signature does
	Fits        bool // the primary gold takes at most FitTokens
	Authorities int  // Auth.@5: different objects among the positions
	Tokens      int  // of the text, clipped to the budget
}

const (
	// Positions is the 5 of R@5.
	Positions = 5
	// FitTokens separates tasks whose gold fits under the cap of one object.
	FitTokens = 1024
)

// snippet returns lines of a file of the repository, and whether it has them.
type snippet func(path string, start, end int) (string, bool)

// judge is what a context is worth for a task with gold.
func judge(t *Task, c allocate.Context, budget int, code snippet) Result {
	r := Result{Rendered: c.Text, EnteredAll: true, SurvivedAll: true}
	objects := map[index.SymbolID]bool{}
	for _, s := range c.Portfolio.Slots[:min(Positions, len(c.Portfolio.Slots))] {
		r.Claims = append(r.Claims, claimOf(s))
		if s.Object != nil {
			objects[s.Object.ID] = true
		}
	}
	r.Authorities = len(objects)
	text := clip(c.Text, budget)
	r.Tokens = Tokens(text)
	hay := squeeze(text)
	for i, g := range t.Gold {
		whole, known := code(g.Path, g.StartLine, g.EndLine)
		survived := known && contains(hay, whole)
		entered := anyHolds(r.Claims, g)
		r.EnteredAll, r.SurvivedAll = r.EnteredAll && entered, r.SurvivedAll && survived
		if i == 0 {
			r.Entered, r.Survived = entered, survived
			r.Fits = known && Tokens(whole) <= FitTokens
			head, ok := code(g.Path, g.StartLine, g.SigEndLine)
			r.Signature = ok && contains(hay, head)
		}
	}
	return r
}

func anyHolds(claims []Claim, g Gold) bool {
	for _, c := range claims {
		if c.holds(g) {
			return true
		}
	}
	return false
}
