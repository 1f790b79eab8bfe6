package ignore

import (
	"path/filepath"
	"slices"
	"strings"
)

// A base is what holds for the workspace folder as a whole.
type base struct {
	// prefix is the path from the top of the enclosing repository to the
	// workspace folder, with a slash behind it; "" if they are the same or there
	// is no repository. A full path is prefix + the path relative to the
	// workspace folder: it is what lists of the folders above are matched with.
	prefix   string
	settings *list
	fold     bool
	gitDir   string
	sources  []stamp // files outside the tree's rule files that were read
}

// readBase reads what holds for the workspace folder and everything above it.
func (r *Rules) readBase() (*base, *folder) {
	repo := enclosing(r.root)
	if repo == nil {
		repo = noRepository(r.root)
	}
	b := &base{prefix: repo.prefix(r.root), fold: repo.fold, gitDir: repo.gitDir}
	f := &folder{base: b, gitFold: repo.fold}
	err := r.readEnclosing(f, repo)
	b.settings = parseLines("configuration", r.opts.Patterns, len(b.prefix), repo.fold)
	if err == nil {
		err = r.readRules(f, "", r.root, func(name string) bool { return exists(filepath.Join(r.root, name)) })
	}
	if err != nil {
		f.verdict, f.closed = Verdict{true, err.Error()}, err
	}
	return b, f
}

// readEnclosing adds the rules of the whole repository and of the folders above
// the workspace folder, unless the workspace folder itself is ignored by them.
func (r *Rules) readEnclosing(f *folder, repo *repository) (err error) {
	f.git, f.sources, err = repo.lists(0, r.root)
	if err != nil || f.prefix == "" {
		return err
	}
	kept, err := r.readAbove(f, repo)
	if err == nil && !kept {
		f.own, f.prefix = nil, ""
		f.git, _, err = noRepository(r.root).lists(0, r.root)
	}
	return err
}

// readAbove adds the rules of the folders from the repository's top down to the
// one above the workspace folder. It reports false if they ignore it.
func (r *Rules) readAbove(f *folder, repo *repository) (bool, error) {
	done := "" // the path from the top to dir, with a slash behind it
	for _, name := range strings.Split(strings.TrimSuffix(f.prefix, "/"), "/") {
		dir := filepath.Join(repo.top, filepath.FromSlash(done))
		for _, file := range []string{".gitignore", FileName} {
			source, own := filepath.Join(dir, file), file == FileName
			f.sources = append(f.sources, stampOf(source))
			var l *list
			var err error
			if own {
				l, err = readOwn(source, source, len(done), repo.fold)
				f.own = push(l, f.own)
			} else {
				l, err = readList(source, source, len(done), repo.fold, false)
				f.git = push(l, f.git)
			}
			if err != nil {
				return true, err
			}
		}
		if f.ignoresAbove(done+name, name) {
			return false, nil
		}
		done += name + "/"
	}
	return true, nil
}

// ignoresAbove is judge for a folder above the workspace folder.
func (f *folder) ignoresAbove(full, name string) bool {
	for _, l := range slices.Concat(f.own, f.git) {
		if p := l.find(full, name, true); p != nil {
			return !p.negated
		}
	}
	return false
}
