package main

import (
	"bytes"
	"fmt"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"unicode/utf8"
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
func workspaceOf(file string) string {
	dir := filepath.Dir(file)
	manifest := ""
	for d := dir; ; d = filepath.Dir(d) {
		for i, m := range manifests {
			if _, err := os.Lstat(filepath.Join(d, m)); err != nil {
				continue
			}
			if i < 3 {
				return d
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
		return manifest
	}
	for isPythonPackage(dir) {
		dir = filepath.Dir(dir)
	}
	return dir
}

func isPythonPackage(dir string) bool {
	_, err := os.Stat(filepath.Join(dir, "__init__.py"))
	return err == nil && filepath.Dir(dir) != dir
}
