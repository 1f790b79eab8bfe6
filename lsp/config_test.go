package lsp

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"reflect"
	"slices"
	"strings"
	"testing"
	"time"

	"readahead/index/facts"
)

func TestConfigValues(t *testing.T) {
	user, repo := Source{Name: "user"}, Source{Name: "repo", Workspace: true}
	for _, tt := range []struct {
		name string
		json string
		from Source
		want func(Config) bool
		errs string // all of it, joined by "; "
	}{
		{"nothing changes nothing", `{}`, user, func(c Config) bool { return c.Samples == 10 && c.Enable }, ""},
		{"null changes nothing", `null`, user, func(c Config) bool { return c.Samples == 10 }, ""},
		{"a number is taken", `{"samples": 5}`, user, func(c Config) bool { return c.Samples == 5 }, ""},
		{"a fraction is refused and the rest is kept", `{"samples": 5.5, "numCtx": 4096}`, user,
			func(c Config) bool { return c.Samples == 10 && c.NumCtx == 4096 }, "user: samples: want a whole number from 1 to 64, not 5.5"},
		{"out of range is refused", `{"samples": 0}`, user, func(c Config) bool { return c.Samples == 10 }, "user: samples: want a whole number from 1 to 64, not 0"},
		{"a misspelt key is named with its likely meaning", `{"sample": 5}`, user, func(c Config) bool { return true }, `user: unknown key "sample" (did you mean samples?)`},
		{"an unknown key is named", `{"colour": "red"}`, user, func(c Config) bool { return true }, `user: unknown key "colour"`},
		{"a duration as text", `{"keepAlive": "90s"}`, user, func(c Config) bool { return c.KeepAlive == 90*time.Second }, ""},
		{"a duration in seconds", `{"keepAlive": -1}`, user, func(c Config) bool { return c.KeepAlive == -time.Second }, ""},
		{"a word outside the list", `{"prompt": "chat"}`, user, func(c Config) bool { return c.Prompt == "auto" }, "user: prompt: want one of auto, fim, causal, suffix, not \"chat\""},
		{"an address without a scheme", `{"endpoint": "gpu.lan:11434"}`, user, func(c Config) bool { return c.Endpoint == "gpu.lan:11434" }, ""},
		{"an empty address is the default", `{"endpoint": ""}`, user, func(c Config) bool { return c.Endpoint == "" }, ""},
		{"what is no address", `{"endpoint": "http://[::1"}`, user, func(c Config) bool { return c.Endpoint == "" },
			`user: endpoint: endpoint "http://[::1": no host can be read from it (write it like http://127.0.0.1:11434)`},
		{"an address with a password, which is not repeated", `{"endpoint": "http://me:hunter2@x"}`, user, func(c Config) bool { return c.Endpoint == "" },
			`user: endpoint: endpoint "http://xxxxx@x": only a host, a port and a path belong in it, no user, password, query or fragment (write it like http://127.0.0.1:11434)`},
		{"an address of the wrong type", `{"endpoint": 11434}`, user, func(c Config) bool { return c.Endpoint == "" }, "user: endpoint: want a string, not 11434"},
		{"the wrong type", `{"ignore": "x"}`, user, func(c Config) bool { return len(c.Ignore) == 0 }, "user: ignore: want a list of strings, not \"x\""},
		{"not an object", `[1]`, user, func(c Config) bool { return true }, "user: not a JSON object of settings: it must be an object, not an array"},
		{"a repository may switch it off", `{"enable": false}`, repo, func(c Config) bool { return !c.Enable }, ""},
		{"a repository may not redirect the endpoint", `{"endpoint": "http://evil.example"}`, repo, func(c Config) bool { return c.Endpoint == "" },
			"repo: endpoint is ignored here: a repository may not set it (set it in your own configuration)"},
		{"a repository may not choose a model that may run elsewhere", `{"model": "big-cloud"}`, repo, func(c Config) bool { return c.Model == "" },
			"repo: model is ignored here: a repository may not set it (set it in your own configuration)"},
		{"a repository may lower the file size", `{"maxFileSize": 10}`, repo, func(c Config) bool { return c.MaxFileSize == 10 }, ""},
		{"a repository may not raise the file size", `{"maxFileSize": 1000000000}`, repo, func(c Config) bool { return c.MaxFileSize == 1<<20 },
			"repo: maxFileSize is ignored here: a repository may only narrow it, and your own is 1048576"},
		{"a repository's negated patterns are dropped", `{"ignore": ["gen/", "!.env"]}`, repo,
			func(c Config) bool { return strings.Join(c.Ignore, " ") == "gen/" }, ""},
	} {
		t.Run(tt.name, func(t *testing.T) {
			got, errs := DefaultConfig().ApplyJSON([]byte(tt.json), tt.from)
			if !tt.want(got) {
				t.Errorf("got %+v", got)
			}
			var said []string
			for _, err := range errs {
				said = append(said, err.Error())
			}
			if s := strings.Join(said, "; "); s != tt.errs {
				t.Errorf("errors\n got %s\nwant %s", s, tt.errs)
			}
		})
	}
}

