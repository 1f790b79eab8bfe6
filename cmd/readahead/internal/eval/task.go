package eval

import (
	"bufio"
	"compress/gzip"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"path/filepath"
	"strings"

	"readahead/index/regular"
	"readahead/lsp"
)

// A Task is one held-out line, as a task file has it: one JSON object a line.
// Offsets are bytes, lines count from 1.
type Task struct {
	ID         string `json:"id"`
	Collection string `json:"collection,omitempty"`
	Lang       string `json:"lang"`
	Subset     string `json:"subset"` // how the line was chosen: xfile, api, line, xfile_test
	Repo       Repo   `json:"repo"`
	Path       string `json:"path"` // relative to the repository, slash-separated
	Line       int    `json:"line"`
	EndLine    int    `json:"end_line"`

	Offset    int    `json:"offset"` // the cursor, behind the indentation
	EndOffset int    `json:"end_offset"`
	Target    string `json:"target"` // the text from Offset to EndOffset

	// MidOffset and TargetMid are the same for a cursor inside the line, before
	// the first identifier from another file; TargetMid is "" if there is none.
	MidOffset int    `json:"mid_offset,omitempty"`
	TargetMid string `json:"target_mid,omitempty"`

	FirstUse bool   `json:"first_use,omitempty"` // the gold was not used above in this file
	Gold     []Gold `json:"gold,omitempty"`      // in order of use; Gold[0] is the primary one
}

// Gold is one definition that the line needs.
type Gold struct {
	Path       string `json:"path"`
	StartLine  int    `json:"start_line"` // of the whole definition
	EndLine    int    `json:"end_line"`
	SigEndLine int    `json:"sig_end_line"` // last line of its signature
	NameLine   int    `json:"name_line"`
	Symbol     string `json:"symbol"`
	Kind       string `json:"kind,omitempty"`
	Ident      string `json:"ident"` // as the line names it
}

// A Repo says which tree a task is about. Where that lies below the folder of
// sources is Dir's to say.
type Repo struct {
	Kind    string `json:"kind"` // goproxy, debian, github, or dir: the folder of sources itself
	Module  string `json:"module,omitempty"`
	Version string `json:"version,omitempty"`
	Package string `json:"package,omitempty"`
	Root    string `json:"root,omitempty"` // of the sources inside a Debian package
	SHA256  string `json:"deb_sha256,omitempty"`
	Repo    string `json:"repo,omitempty"`
	Commit  string `json:"commit,omitempty"`
}

// Dir is the folder of the repository below the folder of all sources. A task file
// may be a stranger's, so what would lie elsewhere is an error, and what a tool that
// fetches it would take for an option.
func (r Repo) Dir(sources string) (string, error) {
	plain := func(s string) string { return strings.ReplaceAll(s, "/", "+") }
	var rel string
	switch r.Kind {
	case "dir":
		return sources, nil
	case "goproxy":
		rel = filepath.Join("go", plain(r.Module)+"@"+r.Version)
	case "debian":
		rel = filepath.Join("deb", plain(r.Package)+"_"+plain(strings.ReplaceAll(r.Version, ":", "%3a")))
		if r.Root != "" && !filepath.IsLocal(filepath.FromSlash(r.Root)) {
			return "", fmt.Errorf("root %q is not a path inside a package", r.Root)
		}
		rel = filepath.Join(rel, filepath.FromSlash(r.Root))
	case "github":
		rel = filepath.Join("github", plain(r.Repo)+"@"+r.Commit[:min(12, len(r.Commit))])
	default:
		return "", fmt.Errorf("unknown kind of repository %q (want goproxy, debian, github or dir)", r.Kind)
	}
	for _, name := range []string{r.Module, r.Package, r.Repo} {
		if strings.HasPrefix(name, "-") {
			return "", fmt.Errorf("%q is no name of a %s repository", name, r.Kind)
		}
	}
	if !filepath.IsLocal(rel) || strings.Count(filepath.ToSlash(filepath.Clean(rel)), "/") == 0 {
		return "", fmt.Errorf("%+v does not lie below the folder of sources", r)
	}
	return filepath.Join(sources, rel), nil
}

