package lsp

import (
	"bytes"
	"slices"
	"strings"
	"sync"

	"readahead/allocate"
	"readahead/index"
	"readahead/index/facts"
)

// contexts remembers the last portfolio of what the user works on, so that a
// keystroke that does not change the task does not change the prompt either,
// and the model server's prompt cache holds (allocate.Options.Previous).
type contexts struct {
	mu      sync.Mutex
	last    []remembered // least recently used first
	typed   typed
	line    line
	changes int64 // of the above
}

// typed is how much of the last word counted when evidence was last looked for
// with some of it.
type typed struct {
	path  string
	start int    // of the word, in bytes
	part  string // what of it counted
}

// line is where evidence was last looked for, and the object around it then.
type line struct {
	path   string
	start  int // in bytes
	within index.SymbolID
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

// version is another whenever something else is remembered.
func (c *contexts) version() int64 {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.changes
}

// remember keeps what a model is asked with. Its portfolios must not change any
// more.
func (c *contexts) remember(f *findings) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.changes++
	c.line = f.line
	if f.typed != nil {
		c.typed = *f.typed
	}
	for _, p := range f.portfolios {
		if i := c.find(p.task); i >= 0 {
			c.last = slices.Delete(c.last, i, i+1)
		} else if len(c.last) == maxTasks {
			c.last = slices.Delete(c.last, 0, 1)
		}
		c.last = append(c.last, p)
	}
}

func (c *contexts) find(t task) int {
	return slices.IndexFunc(c.last, func(r remembered) bool { return r.task == t })
}

// around is the object around the cursor of r, given the one that was found. While
// a line is typed it is the one that was found at first: to the parser, an open
// quote or bracket moves the line into other objects from key to key. That is to be
// remembered.
func (c *contexts) around(r CompletionRequest, found index.SymbolID) line {
	here := line{r.Path, 1 + bytes.LastIndexByte(r.Text[:r.Offset], '\n'), found}
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.line.path == here.path && c.line.start == here.start {
		return c.line
	}
	return here
}

// minWord is how many letters of a word say something about it.
const minWord = 3

// queryAt is the offset from which evidence is looked for. A word that is being
// typed is left out: at each of its letters other things would look likely, and
// the prompt would change with every key. Where nothing is remembered, or
// nothing remembered begins with the letters that are there, they count; and
// those that have counted go on to, so that what they found stays: now, if not nil,
// is what is to be remembered of that.
func (c *contexts) queryAt(r CompletionRequest) (at int, now *typed) {
	c.mu.Lock()
	defer c.mu.Unlock()
	start := r.Offset
	for start > 0 && isWordByte(r.Text[start-1]) {
		start--
	}
	word := string(r.Text[start:r.Offset])
	if word == "" {
		return r.Offset, nil
	}
	known, promised := false, len(word) < minWord
	for _, m := range c.last {
		if m.path != r.Path {
			continue
		}
		known = true
		promised = promised || slices.ContainsFunc(m.portfolio.Slots, func(s allocate.Slot) bool {
			return s.Object != nil && strings.HasPrefix(s.Object.Name, word)
		})
	}
	if known && (promised || inString(r.Text[:start])) {
		if t := c.typed; t.path == r.Path && t.start == start && strings.HasPrefix(word, t.part) {
			return start + len(t.part), nil
		}
		return start, nil
	}
	return r.Offset, &typed{r.Path, start, word}
}

// inString guesses whether the end of text stands inside a string of its line:
// an odd number of one kind of quotation mark comes before.
func inString(text []byte) bool {
	line := text[bytes.LastIndexByte(text, '\n')+1:]
	for _, quote := range []string{`"`, "'", "`"} {
		if bytes.Count(line, []byte(quote))%2 == 1 {
			return true
		}
	}
	return false
}

// isWordByte reports whether a byte is part of an identifier, in any script.
func isWordByte(b byte) bool {
	return b == '_' || b >= 0x80 || '0' <= b && b <= '9' || 'a' <= b|0x20 && b|0x20 <= 'z'
}

// stillThere are the objects of the last context that retrieval did not find
// this time and whose code is what it was: reason enough to leave them where
// they stand, behind all that was found. In the document itself that holds for
// what the prompt does not show anyway, which is its lines from first to last.
func stillThere(s *index.Snapshot, last *allocate.Portfolio, found []index.View, document string, first, final int) []index.View {
	if last == nil {
		return nil
	}
	seen := make(map[index.SymbolID]bool, len(found))
	for _, v := range found {
		seen[v.Object.ID] = true
	}
	var out []index.View
	for _, slot := range last.Slots {
		o := slot.Object
		if o == nil || seen[o.ID] || o.Kind == facts.Module {
			continue
		}
		now := s.Same(o)
		if now != nil && now.Source == o.Source && !(now.Path == document && now.Line <= final && first <= now.EndLine) {
			v := slot.Representative
			v.Object, v.Score = now, 0
			out = append(out, v)
		}
	}
	return out
}

// forget drops everything, since files may be ignored now that were not.
func (c *contexts) forget() {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.last, c.typed, c.line = nil, typed{}, line{}
	c.changes++
}
