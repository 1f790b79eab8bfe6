package main

import (
	"net/http"
	"net/http/httptest"
	"net/http/httputil"
	"net/url"
	"slices"
	"strings"
	"testing"
)

// faultyAt is a model server that answers as Ollama does, but for the routes that
// begin so: there it does what do does.
func faultyAt(t *testing.T, route string, do func(http.ResponseWriter)) string {
	t.Helper()
	return faulty(t, []string{route}, func(w http.ResponseWriter, _ *http.Request, _ <-chan struct{}) { do(w) })
}

// hangingAt is a model server that answers as Ollama does, up to the routes that
// begin so: those it accepts and never answers.
func hangingAt(t *testing.T, routes ...string) string {
	t.Helper()
	return faulty(t, routes, func(_ http.ResponseWriter, r *http.Request, over <-chan struct{}) {
		select {
		case <-r.Context().Done():
		case <-over:
		}
	})
}

func faulty(t *testing.T, routes []string, do func(http.ResponseWriter, *http.Request, <-chan struct{})) string {
	t.Helper()
	behind, err := url.Parse(ollamaLike(t, 1000, 100))
	if err != nil {
		t.Fatal(err)
	}
	answer := httputil.NewSingleHostReverseProxy(behind)
	over := make(chan struct{})
	srv := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if slices.ContainsFunc(routes, func(route string) bool { return strings.HasPrefix(r.URL.Path, route) }) {
			do(w, r, over)
			return
		}
		answer.ServeHTTP(w, r)
	}))
	t.Cleanup(func() { close(over); srv.Close() })
	return srv.URL
}
