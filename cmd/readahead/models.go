package main

import (
	"bytes"
	"cmp"
	"context"
	"iter"
	"path"
	"slices"
	"strings"
	"sync"
	"time"

	"readahead/index"
	"readahead/index/facts"
	"readahead/index/redact"
	"readahead/lsp"
	"readahead/model"
	"readahead/model/embedded"
)

// embeddedName as a model's name asks for no server at all.
const embeddedName = "embedded"

// A local keeps the embedded model of each language. Each learns the files that
// stand nearest to the cursor first, for a bounded time a request, so that the
// first answer comes soon and later ones know more.
type local struct {
	first, later time.Duration // how long a lesson may take; 0: until all is known

	mu     sync.Mutex
	models map[facts.Language]*learner
}

type learner struct {
	model *embedded.Model
	knows map[string]uint64 // path to the hash of the text that was learned
}

const (
	firstLesson = 350 * time.Millisecond
	laterLesson = 25 * time.Millisecond
)

func newLocal(first, later time.Duration) *local {
	return &local{first: first, later: later, models: map[facts.Language]*learner{}}
}

// model is ready for a completion in r's document. What it learned from that
// document is the text that r has, without the line that is being written: a
// half line would teach it that lines end there.
func (l *local) model(ctx context.Context, s *index.Snapshot, r lsp.CompletionRequest) (model.Model, error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	lang := lsp.Language(r.Path, r.LanguageID, r.Text)
	k, budget := l.models[lang], l.later
	if k == nil {
		k = &learner{embedded.New(embedded.DefaultOptions()), map[string]uint64{}}
		l.models[lang], budget = k, l.first
	}
	before, after := aroundLine(redact.Text(r.Text), r.Offset)
	k.model.Edit(r.Path, before, after)
	delete(k.knows, r.Path)
	if _, err := k.model.TrainFor(ctx, k.unknown(s, r.Path, lang), budget); err != nil {
		return model.Model{}, err
	}
	return k.model.Model(), nil
}

// aroundLine is the text before the line at offset, and the text after it.
func aroundLine(text []byte, offset int) (before, after string) {
	start := bytes.LastIndexByte(text[:offset], '\n') + 1
	end := len(text)
	if i := bytes.IndexByte(text[offset:], '\n'); i >= 0 {
		end = offset + i + 1
	}
	return string(text[:start]), string(text[end:])
}

// unknown yields the files of a language that were not learned in their present
// form, nearest to path first.
func (k *learner) unknown(s *index.Snapshot, from string, lang facts.Language) iter.Seq[embedded.File] {
	return func(yield func(embedded.File) bool) {
		type near struct {
			index.FileInfo
			distance int
		}
		var files []near
		rel := s.Rel(from)
		for f := range s.Files() {
			if f.Lang == lang && f.Path != from && k.knows[f.Path] != f.Hash {
				files = append(files, near{f, distance(rel, f.Rel)})
			}
		}
		slices.SortFunc(files, func(a, b near) int {
			return cmp.Or(cmp.Compare(a.distance, b.distance), strings.Compare(a.Rel, b.Rel))
		})
		for _, f := range files {
			text, err := s.Text(f.Path)
			if err != nil {
				continue // it changed on disk meanwhile: a later snapshot will have it
			}
			if !yield(embedded.File{Path: f.Path, Lang: string(lang), Text: string(text)}) {
				return
			}
			k.knows[f.Path] = f.Hash
		}
	}
}

// distance is the number of folders to leave and to enter on the way from one
// file to another.
func distance(a, b string) int {
	x, y := strings.Split(path.Dir(a), "/"), strings.Split(path.Dir(b), "/")
	for len(x) > 0 && len(y) > 0 && x[0] == y[0] {
		x, y = x[1:], y[1:]
	}
	return len(x) + len(y)
}
