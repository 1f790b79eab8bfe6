package index

import (
	"testing"

	"readahead/index/facts"
)

func TestWhateverSpeaksForAnObjectIsGivenAsTheReason(t *testing.T) {
	other := &file{lang: facts.Python, parsed: true, objects: make([]object, 2)}
	for f := fCursor; f < fWords; f++ { // the features behind describe an object and find none
		for _, strength := range []float64{1, 0.01, 0} {
			c := &collector{query: &query{self: &file{lang: facts.Python}}, gathering: &gathering{files: map[*file]int32{}}}
			c.add(site{other, 1}, f, strength, "the reason")
			if got := c.list[0].why; got != "the reason" {
				t.Errorf("feature %d at %g: the reason is %q", f, strength, got)
			}
			if explains[f] == 0 {
				t.Errorf("feature %d explains nothing, whatever else is weaker", f)
			}
		}
	}
}
