package modeltest

import (
	"bytes"
	"errors"
	"fmt"
	"net"
	"os"
	"os/exec"
	"path/filepath"
	"sync"
	"testing"
	"time"
)

// Patience is for machines where every core is taken.
const Patience = 90 * time.Second

// A Process is a server in a process group of its own, which ends with the test.
type Process struct {
	Log Log

	tb     testing.TB
	cmd    *exec.Cmd // nil: not running
	exited chan struct{}
}

// NewProcess is a server that is not started yet. If the test fails, the end of its
// log is shown.
func NewProcess(tb testing.TB) *Process {
	p := &Process{tb: tb}
	tb.Cleanup(p.Kill)
	tb.Cleanup(func() {
		if tb.Failed() {
			tb.Logf("the end of the server's log:\n%s", p.Log.tail(4000))
		}
	})
	return p
}

// Start runs cmd and waits until ready says so, for Patience at most.
func (p *Process) Start(cmd *exec.Cmd, ready func() bool) {
	p.tb.Helper()
	cmd.Stdout, cmd.Stderr = &p.Log, &p.Log
	ownGroup(cmd)
	if err := cmd.Start(); err != nil {
		p.tb.Fatalf("start %s: %v", cmd.Path, err)
	}
	p.cmd, p.exited = cmd, make(chan struct{})
	go func(exited chan struct{}) { // ends with the process, which Kill ends
		defer close(exited)
		_ = cmd.Wait()
	}(p.exited)
	if err := p.await(ready); err != nil {
		p.tb.Fatalf("%s: %v; its log:\n%s", cmd.Path, err, p.Log.tail(4000))
	}
}

func (p *Process) await(ready func() bool) error {
	for deadline := time.Now().Add(Patience); time.Now().Before(deadline); {
		if ready() {
			return nil
		}
		select {
		case <-p.exited:
			return errors.New("it exited")
		case <-time.After(50 * time.Millisecond):
		}
	}
	return fmt.Errorf("no answer within %v", Patience)
}

// Kill ends the server, and what it has started, at once, as a crash would.
func (p *Process) Kill() {
	if p.cmd == nil {
		return
	}
	killGroup(p.cmd)
	<-p.exited
	p.cmd = nil
}

// KillAlone ends the server and leaves what it has started to Kill.
func (p *Process) KillAlone() {
	p.tb.Helper()
	if err := p.cmd.Process.Kill(); err != nil {
		p.tb.Fatalf("kill the server: %v", err)
	}
	<-p.exited
}

// KillChildren ends what the server has started, and says how many there were.
func (p *Process) KillChildren() int {
	p.tb.Helper()
	pids, err := children(p.cmd.Process.Pid)
	if err != nil {
		p.tb.Fatalf("look for the processes of the server: %v", err)
	}
	for _, pid := range pids {
		if child, err := os.FindProcess(pid); err == nil {
			_ = child.Kill() // it may have ended by itself
		}
	}
	return len(pids)
}

// ModelFolder finds testdata/model in a folder above the test's.
func ModelFolder(tb testing.TB) string {
	tb.Helper()
	dir, err := os.Getwd()
	if err != nil {
		tb.Fatal(err)
	}
	for {
		folder := filepath.Join(dir, "testdata", "model")
		if _, err := os.Stat(filepath.Join(folder, "Modelfile")); err == nil {
			return folder
		}
		if filepath.Dir(dir) == dir {
			tb.Fatal("testdata/model is in no folder above the test's: run it inside the repository")
		}
		dir = filepath.Dir(dir)
	}
}

// FreePort is a port of loopback on which nobody listens.
func FreePort(tb testing.TB) string {
	tb.Helper()
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		tb.Fatal(err)
	}
	defer l.Close()
	_, port, err := net.SplitHostPort(l.Addr().String())
	if err != nil {
		tb.Fatal(err)
	}
	return port
}

// A Log keeps what a server writes.
type Log struct {
	mu   sync.Mutex
	text bytes.Buffer
}

func (l *Log) Write(p []byte) (int, error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.text.Write(p)
}

func (l *Log) tail(n int) []byte {
	l.mu.Lock()
	defer l.mu.Unlock()
	b := l.text.Bytes()
	return bytes.Clone(b[max(0, len(b)-n):])
}

// Count is how often words stand in it.
func (l *Log) Count(words string) int {
	l.mu.Lock()
	defer l.mu.Unlock()
	return bytes.Count(l.text.Bytes(), []byte(words))
}
