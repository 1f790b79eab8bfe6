package main

import (
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"
)

// A user types, pauses, and does what else a day brings. Everything follows from
// the seed of r.
type user struct {
	t      *testing.T
	editor *soakEditor
	dir    string
	server *faultyServer
	r      *rand.Rand

	docs         []*openFile
	bursts, keys int
	version      int
}

// An openFile is a document as the user sees it.
type openFile struct {
	uri, path string
	text      string
	at        int // the cursor
	version   int
}

func (u *user) open(rel string) *openFile {
	path := filepath.Join(u.dir, filepath.FromSlash(rel))
	text, err := os.ReadFile(path)
	if err != nil {
		u.t.Error(err)
	}
	clean := strings.Replace(string(text), "$0", "", 1)
	d := &openFile{uri: "file://" + filepath.ToSlash(path), path: path, text: clean, at: strings.LastIndex(clean, "\n}") + 1}
	u.docs = append(u.docs, d)
	u.editor.notify("textDocument/didOpen", map[string]any{"textDocument": map[string]any{"uri": d.uri, "languageId": "go", "version": 1, "text": d.text}})
	return d
}

func (u *user) has(rel string) bool {
	return slices.ContainsFunc(u.docs, func(d *openFile) bool { return strings.HasSuffix(d.path, filepath.FromSlash(rel)) })
}

func (u *user) close(i int) {
	u.editor.notify("textDocument/didClose", map[string]any{"textDocument": map[string]any{"uri": u.docs[i].uri}})
	u.docs = append(u.docs[:i], u.docs[i+1:]...)
}

// position is in UTF-8 units, as was agreed.
func (d *openFile) position(at int) map[string]int {
	before := d.text[:at]
	return map[string]int{"line": strings.Count(before, "\n"), "character": at - strings.LastIndex(before, "\n") - 1}
}

// replace is an edit of the bytes from start to end.
func (u *user) replace(d *openFile, start, end int, with string) {
	d.version++
	edit := map[string]any{"range": map[string]any{"start": d.position(start), "end": d.position(end)}, "text": with}
	d.text = d.text[:start] + with + d.text[end:]
	d.at = start + len(with)
	u.editor.notify("textDocument/didChange", map[string]any{
		"textDocument": map[string]any{"uri": d.uri, "version": d.version}, "contentChanges": []any{edit}})
}

func (u *user) complete(d *openFile, method string, kind int) {
	u.editor.ask(method, map[string]any{"textDocument": map[string]any{"uri": d.uri}, "position": d.position(d.at), "context": map[string]any{"triggerKind": kind}})
}

// phrases are what is typed, a letter at a time.
var phrases = []string{"\ttotal := c.Total()\n", "\tif err := c.Add(it); err != nil {\n\t\treturn err\n\t}\n", "\tprice := gen.Rate3(it.Each, 2)\n", "\t// what is bought again\n", "\tfor _, it := range items {\n", "\t}\n", "\tfmt.Println(\"größer\", it.Name)\n"}

// burst types n keys into the first document, asking after each as an editor does.
func (u *user) burst(n int, key time.Duration) {
	d := u.docs[0]
	phrase := ""
	for range n {
		if phrase == "" {
			phrase = phrases[u.r.IntN(len(phrases))]
		}
		letter := string([]rune(phrase)[:1])
		phrase = phrase[len(letter):]
		u.replace(d, d.at, d.at, letter)
		u.complete(d, "textDocument/inlineCompletion", 2)
		u.keys++
		time.Sleep(key)
	}
	u.bursts++
}

// act is the next thing that happens: mostly typing and thinking.
func (u *user) act() {
	u.burst(2+u.r.IntN(20), 33*time.Millisecond)
	time.Sleep(time.Duration(50+u.r.IntN(4000)) * time.Millisecond)
	d := u.docs[0]
	switch u.r.IntN(16) {
	case 0:
		u.complete(d, "textDocument/inlineCompletion", 1)
	case 1:
		u.complete(d, "textDocument/completion", 1)
	case 2: // takes a line back
		start := strings.LastIndex(strings.TrimSuffix(d.text[:d.at], "\n"), "\n") + 1
		u.replace(d, start, d.at, "")
	case 3: // starts anew, so that the file stays a file
		if text, err := os.ReadFile(d.path); err == nil {
			u.replace(d, 0, len(d.text), strings.Replace(string(text), "$0", "", 1))
			d.at = strings.LastIndex(d.text, "\n}") + 1
		}
	case 4: // another document
		u.docs[0], u.docs[len(u.docs)-1] = u.docs[len(u.docs)-1], u.docs[0]
	case 5:
		if len(u.docs) > 2 {
			u.close(1 + u.r.IntN(len(u.docs)-1))
		} else if rel := fmt.Sprintf("gen/file%d.go", u.r.IntN(10)); !u.has(rel) {
			u.open(rel)
		}
	case 6, 7: // the disk changes
		u.version++
		u.disk(fmt.Sprintf("gen/file%d.go", 10+u.r.IntN(10)), generated(u.r.IntN(20), u.version))
	case 8: // a file comes or goes
		path := fmt.Sprintf("gen/new%d.go", u.r.IntN(5))
		if _, err := os.Stat(filepath.Join(u.dir, path)); err == nil {
			u.disk(path, "")
		} else {
			u.disk(path, generated(100, u.version))
		}
	case 9:
		u.editor.notify("workspace/didChangeConfiguration", map[string]any{"settings": map[string]any{"readahead": map[string]any{"samples": 4 + u.r.IntN(8), "multiline": u.r.IntN(2) == 0}}})
	case 10:
		u.editor.ask("workspace/executeCommand", map[string]any{"command": "readahead.status"})
	case 11:
		u.editor.ask("workspace/executeCommand", map[string]any{"command": "readahead.inspect", "arguments": []any{d.uri}})
	case 12:
		if u.r.IntN(8) == 0 {
			u.editor.ask("workspace/executeCommand", map[string]any{"command": "readahead.reindex"})
		}
	case 13: // asks and takes it back
		u.complete(d, "textDocument/inlineCompletion", 1)
		u.editor.mu.Lock()
		id := u.editor.id
		u.editor.mu.Unlock()
		u.editor.notify("$/cancelRequest", map[string]any{"id": id})
	default: // the model server's health changes; half of the time it gets well
		u.server.health.Store(max(0, u.r.Int32N(2*healths)-healths))
	}
}

// disk writes a file beside the editor, or deletes it if text is "".
func (u *user) disk(rel, text string) {
	path, kind := filepath.Join(u.dir, filepath.FromSlash(rel)), 2
	if text == "" {
		kind = 3
		if err := os.Remove(path); err != nil {
			u.t.Error(err)
		}
	} else {
		writeFile(u.t, path, text)
	}
	u.editor.notify("workspace/didChangeWatchedFiles", map[string]any{"changes": []any{map[string]any{"uri": "file://" + filepath.ToSlash(path), "type": kind}}})
}
