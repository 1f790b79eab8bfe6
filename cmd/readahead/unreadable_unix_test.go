//go:build unix

package main

import (
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
)

// unprivileged makes a command run as somebody who may not read everything, as root
// may; dirs are folders of tests that it needs.
func unprivileged(t *testing.T, c *exec.Cmd, dirs ...string) {
	t.Helper()
	if os.Geteuid() != 0 {
		return
	}
	const nobody = 65534
	program := filepath.Join(t.TempDir(), "readahead")
	text, err := os.ReadFile(c.Path)
	if err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(program, text, 0o755); err != nil {
		t.Fatal(err)
	}
	for _, dir := range append(dirs, filepath.Dir(program)) {
		for ; dir != filepath.Clean(os.TempDir()); dir = filepath.Dir(dir) {
			if err := os.Chmod(dir, 0o755); err != nil {
				t.Fatal(err)
			}
		}
	}
	c.Path = program
	c.SysProcAttr = &syscall.SysProcAttr{Credential: &syscall.Credential{Uid: nobody, Gid: nobody}}
}

func TestWhatCannotBeReadIsSaidAndTheRestIsUsed(t *testing.T) {
	dir := unpack(t, "shop")
	closed := filepath.Join(dir, "closed")
	writeFile(t, filepath.Join(closed, "a.go"), "package closed\n")
	if err := os.Chmod(closed, 0o000); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = os.Chmod(closed, 0o700) }) // so that it can be deleted
	for _, args := range [][]string{{"index", dir}, {"complete", "--model", "embedded", "--root", dir, filepath.Join(dir, "cart", "cart.go") + ":40:1"}} {
		c := command(t.Context(), t, append(args, "--no-cache")...)
		unprivileged(t, c, dir)
		got := finish(t, c)
		if got.status != 0 || !strings.Contains(got.stderr, "1 files or folders could not be read, the first for this reason: read "+closed+": permission denied") {
			t.Errorf("%v: %+v", args, got)
		}
	}
	c := command(t.Context(), t, "doctor", "--json", "--model", "embedded", "--no-cache", dir)
	unprivileged(t, c, dir)
	found, got := examined(t, c)
	if d := found["ignored"]; got.status != 0 || d.Status != warning || !strings.Contains(d.Detail, closed+": permission denied") {
		t.Errorf("doctor: status %d, %+v", got.status, d)
	}
}
