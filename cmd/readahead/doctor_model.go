package main

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"time"

	"readahead/cmd/readahead/internal/tuned"
	"readahead/lsp"
	"readahead/model"
	"readahead/model/link"
	"readahead/model/ollama"
	"readahead/model/openai"
)

// connected is what a checkup knows of the user's model.
type connected struct {
	reached bool         // a server answers
	opened  *model.Model // nil: not opened
	release func()       // of opened
}

func (p *checkup) server() (diagnosis, bool) {
	c := p.options.Config
	if c.Model == embeddedName {
		return diagnosis{Status: fine, Detail: "none is wanted: the embedded model answers"}, true
	}
	if c.Server == "openai" {
		return p.teamServer(), true
	}
	began := time.Now()
	version, err := ollama.Probe(p.ctx, c.Endpoint)
	if err != nil {
		d := diagnosis{Status: warning, Detail: unprefixed(err) + "; the embedded model answers instead", Fix: p.ollamaStep(err)}
		if c.Model != "" || c.Endpoint != "" {
			d.Status = problem // asked for by name
		}
		return d, true
	}
	p.reached = true
	return diagnosis{Status: fine, Detail: fmt.Sprintf("Ollama %s answers in %v", version, time.Since(began).Round(time.Millisecond))}, true
}

// ollamaStep is what mends an error of a server that should be Ollama.
func (p *checkup) ollamaStep(err error) string {
	step := link.Step(err)
	switch {
	case ollama.CheckEndpoint(p.options.Config.Endpoint) != nil:
		return "correct the address; for an Ollama on this machine: unset OLLAMA_HOST"
	case step != "":
		return step
	case errors.Is(err, ollama.ErrNotOllama):
		return "set endpoint to the Ollama server, or leave it empty; `curl ENDPOINT/api/version` answers with its version"
	case errors.Is(err, ollama.ErrScheme):
		return "correct the endpoint (--endpoint, the configuration or OLLAMA_HOST), as it is said"
	case errors.Is(err, ollama.ErrNoCodeModel):
		return p.command("pull qwen2.5-coder:1.5b")
	case errors.Is(err, ollama.ErrNotGenerative):
		return p.command("pull qwen2.5-coder:1.5b") + ", and set model to it"
	case errors.Is(err, ollama.ErrBusy):
		return "wait until the server has loaded its model, or give it more capacity; then: readahead doctor"
	}
	return "see the server's log for what it could not do (journalctl -u ollama, where it is a service)"
}

// command is one of Ollama's, for the server that is meant.
func (p *checkup) command(words string) string {
	if at := p.options.Config.Endpoint; at != "" {
		return "OLLAMA_HOST=" + at + " ollama " + words
	}
	return "ollama " + words
}

func (p *checkup) model() (diagnosis, bool) {
	c := p.options.Config
	if !p.reached {
		return diagnosis{}, false
	}
	if p.opened != nil { // by finding the server
		return about(p.opened.Info, c), true
	}
	name := c.Model
	if name == "" {
		best, err := ollama.PickCodeModel(p.ctx, c.Endpoint)
		if p.expired() {
			return p.hung(err), true
		}
		if err != nil {
			return diagnosis{Status: warning, Detail: unprefixed(err) + "; the embedded model answers instead", Fix: p.ollamaStep(err)}, true
		}
		name = best
	}
	m, err := ollama.Open(p.ctx, ollamaConfig(c, name))
	if p.expired() && err != nil {
		return p.hung(err), true
	}
	if err != nil {
		d := diagnosis{Status: problem, Detail: unprefixed(err), Fix: p.ollamaStep(err)}
		if errors.Is(err, ollama.ErrModelMissing) {
			d.Fix = p.command("pull "+name) + "; or set model to one of: " + p.command("list")
		}
		return d, true
	}
	p.opened, p.release = &m.Model, m.Close
	return about(m.Info, c), true
}

