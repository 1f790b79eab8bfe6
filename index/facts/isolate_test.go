package facts

import (
	"bytes"
	"path/filepath"
	"slices"
	"strings"
	"testing"
)

// Whoever types a function key by key, above the rest of a file, must not lose that
// rest: retrieval would see the declarations of the file come and go.
func TestTypingAFunctionCostsNoDeclarationAroundIt(t *testing.T) {
	languages := map[Language]bool{}
	for path, text := range goldenFiles(t) {
		most := 0.01 // of the declarations, on average
		switch name := filepath.Base(path); {
		case strings.Contains(name, "roken"):
			continue // it is broken to begin with
		case strings.Contains(strings.ToLower(name), "new_syntax"), strings.HasPrefix(name, "NewSyntax"), strings.HasPrefix(name, "macros"), strings.HasPrefix(name, "Branches"):
			most = 0.16 // what the grammar can't read is mended, which broken code may undo
		}
		name := strings.TrimSuffix(path, ".txt")
		lang := LanguageOf(name, nil)
		states, lost := typing{every: 1, step: 5, keys: len(text)}.lost(lang, filepath.Base(name), text)
		languages[lang] = languages[lang] || states > 0
		if lost > most*float64(states) {
			t.Errorf("%s: in %d states, %.2f %% of the declarations are lost: want at most %.1f %%", path, states, 100*lost/float64(states), 100*most)
		}
	}
	if len(languages) < 11 {
		t.Errorf("only %d languages were typed", len(languages))
	}
}

func TestTypingInRealPackagesCostsNoDeclarationAroundIt(t *testing.T) {
	tools := ctagsFolder(t)
	for _, l := range ctagsLanguages {
		files := filesToCompare(t, filepath.Join(tools, l.name), l.endings)
		var paths []string
		for path, f := range files {
			if len(f.src) > 6000 && len(f.src) < 60_000 && LanguageOf(path, f.src) == l.lang {
				paths = append(paths, path)
			}
		}
		slices.Sort(paths)
		all, lost := 0, 0.0
		for i := 0; i < len(paths); i += max(1, len(paths)/8) {
			n, share := typing{every: 5, most: 4, step: 5, keys: 240}.lost(l.lang, filepath.Base(paths[i]), files[paths[i]].src)
			all, lost = all+n, lost+share
		}
		t.Logf("%-5s %4d states, %.2f %% of the declarations lost", l.name, all, 100*lost/float64(max(1, all)))
		if lost > 0.015*float64(all) {
			t.Errorf("%s: too many", l.name)
		}
	}
}

// A typing is how functions are typed into a file: each one that is long enough, with
// the lines behind the cursor and up to the function's end not yet there.
type typing struct {
	every, most int // of how many functions one is typed, and how many of a file; 0: all
	step, keys  int // keys between two looks, and at most typed
}

// lost returns how many texts it looked at, and the sum of the shares of other
// declarations that were lost in them.
func (y typing) lost(lang Language, name string, whole []byte) (states int, lost float64) {
	all := Extract(lang, "p", name, whole).Objects
	typed := 0
	for i, o := range all {
		if o.Kind != Function && o.Kind != Method || o.Body.End-o.Body.Start < 30 || i%y.every != 0 || y.most > 0 && typed == y.most {
			continue
		}
		start, end := int(o.Body.Start)+1, int(o.Body.End)
		if lang == Python || lang == Ruby {
			start--
		} else if end = bytes.LastIndexByte(whole[:end-1], '\n'); end <= start {
			continue
		}
		typed++
		var around []string
		for _, other := range all {
			if other.Span.End <= o.Body.Start || other.Span.Start >= o.Body.End {
				around = append(around, other.Descriptors)
			}
		}
		for at := start; at < min(end, start+y.keys) && len(around) > 0; at += y.step {
			text := slices.Concat(whole[:at], []byte("\n"), whole[end:])
			now := map[string]bool{}
			for _, other := range Extract(lang, "p", name, text).Objects {
				now[other.Descriptors] = true
			}
			gone := 0
			for _, d := range around {
				if !now[d] {
					gone++
				}
			}
			states++
			lost += float64(gone) / float64(len(around))
		}
	}
	return states, lost
}

func TestABrokenStatementCostsItself(t *testing.T) {
	rest := "\nfunc between() {\n\ta := `x`\n\tuse(a)\n}\n\ntype T struct {\n\tx int\n}\n\nfunc (t *T) after() {\n\tt.x = 1\n}\n"
	for _, src := range []string{
		"package p\n\nfunc typed(t T) {\n\tif t.x == 1 &&\n}\n" + rest,
		"package p\n\nfunc typed(t T) {\n\tif _, err := f(t),\n}\n" + rest,
		"package p\n\nfunc typed(t T) string {\n\treturn `{{with\n}\n" + rest,
	} {
		f := Extract(Go, "p", "a.go", []byte(src))
		var got []string
		for _, o := range f.Objects[1:] {
			got = append(got, o.Descriptors)
		}
		if want := []string{"typed().", "between().", "T#", "T#x.", "T#after()."}; !slices.Equal(got, want) {
			t.Errorf("%q\ndeclares %q, want %q", src, got, want)
		}
	}
	// what the statement names is still known
	f := Extract(Go, "p", "a.go", []byte("package p\n\nfunc typed(t T) {\n\tif t.x == limit &&\n}\n"+rest))
	if !slices.ContainsFunc(f.Refs, func(r Ref) bool { return r.Name == "limit" && f.Objects[r.Object].Name == "typed" }) {
		t.Errorf("no reference to limit in typed: %+v", f.Refs)
	}
}
