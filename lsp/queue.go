package lsp

import (
	"context"
	"sync"
)

// A queue runs jobs one after another, off the reader: indexing, configuration,
// all that may ask the client back. run's goroutine owns them.
type queue struct {
	mu   sync.Mutex
	jobs []func(context.Context)
	more chan struct{}
	side chan func(context.Context)
}

func newQueue() *queue {
	return &queue{more: make(chan struct{}, 1), side: make(chan func(context.Context), 2)}
}

// add puts a job behind the others.
func (q *queue) add(job func(context.Context)) {
	q.mu.Lock()
	q.jobs = append(q.jobs, job)
	q.mu.Unlock()
	select {
	case q.more <- struct{}{}:
	default:
	}
}

// beside runs a job next to the others. At most two wait to be started.
func (q *queue) beside(job func(context.Context)) { q.side <- job }

// run works until ctx ends, and until the job that it then cancels has ended.
func (q *queue) run(ctx context.Context) {
	var beside sync.WaitGroup
	defer beside.Wait()
	for {
		select {
		case <-ctx.Done():
			return
		case job := <-q.side:
			beside.Go(func() { job(ctx) })
		case <-q.more:
			for job := q.next(); job != nil && ctx.Err() == nil; job = q.next() {
				job(ctx)
			}
		}
	}
}

func (q *queue) next() func(context.Context) {
	q.mu.Lock()
	defer q.mu.Unlock()
	if len(q.jobs) == 0 {
		return nil
	}
	job := q.jobs[0]
	q.jobs = q.jobs[1:]
	return job
}
