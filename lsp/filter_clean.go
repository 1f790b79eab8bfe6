package lsp

import (
	"regexp"
	"slices"
	"strings"
	"unicode"
)

// controlToken matches what models end and frame their text with, in the
// spellings of the common families: <|im_end|>, <｜fim▁end｜>, <fim_middle>,
// <EOT>. In code that is about models they are text: see plainCode.
var controlToken = regexp.MustCompile(`<\|[A-Za-z0-9_.▁-]{1,40}\|>|<｜[^｜\s]{1,40}｜>|` +
	`</?(?:fim_[a-z]+|file_sep|filename|repo_name|reponame|gh_stars|endoftext|jupyter_[a-z]+|code_to_intermediate|commit_[a-z]+)>|` +
	`<(?:EOT|EOS|PRE|SUF|MID|EOM|END)>|[ ▁]<(?:EOT|PRE|SUF|MID)>`)

// cutToken matches a control token that the token limit cut off.
var cutToken = regexp.MustCompile(`<\|(?:im|fim|end|file|repo|eot|cursor)[A-Za-z0-9_]*\|?$|<｜[^｜\s]{0,40}$|<fim_[a-z]*$`)

// endOfSequence ends a text in the vocabulary of older models; elsewhere in a
// text it is markup.
const endOfSequence = "</s>"

// plainCode is the code in a model's text: up to the first control token,
// without the fence around it, with \n for line ends, without what is no text.
func (f *frame) plainCode(raw string) string {
	s := strings.ReplaceAll(raw, "\r\n", "\n")
	s = strings.ReplaceAll(s, "\r", "\n")
	s = strings.ReplaceAll(s, "\x00", "")
	s = f.withoutTokens(s)
	if !prose[f.lang] && !f.has("```") {
		s = withoutFence(s)
	}
	// The token limit can cut inside a character.
	return strings.TrimRight(strings.ToValidUTF8(s, "\uFFFD"), "\uFFFD")
}

// has reports whether the document contains s.
func (f *frame) has(s string) bool {
	return strings.Contains(f.left, s) || strings.Contains(f.right, s)
}

// withoutTokens cuts at the first control token that has text before it, and
// drops those before the text. One that the document itself contains is code
// here.
func (f *frame) withoutTokens(s string) string {
	from := 0
	for {
		at := controlToken.FindStringIndex(s[from:])
		if at == nil {
			break
		}
		start, end := from+at[0], from+at[1]
		switch token := strings.TrimSpace(s[start:end]); {
		case f.has(token):
			from = end
		case strings.TrimSpace(s[:start]) == "":
			s, from = s[:start]+s[end:], start
		default:
			s = s[:start]
		}
	}
	if at := cutToken.FindStringIndex(s); at != nil && !f.has(s[at[0]:]) {
		s = s[:at[0]]
	}
	if t, ok := strings.CutSuffix(strings.TrimRight(s, " \n"), endOfSequence); ok && !f.has(endOfSequence) {
		s = t
	}
	return s
}

// withoutFence takes the code out of a Markdown fence: one that the text begins
// with, and the end of one that the text runs into.
func withoutFence(s string) string {
	lines := strings.Split(s, "\n")
	first := slices.IndexFunc(lines, func(l string) bool { return strings.TrimSpace(l) != "" })
	if first >= 0 && strings.HasPrefix(strings.TrimSpace(lines[first]), "```") {
		if strings.Count(lines[first], "```") > 1 { // ```x``` on one line
			return strings.Trim(strings.TrimSpace(lines[first]), "`")
		}
		lines = lines[first+1:]
	}
	if end := slices.IndexFunc(lines, func(l string) bool { return strings.HasPrefix(strings.TrimSpace(l), "```") }); end >= 0 {
		lines = lines[:end]
	} else if len(lines) > 0 {
		last := len(lines) - 1
		lines[last] = strings.TrimSuffix(lines[last], "```")
	}
	return strings.Join(lines, "\n")
}

// unseen finds a character in a model's text that a reader would not see, or that
// makes the text around it look like another: a terminal's escape sequences, the
// controls that turn the direction of writing (Boucher and Anderson, Trojan
// Source, 2021), and characters without a shape of their own, but for those that
// join and vary emoji. Such text is not offered, since who accepts it cannot know what
// they accept; taking the character out would offer what no model said. One that
// the document holds already is the user's own way of writing.
func (f *frame) unseen(text string) (rune, bool) {
	for _, r := range text {
		if (isControl(r) || shapeless(r)) && !f.has(string(r)) {
			return r, true
		}
	}
	return 0, false
}

// shapeless reports what has no shape, and is none of the joiner and the variation
// selectors that emoji are made with.
func shapeless(r rune) bool {
	switch r {
	case '\u200d', '\ufe0e', '\ufe0f':
		return false
	}
	return unicode.Is(unicode.Cf, r) || unicode.Is(unicode.Other_Default_Ignorable_Code_Point, r) || unicode.Is(unicode.Variation_Selector, r)
}

// isControl reports the controls of ASCII and Latin-1 that are not white space of
// code.
func isControl(r rune) bool {
	return r < ' ' && r != '\t' && r != '\n' || r >= 0x7f && r < 0xa0
}
