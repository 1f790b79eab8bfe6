package ignore

import (
	"errors"
	"os"
	"path/filepath"
	"slices"
)

// A folder is what holds for the entries of one folder. Its lists are never
// changed, so that folders without rule files share those of their parents.
type folder struct {
	*base
	verdict Verdict  // of the folder itself
	own     []*list  // .readaheadignore files, deepest first
	git     []*list  // .gitignore files, deepest first, then what holds for the whole repository
	secrets bool     // the folder or one above it is named as a place for secrets
	gitFold bool     // core.ignoreCase of the repository that the folder belongs to
	size    int      // bytes of its rule files
	closed  error    // why its rules are not known, if they are not
	known   []string // the folders in it that are in Rules.folders; guarded by Rules.mu
}

// judge gives the verdict on an entry of f, and whether a rule of the user
// decided it, as opposed to one of git or a built-in one.
func (f *folder) judge(rel string, isDir bool) (v Verdict, explicit bool) {
	name := baseOf(rel)
	if v := final(f, rel, name, isDir); v.Ignored {
		return v, true
	}
	full := rel
	if f.prefix != "" {
		full = f.prefix + rel
	}
	if p := f.settings.find(full, name, isDir); p != nil {
		return Verdict{!p.negated, p.why}, true
	}
	for _, l := range f.own {
		if p := l.find(full, name, isDir); p != nil {
			return Verdict{!p.negated, p.why}, true
		}
	}
	if why := noise(name, isDir); why != "" {
		return Verdict{true, why}, false
	}
	for _, l := range f.git {
		if p := l.find(full, name, isDir); p != nil {
			return Verdict{!p.negated, p.why}, false
		}
	}
	return Verdict{}, false
}

// folder returns the rules for the entries of the folder rel, reading them on
// the first call. listed are the names in it if the caller has them, sorted.
func (r *Rules) folder(rel string, listed []string) *folder {
	for {
		r.mu.RLock()
		f, version := r.folders[rel], r.version
		r.mu.RUnlock()
		if f != nil {
			return f
		}
		parent := r.folder(dirOf(rel), nil)
		f, keep := r.load(parent, rel, listed)
		if !keep {
			return f
		}
		r.mu.Lock()
		fresh := r.version == version
		if fresh && r.folders[dirOf(rel)] == parent {
			r.folders[rel] = f
			parent.known = append(parent.known, rel)
			r.held += f.size
		}
		r.mu.Unlock()
		if fresh {
			return f
		}
	}
}

// load reads the rule files of the folder rel. keep is false if that need not be
// remembered: the folder does not exist and may come with rules later, or lies
// in one that is ignored as a whole.
func (r *Rules) load(parent *folder, rel string, listed []string) (f *folder, keep bool) {
	if parent.verdict.Ignored {
		return parent, false
	}
	f = &folder{base: parent.base, own: parent.own, git: parent.git, secrets: parent.secrets, gitFold: parent.gitFold}
	var explicit bool
	f.verdict, explicit = parent.judge(rel, true)
	if f.verdict.Ignored {
		return f, true
	}
	dir := r.Abs(rel)
	if listed == nil {
		info, err := os.Lstat(dir)
		if err != nil || !info.IsDir() {
			return f, false
		}
	}
	has := func(name string) bool {
		if listed != nil {
			_, ok := slices.BinarySearch(listed, name)
			return ok
		}
		return exists(filepath.Join(dir, name))
	}
	if !explicit {
		if why := r.buildOutput(rel, dir, has); why != "" {
			f.verdict = Verdict{true, why}
			return f, true
		}
	}
	f.secrets = f.secrets || secretFolder(baseOf(rel))
	if err := r.readRules(f, rel, dir, has); err != nil {
		f.verdict, f.closed = Verdict{true, err.Error()}, err
	}
	return f, true
}

// readRules adds to f the rule files of its own folder.
func (r *Rules) readRules(f *folder, rel, dir string, has func(string) bool) error {
	full := f.prefix
	if rel != "" {
		full += rel + "/"
	}
	if rel != "" && has(".git") {
		if repo := openRepository(dir); repo != nil {
			lists, _, err := repo.lists(len(full), "")
			for _, l := range lists {
				err = errors.Join(err, r.afford(f, l))
			}
			if err != nil {
				return err
			}
			f.git, f.gitFold = lists, repo.fold
		}
	}
	if has(".gitignore") {
		l, err := readList(filepath.Join(dir, ".gitignore"), join(rel, ".gitignore"), len(full), f.gitFold, false)
		if err == nil {
			err = r.afford(f, l)
		}
		if err != nil {
			return err
		}
		f.git = push(l, f.git)
	}
	if has(FileName) {
		l, err := readOwn(filepath.Join(dir, FileName), join(rel, FileName), len(full), f.fold)
		if err == nil {
			err = r.afford(f, l)
		}
		if err != nil {
			return err
		}
		f.own = push(l, f.own)
	}
	return f.fewGlobs()
}
