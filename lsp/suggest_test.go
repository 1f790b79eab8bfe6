package lsp

import (
	"context"
	"errors"
	"log/slog"
	"sync"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"go.lsp.dev/jsonrpc2"
)

// These tests run in a bubble whose clock moves when all wait: a model that
// takes seconds takes none here.

// An editor is one document in which a user types, without a protocol.
type editor struct {
	t     *testing.T
	s     *suggester
	f     *fake
	text  string
	pace  pace
	wait  sync.WaitGroup
	bound time.Duration // debounceMs
}

func inBubble(t *testing.T, f *fake, play func(*editor)) {
	synctest.Test(t, func(t *testing.T) {
		ctx, cancel := context.WithCancel(t.Context())
		s := newSuggester(ctx, f, slog.New(slog.DiscardHandler))
		e := &editor{t: t, s: s, f: f, bound: 100 * time.Millisecond}
		play(e)
		cancel()
		e.wait.Wait()
		s.landing.Wait()
	})
}

func (e *editor) press(key string) {
	e.text += key
	e.pace.edited(time.Now())
}

func (e *editor) ask() *ask {
	return &ask{path: "/a.py", lang: "py", text: []byte(e.text), offset: len(e.text), max: 3,
		deadline: time.Second, due: e.pace.due(e.bound, e.s.latency())}
}

// A reply is what a request got, and after how long.
type reply struct {
	answer
	err  error
	took time.Duration
}

// request begins in order and runs beside the test.
func (e *editor) request(a *ask) *reply {
	start, r := time.Now(), &reply{took: -1}
	finish := e.s.begin("inline", a)
	e.wait.Go(func() {
		r.answer, r.err = finish(e.t.Context())
		r.took = time.Since(start)
	})
	return r
}

func (r *reply) text() string {
	if len(r.items) == 0 {
		return ""
	}
	return r.items[0].Text
}

// takes makes the model say text after a while, unless it is stopped.
func (f *fake) takes(d time.Duration, text string) {
	f.answer(func(ctx context.Context, r CompletionRequest) (Completion, error) {
		select {
		case <-time.After(d):
			return candidates(r, text), nil
		case <-ctx.Done():
			return Completion{}, ctx.Err()
		}
	})
}

// Case 18.
func TestABurstOfKeysKeepsAtMostTwoRequestsAtTheModel(t *testing.T) {
	for _, bound := range []time.Duration{0, 75 * time.Millisecond} {
		f := newFake()
		f.takes(3*time.Second, "value")
		inBubble(t, f, func(e *editor) {
			e.bound = bound
			var replies []*reply
			for _, key := range "result = f" {
				e.press(string(key))
				replies = append(replies, e.request(e.ask()))
				time.Sleep(50 * time.Millisecond)
			}
			e.wait.Wait()
			for i, r := range replies {
				last := i == len(replies)-1
				if cancelled := errors.Is(r.err, context.Canceled); cancelled == last {
					t.Errorf("key %d: %v", i, r.err)
				}
			}
			if _, most := f.load(); most > maxFlights {
				t.Errorf("%d requests were at the model at a time", most)
			}
			// The first key asks at once, since nothing says that more will come.
			if most := map[bool]int{true: 10, false: 2}[bound == 0]; f.calls() > most {
				t.Errorf("with a wait of up to %v the model was asked %d times", bound, f.calls())
			}
		})
	}
}

// Two requests in flight do not stop a stubborn model from being the limit.
func TestAModelThatIgnoresCancellationIsNotAskedAThirdTime(t *testing.T) {
	f := newFake()
	f.answer(func(_ context.Context, r CompletionRequest) (Completion, error) {
		time.Sleep(4 * time.Second)
		return candidates(r, "v"), nil
	})
	inBubble(t, f, func(e *editor) {
		var last *reply
		for _, key := range "abcdef" {
			e.press(string(key))
			last = e.request(e.ask())
			time.Sleep(300 * time.Millisecond)
		}
		time.Sleep(time.Second)
		synctest.Wait()
		if _, most := f.load(); most != maxFlights || last.err != nil || last.took != time.Second || !last.incomplete {
			t.Errorf("%d at the model at a time; the last request: %v after %v", most, last.err, last.took)
		}
	})
}

