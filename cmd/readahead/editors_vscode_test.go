package main

import (
	"encoding/json"
	"os"
	"strings"
	"testing"

	"readahead/lsp"
)

// The extension's settings are the server's, in the server's words, and a
// workspace may set no more through VS Code than through .readahead.toml.
func TestEditorVSCodeSettingsAreTheServers(t *testing.T) {
	text, err := os.ReadFile("../../editors/vscode/package.json")
	if err != nil {
		t.Fatal(err)
	}
	var manifest struct {
		Contributes struct {
			Configuration struct {
				Properties map[string]struct {
					Scope   string `json:"scope"`
					Doc     string `json:"markdownDescription"`
					Default any    `json:"default"`
				} `json:"properties"`
			} `json:"configuration"`
		} `json:"contributes"`
	}
	if err := json.Unmarshal(text, &manifest); err != nil {
		t.Fatal(err)
	}
	properties := manifest.Contributes.Configuration.Properties
	for _, s := range lsp.Settings() {
		p, ok := properties["readahead."+s.Key]
		if !ok {
			t.Errorf("no setting readahead.%s", s.Key)
			continue
		}
		if p.Doc != s.Doc {
			t.Errorf("readahead.%s says %q, the server %q", s.Key, p.Doc, s.Doc)
		}
		if !s.Workspace && p.Scope != "machine" {
			t.Errorf("a workspace may set readahead.%s (scope %q)", s.Key, p.Scope)
		}
		if c, errs := lsp.DefaultConfig().Apply(map[string]any{s.Key: p.Default}, lsp.Source{Name: "package.json"}); len(errs) > 0 {
			t.Errorf("default of readahead.%s: %v", s.Key, errs)
		} else if strings.Join(differences(c, lsp.DefaultConfig()), " ") != "" {
			t.Errorf("readahead.%s: default %v is not the server's", s.Key, p.Default)
		}
	}
	if want := len(lsp.Settings()) + 1; len(properties) != want {
		t.Errorf("%d settings, want %d: the server's and readahead.path", len(properties), want)
	}
}

// differences names the fields of two configurations that differ in JSON, where
// no list and an empty one are the same.
func differences(a, b lsp.Config) (names []string) {
	fields := func(c lsp.Config) map[string]any {
		var m map[string]any
		text, err := json.Marshal(c)
		if err == nil {
			err = json.Unmarshal([]byte(strings.ReplaceAll(string(text), ":[]", ":null")), &m)
		}
		if err != nil {
			return nil
		}
		return m
	}
	x, y := fields(a), fields(b)
	for name := range x {
		p, _ := json.Marshal(x[name]) // it came out of JSON
		q, _ := json.Marshal(y[name])
		if string(p) != string(q) {
			names = append(names, name)
		}
	}
	return names
}
