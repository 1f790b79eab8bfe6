package lsp

import (
	"context"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"readahead/model"
	"readahead/model/replay"
)

// A user who sees nothing can find out why: the status says it.
func TestTheStatusSaysWhyNothingWasShown(t *testing.T) {
	const in = "nothing was shown at the last request, in "
	for _, c := range []struct {
		what, says   string // the model
		file, behind string
		want         string
	}{
		{"a candidate that the document makes useless", "println(name)", "main.go", cursorInMain,
			in + "main.go: of what the model says, " + repeatsBelow},
		{"one that breaks the file", "if name == = {", "main.go", cursorInMain, in + "main.go: of what the model says, " + breaksFile},
		{"a model that says nothing", "\n\n\n\n\n", "main.go", cursorInMain, in + "main.go: the model says that nothing belongs here"},
		{"an ignored file", "x()", "private/keys.go", "{ ", in + "keys.go: the file is ignored: "},
	} {
		t.Run(c.what, func(t *testing.T) {
			dir := write(t, workspace)
			s := converse(t, dir)
			s.m.Respond = func(int, model.Prompt, model.Options) replay.Reply { return replay.Texts(c.says) }
			path, text := filepath.Join(dir, c.file), workspace[c.file]
			s.open(path, "go", text)
			s.settle()
			ask := func(behind string) (items int, status string) {
				t.Helper()
				got, err := s.inline(path, text, strings.Index(text, behind)+len(behind))
				if err != nil {
					t.Fatal(err)
				}
				s.mustCall("workspace/executeCommand", `{"command":"readahead.status"}`, &status)
				return len(got.Items), status
			}
			if items, status := ask(c.behind); items != 0 || !strings.Contains(status, "\n"+c.want) {
				t.Errorf("%d items, status %q; want a line %q", items, status, c.want)
			}
		})
	}
}

func TestAnAnswerThatIsShownEndsTheSilence(t *testing.T) {
	f := newFake()
	c := connect(t, f, testOptions())
	c.start(`{}`)
	c.open("/home/me/a.py", "python", "x = ")
	for _, says := range []string{"", "1"} {
		f.say(says)
		if _, err := c.inline("/home/me/a.py", "x = ", 4); err != nil {
			t.Fatal(err)
		}
		var status string
		c.mustCall("workspace/executeCommand", `{"command":"readahead.status"}`, &status)
		if silent := strings.Contains(status, "in a.py: the model has nothing to say"); silent != (says == "") {
			t.Errorf("with %q: %s", says, status)
		}
		f.changes.Add(1) // or the answer would be remembered
	}
}

func TestASlowModelIsNamedAsTheReason(t *testing.T) {
	f := newFake()
	inBubble(t, f, func(e *editor) {
		f.answer(func(ctx context.Context, _ CompletionRequest) (Completion, error) {
			<-ctx.Done()
			return Completion{}, ctx.Err()
		})
		e.request(e.ask())
		time.Sleep(2 * time.Second)
		want := "nothing was shown at the last request, in a.py: the model has said nothing within 1s (deadlineMs), and is still at work"
		if got := e.s.lastSilence(); got != want {
			t.Errorf("got %q", got)
		}
		e.s.forget("/a.py")
	})
}
