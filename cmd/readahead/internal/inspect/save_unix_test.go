//go:build unix

package inspect

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"
)

func mode(t *testing.T, path string) os.FileMode {
	t.Helper()
	info, err := os.Stat(path)
	if err != nil {
		t.Fatal(err)
	}
	return info.Mode().Perm()
}

func TestOnlyTheUserCanReadAPage(t *testing.T) {
	f := Folder{Path: filepath.Join(t.TempDir(), "pages")}
	first, err := f.Save([]byte(`{}`), "v")
	if err != nil {
		t.Fatal(err)
	}
	second, err := f.Save([]byte(`{}`), "v")
	if err != nil || first == second {
		t.Fatalf("a second page at %s: %v", second, err)
	}
	if mode(t, first) != 0o600 || mode(t, filepath.Dir(first)) != 0o700 {
		t.Errorf("file %o in folder %o", mode(t, first), mode(t, filepath.Dir(first)))
	}

	old := filepath.Join(t.TempDir(), "page.html")
	if err := os.WriteFile(old, []byte("<!doctype html>\nold"), 0o644); err != nil {
		t.Fatal(err)
	}
	if err := Save(old, []byte(`{}`), "v"); err != nil {
		t.Fatal(err)
	}
	if mode(t, old) != 0o600 {
		t.Errorf("a file that was there has mode %o", mode(t, old))
	}
}

func TestAPageReplacesNothingButAPage(t *testing.T) {
	for _, tt := range []struct {
		name, old string
		replaced  bool
	}{
		{"a page", "<!doctype html>\n<html>", true},
		{"an empty file", "", true},
		{"a source", "package main\n\nfunc main() {}\n", false},
		{"a source shorter than what a page begins with", "x", false},
		{"the beginning of a page's beginning", "<!doc", false},
	} {
		path := filepath.Join(t.TempDir(), "file")
		if err := os.WriteFile(path, []byte(tt.old), 0o644); err != nil {
			t.Fatal(err)
		}
		err := Save(path, []byte(`{}`), "v")
		now, readErr := os.ReadFile(path)
		if readErr != nil {
			t.Fatal(readErr)
		}
		if tt.replaced != (err == nil) || tt.replaced != strings.HasPrefix(string(now), "<!doctype html>\n<html") || !tt.replaced && string(now) != tt.old {
			t.Errorf("%s: error %v, and the file is %.40q", tt.name, err, now)
		}
	}
}

func TestAPageReplacesNothingButAFile(t *testing.T) {
	dir := t.TempDir()
	target, link, folder := filepath.Join(dir, "target"), filepath.Join(dir, "link"), filepath.Join(dir, "folder")
	if err := os.WriteFile(target, []byte("mine"), 0o644); err != nil {
		t.Fatal(err)
	}
	if err := os.Mkdir(folder, 0o755); err != nil {
		t.Fatal(err)
	}
	if err := os.Symlink(target, link); err != nil {
		t.Fatal(err)
	}
	for _, path := range []string{folder, link, filepath.Join(dir, "absent", "page.html")} {
		if err := Save(path, []byte(`{}`), "v"); err == nil || !strings.Contains(err.Error(), path) {
			t.Errorf("%s: error %v", path, err)
		}
	}
	if err := Save(filepath.Join(dir, "page.html"), []byte(`nonsense`), "v"); err == nil {
		t.Error("nonsense was written")
	}
	left, err := os.ReadDir(dir)
	if err != nil {
		t.Fatal(err)
	}
	for _, e := range left {
		if strings.HasPrefix(e.Name(), ".") || e.Name() == "page.html" {
			t.Errorf("left behind: %s", e.Name())
		}
	}
	if text, err := os.ReadFile(target); err != nil || string(text) != "mine" {
		t.Errorf("the link's target is %q, %v", text, err)
	}
}

func TestNoMoreThanTheNewestPagesAreKept(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "pages")
	other := Folder{Path: dir}
	oldest, err := other.Save([]byte(`{}`), "v")
	if err != nil {
		t.Fatal(err)
	}
	mine := filepath.Join(dir, "notes.html")
	if err := os.WriteFile(mine, []byte("mine"), 0o600); err != nil {
		t.Fatal(err)
	}
	f, paths := Folder{Path: dir}, []string{}
	for range keptPages {
		p, err := f.Save([]byte(`{}`), "v")
		if err != nil {
			t.Fatal(err)
		}
		paths = append(paths, p)
	}
	if _, err := os.Stat(oldest); !os.IsNotExist(err) {
		t.Errorf("the oldest page is still there, %v", err)
	}
	for _, p := range append(paths, mine) {
		if _, err := os.Stat(p); err != nil {
			t.Error(err)
		}
	}
	if err := other.Remove(); err != nil {
		t.Errorf("a page that is gone already: %v", err)
	}
	if err := f.Remove(); err != nil {
		t.Fatal(err)
	}
	if left, err := os.ReadDir(dir); err != nil || len(left) != 1 {
		t.Errorf("left are %v, %v", left, err)
	}
}

func TestWhatWasBegunByAKilledProcessIsDeleted(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "pages")
	f := Folder{Path: dir}
	if _, err := f.Save([]byte(`{}`), "v"); err != nil {
		t.Fatal(err)
	}
	old, fresh, mine := filepath.Join(dir, ".readahead-1"), filepath.Join(dir, ".readahead-2"), filepath.Join(dir, "notes")
	long := time.Now().Add(-2 * unfinished)
	for _, path := range []string{old, fresh, mine} {
		if err := os.WriteFile(path, []byte("<!doctype html>"), 0o600); err != nil {
			t.Fatal(err)
		}
		if path == fresh { // another process may be writing it
			continue
		}
		if err := os.Chtimes(path, long, long); err != nil {
			t.Fatal(err)
		}
	}
	if _, err := f.Save([]byte(`{}`), "v"); err != nil {
		t.Fatal(err)
	}
	for path, want := range map[string]bool{old: false, fresh: true, mine: true} {
		if _, err := os.Stat(path); (err == nil) != want {
			t.Errorf("%s: %v", filepath.Base(path), err)
		}
	}
}

func TestAPageWithoutAPlaceSaysHowToGiveItOne(t *testing.T) {
	file := filepath.Join(t.TempDir(), "file")
	if err := os.WriteFile(file, nil, 0o600); err != nil {
		t.Fatal(err)
	}
	for _, dir := range []string{"", filepath.Join(file, "pages")} {
		f := Folder{Path: dir}
		if _, err := f.Save([]byte(`{}`), "v"); err == nil || !strings.Contains(err.Error(), "--out") {
			t.Errorf("%q: %v", dir, err)
		}
	}
}
