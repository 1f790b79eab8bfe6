package lsp

import (
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

func TestMistakesInAFileAreNamedWithTheirLines(t *testing.T) {
	for _, tt := range []struct{ name, text, want string }{
		{"none", "# nothing\nmultiline = false\n", ""},
		{"an unknown key", "\n\nfoo = 1\n", `F:3: unknown key "foo"`},
		{"several, in their order", "zebra = 1\n'apple' = 2\n", `F:1: unknown key "zebra"; F:2: unknown key "apple"`},
		{"a table", "[readahead]\nsamples = 1\n", `F:1: unknown key "readahead"`},
		{"a dotted key", "a.b.c = 1\n", `F:1: unknown key "a"`},
		{"a wrong value", "enable = \"x\"\n", `F:1: enable: want true or false, not "x"`},
		{"what a repository may not say", "# mine\nendpoint = \"x\"\n", "F:2: endpoint is ignored here: a repository may not set it (set it in your own configuration)"},
		{"what it may not raise", "evidenceTokens = 100000\n", "F:1: evidenceTokens is ignored here: a repository may only narrow it, and your own is 4096"},
		{"no TOML", "multiline = false\nendpoint = \n", "F:2: not valid TOML, and nothing of the file is used: expected value but found '\\n' instead"},
		{"a value of many lines", "ignore = [\n 1,\n 2]\nfoo = 1\n", `F:1: ignore: want a list of strings, but it holds 1; F:4: unknown key "foo"`},
		{"six", "a=1\nb=1\nc=1\nd=1\ne=1\nf=1\n", `F:1: unknown key "a"; F:2: unknown key "b"; F:3: unknown key "c"; F:4: unknown key "d"; F:5: unknown key "e"; F:6: unknown key "f"`},
		{"twelve", "a=1\nb=1\nc=1\nd=1\ne=1\nf=1\ng=1\nh=1\ni=1\nj=1\nk=1\nl=1\n",
			`F:1: unknown key "a"; F:2: unknown key "b"; F:3: unknown key "c"; F:4: unknown key "d"; F:5: unknown key "e"; F: and 7 more mistakes`},
	} {
		dir := t.TempDir()
		path := filepath.Join(dir, ".readahead.toml")
		if err := os.WriteFile(path, []byte(tt.text), 0o600); err != nil {
			t.Fatal(err)
		}
		empty := filepath.Join(dir, "own.toml")
		if err := os.WriteFile(empty, nil, 0o600); err != nil {
			t.Fatal(err)
		}
		_, errs := LoadConfig(empty, []string{dir, dir}) // as where an editor opens a folder twice
		var said []string
		for _, err := range errs {
			said = append(said, strings.ReplaceAll(err.Error(), path, "F"))
		}
		if got := strings.Join(said, "; "); got != tt.want {
			t.Errorf("%s:\n got %s\nwant %s", tt.name, got, tt.want)
		}
	}
}

// A repository may hold a megabyte of mistakes.
func TestAFileOfNothingButMistakesIsToldInAFewLines(t *testing.T) {
	dir := t.TempDir()
	var b strings.Builder
	for i := range 20_000 {
		fmt.Fprintf(&b, "%s%d = 1\n", strings.Repeat("k", 30), i)
	}
	if err := os.WriteFile(filepath.Join(dir, ".readahead.toml"), []byte(b.String()), 0o600); err != nil {
		t.Fatal(err)
	}
	_, errs := LoadConfig("", []string{dir})
	if len(errs) != mostMistakes+1 || !strings.Contains(errs[mostMistakes].Error(), "19995 more mistakes") {
		t.Errorf("%d errors, the last %v", len(errs), errs[len(errs)-1])
	}
}

func TestWhatIsWrongWithJSONIsSaidOfTheText(t *testing.T) {
	type thing struct {
		ID   string `json:"id"`
		Line int
		Of   []struct{ Name *string }
	}
	for _, tt := range []struct{ text, want string }{
		{"xx", "it is no JSON (byte 1: invalid character 'x' looking for beginning of value)"},
		{`{"id": 1`, "it ends in the middle of a value (was it cut off?)"},
		{`[]`, "it must be an object, not an array"},
		{`{"id": 5}`, `"id" must be a string, not a number`},
		{`{"Line": "x"}`, `"Line" must be a whole number, not a string`},
		{`{"Line": 1.5}`, `"Line" must be a whole number, not a number 1.5`},
		{`{"Of": [{"Name": {}}]}`, `"Of.Name" must be a string, not an object`},
		{`{"Of": true}`, `"Of" must be an array, not true or false`},
	} {
		err := json.Unmarshal([]byte(tt.text), new(thing))
		if err == nil {
			t.Errorf("%s: no error", tt.text)
			continue
		}
		if got := JSONCause(err); got != tt.want {
			t.Errorf("%s: %s, want %s", tt.text, got, tt.want)
		}
	}
}
