// Package regular reads files that are files.
//
// A repository, or a slip on the command line, can put anything under the name
// of a file that readahead reads: a FIFO, on which opening waits for a writer
// that never comes; a link to /dev/zero, which never ends; a terminal; /proc/kmsg,
// which calls itself a regular file and waits for the kernel to say more. Waiting
// in the kernel heeds no signal and no deadline, so one such name would hang an
// editor's server for good. Every path that is read whole goes through here:
//
//	stat     a regular file, behind links?   what is not one is never opened
//	open     without waiting                 it may have been swapped meanwhile
//	stat     still a regular file?
//	read     up to the limit, not waiting    it may grow meanwhile
//
// What it refuses: to decide whether a file may be read. That is package ignore's
// business; links are followed here.
package regular

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
)

var (
	// ErrSpecial: a folder, FIFO, device or socket; the error says which.
	ErrSpecial = errors.New("not a regular file")
	// ErrTooLong: more bytes than the caller wants.
	ErrTooLong = errors.New("the file is too long")
)

// Open opens a regular file for reading. Its errors are Plain's; for what is no
// regular file they wrap ErrSpecial.
func Open(path string) (*os.File, fs.FileInfo, error) {
	info, err := os.Stat(path)
	if err != nil {
		return nil, nil, Plain("read", path, err)
	}
	if !info.Mode().IsRegular() {
		return nil, nil, special("read", path, info)
	}
	file, err := os.OpenFile(path, os.O_RDONLY|NonBlocking, 0)
	if err != nil {
		return nil, nil, Plain("read", path, err)
	}
	if info, err = file.Stat(); err == nil && !info.Mode().IsRegular() {
		err = special("read", path, info)
	}
	if err != nil {
		file.Close()
		return nil, nil, Plain("read", path, err)
	}
	return file, info, nil
}

// special is the error for what info describes.
func special(op, path string, info fs.FileInfo) error {
	kind := "a special file"
	switch mode := info.Mode(); {
	case mode.IsDir():
		kind = "a folder"
	case mode&fs.ModeNamedPipe != 0:
		kind = "a FIFO"
	case mode&fs.ModeSocket != 0:
		kind = "a socket"
	case mode&fs.ModeDevice != 0:
		kind = "a device"
	}
	return &fs.PathError{Op: op, Path: path, Err: fmt.Errorf("%w but %s", ErrSpecial, kind)}
}

// Read is the content of a regular file of at most limit bytes. Its errors are
// of type *fs.PathError; they wrap ErrSpecial or ErrTooLong where that is the
// reason.
func Read(path string, limit int64) ([]byte, error) {
	file, info, err := Open(path)
	if err != nil {
		return nil, err
	}
	defer file.Close()
	text, err := Content(file, info.Size(), limit+1)
	if err != nil {
		return nil, Plain("read", path, err)
	}
	if int64(len(text)) > limit {
		return nil, tooLong(path, limit)
	}
	return text, nil
}

// Reader reads an open file from where it stands. Where more would have to be
// waited for, the error wraps ErrSpecial.
func Reader(file *os.File) io.Reader { return atOnce(file) }

// Content is what an open file holds, of which size bytes are expected and no
// more than limit read. Where more would have to be waited for, the error wraps
// ErrSpecial.
func Content(file *os.File, size, limit int64) ([]byte, error) {
	buf := bytes.NewBuffer(make([]byte, 0, max(0, min(size, limit))+bytes.MinRead))
	if _, err := io.Copy(buf, io.LimitReader(atOnce(file), limit)); err != nil {
		return nil, err
	}
	return buf.Bytes(), nil
}

func tooLong(path string, limit int64) error {
	return &fs.PathError{Op: "read", Path: path, Err: fmt.Errorf("%w: over %d bytes", ErrTooLong, limit)}
}

// Append opens a regular file for appending, and makes it if there is none. Its
// errors are Open's.
func Append(path string, mode fs.FileMode) (*os.File, error) {
	if info, err := os.Stat(path); err == nil && !info.Mode().IsRegular() {
		return nil, special("append to", path, info)
	}
	file, err := os.OpenFile(path, os.O_CREATE|os.O_APPEND|os.O_WRONLY|NonBlocking, mode)
	if err != nil {
		return nil, Plain("append to", path, err)
	}
	info, err := file.Stat()
	if err == nil && !info.Mode().IsRegular() {
		err = special("append to", path, info)
	}
	if err != nil {
		file.Close()
		return nil, Plain("append to", path, err)
	}
	return file, nil
}
