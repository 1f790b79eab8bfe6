package main

import (
	"bytes"
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"
	"unicode/utf8"

	"readahead/lsp"
)

// A place is FILE:LINE:COL on the command line. Line and column are 1-based;
// the column counts characters, as editors show them.
type place struct {
	file      string
	line, col int
}

// parsePlace reads from the right, so that a colon in the file's name, or a
// drive letter, is no trouble.
func parsePlace(s string) (place, error) {
	wrong := func() (place, error) {
		return place{}, usagef("%q is not FILE:LINE:COL (for example main.go:12:5, counted from 1)", s)
	}
	rest, col, ok := cutLast(s)
	if !ok {
		return wrong()
	}
	file, line, ok := cutLast(rest)
	if !ok || file == "" || line < 1 || col < 1 {
		return wrong()
	}
	return place{file, line, col}, nil
}

func cutLast(s string) (string, int, bool) {
	i := strings.LastIndexByte(s, ':')
	if i < 0 {
		return "", 0, false
	}
	n, err := strconv.Atoi(s[i+1:])
	return s[:i], n, err == nil
}

// offset is the byte offset of p in text, or an error that says what the file
// has instead. One column past the end of a line is the end of the line.
func (p place) offset(text []byte) (int, error) {
	at := 0
	for l := 1; l < p.line; l++ {
		i := bytes.IndexByte(text[at:], '\n')
		if i < 0 {
			return 0, fmt.Errorf("%s has %d lines, there is no line %d", p.file, l, p.line)
		}
		at += i + 1
	}
	line := text[at:]
	if i := bytes.IndexByte(line, '\n'); i >= 0 {
		line = line[:i]
	}
	line = bytes.TrimSuffix(line, []byte("\r"))
	for c := 1; c < p.col; c++ {
		if len(line) == 0 {
			return 0, fmt.Errorf("line %d of %s has %d characters, so its columns are 1 to %d; there is no column %d", p.line, p.file, c-1, c, p.col)
		}
		_, n := utf8.DecodeRune(line)
		line, at = line[n:], at+n
	}
	return at, nil
}

// manifests mark the root of a project, nearest first being best.
var manifests = []string{".git", ".hg", ".jj", "go.work", "go.mod", "pyproject.toml", "setup.py", "setup.cfg",
	"package.json", "Cargo.toml", "pom.xml", "build.gradle", "compile_commands.json", "composer.json", "Gemfile"}

// workspaceOf is the folder that a file belongs to: the nearest one above it
// under version control, else the nearest with a project's manifest, else, for
// Python, the one above its outermost package, else the file's own.
//
// A folder of everything (see lsp.HoldsEverything) is nobody's workspace, whatever lies
// in it: a home folder is under version control for its settings' sake. A file that
// has no other folder, or one of the system's, is alone: nothing beside it is read.
func workspaceOf(file string) (dir string, alone bool) {
	own := filepath.Dir(file)
	manifest := ""
	for d := own; ; d = filepath.Dir(d) {
		for i, m := range manifests {
			if lsp.HoldsEverything(d) {
				break
			}
			if _, err := os.Lstat(filepath.Join(d, m)); err != nil {
				continue
			}
			if i < 3 {
				return d, false
			}
			if manifest == "" {
				manifest = d
			}
		}
		if filepath.Dir(d) == d {
			break
		}
	}
	if manifest != "" {
		return manifest, false
	}
	if top := filepath.Dir(own); lsp.HoldsEverything(own) || filepath.Dir(top) == top {
		return own, true // in /etc, say
	}
	dir = own
	for isPythonPackage(dir) && !lsp.HoldsEverything(filepath.Dir(dir)) {
		dir = filepath.Dir(dir)
	}
	return dir, false
}

// onlyThis are patterns that let nothing of a file's folder be read but the file.
func onlyThis(file string) []string {
	name := regexp.MustCompile(`[\\*?\[\] ]`).ReplaceAllString(filepath.Base(file), `\$0`)
	return []string{"/*", "!/" + name}
}

func isPythonPackage(dir string) bool {
	_, err := os.Stat(filepath.Join(dir, "__init__.py"))
	return err == nil && filepath.Dir(dir) != dir
}
