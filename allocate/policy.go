package allocate

import (
	"fmt"
	"strings"

	"readahead/index"
)

// A Policy is one way from views to a context, as a composition of
//
//	group   which views make the same claim
//	choose  which claims get a position
//	page    what a position shows
//
// fitting to budgets being the same for all. Vital+ is what ships, vital what the
// paper has; the others are the comparisons of its Tables 2 and 6, for evaluation.
type Policy struct {
	Name string // as on the command line
	Doc  string // one line, for people

	group  func([]index.View) ranking
	choose chooser
	page   func(r Request, q query, v index.View, views []index.View) page

	companions int  // if not ownCompanions, replaces Options.Companions
	raw        bool // no floor: budgets only clip the end
	merges     bool // a candidate is an object, so Options.Previous can be followed
	uncovers   bool // no position for an object that another one shows anyway
	gathers    bool // of what is too large, members that were found come before what surrounds the query
	plain      bool // the paper's positions alone: without Options.Worth and Options.Excerpt
}

// ownCompanions leaves Options.Companions as it is.
const ownCompanions = -1

var vital = Policy{
	Name: "vital", Doc: "one position an object, 4 core + 1 companion that shares an identifier with the query, bounded rendering",
	group: byObject, choose: coreAndCompanions(true), page: newObjectPage,
	companions: ownCompanions, merges: true, uncovers: true, gathers: true, plain: true,
}

var vitalPlus = vital.but("vital+", "as vital, and every further object that is worth its tokens; of what is too large only an excerpt", func(p *Policy) {
	p.plain = false
})

// Policies lists all policies, the shipped one first.
func Policies() []Policy {
	return []Policy{
		vitalPlus,
		vital,
		vital.but("vital-paper", "as vital, but an object that another one shows anyway keeps its position, and a window is all that is shown of what is too large", func(p *Policy) {
			p.uncovers, p.gathers = false, false
		}),
		vital.but("5+0", "as vital, without a companion", func(p *Policy) { p.companions = 0 }),
		vital.but("3+2", "as vital, with two companions", func(p *Policy) { p.companions = 2 }),
		vital.but("no-quotient", "as vital, but every view claims a position", func(p *Policy) {
			p.group, p.merges, p.uncovers, p.gathers = eachView, false, false, false
		}),
		vital.but("no-rendering", "as vital, but raw text clipped at the budgets", rawText),
		vital.but("no-structure", "neither quotient nor companion nor rendering: the top views as raw text", surface),
		vital.but("raw", "the top views as raw text (Raw Surface)", surface),
		vital.but("exact-dedup", "the top views with different text, as raw text", surface, func(p *Policy) { p.group = bySurface }),
		vital.but("canonical-5", "the top objects, as raw text", rawText, func(p *Policy) { p.choose = topK }),
		vital.but("file-quota", "the top objects of different files first, as raw text", rawText, func(p *Policy) { p.choose = fileQuota }),
		vital.but("mmr", "objects by maximal marginal relevance, as raw text", rawText, func(p *Policy) { p.choose = maximalMarginal }),
		vital.but("entity-first-4+1", "4 core objects + the best other of their files, as raw text", rawText, func(p *Policy) {
			p.choose = coreAndCompanions(false)
		}),
	}
}

// but is p with another name and some parts replaced.
func (p Policy) but(name, doc string, change ...func(*Policy)) Policy {
	p.Name, p.Doc = name, doc
	for _, c := range change {
		c(&p)
	}
	return p
}

func rawText(p *Policy) { p.page, p.raw, p.merges, p.uncovers = newRawPage, true, false, false }

func surface(p *Policy) {
	rawText(p)
	p.group, p.choose = eachView, topK
}

// PolicyByName finds a policy; the error lists the names there are.
func PolicyByName(name string) (Policy, error) {
	var names []string
	for _, p := range Policies() {
		if p.Name == name {
			return p, nil
		}
		names = append(names, p.Name)
	}
	return Policy{}, fmt.Errorf("allocation policy %q is unknown (choose one of: %s)", name, strings.Join(names, ", "))
}

// Allocate is Allocate by the rules of p. Only policies with bounded rendering
// of distinct objects follow o.Previous.
func (p Policy) Allocate(r Request, o Options) Context {
	o = o.clamped()
	if p.companions != ownCompanions {
		o.Companions = p.companions
	}
	if p.raw {
		o.Floor = 0
	}
	if p.plain {
		o.Worth, o.Excerpt = 0, 0
	}
	if r.Tokens == nil {
		r.Tokens = estimate
	}
	q := newQuery(r.Terms)
	all := p.group(r.Views)
	a := p.arrange(r, q, all, o)
	var hidden map[int]string
	if p.uncovers {
		a, hidden = p.uncover(r, q, a, o)
	}
	return Context{a.text, a.tokens, Portfolio{a.slots, dropped(all, a, hidden)}}
}

// clamped has 0 for what is negative.
func (o Options) clamped() Options {
	for _, n := range []*int{&o.Objects, &o.Companions, &o.Budget, &o.ObjectBudget, &o.Floor} {
		*n = max(0, *n)
	}
	return o
}

// dropped accounts for every candidate without a position, and every view
// without an object.
func dropped(all ranking, a arrangement, hidden map[int]string) []Dropped {
	reasons := make([]string, len(all.best)+1) // by rank; "" for who holds a position
	for c, rank := range a.rank {
		reasons[rank] = a.reason(c)
	}
	for _, s := range a.slots {
		reasons[s.Rank] = ""
	}
	for rank, by := range hidden {
		reasons[rank] = "every line of it stands in the text of " + by
	}
	out := make([]Dropped, 0, len(all.best))
	for c, rank := range all.rank {
		if why := reasons[rank]; why != "" {
			out = append(out, Dropped{all.view(c).Object, *all.view(c), rank, why})
		}
	}
	for i, c := range all.of {
		if c < 0 {
			out = append(out, Dropped{View: all.views[i], Reason: noObject})
		}
	}
	return out
}
