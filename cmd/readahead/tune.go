package main

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"time"

	"github.com/spf13/cobra"

	"readahead/allocate"
	"readahead/cmd/readahead/internal/eval"
	"readahead/cmd/readahead/internal/tuned"
	"readahead/index"
	"readahead/index/facts"
	"readahead/lsp"
	"readahead/model"
)

type tuneFlags struct {
	engine       engineFlags
	limit        int
	time         time.Duration
	json, forget bool
}

func tuneCommand() *cobra.Command {
	var f tuneFlags
	c := &cobra.Command{
		Use:   "tune [DIR]",
		Short: "Find out which evidence the model is better asked with first here",
		Long: `Take lines out of the code of a workspace (the current folder without DIR), have
the model write them again, and see whether it does better when it is asked with
structural evidence first, or with lexical. Both orders are decided from the same
samples, in the prompts that an editor would cause.

What is found is kept in your state folder, for this workspace and this model, and
counts from the editor's next start on. A difference that chance explains changes
nothing: structural evidence, the default, then stays first. In your configuration,
` + "`primary`" + ` overrides what was found.

Ended early, by --time or by ^C, it keeps what was found before; --time judges by
the lines that were finished.`,
		Args:              atMostOne,
		ValidArgsFunction: folders,
		RunE: func(c *cobra.Command, args []string) error {
			dir := "."
			if len(args) == 1 {
				dir = args[0]
			}
			return f.run(c, dir)
		},
	}
	l := c.Flags()
	f.engine.register(c)
	whole(1, most).flag(l, &f.limit, "limit", "", 500, "how many lines at most")
	span().flag(l, &f.time, "time", "", 20*time.Minute, "how long the model may be asked, and waited for")
	l.BoolVar(&f.json, "json", false, "print the result as JSON")
	l.BoolVar(&f.forget, "forget", false, "drop what was found for this workspace before, even if it is deleted, and measure nothing")
	return c
}

func (f tuneFlags) run(c *cobra.Command, dir string) error {
	store := tuned.Default()
	if f.forget {
		return f.drop(c.OutOrStdout(), store, dir)
	}
	o, err := f.engine.options(teller(c.ErrOrStderr()), dir)
	if err != nil {
		return err
	}
	dir = o.Roots[0]
	if !o.Config.Enable {
		return errors.New("tune: readahead is switched off here (enable = false)")
	}
	r, err := f.measure(c, o, dir)
	if _, gone := os.Stat(dir); gone != nil && c.Context().Err() == nil {
		return fmt.Errorf("tune: %s went away while the model was asked about its lines (put it back, or tune the folder that it has become; nothing was changed)", dir)
	}
	if err != nil {
		return fmt.Errorf("tune: %w (nothing was changed)", err)
	}
	notKept := store.Save(dir, r.choice)
	if r.overridden = o.Config.Primary; notKept == nil {
		r.kept = store.Path(dir)
	}
	if f.json {
		err = r.printJSON(c.OutOrStdout())
	} else {
		r.print(newScreen(c.OutOrStdout()))
	}
	if notKept != nil { // what was measured is told in any case
		return notKept
	}
	return err
}

// drop forgets what was found for a folder, which need not exist any more.
func (f tuneFlags) drop(w io.Writer, store tuned.Store, dir string) error {
	if err := f.engine.check(); err != nil {
		return err
	}
	if dir == "" {
		return usagef("want a folder, got an empty word (. is the current one)")
	}
	dir, err := absolute(dir)
	if err != nil {
		return err
	}
	was, err := store.Forget(dir)
	if err != nil {
		return fmt.Errorf("forget what was tuned: %w", err)
	}
	word := "Nothing was tuned"
	if was {
		word = "Forgotten is what was tuned"
	}
	newScreen(w).printf("%s for %s: structural evidence comes first.\n", word, dir)
	return nil
}

// measure asks the model about held-out lines, and judges.
func (f tuneFlags) measure(c *cobra.Command, o lsp.EngineOptions, dir string) (*tuning, error) {
	ctx, config := c.Context(), o.Config
	limits := eval.Limits{Ignore: config.Ignore, MaxFileSize: int64(config.MaxFileSize)}
	tasks, err := eval.Lines(ctx, eval.Workspace{Dir: dir, Limits: limits}, func(l facts.Language) bool { return config.CompletesIn("", l) })
	if err != nil {
		return nil, err
	}
	r := &tuning{dir: dir, all: len(tasks)}
	tasks = tasks[:min(len(tasks), f.limit)]

	began := time.Now()
	models, info, release, err := f.ask(ctx, c.ErrOrStderr(), config)
	if err != nil {
		return nil, err
	}
	defer release()
	r.model = info
	// Grading a candidate takes a server hundreds of requests where it cannot score
	// a text, and would leave too few lines to judge by.
	r.selected = "blend"
	if info.Scoring != "exact" {
		r.selected = "votes"
	}
	sweep := eval.DefaultSweep()
	sweep.Select, sweep.Route, sweep.Samples, sweep.Agreement = []string{r.selected}, []string{"on", "swapped"}, []int{config.Samples}, []string{config.AgreementOf(info)}
	if config.Prompt != "suffix" { // which is the connection's
		sweep.Prompt = []string{config.Prompt}
	}
	does := eval.ByDefault(config, info, sweep.Prompt[0])
	sweep.Tau, sweep.Left, sweep.Right, sweep.Graded = []float64{does.Tau}, []int{does.Left}, []int{does.Right}, []int{does.Graded}
	sweep.First = []string{does.First}
	pools, err := eval.OpenPools("", eval.Terms{
		Samples: sweep.Most(), Prompts: sweep.Prompt, Scored: sweep.Scored(), Explores: sweep.Explores(), Bayes: sweep.Bayes(), Contexts: sweep.Contexts(), Readings: sweep.Readings(),
	})
	if err != nil {
		return nil, err
	}
	policy, err := allocate.PolicyByName("vital+") // what completes
	if err != nil {
		return nil, err
	}
	bar := barOn(c.ErrOrStderr(), "asking "+lsp.ModelKey(info))
	s := eval.Setup{Sources: dir, Limits: limits, Options: allocate.DefaultOptions(), Policies: []allocate.Policy{policy}, CacheDir: o.CacheDir,
		Report: func(done, total int) { bar(done, total) }}
	left := max(1, f.time-time.Since(began)) // to connect is to ask, too
	began = time.Now()
	asked, said, err := eval.Sample(ctx, tasks, eval.Sampling{
		Setup: s, Config: config, Models: models, Samples: config.Samples, Pools: pools, Time: left,
	})
	bar(0, 0)
	r.took = time.Since(began)
	if errors.Is(err, eval.ErrNoTime) {
		err = fmt.Errorf("%w, %v (give more --time, or a smaller model)", err, f.time)
	}
	if err != nil {
		return nil, err
	}
	return r, r.judge(ctx, asked, said, s, sweep)
}