// Case 19.
func TestASlowModelIsAnsweredForAtTheDeadlineAndServesTheNextKey(t *testing.T) {
	f := newFake()
	f.takes(5*time.Second, "value + 1")
	inBubble(t, f, func(e *editor) {
		e.press("x = ")
		first := e.request(e.ask())
		e.wait.Wait()
		if first.err != nil || first.took != time.Second || !first.incomplete || len(first.items) != 0 {
			t.Errorf("at the deadline: %+v after %v", first.answer, first.took)
		}
		time.Sleep(4500 * time.Millisecond)
		e.press("val")
		next := e.request(e.ask())
		e.wait.Wait()
		if next.text() != "ue + 1" || next.took != 0 || f.calls() != 1 {
			t.Errorf("the next key: %q after %v, %d calls", next.text(), next.took, f.calls())
		}
	})
}

// Who pauses after a key sees the line when it comes, without another key.
func TestNothingByTheDeadlineIsNoAnswerWhereAnItemMayComeLate(t *testing.T) {
	tests := []struct {
		name   string
		answer func(ctx context.Context, r CompletionRequest) (Completion, error)
		want   string
		took   time.Duration
	}{
		{"the first item is the answer", func(ctx context.Context, r CompletionRequest) (Completion, error) {
			time.Sleep(3 * time.Second)
			r.Partial(candidates(r, "first"))
			time.Sleep(3 * time.Second)
			return candidates(r, "better"), nil
		}, "first", 3 * time.Second},
		{"what lands is the answer", func(ctx context.Context, r CompletionRequest) (Completion, error) {
			time.Sleep(4 * time.Second)
			return candidates(r, "last"), nil
		}, "last", 4 * time.Second},
		{"nothing is the answer in the end", func(ctx context.Context, r CompletionRequest) (Completion, error) {
			<-ctx.Done()
			return Completion{}, ctx.Err()
		}, "", time.Second + lateness},
		{"a failure is an answer at once", func(ctx context.Context, r CompletionRequest) (Completion, error) {
			time.Sleep(2 * time.Second)
			return Completion{}, errors.New("broken")
		}, "", 2 * time.Second},
	}
	for _, test := range tests {
		f := newFake()
		f.answer(test.answer)
		inBubble(t, f, func(e *editor) {
			e.press("x = ")
			a := e.ask()
			a.patient = true
			got := e.request(a)
			e.wait.Wait()
			if got.err != nil || got.text() != test.want || got.took != test.took {
				t.Errorf("%s: %q after %v, %v; want %q after %v", test.name, got.text(), got.took, got.err, test.want, test.took)
			}
		})
	}
}

// What is typed into a line whose block is being written is answered at once, and
// the block is there for who asks again.
func TestTypingIntoALineWhoseBlockIsComingSaysThatMoreComes(t *testing.T) {
	f := newFake()
	f.answer(func(ctx context.Context, r CompletionRequest) (Completion, error) {
		time.Sleep(200 * time.Millisecond)
		r.Partial(candidates(r, "for v in all:"))
		time.Sleep(time.Second)
		return candidates(r, "for v in all:\n    total += v"), nil
	})
	inBubble(t, f, func(e *editor) {
		e.request(e.ask())
		time.Sleep(500 * time.Millisecond)
		e.press("for")
		line := e.request(e.ask())
		synctest.Wait()
		if line.text() != " v in all:" || !line.pending || line.took != 0 {
			t.Errorf("at the key: %+v after %v", line.answer, line.took)
		}
		time.Sleep(time.Second)
		block := e.request(e.ask())
		synctest.Wait()
		if block.text() != " v in all:\n    total += v" || block.pending || f.calls() != 1 {
			t.Errorf("later: %+v after %v, %d calls", block.answer, block.took, f.calls())
		}
	})
}

