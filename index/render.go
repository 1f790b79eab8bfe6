package index

import (
	"strings"

	"readahead/index/facts"
)

// render makes the public form of an object; nil if its file changed on disk
// since it was indexed.
func (s *Snapshot) render(at site) *Object {
	t, err := s.texts.of(at.file)
	if err != nil {
		return nil
	}
	f := at.file
	o := &Object{ID: s.symbol(at).ID(), Lang: f.lang, Path: f.rel, Line: 1, EndLine: max(1, len(t.lines)), NameLine: 1}
	if !f.parsed || len(f.objects) == 0 {
		o.Name, o.Kind, o.Source = lastElement(f.rel), facts.Module, t.data
		return o
	}
	x := at.object()
	o.Name, o.Kind, o.Test = s.names.str(x.name), x.kind, x.test
	o.Signature, o.Doc, o.Source = t.at(x.signature), t.at(x.doc), t.at(x.whole)
	o.Line, o.EndLine, o.NameLine = t.line(x.whole.Start), t.line(max(x.whole.Start, x.whole.End-min(x.whole.End, 1))), t.line(x.ident.Start)
	if at.obj == 0 {
		o.NameLine = 1
	}
	o.Indent = t.indent(x.whole.Start)
	if p := x.parent; p > 0 && f.objects[p].kind == facts.Type {
		line := t.line(f.objects[p].ident.Start)
		o.Outer = t.lineSpan(line, line)
	}
	o.Calls = s.calls(at)
	return o
}

func (t *text) at(s facts.Span) string {
	if int(s.End) > len(t.data) || s.Start > s.End {
		return ""
	}
	return t.data[s.Start:s.End]
}

// indent is the white space before a byte on its line; "" if there is code.
func (t *text) indent(p uint32) string {
	line := t.line(p)
	if line < 1 || line > len(t.lines) || int(p) > len(t.data) {
		return ""
	}
	before := t.data[min(t.lines[line-1], p):p]
	if strings.Trim(before, " \t") != "" {
		return ""
	}
	return before
}

// calls counts the calls of an object by name. Where several objects share the
// name, only files that can mean this one count: those of its package and those
// that import it.
func (s *Snapshot) calls(at site) int {
	o := at.object()
	if o.kind != facts.Function && o.kind != facts.Method && o.kind != facts.Type {
		return 0
	}
	shared := 0
	for other := range s.named(o.name) {
		if other.file.pkg != at.file.pkg {
			if shared++; shared > 0 {
				break
			}
		}
	}
	n := 0
	for f, m := range s.mentioning(o.name) {
		if shared == 0 || s.mayMean(f, at.file) {
			n += int(m.calls)
		}
	}
	return n
}

// mayMean reports whether names in f can refer to declarations of g.
func (s *Snapshot) mayMean(f, g *file) bool {
	if f.pkg == g.pkg {
		return true
	}
	if !related(f, g) {
		return false
	}
	if g.global() {
		return true
	}
	for i := range f.imports {
		if s.importReaches(f, &f.imports[i], g) {
			return true
		}
	}
	return false
}

// importReaches reports whether an import of f may bring in names of g.
func (s *Snapshot) importReaches(f *file, m *imported, g *file) bool {
	if f.lang == facts.Go {
		return m.path == g.pkg
	}
	for _, try := range s.importPaths(f, m) {
		if id, ok := s.names.find(try); ok && id == g.pkg {
			return true
		}
		if m.name != 0 {
			if id, ok := s.names.find(try + separator(f.lang) + s.names.str(m.name)); ok && id == g.pkg {
				return true
			}
		}
		// a member of a type of g
		if !f.classic() && strings.HasPrefix(try, s.names.str(g.pkg)+separator(f.lang)) {
			return true
		}
	}
	return false
}
