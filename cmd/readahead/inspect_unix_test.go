//go:build unix

package main

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
)

func TestInspectOpensThePageWhereThereIsADisplay(t *testing.T) {
	dir := unpack(t, "shop")
	at := cursor(t, filepath.Join(dir, "order", "order.go"))
	programs, told := t.TempDir(), filepath.Join(t.TempDir(), "told")
	page := filepath.Join(t.TempDir(), "page.html")
	for _, tt := range []struct {
		name, opener string
		opened       bool
		says         string // on standard error
	}{
		{"a display", "#!/bin/sh\necho \"$1\" >" + told + "\n", true, ""},
		{"an opener that fails", "#!/bin/sh\nexit 3\n", false, "not opened: "},
		{"no opener", "", false, "(open the file yourself)"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			for _, name := range []string{"xdg-open", "open"} {
				path := filepath.Join(programs, name)
				_ = os.Remove(path) // the first time there is none
				if tt.opener != "" {
					put(t, path, tt.opener)
					if err := os.Chmod(path, 0o755); err != nil {
						t.Fatal(err)
					}
				}
			}
			_ = os.Remove(told) // only the first opener makes it
			c := command(t.Context(), t, "inspect", "--root", dir, "--out", page, at)
			c.Env = append(c.Env, "DISPLAY=:9", "PATH="+programs)
			got := finish(t, c)
			if got.status != 0 || got.stdout != page+"\n" || !strings.Contains(got.stderr, tt.says) {
				t.Errorf("%+v", got)
			}
			if text, err := os.ReadFile(told); (err == nil) != tt.opened || tt.opened && string(text) != page+"\n" {
				t.Errorf("the opener was told %q, %v", text, err)
			}
		})
	}
}
