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
type connection struct {
	connect func(context.Context, Config) (model.Model, func(), error)

	mu      sync.Mutex
	m       model.Model
	release func() // of m; nil while there is no model
	notice  string // why there is none
	wait    time.Duration
	again   time.Time       // when the next attempt is due
	none    bool            // the configuration asks for no server
	told    map[string]bool // machines that the user knows get code
	silent  int             // requests in a row in which m said nothing
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
func (k *connection) model(ctx context.Context, c Config) (m model.Model, notice string, err error) {
	if k.connect == nil {
		return m, "", ErrNoServer
	}
	k.mu.Lock()
	defer k.mu.Unlock()
	if k.release != nil {
		return k.m, "", nil
	}
	if time.Now().Before(k.again) {
		return m, k.notice, ErrNoServer
	}
	ctx, cancel := context.WithTimeout(ctx, connectTimeout)
	defer cancel()
	m, release, err := k.connect(ctx, c)
	if errors.Is(err, context.Canceled) {
		return m, "", err // the request was superseded: nothing is known about the server
	}
	if errors.Is(err, ErrNoServer) {
		k.none = true
		return m, "", err
	}
	if err != nil {
		k.fail(err)
		return m, k.notice, err
	}
	k.m, k.release, k.wait, k.notice, k.silent = m, release, 0, "", 0
	return m, "", nil
}

// failed records that the connected model broke, and returns the notice.
func (k *connection) failed(err error) string {
	k.mu.Lock()
	defer k.mu.Unlock()
	if errors.Is(err, errSilent) {
		if k.silent++; k.silent < maxSilent {
			return err.Error()
		}
	}
	k.fail(err)
	return k.notice
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
	return fmt.Sprintf("the model runs on %s: code around the cursor and evidence are sent there, since your configuration says so", host)
}

func (k *connection) fail(err error) {
	k.drop()
	k.wait = min(max(firstRetry, 2*k.wait), lastRetry)
	k.again = time.Now().Add(k.wait)
	k.notice = err.Error()
}

// reset forgets what is known, since the configuration changed.
func (k *connection) reset() {
	k.mu.Lock()
	defer k.mu.Unlock()
	k.drop()
	k.wait, k.again, k.notice, k.none, k.silent = 0, time.Time{}, "", false, 0
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
		return "model: " + k.m.Info.Name + " (" + at + ")"
	case k.notice != "":
		return "model: embedded, because " + k.notice
	case k.none || k.connect == nil:
		return "model: embedded"
	}
	return "model: not asked yet"
}
