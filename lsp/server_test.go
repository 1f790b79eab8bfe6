package lsp

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"os/exec"
	"runtime"
	"strings"
	"sync"
	"testing"
	"testing/synctest"

	"go.lsp.dev/jsonrpc2"
)

func TestLifeCycle(t *testing.T) {
	w := dial(t, newFake())
	expect := func(id int, want string) {
		t.Helper()
		if got := w.read(id); !strings.Contains(got, want) {
			t.Errorf("answer %s, want %s in it", got, want)
		}
	}
	w.send(1, "workspace/executeCommand", `{"command":"readahead.status"}`)
	expect(1, `"code":-32002`)
	w.notify("textDocument/didOpen", `{"textDocument":{"uri":"file:///a","text":"x"}}`) // ignored
	w.send(2, "initialize", `{"processId":null,"rootUri":null,"capabilities":{}}`)
	expect(2, `"name":"readahead","version":"test"`)
	w.send(3, "initialize", `{"capabilities":{}}`)
	expect(3, `"code":-32600`)
	w.send(4, "no/such", `{}`)
	expect(4, `"code":-32601`)
	w.notify("no/such", `{}`)
	w.notify("$/no/such", `{}`)
	w.send(5, "textDocument/inlineCompletion", `{"textDocument":{"uri":"file:///a"},"position":{"line":0,"character":0}}`)
	expect(5, `{"code":-32602,"message":"readahead: document file:///a is not open`) // what was opened too early
	w.send(6, "textDocument/inlineCompletion", `{"position":7}`)
	expect(6, `"code":-32602`)
	w.send(7, "shutdown", `null`)
	expect(7, `"result":null`)
	w.send(8, "workspace/executeCommand", `{"command":"readahead.status"}`)
	expect(8, `"code":-32600`)
}

func TestHowServeEnds(t *testing.T) {
	const hello = `{"capabilities":{}}`
	for _, c := range []struct {
		name string
		talk func(*client)
		want string
	}{
		{"shutdown and exit are an orderly end", func(c *client) {
			c.mustCall("initialize", hello, nil)
			c.mustCall("shutdown", `{}`, nil)
			c.notify("exit", `{}`)
		}, ""},
		{"exit alone is not", func(c *client) {
			c.mustCall("initialize", hello, nil)
			c.notify("exit", `{}`)
		}, ErrNoShutdown.Error()},
		{"nor is exit before anything else", func(c *client) { c.notify("exit", `{}`) }, ErrNoShutdown.Error()},
		{"nor a client that is gone", func(c *client) {
			c.mustCall("initialize", hello, nil)
			c.wire.Close()
		}, ErrNoShutdown.Error()},
		{"something that is no client is named", func(c *client) {
			c.wire.Write([]byte("hello?\r\n\r\n"))
		}, "no header line"},
	} {
		t.Run(c.name, func(t *testing.T) {
			client := connect(t, newFake(), testOptions())
			c.talk(client)
			err := <-client.ended
			client.ended <- err // for the cleanup
			if (err == nil) != (c.want == "") || err != nil && !strings.Contains(err.Error(), c.want) {
				t.Errorf("Serve returned %v, want %q", err, c.want)
			}
		})
	}
}

func TestAClientMaySayItsGoodbyesInOneBreath(t *testing.T) {
	w := dial(t, newFake())
	go func() {
		w.send(1, "initialize", `{"capabilities":{}}`)
		w.send(2, "shutdown", `null`)
		w.notify("exit", `null`)
	}()
	w.read(1)
	w.read(2)
}

func TestServeEndsWithItsContext(t *testing.T) {
	here, there := pipe()
	defer here.Close()
	ctx, cancel := context.WithCancel(t.Context())
	ended := make(chan error, 1)
	go func() { ended <- NewServer(newFake(), testOptions()).Serve(ctx, there) }()
	cancel()
	if err := <-ended; !errors.Is(err, context.Canceled) {
		t.Errorf("Serve: %v", err)
	}
}

