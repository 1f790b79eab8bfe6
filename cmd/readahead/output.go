package main

import (
	"errors"
	"fmt"
	"io"
	"os"
	"syscall"
)

// An output is standard output, and knows what became of it: everything that a
// command prints goes through one, help and completion scripts included, and main
// ends with its error. So a result that a full disk swallowed is a failure, whoever
// printed it.
//
// Write reports success all the same: the libraries that print would each say in
// their own way what is said once, at the end.
type output struct {
	file *os.File
	err  error // of the first write that failed
}

func (o *output) Write(b []byte) (int, error) {
	if o.err == nil {
		_, o.err = o.file.Write(b)
	}
	return len(b), nil
}

// lost is the error for what could not be written; nil if all of it was.
func (o *output) lost() error {
	switch {
	case o.err == nil:
		return nil
	case errors.Is(o.err, syscall.EPIPE):
		return errUnread
	}
	cause := o.err
	if path := (*os.PathError)(nil); errors.As(cause, &path) {
		cause = path.Err
	}
	return fmt.Errorf("print the result: standard output takes no more: %w (make room where it is written to, and run this again)", cause)
}

// errUnread says that whoever read what a command prints has left, as `head` does:
// the exit status is that of a failure, and nobody is told.
var errUnread = errors.New("standard output is closed")

// terminalOf is the file behind a writer, to ask whether it is a terminal; nil if
// there is none.
func terminalOf(w io.Writer) *os.File {
	switch w := w.(type) {
	case *os.File:
		return w
	case *output:
		return w.file
	}
	return nil
}
