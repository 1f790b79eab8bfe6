package lsp

import (
	"context"
	"errors"
	"os"
	"syscall"
	"time"
)

// parentPoll is how long a server may outlive its client's process, if the pipe
// between them stays open because someone else holds it, too.
const parentPoll = 5 * time.Second

// watchParent ends the server when the client's process has ended. A process
// that cannot be seen from the start lives in another container or machine, and
// says nothing.
func (s *Server) watchParent(ctx context.Context, pid int) {
	if !alive(pid) {
		return
	}
	tick := time.NewTicker(parentPoll)
	defer tick.Stop()
	for {
		select {
		case <-ctx.Done():
			return
		case <-tick.C:
			if !alive(pid) {
				s.stop(errParent)
				return
			}
		}
	}
}

// alive reports whether a process exists. Where that cannot be asked (Windows
// knows no signal 0) finding it is the answer.
func alive(pid int) bool {
	p, err := os.FindProcess(pid)
	if err != nil {
		return false
	}
	defer p.Release()
	err = p.Signal(syscall.Signal(0))
	return !errors.Is(err, os.ErrProcessDone) && !errors.Is(err, syscall.ESRCH)
}
