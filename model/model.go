// Package model is what the rest of readahead knows about language models: how
// to ask for samples, and how to ask how probable a text is.
//
//	Prompt ──▶ Generator ──▶ Sample, Sample, …   (same prompt, one at a time)
//	Prompt ──▶ Explorer  ──▶ Step, Step, …       (the likeliest token, and the others)
//	Pair   ──▶ Scorer    ──▶ Likelihood          (prefix, continuation)
//
// A Prompt is structured: what the evidence is, what stands before and after
// the cursor. Turning it into bytes (fill-in-the-middle tokens, repository
// separators) is the model's own business, since every family does it its way.
//
// The package imports nothing of ours and no model: implementations are
// model/ollama (a user's own server), model/openai (a team's server),
// model/embedded (an n-gram model of the workspace, no server) and model/replay
// (recorded answers, for tests).
package model

import (
	"context"
	"iter"
	"time"
)

// A Prompt is one cursor with its evidence.
type Prompt struct {
	Context string // rendered evidence from the repository; may be empty
	Path    string // of the document, relative to the workspace, for models trained with file names
	Lang    string // language of the document, as package facts names it; "" if unknown
	Left    string // text before the cursor, already cut to its budget
	Right   string // text after the cursor, already cut to its budget
	// Causal asks for a left-to-right prompt without Right, even from a model
	// that can fill in the middle (the setting of Caret §IV-E).
	Causal bool
}

// Options say how samples are drawn.
type Options struct {
	Temperature float64  // 0 is greedy
	TopP        float64  // nucleus; 0 or 1 is off
	MaxTokens   int      // new tokens per sample
	Seed        int      // sample i is drawn with Seed+i, so a run can be repeated
	Stop        []string // generation ends before the first of these; none of them is in the Text
	// N is how many samples the caller means to take, for models that draw several
	// at once; 0 says nothing, and means one. The caller may take fewer or more.
	N int
}

// A Token is one generated or scored token.
type Token struct {
	Text    string  `json:"text"`
	LogProb float64 `json:"logprob"` // natural logarithm, from the untempered distribution
}

// A Sample is one drawn continuation.
type Sample struct {
	Text    string  `json:"text"`
	Tokens  []Token `json:"tokens,omitempty"` // nil if the model does not report them
	Stopped bool    `json:"stopped"`          // ended by itself or at a stop string, not by MaxTokens
	Usage   Usage   `json:"usage"`
}

// Usage is what a call cost. Usages add up.
type Usage struct {
	Requests   int
	Prompt     int           // prompt tokens, cached ones included
	Generated  int           // new tokens
	PromptTime time.Duration // spent on prompt tokens that were not cached
	Time       time.Duration // spent in the model altogether
}

// Plus is the sum of u and v.
func (u Usage) Plus(v Usage) Usage {
	return Usage{u.Requests + v.Requests, u.Prompt + v.Prompt, u.Generated + v.Generated,
		u.PromptTime + v.PromptTime, u.Time + v.Time}
}

// A Generator draws samples.
type Generator interface {
	// Samples draws samples of one prompt, one after another, for as long as
	// the caller iterates. It ends after the first error. Breaking out of the
	// loop, or cancelling ctx, stops the work at the model too, and the
	// iterator does not return before its goroutines have.
	//
	// The body of the loop may call Samples again, for another prompt: a sample
	// that is only a comment is continued on the spot. So no lock is held while
	// a sample is yielded.
	Samples(ctx context.Context, p Prompt, o Options) iter.Seq2[Sample, error]
}

// A Step is one place of a greedy continuation. The token that goes on there is
// the first of those that are listed.
type Step struct {
	// Listed are tokens that may stand here, most probable first, at least one.
	Listed []Choice
	// Whole says that samples are drawn from these tokens alone. Otherwise what
	// their probabilities lack to 1 is of others.
	Whole bool
}

// A Choice is a token that may come next.
type Choice struct {
	Token
	End bool // it ends the text, and has none
}

// An Explorer tells what a model could say, not only what it says when drawn.
type Explorer interface {
	// Explore calls f once, with a way to continue p. The model is f's until it
	// returns, so that the prompt is processed once. The error is f's, or says
	// why it was not called.
	Explore(ctx context.Context, p Prompt, f func(Continue) error) error
}

// Continue goes on greedily behind the prompt and the tokens written, which are
// Texts that Steps have listed: to the first token with a line break in it, or
// to the end of the text, whose Step is the last one, or for at most limit
// tokens.
type Continue func(written []string, limit int) ([]Step, Usage, error)

// A Pair asks how probable Continuation is after Prefix.
type Pair struct{ Prefix, Continuation string }

// A Likelihood is log P(Continuation | Prefix).
type Likelihood struct {
	LogProb float64 `json:"logprob"` // finite; the sum over Tokens
	Tokens  []Token `json:"tokens,omitempty"`
	// Exact is false where the server cannot score a given text and the value
	// was approximated (how: Info.Scoring).
	Exact bool `json:"exact"`
}

// A Scorer grades texts. len(result) == len(pairs) unless err != nil.
type Scorer interface {
	Score(ctx context.Context, pairs []Pair) ([]Likelihood, Usage, error)
}

// A Gap asks how probable Middle is as all that stands between Left and Right.
type Gap struct{ Left, Middle, Right string }

// A Filler grades texts for a gap, by a prompt that shows both of its sides.
// len(result) == len(gaps) unless err != nil.
type Filler interface {
	Fill(ctx context.Context, gaps []Gap) ([]Likelihood, Usage, error)
}

// Info says which model answers and what it can do.
type Info struct {
	Name     string `json:"name"`             // as the user would type it
	Provider string `json:"provider"`         // "ollama", "openai", "embedded", "replay"
	Family   string `json:"family"`           // prompt family: "qwen2.5-coder", "codellama", …; "" if unknown
	FIM      bool   `json:"fim"`              // can fill in the middle
	Scoring  string `json:"scoring"`          // how texts are scored: "exact", "walk" (ollama), "echo", "prompt_logprobs", "forced" (openai); "" for not at all
	Context  int    `json:"context"`          // tokens of prompt and answer together
	Remote   string `json:"remote,omitempty"` // host, if the text leaves this machine; "" if not
	// Notes are sentences for the user about what the model or its server
	// lacks, and what that costs.
	Notes []string `json:"notes,omitempty"`
}

// A Model is one usable model: an ability that it lacks is a nil field.
type Model struct {
	Info      Info
	Generator Generator
	Explorer  Explorer // nil: lines have to be sampled
	Scorer    Scorer   // nil: votes alone
	Filler    Filler   // nil: it does not fill in the middle
	// Tokens estimates the number of tokens of a text, never too low by more
	// than a few per cent.
	Tokens func(string) int
	// PromptSpeed is how many tokens a second it reads of a prompt that it has
	// not seen, by its latest answers; 0 if not measured. nil: no matter.
	PromptSpeed func() float64
	// Render is a prompt as the model is given it, byte for byte, for people who
	// want to see it. nil: the model reads the parts one by one.
	Render func(Prompt) string
}
