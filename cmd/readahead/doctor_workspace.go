package main

import (
	"cmp"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path"
	"runtime"
	"strconv"
	"strings"
	"time"
	"unicode/utf8"

	"readahead/index/regular"
	"readahead/lsp"
)

// workspace is what a checkup knows of the folder.
type workspace struct{ engine *lsp.Engine }

// open is the workspace's engine, made at the first call. It outlives the check
// that makes it.
func (p *checkup) open() (*lsp.Engine, error) {
	if p.engine == nil {
		e, err := lsp.NewEngine(p.whole, p.options)
		if err != nil {
			return nil, err
		}
		p.engine = e
	}
	return p.engine, nil
}

func (p *checkup) close() {
	if p.opened != nil {
		p.release()
	}
	if p.engine != nil {
		p.engine.Close()
	}
}

func (p *checkup) index() (diagnosis, bool) {
	if lsp.TooWide(p.options.Roots) != "" {
		return diagnosis{Status: warning, Detail: fmt.Sprintf("not read: %s holds more than a project, and is nobody's workspace", strings.Join(p.options.Roots, ", ")),
			Fix: "cd to the folder of a project, or name it: readahead doctor DIR"}, true
	}
	e, err := p.open()
	if err != nil {
		return diagnosis{Status: problem, Detail: unprefixed(err), Fix: "give a folder that exists and that you may read"}, true
	}
	var last lsp.Progress
	s, err := e.Build(p.ctx, func(now lsp.Progress) { last = now })
	if p.expired() {
		return diagnosis{Status: warning, Detail: fmt.Sprintf("not up to date in the time that a check may take: %s, %d of %d files", cmp.Or(last.What, "listing files"), last.Done, last.Total),
			Fix: "readahead index " + strings.Join(p.options.Roots, " ") + " (it takes the time that it needs, and later starts find its work)"}, true
	}
	if err != nil {
		return diagnosis{Status: problem, Detail: unprefixed(err), Fix: "give a folder that you may read"}, true
	}
	d := diagnosis{Status: fine, Detail: fmt.Sprintf("%d files, %d lines, %d objects; %d files were fresh, %d read anew, in %v",
		s.Files, s.Lines, s.Objects, s.Reused, s.Read, s.Duration.Round(time.Millisecond))}
	if s.Objects == 0 {
		d.Status, d.Fix = warning, "start in the folder of your project; files that .gitignore or .readaheadignore name are not read"
		d.Detail += fmt.Sprintf("; there is no code in %s", strings.Join(p.options.Roots, ", "))
	}
	return d, true
}

// cache says where the index is kept for the next start, and how much of the disk
// the indexes of all workspaces take.
func (p *checkup) cache() (diagnosis, bool) {
	if p.engine == nil || p.flags.noCache {
		return diagnosis{}, false
	}
	const again = "every start reads everything again: "
	if p.options.CacheDir == "" {
		return diagnosis{Status: warning, Detail: again + "there is no folder for caches", Fix: "set HOME or XDG_CACHE_HOME"}, true
	}
	if why := p.engine.Snapshot().Stats().Cache; why != "" {
		return diagnosis{Status: warning, Detail: again + why, Fix: "make room there, or set another cache folder (XDG_CACHE_HOME)"}, true
	}
	entries, err := os.ReadDir(p.options.CacheDir)
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		return diagnosis{Status: warning, Detail: regular.Plain("list", p.options.CacheDir, err).Error(), Fix: "set another cache folder (XDG_CACHE_HOME)"}, true
	}
	n, size := 0, int64(0)
	for _, e := range entries {
		if info, err := e.Info(); err == nil && info.Mode().IsRegular() { // the folder of pages is none
			n++
			size += info.Size()
		}
	}
	return diagnosis{Status: fine, Detail: fmt.Sprintf("%s: %d indexes, %.1f MB; what is not used any more can be deleted", p.options.CacheDir, n, float64(size)/1e6)}, true
}

