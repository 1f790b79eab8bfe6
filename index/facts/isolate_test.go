package facts

import (
	"bytes"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
)

// Whoever types a function key by key, above the rest of a file, must not lose that
// rest: retrieval would see the declarations of the file come and go.
//
// READAHEAD_TYPED names a folder of sources to type in instead of those of testdata.
func TestTypingAFunctionCostsNoDeclarationAroundIt(t *testing.T) {
	root, most := "testdata", 0.004 // of the declarations, on average
	if dir := os.Getenv("READAHEAD_TYPED"); dir != "" {
		root, most = dir, 0.2
	}
	states, lost := map[Language]int{}, map[Language]float64{}
	for _, path := range typedFiles(t, root) {
		text, err := os.ReadFile(path)
		if err != nil {
			t.Fatal(err)
		}
		name := filepath.Base(path)
		lang := LanguageOf(path, nil)
		if root == "testdata" { // cart.go.txt
			name = name[:len(name)-len(".txt")]
			lang = LanguageOf(name, nil)
		}
		n, share := typeFunctions(lang, name, text)
		states[lang] += n
		lost[lang] += share
	}
	if len(states) < 11 && root == "testdata" {
		t.Errorf("only %d languages were typed", len(states))
	}
	for lang, n := range states {
		t.Logf("%-10s %5d states, %5.2f %% of the declarations lost", lang, n, 100*lost[lang]/float64(max(1, n)))
		if lost[lang] > most*float64(n) {
			t.Errorf("%s: too many", lang)
		}
	}
}

// typedFiles are the sources below root, up to eight of a folder, but for those of
// testdata that are broken to begin with.
func typedFiles(t *testing.T, root string) (out []string) {
	t.Helper()
	folders := map[string][]string{}
	err := filepath.WalkDir(root, func(path string, d os.DirEntry, err error) error {
		if err != nil || !d.Type().IsRegular() {
			return err
		}
		name := filepath.Base(path)
		if root == "testdata" && (filepath.Ext(name) != ".txt" || strings.Contains(name, "roken") || strings.Contains(path, "rapid")) {
			return nil
		}
		if i, err := d.Info(); err == nil && i.Size() < 60_000 {
			folders[filepath.Dir(path)] = append(folders[filepath.Dir(path)], path)
		}
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	for _, files := range folders {
		slices.Sort(files)
		step := max(1, len(files)/8)
		for i := 0; i < len(files); i += step {
			out = append(out, files[i])
		}
	}
	return out
}

// typeFunctions types the functions of a text, every few keys of them, with the lines
// behind the cursor and up to the function's end not yet there. It returns how many
// texts it looked at, and the sum of the shares of other declarations that were lost.
func typeFunctions(lang Language, name string, whole []byte) (states int, lost float64) {
	all := Extract(lang, "p", name, whole).Objects
	for _, o := range all {
		if o.Kind != Function && o.Kind != Method || o.Body.End-o.Body.Start < 30 {
			continue
		}
		start, end := int(o.Body.Start)+1, int(o.Body.End)
		if lang == Python || lang == Ruby {
			start--
		} else if end = bytes.LastIndexByte(whole[:end-1], '\n'); end <= start {
			continue
		}
		var around []string
		for _, other := range all {
			if other.Span.End <= o.Body.Start || other.Span.Start >= o.Body.End {
				around = append(around, other.Descriptors)
			}
		}
		for at := start; at < end && len(around) > 0; at += 3 {
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
