package ollama

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"text/template"

	"github.com/ollama/ollama/api"

	"readahead/model/fim"
)

// detect finds the prompt family of a model, and whether it fills in the
// middle. What the model says about itself comes before its name, since people
// name their models as they like:
//
//  1. its template has a suffix and the FIM tokens of a family: that family,
//     told apart by name where several share the tokens
//  2. its template has a suffix and tokens of its own: what the template says
//  3. its name is that of a family: the family, and FIM unless it was tuned for
//     chat, where FIM is usually unlearned
//  4. nothing: causal prompts
func detect(name string, show *api.ShowResponse) (fim.Family, bool) {
	names := []string{name, text(show.ModelInfo, "general.basename"), text(show.ModelInfo, "general.name")}
	named, isNamed := fim.CalledBy(names...)
	if strings.Contains(show.Template, ".Suffix") {
		if isNamed && speaks(show.Template, named) {
			return named, true
		}
		for _, f := range fim.Families {
			if speaks(show.Template, f) {
				return f, true
			}
		}
		if f, ok := fromTemplate(show.Template); ok {
			return f, true
		}
	}
	if isNamed {
		return named, hasFIMTokens(show.ModelInfo) || !slices.ContainsFunc(names, fim.ForChat)
	}
	return fim.Unknown(), false
}

// speaks says whether a template uses the tokens of f's FIM prompt.
func speaks(tmpl string, f fim.Family) bool {
	for _, token := range f.FIMTokens() {
		if !strings.Contains(tmpl, token) {
			return false
		}
	}
	return true
}

// fromTemplate runs the model's own template and reads the FIM prompt off what
// comes out. It works for any template that puts the two texts between fixed
// ones; anything else is not understood and is no error.
func fromTemplate(tmpl string) (fim.Family, bool) {
	nothing := func(...any) string { return "" }
	t, err := template.New("").Option("missingkey=zero").Funcs(template.FuncMap{
		"json": nothing, "currentDate": nothing, "yesterdayDate": nothing, "toTypeScriptType": nothing,
	}).Parse(tmpl)
	if err != nil {
		return fim.Family{}, false
	}
	var out strings.Builder
	err = t.Execute(&out, map[string]any{"Prompt": "{head}", "Suffix": "{right}", "System": "", "Response": "", "Messages": nil, "Tools": nil})
	form := out.String()
	if err != nil || strings.Count(form, "{head}") != 1 || strings.Count(form, "{right}") != 1 || strings.Count(form, "<no value>") > 0 {
		return fim.Family{}, false
	}
	f := fim.Unknown()
	f.FIM = form
	for _, part := range strings.Split(strings.NewReplacer("{head}", "\x00", "{right}", "\x00").Replace(form), "\x00") {
		if part = strings.TrimSpace(part); part != "" && !slices.Contains(f.Special, part) {
			f.Special = append(f.Special, part)
		}
	}
	return f, len(f.Special) > len(fim.Unknown().Special)
}

// fimKeys are the ids that llama.cpp writes into a model file for its FIM tokens.
var fimKeys = [3]string{"tokenizer.ggml.fim_pre_token_id", "tokenizer.ggml.fim_suf_token_id", "tokenizer.ggml.fim_mid_token_id"}

func hasFIMTokens(info map[string]any) bool {
	for _, key := range fimKeys {
		if _, ok := info[key].(float64); !ok {
			return false
		}
	}
	return true
}

// learnVocabulary reads an unknown model's FIM tokens and all of its control
// tokens from its vocabulary. It is megabytes of JSON, so it is asked for only
// here; without an answer prompts stay causal.
func (a *abilities) learnVocabulary(ctx context.Context, w *wire, name string) {
	show, err := w.client.Show(ctx, &api.ShowRequest{Model: name, Verbose: true})
	if err != nil {
		return
	}
	tokens, _ := show.ModelInfo["tokenizer.ggml.tokens"].([]any)
	types, _ := show.ModelInfo["tokenizer.ggml.token_type"].([]any)
	var marks [3]string
	for i, key := range fimKeys {
		id := number(show.ModelInfo, key)
		if id < 0 || id >= len(tokens) {
			return
		}
		if marks[i], _ = tokens[id].(string); marks[i] == "" {
			return
		}
	}
	f := fim.Family{FIM: fmt.Sprintf("%s{head}%s{right}%s", marks[0], marks[1], marks[2]), Special: marks[:]}
	const control = 3 // llama.cpp's token type
	for i := range min(len(tokens), len(types)) {
		s, _ := tokens[i].(string)
		if kind, _ := types[i].(float64); kind == control && s != "" && !slices.Contains(f.Special, s) {
			f.Special = append(f.Special, s)
		}
	}
	a.family, a.fim = f, true
}
