package lsp

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"readahead/model"
	"readahead/model/replay"
)

// settle writes a file; text "" removes it.
func settle(t *testing.T, path, text string) {
	t.Helper()
	var err error
	if text == "" {
		err = os.Remove(path)
	} else {
		err = os.WriteFile(path, []byte(text), 0o600)
	}
	if err != nil {
		t.Fatal(err)
	}
}

// onFiles are the options of a server that reads these files.
func onFiles(user string) Options {
	o := testOptions()
	o.Load = func(folders []string) (Config, []error) { return LoadConfig(user, folders) }
	o.Files = func(folders []string) []string { return ConfigFiles(user, folders) }
	return o
}

// Neither editor nor watch says a word: the clock of the bubble does.
func TestAConfigurationFileAppliesSoonAfterItChanges(t *testing.T) {
	dir := t.TempDir()
	user, folder := filepath.Join(dir, "config.toml"), filepath.Join(dir, "w")
	if err := os.Mkdir(folder, 0o700); err != nil {
		t.Fatal(err)
	}
	own := filepath.Join(folder, workspaceFile)
	settle(t, user, "samples = 4\n")
	synctest.Test(t, func(t *testing.T) {
		f := newFake()
		s := NewServer(f, onFiles(user))
		s.jobs = newQueue()
		ctx, cancel := context.WithCancel(t.Context())
		defer func() { cancel(); synctest.Wait() }()
		s.suggester = newSuggester(ctx, f, s.log)
		go s.jobs.run(ctx)
		s.jobs.beside(s.followConfig)
		s.jobs.add(func(ctx context.Context) { s.configure(ctx, []string{folder}) })
		for _, step := range []struct {
			what, path, text string
			want             func(Config) bool
		}{
			{"the repository's file appears", own, "enable = false\n", func(c Config) bool { return !c.Enable && c.Samples == 4 }},
			{"it changes", own, "enable = true\nignore = [\"keys/\"]\n", func(c Config) bool { return c.Enable && slices.Equal(c.Ignore, []string{"keys/"}) }},
			{"the user's file changes", user, "samples = 3\n", func(c Config) bool { return c.Samples == 3 && len(c.Ignore) == 1 }},
			{"the repository's file goes", own, "", func(c Config) bool { return c.Samples == 3 && len(c.Ignore) == 0 }},
		} {
			settle(t, step.path, step.text)
			time.Sleep(configPoll)
			synctest.Wait()
			if got := f.settings(); !step.want(got) {
				t.Errorf("%s: %+v", step.what, got)
			}
		}
		f.mu.Lock()
		events := len(f.events)
		f.mu.Unlock()
		time.Sleep(10 * configPoll)
		synctest.Wait()
		f.mu.Lock()
		defer f.mu.Unlock()
		if len(f.events) != events {
			t.Errorf("configured although nothing changed: %q", f.events[events:])
		}
	})
}

// rules is a fake that notes which rules held when folders changed.
type rules struct {
	*fake
	held []string
}

func (r *rules) FoldersChanged(ctx context.Context, added, removed []string, report func(Progress)) error {
	r.held = append(r.held, fmt.Sprintf("+%v -%v by %v", added, removed, r.settings().Ignore))
	return r.fake.FoldersChanged(ctx, added, removed, report)
}

func TestAFoldersOwnRulesHoldFromBeforeItIsReadUntilItIsLeft(t *testing.T) {
	f := &rules{fake: newFake()}
	o := testOptions()
	o.Load = func(folders []string) (Config, []error) {
		c := DefaultConfig()
		c.Ignore = slices.Clone(folders)
		slices.Sort(c.Ignore)
		return c, nil
	}
	c := attach(t.Context(), t, f, o)
	c.start(`{}`)
	c.notify("workspace/didChangeWorkspaceFolders", `{"event":{"added":[{"uri":"file:///more"}],"removed":[]}}`)
	c.notify("workspace/didChangeWorkspaceFolders", `{"event":{"added":[{"uri":"file:///new"}],"removed":[{"uri":"file:///home/me"}]}}`)
	c.mustCall("workspace/executeCommand", `{"command":"readahead.reindex"}`, nil)
	eventually(t, "the jobs are done", func() bool { return f.saw("reindex") })
	want := []string{"+[/home/me] -[] by [/home/me]", "+[/more] -[] by [/home/me /more]", "+[/new] -[/home/me] by [/home/me /more /new]"}
	if !slices.Equal(f.held, want) {
		t.Errorf("got %q, want %q", f.held, want)
	}
	if got := f.settings().Ignore; !slices.Equal(got, []string{"/more", "/new"}) {
		t.Errorf("in the end by %v", got)
	}
}

