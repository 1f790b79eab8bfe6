package index

import (
	"cmp"
	"math"
	"slices"
)

// Parameters of BM25 over windows. k1 and b are the usual ones; the rest was
// chosen on the development tasks by EvaluateTasks in eval_test.go.
const (
	bm25K1 = 1.2
	bm25B  = 0.75
	// Terms in more than this share of the windows say nothing and cost most of
	// the time.
	commonShare = 0.1
	// The query is this many lines before the cursor; the line of the cursor
	// weighs 1, the farthest lineFloor.
	queryLines = 20
	lineFloor  = 0.3
	// A file that a tool wrote matches everything like it.
	generatedWeight = 0.5
)

// A queryTerm is a term of the query with its weight: the sum over its
// occurrences of how near they are, saturating like a term frequency.
type queryTerm struct {
	term   nameID
	weight float64
}

// lexicalQuery weighs the terms of the last lines of left.
func (s *Snapshot) lexicalQuery(left []byte) []queryTerm {
	left = lastLines(left, queryLines)
	last := countLines(left) - 1
	if len(left) > 0 && left[len(left)-1] == '\n' {
		last++
	}
	weights := map[nameID]float64{}
	words(left, func(line int, term []byte) {
		if id, ok := s.names.find(string(term)); ok {
			near := 1 - (1-lineFloor)*float64(last-line)/queryLines
			weights[id] = max(weights[id], near)
		}
	})
	terms := make([]queryTerm, 0, len(weights))
	for id, w := range weights {
		terms = append(terms, queryTerm{id, w})
	}
	// In the order of the terms themselves: IDs depend on history, and sums of
	// floats on their order.
	slices.SortFunc(terms, func(a, b queryTerm) int { return cmp.Compare(s.names.str(a.term), s.names.str(b.term)) })
	return terms
}

// lastLines is the end of text with at most n lines.
func lastLines(text []byte, n int) []byte {
	for i := len(text) - 1; i >= 0; i-- {
		if text[i] == '\n' {
			if n--; n == 0 {
				return text[i+1:]
			}
		}
	}
	return text
}

// A windowHit is one window with its score.
type windowHit struct {
	file   *file
	window int
	score  float64
}

// better orders hits: by score, then by place, so that two indexes of the same
// workspace agree.
func (h windowHit) better(o windowHit) bool {
	if h.score != o.score {
		return h.score > o.score
	}
	if h.file.path != o.file.path {
		return h.file.path < o.file.path
	}
	return h.window < o.window
}

// A searcher holds what one search needs. Its arrays are reused between
// queries: one float a window.
type searcher struct {
	snap  *Snapshot
	total int     // windows
	mean  float64 // tokens of a window
	dead  int     // windows of the segment that are hidden

	score   []float32 // by window of the segment; all zero between searches
	once    []float64 // by tokens of a window: what a term adds that stands in it once
	touched []uint32
	overlay [][]float32
	terms   []nameID      // of the query, ascending
	found   [][]foundTerm // in the files of the overlay, by term
}

var searchers = newSpare(func() *searcher { return new(searcher) })

// search returns the k best windows, best first, of those that skip lets
// through; it lets through all but at most hidden.
//
// The terms that can add the most come first. Once what is left could not bring a
// new window among the best, the rest only adds to those that are there (MaxScore:
// Turtle and Flood, 1995), which changes nothing in what is found.
func (s *Snapshot) search(query []queryTerm, k, hidden int, skip func(f *file, window int) bool) []windowHit {
	hits, _ := s.searchCounting(query, k, hidden, skip)
	return hits
}

// searchCounting is search, with the number of windows of the segment that got a
// score.
func (s *Snapshot) searchCounting(query []queryTerm, k, hidden int, skip func(f *file, window int) bool) (hits []windowHit, met int) {
	x := searchers.take() // lost if anything panics: it would be left with scores
	if !x.begin(s) {
		searchers.give(x)
		return nil, 0
	}
	x.find(query)
	terms := x.weigh(query)
	left := 0.0
	for _, t := range terms {
		left += t.most
	}
	closed := false
	for i, t := range terms {
		x.add(t, closed)
		left -= t.most
		closed = closed || i%4 == 3 && left*(1+rounding) < x.least(k+hidden+x.dead)
	}
	met = len(x.touched)
	hits = x.best(k, skip)
	searchers.give(x)
	return hits, met
}

const (
	rounding = 1e-6 // of sums of float32
	// The best windows are mostly among the first that were met, by the terms that
	// can add the most.
	firstMet = 4096
)

