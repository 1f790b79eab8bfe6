// Package fim writes prompts the way code models were trained to read them.
//
// Completion endpoints take one text. What stands before the cursor, what stands
// behind it and the evidence from elsewhere have to be joined with the control
// tokens of the model's own training, which every family does in its way, and
// which a user's file may contain as text:
//
//	model.Prompt ──Prompter.Text──▶ <|fim_prefix|>…<|fim_suffix|>…<|fim_middle|>
//	   user's code neutralised          │ the family's form
//	                                    ▼
//	                                  server
//	                                    │
//	code ◀──Prompter.Answer── its reply, special tokens and all
//
// The table of families is here once, for all servers that take raw prompts. It
// asks no server anything: which family a model is of, the caller finds out.
package fim

import (
	"regexp"
	"slices"
	"strings"
	"unicode/utf8"

	"readahead/model"
)

// A Prompter turns prompts into the bytes that a family was trained on, and
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
type Prompter struct {
	Family Family
	FIM    bool           // prompts that are not Causal have the family's form
	plain  *regexp.Regexp // a special string with any number of spaces inside; nil if the family has none
}

// ZeroWidth is what Neutralise puts into special strings.
const ZeroWidth = "\u200b"

// NewPrompter writes prompts of a family; without fim, or where the family has no
// form for it, they end at the cursor.
func NewPrompter(f Family, fim bool) Prompter {
	p := Prompter{Family: f, FIM: fim && f.FIM != ""}
	special := slices.Clone(f.Special)
	slices.SortFunc(special, func(a, b string) int { return len(b) - len(a) }) // the longest wins
	var alternatives []string
	for _, s := range special {
		_, n := utf8.DecodeRuneInString(s)
		alternatives = append(alternatives, regexp.QuoteMeta(s[:n])+ZeroWidth+"*"+regexp.QuoteMeta(s[n:]))
	}
	if len(alternatives) > 0 {
		p.plain = regexp.MustCompile(strings.Join(alternatives, "|"))
	}
	return p
}

// Text is what is sent. A server takes an empty prompt for a request to load
// the model, so the smallest prompt is a line break.
func (p Prompter) Text(q model.Prompt) string {
	s := p.form(q)
	if s == "" {
		return "\n"
	}
	return s
}

func (p Prompter) form(q model.Prompt) string {
	head := p.Neutralise(joinHead(q.Context, q.Left))
	if q.Causal || !p.FIM {
		return head
	}
	form := p.Family.FIM
	if p.Family.Repo != "" && q.Context != "" {
		form = p.Family.Repo
	}
	// One pass, so that a placeholder in the user's text stays what it is.
	return strings.NewReplacer(
		"{head}", head,
		"{context}", p.Neutralise(q.Context),
		"{path}", p.Neutralise(q.Path),
		"{left}", p.Neutralise(q.Left),
		"{right}", p.Neutralise(q.Right),
	).Replace(form)
}

// joinHead puts the evidence in front of the file, on lines of its own.
func joinHead(evidence, left string) string {
	if evidence != "" && !strings.HasSuffix(evidence, "\n") {
		evidence += "\n"
	}
	return evidence + left
}

// Pair is a pair to score as it is sent: prefix, and target behind it. Special
// strings are neutralised over both together, since one may stand across the
// boundary. The prefix is never empty: no server continues nothing.
func (p Prompter) Pair(q model.Pair) (prefix, target string) {
	prefix = p.Neutralise(q.Prefix)
	if rest, ok := strings.CutPrefix(p.Neutralise(q.Prefix+q.Continuation), prefix); ok {
		target = rest
	} else {
		target = p.Neutralise(q.Continuation)
	}
	if prefix == "" {
		prefix = "\n"
	}
	return prefix, target
}

// Neutralise makes special strings plain text, and the text valid UTF-8, as
// JSON requires.
func (p Prompter) Neutralise(s string) string {
	s = strings.ToValidUTF8(s, "\uFFFD")
	if p.plain == nil {
		return s
	}
	return p.plain.ReplaceAllStringFunc(s, func(m string) string {
		_, n := utf8.DecodeRuneInString(m)
		return m[:n] + ZeroWidth + m[n:]
	})
}

// Restore undoes Neutralise.
func (p Prompter) Restore(s string) string {
	if p.plain == nil {
		return s
	}
	return p.plain.ReplaceAllStringFunc(s, func(m string) string {
		_, n := utf8.DecodeRuneInString(m)
		return m[:n] + strings.TrimPrefix(m[n:], ZeroWidth)
	})
}

// Answer is the code in a reply. Special tokens in front of it are dropped
// (some models repeat <|fim_middle|>), and it ends before the first one after
// that, since what follows belongs to another file or to a conversation.
func (p Prompter) Answer(reply string) string {
	reply = strings.ToValidUTF8(reply, "")
	for trimmed := true; trimmed; {
		trimmed = false
		for _, s := range p.Family.Special {
			if rest, ok := strings.CutPrefix(reply, s); ok {
				reply, trimmed = rest, true
			}
		}
	}
	for _, s := range p.Family.Special {
		if i := strings.Index(reply, s); i >= 0 {
			reply = reply[:i]
		}
	}
	return p.Restore(reply)
}
