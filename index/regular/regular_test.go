package regular

import (
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"testing"
)

func TestReadTakesFilesUpToTheLimit(t *testing.T) {
	dir := t.TempDir()
	path := filepath.Join(dir, "five")
	if err := os.WriteFile(path, []byte("12345"), 0o600); err != nil {
		t.Fatal(err)
	}
	empty := filepath.Join(dir, "empty")
	if err := os.WriteFile(empty, nil, 0o600); err != nil {
		t.Fatal(err)
	}
	link := filepath.Join(dir, "link")
	if err := os.Symlink("five", link); err != nil {
		t.Fatal(err)
	}
	tests := []struct {
		name  string
		path  string
		limit int64
		want  string
		err   error
	}{
		{"a file as long as the limit is read whole", path, 5, "12345", nil},
		{"an empty file is empty", empty, 5, "", nil},
		{"a file below the limit is read whole", path, 1 << 40, "12345", nil},
		{"a longer file is refused, not cut", path, 4, "", ErrTooLong},
		{"a link to a file is followed", link, 5, "12345", nil},
		{"a folder is no file", dir, 5, "", ErrSpecial},
		{"a file that does not exist is said not to", filepath.Join(dir, "none"), 5, "", fs.ErrNotExist},
	}
	for _, test := range tests {
		got, err := Read(test.path, test.limit)
		if string(got) != test.want || !errors.Is(err, test.err) {
			t.Errorf("%s: got %q, %v; want %q, %v", test.name, got, err, test.want, test.err)
		}
		if e := (*fs.PathError)(nil); err != nil && !errors.As(err, &e) {
			t.Errorf("%s: %v names no path", test.name, err)
		}
	}
}
