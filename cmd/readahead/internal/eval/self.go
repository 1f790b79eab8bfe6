package eval

import (
	"context"
	"errors"
	"fmt"
	"path/filepath"
	"slices"
	"strings"

	"readahead/index"
	"readahead/index/facts"
	"readahead/index/regular"
)

// Self makes at most n tasks from a repository: code lines, spread evenly, that
// use a function, method, type or constant of another file whose name is
// defined once in the whole repository. Such a name leaves no doubt about the
// gold, whoever resolves it; what is lost are names that several things share.
// The same tree gives the same tasks.
func Self(ctx context.Context, w Workspace, n int) ([]Task, error) {
	sources, err := w.sources(ctx)
	if err != nil {
		return nil, err
	}
	once := definedOnce(sources)
	var tasks []Task
	for _, s := range sources {
		tasks = append(tasks, s.tasks(filepath.Base(w.Dir), once)...)
	}
	if len(tasks) == 0 {
		return nil, fmt.Errorf("make tasks from %s: no line uses a name that one other file defines (is it a repository in a language that is indexed?)", w.Dir)
	}
	if n <= 0 || n >= len(tasks) {
		return tasks, nil
	}
	out := make([]Task, n)
	for i := range out {
		out[i] = tasks[i*len(tasks)/n]
	}
	return out, nil
}

// sources are the files of a workspace that may be read, in the order of their
// paths.
func (w Workspace) sources(ctx context.Context) ([]source, error) {
	x, err := open(ctx, w.Dir, "", w.Limits)
	if err != nil {
		return nil, err
	}
	defer x.Close()
	return sourcesOf(ctx, x.Snapshot())
}

// A source is one file with its facts.
type source struct {
	info  index.FileInfo
	text  []byte // as the index shows it, without secrets
	own   []byte // as it is on disk
	lines []int  // where each line begins
	facts *facts.File
}

func sourcesOf(ctx context.Context, snap *index.Snapshot) ([]source, error) {
	var out []source
	for f := range snap.Files() {
		if ctx.Err() != nil {
			return nil, ctx.Err()
		}
		text, err := snap.Text(f.Path)
		if err != nil || f.Lang == "" {
			continue // gone meanwhile, or without objects
		}
		own, err := regular.Read(f.Path, maxSource)
		if err != nil || len(own) != len(text) {
			continue // changed meanwhile
		}
		s := source{info: f, text: text, own: own, lines: []int{0}, facts: facts.Extract(f.Lang, "", filepath.Base(f.Path), text)}
		for i, c := range text {
			if c == '\n' {
				s.lines = append(s.lines, i+1)
			}
		}
		out = append(out, s)
	}
	if len(out) == 0 {
		return nil, errors.New("make tasks: no file in a language that is indexed")
	}
	slices.SortFunc(out, func(a, b source) int { return strings.Compare(a.info.Rel, b.info.Rel) })
	return out, nil
}

// line is the 1-based line of a byte.
func (s *source) line(at uint32) int {
	i, found := slices.BinarySearch(s.lines, int(at))
	if found {
		return i + 1
	}
	return i
}

// A definition is an object and the file it stands in.
type definition struct {
	in     *source
	object *facts.Object
}

// definedOnce is every definition whose name no second object has.
func definedOnce(sources []source) map[string]definition {
	once, twice := map[string]definition{}, map[string]bool{}
	for i := range sources {
		s := &sources[i]
		for j := range s.facts.Objects {
			o := &s.facts.Objects[j]
			if o.Kind == facts.Module || twice[o.Name] {
				continue
			}
			if _, taken := once[o.Name]; taken {
				delete(once, o.Name)
				twice[o.Name] = true
				continue
			}
			once[o.Name] = definition{s, o}
		}
	}
	return once
}

// minName is the length of names that are too common to be told apart by name.
const minName = 4

// tasks are the lines of s that use what another file defines.
func (s *source) tasks(repo string, once map[string]definition) []Task {
	type use struct {
		ref facts.Ref
		of  definition
	}
	byLine := map[int][]use{}
	for _, r := range s.facts.Refs {
		d, ok := once[r.Name]
		if !ok || d.in == s || len(r.Name) < minName || d.object.Kind == facts.Field || d.object.Kind == facts.Variable ||
			d.in.info.Lang != s.info.Lang || r.Role == facts.ImportUse || r.Object == 0 || s.facts.Objects[0].Test {
			continue
		}
		body := s.facts.Objects[r.Object].Body
		if body.Contains(r.At.Start) && s.line(body.Start) < s.line(r.At.Start) {
			byLine[s.line(r.At.Start)] = append(byLine[s.line(r.At.Start)], use{r, d})
		}
	}
	lines := make([]int, 0, len(byLine))
	for l := range byLine {
		lines = append(lines, l)
	}
	slices.Sort(lines)
	var out []Task
	for _, l := range lines {
		t := s.task(repo, l, "self")
		if s.hides(&t) {
			continue
		}
		for _, u := range byLine[l] {
			t.Gold = append(t.Gold, u.of.gold(u.ref.Name))
		}
		if mid := int(byLine[l][0].ref.At.Start); mid > t.Offset {
			t.MidOffset, t.TargetMid = mid, string(s.text[mid:t.EndOffset])
		}
		out = append(out, t)
	}
	return out
}

// task is to write line l, from 1, behind its indentation.
func (s *source) task(repo string, l int, subset string) Task {
	start, end := s.lines[l-1], len(s.text)
	if l < len(s.lines) {
		end = s.lines[l] - 1
	}
	text := strings.TrimRight(string(s.text[start:end]), "\r")
	target := strings.TrimLeft(text, " \t")
	start += len(text) - len(target)
	return Task{
		ID: fmt.Sprintf("%s:%d", s.info.Rel, l), Collection: repo, Lang: string(s.info.Lang), Subset: subset,
		Repo: Repo{Kind: "dir"}, Path: s.info.Rel, Line: l, EndLine: l,
		Offset: start, EndOffset: start + len(target), Target: target,
	}
}

// hides reports whether the line of a task holds a secret. It is then no task: what
// the index shows does not stand there, and no model should be asked for what does.
func (s *source) hides(t *Task) bool { return string(s.own[t.Offset:t.EndOffset]) != t.Target }

// gold is a definition from its signature on, its doc comment left out.
func (d definition) gold(ident string) Gold {
	o, s := d.object, d.in
	start := o.Signature.Start
	end := s.line(max(o.Span.Start, o.Span.End-min(1, o.Span.End)))
	g := Gold{
		Path: s.info.Rel, StartLine: s.line(start), NameLine: s.line(o.Ident.Start), EndLine: end,
		SigEndLine: s.line(max(o.Signature.Start, o.Signature.End-min(1, o.Signature.End))), Symbol: o.Descriptors, Ident: ident,
	}
	g.StartLine = min(g.StartLine, g.NameLine)
	g.SigEndLine = min(g.SigEndLine, g.EndLine)
	return g
}
