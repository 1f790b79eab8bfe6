package eval

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// FuzzTaskFile is a task file of any bytes: an error, or tasks that stay inside
// their repository and whose answer can be asked for.
func FuzzTaskFile(f *testing.F) {
	f.Add(`{"id":"a","path":"a.go","repo":{"kind":"dir"},"offset":1,"end_offset":2,"target":"x"}`)
	f.Add(`{"id":"a","path":"a.go","repo":{"kind":"goproxy","module":"../..","version":"/"},"mid_offset":-1,"target_mid":"x"}`)
	f.Add(`{"id":"a","path":"a.go","repo":{"kind":"debian","package":"../../etc","root":"../.."},"gold":[{"path":"b.go","start_line":1,"name_line":1,"end_line":1}]}`)
	f.Add("\x00\n{}\n[")
	f.Fuzz(func(t *testing.T, text string) {
		tasks, err := Parse(strings.NewReader(text))
		if err != nil && tasks != nil {
			t.Fatalf("%d tasks and %v", len(tasks), err)
		}
		dir := t.TempDir()
		for i := range tasks {
			k := &tasks[i]
			if !filepath.IsLocal(filepath.FromSlash(k.Path)) {
				t.Fatalf("%q leaves its repository", k.Path)
			}
			at, err := k.Repo.Dir(dir)
			if err != nil || !strings.HasPrefix(filepath.Clean(at)+"/", dir+"/") {
				t.Fatalf("%+v lies at %q, %v", k.Repo, at, err)
			}
			_ = k.Canonical(k.Target)
			if source, err := k.read(dir); err == nil {
				_ = k.without(source, false)
				_ = k.without(source, k.TargetMid != "")
			}
		}
	})
}

// FuzzPoolsFile is a pools file of any bytes: it is refused and stays as it is, or
// it is one, and what is kept after that is found again.
func FuzzPoolsFile(f *testing.F) {
	f.Add(`{"model":"m","policy":"","budget":0,"samples":0,"mid":false,"prompt":"","scores":false}` + "\n" + `{"id":"a","record":{}}` + "\n")
	f.Add(`{"model":`)
	f.Add("my notes\n")
	f.Fuzz(func(t *testing.T, text string) {
		path := filepath.Join(t.TempDir(), "pools.jsonl")
		if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
		terms := Terms{Model: "m"}
		p, err := OpenPools(path, terms)
		if err != nil {
			if now, _ := os.ReadFile(path); string(now) != text {
				t.Fatalf("refused, and changed to %q", now)
			}
			return
		}
		known := len(p.known)
		if err := p.Close(); err != nil {
			t.Fatal(err)
		}
		again, err := OpenPools(path, terms)
		if err != nil || len(again.known) != known {
			t.Fatalf("%v, and %d of %d tasks", err, len(again.known), known)
		}
		again.Close()
	})
}
