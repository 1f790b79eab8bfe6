package inspect

import (
	"fmt"
	"strings"
	"unicode"
	"unicode/utf8"
)

// A run is text that shows itself, or one character that would hide or reorder
// the text around it, and is shown as its number.
type run struct {
	Text string
	Odd  string // what the character is; "" if the text shows itself
}

// runs splits text so that nothing on the page is invisible or out of order.
func runs(s string) (out []run) {
	start := 0
	for i := 0; i < len(s); {
		r, n := utf8.DecodeRuneInString(s[i:])
		odd, shown := odd(r, s[i:i+n])
		if odd != "" {
			if start < i {
				out = append(out, run{Text: s[start:i]})
			}
			out = append(out, run{shown, odd})
			start = i + n
		}
		i += n
	}
	if start < len(s) {
		out = append(out, run{Text: s[start:]})
	}
	return out
}

// plain is text for places that hold no elements.
func plain(s string) string {
	var b strings.Builder
	for _, r := range runs(s) {
		b.WriteString(r.Text)
	}
	return b.String()
}

// odd says what a character is that does not show itself, and what stands for it.
func odd(r rune, raw string) (what, shown string) {
	number := fmt.Sprintf("U+%04X", r)
	switch {
	case r == utf8.RuneError && len(raw) == 1:
		return "a byte that is no UTF-8", fmt.Sprintf("\\x%02x", raw[0])
	case r == utf8.RuneError:
		return "what was here is no UTF-8", "U+FFFD"
	case r == '\n' || r == '\t':
		return "", ""
	case unicode.Is(unicode.Bidi_Control, r):
		return "turns the direction of writing", number
	case r&0xfffe == 0xfffe, 0xfdd0 <= r && r <= 0xfdef:
		return "no character", number
	case unicode.IsControl(r):
		return "control character", number
	case unicode.Is(unicode.Cf, r), unicode.Is(unicode.Zl, r), unicode.Is(unicode.Zp, r):
		return "invisible character", number
	}
	return "", ""
}

// A line is one of the code around the cursor: before, offered, and after it.
type line struct {
	Number              int // 0: it is not in the document yet
	Before, Ghost, Gone string
	After               string
	Cursor              bool
}

// Lines is the code around the cursor with the first item in its place.
func (r Report) Lines() []line {
	var item Item
	if len(r.Items) > 0 {
		item = r.Items[0]
	}
	before := strings.Split(r.Code.Before, "\n")
	after := strings.Split(strings.TrimSuffix(r.Code.After, "\n"), "\n")
	gone := after[0][:min(max(0, item.Replace), len(after[0]))]
	after[0] = after[0][len(gone):]

	var out []line
	number := max(1, r.Code.Line)
	for _, b := range before {
		out = append(out, line{Number: number, Before: b})
		number++
	}
	ghost := strings.Split(item.Text, "\n")
	out[len(out)-1].Cursor = true
	for i, g := range ghost {
		if i > 0 {
			out = append(out, line{})
		}
		out[len(out)-1].Ghost = g
	}
	last := &out[len(out)-1]
	last.Gone, last.After = gone, after[0]
	for _, a := range after[1:] {
		out = append(out, line{Number: number, After: a})
		number++
	}
	return out
}
