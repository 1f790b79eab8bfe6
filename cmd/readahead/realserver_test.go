package main

import (
	"context"
	"encoding/json"
	"math"
	"net/http"
	"net/http/httptest"
	"net/http/httputil"
	"net/url"
	"os/exec"
	"path/filepath"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"readahead/model/ollama/ollamatest"
)

// asked is readahead with the test's Ollama as its model server.
func asked(ctx context.Context, t *testing.T, srv *ollamatest.Server, args ...string) *exec.Cmd {
	t.Helper()
	c := command(ctx, t, args...)
	c.Env = append(c.Env, "OLLAMA_HOST="+srv.Endpoint)
	return c
}

// checkDecision holds a decision of the real model to what Caret says: N samples
// of a consulted context, votes that add up, agreement that is the largest
// share, and finite scores where the samples did not agree.
func checkDecision(t *testing.T, r printed, samples int) {
	t.Helper()
	d := r.Trace.Decision
	if r.Trace.Model.Provider != "ollama" || !strings.HasPrefix(r.Trace.Model.Name, ollamatest.Model) {
		t.Fatalf("answered by %+v, notice %q", r.Trace.Model, r.Trace.Notice)
	}
	if d.Route == "" || d.Rule == "" || len(d.Pools) == 0 {
		t.Fatalf("no route: %+v", d)
	}
	for _, p := range d.Pools {
		if samples > 0 && len(p.Samples) != samples {
			t.Errorf("%s: %d samples, want %d", p.Family, len(p.Samples), samples)
		}
		votes, most := 0, 0.0
		for _, c := range p.Candidates {
			votes += c.Votes
			most = max(most, c.Share)
			if c.Reverse != nil && (math.IsNaN(c.Reverse.LogProb) || math.IsInf(c.Reverse.LogProb, 0) || c.Reverse.LogProb >= 0) {
				t.Errorf("reverse-context score %v of %q", c.Reverse.LogProb, c.Text)
			}
		}
		if votes > len(p.Samples) {
			t.Errorf("%s: %d votes from %d samples", p.Family, votes, len(p.Samples))
		}
		if p.Agreement < most-1e-9 {
			t.Errorf("%s: agreement %v below the largest share %v", p.Family, p.Agreement, most)
		}
	}
}

func scored(r printed) (n int) {
	for _, p := range r.Trace.Decision.Pools {
		for _, c := range p.Candidates {
			if c.Reverse != nil {
				n++
			}
		}
	}
	return n
}

func TestRealServerCompleteShowsTheWholeDecision(t *testing.T) {
	srv := ollamatest.Start(t)
	for archive, file := range map[string]string{"shop": "order/order.go", "pyshop": "shop/order.py"} {
		dir := unpack(t, archive)
		at := cursor(t, filepath.Join(dir, filepath.FromSlash(file)))
		r, _ := complete(t, asked(t.Context(), t, srv, "complete", "--json", "--n", "10", "--root", dir, "--wait", "5m", at))
		checkDecision(t, r, 10)
		t.Logf("%s: %s, %s, agreement %v, %d scored, items %+v", archive, r.Trace.Decision.Route, r.Trace.Decision.Rule,
			r.Trace.Decision.Pools[0].Agreement, scored(r), r.Items)
		if scored(r) == 0 && r.Trace.Decision.Rule != "agreement" {
			t.Errorf("%s: nothing was scored, and the samples did not agree", archive)
		}
	}
}

func TestRealServerIsTunedFor(t *testing.T) {
	srv := ollamatest.Start(t)
	got := finish(t, asked(t.Context(), t, srv, "tune", "--model", ollamatest.Model, "--limit", "2", "--time", "5m", "--json", unpack(t, "shop")))
	var r tuneResult
	if err := json.Unmarshal([]byte(got.stdout), &r); err != nil {
		t.Fatalf("%v in %s%s", err, got.stdout, got.stderr)
	}
	if r.Lines != 2 || r.Selector != "votes" || !strings.HasPrefix(r.Model, ollamatest.Model) || r.Primary != "structural" {
		t.Errorf("got %s", got.stdout)
	}
}

