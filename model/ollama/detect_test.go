package ollama

import (
	"testing"

	"github.com/ollama/ollama/api"

	"readahead/model/fim"
)

func TestDetect(t *testing.T) {
	ids := map[string]any{"tokenizer.ggml.fim_pre_token_id": 1.0, "tokenizer.ggml.fim_suf_token_id": 2.0, "tokenizer.ggml.fim_mid_token_id": 3.0}
	const qwen = "{{- if .Suffix }}<|fim_prefix|>{{ .Prompt }}<|fim_suffix|>{{ .Suffix }}<|fim_middle|>{{ else }}{{ .Prompt }}{{ end }}"
	for _, tt := range []struct {
		name, model, template string
		info                  map[string]any
		family                string
		fim                   bool
	}{
		{"by name", "qwen2.5-coder:1.5b-base", "", nil, "qwen2.5-coder", true},
		{"by name, from another registry", "hf.co/Qwen/Qwen2.5-Coder-7B-GGUF:Q4_K_M", "", nil, "qwen2.5-coder", true},
		{"by the name inside the file", "my-model", "", map[string]any{"general.basename": "Qwen2.5-Coder"}, "qwen2.5-coder", true},
		{"a chat model's template without a suffix: no FIM", "deepseek-coder:6.7b-instruct", "{{ .Prompt }}", nil, "deepseek-coder", false},
		{"a chat model that kept its FIM tokens", "qwen2.5-coder:7b-instruct", "{{ .Prompt }}", ids, "qwen2.5-coder", true},
		{"by the tokens in the template", "tiny-code", qwen, nil, "qwen2.5-coder", true},
		{"tokens that families share: the name decides", "codegemma:2b", qwen, nil, "codegemma", true},
		{"spaces in the template", "my-llama", "{{- if .Suffix }}<PRE> {{ .Prompt }} <SUF>{{ .Suffix }} <MID>{{ else }}{{ .Prompt }}{{ end }}", nil, "codellama", true},
		{"suffix first", "codestral", "{{- if .Suffix }}[SUFFIX]{{ .Suffix }}[PREFIX] {{ .Prompt }}{{ else }}[INST]{{ .Prompt }}[/INST]{{ end }}", nil, "codestral", true},
		{"tokens of nobody known", "seed", "{{ if .Suffix }}<[fim-suffix]>{{ .Suffix }}<[fim-prefix]>{{ .Prompt }}<[fim-middle]>{{ else }}{{ .Prompt }}{{ end }}", nil, "", true},
		{"a template that is not understood", "odd", "{{ if .Suffix }}{{ .Nonsense.Deep }}{{ end", nil, "", false},
		{"nothing to go by", "llama3", "{{ .Prompt }}", nil, "", false},
	} {
		t.Run(tt.name, func(t *testing.T) {
			f, middle := detect(tt.model, &api.ShowResponse{Template: tt.template, ModelInfo: tt.info})
			if f.Name != tt.family || middle != tt.fim {
				t.Errorf("family %q, FIM %v; want %q, %v", f.Name, middle, tt.family, tt.fim)
			}
			if middle && f.FIM == "" {
				t.Error("FIM without a prompt for it")
			}
		})
	}
}

func TestATemplateOfItsOwnIsFollowed(t *testing.T) {
	f, _ := detect("seed", &api.ShowResponse{Template: "{{ if .Suffix }}<[fim-suffix]>{{ .Suffix }}<[fim-prefix]>{{ .Prompt }}<[fim-middle]>{{ end }}"})
	same(t, "prompt", f.FIM, "<[fim-suffix]>{right}<[fim-prefix]>{head}<[fim-middle]>")
	p := fim.NewPrompter(f, true)
	same(t, "neutralised", p.Restore(p.Neutralise("<[fim-middle]>")), "<[fim-middle]>")
	if p.Neutralise("<[fim-middle]>") == "<[fim-middle]>" {
		t.Error("its own token stays special in the user's code")
	}
}

func TestAnUnknownVocabularyIsRead(t *testing.T) {
	f := newFake(t)
	f.show.Template = "{{ .Prompt }}"
	f.show.ModelInfo = map[string]any{
		"general.architecture": "new", "new.context_length": 1024,
		"tokenizer.ggml.fim_pre_token_id": 1, "tokenizer.ggml.fim_suf_token_id": 2, "tokenizer.ggml.fim_mid_token_id": 3,
		"tokenizer.ggml.tokens":     []string{"a", "<P>", "<S>", "<M>", "<END>", "b"},
		"tokenizer.ggml.token_type": []int{1, 3, 3, 3, 3, 1},
	}
	m := f.openDirect(t, Config{})
	if !m.Info.FIM || m.Info.Context != 1024 {
		t.Errorf("got %+v; want FIM and a context of 1024", m.Info)
	}
	same(t, "prompt", m.server.prompter.Family.FIM, "<P>{head}<S>{right}<M>")
	if plain := m.server.prompter.Neutralise("<END>b"); plain != "<\u200bEND>b" {
		t.Errorf("neutralised to %q", plain)
	}
}
