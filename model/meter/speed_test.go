package meter

import (
	"strings"
	"testing"
	"time"
)

func TestSpeedIsMeasuredOnWhatWasNotCached(t *testing.T) {
	evidence, other := strings.Repeat("func f() {}\n", 400), strings.Repeat("type T int\n", 400)
	type reply struct {
		prompt string
		tokens int
		took   time.Duration
	}
	tests := []struct {
		name    string
		slots   int
		replies []reply
		least   float64
		most    float64
	}{
		{"nothing said, nothing known", 1, nil, 0, 0},
		{"a first prompt is read whole", 1, []reply{{evidence, 1000, time.Second}}, 1000, 1000},
		{"a prompt too short to tell is left out", 1, []reply{{"func", 1, time.Second}}, 0, 0},
		{"a reply without a time is left out", 1, []reply{{evidence, 1000, 0}}, 0, 0},
		{"a repeated prompt is cached and says nothing", 1, []reply{{evidence, 1000, time.Second}, {evidence, 1000, time.Millisecond}}, 1000, 1000},
		{"a longer prompt counts what is new", 1, []reply{{evidence, 1000, time.Second}, {evidence + other, 2000, time.Second}}, 950, 1050},
		{"another prompt takes the only slot", 1, []reply{{evidence, 1000, time.Second}, {other, 1000, time.Second}, {evidence, 1000, time.Second}}, 1000, 1000},
		{"with two slots both stay cached", 2, []reply{{evidence, 1000, time.Second}, {other, 1000, time.Second}, {evidence, 1000, time.Millisecond}}, 1000, 1000},
		{"a machine that gets slower is noticed", 1, []reply{
			{evidence, 1000, time.Second}, {other, 1000, 10 * time.Second}, {evidence, 1000, 10 * time.Second}, {other, 1000, 10 * time.Second},
			{evidence, 1000, 10 * time.Second}, {other, 1000, 10 * time.Second}}, 100, 200},
	}
	for _, test := range tests {
		s := NewSpeedometer(test.slots)
		for _, r := range test.replies {
			s.Learn(r.prompt, r.tokens, r.took)
		}
		if got := s.Speed(); got < test.least || got > test.most {
			t.Errorf("%s: %.0f tokens/s, want %.0f to %.0f", test.name, got, test.least, test.most)
		}
	}
}
