package ollama

import (
	"context"
	"iter"
	"slices"
	"strings"

	"github.com/ollama/ollama/api"

	"readahead/model"
)

// A sampler draws samples in the caller's goroutine, one request each, and owns
// a slot from the first to the last, lent to prompts that extend its own while
// the caller has a sample. Don't call the model's Scorer from inside the loop,
// with one slot that waits for itself.
type sampler struct{ server *server }

func (g sampler) Samples(ctx context.Context, p model.Prompt, o model.Options) iter.Seq2[model.Sample, error] {
	return func(yield func(model.Sample, error) bool) {
		s := g.server
		what := "generate with " + s.name
		err := s.extending(ctx, p, what, func() error {
			prompt := s.prompter.Text(p)
			for i := 0; ; i++ {
				resp, err := s.request(ctx, what, s.body(generation{
					prompt: prompt, temperature: o.Temperature, topP: o.TopP, tokens: o.MaxTokens,
					seed: seed(o.Seed + i), stop: s.stops(o.Stop),
				}))
				if err != nil {
					return err
				}
				s.gauge.Learn(prompt, resp.PromptEvalCount)
				more := false
				s.lending(p, func() { more = yield(s.sample(resp, o), nil) })
				if !more {
					return nil
				}
			}
		})
		if err != nil {
			yield(model.Sample{}, err)
		}
	}
}

// seed keeps clear of -1, which stands for a random seed, and of what does not
// fit the 32 bits that the server uses.
func seed(n int) int { return n & 0x7fffffff }

// stops are the caller's and the family's: a special token ends an answer.
func (s *server) stops(own []string) []string {
	stop := slices.Clone(own)
	for _, special := range s.prompter.Family.Special {
		if len(s.prompter.Family.Special) <= maxStops && !slices.Contains(stop, special) {
			stop = append(stop, special)
		}
	}
	return slices.DeleteFunc(stop, func(s string) bool { return s == "" })
}

// maxStops bounds what the server compares after every token. With more special
// tokens than that, their model's own end-of-text stops it, and answer cuts.
const maxStops = 16

// sample reads one reply. The server cuts at stop strings and after the tokens that
// were asked for; cutting here again costs nothing and holds for servers that do not.
func (s *server) sample(r api.GenerateResponse, o model.Options) model.Sample {
	text, whole := o.Cut(r.Response)
	out := model.Sample{
		Text:    s.prompter.Answer(text),
		Stopped: r.DoneReason == "stop" && whole,
		Usage:   usage(r),
	}
	for _, end := range o.Stop {
		if i := strings.Index(out.Text, end); i >= 0 && end != "" {
			out.Text, out.Stopped = out.Text[:i], true
		}
	}
	for _, t := range r.Logprobs[:o.CutTokens(len(r.Logprobs))] {
		out.Tokens = append(out.Tokens, model.Token{Text: string(bytesOf(t.TokenLogprob)), LogProb: t.Logprob})
	}
	return out
}

func usage(r api.GenerateResponse) model.Usage {
	return model.Usage{
		Requests:   1,
		Prompt:     r.PromptEvalCount,
		Generated:  r.EvalCount,
		PromptTime: r.PromptEvalDuration,
		Time:       r.PromptEvalDuration + r.EvalDuration,
	}
}

// bytesOf is a token as text. A token that is part of a character shows as
// U+FFFD: the server has lost its bytes by the time it lists them.
func bytesOf(t api.TokenLogprob) []byte {
	if len(t.Bytes) == 0 {
		return []byte(t.Token)
	}
	b := make([]byte, len(t.Bytes))
	for i, v := range t.Bytes {
		b[i] = byte(v)
	}
	return b
}
