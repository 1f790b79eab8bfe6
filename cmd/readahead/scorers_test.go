package main

import (
	"cmp"
	"context"
	"encoding/json"
	"fmt"
	"math"
	"net/http"
	"net/http/httptest"
	"os"
	"slices"
	"strconv"
	"strings"
	"testing"

	"readahead/allocate"
	"readahead/cmd/readahead/internal/eval"
	"readahead/index"
	"readahead/lsp"
	"readahead/model"
	"readahead/model/ollama"
	"readahead/rank"
)

// BenchmarkScorers holds the ways to grade a candidate on a server that cannot
// score a given text against the exact likelihood. The model is the embedded one,
// which knows that, behind a server that tells no more of it than Ollama would:
//
//	embedded ──────────────────────────── exact, and by Bayes' rule
//	    └─ 20 alternatives a place ── HTTP ── ollama's walk, and Bayes' rule by walks
//
//	READAHEAD_TASKS=… READAHEAD_SOURCES=… go test ./cmd/readahead -run '^$' -bench Scorers -benchtime 1x
//
// The tasks are those of testdata/tasks, every so-manieth of them (READAHEAD_N,
// 100), and the sources what `eval --fetch` brings.
func BenchmarkScorers(b *testing.B) {
	tasks, sources := scorerTasks(b)
	for b.Loop() {
		exact := graded(b, tasks, sources, nil)
		walk := graded(b, tasks, sources, openWired(b))
		fmt.Printf("\n%d tasks; grades of %d candidates; the exact ones differ by %.3f nats a token from the mean of their place\n%-30s %8s %8s %12s %9s %6s\n",
			len(tasks), exact.candidates(), exact.spread(), "", "error", "winner", "correlation", "requests", "EM")
		reference := exact.answers(b, rank.Whole, 128)
		for _, row := range []struct {
			name  string
			of    *gradedTasks
			grade rank.Grade
			right int
		}{
			{"exact", exact, rank.Whole, 128}, {"exact, 32 tokens", exact, rank.Whole, 32}, {"exact, race", exact, rank.Race, 128},
			{"walk", walk, rank.Whole, 128}, {"walk, race", walk, rank.Race, 128}, {"walk, 32 tokens", walk, rank.Whole, 32}, {"walk, race over 32", walk, rank.Race, 32},
			{"Bayes, exact terms", exact, rank.Bayes, 128}, {"Bayes, walked terms", walk, rank.Bayes, 128}, {"Bayes, walked terms, 32 tokens", walk, rank.Bayes, 32},
		} {
			answers := row.of.answers(b, row.grade, row.right)
			beside := eval.CompareGrades(answers, reference)
			requests, right := 0, 0
			for _, a := range answers {
				requests += a.Grading
				if a.Right {
					right++
				}
			}
			n := float64(len(answers))
			fmt.Printf("%-30s %8.3f %7.1f%% %12.3f %9.1f %5.2f%%\n", row.name, row.of.off(exact, row.grade, row.right), beside.Winner, beside.Correlation, float64(requests)/n, 100*float64(right)/n)
		}
	}
}

func scorerTasks(b *testing.B) ([]eval.Task, string) {
	file, sources := os.Getenv("READAHEAD_TASKS"), os.Getenv("READAHEAD_SOURCES")
	if file == "" || sources == "" {
		b.Skip("set READAHEAD_TASKS to a task file and READAHEAD_SOURCES to the folder of its repositories")
	}
	tasks, err := eval.Load(file)
	if err != nil {
		b.Fatal(err)
	}
	n, err := strconv.Atoi(cmp.Or(os.Getenv("READAHEAD_N"), "100"))
	if err != nil || n < 1 {
		b.Fatalf("READAHEAD_N %q is no number of tasks", os.Getenv("READAHEAD_N"))
	}
	return evalFlags{}.filter(tasks, n), sources
}

// gradedTasks are tasks with the samples of the embedded model, graded in one way.
type gradedTasks struct {
	setup eval.Setup
	tasks []*eval.Task
	said  []eval.Said
}

