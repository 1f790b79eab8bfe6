package eval

import (
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"path/filepath"
	"slices"
	"strings"
	"unicode"

	"readahead/index/facts"
)

// Lines are the code lines of a workspace as tasks: every line inside a body that
// begins no comment and says more than a bracket, whether it needs another file or
// not. So they are what a user types, which the tasks of Self, each with a name from
// another file, are not.
//
// They come shuffled, so that the first of them, however many there is time for,
// are drawn from all of it alike. The same tree gives the same order. in says which
// languages count.
func Lines(ctx context.Context, w Workspace, in func(facts.Language) bool) ([]Task, error) {
	sources, err := w.sources(ctx)
	if err != nil {
		return nil, err
	}
	var tasks []Task
	for i := range sources {
		if s := &sources[i]; in(s.info.Lang) {
			tasks = append(tasks, s.code(filepath.Base(w.Dir))...)
		}
	}
	if len(tasks) == 0 {
		return nil, fmt.Errorf("make tasks from %s: no line of code in a body (is it a repository in a language that is indexed?)", w.Dir)
	}
	r := rand.New(rand.NewPCG(1, uint64(len(tasks))))
	r.Shuffle(len(tasks), func(i, j int) { tasks[i], tasks[j] = tasks[j], tasks[i] })
	return tasks, nil
}

// code are the tasks of one file.
func (s *source) code(repo string) (out []Task) {
	for l := range s.lines {
		if !s.inBody(l) {
			continue
		}
		if t := s.task(repo, l+1, "line"); says(t.Target) && !comments(&t) && !s.hides(&t) {
			out = append(out, t)
		}
	}
	return out
}

// inBody reports whether the line with this index stands inside a body, behind the
// line that opens it.
func (s *source) inBody(l int) bool {
	at := uint32(s.lines[l])
	return slices.ContainsFunc(s.facts.Objects, func(o facts.Object) bool {
		return o.Kind != facts.Module && o.Body.Contains(at) && s.line(o.Body.Start) <= l
	})
}

// comments reports whether a line begins with a comment, or goes on with one as
// most people write them. What it misses is typed by users, too.
func comments(t *Task) bool {
	line, ok := commentOf[t.Lang]
	if !ok {
		line = "//"
	}
	return slices.ContainsFunc([]string{line, "/*", "* ", `"""`, "'''"}, func(mark string) bool { return strings.HasPrefix(t.Target, mark) })
}

// minLetters is how many letters or digits a line needs to be worth guessing.
const minLetters = 3

func says(line string) bool {
	n := 0
	for _, r := range line {
		if unicode.IsLetter(r) || unicode.IsDigit(r) {
			n++
		}
	}
	return n >= minLetters
}

// ErrNoTime: not one task was finished in time.
var ErrNoTime = errors.New("the time was over before the first answer")
