package lsp

import (
	"context"
	"errors"
	"strings"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"readahead/model"
	"readahead/model/replay"
)

// hanging accepts and says nothing.
func hanging(tries *atomic.Int32) func(context.Context, Config) (model.Model, func(), error) {
	return func(ctx context.Context, _ Config) (model.Model, func(), error) {
		tries.Add(1)
		<-ctx.Done()
		return model.Model{}, nil, errors.New("the server hangs")
	}
}

func TestAServerThatHangsIsFoundOutWhileTheUserTypesOn(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var tries atomic.Int32
		k := &connection{connect: hanging(&tries)}
		began := time.Now()
		for range 20 { // a key every 100 ms, each of which supersedes the request before
			ctx, supersede := context.WithTimeout(t.Context(), 100*time.Millisecond)
			if _, _, err := k.model(ctx); !errors.Is(err, context.DeadlineExceeded) && time.Since(began) < connectTimeout {
				t.Errorf("after %v: %v", time.Since(began), err)
			}
			if s := k.status(); !strings.Contains(s, "not asked yet") && time.Since(began) < connectTimeout {
				t.Errorf("status %q", s)
			}
			supersede()
		}
		synctest.Wait()
		if _, notice, err := k.model(t.Context()); notice != "the server hangs" || !errors.Is(err, ErrNoServer) || tries.Load() != 1 || time.Since(began) > connectTimeout {
			t.Errorf("after %v and %d attempts: %q, %v", time.Since(began), tries.Load(), notice, err)
		}
		k.end()
	})
}

func TestAnAttemptForAnotherConfigurationCountsForNothing(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var released []string
		k := &connection{config: Config{Endpoint: "old"}}
		k.connect = func(_ context.Context, c Config) (model.Model, func(), error) {
			time.Sleep(time.Second) // it does not look at its context
			m := replay.New(replay.Texts("x"))
			m.Info.Name = c.Endpoint
			return *m.Model(), func() { released = append(released, c.Endpoint) }, nil
		}
		first := make(chan error, 1)
		go func() { _, _, err := k.model(t.Context()); first <- err }()
		synctest.Wait()
		k.reset(Config{Endpoint: "new"})
		m, _, err := k.model(t.Context())
		if err != nil || m.Info.Name != "new" {
			t.Errorf("%q, %v", m.Info.Name, err)
		}
		if err := <-first; !errors.Is(err, ErrNoServer) {
			t.Errorf("who waited for the old one got %v", err)
		}
		k.end()
		if s := strings.Join(released, " "); s != "old new" {
			t.Errorf("released: %s", s)
		}
	})
}

func TestTheEndOfAConnectionWaitsForAttempts(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var tries atomic.Int32
		k := &connection{connect: hanging(&tries)}
		ctx, cancel := context.WithCancel(t.Context())
		cancel()
		if _, _, err := k.model(ctx); !errors.Is(err, context.Canceled) {
			t.Error(err)
		}
		began := time.Now()
		k.end()
		if time.Since(began) > 0 {
			t.Errorf("it took %v", time.Since(began))
		}
	})
}
