package allocate

import (
	"path"
	"strings"
	"unicode"

	"readahead/index/facts"
)

// A syntax is how one language comments a single line out.
type syntax struct {
	open, end string // end is "" where the comment runs to the end of its line
	never     string // a text that must not stand inside; "" if any may
}

var (
	slashes = syntax{open: "// "}
	hash    = syntax{open: "# "}
	dashes  = syntax{open: "-- "}
	percent = syntax{open: "% "}
	semi    = syntax{open: ";; "}
	star    = syntax{"/* ", " */", "*/"}
	angle   = syntax{"<!-- ", " -->", "-->"}
	paren   = syntax{"(* ", " *)", "*)"}

	// In PHP, ?> leaves the code even from inside a line comment.
	phpSlashes = syntax{open: "// ", never: "?>"}
)

// byLanguage has the languages that the index knows to full depth, by the short
// names that package facts uses.
var byLanguage = map[facts.Language]syntax{
	"go": slashes, "ts": slashes, "tsx": slashes, "js": slashes, "jsx": slashes, "java": slashes,
	"rs": slashes, "c": slashes, "cpp": slashes, "cs": slashes,
	"py": hash, "rb": hash,
	"php": phpSlashes,
}

// byExtension has texts of which only the file name is known. What is in neither
// table gets hash, which most configuration and script languages share.
var byExtension = map[string]syntax{
	".go": slashes, ".ts": slashes, ".mts": slashes, ".cts": slashes, ".tsx": slashes, ".js": slashes, ".mjs": slashes,
	".cjs": slashes, ".jsx": slashes, ".java": slashes, ".rs": slashes, ".cs": slashes, ".php": phpSlashes,
	".c": slashes, ".h": slashes, ".cc": slashes, ".cpp": slashes, ".cxx": slashes, ".hh": slashes, ".hpp": slashes,
	".kt": slashes, ".kts": slashes, ".swift": slashes, ".scala": slashes, ".dart": slashes, ".zig": slashes,
	".groovy": slashes, ".gradle": slashes, ".proto": slashes, ".scss": slashes, ".less": slashes,
	".m": slashes, ".mm": slashes, ".cu": slashes, ".v": slashes, ".sv": slashes, ".jsonc": slashes,
	".lua": dashes, ".sql": dashes, ".hs": dashes, ".elm": dashes, ".adb": dashes, ".ads": dashes, ".vhd": dashes,
	".tex": percent, ".erl": percent, ".hrl": percent,
	".el": semi, ".lisp": semi, ".clj": semi, ".cljs": semi, ".scm": semi, ".rkt": semi,
	".css":  star,
	".html": angle, ".htm": angle, ".xml": angle, ".svg": angle, ".md": angle, ".vue": angle, ".svelte": angle,
	".ml": paren, ".mli": paren,
}

// commentSyntax is that of lang, or of the file name where the language is not
// one of ours.
func commentSyntax(lang facts.Language, file string) syntax {
	if s, ok := byLanguage[lang]; ok {
		return s
	}
	if s, ok := byExtension[strings.ToLower(path.Ext(file))]; ok {
		return s
	}
	return hash
}

// line is text as one comment line with its line feed. Whatever would end the
// comment early or let it run on is taken out of text: line breaks of every
// kind, the closing delimiter, a backslash at the end (which continues a line
// in C, and in a macro's call sites there are many).
func (s syntax) line(text string) string {
	text = strings.Map(func(c rune) rune {
		if unicode.IsControl(c) || c == '\u2028' || c == '\u2029' {
			return ' '
		}
		return c
	}, text)
	if s.never != "" {
		text = strings.ReplaceAll(text, s.never, s.never[:1]+" "+s.never[1:])
	}
	text = strings.TrimRight(text, " \\")
	return s.open + text + s.end + "\n"
}
