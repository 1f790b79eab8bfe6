package main

import (
	"runtime/debug"
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
