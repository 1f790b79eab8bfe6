package openai

import (
	"context"
	"fmt"
	"slices"
	"strings"

	"readahead/model/fim"
	"readahead/model/link"
)

// listed is a model as GET /v1/models has it.
type listed struct {
	ID      string   `json:"id"`
	Aliases []string `json:"aliases"`
	OwnedBy string   `json:"owned_by"`
	// MaxModelLen is vLLM's and SGLang's.
	MaxModelLen int `json:"max_model_len"`
	Root        string
	Meta        *struct {
		NCtx int `json:"n_ctx"` // llama-server's, per slot
	} `json:"meta"`
}

// models lists what the server serves.
func (w *wire) models(ctx context.Context) ([]listed, error) {
	var got struct {
		Data []listed `json:"data"`
	}
	what := "list the models of " + w.host
	if err := w.get(ctx, what, "v1/models", &got); err != nil {
		return nil, err
	}
	if len(got.Data) == 0 {
		return nil, attempt{what: what, host: w.host}.fail(ErrNoModel, w.host+" lists none under /v1/models: is it a completions server, and has it loaded a model?")
	}
	return got.Data, nil
}

// choose finds the model that was asked for, or the one that is meant: the only
// one there is, or the only one that completes code.
func choose(models []listed, name, host string) (listed, error) {
	about := attempt{what: "open " + name, model: name, host: host}
	if name != "" {
		for _, m := range models {
			if m.ID == name || slices.Contains(m.Aliases, name) {
				m.ID = name
				return m, nil
			}
		}
		return listed{}, about.fail(ErrModelMissing, fmt.Sprintf("%s does not serve %q; it has %s", host, name, names(models)))
	}
	if len(models) > 1 {
		code := slices.DeleteFunc(slices.Clone(models), func(m listed) bool { return !m.completesCode() })
		if len(code) == 1 {
			return code[0], nil
		}
		about.what = "choose a model"
		return listed{}, about.fail(ErrNoModel, fmt.Sprintf("%s has several: set model to one of %s", host, names(models)))
	}
	return models[0], nil
}

func (m listed) completesCode() bool {
	_, known := fim.CalledBy(m.ID, m.Root)
	name := strings.ToLower(m.ID)
	return !strings.Contains(name, "embed") && (known || strings.Contains(name, "code"))
}

// maxNames bounds a message: gateways list hundreds.
const maxNames = 8

func names(models []listed) string {
	var out []string
	for _, m := range models[:min(len(models), maxNames)] {
		out = append(out, link.Short(m.ID))
	}
	if n := len(models) - maxNames; n > 0 {
		out = append(out, fmt.Sprintf("and %d more", n))
	}
	return strings.Join(out, ", ")
}

// A kind is a server by its own word. It only says what to try: whether that
// works is seen.
type kind int

const (
	unknownKind kind = iota
	vllmKind
	sglangKind
	llamaKind
	ollamaKind
)

func (m listed) kind() kind {
	switch m.OwnedBy {
	case "vllm":
		return vllmKind
	case "sglang":
		return sglangKind
	case "llamacpp":
		return llamaKind
	case "library": // Ollama's name for the owner of models
		return ollamaKind
	}
	return unknownKind
}

func (k kind) String() string {
	return [...]string{"", "vLLM", "SGLang", "llama-server", "Ollama"}[k]
}

// tuning switches off what a server of this kind would add. vLLM and SGLang take
// the publisher's sampling options for their defaults, llama-server has its own.
// Special tokens are to be seen, since an answer ends at one.
func (k kind) tuning() tuning {
	all, none, one, no := -1, 0.0, 1.0, false
	switch k {
	case vllmKind, sglangKind:
		return tuning{TopK: &all, MinP: &none, RepetitionPenalty: &one, SkipSpecialTokens: &no, SpacesBetween: &no}
	case llamaKind:
		all = 0
		return tuning{TopK: &all, MinP: &none}
	}
	return tuning{}
}
