package ignore

import (
	"path/filepath"
	"slices"
)

// Reload forgets the rules of the folder rel and of everything below it, so that
// they are read again. "" forgets everything, the settings of git included.
func (r *Rules) Reload(rel string) {
	if rel == "" || rel == "." {
		r.mu.Lock()
		r.held = 0 // all are read anew
		r.mu.Unlock()
		b, root := r.readBase()
		r.mu.Lock()
		defer r.mu.Unlock()
		r.version++
		r.base, r.folders, r.held = b, map[string]*folder{"": root}, root.size
		return
	}
	r.mu.Lock()
	defer r.mu.Unlock()
	r.version++
	if f := r.folders[rel]; f != nil {
		r.forget(rel, f)
	}
}

func (r *Rules) forget(rel string, f *folder) {
	delete(r.folders, rel)
	r.held -= f.size
	for _, child := range f.known {
		if f := r.folders[child]; f != nil {
			r.forget(child, f)
		}
	}
}

// Affects reports whether a change of the file rel changes the rules, and names
// the folder to Reload.
func (r *Rules) Affects(rel string) (folder string, ok bool) {
	switch baseOf(rel) {
	case ".gitignore", FileName, ".git", "pyvenv.cfg", "CMakeCache.txt", "CACHEDIR.TAG":
		return dirOf(rel), true
	}
	return "", false
}

// Stale reports whether a file outside the workspace folder's own rule files
// has changed since it was read: git's settings, .git/info/exclude, rules of the
// folders above. It costs a stat a file, some ten altogether.
func (r *Rules) Stale() bool {
	r.mu.RLock()
	sources := r.base.sources
	r.mu.RUnlock()
	return slices.ContainsFunc(sources, func(s stamp) bool {
		now := stampOf(s.file)
		return now.size != s.size || !now.time.Equal(s.time)
	})
}

// GitDir is where git keeps the index of the repository that the workspace
// folder belongs to; "" if there is none.
func (r *Rules) GitDir() string {
	r.mu.RLock()
	defer r.mu.RUnlock()
	return r.base.gitDir
}

// Sources lists the rule files that were read so far, for people: paths outside
// the workspace folder are absolute.
func (r *Rules) Sources() []string {
	r.mu.RLock()
	defer r.mu.RUnlock()
	var out []string
	for _, s := range r.base.sources {
		if s.size >= 0 {
			out = append(out, s.file)
		}
	}
	for _, f := range r.folders {
		for _, l := range slices.Concat(f.own, f.git) {
			if l.source != "" {
				out = append(out, filepath.FromSlash(l.source))
			}
		}
	}
	slices.Sort(out)
	return slices.Compact(out)
}
