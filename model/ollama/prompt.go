package ollama

import (
	"regexp"
	"slices"
	"strings"
	"unicode/utf8"

	"readahead/model"
)

// A prompter turns prompts into the bytes that a family was trained on, and
// replies back into code.
//
// The server reads special tokens wherever their strings stand, in the user's
// code too: a string literal "<|fim_middle|>" would become one control token
// and derail the model. So in the user's text each gets a zero-width space
// after its first character, which makes it ordinary text:
//
//	<|fim_middle|>   →   <·|fim_middle|>      (· is U+200B)
//	<·|fim_middle|>  →   <··|fim_middle|>     text that has one gets one more
//
// and in replies one is taken away again. Adding one to any number, zero
// included, is what makes the way back exact.
type prompter struct {
	family family
	fim    bool
	plain  *regexp.Regexp // a special string with any number of spaces inside; nil if the family has none
}

const zeroWidth = "\u200b"

func newPrompter(f family, fim bool) prompter {
	p := prompter{family: f, fim: fim && f.fim != ""}
	special := slices.Clone(f.special)
	slices.SortFunc(special, func(a, b string) int { return len(b) - len(a) }) // the longest wins
	var alternatives []string
	for _, s := range special {
		_, n := utf8.DecodeRuneInString(s)
		alternatives = append(alternatives, regexp.QuoteMeta(s[:n])+zeroWidth+"*"+regexp.QuoteMeta(s[n:]))
	}
	if len(alternatives) > 0 {
		p.plain = regexp.MustCompile(strings.Join(alternatives, "|"))
	}
	return p
}

// text is what is sent. A server takes an empty prompt for a request to load
// the model, so the smallest prompt is a line break.
func (p prompter) text(q model.Prompt) string {
	s := p.form(q)
	if s == "" {
		return "\n"
	}
	return s
}

func (p prompter) form(q model.Prompt) string {
	head := p.neutralise(joinHead(q.Context, q.Left))
	if q.Causal || !p.fim {
		return head
	}
	form := p.family.fim
	if p.family.repo != "" && q.Context != "" {
		form = p.family.repo
	}
	// One pass, so that a placeholder in the user's text stays what it is.
	return strings.NewReplacer(
		"{head}", head,
		"{context}", p.neutralise(q.Context),
		"{path}", p.neutralise(q.Path),
		"{left}", p.neutralise(q.Left),
		"{right}", p.neutralise(q.Right),
	).Replace(form)
}

// joinHead puts the evidence in front of the file, on lines of its own.
func joinHead(evidence, left string) string {
	if evidence != "" && !strings.HasSuffix(evidence, "\n") {
		evidence += "\n"
	}
	return evidence + left
}

// neutralise makes special strings plain text, and the text valid UTF-8, as
// JSON requires.
func (p prompter) neutralise(s string) string {
	s = strings.ToValidUTF8(s, "\uFFFD")
	if p.plain == nil {
		return s
	}
	return p.plain.ReplaceAllStringFunc(s, func(m string) string {
		_, n := utf8.DecodeRuneInString(m)
		return m[:n] + zeroWidth + m[n:]
	})
}

// restore undoes neutralise.
func (p prompter) restore(s string) string {
	if p.plain == nil {
		return s
	}
	return p.plain.ReplaceAllStringFunc(s, func(m string) string {
		_, n := utf8.DecodeRuneInString(m)
		return m[:n] + strings.TrimPrefix(m[n:], zeroWidth)
	})
}

// answer is the code in a reply. Special tokens in front of it are dropped
// (some models repeat <|fim_middle|>), and it ends before the first one after
// that, since what follows belongs to another file or to a conversation.
func (p prompter) answer(reply string) string {
	reply = strings.ToValidUTF8(reply, "")
	for trimmed := true; trimmed; {
		trimmed = false
		for _, s := range p.family.special {
			if rest, ok := strings.CutPrefix(reply, s); ok {
				reply, trimmed = rest, true
			}
		}
	}
	for _, s := range p.family.special {
		if i := strings.Index(reply, s); i >= 0 {
			reply = reply[:i]
		}
	}
	return p.restore(reply)
}
