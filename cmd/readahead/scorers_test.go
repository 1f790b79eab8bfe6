package main

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"iter"
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
	"readahead/model/ollama/ollamatest"
	"readahead/model/openai"
	"readahead/model/openai/openaitest"
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
	tasks, sources := scorerTasks(b, 100)
	wire := openWired(b)
	embedded := func(server *wired) func() eval.ModelFor {
		return func() eval.ModelFor {
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
	}
	for b.Loop() {
		g := grading{tasks: tasks, sources: sources, prompt: "auto", right: []int{128, 32}, grades: eval.Grades}
		exact, walk := g.by(b, embedded(nil)), g.by(b, embedded(wire))
		compare(b, exact, []scorerRow{
			{"exact", exact, rank.Whole, 128}, {"exact, 32 tokens", exact, rank.Whole, 32}, {"exact, race", exact, rank.Race, 128},
			{"walk", walk, rank.Whole, 128}, {"walk, race", walk, rank.Race, 128}, {"walk, 32 tokens", walk, rank.Whole, 32}, {"walk, race over 32", walk, rank.Race, 32},
			{"Bayes, exact terms", exact, rank.Bayes, 128}, {"Bayes, walked terms", walk, rank.Bayes, 128}, {"Bayes, walked terms, 32 tokens", walk, rank.Bayes, 32},
		})
	}
}

// BenchmarkRealScorers is the same with a real Ollama and the small test model, whose
// samples are drawn once. What is exact comes from llama-server, which is made to
// generate the very tokens of the text from the same weights; on Ollama that is
// a request a token (forced), each the longest that the text begins with.
//
//	READAHEAD_OLLAMA_BIN=… READAHEAD_LLAMA_SERVER=… READAHEAD_TASKS=… READAHEAD_SOURCES=… \
//	  go test ./cmd/readahead -run '^$' -bench RealScorers -benchtime 1x -timeout 2h
func BenchmarkRealScorers(b *testing.B) {
	tasks, sources := scorerTasks(b, 30)
	grader, srv := openaitest.LlamaServer(b), ollamatest.Start(b)
	teller, err := openai.Open(b.Context(), openai.Config{Endpoint: grader.Endpoint, Model: openaitest.Model, Key: openai.NewSecret(grader.Key)})
	if err != nil {
		b.Fatal(err)
	}
	b.Cleanup(teller.Close)
	real, err := ollama.Open(b.Context(), ollama.Config{Endpoint: srv.Endpoint, Model: ollamatest.Model, ScoreRequests: 1000})
	if err != nil {
		b.Fatal(err)
	}
	b.Cleanup(real.Close)
	forced := *real.Scorer.(*ollama.Walk)
	forced.MaxWindow = 1
	drawn := &drawnOnce{Generator: real.Generator, known: map[string][]model.Sample{}}
	by := func(s model.Scorer, f model.Filler) func() eval.ModelFor {
		m := real.Model
		m.Generator, m.Scorer, m.Filler = drawn, s, f
		return func() eval.ModelFor {
			return func(context.Context, *index.Snapshot, lsp.CompletionRequest) (model.Model, error) { return m, nil }
		}
	}
	for b.Loop() {
		g := grading{tasks: tasks, sources: sources, prompt: "causal", right: []int{128, 32}, grades: []string{string(rank.Whole), string(rank.Race)}}
		exact := g.by(b, by(teller.Scorer, nil))
		g.grades = eval.Grades
		walk := g.by(b, by(real.Scorer, real.Filler))
		g.right, g.grades = []int{32}, []string{string(rank.Whole)}
		token := g.by(b, by(&forced, nil))
		compare(b, exact, []scorerRow{
			{"exact", exact, rank.Whole, 128}, {"exact, 32 tokens", exact, rank.Whole, 32}, {"exact, race", exact, rank.Race, 128}, {"exact, race over 32", exact, rank.Race, 32},
			{"forced, 32 tokens", token, rank.Whole, 32},
			{"walk", walk, rank.Whole, 128}, {"walk, race", walk, rank.Race, 128}, {"walk, 32 tokens", walk, rank.Whole, 32}, {"walk, race over 32", walk, rank.Race, 32},
			{"Bayes, walked terms", walk, rank.Bayes, 128}, {"Bayes, walked terms, 32 tokens", walk, rank.Bayes, 32},
		})
	}
}

