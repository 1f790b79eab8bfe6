package allocate

import "strings"

// shares is VITAL-RAG eq. 4: what each object may spend, in order.
//
//	b_i = min{ d_i, b_obj, [R_i − (m−i)·β]₊ }    R_i = B − Σ_{j<i} b_j
//
// β is the floor kept back for every later object if the budget has room for
// one under each, else 0. So 0 ≤ b_i ≤ b_obj and Σ b_i ≤ B.
func shares(demands []int, budget, object, floor int) []int {
	left, m := budget, len(demands)
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

// frugal is shares with a floor under what a later object asks for only: with a
// tail of small ones, the letter of eq. 4 would keep back room that nobody
// wants, and cut the core for it. The guarantees are the same.
func frugal(demands []int, budget, object, floor int) []int {
	later := 0
	for _, d := range demands {
		later += min(d, object, floor)
	}
	if budget < later {
		return shares(demands, budget, object, 0)
	}
	left := budget
	out := make([]int, len(demands))
	for i, d := range demands {
		later -= min(d, object, floor)
		out[i] = max(0, min(d, object, left-later))
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
	call    string   // a line that could stand behind the first; "" for none
	lines   [][2]int // shown, first and last, as numbered in the file
	omitted int
}

// layOut gives each page its share of the budget, at most its limit, renders it,
// and spends what is left over on call lines.
func layOut(pages []page, limits []int, count func(string) int, o Options) (slots []Slot, text string, tokens int) {
	slots, calls := render(pages, limits, count, o)
	left := o.Budget
	for _, s := range slots {
		left -= s.Budget
	}
	for i, call := range calls {
		if call == "" {
			continue
		}
		without, with := slots[i], slots[i].annotated(call, count)
		paid := with.Budget - without.Budget
		if paid > left || with.Budget > limits[i] {
			continue
		}
		slots[i] = with
		if count(join(slots)) > o.Budget {
			slots[i] = without
			continue
		}
		left -= paid
	}
	if text = join(slots); text != "" {
		tokens = count(text)
	}
	return slots, text, tokens
}

// render fits the pages to their shares. Those add up to at most o.Budget, but
// a tokenizer may count the joined text higher than its parts; then all is
// fitted again, to less room, until the whole counts no more than o.Budget. As
// the last resort, positions from the last one up show nothing.
func render(pages []page, limits []int, count func(string) int, o Options) (slots []Slot, calls []string) {
	demands, wanted := make([]int, len(pages)), make([]int, len(pages))
	for i, p := range pages {
		demands[i] = p.demand()
		wanted[i] = min(demands[i], limits[i])
	}
	slots, calls = make([]Slot, len(pages)), make([]string, len(pages))
	fit := func(i, budget, limit int) {
		x := pages[i].fit(limit)
		slots[i], calls[i] = Slot{Demand: demands[i], Budget: budget, Text: x.text, Lines: x.lines, Omitted: x.omitted}, ""
		if x.text != "" {
			slots[i].Tokens, calls[i] = count(x.text), x.call
		}
	}
	over := func() int { return count(join(slots)) - o.Budget }

	divide := shares
	if o.Worth > 0 {
		divide = frugal
	}
	for room, cut := o.Budget, 0; ; room = max(0, room-cut) {
		for i, b := range divide(wanted, room, o.ObjectBudget, o.Floor) {
			fit(i, b, b)
		}
		excess := over()
		if excess <= 0 || room == 0 {
			break
		}
		cut = max(excess, 2*cut)
	}
	for i := len(pages) - 1; i >= 0 && over() > 0; i-- {
		fit(i, 0, nothing)
	}
	return slots, calls
}

// nothing is a limit that no text keeps, not even one without tokens.
const nothing = -1

// annotated is s with a call line behind its first, and the budget for it. As it
// is paid from what eq. 4 leaves over, a call never displaces code, and another
// call-site view of one object changes nothing for the others.
func (s Slot) annotated(call string, count func(string) int) Slot {
	first, rest, _ := strings.Cut(s.Text, "\n")
	s.Text = first + "\n" + call + rest
	s.Tokens = count(s.Text)
	s.Budget = max(s.Budget, s.Tokens)
	s.Demand = max(s.Demand, s.Tokens)
	return s
}

// join is the ordered concatenation of eq. 5.
func join(slots []Slot) string {
	var b strings.Builder
	for i := range slots {
		b.WriteString(slots[i].Text)
	}
	return b.String()
}
