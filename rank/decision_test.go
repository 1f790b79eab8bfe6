package rank

import (
	"encoding/json"
	"math"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"readahead/model"
	"readahead/model/replay"
)

func TestDecisionJSON(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		r := replay.Texts("a", "b", "a")
		r.Delay = 2 * time.Millisecond
		m := replay.New(r)
		m.Score, m.ScoreDelay = replay.Table{"a": -4.5, "b": -2}.Score, time.Millisecond
		d, err := ranker(m, func(o *Options) { o.Samples = 3 }).Decide(t.Context(), Request{Bases: []Base{{"structural", ""}}, Left: "x = ", Right: "\ny\n"})
		if err != nil {
			t.Fatal(err)
		}
		got, err := json.MarshalIndent(d, "", " ")
		if err != nil {
			t.Fatal(err)
		}
		usage := func(requests, prompt, generated string) string {
			return `{"requests":` + requests + `,"prompt_tokens":` + prompt + `,"generated_tokens":` + generated + `,"prompt_ms":0,"ms":0}`
		}
		sample := func(text string) string {
			return `{"text":"` + text + `","stopped":true,"usage":` + usage("1", "0", "1") + `}`
		}
		candidate := func(text, votes, share, lp, blend string) string {
			return `{"text":"` + text + `","votes":` + votes + `,"share":` + share +
				`,"reverse":{"logprob":` + lp + `,"tokens":[{"text":"\ny\n","logprob":` + lp + `}],"exact":true},"blend":` + blend + `}`
		}
		want := `{"pools":[{"base":0,"family":"structural","candidates":[` +
			candidate("b", "1", "0.3333333333333333", "-2", "0.75") + `,` + candidate("a", "2", "0.6666666666666666", "-4.5", "0.25") +
			`],"samples":[` + sample("a") + `,` + sample("b") + `,` + sample("a") +
			`],"wanted":3,"blank":0,"agreement":0.6666666666666666,"usage":` + usage("3", "0", "3") +
			`}],"routed":0,"route":"primary","rule":"blend","usage":` + usage("5", "8", "3") + `,"ms":{"sample":6,"score":2,"total":8}}`
		var a, b any
		if err := json.Unmarshal(got, &a); err != nil {
			t.Fatal(err)
		}
		if err := json.Unmarshal([]byte(want), &b); err != nil {
			t.Fatal(err)
		}
		x, _ := json.MarshalIndent(a, "", " ")
		y, _ := json.MarshalIndent(b, "", " ")
		if string(x) != string(y) {
			t.Errorf("got %s\nwant %s", x, y)
		}
	})
}

func TestDecisionJSONHasNoNull(t *testing.T) {
	for name, m := range map[string]*replay.Model{
		"no sample":        replay.New(replay.Reply{}),
		"no candidate":     replay.New(replay.Texts("# why")),
		"ruled-out tokens": replay.New(replay.Reply{Samples: []model.Sample{{Text: "a", Tokens: []model.Token{{LogProb: math.Inf(-1)}}}}}),
	} {
		t.Run(name, func(t *testing.T) {
			d, _ := ranker(m, func(o *Options) { o.MaxTokens = 1 }).Decide(t.Context(), Request{Bases: make([]Base, 1), Lang: "py"})
			got, err := json.Marshal(d)
			if err != nil || strings.Contains(strings.ReplaceAll(string(got), `"logprob":null`, ""), "null") {
				t.Errorf("%s, %v", got, err)
			}
		})
	}
}

func TestBestOfAnEmptyDecision(t *testing.T) {
	for _, d := range []Decision{{}, {Routed: -1}, {Routed: 3, Pools: make([]Pool, 1)}, {Pools: make([]Pool, 1)}} {
		if c, ok := d.Best(); ok || len(d.Ranked()) != 0 {
			t.Errorf("%+v has a best candidate %+v", d, c)
		}
	}
}

func TestRelativeCost(t *testing.T) {
	scored := Candidate{Reverse: &model.Likelihood{}}
	sampled := make([]model.Sample, 10)
	tests := []struct {
		name string
		d    Decision
		want float64
	}{
		{"one context, nothing scored", Decision{Pools: []Pool{{Samples: sampled}}}, 1.1},
		{"one context, four candidates scored", Decision{Pools: []Pool{{Samples: sampled, Candidates: []Candidate{scored, scored, scored, scored}}}}, 1.1 + 4*0.054},
		{"two contexts", Decision{Pools: []Pool{{Samples: sampled}, {Samples: sampled[:4]}}}, 2.2},
		{"a context without samples costs nothing", Decision{Pools: []Pool{{Samples: sampled}, {}}}, 1.1},
		{"one greedy generation is the unit", Decision{Rule: "greedy", Pools: []Pool{{Wanted: 1, Samples: sampled[:1]}}}, 1},
		{"also if it proposes nothing", Decision{Routed: -1, Pools: []Pool{{Wanted: 1, Samples: sampled[:1], Blank: 1}}}, 1},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			if got := tt.d.RelativeCost(); math.Abs(got-tt.want) > 1e-12 {
				t.Errorf("got %v, want %v", got, tt.want)
			}
		})
	}
}
