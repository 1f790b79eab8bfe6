//go:build unix

package index

import (
	"fmt"
	"net"
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
)

// A repository can name anything, and link anywhere. What is in it must cost a
// bounded time, and be found or left out by the rules, whatever it is called.
func TestAHostileWorkspaceIsIndexedLikeAnyOther(t *testing.T) {
	root, outside := t.TempDir(), t.TempDir()
	names := []string{"new\nline.go", "tab\t.go", "\x1b[31mred.go", "bad\xff\xfeutf8.go", "\u202egnp.go", " .go", "-rf.go", "a;rm -rf ~.go", strings.Repeat("x", 250) + ".go", `back\slash.go`}
	for i, name := range names {
		write(t, filepath.Join(root, "names", name), fmt.Sprintf("package names\n\nfunc Odd%d() {}\n", i))
	}
	write(t, filepath.Join(root, "line\nfolder", "a.go"), "package folder\n\nfunc InFolder() {}\n")
	write(t, filepath.Join(root, "text", "bytes.go"), "package text\n\nfunc Before() {}\n\nvar x = \"\xff\xfe\xc3(\"\n\nfunc After() {}\n")
	write(t, filepath.Join(outside, "secret.go"), "package secret\n\nfunc Outside() {}\n")
	closed := filepath.Join(root, "closed")
	write(t, filepath.Join(closed, "a.go"), "package closed\n")
	write(t, filepath.Join(root, "unreadable.go"), "package root\n")
	for path, mode := range map[string]os.FileMode{closed: 0, filepath.Join(root, "unreadable.go"): 0} {
		if err := os.Chmod(path, mode); err != nil {
			t.Fatal(err)
		}
		t.Cleanup(func() { _ = os.Chmod(path, 0o700) }) // so that the folder can be removed
	}
	links := filepath.Join(root, "links")
	if err := os.Mkdir(links, 0o700); err != nil {
		t.Fatal(err)
	}
	for name, target := range map[string]string{
		"self.go": "self.go", "ping": "pong", "pong": "ping", "up": "..", "out": outside, "out.go": filepath.Join(outside, "secret.go"),
		"zero.go": "/dev/zero", "tty.go": "/dev/tty", "kmsg.go": "/proc/kmsg", "nothing.go": "absent",
	} {
		if err := os.Symlink(target, filepath.Join(links, name)); err != nil {
			t.Fatal(err)
		}
	}
	if err := syscall.Mkfifo(filepath.Join(root, "fifo.go"), 0o600); err != nil {
		t.Fatal(err)
	}
	socket, err := net.Listen("unix", filepath.Join(root, "s.go"))
	if err != nil {
		t.Fatal(err)
	}
	defer socket.Close()

	soon(t, "building, twice, and events of every path", func() {
		cache := t.TempDir()
		for range 2 {
			ix := built(t, Options{Roots: []string{root}, CacheDir: cache})
			var paths []string
			_ = filepath.WalkDir(root, func(path string, _ os.DirEntry, _ error) error {
				paths = append(paths, path)
				return nil
			})
			ix.FilesChanged(t.Context(), append(paths, filepath.Join(root, "no\x00such"), ""))
			got := dump(ix.Snapshot())
			for i, name := range names {
				if !strings.Contains(got, fmt.Sprintf("Odd%d", i)) {
					t.Errorf("%q is not indexed", name)
				}
			}
			for _, want := range []string{"InFolder", "Before", "After"} {
				if !strings.Contains(got, want) {
					t.Errorf("%s is not indexed", want)
				}
			}
			if n := ix.Snapshot().Stats().Passed; os.Geteuid() != 0 && (n.Unreadable != 2 || !strings.Contains(n.Problem, "permission denied (see who may use it")) || n.Special < 12 {
				t.Errorf("passed over: %+v", n)
			}
			if strings.Contains(got, "Outside") {
				t.Error("what a link leads to outside is indexed")
			}
			for f := range ix.Snapshot().Files() {
				_, _ = ix.Snapshot().Text(f.Path) // an answer, whichever
			}
			ix.Close()
		}
	})
}
