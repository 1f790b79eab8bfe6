package ollama

import (
	"context"
	"fmt"
	"math"
	"strings"

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
	w.server.gauge.learn(prompt, resp.PromptEvalCount)
	*w.usage = w.usage.Plus(usage(resp))
	if resp.Response != "" && len(resp.Logprobs) == 0 {
		return run{}, attempt{what: w.what}.fail(ErrNoLogProbs, "Ollama 0.12.11 and later do: update it, or go by votes alone")
	}
	r := read(resp)
	w.known[key] = r
	return r, nil
}

// read reads the tokens of a reply. Tokens that are parts of a character come
// as U+FFFD; the reply's text has the character whole, so those are joined into
// one step with the text between their neighbours. A character that the end of
// the window cut is dropped: it is generated again from there.
func read(r api.GenerateResponse) run {
	var out run
	text := r.Response
	for i := 0; i < len(r.Logprobs); {
		if token := string(bytesOf(r.Logprobs[i].TokenLogprob)); whole(token, text) {
			if token != "" {
				out.steps = append(out.steps, step{piece{token, r.Logprobs[i].Logprob}, 1, pieces(r.Logprobs[i].TopLogprobs)})
			}
			text = strings.TrimPrefix(text, token)
			i++
			continue
		}
		end, sum := i, 0.0
		for end < len(r.Logprobs) && strings.Contains(string(bytesOf(r.Logprobs[end].TokenLogprob)), "\uFFFD") {
			sum += r.Logprobs[end].Logprob
			end++
		}
		joined := text
		if end < len(r.Logprobs) {
			joined, _, _ = strings.Cut(text, string(bytesOf(r.Logprobs[end].TokenLogprob)))
		}
		if joined == "" {
			out.cut = true
			return out
		}
		out.steps = append(out.steps, step{piece{joined, sum}, max(2, end-i), pieces(r.Logprobs[i].TopLogprobs)})
		text = text[len(joined):]
		i = end
	}
	return out
}

// whole says that a token is text, not part of a character: a real U+FFFD is in
// the reply too.
func whole(token, text string) bool {
	return !strings.Contains(token, "\uFFFD") || strings.HasPrefix(text, token)
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
