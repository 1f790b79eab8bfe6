package ignore

import (
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"time"
)

// defaultFold is how git compares names where no repository says otherwise.
const defaultFold = runtime.GOOS == "darwin" || runtime.GOOS == "windows"

// A repository is a working tree of git.
type repository struct {
	top    string // of the working tree
	gitDir string // "" where there is none and only the user's own settings count
	common string // gitDir of the main working tree; the same as gitDir but for linked ones
	fold   bool   // core.ignoreCase
	config config
}

// enclosing finds the repository that root belongs to; nil if there is none.
func enclosing(root string) *repository {
	for dir := root; ; {
		if repo := openRepository(dir); repo != nil {
			return repo
		}
		up := filepath.Dir(dir)
		if up == dir {
			return nil
		}
		dir = up
	}
}

// noRepository stands in where there is none: the user's own settings hold there
// too.
func noRepository(root string) *repository {
	repo := &repository{top: root, fold: defaultFold}
	repo.config = readConfig(repo)
	return repo
}

// openRepository returns the repository whose top is dir. A .git that does not
// hold a repository is no border, for git neither.
func openRepository(dir string) *repository {
	gitDir := filepath.Join(dir, ".git")
	info, err := os.Stat(gitDir)
	if err != nil {
		return nil
	}
	if !info.IsDir() {
		// A submodule or a linked working tree: the file says where.
		data, err := readRuleFile(gitDir, true)
		if err != nil {
			return nil
		}
		target, ok := strings.CutPrefix(string(data), "gitdir: ")
		if !ok {
			return nil
		}
		gitDir = within(dir, strings.TrimRight(target, "\r\n"))
	}
	common := gitDir
	if data, err := readRuleFile(filepath.Join(gitDir, "commondir"), true); err == nil && data != nil {
		common = within(gitDir, strings.TrimRight(string(data), "\r\n"))
	}
	if !exists(filepath.Join(gitDir, "HEAD")) || !exists(filepath.Join(common, "objects")) || !exists(filepath.Join(common, "refs")) {
		return nil
	}
	repo := &repository{top: dir, gitDir: gitDir, common: common}
	repo.config = readConfig(repo)
	repo.fold = repo.config.ignoreCase
	return repo
}

// within resolves path against dir.
func within(dir, path string) string {
	path = filepath.FromSlash(path)
	if filepath.IsAbs(path) {
		return filepath.Clean(path)
	}
	return filepath.Join(dir, path)
}

func exists(path string) bool {
	_, err := os.Lstat(path)
	return err == nil
}

// prefix is the slash path from the repository's top to dir, with a slash
// behind it, or "" if they are the same.
func (r *repository) prefix(dir string) string {
	rel, err := filepath.Rel(r.top, dir)
	if err != nil || rel == "." {
		return ""
	}
	return filepath.ToSlash(rel) + "/"
}

// lists reads the rules that hold for the whole repository, strongest first.
// skip is where the repository's paths begin in full paths; files below shorten
// are named relative to it.
func (r *repository) lists(skip int, shorten string) (lists []*list, sources []stamp, err error) {
	files := []string{r.config.excludesFile}
	if r.gitDir != "" {
		files = []string{filepath.Join(r.common, "info", "exclude"), r.config.excludesFile}
	}
	for _, file := range files {
		if file == "" {
			continue
		}
		name := file
		if rel, err := filepath.Rel(shorten, file); shorten != "" && err == nil && filepath.IsLocal(rel) {
			name = filepath.ToSlash(rel)
		}
		l, err := readList(file, name, skip, r.fold, true)
		if err != nil {
			return nil, nil, err
		}
		if file == r.config.excludesFile && r.config.foreign {
			l = l.unquoted()
		}
		sources = append(sources, stampOf(file))
		if l != nil && len(l.patterns) > 0 {
			lists = append(lists, l)
		}
	}
	for _, file := range r.config.files {
		sources = append(sources, stampOf(file))
	}
	return lists, sources, nil
}

// A stamp tells whether a file has changed.
type stamp struct {
	file string
	size int64 // -1 if it does not exist
	time time.Time
}

func stampOf(file string) stamp {
	info, err := os.Stat(file)
	if err != nil {
		return stamp{file: file, size: -1}
	}
	return stamp{file, info.Size(), info.ModTime()}
}
