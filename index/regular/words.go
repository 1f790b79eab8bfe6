package regular

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"syscall"
)

// Plain is an error of the system about a path in words that help whoever reads
// them: what was attempted, on what, why it did not work, and what to do. It is of
// type *fs.PathError and wraps err, which may be nil: then it is nil, too.
func Plain(attempt, path string, err error) error {
	if err == nil {
		return nil
	}
	cause := err
	var of *fs.PathError
	var link *os.LinkError
	var call *os.SyscallError
	switch {
	case errors.As(err, &of):
		cause = of.Err
	case errors.As(err, &link):
		cause = link.Err
	case errors.As(err, &call):
		cause = call.Err
	}
	if said := (reason{}); errors.As(cause, &said) { // in words already
		return &fs.PathError{Op: attempt, Path: path, Err: cause}
	}
	return &fs.PathError{Op: attempt, Path: path, Err: reason{words(cause), cause}}
}

// A reason is a cause in words.
type reason struct {
	words string
	cause error
}

func (r reason) Error() string { return r.words }
func (r reason) Unwrap() error { return r.cause }

// known are the causes that a user can do something about.
var known = []struct {
	cause error
	words string
}{
	{syscall.ENOTDIR, "a part of the path is no folder (check the path)"},
	{syscall.ELOOP, "its links lead round in circles (check the path)"},
	{syscall.ENAMETOOLONG, "the name is too long (choose a shorter one)"},
	{syscall.ENOSPC, "no space is left on the device (make room there)"},
	{syscall.EDQUOT, "your quota of disk space is used up (make room)"},
	{syscall.EFBIG, "the file would become too large for the system's limits (make room, or raise ulimit -f)"},
	{syscall.EROFS, "the file system there is read-only (choose another place)"},
	{syscall.EMFILE, "too many files are open (raise ulimit -n)"},
	{fs.ErrNotExist, "there is no such file or folder (check the path)"},
	{fs.ErrPermission, "permission denied (see who may use it, and each folder above it: ls -ld)"},
	{fs.ErrExist, "there is something of that name already (choose another name)"},
}

func words(cause error) string {
	for _, k := range known {
		if errors.Is(cause, k.cause) {
			return k.words
		}
	}
	return fmt.Sprint(cause)
}
