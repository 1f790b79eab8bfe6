package eval

import (
	"slices"
	"time"
)

// Matched is what a variant lets the model say, in percent of the tasks.
type Matched struct {
	Selector string  `json:"selector,omitempty"`
	EMTasks  int     `json:"em_tasks"`
	EM       float64 `json:"em"`     // the shown line is the target
	ES       float64 `json:"es"`     // mean edit similarity
	Oracle   float64 `json:"oracle"` // some sample of a consulted context is the target
	Shown    float64 `json:"shown"`  // a line was shown at all
	// In greedy generations and in calls, mean over tasks.
	RelativeCost float64 `json:"relative_cost"`
	Contexts     float64 `json:"contexts_per_task"`
	Scored       float64 `json:"scored_per_task"`
	Requests     float64 `json:"requests_per_task"`         // without those of scores
	Grading      float64 `json:"grading_requests_per_task"` // those
	Written      float64 `json:"written_per_task"`          // tokens, without those of scores
	// In greedy answers from the first context: cost as above, tokens that are new
	// to the model, and its time.
	Cost   Quantiles `json:"relative_cost_at"`
	Larger Quantiles `json:"token_ratio_at"`
	Slower Quantiles `json:"wall_ratio_at"`

	EMInterval *Interval   `json:"em_interval,omitempty"`
	EMAgainst  *Comparison `json:"em_against_first,omitempty"`  // the first variant of the run
	Causal     *Comparison `json:"em_against_causal,omitempty"` // of other prompts: the same with that one
	Again      *Sameness   `json:"again,omitempty"`             // asked a second time
	Drawn      *Sameness   `json:"against_samples,omitempty"`   // of what is read: the same, drawn
	Graded     *Gradedness `json:"against_whole,omitempty"`     // of other ways to grade
}

// Quantiles are of a ratio, over tasks.
type Quantiles struct {
	P50 float64 `json:"p50"`
	P90 float64 `json:"p90"`
}

// MatchSummaries are one for each variant, in their order.
func MatchSummaries(tasks []*Task, said []Said, variants []Variant, answers [][]Answer) []Summary {
	all := make([]int, len(tasks))
	for i := range all {
		all[i] = i
	}
	out := make([]Summary, len(variants))
	for v, variant := range variants {
		of := answers[v]
		sum := matchSummary(of, all)
		sum.Selector = variant.String()
		right := rights(of)
		interval := bootstrap(percents(right))
		sum.EMInterval = &interval
		if v > 0 {
			c := compare(right, rights(answers[0]))
			sum.EMAgainst = &c
		}
		sum.Causal = againstPrompt(v, variants, answers)
		sum.Again, sum.Drawn, sum.Graded = againstItself(of), againstSamples(v, variants, answers), againstWhole(v, variants, answers)
		sum.Milliseconds = matchStages(said, variant.Prompt, of)
		sum.By = groupsOf(tasks, func(tasks []int) Summary { return matchSummary(of, tasks) })
		out[v] = sum
	}
	return out
}

func rights(answers []Answer) []bool {
	out := make([]bool, len(answers))
	for i, a := range answers {
		out[i] = a.Right
	}
	return out
}

func matchSummary(answers []Answer, tasks []int) Summary {
	average := func(of func(Answer) float64) float64 {
		xs := make([]float64, len(tasks))
		for i, t := range tasks {
			xs[i] = of(answers[t])
		}
		return mean(xs)
	}
	share := func(holds func(Answer) bool) float64 {
		return average(func(a Answer) float64 {
			if holds(a) {
				return 100
			}
			return 0
		})
	}
	return Summary{Tasks: len(tasks), Matched: &Matched{
		EMTasks:      len(tasks),
		EM:           share(func(a Answer) bool { return a.Right }),
		ES:           average(func(a Answer) float64 { return 100 * a.Similar }),
		Oracle:       share(func(a Answer) bool { return a.Possible }),
		Shown:        share(func(a Answer) bool { return a.Text != "" }),
		RelativeCost: average(func(a Answer) float64 { return a.Cost }),
		Contexts:     average(func(a Answer) float64 { return float64(a.Contexts) }),
		Scored:       average(func(a Answer) float64 { return float64(a.Scored) }),
		Requests:     average(func(a Answer) float64 { return float64(a.Requests) }),
		Grading:      average(func(a Answer) float64 { return float64(a.Grading) }),
		Written:      average(func(a Answer) float64 { return float64(a.Written) }),
		Cost:         quantiles(answers, tasks, func(a Answer) float64 { return a.Cost }),
		Larger:       quantiles(answers, tasks, func(a Answer) float64 { return a.Larger }),
		Slower:       quantiles(answers, tasks, func(a Answer) float64 { return a.Slower }),
	}}
}

func quantiles(answers []Answer, tasks []int, of func(Answer) float64) Quantiles {
	var xs []float64
	for _, t := range tasks {
		xs = append(xs, of(answers[t]))
	}
	slices.Sort(xs)
	return Quantiles{quantile(xs, 0.5), quantile(xs, 0.9)}
}

func matchStages(said []Said, prompt string, answers []Answer) *Stages {
	var retrieve, allocate, sample, score, total []time.Duration
	for i, a := range answers {
		retrieve = append(retrieve, milliseconds(said[i][prompt].Retrieve))
		allocate = append(allocate, milliseconds(said[i][prompt].Allocate))
		sample, score, total = append(sample, a.Sample), append(score, a.Score), append(total, a.Total)
	}
	of := func(times []time.Duration) *Percentiles { p := percentiles(times); return &p }
	return &Stages{Retrieve: *of(retrieve), Allocate: *of(allocate), Sample: of(sample), Score: of(score), Total: of(total)}
}

// With is s with what m measured, too. Where a part of the tasks is in only one
// of them it has only that; times are m's, which has more stages.
func (s Summary) With(m Summary) Summary {
	s.Matched = m.Matched
	if m.Milliseconds != nil {
		s.Milliseconds = m.Milliseconds
	}
	if s.By != nil && m.By != nil {
		s.By = &Groups{Lang: union(s.By.Lang, m.By.Lang), Collection: union(s.By.Collection, m.By.Collection), Subset: union(s.By.Subset, m.By.Subset)}
	}
	return s
}

func union(a, b map[string]Summary) map[string]Summary {
	out := map[string]Summary{}
	for k, m := range b {
		m.Tasks = 0 // as long as nothing in that part has gold
		out[k] = m
	}
	for k, s := range a {
		out[k] = s
		if m, ok := b[k]; ok {
			out[k] = s.With(m)
		}
	}
	return out
}
