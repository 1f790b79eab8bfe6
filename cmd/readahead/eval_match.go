package main

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"unicode/utf8"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"readahead/cmd/readahead/internal/eval"
	"readahead/cmd/readahead/internal/ownfile"
	"readahead/index"
	"readahead/lsp"
	"readahead/model"
)

// matchHelp is what eval's help says about measuring completions.
const matchHelp = `

With --metrics em or all the model is asked about every task, in the prompts
that an editor would cause, once: --samples candidates from each of the two
contexts of the first policy, one greedy one, and, if a selector needs it, the
likelihood of the code after the cursor behind each distinct candidate. --pools
keeps all of that; what is in the file is not asked again (what --right and
--before add is graded, over the same candidates), and a run that was ended goes
on. From it every way to decide is measured, over the same samples:

  em      the line that would be shown is the one that was taken out
          (white space aside; a target of several lines counts in full)
  es      edit similarity, 1 − Levenshtein / longer length
  oracle  some sample of a consulted context is the line

  --select   blend, votes (self-consistency), rcv (reverse-context likelihood
             alone) or greedy
  --route    on (lexical evidence if the samples scatter), off (structural
             alone), swapped (lexical first), lexical (alone), none (no
             evidence: zero-shot), both (one context of half of each) or
             iterative (lexical, retrieved again with the line it led to: RepoCoder)
  --agreement
             samples (drawn) or probabilities (of the lines, read from the
             model's tokens, the likeliest first)
  --samples, --tau, --theta, --weight
             N, the agreement below which the second context is asked, the one
             from which nothing is scored, the likelihood's share in the blend
  --first    the first sample of a context is drawn as the others (as in Caret), or
             the likeliest one: at temperature 0
  --grade    whole (each candidate by all of the code after the cursor), race
             (piece by piece, without the worse half after each) or bayes (by how
             probable the candidate is with and without that code, which takes a
             model that fills in the middle)
  --right, --before
             tokens after the cursor that candidates are graded by, and before
             it that the grader reads

Without any of these it is Caret as it was published that is measured; --default
adds what readahead does with the model that is asked, and --caret the published
form where others come first.

Each takes several values. The first ones are the reference, and the others are
compared with it: every combination of a selector, a route, an agreement and a
prompt, and every other value by itself. The embedded model learns the whole
repository, and of the task's own file all but the line.`

// matchFlags say which model is asked, and how its samples are judged.
type matchFlags struct {
	server, model, endpoint string
	pools, predictions      string
	grader                  string // address of the server that grades; "" for the model's own
	twice, byDefault, caret bool
	sweep                   eval.Sweep
}

// unreached is a threshold above every share: with it, what is beyond never happens.
const unreached = 2

func (f *matchFlags) register(l *pflag.FlagSet) {
	d := eval.DefaultVariant()
	l.StringVar(&f.server, "server", "ollama", "what the model server speaks: ollama or openai (with the key in READAHEAD_API_KEY)")
	l.StringVar(&f.model, "model", embeddedName, `model to ask: "embedded", or one that the model server has`)
	l.StringVar(&f.endpoint, "endpoint", "", "address of the model server (default: OLLAMA_HOST, else Ollama's own)")
	l.StringSliceVar(&f.sweep.Prompt, "prompt", []string{d.Prompt}, "forms of the prompt: fim fills in the middle, causal continues the code before the cursor, auto goes by the model")
	l.StringVar(&f.pools, "pools", "", "keep what the model says in this file, and use what is in it")
	l.StringVar(&f.predictions, "predictions", "", "write each task's shown line and samples to this file, one JSON object a line (of the first selector)")
	l.StringVar(&f.grader, "grader", "", "address of a completions server with the same model, to grade candidates for one that scores nothing exactly (with --server ollama)")
	l.BoolVar(&f.byDefault, "default", false, "measure what readahead does with this model by default, too")
	l.BoolVar(&f.caret, "caret", false, "measure Caret as it was published, too")
	l.BoolVar(&f.twice, "twice", false, "ask everything a second time, with other seeds: how often another line is shown")
	l.StringSliceVar(&f.sweep.Select, "select", eval.Selectors, "selectors to measure")
	l.StringSliceVar(&f.sweep.Route, "route", []string{d.Route}, "routes to measure")
	l.StringSliceVar(&f.sweep.Agreement, "agreement", []string{d.Agreement}, "how agreement is known")
	l.StringSliceVar(&f.sweep.Grade, "grade", []string{d.Grade}, "how candidates are graded")
	whole(0, most).flags(l, &f.sweep.Right, "right", []int{d.Right}, "tokens after the cursor that candidates are graded by, to measure")
	whole(0, most).flags(l, &f.sweep.Left, "before", []int{d.Left}, "tokens before the cursor that the grader reads, to measure")
	whole(0, eval.MaxSamples).flags(l, &f.sweep.Graded, "graded", []int{d.Graded}, "numbers of candidates, the most probable ones, of which at most are graded, to measure (0: all)")
	l.StringSliceVar(&f.sweep.First, "first", []string{d.First}, "how the first sample of a context comes about: drawn, as the others, or likeliest, at temperature 0")
	whole(1, eval.MaxSamples).flags(l, &f.sweep.Samples, "samples", []int{d.Samples}, "numbers of samples to measure, of the largest of which all are drawn")
	fraction(unreached).flags(l, &f.sweep.Tau, "tau", []float64{d.Tau}, "routing thresholds to measure")
	fraction(unreached).flags(l, &f.sweep.Theta, "theta", []float64{d.Theta}, "thresholds of the fast path to measure")
	fraction(1).flags(l, &f.sweep.Weight, "weight", []float64{d.Weight}, "weights of the likelihood to measure, 0 to 1")
}

