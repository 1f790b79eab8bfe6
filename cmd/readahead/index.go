package main

import (
	"fmt"
	"os"
	"runtime"
	"strconv"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"readahead/index"
)

func indexCommand() *cobra.Command {
	var f engineFlags
	c := &cobra.Command{
		Use:   "index [DIR]",
		Short: "Build or refresh the index of a workspace",
		Long: `Build or refresh the index of a workspace (the current folder without DIR) and
print what is in it. The editor does the same by itself when it starts.`,
		Args:              atMostOne,
		ValidArgsFunction: folders,
		RunE: func(c *cobra.Command, args []string) error {
			dir := "."
			if len(args) == 1 {
				dir = args[0]
			}
			start := time.Now()
			e, err := f.open(c.Context(), c.ErrOrStderr(), dir)
			if err != nil {
				return err
			}
			defer e.Close()
			stats, err := f.build(c.Context(), e, c.ErrOrStderr())
			if err != nil {
				return err
			}
			printStats(newScreen(c.OutOrStdout()), stats, time.Since(start))
			return nil
		},
	}
	f.register(c)
	return c
}

func printStats(to screen, s index.Stats, took time.Duration) {
	to.printf("%d files, %d lines, %.1f MB: %d objects, %d references\n%.2f s, %.1f MB/s, %s\n",
		s.Files, s.Lines, float64(s.Bytes)/1e6, s.Objects, s.Refs,
		took.Seconds(), float64(s.Bytes)/1e6/max(took.Seconds(), 1e-9), memory())
}

// memory is the peak of the process where the system tells it, else what Go has
// from the system now.
func memory() string {
	if status, err := os.ReadFile("/proc/self/status"); err == nil {
		for line := range strings.Lines(string(status)) {
			if rest, ok := strings.CutPrefix(line, "VmHWM:"); ok {
				if kb, err := strconv.Atoi(strings.TrimSuffix(strings.TrimSpace(rest), " kB")); err == nil {
					return fmt.Sprintf("peak memory %d MB", kb/1000)
				}
			}
		}
	}
	var m runtime.MemStats
	runtime.ReadMemStats(&m)
	return fmt.Sprintf("%d MB of memory", m.Sys/1e6)
}
