package main

import (
	"go/parser"
	"go/token"
	"io/fs"
	"maps"
	"os"
	"path"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"
)

// block returns the lines of the fenced block behind a marker in
// ARCHITECTURE.md, each split into words.
func block(t *testing.T, document, marker string) [][]string {
	t.Helper()
	m := regexp.MustCompile("(?s)<!-- " + marker + ":[^\n]*-->\n```\n(.*?)```").FindStringSubmatch(document)
	if m == nil {
		t.Fatalf("ARCHITECTURE.md has no block %q", marker)
	}
	var rows [][]string
	for line := range strings.Lines(m[1]) {
		rows = append(rows, strings.Fields(line))
	}
	return rows
}

// forTests are packages that any test file may import.
var forTests = []string{"model/replay", "model/ollama/ollamatest", "model/openai/openaitest", "model/internal/modeltest", "index/internal/treesitter"}

func TestImportsFollowTheMapInArchitecture(t *testing.T) {
	const root = "../.."
	text, err := os.ReadFile(filepath.Join(root, "ARCHITECTURE.md"))
	if err != nil {
		t.Fatal(err)
	}
	allowed := map[string][]string{}
	for _, row := range block(t, string(text), "imports") {
		allowed[row[0]] = row[1:]
	}
	doors := block(t, string(text), "doors")
	seen := map[string]bool{}
	err = filepath.WalkDir(root, func(file string, d fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		if d.IsDir() {
			if _, err := os.Stat(filepath.Join(file, "go.mod")); err == nil && file != root {
				return fs.SkipDir // another module
			}
			if name := d.Name(); name == "testdata" || name == "node_modules" || strings.HasPrefix(name, ".") && file != root {
				return fs.SkipDir
			}
			return nil
		}
		if path.Ext(file) != ".go" {
			return nil
		}
		rel, err := filepath.Rel(root, filepath.Dir(file))
		if err != nil {
			return err
		}
		pkg := filepath.ToSlash(rel)
		parsed, err := parser.ParseFile(token.NewFileSet(), file, nil, parser.ImportsOnly)
		if err != nil {
			return err
		}
		ours, known := allowed[pkg]
		if !known && pkg != "cmd/readahead" {
			t.Errorf("package %s is missing from the map in ARCHITECTURE.md", pkg)
		}
		seen[pkg] = true
		for _, i := range parsed.Imports {
			imported := strings.Trim(i.Path.Value, `"`)
			if to, ok := strings.CutPrefix(imported, "readahead/"); ok {
				test := strings.HasSuffix(file, "_test.go") && (slices.Contains(forTests, to) || to == pkg)
				if pkg != "cmd/readahead" && !test && !slices.Contains(ours, to) {
					t.Errorf("%s imports %s, which the map in ARCHITECTURE.md does not allow", file, to)
				}
			}
			for _, door := range doors {
				if strings.HasPrefix(imported, door[0]) && pkg != door[1] {
					t.Errorf("%s imports %s, which belongs behind %s", file, imported, door[1])
				}
			}
		}
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	for _, pkg := range slices.Sorted(maps.Keys(allowed)) {
		if !seen[pkg] {
			t.Errorf("ARCHITECTURE.md lists %s, which does not exist", pkg)
		}
	}
}
