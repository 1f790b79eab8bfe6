package ignore

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
)

// walk lists what Walk reports; folders end in "/".
func walk(t *testing.T, r *Rules, from string) ([]string, Census) {
	t.Helper()
	var got []string
	census, err := r.Walk(t.Context(), from, func(e Entry) error {
		name := e.Path
		if e.Dir {
			name += "/"
		} else if e.ModTime.IsZero() {
			t.Errorf("%s has no time", e.Path)
		}
		got = append(got, name)
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	return got, census
}

func TestWalkReportsWhatMayBeReadInOrder(t *testing.T) {
	noGitSettings(t)
	dir := folderOf(t,
		"b.go: x", "a/z.go: x", "a/b/c.go: x", "a-b.go: x", "new\nline.go: x",
		".gitignore: *.log|/out/", "x.log: x", "out/x.go: x", "a/.gitignore: !y.log", "a/y.log: x",
		".git/config: x", ".env: x", "node_modules/m/i.js: x", "venv/pyvenv.cfg: x", "venv/lib.py: x",
		"big.txt: "+strings.Repeat("x", DefaultMaxFileSize+1),
	)
	got, census := walk(t, open(t, dir), "")
	want := []string{"/", ".gitignore", "a/", "a/.gitignore", "a/b/", "a/b/c.go", "a/y.log", "a/z.go", "a-b.go", "b.go", "new\nline.go"}
	if !slices.Equal(got, want) {
		t.Errorf("got  %q\nwant %q", got, want)
	}
	if want := (Census{Files: 8, Dirs: 3, Ignored: 6, TooLarge: 1}); census != want {
		t.Errorf("got %+v, want %+v", census, want)
	}
}

func TestWalkStartsAnywhere(t *testing.T) {
	noGitSettings(t)
	r := open(t, folderOf(t, ".gitignore: *.log", "a/b/c.go: x", "a/b/c.log: x", "d.go: x", "node_modules/i.js: x"))
	for from, want := range map[string]string{
		"a/b": "a/b/ a/b/c.go", "a/b/c.go": "a/b/c.go", "a/b/c.log": "", "missing": "", "node_modules": "", "node_modules/i.js": "", "../x": "", ".": "/ .gitignore a/ a/b/ a/b/c.go d.go",
	} {
		got, _ := walk(t, r, from)
		if strings.Join(got, " ") != want {
			t.Errorf("from %q: got %q, want %q", from, got, want)
		}
	}
}

func TestWalkNeverFollowsLinks(t *testing.T) {
	noGitSettings(t)
	outside := folderOf(t, "secret.go: x")
	dir := folderOf(t, "a/x.go: x")
	for link, target := range map[string]string{"out": outside, "a/loop": dir, "self": filepath.Join(dir, "self"), "file.go": filepath.Join(outside, "secret.go"), "gone": "nowhere"} {
		if err := os.Symlink(target, filepath.Join(dir, link)); err != nil {
			t.Fatal(err)
		}
	}
	r := open(t, dir)
	got, census := walk(t, r, "")
	if strings.Join(got, " ") != "/ a/ a/x.go" || census.Special != 5 {
		t.Errorf("got %q, %+v", got, census)
	}
	for _, from := range []string{"out", "out/secret.go", "file.go"} {
		if got, _ := walk(t, r, from); len(got) > 0 {
			t.Errorf("from %s: got %q", from, got)
		}
	}
	for _, path := range []string{"out/secret.go", "file.go", "gone", "a/loop"} {
		if src, v, err := r.Read(path); err == nil && !v.Ignored || src.Data != nil {
			t.Errorf("read %s: %q", path, src.Data)
		}
	}
}

func TestWalkEndsWhenAsked(t *testing.T) {
	noGitSettings(t)
	r := open(t, folderOf(t, "a/x.go: x", "b/x.go: x", "c.go: x"))
	broken := errors.New("broken")
	for _, tt := range []struct {
		at   string
		give error
		want error
		seen string
	}{
		{"a", fs.SkipDir, nil, " a b b/x.go c.go"},
		{"a", fs.SkipAll, nil, " a"},
		{"a/x.go", fs.SkipDir, nil, " a a/x.go b b/x.go c.go"},
		{"b", broken, broken, " a a/x.go b"},
	} {
		var seen []string
		_, err := r.Walk(t.Context(), "", func(e Entry) error {
			seen = append(seen, e.Path)
			if e.Path == tt.at {
				return tt.give
			}
			return nil
		})
		if err != tt.want || strings.Join(seen, " ") != tt.seen {
			t.Errorf("%v at %s: got %v after %q", tt.give, tt.at, err, seen)
		}
	}
	ctx, cancel := context.WithCancel(t.Context())
	n := 0
	_, err := r.Walk(ctx, "", func(Entry) error { n++; cancel(); return nil })
	if !errors.Is(err, context.Canceled) || n != 1 {
		t.Errorf("cancelled: got %v after %d entries", err, n)
	}
}

// What Walk reports and what Match says must be the same thing.
func TestWalkAgreesWithMatch(t *testing.T) {
	repo := newGit(t)
	g := gen{newRand(5)}
	var asked []string
	for i := range 6 {
		asked = append(asked, g.tree(repo, fmt.Sprintf("t%d", i), 0)...)
	}
	for _, p := range asked {
		if !strings.HasSuffix(p, "/") && !strings.Contains(p, "\x00") {
			repo.write(p, "x")
		}
	}
	walked, _ := walk(t, repo.rules(""), "")
	reported := map[string]bool{}
	for _, p := range walked {
		reported[p] = true
	}
	fresh := repo.rules("")
	for _, p := range asked {
		ignored := fresh.Match(strings.TrimSuffix(p, "/"), strings.HasSuffix(p, "/")).Ignored
		if reported[p] == ignored {
			t.Errorf("%q: reported %v, ignored %v", p, reported[p], ignored)
		}
	}
}
