package index

import (
	"encoding/json"
	"path"
	"path/filepath"
	"slices"
	"strings"

	"readahead/index/regular"
)

// In Java, C# and PHP a file says itself which package it belongs to, and what it
// imports is named in full, so that no manifest is needed to follow it. A file that
// has only been created says nothing yet. It stands where its build tool expects the
// files of one package, though:
//
//	Java    pom.xml, build.gradle[.kts]   the folders below src/main/java, src/test/java …
//	C#      *.csproj                      its RootNamespace, or its name, and the folders below it
//	PHP     composer.json                 the prefix that psr-4 gives to a folder above, and the
//	                                      folders below that
//
// So the names of its package are known from the first key on.

// isManifest reports whether a file's coming and going moves other files to another
// package.
func isManifest(name string) bool {
	switch name {
	case "go.mod", "__init__.py", "__init__.pyi", "pyproject.toml", "setup.py", "setup.cfg", "package.json", "Cargo.toml",
		"pom.xml", "build.gradle", "build.gradle.kts", "composer.json":
		return true
	}
	return strings.HasSuffix(name, ".csproj")
}

// javaPackage is the package that a file's folder is, below the source folder of the
// project around it; without a project the folder below the root.
func (p *packages) javaPackage(dir, root string) string {
	base := p.above(dir, root, func(f folderInfo) bool { return f.java })
	if base == "" {
		return relative(root, dir)
	}
	below := strings.Split(relative(base, dir), "/")
	if below[0] == "src" {
		below = below[1:]
		if len(below) > 1 && below[1] == "java" { // src/main/java
			below = below[2:]
		}
	}
	return strings.Join(below, ".")
}

// csharpNamespace is the namespace that a new file in a folder of a project is given.
func (p *packages) csharpNamespace(dir, root string) string {
	base := p.above(dir, root, func(f folderInfo) bool { return f.namespace != "" })
	if base == "" {
		return relative(root, dir)
	}
	return dotted(p.folder(base).namespace, relative(base, dir), ".")
}

// phpNamespace is the namespace that composer loads a file in a folder for.
func (p *packages) phpNamespace(dir, root string) string {
	base := p.above(dir, root, func(f folderInfo) bool { return len(f.prefixes) > 0 })
	if base == "" {
		return relative(root, dir)
	}
	below := relative(base, dir)
	for _, prefix := range p.folder(base).prefixes { // the longest folder first
		if rest, ok := strings.CutPrefix(below+"/", prefix.folder); ok {
			return dotted(prefix.namespace, strings.TrimSuffix(rest, "/"), `\`)
		}
	}
	return relative(root, dir)
}

// dotted is a namespace and the folders below it.
func dotted(namespace, below, between string) string {
	names := []string{namespace}
	if below != "" {
		names = append(names, strings.Split(below, "/")...)
	}
	return strings.Trim(strings.Join(names, between), between)
}

// above is the nearest folder from dir up to root for which something holds; "" if
// there is none, or no root.
func (p *packages) above(dir, root string, holds func(folderInfo) bool) string {
	for ; root != "" && dir != filepath.Dir(dir); dir = filepath.Dir(dir) {
		if holds(p.folder(dir)) {
			return dir
		}
		if dir == root {
			break
		}
	}
	return ""
}

// rootNamespace is the namespace that the project file in a folder gives to files
// beside it; "" if there is no project.
func rootNamespace(dir string) string {
	projects, err := filepath.Glob(filepath.Join(escapeGlob(dir), "*.csproj"))
	if err != nil || len(projects) == 0 {
		return ""
	}
	text, err := regular.Read(projects[0], maxManifest)
	if err != nil {
		return ""
	}
	if _, rest, found := strings.Cut(string(text), "<RootNamespace>"); found {
		name, _, _ := strings.Cut(rest, "<")
		return strings.TrimSpace(name)
	}
	return strings.NewReplacer(" ", "_", "-", "_").Replace(strings.TrimSuffix(filepath.Base(projects[0]), ".csproj"))
}

// escapeGlob is a path as a pattern that it alone matches.
func escapeGlob(dir string) string {
	if filepath.Separator == '\\' {
		return dir // there is nothing to escape with
	}
	return strings.NewReplacer(`\`, `\\`, "*", `\*`, "?", `\?`, "[", `\[`).Replace(dir)
}

// A namespaceFolder is where composer looks for what is in a namespace.
type namespaceFolder struct{ folder, namespace string } // src/, Shop\Carts

// psr4 are the folders in a composer.json's autoload sections, the longest first.
func psr4(file string) []namespaceFolder {
	text, err := regular.Read(file, maxManifest)
	if err != nil {
		return nil
	}
	type autoload struct {
		PSR4 map[string]json.RawMessage `json:"psr-4"`
	}
	var manifest struct {
		Autoload    autoload `json:"autoload"`
		AutoloadDev autoload `json:"autoload-dev"`
	}
	if json.Unmarshal(text, &manifest) != nil {
		return nil
	}
	var list []namespaceFolder
	for _, section := range []autoload{manifest.Autoload, manifest.AutoloadDev} {
		for namespace, where := range section.PSR4 {
			for _, folder := range oneOrMany(where) {
				folder = path.Clean(folder) + "/"
				if folder == "./" {
					folder = ""
				}
				list = append(list, namespaceFolder{folder, strings.Trim(namespace, `\`)})
			}
		}
	}
	slices.SortFunc(list, func(a, b namespaceFolder) int {
		if n := len(b.folder) - len(a.folder); n != 0 {
			return n
		}
		return strings.Compare(a.folder+a.namespace, b.folder+b.namespace)
	})
	return list
}

// oneOrMany reads a string or a list of them.
func oneOrMany(text json.RawMessage) []string {
	var one string
	if json.Unmarshal(text, &one) == nil {
		return []string{one}
	}
	var many []string
	if json.Unmarshal(text, &many) != nil {
		return nil
	}
	return many
}
