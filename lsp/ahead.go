package lsp

import "time"

// An edit says what the user wants before any request does: that what a flight
// has begun to say is not it, or that an item was taken, and what comes behind it
// is wanted next.

// heed is called after an edit that put with at start, in the order of the wire.
func (s *Server) heed(d *document, start int, with []byte) {
	now := &ask{path: d.path, text: d.text.bytes, world: s.world(d)} // read during the call only
	taken := s.suggester.edited(now, cursors(start, string(unixLines(with)), len(with)))
	if taken && !s.silent() {
		a := s.askAt(d, start+len(with))
		a.max, a.due = automaticItems, time.Time{}
		s.suggester.ahead(a)
	}
	if after, ok := d.pace.lead(); ok && !taken && !s.silent() {
		a := s.askAt(d, typedTo(start, with))
		a.max = automaticItems
		s.suggester.foresee(a, after)
	}
}

// cursors are where the cursor may stand after with was inserted: behind it, or
// in front of closers that the editor has added.
func cursors(start int, with string, size int) []int {
	at := []int{start + size}
	for i := 1; i <= min(maxAutoClosers, len(with)) && isCloser(with[len(with)-i]); i++ {
		at = append(at, start+size-i)
	}
	return at
}

func isCloser(c byte) bool {
	switch c {
	case ')', ']', '}', '"', '\'', '`', '>':
		return true
	}
	return false
}

// edited grounds the flights that say what was not typed, and reports whether an
// item has just been taken, by a command of the client or by typing it to its
// end: the text tells, and clients that run no command need not.
func (s *suggester) edited(now *ask, cursors []int) (taken bool) {
	s.mu.Lock()
	defer s.mu.Unlock()
	for _, f := range s.flights {
		if f.ask.path != now.path || f.doomed {
			continue
		}
		f.broken = true
		for _, now.offset = range cursors {
			f.broken = f.broken && !f.promises(now)
		}
		if f.broken && f.waiting == 0 {
			s.doom(f)
		}
	}
	now.offset = cursors[0]
	return len(s.memory.accepted(now)) > 0
}

// ahead asks the model for what comes behind an item that was taken, so that it
// is there when it is asked for. One such flight is in the air at most, and none
// while that would keep a request waiting.
func (s *suggester) ahead(a *ask) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.ground(func(f *flight) bool { return f.ahead })
	if _, _, known := s.memory.recall(a); known || len(s.flights) >= maxFlights {
		return
	}
	if f := s.board(a); f != nil {
		f.waiting--
		f.ahead = f.waiting == 0
	}
}

// rest grounds the flights that nobody waits for, since nothing more is wanted.
func (s *suggester) rest() {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.callOff()
	s.ground(func(f *flight) bool { return f.waiting == 0 })
}
