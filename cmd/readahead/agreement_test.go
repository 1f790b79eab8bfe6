package main

import (
	"fmt"
	"math"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"readahead/model/ollama/ollamatest"
)

// probabilities is a configuration file that has agreement read.
func probabilities(t *testing.T) string {
	t.Helper()
	file := filepath.Join(t.TempDir(), "config.toml")
	if err := os.WriteFile(file, []byte("agreement = \"probabilities\"\n"), 0o644); err != nil {
		t.Fatal(err)
	}
	return file
}

// checkRead holds a decision that was read to what probabilities are, and gives
// its lines with them.
func checkRead(t *testing.T, r printed) string {
	t.Helper()
	if len(r.Trace.Decision.Pools) == 0 {
		t.Fatalf("no pool: %+v", r.Trace)
	}
	var said []string
	for _, p := range r.Trace.Decision.Pools {
		sum := p.Unknown
		for _, c := range p.Candidates {
			sum += c.Share
			said = append(said, fmt.Sprintf("%s %.6f", c.Text, c.Share))
			if c.Votes != 0 || !(c.Share > 0) {
				t.Errorf("%q has %d votes and the probability %v", c.Text, c.Votes, c.Share)
			}
		}
		if !p.Explored || len(p.Samples) == 0 || sum > 1+1e-6 || math.Abs(p.Agreement-share(p)) > 1e-9 {
			t.Errorf("%s: explored %v, %d followed, probabilities of %v together, agreement %v", p.Family, p.Explored, len(p.Samples), sum, p.Agreement)
		}
	}
	return strings.Join(said, "\n")
}

// share is the largest share of a pool's candidates.
func share(p printedPool) (most float64) {
	for _, c := range p.Candidates {
		most = max(most, c.Share)
	}
	return most
}

// Asked twice, the same is said: nothing is drawn.
func TestAgreementCanBeReadFromProbabilities(t *testing.T) {
	dir, config := unpack(t, "shop"), probabilities(t)
	at := cursor(t, filepath.Join(dir, "order", "order.go"))
	said := ""
	for range 2 {
		r, _ := complete(t, command(t.Context(), t, "complete", "--json", "--model", "embedded", "--config", config, "--root", dir, at))
		got := checkRead(t, r)
		if said != "" && got != said {
			t.Errorf("said\n%s\nand then\n%s", said, got)
		}
		said = got
		if len(r.Items) == 0 || !strings.HasPrefix(r.Items[0].Text, "Add(") {
			t.Errorf("items %+v", r.Items)
		}
	}
}

func TestRealServerAgreementFromProbabilities(t *testing.T) {
	srv := ollamatest.Start(t)
	dir, config := unpack(t, "shop"), probabilities(t)
	at := cursor(t, filepath.Join(dir, "order", "order.go"))
	r, _ := complete(t, asked(t.Context(), t, srv, "complete", "--json", "--config", config, "--root", dir, "--wait", "5m", at))
	if r.Trace.Model.Provider != "ollama" {
		t.Fatalf("answered by %+v, notice %q", r.Trace.Model, r.Trace.Notice)
	}
	t.Log(checkRead(t, r))
}
