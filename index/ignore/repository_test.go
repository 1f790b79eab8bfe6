package ignore

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// Each case builds a repository in g.dir; the verdicts of a Rules made for the
// folder sub must be git's, asked from there.
func TestRepositoriesAreReadAsGitReadsThem(t *testing.T) {
	// ask is about names that the rules of these cases mention.
	ask := []string{"a.log", "b.log", "keep.log", "a.tmp", "a.bak", "sub/a.log", "sub/a.tmp", "sub/deep/a.tmp", "gen/x.go", "x.go", "sub/x.go", "A.LOG"}
	tests := []struct {
		name  string
		build func(g git)
		sub   string
	}{
		{"info/exclude", func(g git) { g.write(".git/info/exclude", "*.log\n!keep.log\n") }, ""},
		{".gitignore wins over info/exclude", func(g git) {
			g.write(".git/info/exclude", "*.log\n")
			g.write(".gitignore", "!a.log\n")
		}, ""},
		{"core.excludesFile in the user's settings, from the home folder", func(g git) {
			g.run("config", "--global", "core.excludesFile", "~/my ignores")
			g.write(g.home()+"/my ignores", "*.tmp\n/sub/\n")
		}, ""},
		{"core.excludesFile in the repository's settings is relative to its top", func(g git) {
			g.run("config", "core.excludesFile", "rules/ignore")
			g.write("rules/ignore", "*.tmp\n")
		}, ""},
		{"info/exclude wins over core.excludesFile", func(g git) {
			g.run("config", "core.excludesFile", "rules")
			g.write("rules", "*.tmp\n!a.log\n")
			g.write(".git/info/exclude", "*.log\n!a.tmp\n")
		}, ""},
		{"the user's default file of ignores", func(g git) {
			g.write(g.home()+"/.config/git/ignore", "*.bak\n")
		}, ""},
		{"an empty core.excludesFile turns the default off", func(g git) {
			g.write(g.home()+"/.config/git/ignore", "*.bak\n")
			g.run("config", "core.excludesFile", "")
		}, ""},
		{"settings in the XDG folder", func(g git) {
			g.write(g.home()+"/.config/git/config", "[core]\n\texcludesFile = ~/x\n")
			g.write(g.home()+"/x", "*.bak\n")
		}, ""},
		{"settings of the home folder win over the XDG folder's", func(g git) {
			g.write(g.home()+"/.config/git/config", "[core]\n\texcludesFile = ~/x\n")
			g.write(g.home()+"/.gitconfig", "[core]\n\texcludesFile = ~/y\n")
			g.write(g.home()+"/x", "*.bak\n")
			g.write(g.home()+"/y", "*.tmp\n")
		}, ""},
		{"included settings", func(g git) {
			g.write(g.home()+"/.gitconfig", "[include]\n\tpath = more.cfg\n")
			g.write(g.home()+"/more.cfg", "[core]\n\texcludesFile = ~/x\n")
			g.write(g.home()+"/x", "*.bak\n")
		}, ""},
		{"settings included for repositories in a folder", func(g git) {
			g.write(g.home()+"/.gitconfig", "[includeIf \"gitdir:"+filepath.ToSlash(filepath.Dir(g.dir))+"/\"]\n\tpath = ~/more.cfg\n"+
				"[includeIf \"gitdir:/nowhere/\"]\n\tpath = ~/other.cfg\n")
			g.write(g.home()+"/more.cfg", "[core]\n\texcludesFile = ~/x\n")
			g.write(g.home()+"/other.cfg", "[core]\n\texcludesFile = ~/y\n")
			g.write(g.home()+"/x", "*.bak\n")
			g.write(g.home()+"/y", "*.log\n")
		}, ""},
		{"settings included for a branch", func(g git) {
			g.run("symbolic-ref", "HEAD", "refs/heads/feature/one")
			g.write(g.home()+"/.gitconfig", "[includeIf \"onbranch:feature/\"]\n\tpath = ~/more.cfg\n")
			g.write(g.home()+"/more.cfg", "[core]\n\texcludesFile = ~/x\n")
			g.write(g.home()+"/x", "*.bak\n")
		}, ""},
		{"a workspace folder below the top", func(g git) {
			g.write(".gitignore", "*.log\n/sub/*.tmp\nsub/x.go\ndeep/\n")
			g.write("sub/.gitignore", "!a.log\n")
			g.write(".git/info/exclude", "/sub/gen/\n")
			g.mkdir("sub/deep")
		}, "sub"},
		{"a workspace folder two folders below the top", func(g git) {
			g.write(".gitignore", "*.log\nsub/in/*.tmp\n!/sub/in/b.log\n")
			g.write("sub/.gitignore", "/in/x.go\n!a.log\n")
			g.write("sub/in/.gitignore", "!keep.log\n*.bak\n")
		}, "sub/in"},
		{"a .git that holds no repository is no border", func(g git) {
			g.write(".gitignore", "*.log\n")
			g.write("sub/.git/config", "")
		}, "sub"},
		{"a linked working tree", func(g git) {
			g.commit()
			g.write(".git/info/exclude", "*.bak\n")
			g.run("worktree", "add", "-q", "wt")
			g.write("wt/.gitignore", "*.tmp\n")
			g.write(".gitignore", "*.log\n")
		}, "wt"},
		{"settings of one working tree", func(g git) {
			g.commit()
			g.run("worktree", "add", "-q", "wt")
			g.run("config", "extensions.worktreeConfig", "true")
			g.run("-C", "wt", "config", "--worktree", "core.excludesFile", filepath.Join(g.dir, "rules"))
			g.write("rules", "*.tmp\n")
		}, "wt"},
		{"a nested repository", func(g git) {
			g.write(".gitignore", "*.log\n")
			g.run("init", "-q", "nested")
			g.write("nested/.gitignore", "*.tmp\n")
			g.write("nested/.git/info/exclude", "*.bak\n")
		}, "nested"},
		{"names without case", func(g git) {
			g.run("config", "core.ignoreCase", "true")
			g.write(".gitignore", "*.LOG\nX.go\n/SUB/\n")
		}, ""},
		{"names with case", func(g git) {
			g.run("config", "core.ignoreCase", "false")
			g.write(".gitignore", "*.LOG\nX.go\n/SUB/\n")
		}, ""},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			g := newGit(t)
			tt.build(g)
			g.compare(g.rules(tt.sub), tt.sub, ask)
		})
	}
}

