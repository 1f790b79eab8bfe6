package allocate

import "readahead/index"

// A Portfolio says who owns the positions of a context, and who does not.
type Portfolio struct {
	Slots   []Slot    // in allocation order, which is the order of the text
	Dropped []Dropped // every candidate without a position, strongest first
}

// A Slot is one position: an object and what of it is shown.
type Slot struct {
	Object         *index.Object
	Representative index.View   // v*, the strongest view; its score is the object's (eq. 2). Or a window kept with Options.Previous
	Views          []index.View // all views of the object, strongest first
	Rank           int          // of the object among all candidates, from 1
	Role           Role
	Why            string // for people: what gave it the position
	Kept           bool   // held over from Options.Previous

	Demand int // d_i: tokens of the unclipped rendering
	Budget int // b_i ≤ min(Demand, Options.ObjectBudget)
	Tokens int // of Text, at most Budget

	Text    string   // whole lines, each ended by \n; "" if not even the descriptor fits
	Lines   [][2]int // the object's lines shown: first and last, 1-based, as numbered in its file
	Omitted int      // the object's lines not shown
}

// Dropped is a candidate that got no position.
type Dropped struct {
	Object *index.Object // nil if the view named none
	View   index.View    // its strongest
	Rank   int           // among all candidates, from 1; 0 if Object is nil
	Reason string
}

// Role is what gave an object its position.
type Role uint8

const (
	Core      Role = iota // one of the best by relevance
	Companion             // shares a file with a core object and an identifier with the query (eq. 3)
	Filler                // best of the rest, for want of a companion
	Tail                  // beyond the paper's positions, since it is worth its tokens
)

func (r Role) String() string {
	switch r {
	case Core:
		return "core"
	case Companion:
		return "companion"
	case Filler:
		return "filler"
	default:
		return "tail"
	}
}
