package main

import (
	"fmt"
	"os"
	"path/filepath"
	"runtime/debug"
	"strings"
	"time"

	"github.com/spf13/cobra"
	"github.com/spf13/cobra/doc"

	"readahead/cmd/readahead/internal/ownfile"
	"readahead/index/regular"
)

// manPage is what man pages begin with, as the library writes them.
var manPage = ownfile.Kind{Name: "a man page of readahead", Begins: ".nh\n.TH \"READAHEAD", Public: true}

func manCommand() *cobra.Command {
	return &cobra.Command{
		Use:   "man DIR",
		Short: "Write the man pages into a folder",
		Long: `Write a man page for readahead and one for each of its commands into a folder,
which is made if there is none: readahead man ~/.local/share/man/man1`,
		Args: func(_ *cobra.Command, args []string) error {
			if len(args) != 1 {
				return usagef("want one folder, got %d arguments", len(args))
			}
			if args[0] == "" {
				return usagef("want a folder, got an empty word (. is the current one)")
			}
			return nil
		},
		ValidArgsFunction: folders,
		RunE: func(c *cobra.Command, args []string) error {
			if err := os.MkdirAll(args[0], 0o755); err != nil {
				return regular.Plain("write man pages into", args[0], err)
			}
			n, err := writeManPages(c.Root(), args[0])
			if err != nil {
				return err
			}
			newScreen(c.OutOrStdout()).printf("%d man pages in %s\n", n, args[0])
			return nil
		},
	}
}

// writeManPages writes the pages of a command and those below it, and counts them.
func writeManPages(c *cobra.Command, dir string) (n int, err error) {
	if c.Hidden || c.Name() == "help" {
		return 0, nil
	}
	name := strings.ReplaceAll(c.CommandPath(), " ", "-") + ".1"
	f, err := ownfile.Create(filepath.Join(dir, name), manPage)
	if err != nil {
		return 0, err
	}
	defer f.Drop()
	c.DisableAutoGenTag = true // it has the day on which the page was made
	header := &doc.GenManHeader{Section: "1", Source: versionLine(), Manual: "readahead", Date: builtFrom()}
	if err := doc.GenMan(c, header, f); err != nil {
		return 0, fmt.Errorf("write %s: %w", name, err)
	}
	if err := f.Keep(); err != nil {
		return 0, err
	}
	n = 1
	for _, below := range c.Commands() {
		k, err := writeManPages(below, dir)
		if n += k; err != nil {
			return n, err
		}
	}
	return n, nil
}

// builtFrom is the time of the commit that this build comes from; nil if it is not
// known: the library then goes by SOURCE_DATE_EPOCH, else by the clock.
func builtFrom() *time.Time {
	info, ok := debug.ReadBuildInfo()
	if !ok {
		return nil
	}
	for _, s := range info.Settings {
		if t, err := time.Parse(time.RFC3339, s.Value); s.Key == "vcs.time" && err == nil {
			return &t
		}
	}
	return nil
}

// folders completes the name of a folder, once.
func folders(_ *cobra.Command, args []string, _ string) ([]string, cobra.ShellCompDirective) {
	if len(args) > 0 {
		return nil, cobra.ShellCompDirectiveNoFileComp
	}
	return nil, cobra.ShellCompDirectiveFilterDirs
}

// places completes the name of a file, behind which :LINE:COL will stand.
func places(_ *cobra.Command, args []string, _ string) ([]string, cobra.ShellCompDirective) {
	if len(args) > 0 {
		return nil, cobra.ShellCompDirectiveNoFileComp
	}
	return nil, cobra.ShellCompDirectiveNoSpace
}
