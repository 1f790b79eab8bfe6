package main

import (
	"encoding/json"
	"errors"
	"fmt"
	"path/filepath"
	"time"

	"github.com/spf13/cobra"

	"readahead/cmd/readahead/internal/inspect"
	"readahead/lsp"
)

type inspectFlags struct {
	completeFlags
	out  string
	open bool
}

// inspected is how many candidates are ranked for the page.
const inspected = 5

func inspectCommand() *cobra.Command {
	f := inspectFlags{completeFlags: completeFlags{n: inspected}}
	c := &cobra.Command{
		Use:   "inspect FILE:LINE:COL",
		Short: "Show in a browser why a line is offered",
		Long: `Complete at a cursor and write one page that shows how it came about: where the
token budget went, what was dropped and why, the votes and grades of every
candidate, the time, and the exact prompt. The page is opened in your browser
where there is a display, and its path is printed.

The page contains code: only you can read the file. It needs no network. Without
--out it is one of the last 20 in the folder "pages" of readahead's cache; where the
browser may not read there (as a snap), choose a place with --out.`,
		Args:              onePlace,
		ValidArgsFunction: places,
		RunE:              func(c *cobra.Command, args []string) error { return f.run(c, args[0]) },
	}
	f.engine.register(c)
	f.engine.registerRoot(c)
	c.Flags().BoolVar(&f.json, "json", false, "print the same as JSON instead")
	c.Flags().StringVar(&f.out, "out", "", "write the page to this file (default: one of 20 in the cache folder)")
	c.Flags().BoolVar(&f.open, "open", true, "open the page in the browser")
	span().flag(c.Flags(), &f.wait, "wait", "", time.Minute, "how long the model may take")
	return c
}

func (f inspectFlags) run(c *cobra.Command, arg string) error {
	if f.out == "" && c.Flags().Changed("out") {
		return usagef("--out wants the name of a file, got an empty word")
	}
	r, done, err := f.ask(c, arg)
	if err != nil {
		return err
	}
	sayNotice(c, done)
	report := lsp.Report{Request: r, Completion: done}
	none := nothingTried(r, done)
	switch {
	case f.json:
		return errors.Join(printJSON(c, report), none)
	case none != nil:
		return none // a page could show no more than this
	}
	text, err := json.Marshal(report)
	if err != nil {
		return fmt.Errorf("inspect %s: %w", arg, err)
	}
	path, err := f.save(text)
	if err != nil {
		return err
	}
	newScreen(c.OutOrStdout()).printf("%s\n", path)
	if f.open {
		if err := openInBrowser(c.Context(), path); err != nil {
			warn(c.ErrOrStderr(), "the page was written, but not opened: %v", err)
		}
	}
	return nil
}

func (f inspectFlags) save(report []byte) (string, error) {
	if f.out == "" {
		pages := inspect.Folder{Path: pagesDir()}
		return pages.Save(report, versionLine())
	}
	path, err := absolute(f.out)
	if err != nil {
		return "", err
	}
	return path, inspect.Save(path, report, versionLine())
}

// pagesDir is where pages are that nobody named a place for; "" where there is no
// cache.
func pagesDir() string {
	if dir := cacheDir(); dir != "" {
		return filepath.Join(dir, "pages")
	}
	return ""
}

func versionLine() string { return "readahead " + versionString() }