// A weighed term is one of the query that counts.
type weighed struct {
	queryTerm
	at     int // in the searcher's terms
	weight float64
	most   float64 // that it can add to a window
}

// weigh are the terms that stand in some window and are not common, those that can
// add the most first.
func (x *searcher) weigh(query []queryTerm) []weighed {
	var out []weighed
	for _, q := range query {
		_, inBase := x.snap.base.termPostings(q.term)
		if x.common(int(inBase) - x.dead) {
			continue
		}
		at, _ := slices.BinarySearch(x.terms, q.term)
		frequency := x.alive(q.term)
		for i := range x.snap.overlay {
			frequency += int(x.found[i][at].count)
		}
		if frequency == 0 || x.common(frequency) {
			continue
		}
		weight := q.weight * idf(frequency, x.total)
		out = append(out, weighed{q, at, weight, weight * (bm25K1 + 1)})
	}
	slices.SortStableFunc(out, func(a, b weighed) int { return cmp.Compare(b.most, a.most) })
	return out
}

// alive is the number of windows of the segment with a term.
func (x *searcher) alive(term nameID) int {
	r, n := x.snap.base.termPostings(term)
	if x.dead == 0 {
		return int(n)
	}
	alive := 0
	for range n {
		if p := r.next(); !x.snap.dead[x.snap.base.windowFile[p.window]] {
			alive++
		}
	}
	return alive
}

// least is at most the k-th best score so far.
func (x *searcher) least(k int) float64 {
	if len(x.touched) < k {
		return 0
	}
	top := heap[float32]{better: func(a, b float32) bool { return a > b }}
	for _, w := range x.touched[:min(len(x.touched), k+firstMet)] {
		top.offer(x.score[w], k)
	}
	return float64(top.kept[0])
}

// begin reports whether there is anything to search.
func (x *searcher) begin(s *Snapshot) bool {
	total, tokens := s.windowTotals()
	if total == 0 {
		return false
	}
	x.snap, x.total, x.mean, x.dead = s, total, max(1, float64(tokens)/float64(total)), 0
	for doc := range s.dead {
		x.dead += len(s.base.files[doc].windows)
	}
	if n := len(s.base.windowFile); len(x.score) < n {
		x.score = make([]float32, n)
	}
	x.once = x.once[:0]
	for tokens := range 1024 {
		x.once = append(x.once, saturation(1, float64(tokens)/x.mean))
	}
	x.overlay = make([][]float32, len(s.overlay))
	for i, f := range s.overlay {
		x.overlay[i] = make([]float32, len(f.windows))
	}
	return true
}

// best empties the searcher.
func (x *searcher) best(k int, skip func(f *file, window int) bool) []windowHit {
	top := heap[windowHit]{better: windowHit.better}
	offer := func(h windowHit) {
		if top.wants(h, k) && !skip(h.file, h.window) {
			top.offer(h, k)
		}
	}
	base := x.snap.base
	for _, w := range x.touched {
		score := float64(x.score[w])
		x.score[w] = 0
		if len(top.kept) == k && score < top.kept[0].score {
			continue
		}
		if doc := base.windowFile[w]; !x.snap.dead[doc] {
			offer(windowHit{base.files[doc], int(w - base.firstOf[doc]), score})
		}
	}
	for i, f := range x.snap.overlay {
		for w, score := range x.overlay[i] {
			if score > 0 {
				offer(windowHit{f, w, float64(score)})
			}
		}
	}
	x.touched, x.snap, x.overlay, x.found = x.touched[:0], nil, nil, nil
	return top.sorted()
}

// windowTotals counts windows and their tokens, those of replaced files left
// out.
func (s *Snapshot) windowTotals() (windows int, tokens int64) {
	windows, tokens = len(s.base.windowFile), s.base.tokens
	add := func(f *file, sign int) {
		windows += sign * len(f.windows)
		for _, n := range f.windows {
			tokens += int64(sign * int(n))
		}
	}
	for doc := range s.dead {
		add(s.base.files[doc], -1)
	}
	for _, f := range s.overlay {
		add(f, 1)
	}
	return windows, tokens
}

// find finds the terms of the query in the files of the overlay.
func (x *searcher) find(query []queryTerm) {
	x.terms = x.terms[:0]
	for _, q := range query {
		x.terms = append(x.terms, q.term)
	}
	slices.Sort(x.terms)
	x.found = make([][]foundTerm, len(x.snap.overlay))
	for i, f := range x.snap.overlay {
		x.found[i] = findTerms(f.terms, x.terms)
	}
}

