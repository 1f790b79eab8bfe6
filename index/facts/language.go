package facts

import (
	"bytes"
	"path"
	"strings"
)

// extensions says which language a file is in by the end of its name.
var extensions = map[string]Language{
	".cjs":  JavaScript,
	".cs":   CSharp,
	".csx":  CSharp,
	".cts":  TypeScript,
	".go":   Go,
	".java": Java,
	".js":   JavaScript,
	".jsx":  JavaScript,
	".mjs":  JavaScript,
	".mts":  TypeScript,
	".py":   Python,
	".pyi":  Python,
	".pyw":  Python,
	".rs":   Rust,
	".ts":   TypeScript,
	".tsx":  TypeScript,
}

// interpreters says which language a script is in by its #! line: the program's
// name without its version.
var interpreters = map[string]Language{
	"bun":    JavaScript,
	"deno":   TypeScript,
	"node":   JavaScript,
	"nodejs": JavaScript,
	"pypy":   Python,
	"python": Python,
}

// LanguageOf returns the language of the file at path, or "" for one that has no
// extractor. head is the beginning of its text, at best the first line; it
// decides for files without an extension and may be nil.
func LanguageOf(file string, head []byte) Language {
	ext := path.Ext(strings.ReplaceAll(file, `\`, "/"))
	if ext != "" {
		return extensions[strings.ToLower(ext)]
	}
	return interpreters[interpreter(head)]
}

// interpreter returns the program that a #! line names: python for
// "#!/usr/bin/env -S python3.12 -I".
func interpreter(head []byte) string {
	line, _, _ := bytes.Cut(head, []byte("\n"))
	rest, found := bytes.CutPrefix(line, []byte("#!"))
	if !found {
		return ""
	}
	for _, word := range strings.Fields(string(rest)) {
		program := path.Base(word)
		if program == "env" || strings.HasPrefix(word, "-") || strings.Contains(word, "=") {
			continue
		}
		return strings.TrimRight(program, "0123456789.")
	}
	return ""
}
