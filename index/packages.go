package index

import (
	"cmp"
	"encoding/json"
	"os"
	"path"
	"path/filepath"
	"strings"
	"sync"

	"readahead/index/facts"
	"readahead/index/regular"
)

// packages tells the package of a file from the nearest manifest and its path,
// the way the language does:
//
//	Go      go.mod's module path and the folder below it; std and cmd as
//	        their importers write them; without go.mod the folder below the root
//	Python  dotted from the outermost folder of the __init__.py chain, which
//	        handles src layouts; a file outside any chain is dotted from its
//	        pyproject.toml, setup.py, setup.cfg or root, less a leading src or lib
//	TypeScript, JavaScript
//	        the path below the root without its extension; below a folder with a
//	        package.json of its own, that package's name and the path in it
//	Rust    the crate's name in Cargo.toml and the path of modules below its src
//	Java, C#, PHP
//	        what the file says; without that, what the project around it calls the
//	        folder (see manifests.go), or else the folder below the root
//	C, C++, Ruby
//	        the file's path below the root (see joins.go)
//
// What a folder says is remembered until forget.
type packages struct {
	mu      sync.Mutex
	folders map[string]folderInfo
}

type folderInfo struct {
	module  string // the module path of this folder's own go.mod; "" if it has none
	init    bool   // has __init__.py or __init__.pyi
	project bool   // has a Python manifest
	npm     string // the name in its package.json; "" if it has none
	crate   string // the name in its Cargo.toml, as code writes it

	java      bool              // has a manifest of a Java build
	namespace string            // that its C# project gives; "" without one
	prefixes  []namespaceFolder // in its composer.json
}

func newPackages() *packages { return &packages{folders: map[string]folderInfo{}} }

// maxManifest, in bytes, leaves room for the longest go.mod there is.
const maxManifest = 1 << 20

// forget drops what is known about a folder, since one of its manifests may
// have changed.
func (p *packages) forget(dir string) {
	p.mu.Lock()
	defer p.mu.Unlock()
	delete(p.folders, dir)
}

func (p *packages) forgetAll() {
	p.mu.Lock()
	defer p.mu.Unlock()
	clear(p.folders)
}

func (p *packages) folder(dir string) folderInfo {
	p.mu.Lock()
	defer p.mu.Unlock()
	info, ok := p.folders[dir]
	if !ok {
		info = readFolder(dir)
		p.folders[dir] = info
	}
	return info
}

func readFolder(dir string) folderInfo {
	exists := func(names ...string) bool {
		for _, name := range names {
			if info, err := os.Stat(filepath.Join(dir, name)); err == nil && info.Mode().IsRegular() {
				return true
			}
		}
		return false
	}
	// What cannot be read as a go.mod is none.
	mod, _ := regular.Read(filepath.Join(dir, "go.mod"), maxManifest)
	return folderInfo{
		module:  modulePath(mod),
		init:    exists("__init__.py", "__init__.pyi"),
		project: exists("pyproject.toml", "setup.py", "setup.cfg"),
		npm:     packageName(filepath.Join(dir, "package.json")),
		crate:   crateName(filepath.Join(dir, "Cargo.toml")),

		java:      exists("pom.xml", "build.gradle", "build.gradle.kts"),
		namespace: rootNamespace(dir),
		prefixes:  psr4(filepath.Join(dir, "composer.json")),
	}
}

// packageName is the name in a package.json; "" if there is none.
func packageName(file string) string {
	text, err := regular.Read(file, maxManifest)
	if err != nil {
		return ""
	}
	var manifest struct{ Name string }
	if json.Unmarshal(text, &manifest) != nil {
		return ""
	}
	return manifest.Name
}

// crateName is the name of the package in a Cargo.toml as code writes it; "" if
// there is none.
func crateName(file string) string {
	text, err := regular.Read(file, maxManifest)
	if err != nil {
		return ""
	}
	section := ""
	for line := range strings.Lines(string(text)) {
		line = strings.TrimSpace(line)
		if strings.HasPrefix(line, "[") {
			section = line
			continue
		}
		key, value, _ := strings.Cut(line, "=")
		if section == "[package]" && strings.TrimSpace(key) == "name" {
			value, _, _ = strings.Cut(value, "#")
			return strings.ReplaceAll(strings.Trim(strings.TrimSpace(value), `"'`), "-", "_")
		}
	}
	return ""
}

// modulePath is the path in the module directive of a go.mod; "" if there is
// none.
func modulePath(mod []byte) string {
	for line := range strings.Lines(string(mod)) {
		line, _, _ = strings.Cut(line, "//")
		if fields := strings.Fields(line); len(fields) == 2 && fields[0] == "module" {
			return strings.Trim(fields[1], "\"`")
		}
	}
	return ""
}

