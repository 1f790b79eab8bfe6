package facts

import (
	"bytes"
	"cmp"
	"encoding/json"
	"fmt"
	"io/fs"
	"maps"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"
)

// The objects found here against the tags that universal-ctags finds, on packages
// that others wrote:
//
//	package's files ──Extract──▶ objects ─┐
//	       │                              ├─pair─▶ same, or a disagreement ─▶ its class
//	       └────────────ctags───▶ tags ───┘
//
// An object and a tag are the same if they have the same file, line, name, kind and
// scope. Every other object, tag, or pair of both is a disagreement, and has to be of
// a class in ctagsClasses, which says why; the first that holds counts. The test
// fails on a disagreement in no class and on a class that no disagreement is in.
//
// It runs where READAHEAD_CTAGS names the folder that testdata/get-packages.sh made.

// A tag is what ctags says about one name.
type tag struct {
	Name, Path, Kind, Scope, ScopeKind string
	Line                               int
	Extras                             string
}

// A disagreement is an object without its tag, a tag without its object, or two that
// differ in kind, scope or line.
type disagreement struct {
	file   *comparedFile
	object *Object
	tag    *tag
}

// A comparedFile is one file with what either side says about it.
type comparedFile struct {
	path  string
	src   []byte
	lines []string
	facts *File
	tags  []*tag

	scopes map[*Object]string
	ctags  ctags
}

// A ctags is how one language's tags are asked for.
type ctags struct{ program, parser, kinds string }

// ctagsLanguages are the languages of the comparison: what ctags calls them, the
// files, and the tags asked for. Left out everywhere are tags of parameters, locals
// and labels, which belong to the object around them here, and of headers.
var ctagsLanguages = []struct {
	name, parser, kinds string
	lang                Language
	endings             []string
}{
	{"go", "Go", "MPacfimnstv", Go, []string{".go"}},
	{"py", "Python", "cfimvI", Python, []string{".py"}},
	{"ts", "TypeScript", "CGacefgimnpv", TypeScript, []string{".ts"}},
	{"tsx", "TypeScript", "CGacefgimnpv", TypeScript, []string{".tsx"}},
	{"js", "JavaScript", "CGMScfgmpv", JavaScript, []string{".js", ".mjs", ".cjs"}},
	{"java", "Java", "acefgimp", Java, []string{".java"}},
	{"rs", "Rust", "CMPcefgimnstv", Rust, []string{".rs"}},
	{"c", "C", "defgmpstuvx", C, []string{".c", ".h"}},
	{"cpp", "C++", "AMNPcdefgmnpstuvx", Cpp, []string{".cc", ".cpp", ".h", ".hpp", ".inl", ".ipp"}},
	{"cs", "C#", "Ecdefgimnpst", CSharp, []string{".cs"}},
	{"rb", "Ruby", "ACSacfm", Ruby, []string{".rb"}},
	{"php", "PHP", "acdfintv", PHP, []string{".php"}},
}

// ctagsFolder is the folder that testdata/get-packages.sh made.
func ctagsFolder(t *testing.T) string {
	t.Helper()
	tools := os.Getenv("READAHEAD_CTAGS")
	if tools == "" {
		t.Skip(`READAHEAD_CTAGS names no folder with ctags and packages, so this test is left out. To run it:

        index/facts/testdata/get-packages.sh /tmp/ctags
        READAHEAD_CTAGS=/tmp/ctags go test -run RealPackages -v ./index/facts
`)
	}
	return tools
}

func TestRealPackagesHaveTheObjectsThatCtagsFinds(t *testing.T) {
	tools := ctagsFolder(t)
	var report strings.Builder
	for _, l := range ctagsLanguages {
		t.Run(l.name, func(t *testing.T) {
			files := filesToCompare(t, filepath.Join(tools, l.name), l.endings)
			c := ctags{filepath.Join(tools, "ctags"), l.parser, l.kinds}
			tags, err := c.tags(slices.Collect(maps.Keys(files))...)
			if err != nil {
				t.Fatal(err)
			}
			for _, g := range tags {
				files[g.Path].tags = append(files[g.Path].tags, g)
			}
			found := comparison{counts: map[string]int{}}
			for _, f := range files {
				f.ctags = c
				f.extract(l.lang)
				found.compare(f)
			}
			found.classify(t, l.name)
			found.report(&report, l.name, len(files))
		})
	}
	t.Logf("\n%s", report.String())
}