func TestNoGoroutineOutlivesServe(t *testing.T) {
	before := runtime.NumGoroutine()
	f := newFake()
	f.answer(func(ctx context.Context, _ CompletionRequest) (Completion, error) {
		<-ctx.Done()
		return Completion{}, ctx.Err()
	})
	f.work = func(report func(Progress)) { report(Progress{Done: 1, Total: 2, What: "files"}) }
	here, there := pipe()
	ended := make(chan error, 1)
	go func() { ended <- NewServer(f, testOptions()).Serve(t.Context(), there) }()
	client := jsonrpc2.NewConn(jsonrpc2.NewStream(here))
	client.Go(t.Context(), jsonrpc2.MethodNotFoundHandler)
	call := func(method, params string) error {
		_, err := client.Call(t.Context(), method, jsonrpc2.RawMessage(params), nil)
		return err
	}
	call("initialize", fmt.Sprintf(`{"processId":%d,"capabilities":{"window":{"workDoneProgress":true}}}`, 1))
	client.Notify(t.Context(), "initialized", jsonrpc2.RawMessage(`{}`))
	for i := range 5 {
		client.Notify(t.Context(), "textDocument/didOpen", jsonrpc2.RawMessage(fmt.Sprintf(`{"textDocument":{"uri":"file:///%d","text":"x"}}`, i)))
		go call("textDocument/inlineCompletion", fmt.Sprintf(`{"textDocument":{"uri":"file:///%d"},"position":{"line":0,"character":1}}`, i))
	}
	eventually(t, "two requests are at the model", func() bool { return f.calls() == 2 })
	if err := call("shutdown", `{}`); err != nil {
		t.Error("shutdown:", err)
	}
	client.Notify(t.Context(), "exit", nil)
	if err := <-ended; err != nil {
		t.Error("Serve:", err)
	}
	client.Close()
	eventually(t, "all goroutines have ended", func() bool { return runtime.NumGoroutine() <= before })
}

// A client that sends a lot before it reads anything must not stop the server
// from reading.
func TestAClientMayWriteBeforeItReads(t *testing.T) {
	w := dial(t, newFake())
	const requests = 200
	w.send(1, "initialize", `{"capabilities":{}}`)
	for i := range requests { // answered and refused, and no message at all
		w.send(10+i, "workspace/executeCommand", `{"command":"readahead.status"}`)
		w.send(1000+i, "no/such", `{}`)
		w.frame(`{`)
	}
	w.read(10 + requests - 1)
	w.read(1000 + requests - 1)
}

func TestPositionEncodings(t *testing.T) {
	for offered, want := range map[string]string{
		``:                          `"utf-16"`,
		`"utf-16"`:                  `"utf-16"`,
		`"utf-32","utf-16","utf-8"`: `"utf-8"`,
		`"utf-32","utf-16"`:         `"utf-16"`,
		`"utf-32"`:                  `"utf-32"`,
		`"utf-7"`:                   `"utf-16"`,
	} {
		w := dial(t, newFake())
		w.send(1, "initialize", `{"capabilities":{"general":{"positionEncodings":[`+offered+`]}}}`)
		if got := w.read(1); !strings.Contains(got, `"positionEncoding":`+want) {
			t.Errorf("offered %s: %s", offered, got)
		}
	}
}

func TestTheMenuIsForClientsWithoutInlineCompletions(t *testing.T) {
	for capabilities, want := range map[string]bool{`{}`: true, `{"textDocument":{"inlineCompletion":{}}}`: false} {
		w := dial(t, newFake())
		w.send(1, "initialize", `{"capabilities":`+capabilities+`}`)
		got := w.read(1)
		if strings.Contains(got, `"completionProvider"`) != want || !strings.Contains(got, `"inlineCompletionProvider"`) {
			t.Errorf("to a client with %s: %s", capabilities, got)
		}
		if !strings.Contains(got, `"readahead.accepted"`) {
			t.Errorf("commands are not listed: %s", got)
		}
	}
}

