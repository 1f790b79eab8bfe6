package openai

import (
	"encoding/json"
	"math"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"unicode/utf8"

	"readahead/model"
	"readahead/model/fim"
)

// Whatever a server sends, it is either refused or becomes samples and likelihoods
// that can be worked with.
func FuzzReply(f *testing.F) {
	for _, body := range []string{
		`{"choices":[{"index":0,"text":"a)\nb","finish_reason":"stop","logprobs":{"tokens":["a",")\n","b"],"token_logprobs":[null,-1,-9999],"top_logprobs":[null,{")\n":-1},{"b":-2}]}}],"usage":{"prompt_tokens":3}}`,
		`{"choices":[{"text":"ab","logprobs":{"content":[{"id":1,"token":"a","bytes":[97],"logprob":-1,"top_logprobs":[{"token":"b","bytes":[98],"logprob":-2}]}]}}]}`,
		`{"choices":[{"text":"x","prompt_logprobs":[null,{"7":{"logprob":-1.5,"rank":3,"decoded_token":"b"},"8":{"logprob":-1,"rank":1,"decoded_token":"c"}}]}]}`,
		`{"error":{"message":"no"}}`, `{"choices":null}`, `[]`, `{"choices":[{"text":"日","logprobs":{"tokens":["","",""],"token_logprobs":[-1,-1,-1]}}]}`,
	} {
		f.Add([]byte(body), "a)", "\nb")
	}
	recorded, err := filepath.Glob(filepath.Join("testdata", "recorded", "*.json"))
	if err != nil {
		f.Fatal(err)
	}
	for _, file := range recorded {
		data, err := os.ReadFile(file)
		if err != nil {
			f.Fatal(err)
		}
		var all []exchange
		if err := json.Unmarshal(data, &all); err != nil {
			f.Fatal(err)
		}
		for _, e := range all {
			f.Add([]byte(e.Reply), "for", " each")
		}
	}
	s := &server{prompter: fim.NewPrompter(fim.Families[0], true)}
	f.Fuzz(func(t *testing.T, body []byte, prefix, target string) {
		r := new(reply)
		if json.Unmarshal(body, r) != nil || r.check() != nil {
			_ = complaint(body)
			return
		}
		for _, c := range r.Choices {
			sample := s.sample(c, model.Options{Stop: []string{"\n"}, MaxTokens: 10})
			if strings.Contains(sample.Text, "\n") || !utf8.ValidString(sample.Text) {
				t.Errorf("sample %q", sample.Text)
			}
			for _, token := range sample.Tokens {
				if !(token.LogProb <= 0 && token.LogProb >= worst) {
					t.Errorf("token %q has log-probability %v", token.Text, token.LogProb)
				}
			}
		}
		prefix, target = strings.ToValidUTF8(prefix, ""), strings.ToValidUTF8(target, "")
		text := prefix + target
		for _, how := range []string{scoringEcho, scoringPrompt} {
			tokens, err := r.read(how, text)
			if err != nil {
				continue
			}
			l, err := cover(tokens, text, len(prefix))
			if err != nil {
				continue
			}
			got := ""
			for _, token := range l.Tokens {
				got += token.Text
			}
			if got != target || math.IsNaN(l.LogProb) || math.IsInf(l.LogProb, 0) || l.LogProb > 0 {
				t.Errorf("%q behind %q: tokens %q, log-probability %v", target, prefix, got, l.LogProb)
			}
		}
	})
}

// The list of a server's models is chosen from, and quoted in errors.
func FuzzModels(f *testing.F) {
	f.Add([]byte(`{"data":[{"id":"qwen2.5-coder-7b","owned_by":"vllm","max_model_len":16384}]}`), "")
	f.Add([]byte(`{"data":[{"id":"a","aliases":["b"],"owned_by":"llamacpp","meta":{"n_ctx":-1}},{"id":"\ufffd"}]}`), "b")
	f.Add([]byte(`{"data":null}`), "x")
	f.Fuzz(func(t *testing.T, body []byte, name string) {
		var got struct{ Data []listed }
		if json.Unmarshal(body, &got) != nil || len(got.Data) == 0 {
			return
		}
		m, err := choose(got.Data, name, "host")
		if err != nil {
			if len(err.Error()) > 4096+2*len(name) || !strings.HasPrefix(err.Error(), "openai: ") {
				t.Errorf("%d bytes of error: %.200s", len(err.Error()), err)
			}
			return
		}
		if name != "" && m.ID != name {
			t.Errorf("%q was chosen, not %q", m.ID, name)
		}
		_ = m.kind().String()
		m.kind().tuning()
	})
}
