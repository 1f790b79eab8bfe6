package main

import (
	"bytes"
	"context"
	"encoding/json"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"golang.org/x/tools/txtar"
)

// The test binary is the command itself when this is set, so that the tests run
// the real thing, exit status and all, without a second build.
const actAsReadahead = "READAHEAD_TEST_MAIN"

func TestMain(m *testing.M) {
	if os.Getenv(actAsReadahead) != "" {
		main()
	}
	if words := os.Getenv(actAsOther); words != "" {
		offerWords(strings.Fields(words))
		return
	}
	os.Exit(m.Run())
}

// nobody is an address where no model server answers.
const nobody = "127.0.0.1:1"

// command is readahead with a home of its own and no model server.
func command(ctx context.Context, t *testing.T, args ...string) *exec.Cmd {
	t.Helper()
	self, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	c := exec.CommandContext(ctx, self, args...)
	home := os.Getenv("READAHEAD_TEST_HOME")
	if home == "" {
		home = t.TempDir()
	}
	c.Env = append(os.Environ(), actAsReadahead+"=1", "HOME="+home, "XDG_CACHE_HOME="+home, "XDG_CONFIG_HOME="+home, "XDG_STATE_HOME="+home, "OLLAMA_HOST="+nobody)
	return c
}

type result struct {
	stdout, stderr string
	status         int
}

func run(t *testing.T, args ...string) result {
	t.Helper()
	ctx, cancel := context.WithTimeout(t.Context(), 2*time.Minute)
	defer cancel()
	return finish(t, command(ctx, t, args...))
}

func finish(t *testing.T, c *exec.Cmd) result {
	t.Helper()
	var stdout, stderr bytes.Buffer
	c.Stdout, c.Stderr = &stdout, &stderr
	err := c.Run()
	if exit := (&exec.ExitError{}); err != nil && !asExit(err, &exit) {
		t.Fatalf("%v: %v", c.Args[1:], err)
	}
	return result{stdout.String(), stderr.String(), c.ProcessState.ExitCode()}
}

func asExit(err error, to **exec.ExitError) bool {
	e, ok := err.(*exec.ExitError)
	if ok {
		*to = e
	}
	return ok
}

// unpack writes the files of testdata/name.txtar to a folder of its own.
func unpack(t *testing.T, name string) string {
	t.Helper()
	a, err := txtar.ParseFile(filepath.Join("testdata", name+".txtar"))
	if err != nil {
		t.Fatal(err)
	}
	dir := t.TempDir()
	for _, f := range a.Files {
		path := filepath.Join(dir, filepath.FromSlash(f.Name))
		if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(path, f.Data, 0o644); err != nil {
			t.Fatal(err)
		}
	}
	return dir
}

