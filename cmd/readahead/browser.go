package main

import (
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"runtime"
	"time"
)

// openers are the programs that open a file the way that the user has chosen.
var openers = map[string][]string{
	"darwin":  {"open"},
	"windows": {"rundll32", "url.dll,FileProtocolHandler"},
}

// handOver is how long an opener may take to hand the file over; one that is
// still there afterwards is the browser itself.
const handOver = 3 * time.Second

// openInBrowser shows a file. Without a display there is nothing to do.
func openInBrowser(ctx context.Context, path string) error {
	opener, ok := openers[runtime.GOOS]
	if !ok {
		if os.Getenv("DISPLAY") == "" && os.Getenv("WAYLAND_DISPLAY") == "" {
			return nil
		}
		opener = []string{"xdg-open"}
	}
	if _, err := exec.LookPath(opener[0]); err != nil {
		return fmt.Errorf("there is no %s (open the file yourself)", opener[0])
	}
	cmd := exec.Command(opener[0], append(opener[1:], path)...) // outlives this process
	if err := cmd.Start(); err != nil {
		return err
	}
	ended := make(chan error, 1)
	go func() { ended <- cmd.Wait() }() // owned by the process, which ends next
	select {
	case err := <-ended:
		if exit := (*exec.ExitError)(nil); errors.As(err, &exit) {
			return fmt.Errorf("%s: %w (open the file yourself)", opener[0], err)
		}
		return err
	case <-time.After(handOver):
		return nil
	case <-ctx.Done():
		return nil
	}
}
