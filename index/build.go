package index

import (
	"cmp"
	"context"
	"os"
	"path/filepath"
	"slices"
	"sync"
	"sync/atomic"
	"time"

	"readahead/index/ignore"
	"readahead/index/regular"
)

// A listed file is one that the workspace holds by its directory entry.
type listed struct {
	path, rel string
	root      int
	size      int64
	mtime     int64
}

// twoTierBytes is how much must be read before Build publishes a lexical tier
// first: below it the whole takes a second or two anyway.
const twoTierBytes = 8 << 20

// Build brings the index up to date with the disk. Files that are as the cache
// knows them cost a stat call. If much is new, lexical windows of everything
// come first, in seconds; then facts, the folders of open documents before the
// rest, published in growing portions. Cancelling keeps what is done so far.
func (ix *Index) Build(ctx context.Context, progress func(Progress)) (Stats, error) {
	ix.writing.Lock()
	defer ix.writing.Unlock()
	if progress == nil {
		progress = func(Progress) {}
	}
	for _, r := range ix.roots {
		r.rules.Reload("")
	}
	ix.packages.forgetAll()
	stats, err := ix.refresh(ctx, progress)
	if err != nil {
		return stats, err
	}
	progress(Progress{stats.Files, stats.Files, "saving"})
	ix.saveIfWorthwhile()
	return ix.Snapshot().Stats(), nil
}

// Sweep looks for changes that no event announced. It does what Build does,
// without saving.
func (ix *Index) Sweep(ctx context.Context) error {
	ix.writing.Lock()
	defer ix.writing.Unlock()
	for _, r := range ix.roots {
		r.rules.Reload("")
	}
	ix.packages.forgetAll()
	_, err := ix.refresh(ctx, func(Progress) {})
	return err
}

// refresh compares the disk with what is known and reads what differs.
func (ix *Index) refresh(ctx context.Context, progress func(Progress)) (Stats, error) {
	start := time.Now()
	progress(Progress{What: "listing files"})
	found, passed, err := ix.list(ctx)
	if err != nil {
		return ix.Snapshot().Stats(), err
	}
	todo, gone := ix.compare(found)
	defer ix.change(todo, gone)()
	var size int64
	for _, l := range todo {
		size += l.size
	}
	ix.mu.Lock()
	for _, path := range gone {
		ix.disk[path] = nil
	}
	ix.mu.Unlock()
	if size > twoTierBytes {
		err = ix.readInTiers(ctx, todo, progress)
	} else {
		err = ix.readAll(ctx, todo, progress)
	}
	ix.placeDocuments()
	ix.unsaved += len(todo) + len(gone)
	if err == nil {
		passed.Add(ix.unreadable(todo))
	}
	ix.mu.Lock()
	defer ix.mu.Unlock()
	ix.stats.Passed = passed
	if len(todo)+len(gone) > 0 || ix.stats.Duration == 0 {
		ix.stats.Reused, ix.stats.Read, ix.stats.ReadSize = len(found)-len(todo), len(todo), size
		ix.stats.Duration = time.Since(start)
	}
	ix.publish()
	return ix.Snapshot().Stats(), err
}

// unreadable counts the files of todo that are there and could not be read.
func (ix *Index) unreadable(todo []listed) (c ignore.Census) {
	for _, l := range todo {
		if ix.known(l.path) != nil {
			continue
		}
		if _, err := os.Lstat(l.path); err != nil {
			continue // it went away meanwhile
		}
		c.Unreadable++
		if f, _, err := regular.Open(l.path); err == nil {
			f.Close()
		} else if c.Problem == "" {
			c.Problem = err.Error()
		}
	}
	return c
}

// compare sorts the files of the disk into those to read and those that are
// gone. What stays out of both is unchanged.
func (ix *Index) compare(found []listed) (todo []listed, gone []string) {
	seen := make(map[string]bool, len(found))
	for _, l := range found {
		seen[l.path] = true
		if f := ix.known(l.path); f == nil || f.size != l.size || f.mtime != l.mtime || f.mtime == 0 || ix.moved(f) {
			todo = append(todo, l)
		}
	}
	for path, f := range ix.disk {
		if f != nil && !seen[path] {
			gone = append(gone, path)
		}
	}
	for _, f := range ix.base.files {
		if _, newer := ix.disk[f.path]; !newer && !seen[f.path] {
			gone = append(gone, f.path)
		}
	}
	return todo, gone
}

// known is the last version read from disk. The caller holds writing.
func (ix *Index) known(path string) *file {
	if f, ok := ix.disk[path]; ok {
		return f
	}
	if doc, ok := ix.base.byPath[path]; ok {
		return ix.base.files[doc]
	}
	return nil
}

// moved reports whether manifests put f in another package than it was read
// for, or whether its facts are missing.
func (ix *Index) moved(f *file) bool {
	if f.lang == "" || f.useless {
		return false
	}
	if f.parsed && f.clause != 0 && clauseNames(f.lang) {
		return false
	}
	pkg := ix.packages.of(f.lang, f.path, ix.roots[f.root].path)
	known := ix.names.str(f.pkg)
	return !f.parsed || known != pkg && known != pkg+"_test"
}

// readAll reads and parses files and adds them to the snapshot at once.
func (ix *Index) readAll(ctx context.Context, todo []listed, progress func(Progress)) error {
	files, err := ix.extract(ctx, todo, extraction{facts: true, what: "parsing"}, progress, nil)
	ix.apply(todo, files)
	return err
}

