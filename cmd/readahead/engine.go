package main

import (
	"context"
	"fmt"
	"io"
	"os"
	"path/filepath"

	"github.com/schollz/progressbar/v3"
	"github.com/spf13/cobra"
	"golang.org/x/term"

	"readahead/cmd/readahead/internal/tuned"
	"readahead/index"
	"readahead/lsp"
)

// engineFlags are what every command that completes has in common.
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
	c.Flags().StringVar(&f.root, "root", "", "workspace folder (default: found from the file)")
	c.Flags().BoolVar(&f.noCache, "no-cache", false, "neither read nor write the index cache")
}

// open makes an engine for one workspace folder; what is wrong with the
// configuration is said, and the rest of it used.
func (f engineFlags) open(ctx context.Context, warn io.Writer, root string) (*lsp.Engine, error) {
	o, err := f.options(warn, root)
	if err != nil {
		return nil, err
	}
	return lsp.NewEngine(ctx, o)
}

func (f engineFlags) options(warn io.Writer, roots ...string) (lsp.EngineOptions, error) {
	if err := checkServer(f.server); err != nil {
		return lsp.EngineOptions{}, err
	}
	if f.root != "" {
		roots = []string{f.root}
	}
	for i, r := range roots {
		abs, err := filepath.Abs(r)
		if err != nil {
			return lsp.EngineOptions{}, err
		}
		if info, err := os.Stat(abs); err != nil {
			return lsp.EngineOptions{}, fmt.Errorf("open workspace: %w", err)
		} else if !info.IsDir() {
			return lsp.EngineOptions{}, usagef("open workspace: %s is not a folder", abs)
		}
		roots[i] = abs
	}
	config, errs := lsp.LoadConfig(f.config, roots)
	for _, err := range errs {
		fmt.Fprintln(warn, "readahead:", err)
	}
	var more []error
	config.Tunings, more = tuned.Default().Tunings(roots)
	for _, err := range more {
		fmt.Fprintln(warn, "readahead:", err)
	}
	return f.with(config, roots), nil
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
// and says so if it could not be kept for the next start.
func (f engineFlags) build(ctx context.Context, e *lsp.Engine, w io.Writer) (index.Stats, error) {
	stats, err := f.buildShowing(ctx, e, w)
	if err == nil && stats.Cache != "" {
		fmt.Fprintf(w, "readahead: the next start reads everything again: %s (make room there, set another cache folder, or use --no-cache)\n", stats.Cache)
	}
	return stats, err
}

func (f engineFlags) buildShowing(ctx context.Context, e *lsp.Engine, w io.Writer) (index.Stats, error) {
	file, ok := w.(*os.File)
	if !ok || !term.IsTerminal(int(file.Fd())) {
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
