package ownfile

import (
	"errors"
	"fmt"
	"io/fs"
	"os"

	"readahead/index/regular"
)

// Append opens a file for appending that nobody else may read, and makes it if
// there is none: a log. One that others can read is closed to them first. It goes
// through no link, and into no file of another user's, who could read along or
// have put a link there to somebody's work.
func Append(path string) (*os.File, error) {
	const attempt = "append to"
	if info, err := os.Lstat(path); err == nil && info.Mode()&fs.ModeSymlink != 0 {
		return nil, regular.Plain(attempt, path, errLink)
	}
	f, err := regular.Append(path, Private)
	if err != nil {
		return nil, err
	}
	if err := keepPrivate(f, path); err != nil {
		f.Close()
		return nil, regular.Plain(attempt, path, err)
	}
	return f, nil
}

var errLink = errors.New("it is a symbolic link (name the file itself)")

// keepPrivate closes an open file to others.
func keepPrivate(f *os.File, path string) error {
	info, err := f.Stat()
	if err != nil {
		return err
	}
	// It may have become a link between the first look and the opening.
	if now, err := os.Lstat(path); err != nil || !os.SameFile(info, now) {
		return errLink
	}
	if !ours(info) {
		return errors.New("it belongs to another user (choose another name)")
	}
	if info.Mode().Perm() == Private {
		return nil
	}
	if err := f.Chmod(Private); err != nil {
		return fmt.Errorf("others can read it, and that cannot be changed: %w (choose another name)", err)
	}
	return nil
}

// PrivateFolder makes a folder, and those above it, or takes one that is there and
// closes it to others. It goes through no link at its end, and into no folder of
// another user's.
func PrivateFolder(path string) error {
	if err := os.MkdirAll(path, 0o700); err != nil {
		return regular.Plain("make the folder", path, err)
	}
	info, err := os.Lstat(path)
	switch {
	case err != nil:
	case !info.IsDir():
		err = errLink
	case !ours(info):
		err = errors.New("it belongs to another user")
	case info.Mode().Perm() != 0o700:
		err = os.Chmod(path, 0o700)
	}
	return regular.Plain("use the folder", path, err)
}
