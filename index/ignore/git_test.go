package ignore

import (
	"bytes"
	"flag"
	"fmt"
	"math/rand/v2"
	"os"
	"os/exec"
	"path"
	"path/filepath"
	"slices"
	"strings"
	"testing"
)

// git answers for a working tree, with nothing of the machine's own settings.
type git struct {
	t   testing.TB
	dir string
}

// newGit makes an empty repository and a home for its user. It fails the test
// where there is no git: this package claims to answer as git does.
func newGit(t testing.TB) git {
	t.Helper()
	if _, err := exec.LookPath("git"); err != nil {
		t.Fatalf("these tests compare with git itself: %v (install git)", err)
	}
	home := t.TempDir()
	for key, value := range map[string]string{
		"HOME": home, "XDG_CONFIG_HOME": "", "GIT_CONFIG_NOSYSTEM": "1", "LC_ALL": "C",
	} {
		switch t := t.(type) {
		case *testing.T:
			t.Setenv(key, value)
		case *testing.F:
			t.Setenv(key, value)
		}
	}
	g := git{t, t.TempDir()}
	g.run("init", "-q", ".")
	return g
}

func (g git) run(args ...string) string {
	g.t.Helper()
	out, err := g.try(nil, args...)
	if err != nil {
		g.t.Fatalf("git %v: %v\n%s", args, err, out)
	}
	return string(out)
}

func (g git) try(stdin []byte, args ...string) ([]byte, error) {
	cmd := exec.Command("git", args...)
	cmd.Dir = g.dir
	cmd.Stdin = bytes.NewReader(stdin)
	var stderr bytes.Buffer
	cmd.Stderr = &stderr
	out, err := cmd.Output()
	if err != nil {
		err = fmt.Errorf("%w: %s", err, stderr.Bytes())
	}
	return out, err
}

func (g git) write(rel, text string) {
	g.t.Helper()
	writeFile(g.t, filepath.Join(g.dir, filepath.FromSlash(rel)), text)
}

func (g git) mkdir(rel string) {
	g.t.Helper()
	if err := os.MkdirAll(filepath.Join(g.dir, filepath.FromSlash(rel)), 0o777); err != nil {
		g.t.Fatal(err)
	}
}

func writeFile(t testing.TB, file, text string) {
	t.Helper()
	if err := os.MkdirAll(filepath.Dir(file), 0o777); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(file, []byte(text), 0o666); err != nil {
		t.Fatal(err)
	}
}

// verdicts asks git about paths relative to sub, a folder of the working tree.
// Why is git's "FILE:LINE:PATTERN".
func (g git) verdicts(sub string, paths []string) map[string]Verdict {
	g.t.Helper()
	in := []byte(strings.Join(paths, "\x00") + "\x00")
	out, err := g.try(in, "-C", "./"+sub, "check-ignore", "--no-index", "-v", "-n", "-z", "--stdin")
	if exit, ok := err.(interface{ ExitCode() int }); err != nil && (!ok || exit.ExitCode() != 1) {
		if !strings.HasPrefix(err.Error(), "exit status 1: ") {
			g.t.Fatalf("git check-ignore: %v", err)
		}
	}
	fields := strings.Split(strings.TrimSuffix(string(out), "\x00"), "\x00")
	got := map[string]Verdict{}
	for f := range slices.Chunk(fields, 4) {
		if len(f) < 4 {
			g.t.Fatalf("git check-ignore answered %q", out)
		}
		v := Verdict{}
		if f[2] != "" {
			v = Verdict{!strings.HasPrefix(f[2], "!"), f[0] + ":" + f[1] + ":" + f[2]}
		}
		got[f[3]] = v
	}
	return got
}

// compare wants the same verdict by the same line for every path; those whose
// name ends in "/" are folders.
func (g git) compare(r *Rules, sub string, paths []string) {
	g.t.Helper()
	names := make([]string, len(paths))
	for i, p := range paths {
		names[i] = strings.TrimSuffix(p, "/")
	}
	answers := g.verdicts(sub, names)
	wrong, ignored, negated := 0, 0, 0
	defer func() {
		g.t.Logf("%d paths, %d ignored, %d brought back", len(paths), ignored, negated)
		if len(paths) > 1000 && (ignored < len(paths)/10) {
			g.t.Error("too few paths meet a pattern: the comparison says nothing")
		}
	}()
	for i, p := range paths {
		want, ok := answers[names[i]]
		if !ok {
			g.t.Fatalf("git did not answer about %q", p)
		}
		if want.Ignored {
			ignored++
		} else if want.Why != "" {
			negated++
		}
		got := r.Match(names[i], strings.HasSuffix(p, "/"))
		if got.Ignored != want.Ignored || !sameRule(got.Why, want.Why) {
			g.t.Errorf("%q: got %v, git says %v%s", p, got, want, g.rulesFor(path.Join(sub, names[i])))
			if wrong++; wrong == 10 {
				g.t.Fatal("and so on")
			}
		}
	}
}

