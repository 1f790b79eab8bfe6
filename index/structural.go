package index

import (
	"cmp"
	"math"
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
	c := q.collect()
	defer c.release()
	var views []View
	for i, k := range c.rank() {
		if len(views) >= q.max {
			break
		}
		found := q.views(k, i < shownUsages)
		if i < partedTypes && len(found) > 0 {
			found[0].Parts = c.parts(k)
		}
		views = append(views, found...)
	}
	slices.SortStableFunc(views, func(a, b View) int { return cmp.Compare(b.Score, a.Score) })
	return views[:min(len(views), q.max)]
}

// maxRanked bounds the objects that are rendered.
const maxRanked = 32

// firstLook is how many candidates are looked at as a whole before it is known
// whether that is enough.
const firstLook = 4 * maxRanked

// usageGain is by how much the features of usage raise log-odds at most. They take
// the longest to find, and few candidates can come to the front by them.
var usageGain = func() (gain float64) {
	for f := fPopular; f <= fOrphan; f++ {
		gain += max(0, weights[f])
	}
	return gain + max(0, weights[fCommonName])
}()

// rank orders the candidates, one of each symbol, and returns the best: exactly
// those that come first with all of their features, though the usage of most is
// never looked at.
func (c *collector) rank() []*candidate { return c.rankFrom(firstLook) }

// rankFrom looks at that many as a whole at first.
func (c *collector) rankFrom(first int) []*candidate {
	d := c.describer()
	rest := make([]*candidate, len(c.list))
	inParts(len(rest), func(start, end int) {
		for i := start; i < end; i++ {
			k := &c.list[i]
			x := d.features(k)
			k.logit = x.logOdds()
			rest[i] = k
		}
	})
	var scored []*candidate
	for n := first; ; n *= 4 {
		scored = append(scored, d.finish(takeBest(&rest, n))...)
		slices.SortFunc(scored, candidatesInOrder)
		out := c.oneOfEach(scored)
		if len(rest) == 0 || len(out) == maxRanked && highest(rest)+usageGain < out[maxRanked-1].logit {
			return out
		}
	}
}

// takeBest moves the n candidates with the highest log-odds out of all.
func takeBest(all *[]*candidate, n int) []*candidate {
	top := heap[*candidate]{better: func(a, b *candidate) bool { return a.logit > b.logit }}
	for _, k := range *all {
		top.offer(k, n)
	}
	for _, k := range top.kept {
		k.whole = true
	}
	*all = slices.DeleteFunc(*all, func(k *candidate) bool { return k.whole })
	return top.kept
}

func highest(all []*candidate) float64 {
	logit := math.Inf(-1)
	for _, k := range all {
		logit = max(logit, k.logit)
	}
	return logit
}

// finish scores candidates with all of their features.
func (d *describer) finish(all []*candidate) []*candidate {
	for _, k := range all {
		x := d.features(k)
		d.describeUsage(k, &x)
		k.logit = x.logOdds()
		k.score = probability(k.logit)
	}
	return all
}

func candidatesInOrder(a, b *candidate) int {
	if d := cmp.Compare(b.score, a.score); d != 0 {
		return d
	}
	if d := cmp.Compare(a.at.file.path, b.at.file.path); d != 0 {
		return d
	}
	return a.at.obj - b.at.obj
}

// oneOfEach are the first candidates of each symbol.
func (c *collector) oneOfEach(all []*candidate) []*candidate {
	seen := map[Symbol]bool{}
	var out []*candidate
	for _, k := range all {
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
