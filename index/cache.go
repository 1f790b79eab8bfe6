package index

import (
	"bufio"
	"encoding/binary"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strings"
	"time"
	"unsafe"

	"github.com/cespare/xxhash/v2"

	"readahead/index/facts"
	"readahead/index/regular"
)

// The cache file of a workspace is its segment as it lies in memory, so that
// loading is one read that sums on the way. It holds names and positions, no source
// text, and is readable by its owner only.
//
//	header    magic, schema, byte order, length, checksum of all that follows
//	sections  count of elements, then the elements, padded to 8 bytes:
//	          names, files, facts, tables
//
// Every file entry carries path, size, modification time and content hash:
// Build reads the files whose stat differs. A cache of another schema, byte
// order or set of folders, truncated or damaged, is as good as none, and the
// next save replaces it.

// schema changes whenever the layout, the lexer, or the facts of unchanged text
// do.
const schema = 7

// maxCache, in bytes, is a workspace of a hundred million lines. A longer file is
// not ours.
const maxCache = 8 << 30

const magic = "readahead index\n"

type cacheHeader struct {
	Magic    [16]byte
	Schema   uint32
	Order    uint32 // 0x01020304 as the writer's processor stores it
	Length   uint64 // bytes behind the header
	Checksum uint64 // xxhash of those
}

const byteOrder = 0x01020304

// A fileEntry is a file in the cache.
type fileEntry struct {
	Size, Mtime                                   int64
	Hash                                          uint64
	Rel, Lang, Pkg, Clause                        nameID
	Root                                          int32
	Lines, Flags                                  uint32
	Objects, Refs, Imports, Binds, Types, Windows uint32
	_                                             uint32
}

const (
	flagParsed = 1 << iota
	flagGenerated
	flagUseless
)

// cachePath is the cache file of this workspace; "" for none.
func (ix *Index) cachePath() string {
	if ix.opts.CacheDir == "" || len(ix.roots) == 0 {
		return ""
	}
	key := strings.Join(ix.folders.paths, "\x00")
	return filepath.Join(ix.opts.CacheDir, fmt.Sprintf("%s-%016x.index", filepath.Base(ix.roots[0].path), xxhash.Sum64String(key)))
}

// load takes over what the cache knows. Whatever is wrong with it is noted in
// the stats and otherwise the same as no cache.
func (ix *Index) load() {
	path := ix.cachePath()
	if path == "" {
		return
	}
	base, n, err := ix.readCache(path)
	if errors.Is(err, os.ErrNotExist) {
		return
	}
	if err != nil {
		ix.stats.Cache = err.Error()
		ix.unsaved = maxSaveLag + 1 // to be replaced
		return
	}
	ix.base, ix.names = base, n
}

// maxSaveLag is how many changed files may be read again at the next start
// before writing the cache anew is worth it.
const maxSaveLag = 16

func (ix *Index) saveIfWorthwhile() {
	path := ix.cachePath()
	if path == "" || ix.unsaved == 0 {
		return
	}
	if _, err := os.Stat(path); err == nil && ix.unsaved <= maxSaveLag {
		return
	}
	if len(ix.disk) > 0 {
		base := ix.fold(ix.disk)
		ix.mu.Lock()
		ix.base, ix.disk = base, map[string]*file{}
		ix.publish()
		ix.mu.Unlock()
	}
	err := ix.writeCache(path)
	ix.mu.Lock()
	defer ix.mu.Unlock()
	ix.stats.Cache = ""
	if err != nil {
		ix.stats.Cache = err.Error()
	} else {
		ix.unsaved = 0
	}
	ix.publish()
}

