//go:build unix

package ignore

import (
	"net"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
)

// Opening a FIFO that nobody writes to would wait forever.
func TestWhatIsNoFileIsNeverOpened(t *testing.T) {
	noGitSettings(t)
	dir := folderOf(t, "a.go: x", "sub/b.go: x", "own/c.go: x")
	for _, fifo := range []string{"pipe.go", "sub/.gitignore", "own/" + FileName, ".git", "CACHEDIR.TAG"} {
		if err := syscall.Mkfifo(filepath.Join(dir, fifo), 0o666); err != nil {
			t.Fatal(err)
		}
	}
	socket, err := net.Listen("unix", filepath.Join(dir, "s.go"))
	if err != nil {
		t.Fatal(err)
	}
	defer socket.Close()
	r := open(t, dir)
	got, _ := walk(t, r, "")
	if strings.Join(got, " ") != "/ a.go sub/ sub/b.go" {
		t.Errorf("got %q", got)
	}
	if v := r.Match("own/c.go", false); !v.Ignored || !strings.Contains(v.Why, "no regular file") {
		t.Errorf("beside rules that cannot be read: %v", v)
	}
	for _, path := range []string{"pipe.go", "s.go"} {
		if ok, why := r.Readable(path); ok || why != "not a regular file" {
			t.Errorf("%s: %v, %q", path, ok, why)
		}
	}
}
