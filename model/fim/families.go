package fim

import "strings"

// A Family is a group of models that were trained with the same special tokens.
type Family struct {
	Name string // as model.Info.Family reports it; "" if it is none of Families
	// called are lower-case parts of the names that such models go by.
	called []string
	// FIM is the fill-in-the-middle prompt. {head} is the evidence followed by
	// the text before the cursor, {right} the text after it. "": it has none.
	FIM string
	// Repo is FIM for a cursor with evidence, where the family was trained on
	// whole repositories: {context} is the evidence, {left} the text before the
	// cursor, {path} the document's path. Empty: evidence goes into {head}.
	Repo string
	// Special are the strings that its tokenizer turns into control tokens
	// wherever they stand, so also in the user's code. A completion is over at
	// any of them.
	Special []string
}

// Families is the one table of prompt formats, in the order in which they are
// preferred where the user did not choose a model. Sources, by family:
//
//	qwen2.5-coder   Qwen2.5-Coder's README, "File-Level" and "Repository-Level Code Completion"
//	deepseek-coder  DeepSeek-Coder's README, "Code Insertion" and "Repository Level Code Completion"
//	codestral       mistral-common's FIM tokenizer (suffix first, no middle token)
//	starcoder2      StarCoder 2 and The Stack v2 (arXiv 2402.19173) §5.1
//	codegemma       ai.google.dev/gemma/docs/codegemma/prompt-structure
//	granite-code    Granite Code Models (arXiv 2405.04324) §4.1; Granite 4's model card for the second form
//	stable-code     the model card of stabilityai/stable-code-3b
//	codellama       Code Llama (arXiv 2308.12950) §2.3, with the spaces of Ollama's own template
//
// Where a family has no format for several files, the evidence stands in front
// of the file, as in a causal prompt.
var Families = []Family{
	{
		Name:   "qwen2.5-coder",
		called: []string{"qwen2.5-coder", "qwen2.5 coder", "qwen3-coder", "qwen3 coder"},
		FIM:    "<|fim_prefix|>{head}<|fim_suffix|>{right}<|fim_middle|>",
		Repo: "<|repo_name|>workspace\n<|file_sep|>evidence\n{context}\n<|file_sep|>{path}\n" +
			"<|fim_prefix|>{left}<|fim_suffix|>{right}<|fim_middle|>",
		Special: []string{"<|endoftext|>", "<|fim_prefix|>", "<|fim_middle|>", "<|fim_suffix|>", "<|fim_pad|>",
			"<|repo_name|>", "<|file_sep|>", "<|im_start|>", "<|im_end|>"},
	},
	{
		Name:   "deepseek-coder",
		called: []string{"deepseek-coder", "deepseek coder"},
		FIM:    "<｜fim▁begin｜>{head}<｜fim▁hole｜>{right}<｜fim▁end｜>",
		Special: []string{"<｜fim▁begin｜>", "<｜fim▁hole｜>", "<｜fim▁end｜>",
			"<｜begin▁of▁sentence｜>", "<｜end▁of▁sentence｜>", "<|EOT|>"},
	},
	{
		Name:   "starcoder2",
		called: []string{"starcoder2"},
		FIM:    "<fim_prefix>{head}<fim_suffix>{right}<fim_middle>",
		Repo: "<repo_name>workspace<file_sep>evidence\n{context}<file_sep>" +
			"<fim_prefix>{path}\n{left}<fim_suffix>{right}<fim_middle>",
		Special: []string{"<|endoftext|>", "<fim_prefix>", "<fim_middle>", "<fim_suffix>", "<fim_pad>",
			"<repo_name>", "<file_sep>"},
	},
	{
		Name:   "codegemma",
		called: []string{"codegemma"},
		FIM:    "<|fim_prefix|>{head}<|fim_suffix|>{right}<|fim_middle|>",
		Repo: "{context}<|file_separator|>" +
			"<|fim_prefix|>{left}<|fim_suffix|>{right}<|fim_middle|>",
		Special: []string{"<|fim_prefix|>", "<|fim_suffix|>", "<|fim_middle|>", "<|file_separator|>",
			"<bos>", "<eos>", "<start_of_turn>", "<end_of_turn>"},
	},
	{
		Name:    "codestral",
		called:  []string{"codestral"},
		FIM:     "[SUFFIX]{right}[PREFIX]{head}",
		Special: []string{"[SUFFIX]", "[PREFIX]", "[MIDDLE]", "[INST]", "[/INST]"},
	},
	{
		Name:    "granite-4",
		called:  []string{"granite4", "granite-4", "granite 4"},
		FIM:     "<|fim_prefix|>{head}<|fim_suffix|>{right}<|fim_middle|>",
		Special: []string{"<|fim_prefix|>", "<|fim_suffix|>", "<|fim_middle|>", "<|fim_pad|>", "<|end_of_text|>", "<|start_of_role|>", "<|end_of_role|>"},
	},
	{
		Name:   "granite-code",
		called: []string{"granite-code", "granite code"},
		FIM:    "<fim_prefix>{head}<fim_suffix>{right}<fim_middle>",
		Special: []string{"<|endoftext|>", "<fim_prefix>", "<fim_middle>", "<fim_suffix>", "<fim_pad>",
			"<filename>", "<reponame>"},
	},
	{
		Name:    "stable-code",
		called:  []string{"stable-code", "stablecode", "stable code"},
		FIM:     "<fim_prefix>{head}<fim_suffix>{right}<fim_middle>",
		Special: []string{"<|endoftext|>", "<fim_prefix>", "<fim_middle>", "<fim_suffix>", "<fim_pad>"},
	},
	{
		Name:    "codellama",
		called:  []string{"codellama", "code-llama", "code llama"},
		FIM:     "<PRE> {head} <SUF>{right} <MID>",
		Special: []string{"<PRE>", "<SUF>", "<MID>", "<EOT>"},
	},
}

// FIMTokens are the special tokens of the family's fill-in-the-middle prompt.
func (f Family) FIMTokens() []string {
	var tokens []string
	for _, s := range f.Special {
		if strings.Contains(f.FIM, s) {
			tokens = append(tokens, s)
		}
	}
	return tokens
}

// Unknown is the family of a model that nothing is known about: prompts are
// causal, and the special strings of all families are neutralised.
func Unknown() Family {
	var f Family
	seen := map[string]bool{}
	for _, known := range Families {
		for _, s := range known.Special {
			if !seen[s] {
				seen[s] = true
				f.Special = append(f.Special, s)
			}
		}
	}
	return f
}

// CalledBy finds the family that models of one of these names belong to.
func CalledBy(names ...string) (Family, bool) {
	for _, f := range Families {
		for _, name := range names {
			for _, part := range f.called {
				if strings.Contains(strings.ToLower(name), part) {
					return f, true
				}
			}
		}
	}
	return Family{}, false
}

// Named is the family of that very name.
func Named(name string) (Family, bool) {
	for _, f := range Families {
		if f.Name == name {
			return f, true
		}
	}
	return Family{}, false
}

// Names are those of all families, for messages.
func Names() string {
	var names []string
	for _, f := range Families {
		names = append(names, f.Name)
	}
	return strings.Join(names, ", ")
}

// ForChat says whether a model of this name was tuned for something that fill-in-
// the-middle is usually unlearned by.
func ForChat(name string) bool {
	name = strings.ToLower(name)
	return strings.Contains(name, "instruct") || strings.Contains(name, "chat") || strings.Contains(name, "python")
}