// readInTiers is readAll for much: lexical windows of all first.
func (ix *Index) readInTiers(ctx context.Context, todo []listed, progress func(Progress)) error {
	files, err := ix.extract(ctx, todo, extraction{what: "reading"}, progress, nil)
	ix.apply(todo, files)
	if err != nil {
		return err
	}
	lexed := make(map[string]*file, len(files))
	for _, f := range files {
		if f != nil {
			lexed[f.path] = f
		}
	}
	todo = withLanguage(todo, files)
	ix.openFoldersFirst(todo)
	portions := portions{ix: ix, todo: todo, next: time.Now().Add(firstPortion), wait: firstPortion}
	files, err = ix.extract(ctx, todo, extraction{facts: true, what: "parsing", lexed: lexed}, progress, portions.done)
	portions.publish(files)
	return err
}

// withLanguage are the files that have facts to extract.
func withLanguage(todo []listed, files []*file) []listed {
	var out []listed
	for i, f := range files {
		if f != nil && f.lang != "" {
			out = append(out, todo[i])
		}
	}
	return out
}

// openFoldersFirst orders the files by how soon a completion may want them.
func (ix *Index) openFoldersFirst(todo []listed) {
	ix.mu.Lock()
	folders := map[string]bool{}
	for path := range ix.docs {
		folders[filepath.Dir(path)] = true
	}
	ix.mu.Unlock()
	slices.SortStableFunc(todo, func(a, b listed) int {
		x, y := folders[filepath.Dir(a.path)], folders[filepath.Dir(b.path)]
		if x != y {
			if x {
				return -1
			}
			return 1
		}
		return cmp.Compare(a.path, b.path)
	})
}

// portions publishes what is parsed after a while, and then after twice as long
// each time, so that the cost of merging stays a fixed share.
type portions struct {
	ix      *Index
	todo    []listed
	next    time.Time
	wait    time.Duration
	written int // files of todo that are published
}

const firstPortion = 3 * time.Second

// done is told that files[:n] are ready.
func (p *portions) done(files []*file, n int) {
	if time.Now().Before(p.next) {
		return
	}
	p.publish(files[:n])
	p.wait *= 2
	p.next = time.Now().Add(p.wait)
}

func (p *portions) publish(files []*file) {
	p.ix.apply(p.todo[p.written:len(files)], files[p.written:])
	p.written = len(files)
}

// An extraction says what is taken from files.
type extraction struct {
	facts bool             // and not only their windows
	what  string           // for Progress
	lexed map[string]*file // by path: files whose windows are known if their text is the same
}

// extract reads files on all workers. A file that cannot be read is nil: it
// does not exist for the index. portion, if not nil, is called on this goroutine
// with the files that are complete so far, in order. After an error, the files
// behind the first incomplete one are left out.
func (ix *Index) extract(ctx context.Context, todo []listed, x extraction, progress func(Progress), portion func([]*file, int)) ([]*file, error) {
	files := make([]*file, len(todo))
	ready := make([]atomic.Bool, len(todo))
	var next atomic.Int64
	finished := make(chan struct{}, max(1, ix.opts.Workers))
	var workers sync.WaitGroup
	for range min(ix.opts.Workers, len(todo)) {
		workers.Go(func() {
			w := ix.newReader(x.facts)
			w.lexed = x.lexed
			for ctx.Err() == nil {
				i := int(next.Add(1) - 1)
				if i >= len(todo) {
					return
				}
				files[i] = w.read(todo[i])
				ready[i].Store(true)
				select {
				case finished <- struct{}{}:
				default:
				}
			}
		})
	}
	go func() { // ends with the workers
		workers.Wait()
		close(finished)
	}()
	complete := 0
	for range finished {
		for complete < len(todo) && ready[complete].Load() {
			complete++
		}
		progress(Progress{complete, len(todo), x.what})
		if portion != nil && complete < len(todo) {
			portion(files, complete)
		}
	}
	for complete < len(todo) && ready[complete].Load() {
		complete++
	}
	return files[:complete], ctx.Err()
}

// maxOverlay is the number of changed files that a snapshot carries beside its
// segment; queries look through all of them.
const maxOverlay = 64

// apply makes files the known versions of todo[:len(files)], folds the overlay
// into the segment if it grew too long, and publishes.
func (ix *Index) apply(todo []listed, files []*file) {
	disk := make(map[string]*file, len(ix.disk)+len(files))
	for path, f := range ix.disk {
		disk[path] = f
	}
	for i, f := range files {
		disk[todo[i].path] = f
	}
	base := ix.base
	if len(disk) > maxOverlay {
		base, disk = ix.fold(disk), map[string]*file{}
	}
	ix.mu.Lock()
	defer ix.mu.Unlock()
	ix.base, ix.disk = base, disk
	ix.publish()
}

// fold merges the versions in disk into the segment.
func (ix *Index) fold(disk map[string]*file) *segment {
	var added []*file
	for _, f := range disk {
		if f != nil {
			added = append(added, f)
		}
	}
	slices.SortFunc(added, func(a, b *file) int { return cmp.Compare(a.path, b.path) })
	old := ix.base
	return mergeSegments(old, func(doc uint32) bool {
		_, replaced := disk[old.files[doc].path]
		return replaced
	}, added, ix.names.len())
}

// placeDocuments looks again at where open documents belong, after rules or
// manifests may have changed.
func (ix *Index) placeDocuments() {
	ix.mu.Lock()
	defer ix.mu.Unlock()
	for _, d := range ix.docs {
		ix.place(d)
	}
	ix.publish()
	ix.wakeParser()
}
