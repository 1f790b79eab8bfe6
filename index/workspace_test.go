package index

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"syscall"
	"testing"

	"pgregory.net/rapid"
)

// A world is a workspace that is changed at random, with an index that is told.
type world struct {
	*rapid.T
	t    *testing.T
	root string
	ix   *Index
	open map[string]string // documents by path
}

var worldFiles = []string{"go.mod", "main.go", "cart/cart.go", "cart/cart_test.go", "cart/sub/x.go", "README.md", ".gitignore",
	"app/__init__.py", "app/models.py", "app/web/__init__.py", "app/web/views.py", "scripts/run.py", "image.bin", "cart/.env"}

// text draws the content of a file: fragments that fit its language, so that
// names meet across files.
func (w *world) text(path string) string {
	draw := func(fragments ...string) string {
		n := rapid.IntRange(0, 4).Draw(w.T, "fragments")
		var b strings.Builder
		for range n {
			b.WriteString(rapid.SampledFrom(fragments).Draw(w.T, "fragment"))
		}
		return b.String()
	}
	switch base := filepath.Base(path); {
	case base == "go.mod":
		return rapid.SampledFrom([]string{"module example.com/a\n", "module example.com/b\n", "nonsense"}).Draw(w.T, "module")
	case base == ".gitignore":
		return rapid.SampledFrom([]string{"", "cart/\n", "*.py\n!app/models.py\n", "main.go\n"}).Draw(w.T, "rules")
	case base == "image.bin":
		return "\x00\x01binary"
	case strings.HasSuffix(base, ".go"):
		return draw("package cart\n", "import \"example.com/a/cart\"\n", "// A Cart holds.\ntype Cart struct { n int }\n",
			"func (c *Cart) Add(it string) error { return c.log(it) }\n", "func New() *Cart { return &Cart{} }\n", "func {", "var x = cart.New()\n")
	case strings.HasSuffix(base, ".py"):
		return draw("from .models import Post\n", "from app.models import *\n", "class Post:\n    def slug(self):\n        return self.title.lower()\n",
			"def show(post: Post):\n    return post.slug()\n", "X = Post()\n", "def broken(:\n")
	}
	return draw("some words about Carts\n", "# Title\n", "naïve \xff bytes\n")
}

func (w *world) path() string {
	return filepath.Join(w.root, filepath.FromSlash(rapid.SampledFrom(worldFiles).Draw(w.T, "path")))
}

func (w *world) tell(paths ...string) {
	if rapid.IntRange(0, 5).Draw(w.T, "sweep") == 0 {
		if err := w.ix.Sweep(w.t.Context()); err != nil {
			w.Fatal(err)
		}
		return
	}
	w.ix.FilesChanged(w.t.Context(), paths)
}

func (w *world) save(*rapid.T) {
	path := w.path()
	text := w.text(path)
	// A rename may have put a folder where the file was, or a file where its
	// folder was.
	if info, err := os.Stat(path); err == nil && info.IsDir() || os.MkdirAll(filepath.Dir(path), 0o700) != nil {
		return
	}
	write(w.t, path, text)
	w.tell(path)
}

func (w *world) remove(*rapid.T) {
	path := w.path()
	if rapid.Bool().Draw(w.T, "folder") {
		if path = filepath.Dir(path); path == w.root {
			return
		}
	}
	if err := os.RemoveAll(path); errors.Is(err, syscall.ENOTDIR) {
		return // a file is where the folder was
	} else if err != nil {
		w.Fatal(err)
	}
	w.tell(path)
}

func (w *world) rename(*rapid.T) {
	from := filepath.Join(w.root, rapid.SampledFrom([]string{"cart", "app", "main.go", "moved"}).Draw(w.T, "from"))
	to := filepath.Join(w.root, rapid.SampledFrom([]string{"moved", "cart", "app/web/deep", "main.go"}).Draw(w.T, "to"))
	if os.MkdirAll(filepath.Dir(to), 0o700) != nil || os.Rename(from, to) != nil {
		return // no such file, or something is there
	}
	w.tell(from, to)
}

