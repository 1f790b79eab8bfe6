package ownfile

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
)

var records = Kind{Name: "a list", Begins: `{"id":`}

func TestOnlyItsKindGivesWayToAFile(t *testing.T) {
	for _, tt := range []struct {
		name, old string
		replaced  bool
	}{
		{"an older list", "{\"id\":1}\n", true},
		{"an empty file", "", true},
		{"a source", "package main\n", false},
		{"the beginning of a beginning", `{"i`, false},
	} {
		path := filepath.Join(t.TempDir(), "file")
		if err := os.WriteFile(path, []byte(tt.old), 0o644); err != nil {
			t.Fatal(err)
		}
		err := Write(path, records, []byte("{\"id\":2}\n"))
		now, readErr := os.ReadFile(path)
		if readErr != nil {
			t.Fatal(readErr)
		}
		if tt.replaced != (err == nil) || tt.replaced != (string(now) == "{\"id\":2}\n") || !tt.replaced && string(now) != tt.old {
			t.Errorf("%s: error %v, and the file is %q", tt.name, err, now)
		}
		if err != nil && (!strings.Contains(err.Error(), path) || !strings.Contains(err.Error(), "not a list")) {
			t.Errorf("%s: %v", tt.name, err)
		}
	}
}

func TestAFileThatIsNotKeptLeavesNothingBehind(t *testing.T) {
	dir := t.TempDir()
	path := filepath.Join(dir, "list")
	f, err := Create(path, records)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := f.WriteString("half"); err != nil {
		t.Fatal(err)
	}
	f.Drop()
	f.Drop()
	if left, err := os.ReadDir(dir); err != nil || len(left) != 0 {
		t.Errorf("left behind: %v, %v", left, err)
	}
	(*File)(nil).Drop()
}

func TestWhatComesToANameMeanwhileIsLeftAlone(t *testing.T) {
	dir := t.TempDir()
	path := filepath.Join(dir, "list")
	f, err := Create(path, records)
	if err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(path, []byte("mine"), 0o600); err != nil {
		t.Fatal(err)
	}
	if err := f.Keep(); err == nil {
		t.Error("it was replaced")
	}
	text, err := os.ReadFile(path)
	if left, _ := os.ReadDir(dir); err != nil || string(text) != "mine" || len(left) != 1 {
		t.Errorf("%q, %v, %v", text, err, left)
	}
}
