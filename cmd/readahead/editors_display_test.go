package main

import (
	"strconv"
	"strings"
	"testing"
	"time"
)

const (
	// patience is for machines where every core is taken.
	patience = 20 * time.Second
	glance   = 10 * time.Millisecond
)

// A display is what an editor shows, as text, whenever it is looked at.
type display struct {
	t    testing.TB
	look func() string
	keep func() // keeps a picture of what was waited for, if there is a way
}

// until waits for a screen that the condition holds for.
func (s display) until(what string, holds func(text string) bool) {
	s.t.Helper()
	deadline := time.Now().Add(patience)
	for !holds(s.look()) {
		if time.Now().After(deadline) {
			s.t.Fatalf("not within %v: %s", patience, what)
		}
		time.Sleep(glance)
	}
	if s.keep != nil {
		s.keep()
	}
}

func (s display) sees(text string) {
	s.t.Helper()
	s.until("the screen shows "+strconv.Quote(text), func(now string) bool { return strings.Contains(now, text) })
}

// shows reports whether the screen comes to show text within a while.
func (s display) shows(text string, within time.Duration) bool {
	for end := time.Now().Add(within); time.Now().Before(end); time.Sleep(glance) {
		if strings.Contains(s.look(), text) {
			return true
		}
	}
	return false
}

func (s display) loses(text string) {
	s.t.Helper()
	s.until("the screen no longer shows "+strconv.Quote(text), func(now string) bool { return !strings.Contains(now, text) })
}

// keeps watches for a while whether text stays.
func (s display) keeps(text string, while time.Duration) {
	s.t.Helper()
	for end := time.Now().Add(while); time.Now().Before(end); time.Sleep(glance) {
		if now := s.look(); !strings.Contains(now, text) {
			s.t.Fatalf("the screen no longer shows %q:\n%s", text, now)
		}
	}
}

// neverSees watches for a while.
func (s display) neverSees(text string, while time.Duration) {
	s.t.Helper()
	for end := time.Now().Add(while); time.Now().Before(end); time.Sleep(glance) {
		if strings.Contains(s.look(), text) {
			s.t.Fatalf("the screen shows %q", text)
		}
	}
}
