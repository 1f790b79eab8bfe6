package ollama

import (
	"context"
	"slices"
	"strings"

	"github.com/ollama/ollama/api"

	"readahead/model"
	"readahead/model/fim"
)

// An explorer continues prompts greedily and reports the 20 most probable tokens
// of every place.
//
// A server that stops at a line break drops the token with the break from its
// list, and with it how likely the line was to end there, or to go on. So a line
// takes two requests: one for its tokens, and one for a single token behind
// them, which the server's cache makes cheap.
//
// What is not listed, and parts of characters, are missing from a Step; the
// caller sees that the probabilities do not add up to one.
type explorer struct{ server *server }

func (e explorer) Explore(ctx context.Context, p model.Prompt, f func(model.Continue) error) error {
	s := e.server
	what := "explore with " + s.name
	return s.exclusive(ctx, what, func() error {
		return f(func(written []string, limit int) ([]model.Step, model.Usage, error) {
			x := exploring{server: s, ctx: ctx, what: what, prompt: p, written: strings.Join(written, "")}
			err := x.line(limit)
			return x.steps, x.usage, err
		})
	})
}

// exploring is one continuation in progress.
type exploring struct {
	*server
	ctx     context.Context
	what    string
	prompt  model.Prompt
	written string
	steps   []model.Step
	usage   model.Usage
}

// line asks for the rest of the line, and for the place where it ends.
func (x *exploring) line(limit int) error {
	resp, err := x.ask(generation{tokens: limit, stop: x.stops([]string{"\n"})})
	if err != nil {
		return err
	}
	x.take(read(resp))
	if resp.DoneReason != "stop" || len(x.steps) >= limit {
		return nil
	}
	if resp, err = x.ask(generation{tokens: 1}); err != nil {
		return err
	}
	if r := read(resp); len(r.steps) > 0 || r.cut {
		x.take(r)
		return nil
	}
	// The end of the text is not reported, but what else could stand there is,
	// if it comes with text.
	if resp, err = x.ask(generation{tokens: charWindow, temperature: anyToken}); err == nil {
		x.end(resp)
	}
	return err
}

func (x *exploring) ask(g generation) (api.GenerateResponse, error) {
	g.prompt, g.top = x.text(), alternatives
	resp, err := x.request(x.ctx, x.what, x.body(g))
	if err != nil {
		return resp, err
	}
	x.usage = x.usage.Plus(usage(resp))
	x.gauge.Learn(g.prompt, resp.PromptEvalCount)
	return resp, x.tells(x.what)
}

// text is the prompt and what is written behind it. In a causal prompt that
// extends the code before the cursor.
func (x *exploring) text() string {
	p := x.prompt
	if empty := p.Left == "" && p.Context == ""; !empty && (p.Causal || !x.prompter.FIM) {
		p.Left += x.written
		return x.prompter.Text(p)
	}
	return x.prompter.Text(p) + x.prompter.Neutralise(x.written)
}

// take moves along the steps, to the first one that ends the line.
func (x *exploring) take(r run) {
	for _, s := range r.steps {
		one := model.Step{Listed: []model.Choice{x.choice(s.piece)}}
		for _, other := range s.listed {
			if other.text != s.text {
				one.Listed = append(one.Listed, x.choice(other))
			}
		}
		x.steps = append(x.steps, one)
		first := one.Listed[0]
		if first.End || strings.Contains(first.Text, "\n") {
			return
		}
		x.written += first.Text
	}
}

// end adds the place where the model ends the text: its most probable token is
// the end, under whatever name, since greedily it was taken. If nothing is
// listed, what the line comes to stays unknown.
func (x *exploring) end(r api.GenerateResponse) {
	if len(r.Logprobs) == 0 || len(r.Logprobs[0].TopLogprobs) == 0 {
		return
	}
	top := r.Logprobs[0].TopLogprobs
	one := model.Step{Listed: []model.Choice{{Token: model.Token{LogProb: top[0].Logprob}, End: true}}}
	for _, other := range pieces(top[1:]) {
		one.Listed = append(one.Listed, x.choice(other))
	}
	x.steps = append(x.steps, one)
}

// choice is a listed token. The space that neutralises special strings is not
// shown; it is put in again where the token is written.
func (x *exploring) choice(p piece) model.Choice {
	if slices.Contains(x.prompter.Family.Special, p.text) {
		return model.Choice{Token: model.Token{LogProb: p.logProb}, End: true}
	}
	return model.Choice{Token: model.Token{Text: strings.ReplaceAll(p.text, fim.ZeroWidth, ""), LogProb: p.logProb}}
}
