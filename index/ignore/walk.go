package ignore

import (
	"cmp"
	"context"
	"errors"
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"readahead/index/regular"
)

// An Entry is a file or folder that Walk reports.
type Entry struct {
	Path    string // slash-separated, relative to the workspace folder; "" for itself
	Dir     bool
	Size    int64 // bytes; 0 for folders
	ModTime time.Time
}

// A Census counts what Walk passed over.
type Census struct {
	Files, Dirs int // reported
	Ignored     int // by rules; an ignored folder counts once
	TooLarge    int // over Options.MaxFileSize
	Special     int // symbolic links, FIFOs, devices, sockets
	Unreadable  int // folders that could not be listed, or whose rules could not be read; entries that could not be looked at
	// Problem is the first error behind Unreadable, for people; "" if none.
	Problem string
}

// Add adds the counts of a walk through another folder.
func (c *Census) Add(other Census) {
	c.Files += other.Files
	c.Dirs += other.Dirs
	c.Ignored += other.Ignored
	c.TooLarge += other.TooLarge
	c.Special += other.Special
	c.Unreadable += other.Unreadable
	c.Problem = cmp.Or(c.Problem, other.Problem)
}

// Walk reports the folder from ("" for the whole workspace folder), then
// everything in it that may be read, in the order of names within each folder,
// each folder before its contents. Contents are not opened: see Read for what a
// file's bytes say.
//
// It never follows symbolic links, so it terminates and reports nothing twice.
// What cannot be read is counted and passed over. Walk ends early when ctx is
// done or visit returns an error, and returns that error; fs.SkipDir from visit
// on a folder passes over its contents, fs.SkipAll ends without an error.
func (r *Rules) Walk(ctx context.Context, from string, visit func(Entry) error) (Census, error) {
	w := walker{r: r, ctx: ctx, visit: visit}
	root, err := os.OpenRoot(r.root)
	if err != nil {
		w.problem("", err)
		return w.census, nil
	}
	defer root.Close()
	w.root = root
	if from = path.Clean(from); from == "." {
		from = ""
	}
	info, err := root.Lstat(local(from))
	switch {
	case missing(err):
		return w.census, nil
	case err != nil:
		w.problem(from, err)
		return w.census, nil
	case r.Match(from, info.IsDir()).Ignored:
		if f := r.folder(from, nil); info.IsDir() && f.closed != nil {
			w.closed(f)
			break
		}
		w.census.Ignored++
	case info.IsDir():
		err = w.dir(from, info)
	default:
		err = w.file(from, info)
	}
	if errors.Is(err, fs.SkipAll) || errors.Is(err, fs.SkipDir) {
		err = nil
	}
	return w.census, err
}

// local is the name of rel for an os.Root.
func local(rel string) string {
	if rel == "" {
		return "."
	}
	return filepath.FromSlash(rel)
}

type walker struct {
	r      *Rules
	ctx    context.Context
	root   *os.Root // keeps a folder that became a symbolic link meanwhile from leading out
	visit  func(Entry) error
	census Census
}

func (w *walker) problem(rel string, err error) {
	w.census.Unreadable++
	if w.census.Problem == "" {
		w.census.Problem = regular.Plain("read", filepath.Join(w.r.root, filepath.FromSlash(rel)), err).Error()
	}
}

// closed counts a folder whose rules are not known: whoever wonders where it is
// must be told.
func (w *walker) closed(f *folder) {
	w.census.Unreadable++
	w.census.Problem = cmp.Or(w.census.Problem, f.closed.Error())
}

func (w *walker) dir(rel string, info fs.FileInfo) error {
	if err := w.ctx.Err(); err != nil {
		return err
	}
	entries, err := w.list(rel)
	if err != nil {
		if !missing(err) {
			w.problem(rel, err)
		}
		return nil
	}
	names := make([]string, len(entries))
	for i, e := range entries {
		names[i] = e.Name()
	}
	f := w.r.folder(rel, names)
	if f.closed != nil {
		w.closed(f)
		return nil
	}
	if f.verdict.Ignored {
		w.census.Ignored++
		return nil
	}
	w.census.Dirs++
	if err := w.visit(Entry{Path: rel, Dir: true, ModTime: info.ModTime()}); err != nil {
		if err == fs.SkipDir {
			return nil
		}
		return err
	}
	for _, e := range entries {
		if err := w.entry(f, join(rel, e.Name()), e); err != nil {
			return err
		}
	}
	return nil
}

func (w *walker) list(rel string) ([]fs.DirEntry, error) {
	dir, err := w.root.Open(local(rel))
	if err != nil {
		return nil, err
	}
	defer dir.Close()
	entries, err := dir.ReadDir(-1)
	slices.SortFunc(entries, func(a, b fs.DirEntry) int { return strings.Compare(a.Name(), b.Name()) })
	if len(entries) > 0 && err != nil {
		w.problem(rel, err) // what could be listed is worth having
		err = nil
	}
	return entries, err
}

func (w *walker) entry(f *folder, rel string, e fs.DirEntry) error {
	if !e.IsDir() && w.r.inside(f, rel, false).Ignored {
		w.census.Ignored++
		return nil
	}
	if !e.IsDir() && !e.Type().IsRegular() {
		w.census.Special++
		return nil
	}
	info, err := e.Info()
	if err != nil {
		if !missing(err) {
			w.problem(rel, err)
		}
		return nil
	}
	if e.IsDir() {
		return w.dir(rel, info)
	}
	return w.file(rel, info)
}

func (w *walker) file(rel string, info fs.FileInfo) error {
	switch {
	case !info.Mode().IsRegular():
		w.census.Special++
		return nil
	case info.Size() > w.r.opts.MaxFileSize:
		w.census.TooLarge++
		return nil
	}
	w.census.Files++
	err := w.visit(Entry{Path: rel, Size: info.Size(), ModTime: info.ModTime()})
	if err == fs.SkipDir {
		return nil
	}
	return err
}
