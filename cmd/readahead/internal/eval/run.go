package eval

import (
	"bytes"
	"context"
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"time"

	"golang.org/x/sync/errgroup"

	"readahead/allocate"
	"readahead/index"
	"readahead/index/facts"
	"readahead/index/regular"
)

// A Setup says how tasks are run.
type Setup struct {
	Sources  string // the folder of the repositories
	Limits   Limits // of what is read of them
	CacheDir string // of the indexes; "" keeps none
	Policies []allocate.Policy
	Options  allocate.Options
	Family   index.Family // which evidence is allocated
	// LeftTokens is how much code before the cursor the prompt shows, and
	// retrieval therefore leaves out.
	LeftTokens int
	Mid        bool // put the cursor inside the line
	// Report is called after each task, from any goroutine, one call at a time.
	Report func(done, total int)
	// Each, if not nil, gets the results of every task, by policy, in the order of
	// tasks within a repository, one call at a time.
	Each func(*Task, []Result) error
}

// Limits are what of a repository is read, beyond what its own rules say.
type Limits struct {
	Ignore      []string // patterns, in .gitignore syntax, of files that are not
	MaxFileSize int64    // bytes; 0: the index's own
}

// A Workspace is one repository of the user's.
type Workspace struct {
	Dir string
	Limits
}

// A Run is what came out.
type Run struct {
	Tasks    []*Task
	Results  [][]Result      // by policy, then by task
	Retrieve []time.Duration // by task
	Allocate [][]time.Duration
}

// Recall runs every task that has gold through all policies.
func Recall(ctx context.Context, tasks []Task, s Setup) (*Run, error) {
	run := &Run{}
	for i := range tasks {
		if t := &tasks[i]; len(t.Gold) > 0 && (!s.Mid || t.TargetMid != "") {
			run.Tasks = append(run.Tasks, t)
		}
	}
	if len(run.Tasks) == 0 {
		return nil, fmt.Errorf("measure recall: none of the %d tasks has gold", len(tasks))
	}
	groups := byRepository(run.Tasks, s.Sources)
	run.Tasks = slices.Concat(groups...)
	n := len(run.Tasks)
	run.Retrieve = make([]time.Duration, n)
	for range s.Policies {
		run.Results = append(run.Results, make([]Result, n))
		run.Allocate = append(run.Allocate, make([]time.Duration, n))
	}
	done, from := 0, 0
	for _, group := range groups {
		if err := run.repository(ctx, s, from, from+len(group), &done); err != nil {
			return nil, err
		}
		from += len(group)
	}
	return run, nil
}

// byRepository puts tasks of one repository together, in their order.
func byRepository(tasks []*Task, sources string) [][]*Task {
	members := map[string][]*Task{}
	for _, t := range tasks {
		members[t.dir(sources)] = append(members[t.dir(sources)], t)
	}
	var out [][]*Task
	for _, dir := range slices.Sorted(maps.Keys(members)) {
		out = append(out, members[dir])
	}
	return out
}

// dir is the folder of t's repository; check has seen that it has one.
func (t *Task) dir(sources string) string {
	dir, err := t.Repo.Dir(sources)
	if err != nil {
		return ""
	}
	return dir
}

// open indexes a repository, and nothing outside it.
func open(ctx context.Context, dir, cache string, l Limits) (*index.Index, error) {
	if info, err := os.Stat(dir); err != nil {
		return nil, regular.Plain("open sources", dir, err)
	} else if !info.IsDir() {
		return nil, fmt.Errorf("open sources: %s is not a folder", dir)
	}
	dir = real(dir)
	x, err := index.Open(ctx, index.Options{Roots: []string{dir}, CacheDir: cache, Ignore: l.Ignore, MaxFileSize: l.MaxFileSize})
	if err != nil {
		return nil, fmt.Errorf("index %s: %w", dir, err)
	}
	if _, err := x.Build(ctx, nil); err != nil {
		x.Close()
		return nil, fmt.Errorf("index %s: %w", dir, err)
	}
	return x, nil
}

