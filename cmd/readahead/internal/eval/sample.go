package eval

import (
	"bytes"
	"context"
	"crypto/sha256"
	"fmt"
	"time"

	"readahead/index"
	"readahead/index/facts"
	"readahead/lsp"
	"readahead/model"
	"readahead/rank"
)

// A Sampling says how a model is asked about tasks. Of the Setup the first
// policy counts, and both families are allocated.
type Sampling struct {
	Setup
	// Config is what the product would have: EvidenceTokens count.
	Config lsp.Config
	// Models is called for each repository, and what it returns for each task of
	// it, one after another: a model of a workspace knows one workspace.
	Models func() ModelFor
	// Samples is N: how many are drawn from each context.
	Samples int
	Pools   *Pools // what is known is not asked again, what is new is kept there
	// Time bounds the asking: tasks that are not answered by then are left out.
	// 0: all are asked about.
	Time time.Duration
}

// A ModelFor prepares a model for one request.
type ModelFor func(context.Context, *index.Snapshot, lsp.CompletionRequest) (model.Model, error)

// Sample asks the model about every task, in the prompts that the product would
// make, and keeps all that it says. It returns the tasks that it was asked about,
// and what was said about each. Where time was too short for a single one the
// error is ErrNoTime.
func Sample(ctx context.Context, tasks []Task, s Sampling) ([]*Task, []Said, error) {
	var asked []*Task
	for i := range tasks {
		if t := &tasks[i]; !s.Mid || t.TargetMid != "" {
			asked = append(asked, t)
		}
	}
	if len(asked) == 0 {
		return nil, nil, fmt.Errorf("sample: none of the %d tasks has a cursor inside its line", len(tasks))
	}
	late := time.Time{}
	if s.Time > 0 {
		late = time.Now().Add(s.Time)
	}
	done := 0
	for _, group := range byRepository(asked, s.Sources) {
		unknown, err := s.unknown(group)
		if err != nil {
			return nil, nil, err
		}
		done += len(group) - len(unknown)
		if len(unknown) == 0 {
			continue
		}
		err = s.repository(ctx, unknown, late, func() {
			done++
			if s.Report != nil {
				s.Report(done, len(asked))
			}
		})
		if err != nil {
			return nil, nil, err
		}
	}
	var answered []*Task
	var out []Said
	for _, t := range asked {
		said, err := s.said(t)
		if err != nil {
			return nil, nil, err
		}
		if said != nil {
			answered, out = append(answered, t), append(out, said)
		}
	}
	if len(answered) == 0 {
		return nil, nil, ErrNoTime
	}
	return answered, out, nil
}

// said is what the pools know about t, as its code is now; nil unless they know all.
func (s Sampling) said(t *Task) (Said, error) {
	text, err := t.read(t.dir(s.Sources))
	if err != nil {
		return nil, err
	}
	return s.Pools.of(t, t.hash(text)), nil
}

// unknown are the tasks that are yet to be asked about.
func (s Sampling) unknown(tasks []*Task) (out []*Task, err error) {
	for _, t := range tasks {
		said, err := s.said(t)
		if err != nil {
			return nil, err
		}
		if said == nil {
			out = append(out, t)
		}
	}
	return out, nil
}

// repository asks about tasks of one repository, one after another: a model on
// a small machine is no faster for being asked twice at a time, and times are
// part of what is measured. It ends without an error when it is late.
func (s Sampling) repository(ctx context.Context, tasks []*Task, late time.Time, report func()) error {
	dir := tasks[0].dir(s.Sources)
	x, err := open(ctx, dir, s.CacheDir, s.Limits)
	if err != nil {
		return err
	}
	defer x.Close()
	whole := ctx
	if !late.IsZero() {
		timed, cancel := context.WithDeadline(ctx, late)
		defer cancel()
		ctx = timed
	}
	prepare := s.Models()
	for _, t := range tasks {
		err := s.task(ctx, x.Snapshot(), dir, t, prepare)
		if err != nil && ctx.Err() != nil && whole.Err() == nil {
			return nil // half an answer is none
		}
		if err != nil {
			return fmt.Errorf("sample %s: %w", t.ID, err)
		}
		report()
	}
	return nil
}

