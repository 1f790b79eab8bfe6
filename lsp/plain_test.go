package lsp

import (
	"errors"
	"fmt"
	"strings"
	"testing"
)

func TestALineShowsNothingButText(t *testing.T) {
	for _, tt := range []struct{ name, text, want string }{
		{"plain text stays", "qwen2.5-coder:1.5b – größer 日本", "qwen2.5-coder:1.5b – größer 日本"},
		{"a line end is a space", "a\nb\r\n\tc\u2028d\u0085e", "a b c d e"},
		{"spaces stay as many as they are", "a  b", "a  b"},
		{"an escape sequence cannot act", "\x1b[31mred\x1b[0m\a", "\uFFFD[31mred\uFFFD[0m\uFFFD"},
		{"nor its one-byte form", "\u009b2J", "\uFFFD2J"},
		{"writing goes one way", "a\u202eb\u2066c", "a\uFFFDb\uFFFDc"},
		{"what has no shape shows", "a\u200bb\ufeff", "a\uFFFDb\uFFFD"},
		{"emoji stay whole", "👩\u200d💻", "👩\u200d💻"},
		{"bytes that are no text show", "a\xffb", "a\uFFFDb"},
		{"a megabyte is cut", strings.Repeat("é", 1<<20), strings.Repeat("é", mostShown) + "…"},
	} {
		if got := OneLine(tt.text); got != tt.want {
			t.Errorf("%s: %.80q, want %.80q", tt.name, got, tt.want)
		}
	}
}

func TestAnErrorOfSeveralIsALineEach(t *testing.T) {
	err := errors.Join(errors.New("model \"a\nb\""), fmt.Errorf("x: %w", errors.New("y")))
	if got, want := inLines(err), "model \"a b\"\nx: y"; got != want {
		t.Errorf("%q, want %q", got, want)
	}
}
