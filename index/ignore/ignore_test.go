package ignore

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"
)

// folderOf makes a folder from "NAME: text" lines; "NAME/" is an empty folder.
// Lines are separated by "|" in the text.
func folderOf(t testing.TB, files ...string) string {
	t.Helper()
	dir := t.TempDir()
	fill(t, dir, files...)
	return dir
}

func fill(t testing.TB, dir string, files ...string) {
	t.Helper()
	for _, f := range files {
		name, text, _ := strings.Cut(f, ": ")
		if strings.HasSuffix(name, "/") {
			if err := os.MkdirAll(filepath.Join(dir, name), 0o777); err != nil {
				t.Fatal(err)
			}
			continue
		}
		writeFile(t, filepath.Join(dir, name), strings.ReplaceAll(text, "|", "\n")+"\n")
	}
}

func open(t testing.TB, dir string, patterns ...string) *Rules {
	t.Helper()
	r, err := New(dir, Options{Patterns: patterns})
	if err != nil {
		t.Fatal(err)
	}
	return r
}

// noGitSettings hides those of whoever runs the tests.
func noGitSettings(t *testing.T) {
	t.Setenv("HOME", t.TempDir())
	t.Setenv("XDG_CONFIG_HOME", "")
	t.Setenv("GIT_CONFIG_NOSYSTEM", "1")
}

