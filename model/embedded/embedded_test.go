package embedded

import (
	"context"
	"errors"
	"fmt"
	"math"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"pgregory.net/rapid"

	"readahead/model"
)

func train(t testing.TB, files ...File) *Model {
	t.Helper()
	m := New(DefaultOptions())
	if _, err := m.Train(t.Context(), slices.Values(files)); err != nil {
		t.Fatal(err)
	}
	return m
}

// code draws texts that repeat themselves, as code does.
var code = rapid.Custom(func(t *rapid.T) string {
	line := rapid.SampledFrom([]string{"", "a", "a(b)", "\ta = b", "\tif a {", "\t}", "  b, c", "b\r", "c.a(b, a)", "x y", "\t\treturn"})
	return strings.Join(rapid.SliceOfN(line, 0, 12).Draw(t, "lines"), "\n")
})

// TestUpdatingEqualsLearningFromScratch checks that a model which saw any
// sequence of changes predicts exactly what one does that saw only the last
// versions.
func TestUpdatingEqualsLearningFromScratch(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		m := New(DefaultOptions())
		// A bulk that stays, so that single changes are merged into the order
		// and not sorted afresh.
		texts := map[string]string{"bulk": strings.Repeat("a(b)\n\tc = a\n", rapid.SampledFrom([]int{0, 40}).Draw(t, "bulk"))}
		m.Update("bulk", texts["bulk"])
		for range rapid.IntRange(1, 8).Draw(t, "changes") {
			path := rapid.SampledFrom([]string{"p", "q", "r"}).Draw(t, "path")
			if rapid.Bool().Draw(t, "forget") {
				m.Forget(path)
				delete(texts, path)
				continue
			}
			texts[path] = code.Draw(t, "text")
			m.Update(path, texts[path])
		}
		scratch := New(DefaultOptions())
		for _, path := range sortedKeys(texts) {
			scratch.Update(path, texts[path])
		}
		left := code.Draw(t, "left")
		a, b := distribution(m, left), distribution(scratch, left)
		if len(a) != len(b) {
			t.Fatalf("%d units against %d", len(a), len(b))
		}
		for text, p := range a {
			if math.Abs(p-b[text]) > 1e-12 {
				t.Fatalf("P(%q) = %g after updates, %g from scratch", text, p, b[text])
			}
		}
	})
}

// distribution is what follows left, by text. Specials that look the same keep
// their numbers.
func distribution(m *Model, left string) map[string]float64 {
	s := m.now().session()
	s.text(left, 1<<20)
	s.read()
	out := map[string]float64{}
	for u, p := range s.all() {
		if w := unit(u).word(); p > 0 && w < firstWord {
			out[fmt.Sprint(u)] = p
		} else if p > 0 {
			out[s.render(unit(u))] = p
		}
	}
	return out
}

func TestForgettingEverythingLeavesNothing(t *testing.T) {
	m := train(t, File{Path: "a", Text: "secret := 1\n"})
	m.Forget("a")
	if n := m.now().live; n != 0 {
		t.Errorf("%d tokens are left", n)
	}
	for text := range distribution(m, "x") {
		if strings.Contains(text, "secret") {
			t.Errorf("%q can still be drawn", text)
		}
	}
}

func TestAFileThatIsWrittenDoesNotTeachItsCursor(t *testing.T) {
	whole := "func f() {\n\ta()\n\tb()\n\t\n\tc()\n}\n"
	before, after := "func f() {\n\ta()\n\tb()\n", "\tc()\n}\n"
	at := model.Prompt{Left: before + "\t"}
	m := New(DefaultOptions())
	m.Update("f.go", whole)
	if got := greedy(t, m, at); got != "" {
		t.Fatalf("learned in one piece the file gives %q: this test shows nothing", got)
	}
	m.Edit("f.go", before, after)
	if got := greedy(t, m, at); got == "" {
		t.Errorf("nothing is suggested at the cursor")
	}
}

