package lsp

import (
	"context"
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"readahead/index"
	"readahead/model"
	"readahead/model/replay"
	"readahead/rank"
)

// The small workspace of these tests: a function that is reached by import, by
// its calls and by words, a secret that is ignored, and a file to complete in.
var workspace = map[string]string{
	"go.mod":          "module example.com/w\n\ngo 1.26\n",
	".gitignore":      "private/\n",
	"lib/lib.go":      "package lib\n\n// Greet says hello to a name.\nfunc Greet(name string) string {\n\treturn \"hello \" + name\n}\n",
	"other/other.go":  "package other\n\nimport \"example.com/w/lib\"\n\nfunc Twice(name string) string {\n\treturn lib.Greet(name) + lib.Greet(name)\n}\n",
	"private/keys.go": "package private\n\nfunc TopSecretGreet(name string) string { return \"hunter2\" + name }\n",
	"main.go":         "package main\n\nimport \"example.com/w/lib\"\n\nfunc main() {\n\tname := \"you\"\n\t\n\tprintln(name)\n}\n",
}

func write(t testing.TB, files map[string]string) string {
	t.Helper()
	dir := t.TempDir()
	for name, text := range files {
		path := filepath.Join(dir, filepath.FromSlash(name))
		if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(path, []byte(text), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	return dir
}

// engine is an Engine on dir whose server is m and whose local model says local.
func engine(t testing.TB, dir string, c Config, m *replay.Model, local *replay.Model) *Engine {
	t.Helper()
	o := EngineOptions{Config: c, Roots: []string{dir}}
	if m != nil {
		o.Connect = func(context.Context, Config) (model.Model, func(), error) { return *m.Model(), func() {}, nil }
	}
	if local != nil {
		o.Local = func(context.Context, *index.Snapshot, CompletionRequest) (model.Model, error) {
			return *local.Model(), nil
		}
	}
	e, err := NewEngine(t.Context(), o)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { e.Close() })
	if _, err := e.Build(t.Context(), nil); err != nil {
		t.Fatal(err)
	}
	return e
}

// at is a request at the first place of a file behind the given text.
func at(t *testing.T, dir, name, behind string) CompletionRequest {
	t.Helper()
	path := filepath.Join(dir, filepath.FromSlash(name))
	text, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	i := strings.Index(string(text), behind)
	if i < 0 {
		t.Fatalf("%s has no %q", name, behind)
	}
	return CompletionRequest{Path: path, LanguageID: "go", Text: text, Offset: i + len(behind)}
}

const cursorInMain = "\tname := \"you\"\n\t"

// asked is everything that the model was given to read.
func asked(m *replay.Model) string {
	var b strings.Builder
	for _, c := range m.Calls() {
		b.WriteString(c.Prompt.Context + c.Prompt.Left + c.Prompt.Right)
	}
	for _, p := range m.Pairs() {
		b.WriteString(p.Prefix + p.Continuation)
	}
	return b.String()
}

func TestARequestBeforeTheFoldersAreKnownWaitsForThem(t *testing.T) {
	dir := write(t, workspace)
	m := replay.New(replay.Texts("name = lib.Greet(name)"))
	e, err := NewEngine(t.Context(), EngineOptions{Config: DefaultConfig(),
		Connect: func(context.Context, Config) (model.Model, func(), error) { return *m.Model(), func() {}, nil }})
	if err != nil {
		t.Fatal(err)
	}
	defer e.Close()
	gone, cancel := context.WithCancel(t.Context())
	cancel()
	if _, err := e.Complete(gone, at(t, dir, "main.go", cursorInMain)); !errors.Is(err, context.Canceled) {
		t.Errorf("a request that was given up meanwhile: error %v", err)
	}
	answered := make(chan Completion, 1)
	go func() {
		c, _ := e.Complete(t.Context(), at(t, dir, "main.go", cursorInMain)) // the items say it
		answered <- c
	}()
	select {
	case c := <-answered:
		t.Fatalf("answered before the ignore rules are known: %+v", c)
	case <-time.After(50 * time.Millisecond):
	}
	if err := e.FoldersChanged(t.Context(), []string{dir}, nil, nil); err != nil {
		t.Fatal(err)
	}
	if c := <-answered; len(c.Items) != 1 {
		t.Errorf("got %+v", c)
	}
}

func TestCompletionComesFromTheServersModelAndCarriesItsAccount(t *testing.T) {
	dir := write(t, workspace)
	m := replay.New(replay.Texts("name = lib.Greet(name)"))
	e := engine(t, dir, DefaultConfig(), m, nil)
	done, err := e.Complete(t.Context(), at(t, dir, "main.go", cursorInMain))
	if err != nil {
		t.Fatal(err)
	}
	if len(done.Items) != 1 || done.Items[0].Text != "name = lib.Greet(name)" || done.Notice != "" || done.Incomplete {
		t.Errorf("got %+v", done)
	}
	if done.Trace.Decision.Route == "" || len(done.Trace.Contexts) != 2 || done.Trace.Took.Total == 0 {
		t.Errorf("trace %+v", done.Trace)
	}
}

// Seen in another tool: one function, found by import, by its call sites and by
// its words, filled the prompt three times over.
func TestOneObjectReachedInManyWaysStandsInThePromptOnce(t *testing.T) {
	dir := write(t, workspace)
	m := replay.New(replay.Texts("x()"))
	e := engine(t, dir, DefaultConfig(), m, nil)
	other := at(t, dir, "other/other.go", "")
	e.OpenDocument(other.Path, "go", other.Text)
	r := at(t, dir, "main.go", cursorInMain)
	e.OpenDocument(r.Path, "go", r.Text)
	if _, err := e.Complete(t.Context(), r); err != nil {
		t.Fatal(err)
	}
	first := m.Calls()[0].Prompt.Context
	if n := strings.Count(first, "return \"hello \" + name"); n != 1 {
		t.Errorf("the body of Greet stands %d times in\n%s", n, first)
	}
}

func TestIgnoredFilesNeverReachTheModel(t *testing.T) {
	dir := write(t, workspace)
	m := replay.New(replay.Texts("x()"))
	e := engine(t, dir, DefaultConfig(), m, nil)
	secret := at(t, dir, "private/keys.go", "{ ")
	e.OpenDocument(secret.Path, "go", secret.Text)
	e.EditDocument(secret.Path, secret.Offset, secret.Offset, []byte("/* more of hunter2 */"))
	done, err := e.Complete(t.Context(), secret)
	if err != nil || len(done.Items) > 0 || !strings.Contains(done.Trace.Refused, "private/") {
		t.Errorf("in the ignored file: %+v, %v", done, err)
	}
	if _, err := e.Complete(t.Context(), at(t, dir, "main.go", cursorInMain)); err != nil {
		t.Fatal(err)
	}
	if text := asked(m); text == "" || strings.Contains(text, "hunter2") || strings.Contains(text, "TopSecret") {
		t.Errorf("the model read\n%s", text)
	}
}

func TestWhatALinkLeadsToNeverReachesTheModel(t *testing.T) {
	dir := write(t, workspace)
	outside := write(t, map[string]string{"out.go": "package out\n\nfunc Hunter2() { }\n"})
	for name, target := range map[string]string{"keys.go": "private/keys.go", "link.go": filepath.Join(outside, "out.go"), "outdir": outside} {
		if err := os.Symlink(target, filepath.Join(dir, name)); err != nil {
			t.Fatal(err)
		}
	}
	m := replay.New(replay.Texts("x()"))
	e := engine(t, dir, DefaultConfig(), m, nil)
	for _, name := range []string{"keys.go", "link.go", "outdir/out.go"} {
		r := at(t, dir, name, "{ ")
		e.OpenDocument(r.Path, "go", r.Text)
		done, err := e.Complete(t.Context(), r)
		if err != nil || len(done.Items) > 0 || !strings.Contains(done.Trace.Refused, "symbolic link to ") {
			t.Errorf("in %s: %+v, %v", name, done, err)
		}
	}
	if _, err := e.Complete(t.Context(), at(t, dir, "main.go", cursorInMain)); err != nil {
		t.Fatal(err)
	}
	if text := strings.ToLower(asked(m)); text == "" || strings.Contains(text, "hunter2") {
		t.Errorf("the model read\n%s", text)
	}
	if done, err := e.Complete(t.Context(), at(t, outside, "out.go", "{ ")); err != nil || len(done.Items) != 1 {
		t.Errorf("opened by its own name: %+v, %v", done, err)
	}
}

func TestATextThatIsNoneGetsNoCompletion(t *testing.T) {
	dir := write(t, workspace)
	m := replay.New(replay.Texts("x()"))
	c := DefaultConfig()
	c.MaxFileSize = 2000
	e := engine(t, dir, c, m, nil)
	r := at(t, dir, "main.go", cursorInMain)
	for why, text := range map[string]string{
		"binary":      "\x00\x01",
		"maxFileSize": strings.Repeat("\n// more", 300),
	} {
		changed := r
		changed.Text = []byte(string(r.Text) + text)
		done, err := e.Complete(t.Context(), changed)
		if err != nil || len(done.Items) > 0 || !strings.Contains(done.Trace.Refused, why) {
			t.Errorf("%s: %+v, %v", why, done, err)
		}
	}
	if text := asked(m); text != "" {
		t.Errorf("the model read\n%s", text)
	}
}

func TestAFileOutsideTheWorkspaceGoesByItsOwnRules(t *testing.T) {
	dir := write(t, workspace)
	elsewhere := write(t, map[string]string{"a.go": "package a\n\nfunc f() {\n\t\n}\n", ".env": "KEY=1\n"})
	m := replay.New(replay.Texts("g()"))
	e := engine(t, dir, DefaultConfig(), m, nil)
	if done, err := e.Complete(t.Context(), at(t, elsewhere, "a.go", "{\n\t")); err != nil || len(done.Items) != 1 {
		t.Errorf("got %+v, %v", done, err)
	}
	if done, err := e.Complete(t.Context(), at(t, elsewhere, ".env", "KEY=")); err != nil || len(done.Items) != 0 {
		t.Errorf("in a secret: %+v, %v", done, err)
	}
	untitled := CompletionRequest{Path: "untitled:Untitled-1", LanguageID: "go", Text: []byte("package a\n\nfunc f() {\n\t\n}\n"), Offset: 23}
	if done, err := e.Complete(t.Context(), untitled); err != nil || len(done.Items) != 1 {
		t.Errorf("in an untitled document: %+v, %v", done, err)
	}
}

func TestSwitchedOffAsksNoModel(t *testing.T) {
	dir := write(t, workspace)
	m := replay.New(replay.Texts("x()"))
	c := DefaultConfig()
	c.Enable = false
	connected := false
	e, err := NewEngine(t.Context(), EngineOptions{Config: c, Roots: []string{dir},
		Connect: func(context.Context, Config) (model.Model, func(), error) {
			connected = true
			return *m.Model(), func() {}, nil
		}})
	if err != nil {
		t.Fatal(err)
	}
	defer e.Close()
	r := at(t, dir, "main.go", cursorInMain)
	e.OpenDocument(r.Path, "go", r.Text)
	e.EditDocument(r.Path, r.Offset, r.Offset, []byte("x"))
	done, err := e.Complete(t.Context(), r)
	if err != nil || len(done.Items) > 0 || connected || len(m.Calls()) > 0 {
		t.Errorf("got %+v, %v; connected %v", done, err, connected)
	}
	if err := e.Configure(t.Context(), DefaultConfig(), nil); err != nil {
		t.Fatal(err)
	}
	if done, err := e.Complete(t.Context(), r); err != nil || len(done.Items) != 1 {
		t.Errorf("switched on: %+v, %v", done, err)
	}
}

func TestABrokenServerIsNamedAndTheLocalModelAnswers(t *testing.T) {
	dir := write(t, workspace)
	local := replay.New(replay.Texts("lib.Greet(name)"))
	for name, m := range map[string]*replay.Model{
		"it fails from the start":   replay.New(replay.Fail(errors.New("ollama: no server answers (start it with: ollama serve)"))),
		"it dies after two samples": replay.New(replay.Reply{Samples: replay.Texts("a()", "b()").Samples, Err: errors.New("ollama: no server answers (start it with: ollama serve)")}),
	} {
		t.Run(name, func(t *testing.T) {
			e := engine(t, dir, DefaultConfig(), m, local)
			r := at(t, dir, "main.go", cursorInMain)
			done, err := e.Complete(t.Context(), r)
			if err != nil || len(done.Items) != 1 || done.Items[0].Text != "lib.Greet(name)" || !strings.Contains(done.Notice, "ollama serve") {
				t.Errorf("got %+v, %v", done, err)
			}
			calls := len(m.Calls())
			if done, _ = e.Complete(t.Context(), r); len(m.Calls()) != calls || done.Notice == "" {
				t.Errorf("a dead server is asked again at once, or forgotten: %d calls, notice %q", len(m.Calls())-calls, done.Notice)
			}
		})
	}
}

// Seen with a stopped server: ten seconds, and then nothing.
func TestAModelThatSaysNothingIsGivenUpInTimeForAnAnswer(t *testing.T) {
	dir := write(t, workspace)
	slow := replay.Texts("x()")
	slow.Delay = time.Hour
	e := engine(t, dir, DefaultConfig(), replay.New(slow), replay.New(replay.Texts("lib.Greet(name)")))
	r := at(t, dir, "main.go", cursorInMain)
	r.Invoked, r.Due = true, time.Now().Add(localReserve+50*time.Millisecond)
	done, err := e.Complete(t.Context(), r)
	if err != nil || len(done.Items) != 1 || done.Items[0].Text != "lib.Greet(name)" || !strings.Contains(done.Notice, "smaller model") {
		t.Errorf("got %+v, %v", done, err)
	}
	if late := time.Since(r.Due); late > 0 {
		t.Errorf("%v after it was due", late)
	}
	if done.Trace.Took.Total < done.Trace.Took.Prepare+done.Trace.Took.Rank {
		t.Errorf("the account leaves time out: %+v", done.Trace.Took)
	}
}

func TestAModelThatFailsAfterTheFirstContextHasAnsweredAllTheSame(t *testing.T) {
	dir := write(t, workspace)
	m := &replay.Model{Info: model.Info{Name: "m", Provider: "replay", Context: 4096}}
	m.Respond = func(call int, _ model.Prompt, _ model.Options) replay.Reply {
		switch call {
		case 0:
			return replay.Texts("a()")
		case 1: // ten different lines: the other context is asked, too
			return replay.Texts("b()", "c()", "d()", "e()", "f()", "g()", "h()", "i()", "j()")
		}
		return replay.Fail(errors.New("ollama: the runner was killed"))
	}
	e := engine(t, dir, DefaultConfig(), m, replay.New(replay.Texts("local()")))
	r := at(t, dir, "main.go", cursorInMain)
	r.Invoked = true
	done, err := e.Complete(t.Context(), r)
	if err != nil || len(done.Items) != 1 || done.Items[0].Text == "local()" || !strings.Contains(done.Notice, "killed") {
		t.Errorf("got %+v, %v", done, err)
	}
}

func TestASupersededRequestEndsAtTheModelAndDoesNotBlameTheServer(t *testing.T) {
	dir := write(t, workspace)
	slow := replay.Texts("x()")
	slow.Delay = time.Hour
	m := replay.New(slow)
	e := engine(t, dir, DefaultConfig(), m, replay.New(replay.Texts("local()")))
	ctx, cancel := context.WithCancel(t.Context())
	time.AfterFunc(20*time.Millisecond, cancel)
	done, err := e.Complete(ctx, at(t, dir, "main.go", cursorInMain))
	if !errors.Is(err, context.Canceled) || len(done.Items) > 0 {
		t.Errorf("got %+v, %v", done, err)
	}
	if calls := m.Calls(); len(calls) != 1 || !calls[0].Cancelled {
		t.Errorf("calls %+v", calls)
	}
	if status := e.Status(); !strings.Contains(status, "model: replay") {
		t.Errorf("status %q", status)
	}
}

func TestABlockIsWrittenOutWhereALineOpensOne(t *testing.T) {
	dir := write(t, workspace)
	m := &replay.Model{Info: model.Info{Name: "m", Provider: "replay", Context: 4096}}
	m.Respond = func(_ int, p model.Prompt, o model.Options) replay.Reply {
		switch {
		case strings.HasSuffix(p.Left, "you\"\n\t"):
			return replay.Texts("if name == \"\" {")
		case strings.HasSuffix(p.Left, "{\n"):
			return replay.Texts("\t\treturn")
		}
		return replay.Texts("\t}")
	}
	e := engine(t, dir, DefaultConfig(), m, nil)
	r := at(t, dir, "main.go", cursorInMain)
	r.Multiline = true
	done, err := e.Complete(t.Context(), r)
	if want := "if name == \"\" {\n\t\treturn\n\t}"; err != nil || len(done.Items) != 1 || done.Items[0].Text != want {
		t.Errorf("got %+v, %v", done.Items, err)
	}
	r.Multiline = false
	if done, _ = e.Complete(t.Context(), r); len(done.Items) != 1 || strings.Contains(done.Items[0].Text, "\n") {
		t.Errorf("a block that was not wanted: %+v", done.Items)
	}
}

func TestPromptsOfDifferentLengthsAskWithTheSameOptions(t *testing.T) {
	dir := write(t, workspace)
	m := replay.New(replay.Texts("x()"))
	e := engine(t, dir, DefaultConfig(), m, nil)
	for _, behind := range []string{cursorInMain, "println(", "func main() {\n\t"} {
		if _, err := e.Complete(t.Context(), at(t, dir, "main.go", behind)); err != nil {
			t.Fatal(err)
		}
	}
	calls := m.Calls()
	for _, c := range calls[1:] {
		a, b := calls[0].Options, c.Options
		drawn := b.Temperature == 0.8 && b.TopP == 0.95
		if likeliest := b.Temperature == 0 && b.TopP == 1 && b.N == 1; a.MaxTokens != b.MaxTokens || !drawn && !likeliest {
			t.Errorf("options %+v and %+v", a, b)
		}
	}
}

// Seen in another tool: at the first line of a file the code below it was not
// in the prompt.
func TestAtTheStartOfAFileTheCodeBelowIsInThePrompt(t *testing.T) {
	dir := write(t, workspace)
	for _, fim := range []bool{true, false} {
		m := replay.New(replay.Texts("// Package lib greets."))
		m.Info.FIM = fim
		e := engine(t, dir, DefaultConfig(), m, nil)
		r := at(t, dir, "lib/lib.go", "")
		if _, err := e.Complete(t.Context(), r); err != nil {
			t.Fatal(err)
		}
		if p := m.Calls()[0].Prompt; p.Left != "" || p.Right != string(r.Text) || p.Causal == fim {
			t.Errorf("fim %v: prompt %+v", fim, p)
		}
	}
}

func TestAtTheEndOfAFileAModelThatFillsInIsAskedToFillIn(t *testing.T) {
	dir := write(t, workspace)
	m := replay.New(replay.Texts("func Bye() {}"))
	m.Info.FIM = true
	e := engine(t, dir, DefaultConfig(), m, nil)
	r := at(t, dir, "lib/lib.go", workspace["lib/lib.go"])
	if _, err := e.Complete(t.Context(), r); err != nil {
		t.Fatal(err)
	}
	if p := m.Calls()[0].Prompt; p.Left != string(r.Text) || p.Right != "" || p.Causal {
		t.Errorf("prompt %+v", p)
	}
}

func TestTypingDoesNotChangeTheEvidence(t *testing.T) {
	files := map[string]string{"go.mod": workspace["go.mod"], "main.go": workspace["main.go"], "lib/lib.go": workspace["lib/lib.go"]}
	for _, name := range []string{"Load", "Save", "Name", "Green", "Greeting", "Leave", "Link", "Nap", "Length"} {
		files["lib/"+strings.ToLower(name)+".go"] = "package lib\n\n// " + name + " takes a name.\nfunc " + name + "(name string) string {\n\treturn Greet(name) + \"" + name + "\"\n}\n"
	}
	dir := write(t, files)
	m := replay.New(replay.Texts("x()"))
	e := engine(t, dir, DefaultConfig(), m, nil)
	r := at(t, dir, "main.go", cursorInMain)
	e.OpenDocument(r.Path, "go", r.Text)
	before, changes, last := m.Calls(), 0, ""
	for _, key := range "name = lib.Greet(name)" {
		e.EditDocument(r.Path, r.Offset, r.Offset, []byte(string(key)))
		r.Text = append(append(append([]byte{}, r.Text[:r.Offset]...), string(key)...), r.Text[r.Offset:]...)
		r.Offset++
		if _, err := e.Complete(t.Context(), r); err != nil {
			t.Fatal(err)
		}
		calls := m.Calls()
		context := calls[len(before)].Prompt.Context // the primary context of this request
		before = calls
		if last != "" && context != last {
			changes++
		}
		last = context
	}
	// The selector and the first letter of its name change the task; without
	// memory it was eleven changes.
	if changes > 4 {
		t.Errorf("22 keystrokes changed the evidence %d times", changes)
	}
}

func TestFoldersComeAndGo(t *testing.T) {
	first, second := write(t, workspace), write(t, map[string]string{"b.go": "package b\n\nfunc Unusual() {}\n"})
	m := replay.New(replay.Texts("x()"))
	e, err := NewEngine(t.Context(), EngineOptions{Config: DefaultConfig(),
		Connect: func(context.Context, Config) (model.Model, func(), error) { return *m.Model(), func() {}, nil }})
	if err != nil {
		t.Fatal(err)
	}
	defer e.Close()
	r := at(t, first, "main.go", cursorInMain)
	if done, err := e.Complete(t.Context(), r); err != nil || len(done.Items) > 0 || !done.Incomplete {
		t.Errorf("before any folder is known: %+v, %v", done, err)
	}
	files := func() (n int) {
		for range e.Snapshot().Files() {
			n++
		}
		return n
	}
	for _, step := range []struct {
		added, removed []string
		files          int
	}{{[]string{first}, nil, 5}, {[]string{second}, nil, 6}, {nil, []string{first}, 1}, {nil, []string{second}, 0}} {
		if err := e.FoldersChanged(t.Context(), step.added, step.removed, nil); err != nil {
			t.Fatal(err)
		}
		if got := files(); got != step.files {
			t.Errorf("after +%v -%v: %d files, want %d", step.added, step.removed, got, step.files)
		}
	}
	if done, err := e.Complete(t.Context(), r); err != nil || len(done.Items) != 1 || done.Incomplete {
		t.Errorf("in a file outside: %+v, %v", done, err)
	}
}

func TestAModelOnAnotherMachineIsToldOnceAndNamedInTheStatus(t *testing.T) {
	dir := write(t, workspace)
	m := replay.New(replay.Texts("name = lib.Greet(name)"))
	m.Info.Remote = "gpu.example.com"
	e := engine(t, dir, DefaultConfig(), m, nil)
	for i, want := range []bool{true, false} {
		c, err := e.Complete(t.Context(), at(t, dir, "main.go", cursorInMain))
		if err != nil || len(c.Items) == 0 || strings.Contains(c.Notice, "gpu.example.com") != want {
			t.Errorf("completion %d: %d items, notice %q, %v", i, len(c.Items), c.Notice, err)
		}
	}
	if s := e.Status(); !strings.Contains(s, "on gpu.example.com") {
		t.Errorf("status %q", s)
	}
}

func TestWhatLeadsToTheServerConnectsAnew(t *testing.T) {
	dir := write(t, workspace)
	m := replay.New(replay.Texts("name = lib.Greet(name)"))
	connected := 0
	e, err := NewEngine(t.Context(), EngineOptions{Config: DefaultConfig(), Roots: []string{dir},
		Connect: func(context.Context, Config) (model.Model, func(), error) {
			connected++
			return *m.Model(), func() {}, nil
		}})
	if err != nil {
		t.Fatal(err)
	}
	defer e.Close()
	c := DefaultConfig()
	want := 0
	for key, change := range map[string]any{"": nil, "server": "openai", "model": "m", "endpoint": "http://x", "apiKeyFile": "k", "caFile": "ca",
		"plainHTTP": true, "family": "codellama", "prompt": "suffix", "numCtx": 4096.0, "keepAlive": "1m"} {
		if key != "" {
			var errs []error
			if c, errs = c.Apply(map[string]any{key: change}, Source{}); len(errs) > 0 {
				t.Fatal(errs)
			}
			if err := e.Configure(t.Context(), c, nil); err != nil {
				t.Fatal(err)
			}
		}
		if want == 0 || key != "" {
			want++
		}
		if _, err := e.Complete(t.Context(), at(t, dir, "main.go", cursorInMain)); err != nil {
			t.Fatal(err)
		}
		if connected != want {
			t.Fatalf("after %s: connected %d times, want %d", key, connected, want)
		}
	}
}

// What is asked of a model depends on what it can do.
func TestHowAModelIsAsked(t *testing.T) {
	for _, tt := range []struct {
		name      string
		agreement string
		info      model.Info
		change    func(*rank.Options) // of Caret's recipe
	}{
		{"the embedded model lists all that it could say", "auto", model.Info{Provider: "embedded", Scoring: "exact"},
			func(o *rank.Options) { o.Explore, o.Tau, o.Graded, o.LeftTokens, o.RightTokens = true, 0.05, 7, 64, 32 }},
		{"a server's lists are short", "auto", model.Info{Provider: "ollama", Scoring: "walk"},
			func(o *rank.Options) { o.LikeliestFirst, o.Grade, o.RightTokens = true, rank.Race, 32 }},
		{"the user says so", "probabilities", model.Info{Provider: "ollama", Scoring: "walk"},
			func(o *rank.Options) {
				o.Explore, o.Tau, o.Graded, o.LeftTokens, o.RightTokens, o.Grade = true, 0.05, 7, 64, 32, rank.Race
			}},
		{"or the opposite", "samples", model.Info{Provider: "embedded", Scoring: "exact"}, func(o *rank.Options) { o.LikeliestFirst = true }},
		{"a server that scores exactly", "auto", model.Info{Provider: "openai", Scoring: "echo"}, func(o *rank.Options) { o.LikeliestFirst = true }},
	} {
		c := DefaultConfig()
		c.Agreement = tt.agreement
		want := rank.DefaultOptions()
		tt.change(&want)
		if got := RankOptions(c, tt.info); got != want {
			t.Errorf("%s: %+v; want %+v", tt.name, got, want)
		}
	}
}
