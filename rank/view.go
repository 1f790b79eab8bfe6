package rank

import (
	"sort"
	"strings"
	"unicode/utf8"
)

// lineTokens bounds what the scorer reads of the cursor's own line before the
// cursor. The line is always read, whatever Options.LeftTokens says, since the
// candidate is part of it; but it may be a minified file.
const lineTokens = 128

// leftView is X̃_l: the cursor's line, and as many whole lines before it as fit
// into limit tokens (§III-C: “truncated views”).
func leftView(left string, limit int, tokens func(string) int) string {
	at := strings.LastIndexByte(left, '\n') + 1
	if at < len(left) && tokens(left[at:]) > lineTokens {
		return suffix(left[at:], lineTokens, tokens)
	}
	for at > 0 {
		begin := strings.LastIndexByte(left[:at-1], '\n') + 1
		if limit -= tokens(left[begin:at]); limit < 0 {
			break
		}
		at = begin
	}
	return left[at:]
}

// rightView is X̃_r: as many whole lines as fit into limit tokens, or the
// beginning of the first that has text if not even that fits.
func rightView(right string, limit int, tokens func(string) int) string {
	end := 0
	for end < len(right) {
		next := len(right)
		if i := strings.IndexByte(right[end:], '\n'); i >= 0 {
			next = end + i + 1
		}
		cost := tokens(right[end:next])
		if cost > limit && blank(right[:end]) {
			return right[:end] + prefix(right[end:next], limit, tokens)
		}
		if cost > limit {
			break
		}
		limit -= cost
		end = next
	}
	return right[:end]
}

// prefix is the longest beginning of s of at most limit tokens, given that a
// longer text has no fewer of them.
func prefix(s string, limit int, tokens func(string) int) string {
	tooLong := func(i int) bool { return tokens(s[:down(s, i+1)]) > limit }
	return s[:down(s, sort.Search(len(s), tooLong))]
}

// suffix is the longest end of s of at most limit tokens.
func suffix(s string, limit int, tokens func(string) int) string {
	fits := func(i int) bool { return tokens(s[up(s, i):]) <= limit }
	return s[up(s, sort.Search(len(s), fits)):]
}

// down is the last rune boundary of s at or before i, up the first at or after.
func down(s string, i int) int {
	for i > 0 && i < len(s) && !utf8.RuneStart(s[i]) {
		i--
	}
	return i
}

func up(s string, i int) int {
	for i < len(s) && !utf8.RuneStart(s[i]) {
		i++
	}
	return i
}