// Load reads a task file, gzipped if its name ends in .gz. An error names the
// line that is wrong.
func Load(path string) ([]Task, error) {
	f, _, err := regular.Open(path)
	if err != nil {
		return nil, fmt.Errorf("read tasks: %w", err)
	}
	defer f.Close()
	in := regular.Reader(f)
	if strings.HasSuffix(path, ".gz") {
		z, err := gzip.NewReader(in)
		if err != nil {
			return nil, fmt.Errorf("read tasks: %s: it ends in .gz and is not compressed by gzip (%w): give it another name, or compress it", path, err)
		}
		in = z
	}
	tasks, err := Parse(in)
	if err != nil {
		return nil, fmt.Errorf("read tasks: %s: %w", path, err)
	}
	return tasks, nil
}

// maxSource is the longest file that a task is about, in bytes.
const maxSource = 1 << 30

// maxTask is the longest line of a task file, in bytes.
const maxTask = 16 << 20

// Parse reads tasks, one JSON object a line; blank lines are skipped.
func Parse(r io.Reader) ([]Task, error) {
	var tasks []Task
	seen := map[string]bool{}
	lines := bufio.NewScanner(r)
	lines.Buffer(nil, maxTask)
	for n := 1; lines.Scan(); n++ {
		if strings.TrimSpace(lines.Text()) == "" {
			continue
		}
		var t Task
		if err := json.Unmarshal(lines.Bytes(), &t); err != nil {
			return nil, fmt.Errorf("line %d: %s (want one task a line, as a JSON object)", n, lsp.JSONCause(err))
		}
		if err := t.check(); err != nil {
			return nil, fmt.Errorf("line %d: %w", n, err)
		}
		if seen[t.ID] {
			return nil, fmt.Errorf("line %d: a second task with the id %q", n, t.ID)
		}
		seen[t.ID] = true
		tasks = append(tasks, t)
	}
	switch err := lines.Err(); {
	case errors.Is(err, bufio.ErrTooLong):
		return nil, fmt.Errorf("line %d: it is over %d MiB long: is it a task file?", len(tasks)+1, maxTask>>20)
	case errors.Is(err, io.ErrUnexpectedEOF):
		return nil, fmt.Errorf("it ends in the middle, behind %d tasks: fetch it again", len(tasks))
	case err != nil:
		return nil, err
	}
	if len(tasks) == 0 {
		return nil, errors.New("no tasks in it")
	}
	return tasks, nil
}

// check reports what the rest of the package relies on.
func (t *Task) check() error {
	switch {
	case t.ID == "":
		return errors.New("a task without an id")
	case !fs.ValidPath(t.Path):
		return fmt.Errorf("task %s: path %q is not a slash-separated path inside the repository", t.ID, t.Path)
	case t.Offset < 0 || t.EndOffset < t.Offset:
		return fmt.Errorf("task %s: offsets %d to %d", t.ID, t.Offset, t.EndOffset)
	case t.EndOffset-t.Offset != len(t.Target):
		return fmt.Errorf("task %s: %d bytes from offset to end_offset, but target has %d", t.ID, t.EndOffset-t.Offset, len(t.Target))
	}
	for i, g := range t.Gold {
		if !fs.ValidPath(g.Path) {
			return fmt.Errorf("task %s: gold %d: path %q is not a slash-separated path inside the repository", t.ID, i, g.Path)
		}
		if !(1 <= g.StartLine && g.StartLine <= g.NameLine && g.NameLine <= g.EndLine) || g.SigEndLine > g.EndLine {
			return fmt.Errorf("task %s: gold %d: lines %d to %d with the name on %d and the signature to %d", t.ID, i, g.StartLine, g.EndLine, g.NameLine, g.SigEndLine)
		}
	}
	_, err := t.Repo.Dir("")
	if err != nil {
		return fmt.Errorf("task %s: %w", t.ID, err)
	}
	return nil
}

// read returns the task's file, after checking that it is the one the task was
// made from.
func (t *Task) read(dir string) ([]byte, error) {
	text, err := regular.Read(filepath.Join(dir, filepath.FromSlash(t.Path)), maxSource)
	if err != nil {
		return nil, fmt.Errorf("task %s: %w", t.ID, err)
	}
	if t.EndOffset > len(text) || string(text[t.Offset:t.EndOffset]) != t.Target {
		return nil, fmt.Errorf("task %s: %s in %s does not have the target at bytes %d to %d: these are not the sources that the tasks were made from", t.ID, t.Path, dir, t.Offset, t.EndOffset)
	}
	return text, nil
}