func TestTheCompleterSeesEveryEdit(t *testing.T) {
	f := newFake()
	c := connect(t, f, testOptions())
	c.start(`{}`)
	c.open("/home/me/a b.txt", "", "one\r\ntwo\rthree\n")
	change := func(changes string) {
		c.notify("textDocument/didChange", `{"textDocument":{"uri":"file:///home/me/a%20b.txt","version":null},"contentChanges":[`+changes+`]}`)
	}
	for _, step := range []struct{ name, changes, want string }{
		{"an insertion", `{"range":{"start":{"line":1,"character":3},"end":{"line":1,"character":3}},"text":"🙂"}`, "one\r\ntwo🙂\rthree\n"},
		{"several, each on the result of the last", `{"range":{"start":{"line":0,"character":0},"end":{"line":0,"character":1}},"text":""},{"range":{"start":{"line":0,"character":0},"end":{"line":0,"character":0}},"text":"O"}`, "One\r\n" + "two🙂\rthree\n"},
		{"a range that ends before it starts", `{"range":{"start":{"line":0,"character":3},"end":{"line":0,"character":1}},"text":"NE"}`, "ONE\r\ntwo🙂\rthree\n"},
		{"a range far outside the document", `{"range":{"start":{"line":4294967295,"character":0},"end":{"line":99999999999,"character":4294967296}},"text":"four"}`, "ONE\r\ntwo🙂\rthree\nfour"},
		{"half a surrogate pair", `{"range":{"start":{"line":3,"character":4},"end":{"line":3,"character":4}},"text":"\ud83d"}`, "ONE\r\ntwo🙂\rthree\nfour\uFFFD"},
		{"the whole document", `{"text":"ONE\r\n2\rthree\n"}`, "ONE\r\n2\rthree\n"},
		{"the same again", `{"text":"ONE\r\n2\rthree\n"}`, "ONE\r\n2\rthree\n"},
		{"nothing", `{"text":""}`, ""},
	} {
		change(step.changes)
		eventually(t, step.name+": "+fmt.Sprintf("%q", step.want), func() bool { return f.text("/home/me/a b.txt") == step.want })
	}
	c.notify("textDocument/didClose", `{"textDocument":{"uri":"file:///home/me/a%20b.txt"}}`)
	change(`{"text":"late"}`) // ignored: not open
	c.mustCall("workspace/executeCommand", `{"command":"readahead.status"}`, nil)
	if len(f.docs) != 0 {
		t.Errorf("after it was closed: %q", f.docs)
	}
}

func TestRequestsForPositionsThatAreGone(t *testing.T) {
	f := newFake()
	f.say("x = 1")
	c := connect(t, f, testOptions())
	c.start(`{}`)
	c.open("/home/me/a.py", "python", "a = 1\n")
	for _, at := range []string{`{"line":7,"character":3}`, `{"line":2147483648,"character":2147483648}`, `{"line":-1,"character":-1}`, `{"line":1e300,"character":1.0}`} {
		var reply inlineReply
		c.mustCall("textDocument/inlineCompletion", `{"textDocument":{"uri":"file:///home/me/a.py"},"position":`+at+`}`, &reply)
		for _, it := range reply.Items {
			if it.Range.Start.Line > 1 || it.Range.Start.Line != it.Range.End.Line {
				t.Errorf("at %s: range %v", at, it.Range)
			}
		}
	}
}

func TestAnEmptyAnswerIsAList(t *testing.T) {
	c := connect(t, newFake(), testOptions())
	c.start(`{}`)
	c.open("/home/me/a.py", "python", "a = 1\n")
	for method, want := range map[string]string{
		"textDocument/inlineCompletion": `{"items":[]}`,
		"textDocument/completion":       `{"isIncomplete":true,"items":[]}`,
	} {
		var raw jsonrpc2.RawMessage
		params := jsonrpc2.RawMessage(`{"textDocument":{"uri":"file:///home/me/a.py"},"position":{"line":0,"character":0}}`)
		if _, err := c.conn.Call(c.ctx, method, params, &raw); err != nil || string(raw) != want {
			t.Errorf("%s: %s, %v; want %s", method, raw, err, want)
		}
	}
}

