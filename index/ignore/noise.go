package ignore

import (
	"bytes"
	"os"
	"path/filepath"
	"strings"
)

// noise says why an entry is not worth reading whatever git thinks; "" if it is.
// These names mean the same everywhere. A "!" in .readaheadignore or in the
// settings brings an entry back; one in .gitignore does not, since tracked
// build output is build output.
func noise(name string, isDir bool) string {
	if isDir {
		if noiseDirs[name] || strings.HasSuffix(name, ".egg-info") {
			return "built in: downloads, caches or build output"
		}
		return ""
	}
	if noiseFiles[name] {
		return "built in: lock file"
	}
	switch name[lastDot(name):] {
	case ".lock":
		return "built in: lock file"
	case ".map":
		return "built in: source map"
	case ".js", ".mjs", ".cjs", ".css":
		if stem := name[:lastDot(name)]; strings.HasSuffix(stem, ".min") || strings.HasSuffix(stem, "-min") {
			return "built in: minified"
		}
	}
	return ""
}

var noiseDirs = oneOf(
	"node_modules", "bower_components", "jspm_packages", "__pycache__", "__pypackages__", "site-packages",
	".venv", ".virtualenv", ".tox", ".nox", ".eggs", ".mypy_cache", ".pytest_cache", ".ruff_cache", ".pytype", ".hypothesis",
	".ipynb_checkpoints", ".gradle", ".idea", ".vs", ".metals", ".bloop", ".bsp", ".terraform", ".terragrunt-cache",
	".next", ".nuxt", ".svelte-kit", ".parcel-cache", ".turbo", ".angular", ".cache", ".pnpm-store", ".yarn", ".nx",
	".direnv", ".bundle", ".dart_tool", ".stack-work", "dist-newstyle", "elm-stuff", ".zig-cache", "zig-cache", "zig-out",
	".ccls-cache", ".clangd", ".build", "DerivedData", ".serverless", ".aws-sam", ".nyc_output", ".elixir_ls",
)

var noiseFiles = oneOf("package-lock.json", "npm-shrinkwrap.json", "pnpm-lock.yaml", "go.sum", "go.work.sum", "bun.lockb", "packages.lock.json")

// outputOf names folders that are build output only next to a file that says
// which tool builds: "target" next to Cargo.toml, but not a package "target".
var outputOf = map[string][]string{
	"target": {"Cargo.toml", "pom.xml", "build.sbt"},
	"build":  {"build.gradle", "build.gradle.kts", "setup.py", "pubspec.yaml"},
	"dist":   {"package.json", "setup.py", "pyproject.toml"},
	"out":    {"tsconfig.json", "foundry.toml"},
	"_build": {"mix.exs", "dune-project", "rebar.config"},
	"deps":   {"mix.exs"},
	"Pods":   {"Podfile"},
	"obj":    {"*.csproj", "*.fsproj", "*.vbproj", "*.vcxproj"},
	"bin":    {"*.csproj", "*.fsproj", "*.vbproj", "*.vcxproj"},
}

// cacheTag starts a CACHEDIR.TAG (Cache Directory Tagging Specification), which
// cargo, pytest, mypy and others put into what they can build again.
const cacheTag = "Signature: 8a477f597d28d172789f06886806bc55"

// buildOutput says why the folder dir holds what a tool can make again, judged
// by what is in it and next to it; "" if there is no sign of that.
func (r *Rules) buildOutput(rel, dir string, has func(string) bool) string {
	switch {
	case rel == "":
		return ""
	case has("pyvenv.cfg"):
		return "built in: Python environment (pyvenv.cfg)"
	case has("CMakeCache.txt"):
		return "built in: CMake build (CMakeCache.txt)"
	case has("CACHEDIR.TAG") && hasCacheTag(filepath.Join(dir, "CACHEDIR.TAG")):
		return "built in: cache (CACHEDIR.TAG)"
	}
	for _, sign := range outputOf[filepath.Base(dir)] {
		if beside(dir, sign) {
			return "built in: build output (" + sign + " next to it)"
		}
	}
	return ""
}

func hasCacheTag(file string) bool {
	data, err := readRuleFile(file, false)
	return err == nil && bytes.HasPrefix(data, []byte(cacheTag))
}

// beside reports whether the folder of dir has a file that fits sign.
func beside(dir, sign string) bool {
	up := filepath.Dir(dir)
	ext, any := strings.CutPrefix(sign, "*")
	if !any {
		return exists(filepath.Join(up, sign))
	}
	entries, err := os.ReadDir(up)
	if err != nil {
		return false
	}
	for _, e := range entries {
		if strings.HasSuffix(e.Name(), ext) {
			return true
		}
	}
	return false
}
