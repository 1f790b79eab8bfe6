package allocate

import (
	"iter"
	"unicode"
	"unicode/utf8"
)

// identifiers yields the identifier-like tokens of a text, T(x) of VITAL-RAG
// eq. 3, in order and with repetitions: letters, digits and underscores, not
// starting with a digit. Bytes that are no UTF-8 separate.
func identifiers(text string) iter.Seq[string] {
	return func(yield func(string) bool) {
		start := -1
		for i, c := range text {
			if isWord(c) {
				if start < 0 {
					start = i
				}
				continue
			}
			if start >= 0 && !emit(text[start:i], yield) {
				return
			}
			start = -1
		}
		if start >= 0 {
			emit(text[start:], yield)
		}
	}
}

func emit(word string, yield func(string) bool) bool {
	if c := word[0]; '0' <= c && c <= '9' {
		return true // a number
	}
	return yield(word)
}

func isWord(c rune) bool {
	if c < utf8.RuneSelf {
		return 'a' <= c && c <= 'z' || 'A' <= c && c <= 'Z' || '0' <= c && c <= '9' || c == '_'
	}
	return c != utf8.RuneError && (unicode.IsLetter(c) || unicode.IsDigit(c))
}

// estimate counts three bytes a token, for callers that know no better. Code
// models take 3 to 4 bytes of code a token, so it errs on the safe side.
func estimate(text string) int { return (len(text) + 2) / 3 }
