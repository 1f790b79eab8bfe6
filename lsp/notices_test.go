package lsp

import (
	"context"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"go.lsp.dev/jsonrpc2"
)

func TestWhichNoticesTheUserMustSee(t *testing.T) {
	ok := answer{heard: true}
	down := answer{heard: true, notice: "no server answers"}
	slow := answer{heard: true, notice: "has not begun to answer", passing: true}
	stillSlow := answer{heard: true, notice: "has not begun to answer"}
	remembered := answer{}
	type step struct {
		after time.Duration
		answer
		shown bool
	}
	for _, test := range []struct {
		name  string
		steps []step
	}{
		{"no server from the start is said at once, and once", []step{{0, down, true}, {0, down, false}, {time.Minute, down, false}}},
		{"one silent request is nothing, the second is", []step{{0, slow, false}, {0, stillSlow, true}}},
		{"one silent request of a model that works is nothing", []step{{0, ok, false}, {0, slow, false}, {0, ok, false}}},
		{"a server that comes back soon is not missed", []step{{0, ok, false}, {0, down, false}, {5 * time.Second, down, false}, {time.Second, ok, false}}},
		{"each time anew", []step{{0, ok, false}, {0, down, false}, {time.Minute, ok, false}, {0, down, false}, {time.Minute, ok, false}}},
		{"one that stays away is", []step{{0, ok, false}, {0, down, false}, {noticeAfter, down, true}, {time.Second, down, false}}},
		{"a server that comes and goes for long is said once", []step{{0, down, true}, {0, ok, false}, {0, down, false}, {noticeAfter, down, false}, {0, ok, false}, {time.Second, down, false}, {noticeAfter, down, false}}},
		{"a day later it is news", []step{{0, down, true}, {0, ok, false}, {24 * time.Hour, down, false}, {noticeAfter, down, true}}},
		{"what is remembered says nothing about the model", []step{{0, ok, false}, {0, down, false}, {noticeAfter, remembered, false}, {0, down, true}}},
	} {
		var n notices
		now := time.Unix(1000, 0)
		for i, s := range test.steps {
			now = now.Add(s.after)
			if got := n.answered(s.answer, now); got != s.shown {
				t.Errorf("%s: answer %d is shown: %v", test.name, i, got)
			}
		}
	}
}

func TestATopicIsNewsWhenItChanges(t *testing.T) {
	var n notices
	for i, step := range []struct {
		about topic
		text  string
		shown bool
	}{
		{ofConfiguration, "", false}, {ofConfiguration, "a", true}, {ofConfiguration, "a", false}, {ofIndex, "b", true},
		{ofConfiguration, "a", false}, {ofConfiguration, "c", true}, {ofConfiguration, "", false}, {ofConfiguration, "c", true},
	} {
		if got := n.changed(step.about, step.text); got != step.shown {
			t.Errorf("step %d is shown: %v", i, got)
		}
	}
}

// A notice that comes once reaches the user although its answer reached nobody.
func TestWhatIsToldOnceIsNotLostWithItsAnswer(t *testing.T) {
	f := newFake()
	var told atomic.Bool
	f.answer(func(ctx context.Context, r CompletionRequest) (Completion, error) {
		c := candidates(r, "value")
		if !told.Swap(true) {
			<-ctx.Done() // superseded
			c.Notice, c.Told = "the model runs on gpu.example.com", true
		}
		return c, nil
	})
	c := connect(t, f, testOptions())
	c.start(`{}`)
	c.open("/home/me/a.py", "python", "x")
	ctx, cancel := context.WithCancel(c.ctx)
	defer cancel()
	go c.conn.Call(ctx, "textDocument/inlineCompletion", jsonrpc2.RawMessage(inlineParams("/home/me/a.py", "x", 1)), nil)
	eventually(t, "the model is asked", func() bool { return f.calls() == 1 })
	doc := "x"
	eventually(t, "the notice comes with the answer to a later key", func() bool {
		c.insert("/home/me/a.py", doc, len(doc), "y")
		doc += "y"
		if _, err := c.inline("/home/me/a.py", doc, len(doc)); err != nil {
			t.Fatal(err)
		}
		return c.hasNoted("window/showMessage", "gpu.example.com")
	})
}

func TestAHealthySessionShowsNoMessage(t *testing.T) {
	f := newFake()
	f.work = func(report func(Progress)) { report(Progress{Done: 1, Total: 2, What: "parsing"}) }
	var next atomic.Pointer[Completion]
	f.answer(func(_ context.Context, r CompletionRequest) (Completion, error) {
		c := candidates(r, "value")
		if n := next.Swap(nil); n != nil {
			c.Notice, c.Passing = n.Notice, n.Passing
		}
		return c, nil
	})
	c := connect(t, f, testOptions())
	c.start(`{"window":{"workDoneProgress":true}}`)
	c.noted("$/progress", `"kind":"end"`)
	c.open("/home/me/a.py", "python", "")
	doc := ""
	key := func() {
		t.Helper()
		c.insert("/home/me/a.py", doc, len(doc), "x")
		doc += "x"
		if _, err := c.inline("/home/me/a.py", doc, len(doc)); err != nil {
			t.Fatal(err)
		}
	}
	command := func(name string) { c.mustCall("workspace/executeCommand", `{"command":"`+name+`"}`, nil) }
	key()
	command(cmdPause)
	key()
	command(cmdResume)
	key()
	next.Store(&Completion{Notice: "has not begun to answer", Passing: true})
	key()
	for range 3 { // the server flaps
		key()
		next.Store(&Completion{Notice: "no server answers"})
		key()
	}
	command(cmdReindex)
	command(cmdStatus)
	eventually(t, "it is indexed anew", func() bool { return f.saw("reindex") })
	if next.Load() != nil {
		t.Error("the model was not asked when it was down")
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	for _, n := range c.notes {
		if strings.HasPrefix(n, "window/") {
			t.Errorf("shown: %s", n)
		}
	}
}
