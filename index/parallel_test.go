package index

import (
	"sync"
	"testing"
)

func TestPartsMakeUpTheWhole(t *testing.T) {
	for _, n := range []int{0, 1, minShare, minShare + 1, 10*minShare + 7} {
		calls := make([]int, n)
		inParts(n, func(start, end int) {
			for i := start; i < end; i++ {
				calls[i]++
			}
		})
		for i, c := range calls {
			if c != 1 {
				t.Fatalf("%d of %d was done %d times", i, n, c)
			}
		}
	}
}

// What panics on another goroutine is caught where a panic of the query itself is.
func TestAPanicOnAHelpersGoroutineIsTheCallers(t *testing.T) {
	root := unpack(t, "polyglot.txtar")
	s := built(t, Options{Roots: []string{root}}).Snapshot()
	for name, run := range map[string]func(){
		"in a part": func() { inParts(5*minShare, func(start, end int) { panic("boom") }) },
		"in the search for windows": func() {
			q := s.prepare(at(t, root, "cs/App.cs", "var sum = cart."))
			q.windows = sync.OnceValue(func() []windowHit { panic("boom") })
			q.evidence()
		},
	} {
		t.Run(name, func(t *testing.T) {
			defer func() {
				if r := recover(); r != "boom" {
					t.Errorf("recovered %v, want boom", r)
				}
			}()
			run()
		})
	}
}