// ask prepares the model that is tuned for: the one that is named, else the one
// that would complete.
func (f tuneFlags) ask(ctx context.Context, w io.Writer, config lsp.Config) (models func() eval.ModelFor, info model.Info, release func(), err error) {
	embedded := func() eval.ModelFor { return newLocal(0, 0).model }
	m, release, err := reachWithin(ctx, config, min(reachTime, f.time/2)) // the embedded model may have to do
	switch {
	case errors.Is(err, lsp.ErrNoServer) || err != nil && config.Model == "" && ctx.Err() == nil:
		if !errors.Is(err, lsp.ErrNoServer) {
			warn(w, "tuning for the embedded model, since %v", err)
		}
		return embedded, model.Info{Name: embeddedName, Provider: "embedded", Scoring: "exact"}, func() {}, nil
	case err != nil:
		return nil, info, nil, err
	}
	if m.Info.Remote != "" {
		warn(w, "code leaves this machine for %s", m.Info.Remote)
	}
	same := func(context.Context, *index.Snapshot, lsp.CompletionRequest) (model.Model, error) { return m, nil }
	return func() eval.ModelFor { return same }, m.Info, release, nil
}

// A tuning is what came out for one model.
type tuning struct {
	dir      string
	all      int // lines that could have been held out
	model    model.Info
	selected string // what decided among the samples
	took     time.Duration

	structural, lexical eval.Summary // each first
	against             eval.Comparison
	choice              tuned.Choice

	kept       string // the file
	overridden string // `primary` of the configuration
}

// noise is the p-value from which a difference counts as chance.
const noise = 0.05

func (r *tuning) judge(ctx context.Context, asked []*eval.Task, said []eval.Said, s eval.Setup, sweep eval.Sweep) error {
	variants, err := sweep.Variants() // structural first, then lexical first
	if err != nil {
		return err
	}
	answers, err := eval.Answers(ctx, asked, said, s, variants)
	if err != nil {
		return err
	}
	sums := eval.MatchSummaries(asked, said, variants, answers)
	r.structural, r.lexical, r.against = sums[0], sums[1], *sums[1].EMAgainst
	r.choice = tuned.Choice{
		Model: lsp.ModelKey(r.model), Primary: index.Structural, Clear: r.against.P < noise, Lines: len(asked),
		EM: tuned.EM{Structural: r.structural.EM, Lexical: r.lexical.EM}, P: r.against.P, Measured: time.Now().UTC().Truncate(time.Second),
	}
	if r.choice.Clear && r.against.Difference > 0 {
		r.choice.Primary = index.Lexical
	}
	return nil
}

// printJSON prints the documented, stable form.
func (r *tuning) printJSON(w io.Writer) error {
	type side struct {
		EM       float64       `json:"em"`
		Interval eval.Interval `json:"em_interval"`
		ES       float64       `json:"es"`
		Oracle   float64       `json:"oracle"`
		Cost     float64       `json:"relative_cost"`
	}
	of := func(s eval.Summary) side { return side{s.EM, *s.EMInterval, s.ES, s.Oracle, s.RelativeCost} }
	e := json.NewEncoder(w)
	e.SetIndent("", "  ")
	e.SetEscapeHTML(false)
	return e.Encode(struct {
		Folder     string          `json:"folder"`
		Model      string          `json:"model"`
		Primary    index.Family    `json:"primary"`
		Clear      bool            `json:"clear"`
		Lines      int             `json:"lines"`
		All        int             `json:"all_lines"`
		Selector   string          `json:"selector"`
		Structural side            `json:"structural"`
		Lexical    side            `json:"lexical"`
		Against    eval.Comparison `json:"lexical_against_structural"`
		Seconds    float64         `json:"seconds"`
		File       string          `json:"file"`
		Says       []string        `json:"says"`
	}{r.dir, r.choice.Model, r.choice.Primary, r.choice.Clear, r.choice.Lines, r.all, r.selected, of(r.structural), of(r.lexical),
		r.against, r.took.Seconds(), filepath.ToSlash(r.kept), r.says()})
}
