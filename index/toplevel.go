package index

import (
	"slices"
	"sync"

	"readahead/index/facts"
)

// largePackage is the number of declarations from which a package, a dozen systems'
// worth of system calls for instance, stands for each name with one of them.
const largePackage = 4096

// topLevel are the declarations of a package outside of others, methods left out.
func (s *Snapshot) topLevel(pkg nameID) []site {
	if s.changed(pkg) {
		return declared(s.inPackage(pkg))
	}
	return s.base.tops.of(pkg, func() []site { return declared(s.inPackage(pkg)) })
}

// changed reports whether the package is not as the segment has it.
func (s *Snapshot) changed(pkg nameID) bool {
	for _, doc := range s.base.byPackage[pkg] {
		if s.dead[doc] {
			return true
		}
	}
	return slices.ContainsFunc(s.overlay, func(f *file) bool { return f.parsed && f.pkg == pkg })
}

// declared are the declarations at the top of files, one of each name if there are
// many: the one in the first file by path.
func declared(files func(func(*file) bool)) []site {
	var out []site
	for f := range files {
		for i := 1; i < len(f.objects); i++ {
			if o := &f.objects[i]; o.parent == 0 && o.kind != facts.Method {
				out = append(out, site{f, i})
			}
		}
	}
	if len(out) < largePackage {
		return out
	}
	first := map[nameID]*file{}
	for _, s := range out {
		name := s.object().name
		if f := first[name]; f == nil || s.file.path < f.path {
			first[name] = s.file
		}
	}
	return slices.DeleteFunc(out, func(s site) bool { return first[s.object().name] != s.file })
}

// tops remembers what packages of one segment declare.
type tops struct {
	mu    sync.Mutex
	known map[nameID][]site
	sites int
}

// maxTops bounds the declarations that are remembered, at 16 bytes.
const maxTops = 1 << 17

func (t *tops) of(pkg nameID, find func() []site) []site {
	t.mu.Lock()
	defer t.mu.Unlock()
	sites, ok := t.known[pkg]
	if !ok {
		sites = find()
		if t.known == nil || t.sites > maxTops {
			t.known, t.sites = map[nameID][]site{}, 0
		}
		t.known[pkg] = slices.Clip(sites)
		t.sites += len(sites)
	}
	return sites
}
