package index

import (
	"context"
	"path/filepath"
	"strings"

	"readahead/index/ignore"
)

// list is every file of the workspace that may be read.
func (ix *Index) list(ctx context.Context) ([]listed, error) {
	var out []listed
	for i := range ix.roots {
		if err := ix.walk(ctx, i, "", func(l listed) { out = append(out, l) }); err != nil {
			return nil, err
		}
	}
	return out, nil
}

// listBelow lists path if it is a file, or what is inside if it is a folder.
// Nothing is listed for what does not exist or may not be read.
func (ix *Index) listBelow(ctx context.Context, path string, yield func(listed)) error {
	for i, r := range ix.roots {
		if path == r.path {
			return ix.walk(ctx, i, "", yield)
		}
	}
	root, rel, ok := ix.locate(path)
	if !ok {
		return nil
	}
	return ix.walk(ctx, root, rel, yield)
}

// walk passes over files that belong to a folder nested in this one that is a
// workspace folder itself.
func (ix *Index) walk(ctx context.Context, root int, from string, yield func(listed)) error {
	r := ix.roots[root]
	_, err := r.rules.Walk(ctx, from, func(e ignore.Entry) error {
		if e.Dir {
			return nil
		}
		path := filepath.Join(r.path, filepath.FromSlash(e.Path))
		if owner, _, _ := ix.locate(path); owner == root {
			yield(listed{path, e.Path, root, e.Size, e.ModTime.UnixNano()})
		}
		return nil
	})
	return err
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
