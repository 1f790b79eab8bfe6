package allocate

import "strings"

// shares is VITAL-RAG eq. 4: what each object may spend, in order.
//
//	b_i = min{ d_i, b_obj, [R_i − (m−i)·β]₊ }    R_i = B − Σ_{j<i} b_j
//
// β is the floor kept back for every later object if the budget has room for
// one under each, else 0. So 0 ≤ b_i ≤ b_obj and Σ b_i ≤ B.
func shares(demands []int, budget, object, floor int) []int {
	left, m := max(0, budget), len(demands)
	if left < m*floor {
		floor = 0
	}
	out := make([]int, m)
	for i, d := range demands {
		later := m - i - 1
		out[i] = max(0, min(d, object, left-later*floor))
		left -= out[i]
	}
	return out
}

// A page is what one position could show.
type page interface {
	// demand is the token count of all of it, d_i.
	demand() int
	// fit renders as much as counts at most b tokens.
	fit(b int) excerpt
}

// An excerpt is what one position does show.
type excerpt struct {
	text    string
	lines   [][2]int // shown, first and last, as numbered in the file
	omitted int
}

// layOut gives each page its share of the budget and renders it. The shares add
// up to at most o.Budget, but a tokenizer may count the joined text higher than
// its parts; then all is laid out again in less room, until the whole fits.
func layOut(pages []page, count func(string) int, o Options) (slots []Slot, text string, tokens int) {
	demands := make([]int, len(pages))
	for i, p := range pages {
		demands[i] = p.demand()
	}
	room := max(0, o.Budget)
	for cut := 0; ; {
		slots = render(pages, demands, count, room, o)
		text = join(slots)
		tokens = count(text)
		if tokens <= o.Budget || room == 0 {
			break
		}
		cut = max(tokens-o.Budget, 2*cut)
		room = max(0, room-cut)
	}
	if text == "" {
		tokens = 0
	}
	return slots, text, tokens
}

func render(pages []page, demands []int, count func(string) int, room int, o Options) []Slot {
	slots := make([]Slot, len(pages))
	for i, b := range shares(demands, room, max(0, o.ObjectBudget), max(0, o.Floor)) {
		x := pages[i].fit(b)
		slots[i] = Slot{Demand: demands[i], Budget: b, Text: x.text, Lines: x.lines, Omitted: x.omitted}
		if x.text != "" {
			slots[i].Tokens = count(x.text)
		}
	}
	return slots
}

// join is the ordered concatenation of eq. 5.
func join(slots []Slot) string {
	var b strings.Builder
	for i := range slots {
		b.WriteString(slots[i].Text)
	}
	return b.String()
}
