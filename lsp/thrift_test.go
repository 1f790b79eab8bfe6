package lsp

import (
	"context"
	"slices"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"readahead/model"
	"readahead/model/replay"
)

func TestEvidenceFitsTheSpeedOfTheModel(t *testing.T) {
	tests := []struct {
		name     string
		evidence int
		deadline int
		speeds   []float64 // as measured before each request
		want     []int
	}{
		{"nothing is known at first", 4096, 1500, []float64{0}, []int{4096}},
		{"a graphics card reads everything in time", 4096, 1500, []float64{0, 8000}, []int{4096, 4096}},
		{"a processor gets what it reads within the deadline", 4096, 1500, []float64{0, 700}, []int{4096, 1024}},
		{"a very slow one gets two objects", 4096, 1500, []float64{20}, []int{256}},
		{"a longer deadline has room for more", 4096, 6000, []float64{700}, []int{4096}},
		{"noise does not move it", 4096, 1500, []float64{700, 720, 690, 1400, 800}, []int{1024, 1024, 1024, 1024, 1024}},
		{"it grows back when the machine is free again", 4096, 1500, []float64{700, 1800, 5000}, []int{1024, 2048, 4096}},
		{"a small bound of the user's is kept", 100, 1500, []float64{10, 5000}, []int{100, 100}},
		{"no evidence stays none", 0, 1500, []float64{10, 5000}, []int{0, 0}},
		{"an odd bound is halved", 3000, 1000, []float64{1600, 800, 4000}, []int{1500, 750, 3000}},
	}
	for _, test := range tests {
		c := DefaultConfig()
		c.EvidenceTokens, c.DeadlineMs = test.evidence, test.deadline
		var th thrift
		var got []int
		for _, speed := range test.speeds {
			n, _ := th.tokens("model", speed, c)
			got = append(got, n)
		}
		if !slices.Equal(got, test.want) {
			t.Errorf("%s: %v, want %v", test.name, got, test.want)
		}
	}
}

func TestAnotherModelStartsFromTheBound(t *testing.T) {
	var th thrift
	c := DefaultConfig()
	th.tokens("slow", 50, c)
	if n, _ := th.tokens("other", 0, c); n != c.EvidenceTokens {
		t.Errorf("another model begins with %d tokens, want %d", n, c.EvidenceTokens)
	}
}

// Whatever is measured, the budget stays between the least and the bound, and is
// read in time unless it is the least.
func TestEvidenceIsReadInTime(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		c := DefaultConfig()
		c.EvidenceTokens = rapid.IntRange(0, 1<<17).Draw(t, "evidence")
		c.DeadlineMs = rapid.IntRange(50, 60_000).Draw(t, "deadline")
		var th thrift
		for range rapid.IntRange(1, 10).Draw(t, "requests") {
			speed := rapid.Float64Range(0.001, 1e6).Draw(t, "speed")
			n, _ := th.tokens("model", speed, c)
			if n < min(leastEvidence, c.EvidenceTokens) || n > c.EvidenceTokens {
				t.Fatalf("%d tokens of at most %d", n, c.EvidenceTokens)
			}
			if n > leastEvidence && float64(n) > speed*float64(c.DeadlineMs)/1000 {
				t.Fatalf("%d tokens at %v tokens/s take longer than %d ms", n, speed, c.DeadlineMs)
			}
			if again, changed := th.tokens("model", speed, c); again != n || changed {
				t.Fatalf("%d tokens, and %d at the same speed", n, again)
			}
		}
	})
}

func TestASlowModelIsGivenLessToRead(t *testing.T) {
	files := map[string]string{"go.mod": workspace["go.mod"], "main.go": workspace["main.go"], "lib/lib.go": workspace["lib/lib.go"]}
	for _, name := range []string{"Load", "Save", "Name", "Green", "Leave", "Link"} {
		body := strings.Repeat("\tname = Greet(name) + \""+name+"\"\n", 20)
		files["lib/"+strings.ToLower(name)+".go"] = "package lib\n\nfunc " + name + "(name string) string {\n" + body + "\treturn name\n}\n"
	}
	dir := write(t, files)
	m := replay.New(replay.Texts("x()"))
	speed := 0.0
	e, err := NewEngine(t.Context(), EngineOptions{Config: DefaultConfig(), Roots: []string{dir}, Connect: func(context.Context, Config) (model.Model, func(), error) {
		slow := *m.Model()
		slow.PromptSpeed = func() float64 { return speed }
		return slow, func() {}, nil
	}})
	if err != nil {
		t.Fatal(err)
	}
	defer e.Close()
	if _, err := e.Build(t.Context(), nil); err != nil {
		t.Fatal(err)
	}
	evidence := func() int {
		t.Helper()
		done, err := e.Complete(t.Context(), at(t, dir, "main.go", cursorInMain))
		if err != nil {
			t.Fatal(err)
		}
		return done.Trace.Contexts[0].Context.Tokens
	}
	whole := evidence()
	speed = 200 // 300 tokens in 1.5 s
	if n := evidence(); n > leastEvidence || whole <= leastEvidence {
		t.Errorf("%d tokens of evidence, and %d for a model that reads 200 a second", whole, n)
	}
	speed = 10_000
	if n := evidence(); n != whole {
		t.Errorf("%d tokens of evidence once the model is fast, want %d", n, whole)
	}
}