// writeCache replaces the file in one step: a reader sees the old one or the
// new one.
func (ix *Index) writeCache(path string) (err error) {
	if err := os.MkdirAll(filepath.Dir(path), 0o700); err != nil {
		return fmt.Errorf("index: %w", regular.Plain("save cache in", filepath.Dir(path), err))
	}
	removeLeftovers(path)
	tmp, err := os.CreateTemp(filepath.Dir(path), filepath.Base(path)+".*.tmp") // mode 0600
	if err != nil {
		return fmt.Errorf("index: %w", regular.Plain("save cache in", filepath.Dir(path), err))
	}
	defer func() {
		if err != nil {
			tmp.Close()
			os.Remove(tmp.Name())
			err = fmt.Errorf("index: %w", regular.Plain("save cache", path, err))
		}
	}()
	w := &cacheWriter{to: bufio.NewWriterSize(tmp, 1<<20), sum: xxhash.New()}
	header := cacheHeader{Schema: schema, Order: byteOrder}
	copy(header.Magic[:], magic)
	if err := binary.Write(tmp, binary.NativeEndian, header); err != nil {
		return err
	}
	ix.encode(w)
	if w.err == nil {
		w.err = w.to.Flush()
	}
	if w.err != nil {
		return w.err
	}
	header.Length, header.Checksum = w.length, w.sum.Sum64()
	if _, err := tmp.Seek(0, io.SeekStart); err != nil {
		return err
	}
	if err := binary.Write(tmp, binary.NativeEndian, header); err != nil {
		return err
	}
	if err := tmp.Close(); err != nil {
		return err
	}
	return os.Rename(tmp.Name(), path)
}

// leftover is how old an unfinished cache file must be to be nobody's any more: a
// save takes seconds.
const leftover = time.Hour

// removeLeftovers deletes what saves of this cache left behind that were killed
// halfway. What cannot be deleted is tried again at the next save.
func removeLeftovers(path string) {
	entries, err := os.ReadDir(filepath.Dir(path))
	if err != nil {
		return
	}
	for _, e := range entries {
		if !strings.HasPrefix(e.Name(), filepath.Base(path)+".") || !strings.HasSuffix(e.Name(), ".tmp") {
			continue
		}
		if info, err := e.Info(); err == nil && info.Mode().IsRegular() && time.Since(info.ModTime()) > leftover {
			os.Remove(filepath.Join(filepath.Dir(path), e.Name()))
		}
	}
}

func (ix *Index) encode(w *cacheWriter) {
	s := ix.base
	extra := make([]nameID, 0, 2*len(s.files)) // path and language of each file
	for _, f := range s.files {
		extra = append(extra, ix.names.intern(f.rel), ix.names.intern(string(f.lang)))
	}
	to, list := s.renames(ix.names, extra)
	entries := make([]fileEntry, len(s.files))
	for i, f := range s.files {
		entries[i] = entryOf(f)
		e := &entries[i]
		e.Rel, e.Lang, e.Pkg, e.Clause = to[extra[2*i]], to[extra[2*i+1]], to[f.pkg], to[f.clause]
	}
	n := freeze(list)
	put(w, []byte(strings.Join(ix.folders.paths, "\x00")))
	put(w, n.text)
	put(w, n.off)
	put(w, n.slots)
	put(w, entries)
	putEach(w, s.files, func(f *file) []object { return f.objects }, to.objects)
	putEach(w, s.files, func(f *file) []ref { return f.refs }, to.refs)
	putEach(w, s.files, func(f *file) []imported { return f.imports }, to.imports)
	putEach(w, s.files, func(f *file) []bind { return f.binds }, to.binds)
	putEach(w, s.files, func(f *file) []nameID { return f.types }, to.ids)
	putEach(w, s.files, func(f *file) []uint16 { return f.windows }, func(n []uint16) []uint16 { return n })
	putTable(w, &s.defs, to)
	putTable(w, &s.members, to)
	putTable(w, &s.mentions, to)
	putTable(w, &s.terms, to)
	put(w, s.frequency)
}

