package index

import (
	"cmp"
	"fmt"
	"iter"
	"path/filepath"
	"slices"
	"strings"

	"readahead/index/facts"
)

// A Snapshot is the workspace at one moment. It never changes and may be used
// by any number of goroutines; a newer one comes from Index.Snapshot.
type Snapshot struct {
	names    *names
	base     *segment
	dead     map[uint32]bool // documents of base that overlay replaces or that are gone
	overlay  []*file         // by path
	folders  *folders
	texts    *texts
	stats    Stats
	packages *packages
}

// FileInfo is one indexed file.
type FileInfo struct {
	Path string // absolute
	Rel  string // slash-separated, relative to its workspace folder
	Lang facts.Language
	Size int64
	Hash uint64 // of the content; another content has another hash
}

// Files are all indexed files in no particular order, open documents included.
func (s *Snapshot) Files() iter.Seq[FileInfo] {
	return func(yield func(FileInfo) bool) {
		for f := range s.files() {
			if !yield(FileInfo{f.path, f.rel, f.lang, f.size, f.hash}) {
				return
			}
		}
	}
}

func (s *Snapshot) files() iter.Seq[*file] {
	return func(yield func(*file) bool) {
		for _, f := range s.overlay {
			if !f.useless && !yield(f) {
				return
			}
		}
		for doc, f := range s.base.files {
			if !s.dead[uint32(doc)] && !f.useless && !yield(f) {
				return
			}
		}
	}
}

// Text is the text of an indexed file as this snapshot knows it. A file that
// was changed on disk since is an error, never another text: positions would
// not fit.
func (s *Snapshot) Text(path string) ([]byte, error) {
	f := s.file(s.folders.abs(path))
	if f == nil {
		return nil, fmt.Errorf("index: text of %s: not in the index (outside the workspace, ignored, or not built yet)", path)
	}
	t, err := s.texts.of(f)
	if err != nil {
		return nil, err
	}
	return []byte(t.data), nil
}

// Stats says what the snapshot holds.
func (s *Snapshot) Stats() Stats { return s.stats }

// Rel is path as evidence shows it: slash-separated and relative to the
// workspace folder that holds it, or the base name outside of all.
func (s *Snapshot) Rel(path string) string {
	if _, rel, ok := s.folders.find(path); ok {
		return rel
	}
	return filepath.Base(path)
}

// Object is the object called id, at its first site by path; nil if there is
// none.
func (s *Snapshot) Object(id SymbolID) *Object {
	sites := s.Sites(id)
	if len(sites) == 0 {
		return nil
	}
	return sites[0]
}

// Declared are objects of a name, in no particular order and at most limit.
func (s *Snapshot) Declared(name string, limit int) []*Object {
	id, ok := s.names.find(name)
	if !ok {
		return nil
	}
	var out []*Object
	for at := range s.named(id) {
		if len(out) == limit {
			break
		}
		if o := s.render(at); o != nil {
			out = append(out, o)
		}
	}
	return out
}

// Same is an object as it stands in s now: that with its ID in its file; nil if
// there is none.
func (s *Snapshot) Same(o *Object) *Object {
	name, ok := s.names.find(o.Name)
	if !ok {
		return nil
	}
	for f := range s.files() {
		if f.rel != o.Path || symbolLang(f) != o.Lang {
			continue
		}
		for i := range f.objects {
			if at := (site{f, i}); f.objects[i].name == name && s.symbol(at).ID() == o.ID {
				return s.render(at)
			}
		}
	}
	return nil
}

// Sites are all places that declare id, by path: one for most, several where
// files for other platforms declare the same name.
func (s *Snapshot) Sites(id SymbolID) []*Object {
	sym, err := ParseSymbol(id)
	if err != nil {
		return nil
	}
	var out []*Object
	for f := range s.files() {
		if symbolLang(f) != sym.Lang {
			continue
		}
		for i := range max(1, len(f.objects)) {
			at := site{f, i}
			if s.symbol(at) == sym {
				if o := s.render(at); o != nil {
					out = append(out, o)
				}
			}
		}
	}
	slices.SortFunc(out, func(a, b *Object) int { return cmp.Compare(a.Path, b.Path) })
	return out
}

// At is the innermost object around a byte of an indexed file; its module
// object outside all others; nil if the file is not in the index.
func (s *Snapshot) At(path string, offset int) *Object {
	f := s.file(s.folders.abs(path))
	if f == nil {
		return nil
	}
	return s.render(site{f, f.enclosing(uint32(max(0, offset)))})
}

