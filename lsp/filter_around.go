package lsp

import (
	"strings"

	"readahead/index/facts"
)

// A region is code around the cursor's line that may stand for itself.
type region struct {
	place
	last bool // a place that was found so far is good enough: look no further
}

// A place is code around the cursor's line that has no error without the line.
type place struct {
	head, tail string
	level      int // lines that are indented less do not belong there
}

// A shell makes a file of members, or of statements.
type shell struct{ head, tail string }

var shells = map[facts.Language][]shell{
	facts.Go:         {{"func f() {\n", "\n}\n"}},
	facts.Java:       {{"class A {\n", "\n}\n"}, {"class A { void f() {\n", "\n}}\n"}},
	facts.CSharp:     {{"class A {\n", "\n}\n"}, {"class A { void f() {\n", "\n}}\n"}},
	facts.Cpp:        {{"class A {\n", "\n};\n"}, {"void f() {\n", "\n}\n"}, {"namespace a {\n", "\n}\n"}},
	facts.C:          {{"void f() {\n", "\n}\n"}},
	facts.TypeScript: {{"class A {\n", "\n}\n"}, {"function f() {\n", "\n}\n"}},
	facts.JavaScript: {{"class A {\n", "\n}\n"}, {"function f() {\n", "\n}\n"}},
	facts.Rust:       {{"impl A {\n", "\n}\n"}, {"fn f() {\n", "\n}\n"}, {"mod a {\n", "\n}\n"}},
	facts.PHP:        {{"class A {\n", "\n}\n"}, {"function f() {\n", "\n}\n"}},
	facts.Ruby:       {{"class A\n", "\nend\n"}, {"def f\n", "\nend\n"}},
	facts.Python:     {{"class A:\n", "\n"}},
}

// regions are what may be parsed, best first: the whole document where it is short, else
// the paragraph of the outermost declaration that is short enough and, where that
// has errors, of those within it.
func regions(lang facts.Language, above, below string) (out []region) {
	open := ""
	if lang == facts.PHP {
		open = "<?php\n"
	}
	if len(above)+len(below) <= placeBytes {
		return []region{{place{above, below, 0}, true}}
	}
	levels := outer(above, below)
	for i, level := range levels {
		if i == placeDepth {
			break
		}
		head, tail, ok := paragraph(above, below, level)
		if !ok {
			continue
		}
		if level == 0 {
			if strings.Contains(head, "<?php") {
				open = ""
			}
			out = append(out, region{place{open + head, tail, 0}, true})
			continue
		}
		for k, s := range shells[lang] {
			out = append(out, region{place{open + s.head + head, tail + s.tail, level}, k == len(shells[lang])-1})
		}
	}
	return out
}

// outer are the indentations of the blocks around the cursor's line, outermost
// first.
func outer(above, below string) (levels []int) {
	least := placeBytes
	if next := firstLineWithText(below); next != "" && !closes(next) {
		least = indentOf(next)
		levels = []int{least}
	}
	for end := len(above); end > 0 && least > 0; {
		start := strings.LastIndexByte(above[:end-1], '\n') + 1
		l := above[start:end]
		end = start
		if in := indentOf(l); in < least && strings.TrimSpace(l) != "" {
			least = in
			levels = append([]int{in}, levels...)
		}
	}
	return levels
}

// paragraph is the code around the cursor's line between two blank lines, or the
// ends of the block around it, next to which code is indented by level at most.
func paragraph(above, below string, level int) (head, tail string, ok bool) {
	at := len(above)
	for at > 0 {
		start := strings.LastIndexByte(above[:at-1], '\n') + 1
		l := strings.TrimRight(above[start:at], " \t\n")
		in := indentOf(l)
		switch {
		case l == "":
			if begun(above[at:], level) {
				return finish(above[at:], below, level)
			}
		case in < level:
			return finish(above[at:], below, level)
		}
		if at = start; len(above)-at > placeBytes {
			return "", "", false
		}
	}
	return finish(above, below, level)
}

// begun reports whether code begins like a paragraph of its own.
func begun(code string, level int) bool {
	l, _, _ := strings.Cut(code, "\n")
	return strings.TrimSpace(l) != "" && indentOf(l) <= level && !closes(l)
}

// closes reports whether a line ends what began above it.
func closes(line string) bool {
	line = strings.TrimLeft(line, " \t")
	return line == "" || strings.ContainsRune(")]}", rune(line[0])) || strings.HasPrefix(line, "end") || strings.HasPrefix(line, "else")
}

func finish(head, below string, level int) (string, string, bool) {
	end, blank := 0, false
	for l := range strings.Lines(below) {
		text := strings.TrimRight(l, " \t\n")
		switch in := indentOf(text); {
		case text == "":
			blank = true
		case in < level, in <= level && blank && !closes(text):
			return head, below[:end], true
		default:
			blank = false
		}
		if end += len(l); len(head)+end > placeBytes {
			return "", "", false
		}
	}
	return head, below, true
}

// firstLineWithText is the first line that is not blank, with its indentation.
func firstLineWithText(text string) string {
	for l := range strings.Lines(text) {
		if strings.TrimSpace(l) != "" {
			return l
		}
	}
	return ""
}
