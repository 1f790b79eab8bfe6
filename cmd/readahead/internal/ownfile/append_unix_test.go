//go:build unix

package ownfile

import (
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
)

func TestALogIsTheUsersAloneWhateverWasThere(t *testing.T) {
	dir := t.TempDir()
	write := func(name, text string, mode os.FileMode) string {
		path := filepath.Join(dir, name)
		if err := os.WriteFile(path, []byte(text), mode); err != nil {
			t.Fatal(err)
		}
		if err := os.Chmod(path, mode); err != nil {
			t.Fatal(err)
		}
		return path
	}
	for _, tt := range []struct{ name, path, want string }{
		{"none yet", filepath.Join(dir, "new"), "line\n"},
		{"one that all can read", write("open", "old\n", 0o644), "old\nline\n"},
		{"one that all can write", write("wide", "old\n", 0o666), "old\nline\n"},
		{"a private one", write("private", "old\n", 0o600), "old\nline\n"},
	} {
		f, err := Append(tt.path)
		if err != nil {
			t.Errorf("%s: %v", tt.name, err)
			continue
		}
		_, werr := f.WriteString("line\n")
		info, serr := os.Stat(tt.path)
		text, rerr := os.ReadFile(tt.path)
		if werr != nil || serr != nil || rerr != nil || f.Close() != nil {
			t.Fatal(werr, serr, rerr)
		}
		if info.Mode().Perm() != Private || string(text) != tt.want {
			t.Errorf("%s: mode %o, and it holds %q", tt.name, info.Mode().Perm(), text)
		}
	}
}

func TestALogGoesThroughNoLink(t *testing.T) {
	dir := t.TempDir()
	work := filepath.Join(dir, "work")
	if err := os.WriteFile(work, []byte("mine\n"), 0o644); err != nil {
		t.Fatal(err)
	}
	for name, target := range map[string]string{"link": work, "dangling": filepath.Join(dir, "absent")} {
		link := filepath.Join(dir, name)
		if err := os.Symlink(target, link); err != nil {
			t.Fatal(err)
		}
		if _, err := Append(link); err == nil || !strings.Contains(err.Error(), "name the file itself") {
			t.Errorf("%s: %v", name, err)
		}
	}
	if _, err := os.Lstat(filepath.Join(dir, "absent")); err == nil {
		t.Error("a file was made through a link")
	}
	if info, err := os.Stat(work); err != nil || info.Mode().Perm() != 0o644 {
		t.Errorf("what the link leads to was changed: %v, %v", info, err)
	}
}

func TestWhatBelongsToOthersIsNotTaken(t *testing.T) {
	dir := t.TempDir()
	file, folder := filepath.Join(dir, "file"), filepath.Join(dir, "folder")
	if err := os.WriteFile(file, nil, 0o666); err != nil {
		t.Fatal(err)
	}
	if err := os.Mkdir(folder, 0o755); err != nil {
		t.Fatal(err)
	}
	if os.Geteuid() != 0 { // only root can give a file away; what is root's already does as well
		file, folder = "/etc/hosts", "/etc"
	} else if err := syscall.Chown(file, 12345, 12345); err != nil {
		t.Fatal(err)
	} else if err := syscall.Chown(folder, 12345, 12345); err != nil {
		t.Fatal(err)
	}
	if f, err := Append(file); err == nil {
		f.Close()
		t.Error("a log went into another user's file")
	}
	if err := PrivateFolder(folder); err == nil {
		t.Error("another user's folder was taken")
	}
}

func TestAPrivateFolderIsClosedToOthers(t *testing.T) {
	dir := t.TempDir()
	open, link := filepath.Join(dir, "open"), filepath.Join(dir, "link")
	if err := os.Mkdir(open, 0o777); err != nil {
		t.Fatal(err)
	}
	if err := os.Symlink(open, link); err != nil {
		t.Fatal(err)
	}
	for _, path := range []string{open, filepath.Join(dir, "a", "b")} {
		if err := PrivateFolder(path); err != nil {
			t.Fatal(err)
		}
		if info, err := os.Stat(path); err != nil || info.Mode().Perm() != 0o700 {
			t.Errorf("%s: %v, %v", path, info, err)
		}
	}
	if err := PrivateFolder(link); err == nil || !strings.Contains(err.Error(), "symbolic link") {
		t.Errorf("a link: %v", err)
	}
}
