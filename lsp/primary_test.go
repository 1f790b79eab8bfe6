package lsp

import (
	"strings"
	"testing"

	"readahead/index"
	"readahead/model"
	"readahead/model/replay"
)

func TestWhatComesFirst(t *testing.T) {
	embedded, server := model.Info{Name: "embedded (n-gram, 7 tokens)", Provider: "embedded"}, model.Info{Name: "qwen", Provider: "ollama"}
	tunings := []Tuning{
		{Folder: "/w", Model: "embedded", Primary: index.Lexical, Why: "outer"},
		{Folder: "/w/sub", Model: "embedded", Primary: index.Structural, Why: "inner"},
		{Folder: "/w", Model: "qwen", Primary: index.Lexical, Why: "qwen's"},
	}
	for _, tt := range []struct {
		name    string
		primary string
		m       model.Info
		path    string
		want    index.Family
		why     string
	}{
		{"what was tuned", "auto", embedded, "/w/a.go", index.Lexical, "outer"},
		{"the innermost folder", "auto", embedded, "/w/sub/a.go", index.Structural, "inner"},
		{"a folder that only begins alike is another", "auto", embedded, "/ww/a.go", index.Structural, "the default"},
		{"each model has its own", "auto", server, "/w/sub/a.go", index.Lexical, "qwen's"},
		{"the latest is what a name without a tag means", "auto", model.Info{Name: "qwen:latest", Provider: "ollama"}, "/w/a.go", index.Lexical, "qwen's"},
		{"another model has none", "auto", model.Info{Name: "other", Provider: "ollama"}, "/w/a.go", index.Structural, "the default"},
		{"the configuration overrides", "structural", embedded, "/w/a.go", index.Structural, "primary is set"},
		{"to lexical, too", "lexical", server, "/elsewhere", index.Lexical, "primary is set"},
	} {
		c := DefaultConfig()
		c.Primary, c.Tunings = tt.primary, tunings
		if got, why := c.PrimaryFor(tt.m, tt.path); got != tt.want || !strings.Contains(why, tt.why) {
			t.Errorf("%s: %s, %s", tt.name, got, why)
		}
	}
}

func TestTheEvidenceThatIsTunedToComeFirstIsAskedFirst(t *testing.T) {
	dir := write(t, workspace)
	for _, first := range []index.Family{index.Structural, index.Lexical} {
		m := replay.New(replay.Texts("println(lib.Greet(name))"))
		c := DefaultConfig()
		c.Tunings = []Tuning{{Folder: dir, Model: "replay", Primary: first, Why: "measured"}}
		done, err := engine(t, dir, c, m, nil).Complete(t.Context(), at(t, dir, "main.go", cursorInMain))
		if err != nil {
			t.Fatal(err)
		}
		tr := done.Trace
		if tr.Contexts[0].Family != first || tr.Decision.Pools[0].Family != string(first) || tr.Order != string(first)+" evidence first: measured" {
			t.Errorf("%s: contexts %s, pools %s, %q", first, tr.Contexts[0].Family, tr.Decision.Pools[0].Family, tr.Order)
		}
		if asked := m.Calls()[0].Prompt.Context; asked != tr.Contexts[0].Context.Text {
			t.Errorf("%s: the model was asked with other evidence first", first)
		}
	}
}
