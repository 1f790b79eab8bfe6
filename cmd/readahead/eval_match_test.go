package main

import (
	"encoding/json"
	"net/http"
	"net/http/httptest"
	"net/http/httputil"
	"net/url"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

func TestEvalMeasuresCompletionsOfTheUsersOwnRepository(t *testing.T) {
	dir := unpack(t, "shop")
	files := t.TempDir()
	pools, predictions := filepath.Join(files, "pools.jsonl"), filepath.Join(files, "predictions.jsonl")
	args := []string{"eval", "--self", dir, "--metrics", "all", "--json", "--select", "blend,greedy", "--route", "on,off", "--samples", "4,2", "--pools", pools, "--predictions", predictions}
	got := run(t, args...)
	if got.status != 0 {
		t.Fatalf("status %d: %s", got.status, got.stderr)
	}
	var sum struct {
		Policy   string
		Selector string
		Tasks    int
		EMTasks  int      `json:"em_tasks"`
		Recall   *float64 `json:"recall_at_k"`
		EM       *float64
		ES       *float64
		Oracle   *float64
		Cost     *float64 `json:"relative_cost"`
		Contexts *float64 `json:"contexts_per_task"`
		Scored   *float64 `json:"scored_per_task"`
		MS       map[string]struct{ P50, P95, P99 *float64 }
		By       map[string]map[string]map[string]any
		Others   []struct {
			Selector string
			Against  map[string]any `json:"em_against_first"`
		} `json:"selectors"`
	}
	if err := json.Unmarshal([]byte(got.stdout), &sum); err != nil {
		t.Fatalf("%v in %s", err, got.stdout)
	}
	if sum.Policy != "vital+" || sum.Selector != "blend N=4" || sum.Tasks == 0 || sum.EMTasks != sum.Tasks {
		t.Errorf("got %s", got.stdout)
	}
	for name, x := range map[string]*float64{"recall_at_k": sum.Recall, "em": sum.EM, "es": sum.ES, "oracle": sum.Oracle, "relative_cost": sum.Cost, "contexts_per_task": sum.Contexts, "scored_per_task": sum.Scored} {
		if x == nil {
			t.Errorf("no %s in %s", name, got.stdout)
		}
	}
	if *sum.ES == 0 || *sum.ES > 100 || *sum.Oracle < *sum.EM || *sum.Cost < 1.1 {
		t.Errorf("es %v, em %v, oracle %v, cost %v", *sum.ES, *sum.EM, *sum.Oracle, *sum.Cost)
	}
	for _, stage := range []string{"retrieve", "allocate", "sample", "score", "total"} {
		if p := sum.MS[stage]; p.P50 == nil || p.P95 == nil || p.P99 == nil {
			t.Errorf("no times of %s in %v", stage, sum.MS)
		}
	}
	for _, part := range []string{"lang", "collection", "subset"} {
		for name, p := range sum.By[part] {
			if p["em"] == nil || p["recall_at_k"] == nil {
				t.Errorf("by %s, %s: %v", part, name, p)
			}
		}
	}
	var names []string
	for _, o := range sum.Others {
		names = append(names, o.Selector)
		if o.Against["p"] == nil {
			t.Errorf("%s: compared with nothing", o.Selector)
		}
	}
	if s := strings.Join(names, ", "); s != "blend route off N=4, greedy N=4, blend N=2" {
		t.Errorf("others: %s", s)
	}
	for file, lines := range map[string]int{pools: sum.EMTasks + 1, predictions: sum.EMTasks} {
		text, err := os.ReadFile(file)
		if err != nil || strings.Count(string(text), "\n") != lines {
			t.Errorf("%s: %v, %d lines; want %d", file, err, strings.Count(string(text), "\n"), lines)
		}
	}

	// From the pools the same comes out: times, too, since they are what the model
	// took. But recall measures its own.
	one := []string{"eval", "--self", dir, "--metrics", "em", "--json", "--samples", "4", "--pools", pools}
	first, again := run(t, one...), run(t, one...)
	if first.status != 0 || first.stdout != again.stdout {
		t.Errorf("from the pools: status %d, %s\nand again\n%s", first.status, first.stderr+first.stdout, again.stdout)
	}
	table := run(t, "eval", "--self", dir, "--metrics", "em", "--samples", "4", "--pools", pools).stdout
	for _, name := range []string{"EM", "oracle", "greedy N=4", "rcv N=4", "votes N=4", "go self", "p="} {
		if !strings.Contains(table, name) {
			t.Errorf("no %q in\n%s", name, table)
		}
	}
}

// Asked twice, what is read is the same; and what decides otherwise stands beside
// what it is a shortcut of.
func TestEvalSetsWaysToDecideSideBySide(t *testing.T) {
	args := []string{"eval", "--self", unpack(t, "shop"), "--metrics", "em", "--samples", "4", "--twice", "--select", "blend",
		"--agreement", "probabilities,samples", "--grade", "whole,race,bayes", "--pools", filepath.Join(t.TempDir(), "pools.jsonl")}
	got := run(t, append(args, "--json")...)
	type beside struct {
		With                 *string
		Verdict, Route, Line float64
		Tasks                int
		Winner               float64
	}
	type variant struct {
		Selector        string
		Again           *beside
		Drawn           *beside            `json:"against_samples"`
		Graded          *beside            `json:"against_whole"`
		Cost            map[string]float64 `json:"relative_cost_at"`
		Tokens          map[string]float64 `json:"token_ratio_at"`
		Time            map[string]float64 `json:"wall_ratio_at"`
		GradingRequests *float64           `json:"grading_requests_per_task"`
		Others          []json.RawMessage  `json:"selectors"`
	}
	var first variant
	if err := json.Unmarshal([]byte(got.stdout), &first); err != nil || got.status != 0 {
		t.Fatalf("status %d, %v: %s", got.status, err, got.stderr+got.stdout)
	}
	all := map[string]variant{first.Selector: first}
	for _, text := range first.Others {
		var v variant
		if err := json.Unmarshal(text, &v); err != nil {
			t.Fatal(err)
		}
		all[v.Selector] = v
	}
	for name, v := range all {
		if v.Again == nil || v.GradingRequests == nil {
			t.Errorf("%s: asked twice %+v, requests for grades %v", name, v.Again, v.GradingRequests)
		}
		for _, ratio := range []map[string]float64{v.Cost, v.Tokens, v.Time} {
			if ratio["p50"] <= 0 || ratio["p90"] < ratio["p50"] {
				t.Errorf("%s: ratios %v", name, ratio)
			}
		}
	}
	reads := all["blend probabilities N=4"]
	if a := reads.Again; a == nil || a.Verdict != 100 || a.Route != 100 || a.Line != 100 {
		t.Errorf("what is read flickers: %+v", a)
	}
	if d := reads.Drawn; d == nil || *d.With != "blend N=4" {
		t.Errorf("what is read is beside %+v", d)
	}
	for _, grade := range []string{"race", "bayes"} {
		if g := all["blend probabilities "+grade+" N=4"].Graded; g == nil || *g.With != "blend probabilities N=4" || g.Tasks == 0 {
			t.Errorf("%s: beside %+v", grade, g)
		}
	}
	table := run(t, args...).stdout
	for _, words := range []string{"Caret's accounting", "new tokens", "itself, asked again", "correlation"} {
		if !strings.Contains(table, words) {
			t.Errorf("no %q in\n%s", words, table)
		}
	}
	// What was drawn for more samples serves fewer.
	if fewer := run(t, "eval", "--self", args[2], "--metrics", "em", "--samples", "3", "--pools", args[len(args)-1]); fewer.status != 0 || strings.Contains(fewer.stdout, "asked again") == false {
		t.Errorf("three of four samples: status %d, %s", fewer.status, fewer.stderr+fewer.stdout)
	}
}

func TestEvalOfCompletionsSaysWhatItWants(t *testing.T) {
	dir := unpack(t, "shop")
	for _, tt := range []struct {
		args   []string
		status int
		says   string
	}{
		{[]string{"--metrics", "speed"}, 2, "recall, em, all"},
		{[]string{"--select", "votes"}, 2, "--select is about completions: add --metrics em or all"},
		{[]string{"--model", "x"}, 2, "--model is about completions"},
		{[]string{"--metrics", "em", "--select", "best"}, 2, "blend, votes, rcv, greedy"},
		{[]string{"--metrics", "em", "--route", "maybe"}, 2, "on, off, swapped"},
		{[]string{"--metrics", "em", "--samples", "0"}, 2, "--samples wants a whole number from 1 to 256, or several with commas between them, not \"0\""},
		{[]string{"--metrics", "em", "-n", "-1"}, 2, "-n (--sample) wants"},
		{[]string{"--metrics", "em", "--weight", "1.5"}, 2, "a number from 0 to 1"},
		{[]string{"--metrics", "em", "--select", ""}, 2, "--select wants a value"},
		{[]string{"--policy", ""}, 2, "--policy names none"},
		{[]string{"--metrics", "em", "--prompt", "chat"}, 2, "auto, fim, causal"},
		{[]string{"--metrics", "em", "--model", ""}, 2, `"embedded" asks no server`},
		{[]string{"--metrics", "em", "--contexts", "x"}, 2, "--metrics recall or all"},
		{[]string{"--metrics", "em", "--left", "5"}, 2, "--left is about recall"},
		{[]string{"--metrics", "em", "--family", "lexical"}, 2, "--family is about recall"},
		{[]string{"--metrics", "em", "--model", "nothere"}, 1, "ollama"},
		{[]string{"--metrics", "em", "--grader", "http://127.0.0.1:1"}, 2, "--grader grades for a model of Ollama's"},
		{[]string{"--metrics", "em", "--model", "x", "--grader", "nowhere:x"}, 2, "nowhere:x"},
		{[]string{"--metrics", "em", "--samples", "1", "--predictions", filepath.Join(dir, "no", "file")}, 1, "no such file"},
		{[]string{"--metrics", "em", "--samples", "1", "--predictions", filepath.Join(dir, "go.mod")}, 1, "there is a file that is not what --predictions wrote"},
		{[]string{"--contexts", filepath.Join(dir, "go.mod")}, 1, "there is a file that is not what --contexts wrote"},
		{[]string{"--contexts", os.DevNull}, 1, "no regular file"},
		{[]string{"--metrics", "em", "--pools", filepath.Join(dir, "go.mod")}, 1, "is it a pools file"},
	} {
		got := run(t, append([]string{"eval", "--self", dir}, tt.args...)...)
		if got.status != tt.status || !strings.Contains(got.stderr, tt.says) {
			t.Errorf("%v: status %d, %s", tt.args, got.status, got.stderr)
		}
	}
	if text, err := os.ReadFile(filepath.Join(dir, "go.mod")); err != nil || !strings.HasPrefix(string(text), "module ") {
		t.Errorf("go.mod was touched: %v, %q", err, text)
	}
	contexts := filepath.Join(t.TempDir(), "contexts.jsonl")
	for range 2 { // the second time over the first one's
		if got := run(t, "eval", "--self", dir, "--contexts", contexts); got.status != 0 {
			t.Fatal(got.stderr)
		}
	}
	if text, err := os.ReadFile(contexts); err != nil || !strings.HasPrefix(string(text), `{"id":`) {
		t.Errorf("contexts: %v, %.40q", err, text)
	}
}

// A model that another machine runs is announced here, too.
func TestEvalSaysThatCodeLeavesTheMachine(t *testing.T) {
	inner, err := url.Parse(ollamaLike(t, 6000, 120))
	if err != nil {
		t.Fatal(err)
	}
	mux := http.NewServeMux()
	mux.Handle("/", httputil.NewSingleHostReverseProxy(inner))
	mux.HandleFunc("POST /api/show", func(w http.ResponseWriter, _ *http.Request) {
		_, _ = w.Write([]byte(`{"remote_host": "models.example.com", "model_info": {"general.architecture": "qwen2", "qwen2.context_length": 32768}}`))
	})
	srv := httptest.NewServer(mux)
	t.Cleanup(srv.Close)
	got := run(t, "eval", "--self", unpack(t, "shop"), "-n", "1", "--metrics", "em", "--select", "greedy", "--model", "qwen2.5-coder:1.5b", "--endpoint", srv.URL)
	if got.status != 0 || strings.Count(got.stderr, "code leaves this machine for models.example.com") != 1 {
		t.Errorf("status %d: %s", got.status, got.stderr)
	}
}
