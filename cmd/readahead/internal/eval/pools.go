package eval

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"math"
	"os"
	"slices"
	"strings"

	"readahead/index/regular"
	"readahead/lsp"
	"readahead/rank"
)

// Terms are what a pools file was drawn under: what is said under others can't
// be compared with it.
type Terms struct {
	Server  string   `json:"server"` // what it speaks; "" for the embedded model
	Model   string   `json:"model"`
	Policy  string   `json:"policy"`
	Budget  int      `json:"budget"`
	Samples int      `json:"samples"`
	Mid     bool     `json:"mid"`
	Prompts []string `json:"prompts"` // auto, fim, causal: each task is asked about in each form
	// Scored are the contexts whose candidates are scored, too: more than Votes and
	// Greedy need. Grader: the server that scores them, if it is another one.
	Scored []string `json:"scored"`
	Grader string   `json:"grader,omitempty"`
	// Explores: probabilities are read, too. Bayes: and candidates graded by
	// Bayes' rule. Twice: everything is asked a second time, with other seeds.
	Explores bool     `json:"explores"`
	Bayes    bool     `json:"bayes"`
	Twice    bool     `json:"twice"`
	Contexts []string `json:"contexts"` // asked about, by the names of Variant.Route's contexts
	// Readings are those of the code that candidates are graded by in this run. A
	// file's records say themselves which ones they have.
	Readings []rank.Reading `json:"readings,omitempty"`
}

// lacks names what is asked for under wanted that was not drawn under terms, with
// both values; nil if the file serves, and goes on to have what more it has. What
// candidates are graded by is no part of that: it is added to what was drawn.
func (terms Terms) lacks(wanted Terms) (out []string) {
	differ := func(name string, ok bool, has, wants any) {
		if !ok {
			out = append(out, fmt.Sprintf("%s %v instead of %v", name, has, wants))
		}
	}
	differ("server", terms.Server == wanted.Server, terms.Server, wanted.Server)
	differ("model", terms.Model == wanted.Model, terms.Model, wanted.Model)
	differ("policy", terms.Policy == wanted.Policy, terms.Policy, wanted.Policy)
	differ("budget", terms.Budget == wanted.Budget, terms.Budget, wanted.Budget)
	differ("mid", terms.Mid == wanted.Mid, terms.Mid, wanted.Mid)
	differ("samples", terms.Samples >= wanted.Samples, terms.Samples, wanted.Samples)
	differ("contexts", containsAll(terms.Contexts, wanted.Contexts), terms.Contexts, wanted.Contexts)
	differ("prompts", containsAll(terms.Prompts, wanted.Prompts), terms.Prompts, wanted.Prompts)
	differ("scores of", containsAll(terms.Scored, wanted.Scored), terms.Scored, wanted.Scored)
	differ("grader", terms.Grader == wanted.Grader || len(wanted.Scored) == 0, terms.Grader, wanted.Grader)
	differ("probabilities read", terms.Explores || !wanted.Explores, terms.Explores, wanted.Explores)
	differ("Bayes' rule", terms.Bayes || !wanted.Bayes, terms.Bayes, wanted.Bayes)
	differ("asked twice", terms.Twice || !wanted.Twice, terms.Twice, wanted.Twice)
	return out
}

func containsAll(all, some []string) bool {
	return !slices.ContainsFunc(some, func(s string) bool { return !slices.Contains(all, s) })
}

// A Sampled is all that a model said about one task, asked in one form of prompt.
type Sampled struct {
	ID     string `json:"id"`
	Code   string `json:"code"` // its hash: see Task.hash
	Prompt string `json:"prompt"`
	// Start and End are what the prompt showed of the document, in bytes of it
	// without the target.
	Start    int          `json:"start"`
	End      int          `json:"end"`
	Retrieve float64      `json:"retrieve_ms"`
	Allocate float64      `json:"allocate_ms"` // both contexts
	Record   *rank.Record `json:"record"`
}

// Said is what a model said about one task, by the forms of the prompt.
type Said map[string]*Sampled

// Pools keep what a model said, in a file if they have one: its first line is
// the Terms, and each further one a Sampled, written as soon as it is known. So
// a run that was ended goes on where it was, and other selectors are measured
// without asking the model again. Of several lines about one task and form the
// last one counts: it has more readings than the others.
type Pools struct {
	terms  Terms // of the file
	wanted Terms // of the run
	known  map[string]Said
	file   *os.File // nil: in memory alone
	size   int64    // of the file, as this run left it
}

