package lsp

import (
	"reflect"
	"strconv"
	"strings"
	"testing"
)

// FuzzARepositorysConfiguration is a .readahead.toml of any bytes, and the same as
// the JSON of a client: nothing of it widens what the user has.
func FuzzARepositorysConfiguration(f *testing.F) {
	for _, text := range []string{
		"enable = true\nmultiline = true\n", "endpoint = \"http://evil.example\"\nmodel = \"x\"\n", "[readahead]\nsamples = 64\n",
		"ignore = [\"!.env\", \"gen/\"]\nlanguages = [\"rust\"]\n", "evidenceTokens = 1e9\nmaxFileSize = 9223372036854775807\n",
		"primary = \"lexical\"\nkeepAlive = -1\nlogLevel = \"debug\"\n", "a.b.c = 1\n", "\xff\xfe", `{"enable": null, "ignore": {"a": 1}}`,
	} {
		f.Add(text)
	}
	own := DefaultConfig()
	own.Ignore, own.Languages, own.EvidenceTokens, own.MaxFileSize, own.Multiline = []string{"secret/"}, []string{"go", "python"}, 1000, 5000, false
	f.Fuzz(func(t *testing.T, text string) {
		c, errs := own.applyTOML([]byte(text), Source{Name: "repo", Workspace: true})
		narrower(t, own, c)
		if len(errs) > mostMistakes+1 {
			t.Fatalf("%d errors", len(errs))
		}
		lines := 1 + strings.Count(text, "\n")
		for _, err := range errs {
			of, rest, _ := strings.Cut(err.Error(), ": ")
			_, line, _ := strings.Cut(of, ":")
			if n, _ := strconv.Atoi(line); n > lines || rest == "" || OneLine(err.Error()) == "" {
				t.Fatalf("of %d lines: %v", lines, err)
			}
		}
		c, _ = own.ApplyJSON([]byte(text), Source{Name: "repo", Workspace: true})
		narrower(t, own, c)
		user, _ := DefaultConfig().ApplyJSON([]byte(text), Source{Name: "user"})
		if user.Samples < 1 || user.Samples > 64 || user.DeadlineMs < 50 || user.MaxFileSize < 1 || user.EvidenceTokens < 0 {
			t.Fatalf("out of bounds: %+v", user)
		}
	})
}

// narrower fails the test unless c allows no more than own.
func narrower(t *testing.T, own, c Config) {
	t.Helper()
	if c.Enable && !own.Enable || c.Multiline && !own.Multiline || c.EvidenceTokens > own.EvidenceTokens || c.MaxFileSize > own.MaxFileSize ||
		len(c.Ignore) < len(own.Ignore) || !reflect.DeepEqual(c.Ignore[:len(own.Ignore)], own.Ignore) || len(c.Languages) == 0 {
		t.Fatalf("%+v allows more than %+v", c, own)
	}
	for _, p := range c.Ignore[len(own.Ignore):] {
		if len(p) > 0 && p[0] == '!' {
			t.Fatalf("%q brings back what the user excludes", p)
		}
	}
	for _, l := range c.Languages {
		if l != "go" && l != "python" {
			t.Fatalf("%q is none of the user's languages", l)
		}
	}
	for _, s := range Settings() {
		if !s.Workspace && !reflect.DeepEqual(s.get(c), s.get(own)) {
			t.Fatalf("a repository has set %s to %v", s.Key, s.get(c))
		}
	}
}
