package index

import (
	"errors"
	"fmt"
	"io/fs"
	"net/url"
	"os"
	"path/filepath"
	"strings"
	"syscall"

	"readahead/index/ignore"
)

// What an editor opens need not be what its path says: env.go may be a symbolic
// link to .env, and a folder in the workspace may be one to somewhere else. The
// editor sends the text either way. So a path is judged twice, by the name it has
// and by the name of what it leads to:
//
//	/ws/a.go                      a.go, by the rules of /ws
//	/ws/env.go  → /ws/.env        env.go, then .env
//	/ws/dep/x.go → /other/x.go    leads out of the workspace: never
//	/other/x.go                   x.go, by the rules around /other
//
// Links on the way to the workspace folder itself, as in /tmp on macOS, are not
// links in the workspace.

// Ignored says whether, and by which rule, the file at path is never read. A
// file outside the workspace goes by the rules of its own folder and of the
// repository around it. What is on no disk has a URI for a path; it goes by the
// names in that, and by the rules of the workspace if it lies there.
func (ix *Index) Ignored(path string) (why string, ignored bool) {
	if !filepath.IsAbs(path) {
		return ix.ignoredURI(path)
	}
	path = filepath.Clean(path)
	if why, ignored = ix.ignoredName(path); ignored {
		return why, true
	}
	real, err := resolve(path)
	if err != nil {
		return fmt.Sprintf("what its path leads to is not known: %v", err), true
	}
	_, _, inside := ix.locate(real)
	if i, rel, ok := ix.locate(path); ok {
		if real == ix.roots[i].rules.Abs(rel) {
			return "", false
		}
		if !inside {
			return "symbolic link to " + real + ", outside the workspace", true
		}
	}
	if real == path {
		return "", false
	}
	if why, ignored = ix.ignoredName(real); ignored {
		return "symbolic link to " + real + ": " + why, true
	}
	return "", false
}

// Name is the path by which the index knows the file at path: that of the file
// which a symbolic link leads to, if that is one of the workspace, so that one file
// has one text and one set of facts, whatever it was opened as. It is path itself
// where that is ignored or leads elsewhere.
func (ix *Index) Name(path string) string {
	if !filepath.IsAbs(path) {
		return path
	}
	real, err := resolve(path)
	if err != nil || real == path {
		return path
	}
	if _, _, inside := ix.locate(real); !inside {
		return path
	}
	if _, ignored := ix.ignoredName(path); ignored {
		return path
	}
	return ix.folders.abs(real)
}

// Refused is Ignored for a document whose text is known: a text may also be too
// large, or be none, or hold a secret.
func (ix *Index) Refused(path string, text []byte) (why string, refused bool) {
	if why, refused = ix.Ignored(path); refused {
		return why, true
	}
	if limit := ix.maxFileSize(); int64(len(text)) > limit {
		return fmt.Sprintf("%d bytes, over the limit of %d (maxFileSize)", len(text), limit), true
	}
	switch kind, why := ignore.Judge(text); kind {
	case ignore.Binary, ignore.PrivateKey:
		return why, true
	}
	return "", false
}

func (ix *Index) maxFileSize() int64 {
	if ix.opts.MaxFileSize > 0 {
		return ix.opts.MaxFileSize
	}
	return ignore.DefaultMaxFileSize
}

// useless reports a text that is not kept as evidence: what package ignore would
// not have read from disk.
func (ix *Index) useless(text []byte) bool {
	if int64(len(text)) > ix.maxFileSize() {
		return true
	}
	kind, _ := ignore.Judge(text)
	return kind == ignore.Binary || kind == ignore.PrivateKey || kind == ignore.Minified
}

// ignoredName judges a path by its names alone, wherever it leads.
func (ix *Index) ignoredName(path string) (why string, ignored bool) {
	if i, rel, ok := ix.locate(path); ok {
		v := ix.roots[i].rules.Match(rel, false)
		return v.Why, v.Ignored
	}
	if v := ignore.Secret(filepath.ToSlash(strings.TrimPrefix(path, filepath.VolumeName(path)))); v.Ignored {
		return v.Why, true
	}
	own, err := ignore.New(filepath.Dir(path), ignore.Options{Patterns: ix.opts.Ignore, MaxFileSize: ix.opts.MaxFileSize})
	if errors.Is(err, fs.ErrNotExist) {
		return "", false // a file of a folder that is yet to be made has no rules
	}
	if err != nil {
		return err.Error(), true
	}
	v := own.Match(filepath.Base(path), false)
	return v.Why, v.Ignored
}

// ignoredURI judges what has a URI for a path: a buffer without a file, an old
// version, a cell, a file on another machine.
func (ix *Index) ignoredURI(uri string) (why string, ignored bool) {
	path := uriPath(uri)
	if v := ignore.Secret(path); v.Ignored {
		return v.Why, true
	}
	if i, rel, ok := ix.locate(filepath.FromSlash(path)); ok {
		v := ix.roots[i].rules.Match(rel, false)
		return v.Why, v.Ignored
	}
	return "", false
}

// uriPath is the path of a URI, decoded: of git:/ws/a.go?{…} it is /ws/a.go, of
// untitled:.env it is .env.
func uriPath(uri string) string {
	_, rest, ok := strings.Cut(uri, ":")
	if !ok {
		rest = uri
	}
	if i := strings.IndexAny(rest, "?#"); i >= 0 {
		rest = rest[:i]
	}
	if after, ok := strings.CutPrefix(rest, "//"); ok {
		i := strings.IndexByte(after, '/')
		if i < 0 {
			return ""
		}
		rest = after[i:]
	}
	if path, err := url.PathUnescape(rest); err == nil {
		rest = path
	}
	return rest
}

// resolve is path without symbolic links. What does not exist yet is resolved as
// far as it does; a link that leads nowhere, or in circles, is an error, since
// what will be written there is not known.
func resolve(path string) (string, error) {
	real, err := filepath.EvalSymlinks(path)
	if err == nil {
		return real, nil
	}
	if !errors.Is(err, fs.ErrNotExist) && !errors.Is(err, syscall.ENOTDIR) {
		return "", err
	}
	if _, here := os.Lstat(path); here == nil {
		return "", fmt.Errorf("%s is a symbolic link that leads nowhere", path)
	}
	dir := filepath.Dir(path)
	if dir == path {
		return path, nil
	}
	if dir, err = resolve(dir); err != nil {
		return "", err
	}
	return filepath.Join(dir, filepath.Base(path)), nil
}
