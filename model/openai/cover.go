package openai

import (
	"errors"
	"fmt"
	"math"
	"strings"
	"unicode/utf8"

	"readahead/model"
)

// errJoin is the error of tokens that do not make up the text they are said to.
var errJoin = errors.New("the tokens do not join to the text")

// cover adds up what the tokens of text say of its part from byte from on.
//
// A server splits the whole text into tokens, prefix and continuation together, as
// the model was trained to read it. So a token may stand across the boundary:
//
//	text     …return f(a)│\n}\n
//	tokens   … f( a  )\n  }\n
//	                 └ P(")\n") is the price of both, but ")" is given
//
// Its price is divided: what is given has the probability of all tokens that begin
// with it, so the rest costs
//
//	log P(")\n") − log Σ P(t), over the listed t that begin with ")"
//
// up to tokens that were not listed and to shorter ones that would lead there too.
// How much both could add is known; the price is the middle of what is possible,
// and Likelihood.Exact says whether that leaves a doubt.
//
// Leaving the token out would forget the line break; counting it whole would charge
// a candidate for its own last character.
func cover(tokens []token, text string, from int) (model.Likelihood, error) {
	spans, _, err := align(tokens, text)
	if err != nil {
		return model.Likelihood{}, err
	}
	l := model.Likelihood{Exact: true}
	for _, s := range spans {
		if s.end <= from {
			continue
		}
		if !s.known {
			return model.Likelihood{}, fmt.Errorf("no log-probability of its bytes %d to %d", s.start, s.end)
		}
		price := bounded(s.logProb)
		l.Exact = l.Exact && !s.guessed
		if s.start < from {
			var doubt float64
			price, doubt = s.divided(text[s.start:from], s.end-from)
			l.Exact = l.Exact && doubt <= tolerance
		}
		l.Tokens = appended(l.Tokens, model.Token{Text: text[max(from, s.start):s.end], LogProb: price})
		l.LogProb += price
	}
	return l, nil
}

// appended joins tokens that are parts of one character.
func appended(tokens []model.Token, t model.Token) []model.Token {
	if n := len(tokens); n > 0 && !utf8.ValidString(tokens[n-1].Text) {
		tokens[n-1].Text += t.Text
		tokens[n-1].LogProb += t.LogProb
		return tokens
	}
	return append(tokens, t)
}

// tolerance, in nats, is how far a likelihood that calls itself exact may be off at
// its boundary. Two servers with the same weights were seen to differ by 0.03 over
// some 25 tokens.
const tolerance = 0.05

// divided is the price of the rest of a token, so many bytes long, that begins with
// what is given, and how far the truth may be from it.
func (s span) divided(given string, rest int) (price, doubt float64) {
	if s.joined { // it cannot be told which of its tokens stand where
		part := float64(rest) / float64(rest+len(given))
		return bounded(s.logProb * part), -s.logProb
	}
	own := math.Exp(bounded(s.logProb))
	begin, shorter, all := own, 0.0, own
	for _, p := range s.listed {
		if p.text == s.text {
			continue
		}
		mass := math.Exp(bounded(p.logProb))
		all += mass
		switch {
		case strings.HasPrefix(p.text, given):
			begin += mass
		case p.text != "" && strings.HasPrefix(given, p.text):
			shorter += mass
		}
	}
	doubt = math.Log1p((max(0, 1-all)+shorter)/begin) / 2
	return bounded(math.Log(own) - math.Log(begin) - doubt), doubt
}

// A span is where a token stands in the text.
type span struct {
	token
	start, end int
	joined     bool // several tokens that are parts of characters, with their sum
}

// align finds the tokens in the text, from its start to its end. Tokens behind it
// (what was generated) are left alone, as is one before it (the beginning of a
// text, which some servers list). used is how many there are up to its end.
func align(tokens []token, text string) (out []span, used int, err error) {
	at, i := 0, 0
	for i < len(tokens) && at < len(text) {
		t := tokens[i]
		n := length(t, text[at:], at == 0)
		switch {
		case n > 0:
			out = append(out, span{token: t, start: at, end: at + n})
			at, i = at+n, i+1
		case t.partial():
			spans, end, n := characters(tokens[i:], text, at)
			out = append(out, spans...)
			at, i = end, i+n
		case at == 0 && i == 0:
			i++ // the beginning of a text
		default:
			return nil, i, fmt.Errorf("%w: %.40q stands where the server has %.40q", errJoin, text[at:], t.text)
		}
	}
	if at < len(text) {
		return nil, i, fmt.Errorf("%w: they end before %.40q", errJoin, text[at:])
	}
	return out, i, nil
}

// length is how much of rest a token makes up, 0 if it is not what rest begins
// with. Vocabularies of one kind show a space as ▁, and begin a text with one that
// is not there.
func length(t token, rest string, first bool) int {
	plain := strings.ReplaceAll(t.text, "▁", " ")
	switch {
	case t.text == "":
		return 0
	case strings.HasPrefix(rest, t.text):
		return len(t.text)
	case strings.HasPrefix(rest, plain):
		return len(plain)
	case first && strings.HasPrefix(plain, " ") && strings.HasPrefix(rest, plain[1:]):
		return len(plain) - 1
	}
	return 0
}

// characters are the spans of a run of n partial tokens, up to where the token after
// them is found, over nothing but characters of several bytes. Where there are as
// many tokens as bytes, each is a byte.
func characters(tokens []token, text string, at int) (spans []span, end, n int) {
	for n < len(tokens) && tokens[n].partial() && length(tokens[n], text[at:], false) == 0 {
		n++
	}
	end = at
	for end < len(text) && text[end] >= utf8.RuneSelf && !(n < len(tokens) && length(tokens[n], text[end:], false) > 0) {
		end++
	}
	if end-at == n {
		for i, t := range tokens[:n] {
			spans = append(spans, span{token: t, start: at + i, end: at + i + 1})
		}
		return spans, end, n
	}
	if end == at && n < len(tokens) { // the characters are in the token that completes them
		end += length(tokens[n], text[at:], false)
		n++
	}
	s := span{token: token{known: true}, start: at, end: end, joined: true}
	for _, t := range tokens[:n] {
		s.logProb += t.logProb
		s.known = s.known && t.known
	}
	if end > at {
		spans = append(spans, s)
	}
	return spans, end, n
}
