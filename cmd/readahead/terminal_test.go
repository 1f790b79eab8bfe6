package main

import (
	"bytes"
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

func TestAnErrorOfSeveralLinesCannotDriveATerminal(t *testing.T) {
	if got, want := harmless("CUDA error \x1b[2J\nsee\tlog\u202e"), "CUDA error \uFFFD[2J\nsee    log\uFFFD"; got != want {
		t.Errorf("got %q, want %q", got, want)
	}
}
