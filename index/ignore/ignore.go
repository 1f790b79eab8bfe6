// Package ignore decides which files of a workspace folder readahead may read.
//
// What readahead reads may end up in a prompt, so a wrong answer here leaks a
// file. The programmer has said already, in .gitignore, which files are not
// part of the project; what git ignores is not read. Three things are added:
// names that look like secrets, which nobody can switch back on; a
// .readaheadignore for what git tracks but completions should not show; and
// folders of build output, which are only noise.
//
// A verdict on a path is the first of these that has something to say:
//
//	built in   .git and its like; names of secrets            final
//	settings   Options.Patterns                               may say "!"
//	readahead  .readaheadignore, deepest folder first         may say "!"
//	built in   node_modules, caches, build output, lock files
//	git        .gitignore, deepest folder first               may say "!"
//	           .git/info/exclude
//	           core.excludesFile
//
// and everything below an ignored folder is ignored with it, as git has it: no
// rule inside can bring a file back.
//
// Inside a repository the rules of the folders above the workspace count too,
// up to the repository's top. A repository or submodule nested in the workspace
// starts afresh, as git itself sees it; only .readaheadignore reaches into it.
// If the enclosing repository ignores the very folder that was opened (a home
// directory under version control with "*" in its .gitignore), its rules say
// nothing about that folder and are left out.
//
// Properties:
//   - The git part answers as `git check-ignore --no-index` does, quirks
//     included; the tests compare the two on generated trees. git's own program
//     is never run: the settings are read from its files.
//   - A rule file that exists and cannot be read closes its folder: not knowing
//     the rules is no reason to read. Neither is one that is a symbolic link
//     (git's own count for nothing then, as for git), or too long.
//   - Rules are read once a folder, when a path in it is first asked about. They
//     are safe for concurrent use, and Reload forgets them.
//   - Every verdict names the rule: "web/.gitignore:12: *.map".
//
// What it refuses: to follow symbolic links (Walk reports real files, once
// each), to open what is not a regular file, and to treat tracked files that
// match a rule differently from untracked ones: the index of git is not read.
package ignore

import (
	"fmt"
	"os"
	"path"
	"path/filepath"
	"strings"
	"sync"

	"readahead/index/regular"
)

// Options add to what the files say. The zero value is fine.
type Options struct {
	// Patterns are in the syntax of .gitignore, relative to the folder, last
	// match wins. They come from the user's configuration.
	Patterns []string
	// MaxFileSize, in bytes, keeps data files out of memory; 0 means
	// DefaultMaxFileSize.
	MaxFileSize int64
}

// DefaultMaxFileSize leaves hand-written files in: of the Go standard library
// and its tests nothing written by hand is larger.
const DefaultMaxFileSize = 1 << 20

// FileName is the name of readahead's own rule files.
const FileName = ".readaheadignore"

// Rules answer for one workspace folder. All methods may be called at once.
type Rules struct {
	root string // absolute, symbolic links resolved
	opts Options

	mu      sync.RWMutex
	base    *base
	folders map[string]*folder // by slash path relative to root
	held    int                // bytes of the rule files of all folders
	version int                // counts Reloads, so that none of them is overtaken by a slow read
}

// A Verdict says whether a path may be read, and which rule said so.
type Verdict struct {
	Ignored bool
	// Why is one line for people, empty if no rule has an opinion. For a rule of
	// a file it is "FILE:LINE: PATTERN", FILE relative to the workspace folder
	// if it lies inside.
	Why string
}

// New reads the rules that hold for the folder root as a whole; those of its
// subfolders are read when they are asked for. It fails if root is no folder.
func New(root string, opts Options) (*Rules, error) {
	abs, err := filepath.Abs(root)
	if err == nil {
		abs, err = filepath.EvalSymlinks(abs)
	}
	if err != nil {
		return nil, regular.Plain("read ignore rules of", root, err)
	}
	if info, err := os.Stat(abs); err != nil {
		return nil, regular.Plain("read ignore rules of", root, err)
	} else if !info.IsDir() {
		return nil, fmt.Errorf("read ignore rules of %s: not a folder", root)
	}
	if opts.MaxFileSize <= 0 {
		opts.MaxFileSize = DefaultMaxFileSize
	}
	r := &Rules{root: abs, opts: opts}
	r.Reload("")
	return r, nil
}

// Root is the workspace folder: absolute, symbolic links resolved. The paths
// that the other methods take and give are slash-separated and relative to it.
func (r *Rules) Root() string { return r.root }

// Rel turns a path of the operating system into one relative to Root; false if
// it lies outside.
func (r *Rules) Rel(abs string) (string, bool) {
	if abs == r.root {
		return "", true
	}
	if rest, ok := strings.CutPrefix(abs, r.root); ok && (os.IsPathSeparator(r.root[len(r.root)-1]) || rest != "" && os.IsPathSeparator(rest[0])) {
		return strings.TrimPrefix(filepath.ToSlash(rest), "/"), true
	}
	rel, err := filepath.Rel(r.root, abs)
	if err != nil || !filepath.IsLocal(rel) {
		return "", false
	}
	return filepath.ToSlash(rel), true
}

// Abs is the path of rel for the operating system.
func (r *Rules) Abs(rel string) string { return filepath.Join(r.root, filepath.FromSlash(rel)) }

// Match judges the path rel by its name and the rules alone. It need not exist.
// isDir is false for symbolic links, wherever they lead.
func (r *Rules) Match(rel string, isDir bool) Verdict {
	rel = path.Clean(rel)
	switch {
	case rel == ".":
		return Verdict{}
	case rel[0] == '/' || rel == ".." || strings.HasPrefix(rel, "../"):
		return Verdict{true, "outside the workspace folder"}
	case isDir:
		return r.folder(rel, nil).verdict
	}
	return r.inside(r.folder(dirOf(rel), nil), rel, false)
}

// inside judges an entry of the folder f.
func (r *Rules) inside(f *folder, rel string, isDir bool) Verdict {
	if f.verdict.Ignored {
		return f.verdict
	}
	v, _ := f.judge(rel, isDir)
	return v
}

// dirOf is the folder of the clean relative path rel; "" for the root.
func dirOf(rel string) string {
	return rel[:max(strings.LastIndexByte(rel, '/'), 0)]
}

func baseOf(rel string) string { return rel[strings.LastIndexByte(rel, '/')+1:] }