func TestRepositoryPatternsAddToTheUsersOwn(t *testing.T) {
	c := DefaultConfig()
	c.Ignore = []string{"secret/"}
	c, errs := c.ApplyJSON([]byte(`{"ignore": ["gen/"], "multiline": false}`), Source{Name: "repo", Workspace: true})
	if len(errs) > 0 || strings.Join(c.Ignore, " ") != "secret/ gen/" {
		t.Errorf("ignore = %q, errors %v", c.Ignore, errs)
	}
}

func TestNoSettingsChangeNothingHoweverAClientSpellsThem(t *testing.T) {
	for _, tt := range []struct {
		name, json string
		errors     int
	}{
		{"nothing at all", ``, 0},
		{"null", `null`, 0},
		{"an empty object", `{}`, 0},
		{"Lua's empty table, which may be either", `[]`, 0},
		{"the same with space inside", ` [ ] `, 0},
		{"a list of something", `["samples"]`, 1},
		{"a word", `"samples"`, 1},
	} {
		t.Run(tt.name, func(t *testing.T) {
			c, errs := DefaultConfig().ApplyJSON([]byte(tt.json), Source{Name: "client"})
			if len(errs) != tt.errors || !reflect.DeepEqual(c, DefaultConfig()) {
				t.Errorf("got %+v, errors %v", c, errs)
			}
		})
	}
}

