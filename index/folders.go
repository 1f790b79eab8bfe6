package index

import (
	"path/filepath"
	"strings"
)

// folders are the workspace folders by both names that a path may begin with:
// as the client calls them, and with symbolic links resolved.
type folders struct{ paths, real []string }

// find is the folder around a path, the deepest one if folders are nested.
func (w *folders) find(path string) (root int, rel string, ok bool) {
	path = filepath.Clean(path)
	if root, rel, ok = below(w.paths, path); ok {
		return root, rel, true
	}
	return below(w.real, path)
}

// abs is path as the index knows it: below the folder's name as the client
// calls it.
func (w *folders) abs(path string) string {
	if root, rel, ok := w.find(path); ok {
		return filepath.Join(w.paths[root], filepath.FromSlash(rel))
	}
	return filepath.Clean(path)
}

func below(roots []string, path string) (root int, rel string, ok bool) {
	root = -1
	for i, r := range roots {
		if root >= 0 && len(r) <= len(roots[root]) {
			continue
		}
		rest, found := strings.CutPrefix(path, r)
		if found && rest != "" && (rest[0] == filepath.Separator || r[len(r)-1] == filepath.Separator) {
			root, rel = i, filepath.ToSlash(strings.TrimPrefix(rest, string(filepath.Separator)))
		}
	}
	return root, rel, root >= 0 && rel != ""
}