// file is the current version of the file at an absolute, clean path.
func (s *Snapshot) file(path string) *file {
	i, ok := slices.BinarySearchFunc(s.overlay, path, func(f *file, p string) int { return cmp.Compare(f.path, p) })
	var f *file
	if ok {
		f = s.overlay[i]
	} else if doc, ok := s.base.byPath[path]; ok && !s.dead[doc] {
		f = s.base.files[doc]
	}
	if f == nil || f.useless {
		return nil
	}
	return f
}

// with is s with f in place of what it knows about f.path.
func (s *Snapshot) with(f *file) *Snapshot {
	t := *s
	i, ok := slices.BinarySearchFunc(s.overlay, f.path, func(g *file, p string) int { return cmp.Compare(g.path, p) })
	if ok {
		t.overlay = slices.Clone(s.overlay)
		t.overlay[i] = f
		return &t
	}
	t.overlay = slices.Insert(slices.Clone(s.overlay), i, f)
	if doc, known := s.base.byPath[f.path]; known && !s.dead[doc] {
		t.dead = make(map[uint32]bool, len(s.dead)+1)
		for d := range s.dead {
			t.dead[d] = true
		}
		t.dead[doc] = true
	}
	return &t
}

// named are the objects called name, module objects left out.
func (s *Snapshot) named(name nameID) iter.Seq[site] {
	return func(yield func(site) bool) {
		for _, d := range s.base.defs.get(name) {
			if !s.dead[d.file] && !yield(site{s.base.files[d.file], int(d.object)}) {
				return
			}
		}
		for _, f := range s.overlay {
			if !f.declares(name) {
				continue
			}
			for i := range f.objects {
				if i > 0 && f.objects[i].name == name && !yield(site{f, i}) {
					return
				}
			}
		}
	}
}

// owned are the objects inside types whose descriptors are owner.
func (s *Snapshot) owned(owner nameID) iter.Seq[site] {
	return func(yield func(site) bool) {
		if owner == 0 {
			return
		}
		for _, d := range s.base.members.get(owner) {
			if !s.dead[d.file] && !yield(site{s.base.files[d.file], int(d.object)}) {
				return
			}
		}
		for _, f := range s.overlay {
			if !f.owns(owner) {
				continue
			}
			for i := range f.objects {
				if f.objects[i].owner == owner && !yield(site{f, i}) {
					return
				}
			}
		}
	}
}

// mentioning are the files that use name, with the number of uses and calls.
func (s *Snapshot) mentioning(name nameID) iter.Seq2[*file, mention] {
	return func(yield func(*file, mention) bool) {
		for _, m := range s.base.mentions.get(name) {
			if !s.dead[m.file] && !yield(s.base.files[m.file], m) {
				return
			}
		}
		for _, f := range s.overlay {
			if m := f.mention(name); m.uses > 0 && !yield(f, m) {
				return
			}
		}
	}
}

// mention counts the uses of a name in a file.
func (f *file) mention(name nameID) (m mention) {
	if !f.uses(name) {
		return m
	}
	for _, r := range f.refs {
		if r.name == name && m.uses < maxUses {
			m.uses++
			if r.role() == facts.Call {
				m.calls++
			}
		}
	}
	return m
}

// inPackage are the parsed files of one package.
func (s *Snapshot) inPackage(pkg nameID) iter.Seq[*file] {
	return func(yield func(*file) bool) {
		for _, doc := range s.base.byPackage[pkg] {
			if !s.dead[doc] && !yield(s.base.files[doc]) {
				return
			}
		}
		for _, f := range s.overlay {
			if f.parsed && f.pkg == pkg && !yield(f) {
				return
			}
		}
	}
}

// symbol is the identity of a site. A file without facts is a module of
// language "text" called by its path.
func (s *Snapshot) symbol(at site) Symbol {
	f := at.file
	if !f.parsed || len(f.objects) == 0 {
		return Symbol{textLang, f.rel, ""}
	}
	descriptors := s.names.str(at.object().descriptors)
	if at.obj == 0 || !f.global() {
		return Symbol{f.lang, s.names.str(f.pkg), descriptors}
	}
	// A name that begins with the file's is known in it alone.
	if local, ok := strings.CutPrefix(descriptors, s.names.str(f.objects[0].descriptors)); ok {
		return Symbol{f.lang, f.rel, local}
	}
	return Symbol{f.lang, globalPackage, descriptors}
}

// globalPackage is the package of names that are known everywhere.
const globalPackage = "."

const textLang facts.Language = "text"

func symbolLang(f *file) facts.Language {
	if !f.parsed || len(f.objects) == 0 {
		return textLang
	}
	return f.lang
}
