package lsp

import (
	"slices"
	"sync"

	"readahead/allocate"
	"readahead/index"
)

// contexts remembers the last portfolio of what the user works on, so that a
// keystroke that does not change the task does not change the prompt either,
// and the model server's prompt cache holds (allocate.Options.Previous).
type contexts struct {
	mu   sync.Mutex
	last []remembered // least recently used first
}

// A task is what a portfolio was for. While it stays the same, the portfolio
// gives way only to what is clearly better.
type task struct {
	path   string
	within index.SymbolID
	family index.Family
	model  string // its tokens are what budgets are counted in
	budget int
}

type remembered struct {
	task
	portfolio *allocate.Portfolio
}

// maxTasks is how many are remembered: two families of the functions that are
// edited side by side.
const maxTasks = 16

// of is the last portfolio of a task, nil without one.
func (c *contexts) of(t task) *allocate.Portfolio {
	c.mu.Lock()
	defer c.mu.Unlock()
	if i := c.find(t); i >= 0 {
		return c.last[i].portfolio
	}
	return nil
}

// keep remembers a portfolio, which must not change any more.
func (c *contexts) keep(t task, p *allocate.Portfolio) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if i := c.find(t); i >= 0 {
		c.last = slices.Delete(c.last, i, i+1)
	} else if len(c.last) == maxTasks {
		c.last = slices.Delete(c.last, 0, 1)
	}
	c.last = append(c.last, remembered{t, p})
}

func (c *contexts) find(t task) int {
	return slices.IndexFunc(c.last, func(r remembered) bool { return r.task == t })
}

// forget drops everything, since files may be ignored now that were not.
func (c *contexts) forget() {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.last = nil
}
