package index

import (
	"cmp"
	"fmt"
	"math/rand"
	"slices"
	"strings"
	"testing"
)

func TestWordsAreIdentifiersAndTheirParts(t *testing.T) {
	for _, c := range []struct{ about, text, want string }{
		{"a plain word has no parts", "total", "0:total"},
		{"camel case", "cartTotal", "0:carttotal 0:cart 0:total"},
		{"an abbreviation ends before the last capital", "HTTPServer", "0:httpserver 0:http 0:server"},
		{"snake case", "max_title_len", "0:max_title_len 0:max 0:title 0:len"},
		{"underscores around", "__init__", "0:__init__ 0:init"},
		{"digits belong to the word before", "utf8Decode v2", "0:utf8decode 0:utf8 0:decode 0:v2"},
		{"single letters and numbers say nothing", "a 1 22 0x1f", ""},
		{"lines are counted", "one\n\ntwo", "0:one 2:two"},
		{"letters of other scripts", "größe", "0:größe"},
		{"broken UTF-8 separates", "ab\xffcd", "0:ab 0:cd"},
		{"overlong runs are data", strings.Repeat("x", maxTerm+1), ""},
	} {
		var got []string
		words([]byte(c.text), func(line int, term []byte) { got = append(got, fmt.Sprintf("%d:%s", line, term)) })
		if strings.Join(got, " ") != c.want {
			t.Errorf("%s: %q gives %v, want %s", c.about, c.text, got, c.want)
		}
	}
}

func TestEveryLineIsInTheWindowsThatCoverIt(t *testing.T) {
	for lines := range 200 {
		n := windowCount(lines)
		for line := range lines {
			first, last := windowsOf(line, n)
			for w := range n {
				covers := w*windowStride <= line && line < w*windowStride+windowLines
				if listed := first <= w && w <= last; listed != covers {
					t.Fatalf("%d lines: window %d covers line %d: %v, listed: %v", lines, w, line, covers, listed)
				}
			}
			if first > last {
				t.Fatalf("%d lines: line %d is in no window", lines, line)
			}
		}
	}
}

// The slow way to search: score every window of every file.
func slowSearch(s *Snapshot, texts map[string]string, query []queryTerm, k int) []windowHit {
	type win struct {
		f      *file
		w      int
		counts map[string]int
		total  int
	}
	var all []*win
	var tokens int
	for f := range s.files() {
		wins := make([]*win, windowCount(int(f.lines)))
		for w := range wins {
			wins[w] = &win{f, w, map[string]int{}, 0}
		}
		words([]byte(texts[f.path]), func(line int, term []byte) {
			first, last := windowsOf(line, len(wins))
			for w := first; w <= last; w++ {
				wins[w].counts[string(term)]++
				wins[w].total++
				tokens++
			}
		})
		all = append(all, wins...)
	}
	mean := max(1, float64(tokens)/float64(len(all)))
	with := map[nameID]int{}
	for _, q := range query {
		for _, w := range all {
			if w.counts[s.names.str(q.term)] > 0 {
				with[q.term]++
			}
		}
	}
	weight := func(q queryTerm) float64 { return q.weight * idf(with[q.term], len(all)) }
	query = slices.Clone(query)
	slices.SortStableFunc(query, func(a, b queryTerm) int { return cmp.Compare(weight(b), weight(a)) })
	scores := make([]float32, len(all))
	for _, q := range query {
		n := with[q.term]
		if n == 0 || float64(n) > commonShare*float64(len(all)) && len(all) > smallCorpus {
			continue
		}
		for i, w := range all {
			if c := w.counts[s.names.str(q.term)]; c > 0 {
				scores[i] += float32(weight(q) * saturation(float64(c), float64(w.total)/mean))
			}
		}
	}
	var hits []windowHit
	for i, w := range all {
		if scores[i] > 0 {
			hits = append(hits, windowHit{w.f, w.w, float64(scores[i])})
		}
	}
	slices.SortFunc(hits, func(a, b windowHit) int {
		if a.better(b) {
			return -1
		}
		return 1
	})
	return hits[:min(k, len(hits))]
}

