//go:build unix

package regular

import "syscall"

// NonBlocking, added to the flags of an open, keeps it from waiting for the
// other end of a FIFO that took a file's place after it was looked at.
const NonBlocking = syscall.O_NONBLOCK