// repository runs the tasks of one repository, from up to to.
func (run *Run) repository(ctx context.Context, s Setup, from, to int, done *int) error {
	dir := run.Tasks[from].dir(s.Sources)
	x, err := open(ctx, dir, s.CacheDir, s.Limits)
	if err != nil {
		return err
	}
	defer x.Close()
	snap := x.Snapshot()
	finished := make(chan int, to-from)
	workers, ctx := errgroup.WithContext(ctx)
	workers.SetLimit(runtime.GOMAXPROCS(0))
	reported := make(chan struct{})
	go func() { // ends when finished is closed, below
		defer close(reported)
		for range finished {
			*done++
			if s.Report != nil {
				s.Report(*done, len(run.Tasks))
			}
		}
	}()
	for i := from; i < to; i++ {
		workers.Go(func() error {
			if ctx.Err() != nil {
				return ctx.Err()
			}
			err := run.task(snap, dir, s, i)
			finished <- i
			return err
		})
	}
	err = workers.Wait()
	close(finished)
	<-reported
	if err != nil || s.Each == nil {
		return err
	}
	for i := from; i < to; i++ {
		byPolicy := make([]Result, len(s.Policies))
		for p := range s.Policies {
			byPolicy[p] = run.Results[p][i]
		}
		if err := s.Each(run.Tasks[i], byPolicy); err != nil {
			return err
		}
	}
	return nil
}

// task retrieves once and allocates by every policy.
func (run *Run) task(snap *index.Snapshot, dir string, s Setup, i int) error {
	t := run.Tasks[i]
	text, err := t.read(dir)
	if err != nil {
		return err
	}
	offset, _ := t.cursor(s.Mid)
	start := time.Now()
	evidence := snap.Retrieve(t.query(t.file(dir), text, offset, leftStart(text, offset, s.LeftTokens)))
	run.Retrieve[i] = time.Since(start)
	views := evidence.Structural
	if s.Family == index.Lexical {
		views = evidence.Lexical
	}
	code := snippets(dir)
	for p, policy := range s.Policies {
		start := time.Now()
		c := policy.Allocate(allocate.Request{
			Views: views, Terms: evidence.Terms, Lang: facts.LanguageOf(t.Path, text), Path: t.Path, Tokens: Tokens,
		}, s.Options)
		run.Allocate[p][i] = time.Since(start)
		run.Results[p][i] = judge(t, c, s.Options.Budget, code)
	}
	return nil
}

// file is where the index has t's file, in the repository at dir.
func (t *Task) file(dir string) string {
	return filepath.Join(real(dir), filepath.FromSlash(t.Path))
}

// real is dir by the name that the index knows it by. Under another name a
// task's file would be one more file of the repository, answer included.
func real(dir string) string {
	if abs, err := filepath.Abs(dir); err == nil {
		dir = abs
	}
	if resolved, err := filepath.EvalSymlinks(dir); err == nil {
		dir = resolved
	}
	return dir
}

// query asks for evidence for a cursor, where the prompt shows the text from
// left on. Nothing behind the cursor is read.
func (t *Task) query(path string, text []byte, offset, left int) index.Query {
	return index.Query{
		Path: path, Src: text, Offset: offset,
		Visible: facts.Span{Start: uint32(left), End: uint32(offset)},
		Hidden:  facts.Span{Start: uint32(offset), End: uint32(len(text))},
	}
}

// leftStart is where the last lines before the cursor begin that take at most
// limit tokens.
func leftStart(text []byte, offset, limit int) int {
	start, used := offset, 0
	for start > 0 {
		line := bytes.LastIndexByte(text[:start-1], '\n') + 1
		if used += Tokens(string(text[line:start])); used > limit {
			break
		}
		start = line
	}
	return start
}

// snippets reads lines of the files below dir, each file once.
func snippets(dir string) snippet {
	files := map[string][]string{}
	return func(path string, start, end int) (string, bool) {
		lines, ok := files[path]
		if !ok {
			text, err := regular.Read(filepath.Join(dir, filepath.FromSlash(path)), maxSource)
			if err == nil {
				lines = strings.Split(strings.ToValidUTF8(string(text), "\uFFFD"), "\n")
			}
			files[path] = lines
		}
		if start < 1 || end > len(lines) || start > end+1 {
			return "", false
		}
		return strings.Join(lines[start-1:end], "\n"), true
	}
}
