package openai

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"math"
	"slices"
	"strings"
	"unicode/utf8"

	"readahead/model"
)

// A word is a token of llama-server's vocabulary.
type word struct {
	ID    int      `json:"id"`
	Piece spelling `json:"piece"`
}

// A spelling is a text that is written as a string, or as a list of numbers where it is
// no UTF-8.
type spelling string

func (b *spelling) UnmarshalJSON(data []byte) error {
	var text string
	if json.Unmarshal(data, &text) == nil {
		*b = spelling(text)
		return nil
	}
	var numbers []int // encoding/json reads a []byte from base64 only
	if err := json.Unmarshal(data, &numbers); err != nil {
		return err
	}
	for _, n := range numbers {
		*b += spelling([]byte{byte(n)})
	}
	return nil
}

// words are the tokens that llama-server reads text as.
func (w *wire) words(ctx context.Context, what, text string, beginning bool) ([]word, error) {
	var got struct {
		Tokens []word `json:"tokens"`
	}
	err := w.post(ctx, what, "tokenize", map[string]any{"content": text, "add_special": beginning, "with_pieces": true}, &got)
	return got.Tokens, err
}

// force has the model generate the tokens of target behind prefix, and adds up
// what it would have given for them.
func (s *server) force(ctx context.Context, prefix, target string) (model.Likelihood, model.Usage, error) {
	what := "score with " + s.name
	words, err := s.wire.words(ctx, what, prefix+target, true)
	if err != nil {
		return model.Likelihood{}, model.Usage{}, err
	}
	first, start := boundary(words, prefix+target, len(prefix))
	if first <= 0 || first == len(words) {
		return model.Likelihood{}, model.Usage{}, s.garbled(what, fmt.Errorf("%w: of %d tokens %d stand before the cursor", errJoin, len(words), first))
	}
	tokens, u, err := s.generate(ctx, what, words[:first], words[first:])
	if err != nil {
		return model.Likelihood{}, u, err
	}
	l, err := cover(tokens, (prefix + target)[start:], len(prefix)-start)
	if err != nil {
		err = s.garbled(what, err)
	}
	return l, u, err
}

// boundary is the first token that has something of text[from:] in it, and where
// that token begins; -1 if the tokens do not make up the text.
func boundary(words []word, text string, from int) (first, start int) {
	tokens := make([]token, len(words))
	for i, w := range words {
		tokens[i].text = string(w.Piece)
	}
	spans, _, err := align(tokens, text)
	if err != nil {
		return -1, 0
	}
	behind := 0 // spans from the boundary on; one span is one token here, bytes and all
	for _, s := range spans {
		if s.end > from {
			if behind == 0 {
				start = s.start
			}
			behind++
		}
	}
	return len(words) - behind, start
}

// generate has the model say these tokens behind a prompt of those, by a grammar
// that allows nothing else: that changes what is chosen, and not what is reported.
//
// A token that is part of a character fails in a grammar, and is not reported
// however it is chosen (llama-server 0.7). So there some other token is said, and
// the wanted one looked up among the most probable ones beside it.
func (s *server) generate(ctx context.Context, what string, prompt, tokens []word) ([]token, model.Usage, error) {
	spare, found := spareWord(prompt[1:], tokens)
	var said []token
	var total model.Usage
	for requests := 0; len(tokens) > 0; requests++ {
		if requests == mostForced || whole(tokens) == 0 && !found {
			return nil, total, s.garbled(what, fmt.Errorf("the text has more parts of characters than %d requests can ask about", mostForced))
		}
		n, k := whole(tokens), listedTokens
		wanted := tokens[:n]
		if n == 0 {
			n, k, wanted = 1, lookedUp, []word{spare}
		}
		got, u, err := s.complete(ctx, what, request{Prompt: ids(prompt), MaxTokens: len(wanted), TopP: 1, LogProbs: &k, Grammar: rule(wanted)})
		total = total.Plus(u)
		if err != nil {
			return nil, total, err
		}
		part := got.Choices[0].LogProbs.tokens()
		if !slices.EqualFunc(part, wanted, func(t token, w word) bool { return t.id == w.ID }) {
			return nil, total, s.garbled(what, errors.New("other tokens were generated than were forced"))
		}
		if k == lookedUp {
			part[0] = beside(part[0], string(tokens[0].Piece))
		}
		said = append(said, part...)
		prompt, tokens = slices.Concat(prompt, tokens[:n]), tokens[n:]
	}
	return said, total, nil
}

// spareWord is some token that a grammar takes. The first token of a prompt is left
// out: it may be the one for the beginning of a text.
func spareWord(lists ...[]word) (word, bool) {
	for _, words := range lists {
		for _, w := range words {
			if w.Piece != "" && whole([]word{w}) == 1 {
				return w, true
			}
		}
	}
	return word{}, false
}

// beside is the token of this text where t stands. One that is not listed is no
// more probable than the least that is, nor than all of the unlisted together.
func beside(t token, text string) token {
	least, all := 0.0, 0.0
	for _, p := range t.listed {
		if p.text == text {
			return token{text: text, logProb: p.logProb, known: true}
		}
		least, all = min(least, p.logProb), all+math.Exp(p.logProb)
	}
	return token{text: text, logProb: min(least, math.Log(max(1-all, math.Exp(worst)))), known: true, guessed: true}
}

const (
	// mostForced bounds the requests for one pair: for the code after the cursor,
	// 128 tokens, it is enough whatever they are.
	mostForced = 160
	// lookedUp alternatives are asked for to find one among them: 20 KB.
	lookedUp = 200
)

// whole is how many tokens at the front a grammar takes: none with a part of a
// character in it, and none that begins with the zero byte, which ends a text there.
func whole(tokens []word) int {
	for i, w := range tokens {
		if !utf8.ValidString(string(w.Piece)) || strings.HasPrefix(string(w.Piece), "\x00") {
			return i
		}
	}
	return len(tokens)
}

func ids(words []word) []int {
	out := make([]int, len(words))
	for i, w := range words {
		out[i] = w.ID
	}
	return out
}

// rule is the grammar of these very tokens.
func rule(tokens []word) string {
	var b strings.Builder
	b.WriteString("root ::=")
	for _, w := range tokens {
		fmt.Fprintf(&b, " <[%d]>", w.ID)
	}
	return b.String()
}
