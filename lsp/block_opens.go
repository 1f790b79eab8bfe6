package lsp

import (
	"regexp"
	"strings"

	"readahead/index/facts"
)

// wantsBlock reports whether a line opens a block that the document does not
// have yet. What stands in comments and strings opens nothing.
func wantsBlock(doc Doc, line string) bool {
	f := newFrame(doc)
	s := f.scanned()
	if strings.TrimSpace(f.lineRight) != "" || s.comment != "" || s.inString() != nil {
		return false
	}
	_, below, _ := strings.Cut(f.right, "\n")
	if !f.opens(s, line, below) {
		return false
	}
	for next := range strings.Lines(below) {
		if text := strings.TrimSpace(next); text != "" {
			in, own := indentOf(next), indentOf(f.lineLeft+line)
			return in < own || in == own && !strings.HasPrefix(text, "{")
		}
	}
	return true
}

// opens reports whether a block must follow a line.
func (f *frame) opens(at *scan, line, below string) bool {
	s := at.clone()
	base := len(s.stack)
	if _, ok := uncommented(s, line); !ok {
		return false
	}
	head, _ := uncommented(&scan{syntax: f.syntax}, f.lineLeft+line)
	head = strings.TrimSpace(head)
	switch f.lang {
	case facts.Python:
		return len(s.stack) == 0 && strings.HasSuffix(head, ":") && pythonHead.MatchString(head)
	case facts.Ruby:
		return opensRubyBlock(head)
	}
	if strings.HasSuffix(head, "{") {
		return len(s.stack) > base && s.stack[len(s.stack)-1].by == "{"
	}
	return len(s.stack) <= base && f.bare(head, below)
}

// uncommented is a line without its comments; false if it ends within a string. The scan
// goes on to the line's end.
func uncommented(s *scan, line string) (string, bool) {
	var b strings.Builder
	for i := 0; i < len(line); {
		inside := s.comment != ""
		n, _ := s.step(line, i, 0, func(event) bool { return true })
		n = max(1, n)
		if !inside && s.comment == "" {
			b.WriteString(line[i:min(i+n, len(line))])
		}
		i += n
	}
	return b.String(), s.inString() == nil && (s.comment == "" || s.comment == "\n")
}

var pythonHead = regexp.MustCompile(`^(?:async\s+)?(?:if|elif|else|for|while|with|try|except|finally|def|class|match|case)\b`)

// opensRubyBlock reports whether an end, or a brace, must follow a line of Ruby.
func opensRubyBlock(line string) bool {
	switch {
	case rubyEnd.MatchString(line) || rubyEndless.MatchString(line):
		return false
	case strings.HasSuffix(line, "{"), rubyDo.MatchString(line):
		return true
	}
	return rubyHead.MatchString(line)
}

var (
	rubyEnd     = regexp.MustCompile(`\bend\b\S*$|^end\b`)
	rubyEndless = regexp.MustCompile(`^def\s+[\w.?!=]+(?:\([^)]*\))?\s+=\s`)
	rubyDo      = regexp.MustCompile(`(?:\bdo|[{])(?:\s*\|[^|]*\|)?$`)
	// rubyHead is a statement, or the value of an assignment.
	rubyHead = regexp.MustCompile(`^(?:(?:private|public|protected|module_function)\s+)?(?:def|class|module)\s|^(?:[\w.@\[\]]+\s*(?:\|\|)?=\s*)?(?:if|unless|while|until|case|for|begin)\b`)
)

// bare reports whether a line is the head of a block whose brace stands on a line
// of its own. Whether it does is a matter of taste: the document tells, by the
// heads of the same kind in it, and where it has none, the language's custom.
func (f *frame) bare(head, below string) bool {
	if !braced[f.lang] {
		return false
	}
	for _, kind := range []struct {
		head   *regexp.Regexp
		custom bool
	}{
		{controlHead, f.lang == facts.CSharp},
		{declarationHead, f.lang == facts.CSharp || f.lang == facts.PHP},
	} {
		if !kind.head.MatchString(head) || kind.head == declarationHead && noDeclaration.MatchString(head) {
			continue
		}
		same, own := habit(kind.head, f.left)
		sameBelow, ownBelow := habit(kind.head, below)
		same, own = same+sameBelow, own+ownBelow
		return own > same || own+same == 0 && kind.custom
	}
	return false
}

// braced are the languages in which a brace may stand on a line of its own.
var braced = map[facts.Language]bool{facts.C: true, facts.Cpp: true, facts.CSharp: true, facts.Java: true, facts.PHP: true}

var (
	controlHead = regexp.MustCompile(`^(?:\}\s*)?(?:(?:if|for|foreach|while|switch|catch|using|lock|fixed|else\s*if|elseif)\s*\(.*\)|else|try|finally|do)$`)
	// declarationHead is a type, a namespace or a function: words, a name, and
	// parameters. An expression has no two words in a row.
	declarationHead = regexp.MustCompile(`^(?:[\w\[\]<>,.?*&: ]*\b(?:class|struct|interface|enum|union|record|trait|namespace)\s+[^;={()]+|` +
		`(?:[\w\[\]<>,.?*&:$]+\s+)+[*&]*[\w~:$]+(?:<[^()]*>)?\s*\(.*\)\s*(?:[:\w].*)?)$`)
	noDeclaration = regexp.MustCompile(`^(?:return|throw|new|delete|await|yield|echo|print|case|goto|else|using|import|use|require|include)\b|[;=]`)
)

// habit counts the heads of a kind in a text that have their brace on the same
// line, and those that have it on the next.
func habit(head *regexp.Regexp, text string) (same, own int) {
	last := ""
	for l := range strings.Lines(text) {
		l = strings.TrimSpace(l)
		if rest, ok := strings.CutSuffix(l, "{"); ok {
			if rest = strings.TrimSpace(rest); rest == "" && head.MatchString(last) {
				own++
			} else if rest != "" && head.MatchString(rest) {
				same++
			}
		}
		last = l
	}
	return same, own
}
