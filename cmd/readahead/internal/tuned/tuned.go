// Package tuned keeps what `readahead tune` found, from one run to the next.
//
// Which evidence a model is better asked with first depends on the repository and
// on the model, and finding out costs minutes of the user's model. Where may that
// be kept?
//
//	the repository's .readahead.toml   a tool must not write into the user's tree
//	the user's config.toml             is the user's own hand, comments and all
//	the cache folder                   may be emptied at any time
//	the user's state folder            ← here, a file a workspace:
//
//	…/readahead/tuned/shop-1f3c….json  {"folder": "/home/me/shop", "choices": [{"model": …}, …]}
//
// The name is the folder's last element, for people, and a hash of its whole path.
// A file holds paths, model names and counts, no line of code, and is readable by
// the user alone. One that is damaged counts as none, with an error that says so.
//
// What it refuses: to decide anything. A Choice that is here was made by the
// command, and gives way to `primary` in the user's configuration.
package tuned

import (
	"crypto/sha256"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"time"

	"readahead/cmd/readahead/internal/ownfile"
	"readahead/index"
	"readahead/index/regular"
	"readahead/lsp"
)

// A Choice is what was found for one model in one workspace.
type Choice struct {
	Model    string       `json:"model"` // see lsp.ModelKey
	Primary  index.Family `json:"primary"`
	Clear    bool         `json:"clear"`    // false: within noise, so Primary is the default
	Lines    int          `json:"lines"`    // held out
	EM       EM           `json:"em"`       // in percent of them
	P        float64      `json:"p"`        // McNemar's exact test, two-sided
	Measured time.Time    `json:"measured"` // when
}

// EM is how many lines came out right with each family first.
type EM struct {
	Structural float64 `json:"structural"`
	Lexical    float64 `json:"lexical"`
}

// String is the choice as a reason.
func (c Choice) String() string {
	what := "it does better"
	if !c.Clear {
		what = "no difference above noise"
	}
	return fmt.Sprintf("%s on %d lines of this workspace (tuned %s: %.1f %% right with structural first, %.1f %% with lexical, p = %.2g)",
		what, c.Lines, c.Measured.Format(time.DateOnly), c.EM.Structural, c.EM.Lexical, c.P)
}

// A Store is a folder of workspaces' choices; "" keeps nothing.
type Store string

// Default is the store in the user's state folder: XDG_STATE_HOME, which is
// ~/.local/state unless it is set, on Unix; what the system has for data of
// programs that stays on the machine elsewhere. "" where the user has no home.
func Default() Store {
	if dir := stateDir(); dir != "" {
		return Store(filepath.Join(dir, "readahead", "tuned"))
	}
	return ""
}

func stateDir() string {
	if dir := os.Getenv("XDG_STATE_HOME"); filepath.IsAbs(dir) {
		return dir
	}
	var dir string
	var err error
	switch runtime.GOOS {
	case "windows":
		dir, err = os.UserCacheDir() // %LocalAppData%, which nothing empties
	case "darwin", "ios":
		dir, err = os.UserConfigDir() // Application Support
	default:
		dir, err = os.UserHomeDir()
		dir = filepath.Join(dir, ".local", "state")
	}
	if err != nil || !filepath.IsAbs(dir) {
		return ""
	}
	return dir
}

// workspace is the content of a file.
type workspace struct {
	Kind    string   `json:"kind"`
	Folder  string   `json:"folder"`
	Choices []Choice `json:"choices"`
}

const kind = "readahead tuning 1"

// begins is what a file starts with, as Save writes it.
const begins = `{"kind":"` + kind + `"`

// maxFile, in bytes, is far above what thousands of models would take.
const maxFile = 1 << 20

// Path is the file of a workspace folder.
func (s Store) Path(folder string) string {
	folder = real(folder)
	sum := sha256.Sum256([]byte(folder))
	return filepath.Join(string(s), fmt.Sprintf("%s-%x.json", plain(filepath.Base(folder)), sum[:8]))
}

// real is the folder under the one name that it has without links. Of one that is
// deleted the folders above it may still be there, and may have been links.
func real(folder string) string {
	if abs, err := filepath.Abs(folder); err == nil {
		folder = abs
	}
	if p, err := filepath.EvalSymlinks(folder); err == nil {
		return p
	}
	if up := filepath.Dir(folder); up != folder {
		return filepath.Join(real(up), filepath.Base(folder))
	}
	return folder
}

