package rank

import (
	"slices"
	"strings"
	"unicode/utf8"
)

// A syntax is as much of a language as it takes to tell code from comments and
// string literals on one line: enough to skip comment lines, to compare lines
// but for their spacing, and to count brackets.
//
// It is no lexer. Regular expression literals, heredocs and raw strings with
// unusual delimiters read as code, which costs at most a vote that is split in
// two or a block that ends early.
type syntax struct {
	line   []string // begin a comment that ends with the line
	block  []delimiter
	nested bool     // block comments nest
	code   []string // look like a line comment, and are code: //go:embed
	quotes []delimiter
	// char says that ' encloses one character, and is otherwise no quote: 'a'
	// against Rust's lifetime 'a and C++'s 1'000.
	char bool

	special [256]bool // bytes that may begin a comment or a literal
}

// A delimiter begins and ends a comment or a string literal.
type delimiter struct {
	open, close string
	escape      bool // a backslash hides what follows
	multi       bool // goes on after the end of the line
}

var (
	slashes  = []delimiter{{"/*", "*/", false, true}}
	double   = delimiter{`"`, `"`, true, false}
	single   = delimiter{`'`, `'`, true, false}
	backtick = delimiter{"`", "`", true, true}
	// Longer openings first: scan takes the first that matches.
	triple = []delimiter{{`"""`, `"""`, true, true}, {`'''`, `'''`, true, true}}
)

var (
	golang = syntax{line: []string{"//"}, block: slashes, code: []string{"//go:", "//export "},
		quotes: []delimiter{double, {"`", "`", false, true}}, char: true}
	python = syntax{line: []string{"#"}, quotes: append(triple, double, single)}
	script = syntax{line: []string{"//"}, block: slashes, quotes: []delimiter{double, single, backtick}}
	java   = syntax{line: []string{"//"}, block: slashes, quotes: []delimiter{triple[0], double}, char: true}
	rust   = syntax{line: []string{"//"}, block: slashes, nested: true, char: true,
		quotes: []delimiter{{`r##"`, `"##`, false, true}, {`r#"`, `"#`, false, true}, {`"`, `"`, true, true}}}
	clike = syntax{line: []string{"//"}, block: slashes, quotes: []delimiter{{`R"(`, `)"`, false, true}, double}, char: true}
	sharp = syntax{line: []string{"//"}, block: slashes, char: true,
		quotes: []delimiter{triple[0], {`@$"`, `"`, false, true}, {`@"`, `"`, false, true}, double}}
	ruby = syntax{line: []string{"#"}, block: []delimiter{{"=begin", "=end", false, true}},
		quotes: []delimiter{{`"`, `"`, true, true}, {`'`, `'`, true, true}, backtick}}
	php = syntax{line: []string{"//", "#"}, block: slashes, code: []string{"#["},
		quotes: []delimiter{{`"`, `"`, true, true}, {`'`, `'`, true, true}}}
	// In a language that we don't know nothing is a comment, so that no line of
	// code is taken for one.
	unknown = syntax{quotes: []delimiter{double}}
)

// syntaxes has the names of package facts and, where they differ, LSP's.
var syntaxes = map[string]*syntax{
	"go": &golang,
	"py": &python, "python": &python,
	"ts": &script, "typescript": &script, "tsx": &script, "typescriptreact": &script,
	"js": &script, "javascript": &script, "jsx": &script, "javascriptreact": &script,
	"java": &java,
	"rs":   &rust, "rust": &rust,
	"c":   &clike,
	"cpp": &clike, "c++": &clike,
	"cs": &sharp, "csharp": &sharp,
	"rb": &ruby, "ruby": &ruby,
	"php": &php,
}

func init() {
	for _, s := range syntaxes {
		s.index()
	}
	unknown.index()
}

// index fills in special.
func (s *syntax) index() {
	for _, l := range s.line {
		s.special[l[0]] = true
	}
	for _, d := range slices.Concat(s.block, s.quotes) {
		s.special[d.open[0]] = true
	}
	if s.char {
		s.special['\''] = true
	}
}

func syntaxOf(lang string) *syntax {
	if s, ok := syntaxes[lang]; ok {
		return s
	}
	return &unknown
}

// A kind is what a stretch of a line is.
type kind byte

const (
	code kind = iota
	literal
	comment
)

// An inside is the comment or string literal that text is in; the zero inside
// is code.
type inside struct {
	delimiter
	kind  kind
	depth int // of nested comments, from 0
}

// scan splits a line, which begins inside in, into stretches, and returns what
// the text after it is in if no line break comes between.
func (s *syntax) scan(line string, in inside, emit func(kind, string)) inside {
	begin, i := 0, 0
	flush := func(k kind, end int) {
		if end > begin {
			emit(k, line[begin:end])
		}
		begin = end
	}
	for i < len(line) {
		if in.kind == code {
			if !s.special[line[i]] {
				i++
				continue
			}
			next, n := s.enter(line, i)
			if next.kind != code {
				flush(code, i)
			}
			in = next
			i += n
			continue
		}
		end, n := s.leave(line, i, &in)
		i += n
		if end {
			flush(in.kind, i)
			in = inside{}
		}
	}
	flush(in.kind, len(line))
	return in
}

// enter looks at line[i:], which is code, and returns what begins there and how
// many bytes that takes.
func (s *syntax) enter(line string, i int) (inside, int) {
	rest := line[i:]
	if !startsWithAny(rest, s.code) && startsWithAny(rest, s.line) {
		return inside{kind: comment, delimiter: delimiter{close: "\n"}}, len(rest)
	}
	for _, d := range s.block {
		if strings.HasPrefix(rest, d.open) && (d.open[0] != '=' || i == 0) {
			return inside{kind: comment, delimiter: d}, len(d.open)
		}
	}
	if s.char && isChar(rest) {
		return inside{kind: literal, delimiter: single}, 1
	}
	for _, d := range s.quotes {
		if strings.HasPrefix(rest, d.open) {
			return inside{kind: literal, delimiter: d}, len(d.open)
		}
	}
	return inside{}, 1
}

// leave looks at line[i:], which is inside in, and returns whether in ends
// there and how many bytes were looked at.
func (s *syntax) leave(line string, i int, in *inside) (bool, int) {
	rest := line[i:]
	switch {
	case in.escape && rest[0] == '\\':
		return false, min(2, len(rest))
	case in.kind == comment && s.nested && strings.HasPrefix(rest, in.open):
		in.depth++
		return false, len(in.open)
	case strings.HasPrefix(rest, in.close):
		if in.depth > 0 {
			in.depth--
			return false, len(in.close)
		}
		return true, len(in.close)
	}
	return false, 1
}

// isChar reports whether s begins with a character literal.
func isChar(s string) bool {
	if len(s) < 3 || s[0] != '\'' {
		return false
	}
	if s[1] == '\\' {
		return strings.IndexByte(s[3:], '\'') >= 0
	}
	_, n := utf8.DecodeRuneInString(s[1:])
	return strings.HasPrefix(s[1+n:], "'")
}

// newline is what the next line begins inside.
func (in inside) newline() inside {
	if in.multi {
		return in
	}
	return inside{}
}

func startsWithAny(s string, prefixes []string) bool {
	for _, p := range prefixes {
		if strings.HasPrefix(s, p) {
			return true
		}
	}
	return false
}