func TestVerdicts(t *testing.T) {
	noGitSettings(t)
	tests := []struct {
		name     string
		files    []string
		patterns []string
		path     string // folders end in "/"
		ignored  bool
		why      string
	}{
		{"without rules everything may be read",
			nil, nil, "a/b.go", false, ""},
		{"a pattern without a slash holds at every depth",
			[]string{".gitignore: *.log"}, nil, "a/b/c.log", true, ".gitignore:1: *.log"},
		{"a pattern with a slash holds where it stands",
			[]string{".gitignore: doc/x"}, nil, "a/doc/x", false, ""},
		{"a leading slash anchors",
			[]string{".gitignore: /x"}, nil, "a/x", false, ""},
		{"two stars cross folders",
			[]string{".gitignore: **/gen/*.go"}, nil, "a/b/gen/x.go", true, ".gitignore:1: **/gen/*.go"},
		{"the last match decides",
			[]string{".gitignore: *.go|!keep.go|keep.go"}, nil, "keep.go", true, ".gitignore:3: keep.go"},
		{"a negation brings a file back and says so",
			[]string{".gitignore: *.go|!keep.go"}, nil, "keep.go", false, ".gitignore:2: !keep.go"},
		{"a deeper file wins",
			[]string{".gitignore: *.go", "a/.gitignore: !*.go", "a/b/x.go: "}, nil, "a/b/x.go", false, "a/.gitignore:1: !*.go"},
		{"nothing in an ignored folder comes back",
			[]string{".gitignore: a/", "a/.gitignore: !*.go", "a/x.go: "}, nil, "a/x.go", true, ".gitignore:1: a/"},
		{"a folder pattern is not for files",
			[]string{".gitignore: x/"}, nil, "x", false, ""},
		{"a folder pattern is for folders",
			[]string{".gitignore: x/"}, nil, "x/", true, ".gitignore:1: x/"},

		{".readaheadignore hides what git tracks",
			[]string{FileName + ": third_party/"}, nil, "third_party/x.go", true, ".readaheadignore:1: third_party/"},
		{".readaheadignore brings back what git ignores",
			[]string{".gitignore: gen/", FileName + ": !gen/", "gen/x.go: "}, nil, "gen/x.go", false, ""},
		{".gitignore cannot bring back what .readaheadignore hides, however deep",
			[]string{FileName + ": *.sql", "a/.gitignore: !x.sql", "a/x.sql: "}, nil, "a/x.sql", true, ".readaheadignore:1: *.sql"},
		{"a deeper .readaheadignore can",
			[]string{FileName + ": *.sql", "a/" + FileName + ": !x.sql", "a/x.sql: "}, nil, "a/x.sql", false, "a/.readaheadignore:1: !x.sql"},
		{"settings win over .readaheadignore",
			[]string{FileName + ": !x.go"}, []string{"/x.go"}, "x.go", true, "configuration: /x.go"},
		{"settings can bring back too",
			[]string{FileName + ": x.go"}, []string{"*.go", "!x.go"}, "x.go", false, "configuration: !x.go"},

		{"a secret stays one, whatever .gitignore says",
			[]string{".gitignore: !.env"}, nil, ".env", true, "built in: name of a secret"},
		{"whatever .readaheadignore says",
			[]string{FileName + ": !*.pem"}, nil, "a/tls.pem", true, "built in: extension of keys and secrets"},
		{"whatever settings say",
			nil, []string{"!id_rsa"}, "id_rsa", true, "built in: name of a secret"},
		{"nothing of .git is read",
			nil, []string{"!.git/"}, ".git/config", true, "built in: version control"},
		{"the .git file of a submodule is not read",
			nil, nil, "sub/.git", true, "built in: version control"},

		{"packages are not walked",
			nil, nil, "web/node_modules/x/index.js", true, "built in: downloads, caches or build output"},
		{"tracked build output is build output",
			[]string{".gitignore: !node_modules/"}, nil, "node_modules/x.js", true, "built in: downloads, caches or build output"},
		{"who wants to read packages can",
			[]string{FileName + ": !node_modules/", "node_modules/x.js: "}, nil, "node_modules/x.js", false, ""},
		{"target is build output next to Cargo.toml",
			[]string{"rs/Cargo.toml: ", "rs/target/"}, nil, "rs/target/x.rs", true, "built in: build output (Cargo.toml next to it)"},
		{"target is a folder like any other elsewhere",
			[]string{"go/target/x.go: "}, nil, "go/target/x.go", false, ""},
		{"obj is build output next to a C# project",
			[]string{"cs/App.csproj: ", "cs/obj/"}, nil, "cs/obj/x.cs", true, "built in: build output (*.csproj next to it)"},
		{"a Python environment is known by what is in it",
			[]string{"py3/pyvenv.cfg: home = /usr/bin"}, nil, "py3/lib/x.py", true, "built in: Python environment (pyvenv.cfg)"},
		{"a tagged cache is a cache",
			[]string{"out/CACHEDIR.TAG: " + cacheTag}, nil, "out/x", true, "built in: cache (CACHEDIR.TAG)"},
		{"a file of that name alone is not",
			[]string{"out/CACHEDIR.TAG: hello"}, nil, "out/x", false, ""},
		{"a CMake build is known by its cache",
			[]string{"dbg/CMakeCache.txt: "}, nil, "dbg/x.c", true, "built in: CMake build (CMakeCache.txt)"},
		{"lock files are no code",
			nil, nil, "go.sum", true, "built in: lock file"},

		{"nothing outside the folder",
			nil, nil, "../x.go", true, "outside the workspace folder"},
		{"nothing outside the folder by detour",
			nil, nil, "a/../../x.go", true, "outside the workspace folder"},
		{"absolute paths are outside",
			nil, nil, "/etc/hosts", true, "outside the workspace folder"},
		{"the folder itself is not ignored by what holds in it",
			[]string{".gitignore: *"}, nil, "", false, ""},
		{"a path is judged however it is spelled",
			[]string{".gitignore: /a/x.go"}, nil, "./a//x.go", true, ".gitignore:1: /a/x.go"},
		{"NUL and newlines in names are just bytes",
			[]string{".gitignore: a*b"}, nil, "a\n\x00b", true, ".gitignore:1: a*b"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			r := open(t, folderOf(t, tt.files...), tt.patterns...)
			got := r.Match(strings.TrimSuffix(tt.path, "/"), strings.HasSuffix(tt.path, "/"))
			if got != (Verdict{tt.ignored, tt.why}) {
				t.Errorf("%s: got %v, want %v", tt.path, got, Verdict{tt.ignored, tt.why})
			}
		})
	}
}

func TestReloadReadsRulesAgain(t *testing.T) {
	noGitSettings(t)
	dir := folderOf(t, "a/b/x.go: ", "c/x.go: ")
	r := open(t, dir)
	check := func(path string, ignored bool) {
		t.Helper()
		if got := r.Match(path, false); got.Ignored != ignored {
			t.Errorf("%s: got %v", path, got)
		}
	}
	check("a/b/x.go", false)
	check("c/x.go", false)
	fill(t, dir, "a/.gitignore: x.go", "c/.gitignore: x.go")
	check("a/b/x.go", false) // not asked to look again
	folder, ok := r.Affects("a/.gitignore")
	if !ok || folder != "a" {
		t.Fatalf("Affects = %q, %v", folder, ok)
	}
	r.Reload(folder)
	check("a/b/x.go", true)
	check("c/x.go", false)
	r.Reload("")
	check("c/x.go", true)
}

