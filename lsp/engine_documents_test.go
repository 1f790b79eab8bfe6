package lsp

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"readahead/model/replay"
)

// A conversation is with the real server on a real workspace, whose model says x().
type conversation struct {
	*client
	e *Engine
	m *replay.Model
}

func converse(t *testing.T, root string) *conversation {
	t.Helper()
	m := replay.New(replay.Texts("x()"))
	o := testOptions()
	e := engine(t, root, o.Config, m, nil)
	s := &conversation{attach(t.Context(), t, e, o), e, m}
	s.mustCall("initialize", fmt.Sprintf(`{"processId":null,"rootUri":"file://%s","capabilities":{"textDocument":{"inlineCompletion":{}}}}`, root), nil)
	first := e.current()
	s.notify("initialized", `{}`)
	eventually(t, "the client's folders are indexed", func() bool { return e.current() != first })
	return s
}

// settle waits until what was sent is what the index knows.
func (s *conversation) settle() {
	s.t.Helper()
	s.mustCall("workspace/executeCommand", `{"command":"readahead.status"}`, nil)
	if err := s.e.current().Settle(s.ctx); err != nil {
		s.t.Fatal(err)
	}
}

// read is what the model reads, evidence and document, when asked at the end of
// behind in a document that is open, which must get an item.
func (s *conversation) read(path, doc, behind string) string {
	s.t.Helper()
	s.settle()
	before := len(s.m.Calls())
	got, err := s.inline(path, doc, strings.Index(doc, behind)+len(behind))
	if err != nil || len(got.Items) != 1 || got.Items[0].InsertText != "x()" {
		s.t.Fatalf("in %s: %+v, %v", path, got, err)
	}
	calls := s.m.Calls()[before:]
	if len(calls) == 0 {
		s.t.Fatalf("in %s: the model was not asked", path)
	}
	p := calls[0].Prompt
	return p.Context + p.Left + p.Right
}

func (s *conversation) close(path string) {
	s.notify("textDocument/didClose", object("textDocument", map[string]any{"uri": "file://" + path}))
}

// A file that is open by another name is one file: its text is the editor's while
// it is open, there is one of everything in it, and all is as before when it is
// closed.
func TestAFileIsOneFileWhateverItIsOpenedAs(t *testing.T) {
	const edited = "package lib\n\n// Welcome says hello to a name.\nfunc Welcome(name string) string {\n\t\n\treturn \"hello \" + name\n}\n"
	main := strings.ReplaceAll(workspace["main.go"], "\t\n", "\tlib.Welcome(name)\n\tlib.Greet(name)\n\t\n")
	for _, c := range []struct {
		what       string
		links      map[string]string
		root, open string // below the folder that holds the workspace
	}{
		{"its own name", nil, "w", "w/lib/lib.go"},
		{"a link to it", map[string]string{"w/other/link.go": "../lib/lib.go"}, "w", "w/other/link.go"},
		{"a link to a link to it", map[string]string{"w/a.go": "other/link.go", "w/other/link.go": "../lib/lib.go"}, "w", "w/a.go"},
		{"a link to its folder", map[string]string{"w/alias": "lib"}, "w", "w/alias/lib.go"},
		{"a link from outside the workspace", map[string]string{"outside.go": "w/lib/lib.go"}, "w", "outside.go"},
		{"its name in a workspace that is a link", map[string]string{"alias": "w"}, "alias", "alias/lib/lib.go"},
		{"its own name, the workspace being a link", map[string]string{"alias": "w"}, "alias", "w/lib/lib.go"},
		{"a link to it, the workspace being a link", map[string]string{"alias": "w", "w/other/link.go": "../lib/lib.go"}, "alias", "alias/other/link.go"},
		{"the name of a link to the workspace", map[string]string{"alias": "w"}, "w", "alias/lib/lib.go"},
	} {
		t.Run(c.what, func(t *testing.T) {
			top := t.TempDir()
			for name, text := range workspace {
				path := filepath.Join(top, "w", name)
				if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
					t.Fatal(err)
				}
				if err := os.WriteFile(path, []byte(text), 0o644); err != nil {
					t.Fatal(err)
				}
			}
			for at, target := range c.links {
				if err := os.Symlink(target, filepath.Join(top, at)); err != nil {
					t.Fatal(err)
				}
			}
			s := converse(t, filepath.Join(top, c.root))
			mainFile, lib := filepath.Join(top, c.root, "main.go"), filepath.Join(top, c.open)
			s.open(mainFile, "go", main)
			evidence := func() string { return s.read(mainFile, main, "lib.Greet(name)\n\t") }
			onDisk := func(when string) {
				t.Helper()
				if text := evidence(); strings.Count(text, "func Greet(name string)") != 1 || strings.Contains(text, "func Welcome") {
					t.Errorf("%s the model reads\n%s", when, text)
				}
			}
			onDisk("before it is opened")
			s.open(lib, "go", edited)
			if text := evidence(); strings.Count(text, "func Welcome(name string)") != 1 || strings.Contains(text, "func Greet") {
				t.Errorf("while it is open the model reads\n%s", text)
			}
			if text := s.read(lib, edited, "string {\n\t"); strings.Contains(text, "func Greet") || strings.Count(text, "func Welcome") != 1 {
				t.Errorf("in itself the model reads\n%s", text)
			}
			s.insert(lib, edited, strings.Index(edited, "name string"), "plain, ")
			if text := evidence(); !strings.Contains(text, "func Welcome(plain, name string)") {
				t.Errorf("after an edit the model reads\n%s", text)
			}
			s.close(lib)
			onDisk("after it was closed")
		})
	}
}

// Two buffers of one file: what was typed last counts, and what is left when one
// of them is closed.
func TestOfTwoNamesOfAFileTheLastEditCounts(t *testing.T) {
	dir := write(t, workspace)
	if err := os.Symlink("lib/lib.go", filepath.Join(dir, "link.go")); err != nil {
		t.Fatal(err)
	}
	text := func(name string) string {
		return "package lib\n\nfunc " + name + "(name string) string {\n\treturn name\n}\n"
	}
	main := strings.ReplaceAll(workspace["main.go"], "\t\n", "\tlib.One(name)\n\tlib.Two(name)\n\tlib.Three(name)\n\t\n")
	s := converse(t, dir)
	mainFile, lib, link := filepath.Join(dir, "main.go"), filepath.Join(dir, "lib/lib.go"), filepath.Join(dir, "link.go")
	s.open(mainFile, "go", main)
	counts := func(when, want string) {
		t.Helper()
		read := s.read(mainFile, main, "lib.Three(name)\n\t")
		for _, name := range []string{"One", "Two", "Three", "Greet"} {
			if strings.Contains(read, "func "+name+"(") != (name == want) {
				t.Errorf("%s the model reads\n%s\nwant %s alone", when, read, want)
			}
		}
	}
	s.open(lib, "go", text("One"))
	counts("the file being open", "One")
	s.open(link, "go", text("Two"))
	counts("the link being opened, too,", "Two")
	at := strings.Index(text("One"), "One")
	s.remove(lib, text("One"), at, at+3)
	s.insert(lib, strings.Replace(text("One"), "One", "", 1), at, "Three")
	counts("the file being edited", "Three")
	if err := s.e.Reindex(t.Context(), nil); err != nil {
		t.Fatal(err)
	}
	counts("the index being made anew", "Three")
	s.close(lib)
	counts("the file being closed", "Two")
	s.close(link)
	counts("both being closed", "Greet")
}