func (g git) home() string {
	g.t.Helper()
	rel, err := filepath.Rel(g.dir, os.Getenv("HOME"))
	if err != nil {
		g.t.Fatal(err)
	}
	return filepath.ToSlash(rel)
}

func (g git) commit() {
	g.t.Helper()
	g.run("-c", "user.name=n", "-c", "user.email=e@example.com", "commit", "-q", "--allow-empty", "-m", "first")
}

func TestANestedRepositoryIsJudgedByItsOwnRules(t *testing.T) {
	g := newGit(t)
	g.write(".gitignore", "*.log\n/hidden/\n")
	g.write(FileName, "*.sql\n")
	for _, dir := range []string{"nested", "hidden"} {
		g.run("init", "-q", dir)
		g.write(dir+"/.git/info/exclude", "*.bak\n")
		g.write(dir+"/.gitignore", "*.tmp\n")
	}
	g.run("config", "--global", "core.excludesFile", "~/x")
	g.write(g.home()+"/x", "*.swp\n")
	r := g.rules("")
	inside := []string{"a.log", "a.bak", "a.tmp", "a.swp", "deep/a.bak", "a.go"}
	answers := g.verdicts("nested", inside)
	for _, p := range inside {
		if got := r.Match("nested/"+p, false); got.Ignored != answers[p].Ignored {
			t.Errorf("nested/%s: got %v, git says %v", p, got, answers[p])
		}
	}
	if v := r.Match("nested/a.sql", false); !v.Ignored {
		t.Error("the workspace's .readaheadignore must reach into nested repositories")
	}
	if v := r.Match("hidden/a.go", false); !v.Ignored {
		t.Error("a repository in an ignored folder must be ignored")
	}
}

func TestASubmoduleIsJudgedByItsOwnRules(t *testing.T) {
	g := newGit(t)
	g.run("init", "-q", "origin")
	git{t, filepath.Join(g.dir, "origin")}.commit()
	g.run("-c", "protocol.file.allow=always", "submodule", "--quiet", "add", "./origin", "module")
	g.write(".gitignore", "*.log\n")
	g.write(".git/modules/module/info/exclude", "*.bak\n")
	r := g.rules("")
	for path, want := range map[string]bool{"module/a.log": false, "module/a.bak": true, "a.log": true, "a.bak": false} {
		if v := r.Match(path, false); v.Ignored != want {
			t.Errorf("%s: got %v", path, v)
		}
	}
}