// For the race detector, and for answers that mix old and new rules.
func TestRulesAreReadAndForgottenAtOnce(t *testing.T) {
	noGitSettings(t)
	r := open(t, folderOf(t, ".gitignore: *.log", "a/b/.gitignore: !x.log|/gen/", "a/b/gen/x.go: "))
	var all sync.WaitGroup
	for i := range 4 {
		all.Go(func() {
			for range 200 {
				r.Reload([]string{"", "a", "a/b", "a/b/gen"}[i])
				for path, ignored := range map[string]bool{"x.log": true, "a/x.log": true, "a/b/x.log": false, "a/b/gen/x.go": true, "a/b/x.go": false} {
					if got := r.Match(path, false); got.Ignored != ignored {
						t.Errorf("%s: got %v", path, got)
					}
				}
			}
		})
	}
	all.Wait()
}

func TestAFolderThatComesLaterIsReadThen(t *testing.T) {
	noGitSettings(t)
	dir := folderOf(t)
	r := open(t, dir)
	if r.Match("new/x.go", false).Ignored {
		t.Fatal("ignored before there is a rule")
	}
	fill(t, dir, "new/.gitignore: x.go")
	if !r.Match("new/x.go", false).Ignored {
		t.Error("rules of a new folder were not read")
	}
}

// Tests run as root too, who may read everything: a link in a circle, or to
// nowhere, is a file that exists and that nobody can read.
func TestARuleFileThatCannotBeReadClosesItsFolder(t *testing.T) {
	noGitSettings(t)
	dir := folderOf(t, "a/x.go: ", "b/x.go: ")
	link := filepath.Join(dir, "a", FileName)
	for _, target := range []string{link, "nowhere"} {
		if err := os.Symlink(target, link); err != nil {
			t.Fatal(err)
		}
		r := open(t, dir)
		if v := r.Match("a/x.go", false); !v.Ignored || !strings.Contains(v.Why, FileName) {
			t.Errorf("link to %s: got %v, want the folder closed, and why", target, v)
		}
		if v := r.Match("b/x.go", false); v.Ignored {
			t.Errorf("link to %s: got %v for another folder", target, v)
		}
		if err := os.Remove(link); err != nil {
			t.Fatal(err)
		}
	}
}

func TestARuleFileThatIsNoFileIsNone(t *testing.T) {
	noGitSettings(t)
	r := open(t, folderOf(t, ".gitignore/", "a/"+FileName+"/x: ", "a/x.go: "))
	if v := r.Match("a/x.go", false); v.Ignored {
		t.Errorf("got %v", v)
	}
}

// What it leads to may be any file of the user's, and verdicts quote patterns.
func TestALinkIsNoRuleFile(t *testing.T) {
	noGitSettings(t)
	private := filepath.Join(folderOf(t, "private: x.go|correct horse"), "private")
	for _, tt := range []struct {
		name, file string
		ignored    bool // everything beside it
	}{
		{"a .readaheadignore that leads out closes its folder, since its rules are not known", FileName, true},
		{"a .gitignore that leads out is none, as for git", ".gitignore", false},
	} {
		t.Run(tt.name, func(t *testing.T) {
			dir := folderOf(t, "a/x.go: ", "b/x.go: ")
			if err := os.Symlink(private, filepath.Join(dir, "a", tt.file)); err != nil {
				t.Fatal(err)
			}
			r := open(t, dir)
			for _, path := range []string{"a/x.go", "a/correct horse"} {
				if v := r.Match(path, false); v.Ignored != tt.ignored || strings.Contains(v.Why, "correct horse") {
					t.Errorf("%s: %v", path, v)
				}
			}
			if v := r.Match("b/x.go", false); v.Ignored {
				t.Errorf("another folder: %v", v)
			}
			above := open(t, filepath.Join(dir, "a"))
			if v := above.Match("x.go", false); v.Ignored != tt.ignored {
				t.Errorf("opened as the workspace: %v", v)
			}
		})
	}
}