func TestRealServerAnswersThroughTheLanguageServer(t *testing.T) {
	srv := ollamatest.Start(t)
	dir := unpack(t, "shop")
	ctx, cancel := context.WithTimeout(t.Context(), 10*time.Minute)
	defer cancel()
	s := serve(ctx, t, "OLLAMA_HOST="+srv.Endpoint)
	uri, at := s.open(dir, filepath.Join(dir, "order", "order.go"), "go")
	got := s.inline(uri, at)
	r := s.trace(uri)
	// A machine that loads the model for longer than a request may last answers
	// the first one with the embedded model, and says so.
	for range 20 {
		if r.Trace.Model.Provider == "ollama" {
			break
		}
		time.Sleep(time.Second)
		got, r = s.inline(uri, at), s.trace(uri)
	}
	checkDecision(t, r, 0)
	if len(got.Items) == 0 {
		t.Fatalf("no item; decision %+v", r.Trace.Decision)
	}
	from := false
	for _, p := range r.Trace.Decision.Pools {
		for _, c := range p.Candidates {
			from = from || strings.TrimSpace(c.Text) != "" && strings.Contains(c.Text, strings.TrimSpace(got.Items[0].InsertText))
		}
	}
	if !from {
		t.Errorf("item %q is none of the model's candidates", got.Items[0].InsertText)
	}
	if status := s.leave(); status != 0 {
		t.Errorf("exit status %d", status)
	}
}

func TestRealServerKilledInMidRequestLeavesTheEmbeddedModelsAnswer(t *testing.T) {
	srv := ollamatest.Start(t)
	dir := unpack(t, "shop")
	at := cursor(t, filepath.Join(dir, "order", "order.go"))
	// The kill comes when the first sample is being drawn: a proxy in between sees
	// the request go to the server.
	server, err := url.Parse(srv.Endpoint)
	if err != nil {
		t.Fatal(err)
	}
	forward := httputil.NewSingleHostReverseProxy(server)
	forward.ErrorHandler = func(w http.ResponseWriter, _ *http.Request, _ error) { panic(http.ErrAbortHandler) }
	var drawing atomic.Bool
	proxy := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if r.URL.Path == "/api/generate" && drawing.CompareAndSwap(false, true) {
			time.AfterFunc(50*time.Millisecond, srv.Kill)
		}
		forward.ServeHTTP(w, r)
	}))
	defer proxy.Close()
	c := command(t.Context(), t, "complete", "--json", "--root", dir, at)
	c.Env = append(c.Env, "OLLAMA_HOST="+proxy.URL)
	start := time.Now()
	r, _ := complete(t, c)
	if !drawing.Load() {
		t.Fatal("the server was not asked for a sample")
	}
	if r.Trace.Model.Provider != "embedded" {
		t.Errorf("answered by %+v", r.Trace.Model)
	}
	if r.Trace.Notice == "" || !strings.Contains(r.Trace.Notice, "ollama") {
		t.Errorf("notice %q", r.Trace.Notice)
	}
	if len(r.Items) == 0 || !strings.HasPrefix(r.Items[0].Text, "Add(") {
		t.Errorf("items %+v", r.Items)
	}
	t.Logf("%v, notice %q", time.Since(start), r.Trace.Notice)
}

// The samples, greedy ones and likelihoods of a real server are kept, and every
// way to decide is measured from them.
func TestRealServerEvalMeasuresEverySelectorFromOnePassOfTheModel(t *testing.T) {
	srv := ollamatest.Start(t)
	dir := unpack(t, "shop")
	ctx, cancel := context.WithTimeout(t.Context(), 10*time.Minute)
	defer cancel()
	pools := filepath.Join(t.TempDir(), "pools.jsonl")
	args := []string{"eval", "--self", dir, "-n", "1", "--metrics", "em", "--model", ollamatest.Model, "--prompt", "causal", "--samples", "3", "--pools", pools}
	got := finish(t, asked(ctx, t, srv, args...))
	if got.status != 0 {
		t.Fatalf("status %d: %s", got.status, got.stderr)
	}
	for _, name := range []string{"blend causal N=3", "votes causal N=3", "rcv causal N=3", "greedy causal N=3"} {
		if !strings.Contains(got.stdout, name) {
			t.Errorf("no %s in\n%s", name, got.stdout)
		}
	}
	srv.Kill()
	if again := finish(t, asked(ctx, t, srv, args...)); again.status != 0 || again.stdout != got.stdout {
		t.Errorf("without the server, from the pools: status %d, %s\n%s\nwant\n%s", again.status, again.stderr, again.stdout, got.stdout)
	}
}
