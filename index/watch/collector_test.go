package watch

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"testing"
	"testing/synctest"
	"time"
)

// collect runs a collector in a bubble of its own time. receive waits for one
// batch and says when, since the start, it came.
func collect(t *testing.T, o Options, f func(c *collector, receive func() (Batch, time.Duration))) {
	synctest.Test(t, func(t *testing.T) {
		c := newCollector(o.withDefaults())
		ctx, cancel := context.WithCancel(t.Context())
		ended := make(chan struct{})
		go func() { c.run(ctx); close(ended) }()
		start := time.Now()
		f(c, func() (Batch, time.Duration) {
			b, ok := <-c.out
			if !ok {
				t.Fatal("collector ended")
			}
			return b, time.Since(start)
		})
		cancel()
		<-ended
	})
}

var timing = Options{Quiet: 50 * time.Millisecond, MaxDelay: time.Second, LockWait: 5 * time.Second, MaxPaths: 10}

func TestABatchWaitsForAPause(t *testing.T) {
	collect(t, timing, func(c *collector, receive func() (Batch, time.Duration)) {
		for i := range 5 {
			c.mark(fmt.Sprintf("f%d", i))
			time.Sleep(40 * time.Millisecond)
		}
		b, at := receive()
		if len(b.Paths) != 5 || at != 210*time.Millisecond {
			t.Errorf("got %v after %v, want all five 50 ms after the last, at 210 ms", b, at)
		}
	})
}

func TestABatchDoesNotWaitForeverForAPause(t *testing.T) {
	collect(t, timing, func(c *collector, receive func() (Batch, time.Duration)) {
		stop := make(chan struct{})
		go func() {
			for {
				select {
				case <-stop:
					return
				case <-time.After(10 * time.Millisecond):
					c.mark("busy")
				}
			}
		}()
		_, at := receive()
		close(stop)
		if at < time.Second || at > 1100*time.Millisecond {
			t.Errorf("came after %v, want MaxDelay, 1 s", at)
		}
		synctest.Wait()
		time.Sleep(20 * time.Millisecond)
	})
}

func TestWhileTheConsumerIsBusyPathsJoinTheBatch(t *testing.T) {
	collect(t, timing, func(c *collector, receive func() (Batch, time.Duration)) {
		c.mark("a")
		time.Sleep(10 * time.Second)
		c.mark("b")
		time.Sleep(10 * time.Second)
		c.mark("a", "c")
		b, _ := receive()
		if got := fmt.Sprint(b.Paths); got != "[a b c]" {
			t.Errorf("got %v, want one batch with a, b and c", got)
		}
		c.mark("d")
		if b, _ := receive(); fmt.Sprint(b.Paths) != "[d]" {
			t.Errorf("then got %v, want d alone", b.Paths)
		}
	})
}

func TestTooManyPathsAreASweep(t *testing.T) {
	collect(t, timing, func(c *collector, receive func() (Batch, time.Duration)) {
		for i := range 8 {
			c.mark(fmt.Sprintf("a%d", i))
		}
		time.Sleep(time.Minute) // offered, not taken
		for i := range 8 {
			c.mark(fmt.Sprintf("b%d", i))
		}
		time.Sleep(time.Minute)
		if b, _ := receive(); !b.Sweep || len(b.Paths) > 10 {
			t.Errorf("got %v, want a sweep with at most 10 paths", b)
		}
	})
}

func TestABatchWaitsForGit(t *testing.T) {
	lock := filepath.Join(t.TempDir(), "index.lock")
	collect(t, timing, func(c *collector, receive func() (Batch, time.Duration)) {
		c.setLocks([]string{lock})
		create(t, lock)
		c.mark("a")
		go func() {
			time.Sleep(2 * time.Second)
			c.mark("b")
			os.Remove(lock)
		}()
		b, at := receive()
		if fmt.Sprint(b.Paths) != "[a b]" || at < 2*time.Second || at > 2200*time.Millisecond {
			t.Errorf("got %v after %v, want a and b when git was done, after 2 s", b, at)
		}
	})
}

func TestALockThatWasLeftBehindDelaysOnlyOnce(t *testing.T) {
	lock := filepath.Join(t.TempDir(), "index.lock")
	create(t, lock)
	collect(t, timing, func(c *collector, receive func() (Batch, time.Duration)) {
		c.setLocks([]string{lock})
		c.mark("a")
		_, at := receive()
		if at < 5*time.Second || at > 5200*time.Millisecond {
			t.Errorf("came after %v, want LockWait, 5 s", at)
		}
		c.setLocks([]string{lock}) // folders were added meanwhile
		c.mark("b")
		if _, next := receive(); next-at > 200*time.Millisecond {
			t.Errorf("the next came %v later, want no more waiting for the same lock", next-at)
		}
		// A new lock is waited for again.
		later := time.Now().Add(time.Hour)
		if err := os.Chtimes(lock, later, later); err != nil {
			t.Fatal(err)
		}
		c.mark("c")
		_, at = receive()
		c.mark("d")
		if _, next := receive(); next-at > 200*time.Millisecond {
			t.Errorf("the next came %v later", next-at)
		}
	})
}

func create(t *testing.T, file string) {
	t.Helper()
	if err := os.WriteFile(file, nil, 0o666); err != nil {
		t.Fatal(err)
	}
}
