//go:build unix

package main

import (
	"context"
	"os"
	"os/exec"
	"strings"
	"testing"
)

// A reader that has seen enough, as `head` has, ends a command without a word.
func TestAClosedPipeEndsACommandQuietly(t *testing.T) {
	for _, tt := range []struct {
		name string
		wrap []string // what starts the command
	}{
		{"by the signal", nil},
		{"where the signal is ignored", []string{"sh", "-c", `trap "" PIPE; exec "$0" "$@"`}},
	} {
		r, w, err := os.Pipe()
		if err != nil {
			t.Fatal(err)
		}
		r.Close()
		c := behind(t.Context(), t, tt.wrap, "help", "index")
		c.Stdout = w
		var stderr strings.Builder
		c.Stderr = &stderr
		err = c.Run()
		w.Close()
		if err == nil || stderr.Len() > 0 {
			t.Errorf("%s: %v, and it says %q", tt.name, err, stderr.String())
		}
	}
}

// behind is command behind another one.
func behind(ctx context.Context, t *testing.T, wrap []string, args ...string) *exec.Cmd {
	t.Helper()
	c := command(ctx, t, args...)
	if len(wrap) == 0 {
		return c
	}
	path, err := exec.LookPath(wrap[0])
	if err != nil {
		t.Fatal(err)
	}
	c.Args = append(append(append([]string{}, wrap...), c.Path), args...)
	c.Path = path
	return c
}
