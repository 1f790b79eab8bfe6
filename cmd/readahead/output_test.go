package main

import (
	"go/ast"
	"go/parser"
	"go/token"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// deaf is a file that takes no byte, as a full disk does.
func deaf(t *testing.T) *os.File {
	t.Helper()
	path := filepath.Join(t.TempDir(), "file")
	if err := os.WriteFile(path, nil, 0o600); err != nil {
		t.Fatal(err)
	}
	f, err := os.Open(path)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { f.Close() })
	return f
}

func TestAResultThatCannotBePrintedIsAFailure(t *testing.T) {
	shop := unpack(t, "shop")
	at := cursor(t, filepath.Join(shop, "order", "order.go"))
	embedded := func(args ...string) []string {
		return append([]string{args[0], "--model", "embedded"}, args[1:]...)
	}
	for _, args := range [][]string{
		embedded("complete", at), embedded("complete", "--json", at),
		embedded("inspect", "--open=false", at), embedded("inspect", "--json", at),
		embedded("index", shop), embedded("doctor", shop), embedded("doctor", "--json", shop),
		embedded("tune", "--limit", "2", shop), embedded("tune", "--limit", "2", "--json", shop), {"tune", "--forget", shop},
		{"eval", "--self", shop}, {"eval", "--self", shop, "--json"},
		{"man", t.TempDir()}, {"completion", "bash"}, {"completion", "zsh"}, {"completion", "fish"}, {"completion", "powershell"},
		{"version"}, {"--help"}, {"help"}, {"help", "index"}, {"index", "--help"}, {"completion", "--help"},
	} {
		t.Run(strings.Join(args[:min(len(args), 4)], " "), func(t *testing.T) {
			t.Parallel()
			c := command(t.Context(), t, args...)
			c.Stdout = deaf(t)
			var stderr strings.Builder
			c.Stderr = &stderr
			err := c.Run()
			if said := stderr.String(); c.ProcessState.ExitCode() != 1 || strings.Count(said, "standard output takes no more") != 1 || strings.Count(said, "\n") != 1 {
				t.Errorf("%v, status %d:\n%s", err, c.ProcessState.ExitCode(), said)
			}
		})
	}
}

// Only a screen is sure of what it prints, and only main of where to.
func TestEverythingIsPrintedByAScreen(t *testing.T) {
	allowed := map[string][]string{
		"fmt.Fprint":  {"terminal.go"},
		"fmt.Fprintf": {"terminal.go"}, "fmt.Fprintln": {"terminal.go"},
		"fmt.Print": nil, "fmt.Printf": nil, "fmt.Println": nil, "print": nil, "println": nil,
		"os.Stdout": {"main.go", "serve.go"}, "os.Stderr": {"main.go", "serve.go"},
	}
	files, err := filepath.Glob("*.go")
	if err != nil || len(files) == 0 {
		t.Fatal(err)
	}
	for _, path := range files {
		if strings.HasSuffix(path, "_test.go") {
			continue
		}
		fset := token.NewFileSet()
		f, err := parser.ParseFile(fset, path, nil, 0)
		if err != nil {
			t.Fatal(err)
		}
		ast.Inspect(f, func(n ast.Node) bool {
			name := ""
			switch n := n.(type) {
			case *ast.SelectorExpr:
				if x, ok := n.X.(*ast.Ident); ok {
					name = x.Name + "." + n.Sel.Name
				}
			case *ast.CallExpr:
				if builtin, ok := n.Fun.(*ast.Ident); ok {
					name = builtin.Name
				}
			}
			if where, ok := allowed[name]; ok && !strings.Contains(strings.Join(where, " "), path) {
				t.Errorf("%s: %s: print it by a screen", fset.Position(n.Pos()), name)
			}
			return true
		})
	}
}