func (w *world) openDocument(*rapid.T) {
	path := w.path()
	w.open[path] = w.text(path)
	w.ix.OpenDocument(path, "", []byte(w.open[path]))
}

func (w *world) edit(*rapid.T) {
	if len(w.open) == 0 {
		return
	}
	var paths []string
	for p := range w.open {
		paths = append(paths, p)
	}
	slices.Sort(paths)
	path := rapid.SampledFrom(paths).Draw(w.T, "document")
	text := w.open[path]
	start := rapid.IntRange(0, len(text)).Draw(w.T, "start")
	end := rapid.IntRange(start, len(text)).Draw(w.T, "end")
	with := rapid.SampledFrom([]string{"", "x", "Cart", "{", "\n", "func "}).Draw(w.T, "with")
	w.open[path] = text[:start] + with + text[end:]
	w.ix.EditDocument(path, start, end, []byte(with))
}

func (w *world) closeDocument(*rapid.T) {
	path := w.path()
	delete(w.open, path)
	w.ix.CloseDocument(path)
}

// scratch is an index of the same world without a history.
func (w *world) scratch() *Index {
	fresh, err := Open(w.t.Context(), Options{Roots: []string{w.root}})
	if err != nil {
		w.Fatal(err)
	}
	if _, err := fresh.Build(w.t.Context(), nil); err != nil {
		w.Fatal(err)
	}
	for path, text := range w.open {
		fresh.OpenDocument(path, "", []byte(text))
	}
	if err := fresh.Settle(w.t.Context()); err != nil {
		w.Fatal(err)
	}
	return fresh
}

func (w *world) compare() {
	if err := w.ix.Settle(w.t.Context()); err != nil {
		w.Fatal(err)
	}
	fresh := w.scratch()
	defer fresh.Close()
	a, b := w.ix.Snapshot(), fresh.Snapshot()
	if got, want := dump(a), dump(b); got != want {
		w.Fatalf("the index holds\n%s\nbuilt from scratch it holds\n%s", got, want)
	}
	for _, src := range []string{"package main\nfunc f() {\n\tc := cart.New()\n\tc.", "from app.models import Post\ndef f(p: Post):\n    p."} {
		path := filepath.Join(w.root, "query.go")
		if strings.HasPrefix(src, "from") {
			path = filepath.Join(w.root, "query.py")
		}
		q := Query{Path: path, Src: []byte(src), Offset: len(src)}
		x, y := a.Retrieve(q), b.Retrieve(q)
		if got, want := show(x.Structural)+show(x.Lexical), show(y.Structural)+show(y.Lexical); got != want {
			w.Fatalf("the index answers\n%s\nbuilt from scratch it answers\n%s", got, want)
		}
	}
}

func TestIndexEqualsOneBuiltFromScratch(t *testing.T) {
	rapid.Check(t, func(r *rapid.T) {
		w := &world{T: r, t: t, root: t.TempDir(), open: map[string]string{}}
		for _, rel := range worldFiles {
			if path := filepath.Join(w.root, filepath.FromSlash(rel)); rapid.Bool().Draw(r, "exists") {
				write(t, path, w.text(path))
			}
		}
		ix, err := Open(t.Context(), Options{Roots: []string{w.root}})
		if err != nil {
			r.Fatal(err)
		}
		defer ix.Close()
		if _, err := ix.Build(t.Context(), nil); err != nil {
			r.Fatal(err)
		}
		w.ix = ix
		actions := []func(*rapid.T){w.save, w.save, w.remove, w.rename, w.openDocument, w.edit, w.edit, w.closeDocument}
		for range rapid.IntRange(1, 12).Draw(r, "steps") {
			rapid.SampledFrom(actions).Draw(r, "action")(r)
		}
		w.compare()
	})
}