// sameRule compares "FILE:LINE: PATTERN" with git's "FILE:LINE:PATTERN".
func sameRule(ours, gits string) bool {
	if ours == "" || gits == "" {
		return ours == gits
	}
	at := func(s string) string { // file:line
		parts := strings.SplitN(s, ":", 3)
		return filepath.Base(parts[0]) + ":" + parts[1]
	}
	return at(ours) == at(gits)
}

// rulesFor shows the rule files that a path is judged by.
func (g git) rulesFor(rel string) string {
	var b strings.Builder
	for dir := path.Dir(rel); ; dir = path.Dir(dir) {
		if data, err := os.ReadFile(filepath.Join(g.dir, dir, ".gitignore")); err == nil {
			fmt.Fprintf(&b, "\n%s/.gitignore: %q", dir, data)
		}
		if dir == "." {
			return b.String()
		}
	}
}

func (g git) rules(sub string) *Rules {
	g.t.Helper()
	r, err := New(filepath.Join(g.dir, filepath.FromSlash(sub)), Options{})
	if err != nil {
		g.t.Fatal(err)
	}
	return r
}

// Names and pieces of patterns that meet often and are hard to read right.
var (
	genNames = []string{
		"a", "b", "c", "ab", "abc", "A", "Ab", "a.b", "a.c", ".a", "a b", "a ", " a", "#a", "!a", "[a]", "a*", `a\b`, "a]", "-", "^",
		"é", "\xff", "a\nb", "foo", "foobar", "bar", "a-b", "0", "a.tar.gz", "a.b.c",
	}
	genPieces = []string{
		"*", "*", "*", "**", "**", "***", "?", "/", "/", "/", "**/", "/**", "/**/", "*/", "[ab]", "[!a]", "[^b]", "[a-c]", "[]a]", "[]-]", "[!]]",
		"[[:alpha:]]", "[[:digit:][:upper:]]", "[[:foo:]]", "[[:lower:]", "[[:", "[a", "[", "]", `\a`, `\*`, `\ `, `\#`, `\!`, `\`, `[\]]`, `[a\-c]`, `\/`,
		" ", "\t", "!", "#", ".", "a", "b", "[a-]", "[--0]", "[z-a]", "[A-Z]", "[*]", "[?/]", "[/]", `[\\]`, "[!/]", "[[]", "[[a]",
	}
)

var (
	genSeed  = flag.Uint64("seed", 1, "seed for generated trees and patterns")
	genTrees = flag.Int("trees", 12, "how many trees to compare with git; 50 times as many patterns")
)

func newRand(stream uint64) *rand.Rand { return rand.New(rand.NewPCG(*genSeed, stream)) }

// A gen draws rule files and paths.
type gen struct{ *rand.Rand }

func (g gen) pick(from []string) string { return from[g.IntN(len(from))] }

func (g gen) pattern() string {
	var b strings.Builder
	if g.IntN(4) == 0 {
		b.WriteByte('!')
	}
	if g.IntN(5) == 0 {
		b.WriteByte('/')
	}
	for range 1 + g.IntN(4) {
		if g.IntN(2) == 0 {
			b.WriteString(g.pick(genNames))
		} else {
			b.WriteString(g.pick(genPieces))
		}
	}
	if g.IntN(5) == 0 {
		b.WriteByte('/')
	}
	if g.IntN(8) == 0 {
		b.WriteString(strings.Repeat(" ", 1+g.IntN(2)))
	}
	return b.String()
}

// patternFor blurs a path: most results match it.
func (g gen) patternFor(p string) string {
	var b strings.Builder
	if g.IntN(3) == 0 {
		b.WriteByte('/')
	}
	for i := 0; i < len(p); i++ {
		c := p[i]
		switch g.IntN(14) {
		case 0:
			b.WriteByte('*')
			i += g.IntN(3)
		case 1:
			b.WriteByte('?')
		case 2:
			fmt.Fprintf(&b, "[%c-%c]", c-1, c+1)
		case 3:
			fmt.Fprintf(&b, "[!%c]", c+1)
		case 4:
			fmt.Fprintf(&b, `\%c`, c)
		case 5:
			b.WriteString(g.pick([]string{"**", "**/", "/**", "/**/", "*/"}))
			i += g.IntN(4)
		case 6:
			fmt.Fprintf(&b, "[[:%s:]]", g.pick([]string{"alnum", "alpha", "punct", "print", "graph", "space", "blank", "cntrl", "xdigit", "lower", "upper", "digit"}))
		default:
			b.WriteByte(c)
		}
	}
	if g.IntN(6) == 0 {
		b.WriteString(g.pick([]string{"*", "/", "/**", "**"}))
	}
	return b.String()
}

func (g gen) path() string {
	names := make([]string, 1+g.IntN(3))
	for i := range names {
		names[i] = g.pick(genNames)
	}
	return strings.Join(names, "/")
}

func (g gen) ruleFile() string {
	var b strings.Builder
	if g.IntN(20) == 0 {
		b.WriteString("\ufeff")
	}
	for range g.IntN(7) {
		b.WriteString(g.pattern())
		b.WriteString(g.pick([]string{"\n", "\n", "\n", "\n", "\r\n", "\n\n", "\x00\n", "\r\r\n"}))
	}
	if g.IntN(3) == 0 {
		b.WriteString(g.pattern()) // no newline at the end
	}
	return b.String()
}

// tree makes folders with rule files below dir and returns paths to ask about.
func (g gen) tree(repo git, dir string, depth int) []string {
	if g.IntN(3) > 0 || depth == 0 {
		repo.write(path.Join(dir, ".gitignore"), g.ruleFile())
	}
	var paths []string
	names := map[string]bool{}
	for range 3 {
		name := g.pick(genNames)
		if names[name] {
			continue
		}
		names[name] = true
		sub := path.Join(dir, name)
		if depth < 3 {
			repo.mkdir(sub)
			paths = append(paths, sub+"/")
			paths = append(paths, g.tree(repo, sub, depth+1)...)
		}
	}
	for range 6 {
		if name := g.pick(genNames); !names[name] {
			names[name] = true
			paths = append(paths, path.Join(dir, name))
		}
	}
	return paths
}

func TestGeneratedTreesAreJudgedAsGitDoes(t *testing.T) {
	for _, fold := range []bool{false, true} {
		t.Run(fmt.Sprintf("ignoreCase=%v", fold), func(t *testing.T) {
			repo := newGit(t)
			repo.run("config", "core.ignoreCase", fmt.Sprint(fold))
			g := gen{newRand(2)}
			var paths []string
			for i := range *genTrees {
				paths = append(paths, g.tree(repo, fmt.Sprintf("t%d", i), 0)...)
			}
			repo.write(".git/info/exclude", g.ruleFile()+"\n*.c\n")
			repo.write("../excludes", g.ruleFile()+"\nfoobar\n")
			repo.run("config", "core.excludesFile", filepath.Join(repo.dir, "..", "excludes"))
			repo.compare(repo.rules(""), "", paths)
		})
	}
}

// One pattern decides here, where in trees it may be covered by others.
func TestGeneratedPatternsAreJudgedAsGitDoes(t *testing.T) {
	repo := newGit(t)
	g := gen{newRand(4)}
	var paths []string
	for i := range 50 * *genTrees {
		dir := fmt.Sprintf("t%d", i)
		model := g.path()
		pattern := g.patternFor(model)
		if i%3 == 0 {
			pattern = g.pattern()
		}
		repo.write(dir+"/.gitignore", pattern+"\n")
		paths = append(paths, dir+"/"+model)
		for range 8 {
			paths = append(paths, dir+"/"+g.path())
		}
		swapped := strings.Replace(model, "/", g.pick([]string{"", "/x/", "x/", "/x"}), 1)
		paths = append(paths, dir+"/"+model+"/x", dir+"/x/"+model, dir+"/"+swapped)
	}
	repo.compare(repo.rules(""), "", paths)
}

// FuzzAgainstGit asks git about one rule file and one path at a time; give it
// time (go test -fuzz AgainstGit): each try starts a process.
func FuzzAgainstGit(f *testing.F) {
	for _, s := range []string{"foo**/bar\n", "*/b\n!a/b\n", "[[:alpha:]-z]\n", "a\\ \n", "**/a/**\n", "/*\n!/a\n", "\\\n", "[]-a]b\n", "a/**/\n"} {
		f.Add([]byte(s), "a/b", false)
		f.Add([]byte(s), "foobar", true)
	}
	g := newGit(f)
	n := 0
	f.Fuzz(func(t *testing.T, data []byte, name string, isDir bool) {
		if name != path.Clean(name) || strings.ContainsRune(name, 0) || strings.Contains(name, ".git") || len(name) > 100 || len(data) > 300 {
			return
		}
		if name == "." || strings.HasPrefix(name, "..") || name[0] == '/' {
			return
		}
		n++
		g := git{t, g.dir}
		dir := fmt.Sprintf("n%d", n)
		name = dir + "/" + name
		g.write(dir+"/.gitignore", string(data))
		if isDir {
			g.mkdir(name)
			name += "/"
		}
		r := g.rules("")
		if why := r.Match(strings.TrimSuffix(name, "/"), isDir).Why; strings.HasPrefix(why, "built in") {
			return // git has no opinion about those
		}
		g.compare(r, "", []string{name})
	})
}