// drawnOnce gives the samples of the first time whenever they are asked for again.
type drawnOnce struct {
	model.Generator
	known map[string][]model.Sample
}

func (d *drawnOnce) Samples(ctx context.Context, p model.Prompt, o model.Options) iter.Seq2[model.Sample, error] {
	key := fmt.Sprintf("%#v %#v", p, o.Seed)
	return func(yield func(model.Sample, error) bool) {
		if known, ok := d.known[key]; ok {
			for _, s := range known {
				if !yield(s, nil) {
					return
				}
			}
			yield(model.Sample{}, errors.New("more samples are wanted than the first time"))
			return
		}
		for s, err := range d.Generator.Samples(ctx, p, o) {
			if err == nil {
				d.known[key] = append(d.known[key], s)
			}
			if !yield(s, err) {
				return
			}
		}
	}
}

// A scorerRow is one way to grade.
type scorerRow struct {
	name  string
	of    *gradedTasks
	grade rank.Grade
	right int
}

// compare prints what each way makes of the candidates beside the exact grades.
func compare(b *testing.B, exact *gradedTasks, rows []scorerRow) {
	fmt.Printf("\n%d tasks; grades of %d candidates; the exact ones differ by %.3f nats a token from the mean of their place\n%-30s %8s %8s %12s %9s %6s\n",
		len(exact.tasks), exact.candidates(), exact.spread(), "", "error", "winner", "correlation", "requests", "EM")
	reference := exact.answers(b, rank.Whole, 128)
	for _, row := range rows {
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

func scorerTasks(b *testing.B, standard int) ([]eval.Task, string) {
	file, sources := os.Getenv("READAHEAD_TASKS"), os.Getenv("READAHEAD_SOURCES")
	if file == "" || sources == "" {
		b.Skip("set READAHEAD_TASKS to a task file and READAHEAD_SOURCES to the folder of its repositories")
	}
	tasks, err := eval.Load(file)
	if err != nil {
		b.Fatal(err)
	}
	n, err := strconv.Atoi(cmp.Or(os.Getenv("READAHEAD_N"), strconv.Itoa(standard)))
	if err != nil || n < 1 {
		b.Fatalf("READAHEAD_N %q is no number of tasks", os.Getenv("READAHEAD_N"))
	}
	return evalFlags{}.filter(tasks, n), sources
}

// gradedTasks are tasks with samples, graded in one way.
type gradedTasks struct {
	prompt string // form of the prompt
	setup  eval.Setup
	tasks  []*eval.Task
	said   []eval.Said
}

// A grading says what is graded, and how.
type grading struct {
	tasks   []eval.Task
	sources string
	prompt  string // form of the prompt that samples are drawn with
	right   []int  // tokens of what follows
	grades  []string
}

// by asks models, the same for samples each time.
func (g grading) by(b *testing.B, models func() eval.ModelFor) *gradedTasks {
	sweep := eval.DefaultSweep()
	sweep.Route, sweep.Right, sweep.Grade, sweep.Prompt = []string{"off"}, g.right, g.grades, []string{g.prompt}
	pools, err := eval.OpenPools("", eval.Terms{Samples: sweep.Most(), Scored: sweep.Scored(), Bayes: sweep.Bayes(), Prompts: sweep.Prompt, Contexts: sweep.Scored(), Readings: sweep.Readings()})
	if err != nil {
		b.Fatal(err)
	}
	policy, err := allocate.PolicyByName("vital+")
	if err != nil {
		b.Fatal(err)
	}
	out := &gradedTasks{prompt: g.prompt, setup: eval.Setup{Sources: g.sources, Options: allocate.DefaultOptions(), Policies: []allocate.Policy{policy}, CacheDir: b.TempDir()}}
	out.tasks, out.said, err = eval.Sample(b.Context(), g.tasks, eval.Sampling{Setup: out.setup, Config: lsp.DefaultConfig(), Models: models, Samples: sweep.Most(), Pools: pools})
	if err != nil {
		b.Fatal(err)
	}
	return out
}

// answers are those of candidates that are ordered by their grades alone.
func (g *gradedTasks) answers(b *testing.B, grade rank.Grade, right int) []eval.Answer {
	v := eval.DefaultVariant()
	v.Select, v.Route, v.Prompt, v.Grade, v.Right = "rcv", "off", g.prompt, string(grade), right
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
	for _, v := range g.said[task][g.prompt].Record.Views {
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
