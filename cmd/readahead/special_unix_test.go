//go:build unix

package main

import (
	"path/filepath"
	"strings"
	"syscall"
	"testing"
)

// A FIFO that nobody writes to would hold an open for good: run ends the test
// then.
func TestWhatIsNoFileIsRefused(t *testing.T) {
	shop := unpack(t, "shop")
	fifo := filepath.Join(shop, "fifo.go")
	if err := syscall.Mkfifo(fifo, 0o600); err != nil {
		t.Fatal(err)
	}
	for _, args := range [][]string{
		{"complete", fifo + ":1:1"},
		{"complete", "/dev/zero:1:1"},
		{"serve", "--log", fifo},
	} {
		if got := run(t, args...); got.status != 1 || !strings.Contains(got.stderr, "not a regular file but a ") {
			t.Errorf("%v: status %d, stderr %s", args, got.status, got.stderr)
		}
	}
	if got := run(t, "index", "--config", fifo, shop); got.status != 1 || !strings.Contains(got.stderr, "not a regular file but a FIFO") {
		t.Errorf("a configuration that is a FIFO: status %d, stderr %s", got.status, got.stderr)
	}
}
