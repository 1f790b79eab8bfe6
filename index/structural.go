package index

import (
	"cmp"
	"slices"

	"readahead/index/facts"
)

// structural is the structural family: what the next line may use, found by
// following names through scopes, imports and types (Caret §III-B), most
// probable first.
func (q *query) structural() []View {
	if !q.self.parsed {
		return nil
	}
	ranked := q.collect().rank()
	var views []View
	for i, k := range ranked {
		if len(views) >= q.max {
			break
		}
		views = append(views, q.views(k, i < shownUsages)...)
	}
	slices.SortStableFunc(views, func(a, b View) int { return cmp.Compare(b.Score, a.Score) })
	return views[:min(len(views), q.max)]
}

// maxRanked bounds the objects that are rendered.
const maxRanked = 32

// rank orders the candidates, one of each symbol.
func (c *collector) rank() []*candidate {
	for _, k := range c.order {
		k.score = k.x.probability()
	}
	slices.SortFunc(c.order, func(a, b *candidate) int {
		if d := cmp.Compare(b.score, a.score); d != 0 {
			return d
		}
		if d := cmp.Compare(a.at.file.path, b.at.file.path); d != 0 {
			return d
		}
		return a.at.obj - b.at.obj
	})
	seen := map[Symbol]bool{}
	var out []*candidate
	for _, k := range c.order {
		if len(out) == maxRanked {
			break
		}
		if sym := c.snap.symbol(k.at); !seen[sym] {
			seen[sym] = true
			out = append(out, k)
		}
	}
	return out
}

// Views that show less of an object score less; the order of objects is that of
// their strongest views.
const (
	signatureShare = 0.9
	callShare      = 0.8
	docShare       = 0.7
	testShare      = 0.6
)

// views are the renderings of one candidate.
func (q *query) views(k *candidate, usages bool) []View {
	o := q.object(k.at)
	if o == nil {
		return nil
	}
	view := func(kind ViewKind, line int, text string, share float64) View {
		return View{Object: o, Kind: kind, Family: Structural, Path: o.Path, Line: line, Text: text, Score: k.score * share, Why: k.why}
	}
	out := []View{view(Body, o.Line, o.Source, 1)}
	if o.Signature != "" && len(o.Signature) < len(o.Source) {
		out = append(out, view(Signature, o.NameLine, o.Signature, signatureShare))
	}
	if o.Doc != "" && o.Kind != facts.Module {
		out = append(out, view(Doc, o.Line, o.Doc, docShare))
	}
	if !usages {
		return out
	}
	call, test := q.usages(k.at)
	if call != nil {
		v := view(CallSite, call.line, call.text, callShare)
		v.Path = call.file.rel
		out = append(out, v)
	}
	if test != nil {
		v := view(Test, test.head, test.body, testShare)
		v.Path = test.file.rel
		out = append(out, v)
	}
	return out
}