// OpenPools reads a pools file, which is begun if there is none; "" keeps
// nothing. A last line that was not written to its end is dropped. A file with
// more than is asked for (scores, contexts, …) serves, and goes on to have it. One
// with fewer readings gets them: its candidates are graded, not drawn again.
func OpenPools(path string, terms Terms) (*Pools, error) {
	if len(terms.Prompts) == 0 {
		terms.Prompts = []string{DefaultVariant().Prompt}
	}
	p := &Pools{terms: terms, wanted: terms, known: map[string]Said{}}
	if path == "" {
		return p, nil
	}
	text, err := regular.Read(path, math.MaxInt64-1)
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		return nil, fmt.Errorf("read pools: %w", err)
	}
	whole := text[:bytes.LastIndexByte(text, '\n')+1]
	if len(whole) == 0 && !p.begun(text) {
		return nil, fmt.Errorf("read pools: %s is not a pools file (name another file)", path)
	}
	text = whole
	if err := p.read(text); err != nil {
		return nil, fmt.Errorf("read pools: %s: %w", path, err)
	}
	if p.file, err = os.OpenFile(path, os.O_CREATE|os.O_RDWR|os.O_APPEND, 0o600); err != nil {
		return nil, regular.Plain("write pools", path, err)
	}
	p.size = int64(len(text))
	err = p.file.Truncate(p.size)
	if err == nil && len(text) == 0 {
		err = p.write(p.terms)
	}
	if err != nil {
		p.file.Close()
		return nil, regular.Plain("write pools", path, err)
	}
	return p, nil
}

// begun reports whether text is as much of the Terms as a run that was ended
// may have written: what is anything else is not ours to drop.
func (p *Pools) begun(text []byte) bool {
	header, err := json.Marshal(p.terms)
	return err == nil && bytes.HasPrefix(header, text)
}

func (p *Pools) read(text []byte) error {
	n := 0
	for line := range bytes.Lines(text) {
		if n++; n == 1 {
			var terms Terms
			if err := json.Unmarshal(line, &terms); err != nil {
				return fmt.Errorf("line 1: %s (is it a pools file?)", lsp.JSONCause(err))
			}
			if lacks := terms.lacks(p.wanted); lacks != nil {
				return fmt.Errorf("drawn under other terms: %s (name another file)", strings.Join(lacks, ", "))
			}
			p.terms = terms
			continue
		}
		s := new(Sampled)
		if err := json.Unmarshal(line, s); err != nil {
			return fmt.Errorf("line %d: %s (delete the line: its task is then asked again)", n, lsp.JSONCause(err))
		}
		if s.ID == "" || s.Record == nil {
			return fmt.Errorf("line %d: no task's id or no record", n)
		}
		p.learn(s)
	}
	return nil
}

// of is what was said about t, whose code is that; nil unless all that this run
// needs was asked.
func (p *Pools) of(t *Task, code string) Said {
	for _, prompt := range p.wanted.Prompts {
		if s := p.about(t, code, prompt); s == nil || len(p.lacking(s)) > 0 {
			return nil
		}
	}
	return p.known[t.ID]
}

// about is what was said about t in one form of prompt; nil if it was not asked,
// or about other code.
func (p *Pools) about(t *Task, code, prompt string) *Sampled {
	if s := p.known[t.ID][prompt]; s != nil && s.Code == code {
		return s
	}
	return nil
}

// lacking are the readings that candidates are yet to be graded over for this run.
// What another run left undone is not this one's to do.
func (p *Pools) lacking(s *Sampled) []rank.Reading {
	if len(p.wanted.Scored) == 0 {
		return nil
	}
	return slices.DeleteFunc(slices.Clone(p.wanted.Readings), s.Record.Has)
}

func (p *Pools) learn(s *Sampled) {
	if p.known[s.ID] == nil {
		p.known[s.ID] = Said{}
	}
	p.known[s.ID][s.Prompt] = s
}

func (p *Pools) keep(s *Sampled) error {
	p.learn(s)
	if p.file == nil {
		return nil
	}
	if err := p.write(s); err != nil {
		return fmt.Errorf("write pools: %w", err)
	}
	return nil
}

// write appends one line. Two runs with one file would ask everything twice, and the
// one that begins drops what the other is about to end.
func (p *Pools) write(v any) error {
	line, err := json.Marshal(v)
	if err != nil {
		return err
	}
	info, err := p.file.Stat()
	if err != nil {
		return err
	}
	if info.Size() != p.size {
		return fmt.Errorf("another run writes to %s, too (end it, then run this again: it goes on where it was)", p.file.Name())
	}
	n, err := p.file.Write(append(line, '\n'))
	p.size += int64(n)
	return err
}

// Close ends the file.
func (p *Pools) Close() error {
	if p.file == nil {
		return nil
	}
	return p.file.Close()
}
