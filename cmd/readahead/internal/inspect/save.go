package inspect

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"sync"
)

// A page holds code, so nobody else on the machine may read it: its file has mode
// 0600, and temporary ones stand in a folder of mode 0700.
const private = 0o600

// Save writes the page of a report to a file, replacing a page that is there, and
// nothing else.
func Save(path string, report []byte, version string) (err error) {
	defer func() {
		if err != nil {
			err = fmt.Errorf("write %s: %w", path, err)
		}
	}()
	if err := free(path); err != nil {
		return err
	}
	var b bytes.Buffer
	if err := Write(&b, report, version); err != nil {
		return err
	}
	// A new file that takes the old one's place: its mode is ours, and a browser
	// sees all of it or nothing.
	f, err := os.CreateTemp(filepath.Dir(path), ".readahead-inspect-") // mode 0600
	if err != nil {
		return err
	}
	_, err = f.Write(b.Bytes())
	err = errors.Join(err, f.Chmod(private), f.Close())
	if err == nil {
		err = os.Rename(f.Name(), path)
	}
	if err != nil {
		_ = os.Remove(f.Name()) // the error that counts is known
	}
	return err
}

// free reports why a page may not be written under a name: only a page gives way
// to a page.
func free(path string) error {
	info, err := os.Lstat(path)
	if errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	if err != nil {
		return err
	}
	if !info.Mode().IsRegular() {
		return errors.New("there is something that is no regular file (choose another name)")
	}
	page, err := isPage(path)
	if err == nil && !page {
		err = errors.New("there is a file that is no page (choose another name, or delete it)")
	}
	return err
}

// doctype is what every page begins with.
const doctype = "<!doctype html>"

// isPage reports whether a file is empty or begins as a page does. Another one is
// somebody's work: the source that the page is about, named by a slip.
func isPage(path string) (bool, error) {
	f, err := os.Open(path)
	if err != nil {
		return false, err
	}
	defer f.Close()
	begins := make([]byte, len(doctype))
	n, err := io.ReadFull(f, begins)
	if err != nil && !errors.Is(err, io.EOF) && !errors.Is(err, io.ErrUnexpectedEOF) {
		return false, err
	}
	return n == 0 || string(begins[:n]) == doctype, nil
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
			return "", err
		}
		if f.path, err = filepath.Abs(dir); err != nil {
			return "", err
		}
	}
	f.n++
	page := filepath.Join(f.path, fmt.Sprintf("inspect-%d.html", f.n))
	return page, Save(page, report, version)
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
