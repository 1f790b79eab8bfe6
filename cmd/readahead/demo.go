package main

import (
	"context"
	"errors"
	"fmt"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"readahead/lsp"
)

const (
	demoShown = 4                // completions that the demo prints
	demoTried = 24               // cursors that it tries to find them
	demoTime  = 20 * time.Second // for trying; a slow model tries fewer
)

func demoCommand() *cobra.Command {
	var f engineFlags
	c := &cobra.Command{
		Use:   "demo [DIR]",
		Short: "Show completions at a few cursors of a real repository",
		Long: `Index a repository and show what readahead would offer at a few cursors of it,
with the evidence that the model read. Without DIR the repository is the part of
Go's standard library that holds package net.

Every cursor stands on a line that exists. The rest of that line is taken away
before anything else happens, from the document and from what the embedded
model learns, so that the suggestion can be compared with it.`,
		Args:              atMostOne,
		ValidArgsFunction: folders,
		RunE: func(c *cobra.Command, args []string) error {
			dir := ""
			if len(args) == 1 {
				dir = args[0]
			}
			return runDemo(c, f, dir)
		},
	}
	f.register(c)
	return c
}

func runDemo(c *cobra.Command, f engineFlags, dir string) error {
	ctx := c.Context()
	if dir == "" {
		standard, err := standardLibrary(ctx)
		if err != nil {
			return err
		}
		dir = standard
	}
	s := newScreen(c.OutOrStdout())
	start := time.Now()
	e, err := f.open(ctx, c.ErrOrStderr(), dir)
	if err != nil {
		return err
	}
	defer e.Close()
	stats, err := f.build(ctx, e, c.ErrOrStderr())
	if err != nil {
		return err
	}
	s.printf("%s: %d files, %d lines, %d objects, %d references, indexed in %.1f s\n",
		s.bold(dir), stats.Files, stats.Lines, stats.Objects, stats.Refs, time.Since(start).Seconds())

	cursors := demoCursors(e.Snapshot(), demoTried)
	if len(cursors) == 0 {
		return fmt.Errorf("demo: no code in %s to show a completion in (give a folder with source files of a language that README names)", dir)
	}
	tries, err := tryCursors(ctx, e, cursors)
	if err != nil {
		return err
	}
	printTries(s, tries)
	return nil
}

// standardLibrary is a real repository that is on every machine with Go.
func standardLibrary(ctx context.Context) (string, error) {
	out, err := exec.CommandContext(ctx, "go", "env", "GOROOT").Output()
	if errors.Is(err, exec.ErrNotFound) {
		return "", errors.New("demo: Go's standard library is shown, and there is no go in PATH (give a folder instead: readahead demo DIR)")
	}
	if err != nil {
		return "", fmt.Errorf("demo: ask Go for its standard library: %w (give a folder instead: readahead demo DIR)", err)
	}
	return filepath.Join(strings.TrimSpace(string(out)), "src", "net"), nil
}

// A try is one cursor and what was offered at it.
type try struct {
	cursor demoCursor
	done   lsp.Completion
}

// agreement orders tries: the model's own confidence, not whether it was right.
func (t try) agreement() float64 {
	d := t.done.Trace.Decision
	if len(t.done.Items) == 0 || d.Routed < 0 {
		return -1
	}
	return d.Pools[d.Routed].Agreement
}

func tryCursors(ctx context.Context, e *lsp.Engine, cursors []demoCursor) ([]try, error) {
	var tries []try
	for start := time.Now(); len(tries) < len(cursors) && (len(tries) == 0 || time.Since(start) < demoTime); {
		at := cursors[len(tries)]
		done, err := e.Complete(ctx, lsp.CompletionRequest{Path: at.path, Text: at.text, Offset: at.offset, Invoked: true})
		if err != nil {
			return nil, err
		}
		if done.Trace == nil || done.Trace.Refused != "" {
			return nil, fmt.Errorf("demo: no completion in %s", at.path)
		}
		tries = append(tries, try{at, done})
	}
	return tries, nil
}

func printTries(s screen, tries []try) {
	right := 0
	for _, t := range tries {
		if len(t.done.Items) > 0 && strings.TrimSpace(t.done.Items[0].Text) == strings.TrimSpace(t.cursor.rest) {
			right++
		}
	}
	model := tries[len(tries)-1].done.Model
	s.printf("%s answered at %d cursors; %d of its suggestions are the line that stands there.\n", s.bold(model.Name), len(tries), right)
	slices.SortStableFunc(tries, func(a, b try) int {
		switch x, y := a.agreement(), b.agreement(); {
		case x > y:
			return -1
		case x < y:
			return 1
		}
		return 0
	})
	s.printf("The %d where its samples agreed most:\n", min(demoShown, len(tries)))
	for _, t := range tries[:min(demoShown, len(tries))] {
		s.printf("\n%s  %s\n", s.bold(fmt.Sprintf("%s:%d", t.done.Trace.Path, t.cursor.line)), s.dim(verdict(t.done.Trace)))
		item := lsp.Item{}
		if len(t.done.Items) > 0 {
			item = t.done.Items[0]
		}
		s.code(t.cursor.text, t.cursor.offset, item, 4, 2)
		s.printf("  %s\n", s.dim("  the line that stands there: "+strings.TrimSpace(t.cursor.head+t.cursor.rest)))
		s.evidence(t.done.Trace)
	}
	s.printf("\n")
	if i := slices.IndexFunc(tries, func(t try) bool { return t.done.Notice != "" }); i >= 0 {
		s.printf("%s\n", tries[i].done.Notice)
	}
	if model.Provider == "embedded" {
		s.printf(`That was the embedded model: n-grams of this repository, no server, no download.
It shows the path, not the quality. For a real code model, on this machine:
    ollama pull qwen2.5-coder:1.5b-base
and run this again. README says how to connect your editor.
`)
	}
}
