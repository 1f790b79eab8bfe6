package ollama

import (
	"context"
	"errors"
	"net/http"
	"strings"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"github.com/ollama/ollama/api"

	"readahead/model"
	"readahead/model/fim"
)

// A wedge is a server that answers nothing until it is unloaded.
type wedge struct {
	hangs   atomic.Bool
	cures   bool // unloading helps
	unloads atomic.Int32
}

func (w *wedge) RoundTrip(r *http.Request) (*http.Response, error) {
	f := &fake{toy: toy{vocabulary: []string{"", "a", "b"}}}
	f.before = func(rw http.ResponseWriter, r *http.Request, g api.GenerateRequest) bool {
		if g.Prompt == "" && g.KeepAlive.Duration == 0 {
			w.unloads.Add(1)
			if w.cures {
				w.hangs.Store(false)
			}
			return false
		}
		if w.hangs.Load() || strings.HasPrefix(g.Prompt, "slow") {
			<-r.Context().Done()
			return true
		}
		return false
	}
	return direct{f.handler()}.RoundTrip(r)
}

func wedged(t *testing.T, w *wedge) *Model {
	u, err := parseEndpoint("127.0.0.1")
	if err != nil {
		t.Fatal(err)
	}
	return newModel(t.Context(), over(u, w), Config{Model: "toy", Deadline: time.Minute}, abilities{family: fim.Unknown(), logProbs: true})
}

func TestWedges(t *testing.T) {
	for _, tt := range []struct {
		name    string
		hangs   bool
		cures   bool
		prompt  string
		want    error
		says    string
		unloads int32
	}{
		{"one that unloading frees", true, true, "a", ErrWedged, "ask again", 1},
		{"one that nothing frees", true, false, "a", ErrWedged, "restart Ollama", 1},
		{"a slow machine is not one", false, false, "slow", ErrNoAnswer, "smaller model", 0},
	} {
		t.Run(tt.name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				w := &wedge{cures: tt.cures}
				w.hangs.Store(tt.hangs)
				m := wedged(t, w)
				defer m.Close()
				_, err := draw(t.Context(), m, model.Prompt{Left: tt.prompt}, tenTokens, 1)
				if !errors.Is(err, tt.want) || !strings.Contains(err.Error(), tt.says) || w.unloads.Load() != tt.unloads {
					t.Errorf("%v after %d unloads; want %v with %q after %d", err, w.unloads.Load(), tt.want, tt.says, tt.unloads)
				}
				_, err = draw(t.Context(), m, model.Prompt{Left: "a"}, tenTokens, 1)
				if stuck := tt.hangs && !tt.cures; (err != nil) != stuck {
					t.Errorf("the next request: %v", err)
				}
				if w.unloads.Load() != tt.unloads {
					t.Errorf("%d unloads; a model is unloaded once", w.unloads.Load())
				}
			})
		})
	}
}

// Callers whose deadline is a second never wait long enough to see a wedge.
func TestAWedgeBehindShortDeadlinesIsFreed(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		w := &wedge{cures: true}
		w.hangs.Store(true)
		m := wedged(t, w)
		defer m.Close()
		tries := 0
		for ; w.hangs.Load() && tries < 200; tries++ {
			ctx, cancel := context.WithTimeout(t.Context(), time.Second)
			_, err := draw(ctx, m, model.Prompt{Left: "a"}, tenTokens, 1)
			cancel()
			if err != nil && !errors.Is(err, context.DeadlineExceeded) || err == nil && w.hangs.Load() {
				t.Fatalf("try %d: %v", tries, err)
			}
		}
		if w.hangs.Load() || w.unloads.Load() != 1 || tries < 60 {
			t.Errorf("hangs %v after %d tries and %d unloads; want it freed by one, after a minute of silence", w.hangs.Load(), tries, w.unloads.Load())
		}
		if _, err := draw(t.Context(), m, model.Prompt{Left: "a"}, tenTokens, 1); err != nil {
			t.Errorf("afterwards: %v", err)
		}
	})
}

func TestCancellationsBetweenAnswersAreNoWedge(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		w := &wedge{}
		m := wedged(t, w)
		defer m.Close()
		for range 200 {
			ctx, cancel := context.WithTimeout(t.Context(), time.Second)
			_, _ = draw(ctx, m, model.Prompt{Left: "slow"}, tenTokens, 1)
			cancel()
			if _, err := draw(t.Context(), m, model.Prompt{Left: "a"}, tenTokens, 1); err != nil {
				t.Fatal(err)
			}
		}
		if w.unloads.Load() != 0 {
			t.Errorf("%d unloads of a healthy server", w.unloads.Load())
		}
	})
}

func TestCloseEndsARecovery(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		w := &wedge{}
		w.hangs.Store(true)
		m := wedged(t, w)
		m.server.unanswered(time.Hour)
		ctx, cancel := context.WithTimeout(t.Context(), time.Second)
		defer cancel()
		_, _ = draw(ctx, m, model.Prompt{Left: "a"}, tenTokens, 1)
		began := time.Now()
		m.Close()
		if d := time.Since(began); d != 0 {
			t.Errorf("Close took %v; recovery should end with it", d)
		}
	})
}