func TestLongRuleFilesCloseTheirFolders(t *testing.T) {
	noGitSettings(t)
	dir := folderOf(t, "a/x.go: ", "b/x.go: ")
	writeFile(t, filepath.Join(dir, "a", ".gitignore"), strings.Repeat("#\n", ruleFileLimit/2+1))
	r := open(t, dir)
	if v := r.Match("a/x.go", false); !v.Ignored || !strings.Contains(v.Why, "too long") {
		t.Errorf("a long one: %v", v)
	}
	if v := r.Match("b/x.go", false); v.Ignored {
		t.Errorf("another folder: %v", v)
	}

	many := folderOf(t)
	text := strings.Repeat("#\n", ruleFileLimit/2)
	for i := range 2 * rulesLimit / len(text) {
		writeFile(t, filepath.Join(many, fmt.Sprint(i), ".gitignore"), text)
	}
	count := func(r *Rules) (closed int) {
		for i := range 2 * rulesLimit / len(text) {
			if v := r.Match(fmt.Sprintf("%d/x.go", i), false); v.Ignored && strings.Contains(v.Why, "together") {
				closed++
			}
		}
		return closed
	}
	r = open(t, many)
	first := count(r)
	if want := rulesLimit / len(text); first < want-1 || first > want+1 {
		t.Errorf("%d folders are closed, want about %d", first, want)
	}
	r.Reload("0")
	r.Reload("1")
	if v := r.Match("1/x.go", false); v.Ignored {
		t.Errorf("rules that were read before count twice: %v", v)
	}
	r.Reload("")
	if again := count(r); again != first {
		t.Errorf("read again, %d folders are closed, and %d before", again, first)
	}
}

// Every file of a workspace would be held against each of them.
func TestCountlessPatternsCloseTheirFolder(t *testing.T) {
	noGitSettings(t)
	dir := folderOf(t, "a/b/x.go: ", "c/x.go: ", "names/x.go: ")
	half := strings.Repeat("*q*w\n", mostGlobs*2/3)
	writeFile(t, filepath.Join(dir, "a", ".gitignore"), half)
	writeFile(t, filepath.Join(dir, "a", "b", FileName), half)
	writeFile(t, filepath.Join(dir, "names", ".gitignore"), strings.Repeat("name\n*.ext\n", 2*mostGlobs))
	r := open(t, dir)
	for path, closed := range map[string]bool{"a/x.go": false, "a/b/x.go": true, "c/x.go": false, "names/x.go": false} {
		if v := r.Match(path, false); v.Ignored != closed || closed && !strings.Contains(v.Why, "patterns with wildcards") {
			t.Errorf("%s: %v", path, v)
		}
	}
	if _, c := walk(t, r, ""); c.Unreadable != 1 || !strings.Contains(c.Problem, "patterns with wildcards") {
		t.Errorf("a walk says %+v", c)
	}
	writeFile(t, filepath.Join(dir, ".gitignore"), strings.Repeat("*q*w\n", mostGlobs+1))
	r.Reload("")
	if _, c := walk(t, r, ""); c.Unreadable != 1 || !strings.Contains(c.Problem, "patterns with wildcards") {
		t.Errorf("a walk through a workspace that is closed says %+v", c)
	}
	if v := open(t, dir, strings.Split(strings.Repeat("*q*w\n", mostGlobs+1), "\n")...).Match("c/x.go", false); !v.Ignored || !strings.Contains(v.Why, "patterns with wildcards") {
		t.Errorf("patterns of the configuration: %v", v)
	}
}

func TestNewNeedsAFolder(t *testing.T) {
	dir := folderOf(t, "file: x")
	for _, root := range []string{filepath.Join(dir, "file"), filepath.Join(dir, "missing")} {
		if _, err := New(root, Options{}); err == nil || !strings.Contains(err.Error(), root) {
			t.Errorf("New(%s) = %v, want an error that names it", root, err)
		}
	}
}

func TestRelAndAbsAreInverse(t *testing.T) {
	r := open(t, folderOf(t))
	for _, rel := range []string{"", "a", "a/b.go", "a\nb"} {
		if got, ok := r.Rel(r.Abs(rel)); !ok || got != rel {
			t.Errorf("%q came back as %q, %v", rel, got, ok)
		}
	}
	for _, abs := range []string{filepath.Dir(r.Root()), r.Root() + "x", filepath.Join(r.Root(), "..", "x"), "rel"} {
		if got, ok := r.Rel(abs); ok {
			t.Errorf("%q lies outside, but came as %q", abs, got)
		}
	}
}