func TestAFoldedOverlayHoldsTheSame(t *testing.T) {
	root := t.TempDir()
	file := func(i int) string { return filepath.Join(root, fmt.Sprintf("p%d", i%7), fmt.Sprintf("f%d.go", i)) }
	for i := range 3 * maxOverlay {
		write(t, file(i), fmt.Sprintf("package p\n\nfunc F%d() { F%d() }\n", i, i+1))
	}
	ix := built(t, Options{Roots: []string{root}})
	for i := range maxOverlay + 5 { // the last of them are in a new overlay
		write(t, file(2*i), fmt.Sprintf("package p\n\n// Changed.\nfunc G%d() { F%d() }\n", i, i))
		ix.FilesChanged(t.Context(), []string{file(2 * i)})
	}
	if n := len(ix.Snapshot().overlay); n == 0 || n > maxOverlay {
		t.Errorf("%d files in the overlay, want some, at most %d", n, maxOverlay)
	}
	fresh := built(t, Options{Roots: []string{root}})
	if got, want := dump(ix.Snapshot()), dump(fresh.Snapshot()); got != want {
		t.Errorf("after folding the index differs from one built from scratch:\n%s\nwant\n%s", got, want)
	}
}

func TestReadersNeverWaitForNorSeeHalfAWrite(t *testing.T) {
	root := unpack(t, "shop.txtar")
	ix := built(t, Options{Roots: []string{root}})
	path := filepath.Join(root, "cart", "money.go")
	q := at(t, root, "checkout/checkout.go", "total, err := c.")
	stop := make(chan struct{})
	var readers sync.WaitGroup
	for range 4 {
		readers.Go(func() {
			for {
				select {
				case <-stop:
					return
				default:
				}
				s := ix.Snapshot()
				// Money is declared in every version of the file.
				if o := s.Object("go example.com/shop/cart Money#"); o == nil || !strings.Contains(o.Source, "Money") {
					t.Errorf("Money is %+v", o)
					return
				}
				s.Retrieve(q)
			}
		})
	}
	for i := range 60 {
		text := fmt.Sprintf("package cart\n\n// Version %d.\ntype Money int64\n\nfunc (m Money) Plus(n Money) Money { return %d }\n", i, i)
		switch i % 3 {
		case 0:
			ix.OpenDocument(path, "", []byte(text))
		case 1:
			ix.EditDocument(path, len("package cart"), len("package cart"), []byte("\n\nvar V int\n"))
		case 2:
			ix.CloseDocument(path)
		}
	}
	if err := ix.Settle(t.Context()); err != nil {
		t.Error(err)
	}
	close(stop)
	readers.Wait()
}

func TestOpenBuffersWinOverTheDisk(t *testing.T) {
	root := unpack(t, "shop.txtar")
	ix := built(t, Options{Roots: []string{root}})
	path := filepath.Join(root, "cart", "log.go")
	find := func(id SymbolID) bool { return ix.Snapshot().Object(id) != nil }
	settle := func() {
		t.Helper()
		if err := ix.Settle(t.Context()); err != nil {
			t.Fatal(err)
		}
	}
	ix.OpenDocument(path, "", []byte("package cart\n\ntype Log struct{}\n"))
	settle()
	if find("go example.com/shop/cart Log#Write().") {
		t.Error("a method that the open document no longer has is still there")
	}
	write(t, path, "package cart\n\ntype Saved struct{}\n")
	ix.FilesChanged(t.Context(), []string{path})
	if find("go example.com/shop/cart Saved#") {
		t.Error("the disk shows through an open document")
	}
	ix.EditDocument(path, len("package cart\n\n"), len("package cart\n\n"), []byte("func Typed() {}\n"))
	settle()
	if !find("go example.com/shop/cart Typed().") || !find("go example.com/shop/cart Log#") {
		t.Error("what was typed is missing")
	}
	ix.CloseDocument(path)
	if !find("go example.com/shop/cart Saved#") || find("go example.com/shop/cart Typed().") {
		t.Error("a closed document does not give way to the disk")
	}
}

