package lsp

import (
	"context"
	"encoding/json"
	"errors"
	"strings"
	"testing"

	"readahead/model"
	"readahead/model/replay"
)

// account is the part of a report's JSON that these tests read.
type account struct {
	Page         string
	Shown        bool
	Line, Column int
	Items        []Item
	Code         struct {
		Line          int
		Before, After string
	}
	Prompts []struct {
		Family, Text, Context, Left, Right string
		Asked, Causal                      bool
		Tokens                             struct{ Context, Left, Right int }
	}
	Trace *struct {
		Refused  string
		Window   struct{ Context, Evidence, Margin int }
		Ranking  struct{ Samples int }
		Contexts []struct {
			Objects []struct {
				Name, Text, Chosen string
				Views              []struct{ Kind, Text string }
			}
		}
		MS struct{ Total, Block float64 }
	}
}

func accountOf(t *testing.T, r Report) (a account) {
	t.Helper()
	text, err := json.Marshal(r)
	if err == nil {
		err = json.Unmarshal(text, &a)
	}
	if err != nil {
		t.Fatal(err)
	}
	return a
}

func TestAReportHasThePromptThatTheModelGot(t *testing.T) {
	dir := write(t, workspace)
	m := replay.New(replay.Texts("name = lib.Greet(name)"))
	o := EngineOptions{Config: DefaultConfig(), Roots: []string{dir}}
	o.Connect = func(context.Context, Config) (model.Model, func(), error) {
		rendering := *m.Model()
		rendering.Render = func(p model.Prompt) string { return "<" + p.Context + "|" + p.Left + "|" + p.Right + ">" }
		return rendering, func() {}, nil
	}
	e, err := NewEngine(t.Context(), o)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { e.Close() })
	if _, err := e.Build(t.Context(), nil); err != nil {
		t.Fatal(err)
	}
	r := at(t, dir, "main.go", cursorInMain)
	done, err := e.Complete(t.Context(), r)
	if err != nil {
		t.Fatal(err)
	}
	a := accountOf(t, Report{r, done})
	sent := m.Calls()[0].Prompt
	p := a.Prompts[0]
	if p.Context != sent.Context || p.Left != sent.Left || p.Right != sent.Right || p.Causal != sent.Causal || !p.Asked {
		t.Errorf("reported %+v\nsent     %+v", p, sent)
	}
	if want := "<" + sent.Context + "|" + sent.Left + "|" + sent.Right + ">"; p.Text != want {
		t.Errorf("reported %q, the model renders %q", p.Text, want)
	}
	if len(a.Prompts) != 2 || a.Prompts[1].Asked {
		t.Errorf("the second context was not consulted: %+v", a.Prompts)
	}
	if p.Tokens.Left != len(strings.Fields(sent.Left)) {
		t.Errorf("%d tokens before the cursor in %q", p.Tokens.Left, sent.Left)
	}
}

func TestAReportHasPlaceCodeAndEveryViewOfAnObject(t *testing.T) {
	dir := write(t, workspace)
	e := engine(t, dir, DefaultConfig(), replay.New(replay.Texts("name = lib.Greet(name)")), nil)
	r := at(t, dir, "main.go", cursorInMain)
	done, err := e.Complete(t.Context(), r)
	if err != nil {
		t.Fatal(err)
	}
	a := accountOf(t, Report{r, done})
	if a.Line != 7 || a.Column != 2 || len(a.Items) != 1 || a.Code.Line != 1 ||
		a.Code.Before+a.Code.After != string(r.Text) || !strings.HasSuffix(a.Code.Before, "\n\t") {
		t.Errorf("place and code %d:%d %+v %+v", a.Line, a.Column, a.Items, a.Code)
	}
	if a.Trace.Window.Context != 4096 || a.Trace.Window.Margin != 409 || a.Trace.Ranking.Samples != 10 || a.Trace.MS.Total <= 0 {
		t.Errorf("window, ranking or time: %+v", a.Trace)
	}
	greet := false
	for _, o := range a.Trace.Contexts[0].Objects {
		if o.Name == "Greet" {
			greet = len(o.Views) > 1 && o.Chosen != "" && strings.Contains(o.Text, "func Greet") && o.Views[0].Text != ""
		}
	}
	if !greet {
		t.Errorf("Greet is not reported with its text and views: %+v", a.Trace.Contexts[0].Objects)
	}
}

func TestAReportOfNothing(t *testing.T) {
	for _, tt := range []struct {
		name string
		r    Report
	}{
		{"the zero value", Report{}},
		{"no model could answer", Report{Request: CompletionRequest{Text: []byte("x"), Offset: 1}, Completion: Completion{Notice: "no server"}}},
		{"an offset outside the text", Report{Request: CompletionRequest{Text: []byte("x"), Offset: 99}}},
		{"refused", Report{Completion: refused(CompletionRequest{}, "", "ignored")}},
		{"a trace of another text", Report{Completion: Completion{Trace: &Trace{tokens: func(string) int { return 0 },
			Visible: struct{ Start, End uint32 }{0, 9}}}}},
	} {
		t.Run(tt.name, func(t *testing.T) {
			a := accountOf(t, tt.r)
			if a.Items == nil || a.Prompts == nil || a.Line != 1 {
				t.Errorf("got %+v", a)
			}
		})
	}
}

