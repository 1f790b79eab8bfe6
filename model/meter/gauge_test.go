package meter

import (
	"strings"
	"sync"
	"testing"
)

func TestTheEstimateLearns(t *testing.T) {
	g := NewGauge()
	text := strings.Repeat("return value\n", 100)
	first := g.Tokens(text)
	for range 40 {
		g.Learn(text, len(text)/5)
	}
	after, truth := g.Tokens(text), len(text)/5
	if after >= first || after < truth || after > truth*6/5 {
		t.Errorf("estimates %d, then %d, of %d tokens; want it close and not below", first, after, truth)
	}
}

func TestShortPromptsTeachNothing(t *testing.T) {
	g := NewGauge()
	before := g.Tokens("return value")
	g.Learn("x", 1)
	if g.Tokens("return value") != before {
		t.Error("one token moved the estimate")
	}
}

func TestTheEstimateStaysPossible(t *testing.T) {
	g := NewGauge()
	for range 100 {
		g.Overran()
		g.Learn("x", 1000)
	}
	if n := g.Tokens("abcd"); n < 1 || n > 4 {
		t.Errorf("four letters are %d tokens", n)
	}
	if n := g.Tokens(""); n != 0 {
		t.Errorf("nothing is %d tokens", n)
	}
}

func TestDenseTextCountsMore(t *testing.T) {
	g := NewGauge()
	for _, dense := range []string{"0123456789", "日本語日"} {
		plain := strings.Repeat("a", len(dense))
		if g.Tokens(dense) <= g.Tokens(plain) {
			t.Errorf("%q counts no more than %q", dense, plain)
		}
	}
}

func TestTheEstimateIsSafeForConcurrentUse(t *testing.T) {
	g := NewGauge()
	var wg sync.WaitGroup
	for range 8 {
		wg.Go(func() {
			for range 100 {
				g.Learn("some text", 60)
				g.Overran()
				_ = g.Tokens("some text")
			}
		})
	}
	wg.Wait()
}

// A budget that followed every reply would cut each prompt elsewhere, and none
// would be in the server's cache.
func TestTheEstimateStandsStillWhileRepliesAreAlike(t *testing.T) {
	g := NewGauge()
	text := strings.Repeat("return value\n", 100)
	for i := range 5 {
		g.Learn(text, len(text)/4+i)
	}
	settled := g.Tokens(text)
	for i := range 200 {
		g.Learn(text, len(text)/4+(i*7)%13-6) // 325 give or take 2 %
		if n := g.Tokens(text); n != settled {
			t.Fatalf("reply %d moves the estimate from %d to %d", i, settled, n)
		}
	}
	for range 30 {
		g.Learn(text, len(text)/3)
	}
	if n := g.Tokens(text); n < len(text)/3 {
		t.Errorf("%d tokens for a text that now has %d", n, len(text)/3)
	}
}
