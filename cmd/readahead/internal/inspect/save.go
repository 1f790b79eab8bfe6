package inspect

import (
	"fmt"
	"os"
	"path/filepath"
	"sync"

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
		return fmt.Errorf("write %s: %w", path, err)
	}
	return f.Keep()
}

// A Folder is a private temporary folder, made when the first page is written.
// It is safe for concurrent use; the zero value is ready.
type Folder struct {
	mu   sync.Mutex
	path string
	n    int
}

// Save writes the page of a report to a new file and returns its absolute path.
func (f *Folder) Save(report []byte, version string) (string, error) {
	f.mu.Lock()
	defer f.mu.Unlock()
	if f.path == "" {
		dir, err := os.MkdirTemp("", "readahead-inspect-") // mode 0700
		if err != nil {
			return "", fmt.Errorf("%w; or name a file for the page with --out", regular.Plain("make a folder for the page in", os.TempDir(), err))
		}
		f.path = dir
	}
	f.n++
	path := filepath.Join(f.path, fmt.Sprintf("inspect-%d.html", f.n))
	return path, Save(path, report, version)
}

// Remove deletes all pages.
func (f *Folder) Remove() error {
	f.mu.Lock()
	defer f.mu.Unlock()
	if f.path == "" {
		return nil
	}
	err := os.RemoveAll(f.path)
	f.path = ""
	return err
}