func TestConfigurationIsPulledAndApplied(t *testing.T) {
	f := newFake()
	f.say("1")
	o := testOptions()
	c := connect(t, f, o)
	c.config = `{"enable":true,"samples":3,"smaples":4}`
	c.mustCall("initialize", `{"initializationOptions":{"samples":2,"evidenceTokens":7},"workspaceFolders":[{"uri":"file:///home/me"}],"capabilities":{"workspace":{"configuration":true,"didChangeConfiguration":{"dynamicRegistration":true},"didChangeWatchedFiles":{"dynamicRegistration":true}}}}`, nil)
	c.notify("initialized", `{}`)
	eventually(t, "the folders are indexed with the configuration", func() bool { return f.saw("configure") && f.saw("folders +/home/me -") })
	if got := f.settings(); got.Samples != 3 || got.EvidenceTokens != 7 {
		t.Errorf("configuration %+v", got)
	}
	c.noted("window/showMessage", "smaples", "samples") // the unknown key, and what it may mean
	c.mu.Lock()
	asks := strings.Join(c.asks, "\n")
	c.config = `{"enable":false}`
	c.mu.Unlock()
	for _, want := range []string{"workspace/didChangeWatchedFiles", "workspace/didChangeConfiguration", `"section":"readahead"`} {
		if !strings.Contains(asks, want) {
			t.Errorf("%s is not in what the client was asked:\n%s", want, asks)
		}
	}

	// Case 17: switched off, nothing asks the model.
	c.open("/home/me/a.py", "python", "x = ")
	if reply, err := c.inline("/home/me/a.py", "x = ", 4); err != nil || len(reply.Items) != 1 {
		t.Errorf("switched on: %v, %v", reply, err)
	}
	asked := f.calls()
	c.notify("workspace/didChangeConfiguration", `{"settings":null}`)
	eventually(t, "it is switched off", func() bool { return !f.settings().Enable })
	c.insert("/home/me/a.py", "x = ", 4, "1 +")
	if reply, err := c.inline("/home/me/a.py", "x = 1 +", 7); err != nil || len(reply.Items) != 0 || f.calls() != asked {
		t.Errorf("switched off: %v, %v, %d requests to the model", reply, err, f.calls()-asked)
	}
}

func TestConfigurationIsPushed(t *testing.T) {
	f := newFake()
	c := connect(t, f, testOptions())
	c.start(`{}`)
	for _, settings := range []string{`{"readahead":{"samples":4}}`, `{"samples":4}`} {
		f.mu.Lock()
		f.config = Config{}
		f.mu.Unlock()
		c.notify("workspace/didChangeConfiguration", `{"settings":`+settings+`}`)
		eventually(t, "samples is 4 by "+settings, func() bool { return f.settings().Samples == 4 })
	}
}

func TestTheWorkspaceIsFollowed(t *testing.T) {
	f := newFake()
	f.work = func(report func(Progress)) { report(Progress{Done: 1, Total: 4, What: "parsing"}) }
	c := connect(t, f, testOptions())
	c.mustCall("initialize", `{"rootPath":"/old","rootUri":"file:///home/me","capabilities":{"window":{"workDoneProgress":true}}}`, nil)
	c.notify("initialized", `{}`)
	c.noted("$/progress", `"kind":"begin"`, "Indexing")
	c.noted("$/progress", `"kind":"report"`, "parsing 1/4", `"percentage":25`)
	c.noted("$/progress", `"kind":"end"`)
	c.notify("workspace/didChangeWorkspaceFolders", `{"event":{"added":[{"uri":"file:///more","name":"more"}],"removed":[{"uri":"file:///home/me","name":"work"}]}}`)
	c.notify("workspace/didChangeWatchedFiles", `{"changes":[{"uri":"file:///more/a.go","type":1},{"uri":"file:///more/b%20c.go","type":3}]}`)
	c.mustCall("workspace/executeCommand", `{"command":"readahead.reindex"}`, nil)
	eventually(t, "the jobs are done", func() bool { return f.saw("reindex") })
	if want := []string{"configure", "folders +/home/me -", "configure", "folders +/more -/home/me", "configure", "files /more/a.go /more/b c.go", "reindex"}; fmt.Sprint(f.events) != fmt.Sprint(want) {
		t.Errorf("events %q, want %q", f.events, want)
	}
}

