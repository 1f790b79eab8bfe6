package watch

import (
	"errors"
	"sync"

	"github.com/fsnotify/fsnotify"
)

// An inbox takes events off fsnotify's hands at once, whatever the trees are
// busy with: setting watches on a big folder must not fill the kernel's queue,
// and fsnotify can hold its lock while it waits to hand over an error.
type inbox struct {
	limit int
	wake  chan struct{} // has a token while there is mail

	mu   sync.Mutex
	mail mail
}

// A mail is what has come in since the last look.
type mail struct {
	// paths are dirty. The value says whether the thing under that name may be
	// another one now: created, removed or renamed, not only written.
	paths map[string]bool
	lost  bool // there were more
}

func newInbox(limit int) *inbox {
	return &inbox{limit: limit, wake: make(chan struct{}, 1)}
}

// fill runs until fs is closed.
func (in *inbox) fill(fs *fsnotify.Watcher) {
	events, errs := fs.Events, fs.Errors
	for events != nil || errs != nil {
		select {
		case e, ok := <-events:
			if !ok {
				events = nil
			} else if e.Name != "" {
				in.put(e.Name, e.Has(fsnotify.Create) || e.Has(fsnotify.Remove) || e.Has(fsnotify.Rename))
			}
		case err, ok := <-errs:
			if !ok {
				errs = nil
			} else if !errors.Is(err, fsnotify.ErrNonExistentWatch) {
				// Mostly ErrEventOverflow. Any other means as well that not
				// everything may have been said.
				in.lose()
			}
		}
	}
}

func (in *inbox) put(path string, replaced bool) {
	in.mu.Lock()
	defer in.mu.Unlock()
	if in.mail.lost {
		return
	}
	if in.mail.paths == nil {
		in.mail.paths = map[string]bool{}
	}
	in.mail.paths[path] = in.mail.paths[path] || replaced
	if len(in.mail.paths) > in.limit {
		in.mail = mail{lost: true}
	}
	in.signal()
}

func (in *inbox) lose() {
	in.mu.Lock()
	defer in.mu.Unlock()
	in.mail = mail{lost: true}
	in.signal()
}

func (in *inbox) signal() {
	select {
	case in.wake <- struct{}{}:
	default:
	}
}

func (in *inbox) take() mail {
	in.mu.Lock()
	defer in.mu.Unlock()
	m := in.mail
	in.mail = mail{}
	return m
}