// filesToCompare are the source files of a language below a folder, by path. Files
// that a tool made of others say nothing new, nor do files of declarations alone.
func filesToCompare(t *testing.T, root string, endings []string) map[string]*comparedFile {
	files := map[string]*comparedFile{}
	err := filepath.WalkDir(root, func(path string, d fs.DirEntry, err error) error {
		if err != nil || !d.Type().IsRegular() {
			return err
		}
		if strings.HasSuffix(path, ".d.ts") || strings.HasSuffix(path, ".min.js") || !slices.Contains(endings, filepath.Ext(path)) {
			return nil
		}
		src, err := os.ReadFile(path)
		if err != nil {
			return err
		}
		files[path] = &comparedFile{path: path, src: src, lines: strings.Split(string(src), "\n")}
		return nil
	})
	if err != nil || len(files) == 0 {
		t.Fatalf("%s: %d source files (%v); fetch the packages: index/facts/testdata/get-packages.sh", root, len(files), err)
	}
	return files
}

// tags runs ctags on files.
func (c ctags) tags(paths ...string) ([]*tag, error) {
	run := exec.Command(c.program, "--options=NONE", "--output-format=json", "--fields=NFKnsZE", "--extras=F",
		"--language-force="+c.parser, "--kinds-"+c.parser+"="+c.kinds, "-L", "-", "-f", "-")
	run.Stdin = strings.NewReader(strings.Join(paths, "\n"))
	out, err := run.Output()
	if err != nil {
		return nil, fmt.Errorf("run %s on %d %s files: %w", c.program, len(paths), c.parser, err)
	}
	var tags []*tag
	for line := range bytes.Lines(out) {
		var g tag
		if err := json.Unmarshal(line, &g); err != nil {
			return nil, fmt.Errorf("ctags printed %q: %w", line, err)
		}
		if name, isOperator := strings.CutPrefix(g.Name, "operator "); isOperator && c.parser == "C++" && !isWord(name[0]) {
			g.Name = "operator" + name // spelled as here
		}
		tags = append(tags, &g)
	}
	return tags, nil
}

func (f *comparedFile) extract(lang Language) {
	f.facts = Extract(lang, "p", filepath.Base(f.path), f.src)
	f.scopes = map[*Object]string{}
	for i := range f.facts.Objects {
		f.scopes[&f.facts.Objects[i]] = scopeOf(f.facts, &f.facts.Objects[i])
	}
}

// ordinals tell objects of one name apart; see Descriptor.
var ordinals = regexp.MustCompile(`\+[0-9]+$`)

// scopeOf is what an object is declared in, as names with dots between.
func scopeOf(f *File, o *Object) string {
	ds, err := ParseDescriptors(o.Descriptors)
	if err != nil {
		return err.Error()
	}
	var names []string
	for i, d := range ds[:len(ds)-1] {
		name := ordinals.ReplaceAllString(d.Name, "")
		switch {
		case i == 0 && d.Suffix == NamespaceSuffix && name == f.Objects[0].Name: // known in the file alone
		case f.Lang == Rust && name == "impl", f.Lang == Rust && d.Suffix == TypeParameterSuffix && ds[i-1].Suffix == TypeParameterSuffix: // of X for Y
		default:
			names = append(names, name)
		}
	}
	return strings.Join(names, ".")
}

