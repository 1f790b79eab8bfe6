package main

import (
	"os"
	"path/filepath"
	"strings"
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
	touch("home/.git/HEAD") // for its settings
	touch("home/me/.git/HEAD")
	touch("home/me/notes/a.go")
	touch("home/me/package.json")
	touch("home/me/a.go")
	touch("home/me/__init__.py")
	touch("home/me/mine/__init__.py")
	touch("home/other/a.go")
	t.Setenv("HOME", filepath.Join(dir, "home", "me"))
	t.Setenv("TMPDIR", filepath.Join(dir, "tmp"))
	for file, want := range map[string]string{
		"repo/sub/a.go":            "repo",
		"loose/mod/pkg/a.go":       "loose/mod",
		"py/shop/cart/__init__.py": "py",
		"plain/a.txt":              "plain",
		"home/me/notes/a.go":       "home/me/notes",
		"home/me/mine/__init__.py": "home/me/mine",
		"home/me/a.go":             "home/me alone",
		"home/x.go":                "home alone",
		"home/other/a.go":          "home/other",
		"tmp/x.go":                 "tmp alone",
		"tmp/x/y.go":               "tmp/x",
		"/x.go":                    "/ alone",
		"/etc/passwd":              "/etc alone",
		"/opt/tool/src/a.go":       "/opt/tool/src",
	} {
		if !filepath.IsAbs(file) {
			file, want = filepath.Join(dir, file), filepath.Join(dir, want)
		}
		got, alone := workspaceOf(file)
		if alone {
			got += " alone"
		}
		if got != want {
			t.Errorf("workspace of %s is %s, want %s", file, got, want)
		}
	}
}

// strange is a name that is a pattern, too.
const strange = "a [b]*? \\!#.go"

func TestAFileWithoutAProjectIsReadAlone(t *testing.T) {
	home := t.TempDir()
	t.Setenv("READAHEAD_TEST_HOME", home)
	code := "package a\n\nfunc Secretive() int { return 1 }\n\nfunc B() int {\n\treturn \n}\n"
	for name, text := range map[string]string{strange: code, "diary.go": "package a\n\nfunc Diary() {}\n", "sub/other.go": "package sub\n"} {
		path := filepath.Join(home, name)
		if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	at := filepath.Join(home, strange) + ":6:9"
	r, got := complete(t, command(t.Context(), t, "complete", "--json", "--model", "embedded", at))
	if len(r.Items) == 0 || strings.Contains(got.stdout, "Diary") {
		t.Errorf("%s", got.stdout)
	}
	if n := indexed(t, home); n != 1 {
		t.Errorf("%d files were indexed", n)
	}
}

// What may not be completed in is refused before anything is read for it.
func TestARefusedFileIsRefusedBeforeItsFolderIsIndexed(t *testing.T) {
	home := t.TempDir()
	t.Setenv("READAHEAD_TEST_HOME", home)
	shop := unpack(t, "shop")
	if err := os.WriteFile(filepath.Join(shop, ".env"), []byte("KEY=x\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	for _, command := range []string{"complete", "inspect"} {
		got := run(t, command, filepath.Join(shop, ".env")+":1:1")
		if command == "complete" && (got.status != 1 || !strings.Contains(got.stderr, "the file is ignored")) {
			t.Errorf("%s: %+v", command, got)
		}
		if n := indexed(t, home); n != 0 {
			t.Errorf("%s: %d files were indexed", command, n)
		}
	}
}

// indexed is how many files the only cache of a home has.
func indexed(t *testing.T, home string) int {
	t.Helper()
	caches, err := filepath.Glob(filepath.Join(home, "readahead", "*.index"))
	if err != nil {
		t.Fatal(err)
	}
	if len(caches) == 0 {
		return 0
	}
	data, err := os.ReadFile(caches[0])
	if err != nil {
		t.Fatal(err)
	}
	n := 0
	for _, name := range []string{"diary.go", "other.go", "cart.go", "#.go"} {
		if strings.Contains(string(data), name) {
			n++
		}
	}
	return n
}

func TestTheHomeFolderAsAWorkspaceIsWarnedOf(t *testing.T) {
	home := t.TempDir()
	t.Setenv("READAHEAD_TEST_HOME", home)
	if err := os.WriteFile(filepath.Join(home, "a.go"), []byte("package a\n\nfunc A() {}\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	if got := run(t, "index", home); got.status != 0 || strings.Count(got.stderr, "all of "+home+" is read") != 1 {
		t.Errorf("%+v", got)
	}
	found, _ := examined(t, command(t.Context(), t, "doctor", "--json", "--model", "embedded", home))
	if d := found["index"]; d.Status != warning || !strings.Contains(d.Detail, "not read: "+home) {
		t.Errorf("%+v", d)
	}
	if got := run(t, "complete", "--model", "embedded", filepath.Join(home, "a.go")+":1:1"); strings.Contains(got.stderr, "is read") {
		t.Errorf("%+v", got)
	}
}
