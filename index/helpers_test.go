package index

import (
	"bytes"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"golang.org/x/tools/txtar"

	"readahead/index/facts"
)

// unpack lays out a txtar archive of testdata in a folder of its own.
func unpack(t testing.TB, archive string) string {
	t.Helper()
	a, err := txtar.ParseFile(filepath.Join("testdata", archive))
	if err != nil {
		t.Fatal(err)
	}
	dir := t.TempDir()
	for _, f := range a.Files {
		write(t, filepath.Join(dir, filepath.FromSlash(f.Name)), string(f.Data))
	}
	return dir
}

func write(t testing.TB, path, text string) {
	t.Helper()
	if err := os.MkdirAll(filepath.Dir(path), 0o700); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
}

// built opens and builds an index that ends with the test.
func built(t testing.TB, o Options) *Index {
	t.Helper()
	ix, err := Open(t.Context(), o)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { ix.Close() })
	if _, err := ix.Build(t.Context(), nil); err != nil {
		t.Fatal(err)
	}
	return ix
}

// at is a query behind the first occurrence of before, everything after it
// hidden.
func at(t testing.TB, root, rel, before string) Query {
	t.Helper()
	path := filepath.Join(root, filepath.FromSlash(rel))
	src, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	i := bytes.Index(src, []byte(before))
	if i < 0 {
		t.Fatalf("%s does not contain %q", rel, before)
	}
	i += len(before)
	return Query{Path: path, Src: src, Offset: i, Hidden: facts.Span{Start: uint32(i), End: uint32(len(src))}}
}

// objectsOf lists the distinct objects of views in order.
func objectsOf(views []View) []SymbolID {
	var ids []SymbolID
	for _, v := range views {
		if !slices.Contains(ids, v.Object.ID) {
			ids = append(ids, v.Object.ID)
		}
	}
	return ids
}

// dump writes everything that a snapshot knows in an order that does not depend
// on its history.
func dump(s *Snapshot) string {
	var out []string
	str := s.names.str
	for f := range s.files() {
		var b strings.Builder
		fmt.Fprintf(&b, "file %s root %d lang %s size %d hash %x lines %d pkg %q clause %q parsed %v\n",
			f.rel, f.root, f.lang, f.size, f.hash, f.lines, str(f.pkg), str(f.clause), f.parsed)
		for i := range f.objects {
			o := &f.objects[i]
			fmt.Fprintf(&b, " object %s %s owner %s type %q value %q parent %d %v %v %v %v %v kind %d test %v", str(o.descriptors), str(o.name), str(o.owner),
				str(o.typ), str(o.value), o.parent, o.ident, o.whole, o.signature, o.doc, o.body, o.kind, o.test)
			for _, x := range slices.Concat(f.basesOf(o), f.resultsOf(o)) {
				fmt.Fprintf(&b, " %q", str(x))
			}
			b.WriteString("\n")
		}
		for _, r := range f.refs {
			fmt.Fprintf(&b, " ref %s.%s at %d in %d role %d\n", str(r.path), str(r.name), r.at, r.object(), r.role())
		}
		for _, m := range f.imports {
			fmt.Fprintf(&b, " import %s %s %s %d\n", str(m.local), str(m.path), str(m.name), m.at)
		}
		for _, x := range f.binds {
			fmt.Fprintf(&b, " bind %s %s %s %d %d %d\n", str(x.name), str(x.typ), str(x.value), x.at, x.object, x.result)
		}
		fmt.Fprintf(&b, " windows %v\n", f.windows)
		out = append(out, b.String())
	}
	slices.Sort(out)
	return strings.Join(out, "")
}

// show writes views in a readable form.
func show(views []View) string {
	var b strings.Builder
	for _, v := range views {
		fmt.Fprintf(&b, "%.4f %s %d %s:%d %q (%s)\n", v.Score, v.Object.ID, v.Kind, v.Path, v.Line, v.Text, v.Why)
	}
	return b.String()
}
