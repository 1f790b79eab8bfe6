//go:build unix

package regular

import (
	"errors"
	"os"
	"path/filepath"
	"syscall"
	"testing"
	"time"
)

func TestWhatIsNoFileIsRefusedAtOnce(t *testing.T) {
	dir := t.TempDir()
	fifo, zero := filepath.Join(dir, "fifo"), filepath.Join(dir, "zero")
	if err := syscall.Mkfifo(fifo, 0o600); err != nil {
		t.Fatal(err)
	}
	if err := os.Symlink("/dev/zero", zero); err != nil {
		t.Fatal(err)
	}
	for _, path := range []string{fifo, zero, "/dev/null"} {
		got := make(chan error, 1)
		go func() {
			_, err := Read(path, 1<<20)
			got <- err
		}()
		select {
		case err := <-got:
			if !errors.Is(err, ErrSpecial) {
				t.Errorf("%s: %v, want %v", path, err, ErrSpecial)
			}
		case <-time.After(5 * time.Second):
			t.Errorf("%s: reading it has not ended", path)
		}
	}
}

// /proc/kmsg is the file of this kind; only root may open it. A pipe is read in
// the same way.
func TestNothingIsWaitedForInAnOpenFile(t *testing.T) {
	for _, tt := range []struct {
		name, written string
		ended         bool
		limit         int64
		want          string
		err           error
	}{
		{"nothing to read yet", "", false, 10, "", ErrSpecial},
		{"something, and more to come", "abc", false, 10, "", ErrSpecial},
		{"as much as is wanted", "abc", false, 3, "abc", nil},
		{"the end", "abc", true, 10, "abc", nil},
	} {
		r, w, err := os.Pipe()
		if err != nil {
			t.Fatal(err)
		}
		if _, err := w.WriteString(tt.written); err != nil {
			t.Fatal(err)
		}
		if tt.ended {
			w.Close()
		}
		// A read that waits all the same is woken, and then fails otherwise.
		time.AfterFunc(5*time.Second, func() { w.Close() })
		got, err := Content(r, -1, tt.limit)
		if string(got) != tt.want || !errors.Is(err, tt.err) {
			t.Errorf("%s: %q, %v; want %q, %v", tt.name, got, err, tt.want, tt.err)
		}
		r.Close()
		w.Close()
	}
}

func TestAppendWritesToFilesOnly(t *testing.T) {
	dir := t.TempDir()
	fifo := filepath.Join(dir, "fifo")
	if err := syscall.Mkfifo(fifo, 0o600); err != nil {
		t.Fatal(err)
	}
	if _, err := Append(fifo, 0o600); !errors.Is(err, ErrSpecial) {
		t.Errorf("a FIFO: %v, want %v", err, ErrSpecial)
	}
	path := filepath.Join(dir, "log")
	for range 2 {
		f, err := Append(path, 0o600)
		if err != nil {
			t.Fatal(err)
		}
		if _, err := f.WriteString("line\n"); err != nil {
			t.Fatal(err)
		}
		f.Close()
	}
	if got, err := Read(path, 100); string(got) != "line\nline\n" || err != nil {
		t.Errorf("the file holds %q, %v", got, err)
	}
}
