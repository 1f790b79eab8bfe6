package index

import (
	"os"
	"path/filepath"
	"testing"

	"readahead/index/facts"
)

// Files of real packages in every language are asked about at four places, and
// no place takes more steps through names than the bound lets it: rules that go round
// in circles show in code that nobody would make up.
// It runs where READAHEAD_CTAGS names the folder that testdata/get-packages.sh made.
func TestRetrievalEndsInRealPackages(t *testing.T) {
	tools := os.Getenv("READAHEAD_CTAGS")
	if tools == "" {
		t.Skip(`READAHEAD_CTAGS names no folder with packages, so this test is left out. To run it:
        index/facts/testdata/get-packages.sh /tmp/ctags
        READAHEAD_CTAGS=/tmp/ctags go test -run RealPackages -v ./index`)
	}
	const mostPlaces = 4000
	for _, lang := range []string{"c", "cpp", "cs", "go", "java", "js", "php", "py", "rb", "rs", "ts", "tsx"} {
		t.Run(lang, func(t *testing.T) {
			dir := filepath.Join(tools, lang)
			ix := built(t, Options{Roots: []string{dir}})
			s := ix.Snapshot()
			asked, most := 0, 0
			for f := range s.files() {
				text, err := os.ReadFile(f.path)
				if err != nil || f.lang == "" || len(text) > 200_000 || asked == mostPlaces {
					continue
				}
				for i := range 4 {
					at := len(text) * (i + 1) / 5
					q := s.prepare(Query{Path: f.path, Src: text, Offset: at, Visible: facts.Span{Start: uint32(max(0, at-2000)), End: uint32(at)}})
					c := q.collect()
					asked, most = asked+1, max(most, c.r.steps)
					if c.r.steps > maxSteps {
						t.Errorf("%s at %d: %d steps, all that there may be", f.rel, at, c.r.steps)
					}
					c.release()
				}
			}
			if asked < 100 {
				t.Errorf("%d places in %s: too few to show anything", asked, dir)
			}
			t.Logf("%d places, %d steps at most", asked, most)
		})
	}
}