func TestTheEditorsNoticeOfAConfigurationFileComesFirst(t *testing.T) {
	f := newFake()
	c := connect(t, f, testOptions())
	c.start(`{}`)
	c.notify("workspace/didChangeWatchedFiles", `{"changes":[{"uri":"file:///home/me/a.go","type":2},{"uri":"file:///home/me/.readahead.toml","type":2}]}`)
	changed := "files /home/me/a.go /home/me/.readahead.toml"
	eventually(t, "the files are passed on", func() bool { return f.saw(changed) })
	f.mu.Lock()
	defer f.mu.Unlock()
	if want := []string{"configure", "folders +/home/me -", "configure", changed}; !slices.Equal(f.events, want) {
		t.Errorf("events %q, want %q", f.events, want)
	}
}

func TestLaterSourcesWin(t *testing.T) {
	for _, test := range []struct {
		name, user, repository, options, section string
		want                                     int
	}{
		{"nobody says anything", "", "", "null", "null", 4096},
		{"the user's file", "evidenceTokens = 900", "", "null", "null", 900},
		{"a repository's file above it", "evidenceTokens = 900", "evidenceTokens = 800", "null", "null", 800},
		{"a repository may not ask for more", "evidenceTokens = 900", "evidenceTokens = 1000", "null", "null", 900},
		{"initializationOptions above both", "evidenceTokens = 900", "evidenceTokens = 800", `{"evidenceTokens":950}`, "null", 950},
		{"the editor's settings above all", "evidenceTokens = 900", "evidenceTokens = 800", `{"evidenceTokens":950}`, `{"evidenceTokens":700}`, 700},
		{"a source that says nothing about a key leaves it", "evidenceTokens = 900", "enable = true", `{"samples":3}`, `{}`, 900},
	} {
		t.Run(test.name, func(t *testing.T) {
			dir := t.TempDir()
			user := filepath.Join(dir, "config.toml")
			settle(t, user, test.user+"\n")
			settle(t, filepath.Join(dir, workspaceFile), test.repository+"\n")
			f := newFake()
			c := connect(t, f, onFiles(user))
			c.config = test.section
			c.mustCall("initialize", `{"rootUri":"file://`+dir+`","initializationOptions":`+test.options+`,"capabilities":{"workspace":{"configuration":true}}}`, nil)
			c.notify("initialized", `{}`)
			eventually(t, "it is configured", func() bool { return f.saw("configure") })
			if got := f.settings().EvidenceTokens; got != test.want {
				t.Errorf("evidenceTokens is %d, want %d", got, test.want)
			}
		})
	}
}

// What a session would see of each setting, once it has changed under it.
func TestEverySettingOfTheEngineTakesEffectLive(t *testing.T) {
	dir := write(t, workspace)
	var connected []Config
	m := replay.New(replay.Texts("name = lib.Greet(name)"))
	m.Info.FIM = true
	e, err := NewEngine(t.Context(), EngineOptions{Config: DefaultConfig(), Roots: []string{dir},
		Connect: func(_ context.Context, c Config) (model.Model, func(), error) {
			connected = append(connected, c)
			return *m.Model(), func() {}, nil
		}})
	if err != nil {
		t.Fatal(err)
	}
	defer e.Close()
	if _, err := e.Build(t.Context(), nil); err != nil {
		t.Fatal(err)
	}
	has := func(name string) bool { return len(e.Snapshot().Declared(name, 2)) > 0 }
	reached := func() Config { return connected[len(connected)-1] }
	for _, test := range []struct {
		key    string
		value  any
		effect func(Completion) bool
	}{
		{"enable", false, func(c Completion) bool { return strings.Contains(c.Trace.Refused, "enable = false") && !has("Greet") }},
		{"languages", []any{"python"}, func(c Completion) bool { return strings.Contains(c.Trace.Refused, "languages") }},
		{"model", "other", func(Completion) bool { return reached().Model == "other" }},
		{"endpoint", "http://127.0.0.1:1", func(Completion) bool { return reached().Endpoint == "http://127.0.0.1:1" }},
		{"keepAlive", "1m", func(Completion) bool { return reached().KeepAlive == time.Minute }},
		{"numCtx", 2048.0, func(Completion) bool { return reached().NumCtx == 2048 }},
		{"prompt", "causal", func(c Completion) bool { return c.Trace.Causal }},
		{"samples", 3.0, func(c Completion) bool { return c.Trace.Ranking.Samples == 3 }},
		{"agreement", "probabilities", func(c Completion) bool { return c.Trace.Ranking.Explore }},
		{"evidenceTokens", 0.0, func(c Completion) bool { return c.Trace.Contexts[0].Context.Tokens == 0 }},
		{"ignore", []any{"lib/"}, func(c Completion) bool { return !has("Greet") && has("Twice") }},
		{"maxFileSize", 115.0, func(c Completion) bool { return !has("Twice") && has("Greet") }},
	} {
		t.Run(test.key, func(t *testing.T) {
			ask := func() Completion {
				t.Helper()
				done, err := e.Complete(t.Context(), at(t, dir, "main.go", cursorInMain))
				if err != nil {
					t.Fatal(err)
				}
				return done
			}
			if test.effect(ask()) {
				t.Fatal("there before it was set")
			}
			changed, errs := DefaultConfig().Apply(map[string]any{test.key: test.value}, Source{})
			if len(errs) > 0 {
				t.Fatal(errs)
			}
			if err := e.Configure(t.Context(), changed, nil); err != nil {
				t.Fatal(err)
			}
			if done := ask(); !test.effect(done) {
				t.Errorf("no effect: refused %q, options %+v", done.Trace.Refused, done.Trace.Ranking)
			}
			if err := e.Configure(t.Context(), DefaultConfig(), nil); err != nil {
				t.Fatal(err)
			}
			if test.effect(ask()) {
				t.Error("it stays when it is unset")
			}
		})
	}
}

