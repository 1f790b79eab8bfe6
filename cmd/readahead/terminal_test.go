package main

import (
	"bytes"
	"errors"
	"strings"
	"testing"

	"readahead/lsp"
)

func TestTheTerminalShowsWhatIsSafeAndFits(t *testing.T) {
	long := strings.Repeat("é", 1<<20)
	for _, tt := range []struct{ name, left, right, item, want string }{
		{"a line is shown with what is offered in it", "a\nx = ", "\nb\n", "1", "    1 │ a\n      2 │ x = ‹1›\n      3 │ b\n"},
		{"control characters are marked", "a\x1b[31m = ", "\u202e", "1\x7f", "    1 │ a�[31m = ‹1�›�\n"},
		{"a line that is too long is shown around the cursor", long + "(", ")" + long, "x",
			"    1 │ …" + strings.Repeat("é", lineShown-1) + "(‹x›)" + strings.Repeat("é", lineShown-1) + "…\n"},
		{"long lines around it are cut", long + "\n", "\n" + long, long,
			"    1 │ " + strings.Repeat("é", lineShown) + "…\n      2 │ ‹" + strings.Repeat("é", lineShown) + "…›\n      3 │ " + strings.Repeat("é", lineShown) + "…\n"},
	} {
		var b bytes.Buffer
		newScreen(&b).code([]byte(tt.left+tt.right), len(tt.left), lsp.Item{Text: tt.item}, 4, 2)
		if got := b.String(); strings.TrimSpace(got) != strings.TrimSpace(tt.want) {
			t.Errorf("%s: got\n%.2000s\nwant\n%.2000s", tt.name, got, tt.want)
		}
	}
}

func TestWhatIsPrintedCannotDriveATerminal(t *testing.T) {
	evil := "a\x1b[2J\nb\tc\u202e"
	const plain = "a\uFFFD[2J b c\uFFFD"
	for _, tt := range []struct {
		name, want string
		print      func(s screen)
	}{
		{"a text", plain, func(s screen) { s.printf("%s", evil) }},
		{"an error", plain, func(s screen) { s.printf("%v", errors.New(evil)) }},
		{"a text in a colour", "\x1b[1m" + plain + "\x1b[0m", func(s screen) { s.printf("%s", s.bold(evil)) }},
		{"a format of our own", "1\n2 2.5\n", func(s screen) { s.printf("%d\n%d %.1f\n", 1, 2, 2.5) }},
		{"a warning", "readahead: model " + plain + "\n", func(s screen) { warn(s.w, "model %s", evil) }},
		{"the error of a command", "readahead: x; a\uFFFD[2J; b; c\uFFFD\n", func(s screen) {
			report(s.w, errors.Join(errors.New("x"), errors.New("a\x1b[2J\nb\nc\u202e")), "readahead")
		}},
	} {
		var b bytes.Buffer
		tt.print(screen{w: &b, colour: true})
		if got := b.String(); got != tt.want {
			t.Errorf("%s: %q, want %q", tt.name, got, tt.want)
		}
	}
}
