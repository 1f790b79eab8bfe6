package lsp

import (
	"fmt"
	"io"
	"sync"
)

// maxOutbox bounds what waits for a client that does not read.
const maxOutbox = 64 << 20

// An outbox lets nobody wait who writes to the client. The reader writes, too
// (answers that are ready, errors), and if it waited for a client that in turn
// waits for the server to read, both would wait for ever.
//
// Its goroutine is run's; the bytes go out in the order in which they came.
type outbox struct {
	io.Reader
	out io.Writer

	mu      sync.Mutex
	pending []byte
	err     error // of the first write that failed
	closing bool
	more    chan struct{}
}

func newOutbox(rw io.ReadWriter) *outbox {
	return &outbox{Reader: rw, out: rw, more: make(chan struct{}, 1)}
}

// Write keeps b for the client and returns at once.
func (o *outbox) Write(b []byte) (int, error) {
	o.mu.Lock()
	defer o.mu.Unlock()
	if o.err == nil && len(o.pending)+len(b) > maxOutbox {
		o.err = fmt.Errorf("lsp: the client has not read %d bytes of answers", len(o.pending))
	}
	if o.err != nil {
		return 0, o.err
	}
	o.pending = append(o.pending, b...)
	o.wake()
	return len(b), nil
}

// Close is for the library, which closes as soon as it has written its last:
// that is not out yet. Serve closes the connection itself.
func (o *outbox) Close() error { return nil }

// finish lets run return when all is out.
func (o *outbox) finish() {
	o.mu.Lock()
	defer o.mu.Unlock()
	o.closing = true
	o.wake()
}

func (o *outbox) wake() {
	select {
	case o.more <- struct{}{}:
	default:
	}
}

// run writes until finish, or until a write fails.
func (o *outbox) run() {
	for range o.more {
		for {
			o.mu.Lock()
			batch, closing := o.pending, o.closing
			o.pending = nil
			o.mu.Unlock()
			if len(batch) == 0 {
				if closing {
					return
				}
				break
			}
			if _, err := o.out.Write(batch); err != nil {
				o.mu.Lock()
				o.err = fmt.Errorf("lsp: write to the client: %w", err)
				o.mu.Unlock()
				return
			}
		}
	}
}
