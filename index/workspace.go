package index

import (
	"cmp"
	"context"
	"fmt"
	"path/filepath"
	"slices"
	"sync"
	"sync/atomic"
	"unsafe"

	"readahead/index/ignore"
	"readahead/index/regular"
)

// An Index keeps the facts of a workspace. Reading goes through Snapshot and
// never waits for writing. Its methods may be called from any goroutine.
//
// It owns one goroutine, which parses open documents; Close ends it.
type Index struct {
	opts     Options
	roots    []root
	folders  *folders // the paths of roots
	packages *packages
	names    *names
	texts    *texts

	current atomic.Pointer[Snapshot]
	changes atomic.Int64 // see Changes

	// writing serialises what reads the disk: Build, FilesChanged, Sweep. It is
	// taken before mu.
	writing sync.Mutex

	mu     sync.Mutex
	base   *segment
	disk   map[string]*file // newer than base; nil: gone from disk
	docs   map[string]*document
	stats  Stats
	parsed chan struct{} // closed and replaced whenever a document was parsed

	wake   chan struct{} // one document or more wants parsing
	stop   chan struct{}
	closed sync.Once
	done   sync.WaitGroup

	unsaved int // files changed since the cache was written; guarded by writing
}

// A root is one workspace folder.
type root struct {
	path  string // absolute, as the client calls it
	rules *ignore.Rules
}

// Open makes the index of a workspace and loads what the cache knows about it.
// The snapshot then shows the workspace as it was when the cache was written;
// Build brings it up to date. It fails only if a root is not a readable folder:
// a broken cache is the same as none.
func Open(ctx context.Context, o Options) (*Index, error) {
	if o.Workers <= 0 {
		o.Workers = cores()
	}
	ix := &Index{
		opts: o, folders: &folders{}, packages: newPackages(), texts: newTexts(), names: newNames(frozenNames{}), base: &segment{},
		disk: map[string]*file{}, docs: map[string]*document{}, parsed: make(chan struct{}),
		wake: make(chan struct{}, 1), stop: make(chan struct{}),
	}
	for _, path := range o.Roots {
		abs, err := filepath.Abs(path)
		if err != nil {
			return nil, fmt.Errorf("index: %w", regular.Plain("find workspace folder", path, err))
		}
		rules, err := ignore.New(abs, ignore.Options{Patterns: o.Ignore, MaxFileSize: o.MaxFileSize})
		if err != nil {
			return nil, fmt.Errorf("index: %w", err)
		}
		ix.roots = append(ix.roots, root{abs, rules})
		ix.folders.paths, ix.folders.real = append(ix.folders.paths, abs), append(ix.folders.real, rules.Root())
	}
	if err := ctx.Err(); err != nil {
		return nil, err
	}
	ix.load()
	ix.publish()
	ix.done.Go(ix.parseDocuments)
	return ix, nil
}

// Snapshot is the index as it stands. It is never nil.
func (ix *Index) Snapshot() *Snapshot { return ix.current.Load() }

// Close saves the cache if much has changed, and ends the index's goroutine.
// Snapshots stay usable.
func (ix *Index) Close() error {
	ix.closed.Do(func() {
		close(ix.stop)
		ix.done.Wait()
		ix.writing.Lock()
		defer ix.writing.Unlock()
		ix.saveIfWorthwhile()
	})
	return nil
}

// Changes counts how often the disk was found to be another than before, but for
// files that are open: an answer that was made from an earlier count may be out of
// date. It only grows, and has grown by the time a snapshot shows what was found.
func (ix *Index) Changes() int64 { return ix.changes.Load() }

// change counts what is to be read anew, and what is gone, twice: at once, and when
// the snapshot shows it, which is when the caller calls what it returns. No answer
// from between passes for new.
func (ix *Index) change(read []listed, gone []string) (shown func()) {
	ix.mu.Lock()
	defer ix.mu.Unlock()
	var n int64
	shut := func(path string) bool { return ix.docs[path] == nil }
	if slices.ContainsFunc(gone, shut) || slices.ContainsFunc(read, func(l listed) bool {
		f := ix.known(l.path)
		same := f != nil && f.size == l.size && f.mtime == l.mtime && f.mtime != 0
		return !same && shut(l.path)
	}) {
		n = 1
	}
	ix.changes.Add(n)
	return func() { ix.changes.Add(n) }
}

// locate finds the workspace folder of a path.
func (ix *Index) locate(path string) (root int, rel string, ok bool) {
	return ix.folders.find(path)
}

// publish makes a snapshot of the state. The caller holds mu or is alone.
func (ix *Index) publish() {
	s := &Snapshot{names: ix.names, base: ix.base, dead: map[uint32]bool{}, folders: ix.folders, texts: ix.texts, packages: ix.packages}
	hide := func(path string) {
		if doc, ok := ix.base.byPath[path]; ok {
			s.dead[doc] = true
		}
	}
	for path, f := range ix.disk {
		hide(path)
		if d := ix.docs[path]; f != nil && (d == nil || d.file == nil) {
			s.overlay = append(s.overlay, f)
		}
	}
	for path, d := range ix.docs {
		if d.file != nil {
			hide(path)
			s.overlay = append(s.overlay, d.file)
		}
	}
	slices.SortFunc(s.overlay, func(a, b *file) int { return cmp.Compare(a.path, b.path) })
	s.stats = ix.stats
	s.count()
	ix.current.Store(s)
}

// count fills in what can be counted in the snapshot itself.
func (s *Snapshot) count() {
	st := &s.stats
	st.Files, st.Lines, st.Bytes, st.Objects, st.Refs, st.Windows = 0, 0, 0, 0, 0, 0
	for f := range s.files() {
		st.Files++
		st.Lines += int(f.lines)
		st.Bytes += f.size
		st.Objects += max(0, len(f.objects)-1)
		st.Refs += len(f.refs)
		st.Windows += len(f.windows)
	}
	st.Resident = s.base.resident() + s.names.resident()
	for _, f := range s.overlay {
		st.Resident += f.resident()
	}
}

func (f *file) resident() int64 {
	return bytesOf(f.objects) + bytesOf(f.refs) + bytesOf(f.imports) + bytesOf(f.binds) + bytesOf(f.types) +
		bytesOf(f.windows) + bytesOf(f.terms) + bytesOf(f.text) + int64(unsafe.Sizeof(*f)) + int64(len(f.path)+len(f.rel))
}

func bytesOf[T any](s []T) int64 {
	var zero T
	return int64(cap(s)) * int64(unsafe.Sizeof(zero))
}
