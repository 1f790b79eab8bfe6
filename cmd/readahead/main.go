// Command readahead writes the next line of code in the user's own editor, with
// the user's own model.
//
//	readahead              serve an editor over standard input and output
//	readahead demo         see completions on a real repository
//	readahead complete     one completion on the terminal
//	readahead inspect      a page that shows why a line is offered
//	readahead index        build or refresh the index of a workspace
//	readahead doctor       check everything that a completion depends on
//	readahead tune         choose the evidence that comes first in a workspace
//	readahead eval         measure all of it on tasks with known answers
//
// This package wires the others together and holds nothing of its own beyond
// the command line: what a command prints comes from lsp.Engine, as an editor's
// completions do.
package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"log"
	"os"
	"os/signal"
	"strings"
	"syscall"

	"github.com/spf13/cobra"
)

func main() {
	log.SetOutput(io.Discard) // net/http writes what a server sends unasked, which may be the user's code
	ctx, stop := signal.NotifyContext(context.Background(), endings()...)
	context.AfterFunc(ctx, stop) // a second signal ends the process at once
	out := &output{file: os.Stdout}
	root := rootCommand()
	root.SetOut(out)
	ran, err := root.ExecuteContextC(ctx)
	stop()
	lost := out.lost()
	if err != nil && errors.Is(lost, errUnread) {
		lost = nil // what went wrong besides is said
	}
	os.Exit(report(os.Stderr, errors.Join(err, lost), ran.CommandPath()))
}

// endings are the signals that end a command in order, so that nothing half-written
// stays behind. A closed terminal is one, unless it was asked not to be (nohup).
func endings() []os.Signal {
	end := []os.Signal{os.Interrupt, syscall.SIGTERM}
	if !signal.Ignored(syscall.SIGHUP) {
		end = append(end, syscall.SIGHUP)
	}
	return end
}

// A usageError is the caller's mistake on the command line: exit status 2.
type usageError struct{ error }

func usagef(format string, args ...any) error { return usageError{fmt.Errorf(format, args...)} }

// report prints err, as one line, and returns the exit status of the contract: 0,
// 1 failed, 2 usage, for which it names the help on what was run.
func report(w io.Writer, err error, ran string) int {
	if err == nil {
		return 0
	}
	if !errors.Is(err, errUnread) {
		// What Go says of a signal and of time that is up means nothing to a user.
		said := strings.NewReplacer(context.Canceled.Error(), "interrupted", context.DeadlineExceeded.Error(), "the time is up", "\n", "; ").Replace(err.Error())
		warn(w, "%s", said)
	}
	if usage := (usageError{}); errors.As(err, &usage) {
		newScreen(w).printf("Run '%s' for how to use it.\n", strings.Replace(ran, "readahead", "readahead help", 1))
		return 2
	}
	return 1
}

func rootCommand() *cobra.Command {
	var serve serveFlags
	root := &cobra.Command{
		Use:   "readahead",
		Short: "A language server that writes the next line of code with your own model",
		Long: `readahead is a language server that suggests the next line of code in your own
editor, with your own model, from evidence in your own repository. Nothing
leaves this machine unless you configure a remote model server.

Without a command it serves an editor over standard input and output.`,
		Args:          noArguments,
		Version:       versionString(),
		SilenceErrors: true,

		SuggestionsMinimumDistance: 2,

		SilenceUsage: true,
		RunE:         serve.run,
	}
	serve.register(root)
	root.SetVersionTemplate(versionSentence()) // --version says what the command does
	root.SetFlagErrorFunc(wrongFlag)
	root.SetHelpCommand(helpCommand())
	root.AddCommand(serveCommand(), demoCommand(), completeCommand(), inspectCommand(), indexCommand(), doctorCommand(), tuneCommand(), evalCommand(), manCommand(), completionCommand(), versionCommand())
	return root
}

// helpCommand is cobra's own, but for what it does not know: that is a mistake
// of the caller's.
func helpCommand() *cobra.Command {
	return &cobra.Command{
		Use:   "help [COMMAND]",
		Short: "Help about a command",
		ValidArgsFunction: func(c *cobra.Command, args []string, _ string) (names []string, _ cobra.ShellCompDirective) {
			for _, about := range c.Root().Commands() {
				if len(args) == 0 && about.IsAvailableCommand() {
					names = append(names, about.Name()+"\t"+about.Short)
				}
			}
			return names, cobra.ShellCompDirectiveNoFileComp
		},
		RunE: func(c *cobra.Command, args []string) error {
			about, rest, err := c.Root().Find(args)
			if err != nil {
				return usageError{err}
			}
			if err := noArguments(about, rest); err != nil {
				return err
			}
			return about.Help()
		},
	}
}

// noArguments refuses arguments as a usage error, naming the commands that the
// word may have meant.
func noArguments(c *cobra.Command, args []string) error {
	if len(args) == 0 {
		return nil
	}
	hint := ""
	if near := c.Root().SuggestionsFor(args[0]); len(near) > 0 && c == c.Root() {
		hint = fmt.Sprintf(" (did you mean %q?)", near[0])
	}
	return usagef("unknown command or argument %q%s", args[0], hint)
}

// atMostOne refuses a second argument as a usage error.
func atMostOne(_ *cobra.Command, args []string) error {
	if len(args) > 1 {
		return usagef("want at most one folder, got %d arguments", len(args))
	}
	return nil
}
