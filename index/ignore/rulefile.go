package ignore

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"slices"
	"syscall"

	"readahead/index/regular"
)

const (
	// ruleFileLimit bounds one rule file, in bytes. git's own limit is 100 MiB, of
	// which the patterns alone would take gigabytes of memory; the largest in use
	// have some hundred kilobytes.
	ruleFileLimit = 512 << 10
	// rulesLimit bounds all rule files of one workspace together, in bytes: a
	// repository may have one in every folder.
	rulesLimit = 4 << 20
	// mostGlobs bounds the patterns with wildcards that a path is held against, one
	// by one: a tenth of a millisecond for every few hundred of them, for each file
	// of the workspace. Names and extensions are looked up, and may be any number.
	mostGlobs = 2000
)

// readList reads one rule file; nil if there is none. Symbolic links are
// followed only where git would follow them.
func readList(file, source string, skip int, fold, follow bool) (*list, error) {
	data, err := readRuleFile(file, follow)
	if err != nil || data == nil {
		return nil, err
	}
	return parse(source, data, skip, fold), nil
}

// readOwn reads a .readaheadignore. A symbolic link is not followed, as git does
// not follow a .gitignore that is one: a repository could have any file of the
// user's read with it, and verdicts quote patterns. But its rules are wanted, so
// it counts as a file that cannot be read, and so does a FIFO or a device.
func readOwn(file, source string, skip int, fold bool) (*list, error) {
	info, err := os.Lstat(file)
	if err == nil && !info.IsDir() && !info.Mode().IsRegular() {
		kind := "is no regular file"
		if info.Mode()&fs.ModeSymlink != 0 {
			kind = "is a symbolic link, which is not followed"
		}
		return nil, fmt.Errorf("read ignore rules: %s %s, so nothing here is read (put the file itself there)", file, kind)
	}
	return readList(file, source, skip, fold, false)
}

// readRuleFile returns nil for a file that does not exist or is not regular.
func readRuleFile(file string, follow bool) ([]byte, error) {
	if info, err := os.Lstat(file); err == nil && !follow && !info.Mode().IsRegular() {
		return nil, nil
	}
	data, err := regular.Read(file, ruleFileLimit)
	if missing(err) || errors.Is(err, regular.ErrSpecial) {
		return nil, nil
	}
	if errors.Is(err, regular.ErrTooLong) {
		return nil, fmt.Errorf("read ignore rules: %w (shorten it; nothing here is read until then)", err)
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

// afford counts the bytes of a rule file of f's folder, and refuses what would be
// too many for the workspace.
func (r *Rules) afford(f *folder, l *list) error {
	if l == nil {
		return nil
	}
	r.mu.RLock()
	held := r.held
	r.mu.RUnlock()
	if held+f.size+l.size > rulesLimit {
		return fmt.Errorf("read ignore rules: %s: the rule files of this workspace have more than %d bytes together (shorten them; this folder is not read until then)", l.source, rulesLimit)
	}
	f.size += l.size
	return nil
}

// fewGlobs refuses what would take too long to hold each path against.
func (f *folder) fewGlobs() error {
	n := len(f.settings.dirs.rest) // a repository's own configuration adds to them
	for _, l := range slices.Concat(f.own, f.git) {
		n += len(l.dirs.rest)
	}
	if n <= mostGlobs {
		return nil
	}
	return fmt.Errorf("read ignore rules: %d patterns with wildcards hold here, over the limit of %d (shorten the rule files; this folder is not read until then)", n, mostGlobs)
}

// push puts l before the lists, without changing the slice that others share.
func push(l *list, lists []*list) []*list {
	if l == nil || len(l.patterns) == 0 {
		return lists
	}
	return slices.Insert(slices.Clip(slices.Clone(lists)), 0, l)
}

func join(dir, name string) string {
	if dir == "" {
		return name
	}
	return dir + "/" + name
}
