package main

import (
	"fmt"
	"io"
	"slices"
	"strings"

	"github.com/schollz/progressbar/v3"
	"github.com/spf13/cobra"

	"readahead/allocate"
	"readahead/cmd/readahead/internal/eval"
	"readahead/cmd/readahead/internal/ownfile"
	"readahead/index"
	"readahead/lsp"
)

type evalFlags struct {
	tasks, src, self string
	policies         []string
	family           string
	subset, lang     string
	budget, left     int
	sample           int
	mid, json, fetch bool
	noCache          bool
	contexts         string
	metrics          string
	em               matchFlags
}

func evalCommand() *cobra.Command {
	var f evalFlags
	c := &cobra.Command{
		Use:   "eval (--tasks FILE --src DIR | --self DIR)",
		Short: "Measure retrieval, allocation and completions on tasks with known answers",
		Long: `Measure, on lines of code whose needed definitions are known, whether these
definitions are found (R@5: among the first five objects) and whether they reach
the model whole (R@B: in the text of at most the budget); and, with --metrics em
or all, whether the line that would be shown is the one that was taken out.

Tasks come from a file (--tasks, JSON lines, with the repositories below --src),
or are made from your own repository (--self): lines that use a name which one
other file of the repository defines, and no second one.

Policies are compared with the first one named: difference of R@B in points, its
95 % interval (paired bootstrap), and McNemar's exact test. Known policies:
` + policyList() + matchHelp,
		Args: noArguments,
		RunE: func(c *cobra.Command, _ []string) error { return f.run(c) },
	}
	l := c.Flags()
	l.StringVar(&f.tasks, "tasks", "", "task file, .jsonl or .jsonl.gz")
	l.StringVar(&f.src, "src", "", "folder of the tasks' repositories")
	l.BoolVar(&f.fetch, "fetch", false, "download the repositories that are missing below --src (go mod download, apt-get download)")
	l.StringVar(&f.self, "self", "", "make tasks from this repository")
	whole(0, most).flag(l, &f.sample, "sample", "n", 0, "how many tasks, chosen evenly (0: all; with --self 200)")
	l.StringVar(&f.metrics, "metrics", "recall", "what to measure: recall (asks no model), em or all")
	l.StringSliceVar(&f.policies, "policy", []string{"vital+"}, `allocation policies, or "all"`)
	l.StringVar(&f.family, "family", string(index.Structural), "evidence to allocate: structural or lexical")
	l.StringVar(&f.subset, "subset", "", "only tasks of this subset")
	l.StringVar(&f.lang, "lang", "", "only tasks in this language")
	whole(1, most).flag(l, &f.budget, "budget", "", 4096, "B, tokens of evidence")
	whole(0, most).flag(l, &f.left, "left", "", 1024, "tokens of code before the cursor that the prompt shows, and evidence therefore leaves out")
	l.BoolVar(&f.mid, "mid", false, "put the cursor inside the line, before the first name from another file")
	l.BoolVar(&f.json, "json", false, "print the whole result as JSON")
	l.BoolVar(&f.noCache, "no-cache", false, "neither read nor write the index cache")
	l.StringVar(&f.contexts, "contexts", "", "write each task's positions and text to this file, one JSON object a line (of the first policy)")
	f.em.register(l)
	for flag, words := range map[string][]string{"metrics": {"recall", "em", "all"}, "family": {"structural", "lexical"},
		"prompt": eval.Prompts, "select": eval.Selectors, "route": eval.Routes, "policy": policyNames()} {
		if err := c.RegisterFlagCompletionFunc(flag, cobra.FixedCompletions(words, cobra.ShellCompDirectiveNoFileComp)); err != nil {
			panic(err) // the flag is registered above
		}
	}
	return c
}

func policyNames() []string {
	names := []string{"all"}
	for _, p := range allocate.Policies() {
		names = append(names, p.Name)
	}
	return names
}

func policyList() string {
	var b strings.Builder
	for _, p := range allocate.Policies() {
		b.WriteString(fmt.Sprintf("\n  %-18s %s", p.Name, p.Doc))
	}
	return b.String()
}

func (f evalFlags) run(c *cobra.Command) error {
	if err := f.check(c); err != nil {
		return err
	}
	tasks, src, err := f.load(c)
	if err != nil {
		return err
	}
	s, err := f.setup(src)
	if f.self != "" {
		s.Limits = ownWorkspace(src).Limits
	}
	if err != nil {
		return err
	}
	if f.fetch {
		err := eval.Fetch(c.Context(), tasks, src, func(what string) { warn(c.ErrOrStderr(), "fetching %s", what) })
		if err != nil {
			return err
		}
	}
	written := func() error { return nil }
	if f.contexts != "" {
		out, err := ownfile.Create(f.contexts, records("what --contexts wrote"))
		if err != nil {
			return err
		}
		defer out.Drop()
		s.Each, written = contextWriter(out), out.Keep
	}
	var sums, matches []eval.Summary
	if f.metrics != "em" {
		bar := barOn(c.ErrOrStderr(), "retrieving")
		s.Report = func(done, total int) { bar(done, total) }
		run, err := eval.Recall(c.Context(), tasks, s)
		bar(0, 0)
		if err == nil {
			err = written()
		}
		if err != nil {
			return err
		}
		sums = run.Summaries(s)
	}
	if f.metrics != "recall" {
		if matches, err = f.em.run(c, tasks, s); err != nil {
			return err
		}
	}
	if f.json {
		return printEvalJSON(c.OutOrStdout(), sums, matches)
	}
	to := newScreen(c.OutOrStdout())
	printEval(to, sums)
	printMatches(to, matches)
	return nil
}