// graded asks the embedded model for samples, and it or the server in front of it
// for grades. The samples are the same each time.
func graded(b *testing.B, tasks []eval.Task, sources string, server *wired) *gradedTasks {
	sweep := eval.DefaultSweep()
	sweep.Route, sweep.Right, sweep.Grade = []string{"off"}, []int{128, 32}, eval.Grades
	terms := eval.Terms{Samples: sweep.Most(), Scored: []string{"structural"}, Bayes: true, Contexts: []string{"structural"}, Readings: sweep.Readings()}
	pools, err := eval.OpenPools("", terms)
	if err != nil {
		b.Fatal(err)
	}
	policy, err := allocate.PolicyByName("vital+")
	if err != nil {
		b.Fatal(err)
	}
	g := &gradedTasks{setup: eval.Setup{Sources: sources, Options: allocate.DefaultOptions(), Policies: []allocate.Policy{policy}, CacheDir: b.TempDir()}}
	models := func() eval.ModelFor {
		local := newLocal(0, 0)
		return func(ctx context.Context, s *index.Snapshot, r lsp.CompletionRequest) (model.Model, error) {
			m, err := local.model(ctx, s, r)
			if server != nil && err == nil {
				server.explorer = m.Explorer
				m.Scorer, m.Filler = server.Scorer, server.Filler
			}
			return m, err
		}
	}
	g.tasks, g.said, err = eval.Sample(b.Context(), tasks, eval.Sampling{Setup: g.setup, Config: lsp.DefaultConfig(), Models: models, Samples: sweep.Most(), Pools: pools})
	if err != nil {
		b.Fatal(err)
	}
	return g
}

// answers are those of candidates that are ordered by their grades alone.
func (g *gradedTasks) answers(b *testing.B, grade rank.Grade, right int) []eval.Answer {
	v := eval.DefaultVariant()
	v.Select, v.Route, v.Grade, v.Right = "rcv", "off", string(grade), right
	answers, err := eval.Answers(b.Context(), g.tasks, g.said, g.setup, []eval.Variant{v})
	if err != nil {
		b.Fatal(err)
	}
	return answers[0]
}

// grades are those of a task's candidates, by their text, less their mean: what
// all have in common chooses none. nil if there are fewer than two.
func (g *gradedTasks) grades(task int, grade rank.Grade, right int) (map[string]float64, int) {
	out := map[string]float64{}
	for _, v := range g.said[task]["auto"].Record.Views {
		if v.Reading.Left != 256 || v.Reading.Right != right {
			continue
		}
		scores := v.Scores
		if grade == rank.Bayes {
			scores = v.Bayes
		}
		sum := 0.0
		for _, s := range scores {
			if s.LogProb != nil {
				out[s.Text] = *s.LogProb
				sum += *s.LogProb
			}
		}
		for text := range out {
			out[text] -= sum / float64(len(out))
		}
		return out, max(1, v.Tokens.Right)
	}
	return nil, 1
}

// off is by how much grades are off the exact ones of the same code, in nats a
// token of it, on average over candidates. Races, whose losers are not graded to
// the end, are off as whole readings are.
func (g *gradedTasks) off(exact *gradedTasks, grade rank.Grade, right int) float64 {
	sum, n := 0.0, 0
	for t := range g.said {
		got, tokens := g.grades(t, grade, right)
		want, _ := exact.grades(t, rank.Whole, right)
		for text, x := range got {
			sum += math.Abs(x-want[text]) / float64(tokens)
			n++
		}
	}
	return sum / float64(max(1, n))
}

// spread is what there is to be off by.
func (g *gradedTasks) spread() float64 {
	sum, n := 0.0, 0
	for t := range g.said {
		got, tokens := g.grades(t, rank.Whole, 128)
		for _, x := range got {
			sum += math.Abs(x) / float64(tokens)
			n++
		}
	}
	return sum / float64(max(1, n))
}

func (g *gradedTasks) candidates() int {
	n := 0
	for t := range g.said {
		got, _ := g.grades(t, rank.Whole, 128)
		n += len(got)
	}
	return n
}

// A wired is a model behind a server that speaks like Ollama 0.17.4: it generates,
// lists 20 alternatives of every token, and scores nothing.
type wired struct {
	*ollama.Model
	explorer model.Explorer // of the model behind
}