// At a key, clients cancel what they have asked before they ask anew, and the
// cancellation may be noticed first.
func TestAFlightOutlivesTheCancellationThatComesBeforeTheNextKey(t *testing.T) {
	for _, test := range []struct {
		key   string
		block string // "" if the model is to be stopped
	}{{"f", "or v in all:\n    total += v"}, {"w", ""}, {"", ""}} {
		f := newFake()
		var stopped atomic.Bool
		f.answer(func(ctx context.Context, r CompletionRequest) (Completion, error) {
			if string(r.Text) != "" {
				return Completion{}, nil
			}
			r.Partial(candidates(r, "for v in all:"))
			select {
			case <-time.After(500 * time.Millisecond):
				return candidates(r, "for v in all:\n    total += v"), nil
			case <-ctx.Done():
				stopped.Store(true)
				return Completion{}, ctx.Err()
			}
		})
		inBubble(t, f, func(e *editor) {
			request, cancel := context.WithCancel(e.t.Context())
			finish := e.s.begin("inline", e.ask())
			e.wait.Go(func() { _, _ = finish(request) }) // cancelled
			time.Sleep(100 * time.Millisecond)
			cancel()
			synctest.Wait()
			time.Sleep(10 * time.Millisecond)
			if test.key != "" {
				e.press(test.key)
				e.request(e.ask())
				synctest.Wait()
			}
			time.Sleep(grace)
			synctest.Wait()
			if stopped.Load() != (test.block == "") {
				t.Errorf("after %q the model was stopped: %v", test.key, stopped.Load())
			}
			time.Sleep(time.Second)
			if test.block == "" {
				return
			}
			got := e.request(e.ask())
			e.wait.Wait()
			if got.text() != test.block {
				t.Errorf("after %q: %q, want %q", test.key, got.text(), test.block)
			}
		})
	}
}

// The next key ends the waiting, as it ends everything.
func TestAPatientRequestIsSupersededByTheNextKey(t *testing.T) {
	f := newFake()
	f.takes(5*time.Second, "value + 1")
	inBubble(t, f, func(e *editor) {
		e.press("x = ")
		a := e.ask()
		a.patient = true
		first := e.request(a)
		time.Sleep(2 * time.Second)
		e.press("(")
		e.request(e.ask())
		synctest.Wait()
		if !errors.Is(first.err, context.Canceled) || first.took != 2*time.Second {
			t.Errorf("the older request: %v after %v", first.err, first.took)
		}
	})
}

func TestALandingFlightServesTheRequestThatWaits(t *testing.T) {
	f := newFake()
	f.takes(1500*time.Millisecond, "value + 1")
	inBubble(t, f, func(e *editor) {
		e.press("x = ")
		e.request(e.ask()) // answered after 1 s, lands after 1.5 s
		time.Sleep(1200 * time.Millisecond)
		e.press("v")
		next := e.request(e.ask())
		e.wait.Wait()
		if next.text() != "alue + 1" || next.took != 300*time.Millisecond {
			t.Errorf("%q after %v", next.text(), next.took)
		}
	})
}

func TestTheBestSoFarIsTheAnswerAtTheDeadline(t *testing.T) {
	f := newFake()
	f.answer(func(ctx context.Context, r CompletionRequest) (Completion, error) {
		time.Sleep(200 * time.Millisecond)
		r.Partial(candidates(r, "good"))
		time.Sleep(200 * time.Millisecond)
		r.Partial(candidates(r, "better", "good"))
		time.Sleep(2 * time.Second)
		return candidates(r, "best", "better"), nil
	})
	inBubble(t, f, func(e *editor) {
		e.press("x = ")
		first := e.request(e.ask())
		e.wait.Wait()
		if first.text() != "better" || !first.incomplete || !first.pending || first.took != time.Second {
			t.Errorf("at the deadline: %+v after %v", first.answer, first.took)
		}
		time.Sleep(2 * time.Second)
		again := e.request(e.ask())
		e.wait.Wait()
		if again.text() != "best" || again.incomplete || again.pending || again.took != 0 {
			t.Errorf("afterwards: %+v after %v", again.answer, again.took)
		}
	})
}

