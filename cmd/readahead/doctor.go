package main

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"runtime"
	"time"

	"github.com/spf13/cobra"

	"readahead/lsp"
)

// A diagnosis is the verdict on one thing that a completion depends on. Its JSON
// is the documented, stable form of `readahead doctor --json`.
type diagnosis struct {
	Name   string  `json:"name"`
	Status status  `json:"status"`
	Detail string  `json:"detail"`
	Fix    string  `json:"fix,omitempty"` // a command or a step; "" where nothing is wrong
	Ms     float64 `json:"ms"`            // what finding out took
}

type status string

const (
	fine    status = "ok"
	warning status = "warning" // it works, less well than it could
	problem status = "problem" // it does not work
)

// errUnwell is the exit status for a checkup that has said what is wrong.
var errUnwell = errors.New("readahead does not work as it is set up: see the problems above")

type doctorFlags struct {
	engine engineFlags
	json   bool
}

func doctorCommand() *cobra.Command {
	var f doctorFlags
	c := &cobra.Command{
		Use:   "doctor [DIR]",
		Short: "Check everything that a completion depends on",
		Long: `Check and time everything that a completion in a workspace (the current folder
without DIR) depends on: the program, the configuration, the model server and
what its model can do and how fast, the index, the watching of files. Each line
is ok, a warning (it works, but could work better) or a problem, with what to
do. The exit status is 1 if there is a problem.

A model that is not in memory is loaded for the measurement.`,
		Args: atMostOne,
		RunE: func(c *cobra.Command, args []string) error {
			dir := "."
			if len(args) == 1 {
				dir = args[0]
			}
			return f.run(c, dir)
		},
	}
	f.engine.register(c)
	c.Flags().BoolVar(&f.json, "json", false, "print the findings as JSON")
	return c
}

func (f doctorFlags) run(c *cobra.Command, dir string) error {
	p := &checkup{ctx: c.Context(), out: newScreen(c.OutOrStdout()), quiet: f.json, flags: f.engine}
	if err := p.settings(dir); err != nil {
		return err
	}
	p.check("program", p.program)
	p.check("configuration", p.configuration)
	p.check("model server", p.server)
	p.check("model", p.model)
	p.check("evidence", p.evidence)
	p.check("index", p.index)
	p.check("watching", p.watching)
	p.check("speed", p.speed)
	p.check("completion", p.completion)
	p.close()
	if err := p.ctx.Err(); err != nil {
		return err
	}
	if f.json {
		if err := p.printJSON(c); err != nil {
			return err
		}
	}
	for _, d := range p.found {
		if d.Status == problem {
			return errUnwell
		}
	}
	return nil
}

// A checkup runs the checks in order; each may rest on what those before it
// found.
type checkup struct {
	ctx   context.Context
	out   screen
	quiet bool // nothing is printed on the way
	flags engineFlags
	found []diagnosis

	warnings []error // of reading the configuration
	options  lsp.EngineOptions
	connected
	workspace
}

// check runs one check, if there is anything to check, and shows its verdict.
func (p *checkup) check(name string, f func() (diagnosis, bool)) {
	if p.ctx.Err() != nil {
		return
	}
	began := time.Now()
	d, any := f()
	if !any || p.ctx.Err() != nil { // what was interrupted says nothing of the machine
		return
	}
	d.Name, d.Ms = name, float64(time.Since(began).Microseconds())/1000
	p.found = append(p.found, d)
	if p.quiet {
		return
	}
	mark := map[status]string{fine: "32", warning: "33", problem: "31"}[d.Status]
	p.out.printf("%s %s %s\n", p.out.styled(mark, fmt.Sprintf("%-8s", d.Status)), p.out.bold(fmt.Sprintf("%-14s", name)), visible(d.Detail))
	if d.Fix != "" {
		p.out.printf("%23s → %s\n", "", visible(d.Fix))
	}
}

func (p *checkup) printJSON(c *cobra.Command) error {
	w := json.NewEncoder(c.OutOrStdout())
	w.SetIndent("", "  ")
	w.SetEscapeHTML(false)
	return w.Encode(struct {
		Checks []diagnosis `json:"checks"`
	}{p.found})
}

func (p *checkup) settings(dir string) error {
	said := &collected{}
	o, err := p.flags.options(said, dir)
	p.options, p.warnings = o, said.errs
	return err
}

// collected keeps what is written to it, a line an error.
type collected struct{ errs []error }

func (c *collected) Write(b []byte) (int, error) {
	c.errs = append(c.errs, errors.New(string(b)))
	return len(b), nil
}

// program is found by editors by its name.
func (p *checkup) program() (diagnosis, bool) {
	d := diagnosis{Status: fine, Detail: fmt.Sprintf("readahead %s, %s/%s", versionString(), runtime.GOOS, runtime.GOARCH)}
	self, err := os.Executable()
	if err != nil {
		self = os.Args[0]
	}
	found, err := exec.LookPath("readahead")
	if err != nil {
		d.Status = warning
		d.Detail += "; editors do not find it: it is not in a folder of PATH"
		d.Fix = "go install ./cmd/readahead, with the folder that `go env GOPATH` names, and bin behind it, in PATH; or give your editor's plugin the path " + self
		return d, true
	}
	if !sameFile(found, self) {
		d.Status = warning
		d.Detail += "; editors start another one: " + found
		d.Fix = "put this one in its place: cp " + self + " " + found
	}
	return d, true
}

func sameFile(a, b string) bool {
	x, err := os.Stat(a)
	if err != nil {
		return false
	}
	y, err := os.Stat(b)
	return err == nil && os.SameFile(x, y)
}

func (p *checkup) configuration() (diagnosis, bool) {
	c := p.options.Config
	switch {
	case len(p.warnings) > 0:
		d := diagnosis{Status: warning, Detail: unprefixed(p.warnings[0])}
		if n := len(p.warnings) - 1; n > 0 {
			d.Detail += fmt.Sprintf(" (and %d more; each is said when readahead starts)", n)
		}
		d.Fix = "correct the file; what is wrong in it is left out, the rest is in use"
		return d, true
	case !c.Enable:
		return diagnosis{Status: problem, Detail: "readahead is switched off (enable = false)", Fix: "set enable = true"}, true
	}
	return diagnosis{Status: fine, Detail: fmt.Sprintf("%d samples, %d tokens of evidence at most, an answer within %d ms", c.Samples, c.EvidenceTokens, c.DeadlineMs)}, true
}
