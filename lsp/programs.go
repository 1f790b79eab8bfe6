package lsp

import (
	"fmt"
	"path/filepath"
	"slices"
	"strings"

	"readahead/index"
	"readahead/index/facts"
	"readahead/rank"
)

// programOf is what can be seen of a block in its place: the witnesses for and
// against it (rank.Transfer) are read off the file as it would be.
func programOf(s *index.Snapshot, path string, doc Doc, block string, tokens func(string) int) rank.Program {
	text := slices.Concat(doc.Text[:doc.Offset], []byte(block), doc.Text[doc.Offset:])
	name := filepath.Base(path)
	file := facts.Extract(doc.Lang, "", name, text)
	p := rank.Program{Text: block, Parses: facts.Parses(doc.Lang, name, text), Tokens: tokens(block)}
	inside := facts.Span{Start: uint32(doc.Offset), End: uint32(doc.Offset + len(block))}
	own, imported := declaredIn(file)
	for _, r := range file.Refs {
		if !inside.Contains(r.At.Start) || r.Role != facts.Call && r.Role != facts.TypeUse {
			continue
		}
		add := func(to *[]string, what string) {
			if !slices.Contains(*to, what) {
				*to = append(*to, what)
			}
		}
		if r.Role == facts.Call {
			add(&p.Calls, r.Name)
		}
		known := s.Declared(r.Name, 2)
		switch {
		case r.Path == "" && len(known) == 0 && !own[r.Name] && !imported[r.Name]:
			add(&p.Suspicious, r.Name)
		case r.Path == "" && r.Role == facts.Call && len(known) == 1 && !own[r.Name]:
			if n, ok := arguments(doc.Lang, string(text[r.At.End:])); ok && !takes(known[0], n) {
				add(&p.Mismatched, fmt.Sprintf("%s(%d)", r.Name, n))
			}
		}
	}
	return p
}

// declaredIn are the names that a file declares or binds, and those it imports.
func declaredIn(f *facts.File) (own, imported map[string]bool) {
	own, imported = map[string]bool{}, map[string]bool{}
	for _, o := range f.Objects {
		own[o.Name] = true
	}
	for _, b := range f.Bindings {
		own[b.Name] = true
	}
	for _, i := range f.Imports {
		imported[i.Local], imported[i.Name] = true, true
	}
	return own, imported
}

// arguments is how many arguments the call whose brackets text begins with has;
// false if they can't be counted: a spread, Go's call that may pass on several
// results, or brackets that do not close.
func arguments(lang facts.Language, text string) (int, bool) {
	list, ok := bracketed(lang, text)
	if lang == facts.Go && len(list) == 1 && strings.HasSuffix(list[0], ")") {
		return 0, false
	}
	for _, x := range list {
		if strings.HasPrefix(x, "*") || strings.HasPrefix(x, "...") || strings.HasSuffix(x, "...") || strings.HasPrefix(x, "&") {
			return 0, false
		}
	}
	return len(list), ok
}

// takes reports whether an object may be called with n arguments. Wherever there
// is a doubt, it may: parameters that can be left out, a receiver that may or
// may not be passed, a language whose types take arguments in other ways.
func takes(o *index.Object, n int) bool {
	at := strings.Index(o.Signature, o.Name+"(")
	if at < 0 || o.Kind != facts.Function && o.Kind != facts.Method {
		return true
	}
	params, ok := bracketed(o.Lang, o.Signature[at+len(o.Name):])
	if !ok {
		return true
	}
	if len(params) > 0 && slices.Contains([]string{"self", "cls", "&self", "&mut self", "mut self"}, params[0]) {
		params = params[1:]
	}
	if len(params) == 1 && params[0] == "void" {
		params = nil
	}
	for _, p := range params {
		if strings.ContainsAny(p, "=*?") || strings.Contains(p, "...") || strings.HasPrefix(p, "&") || strings.Contains(p, "params ") || p == "/" {
			return true
		}
	}
	return n == len(params)
}

// bracketed are the parts, between commas, of the brackets that text begins
// with; false if they do not close.
func bracketed(lang facts.Language, text string) (parts []string, ok bool) {
	if !strings.HasPrefix(text, "(") {
		return nil, false
	}
	s := &scan{syntax: syntaxOf(lang)}
	from, closed := 1, false
	part := func(end int) {
		if x := strings.TrimSpace(text[from:end]); x != "" {
			parts = append(parts, x)
		}
		from = end + 1
	}
	for i := 0; i < len(text) && !closed; {
		if text[i] == ',' && len(s.stack) == 1 && s.comment == "" && s.inString() == nil {
			part(i)
		}
		n, _ := s.step(text, i, 0, func(e event) bool {
			if e.closes && e.level == 0 && e.fits {
				part(e.at)
				closed = true
			}
			return true
		})
		i += max(1, n)
	}
	return parts, closed
}
