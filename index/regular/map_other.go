//go:build !unix

package regular

// Map is Read here: where a mapped file cannot be replaced, a process that only
// looks would keep all others from saving.
func Map(path string, limit int64) ([]byte, error) { return Read(path, limit) }