func TestReportedCodeIsAScreenfulWithoutEndlessLines(t *testing.T) {
	line := strings.Repeat("é", 1000)
	text := strings.Repeat("x\n", 100) + line + "|" + line + "\n" + strings.Repeat("y\r\n", 100)
	offset := strings.Index(text, "|")
	a := accountOf(t, Report{Request: CompletionRequest{Text: []byte(text), Offset: offset}})
	before, after := strings.Split(a.Code.Before, "\n"), strings.Split(a.Code.After, "\n")
	if len(before) != linesBefore+1 || a.Code.Line != 101-linesBefore || a.Line != 101 || a.Column != 1001 {
		t.Errorf("%d lines before the cursor at %d:%d, from line %d", len(before), a.Line, a.Column, a.Code.Line)
	}
	cursorLine := before[len(before)-1]
	if len(cursorLine) > longLine+3 || !strings.HasPrefix(cursorLine, "…é") || !strings.HasPrefix(after[0], "|é") || !strings.HasSuffix(after[0], "é…") {
		t.Errorf("long lines: %q and %q", cursorLine, after[0])
	}
	if len(after) != linesAfter+2 || after[1] != "y" { // the last line break ends the last line
		t.Errorf("%d lines after the cursor: %q", len(after), after[1:])
	}
}

func TestInspectWritesAPageAndAsksTheClientToOpenIt(t *testing.T) {
	const path = "/w/a.go"
	f := newFake()
	f.answer(func(_ context.Context, r CompletionRequest) (Completion, error) {
		c := candidates(r, "println(1)")
		c.Trace = &Trace{Path: "a.go"}
		return c, nil
	})
	var written []byte
	fail := false
	o := testOptions()
	o.Page = func(report []byte) (string, error) {
		if fail {
			return "", errors.New("the disk is full")
		}
		written = report
		return "/tmp/a folder/page.html", nil
	}
	c := connect(t, f, o)
	c.start(`{"window":{"showDocument":{"support":true}},"textDocument":{"inlineCompletion":{}}}`)

	inspect := func(arguments string) (a *account, err error) {
		err = c.call("workspace/executeCommand", `{"command":"readahead.inspect","arguments":`+arguments+`}`, &a)
		return a, err
	}
	if a, err := inspect(`[]`); err != nil || a != nil {
		t.Errorf("before any answer: %+v, %v", a, err)
	}
	doc := "package a\n\n"
	c.open(path, "go", doc)
	if _, err := c.inline(path, doc, len(doc)); err != nil {
		t.Fatal(err)
	}
	for _, arguments := range []string{`["file://` + path + `"]`, `[]`, `[""]`} {
		a, err := inspect(arguments)
		if err != nil {
			t.Fatal(err)
		}
		if a.Page != "/tmp/a folder/page.html" || a.Line != 3 || len(a.Items) != 1 || a.Items[0].Text != "println(1)" || a.Trace == nil {
			t.Errorf("%s: answer %+v", arguments, a)
		}
		var onPage account
		if err := json.Unmarshal(written, &onPage); err != nil || onPage.Line != 3 || onPage.Items[0].Text != "println(1)" {
			t.Errorf("%s: page %s, %v", arguments, written, err)
		}
		if a.Shown { // the client of these tests answers null
			t.Error("shown, says the answer; the client did not say so")
		}
	}
	c.mu.Lock()
	asked := strings.Join(c.asks, "\n")
	c.mu.Unlock()
	if !strings.Contains(asked, "window/showDocument") || !strings.Contains(asked, `file:///tmp/a%20folder/page.html`) || !strings.Contains(asked, `"external":true`) {
		t.Errorf("the client was asked %q", asked)
	}
	if a, err := inspect(`["file:///w/other.go"]`); err != nil || a != nil {
		t.Errorf("a document without an answer: %+v, %v", a, err)
	}
	if _, err := inspect(`[1]`); err == nil {
		t.Error("a number was taken for a URI")
	}
	fail = true
	if _, err := inspect(`[]`); err == nil || !strings.Contains(err.Error(), "the disk is full") {
		t.Errorf("no page and no error: %v", err)
	}
}

// A file that may not be read may be a secret: its report says why, and nothing
// of its text.
func TestTheReportOfARefusedFileHoldsNoneOfIt(t *testing.T) {
	r := Report{Request: CompletionRequest{Path: "/w/.env", Text: []byte("TOKEN=hunter2\n"), Offset: 6},
		Completion: Completion{Trace: &Trace{Refused: "the file is ignored"}}}
	text, err := json.Marshal(r)
	if err != nil || strings.Contains(string(text), "hunter") || strings.Contains(string(text), "TOKEN") || !strings.Contains(string(text), "the file is ignored") {
		t.Errorf("%s, %v", text, err)
	}
}