func openWired(b *testing.B) *wired {
	w := &wired{}
	mux := http.NewServeMux()
	answer := func(rw http.ResponseWriter, v any) {
		rw.Header().Set("Content-Type", "application/json")
		if err := json.NewEncoder(rw).Encode(v); err != nil {
			b.Error(err)
		}
	}
	mux.HandleFunc("GET /api/version", func(rw http.ResponseWriter, _ *http.Request) { answer(rw, object{"version": "0.17.4"}) })
	mux.HandleFunc("POST /api/show", func(rw http.ResponseWriter, _ *http.Request) {
		answer(rw, object{"template": fimTemplate, "capabilities": []string{"completion", "insert"}, "model_info": object{"general.architecture": "qwen2", "qwen2.context_length": 8192}})
	})
	mux.HandleFunc("POST /api/generate", func(rw http.ResponseWriter, r *http.Request) {
		var q wiredRequest
		if err := json.NewDecoder(r.Body).Decode(&q); err != nil {
			b.Error(err)
		}
		reply, err := w.generate(r.Context(), q)
		if err != nil {
			rw.WriteHeader(http.StatusInternalServerError)
			reply = object{"error": err.Error()}
		}
		answer(rw, reply)
	})
	server := httptest.NewServer(mux)
	b.Cleanup(server.Close)
	m, err := ollama.Open(b.Context(), ollama.Config{Endpoint: server.URL, Model: "qwen2.5-coder:embedded"})
	if err != nil {
		b.Fatal(err)
	}
	b.Cleanup(m.Close)
	w.Model = m
	return w
}

const (
	fimTemplate = "<|fim_prefix|>{{ .Prompt }}<|fim_suffix|>{{ .Suffix }}<|fim_middle|>"
	wiredTop    = 20
)

type object = map[string]any

type wiredRequest struct {
	Prompt      string `json:"prompt"`
	TopLogprobs int    `json:"top_logprobs"`
	Options     struct {
		Temperature float64 `json:"temperature"`
		NumPredict  int     `json:"num_predict"`
	} `json:"options"`
}

// prompt is what the model behind is asked: what stands behind a prompt that fills
// in the middle is how the middle begins.
func (q wiredRequest) prompt() model.Prompt {
	left, rest, ok := strings.Cut(strings.TrimPrefix(q.Prompt, "<|fim_prefix|>"), "<|fim_suffix|>")
	if !ok {
		return model.Prompt{Left: q.Prompt, Causal: true}
	}
	right, middle, _ := strings.Cut(rest, "<|fim_middle|>")
	return model.Prompt{Left: left + middle, Right: right}
}

// generate goes on greedily. The end of the text is no token of the reply; at a
// high temperature, by which it is asked for what else there is, the likeliest
// token that is none.
func (w *wired) generate(ctx context.Context, q wiredRequest) (object, error) {
	var text strings.Builder
	var listed []object
	reason := "length"
	err := w.explorer.Explore(ctx, q.prompt(), func(next model.Continue) error {
		var written []string
		for len(written) < q.Options.NumPredict {
			steps, _, err := next(written, q.Options.NumPredict-len(written))
			if err != nil || len(steps) == 0 {
				return err
			}
			for _, s := range steps {
				choices := slices.DeleteFunc(slices.Clone(s.Listed), func(c model.Choice) bool { return c.End })
				if ends := s.Listed[0].End && q.Options.Temperature <= 1; ends || len(choices) == 0 {
					reason = "stop"
					return nil
				}
				written = append(written, choices[0].Text)
				text.WriteString(choices[0].Text)
				listed = append(listed, logprobs(choices[:min(len(choices), q.TopLogprobs, wiredTop)]))
			}
		}
		return nil
	})
	return object{"model": "toy", "response": text.String(), "done": true, "done_reason": reason, "logprobs": listed, "eval_count": len(listed), "prompt_eval_count": max(1, len(q.Prompt)/3)}, err
}

func logprobs(choices []model.Choice) object {
	var top []object
	for _, c := range choices {
		bytes := []int{}
		for _, x := range []byte(c.Text) {
			bytes = append(bytes, int(x))
		}
		top = append(top, object{"token": c.Text, "logprob": c.LogProb, "bytes": bytes})
	}
	if len(top) == 0 {
		return object{}
	}
	return object{"token": top[0]["token"], "logprob": top[0]["logprob"], "bytes": top[0]["bytes"], "top_logprobs": top}
}