// plain is a name without what a file name could trip over.
func plain(name string) string {
	name = strings.Map(func(r rune) rune {
		if r == '-' || r == '_' || '0' <= r && r <= '9' || 'a' <= r|0x20 && r|0x20 <= 'z' {
			return r
		}
		return '_'
	}, name)
	return name[:min(len(name), 40)]
}

// Damaged is the error for a file that counts as none.
type Damaged struct {
	Path   string // of the file
	Folder string // that was tuned
	cause  error
}

func (d *Damaged) Error() string {
	cause := d.cause
	if of := (*fs.PathError)(nil); errors.As(cause, &of) {
		cause = of.Err // its path is said
	}
	return fmt.Sprintf("what was tuned counts for nothing, since its file cannot be used: %s: %v (%s)", d.Path, cause, d.Mend())
}

// Mend is what to do about it.
func (d *Damaged) Mend() string {
	return fmt.Sprintf("run: readahead tune %s, which puts the file aside; or: readahead tune --forget %s", d.Folder, d.Folder)
}

func (d *Damaged) Unwrap() error { return d.cause }

// Load is what was found for a folder; nothing if it was never tuned.
func (s Store) Load(folder string) ([]Choice, error) {
	if s == "" {
		return nil, nil
	}
	path := s.Path(folder)
	text, err := regular.Read(path, maxFile)
	if errors.Is(err, fs.ErrNotExist) {
		return nil, nil
	}
	var w workspace
	if err == nil {
		if err = json.Unmarshal(text, &w); err != nil {
			err = errors.New(lsp.JSONCause(err))
		}
	}
	if err == nil && (w.Kind != kind || w.Folder != real(folder)) {
		err = errors.New("it is of another version or another folder")
	}
	for _, c := range w.Choices {
		if err == nil && c.Primary != index.Structural && c.Primary != index.Lexical {
			err = fmt.Errorf("%q is no evidence", c.Primary)
		}
	}
	if err != nil {
		return nil, &Damaged{path, folder, err}
	}
	return w.Choices, nil
}

// Save keeps a choice in the place of the one for the same model.
func (s Store) Save(folder string, c Choice) error {
	if s == "" {
		return errors.New("keep what was tuned: there is no folder for it (set HOME or XDG_STATE_HOME)")
	}
	known, err := s.Load(folder)
	if err != nil { // damaged: a new file takes its place, and the old one is kept beside it
		known = nil
		err = os.Rename(s.Path(folder), s.Path(folder)+".damaged")
		if err != nil {
			return regular.Plain("keep what was tuned: put aside the damaged file", s.Path(folder), err)
		}
	}
	known = slices.DeleteFunc(known, func(k Choice) bool { return k.Model == c.Model })
	text, err := json.Marshal(workspace{kind, real(folder), append(known, c)})
	if err == nil {
		err = regular.Plain("make the folder", string(s), os.MkdirAll(string(s), 0o700))
	}
	if err == nil {
		err = ownfile.Write(s.Path(folder), ownfile.Kind{Name: "a tuning", Begins: begins}, append(text, '\n'))
	}
	if err != nil {
		return fmt.Errorf("keep what was tuned: %w", err)
	}
	return nil
}

// Forget drops all choices of a folder, and reports whether there were any.
func (s Store) Forget(folder string) (bool, error) {
	if s == "" {
		return false, nil
	}
	err := os.Remove(s.Path(folder))
	if errors.Is(err, fs.ErrNotExist) {
		return false, nil
	}
	return err == nil, regular.Plain("delete", s.Path(folder), err)
}

// Tunings are the choices of all folders, as a configuration has them, with an
// error for each file that is damaged.
func (s Store) Tunings(folders []string) (out []lsp.Tuning, errs []error) {
	for _, f := range folders {
		known, err := s.Load(f)
		if err != nil {
			errs = append(errs, err)
		}
		for _, c := range known {
			out = append(out, lsp.Tuning{Folder: f, Model: c.Model, Primary: c.Primary, Why: c.String()})
		}
	}
	return out, errs
}
