package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"slices"

	"github.com/schollz/progressbar/v3"
	"github.com/spf13/cobra"

	"readahead/cmd/readahead/internal/tuned"
	"readahead/index"
	"readahead/index/regular"
	"readahead/lsp"
	"readahead/model/endpoint"
	"readahead/model/ollama"
)

// engineFlags are what every command that may ask a model has in common.
type engineFlags struct {
	config   string
	server   string
	model    string
	endpoint string
	root     string
	noCache  bool
}

func (f *engineFlags) register(c *cobra.Command) {
	c.Flags().StringVar(&f.config, "config", "", "configuration file (default: readahead/config.toml in your configuration folder)")
	c.Flags().StringVar(&f.server, "server", "", "what the model server speaks: ollama or openai")
	c.Flags().StringVar(&f.model, "model", "", `model on the server; "embedded" uses none`)
	c.Flags().StringVar(&f.endpoint, "endpoint", "", "address of the model server (default: OLLAMA_HOST, else Ollama's own)")
	c.Flags().BoolVar(&f.noCache, "no-cache", false, "neither read nor write the index cache")
}

// registerRoot is for commands that are about a file; others take a folder.
func (f *engineFlags) registerRoot(c *cobra.Command) {
	c.Flags().StringVar(&f.root, "root", "", "workspace folder (default: found from the file)")
}

// open makes an engine for one workspace folder; what is wrong with the
// configuration is said, and the rest of it used.
func (f engineFlags) open(ctx context.Context, w io.Writer, root string) (*lsp.Engine, error) {
	o, err := f.options(teller(w), root)
	if err != nil {
		return nil, err
	}
	if wide := lsp.TooWide(o.Roots); wide != "" {
		warn(w, "%s", wide)
	}
	return lsp.NewEngine(ctx, o)
}

// options reads the configuration for some folders; tell is told what is wrong
// with it.
func (f engineFlags) options(tell func(error), roots ...string) (lsp.EngineOptions, error) {
	if err := f.check(); err != nil {
		return lsp.EngineOptions{}, err
	}
	if f.root != "" {
		roots = []string{f.root}
	}
	for i, r := range roots {
		abs, err := folder(r)
		if err != nil {
			return lsp.EngineOptions{}, err
		}
		roots[i] = abs
	}
	var more []error
	config, errs := lsp.LoadConfig(f.config, roots)
	config.Tunings, more = tuned.Default().Tunings(roots)
	for _, err := range slices.Concat(errs, more, f.environment(config)) {
		tell(err)
	}
	return f.with(config, roots), nil
}

// environment says what is wrong with what the environment sets, as far as that
// counts with a configuration.
func (f engineFlags) environment(c lsp.Config) []error {
	if c = f.override(c); c.Server != "ollama" || c.Endpoint != "" || c.Model == embeddedName {
		return nil
	}
	if err := ollama.CheckEndpoint(""); err != nil {
		return []error{err}
	}
	return nil
}

// teller warns of each error.
func teller(w io.Writer) func(error) {
	return func(err error) { warn(w, "%v", err) }
}

// check refuses what no command can go on with: a file that was asked for by name
// and cannot be read, and a server of another kind.
func (f engineFlags) check() error {
	if f.config != "" {
		if err := lsp.CheckConfigFile(f.config); err != nil {
			return err
		}
	}
	return errors.Join(checkServer(f.server), checkEndpoint(f.endpoint))
}

// folder is the absolute path of a folder that is there.
func folder(path string) (string, error) {
	if path == "" {
		return "", usagef("want a folder, got an empty word (. is the current one)")
	}
	abs, err := absolute(path)
	if err != nil {
		return "", err
	}
	info, err := os.Stat(abs)
	if err != nil {
		return "", regular.Plain("open workspace", abs, err)
	}
	if !info.IsDir() {
		return "", usagef("open workspace: %s is not a folder", abs)
	}
	return abs, nil
}

// absolute is a path from the root on.
func absolute(path string) (string, error) {
	abs, err := filepath.Abs(path)
	if err != nil { // the only reason, and the system's words for it name no folder
		return "", fmt.Errorf("find %s: the current folder was deleted, or you may not read it (cd to another one, or give the whole path)", path)
	}
	return abs, nil
}

// checkEndpoint is for --endpoint, wherever it stands; "" says nothing.
func checkEndpoint(s string) error {
	if s == "" {
		return nil
	}
	if _, err := endpoint.Parse(s); err != nil {
		return usagef("--endpoint: %w", err)
	}
	return nil
}

// checkServer is for --server, wherever it stands; "" says nothing.
func checkServer(name string) error {
	if name != "" && name != "ollama" && name != "openai" {
		return usagef("--server %q is none of ollama, openai", name)
	}
	return nil
}

// override puts what the command line says above every configuration file.
func (f engineFlags) override(c lsp.Config) lsp.Config {
	if f.server != "" {
		c.Server = f.server
	}
	if f.model != "" {
		c.Model = f.model
	}
	if f.endpoint != "" {
		c.Endpoint = f.endpoint
	}
	return c
}

func (f engineFlags) with(config lsp.Config, roots []string) lsp.EngineOptions {
	o := lsp.EngineOptions{Config: f.override(config), Roots: roots, Connect: connect, Local: newLocal(firstLesson, laterLesson).model}
	if !f.noCache {
		o.CacheDir = cacheDir()
	}
	return o
}

// cacheDir is "" where the user has none: then nothing is kept.
func cacheDir() string {
	dir, err := os.UserCacheDir()
	if err != nil {
		return ""
	}
	return filepath.Join(dir, "readahead")
}

// build brings the index up to date, with a progress bar where somebody sees it,
// and says what of the workspace could not be read, and if the index could not be
// kept for the next start.
func (f engineFlags) build(ctx context.Context, e *lsp.Engine, w io.Writer) (index.Stats, error) {
	stats, err := f.buildShowing(ctx, e, w)
	if n := stats.Passed.Unreadable; err == nil && n > 0 {
		warn(w, "of the workspace %d files or folders could not be read, the first for this reason: %s", n, stats.Passed.Problem)
	}
	if err == nil && stats.Cache != "" {
		warn(w, "the next start reads everything again: %s (make room there, set another cache folder, or use --no-cache)", stats.Cache)
	}
	return stats, err
}

func (f engineFlags) buildShowing(ctx context.Context, e *lsp.Engine, w io.Writer) (index.Stats, error) {
	if !isTerminal(terminalOf(w)) {
		return e.Build(ctx, nil)
	}
	bar := progressbar.NewOptions(-1,
		progressbar.OptionSetWriter(w),
		progressbar.OptionSetDescription("indexing"),
		progressbar.OptionShowCount(),
		progressbar.OptionThrottle(100_000_000),
		progressbar.OptionClearOnFinish(),
	)
	stats, err := e.Build(ctx, func(p lsp.Progress) {
		if p.Total > 0 {
			bar.ChangeMax(p.Total)
		}
		bar.Describe(p.What)
		_ = bar.Set(p.Done) // a bar that cannot be drawn is no reason to stop
	})
	_ = bar.Finish()
	return stats, err
}
