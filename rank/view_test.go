package rank

import (
	"strings"
	"testing"
	"unicode/utf8"

	"pgregory.net/rapid"
)

func TestLeftView(t *testing.T) {
	long := strings.Repeat("x ", 200)
	tests := []struct {
		name  string
		left  string
		limit int
		want  string
	}{
		{"all of it", "a\nb c\nd", 9, "a\nb c\nd"},
		{"whole lines that fit", "a\nb c\nd", 2, "b c\nd"},
		{"the cursor's line comes on top", "a\nb c\nd e f", 0, "d e f"},
		{"a blank line costs nothing here", "a\n\nd", 0, "\nd"},
		{"no more than a bounded end of a long line", "a\n" + long, 9, long[len(long)-2*lineTokens-1:]},
		{"an empty one", "", 9, ""},
		{"a cursor at the start of a line", "a b\nc d\n", 2, "c d\n"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			if got := leftView(tt.left, tt.limit, words); got != tt.want {
				t.Errorf("got %q, want %q", got, tt.want)
			}
		})
	}
}

func TestRightView(t *testing.T) {
	tests := []struct {
		name  string
		right string
		limit int
		want  string
	}{
		{"all of it", "\na b\nc", 9, "\na b\nc"},
		{"whole lines that fit", "\na b\nc d\ne", 3, "\na b\n"},
		{"begins with the rest of the line", ", b)\nc d\n", 2, ", b)\n"},
		{"a part of the first line if that doesn't fit", "\na b c\nd", 2, "\na b "},
		{"nothing of no tokens", "a b\n", 0, ""},
		{"an empty one", "", 9, ""},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			if got := rightView(tt.right, tt.limit, words); got != tt.want {
				t.Errorf("got %q, want %q", got, tt.want)
			}
		})
	}
}

func TestViews(t *testing.T) {
	bytes := func(s string) int { return (len(s) + 2) / 3 }
	rapid.Check(t, func(t *rapid.T) {
		text := texts().Draw(t, "text")
		limit := rapid.IntRange(-1, 20).Draw(t, "limit")
		left, right := leftView(text, limit, bytes), rightView(text, limit, bytes)
		if !strings.HasSuffix(text, left) || !strings.HasPrefix(text, right) {
			t.Fatalf("views of %q: %q, %q", text, left, right)
		}
		if utf8.ValidString(text) && !(utf8.ValidString(left) && utf8.ValidString(right)) {
			t.Fatalf("views of %q cut a character: %q, %q", text, left, right)
		}
		if strings.HasPrefix(right, "\n") {
			right = strings.TrimLeft(right, "\n \t")
		}
		if n := bytes(right); n > max(limit, 0) {
			t.Fatalf("right view %q has %d tokens of %d", right, n, limit)
		}
	})
}