func entryOf(f *file) fileEntry {
	e := fileEntry{Size: f.size, Mtime: f.mtime, Hash: f.hash,
		Root: int32(f.root), Lines: f.lines, Objects: uint32(len(f.objects)), Refs: uint32(len(f.refs)),
		Imports: uint32(len(f.imports)), Binds: uint32(len(f.binds)), Types: uint32(len(f.types)), Windows: uint32(len(f.windows))}
	for flag, on := range map[uint32]bool{flagParsed: f.parsed, flagGenerated: f.generated, flagUseless: f.useless} {
		if on {
			e.Flags |= flag
		}
	}
	return e
}

// readCache reads and checks a cache file.
func (ix *Index) readCache(path string) (*segment, *names, error) {
	file, info, err := regular.Open(path)
	if err != nil {
		return nil, nil, fmt.Errorf("index: read cache: %w", err)
	}
	defer file.Close()
	from := regular.Reader(file)
	var h cacheHeader
	size := int64(unsafe.Sizeof(h))
	if _, err := io.ReadFull(from, unsafe.Slice((*byte)(unsafe.Pointer(&h)), size)); err != nil {
		return nil, nil, fmt.Errorf("index: cache %s is truncated: rebuilding", path)
	}
	switch {
	case string(h.Magic[:]) != magic || h.Schema != schema || h.Order != byteOrder:
		return nil, nil, fmt.Errorf("index: cache %s is of another version: rebuilding", path)
	case info.Size() > maxCache || h.Length != uint64(info.Size()-size):
		return nil, nil, fmt.Errorf("index: cache %s is damaged: rebuilding", path)
	}
	body, sum, err := readSummed(from, int(h.Length))
	if err != nil || sum != h.Checksum {
		return nil, nil, fmt.Errorf("index: cache %s is damaged: rebuilding", path)
	}
	s, n, ok, err := ix.decodeSafely(body)
	if err != nil {
		return nil, nil, fmt.Errorf("index: cache %s is damaged: rebuilding", path)
	}
	if !ok {
		return nil, nil, fmt.Errorf("index: cache %s is of another workspace: rebuilding", path)
	}
	return s, n, nil
}

// piece is what is read at a time, in bytes: the processor still has all of it when
// it is summed.
const piece = 128 << 10

// readSummed reads n bytes into memory and sums them on the way, which together is
// a quarter slower than to sum them in a mapping of the file (55 against 45 ms for
// 120 MB). But a file that is cut short under a mapping ends the process, at any
// later access; what was read stays.
func readSummed(from io.Reader, n int) (body []byte, sum uint64, err error) {
	if n == 0 {
		return nil, xxhash.Sum64(nil), nil
	}
	words := make([]uint64, (n+7)/8) // so that the sections are aligned
	body = unsafe.Slice((*byte)(unsafe.Pointer(&words[0])), n)
	d := xxhash.New()
	for rest := body; len(rest) > 0; {
		k, err := io.ReadFull(from, rest[:min(len(rest), piece)])
		if err != nil {
			return nil, 0, err
		}
		d.Write(rest[:k]) // never fails
		rest = rest[k:]
	}
	return body, d.Sum64(), nil
}

// decodeSafely is decode for a file whose checksum is right and whose sections all
// the same do not fit together, as only a fault of ours or somebody who means it
// writes: an access outside of them is an error.
func (ix *Index) decodeSafely(body []byte) (s *segment, n *names, ok bool, err error) {
	defer func() {
		if r := recover(); r != nil {
			err = fmt.Errorf("%v", r)
		}
	}()
	s, n, ok = ix.decode(&cacheReader{data: body})
	return s, n, ok, nil
}

