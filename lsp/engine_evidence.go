package lsp

import (
	"bytes"
	"context"
	"time"

	"readahead/allocate"
	"readahead/index"
	"readahead/index/facts"
	"readahead/model"
)

// Findings are what a model gets to read for one request: its share of the
// document, and the evidence of both families. Finding them changes nothing: only
// what a model was really asked with is remembered (see contexts).
type findings struct {
	prompt             Prompt
	trace              Trace // but for what the model says
	portfolios         []remembered
	typed              *typed // see contexts.queryAt
	line               line   // see contexts.around
	retrieve, allocate time.Duration
}

// evidence is what was found ahead for this very request, or what is found now.
func (e *Engine) evidence(ctx context.Context, m model.Model, c Config, s *index.Snapshot, lang facts.Language, r CompletionRequest) (*findings, error) {
	c.EvidenceTokens = e.evidenceFor(m, c)
	start := time.Now()
	found, err := e.ahead.await(ctx, e.sight(m, c, s, lang, r))
	switch {
	case err != nil:
		return nil, err
	case found != nil:
		found.retrieve, found.allocate = time.Since(start), 0
	default:
		found = e.find(m, c, s, lang, r)
	}
	e.last.remember(found)
	return found, nil
}

// find looks for evidence and allocates it.
func (e *Engine) find(m model.Model, c Config, s *index.Snapshot, lang facts.Language, r CompletionRequest) *findings {
	start := time.Now()
	prompt := PromptFor(m, c, Doc{Path: grammarPath(r.Path, r.LanguageID), Text: r.Text, Offset: r.Offset, Lang: lang})
	view := prompt.View
	at, word := e.last.queryAt(r)
	evidence := s.Retrieve(index.Query{Path: r.Path, Lang: lang, Src: r.Text, Offset: at, Visible: view})
	retrieved := time.Now()

	f := &findings{prompt: prompt, typed: word, line: e.last.around(r, evidence.Within), retrieve: retrieved.Sub(start)}
	f.trace = Trace{Path: s.Rel(r.Path), Lang: string(lang), Offset: r.Offset, Model: m.Info, Visible: view, Window: prompt.Budget,
		Causal: prompt.Causal, tokens: m.Tokens, render: m.Render}
	first := 1 + bytes.Count(r.Text[:view.Start], []byte{'\n'})
	final := first + bytes.Count(r.Text[view.Start:view.End], []byte{'\n'})
	var order [2]index.Family
	order, f.trace.Order = c.families(m.Info, r.Path)
	for _, family := range order {
		found := evidence.Structural
		if family == index.Lexical {
			found = evidence.Lexical
		}
		options := allocate.DefaultOptions()
		options.Budget = prompt.Evidence
		task := task{r.Path, f.line.within, family, m.Info.Name, prompt.Evidence}
		options.Previous = e.last.of(task)
		views := append(found, stillThere(s, options.Previous, found, f.trace.Path, first, final)...)
		made := allocate.Allocate(allocate.Request{
			Views: views, Terms: evidence.Terms, Lang: lang, Path: r.Path, Tokens: m.Tokens,
		}, options)
		f.portfolios = append(f.portfolios, remembered{task, &made.Portfolio})
		f.trace.Contexts = append(f.trace.Contexts, FamilyContext{family, made})
	}
	f.allocate = time.Since(retrieved)
	return f
}