// add adds one term to the scores, those of hidden windows too; if closed, to those
// of the segment's windows that have one.
func (x *searcher) add(t weighed, closed bool) {
	score := func(count uint32, length windowLength) float32 {
		var v float64
		if n := length.tokens(); count == 1 && n < len(x.once) {
			v = t.weight * x.once[n]
		} else {
			v = t.weight * saturation(float64(count), float64(n)/x.mean)
		}
		if length.generated() {
			v *= generatedWeight
		}
		return float32(v)
	}
	base := x.snap.base
	r, inBase := base.termPostings(t.term)
	for range inBase {
		p := r.next()
		had := x.score[p.window]
		if had == 0 {
			if closed {
				continue
			}
			x.touched = append(x.touched, p.window)
		}
		x.score[p.window] = had + score(p.count, base.lengths[p.window])
	}
	for i, f := range x.snap.overlay {
		of := &x.found[i][t.at]
		for range of.count {
			p := of.postings.next()
			x.overlay[i][p.window] += score(p.count, lengthOf(f.windows[p.window], f.generated))
		}
	}
}

// common reports whether a term in that many windows is too frequent to score.
func (x *searcher) common(windows int) bool {
	return x.total > smallCorpus && float64(windows) > commonShare*float64(x.total)
}

// BM25 is idf · saturation, added up over the terms of a query. idf is how rare a
// term is that stands in frequency of total windows, and saturation how much the
// count-th occurrence adds, in a window of length times the mean.
func idf(frequency, total int) float64 {
	return math.Log(1 + (float64(total)-float64(frequency)+0.5)/(float64(frequency)+0.5))
}

func saturation(count, length float64) float64 {
	return count * (bm25K1 + 1) / (count + bm25K1*(1-bm25B+bm25B*length))
}

// smallCorpus is the number of windows below which even common terms tell
// something.
const smallCorpus = 1000

// lexical is the lexical family: the best windows, overlapping ones left out,
// as views of the objects that they show. Scores are BM25: positive, without an
// upper bound.
func (q *query) lexical() []View {
	var views []View
	taken := map[*file][]int{}
	for _, h := range q.hits() {
		if slices.ContainsFunc(taken[h.file], func(w int) bool { return abs(w-h.window) < windowLines/windowStride }) {
			continue
		}
		if v, ok := q.windowView(h); ok {
			taken[h.file] = append(taken[h.file], h.window)
			if views = append(views, v); len(views) == q.max {
				break
			}
		}
	}
	return views
}

// hits are the best windows for the query, searched once, and their texts read; who
// asks while that is done waits. Neighbouring windows overlap by half, so up to two of
// three are left out later.
func (q *query) hits() []windowHit { return q.windows() }

func (q *query) search() []windowHit {
	terms := q.snap.lexicalQuery(q.left())
	hidden := len(q.self.windows)
	hits := q.snap.search(terms, 3*q.max, hidden, func(f *file, w int) bool { return q.blocked(f, windowSpan(f, w)) })
	for _, h := range hits[:min(len(hits), max(q.max, similarWindows))] {
		q.snap.texts.of(h.file) // an error is met again where the text is used
	}
	return hits
}

func abs(n int) int { return max(n, -n) }

// lineRange is a range of 1-based lines, both ends in it.
type lineRange struct{ first, last int }

func windowSpan(f *file, window int) lineRange {
	first := window*windowStride + 1
	return lineRange{first, min(first+windowLines-1, int(f.lines))}
}

func (q *query) windowView(h windowHit) (View, bool) {
	t, err := q.snap.texts.of(h.file)
	if err != nil {
		return View{}, false
	}
	lines := windowSpan(h.file, h.window)
	body := t.lineSpan(lines.first, lines.last)
	o := q.object(site{h.file, covering(h.file, t, lines)})
	if o == nil || body == "" {
		return View{}, false
	}
	return View{Object: o, Kind: Window, Family: Lexical, Path: h.file.rel, Line: lines.first, Text: body, Score: h.score,
		Why: "similar to the code before the cursor"}, true
}

// covering is the smallest object that covers at least half of the lines; the
// module object if none does.
func covering(f *file, t *text, lines lineRange) int {
	best, bestLen := 0, 0
	start, end := t.span(lines)
	for i := 1; i < len(f.objects); i++ {
		o := &f.objects[i]
		if o.whole.Start >= end || max(o.whole.Start+1, o.whole.End) <= start {
			continue
		}
		first, last := t.line(o.whole.Start), t.line(max(o.whole.Start, o.whole.End-1))
		shared := min(last, lines.last) - max(first, lines.first) + 1
		if 2*shared >= lines.last-lines.first+1 && (best == 0 || last-first < bestLen) {
			best, bestLen = i, last-first
		}
	}
	return best
}
