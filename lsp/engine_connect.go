package lsp

import (
	"context"
	"errors"
	"fmt"
	"sync"
	"time"

	"readahead/model"
)

// A connection is the user's model server as the engine sees it: reached once,
// kept while it answers, and after a failure left alone for a while, so that a
// dead server costs one attempt and not one per keystroke.
//
// An attempt has a goroutine of its own, which the connection owns: requests wait
// for it as long as they care to. A request that the next key supersedes does not
// take the attempt along, so that a server that accepts and hangs is found out
// while the user types on; and nobody waits for a mutex meanwhile.
type connection struct {
	connect func(context.Context, Config) (model.Model, func(), error)

	mu      sync.Mutex // held for no work
	config  Config
	m       model.Model
	release func()   // of m; nil while there is no model
	trying  *attempt // under way; nil without one
	notice  string   // why there is no model
	wait    time.Duration
	again   time.Time       // when the next attempt is due
	none    bool            // the configuration asks for no server
	told    map[string]bool // machines that the user knows get code
	silent  int             // requests in a row in which m said nothing

	attempts sync.WaitGroup
}

// An attempt is one try to reach the server.
type attempt struct {
	cancel context.CancelFunc
	done   chan struct{} // closed when the rest is known
	notice string
	err    error // nil: the connection has the model
}

const (
	connectTimeout = 2 * time.Second
	// maxSilent is after how many requests without a word a model counts as
	// broken: once it may have been loading.
	maxSilent  = 2
	firstRetry = 5 * time.Second
	lastRetry  = 2 * time.Minute
)

// access is what of a configuration the connection was made with: another one needs
// another connection.
func (c Config) access() any {
	return struct {
		server, model, endpoint, apiKeyFile, caFile, family string
		plainHTTP, suffix                                   bool
		numCtx                                              int
		keepAlive                                           time.Duration
	}{c.Server, c.Model, c.Endpoint, c.APIKeyFile, c.CAFile, c.Family, c.PlainHTTP, c.Prompt == "suffix", c.NumCtx, c.KeepAlive}
}

// ErrNoServer from EngineOptions.Connect says that the configuration asks for
// none: the local model answers, and there is nothing to tell the user.
var ErrNoServer = errors.New("no model server is configured")

// model is the connected model, or an error with the notice that explains it.
func (k *connection) model(ctx context.Context) (m model.Model, notice string, err error) {
	if k.connect == nil {
		return m, "", ErrNoServer
	}
	for {
		k.mu.Lock()
		switch {
		case k.release != nil:
			defer k.mu.Unlock()
			return k.m, "", nil
		case k.none || time.Now().Before(k.again):
			defer k.mu.Unlock()
			return m, k.notice, ErrNoServer
		case k.trying == nil:
			k.try(ctx)
		}
		t := k.trying
		k.mu.Unlock()
		select {
		case <-t.done:
			if t.err != nil {
				return m, t.notice, t.err
			}
		case <-ctx.Done():
			return m, "", ctx.Err()
		}
	}
}

// connected is the model that the next request is for, as far as is known.
func (k *connection) connected() (m model.Model, ok bool) {
	k.mu.Lock()
	defer k.mu.Unlock()
	return k.m, k.release != nil
}

// try begins an attempt; k.mu is held.
func (k *connection) try(ctx context.Context) {
	ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), connectTimeout)
	t, c := &attempt{cancel: cancel, done: make(chan struct{})}, k.config
	k.trying = t
	k.attempts.Go(func() {
		defer close(t.done)
		defer cancel()
		m, release, err := k.connect(ctx, c)
		k.mu.Lock()
		defer k.mu.Unlock()
		if k.trying != t { // the configuration has changed: it was for another server
			if err == nil {
				release()
			}
			t.err = ErrNoServer
			return
		}
		k.trying = nil
		switch {
		case errors.Is(err, ErrNoServer):
			k.none, t.err = true, err
		case err != nil:
			k.fail(err)
			t.notice, t.err = k.notice, err
		default:
			k.m, k.release, k.wait, k.notice, k.silent = m, release, 0, "", 0
		}
	})
}

// failed records that the connected model broke, and returns the notice; passing
// says that the model may answer the next request.
func (k *connection) failed(err error) (notice string, passing bool) {
	k.mu.Lock()
	defer k.mu.Unlock()
	if errors.Is(err, errSilent) {
		if k.silent++; k.silent < maxSilent {
			return inLines(err), true
		}
	}
	k.fail(err)
	return k.notice, false
}

// answered records that the connected model works. It returns a notice if that
// runs on another machine and nobody has said so yet.
func (k *connection) answered() (notice string) {
	k.mu.Lock()
	defer k.mu.Unlock()
	k.silent = 0
	host := k.m.Info.Remote
	if host == "" || k.told[host] {
		return ""
	}
	if k.told == nil {
		k.told = map[string]bool{}
	}
	k.told[host] = true
	return fmt.Sprintf("the model runs on %s: code around the cursor and evidence are sent there, since your configuration says so", OneLine(host))
}

func (k *connection) fail(err error) {
	k.drop()
	k.wait = min(max(firstRetry, 2*k.wait), lastRetry)
	k.again = time.Now().Add(k.wait)
	k.notice = inLines(err)
}

// reset forgets what is known, since the configuration changed to c.
func (k *connection) reset(c Config) {
	k.mu.Lock()
	defer k.mu.Unlock()
	k.drop()
	if k.trying != nil {
		k.trying.cancel()
	}
	k.config, k.trying = c, nil
	k.wait, k.again, k.notice, k.none, k.silent = 0, time.Time{}, "", false, 0
}

// end is the end of the connection; it returns when nothing is under way.
func (k *connection) end() {
	k.reset(Config{})
	k.attempts.Wait()
}

func (k *connection) drop() {
	if k.release != nil {
		k.release()
	}
	k.m, k.release = model.Model{}, nil
}

// status is the connection in a line.
func (k *connection) status() string {
	k.mu.Lock()
	defer k.mu.Unlock()
	switch {
	case k.release != nil:
		at := k.m.Info.Provider
		if k.m.Info.Remote != "" {
			at += " on " + k.m.Info.Remote
		}
		return OneLine("model: " + k.m.Info.Name + " (" + at + ")")
	case k.notice != "":
		return "model: embedded, because " + k.notice
	case k.none || k.connect == nil:
		return "model: embedded"
	}
	return "model: not asked yet"
}