// decode trusts the checksum: the sections are consistent with each other.
func (ix *Index) decode(r *cacheReader) (*segment, *names, bool) {
	if string(get[byte](r)) != strings.Join(ix.folders.paths, "\x00") {
		return nil, nil, false
	}
	n := newNames(frozenNames{get[byte](r), get[uint32](r), get[uint32](r)})
	s := &segment{}
	entries := get[fileEntry](r)
	a := arrays{get[object](r), get[ref](r), get[imported](r), get[bind](r), get[nameID](r), get[uint16](r)}
	files := make([]file, len(entries))
	s.files = make([]*file, len(entries))
	for i, e := range entries {
		files[i] = a.file(&e, n)
		files[i].path = filepath.Join(ix.roots[e.Root].path, filepath.FromSlash(files[i].rel))
		s.files[i] = &files[i]
	}
	s.defs, s.members, s.mentions, s.terms = getTable[def](r), getTable[def](r), getTable[mention](r), getTable[byte](r)
	s.frequency = get[uint32](r)
	s.indexWindows()
	s.indexFiles()
	return s, n, true
}

// file takes the facts of the next file off the arrays.
func (a *arrays) file(e *fileEntry, n *names) file {
	return file{
		rel: n.str(e.Rel), root: int(e.Root), lang: facts.Language(n.str(e.Lang)),
		size: e.Size, mtime: e.Mtime, hash: e.Hash, pkg: e.Pkg, clause: e.Clause, lines: e.Lines,
		parsed: e.Flags&flagParsed != 0, generated: e.Flags&flagGenerated != 0, useless: e.Flags&flagUseless != 0,
		objects: shift(&a.objects, e.Objects), refs: shift(&a.refs, e.Refs), imports: shift(&a.imports, e.Imports),
		binds: shift(&a.binds, e.Binds), types: shift(&a.types, e.Types), windows: shift(&a.windows, e.Windows),
	}
}

func shift[T any](from *[]T, n uint32) []T {
	out := (*from)[:n:n]
	*from = (*from)[n:]
	return out
}

// A cacheWriter writes sections and keeps the first error.
type cacheWriter struct {
	to     *bufio.Writer
	sum    *xxhash.Digest
	length uint64
	err    error
}

func (w *cacheWriter) write(b []byte) {
	if w.err == nil {
		_, w.err = w.to.Write(b)
		w.sum.Write(b) // never fails
		w.length += uint64(len(b))
	}
}

func (w *cacheWriter) count(n int) { w.write(binary.NativeEndian.AppendUint64(nil, uint64(n))) }

func (w *cacheWriter) pad() { w.write(make([]byte, -w.length&7)) }

// T must hold no pointers.
func put[T any](w *cacheWriter, s []T) {
	w.count(len(s))
	w.write(bytesIn(s))
	w.pad()
}

func putEach[T any](w *cacheWriter, files []*file, of func(*file) []T, rename func([]T) []T) {
	n := 0
	for _, f := range files {
		n += len(of(f))
	}
	w.count(n)
	for _, f := range files {
		w.write(bytesIn(rename(of(f))))
	}
	w.pad()
}

func putTable[T any](w *cacheWriter, t *table[T], to renaming) {
	put(w, to.ids(t.keys))
	put(w, t.starts)
	put(w, t.values)
}

func bytesIn[T any](s []T) []byte {
	if len(s) == 0 {
		return nil
	}
	return unsafe.Slice((*byte)(unsafe.Pointer(&s[0])), len(s)*int(unsafe.Sizeof(s[0])))
}

type cacheReader struct{ data []byte }

// get is the next section, without copying it.
func get[T any](r *cacheReader) []T {
	n := binary.NativeEndian.Uint64(r.data)
	r.data = r.data[8:]
	var zero T
	size := n * uint64(unsafe.Sizeof(zero))
	section := r.data[:size]
	r.data = r.data[size+(-size&7):]
	if n == 0 {
		return nil
	}
	return unsafe.Slice((*T)(unsafe.Pointer(&section[0])), n)
}

func getTable[T any](r *cacheReader) table[T] {
	return table[T]{get[nameID](r), get[uint32](r), get[T](r)}
}
