package eval

import (
	"slices"
	"time"
)

// A Summary is what was measured on some tasks: what one policy lets the model
// read, what one variant lets it say, or both.
type Summary struct {
	Policy       string  `json:"policy,omitempty"`
	Tasks        int     `json:"tasks"` // where recall is measured, those with gold
	*Recalled            // nil: not measured
	*Matched             // nil: not measured
	Milliseconds *Stages `json:"ms,omitempty"`
	By           *Groups `json:"by,omitempty"`
}

// Recalled is what a policy lets the model read, in percent.
type Recalled struct {
	RecallAtK      float64     `json:"recall_at_k"`
	RecallAtBudget float64     `json:"recall_at_budget"`
	DeltaRecall    float64     `json:"delta_recall"`
	RecallSig      float64     `json:"recall_sig"`
	RecallAtKAll   float64     `json:"recall_at_k_all"`      // every gold of the task
	RecallAll      float64     `json:"recall_at_budget_all"` // every gold of the task
	Fit            Fit         `json:"fit"`
	Authorities    float64     `json:"authorities"`
	TokensMean     float64     `json:"evidence_tokens_mean"`
	Interval       *Interval   `json:"recall_at_budget_interval,omitempty"`
	Against        *Comparison `json:"recall_at_budget_against_first,omitempty"` // the first policy of the run
}

// Fit is a Summary of the tasks whose primary gold takes at most FitTokens.
type Fit struct {
	Tasks          int     `json:"tasks"`
	RecallAtK      float64 `json:"recall_at_k"`
	RecallAtBudget float64 `json:"recall_at_budget"`
	DeltaRecall    float64 `json:"delta_recall"`
}

// Groups are summaries of parts of the tasks.
type Groups struct {
	Lang       map[string]Summary `json:"lang"`
	Collection map[string]Summary `json:"collection"`
	Subset     map[string]Summary `json:"subset"`
}

// Stages are wall times in milliseconds.
type Stages struct {
	Retrieve Percentiles `json:"retrieve"`
	Allocate Percentiles `json:"allocate"`
	// Of a Matched: what the model took, and all stages together.
	Sample *Percentiles `json:"sample,omitempty"`
	Score  *Percentiles `json:"score,omitempty"`
	Total  *Percentiles `json:"total,omitempty"`
}

// Percentiles of a time, in milliseconds.
type Percentiles struct {
	P50 float64 `json:"p50"`
	P95 float64 `json:"p95"`
	P99 float64 `json:"p99"`
}

func percentiles(times []time.Duration) Percentiles {
	ms := make([]float64, len(times))
	for i, t := range times {
		ms[i] = float64(t.Microseconds()) / 1000
	}
	slices.Sort(ms)
	return Percentiles{quantile(ms, 0.50), quantile(ms, 0.95), quantile(ms, 0.99)}
}

// Summaries are one for each policy of the setup, in their order.
func (run *Run) Summaries(s Setup) []Summary {
	all := make([]int, len(run.Tasks))
	for i := range all {
		all[i] = i
	}
	out := make([]Summary, len(s.Policies))
	for p, policy := range s.Policies {
		sum := run.summary(p, all)
		sum.Policy = policy.Name
		survived := run.survived(p, all)
		interval := bootstrap(percents(survived))
		sum.Recalled.Interval = &interval
		if p > 0 {
			c := compare(survived, run.survived(0, all))
			sum.Recalled.Against = &c
		}
		sum.Milliseconds = &Stages{Retrieve: percentiles(run.Retrieve), Allocate: percentiles(run.Allocate[p])}
		sum.By = groupsOf(run.Tasks, func(tasks []int) Summary { return run.summary(p, tasks) })
		out[p] = sum
	}
	return out
}

func (run *Run) survived(policy int, tasks []int) []bool {
	out := make([]bool, len(tasks))
	for i, t := range tasks {
		out[i] = run.Results[policy][t].Survived
	}
	return out
}

func percents(xs []bool) []float64 {
	out := make([]float64, len(xs))
	for i, x := range xs {
		if x {
			out[i] = 100
		}
	}
	return out
}

// groupsOf are the summaries of parts of tasks, given those of some of them.
func groupsOf(tasks []*Task, summary func([]int) Summary) *Groups {
	by := func(key func(*Task) string) map[string]Summary {
		members := map[string][]int{}
		for i, t := range tasks {
			members[key(t)] = append(members[key(t)], i)
		}
		out := map[string]Summary{}
		for k, tasks := range members {
			out[k] = summary(tasks)
		}
		return out
	}
	return &Groups{
		Lang:       by(func(t *Task) string { return t.Lang }),
		Collection: by(func(t *Task) string { return t.Collection }),
		Subset:     by(func(t *Task) string { return t.Lang + " " + t.Subset }),
	}
}

func (run *Run) summary(policy int, tasks []int) Summary {
	results := run.Results[policy]
	share := func(tasks []int, holds func(*Result) bool) float64 {
		n := 0
		for _, t := range tasks {
			if holds(&results[t]) {
				n++
			}
		}
		return 100 * float64(n) / float64(max(1, len(tasks)))
	}
	average := func(of func(*Result) int) float64 {
		sum := 0
		for _, t := range tasks {
			sum += of(&results[t])
		}
		return float64(sum) / float64(max(1, len(tasks)))
	}
	entered := func(r *Result) bool { return r.Entered }
	survived := func(r *Result) bool { return r.Survived }
	var fitting []int
	for _, t := range tasks {
		if results[t].Fits {
			fitting = append(fitting, t)
		}
	}
	s := Recalled{
		RecallAtK:      share(tasks, entered),
		RecallAtBudget: share(tasks, survived),
		RecallSig:      share(tasks, func(r *Result) bool { return r.Signature }),
		RecallAtKAll:   share(tasks, func(r *Result) bool { return r.EnteredAll }),
		RecallAll:      share(tasks, func(r *Result) bool { return r.SurvivedAll }),
		Fit:            Fit{Tasks: len(fitting), RecallAtK: share(fitting, entered), RecallAtBudget: share(fitting, survived)},
		Authorities:    average(func(r *Result) int { return r.Authorities }),
		TokensMean:     average(func(r *Result) int { return r.Tokens }),
	}
	s.DeltaRecall = s.RecallAtK - s.RecallAtBudget
	s.Fit.DeltaRecall = s.Fit.RecallAtK - s.Fit.RecallAtBudget
	return Summary{Tasks: len(tasks), Recalled: &s}
}
