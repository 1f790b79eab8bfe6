package main

import (
	"slices"
	"strings"
	"testing"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"
)

// every is a command and all below it.
func every(c *cobra.Command) []*cobra.Command {
	all := []*cobra.Command{c}
	for _, below := range c.Commands() {
		all = append(all, every(below)...)
	}
	return all
}

func TestEveryNumericFlagRefusesWhatMakesNoSense(t *testing.T) {
	seen := 0
	for _, c := range every(rootCommand()) {
		c.Flags().VisitAll(func(f *pflag.Flag) {
			if slices.Contains([]string{"string", "bool", "stringSlice"}, f.Value.Type()) {
				return
			}
			seen++
			for _, wrong := range []string{"-1", "-1s", "x", "", "NaN", "+Inf", "1e99", "99999999999999999999", "1;2", "9e18h"} {
				before := f.Value.String()
				err := c.ParseFlags([]string{"--" + f.Name + "=" + wrong})
				if err == nil {
					t.Errorf("%s --%s=%s is taken", c.CommandPath(), f.Name, wrong)
					continue
				}
				said := c.FlagErrorFunc()(c, err).Error()
				if !strings.Contains(said, "--"+f.Name) || !strings.Contains(said, " wants a ") || !strings.Contains(said, `not "`+wrong+`"`) || strings.Contains(said, "strconv") || strings.Contains(said, "time:") {
					t.Errorf("%s --%s=%s: %s", c.CommandPath(), f.Name, wrong, said)
				}
				if f.Value.String() != before {
					t.Errorf("%s --%s=%s changes it to %s", c.CommandPath(), f.Name, wrong, f.Value)
				}
			}
		})
	}
	if seen < 15 {
		t.Errorf("%d numeric flags were found", seen)
	}
}

func TestAFlagOfSeveralNumbersTakesThemInPartsToo(t *testing.T) {
	for _, tt := range []struct {
		name string
		args []string
		want string
	}{
		{"the usual ones", nil, "[10]"},
		{"one", []string{"--samples", "3"}, "[3]"},
		{"several with commas", []string{"--samples", "3,5"}, "[3,5]"},
		{"several times", []string{"--samples", "3", "--samples", "5,7"}, "[3,5,7]"},
	} {
		c := evalCommand()
		if err := c.ParseFlags(tt.args); err != nil {
			t.Fatal(err)
		}
		if got := c.Flags().Lookup("samples").Value.String(); got != tt.want {
			t.Errorf("%s: %s, want %s", tt.name, got, tt.want)
		}
	}
}
