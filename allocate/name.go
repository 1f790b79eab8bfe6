package allocate

import (
	"fmt"
	"slices"
	"strings"

	"readahead/index"
	"readahead/index/facts"
)

// descriptor is the first line of an object's rendering, without the comment
// sign: its path, its name inside the file, and how often it is called:
//
//	cart/cart.go: Cart.Add, called 14 times
//
// It has no line numbers: they change with every edit above, and with them the
// prompt that the model server has cached.
func descriptor(o *index.Object) string {
	if o.Kind == facts.Module {
		return o.Path
	}
	s := o.Path + ": " + qualified(o)
	switch {
	case o.Calls == 1:
		s += ", called once"
	case o.Calls > 1:
		s += fmt.Sprintf(", called %d times", o.Calls)
	}
	return s
}

// qualified is the name of o with the types around it, joined as its language
// does: Cart.Add, or Cart::add in Rust, C++ and PHP.
func qualified(o *index.Object) string {
	_, rest, _ := strings.Cut(string(o.ID), " ")
	_, descriptors, _ := strings.Cut(rest, " ")
	names := descriptorNames(descriptors)
	if len(names) == 0 || o.Name != "" && names[len(names)-1] != o.Name {
		return o.Name
	}
	if slices.Contains([]facts.Language{"rs", "cpp", "php"}, o.Lang) {
		return strings.Join(names, "::")
	}
	return strings.Join(names, ".")
}

// descriptorNames are the names in a chain of SCIP descriptors, outermost
// first, without namespaces (the path says as much), parameter lists and type
// parameters. A Rust impl block is called after its type:
//
//	Outer#Inner#put(`String,int`).     Outer Inner put
//	cart/impl#[Cart][Display]fmt().    Cart fmt
func descriptorNames(s string) []string {
	var names []string
	for s != "" {
		if s[0] == '[' {
			var param string
			param, s = cutName(s[1:])
			s = strings.TrimPrefix(s, "]")
			if n := len(names); n > 0 && names[n-1] == "impl" {
				names[n-1] = param
			}
			continue
		}
		var name string
		name, s = cutName(s)
		if s == "" {
			break
		}
		suffix := s[0]
		s = s[1:]
		if suffix == '(' {
			_, s = cutName(s)
			s = strings.TrimPrefix(strings.TrimPrefix(s, ")"), ".")
		}
		if suffix != '/' && name != "" {
			names = append(names, name)
		}
	}
	return names
}

// cutName splits s behind its first name, which backticks may quote, with the
// backtick itself doubled.
func cutName(s string) (name, rest string) {
	if !strings.HasPrefix(s, "`") {
		i := strings.IndexAny(s, "/#.([]):!")
		if i < 0 {
			return s, ""
		}
		return s[:i], s[i:]
	}
	s = s[1:]
	for {
		before, after, ok := strings.Cut(s, "`")
		name += before
		if !ok || !strings.HasPrefix(after, "`") {
			return name, after
		}
		name += "`"
		s = after[1:]
	}
}

// longestHint bounds a call line or doc summary, in bytes. A longer line tells
// more about itself than about the object, and is left out, not cut.
const longestHint = 200

// callHint is the most representative call of o, without the comment sign:
//
//	call in shop/main.go: total += c.Add(item)
//
// That is the calling line of the strongest call-site view (Caret §III-B);
// "" if there is none.
func callHint(o *index.Object, views []index.View) string {
	for _, v := range views {
		if v.Kind != index.CallSite {
			continue
		}
		if line := strings.TrimSpace(callLine(v.Text, o.Name)); line != "" && len(line) <= longestHint {
			return "call in " + v.Path + ": " + line
		}
	}
	return ""
}

// callLine is the first line of text that mentions name, else its first line
// that is not blank.
func callLine(text, name string) string {
	first := ""
	for line := range strings.SplitSeq(normal(text), "\n") {
		for id := range identifiers(line) {
			if id == name {
				return line
			}
		}
		if first == "" && strings.TrimSpace(line) != "" {
			first = line
		}
	}
	return first
}

// summary is the first line of a doc comment that says something, without its
// comment signs: what is shown of a doc that has no room.
func summary(doc string) string {
	for line := range strings.SplitSeq(normal(doc), "\n") {
		line = strings.TrimSpace(line)
		for _, sign := range []string{"/**", "/*!", "/*", "///", "//!", "//", "*/", "*", "##", "#", "--", `r"""`, `"""`, "'''"} {
			if after, ok := strings.CutPrefix(line, sign); ok {
				line = after
				break
			}
		}
		for _, sign := range []string{"*/", `"""`, "'''"} {
			line = strings.TrimSuffix(line, sign)
		}
		line = strings.TrimSpace(line)
		isTag := strings.HasPrefix(line, "<") && strings.IndexByte(line, '>') == len(line)-1
		if line != "" && !isTag && len(line) <= longestHint {
			return line
		}
	}
	return ""
}
