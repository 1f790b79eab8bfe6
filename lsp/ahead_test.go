package lsp

import (
	"context"
	"strings"
	"testing"
	"testing/synctest"
	"time"
)

// take puts text at the end of the document, as the client does when an item is
// accepted, and does what the server does behind the edit.
func (e *editor) take(text string) (taken bool) {
	start := len(e.text)
	e.text += text
	taken = e.s.edited(e.ask(), cursors(start, text, len(text)))
	if taken {
		a := e.ask()
		a.due = time.Time{}
		e.s.ahead(a)
	}
	return taken
}

// steps says one line behind each text, after half a second.
func steps(lines ...string) *fake {
	f := newFake()
	f.answer(func(ctx context.Context, r CompletionRequest) (Completion, error) {
		select {
		case <-time.After(500 * time.Millisecond):
			return candidates(r, lines[strings.Count(string(r.Text), ";")]), nil
		case <-ctx.Done():
			return Completion{}, ctx.Err()
		}
	})
	return f
}

func TestWhatComesBehindAnAcceptedItemIsThereWhenItIsAskedFor(t *testing.T) {
	f := steps("a();", " b();", " c();")
	inBubble(t, f, func(e *editor) {
		e.request(e.ask())
		e.wait.Wait()
		if !e.take("a();") {
			t.Fatal("the item was not seen to be taken")
		}
		time.Sleep(1500 * time.Millisecond)
		next := e.request(e.ask())
		e.wait.Wait()
		if next.text() != " b();" || next.took != 0 || f.calls() != 2 {
			t.Errorf("%q after %v, %d calls", next.text(), next.took, f.calls())
		}
		// Asked while it is in the air: the same flight, no second one.
		e.take(" b();")
		time.Sleep(200 * time.Millisecond)
		next = e.request(e.ask())
		e.wait.Wait()
		if next.text() != " c();" || next.took != 300*time.Millisecond || f.calls() != 3 {
			t.Errorf("%q after %v, %d calls", next.text(), next.took, f.calls())
		}
	})
}

func TestAFlightAheadIsGroundedByWhatDiverges(t *testing.T) {
	for _, test := range []struct {
		name  string
		then  func(*editor)
		stops bool
	}{
		{"an edit elsewhere in the document", func(e *editor) {
			e.text = "x" + e.text
			e.s.edited(e.ask(), []int{1})
		}, true},
		{"text taken away", func(e *editor) {
			e.text = e.text[:len(e.text)-1]
			e.s.edited(e.ask(), []int{len(e.text)})
		}, true},
		{"a pause", func(e *editor) { e.s.rest() }, true},
		{"the next item", func(e *editor) {
			a := e.ask()
			a.path = "/b.py"
			e.s.ahead(a)
		}, true},
		{"nothing", func(*editor) {}, false},
		{"what may be the beginning of it", func(e *editor) { e.take(" ") }, false},
	} {
		f := steps("a();", " b();")
		inBubble(t, f, func(e *editor) {
			e.request(e.ask())
			e.wait.Wait()
			e.take("a();")
			synctest.Wait()
			test.then(e)
			synctest.Wait()
			stopped := len(e.s.flights) == 0 || e.s.flights[0].doomed || e.s.flights[0].ask.path != "/a.py"
			if stopped != test.stops || len(e.s.flights) > 1 {
				t.Errorf("%s: stopped %v, %d flights", test.name, stopped, len(e.s.flights))
			}
		})
	}
}

func TestTheServerAsksAheadOnlyWhileItIsOn(t *testing.T) {
	for _, paused := range []bool{false, true} {
		f := newFake()
		f.say("value")
		c := connect(t, f, testOptions())
		c.start(`{}`)
		const doc = "x = "
		c.open("/home/me/a.py", "python", doc)
		if got, err := c.inline("/home/me/a.py", doc, len(doc)); err != nil || len(got.Items) != 1 {
			t.Fatalf("%v, %v", got, err)
		}
		if paused {
			c.mustCall("workspace/executeCommand", `{"command":"readahead.pause"}`, nil)
		}
		c.insert("/home/me/a.py", doc, len(doc), "value")
		c.mustCall("workspace/executeCommand", `{"command":"readahead.accepted","arguments":[0]}`, nil)
		if paused {
			c.mustCall("workspace/executeCommand", `{"command":"readahead.status"}`, nil) // the edit has been heeded
			if f.calls() != 1 {
				t.Errorf("paused: the model was asked %d times", f.calls())
			}
			continue
		}
		eventually(t, "the model is asked ahead", func() bool { return f.calls() == 2 })
		if r := f.last(); string(r.Text) != "x = value" || r.Offset != len("x = value") || r.Invoked {
			t.Errorf("asked %+v", r)
		}
	}
}

// A key that breaks what a flight says ends it at once, be the cancellation of its
// request seen before or after the key.
func TestAKeyEndsWhatItBreaksAtOnce(t *testing.T) {
	for _, test := range []struct {
		key         string
		cancelFirst bool
		stops       bool
	}{{"w", true, true}, {"w", false, true}, {"f", true, false}, {"f", false, false}, {"for v in (", true, false}} {
		f := newFake()
		f.answer(func(ctx context.Context, r CompletionRequest) (Completion, error) {
			r.Partial(Completion{Items: []Item{{Text: "for v in (all):"}}})
			<-ctx.Done()
			return Completion{}, ctx.Err()
		})
		inBubble(t, f, func(e *editor) {
			request, cancel := context.WithCancel(e.t.Context())
			finish := e.s.begin("inline", e.ask())
			e.wait.Go(func() { _, _ = finish(request) }) // cancelled
			time.Sleep(100 * time.Millisecond)
			key := func() {
				closers := strings.Repeat(")", strings.Count(test.key, "(")) // of the editor
				e.text += test.key + closers
				e.s.edited(e.ask(), cursors(0, test.key+closers, len(e.text)))
			}
			if !test.cancelFirst {
				key()
			}
			cancel()
			synctest.Wait()
			if test.cancelFirst {
				key()
			}
			synctest.Wait()
			if now, _ := f.load(); (now == 0) != test.stops {
				t.Errorf("key %q, cancelled first %v: %d at the model", test.key, test.cancelFirst, now)
			}
			time.Sleep(50 * time.Millisecond)
			synctest.Wait()
			if now, _ := f.load(); now != 0 { // nobody asks any more
				t.Errorf("key %q: %d at the model later", test.key, now)
			}
		})
	}
}
