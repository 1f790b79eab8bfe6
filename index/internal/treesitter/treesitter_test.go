package treesitter

import (
	"context"
	"go/build"
	"io/fs"
	"math"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	sitter "github.com/smacker/go-tree-sitter"
	"github.com/smacker/go-tree-sitter/golang"
	"github.com/smacker/go-tree-sitter/python"
)

// everyNode numbers all types of a language, tokens included, by its symbols.
func everyNode(lang Language, l *sitter.Language) (*Grammar, []string) {
	var types, fields []string
	seen := map[string]bool{}
	for s := range l.SymbolCount() {
		name := l.SymbolName(sitter.Symbol(s))
		if l.SymbolType(sitter.Symbol(s)) != sitter.SymbolTypeRegular {
			name = `"` + name + `"`
		}
		if !seen[name] {
			seen[name] = true
			types = append(types, name)
		}
	}
	for i := 1; l.FieldName(i) != ""; i++ {
		fields = append(fields, l.FieldName(i))
	}
	return MustGrammar(lang, types, fields), append([]string{"", "ERROR"}, types...)
}

// sameTree holds flattened nodes against the binding's own view of the tree.
func sameTree(t *testing.T, l *sitter.Language, names []string, nodes []Node, root *sitter.Node) {
	t.Helper()
	fields := []string{""}
	for i := 1; l.FieldName(i) != ""; i++ {
		fields = append(fields, l.FieldName(i))
	}
	cursor := sitter.NewTreeCursor(root)
	defer cursor.Close()
	next := 0
	var walk func(parent uint32)
	walk = func(parent uint32) {
		i := next
		next++
		if i >= len(nodes) {
			t.Fatalf("node %d: flattened tree ends early", i)
		}
		n, want := nodes[i], cursor.CurrentNode()
		name := want.Type()
		if !want.IsNamed() {
			name = `"` + name + `"`
		}
		var flags Flags
		if want.HasError() {
			flags |= HasError
		}
		if want.IsMissing() {
			flags |= Missing
		}
		if names[n.Kind] != name || n.Start != want.StartByte() || n.End != want.EndByte() ||
			n.Flags != flags || n.Parent != parent || (i > 0 && fields[n.Field] != cursor.CurrentFieldName()) {
			t.Fatalf("node %d is %s %+v, want %s [%d,%d) field %q flags %d parent %d", i, names[n.Kind], n,
				name, want.StartByte(), want.EndByte(), cursor.CurrentFieldName(), flags, parent)
		}
		if cursor.GoToFirstChild() {
			for more := true; more; more = cursor.GoToNextSibling() {
				walk(uint32(i))
			}
			cursor.GoToParent()
		}
		if int(n.Next) != next {
			t.Fatalf("node %d ends before %d, want %d", i, n.Next, next)
		}
	}
	walk(NoParent)
	if next != len(nodes) {
		t.Fatalf("%d nodes flattened, want %d", len(nodes), next)
	}
}

