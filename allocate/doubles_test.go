package allocate

import (
	"strings"

	"readahead/index"
	"readahead/index/facts"
)

// words counts one token a word, so that budgets can be checked by eye.
func words(s string) int { return len(strings.Fields(s)) }

// A thing is an object in a test: its name, its file, and its code.
func thing(name, file, code string) *index.Object {
	signature, _, _ := strings.Cut(code, "\n")
	return &index.Object{ID: index.SymbolID("go p " + name + "()."), Name: name, Kind: facts.Function, Lang: facts.Go,
		Path: file, Line: 1, NameLine: 1, EndLine: 1 + strings.Count(code, "\n"), Signature: signature, Source: code}
}

// body is the view of all of o.
func body(o *index.Object) index.View {
	return index.View{Object: o, Kind: index.Body, Path: o.Path, Line: o.Line, Text: o.Source}
}

// part is a view of o with a text of its own.
func part(o *index.Object, kind index.ViewKind, text string) index.View {
	return index.View{Object: o, Kind: kind, Path: o.Path, Line: o.Line, Text: text}
}

func scored(score float64, v index.View) index.View {
	v.Score = score
	return v
}

// names are the objects of the positions in order: a core object bare, a
// companion with +, a filler with ~.
func names(p Portfolio) string {
	var out []string
	for _, s := range p.Slots {
		out = append(out, map[Role]string{Core: "", Companion: "+", Filler: "~"}[s.Role]+s.Object.Name)
	}
	return strings.Join(out, " ")
}

// losers are the dropped candidates with their reasons, one a line.
func losers(p Portfolio) string {
	var out []string
	for _, d := range p.Dropped {
		name := "?"
		if d.Object != nil {
			name = d.Object.Name
		}
		out = append(out, name+": "+d.Reason)
	}
	return strings.Join(out, "\n")
}
