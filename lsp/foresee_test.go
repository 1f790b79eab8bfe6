package lsp

import (
	"testing"
	"testing/synctest"
	"time"
)

// A client that asks 200 ms after a key finds all prepared, and one that is
// still typing has nothing prepared for it.
func TestWhatAClientWillAskForIsPreparedShortlyBefore(t *testing.T) {
	f := newFake()
	inBubble(t, f, func(e *editor) {
		key := func(text string) {
			e.press(text)
			if after, ok := e.pace.lead(); ok {
				e.s.foresee(e.ask(), after)
			}
		}
		prepared := func() int {
			synctest.Wait()
			f.mu.Lock()
			defer f.mu.Unlock()
			return len(f.prepared)
		}
		ask := func() {
			e.pace.request(time.Now())
			e.request(e.ask())
			e.wait.Wait()
		}
		key("a")
		time.Sleep(200 * time.Millisecond)
		if ask(); prepared() != 0 {
			t.Error("prepared before anything is known of the client")
		}
		for _, k := range "bcdef" {
			key(string(k))
			time.Sleep(100 * time.Millisecond)
		}
		if prepared() != 0 {
			t.Error("prepared between the keys of a burst")
		}
		time.Sleep(59 * time.Millisecond) // 159 after the last key
		if prepared() != 0 {
			t.Error("prepared too early")
		}
		time.Sleep(2 * time.Millisecond)
		if prepared() != 1 || string(f.prepared[0].Text) != "abcdef" || f.prepared[0].Offset != 6 {
			t.Errorf("prepared: %+v", f.prepared)
		}
		time.Sleep(39 * time.Millisecond)
		f.say("ghi")
		ask()
		key("g") // typed through: the answer is known
		time.Sleep(time.Second)
		if prepared() != 1 {
			t.Error("prepared for what is known")
		}
	})
}

func TestNothingIsPreparedForADocumentThatWasClosedOrWhilePaused(t *testing.T) {
	for name, end := range map[string]func(*suggester){
		"closed": func(s *suggester) { s.forget("/a.py") }, "paused": (*suggester).rest,
	} {
		f := newFake()
		inBubble(t, f, func(e *editor) {
			e.press("a")
			e.s.foresee(e.ask(), 100*time.Millisecond)
			end(e.s)
			time.Sleep(time.Second)
			f.mu.Lock()
			defer f.mu.Unlock()
			if len(f.prepared) != 0 {
				t.Errorf("%s: prepared for %q", name, f.prepared[0].Text)
			}
		})
	}
}

// A request that comes with the key waits for the next one: so does nothing else.
func TestARequestThatIsMadeToWaitIsPreparedForMeanwhile(t *testing.T) {
	f := newFake()
	f.say("value")
	inBubble(t, f, func(e *editor) {
		for _, k := range "ab" { // a burst, so that the second is waited out
			e.press(string(k))
			e.request(e.ask())
			time.Sleep(60 * time.Millisecond)
		}
		synctest.Wait()
		f.mu.Lock()
		prepared := len(f.prepared)
		f.mu.Unlock()
		if prepared != 1 || string(f.prepared[0].Text) != "ab" || f.calls() != 1 {
			t.Errorf("prepared %d times, the model was asked %d times", prepared, f.calls())
		}
		e.wait.Wait()
	})
}

func TestWhenARequestIsPreparedFor(t *testing.T) {
	for name, c := range map[string]struct {
		lags  []int // ms from a key to the request
		after int   // ms; -1: not at all
	}{
		"nothing is known of the client":      {nil, -1},
		"Neovim waits 200 ms":                 {[]int{200, 200}, 160},
		"VS Code waits 50 ms":                 {[]int{50, 52}, 10},
		"Helix asks at once":                  {[]int{5, 5, 5}, -1},
		"a user who comes back is no measure": {[]int{200, 5000}, 160},
	} {
		t.Run(name, func(t *testing.T) {
			var p pace
			now := time.Now()
			for _, lag := range c.lags {
				p.edited(now)
				now = now.Add(time.Duration(lag) * time.Millisecond)
				p.request(now)
				p.request(now.Add(300 * time.Millisecond)) // again, without a key
			}
			after, ok := p.lead()
			if got := int(after.Milliseconds()); ok != (c.after >= 0) || ok && got != c.after {
				t.Errorf("after %d ms, %v; want %d", got, ok, c.after)
			}
		})
	}
}

func TestWhereTheCursorStandsBehindAKey(t *testing.T) {
	for with, want := range map[string]int{"a": 1, "()": 1, `""`: 1, "))": 1, "\n\t": 2, "name": 4, "": 0} {
		if got := typedTo(0, []byte(with)); got != want {
			t.Errorf("%q: %d, want %d", with, got, want)
		}
	}
}

func TestTheServerPreparesWhatTheEditorWillAskFor(t *testing.T) {
	f := newFake()
	c := connect(t, f, testOptions())
	c.start(`{}`)
	const path = "/home/me/a.py"
	c.open(path, "python", "x = \n")
	c.insert(path, "x = \n", 4, "a")
	time.Sleep(60 * time.Millisecond)
	if _, err := c.inline(path, "x = a\n", 5); err != nil {
		t.Fatal(err)
	}
	c.insert(path, "x = a\n", 5, "()")
	eventually(t, "the next request is prepared for", func() bool {
		f.mu.Lock()
		defer f.mu.Unlock()
		return len(f.prepared) == 1 && f.prepared[0].Offset == 6 && string(f.prepared[0].Text) == "x = a()\n"
	})
	c.mustCall("workspace/executeCommand", `{"command":"readahead.pause"}`, nil)
	c.insert(path, "x = a()\n", 6, "b")
	c.mustCall("workspace/executeCommand", `{"command":"readahead.status"}`, nil)
	time.Sleep(80 * time.Millisecond)
	f.mu.Lock()
	defer f.mu.Unlock()
	if len(f.prepared) != 1 {
		t.Errorf("a paused server prepared %+v", f.prepared[1:])
	}
}
