package eval

import (
	"context"
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"readahead/allocate"
	"readahead/index"
	"readahead/lsp"
	"readahead/model"
	"readahead/model/replay"
)

var shop = map[string]string{
	"go.mod":       "module example.com/shop\n\ngo 1.26\n",
	"cart/cart.go": "package cart\n\n// A Cart holds items.\ntype Cart struct{ items []string }\n\n// AddItem puts one in.\nfunc (c *Cart) AddItem(name string) error {\n\tc.items = append(c.items, name)\n\treturn nil\n}\n",
	"pay/pay.go":   "package pay\n\n// Charge takes the money.\nfunc Charge(cents int) error {\n\tif cents < 0 {\n\t\treturn nil\n\t}\n\treturn nil\n}\n",
	"main.go":      "package main\n\nimport (\n\t\"example.com/shop/cart\"\n\t\"example.com/shop/pay\"\n)\n\nfunc buy(c *cart.Cart) error {\n\tif err := c.AddItem(\"tea\"); err != nil {\n\t\treturn err\n\t}\n\treturn pay.Charge(100)\n}\n\nfunc unrelated() {\n\tprintln(\"Charge\")\n}\n",
}

func write(t *testing.T, files map[string]string) string {
	t.Helper()
	dir := t.TempDir()
	for name, text := range files {
		path := filepath.Join(dir, filepath.FromSlash(name))
		if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(path, []byte(text), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	return dir
}

func TestTasksFromARepositoryAreLinesWhoseNamesLeaveNoDoubt(t *testing.T) {
	tasks, err := Self(t.Context(), Workspace{Dir: write(t, shop)}, 0)
	if err != nil {
		t.Fatal(err)
	}
	var got []string
	for _, task := range tasks {
		got = append(got, task.ID+" "+task.Target)
		for _, g := range task.Gold {
			got = append(got, "  "+g.Path+" "+g.Symbol)
		}
	}
	want := `main.go:9 if err := c.AddItem("tea"); err != nil {
  cart/cart.go Cart#AddItem().
main.go:12 return pay.Charge(100)
  pay/pay.go Charge().`
	if s := strings.Join(got, "\n"); s != want {
		t.Errorf("got\n%s\nwant\n%s", s, want)
	}
	if m := tasks[1]; m.TargetMid != "Charge(100)" || m.check() != nil {
		t.Errorf("in mid-line %q; check %v", m.TargetMid, m.check())
	}
	if _, err := Self(t.Context(), Workspace{Dir: write(t, map[string]string{"a.txt": "x"})}, 0); err == nil {
		t.Error("a folder without code gave tasks")
	}
}

func TestRecallSeesWhatIsFoundAndWhatReachesTheModel(t *testing.T) {
	dir := write(t, shop)
	tasks, err := Self(t.Context(), Workspace{Dir: dir}, 0)
	if err != nil {
		t.Fatal(err)
	}
	setup := func(budget int) Setup {
		s := Setup{Sources: dir, Policies: allocate.Policies(), Options: allocate.DefaultOptions(), Family: index.Structural, LeftTokens: 1024}
		s.Options.Budget = budget
		return s
	}
	run, err := Recall(t.Context(), tasks, setup(4096))
	if err != nil {
		t.Fatal(err)
	}
	for i, sum := range run.Summaries(setup(4096)) {
		if sum.Policy != allocate.Policies()[i].Name || sum.Tasks != 2 || sum.By.Lang["go"].Tasks != 2 {
			t.Errorf("summary %+v", sum)
		}
		if i == 0 && (sum.RecallAtK != 100 || sum.RecallAtBudget != 100 || sum.Fit.Tasks != 2 || sum.RecallSig != 100) {
			t.Errorf("two small definitions of imported packages: %+v", sum)
		}
	}
	run, err = Recall(t.Context(), tasks, setup(8))
	if err != nil {
		t.Fatal(err)
	}
	if sum := run.Summaries(setup(8))[0]; sum.RecallAtK != 100 || sum.RecallAtBudget != 0 || sum.DeltaRecall != 100 || sum.TokensMean > 8 {
		t.Errorf("with 8 tokens everything is found and nothing survives: %+v", sum)
	}
}

// What stands behind the cursor would give the answer away.
func TestRetrievalReadsNothingBehindTheCursor(t *testing.T) {
	files := map[string]string{}
	for name, text := range shop {
		files[name] = text
	}
	tasks, err := Self(t.Context(), Workspace{Dir: write(t, files)}, 0)
	if err != nil {
		t.Fatal(err)
	}
	contexts := func(main string) []string {
		files["main.go"] = main
		dir := write(t, files)
		s := Setup{Sources: dir, Policies: allocate.Policies()[:1], Options: allocate.DefaultOptions(), Family: index.Lexical, LeftTokens: 64}
		var out []string
		s.Each = func(_ *Task, r []Result) error {
			out = append(out, r[0].Rendered)
			return nil
		}
		if _, err := Recall(t.Context(), tasks[:1], s); err != nil {
			t.Fatal(err)
		}
		return out
	}
	text := shop["main.go"]
	end := tasks[0].EndOffset
	other := text[:end] + strings.Map(func(r rune) rune {
		if r == '\n' {
			return r
		}
		return 'z'
	}, text[end:])
	if a, b := contexts(text), contexts(other); a[0] != b[0] {
		t.Errorf("another file behind the cursor changes the evidence:\n%s\n---\n%s", a[0], b[0])
	}
}

func TestSourcesThatDoNotFitTheTasksAreRefused(t *testing.T) {
	dir := write(t, shop)
	tasks, err := Self(t.Context(), Workspace{Dir: dir}, 0)
	if err != nil {
		t.Fatal(err)
	}
	s := Setup{Sources: dir, Policies: allocate.Policies()[:1], Options: allocate.DefaultOptions(), Family: index.Structural}
	if err := os.WriteFile(filepath.Join(dir, "main.go"), []byte("package main\n"), 0o644); err != nil {
		t.Fatal(err)
	}
	if _, err := Recall(t.Context(), tasks, s); err == nil || !strings.Contains(err.Error(), "not the sources") {
		t.Errorf("changed sources: %v", err)
	}
	s.Sources = filepath.Join(dir, "nowhere")
	if _, err := Recall(t.Context(), tasks, s); err == nil || !strings.Contains(err.Error(), "nowhere") {
		t.Errorf("missing sources: %v", err)
	}
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if _, err := Recall(ctx, tasks, s); err == nil || (!errors.Is(err, context.Canceled) && !strings.Contains(err.Error(), "nowhere")) {
		t.Errorf("cancelled: %v", err)
	}
}

// A window of a file's top level has the whole file for its object, and must
// not be given credit for all of it.
func TestAClaimIsTheObjectsLinesOrTheWindows(t *testing.T) {
	object := &index.Object{Path: "a.go", Line: 10, EndLine: 20, Kind: 1}
	module := &index.Object{Path: "a.go", Line: 1, EndLine: 900}
	window := index.View{Path: "a.go", Line: 30, Text: "a\nb\nc\n", Kind: index.Window}
	for _, tt := range []struct {
		slot allocate.Slot
		want Claim
	}{
		{allocate.Slot{Object: object, Representative: index.View{Path: "b.go", Line: 3, Text: "x"}}, Claim{"a.go", 10, 20}},
		{allocate.Slot{Object: module, Representative: window}, Claim{"a.go", 30, 32}},
		{allocate.Slot{Representative: window}, Claim{"a.go", 30, 32}},
	} {
		if got := claimOf(tt.slot); got != tt.want {
			t.Errorf("got %+v; want %+v", got, tt.want)
		}
	}
}

// However the folder of sources is named, the file of a task is known as the one
// that is being written: nothing of what stands behind the cursor is evidence,
// and no model learns it.
func TestNoNameOfTheSourcesGivesTheAnswerAway(t *testing.T) {
	dir := write(t, shop)
	tasks, err := Self(t.Context(), Workspace{Dir: dir}, 0)
	if err != nil {
		t.Fatal(err)
	}
	t.Chdir(filepath.Dir(dir))
	if err := os.Symlink(dir, dir+"-link"); err != nil {
		t.Fatal(err)
	}
	for _, name := range []string{dir, filepath.Base(dir), "./" + filepath.Base(dir) + "/.", dir + "-link", filepath.Base(dir) + "-link"} {
		m := replay.New(replay.Texts("x()"))
		s := sampling(t, name, "", m, 1)
		known := ""
		models := s.Models()
		s.Models = func() ModelFor {
			return func(ctx context.Context, snap *index.Snapshot, r lsp.CompletionRequest) (model.Model, error) {
				known = r.Path
				found := false
				for f := range snap.Files() {
					found = found || f.Path == r.Path
				}
				if !found {
					t.Errorf("%s: the index does not know the task's file as %s", name, r.Path)
				}
				return models(ctx, snap, r)
			}
		}
		if _, _, err := Sample(t.Context(), tasks, s); err != nil || known == "" {
			t.Fatalf("%s: %v", name, err)
		}
	}
}
