package replay

import (
	"context"
	"errors"
	"math"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"readahead/model"
)

// draw takes at most n samples of one call.
func draw(ctx context.Context, m *model.Model, p model.Prompt, o model.Options, n int) (texts []string, err error) {
	for s, e := range m.Generator.Samples(ctx, p, o) {
		if e != nil {
			return texts, e
		}
		if texts = append(texts, s.Text); len(texts) == n {
			break
		}
	}
	return texts, nil
}

func TestReplies(t *testing.T) {
	broken := errors.New("the model broke")
	for _, tt := range []struct {
		name    string
		replies []Reply
		stop    []string
		call    int // the one looked at
		want    string
		wantErr error
	}{
		{"samples come in order and start over", []Reply{Texts("a", "b")}, nil, 0, "a|b|a|b", nil},
		{"the second call gets the second reply", []Reply{Texts("a"), Texts("b")}, nil, 1, "b|b|b|b", nil},
		{"the last reply serves every later call", []Reply{Texts("a"), Texts("b")}, nil, 3, "b|b|b|b", nil},
		{"an error ends the samples", []Reply{{Samples: Texts("a", "b").Samples, Err: broken}}, nil, 0, "a|b", broken},
		{"a failure comes first", []Reply{Fail(broken)}, nil, 0, "", broken},
		{"text ends before the earliest stop string", []Reply{Texts("a;b\nc")}, []string{"\n", ";"}, 0, "a|a|a|a", nil},
		{"an empty stop string stops nothing", []Reply{Texts("ab")}, []string{""}, 0, "ab|ab|ab|ab", nil},
	} {
		t.Run(tt.name, func(t *testing.T) {
			m := New(tt.replies...).Model()
			var got []string
			var err error
			for range tt.call + 1 {
				got, err = draw(t.Context(), m, model.Prompt{}, model.Options{Stop: tt.stop}, 4)
			}
			if s := strings.Join(got, "|"); s != tt.want || !errors.Is(err, tt.wantErr) {
				t.Errorf("got %q, %v; want %q, %v", s, err, tt.want, tt.wantErr)
			}
		})
	}
}

func TestAReplyOfNothingNamesThePrompt(t *testing.T) {
	_, err := draw(t.Context(), New().Model(), model.Prompt{Left: "x := load("}, model.Options{}, 1)
	if err == nil || !strings.Contains(err.Error(), `"x := load("`) {
		t.Errorf("error is %v; it should show what was asked", err)
	}
}

func TestEverythingAskedIsRecorded(t *testing.T) {
	m := New(Texts("a"))
	m.Score = Table{"left a": -1}.Score
	prompt, options := model.Prompt{Context: "evidence", Left: "left "}, model.Options{Seed: 7}
	if _, err := draw(t.Context(), m.Model(), prompt, options, 3); err != nil {
		t.Fatal(err)
	}
	pair := model.Pair{Prefix: "left a", Continuation: "right"}
	if _, _, err := m.Model().Scorer.Score(t.Context(), []model.Pair{pair}); err != nil {
		t.Fatal(err)
	}
	calls, pairs := m.Calls(), m.Pairs()
	if len(calls) != 1 || calls[0].Prompt != prompt || calls[0].Options.Seed != 7 || calls[0].Yielded != 3 || calls[0].Cancelled {
		t.Errorf("recorded calls: %+v", calls)
	}
	if len(pairs) != 1 || pairs[0] != pair {
		t.Errorf("recorded pairs: %+v", pairs)
	}
}

func TestRespondSeesCallPromptAndOptions(t *testing.T) {
	m := New()
	m.Respond = func(call int, p model.Prompt, o model.Options) Reply {
		return Texts(p.Left + strings.Repeat("!", call+o.Seed))
	}
	for _, want := range []string{"x!", "x!!"} {
		got, err := draw(t.Context(), m.Model(), model.Prompt{Left: "x"}, model.Options{Seed: 1}, 1)
		if err != nil || got[0] != want {
			t.Errorf("got %q, %v; want %q", got, err, want)
		}
	}
}

func TestADelayEndsWithItsContext(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		m := New(Reply{Samples: Texts("a").Samples, Delay: time.Second})
		ctx, cancel := context.WithTimeout(t.Context(), 2500*time.Millisecond)
		defer cancel()
		began := time.Now()
		got, err := draw(ctx, m.Model(), model.Prompt{}, model.Options{}, 10)
		if len(got) != 2 || !errors.Is(err, context.DeadlineExceeded) || time.Since(began) != 2500*time.Millisecond {
			t.Errorf("%d samples, %v after %v; want 2 and the deadline", len(got), err, time.Since(began))
		}
		if c := m.Calls()[0]; !c.Cancelled || c.Yielded != 2 {
			t.Errorf("recorded %+v; want it cancelled after 2 samples", c)
		}
	})
}

func TestTableTakesTheLongestMatch(t *testing.T) {
	table := Table{"b": -1, "a b": -2, "": math.Inf(-1)}
	for prefix, want := range map[string]float64{"x a b": -2, "x b": -1, "c": math.Inf(-1)} {
		if l, err := table.Score(model.Pair{Prefix: prefix}); err != nil || l.LogProb != want {
			t.Errorf("after %q: %v, %v; want %v", prefix, l.LogProb, err, want)
		}
	}
	if _, err := (Table{"a": 0}).Score(model.Pair{Prefix: "b"}); err == nil {
		t.Error("a pair without a key was graded")
	}
}

func TestNoScoreNoScorer(t *testing.T) {
	if m := New().Model(); m.Scorer != nil || m.Info.Scoring != "" {
		t.Errorf("an unscripted scorer: %+v", m)
	}
}

func TestConcurrentCallsAreAllRecorded(t *testing.T) {
	m := New(Texts("a", "b"))
	var wg sync.WaitGroup
	for range 20 {
		wg.Go(func() {
			_, _ = draw(t.Context(), m.Model(), model.Prompt{}, model.Options{}, 5)
		})
	}
	wg.Wait()
	total := 0
	for _, c := range m.Calls() {
		total += c.Yielded
	}
	if len(m.Calls()) != 20 || total != 100 {
		t.Errorf("%d calls with %d samples recorded; want 20 and 100", len(m.Calls()), total)
	}
}
