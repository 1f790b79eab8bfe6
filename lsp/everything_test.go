package lsp

import (
	"path/filepath"
	"strings"
	"testing"
)

func TestFoldersOfEverythingAreNobodysWorkspace(t *testing.T) {
	home := filepath.Join(t.TempDir(), "home", "me")
	t.Setenv("HOME", home)
	t.Setenv("TMPDIR", "/somewhere/tmp")
	for dir, want := range map[string]bool{
		"/": true, home: true, home + "/": true, filepath.Dir(home): true, "/somewhere/tmp": true, "/somewhere/tmp/x": false,
		filepath.Join(home, "project"): false, filepath.Join(filepath.Dir(home), "other"): false, home + "2": false, "/srv": false,
	} {
		if HoldsEverything(dir) != want {
			t.Errorf("%s: %v", dir, !want)
		}
	}
	if got := TooWide([]string{"/srv", home, "/"}); !strings.HasPrefix(got, "all of "+home+" and / is read") || TooWide([]string{"/srv"}) != "" {
		t.Errorf("%q", got)
	}
}

func TestAnEditorThatOpensTheHomeFolderIsToldOnce(t *testing.T) {
	t.Setenv("HOME", "/home/me") // where start is
	f := newFake()
	c := connect(t, f, testOptions())
	c.start(`{}`)
	c.noted("window/showMessage", "all of /home/me is read", "open the folder of a project instead")
}
