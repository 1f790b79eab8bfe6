package index

import (
	"bytes"
	"container/list"
	"fmt"
	"slices"
	"sync"
	"unsafe"

	"github.com/cespare/xxhash/v2"

	"readahead/index/redact"
	"readahead/index/regular"
)

// The index holds no source text: facts point into files, and what is rendered
// is read again from disk, a few dozen files a query, most of them recently
// read, without the secrets that stand in it. A text is only used if its hash is the one that the facts were taken
// from, so a file that changed under us yields nothing instead of nonsense.

// A text is the content of one file version. What is cut out of it shares its
// memory.
type text struct {
	data  string
	lines []uint32 // start of each line
}

// textBudget bounds the bytes of file content that are kept in memory between
// queries.
const textBudget = 32 << 20

// texts is a least-recently-used cache of file contents by hash, shared by all
// snapshots.
type texts struct {
	mu    sync.Mutex
	byKey map[textKey]*list.Element
	order *list.List // of cached, most recent first
	bytes int
}

type textKey struct {
	path string
	hash uint64
}

type cached struct {
	key  textKey
	text *text
}

func newTexts() *texts { return &texts{byKey: map[textKey]*list.Element{}, order: list.New()} }

// of reads the text of f.
func (c *texts) of(f *file) (*text, error) {
	key := textKey{f.path, f.hash}
	c.mu.Lock()
	if e, ok := c.byKey[key]; ok {
		c.order.MoveToFront(e)
		c.mu.Unlock()
		return e.Value.(*cached).text, nil
	}
	c.mu.Unlock()
	data := f.text
	if data == nil {
		var err error
		if data, err = regular.Read(f.path, f.size); err != nil {
			return nil, fmt.Errorf("index: text of %s: %w", f.path, err)
		}
		if xxhash.Sum64(data) != f.hash {
			return nil, fmt.Errorf("index: text of %s: changed on disk since it was indexed", f.path)
		}
	}
	data = redact.Text(data) // never written to again
	t := &text{unsafe.String(unsafe.SliceData(data), len(data)), lineStarts(data)}
	c.add(&cached{key, t})
	return t, nil
}

func (c *texts) add(e *cached) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if _, ok := c.byKey[e.key]; ok {
		return
	}
	c.byKey[e.key] = c.order.PushFront(e)
	c.bytes += len(e.text.data)
	for c.bytes > textBudget && c.order.Len() > 1 {
		last := c.order.Remove(c.order.Back()).(*cached)
		delete(c.byKey, last.key)
		c.bytes -= len(last.text.data)
	}
}

func lineStarts(data []byte) []uint32 {
	starts := make([]uint32, 1, len(data)/32+1)
	for at := 0; ; {
		n := bytes.IndexByte(data[at:], '\n')
		if at += n + 1; n < 0 || at >= len(data) {
			return starts
		}
		starts = append(starts, uint32(at))
	}
}

// line is the 1-based line of a byte.
func (t *text) line(p uint32) int {
	i, ok := slices.BinarySearch(t.lines, p)
	if ok {
		return i + 1
	}
	return i
}

// span are the bytes of lines.
func (t *text) span(l lineRange) (start, end uint32) {
	end = uint32(len(t.data))
	if l.first-1 < len(t.lines) {
		start = t.lines[max(0, l.first-1)]
	}
	if l.last < len(t.lines) {
		end = t.lines[l.last]
	}
	return start, end
}

// lineSpan is the text of the 1-based lines from first to last, without the
// last newline.
func (t *text) lineSpan(first, last int) string {
	first, last = max(1, first), min(last, len(t.lines))
	if first > last {
		return ""
	}
	start, end := int(t.lines[first-1]), len(t.data)
	if last < len(t.lines) {
		end = int(t.lines[last])
	}
	for end > start && (t.data[end-1] == '\n' || t.data[end-1] == '\r') {
		end--
	}
	return t.data[start:end]
}
