package ollama

import (
	"context"
	"errors"
	"net/http"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/ollama/ollama/api"

	"readahead/model"
	"readahead/model/fim"
)

// inOrder runs f on a model with one slot whose replies take a second, and
// returns what stands at the end of the prompts that reached it.
func inOrder(t *testing.T, f func(ctx context.Context, m *Model)) (prompts []string) {
	t.Helper()
	synctest.Test(t, func(t *testing.T) {
		server := &fake{version: "0.17.4", toy: toy{vocabulary: []string{"", "a"}}, show: api.ShowResponse{}}
		server.before = func(http.ResponseWriter, *http.Request, api.GenerateRequest) bool {
			time.Sleep(time.Second)
			return false
		}
		u, _ := parseEndpoint("127.0.0.1")
		m := newModel(t.Context(), over(u, direct{server.handler()}), Config{Model: "toy", Parallel: 1}, abilities{family: fim.Unknown()})
		defer m.Close()
		ctx, cancel := context.WithTimeout(t.Context(), time.Minute)
		defer cancel()
		f(ctx, m)
		for _, a := range server.asked() {
			prompts = append(prompts, a.Prompt)
		}
	})
	return prompts
}

// A sample that is only a comment is continued on the spot, from inside the loop
// over samples (model.Generator): with one slot, too.
func TestASampleCanBeContinuedFromInsideTheLoop(t *testing.T) {
	p := model.Prompt{Left: "x = "}
	got := inOrder(t, func(ctx context.Context, m *Model) {
		n := 0
		for _, err := range m.Generator.Samples(ctx, p, tenTokens) {
			if err != nil {
				t.Fatal(err)
			}
			longer := p
			longer.Left += "# one\n"
			if _, err := draw(ctx, m, longer, tenTokens, 2); err != nil {
				t.Fatalf("inside the loop: %v", err)
			}
			if n++; n == 2 {
				break
			}
		}
		// The slot is there for the next one.
		if _, err := draw(ctx, m, model.Prompt{Left: "z"}, tenTokens, 1); err != nil {
			t.Fatal(err)
		}
	})
	if s := strings.Join(got, "|"); s != "x = |x = # one\n|x = # one\n|x = |x = # one\n|x = # one\n|z" {
		t.Errorf("prompts %q", s)
	}
}

// Another prompt waits until all samples are drawn, so that each finds the
// server's cache as the one before left it.
func TestAnotherPromptWaitsForAllSamples(t *testing.T) {
	var other error
	got := inOrder(t, func(ctx context.Context, m *Model) {
		done := make(chan struct{})
		n := 0
		for _, err := range m.Generator.Samples(ctx, model.Prompt{Left: "x"}, tenTokens) {
			if err != nil {
				t.Fatal(err)
			}
			if n++; n == 1 {
				go func() {
					defer close(done)
					_, other = draw(ctx, m, model.Prompt{Left: "y"}, tenTokens, 1)
				}()
			}
			time.Sleep(time.Second)
			if n == 3 {
				break
			}
		}
		<-done
	})
	if s := strings.Join(got, "|"); other != nil || s != "x|x|x|y" {
		t.Errorf("%v; prompts %q", other, s)
	}
}

func TestWaitingForALentSlotEndsWithItsContext(t *testing.T) {
	var got error
	inOrder(t, func(ctx context.Context, m *Model) {
		for range m.Generator.Samples(ctx, model.Prompt{Left: "x"}, tenTokens) {
			for range m.Generator.Samples(ctx, model.Prompt{Left: "xy"}, tenTokens) { // has the slot
				short, cancel := context.WithTimeout(ctx, time.Second)
				defer cancel()
				m.server.mu.Lock()
				m.server.loans = m.server.loans[:1] // as if the second were not lending
				m.server.mu.Unlock()
				_, got = draw(short, m, model.Prompt{Left: "xyz"}, tenTokens, 1)
				break
			}
			break
		}
	})
	if !errors.Is(got, context.DeadlineExceeded) || !strings.Contains(got.Error(), "waiting for the model") {
		t.Errorf("got %v", got)
	}
}
