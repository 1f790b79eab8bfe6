// Package ownfile writes files that the user names on the command line, and
// destroys nothing on the way.
//
// A name on a command line can be a slip: the source that a page is about, a link
// to somebody's work, a device. And a write can end halfway, for lack of room or
// by a signal. So a result stands in a new file first, and takes the name when it
// is whole:
//
//	name    free, or a file of the same kind?   anything else is left alone
//	write   to .readahead-*, beside it          what is there stays as it is
//	Keep    rename over the name                all of it, or nothing
//
// What is written holds code, so nobody else on the machine may read it, unless the
// Kind says otherwise.
//
// A log is the exception: it is appended to, and only made private first.
//
// What it refuses: to write through a link or into a device, and into what belongs
// to another user.
package ownfile

import (
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"

	"readahead/index/regular"
)

// Private is the mode of a file that holds code.
const Private fs.FileMode = 0o600

// Unfinished is how the names of files begin that are on their way to their own.
const Unfinished = ".readahead-"

// A Kind tells files that may be replaced from somebody's work.
type Kind struct {
	Name   string // for messages, with its article: "a page"
	Begins string // what every file of the kind begins with; an empty file is of any kind
	Public bool   // it holds nothing of the user's, and everybody may read it
}

// A File is on its way to its name. One of Keep and Drop must be called.
type File struct {
	*os.File
	path string
	kind Kind
	done bool
}

// Create begins a file that will be called path. The error says what stands in
// the way there.
func Create(path string, kind Kind) (*File, error) {
	if err := kind.free(path); err != nil {
		return nil, regular.Plain("write", path, err)
	}
	f, err := os.CreateTemp(filepath.Dir(path), Unfinished) // mode 0600
	if err != nil {
		return nil, regular.Plain("write", path, err) // the name in err is one that nobody asked for
	}
	return &File{File: f, path: path, kind: kind}, nil
}

// Write is Create, the text, and Keep.
func Write(path string, kind Kind, text []byte) error {
	f, err := Create(path, kind)
	if err != nil {
		return err
	}
	defer f.Drop()
	if _, err := f.Write(text); err != nil {
		return regular.Plain("write", path, err)
	}
	return f.Keep()
}

// Keep gives the file its name. On an error nothing has changed there.
func (f *File) Keep() error {
	mode := Private
	if f.kind.Public {
		mode = 0o644
	}
	err := errors.Join(f.Chmod(mode), f.Close())
	if err == nil {
		err = f.kind.free(f.path) // something may have come there meanwhile
	}
	if err == nil {
		err = os.Rename(f.Name(), f.path)
	}
	if err != nil {
		f.Drop()
		return regular.Plain("write", f.path, err)
	}
	f.done = true
	return nil
}

// Drop forgets a file that was not kept; a nil File is none.
func (f *File) Drop() {
	if f == nil || f.done {
		return
	}
	f.done = true
	_ = f.Close()           // nobody wants what is in it
	_ = os.Remove(f.Name()) // the error that counts is known
}

// free reports why a file may not have a name: only its kind gives way to it.
func (k Kind) free(path string) error {
	info, err := os.Lstat(path)
	if errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	if err != nil {
		return err
	}
	if !info.Mode().IsRegular() {
		return errors.New("there is something that is no regular file (choose another name)")
	}
	ours, err := k.is(path)
	if err == nil && !ours {
		err = fmt.Errorf("there is a file that is not %s (choose another name, or delete it)", k.Name)
	}
	return err
}

func (k Kind) is(path string) (bool, error) {
	f, _, err := regular.Open(path)
	if err != nil {
		return false, err
	}
	defer f.Close()
	begins := make([]byte, len(k.Begins))
	n, err := io.ReadFull(f, begins)
	if err != nil && !errors.Is(err, io.EOF) && !errors.Is(err, io.ErrUnexpectedEOF) {
		return false, err
	}
	return n == 0 || string(begins[:n]) == k.Begins, nil
}
