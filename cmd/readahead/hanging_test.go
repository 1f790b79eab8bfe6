package main

import (
	"net/http"
	"net/http/httptest"
	"net/http/httputil"
	"net/url"
	"strings"
	"testing"
)

// hangingAt is a model server that answers as Ollama does, up to the routes that
// begin so: those it accepts and never answers.
func hangingAt(t *testing.T, routes ...string) string {
	t.Helper()
	behind, err := url.Parse(ollamaLike(t, 1000, 100))
	if err != nil {
		t.Fatal(err)
	}
	answer := httputil.NewSingleHostReverseProxy(behind)
	over := make(chan struct{})
	srv := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		for _, route := range routes {
			if strings.HasPrefix(r.URL.Path, route) {
				select {
				case <-r.Context().Done():
				case <-over:
				}
				return
			}
		}
		answer.ServeHTTP(w, r)
	}))
	t.Cleanup(func() { close(over); srv.Close() })
	return srv.URL
}