// Windows of rare and of common words, so that most windows could not come to the
// front any more when the common words are reached.
func TestSearchLeavesOutOnlyWindowsThatCanNotWin(t *testing.T) {
	random := rand.New(rand.NewSource(2))
	dir := t.TempDir()
	texts := map[string]string{}
	for i := range 300 {
		var b strings.Builder
		for word := range 24 {
			if random.Float64() < 0.05*float64(1+word/3) {
				fmt.Fprintf(&b, "w%c ", 'a'+word)
			}
		}
		path := fmt.Sprintf("%s/f%d.txt", dir, i)
		texts[path] = b.String() + strings.Repeat("padding ", random.Intn(8)) + "\n"
		write(t, path, texts[path])
	}
	s := built(t, Options{Roots: []string{dir}}).Snapshot()
	left := 0
	for range 200 {
		var query strings.Builder
		for word := range 24 {
			if random.Intn(2) == 0 {
				fmt.Fprintf(&query, "w%c", 'a'+word)
				query.WriteByte(" \n"[random.Intn(2)])
			}
		}
		terms, k, hidden := s.lexicalQuery([]byte(query.String())), 1+random.Intn(8), random.Intn(40)
		skipped := map[windowHit]bool{}
		want := slowSearch(s, texts, terms, len(texts))
		for _, h := range want[:min(hidden, len(want))] {
			skipped[windowHit{h.file, h.window, 0}] = true
		}
		want = want[min(hidden, len(want)):]
		got, met := s.searchCounting(terms, k, hidden, func(f *file, w int) bool { return skipped[windowHit{f, w, 0}] })
		if !slices.Equal(got, want[:min(k, len(want))]) {
			t.Fatalf("the %d best of %q are\n%v, scoring every window finds\n%v", k, query.String(), got, want[:min(k, len(want))])
		}
		left += len(want) + hidden - met
	}
	if left < 1000 {
		t.Errorf("%d windows were left out in all: too few to show that it is right to", left)
	}
}

func TestSearchFindsWhatScoringEveryWindowFinds(t *testing.T) {
	random := rand.New(rand.NewSource(1))
	dir := t.TempDir()
	texts := map[string]string{}
	text := func() string {
		var b strings.Builder
		for range random.Intn(120) {
			for range random.Intn(6) {
				fmt.Fprintf(&b, "word%dName%d ", random.Intn(1+random.Intn(1+random.Intn(500))), random.Intn(6))
			}
			b.WriteByte('\n')
		}
		return b.String()
	}
	for i := range 90 {
		path := fmt.Sprintf("%s/f%d.txt", dir, i)
		texts[path] = text()
		write(t, path, texts[path])
	}
	ix := built(t, Options{Roots: []string{dir}})
	// Some files in the overlay, hiding those of the segment.
	var changed []string
	for i := range 20 {
		path := fmt.Sprintf("%s/f%d.txt", dir, i*3)
		texts[path] = text()
		write(t, path, texts[path])
		changed = append(changed, path)
	}
	ix.FilesChanged(t.Context(), changed)
	s := ix.Snapshot()
	if len(s.overlay) != 20 {
		t.Fatalf("%d files in the overlay, want 20", len(s.overlay))
	}
	for range 40 {
		query := s.lexicalQuery([]byte(text()))
		hidden := random.Intn(3)
		skipped := map[windowHit]bool{}
		for _, h := range slowSearch(s, texts, query, 30)[:hidden] {
			skipped[windowHit{h.file, h.window, 0}] = true
		}
		got := s.search(query, 10, hidden, func(f *file, w int) bool { return skipped[windowHit{f, w, 0}] })
		want := slowSearch(s, texts, query, 30)[hidden:][:10]
		if !slices.Equal(got, want) {
			t.Fatalf("search found\n%v, scoring every window finds\n%v", got, want)
		}
	}
}