// sources returns up to n files of a tree by suffix.
func sources(t testing.TB, root, suffix string, n int) map[string][]byte {
	t.Helper()
	found := map[string][]byte{}
	err := filepath.WalkDir(root, func(path string, d fs.DirEntry, err error) error {
		if err != nil || len(found) == n {
			return filepath.SkipAll
		}
		if d.Type().IsRegular() && strings.HasSuffix(path, suffix) {
			src, err := os.ReadFile(path)
			if err != nil {
				return err
			}
			found[path] = src
		}
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	return found
}

func pythonSources(t testing.TB, n int) map[string][]byte {
	t.Helper()
	out, err := exec.Command("python3", "-c", "import sysconfig; print(sysconfig.get_path('stdlib'))").Output()
	if err != nil {
		return nil
	}
	return sources(t, strings.TrimSpace(string(out)), ".py", n)
}

func TestFlattenedTreesEqualTheBindingsOwn(t *testing.T) {
	broken := map[string][]byte{
		"empty": nil, "blank": []byte(" \n\n"), "NUL": []byte("a\x00b"), "broken UTF-8": []byte("f(\xff\xfe"),
		"open": []byte("func f( {\n\tx := (1\n"), "open class": []byte("class A(\n  def f(self:\n    x = [1,\n"),
	}
	for _, c := range []struct {
		lang  Language
		their *sitter.Language
		files []map[string][]byte
	}{
		{Go(), golang.GetLanguage(), []map[string][]byte{broken, sources(t, filepath.Join(build.Default.GOROOT, "src", "go"), ".go", 60)}},
		{Python(), python.GetLanguage(), []map[string][]byte{broken, pythonSources(t, 60)}},
	} {
		g, names := everyNode(c.lang, c.their)
		if !g.byLayout {
			t.Errorf("%s: trees are not read as they lie in memory", c.lang.name)
		}
		p, err := NewParser(c.lang)
		if err != nil {
			t.Fatal(err)
		}
		defer p.Close()
		their := sitter.NewParser()
		their.SetLanguage(c.their)
		var buf []Node
		for _, files := range c.files {
			for path, src := range files {
				t.Run(c.lang.name+"/"+filepath.Base(path), func(t *testing.T) {
					tree, err := p.Parse(src, nil)
					if err != nil {
						t.Fatal(err)
					}
					defer tree.Close()
					buf = tree.Flatten(g, buf)
					want, err := their.ParseCtx(context.Background(), nil, src)
					if err != nil {
						t.Fatal(err)
					}
					sameTree(t, c.their, names, buf, want.RootNode())
					if !slices.Equal(buf, tree.flatten(g, nil, false)) {
						t.Error("the slow way gives other nodes")
					}
					if tree.HasError() != want.RootNode().HasError() {
						t.Error("HasError differs")
					}
				})
			}
		}
	}
}

func TestDroppedTokensLeaveTheNamedTree(t *testing.T) {
	g := MustGrammar(Go(), []string{"identifier", `":="`}, []string{"left"})
	p, err := NewParser(Go())
	if err != nil {
		t.Fatal(err)
	}
	defer p.Close()
	src := []byte("package p\nfunc f() { a := b }\n")
	tree, err := p.Parse(src, nil)
	if err != nil {
		t.Fatal(err)
	}
	defer tree.Close()
	var got []string
	for _, n := range tree.Flatten(g, nil) {
		if n.Kind >= FirstKind {
			got = append(got, string(src[n.Start:n.End]))
		}
	}
	if s := strings.Join(got, " "); s != "f a := b" {
		t.Errorf("kept %q", s)
	}
}

func TestAnEditedTreeParsesToTheNewText(t *testing.T) {
	g, _ := everyNode(Go(), golang.GetLanguage())
	p, err := NewParser(Go())
	if err != nil {
		t.Fatal(err)
	}
	defer p.Close()
	old, err := p.Parse([]byte("package p\nfunc f() {}\n"), nil)
	if err != nil {
		t.Fatal(err)
	}
	defer old.Close()
	old.Edit(InputEdit{Start: 20, OldEnd: 20, NewEnd: 23, StartPoint: Point{1, 10}, OldEndPoint: Point{1, 10}, NewEndPoint: Point{1, 13}})
	src := []byte("package p\nfunc f() {g()}\n")
	edited, err := p.Parse(src, old)
	if err != nil {
		t.Fatal(err)
	}
	defer edited.Close()
	scratch, err := p.Parse(src, nil)
	if err != nil {
		t.Fatal(err)
	}
	defer scratch.Close()
	a, b := edited.Flatten(g, nil), scratch.Flatten(g, nil)
	if len(a) != len(b) {
		t.Fatalf("%d nodes after the edit, %d from scratch", len(a), len(b))
	}
	for i := range a {
		if a[i] != b[i] {
			t.Errorf("node %d: %+v, want %+v", i, a[i], b[i])
		}
	}
}

func TestDeepNestingIsFlattenedInLinearTime(t *testing.T) {
	const depth = 100_000
	for lang, src := range map[Language]string{
		Go():     "package p\nvar x = " + strings.Repeat("(", depth) + "1" + strings.Repeat(")", depth) + "\n",
		Python(): "x = " + strings.Repeat("[", depth) + strings.Repeat("]", depth) + "\n",
	} {
		t.Run(lang.name, func(t *testing.T) {
			p, err := NewParser(lang)
			if err != nil {
				t.Fatal(err)
			}
			defer p.Close()
			tree, err := p.Parse([]byte(src), nil)
			if err != nil {
				t.Fatal(err)
			}
			defer tree.Close()
			g := MustGrammar(lang, nil, nil)
			if n := len(tree.Flatten(g, nil)); n < depth {
				t.Errorf("%d nodes for %d brackets", n, depth)
			}
		})
	}
}

func TestTextsOverTheLimitAreRefused(t *testing.T) {
	if err := checkSize(MaxSource); err != nil {
		t.Error(err)
	}
	if checkSize(MaxSource+1) == nil || checkSize(math.MaxInt) == nil {
		t.Error("a text whose offsets overflow was accepted")
	}
}

func TestAGrammarRefusesNamesItsLanguageLacks(t *testing.T) {
	for _, c := range [][2][]string{{{"no_such_type"}, nil}, {nil, {"no_such_field"}}, {{`"identifier"`}, nil}} {
		if _, err := NewGrammar(Go(), c[0], c[1]); err == nil {
			t.Errorf("types %q, fields %q: accepted", c[0], c[1])
		}
	}
}

func TestClosingTwiceIsHarmless(t *testing.T) {
	p, err := NewParser(Python())
	if err != nil {
		t.Fatal(err)
	}
	tree, err := p.Parse([]byte("x = 1\n"), nil)
	if err != nil {
		t.Fatal(err)
	}
	tree.Close()
	tree.Close()
	p.Close()
	p.Close()
}

// BenchmarkFlatten reports how much of a parse the flattening adds.
func BenchmarkFlatten(b *testing.B) {
	g := MustGrammar(Go(), nil, nil)
	p, err := NewParser(Go())
	if err != nil {
		b.Fatal(err)
	}
	defer p.Close()
	files := sources(b, filepath.Join(build.Default.GOROOT, "src", "net"), ".go", 200)
	for _, flatten := range []bool{false, true} {
		name := "parse"
		if flatten {
			name = "parse and flatten"
		}
		b.Run(name, func(b *testing.B) {
			var buf []Node
			nodes := 0
			for b.Loop() {
				bytes := 0
				for _, src := range files {
					tree, err := p.Parse(src, nil)
					if err != nil {
						b.Fatal(err)
					}
					if flatten {
						buf = tree.Flatten(g, buf)
						nodes += len(buf)
					}
					tree.Close()
					bytes += len(src)
				}
				b.SetBytes(int64(bytes))
			}
			b.ReportMetric(float64(nodes)/float64(b.N), "nodes/op")
		})
	}
}
