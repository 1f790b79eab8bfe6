package facts

import "strings"

// A value is what is known of an expression: its type, or its path form, or
// neither.
type value struct{ typ, path string }

// outside rewrites a value so that it holds outside the function: a parameter
// or local that it begins with is replaced by what that stands for.
func (b *builder) outside(v value, at uint32) value {
	for range 4 {
		head, rest := cutPath(v.path)
		if head == "" || !b.scopes.local(b.names.id([]byte(b.sigil+head)), at) {
			return v
		}
		known := b.binding(head, at)
		switch {
		case known == nil || known.Result != 0:
			return value{typ: v.typ}
		case known.Type != "" && rest == "":
			return value{typ: known.Type}
		case known.Type != "" && isDotted(known.Type):
			return value{typ: v.typ, path: b.names.intern([]byte(known.Type + rest))}
		case known.Value != "":
			v.path = b.names.intern([]byte(known.Value + rest))
		default:
			return value{typ: v.typ}
		}
	}
	return value{typ: v.typ}
}

// cutPath splits a path form behind its first name.
func cutPath(path string) (head, rest string) {
	if end := strings.IndexAny(path, ".(["); end >= 0 {
		return path[:end], path[end:]
	}
	return path, ""
}

func isDotted(typ string) bool {
	for i := range len(typ) {
		if !isPyName(typ[i]) && typ[i] != '.' {
			return false
		}
	}
	return true
}

// binding returns what a name of the current function stands for at an offset.
func (b *builder) binding(name string, at uint32) *Binding {
	object := b.top().object
	for k := len(b.file.Bindings) - 1; k >= 0 && b.file.Bindings[k].Object == object; k-- {
		if known := &b.file.Bindings[k]; known.Name == name && known.At <= at {
			return known
		}
	}
	return nil
}
