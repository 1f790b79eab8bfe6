//go:build !unix

package regular

import (
	"io"
	"os"
)

// NonBlocking: on these systems nothing that has the name of a file blocks an
// open.
const NonBlocking = 0

// atOnce: nor does it block a read.
func atOnce(file *os.File) io.Reader { return file }
