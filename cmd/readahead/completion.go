package main

import (
	"io"
	"maps"
	"slices"
	"strings"

	"github.com/spf13/cobra"
)

// scripts write what a shell completes commands by.
var scripts = map[string]func(root *cobra.Command, w io.Writer) error{
	"bash":       func(root *cobra.Command, w io.Writer) error { return root.GenBashCompletionV2(w, true) },
	"fish":       func(root *cobra.Command, w io.Writer) error { return root.GenFishCompletion(w, true) },
	"powershell": (*cobra.Command).GenPowerShellCompletionWithDesc,
	"zsh":        (*cobra.Command).GenZshCompletion,
}

// shells are the names of all scripts.
func shells() []string { return slices.Sorted(maps.Keys(scripts)) }

// completionCommand stands in for the library's own, which takes no shell, or one
// that it does not know, for a wish for help.
func completionCommand() *cobra.Command {
	return &cobra.Command{
		Use:   "completion SHELL",
		Short: "Print the script by which a shell completes commands and flags",
		Long: `Print the script by which a shell (` + strings.Join(shells(), ", ") + `) completes readahead's
commands, flags and files. For good:

  bash        readahead completion bash > ~/.local/share/bash-completion/completions/readahead
              (with the package bash-completion)
  fish        readahead completion fish > ~/.config/fish/completions/readahead.fish
  zsh         readahead completion zsh > "${fpath[1]}/_readahead"
  powershell  put the output of readahead completion powershell into your profile`,
		Args: func(_ *cobra.Command, args []string) error {
			switch {
			case len(args) != 1:
				return usagef("want one shell of %s, got %d arguments", strings.Join(shells(), ", "), len(args))
			case scripts[args[0]] == nil:
				return usagef("shell %q is none of %s", args[0], strings.Join(shells(), ", "))
			}
			return nil
		},
		ValidArgsFunction: func(_ *cobra.Command, args []string, _ string) ([]string, cobra.ShellCompDirective) {
			if len(args) > 0 {
				return nil, cobra.ShellCompDirectiveNoFileComp
			}
			return shells(), cobra.ShellCompDirectiveNoFileComp
		},
		RunE: func(c *cobra.Command, args []string) error { return scripts[args[0]](c.Root(), c.OutOrStdout()) },
	}
}