// unused reports a flag that only has a meaning where a model is asked.
func (f *matchFlags) unused(c *cobra.Command) (err error) {
	own := pflag.NewFlagSet("", pflag.ContinueOnError)
	new(matchFlags).register(own)
	c.Flags().Visit(func(g *pflag.Flag) {
		if own.Lookup(g.Name) != nil && err == nil {
			err = usagef("--%s is about completions: add --metrics em or all", g.Name)
		}
	})
	return err
}

func (f *matchFlags) check() error {
	if err := errors.Join(checkServer(f.server), checkEndpoint(f.endpoint)); err != nil {
		return err
	}
	if f.grader != "" {
		if f.server != "ollama" || f.model == embeddedName {
			return usagef("--grader grades for a model of Ollama's (add --model, or leave it out)")
		}
		if err := checkEndpoint(f.grader); err != nil {
			return err
		}
	}
	if f.model == "" {
		return usagef("--model names none (%q asks no server)", embeddedName)
	}
	if _, err := f.sweep.Variants(); err != nil {
		return usageError{err}
	}
	return nil
}

// run asks the model and measures what every variant makes of it.
func (f *matchFlags) run(c *cobra.Command, tasks []eval.Task, s eval.Setup) ([]eval.Summary, error) {
	config := lsp.DefaultConfig()
	config.Server, config.Model, config.Endpoint = f.server, f.model, f.endpoint
	if f.byDefault {
		f.sweep.Also = append(f.sweep.Also, eval.ByDefault(config, f.info(), f.sweep.Prompt[0]))
	}
	if f.caret {
		v := eval.DefaultVariant()
		v.Prompt = f.sweep.Prompt[0]
		f.sweep.Also = append(f.sweep.Also, v)
	}
	variants, err := f.sweep.Variants()
	if err != nil {
		return nil, err
	}
	config.EvidenceTokens = s.Options.Budget
	pools, err := eval.OpenPools(f.pools, eval.Terms{
		Server: f.protocol(), Model: f.model, Policy: s.Policies[0].Name, Budget: s.Options.Budget, Samples: f.sweep.Most(), Mid: s.Mid, Prompts: f.sweep.Prompt, Scored: f.sweep.Scored(), Grader: f.grader,
		Explores: f.sweep.Explores(), Bayes: f.sweep.Bayes(), Twice: f.twice, Contexts: f.sweep.Contexts(), Readings: f.sweep.Readings(),
	})
	if err != nil {
		return nil, err
	}
	defer pools.Close()
	out, err := f.predicted() // a name that may not be had is refused before an hour's work
	if err != nil {
		return nil, err
	}
	defer out.Drop()
	connection := &once{config: config, grader: f.grader, says: c.ErrOrStderr()}
	defer connection.close()
	bar := barOn(c.ErrOrStderr(), "sampling")
	s.Report = func(done, total int) { bar(done, total) }
	asked, said, err := eval.Sample(c.Context(), tasks, eval.Sampling{
		Setup: s, Config: config, Models: connection.models, Samples: f.sweep.Most(), Pools: pools,
	})
	bar(0, 0)
	if err != nil {
		return nil, err
	}
	answers, err := eval.Answers(c.Context(), asked, said, s, variants)
	if err != nil {
		return nil, err
	}
	if err := writePredictions(out, asked, answers[0]); err != nil {
		return nil, err
	}
	return eval.MatchSummaries(asked, said, variants, answers), nil
}

// protocol is what the model's server speaks; "" if it needs none.
func (f *matchFlags) protocol() string {
	if f.model == embeddedName {
		return ""
	}
	return f.server
}

// info is what of a model is known before it is reached, which pools may spare.
func (f *matchFlags) info() model.Info {
	switch {
	case f.model == embeddedName:
		return model.Info{Provider: "embedded", Scoring: "exact"}
	case f.server == "openai":
		return model.Info{Provider: "openai", Scoring: "echo"}
	}
	return model.Info{Provider: "ollama", Scoring: "walk"}
}

// A once reaches a model server when it is first needed, if at all: what is in
// the pools needs none.
type once struct {
	config  lsp.Config
	grader  string    // see matchFlags
	says    io.Writer // that code leaves this machine
	model   model.Model
	release func() // nil: not reached yet
}

