package lsp

import "readahead/index/facts"

// A syntax is as much of a language as it takes to tell brackets that are code
// from those in strings and comments.
type syntax struct {
	line   []string // begin a comment that ends with its line
	block  []pair   // comments that end where it says
	quotes []quote  // longer openers before their prefixes
	// runes says that ' begins a character literal, or something that is no
	// literal at all (a Rust lifetime): it holds no more than one character.
	runes bool
	// colon says that a line's last : opens a block that indentation closes.
	colon bool
	// marks are the bytes that can begin any of that, or end a string.
	marks [256]bool
}

// marked is s with its marks.
func (s *syntax) marked() *syntax {
	for _, c := range []byte("()[]{}'\\\n") {
		s.marks[c] = true
	}
	for _, b := range s.block {
		s.marks[b.open[0]] = true
	}
	for _, l := range s.line {
		s.marks[l[0]] = true
	}
	for _, q := range s.quotes {
		s.marks[q.open[0]], s.marks[q.close[0]] = true, true
		if q.hole != "" {
			s.marks[q.hole[0]] = true
		}
	}
	return s
}

type pair struct{ open, close string }

// A quote is one kind of string.
type quote struct {
	open, close string
	raw         bool   // \ does not escape
	lines       bool   // may go over several lines
	hole        string // opens code inside the string: ${; "" if there is none
}

var (
	double   = quote{open: `"`, close: `"`}
	single   = quote{open: `'`, close: `'`}
	template = quote{open: "`", close: "`", lines: true, hole: "${"}

	cLike = syntax{line: []string{"//"}, block: []pair{{"/*", "*/"}}, quotes: []quote{double}, runes: true}
	hash  = syntax{line: []string{"#"}, quotes: []quote{double, single}}
)

// syntaxes are by our own names for languages and by those of editors.
var syntaxes = func() map[facts.Language]*syntax {
	golang := cLike
	golang.quotes = []quote{double, {open: "`", close: "`", raw: true, lines: true}}
	python := hash
	python.quotes = []quote{{open: `"""`, close: `"""`, lines: true}, {open: `'''`, close: `'''`, lines: true}, double, single}
	python.colon = true
	script := cLike
	script.runes, script.quotes = false, []quote{double, single, template}
	java := cLike
	java.quotes = []quote{{open: `"""`, close: `"""`, lines: true}, double}
	rust := cLike
	rust.quotes = []quote{{open: `r#"`, close: `"#`, raw: true, lines: true}, {open: `"`, close: `"`, lines: true}}
	sharp := cLike
	sharp.quotes = []quote{{open: `"""`, close: `"""`, raw: true, lines: true}, {open: `@"`, close: `"`, raw: true, lines: true}, double}
	php := syntax{line: []string{"//", "#"}, block: cLike.block, quotes: []quote{
		{open: `"`, close: `"`, lines: true}, {open: `'`, close: `'`, lines: true}}}
	ruby := hash
	lua := syntax{line: []string{"--"}, block: []pair{{"--[[", "]]"}}, quotes: []quote{{open: "[[", close: "]]", raw: true, lines: true}, double, single}}
	sql := syntax{line: []string{"--"}, block: cLike.block, quotes: []quote{{open: `'`, close: `'`, raw: true, lines: true}, double}}
	css := syntax{block: cLike.block, quotes: []quote{double, single}}

	table := map[facts.Language]*syntax{}
	for s, names := range map[*syntax][]facts.Language{
		&golang: {facts.Go},
		&python: {facts.Python, "python"},
		&script: {"js", "ts", "tsx", "jsx", "javascript", "typescript", "javascriptreact", "typescriptreact"},
		&java:   {"java", "kotlin", "scala", "swift", "dart", "groovy"},
		&rust:   {"rs", "rust"},
		&cLike:  {"c", "cpp", "c++", "objective-c", "zig", "proto", "proto3"},
		&sharp:  {"cs", "csharp"},
		&php:    {"php"},
		&ruby:   {"rb", "ruby", "elixir", "r", "julia", "perl", "toml", "yaml", "nix"},
		&lua:    {"lua"},
		&sql:    {"sql"},
		&css:    {"css", "scss", "less"},
	} {
		s.marked()
		for _, n := range names {
			table[n] = s
		}
	}
	return table
}()

// plain is any other text: quotes are apostrophes there.
var plain = (&syntax{quotes: []quote{double}}).marked()

// prose has no brackets that must match, and its fences are text.
var prose = map[facts.Language]bool{"markdown": true, "plaintext": true, "text": true, "latex": true, "tex": true,
	"html": true, "xml": true, "svg": true, "rst": true, "asciidoc": true, "git-commit": true, "gitcommit": true,
	"vue": true, "svelte": true, "shellscript": true, "sh": true, "bash": true, "vim": true}

func syntaxOf(l facts.Language) *syntax {
	if s := syntaxes[l]; s != nil {
		return s
	}
	return plain
}
