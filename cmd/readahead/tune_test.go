package main

import (
	"encoding/json"
	"net/http"
	"net/http/httptest"
	"net/http/httputil"
	"net/url"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"readahead/cmd/readahead/internal/eval"
	"readahead/cmd/readahead/internal/tuned"
	"readahead/index"
)

// tuneResult is the documented part of tune --json.
type tuneResult struct {
	Folder, Model, Primary, Selector, File string
	Clear                                  *bool
	Lines                                  int
	All                                    int `json:"all_lines"`
	Structural, Lexical                    struct {
		EM, ES   *float64
		Interval *eval.Interval `json:"em_interval"`
	}
	Against struct{ P *float64 } `json:"lexical_against_structural"`
	Says    []string
}

func tree(t *testing.T, dir string) map[string]string {
	t.Helper()
	out := map[string]string{}
	err := filepath.WalkDir(dir, func(path string, d os.DirEntry, err error) error {
		if err != nil || d.IsDir() {
			return err
		}
		text, err := os.ReadFile(path)
		out[path] = string(text)
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	return out
}

func TestTuneKeepsWhatItFoundInTheStateFolderAndNothingInTheRepository(t *testing.T) {
	dir, home := unpack(t, "shop"), t.TempDir()
	t.Setenv("READAHEAD_TEST_HOME", home)
	before := tree(t, dir)
	got := run(t, "tune", "--model", "embedded", "--limit", "12", "--json", dir)
	if got.status != 0 {
		t.Fatalf("status %d: %s", got.status, got.stderr)
	}
	var r tuneResult
	if err := json.Unmarshal([]byte(got.stdout), &r); err != nil {
		t.Fatalf("%v in %s", err, got.stdout)
	}
	if r.Folder != dir || r.Model != "embedded" || r.Lines != 12 || r.All < 12 || r.Selector != "blend" || r.Clear == nil ||
		r.Against.P == nil || r.Structural.EM == nil || r.Structural.Interval == nil || r.Lexical.ES == nil || len(r.Says) < 3 {
		t.Errorf("got %s", got.stdout)
	}
	if !*r.Clear && r.Primary != "structural" {
		t.Errorf("chance chose %s", r.Primary)
	}
	info, err := os.Stat(r.File)
	if err != nil || info.Mode().Perm() != 0o600 || !strings.HasPrefix(r.File, home) {
		t.Errorf("kept in %s: %v", r.File, err)
	}
	kept, err := os.ReadFile(r.File)
	if err != nil || strings.Contains(string(kept), "func ") || strings.Contains(string(kept), "cart") {
		t.Errorf("the file holds code, or cannot be read: %v, %s", err, kept)
	}
	after := tree(t, dir)
	for path, text := range after {
		if before[path] != text {
			t.Errorf("the repository has changed: %s", path)
		}
	}
	if len(after) != len(before) {
		t.Errorf("%d files in the repository, and %d before", len(after), len(before))
	}

	table := run(t, "tune", "--model", "embedded", "--limit", "5", dir)
	for _, want := range []string{"5 lines held out of", "asked first with", "tructural evidence", "Kept in ", "readahead tune --forget"} {
		if !strings.Contains(table.stdout, want) {
			t.Errorf("no %q in %s%s", want, table.stdout, table.stderr)
		}
	}
}

// tunedLexical is a home where the shop was tuned for the embedded model, with
// lexical evidence first.
func tunedLexical(t *testing.T, dir string) (tuned.Store, tuned.Choice) {
	t.Helper()
	home := t.TempDir()
	t.Setenv("READAHEAD_TEST_HOME", home)
	s := tuned.Store(filepath.Join(home, "readahead", "tuned"))
	c := tuned.Choice{Model: "embedded", Primary: index.Lexical, Clear: true, Lines: 400, EM: tuned.EM{Structural: 9, Lexical: 13}, P: 0.01, Measured: time.Date(2026, 11, 30, 0, 0, 0, 0, time.UTC)}
	if err := s.Save(dir, c); err != nil {
		t.Fatal(err)
	}
	return s, c
}

func TestWhatWasTunedCountsEverywhereUntilItIsOverriddenOrForgotten(t *testing.T) {
	dir := unpack(t, "shop")
	tunedLexical(t, dir)
	at := filepath.Join(dir, "order", "order.go") + ":17:15"
	order := func(args ...string) (first, why string) {
		t.Helper()
		got := run(t, append(append([]string{"complete", "--json", "--model", "embedded", "--root", dir}, args...), at)...)
		var r struct {
			Trace struct {
				Order    string
				Contexts []struct{ Family string }
			}
		}
		if err := json.Unmarshal([]byte(got.stdout), &r); err != nil || len(r.Trace.Contexts) != 2 {
			t.Fatalf("%v in %s%s", err, got.stdout, got.stderr)
		}
		return r.Trace.Contexts[0].Family, r.Trace.Order
	}
	if first, why := order(); first != "lexical" || !strings.Contains(why, "lexical evidence first: it does better on 400 lines of this workspace (tuned 2026-11-30: 9.0 % right with structural first, 13.0 % with lexical") {
		t.Errorf("%s first: %s", first, why)
	}
	found, _ := examined(t, command(t.Context(), t, "doctor", "--json", "--model", "embedded", dir))
	if d := found["evidence"]; d.Status != fine || !strings.HasPrefix(d.Detail, "lexical first: it does better on 400 lines") {
		t.Errorf("doctor says %+v", d)
	}
	page := filepath.Join(t.TempDir(), "page.html")
	if got := run(t, "inspect", "--open=false", "--model", "embedded", "--root", dir, "--out", page, at); got.status != 0 {
		t.Fatal(got.stderr)
	}
	if text, err := os.ReadFile(page); err != nil || !strings.Contains(string(text), "lexical evidence first: it does better on 400 lines") {
		t.Errorf("the page does not say why the order is what it is: %v", err)
	}

	config := filepath.Join(t.TempDir(), "config.toml")
	if err := os.WriteFile(config, []byte("primary = \"structural\"\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	if first, why := order("--config", config); first != "structural" || !strings.Contains(why, "configuration") {
		t.Errorf("the configuration does not override: %s first: %s", first, why)
	}
	if err := os.WriteFile(filepath.Join(dir, ".readahead.toml"), []byte("primary = \"structural\"\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	if first, _ := order(); first != "lexical" {
		t.Error("a repository chose")
	}
	if got := run(t, "tune", "--forget", dir); got.status != 0 || !strings.Contains(got.stdout, "Forgotten is what was tuned") {
		t.Errorf("forget: %+v", got)
	}
	if first, why := order(); first != "structural" || !strings.Contains(why, "the default") {
		t.Errorf("after forgetting: %s first: %s", first, why)
	}
	if got := run(t, "tune", "--forget", dir); got.status != 0 || !strings.Contains(got.stdout, "Nothing was tuned") {
		t.Errorf("forget again: %+v", got)
	}
}

func TestATuningThatDoesNotComeToItsEndChangesNothing(t *testing.T) {
	dir := unpack(t, "shop")
	s, c := tunedLexical(t, dir)
	hung, silent := hangingAt(t, "/api/generate"), hangingAt(t, "/")
	for _, tt := range []struct {
		name   string
		args   []string
		status int
		says   string
	}{
		{"no time at all", []string{"--model", "embedded", "--time", "1ns"}, 1, "before the first answer"},
		{"a model that never answers", []string{"--model", "qwen2.5-coder:1.5b", "--endpoint", hung, "--time", "2s"}, 1, "before the first answer"},
		{"a server that never answers", []string{"--model", "qwen2.5-coder:1.5b", "--endpoint", silent, "--time", "2s"}, 1, "said nothing for 1s"},
		{"a server that never answers, and any model will do", []string{"--endpoint", silent, "--time", "10ms"}, 1, "before the first answer"},
		{"a model that is not there", []string{"--model", "nothere"}, 1, "nothing was changed"},
		{"no lines", []string{"--limit", "0"}, 2, "--limit wants"},
		{"no folder", []string{filepath.Join(dir, "absent")}, 1, "open workspace"},
	} {
		began := time.Now()
		args := append([]string{"tune"}, tt.args...)
		if tt.name != "no folder" {
			args = append(args, dir)
		}
		if got := run(t, args...); got.status != tt.status || !strings.Contains(got.stderr, tt.says) {
			t.Errorf("%s: status %d, %s", tt.name, got.status, got.stderr)
		}
		if took := time.Since(began); took > 15*time.Second {
			t.Errorf("%s: ended after %v", tt.name, took)
		}
		if now, err := s.Load(dir); err != nil || len(now) != 1 || now[0] != c {
			t.Errorf("%s: kept is %+v, %v", tt.name, now, err)
		}
	}
}

func TestTuneReadsNothingThatTheUserExcludes(t *testing.T) {
	dir := unpack(t, "shop")
	config := filepath.Join(t.TempDir(), "config.toml")
	for text, says := range map[string]string{
		"ignore = [\"*.go\"]\n":                            "no file in a language that is indexed",
		"languages = [\"python\"]\n":                       "no line of code in a body",
		"enable = false\n":                                 "switched off",
		"model = \"embedded\"\n":                           "",
		"maxFileSize = 10\n":                               "no file in a language that is indexed",
		"primary = \"structural\"\nmodel = \"embedded\"\n": "",
	} {
		if err := os.WriteFile(config, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
		got := run(t, "tune", "--config", config, "--limit", "2", dir)
		if (says == "") != (got.status == 0) || !strings.Contains(got.stderr, says) {
			t.Errorf("%s: status %d, %s", text, got.status, got.stderr)
		}
		if strings.HasPrefix(text, "primary") && !strings.Contains(got.stdout, "no effect as long as") {
			t.Errorf("%s: %s", text, got.stdout)
		}
	}
}

func TestTheVerdictOfATuningSaysWhetherItIsMoreThanChance(t *testing.T) {
	for _, tt := range []struct {
		name         string
		wins, losses int
		lines, all   int
		primary      index.Family
		clear        bool
		says         string
	}{
		{"lexical is better", 20, 5, 400, 4000, index.Lexical, true, "lexical evidence comes first from now on"},
		{"structural is better", 5, 20, 400, 4000, index.Structural, true, "structural evidence stays first"},
		{"both alike", 12, 10, 400, 4000, index.Structural, false, "within what chance does"},
		{"too few differ", 3, 1, 400, 4000, index.Structural, false, "more lines (--limit, --time) may tell"},
		{"too few differ, and there are no more", 3, 1, 400, 400, index.Structural, false, "no more lines here"},
	} {
		r := tuning{all: tt.all, against: eval.Comparison{Wins: tt.wins, Losses: tt.losses},
			choice: tuned.Choice{Primary: tt.primary, Clear: tt.clear, Lines: tt.lines}}
		if got := r.verdict(); !strings.Contains(got, tt.says) {
			t.Errorf("%s: %s", tt.name, got)
		}
	}
}

func TestADamagedTuningIsMendedAsDoctorSays(t *testing.T) {
	dir, home := unpack(t, "shop"), t.TempDir()
	t.Setenv("READAHEAD_TEST_HOME", home)
	if got := run(t, "tune", "--model", "embedded", "--limit", "2", dir); got.status != 0 {
		t.Fatalf("%+v", got)
	}
	files, err := filepath.Glob(filepath.Join(home, "readahead", "tuned", "*.json"))
	if err != nil || len(files) != 1 {
		t.Fatal(files, err)
	}
	for _, words := range [][]string{{"tune", "--model", "embedded", "--limit", "2", dir}, {"tune", "--forget", dir}} {
		if err := os.WriteFile(files[0], []byte(`{"kind":`), 0o600); err != nil {
			t.Fatal(err)
		}
		got := run(t, "doctor", "--model", "embedded", dir)
		if !strings.Contains(got.stdout, "→ run: readahead tune "+dir+", which puts the file aside; or: readahead tune --forget "+dir+"\n") || !regexp.MustCompile(`(?m)^warning +evidence .*cannot be used`).MatchString(got.stdout) || !regexp.MustCompile(`(?m)^ok +configuration `).MatchString(got.stdout) {
			t.Errorf("doctor: %s", got.stdout)
		}
		if got := run(t, words...); got.status != 0 {
			t.Errorf("%v: %+v", words, got)
		}
		if got := run(t, "doctor", "--model", "embedded", dir); strings.Contains(got.stdout, files[0]) {
			t.Errorf("after %v doctor says %s", words, got.stdout)
		}
	}
}

// A workspace may be deleted, or moved, in the minutes that tune takes.
func TestTuneSaysThatItsWorkspaceIsGone(t *testing.T) {
	endpoint, _ := teamLike(t, "Add(it)")
	server, err := url.Parse(endpoint)
	if err != nil {
		t.Fatal(err)
	}
	for _, asked := range []int32{1, 4, 12} { // requests until it is deleted: the first ones try the server
		dir := unpack(t, "shop")
		home := t.TempDir()
		t.Setenv("READAHEAD_TEST_HOME", home)
		forward := httputil.NewSingleHostReverseProxy(server)
		var seen atomic.Int32
		between := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
			if seen.Add(1) == asked {
				if err := os.RemoveAll(dir); err != nil {
					t.Error(err)
				}
			}
			forward.ServeHTTP(w, r)
		}))
		c := command(t.Context(), t, "tune", "--server", "openai", "--endpoint", between.URL, "--limit", "20", dir)
		c.Env = append(c.Env, apiKeyVariable+"="+teamKey)
		got := finish(t, c)
		between.Close()
		if want := "readahead: tune: " + dir + " went away while the model was asked about its lines"; got.status != 1 || !strings.HasPrefix(got.stderr, want) || strings.Count(got.stderr, "\n") != 1 || got.stdout != "" {
			t.Errorf("after %d of %d requests: %+v", asked, seen.Load(), got)
		}
		if kept, _ := filepath.Glob(filepath.Join(home, "readahead", "tuned", "*")); len(kept) != 0 {
			t.Errorf("kept: %v", kept)
		}
	}
}

func TestWhatWasTunedIsForgottenOfADeletedWorkspace(t *testing.T) {
	parent := t.TempDir()
	dir := filepath.Join(parent, "shop")
	if err := os.Rename(unpack(t, "shop"), dir); err != nil {
		t.Fatal(err)
	}
	s, _ := tunedLexical(t, dir)
	named := dir
	if link := filepath.Join(t.TempDir(), "link"); os.Symlink(parent, link) == nil {
		named = filepath.Join(link, "shop")
	}
	if err := os.RemoveAll(dir); err != nil {
		t.Fatal(err)
	}
	if got := run(t, "tune", "--forget", named); got.status != 0 || !strings.Contains(got.stdout, "Forgotten is what was tuned") {
		t.Errorf("%+v", got)
	}
	if known, err := s.Load(dir); len(known) != 0 || err != nil {
		t.Errorf("kept is %v, %v", known, err)
	}
	if got := run(t, "tune", "--forget", ""); got.status != 2 {
		t.Errorf("no folder: %+v", got)
	}
}
