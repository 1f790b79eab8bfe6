package ignore

import (
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"syscall"
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

// A folder is what holds for the entries of one folder. Its lists are never
// changed, so that folders without rule files share those of their parents.
type folder struct {
	*base
	verdict Verdict  // of the folder itself
	own     []*list  // .readaheadignore files, deepest first
	git     []*list  // .gitignore files, deepest first, then what holds for the whole repository
	secrets bool     // the folder or one above it is named as a place for secrets
	gitFold bool     // core.ignoreCase of the repository that the folder belongs to
	known   []string // the folders in it that are in Rules.folders; guarded by Rules.mu
}

// ruleFileLimit is git's own.
const ruleFileLimit = 100 << 20

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
		f.verdict = Verdict{true, err.Error()}
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
			if err != nil {
				return err
			}
			f.git, f.gitFold = lists, repo.fold
		}
	}
	if has(".gitignore") {
		l, err := readList(filepath.Join(dir, ".gitignore"), join(rel, ".gitignore"), len(full), f.gitFold, false)
		if err != nil {
			return err
		}
		f.git = push(l, f.git)
	}
	if has(FileName) { // where it is a symbolic link, to share it, it counts too
		l, err := readList(filepath.Join(dir, FileName), join(rel, FileName), len(full), f.fold, true)
		if err != nil {
			return err
		}
		f.own = push(l, f.own)
	}
	return nil
}

func join(dir, name string) string {
	if dir == "" {
		return name
	}
	return dir + "/" + name
}

// push puts l before the lists, without changing the slice that others share.
func push(l *list, lists []*list) []*list {
	if l == nil || len(l.patterns) == 0 {
		return lists
	}
	return slices.Insert(slices.Clip(slices.Clone(lists)), 0, l)
}

// readList reads one rule file; nil if there is none. Symbolic links are
// followed only where git would follow them.
func readList(file, source string, skip int, fold, follow bool) (*list, error) {
	data, err := readRuleFile(file, follow)
	if err != nil || data == nil {
		return nil, err
	}
	return parse(source, data, skip, fold), nil
}

// readRuleFile returns nil for a file that does not exist or is not regular.
func readRuleFile(file string, follow bool) ([]byte, error) {
	stat := os.Lstat
	if follow {
		stat = os.Stat
	}
	info, err := stat(file)
	if missing(err) || err == nil && !info.Mode().IsRegular() {
		return nil, nil
	}
	if err != nil {
		return nil, fmt.Errorf("read ignore rules: %w", err)
	}
	in, err := os.OpenFile(file, os.O_RDONLY|nonBlocking, 0)
	if missing(err) {
		return nil, nil
	}
	if err != nil {
		return nil, fmt.Errorf("read ignore rules: %w", err)
	}
	defer in.Close()
	data, err := io.ReadAll(io.LimitReader(in, ruleFileLimit+1))
	if err == nil && len(data) > ruleFileLimit {
		err = fmt.Errorf("%s is over %d MiB", file, ruleFileLimit>>20)
	}
	if err != nil {
		return nil, fmt.Errorf("read ignore rules: %w", err)
	}
	return append(data, '\n'), nil
}

// missing says that a file, or a folder on the way to it, is not there.
func missing(err error) bool {
	return errors.Is(err, fs.ErrNotExist) || errors.Is(err, syscall.ENOTDIR)
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
		f.verdict = Verdict{true, err.Error()}
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
		f.own, f.git, f.prefix = nil, nil, ""
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
			l, err := readList(source, source, len(done), repo.fold, own)
			if err != nil {
				return true, err
			}
			if own {
				f.own = push(l, f.own)
			} else {
				f.git = push(l, f.git)
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
