package facts

import (
	"fmt"
	"go/ast"
	"go/parser"
	"go/token"
	"path/filepath"
	"sort"
	"strings"
	"sync/atomic"
	"testing"
)

// declared lists what go/parser finds declared in a file, one line an object:
// its qualified name, where the name stands, its doc comment and its body.
func declared(file *ast.File, fset *token.FileSet) []string {
	var d declarations
	d.offset = func(p token.Pos) int { return fset.Position(p).Offset }
	for _, decl := range file.Decls {
		switch decl := decl.(type) {
		case *ast.FuncDecl:
			d.function(decl)
		case *ast.GenDecl:
			for _, spec := range decl.Specs {
				d.spec(decl, spec)
			}
		}
	}
	sort.Strings(d.found)
	return d.found
}

type declarations struct {
	found  []string
	offset func(token.Pos) int
}

func (d *declarations) add(kind Kind, name string, at token.Pos, doc *ast.CommentGroup, body ast.Node) {
	line := fmt.Sprintf("%s %s@%d", kinds[kind], name, d.offset(at))
	if doc != nil {
		line += fmt.Sprintf(" doc %d", d.offset(doc.Pos()))
	}
	if body != nil {
		line += fmt.Sprintf(" body %d-%d", d.offset(body.Pos()), d.offset(body.End()))
	}
	d.found = append(d.found, line)
}

func (d *declarations) function(f *ast.FuncDecl) {
	kind, name := Function, f.Name.Name
	if f.Recv != nil {
		kind = Method
		if len(f.Recv.List) == 1 {
			name = embeddedIdent(f.Recv.List[0].Type).Name + "#" + name
		}
	}
	var body ast.Node
	if f.Body != nil {
		body = f.Body
	}
	d.add(kind, name, f.Name.Pos(), f.Doc, body)
}

func (d *declarations) spec(decl *ast.GenDecl, spec ast.Spec) {
	doc := decl.Doc
	if decl.Lparen.IsValid() {
		doc = nil
	}
	switch spec := spec.(type) {
	case *ast.TypeSpec:
		if spec.Doc != nil {
			doc = spec.Doc
		}
		d.add(Type, spec.Name.Name, spec.Name.Pos(), doc, nil)
		d.members(spec.Type)
	case *ast.ValueSpec:
		if spec.Doc != nil {
			doc = spec.Doc
		}
		kind := Variable
		if decl.Tok == token.CONST {
			kind = Constant
		}
		for _, name := range spec.Names {
			d.add(kind, name.Name, name.Pos(), doc, nil)
		}
		if spec.Type != nil {
			d.members(spec.Type)
		}
		for _, v := range spec.Values {
			d.members(v)
		}
	}
}

// members adds the fields and methods of the types spelled out under n, but not
// those inside functions and function types.
func (d *declarations) members(n ast.Node) {
	ast.Inspect(n, func(n ast.Node) bool {
		switch n := n.(type) {
		case *ast.FuncLit, *ast.FuncType:
			return false
		case *ast.StructType:
			for _, f := range n.Fields.List {
				for _, name := range f.Names {
					d.add(Field, name.Name, name.Pos(), f.Doc, nil)
				}
				if f.Names == nil {
					name := embeddedIdent(f.Type)
					d.add(Field, name.Name, name.Pos(), f.Doc, nil)
				}
			}
		case *ast.InterfaceType:
			for _, f := range n.Methods.List {
				for _, name := range f.Names {
					d.add(Method, name.Name, name.Pos(), f.Doc, nil)
				}
				if name := embeddedIdent(f.Type); f.Names == nil && name != nil {
					d.add(Field, name.Name, name.Pos(), f.Doc, nil)
				}
			}
		}
		return true
	})
}

// embeddedIdent returns the name by which an embedded type is known.
func embeddedIdent(e ast.Expr) *ast.Ident {
	switch e := e.(type) {
	case *ast.Ident:
		return e
	case *ast.SelectorExpr:
		return e.Sel
	case *ast.StarExpr:
		return embeddedIdent(e.X)
	case *ast.ParenExpr:
		return embeddedIdent(e.X)
	case *ast.IndexExpr:
		return embeddedIdent(e.X)
	case *ast.IndexListExpr:
		return embeddedIdent(e.X)
	}
	return nil
}

// extracted lists the objects of facts in the form of declared.
func extracted(f *File, src []byte) []string {
	var found []string
	for _, o := range f.Objects[1:] {
		name := o.Name
		if o.Kind == Method && o.Parent == 0 {
			name = strings.TrimSuffix(o.Descriptors, "().")
			if plus := strings.IndexByte(name, '('); plus >= 0 {
				name = name[:plus]
			}
			name = strings.ReplaceAll(name, "`", "")
		}
		line := fmt.Sprintf("%s %s@%d", kinds[o.Kind], name, o.Ident.Start)
		if o.Doc.Len() > 0 && o.Doc.Start < o.Ident.Start {
			line += fmt.Sprintf(" doc %d", o.Doc.Start)
		}
		if o.Body.Len() > 0 && (o.Kind == Function || o.Kind == Method) {
			line += fmt.Sprintf(" body %d-%d", o.Body.Start, o.Body.End)
		}
		found = append(found, line)
	}
	sort.Strings(found)
	return found
}

// TestEveryDeclarationOfTheGoLibraryIsFound holds the objects of every file of
// the Go distribution against go/parser's: the same names at the same places
// with the same doc comments and bodies, no more and no fewer. The programs under
// testdata, most of which test compilers with what nobody writes, must only be
// read without harm: the grammar takes some of their constants and variables
// otherwise.
func TestEveryDeclarationOfTheGoLibraryIsFound(t *testing.T) {
	var objects atomic.Int64
	walkCorpus(t, goCorpus(), ".go", func(path string, src []byte) {
		got := Extract(Go, "p", filepath.Base(path), src)
		if msg := invalid(got, src); msg != "" {
			t.Errorf("%s: %s", path, msg)
		}
		if strings.Contains(filepath.ToSlash(path), "/testdata/") {
			return
		}
		fset := token.NewFileSet()
		file, err := parser.ParseFile(fset, path, src, parser.ParseComments|parser.SkipObjectResolution)
		if err != nil {
			return // a test of the compiler's error messages
		}
		objects.Add(int64(len(got.Objects) - 1))
		if got.Name != file.Name.Name {
			t.Errorf("%s: package %q, want %q", path, got.Name, file.Name.Name)
		}
		for _, d := range difference(declared(file, fset), extracted(got, src)) {
			t.Errorf("%s: %s", path, d)
		}
	})
	t.Logf("%d objects agree", objects.Load())
}

// difference says what only one of two sorted lists has.
func difference(want, got []string) []string {
	var d []string
	for len(want) > 0 || len(got) > 0 {
		switch {
		case len(got) == 0 || len(want) > 0 && want[0] < got[0]:
			d, want = append(d, "missing "+want[0]), want[1:]
		case len(want) == 0 || got[0] < want[0]:
			d, got = append(d, "not declared "+got[0]), got[1:]
		default:
			want, got = want[1:], got[1:]
		}
	}
	return d
}
