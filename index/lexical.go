package index

import (
	"cmp"
	"math"
	"slices"
	"sync"
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

// scratch is one float a window, reused between queries.
type scratch struct {
	score   []float32
	touched []uint32
}

var scratches = sync.Pool{New: func() any { return new(scratch) }}

// search returns the k best windows, best first, of files that skip lets
// through.
func (s *Snapshot) search(query []queryTerm, k int, skip func(f *file, window int) bool) []windowHit {
	total, tokens := s.windowTotals()
	if total == 0 {
		return nil
	}
	mean := max(1, float64(tokens)/float64(total))
	x := scratches.Get().(*scratch)
	defer scratches.Put(x)
	if n := len(s.base.windowFile); len(x.score) < n {
		x.score = make([]float32, n)
	}
	overlay := make([][]float32, len(s.overlay))
	for i, f := range s.overlay {
		overlay[i] = make([]float32, len(f.windows))
	}
	for _, q := range query {
		s.scoreTerm(q, total, mean, x, overlay)
	}
	var top heap
	for _, w := range x.touched {
		doc := s.base.windowFile[w]
		h := windowHit{s.base.files[doc], int(w - s.base.firstOf[doc]), float64(x.score[w])}
		x.score[w] = 0
		top.offer(h, k, skip)
	}
	x.touched = x.touched[:0]
	for i, f := range s.overlay {
		for w, score := range overlay[i] {
			if score > 0 {
				top.offer(windowHit{f, w, float64(score)}, k, skip)
			}
		}
	}
	slices.SortFunc(top, func(a, b windowHit) int {
		if a.better(b) {
			return -1
		}
		return 1
	})
	return top
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

func (s *Snapshot) scoreTerm(q queryTerm, total int, mean float64, x *scratch, overlay [][]float32) {
	r, inBase := s.base.termPostings(q.term)
	var dead int
	for doc := range s.dead {
		dead += len(s.base.files[doc].windows)
	}
	limit := commonShare * float64(total)
	if float64(inBase)-float64(dead) > limit && total > smallCorpus {
		return
	}
	frequency := 0
	ps := make([]posting, 0, inBase)
	for range inBase {
		p := r.next()
		if dead > 0 && s.dead[s.base.windowFile[p.window]] {
			continue
		}
		ps = append(ps, p)
	}
	frequency = len(ps)
	readers := make([]postingReader, len(s.overlay))
	counts := make([]uint32, len(s.overlay))
	for i, f := range s.overlay {
		readers[i], counts[i] = findTerm(f.terms, q.term)
		frequency += int(counts[i])
	}
	if frequency == 0 || float64(frequency) > limit && total > smallCorpus {
		return
	}
	idf := q.weight * math.Log(1+(float64(total)-float64(frequency)+0.5)/(float64(frequency)+0.5))
	add := func(f *file, window int, count uint32) float64 {
		tf, length := float64(count), float64(f.windows[window])
		score := idf * tf * (bm25K1 + 1) / (tf + bm25K1*(1-bm25B+bm25B*length/mean))
		if f.generated {
			score *= generatedWeight
		}
		return score
	}
	for _, p := range ps {
		doc := s.base.windowFile[p.window]
		if x.score[p.window] == 0 {
			x.touched = append(x.touched, p.window)
		}
		x.score[p.window] += float32(add(s.base.files[doc], int(p.window-s.base.firstOf[doc]), p.count))
	}
	for i, f := range s.overlay {
		for range counts[i] {
			p := readers[i].next()
			overlay[i][p.window] += float32(add(f, int(p.window), p.count))
		}
	}
}

// smallCorpus is the number of windows below which even common terms tell
// something.
const smallCorpus = 1000

// heap keeps the best hits with the worst on top.
type heap []windowHit

func (h *heap) offer(hit windowHit, k int, skip func(*file, int) bool) {
	if len(*h) == k && !hit.better((*h)[0]) || skip(hit.file, hit.window) {
		return
	}
	if len(*h) < k {
		*h = append(*h, hit)
		h.up(len(*h) - 1)
		return
	}
	(*h)[0] = hit
	h.down(0)
}

func (h heap) up(i int) {
	for i > 0 && h[(i-1)/2].better(h[i]) {
		h[i], h[(i-1)/2] = h[(i-1)/2], h[i]
		i = (i - 1) / 2
	}
}

func (h heap) down(i int) {
	for {
		worst := i
		for c := 2*i + 1; c <= 2*i+2 && c < len(h); c++ {
			if h[worst].better(h[c]) {
				worst = c
			}
		}
		if worst == i {
			return
		}
		h[i], h[worst] = h[worst], h[i]
		i = worst
	}
}

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

// hits are the best windows for the query, searched once. Neighbouring windows
// overlap by half, so up to two of three are left out later.
func (q *query) hits() []windowHit {
	if !q.searched {
		terms := q.snap.lexicalQuery(q.left())
		q.windows = q.snap.search(terms, 3*q.max, func(f *file, w int) bool { return q.blocked(f, windowSpan(f, w)) })
		q.searched = true
	}
	return q.windows
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
	for i := 1; i < len(f.objects); i++ {
		o := &f.objects[i]
		first, last := t.line(o.whole.Start), t.line(max(o.whole.Start, o.whole.End-1))
		shared := min(last, lines.last) - max(first, lines.first) + 1
		if 2*shared >= lines.last-lines.first+1 && (best == 0 || last-first < bestLen) {
			best, bestLen = i, last-first
		}
	}
	return best
}
