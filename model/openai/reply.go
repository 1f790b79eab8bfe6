package openai

import (
	"bytes"
	"cmp"
	"encoding/json"
	"errors"
	"fmt"
	"math"
	"slices"
	"strings"
	"unicode/utf8"
)

// A request is the body of POST /v1/completions. What is nil or empty is not sent:
// a server that knows no more than the standard may refuse the rest.
type request struct {
	Model       string   `json:"model"`
	Prompt      any      `json:"prompt"` // a string, or []int
	Suffix      *string  `json:"suffix,omitempty"`
	MaxTokens   int      `json:"max_tokens"`
	Temperature float64  `json:"temperature"`
	TopP        float64  `json:"top_p"`
	N           int      `json:"n,omitempty"`
	Seed        *int     `json:"seed,omitempty"`
	Stop        []string `json:"stop,omitempty"`
	LogProbs    *int     `json:"logprobs,omitempty"`
	Echo        bool     `json:"echo,omitempty"`
	// PromptLogProbs is vLLM's.
	PromptLogProbs *int `json:"prompt_logprobs,omitempty"`
	// Grammar is llama-server's.
	Grammar string `json:"grammar,omitempty"`
	tuning
}

// A tuning switches off what servers do to the distribution beyond the standard,
// by themselves or because the model's publisher recommends it for chats:
// candidates are to come from the nucleus that was asked for, of the model itself.
type tuning struct {
	TopK              *int     `json:"top_k,omitempty"`
	MinP              *float64 `json:"min_p,omitempty"`
	RepetitionPenalty *float64 `json:"repetition_penalty,omitempty"`
	SkipSpecialTokens *bool    `json:"skip_special_tokens,omitempty"`
	SpacesBetween     *bool    `json:"spaces_between_special_tokens,omitempty"`
}

// A reply is the answer to a request, in all the forms that servers give it.
type reply struct {
	Choices []choice `json:"choices"`
	Usage   struct {
		Prompt     int `json:"prompt_tokens"`
		Completion int `json:"completion_tokens"`
	} `json:"usage"`
	// Timings are llama-server's.
	Timings struct {
		PromptN  int     `json:"prompt_n"` // tokens that were not in the cache
		PromptMS float64 `json:"prompt_ms"`
	} `json:"timings"`
	Error json.RawMessage `json:"error"` // with status 200, as some gateways have it
}

// A choice is one sample.
type choice struct {
	Index          int        `json:"index"`
	Text           *string    `json:"text"`
	Finish         string     `json:"finish_reason"`
	LogProbs       *logProbs  `json:"logprobs"`
	PromptLogProbs []position `json:"prompt_logprobs"`
}

// logProbs has two forms: that of the completions API, lists side by side, and
// that of the chat API, which llama-server uses here as well.
type logProbs struct {
	Tokens  []string             `json:"tokens"`
	Values  []*float64           `json:"token_logprobs"`
	Top     []map[string]float64 `json:"top_logprobs"`
	Content []contentToken       `json:"content"`
}

type contentToken struct {
	ID      int     `json:"id"`
	Token   string  `json:"token"`
	Bytes   []int   `json:"bytes"`
	LogProb float64 `json:"logprob"`
	Top     []struct {
		Token   string  `json:"token"`
		Bytes   []int   `json:"bytes"`
		LogProb float64 `json:"logprob"`
	} `json:"top_logprobs"`
}

// A token is one that was read or generated.
type token struct {
	text    string // "" or with U+FFFD: part of a character, whose bytes were lost
	logProb float64
	known   bool // logProb is: the first token of a text has none
	guessed bool // logProb is an upper bound
	id      int
	listed  []piece // the most probable tokens here
}

type piece struct {
	text    string
	logProb float64
}

// A position is what the model knew at one token of a prompt: a JSON object from
// token number to probability, whose first member is the token that stands there
// (vLLM writes that first, then the most probable ones). null at the first one.
type position []piece