// teamServer opens the model of a completions server: what such a server is, only
// its answers tell.
func (p *checkup) teamServer() diagnosis {
	c := p.options.Config
	ctx, cancel := context.WithTimeout(p.ctx, teamTime)
	defer cancel()
	began := time.Now()
	m, err := openTeam(ctx, c)
	if err != nil {
		d := diagnosis{Status: problem, Detail: unprefixed(err) + "; the embedded model answers instead", Fix: "mend what is said here, then run readahead doctor again"}
		if step := teamStep(err); step != "" {
			d.Fix = step
		}
		return d
	}
	p.reached, p.opened, p.release = true, &m.Model, m.Close
	took := time.Since(began).Round(time.Millisecond)
	return diagnosis{Status: fine, Detail: fmt.Sprintf("%s answers in %v", cmp.Or(m.Server, "a completions server"), took)}
}

// teamStep is what mends an error of a completions server; "" if its words have to
// do.
func teamStep(err error) string {
	step := link.Step(err)
	switch {
	case step != "":
		return step
	case errors.Is(err, openai.ErrNoAnswer), errors.Is(err, context.DeadlineExceeded):
		return "restart the server, which accepts and does not answer, or correct endpoint"
	case errors.Is(err, openai.ErrScheme):
		return "correct the endpoint, as it is said"
	case errors.Is(err, openai.ErrNotCompletions), errors.Is(err, openai.ErrGarbled):
		return "set endpoint to a server that speaks the completions protocol, or server to what it does speak"
	case errors.Is(err, openai.ErrBroken), errors.Is(err, openai.ErrRefused):
		return "look into the server's own log"
	case errors.Is(err, openai.ErrDenied):
		return "set READAHEAD_API_KEY, or apiKeyFile, to a key that the server knows"
	case errors.Is(err, openai.ErrModelMissing), errors.Is(err, openai.ErrNoModel):
		return "set model to one that the server has"
	case errors.Is(err, openai.ErrBusy):
		return "wait until the server has loaded its model, or give it more capacity"
	}
	return ""
}

// teamTime bounds finding out what a completions server can do.
const teamTime = 20 * time.Second

// hung is the verdict on a server that accepts a question and does not answer it.
func (p *checkup) hung(err error) diagnosis {
	step := "start the server again"
	if p.options.Config.Endpoint == "" {
		step += ": ollama serve"
	}
	return diagnosis{Status: problem, Detail: unprefixed(err), Fix: step}
}

// about is the verdict on what a model can do.
func about(i model.Info, c lsp.Config) diagnosis {
	abilities := []string{fmt.Sprintf("window of %d tokens", i.Context)}
	if i.FIM {
		abilities = append(abilities, "fills in the middle")
	}
	if i.Scoring != "" {
		abilities = append(abilities, "grades by the code after the cursor")
	}
	d := diagnosis{Status: fine, Detail: fmt.Sprintf("%s (%s): %s", i.Name, cmp.Or(i.Family, "unknown family"), strings.Join(abilities, ", "))}
	switch room := lsp.EvidenceRoom(i.Context); {
	case i.Remote != "":
		d.Status, d.Fix = warning, "if that is not what you want, choose a model and an endpoint on this machine"
		d.Detail += "; code leaves this machine for " + i.Remote
		others := slices.DeleteFunc(slices.Clone(i.Notes), func(n string) bool { return strings.Contains(n, i.Remote) })
		d.Detail += strings.Join(append([]string{""}, others...), "; ")
	case len(i.Notes) > 0:
		d.Status, d.Fix = warning, "a model such as qwen2.5-coder:1.5b on an Ollama of this year can do all of it"
		if i.Provider == "openai" {
			d.Fix = "nothing, if you can do without; README, For a team, says what each server can do"
		}
		d.Detail += "; " + strings.Join(i.Notes, "; ")
	case room < c.EvidenceTokens/2:
		d.Status, d.Fix = warning, "set numCtx = 8192, if the model was trained for that many"
		if i.Provider == "openai" {
			d.Fix = "start the server with a context of 8192 tokens or more for each request"
		}
		d.Detail += fmt.Sprintf("; that leaves %d for evidence", room)
	}
	return d
}

