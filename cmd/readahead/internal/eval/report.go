package eval

import (
	"slices"
	"time"
)

// A Summary is what one policy reaches on some tasks. Recalls are in percent.
type Summary struct {
	Policy         string      `json:"policy,omitempty"`
	Tasks          int         `json:"tasks"`
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
	Milliseconds   *Stages     `json:"ms,omitempty"`
	By             *Groups     `json:"by,omitempty"`
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
		sum.Interval = &interval
		if p > 0 {
			c := compare(survived, run.survived(0, all))
			sum.Against = &c
		}
		sum.Milliseconds = &Stages{percentiles(run.Retrieve), percentiles(run.Allocate[p])}
		sum.By = &Groups{
			Lang:       run.groups(p, func(t *Task) string { return t.Lang }),
			Collection: run.groups(p, func(t *Task) string { return t.Collection }),
			Subset:     run.groups(p, func(t *Task) string { return t.Lang + " " + t.Subset }),
		}
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

func (run *Run) groups(policy int, key func(*Task) string) map[string]Summary {
	members := map[string][]int{}
	for i, t := range run.Tasks {
		members[key(t)] = append(members[key(t)], i)
	}
	out := map[string]Summary{}
	for k, tasks := range members {
		out[k] = run.summary(policy, tasks)
	}
	return out
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
	s := Summary{
		Tasks:          len(tasks),
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
	return s
}
