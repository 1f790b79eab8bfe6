package index

import (
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
)

// eachCursor asks at several places of each file of a workspace in all languages,
// some of them in documents that were changed since they were indexed.
func eachCursor(t *testing.T, run func(where string, c *collector)) {
	root := unpack(t, "polyglot.txtar")
	s := built(t, Options{Roots: []string{root}}).Snapshot()
	for f := range s.files() {
		text, err := os.ReadFile(f.path)
		if err != nil {
			t.Fatal(err)
		}
		for i := 1; i < 6; i++ {
			src := text
			if i%2 == 0 {
				src = append(slices.Clone(text), '\n')
			}
			c := s.prepare(Query{Path: f.path, Src: src, Offset: len(text) * i / 6}).collect()
			run(fmt.Sprintf("%s at %d", f.rel, c.Offset), c)
			c.release()
		}
	}
}

func TestRankFindsWhatLookingAtAllCandidatesFinds(t *testing.T) {
	// Hundreds of functions, called by their number: some often, in many files, some
	// never.
	root := t.TempDir()
	words := []string{"Open", "Close", "Read", "Write", "Cart", "Item", "Order", "Total"}
	var lib strings.Builder
	lib.WriteString("package shop\n\n")
	name := func(i int) string { return words[i%8] + words[i/8%8] + words[i/64%8] + fmt.Sprint(i) }
	for i := range 600 {
		fmt.Fprintf(&lib, "func %s(n int) int { return n }\n\n", name(i))
	}
	write(t, filepath.Join(root, "lib.go"), lib.String())
	for user := range 12 {
		text := fmt.Sprintf("package shop\n\nfunc user%d(cart int) {\n", user)
		for i := user; i < 600; i += 1 + user*user {
			text += fmt.Sprintf("\t%s(cart)\n", name(i))
		}
		write(t, filepath.Join(root, fmt.Sprintf("user%d.go", user)), text+"}\n")
	}
	s := built(t, Options{Roots: []string{root}}).Snapshot()
	spared := 0
	for _, line := range []string{"order := ReadCart", "total", "closeItem := x."} {
		src := "package shop\n\nfunc buy(cart int) {\n\t" + line
		c := s.prepare(Query{Path: filepath.Join(root, "buy.go"), Src: []byte(src), Offset: len(src)}).collect()
		show := func(k *candidate) string { return fmt.Sprintf("%s %v", c.snap.symbol(k.at).ID(), k.score) }
		var all []*candidate
		for i := range c.list {
			all = append(all, &c.list[i])
		}
		slices.SortFunc(c.describer().finish(all), candidatesInOrder)
		var want []string
		for _, k := range c.oneOfEach(all) {
			want = append(want, show(k))
		}
		for _, first := range []int{1, 8, maxRanked, firstLook} {
			for i := range c.list {
				c.list[i].logit, c.list[i].score, c.list[i].whole = 0, 0, false
			}
			var got []string
			for _, k := range c.rankFrom(first) {
				got = append(got, show(k))
			}
			if !slices.Equal(got, want) {
				t.Fatalf("%q, with %d looked at first:\n%s\nwant\n%s", line, first, strings.Join(got, "\n"), strings.Join(want, "\n"))
			}
			for i := range c.list {
				if !c.list[i].whole {
					spared++
				}
			}
		}
		c.release()
	}
	if spared == 0 {
		t.Error("all candidates were looked at everywhere: nothing is shown by this")
	}
}

func TestUsagesAreCountedAsGoingThroughAllFilesCountsThem(t *testing.T) {
	eachCursor(t, func(where string, c *collector) {
		for name := range nameID(c.snap.names.len()) {
			var want usage
			for f, m := range c.snap.mentioning(name) {
				if f != c.self {
					want.uses, want.count = want.uses+int(m.uses), want.count+1
					if len(want.files) < fewFiles {
						want.files = append(want.files, f)
					}
				}
			}
			if got := c.usageOf(name); got.uses != want.uses || got.count != want.count || !slices.Equal(got.files, want.files) {
				t.Fatalf("%s: %q has %d uses in %d files, want %d in %d", where, c.snap.names.str(name), got.uses, got.count, want.uses, want.count)
			}
		}
	})
}

// Of a package that declares the same for many systems one of each name is a
// candidate, the one in the first file, also while one of the files is edited.
func TestALargePackageStandsForEachNameWithOneDeclaration(t *testing.T) {
	root := t.TempDir()
	declare := func(names int) string {
		var b strings.Builder
		b.WriteString("package sys\n\nconst (\n")
		for i := range names {
			fmt.Fprintf(&b, "\tC%d = %d\n", i, i)
		}
		return b.String() + ")\n"
	}
	const names = largePackage/2 + 1
	for _, system := range []string{"b", "a"} {
		write(t, filepath.Join(root, "sys", system+".go"), declare(names))
	}
	write(t, filepath.Join(root, "small", "b.go"), declare(2))
	write(t, filepath.Join(root, "small", "a.go"), declare(2))
	write(t, filepath.Join(root, "go.mod"), "module m\n")
	s := built(t, Options{Roots: []string{root}}).Snapshot()
	edited := s.prepare(Query{Path: filepath.Join(root, "sys", "a.go"), Src: []byte(declare(names) + "\n")}).snap
	for _, snap := range []*Snapshot{s, s, edited} {
		for pkg, want := range map[string]int{"m/sys": names, "m/small": 4} {
			id, ok := snap.names.find(pkg)
			if !ok {
				t.Fatalf("no package %s", pkg)
			}
			sites := snap.topLevel(id)
			if len(sites) != want {
				t.Errorf("%s has %d declarations, want %d", pkg, len(sites), want)
			}
			for _, at := range sites {
				if want == names && !strings.HasSuffix(at.file.path, "a.go") {
					t.Fatalf("%s comes from %s", snap.names.str(at.object().name), at.file.rel)
				}
			}
		}
	}
}