// check refuses flags that mean nothing together before anything is done.
func (f evalFlags) check(c *cobra.Command) error {
	if _, err := f.setup(""); err != nil {
		return err
	}
	switch f.metrics {
	case "recall":
		return f.em.unused(c)
	case "em", "all":
		for _, flag := range []string{"contexts", "left", "family"} {
			if f.metrics == "em" && c.Flags().Changed(flag) {
				return usagef("--%s is about recall: use --metrics recall or all", flag)
			}
		}
		return f.em.check()
	}
	return usagef("--metrics %q is none of recall, em, all", f.metrics)
}

// load reads or makes the tasks, and says where their sources are.
func (f evalFlags) load(c *cobra.Command) ([]eval.Task, string, error) {
	switch {
	case f.self != "" && (f.tasks != "" || f.src != "" || f.fetch):
		return nil, "", usagef("--self makes its own tasks: leave out --tasks, --src and --fetch")
	case f.self != "":
		dir, err := folder(f.self)
		if err != nil {
			return nil, "", err
		}
		n := f.sample
		if n == 0 {
			n = 200
		}
		tasks, err := eval.Self(c.Context(), ownWorkspace(dir), n)
		if err != nil {
			return nil, "", err
		}
		return f.filter(tasks, 0), dir, nil
	case f.tasks == "" || f.src == "":
		return nil, "", usagef("want --tasks FILE and --src DIR, or --self DIR")
	}
	tasks, err := eval.Load(f.tasks)
	if err != nil {
		return nil, "", err
	}
	tasks = f.filter(tasks, f.sample)
	if len(tasks) == 0 {
		return nil, "", usagef("no task in %s has --subset %q and --lang %q", f.tasks, f.subset, f.lang)
	}
	return tasks, f.src, nil
}

// ownWorkspace is a folder of the user's, of which nothing is read that their
// configuration excludes. What is wrong with that is for other commands to say.
func ownWorkspace(dir string) eval.Workspace {
	c, _ := lsp.LoadConfig("", []string{dir})
	return eval.Workspace{Dir: dir, Limits: eval.Limits{Ignore: c.Ignore, MaxFileSize: int64(c.MaxFileSize)}}
}

// filter keeps the tasks that were asked for, n of them at even distances if
// n > 0.
func (f evalFlags) filter(tasks []eval.Task, n int) []eval.Task {
	tasks = slices.DeleteFunc(tasks, func(t eval.Task) bool {
		return f.subset != "" && t.Subset != f.subset || f.lang != "" && t.Lang != f.lang
	})
	if n <= 0 || n >= len(tasks) {
		return tasks
	}
	out := make([]eval.Task, n)
	for i := range out {
		out[i] = tasks[i*len(tasks)/n]
	}
	return out
}

func (f evalFlags) setup(src string) (eval.Setup, error) {
	s := eval.Setup{Sources: src, Options: allocate.DefaultOptions(), LeftTokens: f.left, Mid: f.mid, Family: index.Family(f.family)}
	if s.Family != index.Structural && s.Family != index.Lexical {
		return s, usagef("--family %q is neither structural nor lexical", f.family)
	}
	s.Options.Budget = f.budget
	if !f.noCache {
		s.CacheDir = cacheDir()
	}
	for _, name := range f.policies {
		if name == "all" {
			s.Policies = append(s.Policies, allocate.Policies()...)
			continue
		}
		p, err := allocate.PolicyByName(name)
		if err != nil {
			return s, usageError{err}
		}
		s.Policies = append(s.Policies, p)
	}
	if len(s.Policies) == 0 {
		return s, usagef("--policy names none")
	}
	return s, nil
}

// barOn draws progress where somebody sees it; a total of 0 takes it away.
func barOn(w io.Writer, what string) func(done, total int) {
	if !isTerminal(terminalOf(w)) {
		return func(int, int) {}
	}
	bar := progressbar.NewOptions(-1, progressbar.OptionSetWriter(w), progressbar.OptionSetDescription(what),
		progressbar.OptionShowCount(), progressbar.OptionThrottle(100_000_000), progressbar.OptionClearOnFinish())
	return func(done, total int) {
		if total == 0 {
			_ = bar.Finish() // a bar that cannot be drawn is no reason to stop
			return
		}
		bar.ChangeMax(total)
		_ = bar.Set(done)
	}
}
