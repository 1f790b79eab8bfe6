package index

import (
	"unicode"
	"unicode/utf8"
)

// words calls yield for every lexical term of text with its line (from 0): each
// identifier in lower case, and, where it has several, its sub-words.
//
//	HTTPServer_v2  →  httpserver_v2, http, server, v2
//
// The slice is only valid during the call. Single characters and runs longer
// than maxTerm bytes are left out: they are noise or data.
func words(text []byte, yield func(line int, term []byte)) {
	var lower [maxTerm]byte
	line := 0
	for i := 0; i < len(text); {
		c := text[i]
		if c == '\n' {
			line++
			i++
			continue
		}
		n := wordLen(text[i:])
		if n == 0 {
			i++
			continue
		}
		if word := text[i : i+n]; n > 1 && n <= maxTerm && (c < '0' || c > '9') {
			term := appendLower(lower[:0], word)
			yield(line, term)
			subwords(word, term, func(sub []byte) { yield(line, sub) })
		}
		i += n
	}
}

// maxTerm is longer than names that people write; what exceeds it is encoded
// data.
const maxTerm = 64

// wordLen is the length of the identifier-like run at the start of text.
func wordLen(text []byte) int {
	i := 0
	for i < len(text) {
		c := text[i]
		if asciiWord[c] {
			i++
			continue
		}
		if c < utf8.RuneSelf {
			break
		}
		r, n := utf8.DecodeRune(text[i:])
		if r == utf8.RuneError || !unicode.IsLetter(r) && !unicode.IsDigit(r) {
			break
		}
		i += n
	}
	return i
}

var asciiWord = func() (t [256]bool) {
	for c := range t {
		t[c] = c == '_' || '0' <= c && c <= '9' || 'a' <= c && c <= 'z' || 'A' <= c && c <= 'Z'
	}
	return t
}()

func appendLower(dst, word []byte) []byte {
	for _, c := range word {
		if 'A' <= c && c <= 'Z' {
			c += 'a' - 'A'
		}
		dst = append(dst, c)
	}
	return dst
}

// subwords splits at underscores, at lower→Upper, and before the last capital
// of a run that a small letter follows. Words of one part yield nothing.
// lower is word in lower case; parts are cut out of it.
func subwords(word, lower []byte, yield func([]byte)) {
	start := 0
	for i := 1; i <= len(word); i++ {
		if i < len(word) && !boundary(word, i) {
			continue
		}
		part := lower[start:i]
		for len(part) > 0 && part[0] == '_' {
			part = part[1:]
		}
		for len(part) > 0 && part[len(part)-1] == '_' {
			part = part[:len(part)-1]
		}
		if len(part) > 1 && len(part) < len(lower) {
			yield(part)
		}
		start = i
	}
}

func boundary(w []byte, i int) bool {
	a, b := w[i-1], w[i]
	switch {
	case a == '_' || b == '_':
		return a != b
	case isUpper(b):
		return !isUpper(a) || i+1 < len(w) && isLower(w[i+1])
	}
	return false
}

func isUpper(c byte) bool { return 'A' <= c && c <= 'Z' }
func isLower(c byte) bool { return 'a' <= c && c <= 'z' }
