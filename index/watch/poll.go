package watch

import (
	"context"
	"time"

	"readahead/index/ignore"
)

// pollShare is the part of one core that listing may take: after a listing of
// 200 ms there are 4 s of rest.
const pollShare = 0.05

// A poller finds changes by listing a tree again and again. It owns one
// goroutine, which ends with the watcher or by stop.
type poller struct {
	stop func()
}

// startPolling lists the tree now, so that later changes are seen, and keeps on
// listing it.
func (t *tree) startPolling(ctx context.Context) {
	ctx, cancel := context.WithCancel(ctx)
	done := make(chan struct{})
	t.poller = &poller{stop: func() { cancel(); <-done }}
	began := time.Now()
	before := list(ctx, t.rules)
	took := time.Since(began)
	t.w.running.Go(func() {
		defer close(done)
		for {
			pause(ctx, max(t.w.opts.PollEvery, time.Duration(float64(took)/pollShare)))
			began = time.Now()
			now := list(ctx, t.rules)
			if ctx.Err() != nil {
				return
			}
			took = time.Since(began)
			paths := changed(before, now)
			if refreshRules(t.rules, paths) {
				t.w.collector.markSweep()
			}
			t.mark(paths...)
			before = now
		}
	})
}

func (t *tree) stopPolling() {
	if t.poller != nil {
		t.poller.stop()
		t.poller = nil
	}
}

// A listing is what a tree holds: the size and time of each file.
type listing map[string]fileStamp

type fileStamp struct {
	size int64
	time time.Time
}

func list(ctx context.Context, rules *ignore.Rules) listing {
	l := listing{}
	_, _ = rules.Walk(ctx, "", func(e ignore.Entry) error {
		if !e.Dir {
			l[e.Path] = fileStamp{e.Size, e.ModTime}
		}
		return nil
	})
	return l
}

// changed are the paths that differ between two listings.
func changed(before, now listing) []string {
	var paths []string
	for path, stamp := range now {
		if old, ok := before[path]; !ok || old.size != stamp.size || !old.time.Equal(stamp.time) {
			paths = append(paths, path)
		}
	}
	for path := range before {
		if _, ok := now[path]; !ok {
			paths = append(paths, path)
		}
	}
	return paths
}

// refreshRules forgets the rules that the changed paths hold; false if they hold
// none.
func refreshRules(rules *ignore.Rules, changed []string) bool {
	any := false
	for _, path := range changed {
		if dir, ok := rules.Affects(path); ok {
			rules.Reload(dir)
			any = true
		}
	}
	return any
}
