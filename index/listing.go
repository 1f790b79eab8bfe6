package index

import (
	"context"
	"path/filepath"
	"strings"

	"readahead/index/ignore"
)

// list is every file of the workspace that may be read, and a count of what may
// not.
func (ix *Index) list(ctx context.Context) (out []listed, passed ignore.Census, err error) {
	for i := range ix.roots {
		census, err := ix.walk(ctx, i, "", func(l listed) { out = append(out, l) })
		if err != nil {
			return nil, passed, err
		}
		passed.Add(census)
	}
	return out, passed, nil
}

// listBelow lists path if it is a file, or what is inside if it is a folder.
// Nothing is listed for what does not exist or may not be read.
func (ix *Index) listBelow(ctx context.Context, path string, yield func(listed)) error {
	for i, r := range ix.roots {
		if path == r.path {
			_, err := ix.walk(ctx, i, "", yield)
			return err
		}
	}
	root, rel, ok := ix.locate(path)
	if !ok {
		return nil
	}
	_, err := ix.walk(ctx, root, rel, yield)
	return err
}

// walk passes over files that belong to a folder nested in this one that is a
// workspace folder itself.
func (ix *Index) walk(ctx context.Context, root int, from string, yield func(listed)) (ignore.Census, error) {
	r := ix.roots[root]
	return r.rules.Walk(ctx, from, func(e ignore.Entry) error {
		if e.Dir {
			return nil
		}
		path := filepath.Join(r.path, filepath.FromSlash(e.Path))
		if owner, _, _ := ix.locate(path); owner == root {
			yield(listed{path, e.Path, root, e.Size, e.ModTime.UnixNano()})
		}
		return nil
	})
}

// ruleFile reports whether the file at path holds ignore rules.
func ruleFile(path string) bool {
	switch base := filepath.Base(path); base {
	case ".gitignore", ignore.FileName:
		return true
	case "exclude", "config":
		return strings.Contains(filepath.ToSlash(path), "/.git/")
	}
	return false
}