// evidence says what the model is asked with first, and why.
func (p *checkup) evidence() (diagnosis, bool) {
	c := p.options.Config
	if !c.Enable || len(p.options.Roots) == 0 {
		return diagnosis{}, false
	}
	info := model.Info{Provider: embeddedName}
	if p.opened != nil {
		info = p.opened.Info
	}
	family, why := c.PrimaryFor(info, p.options.Roots[0])
	d := diagnosis{Status: fine, Detail: fmt.Sprintf("%s first: %s", family, why)}
	if damaged := (*tuned.Damaged)(nil); len(p.damaged) > 0 && errors.As(p.damaged[0], &damaged) {
		d.Status, d.Fix = warning, damaged.Mend()
		d.Detail += "; " + unprefixed(damaged)
		return d, true
	}
	if c.Primary == "auto" && !tunedFor(c, info) {
		d.Detail += "; `readahead tune` finds out whether the other order does better here"
	}
	return d, true
}

func tunedFor(c lsp.Config, info model.Info) bool {
	return slices.ContainsFunc(c.Tunings, func(t lsp.Tuning) bool { return t.Model == lsp.ModelKey(info) })
}

const (
	// probePrompt is what the speed is measured on, in tokens; long enough for
	// what a request costs beyond its tokens not to matter.
	probePrompt = 1000
	// probeLine is the length of a line, in tokens, for the forecast.
	probeLine = 12
)

// speed measures the model on text of the workspace, and says what to expect.
func (p *checkup) speed() (diagnosis, bool) {
	if p.opened == nil {
		return diagnosis{}, false
	}
	began := time.Now()
	_, err := p.sample("// hello\n")
	if p.expired() {
		name := p.opened.Info.Name
		d := diagnosis{Status: problem, Detail: fmt.Sprintf("%s has not said a word in %v: it is still being loaded, or the server hangs", name, time.Since(began).Round(time.Second)),
			Fix: "see the server's log; then: readahead doctor, with more --time if it has to be"}
		if p.opened.Info.Provider == "ollama" {
			d.Fix = fmt.Sprintf("load it, and look how long that takes: ollama run %s hello; then: readahead doctor, with more --time if it has to be", name)
		}
		return d, true
	}
	if err != nil {
		return diagnosis{Status: problem, Detail: unprefixed(err), Fix: "see the server's log; a smaller model may fit: ollama pull qwen2.5-coder:0.5b"}, true
	}
	loaded := time.Since(began)
	began = time.Now()
	short, err := p.sample("// hello\n") // again, now that it is loaded
	shortly := time.Since(began)
	if p.expired() {
		return tooSlow(loaded), true
	}
	if err != nil {
		return diagnosis{Status: problem, Detail: unprefixed(err), Fix: "see the server's log"}, true
	}
	began = time.Now()
	u, err := p.sample(p.code())
	if p.expired() {
		return tooSlow(loaded), true
	}
	if err != nil {
		return diagnosis{Status: problem, Detail: unprefixed(err), Fix: "see the server's log"}, true
	}
	read := p.opened.PromptSpeed()
	write := float64(u.Generated) / max((u.Time-u.PromptTime).Seconds(), 1e-6)
	if read == 0 { // the server does not say: what it took longer, it took for the longer text
		longer := max(time.Since(began)-shortly, time.Millisecond)
		read = float64(u.Prompt-short.Prompt) / longer.Seconds()
		write = float64(short.Generated) / max(shortly.Seconds(), 1e-6)
	}
	if read <= 0 || u.Generated == 0 || short.Generated == 0 {
		return diagnosis{Status: warning, Detail: "how fast the model is cannot be measured: the server does not count tokens", Fix: "update the server"}, true
	}
	c := p.options.Config
	c.EvidenceTokens = min(c.EvidenceTokens, lsp.EvidenceRoom(p.opened.Info.Context))
	return forecast(c, loaded, read, write), true
}