func TestExitStatusAndMessages(t *testing.T) {
	shop := unpack(t, "shop")
	file := filepath.Join(shop, "cart", "cart.go")
	for _, tt := range []struct {
		name   string
		args   []string
		status int
		says   string // on standard error, or on standard output if status is 0
	}{
		{"help", []string{"help"}, 0, "complete"},
		{"help on a command", []string{"help", "complete"}, 0, "FILE:LINE:COL"},
		{"help on what is none", []string{"help", "idnex"}, 2, `unknown command or argument "idnex" (did you mean "index"?)`},
		{"help on more than a command", []string{"help", "index", "nope"}, 2, `unknown command or argument "nope"`},
		{"version", []string{"version"}, 0, "readahead "},
		{"an unknown command", []string{"compleet"}, 2, `unknown command or argument "compleet" (did you mean "complete"?)`},
		{"an unknown flag", []string{"complete", "--jsno", "x:1:1"}, 2, "unknown flag: --jsno"},
		{"no place", []string{"complete"}, 2, "want one FILE:LINE:COL, got 0 arguments"},
		{"help on inspect", []string{"help", "inspect"}, 0, "--out"},
		{"no place to inspect", []string{"inspect"}, 2, "want one FILE:LINE:COL, got 0 arguments"},
		{"a page of no name", []string{"inspect", "--out", "", file + ":1:1"}, 2, "--out wants the name of a file"},
		{"a page where a folder is", []string{"inspect", "--out", shop, file + ":1:1"}, 1, "no regular file"},
		{"no column", []string{"complete", file}, 2, "is not FILE:LINE:COL"},
		{"no such file", []string{"complete", filepath.Join(shop, "absent.go") + ":1:1"}, 1, "no such file"},
		{"a line that is not there", []string{"complete", file + ":999:1"}, 1, "there is no line 999"},
		{"a column that is not there", []string{"complete", file + ":1:99"}, 1, "there is no column 99"},
		{"a folder instead of a file", []string{"complete", shop + ":1:1"}, 1, "not a regular file but a folder"},
		{"no candidates wanted", []string{"complete", "--n", "0", file + ":1:1"}, 2, `--n wants a whole number from 1 to 1000, not "0"`},
		{"no such folder", []string{"index", filepath.Join(shop, "absent")}, 1, "open workspace"},
		{"a file instead of a folder", []string{"index", file}, 2, "is not a folder"},
		{"an empty folder", []string{"index", ""}, 2, "want a folder, got an empty word"},
		{"an empty folder for pages", []string{"man", ""}, 2, "want a folder, got an empty word"},
		{"two folders", []string{"index", shop, shop}, 2, "want at most one folder"},
		{"a folder without code", []string{"demo", t.TempDir()}, 1, "no code in"},
		{"no time to wait", []string{"complete", "--wait", "0", file + ":1:1"}, 2, `--wait wants a time above 0 with its unit, such as 90s or 5m, not "0"`},
		{"a switch that is neither on nor off", []string{"complete", "--json=maybe", file + ":1:1"}, 2, `--json wants true or false, not "maybe"`},
		{"no shell", []string{"completion"}, 2, "want one shell of bash, fish, powershell, zsh, got 0 arguments"},
		{"an unknown shell", []string{"completion", "tcsh"}, 2, `shell "tcsh" is none of bash, fish, powershell, zsh`},
		{"two shells", []string{"completion", "bash", "zsh"}, 2, "got 2 arguments"},
		{"help on more than a shell", []string{"help", "completion", "bash"}, 2, `unknown command or argument "bash"`},
		{"tasks that are not there", []string{"eval", "--tasks", filepath.Join(shop, "absent"), "--src", shop}, 1, "there is no such file or folder (check the path)"},
		{"tasks that are code", []string{"eval", "--tasks", file, "--src", shop}, 1, "cart.go: line 1: it is no JSON (byte 1: "},
		{"pages into a file", []string{"man", file}, 1, "a part of the path is no folder"},
		{"a log into no folder", []string{"serve", "--log", filepath.Join(shop, "absent", "log")}, 1, "append to " + filepath.Join(shop, "absent", "log") + ": there is no such"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			got := run(t, tt.args...)
			where := got.stderr
			if tt.status == 0 {
				where = got.stdout
			}
			if got.status != tt.status || !strings.Contains(where, tt.says) {
				t.Errorf("status %d, want %d; want it to say %q\nstdout: %s\nstderr: %s", got.status, tt.status, tt.says, got.stdout, got.stderr)
			}
		})
	}
}

// A printed is what `complete --json` promises.
type printed struct {
	File   string
	Line   int
	Column int
	Items  []struct {
		Text    string
		Replace int
	}
	Trace struct {
		Notice string
		Model  struct {
			Name, Provider, Scoring string
			FIM                     bool
		}
		Contexts []struct {
			Family  string
			Tokens  int
			Objects []struct{ ID, Path, Role string }
		}
		Decision struct {
			Route string
			Rule  string
			Pools []printedPool
		}
	}
}

type printedPool struct {
	Family     string
	Explored   bool
	Unknown    float64
	Agreement  float64
	Samples    []struct{ Text string }
	Candidates []struct {
		Text    string
		Votes   int
		Share   float64
		Reverse *struct {
			LogProb float64 `json:"logprob"`
		}
	}
}

