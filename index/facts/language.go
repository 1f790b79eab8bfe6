package facts

import (
	"bytes"
	"path"
	"strings"
)

// extensions says which language a file is in by the end of its name.
var extensions = map[string]Language{
	".c":     C,
	".c++":   Cpp,
	".cc":    Cpp,
	".cjs":   JavaScript,
	".cpp":   Cpp,
	".cs":    CSharp,
	".csx":   CSharp,
	".cts":   TypeScript,
	".cxx":   Cpp,
	".go":    Go,
	".h":     C, // or C++: see isCpp
	".h++":   Cpp,
	".hh":    Cpp,
	".hpp":   Cpp,
	".hxx":   Cpp,
	".inl":   Cpp,
	".ipp":   Cpp,
	".java":  Java,
	".js":    JavaScript,
	".jsx":   JavaScript,
	".mjs":   JavaScript,
	".mts":   TypeScript,
	".php":   PHP,
	".phtml": PHP,
	".py":    Python,
	".pyi":   Python,
	".pyw":   Python,
	".rake":  Ruby,
	".rb":    Ruby,
	".rs":    Rust,
	".ts":    TypeScript,
	".tsx":   TypeScript,
}

// interpreters says which language a script is in by its #! line: the program's
// name without its version.
var interpreters = map[string]Language{
	"bun":    JavaScript,
	"deno":   TypeScript,
	"node":   JavaScript,
	"nodejs": JavaScript,
	"php":    PHP,
	"pypy":   Python,
	"python": Python,
	"ruby":   Ruby,
}

// LanguageOf returns the language of the file at path, or "" for one that has no
// extractor. head is the beginning of its text, or all of it; it decides for
// files without an extension, by the first line, and for headers between C and
// C++. It may be nil.
func LanguageOf(file string, head []byte) Language {
	ext := path.Ext(strings.ReplaceAll(file, `\`, "/"))
	if ext != "" {
		lang := extensions[strings.ToLower(ext)]
		if strings.EqualFold(ext, ".h") && isCpp(head) {
			return Cpp
		}
		return lang
	}
	return interpreters[interpreter(head)]
}

// isCpp reports whether the text of a header can't be C: a line begins as only
// C++ has it.
func isCpp(head []byte) bool {
	for line := range bytes.Lines(head[:min(len(head), maxHead)]) {
		line = bytes.TrimSpace(line)
		for _, mark := range cppMarks {
			if bytes.HasPrefix(line, mark) {
				return true
			}
		}
	}
	return false
}

// maxHead bounds how far into a header isCpp looks.
const maxHead = 64 << 10

var cppMarks = [][]byte{
	[]byte("namespace "), []byte("class "), []byte("template <"), []byte("template<"), []byte("using "), []byte("public:"),
	[]byte("private:"), []byte("protected:"), []byte("#include <string>"), []byte("#include <vector>"), []byte("#include <memory>"),
	[]byte("#include <map>"), []byte("#include <functional>"), []byte("enum class "), []byte("constexpr "), []byte("virtual "),
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
