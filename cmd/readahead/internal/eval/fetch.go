package eval

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"

	"readahead/index/regular"
)

// Fetch lays out, below sources, the repositories of tasks that are not there
// yet: Go modules by `go mod download`, Debian packages by `apt-get download`
// and `dpkg-deb`. It reports each before it is fetched. What is there is left
// alone, and a repository appears whole or not at all.
func Fetch(ctx context.Context, tasks []Task, sources string, report func(what string)) error {
	sources, err := filepath.Abs(sources)
	if err != nil {
		return err
	}
	seen := map[Repo]bool{}
	for i := range tasks {
		r := tasks[i].Repo
		if seen[r] {
			continue
		}
		seen[r] = true
		dir, err := r.Dir(sources)
		if err != nil {
			return err
		}
		if _, err := os.Stat(dir); err == nil {
			continue
		}
		report(r.String())
		switch r.Kind {
		case "goproxy":
			err = fetchModule(ctx, r, dir)
		case "debian":
			err = fetchPackage(ctx, r, strings.TrimSuffix(dir, filepath.FromSlash("/"+r.Root)))
		default:
			err = errors.New("there is no way to fetch this kind of repository")
		}
		if err != nil {
			return fmt.Errorf("fetch %s: %w", r, err)
		}
	}
	return nil
}

func (r Repo) String() string {
	switch r.Kind {
	case "goproxy":
		return r.Module + "@" + r.Version
	case "debian":
		return r.Package + "=" + r.Version
	}
	return r.Kind + " " + r.Repo + "@" + r.Commit
}

// fetchModule links a module of Go's own download cache.
func fetchModule(ctx context.Context, r Repo, dir string) error {
	cmd := exec.CommandContext(ctx, "go", "mod", "download", "-json", r.Module+"@"+r.Version)
	cmd.Dir = os.TempDir() // outside any module
	out, err := cmd.Output()
	var m struct{ Dir, Error string }
	if jsonErr := json.Unmarshal(out, &m); jsonErr == nil && m.Error != "" {
		return errors.New(m.Error)
	}
	if err != nil {
		return fmt.Errorf("go mod download: %w", withOutput(err))
	}
	if err := os.MkdirAll(filepath.Dir(dir), 0o755); err != nil {
		return regular.Plain("make folder", filepath.Dir(dir), err)
	}
	return regular.Plain("link", dir, os.Symlink(m.Dir, dir))
}

// fetchPackage unpacks a Debian package, after comparing its hash.
func fetchPackage(ctx context.Context, r Repo, dir string) error {
	parent := filepath.Dir(dir)
	if err := os.MkdirAll(parent, 0o755); err != nil {
		return regular.Plain("make folder", parent, err)
	}
	tmp, err := os.MkdirTemp(parent, ".fetch-")
	if err != nil {
		return regular.Plain("make a folder in", parent, err)
	}
	defer os.RemoveAll(tmp)
	get := exec.CommandContext(ctx, "apt-get", "download", "-q", r.Package+"="+r.Version)
	get.Dir = tmp
	if _, err := get.Output(); err != nil {
		return fmt.Errorf("apt-get download: %w", withOutput(err))
	}
	debs, err := filepath.Glob(filepath.Join(tmp, "*.deb"))
	if err != nil || len(debs) != 1 {
		return fmt.Errorf("apt-get download left %d packages", len(debs))
	}
	deb, err := os.ReadFile(debs[0])
	if err != nil {
		return err
	}
	if sum := sha256.Sum256(deb); r.SHA256 != "" && hex.EncodeToString(sum[:]) != r.SHA256 {
		return fmt.Errorf("the package has the SHA-256 %x; the tasks were made from %s", sum, r.SHA256)
	}
	tree := filepath.Join(tmp, "tree")
	if _, err := exec.CommandContext(ctx, "dpkg-deb", "-x", debs[0], tree).Output(); err != nil {
		return fmt.Errorf("dpkg-deb: %w", withOutput(err))
	}
	return regular.Plain("unpack into", dir, os.Rename(tree, dir))
}

// withOutput adds what a command said to its failure.
func withOutput(err error) error {
	if exit := (*exec.ExitError)(nil); errors.As(err, &exit) && len(exit.Stderr) > 0 {
		return fmt.Errorf("%w: %s", err, strings.TrimSpace(string(exit.Stderr)))
	}
	return err
}
