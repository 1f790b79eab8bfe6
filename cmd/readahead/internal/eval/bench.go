package eval

import (
	"context"
	"fmt"
	"slices"
	"time"

	"readahead/allocate"
	"readahead/index"
	"readahead/lsp"
	"readahead/model"
	"readahead/rank"
)

// A bench is one task with all that its contexts are made of.
type bench struct {
	Sampling
	ctx    context.Context // of the one call
	snap   *index.Snapshot
	task   *Task
	path   string // of the task's file, as the index has it
	text   []byte // of the file, whole
	doc    lsp.Doc
	prompt lsp.Prompt
	model  model.Model

	retrieving, allocating time.Duration // of the two families
}

// bases are the contexts that are asked about.
func (b *bench) bases() ([]rank.Base, error) {
	start := time.Now()
	evidence := b.snap.Retrieve(b.task.query(b.path, b.text, b.doc.Offset, int(b.prompt.View.Start)))
	b.retrieving = time.Since(start)
	known := map[string]string{
		structural: b.allocate(evidence.Structural, evidence.Terms, b.prompt.Evidence),
		lexical:    b.allocate(evidence.Lexical, evidence.Terms, b.prompt.Evidence),
		"none":     "",
	}
	b.allocating = time.Since(start) - b.retrieving
	contexts := b.Pools.terms.Contexts
	if slices.Contains(contexts, "both") {
		half := b.prompt.Evidence / 2
		known["both"] = b.allocate(evidence.Structural, evidence.Terms, half) + b.allocate(evidence.Lexical, evidence.Terms, half)
	}
	if slices.Contains(contexts, "iterative") {
		again, err := b.again(known[lexical])
		if err != nil {
			return nil, err
		}
		known["iterative"] = again
	}
	var out []rank.Base
	for _, name := range contexts {
		text, ok := known[name]
		if !ok {
			return nil, fmt.Errorf("no context is called %q", name)
		}
		out = append(out, rank.Base{Family: name, Text: text})
	}
	return out, nil
}

func (b *bench) allocate(views []index.View, terms []string, budget int) string {
	o := b.Options
	o.Budget = budget
	return b.Policies[0].Allocate(allocate.Request{
		Views: views, Terms: terms, Lang: b.doc.Lang, Path: b.path, Tokens: b.model.Tokens,
	}, o).Text
}

// again is the lexical context for the code as it would read with the line that
// the lexical context leads to.
func (b *bench) again(first string) (string, error) {
	r := b.ranker()
	r.Options.Selector, r.Scorer = rank.Greedy, nil
	d, err := r.Decide(b.ctx, b.request([]rank.Base{{Family: lexical, Text: first}}))
	if err != nil {
		return "", err
	}
	best, _ := d.Best()
	text := slices.Concat(b.text[:b.doc.Offset], []byte(best.Text), []byte("\n"), b.text[b.doc.Offset:])
	evidence := b.snap.Retrieve(b.task.query(b.path, text, b.doc.Offset+len(best.Text)+1, int(b.prompt.View.Start)))
	return b.allocate(evidence.Lexical, evidence.Terms, b.prompt.Evidence), nil
}

func (b *bench) ranker() rank.Ranker {
	o := rank.DefaultOptions()
	o.Samples, o.Seed = max(b.Samples, b.Pools.terms.Samples), rank.SeedAt(string(b.doc.Text[:b.doc.Offset]))
	o.Explore = b.Pools.terms.Explores
	if readings := b.Pools.wanted.Readings; len(readings) > 0 {
		o.LeftTokens, o.RightTokens = readings[0].Left, readings[0].Right
	}
	r := rank.Ranker{Generator: b.model.Generator, Explorer: b.model.Explorer, Tokens: b.model.Tokens, Options: o}
	if len(b.Pools.terms.Scored) > 0 {
		r.Scorer = b.model.Scorer
		if b.Pools.terms.Bayes {
			r.Filler, r.Options.Grade = b.model.Filler, rank.Bayes
		}
	}
	return r
}

func (b *bench) request(bases []rank.Base) rank.Request {
	q := b.prompt.Request(b.task.Path, bases)
	q.Fit = remember(q.Fit)
	return q
}
