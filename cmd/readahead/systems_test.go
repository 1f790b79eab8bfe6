package main

import (
	"encoding/json"
	"errors"
	"go/ast"
	"go/parser"
	"go/token"
	"go/types"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"runtime"
	"strings"
	"testing"
)

// A listedPackage is what `go list -json` says of one.
type listedPackage struct {
	ImportPath, Dir   string
	GoFiles, CgoFiles []string
	ImportMap         map[string]string
	Standard, DepOnly bool
}

// A checker type-checks packages in the order of their dependencies, without a C
// compiler: what "C" has is taken for granted.
type checker struct {
	fset  *token.FileSet
	arch  string
	known map[string]*types.Package
	errs  []error
}

func (k *checker) check(p listedPackage) error {
	if p.ImportPath == "unsafe" {
		k.known["unsafe"] = types.Unsafe
		return nil
	}
	var files []*ast.File
	for _, name := range append(p.GoFiles, p.CgoFiles...) {
		f, err := parser.ParseFile(k.fset, filepath.Join(p.Dir, name), nil, parser.SkipObjectResolution)
		if err != nil {
			return err
		}
		files = append(files, f)
	}
	c := types.Config{
		Importer:    importerFunc(func(path string) (*types.Package, error) { return k.find(p, path) }),
		FakeImportC: true, IgnoreFuncBodies: p.DepOnly, Sizes: types.SizesFor("gc", k.arch),
		Error: func(err error) {
			// cgo takes its C apart from a constant that is called so, the checker does not.
			if !p.DepOnly && !(len(p.CgoFiles) > 0 && ofC.MatchString(err.Error())) {
				k.errs = append(k.errs, err)
			}
		},
	}
	k.known[p.ImportPath], _ = c.Check(p.ImportPath, k.fset, files, nil) // its errors are those that were handed on
	return nil
}

var ofC = regexp.MustCompile(`C already declared through import of package C|other declaration of C$`)

func (k *checker) find(from listedPackage, path string) (*types.Package, error) {
	if mapped, ok := from.ImportMap[path]; ok {
		path = mapped
	}
	if p := k.known[path]; p != nil {
		return p, nil
	}
	return nil, errors.New("not listed: " + path)
}

type importerFunc func(string) (*types.Package, error)

func (f importerFunc) Import(path string) (*types.Package, error) { return f(path) }

// The grammars are C, so the program is built on each system by itself; that what
// is written in Go fits there can be known here.
func TestTheProgramTypeChecksForOtherSystems(t *testing.T) {
	systems := []string{"windows/amd64", "darwin/arm64"}
	if testing.Short() {
		systems = systems[:1] // it reads the whole program, and Go's library, for each
	}
	for _, system := range systems {
		goos, arch, _ := strings.Cut(system, "/")
		if system == runtime.GOOS+"/"+runtime.GOARCH {
			continue // it runs
		}
		list := exec.CommandContext(t.Context(), "go", "list", "-deps", "-json=ImportPath,Dir,GoFiles,CgoFiles,ImportMap,Standard,DepOnly", "./...")
		list.Dir = filepath.Join("..", "..")
		list.Env = append(os.Environ(), "GOOS="+goos, "GOARCH="+arch, "CGO_ENABLED=1")
		out, err := list.Output()
		if err != nil {
			t.Fatalf("%s: go list: %v", system, err)
		}
		k, ours := checker{fset: token.NewFileSet(), arch: arch, known: map[string]*types.Package{}}, 0
		for d := json.NewDecoder(strings.NewReader(string(out))); ; {
			var p listedPackage
			if err := d.Decode(&p); errors.Is(err, io.EOF) {
				break
			} else if err != nil {
				t.Fatal(err)
			}
			if err := k.check(p); err != nil {
				t.Fatalf("%s: %s: %v", system, p.ImportPath, err)
			}
			if !p.DepOnly {
				ours++
			}
		}
		for _, err := range k.errs {
			t.Errorf("%s: %v", system, err)
		}
		if ours < 25 {
			t.Errorf("%s: only %d packages were checked", system, ours)
		}
	}
}
