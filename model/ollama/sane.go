package ollama

import (
	"math"
	"time"

	"github.com/ollama/ollama/api"
)

const (
	// mostTokens is above every window there is; a count beyond it is none.
	mostTokens = 1 << 30
	// longest is more than any request is waited for.
	longest = 24 * time.Hour
)

// sane brings the numbers of a reply into their ranges: budgets, speeds and
// likelihoods are made of them, and a server may send any.
func sane(r *api.GenerateResponse) {
	r.PromptEvalCount, r.EvalCount = max(0, min(r.PromptEvalCount, mostTokens)), max(0, min(r.EvalCount, mostTokens))
	for _, d := range []*time.Duration{&r.TotalDuration, &r.LoadDuration, &r.PromptEvalDuration, &r.EvalDuration} {
		*d = max(0, min(*d, longest))
	}
	for i := range r.Logprobs {
		t := &r.Logprobs[i]
		t.Logprob = likelihood(t.Logprob)
		for j := range t.TopLogprobs {
			t.TopLogprobs[j].Logprob = likelihood(t.TopLogprobs[j].Logprob)
		}
	}
}

// impossible is what Ollama writes where the probability is zero; many of it still
// add up to a number.
const impossible = -9999

// likelihood is x as the logarithm of a probability.
func likelihood(x float64) float64 {
	if math.IsNaN(x) {
		return impossible
	}
	return max(impossible, min(0, x))
}