func complete(t *testing.T, c *exec.Cmd) (printed, result) {
	t.Helper()
	got := finish(t, c)
	var r printed
	if got.status != 0 {
		t.Fatalf("status %d: %s", got.status, got.stderr)
	}
	if err := json.Unmarshal([]byte(got.stdout), &r); err != nil {
		t.Fatalf("not JSON: %v\n%s", err, got.stdout)
	}
	return r, got
}

// cursor is the place of the marker $0 in a file, which is taken out.
func cursor(t *testing.T, file string) string {
	t.Helper()
	data, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	before, after, ok := strings.Cut(string(data), "$0")
	if !ok {
		t.Fatalf("%s has no cursor", file)
	}
	if err := os.WriteFile(file, []byte(before+after), 0o644); err != nil {
		t.Fatal(err)
	}
	line := strings.Count(before, "\n") + 1
	column := len([]rune(before[strings.LastIndexByte(before, '\n')+1:])) + 1
	return file + ":" + itoa(line) + ":" + itoa(column)
}

func itoa(n int) string {
	b, _ := json.Marshal(n)
	return string(b)
}

func TestEmbeddedModelCompletesFromTheRepository(t *testing.T) {
	for _, tt := range []struct {
		name, archive, file string
		offers              string // one of the first three items contains it
		reads               string // evidence of the context that was read
	}{
		{"a method of a type in another package", "shop", "order/order.go", "Add(", "Cart#Add()."},
		{"a method of a class in another module", "pyshop", "shop/order.py", "add(", "Cart#"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			dir := unpack(t, tt.archive)
			at := cursor(t, filepath.Join(dir, filepath.FromSlash(tt.file)))
			r, got := complete(t, command(t.Context(), t, "complete", "--json", "--n", "3", "--root", dir, at))
			if r.Trace.Model.Provider != "embedded" || r.Trace.Model.Scoring != "exact" {
				t.Errorf("model %+v", r.Trace.Model)
			}
			if !strings.Contains(r.Trace.Notice, "ollama serve") {
				t.Errorf("notice %q does not say how to start a server", r.Trace.Notice)
			}
			found := false
			for _, i := range r.Items {
				found = found || strings.Contains(i.Text, tt.offers)
			}
			if !found {
				t.Errorf("no item has %q:\n%s", tt.offers, got.stdout)
			}
			found = false
			for _, c := range r.Trace.Contexts {
				for _, o := range c.Objects {
					found = found || strings.HasSuffix(o.ID, tt.reads)
				}
			}
			if !found {
				t.Errorf("no evidence %q:\n%s", tt.reads, got.stdout)
			}
		})
	}
}

func TestWarmIndexReadsNothingAgain(t *testing.T) {
	home := t.TempDir()
	t.Setenv("READAHEAD_TEST_HOME", home)
	dir := unpack(t, "shop")
	cursor(t, filepath.Join(dir, "order", "order.go"))
	first := run(t, "index", dir)
	second := run(t, "index", dir)
	if first.status != 0 || second.status != 0 {
		t.Fatalf("%+v %+v", first, second)
	}
	cached, err := filepath.Glob(filepath.Join(home, "readahead", "*"))
	if err != nil || len(cached) == 0 {
		t.Errorf("no cache under %s", home)
	}
	counts := func(r result) string { return strings.SplitN(r.stdout, "\n", 2)[0] }
	if counts(first) != counts(second) {
		t.Errorf("cold %s, warm %s", counts(first), counts(second))
	}
}

func TestACacheThatCannotBeWrittenIsSaidOnce(t *testing.T) {
	dir := unpack(t, "shop")
	cursor(t, filepath.Join(dir, "order", "order.go"))
	taken := filepath.Join(t.TempDir(), "file")
	if err := os.WriteFile(taken, nil, 0o600); err != nil {
		t.Fatal(err)
	}
	c := command(t.Context(), t, "index", dir)
	c.Env = append(c.Env, "XDG_CACHE_HOME="+taken, "HOME="+taken)
	got := finish(t, c)
	if n := strings.Count(got.stderr, "save cache"); got.status != 0 || n != 1 || !strings.Contains(got.stdout, "objects") {
		t.Errorf("status %d, said %d times:\n%s%s", got.status, n, got.stdout, got.stderr)
	}
}