func TestAFolderThatTheRepositoryAboveIgnoresIsReadByItsOwnRules(t *testing.T) {
	for _, rule := range []string{"*\n", "/outer/\n", "outer/project/\n"} {
		g := newGit(t)
		g.write(".gitignore", rule)
		g.write(".git/info/exclude", "*.go\n")
		g.write("outer/project/.gitignore", "*.log\n")
		g.write(g.home()+"/.config/git/ignore", "*.bak\n")
		r := g.rules("outer/project")
		if v := r.Match("x.bak", false); !v.Ignored {
			t.Errorf("%q above: x.bak is not ignored, though the user ignores it everywhere", rule)
		}
		if v := r.Match("sub/x.go", false); v.Ignored {
			t.Errorf("%q above: x.go is %v", rule, v)
		}
		if v := r.Match("x.log", false); !v.Ignored {
			t.Errorf("%q above: x.log is not ignored", rule)
		}
	}
}

func TestRulesAboveTheFolderAreNamedInFull(t *testing.T) {
	g := newGit(t)
	g.write(".gitignore", "*.log\n")
	g.write(FileName, "*.sql\n")
	r := g.rules("")
	if v := r.Match("a.log", false); v.Why != ".gitignore:1: *.log" {
		t.Errorf("got %q", v.Why)
	}
	g.mkdir("sub")
	above := g.rules("sub")
	for path, file := range map[string]string{"a.log": ".gitignore", "a.sql": FileName} {
		want := filepath.Join(r.Root(), file) + ":1: *" + filepath.Ext(path)
		if v := above.Match(path, false); !v.Ignored || v.Why != want {
			t.Errorf("%s: got %v, want %s", path, v, want)
		}
	}
}

func TestStaleNoticesRulesOutsideTheFolder(t *testing.T) {
	g := newGit(t)
	g.mkdir("sub")
	r := g.rules("sub")
	for i, file := range []string{".git/info/exclude", ".gitignore", FileName, ".git/config", g.home() + "/.gitconfig", g.home() + "/.config/git/ignore"} {
		if r.Stale() {
			t.Fatalf("stale before %s changed", file)
		}
		g.write(file, strings.Repeat("#\n", 100+i))
		if !r.Stale() {
			t.Errorf("did not notice %s", file)
		}
		r.Reload("")
	}
}

func TestGitDirFindsWhereTheLockWillBe(t *testing.T) {
	g := newGit(t)
	g.commit()
	g.run("worktree", "add", "-q", "wt")
	g.mkdir("sub")
	for sub, want := range map[string]string{"": ".git", "sub": ".git", "wt": ".git/worktrees/wt"} {
		r := g.rules(sub)
		wanted, err := filepath.EvalSymlinks(filepath.Join(g.dir, filepath.FromSlash(want)))
		if err != nil {
			t.Fatal(err)
		}
		if got := r.GitDir(); got != wanted {
			t.Errorf("%q: got %s, want %s", sub, got, wanted)
		}
	}
	noGitSettings(t)
	if got := open(t, folderOf(t)).GitDir(); got != "" {
		t.Errorf("outside a repository: got %s", got)
	}
}

func TestSourcesListsWhatWasRead(t *testing.T) {
	g := newGit(t)
	g.write(".gitignore", "*.log\n")
	g.write("a/.gitignore", "*.tmp\n")
	r := g.rules("")
	r.Match("a/x", false)
	all := strings.Join(r.Sources(), "\n")
	for _, want := range []string{".gitignore", filepath.Join("a", ".gitignore"), filepath.Join(".git", "config")} {
		if !strings.Contains("\n"+all+"\n", want+"\n") {
			t.Errorf("%s is missing in\n%s", want, all)
		}
	}
}

// A repository that was unpacked, not cloned, brings settings of its own.
func TestSettingsOfARepositoryQuoteNoFileOfTheUsers(t *testing.T) {
	noGitSettings(t)
	private := filepath.Join(folderOf(t, "private: correct horse"), "private")
	dir := folderOf(t, ".git/objects/", ".git/refs/", ".git/HEAD: ref: refs/heads/main")
	writeFile(t, filepath.Join(dir, ".git", "config"), "[core]\n\texcludesFile = "+filepath.ToSlash(private)+"\n")
	v := open(t, dir).Match("correct horse", false)
	if want := private + ":1"; v != (Verdict{true, want}) {
		t.Errorf("got %v, want %s", v, want)
	}
}
