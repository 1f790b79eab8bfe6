package main

import (
	"bufio"
	"encoding/json"
	"fmt"
	"io"
	"net"
	"net/textproto"
	"strconv"
	"sync"
	"testing"
	"time"
)

// An editor of the soak tests speaks to a server in its own process, so that time
// can be simulated and memory measured. It keeps account of every request: each
// must be answered, once.
type soakEditor struct {
	t    *testing.T
	wire net.Conn
	out  chan []byte // to the server, in order
	done sync.WaitGroup

	mu      sync.Mutex
	id      int
	waiting map[int]asking
	answers map[string]int // method and what became of it
	longest map[string]time.Duration
	empty   int // answers without an item
	said    map[string]int
}

// asking is a request without an answer.
type asking struct {
	method string
	since  time.Time
}

func newSoakEditor(t *testing.T, wire net.Conn) *soakEditor {
	e := &soakEditor{t: t, wire: wire, out: make(chan []byte, 1<<14), waiting: map[int]asking{},
		answers: map[string]int{}, longest: map[string]time.Duration{}, said: map[string]int{}}
	e.done.Go(func() { // ends when out is closed, or the server is gone
		for b := range e.out {
			if _, err := fmt.Fprintf(wire, "Content-Length: %d\r\n\r\n%s", len(b), b); err != nil {
				return
			}
		}
	})
	e.done.Go(func() { e.listen(bufio.NewReader(wire)) }) // ends with the connection
	return e
}

func (e *soakEditor) send(v any) {
	b, err := json.Marshal(v)
	if err != nil {
		e.t.Error(err)
	}
	e.out <- b
}

func (e *soakEditor) notify(method string, params any) {
	e.send(map[string]any{"jsonrpc": "2.0", "method": method, "params": params})
}

// ask sends a request and does not wait.
func (e *soakEditor) ask(method string, params any) int {
	e.mu.Lock()
	e.id++
	id := e.id
	e.waiting[id] = asking{method, time.Now()}
	e.mu.Unlock()
	e.send(map[string]any{"jsonrpc": "2.0", "id": id, "method": method, "params": params})
	return id
}

// call sends a request and waits for its answer.
func (e *soakEditor) call(method string, params any) {
	id := e.ask(method, params)
	for {
		e.mu.Lock()
		_, waits := e.waiting[id]
		e.mu.Unlock()
		if !waits {
			return
		}
		time.Sleep(time.Millisecond)
	}
}

func (e *soakEditor) unanswered() int {
	e.mu.Lock()
	defer e.mu.Unlock()
	return len(e.waiting)
}

func (e *soakEditor) listen(in *bufio.Reader) {
	for {
		header, err := textproto.NewReader(in).ReadMIMEHeader()
		if err != nil {
			return
		}
		n, err := strconv.Atoi(header.Get("Content-Length"))
		if err != nil {
			e.t.Error(err)
			return
		}
		body := make([]byte, n)
		if _, err := io.ReadFull(in, body); err != nil {
			return
		}
		var m message
		if err := json.Unmarshal(body, &m); err != nil {
			e.t.Errorf("%v in %s", err, body)
			return
		}
		e.heard(m)
	}
}

func (e *soakEditor) heard(m message) {
	if m.Method != "" {
		e.mu.Lock()
		e.said[m.Method]++
		e.mu.Unlock()
		if m.ID != nil {
			e.send(map[string]any{"jsonrpc": "2.0", "id": m.ID, "result": nil})
		}
		return
	}
	e.mu.Lock()
	defer e.mu.Unlock()
	id, _ := strconv.Atoi(string(m.ID)) // another kind of ID was not sent
	q, ok := e.waiting[id]
	if !ok {
		e.t.Errorf("an answer to %s, which does not wait for one: %s", m.ID, m.Result)
		return
	}
	delete(e.waiting, id)
	e.longest[q.method] = max(e.longest[q.method], time.Since(q.since))
	what := "answered"
	if m.Error != nil {
		if what = "superseded"; m.Error.Code != -32800 {
			what = "failed"
			e.t.Errorf("%s: %+v", q.method, m.Error)
		}
	}
	e.answers[q.method+" "+what]++
	var got inlineItems
	if json.Unmarshal(m.Result, &got) == nil && m.Error == nil && len(got.Items) == 0 {
		e.empty++
	}
}

// leave ends the session in order.
func (e *soakEditor) leave() {
	e.call("shutdown", nil)
	e.notify("exit", nil)
}

// close frees the connection after the server has ended.
func (e *soakEditor) close() {
	close(e.out)
	e.wire.Close()
	e.done.Wait()
}