// models is for one repository: the embedded model learns it from nothing, and
// all of it before the first answer, so that a run can be repeated.
func (o *once) models() eval.ModelFor {
	if o.config.Model == embeddedName {
		return newLocal(0, 0).model
	}
	return func(ctx context.Context, _ *index.Snapshot, _ lsp.CompletionRequest) (m model.Model, err error) {
		if o.release == nil {
			o.model, o.release, err = o.reach(ctx, o.config)
			if err == nil && o.grader != "" {
				o.model.Scorer, err = o.reachGrader(ctx)
			}
		}
		return o.model, err
	}
}

// reach is a connection of which the user is told if it is to another machine.
func (o *once) reach(ctx context.Context, c lsp.Config) (model.Model, func(), error) {
	m, release, err := reach(ctx, c)
	if err == nil && m.Info.Remote != "" {
		warn(o.says, "code leaves this machine for %s", m.Info.Remote)
	}
	return m, release, err
}

// reachGrader is what grades in the model's place: the same weights, by the name that
// the server has for them.
func (o *once) reachGrader(ctx context.Context) (model.Scorer, error) {
	config := o.config
	config.Server, config.Endpoint, config.Model = "openai", o.grader, ""
	m, release, err := o.reach(ctx, config)
	if err != nil {
		return nil, fmt.Errorf("grader: %w", err)
	}
	own := o.release
	o.release = func() { release(); own() }
	if m.Scorer == nil {
		return nil, fmt.Errorf("grader: %s does not score a given text (take llama-server or vLLM)", o.grader)
	}
	return m.Scorer, nil
}

func (o *once) close() {
	if o.release != nil {
		o.release()
	}
}

// predicted begins the file of predictions; nil if none is wanted.
func (f *matchFlags) predicted() (*ownfile.File, error) {
	if f.predictions == "" {
		return nil, nil
	}
	return ownfile.Create(f.predictions, records("what --predictions wrote"))
}

// writePredictions writes what a reference scorer reads.
func writePredictions(out *ownfile.File, tasks []*eval.Task, answers []eval.Answer) error {
	if out == nil {
		return nil
	}
	e := json.NewEncoder(out)
	e.SetEscapeHTML(false)
	for i, t := range tasks {
		err := e.Encode(struct {
			ID      string   `json:"id"`
			Pred    string   `json:"pred"`
			Samples []string `json:"samples"`
		}{t.ID, answers[i].Text, answers[i].Choice})
		if err != nil {
			return fmt.Errorf("write predictions: %w", err)
		}
	}
	return out.Keep()
}

// records are files of one JSON object a task, which a later run may replace.
func records(name string) ownfile.Kind { return ownfile.Kind{Name: name, Begins: `{"id":`} }

// printMatches prints what variants let the model say; nothing if that was not
// measured.
func printMatches(to screen, sums []eval.Summary) {
	if len(sums) == 0 {
		return
	}
	first := sums[0]
	ms := first.Milliseconds
	to.printf("\n%d tasks; %s: sampling p50 %.0f ms, p95 %.0f ms; scoring p50 %.0f ms, p95 %.0f ms; all stages p50 %.0f ms, p95 %.0f ms\n\n",
		first.EMTasks, first.Selector, ms.Sample.P50, ms.Sample.P95, ms.Score.P50, ms.Score.P95, ms.Total.P50, ms.Total.P95)
	width := nameWidth(sums)
	to.printf("%-*s %6s %6s %6s %6s %8s %6s %8s %7s %7s  %s\n", width, "selector", "EM", "ES", "oracle", "shown", "contexts", "scored", "requests", "grading", "written", "EM against the first")
	for _, s := range sums {
		to.printf("%s  %s\n", matchRow(width, s.Selector, s), against(s.Matched))
	}
	printCosts(to, width, sums)
	printSame(to, width, sums)
	to.printf("\n%s by part\n", first.Selector)
	eachPart(first.By, func(name string, s eval.Summary) { to.printf("%s  n=%d\n", matchRow(width, name, s), s.EMTasks) })
}

// nameWidth is that of the longest name.
func nameWidth(sums []eval.Summary) int {
	width := 20
	for _, s := range sums {
		width = max(width, utf8.RuneCountInString(s.Selector))
	}
	return width
}

func matchRow(width int, name string, s eval.Summary) string {
	return fmt.Sprintf("%-*s %6.2f %6.2f %6.2f %6.2f %8.2f %6.2f %8.2f %7.1f %7.1f", width, name, s.EM, s.ES, s.Oracle, s.Shown, s.Contexts, s.Scored, s.Requests, s.Grading, s.Written)
}

func against(m *eval.Matched) string {
	if a := m.EMAgainst; a != nil {
		return difference(a)
	}
	return fmt.Sprintf("95 %%: %.2f to %.2f", m.EMInterval.Low, m.EMInterval.High)
}

func difference(a *eval.Comparison) string {
	return fmt.Sprintf("%+.2f [%+.2f, %+.2f] +%d −%d p=%.2g", a.Difference, a.Interval.Low, a.Interval.High, a.Wins, a.Losses, a.P)
}
