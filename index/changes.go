package index

import (
	"context"
	"path/filepath"
	"strings"
)

// FilesChanged looks at paths that may have been created, changed, renamed or
// removed, files or folders, and brings the index up to date with them. Paths
// outside the workspace are nothing to it. Cancelling leaves the rest for the
// next Sweep.
func (ix *Index) FilesChanged(ctx context.Context, paths []string) {
	ix.writing.Lock()
	defer ix.writing.Unlock()
	var dirty dirtySet
	for _, path := range paths {
		ix.mark(ctx, ix.folders.abs(path), &dirty)
	}
	if dirty.rules {
		for _, r := range ix.roots {
			r.rules.Reload("")
		}
		ix.refresh(ctx, func(Progress) {})
		return
	}
	ix.markMoved(&dirty)
	defer ix.change(dirty.read, dirty.gone)()
	files, _ := ix.extract(ctx, dirty.read, extraction{facts: true, what: "parsing"}, func(Progress) {}, nil)
	ix.unsaved += len(files) + len(dirty.gone)
	ix.mu.Lock()
	for _, path := range dirty.gone {
		ix.disk[path] = nil
	}
	ix.mu.Unlock()
	ix.apply(dirty.read, files)
	ix.placeDocuments()
}

// A dirtySet is what a batch of events asks for.
type dirtySet struct {
	seen    map[string]bool
	read    []listed
	gone    []string
	folders []string // whose manifests changed
	rules   bool     // an ignore file changed: anything may be in or out now
}

// mark finds out what is at path now.
func (ix *Index) mark(ctx context.Context, path string, d *dirtySet) {
	if d.seen == nil {
		d.seen = map[string]bool{}
	}
	if d.seen[path] {
		return
	}
	d.seen[path] = true
	base := filepath.Base(path)
	d.rules = d.rules || ruleFile(path)
	if isManifest(base) {
		ix.packages.forget(filepath.Dir(path))
		d.folders = append(d.folders, filepath.Dir(path))
	}
	below := map[string]listed{}
	if err := ix.listBelow(ctx, path, func(l listed) { below[l.path] = l }); err != nil {
		return
	}
	for p, l := range below {
		if p == path || ix.known(p) == nil {
			d.add(l)
		} else if f := ix.known(p); f.size != l.size || f.mtime != l.mtime || f.mtime == 0 {
			d.add(l)
		}
		if isManifest(filepath.Base(p)) {
			ix.packages.forget(filepath.Dir(p))
			d.folders = append(d.folders, filepath.Dir(p))
		}
	}
	for _, known := range ix.knownBelow(path) {
		if _, still := below[known]; !still {
			d.gone = append(d.gone, known)
			if isManifest(filepath.Base(known)) {
				ix.packages.forget(filepath.Dir(known))
				d.folders = append(d.folders, filepath.Dir(known))
			}
		}
	}
}

func (d *dirtySet) add(l listed) {
	if l.path != "" && (!d.seen[l.path+"\x00read"]) {
		d.seen[l.path+"\x00read"] = true
		d.read = append(d.read, l)
	}
}

// knownBelow are the paths of the index that are path or inside it.
func (ix *Index) knownBelow(path string) []string {
	if ix.known(path) != nil {
		return []string{path}
	}
	var out []string
	inside := path + string(filepath.Separator)
	for p, f := range ix.disk {
		if f != nil && strings.HasPrefix(p, inside) {
			out = append(out, p)
		}
	}
	for _, f := range ix.base.files {
		if _, newer := ix.disk[f.path]; !newer && strings.HasPrefix(f.path, inside) {
			out = append(out, f.path)
		}
	}
	return out
}

// markMoved adds the files that changed manifests put in another package.
func (ix *Index) markMoved(d *dirtySet) {
	if len(d.folders) == 0 {
		return
	}
	check := func(f *file) {
		for _, folder := range d.folders {
			if strings.HasPrefix(f.path, folder+string(filepath.Separator)) && ix.moved(f) {
				d.add(listed{f.path, f.rel, f.root, f.size, f.mtime})
				return
			}
		}
	}
	for _, f := range ix.disk {
		if f != nil {
			check(f)
		}
	}
	for _, f := range ix.base.files {
		if _, newer := ix.disk[f.path]; !newer {
			check(f)
		}
	}
}
