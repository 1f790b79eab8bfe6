package lsp

import (
	"context"
	"slices"
	"testing"

	"readahead/model/replay"
)

// What is found ahead must be what would be found: else what the model reads
// would depend on how fast somebody types.
func TestWhatIsFoundAheadIsWhatWouldBeFound(t *testing.T) {
	prompts := func(prepare bool) (said []string) {
		dir := write(t, workspace)
		m := replay.New(replay.Texts("a()", "b()", "c()", "d()", "e()", "f()", "g()", "h()", "i()", "j()"))
		e := engine(t, dir, DefaultConfig(), m, nil)
		r := at(t, dir, "main.go", cursorInMain)
		e.OpenDocument(r.Path, "go", r.Text)
		used := 0
		for i, key := range "name = lib.Greet(name)" {
			e.EditDocument(r.Path, r.Offset, r.Offset, []byte(string(key)))
			r.Text = slices.Concat(r.Text[:r.Offset], []byte(string(key)), r.Text[r.Offset:])
			r.Offset++
			if prepare {
				e.Prepare(t.Context(), r) // which waits for what was typed to be parsed
			} else if err := e.current().Settle(t.Context()); err != nil {
				t.Fatal(err)
			}
			c, err := e.Complete(t.Context(), r)
			if err != nil {
				t.Fatal(err)
			}
			if c.Trace.Took.Allocate == 0 {
				used++
			}
			if i == 0 && prepare && used != 0 {
				t.Error("something was found ahead before a model was known")
			}
		}
		if want := len("name = lib.Greet(name)") - 1; prepare && used != want {
			t.Errorf("%d of %d requests used what was found ahead", used, want)
		}
		for _, c := range m.Calls() {
			said = append(said, c.Prompt.Context+"|"+c.Prompt.Left+"|"+c.Prompt.Right)
		}
		return said
	}
	if now, ahead := prompts(false), prompts(true); !slices.Equal(now, ahead) {
		t.Errorf("prompts with evidence found now: %q\nfound ahead: %q", now, ahead)
	}
}

func TestWhatWasFoundAheadIsForOneRequestInOneState(t *testing.T) {
	for _, then := range []struct {
		what string
		do   func(t *testing.T, e *Engine, dir string, r *CompletionRequest)
		used bool
	}{
		{"the same request", func(*testing.T, *Engine, string, *CompletionRequest) {}, true},
		{"the same, asked by the user", func(_ *testing.T, _ *Engine, _ string, r *CompletionRequest) { r.Invoked = true }, true},
		{"another place", func(_ *testing.T, _ *Engine, _ string, r *CompletionRequest) { r.Offset-- }, false},
		{"another text", func(_ *testing.T, _ *Engine, _ string, r *CompletionRequest) {
			r.Text = slices.Concat(r.Text, []byte("\n"))
		}, false},
		{"another document, opened meanwhile", func(t *testing.T, e *Engine, dir string, _ *CompletionRequest) {
			o := at(t, dir, "other/other.go", "")
			e.OpenDocument(o.Path, "go", []byte("package other\n\nfunc Greets() {}\n"))
			if err := e.current().Settle(t.Context()); err != nil {
				t.Fatal(err)
			}
		}, false},
		{"another request in between", func(t *testing.T, e *Engine, dir string, r *CompletionRequest) {
			other := *r
			other.Offset = 0
			if _, err := e.Complete(t.Context(), other); err != nil {
				t.Fatal(err)
			}
		}, false},
		{"less evidence", func(t *testing.T, e *Engine, _ string, _ *CompletionRequest) {
			c := DefaultConfig()
			c.EvidenceTokens /= 2
			if err := e.Configure(t.Context(), c, nil); err != nil {
				t.Fatal(err)
			}
		}, false},
		{"the index made anew", func(t *testing.T, e *Engine, _ string, _ *CompletionRequest) {
			if err := e.Reindex(t.Context(), nil); err != nil {
				t.Fatal(err)
			}
		}, false},
	} {
		t.Run(then.what, func(t *testing.T) {
			dir := write(t, workspace)
			m := replay.New(replay.Texts("x()"))
			e := engine(t, dir, DefaultConfig(), m, nil)
			r := at(t, dir, "main.go", cursorInMain)
			if _, err := e.Complete(t.Context(), r); err != nil { // connects
				t.Fatal(err)
			}
			e.Prepare(t.Context(), r)
			then.do(t, e, dir, &r)
			c, err := e.Complete(t.Context(), r)
			if err != nil {
				t.Fatal(err)
			}
			if used := c.Trace.Took.Allocate == 0; used != then.used {
				t.Errorf("what was found ahead was used: %v", used)
			}
		})
	}
}

func TestAPreparationThatIsCalledOffFindsNothing(t *testing.T) {
	e := engine(t, write(t, workspace), DefaultConfig(), replay.New(replay.Texts("x()")), nil)
	r := at(t, e.roots[0], "main.go", cursorInMain)
	if _, err := e.Complete(t.Context(), r); err != nil {
		t.Fatal(err)
	}
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if e.Prepare(ctx, r); e.ahead.next != nil {
		t.Error("evidence was looked for all the same")
	}
}

func TestNothingIsFoundAheadWhereNothingIsCompleted(t *testing.T) {
	dir := write(t, workspace)
	m := replay.New(replay.Texts("x()"))
	e := engine(t, dir, DefaultConfig(), m, nil)
	if _, err := e.Complete(t.Context(), at(t, dir, "main.go", cursorInMain)); err != nil {
		t.Fatal(err)
	}
	e.Prepare(t.Context(), at(t, dir, "private/keys.go", "package private\n"))
	if e.ahead.next != nil {
		t.Error("evidence was looked for in an ignored file")
	}
	off := DefaultConfig()
	off.Enable = false
	if err := e.Configure(t.Context(), off, nil); err != nil {
		t.Fatal(err)
	}
	e.Prepare(t.Context(), at(t, dir, "main.go", cursorInMain))
	if e.ahead.next != nil {
		t.Error("evidence was looked for while switched off")
	}
}