func TestLoadConfigReadsUserThenWorkspaces(t *testing.T) {
	dir := t.TempDir()
	user := filepath.Join(dir, "config.toml")
	write := func(path, text string) {
		t.Helper()
		if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	write(user, "model = \"mine\"\nsamples = 4\nevidenceTokens = 100\n")
	write(filepath.Join(dir, ".readahead.toml"), "evidenceTokens = 50\nendpoint = \"http://evil.example\"\n")
	c, errs := LoadConfig(user, []string{dir})
	if c.Model != "mine" || c.Samples != 4 || c.EvidenceTokens != 50 || c.Endpoint != "" {
		t.Errorf("got %+v", c)
	}
	if len(errs) != 1 || !strings.Contains(errs[0].Error(), "endpoint is ignored here") {
		t.Errorf("errors %v", errs)
	}
	if _, errs := LoadConfig(filepath.Join(dir, "absent.toml"), nil); len(errs) != 1 {
		t.Errorf("a configuration file that was asked for and is missing must be reported, got %v", errs)
	}
}

func TestEverySettingHasAValueAndAPlaceInTheReadme(t *testing.T) {
	readme, err := os.ReadFile("../README.md")
	if err != nil {
		t.Fatal(err)
	}
	for _, s := range Settings() {
		if s.get(DefaultConfig()) == nil {
			t.Errorf("%s has no default to show", s.Key)
		}
		if row := "| `" + s.Key + "` |"; !strings.Contains(string(readme), row) {
			t.Errorf("README's configuration table has no row %s", row)
		}
	}
}

// Where code goes, and the key that goes with it, is the user's own to say.
func TestARepositoryCannotSendCodeElsewhere(t *testing.T) {
	own := DefaultConfig()
	values := map[string]any{"server": "openai", "endpoint": "http://evil.example", "model": "theirs", "apiKeyFile": "/home/user/.ssh/id_rsa",
		"caFile": "evil.pem", "plainHTTP": true, "family": "codellama", "prompt": "suffix"}
	c, errs := own.Apply(values, Source{Name: ".readahead.toml", Workspace: true})
	if !reflect.DeepEqual(c, own) || len(errs) != len(values) {
		t.Errorf("got %+v and %d errors; want nothing changed and %d errors", c, len(errs), len(values))
	}
	if c, errs := own.Apply(values, Source{Name: "config.toml"}); len(errs) != 0 || c.Server != "openai" || !c.PlainHTTP || c.Family != "codellama" || c.CAFile != "evil.pem" {
		t.Errorf("the user's own file: got %+v, %v", c, errs)
	}
}

func TestLanguagesGoByTheWordsOfEditors(t *testing.T) {
	for _, tt := range []struct {
		name      string
		languages []string
		id        string
		lang      facts.Language
		want      bool
	}{
		{"all", nil, "go", facts.Go, true},
		{"the editor's word", []string{"go"}, "go", facts.Go, true},
		{"another one", []string{"go"}, "python", facts.Python, false},
		{"the command line has no word, and goes by the file", []string{"python"}, "", facts.Python, true},
		{"to which another word belongs", []string{"python"}, "", facts.Ruby, false},
		{"an editor that calls it otherwise means something else", []string{"typescript"}, "typescriptreact", facts.TypeScript, false},
		{"a text in no language", []string{"python"}, "", "", false},
	} {
		c := DefaultConfig()
		c.Languages = tt.languages
		if got := c.CompletesIn(tt.id, tt.lang); got != tt.want {
			t.Errorf("%s: %v", tt.name, got)
		}
	}
}

func TestARepositoryCanOnlyNarrow(t *testing.T) {
	user := DefaultConfig()
	user.Languages, user.EvidenceTokens, user.MaxFileSize = []string{"go", "python"}, 1000, 500
	off := user
	off.Enable, off.Multiline = false, false
	all := DefaultConfig()
	for _, tt := range []struct {
		name, json string
		own        Config
		want       func(Config) bool
		refused    string
	}{
		{"it can switch off", `{"enable": false}`, user, func(c Config) bool { return !c.Enable }, ""},
		{"but not on", `{"enable": true}`, off, func(c Config) bool { return !c.Enable }, "enable is ignored here"},
		{"nor blocks", `{"multiline": true}`, off, func(c Config) bool { return !c.Multiline }, "multiline is ignored here"},
		{"what is on may be said to be", `{"enable": true, "multiline": true}`, user, func(c Config) bool { return c.Enable && c.Multiline }, ""},
		{"languages are those of both", `{"languages": ["rust", "python"]}`, user, func(c Config) bool { return slices.Equal(c.Languages, []string{"python"}) }, ""},
		{"none in common leaves the user's", `{"languages": ["rust"]}`, user, func(c Config) bool { return slices.Equal(c.Languages, user.Languages) }, "languages is ignored here"},
		{"all is no narrowing", `{"languages": []}`, user, func(c Config) bool { return slices.Equal(c.Languages, user.Languages) }, "languages is ignored here"},
		{"of all languages it can choose", `{"languages": ["rust"]}`, all, func(c Config) bool { return slices.Equal(c.Languages, []string{"rust"}) }, ""},
		{"less evidence", `{"evidenceTokens": 10}`, user, func(c Config) bool { return c.EvidenceTokens == 10 }, ""},
		{"not more", `{"evidenceTokens": 4096}`, user, func(c Config) bool { return c.EvidenceTokens == 1000 }, "evidenceTokens is ignored here"},
		{"smaller files", `{"maxFileSize": 10}`, user, func(c Config) bool { return c.MaxFileSize == 10 }, ""},
		{"not larger ones", `{"maxFileSize": 501}`, user, func(c Config) bool { return c.MaxFileSize == 500 }, "maxFileSize is ignored here"},
	} {
		c, errs := tt.own.ApplyJSON([]byte(tt.json), Source{Name: "repo", Workspace: true})
		said := fmt.Sprint(errors.Join(errs...))
		if !tt.want(c) || (tt.refused == "") != (len(errs) == 0) || !strings.Contains(said, tt.refused) {
			t.Errorf("%s: %+v, %s", tt.name, c, said)
		}
	}
}

func TestARepositorysConfigurationIsNoLink(t *testing.T) {
	outside := filepath.Join(t.TempDir(), "outside.toml")
	dir := t.TempDir()
	if err := os.WriteFile(outside, []byte("TOKEN = \"marker\"\nenable = false\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	if err := os.Symlink(outside, filepath.Join(dir, workspaceFile)); err != nil {
		t.Fatal(err)
	}
	c, errs := LoadConfig(filepath.Join(t.TempDir(), "none.toml"), []string{dir})
	said := fmt.Sprint(errs)
	if !c.Enable || strings.Contains(said, "marker") || strings.Contains(said, "TOKEN") || !strings.Contains(said, "symbolic link") {
		t.Errorf("enable %v; %s", c.Enable, said)
	}
}
