package watch

import (
	"context"
	"maps"
	"os"
	"slices"
	"sync"
	"time"
)

// A collector gathers dirty paths and hands them out when it is a good moment:
//
//	nothing happened for Quiet, or something has waited for MaxDelay
//	and git is not at work, or has been for LockWait
//	and the consumer is ready
//
// While it waits for any of these, more paths join the same batch.
type collector struct {
	opts Options
	out  chan Batch
	wake chan struct{} // has a token if something was marked

	mu    sync.Mutex
	paths map[string]struct{}
	sweep bool
	first time.Time // of what is waiting
	last  time.Time
	locks map[string]lock
	held  time.Time // when a lock was last seen
}

// A lock is a file that git holds while it works. One that a crashed git left
// behind delays one batch, not every one.
type lock struct {
	made  time.Time // its modification time; zero: not there
	since time.Time // when it was first seen
}

func newCollector(o Options) *collector {
	return &collector{opts: o, out: make(chan Batch), wake: make(chan struct{}, 1), paths: map[string]struct{}{}}
}

// mark adds paths to the next batch.
func (c *collector) mark(paths ...string) {
	if len(paths) == 0 {
		return
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	for _, p := range paths {
		c.paths[p] = struct{}{}
	}
	c.touch()
}

// markSweep makes the next batch a sweep.
func (c *collector) markSweep() {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.sweep = true
	c.touch()
}

func (c *collector) touch() {
	if len(c.paths) > c.opts.MaxPaths {
		clear(c.paths)
		c.sweep = true
	}
	c.last = time.Now()
	if c.first.IsZero() {
		c.first = c.last
	}
	select {
	case c.wake <- struct{}{}:
	default:
	}
}

// setLocks says which files to wait for.
func (c *collector) setLocks(files []string) {
	c.mu.Lock()
	defer c.mu.Unlock()
	locks := map[string]lock{}
	for _, f := range files {
		locks[f] = c.locks[f]
	}
	c.locks = locks
}

// run hands out batches until ctx is done.
func (c *collector) run(ctx context.Context) {
	defer close(c.out)
	for ctx.Err() == nil {
		wait, something := c.wait(time.Now())
		switch {
		case !something:
			select {
			case <-c.wake:
			case <-ctx.Done():
			}
		case wait > 0:
			pause(ctx, wait)
		default:
			c.offer(ctx)
		}
	}
}

// offer holds a batch out to the consumer until it takes it or there is more.
func (c *collector) offer(ctx context.Context) {
	b, first := c.take()
	select {
	case c.out <- b:
		return
	case <-c.wake:
	case <-ctx.Done():
	}
	c.putBack(b, first)
	pause(ctx, c.opts.Quiet) // a stream of events is not worth a new list for each
}

// wait says how long to wait before the next batch can go; false if there is
// nothing to send.
func (c *collector) wait(now time.Time) (time.Duration, bool) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if len(c.paths) == 0 && !c.sweep {
		return 0, false
	}
	quiet := c.last.Add(c.opts.Quiet).Sub(now)
	late := c.first.Add(c.opts.MaxDelay).Sub(now)
	if wait := min(quiet, late); wait > 0 {
		return wait, true
	}
	if c.locked(now) {
		c.held = now
	}
	// The news of git's last files may come after its lock is gone.
	return max(0, c.held.Add(c.opts.Quiet).Sub(now)), true
}

// locked looks for git's locks. The caller holds mu.
func (c *collector) locked(now time.Time) bool {
	held := false
	for file, l := range c.locks {
		info, err := os.Lstat(file)
		switch {
		case err != nil:
			l = lock{}
		case !l.made.Equal(info.ModTime()) || l.since.IsZero():
			l = lock{info.ModTime(), now}
		}
		c.locks[file] = l
		held = held || !l.since.IsZero() && now.Sub(l.since) < c.opts.LockWait
	}
	return held
}

func (c *collector) take() (Batch, time.Time) {
	c.mu.Lock()
	defer c.mu.Unlock()
	select { // the token belongs to what is taken
	case <-c.wake:
	default:
	}
	b := Batch{Paths: slices.Sorted(maps.Keys(c.paths)), Sweep: c.sweep}
	first := c.first
	clear(c.paths)
	c.sweep, c.first = false, time.Time{}
	return b, first
}

func (c *collector) putBack(b Batch, first time.Time) {
	c.mu.Lock()
	defer c.mu.Unlock()
	for _, p := range b.Paths {
		c.paths[p] = struct{}{}
	}
	if len(c.paths) > c.opts.MaxPaths {
		clear(c.paths)
		b.Sweep = true
	}
	c.sweep = c.sweep || b.Sweep
	c.first = first
}

// pause sleeps, or until ctx is done.
func pause(ctx context.Context, d time.Duration) {
	t := time.NewTimer(d)
	defer t.Stop()
	select {
	case <-t.C:
	case <-ctx.Done():
	}
}
