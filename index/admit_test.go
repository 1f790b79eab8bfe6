package index

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"readahead/index/facts"
)

func link(t *testing.T, target, at string) {
	t.Helper()
	if err := os.Symlink(target, at); err != nil {
		t.Fatal(err)
	}
}

func TestWhatALinkLeadsToIsJudgedToo(t *testing.T) {
	top := t.TempDir()
	if real, err := filepath.EvalSymlinks(top); err == nil {
		top = real
	}
	ws := filepath.Join(top, "ws")
	for name, text := range map[string]string{
		"ws/a.go": "package a\n", "ws/.env": "KEY=hunter2\n", "ws/.gitignore": "private/\n", "ws/private/p.go": "package p\n",
		"ws/sub/b.go": "package b\n", "out/out.go": "package out\n", "out/.env": "KEY=1\n", "out/.ssh/config": "Host x\n",
	} {
		write(t, filepath.Join(top, name), text)
	}
	link(t, ".env", filepath.Join(ws, "env.go"))
	link(t, "env.go", filepath.Join(ws, "twice.go"))
	link(t, "private/p.go", filepath.Join(ws, "p.go"))
	link(t, "private", filepath.Join(ws, "open"))
	link(t, "../out/out.go", filepath.Join(ws, "link.go"))
	link(t, "../out", filepath.Join(ws, "outdir"))
	link(t, "sub/b.go", filepath.Join(ws, "b.go"))
	link(t, "nowhere", filepath.Join(ws, "dangling.go"))
	link(t, "circle.go", filepath.Join(ws, "circle.go"))
	link(t, ".env", filepath.Join(top, "out", "env.go"))
	link(t, filepath.Join(ws, "private", "p.go"), filepath.Join(top, "out", "p.go"))
	link(t, "ws", filepath.Join(top, "alias"))
	for _, root := range []string{ws, filepath.Join(top, "alias")} {
		ix := built(t, Options{Roots: []string{root}})
		for path, why := range map[string]string{
			root + "/a.go":           "",
			ws + "/a.go":             "",
			root + "/new/file.go":    "",
			root + "/b.go":           "", // leads to another file of the workspace
			root + "/env.go":         "name of a secret",
			root + "/twice.go":       "name of a secret",
			root + "/p.go":           "private/",
			root + "/open/p.go":      "private/",
			root + "/link.go":        "outside the workspace",
			root + "/outdir/out.go":  "outside the workspace",
			root + "/outdir/new.go":  "outside the workspace",
			root + "/dangling.go":    "leads nowhere",
			root + "/circle.go":      "not known",
			top + "/out/out.go":      "", // opened by its own name
			top + "/out/env.go":      "name of a secret",
			top + "/out/p.go":        "private/",
			top + "/out/.ssh/config": "folder of secrets",
		} {
			got, ignored := ix.Ignored(path)
			if ignored != (why != "") || !strings.Contains(got, why) {
				t.Errorf("in %s: %s is ignored: %v, %q; want %q", root, path, ignored, got, why)
			}
		}
	}
}

func TestADocumentThatIsNotReadIsNoEvidence(t *testing.T) {
	top := t.TempDir()
	ws := filepath.Join(top, "ws")
	write(t, filepath.Join(ws, ".env"), "x\n")
	write(t, filepath.Join(top, "out.go"), "package a\n")
	write(t, filepath.Join(ws, "fine.go"), "package a\n")
	link(t, ".env", filepath.Join(ws, "env.go"))
	link(t, "../out.go", filepath.Join(ws, "link.go"))
	ix := built(t, Options{Roots: []string{ws}, MaxFileSize: 1000})
	for name, text := range map[string]string{
		"env.go":   "package a\n\nfunc Taken() {}\n",
		"link.go":  "package a\n\nfunc Taken() {}\n",
		"fine.go":  "package a\n\nfunc Taken() {}\n" + strings.Repeat("//\n", 1000),
		"nul.go":   "package a\n\nfunc Taken() {}\n\x00",
		"key.go":   "-----BEGIN RSA PRIVATE KEY-----\nTaken\n",
		"other.go": "package a\n\nfunc Given() {}\n",
	} {
		ix.OpenDocument(filepath.Join(ws, name), facts.Go, []byte(text))
	}
	if err := ix.Settle(t.Context()); err != nil {
		t.Fatal(err)
	}
	if o := ix.Snapshot().Object("go ws Taken()."); o != nil {
		t.Errorf("%s became evidence", o.Path)
	}
	if ix.Snapshot().Object("go ws Given().") == nil {
		t.Error("a plain document did not become evidence")
	}
	grown := filepath.Join(ws, "other.go")
	ix.EditDocument(grown, 0, 0, []byte(strings.Repeat("//\n", 1000)))
	if err := ix.Settle(t.Context()); err != nil {
		t.Fatal(err)
	}
	if ix.Snapshot().Object("go ws Given().") != nil {
		t.Error("a document that grew over the limit is still evidence")
	}
}

