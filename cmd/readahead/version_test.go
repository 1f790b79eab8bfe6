package main

import (
	"runtime/debug"
	"strings"
	"testing"
)

func TestVersionNamesTheCheckout(t *testing.T) {
	setting := func(pairs ...string) (s []debug.BuildSetting) {
		for i := 0; i < len(pairs); i += 2 {
			s = append(s, debug.BuildSetting{Key: pairs[i], Value: pairs[i+1]})
		}
		return s
	}
	const revision = "0123456789abcdef0123456789abcdef01234567"
	for _, tt := range []struct {
		name string
		info debug.BuildInfo
		want string
	}{
		{"a release is called by its version", debug.BuildInfo{Main: debug.Module{Version: "v1.2.3"}, Settings: setting("vcs.revision", revision)}, "v1.2.3"},
		{"a clean checkout by its commit", debug.BuildInfo{Main: debug.Module{Version: "(devel)"}, Settings: setting("vcs.revision", revision, "vcs.time", "2026-11-30T01:02:03Z", "vcs.modified", "false")},
			"devel-0123456789ab (2026-11-30T01:02:03Z)"},
		{"a changed one says so", debug.BuildInfo{Settings: setting("vcs.revision", revision, "vcs.modified", "true")}, "devel-0123456789ab (modified)"},
		{"no checkout is just devel", debug.BuildInfo{}, "devel"},
	} {
		if got := describe(&tt.info); got != tt.want {
			t.Errorf("%s: got %q, want %q", tt.name, got, tt.want)
		}
	}
}

func TestTheVersionIsPrintedHoweverOneAsks(t *testing.T) {
	want := run(t, "version")
	if want.status != 0 || want.stdout != versionSentence() {
		t.Fatalf("%+v", want)
	}
	for _, flag := range []string{"--version", "-v"} {
		if got := run(t, flag); got != want {
			t.Errorf("%s: %+v, want %+v", flag, got, want)
		}
	}
}

func TestEveryCommandHelps(t *testing.T) {
	for _, c := range append(rootCommand().Commands(), rootCommand()) {
		if c.Name() == "help" {
			continue // it is the help
		}
		for _, flag := range []string{"-h", "--help"} {
			args := []string{c.Name(), flag}
			if c.Parent() == nil {
				args = args[1:]
			}
			if got := run(t, args...); got.status != 0 || got.stderr != "" || !strings.Contains(got.stdout, "Usage:") || !strings.Contains(got.stdout, c.Short) && c.Long == "" {
				t.Errorf("%v: %+v", args, got)
			}
		}
	}
}
