package main

import (
	"fmt"
	"runtime"
	"runtime/debug"
	"strings"

	"github.com/spf13/cobra"
)

// version is stamped by release builds: -ldflags "-X main.version=v1.2.3".
var version = ""

// versionString is the stamp, else what the Go tool knows about this build.
func versionString() string {
	if version != "" {
		return version
	}
	info, ok := debug.ReadBuildInfo()
	if !ok {
		return "unknown"
	}
	return describe(info)
}

// describe is the version of the module where the build has one, else the state
// of the checkout that it was built from: devel-0123456789ab, the time of that
// commit, and whether there were changes on top of it.
//
// The Go tool notes the checkout only for a build of the package, not for
// `go run` of a file, and only with git at hand.
func describe(info *debug.BuildInfo) string {
	if v := info.Main.Version; v != "" && v != "(devel)" {
		return v
	}
	vcs := map[string]string{}
	for _, s := range info.Settings {
		vcs[s.Key] = s.Value
	}
	v := "devel"
	if r := vcs["vcs.revision"]; r != "" {
		v += "-" + r[:min(12, len(r))]
	}
	var more []string
	if t := vcs["vcs.time"]; t != "" {
		more = append(more, t)
	}
	if vcs["vcs.modified"] == "true" {
		more = append(more, "modified")
	}
	if len(more) > 0 {
		v += " (" + strings.Join(more, ", ") + ")"
	}
	return v
}

func versionSentence() string {
	return fmt.Sprintf("readahead %s %s %s/%s\n", versionString(), runtime.Version(), runtime.GOOS, runtime.GOARCH)
}

func versionCommand() *cobra.Command {
	return &cobra.Command{
		Use:   "version",
		Short: "Print the version",
		Args:  noArguments,
		RunE: func(c *cobra.Command, _ []string) error {
			newScreen(c.OutOrStdout()).printf("%s", marked(versionSentence()))
			return nil
		},
	}
}
