//go:build unix

package ignore

import "syscall"

// nonBlocking keeps an open from waiting for the other end of a FIFO that took
// a file's place after it was looked at.
const nonBlocking = syscall.O_NONBLOCK
