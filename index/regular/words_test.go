package regular

import (
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
)

func TestErrorsAboutPathsSayWhatToDo(t *testing.T) {
	dir := t.TempDir()
	absent := filepath.Join(dir, "absent")
	file := filepath.Join(dir, "file")
	if err := os.WriteFile(file, nil, 0o600); err != nil {
		t.Fatal(err)
	}
	_, missing := os.Stat(absent)
	below := os.MkdirAll(filepath.Join(file, "x"), 0o700)
	for _, tt := range []struct {
		name string
		err  error
		want string
		is   error
	}{
		{"what is not there", Plain("read", "p", missing), "read p: there is no such file or folder (check the path)", fs.ErrNotExist},
		{"a folder in a file", Plain("make", "p", below), "make p: a part of the path is no folder (check the path)", syscall.ENOTDIR},
		{"two paths", Plain("write", "p", os.Rename(absent, file)), "write p: there is no such file or folder (check the path)", fs.ErrNotExist},
		{"a full disk", Plain("write", "p", &fs.PathError{Op: "write", Path: "q", Err: syscall.ENOSPC}), "write p: no space is left on the device (make room there)", syscall.ENOSPC},
		{"said already", Plain("keep", "q", Plain("write", "p", missing)), "keep q: there is no such file or folder (check the path)", fs.ErrNotExist},
		{"our own words", Plain("write", "p", errors.New("there is a page")), "write p: there is a page", nil},
	} {
		of := (*fs.PathError)(nil)
		if tt.err.Error() != tt.want || tt.is != nil && !errors.Is(tt.err, tt.is) || !errors.As(tt.err, &of) {
			t.Errorf("%s: %v, want %s", tt.name, tt.err, tt.want)
		}
	}
	if err := Plain("write", "p", nil); err != nil {
		t.Errorf("of no error it makes %v", err)
	}
	if _, err := Read(absent, 1); err == nil || strings.Contains(err.Error(), "stat") || !strings.Contains(err.Error(), absent+": there is no such file") {
		t.Errorf("Read: %v", err)
	}
}