func TestASupersededRequestIsStoppedAtTheModel(t *testing.T) {
	f := newFake()
	f.takes(3*time.Second, "value")
	inBubble(t, f, func(e *editor) {
		e.press("x = ")
		first := e.request(e.ask())
		time.Sleep(200 * time.Millisecond)
		e.press("y")
		e.request(e.ask())
		synctest.Wait()
		if !errors.Is(first.err, context.Canceled) || first.took != 200*time.Millisecond {
			t.Errorf("the older request: %v after %v", first.err, first.took)
		}
		if now, _ := f.load(); now > 1 {
			t.Errorf("%d requests at the model", now)
		}
	})
}

func TestAClosedDocumentEndsItsRequestsAndTheModelsWorkAtOnce(t *testing.T) {
	for name, partly := range map[string]bool{"the model has said nothing": false, "the model has said something": true} {
		t.Run(name, func(t *testing.T) {
			f := newFake()
			inBubble(t, f, func(e *editor) {
				var stopped time.Time
				f.answer(func(ctx context.Context, r CompletionRequest) (Completion, error) {
					if partly {
						r.Partial(candidates(r, "value"))
					}
					<-ctx.Done()
					stopped = time.Now()
					return Completion{}, ctx.Err()
				})
				e.press("x = ")
				r := e.request(e.ask())
				time.Sleep(200 * time.Millisecond)
				closed := time.Now()
				e.s.forget("/a.py")
				synctest.Wait()
				if stopped != closed {
					t.Errorf("the model was stopped %v after the document was closed", stopped.Sub(closed))
				}
				e.wait.Wait()
				if !errors.Is(r.err, context.Canceled) || r.took != 200*time.Millisecond {
					t.Errorf("the request got %v, %v after %v", r.items, r.err, r.took)
				}
				if again := e.request(e.ask()); again != nil { // opened again: nothing of it is left
					time.Sleep(time.Millisecond)
					if f.calls() != 2 {
						t.Errorf("the model was asked %d times", f.calls())
					}
				}
			})
		})
	}
}

func TestARequestIsNotStoppedWhileItSaysWhatTheUserTypes(t *testing.T) {
	f := newFake()
	f.answer(func(ctx context.Context, r CompletionRequest) (Completion, error) {
		r.Partial(candidates(r, "value + 1"))
		select {
		case <-time.After(800 * time.Millisecond):
			return candidates(r, "value + 1"), nil
		case <-ctx.Done():
			return Completion{}, ctx.Err()
		}
	})
	inBubble(t, f, func(e *editor) {
		e.press("x = ")
		e.request(e.ask())
		time.Sleep(200 * time.Millisecond)
		e.press("v")
		next := e.request(e.ask())
		e.wait.Wait()
		if next.text() != "alue + 1" || next.took != 0 || f.calls() != 1 {
			t.Errorf("%q after %v, %d calls", next.text(), next.took, f.calls())
		}
	})
}

func TestAnEditElsewhereMakesAnAnswerStale(t *testing.T) {
	f := newFake()
	f.takes(time.Millisecond, "value + 1")
	inBubble(t, f, func(e *editor) {
		e.press("x = ")
		e.request(e.ask())
		e.wait.Wait()
		e.press("v")
		a := e.ask()
		a.world++ // another document was edited
		e.request(a)
		e.wait.Wait()
		if f.calls() != 2 {
			t.Errorf("the model was asked %d times", f.calls())
		}
	})
}

