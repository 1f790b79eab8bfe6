package index

import (
	"strings"
	"sync"
	"unsafe"

	"github.com/cespare/xxhash/v2"
)

// A nameID stands for a string of the index: an identifier, a path expression,
// a type expression, a path, a lexical term. 0 is the empty string.
type nameID uint32

// names interns strings. IDs are dense, are given out once and never change
// meaning, so a snapshot can hold them while the writer adds more.
//
// The first part is frozen: it comes out of the cache file as three flat arrays
// and is never copied into Go maps, which is what makes a warm start quick.
// New names go to a map behind a lock.
type names struct {
	frozen frozenNames

	mu    sync.RWMutex
	added map[string]nameID
	list  []string // added names by ID − frozen.len()
	bytes int64    // of the strings in list
}

// frozenNames is an open-addressing hash table over one block of text.
type frozenNames struct {
	text  []byte
	off   []uint32 // text[off[i]:off[i+1]] is name i; len = names + 1
	slots []uint32 // ID + 1, or 0; len is a power of two, at least twice the names
}

func newNames(f frozenNames) *names {
	n := &names{frozen: f, added: map[string]nameID{}}
	if f.len() == 0 {
		n.added[""] = 0
		n.list = []string{""}
	}
	return n
}

func (f *frozenNames) len() int { return max(0, len(f.off)-1) }

func (f *frozenNames) at(i uint32) string {
	a, b := f.off[i], f.off[i+1]
	if a == b {
		return ""
	}
	return unsafe.String(&f.text[a], int(b-a))
}

func (f *frozenNames) find(s string) (nameID, bool) {
	if len(f.slots) == 0 {
		return 0, false
	}
	mask := uint32(len(f.slots) - 1)
	for i := uint32(xxhash.Sum64String(s)) & mask; ; i = (i + 1) & mask {
		slot := f.slots[i]
		if slot == 0 {
			return 0, false
		}
		if f.at(slot-1) == s {
			return nameID(slot - 1), true
		}
	}
}

// freeze makes the table of all, whose position in the slice is their ID.
func freeze(all []string) frozenNames {
	size := 4
	for size < 2*len(all) {
		size *= 2
	}
	var bytes int
	for _, s := range all {
		bytes += len(s)
	}
	f := frozenNames{make([]byte, 0, bytes), make([]uint32, 1, len(all)+1), make([]uint32, size)}
	mask := uint32(size - 1)
	for id, s := range all {
		f.text = append(f.text, s...)
		f.off = append(f.off, uint32(len(f.text)))
		i := uint32(xxhash.Sum64String(s)) & mask
		for f.slots[i] != 0 {
			i = (i + 1) & mask
		}
		f.slots[i] = uint32(id + 1)
	}
	return f
}

// find is the ID of s, if anything in the index is called so.
func (n *names) find(s string) (nameID, bool) {
	if id, ok := n.frozen.find(s); ok {
		return id, true
	}
	n.mu.RLock()
	id, ok := n.added[s]
	n.mu.RUnlock()
	return id, ok
}

// intern gives s an ID. It keeps a copy of s, never s itself.
func (n *names) intern(s string) nameID {
	if id, ok := n.find(s); ok {
		return id
	}
	n.mu.Lock()
	defer n.mu.Unlock()
	if id, ok := n.added[s]; ok {
		return id
	}
	id := nameID(n.frozen.len() + len(n.list))
	s = strings.Clone(s)
	n.added[s] = id
	n.list = append(n.list, s)
	n.bytes += int64(len(s)) + mapEntry
	return id
}

// str is the string that id stands for.
func (n *names) str(id nameID) string {
	if int(id) < n.frozen.len() {
		return n.frozen.at(uint32(id))
	}
	n.mu.RLock()
	s := n.list[int(id)-n.frozen.len()]
	n.mu.RUnlock()
	return s
}

// len is the number of names; all IDs are below it.
func (n *names) len() int {
	n.mu.RLock()
	defer n.mu.RUnlock()
	return n.frozen.len() + len(n.list)
}

// mapEntry is about what one entry of a Go map with a string key costs beside
// the string's bytes.
const mapEntry = 48

func (n *names) resident() int64 {
	n.mu.RLock()
	defer n.mu.RUnlock()
	return bytesOf(n.frozen.text) + bytesOf(n.frozen.off) + bytesOf(n.frozen.slots) + bytesOf(n.list) + n.bytes
}