// A configuration may come before the folders; nothing is completed by it alone.
func TestAConfigurationBeforeTheFoldersLetsNothingThrough(t *testing.T) {
	dir := write(t, workspace)
	m := replay.New(replay.Texts("x()"))
	e, err := NewEngine(t.Context(), EngineOptions{Config: DefaultConfig(),
		Connect: func(context.Context, Config) (model.Model, func(), error) { return *m.Model(), func() {}, nil }})
	if err != nil {
		t.Fatal(err)
	}
	defer e.Close()
	c := DefaultConfig()
	c.Ignore = []string{"*.md"}
	if err := e.Configure(t.Context(), c, nil); err != nil {
		t.Fatal(err)
	}
	soon, cancel := context.WithTimeout(t.Context(), 20*time.Millisecond)
	defer cancel()
	done, err := e.Complete(soon, at(t, dir, "main.go", cursorInMain))
	if err != nil || len(m.Calls()) > 0 || !strings.Contains(done.Trace.Refused, "not known yet") {
		t.Errorf("got %+v, %v, %d requests to the model", done, err, len(m.Calls()))
	}
}

// The settings that the server itself acts by, and an answer remembered under
// other rules.
func TestTheServersOwnSettingsTakeEffectLive(t *testing.T) {
	f := newFake()
	f.say("value")
	c := connect(t, f, testOptions())
	c.start(`{}`)
	c.open("/home/me/a.py", "python", "x = ")
	ask := func() int {
		t.Helper()
		got, err := c.inline("/home/me/a.py", "x = ", 4)
		if err != nil {
			t.Fatal(err)
		}
		return len(got.Items)
	}
	if ask() != 1 || !f.last().Multiline {
		t.Fatal("before: no item, or no block wanted")
	}
	eventually(t, "the first settings are applied", func() bool { return f.settings().Multiline })
	set := func(settings string, done func(Config) bool) {
		t.Helper()
		c.notify("workspace/didChangeConfiguration", `{"settings":{"readahead":`+settings+`}}`)
		eventually(t, settings+" is applied", func() bool { return done(f.settings()) })
	}
	set(`{"multiline":false}`, func(c Config) bool { return !c.Multiline })
	calls := f.calls()
	if n := ask(); n != 1 || f.calls() != calls+1 || f.last().Multiline {
		t.Errorf("multiline = false: %d items, %d calls, block wanted: %v", n, f.calls()-calls, f.last().Multiline)
	}
	f.answer(func(ctx context.Context, _ CompletionRequest) (Completion, error) {
		<-ctx.Done()
		return Completion{}, ctx.Err()
	})
	set(`{"deadlineMs":50}`, func(c Config) bool { return c.DeadlineMs == 50 })
	start := time.Now()
	c.mustCall("textDocument/completion", `{"textDocument":{"uri":"file:///home/me/a.py"},"position":{"line":0,"character":4}}`, nil)
	if took := time.Since(start); took > 10*time.Second {
		t.Errorf("deadlineMs = 50: answered after %v", took)
	}
}