// ignored says what of the workspace is not read, by its rules or for what it is.
func (p *checkup) ignored() (diagnosis, bool) {
	if p.engine == nil {
		return diagnosis{}, false
	}
	n := p.engine.Snapshot().Stats().Passed
	d := diagnosis{Status: fine, Detail: fmt.Sprintf("%d files and folders by .gitignore, .readaheadignore, `ignore` and the names of secrets, %d files over maxFileSize = %d, %d links and other special files; `readahead complete FILE:1:1` says of one why",
		n.Ignored, n.TooLarge, p.options.Config.MaxFileSize, n.Special)}
	if n.Unreadable > 0 {
		d.Status, d.Fix = warning, "see who may read it, and each folder above it: ls -ld; or add it to .readaheadignore"
		d.Detail += fmt.Sprintf("; %d could not be read: %s", n.Unreadable, n.Problem)
	}
	return d, true
}

// inotify is where Linux tells how many folders a user may watch.
const inotify = "/proc/sys/fs/inotify/max_user_watches"

func (p *checkup) watching() (diagnosis, bool) {
	if p.engine == nil {
		return diagnosis{}, false
	}
	folders := map[string]bool{".": true} // several roots count as one
	for f := range p.engine.Snapshot().Files() {
		for dir := path.Dir(f.Rel); !folders[dir]; dir = path.Dir(dir) {
			folders[dir] = true
		}
	}
	text, err := os.ReadFile(inotify)
	if err != nil {
		return diagnosis{Status: fine, Detail: fmt.Sprintf("%d folders (%s sets no limit that could be asked for)", len(folders), runtime.GOOS)}, true
	}
	limit, _ := strconv.Atoi(strings.TrimSpace(string(text)))
	return watches(len(folders), limit), true
}

// watches is the verdict on watching so many folders under a limit that other
// programs of the user, editors foremost, share.
func watches(folders, limit int) diagnosis {
	d := diagnosis{Status: fine, Detail: fmt.Sprintf("%d folders of at most %d", folders, limit)}
	if folders > limit/2 {
		d.Status, d.Fix = warning, "sudo sysctl fs.inotify.max_user_watches=1048576"
		d.Detail += "; beyond that, changes on disk are looked for now and then"
	}
	return d
}

// completion goes the whole way once, at a cursor of the workspace's own.
func (p *checkup) completion() (diagnosis, bool) {
	if p.engine == nil || !p.options.Config.Enable || lsp.TooWide(p.options.Roots) != "" {
		return diagnosis{}, false
	}
	cursors := demoCursors(p.engine.Snapshot(), 1)
	if len(cursors) == 0 {
		return diagnosis{}, false
	}
	at := cursors[0]
	place := fmt.Sprintf("%s:%d:%d", at.path, at.line, 1+utf8.RuneCountInString(at.head))
	began := time.Now()
	due, _ := p.ctx.Deadline()
	done, err := p.engine.Complete(p.ctx, lsp.CompletionRequest{Path: at.path, Text: at.text, Offset: at.offset, Invoked: true, Due: due})
	if err != nil || done.Trace == nil || done.Trace.Refused != "" {
		d := diagnosis{Status: problem, Detail: "no model can answer", Fix: "readahead complete " + place}
		if err != nil {
			d.Detail = unprefixed(err)
		} else if done.Trace != nil {
			d.Detail = done.Trace.Refused
		}
		return d, true
	}
	t := done.Trace
	used := 0
	if i := t.Used(); i >= 0 {
		used = t.Contexts[i].Context.Tokens
	}
	d := diagnosis{Status: fine, Detail: fmt.Sprintf("%s answered in %v at %s: retrieval %v, allocation %v, %d tokens of evidence",
		t.Model.Name, time.Since(began).Round(time.Millisecond), place,
		t.Took.Retrieve.Round(time.Millisecond), t.Took.Allocate.Round(time.Millisecond), used)}
	if p.opened != nil && t.Model.Provider == embeddedName { // without a server, that was said above
		d.Status, d.Fix = warning, "see what is said of the model above"
		d.Detail += "; the user's own model did not: " + done.Notice
	}
	return d, true
}
