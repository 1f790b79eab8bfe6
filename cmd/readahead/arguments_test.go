package main

import (
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
)

// leaves are the commands that do something, each by its words.
func leaves() [][]string {
	var all [][]string
	for _, c := range every(rootCommand()) {
		if !c.Hidden && c.HasParent() {
			all = append(all, strings.Fields(c.CommandPath())[1:])
		}
	}
	return all
}

func TestEveryCommandRefusesWhatItDoesNotTake(t *testing.T) {
	for _, words := range leaves() {
		for name, args := range map[string][]string{
			"too many arguments": {"nope", "nope", "nope", "nope"},
			"an unknown flag":    {"--nope"},
		} {
			got := run(t, slices.Concat(words, args)...)
			if got.status != 2 || !strings.Contains(got.stderr, "nope") && !strings.Contains(got.stderr, "got 4 arguments") || got.stdout != "" {
				t.Errorf("%v with %s: %+v", words, name, got)
			}
		}
	}
}

// What every command that takes a configuration file makes of one that cannot be
// read: nothing is done.
func TestAConfigurationThatIsAskedForMustBeThere(t *testing.T) {
	shop := unpack(t, "shop")
	at := cursor(t, filepath.Join(shop, "order", "order.go"))
	arguments := map[string][]string{"complete": {at}, "inspect": {"--open=false", at}, "index": {shop}, "doctor": {shop}, "tune": {shop}, "demo": {shop}}
	for _, c := range every(rootCommand()) {
		if c.Flags().Lookup("config") == nil {
			continue
		}
		for path, says := range map[string]string{
			filepath.Join(shop, "absent.toml"): "there is no such file or folder",
			shop:                               "not a regular file but a folder",
		} {
			words := strings.Fields(c.CommandPath())[1:]
			got := run(t, slices.Concat(words, []string{"--config", path}, arguments[c.Name()])...)
			if want := "readahead: configuration: read " + path + ": " + says; got.status != 1 || !strings.HasPrefix(got.stderr, want) || strings.Count(got.stderr, "\n") != 1 || got.stdout != "" {
				t.Errorf("%s: %+v", c.CommandPath(), got)
			}
		}
	}
}

// Which model is asked is said in the same way everywhere.
func TestCommandsThatAskAModelTakeTheSameFlags(t *testing.T) {
	for _, c := range every(rootCommand()) {
		if c.Flags().Lookup("model") == nil {
			continue
		}
		want := []string{"server", "model", "endpoint", "no-cache"}
		if c.Name() != "eval" { // it goes by flags alone, so that a run can be repeated
			want = append(want, "config")
		}
		for _, name := range want {
			if f := c.Flags().Lookup(name); f == nil || f.Usage == "" {
				t.Errorf("%s has no --%s", c.CommandPath(), name)
			}
		}
		if about := strings.Contains(c.Use, "FILE:LINE:COL"); about != (c.Flags().Lookup("root") != nil) {
			t.Errorf("%s: --root is for commands about a file", c.CommandPath())
		}
	}
}

// A slip in an address is told where it was made, before a server is asked.
func TestWhatIsNoAddressIsRefusedHoweverItIsSet(t *testing.T) {
	dir := unpack(t, "shop")
	at := filepath.Join(dir, "cart", "cart.go") + ":1:1"
	for _, bad := range []string{"http://[::1", "http://", "ftp://x", "http://x?key=hunter2", "http://x#hunter2", "http://me:hunter2@x"} {
		for _, args := range [][]string{{"serve"}, {"complete", at}, {"doctor", dir}, {"tune", dir}, {"eval", "--self", dir, "--metrics", "em"}} {
			got := run(t, append(args, "--endpoint", bad)...)
			if got.status != 2 || !strings.Contains(got.stderr, "--endpoint: endpoint ") || !strings.Contains(got.stderr, "write it like") || strings.Contains(got.stderr, "hunter2") {
				t.Errorf("%v --endpoint %s: %+v", args, bad, got)
			}
		}
		file := filepath.Join(t.TempDir(), "config.toml")
		if err := os.WriteFile(file, []byte("samples = 9\nendpoint = \""+bad+"\"\n"), 0o600); err != nil {
			t.Fatal(err)
		}
		if got := run(t, "complete", "--config", file, at); !strings.Contains(got.stderr, file+":2: endpoint: ") || strings.Contains(got.stderr, "hunter2") {
			t.Errorf("a file with %s: %+v", bad, got)
		}
		c := command(t.Context(), t, "complete", at)
		c.Env = append(c.Env, "OLLAMA_HOST="+bad)
		if got := finish(t, c); !strings.Contains(got.stderr, "OLLAMA_HOST: endpoint ") || strings.Contains(got.stderr, "hunter2") {
			t.Errorf("OLLAMA_HOST=%s: %+v", bad, got)
		}
	}
}
