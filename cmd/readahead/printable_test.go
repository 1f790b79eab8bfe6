package main

import (
	"encoding/json"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"unicode"
)

// hostile would clear the screen, begin a line of its own, and turn the direction of
// writing.
const hostile = "evil\x1b[2J\nforged line\u202e"

// acts finds what a terminal would obey in a text.
func acts(text string) string {
	i := strings.IndexFunc(text, func(r rune) bool {
		return r != '\n' && unicode.IsControl(r) || unicode.Is(unicode.Bidi_Control, r)
	})
	if i < 0 && !strings.Contains(text, "\nforged line") {
		return ""
	}
	return text[max(0, i):]
}

func TestANameFromOutsideIsTextWhereverItIsShown(t *testing.T) {
	endpoint, _ := teamServing(t, hostile, "Add(it)")
	folder := filepath.Join(t.TempDir(), "shop\x1b[31m\nx")
	if err := os.CopyFS(folder, os.DirFS(unpack(t, "shop"))); err != nil {
		t.Fatal(err)
	}
	at := cursor(t, filepath.Join(folder, "order", "order.go"))
	if err := os.WriteFile(filepath.Join(folder, ".readahead.toml"), []byte("\"a\\u001b[2J\" = 1\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	team := []string{"--server", "openai", "--endpoint", endpoint}
	for _, args := range [][]string{
		append([]string{"complete"}, append(team, at)...),
		append([]string{"inspect", "--open=false"}, append(team, at)...),
		append([]string{"doctor"}, append(team, folder)...),
		append([]string{"tune", "--limit", "2"}, append(team, folder)...),
		append([]string{"complete", "--model", "other"}, append(team, at)...),
		append([]string{"tune", "--model", "other" + hostile}, append(team, folder)...),
		{"index", folder}, {"index", folder + "absent"}, {"complete", at + hostile}, {"completion", hostile}, {hostile},
	} {
		c := command(t.Context(), t, args...)
		c.Env = append(c.Env, apiKeyVariable+"="+teamKey)
		got := finish(t, c)
		if did := acts(got.stdout + got.stderr); did != "" {
			t.Errorf("%q: %.200q", args, did)
		}
		if args[0] == "doctor" && !strings.Contains(got.stdout, "evil\uFFFD[2J forged line\uFFFD") {
			t.Errorf("the model is not named:\n%s", got.stdout)
		}
	}
}

func TestANameFromOutsideIsTextInNoticesStatusAndLog(t *testing.T) {
	endpoint, _ := teamServing(t, hostile, "Add(it)")
	for _, named := range []string{"", "other" + hostile} { // it answers; it is not there, which is a notice
		dir := unpack(t, "shop")
		config, log := filepath.Join(t.TempDir(), "config.toml"), filepath.Join(t.TempDir(), "log")
		quoted, err := json.Marshal(named)
		if err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(config, []byte("server = \"openai\"\nlogLevel = \"debug\"\nendpoint = \""+endpoint+"\"\nmodel = "+string(quoted)+"\n"), 0o600); err != nil {
			t.Fatal(err)
		}
		s := serveWith(t.Context(), t, []string{"--log", log, "--config", config}, apiKeyVariable+"="+teamKey)
		uri, at := s.open(dir, filepath.Join(dir, "order", "order.go"), "go")
		s.inline(uri, at)
		var status string
		if err := json.Unmarshal(s.call("workspace/executeCommand", map[string]any{"command": "readahead.status"}).Result, &status); err != nil {
			t.Fatal(err)
		}
		if did := acts(status); did != "" || strings.Count(status, "\n") != 2 || !strings.Contains(status, "evil") {
			t.Errorf("%q: status %q", named, status)
		}
		for _, m := range s.said {
			if text, err := json.Marshal(m); err != nil || strings.Contains(string(text), `\u001b`) {
				t.Errorf("%q: the editor is told %s, %v", named, text, err)
			}
		}
		s.leave()
		logged, err := os.ReadFile(log)
		if did := acts(string(logged)); err != nil || did != "" || !strings.Contains(string(logged), "evil") && named != "" {
			t.Errorf("%q: %v, the log has %.200q", named, err, did)
		}
	}
}
