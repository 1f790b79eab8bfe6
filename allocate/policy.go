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
// fitting to budgets being the same for all. Vital is what ships; the others
// are the comparisons of VITAL-RAG Tables 2 and 6, for evaluation.
type Policy struct {
	Name string // as on the command line
	Doc  string // one line, for people

	group  func([]index.View) ranking
	choose chooser
	page   func(r Request, q query, v index.View, views []index.View) page

	companions int  // if not ownCompanions, replaces Options.Companions
	raw        bool // no floor: budgets only clip the end
	merges     bool // a candidate is an object, so Options.Previous can be followed
}

// ownCompanions leaves Options.Companions as it is.
const ownCompanions = -1

var vital = Policy{
	Name: "vital", Doc: "one position an object, 4 core + 1 companion that shares an identifier with the query, bounded rendering",
	group: byObject, choose: coreAndCompanions(true), page: newObjectPage,
	companions: ownCompanions, merges: true,
}

// Policies lists all policies, the shipped one first.
func Policies() []Policy {
	return []Policy{
		vital,
		vital.but("5+0", "as vital, without a companion", func(p *Policy) { p.companions = 0 }),
		vital.but("3+2", "as vital, with two companions", func(p *Policy) { p.companions = 2 }),
		vital.but("no-quotient", "as vital, but every view claims a position", func(p *Policy) {
			p.group, p.merges = eachView, false
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

func rawText(p *Policy) { p.page, p.raw = newRawPage, true }

func surface(p *Policy) {
	rawText(p)
	p.group, p.choose, p.merges = eachView, topK, false
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
	if r.Tokens == nil {
		r.Tokens = estimate
	}
	q := newQuery(r.Terms)
	ranked := p.group(r.Views)
	chosen := p.choose(ranked, q, o)

	candidates := make([]int, len(chosen.picks))
	for i, k := range chosen.picks {
		candidates[i] = k.candidate
	}
	views := ranked.viewsOf(candidates)
	pages := make([]page, len(chosen.picks))
	for i, c := range candidates {
		pages[i] = p.page(r, q, *ranked.view(c), views[i])
	}
	slots, text, tokens := layOut(pages, r.Tokens, o)
	for i, k := range chosen.picks {
		s := &slots[i]
		s.Representative, s.Views = *ranked.view(k.candidate), views[i]
		s.Object, s.Rank, s.Role, s.Why = s.Representative.Object, k.candidate+1, k.role, k.why
	}
	return Context{text, tokens, Portfolio{slots, dropped(ranked, chosen)}}
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
func dropped(r ranking, ch choice) []Dropped {
	holds := make([]bool, len(r.best))
	for _, k := range ch.picks {
		holds[k.candidate] = true
	}
	var out []Dropped
	for c := range r.best {
		if !holds[c] {
			v := r.view(c)
			out = append(out, Dropped{v.Object, *v, c + 1, ch.reason(c)})
		}
	}
	for i, c := range r.of {
		if c < 0 {
			out = append(out, Dropped{View: r.views[i], Reason: noObject})
		}
	}
	return out
}