func TestCommands(t *testing.T) {
	f := newFake()
	f.say("1")
	o := testOptions()
	o.Status = func() string { return "model: none" }
	c := connect(t, f, o)
	c.start(`{}`)
	c.open("/home/me/a.py", "python", "x = ")
	execute := func(command string) (answer string) {
		t.Helper()
		c.mustCall("workspace/executeCommand", `{"command":"`+command+`","arguments":[0]}`, &answer)
		return answer
	}
	items := func() int {
		t.Helper()
		reply, err := c.inline("/home/me/a.py", "x = ", 4)
		if err != nil {
			t.Fatal(err)
		}
		return len(reply.Items)
	}
	execute("readahead.pause")
	if got := execute("readahead.status"); items() != 0 || f.calls() != 0 || !strings.Contains(got, "paused") {
		t.Errorf("paused: %s", got)
	}
	execute("readahead.resume")
	if items() != 1 {
		t.Error("resumed: no item")
	}
	execute("readahead.accepted")
	if got := execute("readahead.status"); !strings.Contains(got, "1 asked of the model; 1 accepted.") || !strings.Contains(got, "model: none") {
		t.Errorf("status: %s", got)
	}
	if err := c.call("workspace/executeCommand", `{"command":"rm"}`, nil); code(err) != jsonrpc2.InvalidParams {
		t.Errorf("an unknown command: %v", err)
	}
}

// Notices that some clients send are known, and what nobody knows is told apart.
func TestNoticesOfWhatIsShown(t *testing.T) {
	var mu sync.Mutex
	var log strings.Builder
	o := testOptions()
	o.Log = slog.New(slog.NewTextHandler(writerFunc(func(p []byte) (int, error) {
		mu.Lock()
		defer mu.Unlock()
		return log.Write(p)
	}), nil))
	c := connect(t, newFake(), o)
	c.start(`{}`)
	ignored := func() int {
		c.mustCall("workspace/executeCommand", `{"command":"readahead.status"}`, nil) // behind what was sent before
		mu.Lock()
		defer mu.Unlock()
		return strings.Count(log.String(), "notification ignored")
	}
	for _, n := range []string{"textDocument/didShowCompletion", "textDocument/didPartiallyAcceptCompletion", "$/setTrace"} {
		c.notify(n, `{"item":{"insertText":"x"},"acceptedLength":1}`)
	}
	if n := ignored(); n != 0 {
		t.Errorf("%d of the known notices were ignored:\n%s", n, log.String())
	}
	c.notify("textDocument/didDance", `{}`)
	if n := ignored(); n != 1 {
		t.Errorf("one unknown notice, %d ignored", n)
	}
}

type writerFunc func([]byte) (int, error)

func (f writerFunc) Write(p []byte) (int, error) { return f(p) }

// However a client names its folders, all of them reach the completer.
func TestFoldersOfTheClient(t *testing.T) {
	for _, tt := range []struct{ name, params, want string }{
		{"several", `"workspaceFolders":[{"uri":"file:///a","name":"a"},{"uri":"file:///b%20c","name":"b"}],"rootUri":"file:///a"`, "folders +/a /b c -"},
		{"none: a list without any", `"workspaceFolders":[],"rootUri":null`, "folders + -"},
		{"none: null", `"workspaceFolders":null,"rootUri":null`, "folders + -"},
		{"an old client's root", `"rootUri":"file:///old"`, "folders +/old -"},
		{"an older client's path", `"rootPath":"/older"`, "folders +/older -"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			f := newFake()
			f.say("x()")
			c := connect(t, f, testOptions())
			c.mustCall("initialize", `{"processId":null,"capabilities":{"textDocument":{"inlineCompletion":{}}},`+tt.params+`}`, nil)
			c.notify("initialized", `{}`)
			c.open("/elsewhere/a.py", "python", "y = ")
			if got, err := c.inline("/elsewhere/a.py", "y = ", 4); err != nil || len(got.Items) != 1 {
				t.Errorf("in a file outside: %+v, %v", got, err)
			}
			eventually(t, tt.want, func() bool { return f.saw(tt.want) })
		})
	}
}

