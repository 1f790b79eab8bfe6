package main

import (
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"time"

	"readahead/lsp"
)

// tune and eval need the model, and wait no minutes for one that says nothing.
func TestAServerThatSaysNothingIsGivenUp(t *testing.T) {
	usual := reachTime
	reachTime = 100 * time.Millisecond
	defer func() { reachTime = usual }()
	quit := make(chan struct{})
	silent := httptest.NewServer(http.HandlerFunc(func(http.ResponseWriter, *http.Request) { <-quit }))
	defer silent.Close()
	defer close(quit)
	for _, server := range []string{"ollama", "openai"} {
		c := lsp.DefaultConfig()
		c.Server, c.Endpoint, c.Model = server, silent.URL, "m"
		start := time.Now()
		if _, _, err := reach(t.Context(), c); err == nil || !strings.Contains(err.Error(), "said nothing for 100ms (restart it") || time.Since(start) > patience {
			t.Errorf("%s: %v after %v", server, err, time.Since(start))
		}
	}
}
