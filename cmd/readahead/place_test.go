package main

import (
	"os"
	"path/filepath"
	"testing"
)

func TestPlace(t *testing.T) {
	for _, tt := range []struct {
		arg, text string
		offset    int
		err       string
	}{
		{"a.go:1:1", "x\n", 0, ""},
		{"a.go:2:3", "ab\ncde\n", 5, ""},
		{"a.go:2:4", "ab\ncde\n", 6, ""},
		{"a.go:2:5", "ab\ncde\n", 0, "line 2 of a.go has 3 characters, so its columns are 1 to 4; there is no column 5"},
		{"a.go:3:1", "ab\ncde\n", 7, ""},
		{"a.go:4:1", "ab\ncde\n", 0, "a.go has 3 lines, there is no line 4"},
		{"a.go:1:3", "ab\r\nc", 2, ""},
		{"a.go:1:4", "ab\r\nc", 0, "line 1 of a.go has 2 characters, so its columns are 1 to 3; there is no column 4"},
		{"a.go:1:3", "μ😀x", 6, ""},
		{"a.go:1:2", "\xff\xfe", 1, ""},
		{`C:\a.go:1:1`, "x", 0, ""},
		{"a:b.go:1:2", "x", 1, ""},
		{"a.go", "", 0, `"a.go" is not FILE:LINE:COL (for example main.go:12:5, counted from 1)`},
		{"a.go:1", "", 0, `"a.go:1" is not FILE:LINE:COL (for example main.go:12:5, counted from 1)`},
		{"a.go:0:1", "", 0, `"a.go:0:1" is not FILE:LINE:COL (for example main.go:12:5, counted from 1)`},
		{"a.go:1:x", "", 0, `"a.go:1:x" is not FILE:LINE:COL (for example main.go:12:5, counted from 1)`},
		{":1:1", "", 0, `":1:1" is not FILE:LINE:COL (for example main.go:12:5, counted from 1)`},
	} {
		p, err := parsePlace(tt.arg)
		got := 0
		if err == nil {
			got, err = p.offset([]byte(tt.text))
		}
		said := ""
		if err != nil {
			said = err.Error()
		}
		if got != tt.offset || said != tt.err {
			t.Errorf("%s in %q: offset %d, error %q; want %d, %q", tt.arg, tt.text, got, said, tt.offset, tt.err)
		}
	}
}

func TestWorkspaceOf(t *testing.T) {
	dir := t.TempDir()
	touch := func(path string) {
		t.Helper()
		path = filepath.Join(dir, path)
		if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(path, nil, 0o644); err != nil {
			t.Fatal(err)
		}
	}
	touch("repo/.git/HEAD")
	touch("repo/sub/go.mod")
	touch("repo/sub/a.go")
	touch("loose/mod/go.mod")
	touch("loose/mod/pkg/a.go")
	touch("py/shop/cart/__init__.py")
	touch("py/shop/__init__.py")
	touch("plain/a.txt")
	for file, want := range map[string]string{
		"repo/sub/a.go":            "repo",
		"loose/mod/pkg/a.go":       "loose/mod",
		"py/shop/cart/__init__.py": "py",
		"plain/a.txt":              "plain",
	} {
		if got := workspaceOf(filepath.Join(dir, file)); got != filepath.Join(dir, want) {
			t.Errorf("workspace of %s is %s, want %s", file, got, want)
		}
	}
}
