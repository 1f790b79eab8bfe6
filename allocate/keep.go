package allocate

import (
	"math"
	"path"
	"slices"
)

// keep holds the context still while the programmer types. The objects of the
// last portfolio that retrieval still finds keep their positions in their order;
// a newcomer of the fresh choice gets a free position, or that of the weakest
// incumbent outside the fresh choice if it beats it by the margin. Newcomers go
// last, so what changes often gathers at the end, and the prompt before it
// stays in the model server's cache.
//
// The number of positions is that of the fresh choice.
func keep(r ranking, fresh choice, last *Portfolio, count func(string) int, o Options) choice {
	if o.Worth > 0 {
		return accumulate(r, fresh, last, count, o)
	}
	margin := o.Margin
	chosen := make(map[int]bool, len(fresh.picks))
	for _, p := range fresh.picks {
		chosen[p.candidate] = true
	}
	held := incumbents(r, last)
	held = held[:min(len(held), len(fresh.picks))]
	holds := make(map[int]bool, len(held))
	for _, p := range held {
		holds[p.candidate] = true
	}
	reasons := map[int]string{}
	for _, p := range fresh.picks {
		if holds[p.candidate] {
			continue
		}
		if len(held) == len(fresh.picks) {
			w := weakest(held, chosen)
			if !beats(r.view(p.candidate).Score, r.view(held[w].candidate).Score, margin) {
				reasons[p.candidate] = notThisTime
				continue
			}
			reasons[held[w].candidate] = beaten
			held = append(held[:w], held[w+1:]...)
		}
		held = append(held, p)
	}
	return choice{refresh(held, fresh.picks), func(c int) string {
		if why, ok := reasons[c]; ok {
			return why
		}
		return fresh.reason(c)
	}}
}

// accumulate is keep for a context with a tail. A change in the middle costs the
// model server all that stands behind it, so while the programmer types, nothing
// is taken out: everything that is still found stays, in its order. Newcomers
// come only when one of them belongs to the core and clearly beats the core that
// is shown, and then all at once, at the end. When the budget is full, or nothing
// of the core is left, the fresh choice takes over whole.
func accumulate(r ranking, fresh choice, last *Portfolio, count func(string) int, o Options) choice {
	held := incumbents(r, last)
	if len(held) == 0 {
		return fresh
	}
	holds := make(map[int]bool, len(held))
	used, core := 0, math.Inf(1)
	for _, p := range held {
		holds[p.candidate] = true
		used += p.last.Tokens
		if p.role != Tail {
			core = min(core, r.view(p.candidate).Score)
		}
	}
	var newcomers []pick
	shown, wanted := 0, false
	for _, p := range fresh.picks {
		switch {
		case holds[p.candidate]:
			if p.role != Tail {
				shown++
			}
			continue
		case p.role != Tail:
			wanted = wanted || beats(r.view(p.candidate).Score, core, o.Margin)
		}
		newcomers = append(newcomers, p)
		used += cost(r.view(p.candidate), p.role, count, o)
	}
	switch {
	case !wanted:
		newcomers = nil
	case shown == 0 || used > o.Budget:
		return fresh
	}
	waiting := map[int]bool{}
	for _, p := range fresh.picks {
		waiting[p.candidate] = !holds[p.candidate]
	}
	// A role decides how much may be shown, so it stays, too.
	for i := range held {
		held[i].role = held[i].last.Role
	}
	return choice{append(held, newcomers...), func(c int) string {
		if waiting[c] {
			return notThisTime
		}
		return fresh.reason(c)
	}}
}

// incumbents are the picks of the last portfolio that are candidates again, in
// its order.
func incumbents(r ranking, last *Portfolio) []pick {
	slots := make(map[string]*Slot, len(last.Slots))
	for i := range last.Slots {
		if s := &last.Slots[i]; s.Object != nil {
			slots[keyOf(s.Object)] = s
		}
	}
	found := make(map[*Slot]int, len(slots))
	for c := range r.best {
		if s, ok := slots[keyOf(r.view(c).Object)]; ok {
			found[s] = c
		}
	}
	var picks []pick
	for i := range last.Slots {
		if c, ok := found[&last.Slots[i]]; ok {
			picks = append(picks, pick{c, last.Slots[i].Role, "was in the last context", &last.Slots[i]})
		}
	}
	return picks
}

// keepWindows is r with the windows of the last context as the strongest views
// of what can only be shown as a view (the top level of a file), where they are
// found again and the now strongest does not beat them by the margin.
func (r ranking) keepWindows(picks []pick, margin float64) ranking {
	r.best = slices.Clone(r.best)
	for _, p := range picks {
		now := r.view(p.candidate)
		if p.last == nil || !isView(now.Object) {
			continue
		}
		for i, v := range r.views {
			if r.of[i] == p.candidate && v.Text == p.last.Representative.Text && isView(v.Object) && !beats(now.Score, v.Score, margin) {
				r.best[p.candidate], r.path = i, slices.Clone(r.path)
				r.path[p.candidate] = path.Clean(v.Object.Path)
				break
			}
		}
	}
	return r
}

// refresh gives each held position the role that the fresh choice has for it.
func refresh(held, fresh []pick) []pick {
	for i := range held {
		for _, p := range fresh {
			if p.candidate == held[i].candidate {
				held[i].role, held[i].why = p.role, p.why
			}
		}
	}
	return held
}

// weakest is the index of the lowest ranked of the picks that are not chosen.
// There is one whenever as many are held as chosen and some chosen is not held.
func weakest(held []pick, chosen map[int]bool) int {
	w := -1
	for i, p := range held {
		if !chosen[p.candidate] && (w < 0 || p.candidate > held[w].candidate) {
			w = i
		}
	}
	return w
}

// beats reports whether a score exceeds another by more than the margin, as a
// share of itself. Equal scores, and scores that retrieval left at 0, never do.
func beats(newcomer, incumbent, margin float64) bool {
	size := newcomer
	if size < 0 {
		size = -size
	}
	return newcomer-incumbent > margin*size
}

// A keptPage shows an object as the last context did, as long as its code is
// the same, the text still fits, and the budget has not grown by more than the
// margin. New call counts or query terms alone are no reason to change it.
type keptPage struct {
	page
	last   *Slot
	moved  int // lines that the code has moved down in its file since
	count  func(string) int
	margin float64
}

// keepPage is p, or if the code behind last is still what it was, last again.
func keepPage(p page, r ranking, k pick, count func(string) int, margin float64) page {
	now, then := r.view(k.candidate), k.last
	if then == nil || !sameCode(now.Object, then.Object) {
		return p
	}
	moved := now.Object.Line - then.Object.Line
	if isView(now.Object) {
		if now.Text != then.Representative.Text {
			return p
		}
		moved = now.Line - then.Representative.Line
	}
	return keptPage{p, then, moved, count, margin}
}

func (k keptPage) demand() int { return max(k.page.demand(), k.count(k.last.Text)) }

func (k keptPage) fit(b int) excerpt {
	grown := k.last.Omitted > 0 && float64(b) > float64(k.last.Budget)*(1+max(0, k.margin))
	if grown || k.last.Text == "" || k.count(k.last.Text) > b {
		return k.page.fit(b)
	}
	x := excerpt{text: k.last.Text, omitted: k.last.Omitted}
	for _, l := range k.last.Lines {
		x.lines = append(x.lines, [2]int{l[0] + k.moved, l[1] + k.moved})
	}
	return x
}
