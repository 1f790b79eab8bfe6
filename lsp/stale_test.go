package lsp

import (
	"os"
	"path/filepath"
	"testing"

	"readahead/model/replay"
)

// A branch switch that no editor announces: what was answered before it is asked
// for anew, and a saved document is no such thing.
func TestTheDiskAloneMakesAnswersStale(t *testing.T) {
	dir := write(t, workspace)
	e := engine(t, dir, DefaultConfig(), replay.New(replay.Texts("x()")), nil)
	lib, main := filepath.Join(dir, "lib", "lib.go"), filepath.Join(dir, "main.go")
	e.OpenDocument(main, "go", []byte(workspace["main.go"]))
	before := e.Changes()
	for _, step := range []struct {
		what, path, text string
		counts           bool
	}{
		{"the open document is saved", main, workspace["main.go"] + "\n", false},
		{"another file changes", lib, workspace["lib/lib.go"] + "\nfunc More() {}\n", true},
		{"a new file appears", filepath.Join(dir, "lib", "new.go"), "package lib\n", true},
		{"it goes", filepath.Join(dir, "lib", "new.go"), "", true},
	} {
		if step.text != "" {
			if err := os.WriteFile(step.path, []byte(step.text), 0o600); err != nil {
				t.Fatal(err)
			}
		} else if err := os.Remove(step.path); err != nil {
			t.Fatal(err)
		}
		e.current().FilesChanged(t.Context(), []string{step.path}) // as its own watch does
		if now := e.Changes(); (now > before) != step.counts {
			t.Errorf("%s: from %d to %d", step.what, before, now)
		} else {
			before = now
		}
	}
	if err := e.Reindex(t.Context(), nil); err != nil || e.Changes() <= before {
		t.Errorf("indexed anew: from %d to %d, %v", before, e.Changes(), err)
	}
}

func TestWhatTheCompleterNoticesByItselfEndsTheMemory(t *testing.T) {
	f := newFake()
	f.say("value")
	c := connect(t, f, testOptions())
	c.start(`{}`)
	c.open("/home/me/a.py", "python", "x = ")
	for i, want := range []int{1, 1, 2} {
		if i == 2 {
			f.changes.Add(1)
		}
		if got, err := c.inline("/home/me/a.py", "x = ", 4); err != nil || len(got.Items) != 1 || f.calls() != want {
			t.Errorf("request %d: %v, %v; %d requests to the model, want %d", i, got, err, f.calls(), want)
		}
	}
}
