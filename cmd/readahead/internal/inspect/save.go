package inspect

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"time"

	"readahead/cmd/readahead/internal/ownfile"
	"readahead/index/regular"
)

// pages is what may stand under the name of a page, and is replaced.
var pages = ownfile.Kind{Name: "a page", Begins: "<!doctype html>"}

// Save writes the page of a report to a file that only the user can read,
// replacing a page that is there, and nothing else.
func Save(path string, report []byte, version string) error {
	f, err := ownfile.Create(path, pages)
	if err != nil {
		return err
	}
	defer f.Drop()
	if err := Write(f, report, version); err != nil {
		return regular.Plain("write", path, err)
	}
	return f.Keep()
}

// A Folder is a private folder of pages, which is made when the first one is
// written. Pages hold code, so only the newest are kept, whoever wrote them: a
// command or an editor's server, of which several may run. It is safe for
// concurrent use.
type Folder struct {
	Path string // "": there is none, and Save fails

	mu  sync.Mutex
	own []string // written here
}

const (
	// keptPages is more than a person compares, and a few megabytes.
	keptPages = 20
	// pageStart and pageEnd are how the names of pages begin and end; between them
	// stands when one was written, so that they sort by it.
	pageStart, pageEnd = "inspect-", ".html"
	pageTime           = "20060102-150405.000000000"
)

// Save writes the page of a report to a new file and returns its absolute path.
func (f *Folder) Save(report []byte, version string) (string, error) {
	f.mu.Lock()
	defer f.mu.Unlock()
	const instead = "name a file for the page with --out"
	if f.Path == "" {
		return "", fmt.Errorf("write the page: there is no folder for caches (set HOME or XDG_CACHE_HOME, or %s)", instead)
	}
	if err := ownfile.PrivateFolder(f.Path); err != nil {
		return "", fmt.Errorf("write the page: %w; or %s", err, instead)
	}
	path := filepath.Join(f.Path, fmt.Sprintf("%s%s-%d%s", pageStart, time.Now().UTC().Format(pageTime), os.Getpid(), pageEnd))
	if err := Save(path, report, version); err != nil {
		return "", err
	}
	f.own = append(f.own, path)
	return path, f.prune()
}

// unfinished is how old the beginning of a page must be to be nobody's any more: a
// page is written in a moment.
const unfinished = time.Hour

// prune deletes all but the newest pages, and what processes that were killed had
// begun: it holds code, too.
func (f *Folder) prune() error {
	entries, err := os.ReadDir(f.Path) // sorted by name
	if err != nil {
		return regular.Plain("list the pages in", f.Path, err)
	}
	names := make([]string, 0, len(entries))
	var begun []string
	for _, e := range entries {
		if info, err := e.Info(); strings.HasPrefix(e.Name(), ownfile.Unfinished) && err == nil && info.Mode().IsRegular() && time.Since(info.ModTime()) > unfinished {
			begun = append(begun, filepath.Join(f.Path, e.Name()))
		}
		if n := e.Name(); strings.HasPrefix(n, pageStart) && strings.HasSuffix(n, pageEnd) {
			names = append(names, filepath.Join(f.Path, n))
		}
	}
	return errors.Join(remove(begun), remove(names[:max(0, len(names)-keptPages)]))
}

// Remove deletes the pages that were written here.
func (f *Folder) Remove() error {
	f.mu.Lock()
	defer f.mu.Unlock()
	own := f.own
	f.own = nil
	return remove(own)
}

// remove deletes pages, of which another process may have deleted some.
func remove(paths []string) (err error) {
	for _, p := range paths {
		if e := os.Remove(p); e != nil && !errors.Is(e, fs.ErrNotExist) {
			err = errors.Join(err, regular.Plain("delete the page", p, e))
		}
	}
	return err
}