func (p *position) UnmarshalJSON(data []byte) error {
	d := json.NewDecoder(bytes.NewReader(data))
	open, err := d.Token()
	if err != nil || open == nil {
		return err
	}
	if open != json.Delim('{') {
		return fmt.Errorf("prompt_logprobs has %v where an object belongs", open)
	}
	for d.More() {
		if _, err := d.Token(); err != nil { // the token's number
			return err
		}
		var v struct {
			LogProb *float64 `json:"logprob"`
			Text    string   `json:"decoded_token"`
		}
		if err := d.Decode(&v); err != nil {
			return err
		}
		if v.LogProb == nil {
			return errors.New("prompt_logprobs has a token without a logprob")
		}
		*p = append(*p, piece{v.Text, *v.LogProb})
	}
	return nil
}

// check says what is wrong with a reply's form, nil if it can be used.
func (r *reply) check() error {
	if len(r.Error) > 0 && string(r.Error) != "null" {
		return &refusal{500, complaint([]byte(`{"error":` + string(r.Error) + `}`))}
	}
	if len(r.Choices) == 0 {
		return errors.New("a reply without choices")
	}
	for _, c := range r.Choices {
		if c.Text == nil {
			return errors.New("a choice without a text (is it a chat endpoint?)")
		}
		if l := c.LogProbs; l != nil && (len(l.Values) != len(l.Tokens) || len(l.Top) > 0 && len(l.Top) != len(l.Tokens)) {
			return fmt.Errorf("%d tokens with %d log-probabilities and %d lists of alternatives", len(l.Tokens), len(l.Values), len(l.Top))
		}
	}
	slices.SortStableFunc(r.Choices, func(a, b choice) int { return cmp.Compare(a.Index, b.Index) })
	return nil
}

// tokens are those that logprobs lists; nil if there are none.
func (l *logProbs) tokens() []token {
	if l == nil {
		return nil
	}
	var out []token
	for i, text := range l.Tokens {
		t := token{text: text}
		if v := l.Values[i]; v != nil {
			t.logProb, t.known = *v, true
		}
		if len(l.Top) > 0 {
			for text, p := range l.Top[i] {
				t.listed = append(t.listed, piece{text, p})
			}
			slices.SortFunc(t.listed, func(a, b piece) int {
				return cmp.Or(cmp.Compare(b.logProb, a.logProb), strings.Compare(a.text, b.text))
			})
		}
		out = append(out, t)
	}
	for _, c := range l.Content {
		t := token{text: textOf(c.Token, c.Bytes), logProb: c.LogProb, known: true, id: c.ID}
		for _, a := range c.Top {
			t.listed = append(t.listed, piece{textOf(a.Token, a.Bytes), a.LogProb})
		}
		out = append(out, t)
	}
	return out
}

// promptTokens are those of prompt_logprobs. Of the first one nothing is told, not
// even its text: it is what the others leave of the beginning.
func promptTokens(positions []position, text string) []token {
	var out []token
	for _, p := range positions {
		if len(p) == 0 {
			out = append(out, token{})
			continue
		}
		out = append(out, token{text: p[0].text, logProb: p[0].logProb, known: true, listed: p[1:]})
	}
	if len(out) == 0 || out[0].known {
		return out
	}
	for n := range min(len(text), longestFirst) + 1 {
		if _, used, err := align(out[1:], text[n:]); err == nil && used == len(out)-1 {
			out[0].text = text[:n]
			break
		}
	}
	if out[0].text == "" { // the beginning of a text
		return out[1:]
	}
	return out
}

// longestFirst, in bytes, is more than a token: a run of spaces at most.
const longestFirst = 256

// textOf is a token as text: by its bytes, which may be part of a character, if the
// server lists them.
func textOf(token string, raw []int) string {
	if len(raw) == 0 {
		return token
	}
	b := make([]byte, len(raw))
	for i, v := range raw {
		b[i] = byte(v)
	}
	return string(b)
}

// partial says that t is part of a character whose bytes the server has lost.
func (t token) partial() bool {
	return t.text == "" || strings.ContainsRune(t.text, utf8.RuneError) && utf8.ValidString(t.text)
}

// worst is the least log-probability that is taken for one token. vLLM writes
// -9999 where the model rules a token out; between candidates that would be a
// difference beside which no other counts.
const worst = -50.0

// bounded is a log-probability that can be added up.
func bounded(x float64) float64 {
	if math.IsNaN(x) {
		return worst
	}
	return min(0, max(worst, x))
}
