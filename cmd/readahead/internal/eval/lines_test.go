package eval

import (
	"errors"
	"slices"
	"strings"
	"testing"
	"time"

	"readahead/index/facts"
	"readahead/model"
	"readahead/model/replay"
)

func every(facts.Language) bool { return true }

func TestLinesAreTheCodeInsideBodies(t *testing.T) {
	dir := write(t, map[string]string{
		"go.mod": "module m\n\ngo 1.26\n",
		"a.go":   "package m\n\nvar outside = 1\n\nfunc f(n int) int {\n\t// a comment\n\tif n > 100 {\n\t\treturn 1\n\t}\n\n\ttotal := n * 2\n\treturn total\n}\n\nfunc one() int { return outside }\n",
		"b.py":   "class A:\n    def get(self):\n        # no\n        return self.value\n",
		"c.txt":  "not code at all\n",
	})
	tasks, err := Lines(t.Context(), Workspace{Dir: dir}, every)
	if err != nil {
		t.Fatal(err)
	}
	var got []string
	for _, task := range tasks {
		got = append(got, task.ID+" "+task.Target)
		if err := task.check(); err != nil {
			t.Error(err)
		}
	}
	slices.Sort(got)
	want := "a.go:11 total := n * 2, a.go:12 return total, a.go:7 if n > 100 {, a.go:8 return 1, b.py:4 return self.value"
	if s := strings.Join(got, ", "); s != want {
		t.Errorf("got  %s\nwant %s", s, want)
	}
	again, err := Lines(t.Context(), Workspace{Dir: dir}, every)
	if err != nil || !slices.EqualFunc(tasks, again, func(a, b Task) bool { return a.ID == b.ID }) {
		t.Errorf("another order the second time, or %v", err)
	}
	python, err := Lines(t.Context(), Workspace{Dir: dir}, func(l facts.Language) bool { return l == facts.Python })
	if err != nil || len(python) != 1 {
		t.Errorf("%d tasks in Python, %v", len(python), err)
	}
	hidden, err := Lines(t.Context(), Workspace{Dir: dir, Limits: Limits{Ignore: []string{"*.py"}}}, every)
	if err != nil || len(hidden) != 4 {
		t.Errorf("%d tasks without what is ignored, %v", len(hidden), err)
	}
}

// The index shows such a line without the secret. Asked about as a task, it stopped
// tune and eval --self: "these are not the sources that the tasks were made from".
func TestALineWithASecretIsNoTask(t *testing.T) {
	token := "ghp_" + strings.Repeat("Q7d0", 9)
	dir := write(t, map[string]string{
		"a.go": "package m\n\nfunc connect(token string) int {\n\treturn len(token)\n}\n",
		"b.go": "package m\n\nfunc f() int {\n\tn := connect(\"" + token + "\")\n\tm := connect(\"none\")\n\treturn n + m\n}\n",
	})
	self, err := Self(t.Context(), Workspace{Dir: dir}, 0)
	if err != nil {
		t.Fatal(err)
	}
	lines, err := Lines(t.Context(), Workspace{Dir: dir}, every)
	if err != nil {
		t.Fatal(err)
	}
	for want, tasks := range map[string][]Task{"b.go:5": self, "a.go:4 b.go:5 b.go:6": lines} {
		var got []string
		for _, task := range tasks {
			got = append(got, task.ID)
			if _, err := task.read(dir); err != nil {
				t.Error(err)
			}
		}
		slices.Sort(got)
		if s := strings.Join(got, " "); s != want {
			t.Errorf("tasks at %s, want %s", s, want)
		}
	}
}

func TestWhereTimeIsShortTheTasksThatWereFinishedCount(t *testing.T) {
	dir := write(t, shop)
	tasks, err := Self(t.Context(), Workspace{Dir: dir}, 0)
	if err != nil {
		t.Fatal(err)
	}
	slow := replay.Texts("x()")
	slow.Delay = time.Hour
	m := replay.New()
	m.Respond = func(call int, _ model.Prompt, _ model.Options) replay.Reply {
		if call < 4 { // two contexts, sampled and greedy: the first task
			return replay.Texts("x()")
		}
		return slow
	}
	s := sampling(t, dir, "", m, 1)
	s.Time = 300 * time.Millisecond
	asked, said, err := Sample(t.Context(), tasks, s)
	if err != nil || len(asked) != 1 || len(said) != 1 || asked[0].ID != tasks[0].ID || said[0]["auto"].ID != tasks[0].ID {
		t.Errorf("%d tasks, %d answers, %v", len(asked), len(said), err)
	}
	s = sampling(t, dir, "", replay.New(slow), 1)
	s.Time = 50 * time.Millisecond
	if _, _, err := Sample(t.Context(), tasks, s); !errors.Is(err, ErrNoTime) {
		t.Errorf("not one task: %v", err)
	}
}
