package main

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"time"

	"github.com/spf13/cobra"

	"readahead/index/redact"
	"readahead/index/regular"
	"readahead/lsp"
)

type completeFlags struct {
	engine engineFlags
	json   bool
	n      int
	wait   time.Duration
}

func completeCommand() *cobra.Command {
	var f completeFlags
	c := &cobra.Command{
		Use:   "complete FILE:LINE:COL",
		Short: "Print one completion",
		Long: `Print what readahead would offer at a cursor of a file, with the evidence it
read. LINE and COL count from 1; COL counts characters, as editors show them,
and the cursor stands before that character.`,
		Args:              onePlace,
		ValidArgsFunction: places,
		RunE:              func(c *cobra.Command, args []string) error { return f.run(c, args[0]) },
	}
	f.engine.register(c)
	f.engine.registerRoot(c)
	c.Flags().BoolVar(&f.json, "json", false, "print the whole decision as JSON")
	whole(1, mostCandidates).flag(c.Flags(), &f.n, "n", "", 1, "how many candidates to print")
	span().flag(c.Flags(), &f.wait, "wait", "", time.Minute, "how long the model may take")
	return c
}

// onePlace refuses all but one argument as a usage error.
func onePlace(_ *cobra.Command, args []string) error {
	if len(args) != 1 {
		return usagef("want one FILE:LINE:COL, got %d arguments", len(args))
	}
	return nil
}

// mostCandidates is more than are ever drawn.
const mostCandidates = 1000

// maxFile, in bytes, is what maxFileSize can be raised to.
const maxFile = 1 << 30

func (f completeFlags) run(c *cobra.Command, arg string) error {
	r, done, err := f.ask(c, arg)
	if err != nil {
		return err
	}
	sayNotice(c, done)
	none := nothingTried(r, done)
	switch {
	case f.json:
		return errors.Join(printJSON(c, lsp.Report{Request: r, Completion: done}), none)
	case none != nil:
		return none
	}
	return printCompletion(newScreen(c.OutOrStdout()), c, redact.Text(r.Text), r.Offset, done)
}

// nothingTried says what was refused, and why; nil if a completion was made, or at
// least attempted.
func nothingTried(r lsp.CompletionRequest, done lsp.Completion) error {
	switch {
	case done.Trace == nil:
		return fmt.Errorf("no completion in %s: no model can answer (readahead doctor says why)", r.Path)
	case done.Trace.Refused != "":
		return fmt.Errorf("no completion in %s: %s", r.Path, done.Trace.Refused)
	}
	return nil
}

// ask completes at a cursor, after bringing the index of its workspace up to date.
func (f completeFlags) ask(c *cobra.Command, arg string) (r lsp.CompletionRequest, done lsp.Completion, err error) {
	p, err := parsePlace(arg)
	if err != nil {
		return r, done, err
	}
	file, err := absolute(p.file)
	if err != nil {
		return r, done, err
	}
	text, err := regular.Read(file, maxFile)
	if err != nil {
		return r, done, fmt.Errorf("no completion: %w", err)
	}
	offset, err := p.offset(text)
	if err != nil {
		return r, done, err
	}
	r = lsp.CompletionRequest{Path: file, Text: text, Offset: offset, Invoked: true, Max: f.n, Multiline: true}
	ctx := c.Context()
	e, err := f.openFor(ctx, c.ErrOrStderr(), file)
	if err != nil {
		return r, done, err
	}
	defer e.Close()
	if e.Refuses(r) == "" { // else Complete says so, and nothing is read for it
		if _, err := f.engine.build(ctx, e, c.ErrOrStderr()); err != nil {
			return r, done, err
		}
	}
	timed, cancel := context.WithTimeout(ctx, f.wait)
	defer cancel()
	r.Due, _ = timed.Deadline() // a model that says nothing is given up in time for the embedded one
	done, err = e.Complete(timed, r)
	return r, done, err
}

// openFor makes an engine for the workspace that a file belongs to.
func (f completeFlags) openFor(ctx context.Context, w io.Writer, file string) (*lsp.Engine, error) {
	root, alone := workspaceOf(file)
	o, err := f.engine.options(teller(w), root)
	if err != nil {
		return nil, err
	}
	if alone && f.engine.root == "" {
		o.Config.Ignore = append(onlyThis(file), o.Config.Ignore...)
	}
	return lsp.NewEngine(ctx, o)
}

// printJSON prints the documented, stable form.
func printJSON(c *cobra.Command, r lsp.Report) error {
	w := json.NewEncoder(c.OutOrStdout())
	w.SetIndent("", "  ")
	w.SetEscapeHTML(false)
	return w.Encode(r)
}

// sayNotice says what the user must know of a completion, such as that code has left
// the machine for it.
func sayNotice(c *cobra.Command, done lsp.Completion) {
	if done.Notice != "" {
		warn(c.ErrOrStderr(), "%s", done.Notice)
	}
}

func printCompletion(s screen, c *cobra.Command, text []byte, offset int, done lsp.Completion) error {
	t := done.Trace
	s.printf("%s  %s\n\n", s.bold(t.Model.Name), s.dim(verdict(t)))
	if len(done.Items) == 0 {
		s.code(text, offset, lsp.Item{}, 4, 2)
		s.printf("\n  nothing worth showing here\n")
		for _, h := range t.Hidden {
			s.printf("  %s\n", s.dim(fmt.Sprintf("%q: %s", h.Text, h.Reason)))
		}
		return nil
	}
	for i, item := range done.Items {
		if i > 0 {
			s.printf("\n")
		}
		s.code(text, offset, item, 4, 2)
	}
	s.printf("\n")
	s.evidence(t)
	return nil
}