// task asks about one task in every form that is not known.
func (s Sampling) task(ctx context.Context, snap *index.Snapshot, dir string, t *Task, prepare ModelFor) error {
	text, err := t.read(dir)
	if err != nil {
		return err
	}
	doc := t.without(text, s.Mid)
	path := t.file(dir)
	m, err := prepare(ctx, snap, lsp.CompletionRequest{Path: path, Text: doc.Text, Offset: doc.Offset, Invoked: true})
	if err != nil {
		return err
	}
	if err := s.able(m); err != nil {
		return err
	}
	for _, form := range s.Pools.wanted.Prompts {
		said := s.Pools.about(t, t.hash(text), form)
		if said != nil && len(s.Pools.lacking(said)) == 0 {
			continue
		}
		s.Config.Prompt = form
		b := bench{Sampling: s, ctx: ctx, snap: snap, task: t, path: path, text: text, doc: doc, prompt: lsp.PromptFor(m, s.Config, doc), model: m}
		if said == nil {
			said, err = b.ask()
		} else {
			said, err = b.grade(said)
		}
		if err == nil {
			err = s.Pools.keep(said)
		}
		if err != nil {
			return err
		}
	}
	return nil
}

// ask is all that the model says about the task.
func (b *bench) ask() (*Sampled, error) {
	bases, err := b.bases()
	if err != nil {
		return nil, err
	}
	rec, err := b.ranker().Record(b.ctx, b.request(bases), rank.Recording{Readings: b.Pools.wanted.Readings, Twice: b.Pools.terms.Twice, Graded: b.Pools.terms.Scored})
	if err != nil {
		return nil, err
	}
	return &Sampled{
		ID: b.task.ID, Code: b.task.hash(b.text), Prompt: b.Config.Prompt, Start: int(b.prompt.View.Start), End: int(b.prompt.View.End),
		Retrieve: model.Milliseconds(b.retrieving), Allocate: model.Milliseconds(b.allocating), Record: rec,
	}, nil
}

// grade is what was said, with the readings that it lacks.
func (b *bench) grade(said *Sampled) (*Sampled, error) {
	longer := *said
	var err error
	longer.Record, err = b.ranker().Extend(b.ctx, b.request(nil), said.Record, b.Pools.lacking(said))
	return &longer, err
}

// able says what is asked of a model that cannot do it.
func (s Sampling) able(m model.Model) error {
	switch terms := s.Pools.terms; {
	case terms.Explores && m.Explorer == nil:
		return fmt.Errorf("%s does not tell its tokens' probabilities (measure agreement from samples alone)", m.Info.Name)
	case terms.Bayes && m.Filler == nil:
		return fmt.Errorf("%s does not fill in the middle, as grades by Bayes' rule need", m.Info.Name)
	}
	return nil
}

// cursor is where the answer begins, and the answer.
func (t *Task) cursor(mid bool) (offset int, target string) {
	if mid {
		return t.MidOffset, t.TargetMid
	}
	return t.Offset, t.Target
}

// hash stands for a task's file and the task's place in it.
func (t *Task) hash(text []byte) string {
	h := sha256.New()
	fmt.Fprintln(h, t.Path, t.Offset, t.MidOffset, t.EndOffset)
	h.Write(text)
	return fmt.Sprintf("%x", h.Sum(nil)[:8])
}

// without is the document as it was before the target was written.
func (t *Task) without(text []byte, mid bool) lsp.Doc {
	offset, _ := t.cursor(mid)
	return lsp.Doc{Text: bytes.Join([][]byte{text[:offset], text[t.EndOffset:]}, nil), Offset: offset, Lang: facts.LanguageOf(t.Path, text)}
}

// remember asks f about each line once.
func remember(f func(string) string) func(string) string {
	known := map[string]string{}
	return func(line string) string {
		out, ok := known[line]
		if !ok {
			out = f(line)
			known[line] = out
		}
		return out
	}
}
