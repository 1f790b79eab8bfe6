//go:build unix

package lsp

import (
	"errors"
	"os"
	"path/filepath"
	"syscall"
	"testing"
	"time"

	"readahead/index/regular"
)

func TestAConfigurationThatIsNoFileIsNamedAndTheRestGoesOn(t *testing.T) {
	dir := t.TempDir()
	fifo := filepath.Join(dir, ".readahead.toml")
	if err := syscall.Mkfifo(fifo, 0o600); err != nil {
		t.Fatal(err)
	}
	endless := t.TempDir()
	if err := os.Symlink("/dev/zero", filepath.Join(endless, ".readahead.toml")); err != nil {
		t.Fatal(err)
	}
	type loaded struct {
		c    Config
		errs []error
	}
	got := make(chan loaded, 1)
	go func() {
		c, errs := LoadConfig(fifo, []string{dir, endless})
		got <- loaded{c, errs}
	}()
	select {
	case l := <-got:
		if len(l.errs) != 2 || l.c.Samples != DefaultConfig().Samples {
			t.Errorf("errors %v, samples %d", l.errs, l.c.Samples)
		}
		for _, err := range l.errs {
			if !errors.Is(err, regular.ErrSpecial) {
				t.Errorf("%v is not %v", err, regular.ErrSpecial)
			}
		}
	case <-time.After(10 * time.Second):
		t.Fatal("loading the configuration has not ended")
	}
}