// grading tries what the version promises: there is nothing to say if it holds.
func (p *checkup) grading() (diagnosis, bool) {
	if p.opened == nil || p.opened.Scorer == nil {
		return diagnosis{}, false
	}
	_, _, err := p.opened.Scorer.Score(p.ctx, []model.Pair{{Prefix: "// hello\n", Continuation: "\n"}})
	if err == nil || p.expired() {
		return diagnosis{}, false
	}
	return diagnosis{Status: warning, Detail: "candidates cannot be graded by the code after the cursor, votes decide alone: " + unprefixed(err),
		Fix: "update the server, or what stands before it"}, true
}

// tooSlow is the verdict on a model that answers, and not within the check's time.
func tooSlow(loaded time.Duration) diagnosis {
	return diagnosis{Status: warning, Detail: fmt.Sprintf("loaded in %v, and has not read %d tokens in the time that was left: the embedded model will answer most of the time", loaded.Round(10*time.Millisecond), probePrompt),
		Fix: "a smaller model: ollama pull qwen2.5-coder:0.5b; or more --time, to see how slow it is"}
}

// forecast says what a model that reads and writes so many tokens a second
// makes of the deadline.
func forecast(c lsp.Config, loaded time.Duration, read, write float64) diagnosis {
	evidence := c.EvidenceFor(read)
	line := time.Duration(probeLine / write * float64(time.Second))
	first := line + time.Duration(float64(evidence)/read*float64(time.Second))
	round := func(d time.Duration) time.Duration { return d.Round(10 * time.Millisecond) }
	d := diagnosis{Status: fine, Detail: fmt.Sprintf("loaded in %v, reads %.0f tokens/s, writes %.0f tokens/s: about %v for a line, %v where %d tokens of evidence are new",
		round(loaded), read, write, round(line), round(first), evidence)}
	deadline := time.Duration(c.DeadlineMs) * time.Millisecond
	switch {
	case line > deadline:
		d.Status, d.Fix = warning, fmt.Sprintf("a smaller model (ollama pull qwen2.5-coder:0.5b), or deadlineMs = %d", line.Milliseconds()*2/100*100+100)
		d.Detail += fmt.Sprintf("; lines come later than deadlineMs = %d allows: ghost text comes when it is there, menus at the next key", c.DeadlineMs)
	case evidence < c.EvidenceTokens:
		d.Status, d.Fix = warning, fmt.Sprintf("nothing, or a smaller or faster model, or deadlineMs = %d, for all %d tokens of evidence", int(float64(c.EvidenceTokens)/read*1000)/100*100+100, c.EvidenceTokens)
		d.Detail += fmt.Sprintf("; evidence was lowered from %d tokens to keep to deadlineMs = %d", c.EvidenceTokens, c.DeadlineMs)
	}
	return d
}

// sample has the model continue one text.
func (p *checkup) sample(text string) (model.Usage, error) {
	o := model.Options{MaxTokens: 2 * probeLine, Seed: 1, Temperature: 0.8, TopP: 0.95}
	for s, err := range p.opened.Generator.Samples(p.ctx, model.Prompt{Left: text, Causal: true}, o) {
		return s.Usage, err
	}
	return model.Usage{}, p.ctx.Err()
}

// code is text to measure on, of about probePrompt tokens: new to the server's
// cache, since it begins with the time.
func (p *checkup) code() string {
	text := fmt.Sprintf("// %d\n", time.Now().UnixNano())
	full := func() bool { return p.opened.Tokens(text) >= probePrompt }
	if e, err := p.open(); err == nil {
		files := slices.Collect(e.Snapshot().Files())
		for _, f := range files[:min(len(files), 50)] {
			if b, err := e.Snapshot().Text(f.Path); err == nil && f.Lang != "" && !full() {
				text += string(b[:min(len(b), 2*probePrompt)])
			}
		}
	}
	for !full() {
		text += "func add(a, b int) int {\n\treturn a + b\n}\n\n"
	}
	return strings.ToValidUTF8(text, "")
}

// unprefixed is an error in one line, without the name that the command line
// puts in front.
func unprefixed(err error) string {
	text := strings.Join(strings.Fields(err.Error()), " ")
	return strings.TrimPrefix(text, "readahead: ")
}
