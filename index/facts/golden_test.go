package facts

import (
	"flag"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

var update = flag.Bool("update", false, "rewrite the wanted facts of golden tests")

var (
	kinds = [...]string{"module", "func", "method", "type", "const", "var", "field"}
	roles = [...]string{"read", "call", "type", "write", "import"}
)

// describe writes facts for people: one line an object, reference, import and
// binding, with line numbers in place of offsets.
func describe(f *File, src []byte) string {
	var b strings.Builder
	line := func(at uint32) int { return 1 + strings.Count(string(src[:at]), "\n") }
	lines := func(s Span) string {
		if s.Len() == 0 {
			return "-"
		}
		if first, last := line(s.Start), line(s.End-1); first != last {
			return fmt.Sprintf("%d-%d", first, last)
		}
		return fmt.Sprint(line(s.Start))
	}
	fmt.Fprintf(&b, "lang %s package %s name %q", f.Lang, f.Package, f.Name)
	if f.Exports != nil {
		fmt.Fprintf(&b, " exports %s", strings.Join(f.Exports, " "))
	}
	b.WriteString("\n\nobjects\n")
	for i, o := range f.Objects {
		fmt.Fprintf(&b, "%3d %-6s %s", i, kinds[o.Kind], o.Descriptors)
		if o.Parent > 0 {
			fmt.Fprintf(&b, " in %d", o.Parent)
		}
		fmt.Fprintf(&b, " at %s doc %s body %s", lines(o.Span), lines(o.Doc), lines(o.Body))
		if o.Test {
			b.WriteString(" test")
		}
		if o.Type != "" {
			fmt.Fprintf(&b, " type %q", o.Type)
		}
		if o.Results != nil {
			fmt.Fprintf(&b, " results %q", o.Results)
		}
		if o.Value != "" {
			fmt.Fprintf(&b, " value %q", o.Value)
		}
		if o.Bases != nil {
			fmt.Fprintf(&b, " bases %q", o.Bases)
		}
		if i > 0 {
			fmt.Fprintf(&b, "\n           %s", strings.Join(strings.Fields(string(src[o.Signature.Start:o.Signature.End])), " "))
		}
		b.WriteString("\n")
	}
	b.WriteString("\nimports\n")
	for _, im := range f.Imports {
		fmt.Fprintf(&b, "  %d %s = %s", line(im.At.Start), im.Local, im.Path)
		if im.Name != "" {
			fmt.Fprintf(&b, " . %s", im.Name)
		}
		b.WriteString("\n")
	}
	b.WriteString("\nbindings\n")
	for _, x := range f.Bindings {
		fmt.Fprintf(&b, "  %d in %s: %s", line(x.At), f.Objects[x.Object].Descriptors, x.Name)
		if x.Type != "" {
			fmt.Fprintf(&b, " type %q", x.Type)
		}
		if x.Value != "" {
			fmt.Fprintf(&b, " value %q", x.Value)
		}
		if x.Result != 0 {
			fmt.Fprintf(&b, " result %d", x.Result)
		}
		b.WriteString("\n")
	}
	b.WriteString("\nrefs\n")
	for _, r := range f.Refs {
		name := r.Name
		if r.Path != "" {
			name = r.Path + " . " + name
		}
		fmt.Fprintf(&b, "  %d in %s: %s %s\n", line(r.At.Start), f.Objects[r.Object].Descriptors, roles[r.Role], name)
	}
	return b.String()
}

// goldenFiles are the sources under testdata, by language.
func goldenFiles(t testing.TB) map[string][]byte {
	t.Helper()
	paths, err := filepath.Glob("testdata/*/*.txt")
	if err != nil || len(paths) == 0 {
		t.Fatalf("no golden files: %v", err)
	}
	files := map[string][]byte{}
	for _, path := range paths {
		src, err := os.ReadFile(path)
		if err != nil {
			t.Fatal(err)
		}
		files[path] = src
	}
	return files
}

func extractGolden(path string, src []byte) *File {
	name := strings.TrimSuffix(filepath.Base(path), ".txt")
	return Extract(LanguageOf(name, nil), "example/pkg", name, src)
}

func TestFactsOfRealSyntaxAreAsWritten(t *testing.T) {
	for path, src := range goldenFiles(t) {
		t.Run(filepath.ToSlash(path), func(t *testing.T) {
			got := describe(extractGolden(path, src), src)
			golden := strings.TrimSuffix(path, ".txt") + ".want"
			if *update {
				if err := os.WriteFile(golden, []byte(got), 0o644); err != nil {
					t.Fatal(err)
				}
			}
			want, err := os.ReadFile(golden)
			if err != nil {
				t.Fatal(err)
			}
			if diff := cmp.Diff(string(want), got); diff != "" {
				t.Errorf("facts of %s (-want +got; -update accepts them):\n%s", path, diff)
			}
		})
	}
}