func TestIgnoredFilesAndSecretsNeverAppear(t *testing.T) {
	root := unpack(t, "shop.txtar")
	secret := "func SecretToken() {}\n"
	write(t, filepath.Join(root, ".gitignore"), "private/\n")
	write(t, filepath.Join(root, "private", "private.go"), "package private\n\n"+secret)
	write(t, filepath.Join(root, ".env"), "TOKEN=SecretToken\n")
	write(t, filepath.Join(root, "id_rsa"), "SecretToken\n")
	ix := built(t, Options{Roots: []string{root}, Ignore: []string{"drafts"}})
	write(t, filepath.Join(root, "drafts", "d.go"), "package d\n\n"+secret)
	ix.FilesChanged(t.Context(), []string{filepath.Join(root, "drafts", "d.go"), filepath.Join(root, ".env")})
	for _, rel := range []string{".env", "private/private.go", "drafts/d.go"} {
		path := filepath.Join(root, filepath.FromSlash(rel))
		ix.OpenDocument(path, "", []byte("package d\n\n"+secret))
		if why, ignored := ix.Ignored(path); !ignored || why == "" {
			t.Errorf("%s: ignored %v because %q", rel, ignored, why)
		}
	}
	if err := ix.Settle(t.Context()); err != nil {
		t.Fatal(err)
	}
	s := ix.Snapshot()
	for f := range s.Files() {
		if text, err := s.Text(f.Path); err != nil || strings.Contains(string(text), "SecretToken") {
			t.Errorf("%s is in the index (%v)", f.Rel, err)
		}
	}
	src := "package main\n\nfunc main() {\n\t// SecretToken\n\tSecretToken"
	e := s.Retrieve(Query{Path: filepath.Join(root, "x.go"), Src: []byte(src), Offset: len(src)})
	if got := show(e.Structural) + show(e.Lexical); strings.Contains(got, "SecretToken() {}") || strings.Contains(got, "TOKEN=") {
		t.Errorf("evidence shows what is ignored:\n%s", got)
	}
}

func TestARuleThatComesLaterTakesAnOpenDocumentOut(t *testing.T) {
	root := unpack(t, "shop.txtar")
	ix := built(t, Options{Roots: []string{root}})
	ix.OpenDocument(filepath.Join(root, "cart", "log.go"), "", []byte("package cart\n\ntype Log struct{}\n"))
	if err := ix.Settle(t.Context()); err != nil {
		t.Fatal(err)
	}
	write(t, filepath.Join(root, ".gitignore"), "log.go\n")
	ix.FilesChanged(t.Context(), []string{filepath.Join(root, ".gitignore")})
	if o := ix.Snapshot().Object("go example.com/shop/cart Log#"); o != nil {
		t.Errorf("%s is ignored now and still shown", o.Path)
	}
}

func TestAFileThatChangedUnderTheIndexYieldsNothing(t *testing.T) {
	root := unpack(t, "shop.txtar")
	ix := built(t, Options{Roots: []string{root}})
	write(t, filepath.Join(root, "cart", "money.go"), "package cart\n\n// Shorter.\ntype Money int\n")
	s := ix.Snapshot()
	if text, err := s.Text(filepath.Join(root, "cart", "money.go")); err == nil {
		t.Errorf("the text of a changed file is given out: %q", text)
	}
	for _, v := range s.Retrieve(at(t, root, "cart/cart.go", "sum = sum.")).Structural {
		if v.Path == "cart/money.go" {
			t.Errorf("a view of a changed file is shown: %q", v.Text)
		}
	}
}

func TestNestedRootsHoldEachFileOnce(t *testing.T) {
	root := unpack(t, "shop.txtar")
	ix := built(t, Options{Roots: []string{root, filepath.Join(root, "cart")}})
	seen := map[string]string{}
	for f := range ix.Snapshot().Files() {
		if was, twice := seen[f.Path]; twice {
			t.Errorf("%s is listed as %s and as %s", f.Path, was, f.Rel)
		}
		seen[f.Path] = f.Rel
	}
	if rel := seen[filepath.Join(root, "cart", "cart.go")]; rel != "cart.go" {
		t.Errorf("cart.go belongs to the inner folder as %q", rel)
	}
}