func TestAUserWhoAsksGetsAFullRunOnce(t *testing.T) {
	f := newFake()
	f.takes(time.Millisecond, "value + 1")
	inBubble(t, f, func(e *editor) {
		e.press("x = ")
		e.request(e.ask())
		e.wait.Wait()
		for range 2 {
			a := e.ask()
			a.invoked = true
			e.request(a)
			e.wait.Wait()
		}
		if f.calls() != 2 || !f.last().Invoked {
			t.Errorf("the model was asked %d times", f.calls())
		}
	})
}

func TestAFailureIsNotRemembered(t *testing.T) {
	f := newFake()
	f.answer(func(context.Context, CompletionRequest) (Completion, error) {
		return Completion{Notice: "no server"}, errors.New("connection refused")
	})
	inBubble(t, f, func(e *editor) {
		e.press("x = ")
		r := e.request(e.ask())
		e.wait.Wait()
		if r.err != nil || len(r.items) != 0 || r.notice != "no server" {
			t.Errorf("%+v, %v", r.answer, r.err)
		}
		f.takes(0, "1")
		r = e.request(e.ask())
		e.wait.Wait()
		if r.text() != "1" {
			t.Errorf("afterwards: %+v", r.answer)
		}
	})
}

func TestTheWaitForAPause(t *testing.T) {
	const bound = 100 * time.Millisecond
	for _, c := range []struct {
		name   string
		gaps   []time.Duration // between keys
		answer time.Duration
		want   time.Duration // from the last key
	}{
		{"the first key is not held up", nil, 0, 0},
		{"a burst is waited out", []time.Duration{40, 40, 40}, 0, 60},
		{"no longer than the bound", []time.Duration{90, 90}, 0, 100},
		{"keys that are slower than the bound are answered one by one", []time.Duration{150, 150}, 0, 0},
		{"a pause ends a burst", []time.Duration{40, 40, 3000}, 0, 0},
		{"a model that answers faster than that is asked sooner", []time.Duration{40, 40, 40}, 15, 15},
	} {
		t.Run(c.name, func(t *testing.T) {
			now := time.Unix(1000, 0)
			var p pace
			p.edited(now)
			for _, g := range c.gaps {
				now = now.Add(g * time.Millisecond)
				p.edited(now)
			}
			if got := p.due(bound, c.answer*time.Millisecond).Sub(now); got != c.want*time.Millisecond {
				t.Errorf("wait %v, want %v", got, c.want*time.Millisecond)
			}
		})
	}
}

// Over the wire: a model that takes its time leaves no request without a reply,
// and a menu that cannot wait is told to ask again.
func TestASlowModelLeavesNoRequestUnanswered(t *testing.T) {
	f := newFake()
	f.answer(func(ctx context.Context, _ CompletionRequest) (Completion, error) {
		<-ctx.Done()
		return Completion{}, ctx.Err()
	})
	o := testOptions()
	o.Config.DeadlineMs = 100
	c := connect(t, f, o)
	c.start(`{"textDocument":{"inlineCompletion":{},"completion":{}}}`)
	doc := "x = "
	c.open("/a.py", "python", doc)
	replies := make(chan error, 20)
	for range 5 {
		params := inlineParams("/a.py", doc, len(doc))
		go func() { replies <- c.call("textDocument/inlineCompletion", params, nil) }()
		var menu struct {
			IsIncomplete bool
			Items        *[]any
		}
		start := time.Now()
		if err := c.call("textDocument/completion", params, &menu); err != nil || !menu.IsIncomplete || menu.Items == nil || time.Since(start) > patience/2 {
			t.Errorf("menu %+v after %v, %v", menu, time.Since(start), err)
		}
		c.insert("/a.py", doc, len(doc), "1")
		doc += "1"
	}
	// The last one would be waited for. One more supersedes it, which nobody reads.
	go c.conn.Call(c.ctx, "textDocument/inlineCompletion", jsonrpc2.RawMessage(inlineParams("/a.py", doc, len(doc))), nil)
	for range 5 {
		select {
		case err := <-replies:
			if err != nil && code(err) != -32800 {
				t.Errorf("inline: %v", err)
			}
		case <-time.After(patience):
			t.Fatal("a request without a reply")
		}
	}
}
