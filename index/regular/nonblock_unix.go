//go:build unix

package regular

import (
	"errors"
	"fmt"
	"io"
	"os"
	"syscall"
)

// NonBlocking, added to the flags of an open, keeps it from waiting for the
// other end of a FIFO that took a file's place after it was looked at.
const NonBlocking = syscall.O_NONBLOCK

// atOnce reads a file that was opened with NonBlocking. What os.File would wait
// for, it refuses.
func atOnce(file *os.File) io.Reader { return immediate{file} }

type immediate struct{ file *os.File }

// maxRead, in bytes, is what every system takes in one read.
const maxRead = 1 << 30

func (r immediate) Read(p []byte) (n int, err error) {
	p = p[:min(len(p), maxRead)]
	conn, err := r.file.SyscallConn()
	if err != nil {
		return 0, err
	}
	outside := conn.Read(func(fd uintptr) bool {
		n, err = syscall.Read(int(fd), p)
		for errors.Is(err, syscall.EINTR) {
			n, err = syscall.Read(int(fd), p)
		}
		return true // never wait
	})
	switch {
	case outside != nil:
		return 0, outside
	case errors.Is(err, syscall.EAGAIN):
		return 0, fmt.Errorf("%w but one that has to be waited for", ErrSpecial)
	case err != nil:
		return 0, err
	case n == 0 && len(p) > 0:
		return 0, io.EOF
	}
	return n, nil
}