func TestAURIIsJudgedByItsPath(t *testing.T) {
	ws := t.TempDir()
	write(t, filepath.Join(ws, ".gitignore"), "private/\n")
	ix := built(t, Options{Roots: []string{ws}})
	at := filepath.ToSlash(ws)
	for uri, want := range map[string]bool{
		"untitled:Untitled-1":                          false,
		"untitled:.env":                                true,
		"untitled:%2Eenv":                              true,
		"git:" + at + "/.env?{\"ref\":\"HEAD\"}":       true,
		"git:" + at + "/main.go?{\"ref\":\"HEAD\"}":    false,
		"git:" + at + "/private/a.go?{}":               true,
		"vscode-remote://ssh-remote+x/home/me/.env":    true,
		"vscode-remote://ssh-remote+x/home/me/.aws/a":  true,
		"vscode-remote://ssh-remote+x/home/me/a.go":    false,
		"vscode-vfs://github/o/r/id_rsa":               true,
		"vscode-notebook-cell:" + at + "/a.ipynb#W0":   false,
		"vscode-notebook-cell:" + at + "/private/a#W0": true,
		"vscode-notebook-cell:" + at + "/secrets.nb#a": true,
		"file://elsewhere/share/.env":                  true,
	} {
		if why, got := ix.Ignored(uri); got != want {
			t.Errorf("%s: ignored %v (%s), want %v", uri, got, why, want)
		}
	}
}

func TestATextIsJudgedWithItsPath(t *testing.T) {
	ws := t.TempDir()
	ix := built(t, Options{Roots: []string{ws}, MaxFileSize: 5000})
	for _, tt := range []struct{ name, text, why string }{
		{"code", "package a\n", ""},
		{"nothing", "", ""},
		{"prose in long lines is being written by hand", strings.Repeat("word ", 900), ""},
		{"a NUL", "package a\n\x00", "binary"},
		{"UTF-16", "\xff\xfep\x00a\x00", "binary"},
		{"too many bytes", strings.Repeat("//\n", 2000), "6000 bytes, over the limit of 5000 (maxFileSize)"},
		{"a key", "\n-----BEGIN OPENSSH PRIVATE KEY-----\nx\n", "private key"},
	} {
		for _, path := range []string{filepath.Join(ws, "a.go"), "untitled:a"} {
			why, refused := ix.Refused(path, []byte(tt.text))
			if refused != (tt.why != "") || !strings.Contains(why, tt.why) {
				t.Errorf("%s, in %s: %v, %q", tt.name, path, refused, why)
			}
		}
	}
}

func TestAFileHasOneName(t *testing.T) {
	top := t.TempDir()
	if real, err := filepath.EvalSymlinks(top); err == nil {
		top = real
	}
	ws := filepath.Join(top, "ws")
	for name, text := range map[string]string{"ws/a.go": "package a\n", "ws/.gitignore": "private/\n", "ws/sub/b.go": "package b\n", "ws/private/p.go": "package p\n", "out/out.go": "package out\n"} {
		write(t, filepath.Join(top, name), text)
	}
	link(t, "sub/b.go", filepath.Join(ws, "b.go"))
	link(t, "sub", filepath.Join(ws, "alias"))
	link(t, "../out/out.go", filepath.Join(ws, "out.go"))
	link(t, "../a.go", filepath.Join(ws, "private", "a.go"))
	link(t, "nowhere", filepath.Join(ws, "dangling.go"))
	link(t, filepath.Join(ws, "a.go"), filepath.Join(top, "out", "a.go"))
	link(t, "ws", filepath.Join(top, "other"))
	for _, root := range []string{ws, filepath.Join(top, "other")} {
		ix := built(t, Options{Roots: []string{root}})
		for path, want := range map[string]string{
			root + "/a.go":         root + "/a.go",
			ws + "/a.go":           root + "/a.go",
			root + "/b.go":         root + "/sub/b.go",
			root + "/alias/b.go":   root + "/sub/b.go",
			root + "/alias/new.go": root + "/sub/new.go",
			top + "/out/a.go":      root + "/a.go",
			"untitled:Untitled-1":  "untitled:Untitled-1",
			// What is ignored or not the workspace's stays what it is called.
			root + "/private/a.go": root + "/private/a.go",
			root + "/out.go":       root + "/out.go",
			root + "/dangling.go":  root + "/dangling.go",
			top + "/out/out.go":    top + "/out/out.go",
		} {
			if got := ix.Name(path); got != want && ix.folders.abs(got) != want {
				t.Errorf("in %s: %s is %s, want %s", root, path, got, want)
			}
		}
	}
}
