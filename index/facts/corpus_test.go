package facts

import (
	"flag"
	"fmt"
	"go/build"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"strings"
	"sync"
	"testing"
)

var wholeCorpus = flag.Bool("corpus", false, "test on all files of the standard libraries, not on a sample (minutes)")

// sampled is the share of a corpus that is read without -corpus: one file in so
// many.
const sampled = 20

// walkCorpus calls check for the files under root whose name ends with suffix,
// from several goroutines.
func walkCorpus(t *testing.T, root, suffix string, check func(path string, src []byte)) {
	t.Helper()
	paths := make(chan string)
	var workers sync.WaitGroup
	for range runtime.GOMAXPROCS(0) {
		workers.Go(func() {
			for path := range paths {
				src, err := os.ReadFile(path)
				if err != nil {
					t.Error(err)
					continue
				}
				check(path, src)
			}
		})
	}
	n, taken := 0, 0
	err := filepath.WalkDir(root, func(path string, d fs.DirEntry, err error) error {
		if err != nil || !d.Type().IsRegular() || !strings.HasSuffix(path, suffix) {
			return err
		}
		if n++; !*wholeCorpus && n%sampled != 0 {
			return nil
		}
		taken++
		paths <- path
		return nil
	})
	close(paths)
	workers.Wait()
	if err != nil || taken == 0 {
		t.Fatalf("corpus %s: %d files, %v", root, taken, err)
	}
	t.Logf("%d files", taken)
}

func goCorpus() string { return filepath.Join(build.Default.GOROOT, "src") }

// pythonCorpus returns the directory of Python's standard library, and "" where
// there is no Python.
func pythonCorpus() string {
	out, err := exec.Command("python3", "-c", "import sysconfig; print(sysconfig.get_path('stdlib'))").Output()
	if err != nil {
		return ""
	}
	return strings.TrimSpace(string(out))
}

// invalid returns what is wrong with facts whatever the text is, or "".
func invalid(f *File, src []byte) string {
	within := func(s, outer Span) bool {
		return s.Len() == 0 || s.Start >= outer.Start && s.End <= outer.End && s.Start <= s.End
	}
	whole := Span{0, uint32(len(src))}
	if len(f.Objects) == 0 || f.Objects[0].Kind != Module || f.Objects[0].Parent != -1 || f.Objects[0].Span != whole {
		return "the first object is not the module"
	}
	names := map[string]bool{}
	for i, o := range f.Objects {
		switch {
		case names[o.Descriptors]:
			return fmt.Sprintf("object %d: %s twice", i, o.Descriptors)
		case !within(o.Span, whole):
			return fmt.Sprintf("object %d %s: span %v outside the text", i, o.Descriptors, o.Span)
		case !within(o.Ident, o.Span), !within(o.Signature, o.Span), !within(o.Doc, o.Span), !within(o.Body, o.Span):
			return fmt.Sprintf("object %d %s: parts outside its span: %+v", i, o.Descriptors, o)
		case o.Body.Len() > 0 && o.Signature.End > o.Body.Start && o.Kind != Module:
			return fmt.Sprintf("object %d %s: signature %v reaches into body %v", i, o.Descriptors, o.Signature, o.Body)
		case i > 0 && (o.Parent < 0 || o.Parent >= i):
			return fmt.Sprintf("object %d %s: parent %d", i, o.Descriptors, o.Parent)
		case i > 0 && !within(o.Span, f.Objects[o.Parent].Span):
			return fmt.Sprintf("object %d %s: span %v outside its parent's %v", i, o.Descriptors, o.Span, f.Objects[o.Parent].Span)
		case i > 0 && string(src[o.Ident.Start:o.Ident.End]) != o.Name:
			return fmt.Sprintf("object %d %s: name %q is not what stands at %v", i, o.Descriptors, o.Name, o.Ident)
		case i > 0 && o.Name == "":
			return fmt.Sprintf("object %d has no name", i)
		}
		if ds, err := ParseDescriptors(o.Descriptors); err != nil || FormatDescriptors(ds...) != o.Descriptors {
			return fmt.Sprintf("object %d: descriptors %s: %v", i, o.Descriptors, err)
		}
		names[o.Descriptors] = true
	}
	for i, r := range f.Refs {
		if !within(r.At, whole) || r.At.Len() == 0 || string(src[r.At.Start:r.At.End]) != r.Name || r.Object < 0 || r.Object >= len(f.Objects) {
			return fmt.Sprintf("ref %d: %+v", i, r)
		}
		if i > 0 && r.At.Start < f.Refs[i-1].At.Start {
			return fmt.Sprintf("ref %d %+v stands before %+v", i, r, f.Refs[i-1])
		}
	}
	for i, b := range f.Bindings {
		if b.Name == "" || b.Object < 0 || b.Object >= len(f.Objects) || b.At > whole.End || b.Result < 0 {
			return fmt.Sprintf("binding %d: %+v", i, b)
		}
	}
	for i, im := range f.Imports {
		if !within(im.At, whole) || im.Path == "" {
			return fmt.Sprintf("import %d: %+v", i, im)
		}
	}
	return ""
}

func TestFactsOfThePythonLibraryAreValid(t *testing.T) {
	root := pythonCorpus()
	if root == "" {
		root = "testdata"
	}
	suffix := ".py"
	if root == "testdata" {
		suffix = ".py.txt"
	}
	walkCorpus(t, root, suffix, func(path string, src []byte) {
		if msg := invalid(Extract(Python, "p", filepath.Base(path), src), src); msg != "" {
			t.Errorf("%s: %s", path, msg)
		}
	})
}
