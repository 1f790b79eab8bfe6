package eval

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"math"
	"os"
	"reflect"
	"slices"

	"readahead/cmd/readahead/internal/ownfile"
	"readahead/index/regular"
	"readahead/lsp"
	"readahead/rank"
)

// Terms are what a pools file was drawn under: what is said under others can't
// be compared with it.
type Terms struct {
	Model   string   `json:"model"`
	Policy  string   `json:"policy"`
	Budget  int      `json:"budget"`
	Samples int      `json:"samples"`
	Mid     bool     `json:"mid"`
	Prompts []string `json:"prompts"` // auto, fim, causal: each task is asked about in each form
	Scores  bool     `json:"scores"`  // candidates are scored, too; more than Votes and Greedy need
	// Explores: probabilities are read, too. Bayes: and candidates graded by
	// Bayes' rule. Twice: everything is asked a second time, with other seeds.
	Explores bool           `json:"explores"`
	Bayes    bool           `json:"bayes"`
	Twice    bool           `json:"twice"`
	Contexts []string       `json:"contexts"` // asked about, by the names of Variant.Route's contexts
	Readings []rank.Reading `json:"readings"` // of the code that candidates are graded by
}

// serve reports whether what was drawn under terms answers what is asked under
// wanted, and if so, with all that the file has; but for readings, which are
// added to what was drawn.
func (terms Terms) serve(wanted Terms) bool {
	if !containsAll(terms.Contexts, wanted.Contexts) || !containsAll(terms.Prompts, wanted.Prompts) {
		return false
	}
	if wanted.Scores && !terms.Scores || wanted.Explores && !terms.Explores || wanted.Bayes && !terms.Bayes || wanted.Twice && !terms.Twice || wanted.Samples > terms.Samples {
		return false
	}
	wanted.Scores, wanted.Explores, wanted.Bayes, wanted.Twice, wanted.Samples = terms.Scores, terms.Explores, terms.Bayes, terms.Twice, terms.Samples
	wanted.Contexts, wanted.Prompts, wanted.Readings = terms.Contexts, terms.Prompts, terms.Readings
	return reflect.DeepEqual(wanted, terms)
}

func containsAll(all, some []string) bool {
	return !slices.ContainsFunc(some, func(s string) bool { return !slices.Contains(all, s) })
}

// A Sampled is all that a model said about one task, asked in one form of prompt.
type Sampled struct {
	ID     string `json:"id"`
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
	terms Terms
	known map[string]Said
	file  *os.File // nil: in memory alone
}

// OpenPools reads a pools file, which is begun if there is none; "" keeps
// nothing. A last line that was not written to its end is dropped. A file with
// more than is asked for (scores, contexts, …) serves, and goes on to have it. One
// with fewer readings gets them: its candidates are graded, not drawn again.
func OpenPools(path string, terms Terms) (*Pools, error) {
	if len(terms.Prompts) == 0 {
		terms.Prompts = []string{DefaultVariant().Prompt}
	}
	p := &Pools{terms: terms, known: map[string]Said{}}
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
	header, err := p.read(text)
	if err != nil {
		return nil, fmt.Errorf("read pools: %s: %w", path, err)
	}
	if header != nil {
		text = slices.Concat(header, text[bytes.IndexByte(text, '\n')+1:])
		if err := ownfile.Write(path, poolsKind, text); err != nil {
			return nil, err
		}
	}
	if p.file, err = os.OpenFile(path, os.O_CREATE|os.O_RDWR|os.O_APPEND, 0o600); err != nil {
		return nil, regular.Plain("write pools", path, err)
	}
	err = p.file.Truncate(int64(len(text)))
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

// poolsKind: a file is only written anew once its terms have been read.
var poolsKind = ownfile.Kind{Name: "a pools file", Begins: `{"model":`}

// read learns what the file says. What it returns is a header that the file
// should have instead, since readings are to be added; nil if its own will do.
func (p *Pools) read(text []byte) (header []byte, err error) {
	n := 0
	for line := range bytes.Lines(text) {
		if n++; n == 1 {
			if header, err = p.agree(line); err != nil {
				return nil, err
			}
			continue
		}
		s := new(Sampled)
		if err := json.Unmarshal(line, s); err != nil {
			return nil, fmt.Errorf("line %d: %s (delete the line: its task is then asked again)", n, lsp.JSONCause(err))
		}
		if s.ID == "" || s.Record == nil {
			return nil, fmt.Errorf("line %d: no task's id or no record", n)
		}
		p.learn(s)
	}
	return header, nil
}

// agree takes the terms that a file begins with for its own, if they serve.
func (p *Pools) agree(line []byte) (header []byte, err error) {
	var terms Terms
	if err := json.Unmarshal(line, &terms); err != nil {
		return nil, fmt.Errorf("line 1: %s (is it a pools file?)", lsp.JSONCause(err))
	}
	if !terms.serve(p.terms) {
		return nil, fmt.Errorf("drawn under other terms, %+v and not %+v (name another file)", terms, p.terms)
	}
	had := len(terms.Readings)
	for _, r := range p.terms.Readings {
		if p.terms.Scores && !slices.Contains(terms.Readings, r) {
			terms.Readings = append(terms.Readings, r)
		}
	}
	if p.terms = terms; len(terms.Readings) == had {
		return nil, nil
	}
	header, err = json.Marshal(terms)
	return append(header, '\n'), err
}

// of is what was said about t; nil unless all was asked in every form.
func (p *Pools) of(t *Task) Said {
	said := p.known[t.ID]
	for _, prompt := range p.terms.Prompts {
		if said[prompt] == nil || len(p.lacking(said[prompt])) > 0 {
			return nil
		}
	}
	return said
}

// lacking are the readings that candidates are yet to be graded over.
func (p *Pools) lacking(s *Sampled) []rank.Reading {
	return slices.DeleteFunc(slices.Clone(p.terms.Readings), s.Record.Has)
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

func (p *Pools) write(v any) error {
	line, err := json.Marshal(v)
	if err != nil {
		return err
	}
	_, err = p.file.Write(append(line, '\n'))
	return err
}

// Close ends the file.
func (p *Pools) Close() error {
	if p.file == nil {
		return nil
	}
	return p.file.Close()
}
