package main

import (
	"encoding/json"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

func TestEvalMeasuresTheUsersOwnRepository(t *testing.T) {
	dir := unpack(t, "shop")
	contexts := filepath.Join(t.TempDir(), "contexts.jsonl")
	got := run(t, "eval", "--self", dir, "--policy", "vital,raw", "--json", "--contexts", contexts)
	if got.status != 0 {
		t.Fatalf("status %d: %s", got.status, got.stderr)
	}
	var sum struct {
		Policy   string
		Tasks    int
		Recall   *float64 `json:"recall_at_k"`
		Budget   *float64 `json:"recall_at_budget"`
		Tokens   *float64 `json:"evidence_tokens_mean"`
		By       map[string]map[string]any
		MS       map[string]any
		Policies []struct {
			Policy  string
			Against map[string]any `json:"recall_at_budget_against_first"`
		}
	}
	if err := json.Unmarshal([]byte(got.stdout), &sum); err != nil {
		t.Fatalf("%v in %s", err, got.stdout)
	}
	if sum.Policy != "vital" || sum.Tasks == 0 || sum.Recall == nil || *sum.Recall == 0 || sum.Budget == nil || sum.Tokens == nil || len(sum.By["lang"]) == 0 || len(sum.MS) == 0 {
		t.Errorf("got %s", got.stdout)
	}
	if len(sum.Policies) != 1 || sum.Policies[0].Policy != "raw" || sum.Policies[0].Against["p"] == nil {
		t.Errorf("policies %+v", sum.Policies)
	}
	text, err := os.ReadFile(contexts)
	if err != nil || strings.Count(string(text), "\n") != sum.Tasks {
		t.Errorf("%v; %d lines of contexts for %d tasks", err, strings.Count(string(text), "\n"), sum.Tasks)
	}

	table := run(t, "eval", "--self", dir, "--policy", "all").stdout
	for _, name := range []string{"R@5", "vital", "entity-first-4+1", "no-structure", "p="} {
		if !strings.Contains(table, name) {
			t.Errorf("no %q in\n%s", name, table)
		}
	}
}

func TestEvalSaysWhatItWants(t *testing.T) {
	empty := filepath.Join(t.TempDir(), "empty.jsonl")
	if err := os.WriteFile(empty, nil, 0o644); err != nil {
		t.Fatal(err)
	}
	for _, tt := range []struct {
		args   []string
		status int
		says   string
	}{
		{[]string{"eval"}, 2, "--tasks FILE and --src DIR"},
		{[]string{"eval", "--self", ".", "--src", "."}, 2, "leave out"},
		{[]string{"eval", "--self", ".", "--policy", "best"}, 2, "entity-first-4+1"},
		{[]string{"eval", "--self", ".", "--family", "vector"}, 2, "structural"},
		{[]string{"eval", "--tasks", empty, "--src", "."}, 1, "no tasks"},
		{[]string{"eval", "--tasks", "nowhere.jsonl", "--src", "."}, 1, "nowhere.jsonl"},
		{[]string{"eval", "--self", filepath.Dir(empty)}, 1, "indexed"},
		{[]string{"eval", "--self", empty}, 2, "not a folder"},
	} {
		if got := run(t, tt.args...); got.status != tt.status || !strings.Contains(got.stderr, tt.says) {
			t.Errorf("%v: status %d, %s", tt.args, got.status, got.stderr)
		}
	}
}