// of is the package of the file at an absolute path below root ("" for a file
// outside the workspace).
func (p *packages) of(lang facts.Language, file, root string) string {
	switch lang {
	case facts.Go:
		return p.goPackage(filepath.Dir(file), root)
	case facts.Python:
		return p.pythonModule(file, root)
	case facts.TypeScript, facts.JavaScript:
		return p.module(file, root)
	case facts.Rust:
		return p.rustModule(file, root)
	case facts.Java:
		return cmp.Or(p.javaPackage(filepath.Dir(file), root), globalPackage)
	case facts.CSharp:
		return cmp.Or(p.csharpNamespace(filepath.Dir(file), root), globalPackage)
	case facts.PHP:
		return cmp.Or(p.phpNamespace(filepath.Dir(file), root), globalPackage)
	case facts.C, facts.Cpp:
		return pathBelow(root, file)
	case facts.Ruby:
		return strings.TrimSuffix(pathBelow(root, file), ".rb")
	}
	return ""
}

// pathBelow is the path of a file below root; its base name if it is not below.
func pathBelow(root, file string) string {
	if root == "" {
		return filepath.Base(file)
	}
	return path.Join(relative(root, filepath.Dir(file)), filepath.Base(file))
}

func (p *packages) module(file, root string) string {
	name := withoutExtension(filepath.Base(file))
	for dir := filepath.Dir(file); root != "" && dir != root && dir != filepath.Dir(dir); dir = filepath.Dir(dir) {
		if npm := p.folder(dir).npm; npm != "" {
			return path.Join(npm, relative(dir, filepath.Dir(file)), name)
		}
	}
	if root == "" {
		return name
	}
	return path.Join(relative(root, filepath.Dir(file)), name)
}

func (p *packages) rustModule(file, root string) string {
	dir, crate := filepath.Dir(file), ""
	base := dir
	for ; ; base = filepath.Dir(base) {
		if crate = p.folder(base).crate; crate != "" || base == root || base == filepath.Dir(base) {
			break
		}
	}
	if crate == "" {
		if base = root; root == "" {
			base = dir
		}
		crate = strings.ReplaceAll(filepath.Base(base), "-", "_")
	}
	parts := []string{crate}
	if rel := relative(base, dir); rel != "" {
		parts = append(parts, strings.Split(rel, "/")...)
	}
	if len(parts) > 1 && parts[1] == "src" {
		parts = append(parts[:1], parts[2:]...)
	}
	switch stem := strings.TrimSuffix(filepath.Base(file), ".rs"); stem {
	case "lib", "main", "mod":
	default:
		parts = append(parts, stem)
	}
	return strings.Join(parts, "::")
}

func (p *packages) goPackage(dir, root string) string {
	pkg := ""
	for d := dir; ; {
		if m := p.folder(d).module; m != "" {
			pkg = path.Join(m, relative(d, dir))
			if m == "std" {
				pkg = strings.TrimPrefix(strings.TrimPrefix(pkg, "std"), "/")
			}
			break
		}
		up := filepath.Dir(d)
		if up == d {
			pkg = relative(root, dir)
			break
		}
		d = up
	}
	if i := strings.LastIndex("/"+pkg, "/vendor/"); i >= 0 {
		pkg = pkg[i+len("vendor/"):]
	}
	if pkg == "" || pkg == "." {
		return filepath.Base(dir)
	}
	return pkg
}

func (p *packages) pythonModule(file, root string) string {
	dir := filepath.Dir(file)
	var parts []string
	if stem := strings.TrimSuffix(filepath.Base(file), filepath.Ext(file)); stem != "__init__" {
		parts = append(parts, stem)
	}
	if p.folder(dir).init {
		for ; p.folder(dir).init && dir != filepath.Dir(dir); dir = filepath.Dir(dir) {
			parts = append([]string{filepath.Base(dir)}, parts...)
		}
		return strings.Join(parts, ".")
	}
	base := dir
	for root != "" && base != root && base != filepath.Dir(base) && !p.folder(base).project {
		base = filepath.Dir(base)
	}
	if rel := relative(base, dir); rel != "" && rel != "." {
		above := strings.Split(rel, "/")
		if above[0] == "src" || above[0] == "lib" {
			above = above[1:]
		}
		parts = append(above, parts...)
	}
	return strings.Join(parts, ".")
}

// relative is dir relative to base with slashes; the base name of dir if it is not
// below.
func relative(base, dir string) string {
	rel, err := filepath.Rel(base, dir)
	if err != nil || strings.HasPrefix(rel, "..") {
		return filepath.Base(dir)
	}
	if rel == "." {
		return ""
	}
	return filepath.ToSlash(rel)
}
