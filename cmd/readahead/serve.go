package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"os"
	"runtime"
	"slices"
	"sync"
	"time"

	"github.com/spf13/cobra"

	"readahead/cmd/readahead/internal/inspect"
	"readahead/cmd/readahead/internal/ownfile"
	"readahead/cmd/readahead/internal/tuned"
	"readahead/lsp"
)

type serveFlags struct {
	engine engineFlags
	log    string
}

func serveCommand() *cobra.Command {
	var f serveFlags
	c := &cobra.Command{
		Use:   "serve",
		Short: "Serve an editor over standard input and output (the default)",
		Args:  noArguments,
		RunE:  f.run,
	}
	f.register(c)
	return c
}

func (f *serveFlags) register(c *cobra.Command) {
	f.engine.register(c)
	c.Flags().StringVar(&f.log, "log", "", "append the log to this file, which is closed to other users, instead of standard error")
}

// run serves until the editor ends the connection. The workspace folders come
// from the editor, so the engine starts without any.
func (f *serveFlags) run(c *cobra.Command, _ []string) error {
	if err := f.engine.check(); err != nil {
		return err
	}
	w, err := f.logTo()
	if err != nil {
		return err
	}
	defer w.Close()
	level := new(slog.LevelVar)
	log := slog.New(slog.NewTextHandler(w, &slog.HandlerOptions{Level: level}))
	load := func(folders []string) (lsp.Config, []error) {
		config, errs := lsp.LoadConfig(f.engine.config, folders)
		config = f.engine.override(config)
		var more []error
		config.Tunings, more = tuned.Default().Tunings(folders)
		errs = slices.Concat(errs, more, f.engine.environment(config))
		_ = level.UnmarshalText([]byte(config.LogLevel)) // the schema has checked the word
		return config, errs
	}
	files := func(folders []string) []string { return lsp.ConfigFiles(f.engine.config, folders) }
	config, errs := load(nil)
	for _, err := range errs {
		log.Warn(err.Error())
	}
	whileParsing()
	o := f.engine.with(config, nil)
	o.Log, o.Watch = log, true
	e, err := lsp.NewEngine(c.Context(), o)
	if err != nil {
		return err
	}
	defer closeSoon(e.Close, log)
	pages := inspect.Folder{Path: pagesDir()}
	defer func() {
		if err := pages.Remove(); err != nil {
			log.Warn("pages of inspections stay behind", "err", err)
		}
	}()
	page := func(report []byte) (string, error) { return pages.Save(report, versionLine()) }
	s := lsp.NewServer(e, lsp.Options{Version: versionString(), Config: o.Config, Load: load, Files: files, Status: e.Status, Page: page, Log: log})
	if err := s.Serve(c.Context(), stdio{}); err != nil && !errors.Is(err, context.Canceled) {
		return fmt.Errorf("serve: %w", err)
	}
	return nil
}

// parsers is how many goroutines may be inside a parse beside those that answer: a
// document's, a judge's, and the two of an index on a small machine.
const parsers = 4

// whileParsing lets Go run on as many processors as there are while goroutines are
// in the parser, which is C. A call of C keeps its share of the scheduler until
// that takes it back, 20 µs to 10 ms later; on two cores two parses are enough for
// an answer to wait for that. How much goes on at once is bounded elsewhere, by the
// cores. A user's own GOMAXPROCS stays.
var whileParsing = sync.OnceFunc(func() {
	if os.Getenv("GOMAXPROCS") == "" {
		runtime.GOMAXPROCS(runtime.GOMAXPROCS(0) + parsers)
	}
})

// closing is how long the editor may be kept waiting for the process to end.
const closing = time.Second

// closeSoon is close, but does not wait for the end of work that cannot be
// stopped halfway, such as the parsing of a very long document: the process ends,
// and with it the work. A cache that was being written then stays the old one.
func closeSoon(close func() error, log *slog.Logger) {
	done := make(chan struct{}, 1)
	go func() { // owned by the process, which ends next
		if err := close(); err != nil {
			log.Warn("not closed in order", "err", err)
		}
		done <- struct{}{}
	}()
	select {
	case <-done:
	case <-time.After(closing):
	}
}

func (f *serveFlags) logTo() (io.WriteCloser, error) {
	if f.log == "" {
		return nopCloser{os.Stderr}, nil
	}
	if f.log == os.DevNull {
		return nopCloser{io.Discard}, nil
	}
	file, err := ownfile.Append(f.log)
	if err != nil {
		return nil, fmt.Errorf("the log: %w", err)
	}
	return file, nil
}

type nopCloser struct{ io.Writer }

func (nopCloser) Close() error { return nil }

// stdio is the connection to the editor.
type stdio struct{}

func (stdio) Read(b []byte) (int, error)  { return os.Stdin.Read(b) }
func (stdio) Write(b []byte) (int, error) { return os.Stdout.Write(b) }
func (stdio) Close() error                { return errors.Join(os.Stdin.Close(), os.Stdout.Close()) }
