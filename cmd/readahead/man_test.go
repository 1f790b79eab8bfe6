package main

import (
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
)

func TestEveryCommandHasAManPage(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "man1")
	t.Setenv("SOURCE_DATE_EPOCH", "1700000000")
	write := func() map[string]string {
		if got := run(t, "man", dir); got.status != 0 || !strings.Contains(got.stdout, "man pages in") {
			t.Fatalf("%+v", got)
		}
		return tree(t, dir)
	}
	first := write()
	for _, c := range rootCommand().Commands() {
		if c.Hidden || c.Name() == "help" {
			continue
		}
		path := filepath.Join(dir, "readahead-"+c.Name()+".1")
		page := strings.ReplaceAll(first[path], `\-`, "-")
		if !strings.Contains(page, ".TH \"READAHEAD") || !strings.Contains(page, c.Short) {
			t.Errorf("%s: %.80q", path, page)
		}
		if info, err := os.Stat(path); err != nil || info.Mode().Perm() != 0o644 {
			t.Errorf("%s: %v, %v", path, info, err)
		}
		for line := range strings.Lines(c.Flags().FlagUsages()) {
			if flag, _, _ := strings.Cut(strings.TrimSpace(line[max(0, strings.Index(line, "--")):]), " "); !strings.Contains(page, flag) {
				t.Errorf("%s does not have %s", path, flag)
			}
		}
	}
	again := write() // over the pages that are there
	for path, page := range first {
		if again[path] != page {
			t.Errorf("%s is another one the second time", path)
		}
	}
	mine := filepath.Join(dir, "readahead.1")
	writeFile(t, mine, "my notes\n")
	if got := run(t, "man", dir); got.status != 1 || !strings.Contains(got.stderr, "not a man page of readahead") {
		t.Errorf("over something else: %+v", got)
	}
	if got := run(t, "man"); got.status != 2 {
		t.Errorf("without a folder: %+v", got)
	}
}

func TestShellsCompleteCommandsFlagsAndWords(t *testing.T) {
	for _, shell := range []string{"bash", "zsh", "fish", "powershell"} {
		got := run(t, "completion", shell)
		if got.status != 0 || !strings.Contains(got.stdout, "__complete") {
			t.Errorf("%s: status %d, %.80q", shell, got.status, got.stdout)
		}
		if path, err := exec.LookPath(shell); err == nil && shell != "powershell" {
			c := exec.CommandContext(t.Context(), path, "-n")
			c.Stdin = strings.NewReader(got.stdout)
			if out, err := c.CombinedOutput(); err != nil {
				t.Errorf("%s does not read its script: %v, %s", shell, err, out)
			}
		}
	}
	for _, tt := range []struct {
		words []string
		want  string
	}{
		{[]string{""}, "tune\t"},
		{[]string{"doc"}, "doctor\t"},
		{[]string{"tune", ""}, "ShellCompDirectiveFilterDirs"},
		{[]string{"tune", "--lim"}, "--limit\t"},
		{[]string{"complete", ""}, "ShellCompDirectiveNoSpace"},
		{[]string{"eval", "--select", ""}, "blend\n"},
		{[]string{"eval", "--policy", "vi"}, "vital+\n"},
		{[]string{"help", "in"}, "inspect\t"},
	} {
		got := run(t, append([]string{"__complete"}, tt.words...)...)
		if !strings.Contains(got.stdout+got.stderr, tt.want) {
			t.Errorf("%q: %s%s", tt.words, got.stdout, got.stderr)
		}
	}
}
