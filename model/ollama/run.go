package ollama

import (
	"context"
	"fmt"
	"math"
	"strings"
	"unicode/utf8"

	"github.com/ollama/ollama/api"
)

// A run is what the model generated from one prompt, token by token.
type run struct {
	steps []step
	// forced says that the tokens were not the model's choice, only the
	// alternatives count.
	forced bool
	// cut says that the run ended inside a character.
	cut bool
}

// A step is one generated token, or several that make up one character.
type step struct {
	piece
	count  int     // tokens in it
	listed []piece // the most probable tokens here, the generated one among them
}

// A piece is the text of a token, never empty or part of a character.
type piece struct {
	text    string
	logProb float64
}

// best is the longest piece that rest begins with, the generated one at equal
// length.
func (s step) best(rest string) (piece, bool) {
	var best piece
	for _, p := range append([]piece{s.piece}, s.listed...) {
		if len(p.text) > len(best.text) && strings.HasPrefix(rest, p.text) {
			best = p
		}
	}
	return best, best.text != ""
}

// massBeyond is the probability of the listed tokens that begin with all of
// rest: the text to score ends inside them, so any of them would do.
func (s step) massBeyond(rest string) float64 {
	mass := 0.0
	for _, p := range s.listed {
		if strings.HasPrefix(p.text, rest) {
			mass += math.Exp(p.logProb)
		}
	}
	return min(1, mass)
}

// ask generates from prompt, or remembers: greedy text does not change.
func (w *walking) ask(ctx context.Context, prompt string, window int, temperature float64) (run, error) {
	key := fmt.Sprint(temperature, window == charWindow, prompt)
	if r, ok := w.known[key]; ok {
		return r, nil
	}
	w.requests++
	resp, err := w.server.request(ctx, w.what, w.server.body(generation{
		prompt: prompt, temperature: temperature, tokens: window, top: alternatives,
	}))
	if err != nil {
		return run{}, err
	}
	*w.usage = w.usage.Plus(usage(resp))
	if err := w.server.tells(w.what); err != nil {
		return run{}, err
	}
	r := read(resp)
	w.known[key] = r
	return r, nil
}

// read reads the tokens of a reply, each against the reply's text. Tokens that
// are parts of a character come as U+FFFD, one for every byte, but the text has
// the character whole: they are joined into one step. A character that the end
// of the window cut is in no text, and may have no tokens listed either; it is
// dropped, and generated again from there. So is all that follows bytes that
// make no character.
func read(r api.GenerateResponse) run {
	var out run
	text := r.Response
	for rest := r.Logprobs; len(rest) > 0; {
		s, n := joined(rest, text)
		if n == 0 {
			out.cut = true
			return out
		}
		if s.text != "" {
			out.steps = append(out.steps, s)
		}
		text, rest = text[len(s.text):], rest[n:]
	}
	out.cut = len(out.steps) == 0 && r.DoneReason == "length"
	return out
}

// joined is the step that the text begins with, and how many of the tokens it
// is made of: 0 if none are.
func joined(tokens []api.Logprob, text string) (step, int) {
	s := step{listed: pieces(tokens[0].TopLogprobs)}
	if token := string(bytesOf(tokens[0].TokenLogprob)); strings.HasPrefix(text, token) {
		s.piece, s.count = piece{token, tokens[0].Logprob}, 1
		return s, 1
	}
	size := 0
	for i, t := range tokens {
		token := string(bytesOf(t.TokenLogprob))
		if !strings.Contains(token, "\uFFFD") {
			break
		}
		for _, r := range token {
			if r == utf8.RuneError {
				size++
			} else {
				size += utf8.RuneLen(r)
			}
		}
		s.logProb += t.Logprob
		if size > len(text) {
			break
		}
		if size == len(text) || utf8.RuneStart(text[size]) {
			s.text, s.count = text[:size], i+1
			return s, i + 1
		}
	}
	return s, 0
}

// pieces are the alternatives that are text. A part of a character can't be
// followed: the next prompt would end in it.
func pieces(top []api.TokenLogprob) []piece {
	var out []piece
	for _, t := range top {
		if s := string(bytesOf(t)); s != "" && !strings.Contains(s, "\uFFFD") {
			out = append(out, piece{s, t.Logprob})
		}
	}
	return out
}
