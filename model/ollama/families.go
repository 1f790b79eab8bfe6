package ollama

import "strings"

// A family is a group of models that were trained with the same special tokens.
type family struct {
	name string // as model.Info.Family reports it
	// called are lower-case parts of the names that such models go by.
	called []string
	// fim is the fill-in-the-middle prompt. {head} is the evidence followed by
	// the text before the cursor, {right} the text after it.
	fim string
	// repo is fim for a cursor with evidence, where the family was trained on
	// whole repositories: {context} is the evidence, {left} the text before the
	// cursor, {path} the document's path. Empty: evidence goes into {head}.
	repo string
	// special are the strings that its tokenizer turns into control tokens
	// wherever they stand, so also in the user's code. A completion is over at
	// any of them.
	special []string
}

// families is the one table of prompt formats, in the order in which they are
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
var families = []family{
	{
		name:   "qwen2.5-coder",
		called: []string{"qwen2.5-coder", "qwen2.5 coder", "qwen3-coder", "qwen3 coder"},
		fim:    "<|fim_prefix|>{head}<|fim_suffix|>{right}<|fim_middle|>",
		repo: "<|repo_name|>workspace\n<|file_sep|>evidence\n{context}\n<|file_sep|>{path}\n" +
			"<|fim_prefix|>{left}<|fim_suffix|>{right}<|fim_middle|>",
		special: []string{"<|endoftext|>", "<|fim_prefix|>", "<|fim_middle|>", "<|fim_suffix|>", "<|fim_pad|>",
			"<|repo_name|>", "<|file_sep|>", "<|im_start|>", "<|im_end|>"},
	},
	{
		name:   "deepseek-coder",
		called: []string{"deepseek-coder", "deepseek coder"},
		fim:    "<｜fim▁begin｜>{head}<｜fim▁hole｜>{right}<｜fim▁end｜>",
		special: []string{"<｜fim▁begin｜>", "<｜fim▁hole｜>", "<｜fim▁end｜>",
			"<｜begin▁of▁sentence｜>", "<｜end▁of▁sentence｜>", "<|EOT|>"},
	},
	{
		name:   "starcoder2",
		called: []string{"starcoder2"},
		fim:    "<fim_prefix>{head}<fim_suffix>{right}<fim_middle>",
		repo: "<repo_name>workspace<file_sep>evidence\n{context}<file_sep>" +
			"<fim_prefix>{path}\n{left}<fim_suffix>{right}<fim_middle>",
		special: []string{"<|endoftext|>", "<fim_prefix>", "<fim_middle>", "<fim_suffix>", "<fim_pad>",
			"<repo_name>", "<file_sep>"},
	},
	{
		name:   "codegemma",
		called: []string{"codegemma"},
		fim:    "<|fim_prefix|>{head}<|fim_suffix|>{right}<|fim_middle|>",
		repo: "{context}<|file_separator|>" +
			"<|fim_prefix|>{left}<|fim_suffix|>{right}<|fim_middle|>",
		special: []string{"<|fim_prefix|>", "<|fim_suffix|>", "<|fim_middle|>", "<|file_separator|>",
			"<bos>", "<eos>", "<start_of_turn>", "<end_of_turn>"},
	},
	{
		name:    "codestral",
		called:  []string{"codestral"},
		fim:     "[SUFFIX]{right}[PREFIX]{head}",
		special: []string{"[SUFFIX]", "[PREFIX]", "[MIDDLE]", "[INST]", "[/INST]"},
	},
	{
		name:    "granite-4",
		called:  []string{"granite4", "granite-4", "granite 4"},
		fim:     "<|fim_prefix|>{head}<|fim_suffix|>{right}<|fim_middle|>",
		special: []string{"<|fim_prefix|>", "<|fim_suffix|>", "<|fim_middle|>", "<|fim_pad|>", "<|end_of_text|>", "<|start_of_role|>", "<|end_of_role|>"},
	},
	{
		name:   "granite-code",
		called: []string{"granite-code", "granite code"},
		fim:    "<fim_prefix>{head}<fim_suffix>{right}<fim_middle>",
		special: []string{"<|endoftext|>", "<fim_prefix>", "<fim_middle>", "<fim_suffix>", "<fim_pad>",
			"<filename>", "<reponame>"},
	},
	{
		name:    "stable-code",
		called:  []string{"stable-code", "stablecode", "stable code"},
		fim:     "<fim_prefix>{head}<fim_suffix>{right}<fim_middle>",
		special: []string{"<|endoftext|>", "<fim_prefix>", "<fim_middle>", "<fim_suffix>", "<fim_pad>"},
	},
	{
		name:    "codellama",
		called:  []string{"codellama", "code-llama", "code llama"},
		fim:     "<PRE> {head} <SUF>{right} <MID>",
		special: []string{"<PRE>", "<SUF>", "<MID>", "<EOT>"},
	},
}

// unknown is the family of a model that nothing is known about: prompts are
// causal, and the special strings of all families are neutralised.
func unknown() family {
	var f family
	seen := map[string]bool{}
	for _, known := range families {
		for _, s := range known.special {
			if !seen[s] {
				seen[s] = true
				f.special = append(f.special, s)
			}
		}
	}
	return f
}

// byName finds the family that goes by one of the names.
func byName(names ...string) (family, bool) {
	for _, f := range families {
		for _, name := range names {
			for _, part := range f.called {
				if strings.Contains(strings.ToLower(name), part) {
					return f, true
				}
			}
		}
	}
	return family{}, false
}
