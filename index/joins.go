package index

import (
	"path"
	"strings"

	"readahead/index/facts"
)

// How files of a language find each other's names. Three shapes cover all:
//
//	a file is a package      TypeScript, JavaScript, Python, Rust: an import names it
//	a clause says which      Java, C#, PHP: every file of the package sees its names
//	all names are global     C, C++, Ruby, PHP without a namespace: an include or a
//	                         require only says which are meant first
//
// Files of the third kind are packages of their own here, called by their paths,
// so that includes can be followed; their symbols are of the package ".", and a
// static function's of its file.

// family is the language whose files see those of lang: a header is C's and
// C++'s, and a JavaScript file imports a TypeScript one.
func family(lang facts.Language) facts.Language {
	switch lang {
	case facts.JavaScript:
		return facts.TypeScript
	case facts.C:
		return facts.Cpp
	}
	return lang
}

func related(f, g *file) bool { return family(f.lang) == family(g.lang) }

// clauseNames reports whether the package of a file is what the file says.
func clauseNames(lang facts.Language) bool {
	return lang == facts.Java || lang == facts.CSharp || lang == facts.PHP
}

// global reports whether the names of f's top level are known everywhere.
func (f *file) global() bool {
	switch f.lang {
	case facts.C, facts.Cpp, facts.Ruby:
		return true
	case facts.PHP:
		return f.clause == 0
	}
	return false
}

// implicitReceiver reports whether methods use members without naming the
// receiver.
func (f *file) implicitReceiver() bool {
	switch f.lang {
	case facts.Java, facts.CSharp, facts.Cpp, facts.Ruby:
		return true
	}
	return false
}

// classic are the languages whose rules were here first: what is said below of
// self types and element methods does not hold for them.
func (f *file) classic() bool { return f.lang == facts.Go || f.lang == facts.Python }

// separator stands between the parts of a package's name.
func separator(lang facts.Language) string {
	switch lang {
	case facts.Rust:
		return "::"
	case facts.PHP:
		return `\`
	}
	return "."
}

// sharesTypes reports whether a type of f may have members that g declares.
func (s *Snapshot) sharesTypes(f, g *file) bool {
	switch {
	case f == g:
		return true
	case f.lang == facts.Go:
		return f.pkg == g.pkg
	case f.lang == facts.CSharp: // partial classes
		return f.pkg == g.pkg
	case f.lang == facts.Rust:
		return g.lang == facts.Rust && crate(s.names.str(f.pkg)) == crate(s.names.str(g.pkg))
	case f.global():
		return g.global() && related(f, g)
	}
	return false
}

func crate(pkg string) string {
	name, _, _ := strings.Cut(pkg, "::")
	return name
}

// importPaths are the packages that an import may mean, the likeliest first.
func (s *Snapshot) importPaths(f *file, m *imported) []string {
	p, pkg := s.names.str(m.path), s.names.str(f.pkg)
	switch f.lang {
	case facts.Python:
		if m.name == 0 && m.local != 0 && !strings.HasPrefix(p, ".") {
			// import a.b.c binds a.
			if first, _, dotted := strings.Cut(p, "."); dotted && s.names.str(m.local) == first {
				return []string{first}
			}
		}
		return pythonImport(pkg, strings.HasPrefix(lastElement(f.rel), "__init__."), p)
	case facts.TypeScript, facts.JavaScript:
		return moduleImport(pkg, p)
	case facts.Rust:
		return rustImport(pkg, p)
	case facts.C, facts.Cpp:
		return includePaths(pkg, p)
	case facts.Ruby:
		return requirePaths(pkg, p)
	case facts.PHP:
		return []string{strings.Trim(p, `\`)}
	}
	return []string{p}
}

// moduleImport lists the modules that an import of TypeScript or JavaScript may
// mean: a file beside this one, the index of a folder, a package of the
// workspace, or a path from its root under the usual alias @/.
func moduleImport(module, p string) []string {
	if p = withoutExtension(p); p == "" {
		return nil
	}
	if strings.HasPrefix(p, ".") {
		at := path.Join(path.Dir(module), p)
		return []string{at, path.Join(at, "index")}
	}
	rest := strings.TrimPrefix(strings.TrimPrefix(p, "@/"), "~/")
	return []string{p, p + "/index", p + "/src/index", "src/" + rest, "src/" + rest + "/index", rest, rest + "/index"}
}

// moduleExtensions may stand at the end of an imported path.
var moduleExtensions = []string{".d.ts", ".d.mts", ".tsx", ".ts", ".mts", ".cts", ".jsx", ".js", ".mjs", ".cjs"}

func withoutExtension(p string) string {
	for _, ext := range moduleExtensions {
		if rest, ok := strings.CutSuffix(p, ext); ok && rest != "" {
			return rest
		}
	}
	return p
}

// rustImport lists the modules that a path may mean in a module.
func rustImport(module, p string) []string {
	first, rest, _ := strings.Cut(p, "::")
	join := func(a, b string) string {
		switch {
		case b == "":
			return a
		case a == "":
			return b
		}
		return a + "::" + b
	}
	switch first {
	case "crate":
		return []string{join(crate(module), rest)}
	case "self":
		return []string{join(module, rest)}
	case "super":
		up, below := module, p
		for {
			after, ok := strings.CutPrefix(below, "super")
			if !ok || after != "" && !strings.HasPrefix(after, "::") {
				break
			}
			up, below = up[:max(0, strings.LastIndex(up, "::"))], strings.TrimPrefix(after, "::")
		}
		return []string{join(up, below), join(crate(module), below)}
	}
	return []string{p, join(module, p), join(crate(module), p)}
}

// includePaths lists the files that an include may mean: beside the one that
// includes, and in the include and source folders above it.
func includePaths(file, p string) []string {
	var out []string
	for dir := path.Dir(file); ; dir = path.Dir(dir) {
		for _, sub := range []string{"", "include", "inc", "src", "lib"} {
			out = append(out, path.Join(dir, sub, p))
		}
		if dir == "." || dir == "/" {
			return out
		}
	}
}

// requirePaths lists the files that a require of Ruby may mean.
func requirePaths(file, p string) []string {
	p = strings.TrimSuffix(p, ".rb")
	if strings.HasPrefix(p, ".") {
		return []string{path.Join(path.Dir(file), p)}
	}
	var out []string
	for dir := path.Dir(file); ; dir = path.Dir(dir) {
		for _, sub := range []string{"lib", "", "app/models"} {
			out = append(out, path.Join(dir, sub, p))
		}
		if dir == "." || dir == "/" {
			return out
		}
	}
}

// plainPaths rewrites what separates the parts of an expression or a type to
// dots: a::b, a->b, a?.b, a\b, and @a of Ruby, which is a of self.
var plainPaths = strings.NewReplacer("::", ".", "?->", ".", "->", ".", "?.", ".", "&.", ".", "!.", ".", `\`, ".", "$", "", "@@", "self.", "@", "self.")

// plainPath is the end of a line of code with dots for every separator.
func plainPath(lang facts.Language, line []byte) []byte {
	if lang == facts.Go || lang == facts.Python || lang == "" {
		return line
	}
	return []byte(plainPaths.Replace(string(line)))
}