// scope is what a tag stands in, as names with dots between, without the package
// that its file belongs to.
func (g *tag) scope(f *File) string {
	s := g.Scope
	for _, between := range []string{"::", `\`, "/"} {
		s = strings.ReplaceAll(s, between, ".")
	}
	if name := strings.ReplaceAll(f.Name, `\`, "."); name != "" {
		if s == name {
			return ""
		}
		s = strings.TrimPrefix(s, name+".")
	}
	return s
}

func (f *comparedFile) line(o *Object) int {
	return 1 + bytes.Count(f.src[:o.Ident.Start], []byte("\n"))
}

// A comparison is what was found in the files of one language.
type comparison struct {
	objects, tags, same int
	disagreements       []disagreement
	counts              map[string]int // of disagreements, by class
}

// compare pairs what both sides say about a file, the most similar first.
func (c *comparison) compare(f *comparedFile) {
	var objects []*Object
	for i := range f.facts.Objects[1:] {
		objects = append(objects, &f.facts.Objects[1+i])
	}
	c.objects += len(objects)
	c.tags += len(f.tags)
	tags := slices.Clone(f.tags)
	pair := func(alike func(*Object, *tag) bool, found func(*Object, *tag)) {
		byName := map[string][]int{}
		for i, g := range tags {
			byName[g.Name] = append(byName[g.Name], i)
		}
		objects = slices.DeleteFunc(objects, func(o *Object) bool {
			for at, i := range byName[o.Name] {
				if alike(o, tags[i]) {
					found(o, tags[i])
					tags[i] = nil
					byName[o.Name] = slices.Delete(byName[o.Name], at, at+1)
					return true
				}
			}
			return false
		})
		tags = slices.DeleteFunc(tags, func(g *tag) bool { return g == nil })
	}
	kind := func(o *Object, g *tag) bool { return sameKind(f.facts.Lang, o.Kind, g.Kind) }
	scope := func(o *Object, g *tag) bool { return f.scopes[o] == g.scope(f.facts) }
	line := func(o *Object, g *tag) bool { return f.line(o) == g.Line }
	differ := func(o *Object, g *tag) { c.disagreements = append(c.disagreements, disagreement{f, o, g}) }

	pair(func(o *Object, g *tag) bool { return line(o, g) && kind(o, g) && scope(o, g) }, func(*Object, *tag) { c.same++ })
	pair(func(o *Object, g *tag) bool { return line(o, g) && kind(o, g) }, differ)
	pair(func(o *Object, g *tag) bool { return line(o, g) }, differ)
	pair(func(o *Object, g *tag) bool { return kind(o, g) && scope(o, g) && near(f.line(o), g.Line) }, differ)
	for _, o := range objects {
		differ(o, nil)
	}
	for _, g := range tags {
		differ(nil, g)
	}
}

// near reports whether two lines may be of one declaration's head.
func near(a, b int) bool { return max(a, b)-min(a, b) <= 3 }

// classify finds the class of each disagreement.
func (c *comparison) classify(t *testing.T, language string) {
	unknown := 0
	slices.SortFunc(c.disagreements, func(a, b disagreement) int {
		return cmp.Or(cmp.Compare(a.file.path, b.file.path), cmp.Compare(a.line(), b.line()))
	})
	for _, d := range c.disagreements {
		class := d.class(language)
		if class == "" {
			if unknown++; unknown <= 40 {
				t.Errorf("no class explains %v", d)
			}
			continue
		}
		c.counts[class]++
	}
	if unknown > 40 {
		t.Errorf("and %d more", unknown-40)
	}
	for _, class := range ctagsClasses {
		if slices.Contains(strings.Fields(class.in), language) && c.counts[class.name] == 0 {
			t.Errorf("nothing differs as %q says; take it out", class.name)
		}
	}
}

func (d disagreement) class(language string) string {
	for _, class := range ctagsClasses {
		if slices.Contains(strings.Fields(class.in), language) && class.holds(d) {
			return class.name
		}
	}
	return ""
}

func (d disagreement) line() int {
	if d.object != nil {
		return d.file.line(d.object)
	}
	return d.tag.Line
}

// text is the line that a disagreement is about.
func (d disagreement) text() string { return d.file.lineAt(d.line()) }

func (f *comparedFile) lineAt(n int) string {
	if n < 1 || n > len(f.lines) {
		return ""
	}
	return strings.TrimSpace(f.lines[n-1])
}

func (d disagreement) String() string {
	var b strings.Builder
	fmt.Fprintf(&b, "%s:%d: %s\n\t", filepath.Base(d.file.path), d.line(), d.text())
	if o := d.object; o != nil {
		fmt.Fprintf(&b, "here %s %s of %q  ", kinds[o.Kind], o.Descriptors, d.file.scopes[o])
	}
	if g := d.tag; g != nil {
		fmt.Fprintf(&b, "ctags %d: %s %s in %s %q", g.Line, g.Kind, g.Name, g.ScopeKind, g.Scope)
	}
	return b.String()
}

// report prints the numbers of one language, as a row of a table and its classes.
func (c *comparison) report(w *strings.Builder, language string, files int) {
	here, there := 0, 0
	for _, d := range c.disagreements {
		switch {
		case d.tag == nil:
			here++
		case d.object == nil:
			there++
		}
	}
	fmt.Fprintf(w, "| %s | %d files | %d objects | %d tags | %d the same | %d differ | %d here alone | %d of ctags alone |\n",
		language, files, c.objects, c.tags, c.same, len(c.disagreements)-here-there, here, there)
	for _, class := range ctagsClasses {
		if n := c.counts[class.name]; n > 0 && slices.Contains(strings.Fields(class.in), language) {
			fmt.Fprintf(w, "  %5d %s: %s\n", n, class.name, class.why)
		}
	}
}
