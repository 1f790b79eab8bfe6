//go:build unix

package main

import (
	"context"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
)

// cramped is readahead where no file may grow beyond so many blocks of 512 bytes
// (1024 in some shells): a write beyond that fails halfway, as on a full disk.
func cramped(ctx context.Context, t *testing.T, blocks int, args ...string) *exec.Cmd {
	t.Helper()
	c := command(ctx, t, args...)
	c.Args = append([]string{"sh", "-c", fmt.Sprintf(`ulimit -f %d && exec "$0" "$@"`, blocks), c.Path}, args...)
	sh, err := exec.LookPath("sh")
	if err != nil {
		t.Fatal(err)
	}
	c.Path = sh
	return c
}

func TestOnAFullDiskNothingOfTheUsersIsLost(t *testing.T) {
	dir := unpack(t, "shop")
	at := filepath.Join(dir, "order", "order.go") + ":17:15"
	out := t.TempDir()
	name := func(n string) string { return filepath.Join(out, n) }
	page := "<!doctype html>\n<title>the one before</title>\n"
	list := "{\"id\":\"the one before\"}\n"
	for n, text := range map[string]string{"page.html": page, "predictions.jsonl": list, "contexts.jsonl": list} {
		if err := os.WriteFile(name(n), []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	for _, tt := range []struct {
		args   []string
		status int
		says   string
		file   string // what must be as it was; "" for none
		was    string
	}{
		{[]string{"inspect", "--open=false", "--model", "embedded", "--root", dir, "--out", name("page.html"), at}, 1, name("page.html") + ": the file would become too large", "page.html", page},
		{[]string{"eval", "--self", dir, "--metrics", "em", "--samples", "3", "--predictions", name("predictions.jsonl")}, 1, "too large", "predictions.jsonl", list},
		{[]string{"eval", "--self", dir, "--contexts", name("contexts.jsonl")}, 1, "too large", "contexts.jsonl", list},
		{[]string{"index", dir}, 0, "make room there", "", ""},
		{[]string{"complete", "--model", "embedded", "--root", dir, at}, 0, "make room there", "", ""},
	} {
		got := finish(t, cramped(t.Context(), t, 1, tt.args...))
		if got.status != tt.status || !strings.Contains(got.stderr, tt.says) {
			t.Errorf("%v: status %d, %s", tt.args, got.status, got.stderr)
		}
		if tt.file == "" {
			continue
		}
		if text, err := os.ReadFile(name(tt.file)); err != nil || string(text) != tt.was {
			t.Errorf("%v: what was there is %q, %v", tt.args, text, err)
		}
	}
	if left, err := os.ReadDir(out); err != nil || len(left) != 3 {
		t.Errorf("left behind: %v, %v", left, err)
	}
}

// A run that ended for lack of room goes on where it was.
func TestPoolsThatRanOutOfRoomGoOn(t *testing.T) {
	dir, pools := unpack(t, "shop"), filepath.Join(t.TempDir(), "pools.jsonl")
	args := []string{"eval", "--self", dir, "--metrics", "em", "--samples", "3", "--no-cache", "--pools", pools}
	got := finish(t, cramped(t.Context(), t, 16, args...))
	if got.status != 1 || !strings.Contains(got.stderr, "write pools") {
		t.Fatalf("status %d, %s", got.status, got.stderr)
	}
	half, err := os.ReadFile(pools)
	if err != nil || len(half) == 0 {
		t.Fatalf("%d bytes, %v", len(half), err)
	}
	kept := string(half[:strings.LastIndexByte(string(half), '\n')+1])
	if got := run(t, args...); got.status != 0 {
		t.Fatalf("status %d, %s", got.status, got.stderr)
	}
	whole, err := os.ReadFile(pools)
	if err != nil || !strings.HasPrefix(string(whole), kept) || len(whole) <= len(half) || strings.Count(kept, "\n") < 2 {
		t.Errorf("of %d bytes that were kept (%d lines), %d are there: %v", len(kept), strings.Count(kept, "\n"), len(whole), err)
	}
}

// The log has no room: the editor is served all the same.
func TestAServerWhoseLogIsFullGoesOn(t *testing.T) {
	dir := unpack(t, "shop")
	log := filepath.Join(t.TempDir(), "log")
	if err := os.WriteFile(log, []byte(strings.Repeat("x", 64<<10)), 0o600); err != nil {
		t.Fatal(err)
	}
	s := started(t, cramped(t.Context(), t, 1, "serve", "--log", log))
	uri, at := s.open(dir, filepath.Join(dir, "order", "order.go"), "go")
	if got := s.inline(uri, at); len(got.Items) == 0 {
		t.Error("no item")
	}
	if status := s.leave(); status != 0 {
		t.Errorf("status %d", status)
	}
}

func TestOnlyTheUserCanReadTheLogAndTheCache(t *testing.T) {
	dir, home := unpack(t, "shop"), t.TempDir()
	t.Setenv("READAHEAD_TEST_HOME", home)
	log := filepath.Join(home, "log")
	s := started(t, command(t.Context(), t, "serve", "--log", log))
	uri, at := s.open(dir, filepath.Join(dir, "order", "order.go"), "go")
	s.inline(uri, at)
	s.leave()
	caches, err := filepath.Glob(filepath.Join(home, "readahead", "*.index"))
	if err != nil || len(caches) == 0 {
		t.Fatalf("no cache: %v, %v", caches, err)
	}
	for _, path := range append(caches, log) {
		if info, err := os.Stat(path); err != nil || info.Mode().Perm() != 0o600 {
			t.Errorf("%s: %v, %v", path, info, err)
		}
	}
	if info, err := os.Stat(filepath.Join(home, "readahead")); err != nil || info.Mode().Perm() != 0o700 {
		t.Errorf("the cache folder: %v, %v", info, err)
	}
}
