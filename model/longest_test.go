package model

import (
	"strings"
	"testing"
	"unicode/utf8"
)

func TestAnAnswerIsNoLongerThanItsTokensCanBe(t *testing.T) {
	two := Options{MaxTokens: 2}
	for _, tt := range []struct {
		name   string
		o      Options
		answer string
		length int
	}{
		{"a short one is whole", two, "return nil", 10},
		{"two tokens of spaces are whole", two, strings.Repeat(" ", 256), 256},
		{"the longest is whole", two, strings.Repeat("a", 512), 512},
		{"more is cut", two, strings.Repeat("a", 513), 512},
		{"no character is cut in two", two, "a" + strings.Repeat("é", 300), 511},
		{"broken characters alone leave nothing", two, strings.Repeat("\x80", 600), 0},
		{"without a bound all of it is there", Options{}, strings.Repeat("a", 5000), 5000},
	} {
		text, whole := tt.o.Cut(tt.answer)
		if len(text) != tt.length || whole != (tt.length == len(tt.answer)) || !strings.HasPrefix(tt.answer, text) {
			t.Errorf("%s: %d bytes of %d, whole %v", tt.name, len(text), len(tt.answer), whole)
		}
		if utf8.ValidString(tt.answer) && !utf8.ValidString(text) {
			t.Errorf("%s: a character was cut", tt.name)
		}
	}
}
