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

// ruleFileLimit, in bytes, is git's own.
const ruleFileLimit = 100 << 20

// readList reads one rule file; nil if there is none. Symbolic links are
// followed only where git would follow them.
func readList(file, source string, skip int, fold, follow bool) (*list, error) {
	data, err := readRuleFile(file, follow)
	if err != nil || data == nil {
		return nil, err
	}
	return parse(source, data, skip, fold), nil
}

// readOwn reads a .readaheadignore. It may be a symbolic link, to share one among
// folders; one that leads nowhere is a file that cannot be read.
func readOwn(file, source string, skip int, fold bool) (*list, error) {
	l, err := readList(file, source, skip, fold, true)
	if l == nil && err == nil {
		if _, err := os.Stat(file); missing(err) && exists(file) {
			return nil, fmt.Errorf("read ignore rules: %w", err)
		}
	}
	return l, err
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
	if err != nil {
		return nil, fmt.Errorf("read ignore rules: %w", err)
	}
	return append(data, '\n'), nil
}

// missing says that a file, or a folder on the way to it, is not there.
func missing(err error) bool {
	return errors.Is(err, fs.ErrNotExist) || errors.Is(err, syscall.ENOTDIR)
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
