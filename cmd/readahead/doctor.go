package main

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"runtime"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"readahead/cmd/readahead/internal/tuned"
	"readahead/lsp"
)

// A diagnosis is the verdict on one thing that a completion depends on. Its JSON
// is the documented, stable form of `readahead doctor --json`.
type diagnosis struct {
	Name   string   `json:"name"`
	Status status   `json:"status"`
	Detail string   `json:"detail"`
	More   []string `json:"more,omitempty"` // further things of the kind
	Fix    string   `json:"fix,omitempty"`  // a command or a step; "" where nothing is wrong
	Ms     float64  `json:"ms"`             // what finding out took
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
	time   time.Duration
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

A model that is not in memory is loaded for the measurement. All of it takes a
minute at most (--time); what could not be found out by then is said.`,
		Args:              atMostOne,
		ValidArgsFunction: folders,
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
	span().flag(c.Flags(), &f.time, "time", "", time.Minute, "how long all checks together may take")
	return c
}

func (f doctorFlags) run(c *cobra.Command, dir string) error {
	p := &checkup{whole: c.Context(), time: f.time, over: time.Now().Add(f.time), out: newScreen(c.OutOrStdout()), quiet: f.json, flags: f.engine}
	if err := p.settings(dir); err != nil {
		return err
	}
	defer p.close()
	p.check("program", 0.1, p.program)
	p.check("configuration", 0.1, p.configuration)
	p.check("model server", 0.35, p.server) // a completions server is tried there, a question after the other
	p.check("model", 0.2, p.model)
	p.check("evidence", 0.1, p.evidence)
	p.check("index", 0.5, p.index)
	p.check("cache", 0.1, p.cache)
	p.check("ignored", 0.1, p.ignored)
	p.check("watching", 0.1, p.watching)
	p.check("speed", 0.4, p.speed)
	p.check("grading", 0.1, p.grading)
	p.check("completion", 0.2, p.completion)
	if err := p.whole.Err(); err != nil {
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
	whole context.Context // ended by the user
	time  time.Duration   // that all checks may take
	over  time.Time       // when the last check must have ended
	ctx   context.Context // of the check under way
	out   screen
	quiet bool // nothing is printed on the way
	flags engineFlags
	found []diagnosis

	warnings []error // of reading the configuration
	damaged  []error // what was tuned and cannot be read
	options  lsp.EngineOptions
	connected
	workspace
}

// check runs one check, if there is anything to check, for a share of the time at
// most, and shows its verdict. Shares add up to more than the whole, since most
// checks take next to nothing.
func (p *checkup) check(name string, share float64, f func() (diagnosis, bool)) {
	if p.whole.Err() != nil {
		return
	}
	began := time.Now()
	d, any := diagnosis{Status: warning, Detail: fmt.Sprintf("not checked: the checks before took the %v that all of them may", p.time), Fix: "mend what is above, then: readahead doctor; or give it more --time"}, true
	if began.Before(p.over) {
		ctx, cancel := context.WithDeadline(p.whole, earlier(p.over, began.Add(time.Duration(share*float64(p.time)))))
		p.ctx = ctx
		d, any = f()
		cancel()
	}
	if !any || p.whole.Err() != nil { // what was interrupted says nothing of the machine
		return
	}
	d.Name, d.Ms = name, float64(time.Since(began).Microseconds())/1000
	p.found = append(p.found, d)
	if p.quiet {
		return
	}
	mark := map[status]string{fine: "32", warning: "33", problem: "31"}[d.Status]
	p.out.printf("%s %s %s %s\n", p.out.styled(mark, fmt.Sprintf("%-8s", d.Status)), p.out.bold(fmt.Sprintf("%-14s", name)), d.Detail, p.out.dim(fmt.Sprintf("(%s)", short(time.Since(began)))))
	for _, m := range d.More {
		p.out.printf("%23s %s\n", "", m)
	}
	if d.Fix != "" {
		p.out.printf("%23s → %s\n", "", d.Fix)
	}
}

// short is a time in a word.
func short(d time.Duration) string {
	if d < time.Millisecond {
		return "under 1ms"
	}
	return d.Round(time.Millisecond).String()
}

func earlier(a, b time.Time) time.Time {
	if a.Before(b) {
		return a
	}
	return b
}

// expired reports whether the check under way has had its time.
func (p *checkup) expired() bool { return errors.Is(p.ctx.Err(), context.DeadlineExceeded) }

func (p *checkup) printJSON(c *cobra.Command) error {
	w := json.NewEncoder(c.OutOrStdout())
	w.SetIndent("", "  ")
	w.SetEscapeHTML(false)
	return w.Encode(struct {
		Checks []diagnosis `json:"checks"`
	}{p.found})
}

func (p *checkup) settings(dir string) error {
	o, err := p.flags.options(p.sort, dir)
	p.options = o
	return err
}

// sort puts what is wrong with the settings to the check that it belongs to.
func (p *checkup) sort(err error) {
	damaged, further := (*tuned.Damaged)(nil), lsp.Further{}
	switch {
	case errors.As(err, &damaged):
		p.damaged = append(p.damaged, err)
	case errors.As(err, &further):
		p.warnings = append(p.warnings, further.Mistakes...)
	default:
		p.warnings = append(p.warnings, err)
	}
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

// files are the configuration files that there are.
func (p *checkup) files() string {
	var there []string
	for _, path := range lsp.ConfigFiles(p.flags.config, p.options.Roots) {
		if _, err := os.Stat(path); err == nil {
			there = append(there, path)
		}
	}
	return cmp.Or(strings.Join(there, ", "), "no file, the defaults")
}

func sameFile(a, b string) bool {
	x, err := os.Stat(a)
	if err != nil {
		return false
	}
	y, err := os.Stat(b)
	return err == nil && os.SameFile(x, y)
}

// mostNamed is how many mistakes are named: nobody makes more by hand.
const mostNamed = 100

func (p *checkup) configuration() (diagnosis, bool) {
	c := p.options.Config
	switch {
	case len(p.warnings) > 0:
		d := diagnosis{Status: warning, Detail: unprefixed(p.warnings[0]), Fix: "correct that; what is wrong is left out, the rest is in use"}
		for _, w := range p.warnings[1:min(len(p.warnings), mostNamed)] {
			d.More = append(d.More, unprefixed(w))
		}
		if n := len(p.warnings) - mostNamed; n > 0 {
			d.More = append(d.More, fmt.Sprintf("and %d more mistakes", n))
		}
		return d, true
	case !c.Enable:
		return diagnosis{Status: problem, Detail: "readahead is switched off (enable = false)", Fix: "set enable = true"}, true
	}
	return diagnosis{Status: fine, Detail: fmt.Sprintf("%s: %d samples, %d tokens of evidence at most, an answer within %d ms", p.files(), c.Samples, c.EvidenceTokens, c.DeadlineMs)}, true
}
