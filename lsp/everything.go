package lsp

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
)

// HoldsEverything reports the folders in which all else lies: the root, the home
// folder and those above it, and the one for temporary files. Nobody means them by a
// workspace, but an editor may come to one: by a home folder that is under version
// control for its settings' sake, or by being started there.
func HoldsEverything(dir string) bool {
	dir = filepath.Clean(dir)
	if filepath.Dir(dir) == dir || dir == filepath.Clean(os.TempDir()) {
		return true
	}
	home, err := os.UserHomeDir()
	if err != nil {
		return false
	}
	below, err := filepath.Rel(dir, home)
	return err == nil && filepath.IsLocal(below)
}

// TooWide is what to say of those of some workspace folders that hold everything;
// "" if none does.
func TooWide(folders []string) string {
	var wide []string
	for _, f := range folders {
		if HoldsEverything(f) {
			wide = append(wide, f)
		}
	}
	if len(wide) == 0 {
		return ""
	}
	return OneLine(fmt.Sprintf("all of %s is read, since it was opened as a workspace (open the folder of a project instead, or name what is not to be read in its .readaheadignore)", strings.Join(wide, " and ")))
}