func TestANoticeIsShownOnceInARow(t *testing.T) {
	f := newFake()
	f.answer(func(context.Context, CompletionRequest) (Completion, error) {
		return Completion{Notice: "the model server is down: the local model answers"}, nil
	})
	c := connect(t, f, testOptions())
	c.start(`{}`)
	c.open("/home/me/a.py", "python", "")
	doc := ""
	for range 3 {
		c.insert("/home/me/a.py", doc, len(doc), "x")
		doc += "x"
		if _, err := c.inline("/home/me/a.py", doc, len(doc)); err != nil {
			t.Fatal(err)
		}
	}
	c.noted("window/showMessage", "is down")
	c.mu.Lock()
	defer c.mu.Unlock()
	if n := len(c.notes); n != 1 {
		t.Errorf("%d notices: %q", n, c.notes)
	}
}

func TestANewerRequestSupersedesTheOlder(t *testing.T) {
	f := newFake()
	stopped := make(chan int, 10)
	f.answer(func(ctx context.Context, r CompletionRequest) (Completion, error) {
		if len(r.Text) == 5 {
			return candidates(r, "2"), nil
		}
		<-ctx.Done()
		stopped <- len(r.Text)
		return Completion{}, ctx.Err()
	})
	w := dial(t, f)
	w.send(1, "initialize", `{"capabilities":{}}`)
	w.read(1)
	w.notify("textDocument/didOpen", `{"textDocument":{"uri":"file:///a.py","languageId":"python","text":"x = "}}`)
	w.send(2, "textDocument/inlineCompletion", `{"textDocument":{"uri":"file:///a.py"},"position":{"line":0,"character":4}}`)
	eventually(t, "the first request is at the model", func() bool { return f.calls() == 1 })
	w.notify("textDocument/didChange", `{"textDocument":{"uri":"file:///a.py"},"contentChanges":[{"range":{"start":{"line":0,"character":4},"end":{"line":0,"character":4}},"text":"1"}]}`)
	w.send(3, "textDocument/inlineCompletion", `{"textDocument":{"uri":"file:///a.py"},"position":{"line":0,"character":5}}`)
	answers := map[int]string{}
	for range 2 {
		id, body := w.next()
		answers[id] = body
	}
	if !strings.Contains(answers[2], `"code":-32800`) || !strings.Contains(answers[3], `"insertText":"2"`) {
		t.Errorf("answers %v", answers)
	}
	if n := <-stopped; n != 4 {
		t.Errorf("stopped at the model: the request of %d bytes", n)
	}
}

func TestTheClientsProcessIsWatched(t *testing.T) {
	process := exec.Command("sleep", "60")
	if err := process.Start(); err != nil {
		t.Fatal(err)
	}
	defer process.Process.Kill()
	pid := process.Process.Pid
	if !alive(pid) {
		t.Error("a process that runs is not alive")
	}
	process.Process.Kill()
	process.Wait()
	if alive(pid) {
		t.Error("a process that has ended is alive")
	}
	synctest.Test(t, func(t *testing.T) {
		s := NewServer(newFake(), testOptions())
		ctx, stop := context.WithCancelCause(t.Context())
		s.stop = stop
		s.watchParent(ctx, pid) // cannot be seen: returns, and says nothing
		if ctx.Err() != nil {
			t.Error("a process that was never seen ended the server")
		}
	})
}