func TestTrainingStops(t *testing.T) {
	files := func(yield func(File) bool) {
		for i := 0; yield(File{Path: fmt.Sprint(i), Text: strings.Repeat("a b c\n", 1000)}); i++ {
		}
	}
	t.Run("when there are enough tokens", func(t *testing.T) {
		m := New(Options{MaxTokens: 10000})
		got, err := m.Train(t.Context(), files)
		if err != nil || got.Cut != "tokens" || m.now().live < 10000 || m.now().live > 10001+3 {
			t.Errorf("%d tokens, %+v, %v", m.now().live, got, err)
		}
	})
	t.Run("when the time is up, but not before one file is learned", func(t *testing.T) {
		m := New(DefaultOptions())
		got, err := m.TrainFor(t.Context(), files, time.Nanosecond)
		if err != nil || got.Cut != "time" || got.Files != 1 {
			t.Errorf("%+v, %v", got, err)
		}
	})
	t.Run("when it is cancelled, and then nothing is learned", func(t *testing.T) {
		ctx, cancel := context.WithCancel(t.Context())
		m := New(DefaultOptions())
		_, err := m.Train(ctx, func(yield func(File) bool) {
			for i := 0; yield(File{Path: fmt.Sprint(i), Text: "a b c"}); i++ {
				if i == 3 {
					cancel()
				}
			}
		})
		if !errors.Is(err, context.Canceled) || m.now().live != 0 {
			t.Errorf("%v, %d tokens", err, m.now().live)
		}
	})
	t.Run("and says by its sequence which files it did not take", func(t *testing.T) {
		taken := 0
		m := New(Options{MaxTokens: 5000})
		_, err := m.Train(t.Context(), func(yield func(File) bool) {
			for i := 0; yield(File{Path: fmt.Sprint(i), Text: strings.Repeat("a b c\n", 500)}); i++ {
				taken++
			}
		})
		if err != nil || taken != len(m.now().files) {
			t.Errorf("%d files were taken, %d learned, %v", taken, len(m.now().files), err)
		}
	})
}

// TestAnswersDoNotWaitForLearning runs both at once, for the race detector; each
// answer must come from one version.
func TestAnswersDoNotWaitForLearning(t *testing.T) {
	m := train(t, File{Path: "a", Text: strings.Repeat("if err != nil {\n\treturn err\n}\n", 50)})
	var learning sync.WaitGroup
	for w := range 2 {
		learning.Go(func() {
			for i := range 30 {
				path := fmt.Sprint(w, i%3)
				m.Update(path, fmt.Sprintf("if err%d != nil {\n\treturn x%d\n}\n", i, w))
				if i%7 == 0 {
					m.Forget(path)
				}
			}
		})
	}
	var answering sync.WaitGroup
	for range 2 {
		answering.Go(func() {
			for range 20 {
				a, b := m.Model(), model.Prompt{Left: "if err != nil {\n\tret", Lang: "go"}
				for s, err := range a.Generator.Samples(t.Context(), b, model.Options{MaxTokens: 8, Stop: []string{"\n"}}) {
					if err != nil || s.Text != "urn err" {
						t.Errorf("%q, %v", s.Text, err)
					}
					break
				}
				if _, _, err := a.Scorer.Score(t.Context(), []model.Pair{{Prefix: b.Left, Continuation: "urn err"}}); err != nil {
					t.Error(err)
				}
			}
		})
	}
	learning.Wait()
	answering.Wait()
}

func TestInfoSaysWhatAnswers(t *testing.T) {
	m := train(t, File{Path: "a", Text: strings.Repeat("a b c\n", 500)})
	i := m.Model().Info
	if i.Provider != "embedded" || i.Scoring != "exact" || i.FIM || i.Remote != "" || i.Name != "embedded (n-gram of this workspace, 2 k tokens)" {
		t.Errorf("%+v", i)
	}
	if got := m.Model().Tokens("f(x, y)\n"); got != 7 {
		t.Errorf("%d tokens, want 7: f ( x , ␣y ) ⏎", got)
	}
}

// greedy is the most probable line.
func greedy(t *testing.T, m *Model, p model.Prompt) string {
	t.Helper()
	return draw(t, m, p, model.Options{Stop: []string{"\n"}}, 1)[0].Text
}

func draw(t *testing.T, m *Model, p model.Prompt, o model.Options, n int) (out []model.Sample) {
	t.Helper()
	for s, err := range m.Model().Generator.Samples(t.Context(), p, o) {
		if err != nil {
			t.Fatal(err)
		}
		if out = append(out, s); len(out) == n {
			break
		}
	}
	return out
}
