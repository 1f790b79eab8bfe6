//go:build unix

package regular

import (
	"fmt"
	"io/fs"

	"golang.org/x/sys/unix"
)

// Map is Read without the copy: the pages of the file itself, for reading only.
// Nothing unmaps them, and a file that shrinks while it is mapped ends the
// process (SIGBUS), so this is for a private file that is replaced and never
// rewritten, in a process that ends soon. Its errors are Read's.
func Map(path string, limit int64) ([]byte, error) {
	file, info, err := Open(path)
	if err != nil {
		return nil, err
	}
	defer file.Close() // the mapping stays
	if info.Size() > limit {
		return nil, tooLong(path, limit)
	}
	if info.Size() == 0 { // cannot be mapped
		return nil, nil
	}
	data, err := unix.Mmap(int(file.Fd()), 0, int(info.Size()), unix.PROT_READ, unix.MAP_PRIVATE)
	if err != nil {
		return nil, &fs.PathError{Op: "map", Path: path, Err: fmt.Errorf("into memory: %w", err)}
	}
	return data, nil
}
