package fim

import (
	"strings"
	"testing"
	"unicode/utf8"

	"pgregory.net/rapid"

	"readahead/model"
)

func mustFamily(t *testing.T, name string) Family {
	f, ok := Named(name)
	if !ok {
		t.Fatalf("no family %q", name)
	}
	return f
}

func TestPrompts(t *testing.T) {
	for _, tt := range []struct{ family, alone, withEvidence string }{
		{"qwen2.5-coder", "<|fim_prefix|>LEFT<|fim_suffix|>RIGHT<|fim_middle|>",
			"<|repo_name|>workspace\n<|file_sep|>evidence\nEVIDENCE\n<|file_sep|>a/b.go\n<|fim_prefix|>LEFT<|fim_suffix|>RIGHT<|fim_middle|>"},
		{"deepseek-coder", "<｜fim▁begin｜>LEFT<｜fim▁hole｜>RIGHT<｜fim▁end｜>",
			"<｜fim▁begin｜>EVIDENCE\nLEFT<｜fim▁hole｜>RIGHT<｜fim▁end｜>"},
		{"starcoder2", "<fim_prefix>LEFT<fim_suffix>RIGHT<fim_middle>",
			"<repo_name>workspace<file_sep>evidence\nEVIDENCE<file_sep><fim_prefix>a/b.go\nLEFT<fim_suffix>RIGHT<fim_middle>"},
		{"codegemma", "<|fim_prefix|>LEFT<|fim_suffix|>RIGHT<|fim_middle|>",
			"EVIDENCE<|file_separator|><|fim_prefix|>LEFT<|fim_suffix|>RIGHT<|fim_middle|>"},
		{"codestral", "[SUFFIX]RIGHT[PREFIX]LEFT", "[SUFFIX]RIGHT[PREFIX]EVIDENCE\nLEFT"},
		{"granite-4", "<|fim_prefix|>LEFT<|fim_suffix|>RIGHT<|fim_middle|>",
			"<|fim_prefix|>EVIDENCE\nLEFT<|fim_suffix|>RIGHT<|fim_middle|>"},
		{"granite-code", "<fim_prefix>LEFT<fim_suffix>RIGHT<fim_middle>",
			"<fim_prefix>EVIDENCE\nLEFT<fim_suffix>RIGHT<fim_middle>"},
		{"stable-code", "<fim_prefix>LEFT<fim_suffix>RIGHT<fim_middle>",
			"<fim_prefix>EVIDENCE\nLEFT<fim_suffix>RIGHT<fim_middle>"},
		{"codellama", "<PRE> LEFT <SUF>RIGHT <MID>", "<PRE> EVIDENCE\nLEFT <SUF>RIGHT <MID>"},
	} {
		t.Run(tt.family, func(t *testing.T) {
			p := NewPrompter(mustFamily(t, tt.family), true)
			q := model.Prompt{Path: "a/b.go", Left: "LEFT", Right: "RIGHT"}
			same(t, "without evidence", p.Text(q), tt.alone)
			q.Context = "EVIDENCE"
			same(t, "with evidence", p.Text(q), tt.withEvidence)
			q.Causal = true
			same(t, "causal", p.Text(q), "EVIDENCE\nLEFT")
			// The model is to know that the file ends here (a server's own template
			// drops the form where the suffix is empty).
			q.Causal, q.Right = false, ""
			same(t, "nothing after the cursor", p.Text(q), strings.Replace(tt.withEvidence, "RIGHT", "", 1))
			same(t, "nothing at all, causal", p.Text(model.Prompt{Causal: true}), "\n")
		})
	}
	if len(Families) != 9 {
		t.Errorf("%d families; each needs a line here", len(Families))
	}
}

func same(t *testing.T, what, got, want string) {
	t.Helper()
	if got != want {
		t.Errorf("%s:\ngot  %q\nwant %q", what, got, want)
	}
}

func TestAPlaceholderInTheUsersTextStays(t *testing.T) {
	p := NewPrompter(mustFamily(t, "starcoder2"), true)
	same(t, "prompt", p.Text(model.Prompt{Left: "{right}", Right: "{head}{left}"}),
		"<fim_prefix>{right}<fim_suffix>{head}{left}<fim_middle>")
}

// Whatever special strings the user's text has, the server must see those of
// the prompt format and no others, and the way back must be exact.
func TestUserTextHasNoSpecialTokens(t *testing.T) {
	for _, f := range append(Families, Unknown()) {
		t.Run(f.Name, func(t *testing.T) {
			p := NewPrompter(f, true)
			alphabet := append([]string{"x", " ", "<", "|", ">", ZeroWidth, "\xff", "日", "<|fim_", "prefix|>"}, f.Special...)
			for _, s := range f.Special {
				_, n := utf8.DecodeRuneInString(s)
				alphabet = append(alphabet, s[:n]+ZeroWidth+s[n:], s[:n], s[n:])
			}
			user := rapid.Custom(func(t *rapid.T) string {
				return strings.Join(rapid.SliceOfN(rapid.SampledFrom(alphabet), 0, 8).Draw(t, "parts"), "")
			})
			rapid.Check(t, func(r *rapid.T) {
				text := user.Draw(r, "text")
				plain := p.Neutralise(text)
				for _, s := range f.Special {
					if strings.Contains(plain, s) {
						r.Fatalf("%q keeps %q in %q", text, s, plain)
					}
				}
				if !utf8.ValidString(plain) {
					r.Fatalf("%q is not UTF-8", plain)
				}
				if back := p.Restore(plain); back != strings.ToValidUTF8(text, "\uFFFD") {
					r.Fatalf("%q came back as %q", text, back)
				}
				q := model.Prompt{Context: user.Draw(r, "context"), Path: user.Draw(r, "path"), Left: user.Draw(r, "left"), Right: user.Draw(r, "right") + "."}
				form := f.FIM
				if f.Repo != "" && q.Context != "" {
					form = f.Repo
				}
				for _, s := range f.Special {
					if got, want := strings.Count(p.Text(q), s), strings.Count(form, s); got != want {
						r.Fatalf("%d of %q in %q; the format has %d", got, s, p.Text(q), want)
					}
				}
			})
		})
	}
}

func TestAnswers(t *testing.T) {
	for _, tt := range []struct{ name, family, reply, want string }{
		{"code is code", "qwen2.5-coder", "return x", "return x"},
		{"an answer ends where another file begins", "qwen2.5-coder", "return x<|file_sep|>b.go", "return x"},
		{"a repeated middle token is dropped", "qwen2.5-coder", "<|fim_middle|>return x", "return x"},
		{"an end of infilling is dropped", "codellama", "return x <EOT>", "return x "},
		{"deepseek's wide bars", "deepseek-coder", "x<｜end▁of▁sentence｜>y", "x"},
		{"nothing but tokens is nothing", "starcoder2", "<file_sep><|endoftext|>", ""},
		{"a token of another family is code", "codellama", `s == "<|fim_middle|>"`, `s == "<|fim_middle|>"`},
		{"a neutralised string comes back as it was", "qwen2.5-coder", "s == \"<\u200b|fim_middle|>\"", `s == "<|fim_middle|>"`},
		{"broken UTF-8 is dropped", "qwen2.5-coder", "a\xe6\x97", "a"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			same(t, "answer", NewPrompter(mustFamily(t, tt.family), true).Answer(tt.reply), tt.want)
		})
	}
}
