package model

import (
	"strings"
	"unicode/utf8"
)

// longestToken is more bytes than a token of any code model has: the longest are
// runs of 128 spaces.
const longestToken = 256

// Cut is an answer as long as MaxTokens tokens can be, and whether that is all of
// it. A server that counts as it was told never sends more. One that does not can
// send megabytes with each sample, of which a decision holds ten and a measurement
// thousands. What Cut returns keeps no part of a longer text in memory.
func (o Options) Cut(answer string) (text string, whole bool) {
	most := o.MaxTokens * longestToken
	if o.MaxTokens <= 0 || len(answer) <= most {
		return answer, true
	}
	for most > 0 && !utf8.RuneStart(answer[most]) {
		most--
	}
	return strings.Clone(answer[:most]), false
}

// CutTokens is how many of the n tokens that a server lists for an answer count.
func (o Options) CutTokens(n int) int {
	if o.MaxTokens <= 0 {
		return n
	}
	return min(n, o.MaxTokens)
}
