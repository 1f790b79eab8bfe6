package index

import (
	"runtime"
	"sync"
)

// cores is how much can be done at once. GOMAXPROCS may be more, where goroutines
// are held up in calls of C, and less, where the process may not have them all.
func cores() int { return min(runtime.GOMAXPROCS(0), runtime.NumCPU()) }

// minShare is how many candidates are worth a goroutine.
const minShare = 512

// inParts calls do for parts that make up [0, n), on all cores, and returns when all
// are done. If one panics, so does inParts: a goroutine's own panic would end the
// process, and with it the session of an editor that a panic costs one answer.
func inParts(n int, do func(start, end int)) {
	share := max(minShare, 1+n/cores())
	var workers sync.WaitGroup
	var once sync.Once
	var failed any
	for start := 0; start < n; start += share {
		workers.Go(func() {
			defer func() {
				if r := recover(); r != nil {
					once.Do(func() { failed = r })
				}
			}()
			do(start, min(n, start+share))
		})
	}
	workers.Wait()
	if failed != nil {
		panic(failed)
	}
}
