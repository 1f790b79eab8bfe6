package lsp

import (
	"bytes"
	"encoding/json"
	"unicode/utf8"

	"readahead/index"
	"readahead/index/redact"
	"readahead/model"
)

// A Report is one request with its answer and all that led to it. Its JSON is the
// documented, stable form of `readahead complete --json`, of `readahead inspect
// --json`, and of the command readahead.inspect.
//
// It costs nothing until it is written: what it says beyond the Trace, such as
// the prompt or what a part of it counts, is worked out then.
type Report struct {
	Request    CompletionRequest
	Completion Completion
}

// report is the JSON of a Report.
type report struct {
	File    string   `json:"file"`
	Line    int      `json:"line"`   // from 1
	Column  int      `json:"column"` // from 1, in characters
	Items   []Item   `json:"items"`
	Code    excerpt  `json:"code"`
	Prompts []prompt `json:"prompts"`
	Trace   *Trace   `json:"trace"`
}

// An excerpt is what stands around the cursor.
type excerpt struct {
	Line   int    `json:"line"` // of the first line of Before, from 1
	Before string `json:"before"`
	After  string `json:"after"`
}

// A prompt is what the model was given with one context.
type prompt struct {
	Family index.Family `json:"family"`
	Asked  bool         `json:"asked"` // false: this context was not consulted
	// Text is what was sent, byte for byte; "" if the model reads the parts one by
	// one.
	Text   string `json:"text,omitempty"`
	Causal bool   `json:"causal"`
	parts
	Tokens partTokens `json:"tokens"`
}

type parts struct {
	Context string `json:"context"`
	Left    string `json:"left"`
	Right   string `json:"right"`
}

// partTokens counts them, as the model does.
type partTokens struct {
	Context int `json:"context"`
	Left    int `json:"left"`
	Right   int `json:"right"`
}

const (
	// linesBefore and linesAfter of the document are reported as code: a screen
	// of a small window.
	linesBefore, linesAfter = 14, 8
	// longLine, in bytes, is where reported code is cut: some lines are data.
	longLine = 400
)

// MarshalJSON gives the documented form.
func (r Report) MarshalJSON() ([]byte, error) { return json.Marshal(r.form()) }

func (r Report) form() report {
	r.Request.Text = redact.Text(r.Request.Text)
	text := r.Request.Text
	offset := max(0, min(r.Request.Offset, len(text)))
	start := bytes.LastIndexByte(text[:offset], '\n') + 1
	out := report{
		File:    r.Request.Path,
		Line:    1 + bytes.Count(text[:offset], []byte{'\n'}),
		Column:  1 + utf8.RuneCount(text[start:offset]),
		Items:   append([]Item{}, r.Completion.Items...),
		Prompts: r.prompts(offset),
		Trace:   r.Completion.Trace,
	}
	// A file that may not be read may be a secret, and reports are shown around.
	if out.Trace == nil || out.Trace.Refused == "" {
		out.Code = around(text, offset)
	}
	return out
}

// around is the code around the cursor.
func around(text []byte, offset int) excerpt {
	start := offset
	for n := 0; n <= linesBefore && start > 0; n++ {
		start = bytes.LastIndexByte(text[:start-1], '\n') + 1
	}
	end := offset
	for n := 0; n <= linesAfter && end < len(text); n++ {
		i := bytes.IndexByte(text[end:], '\n')
		if i < 0 {
			end = len(text)
			break
		}
		end += i + 1
	}
	return excerpt{1 + bytes.Count(text[:start], []byte{'\n'}), short(text[start:offset], true), short(text[offset:end], false)}
}

// short cuts long lines, those of the text before a cursor in front.
func short(text []byte, before bool) string {
	lines := bytes.SplitAfter(bytes.ReplaceAll(text, []byte("\r\n"), []byte("\n")), []byte{'\n'})
	for i, l := range lines {
		switch {
		case len(l) <= longLine:
		case before && i == len(lines)-1:
			lines[i] = append([]byte("…"), l[up(l, len(l)-longLine):]...)
		default:
			lines[i] = append(bytes.Clone(l[:up(l, longLine)]), "…\n"...)
		}
	}
	return string(bytes.Join(lines, nil))
}

// up is the first start of a character at or after i.
func up(b []byte, i int) int {
	for i < len(b) && !utf8.RuneStart(b[i]) {
		i++
	}
	return i
}

// prompts are what the model was given, context by context.
func (r Report) prompts(offset int) []prompt {
	t := r.Completion.Trace
	out := []prompt{}
	if t == nil || t.Refused != "" || t.tokens == nil || int(t.Visible.End) > len(r.Request.Text) {
		return out
	}
	left := unixLines(r.Request.Text[t.Visible.Start:offset])
	right := unixLines(r.Request.Text[offset:t.Visible.End])
	for i, c := range t.Contexts {
		p := prompt{Family: c.Family, Asked: t.consulted(i), Causal: t.Causal, parts: parts{c.Context.Text, left, right},
			Tokens: partTokens{c.Context.Tokens, t.tokens(left), t.tokens(right)}}
		if t.render != nil {
			p.Text = t.render(model.Prompt{Context: c.Context.Text, Path: t.Path, Lang: t.Lang, Left: left, Right: right, Causal: t.Causal})
		}
		out = append(out, p)
	}
	return out
}

// consulted reports whether the model was asked with context i.
func (t *Trace) consulted(i int) bool {
	for _, p := range t.Decision.Pools {
		if p.Base == i {
			return true
		}
	}
	return false
}
