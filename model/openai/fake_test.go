package openai

import (
	"encoding/json"
	"fmt"
	"hash/fnv"
	"math"
	"net/http"
	"net/http/httptest"
	"slices"
	"strings"
	"sync"
	"testing"
)

// A toy is a language model small enough to know everything about: a token is up to
// four letters, digits or spaces of a kind, or one character; what it makes probable
// is the text that stood behind the last token before, and then a number that depends
// on the last token alone.
type toy struct{}

// split is the toy's tokenizer. Like those of code models it joins a closing bracket
// with the line break behind it, across any boundary.
func (toy) split(text string) []string {
	var out []string
	for text != "" {
		n := 1
		switch c := text[0]; {
		case strings.HasPrefix(text, ")\n"):
			n = 2
		case c >= 0x80:
			for n < len(text) && text[n]&0xC0 == 0x80 {
				n++
			}
		case c >= 'a' && c <= 'z' || c == ' ':
			for n < len(text) && n < 4 && (text[n] >= 'a' && text[n] <= 'z') == (c != ' ') && (c != ' ' || text[n] == ' ') {
				n++
			}
		}
		out, text = append(out, text[:n]), text[n:]
	}
	return out
}

// logProb is that of next behind what stands before: 0.9 if it stood behind the same
// three tokens before, else next to nothing.
func (toy) logProb(before []string, next string) float64 {
	const memory = 3
	if n := len(before); n > memory {
		for i := n - memory - 1; i >= 0; i-- {
			if slices.Equal(before[i:i+memory], before[n-memory:]) && before[i+memory] == next {
				return math.Log(0.9)
			}
		}
	}
	h := fnv.New32a()
	if len(before) > 0 {
		h.Write([]byte(before[len(before)-1]))
	}
	h.Write([]byte("|" + next))
	return -3 - float64(h.Sum32()%1000)/200
}

// A fake is the toy behind a completions endpoint, with what servers differ in.
type fake struct {
	*httptest.Server
	model   listed
	most    int    // samples a request; more are ignored, or refused if refuses
	refuses bool   // more samples than most
	silent  bool   // no log-probabilities
	echo    bool   // takes echo
	prompt  bool   // takes prompt_logprobs
	shifted bool   // reports those of the token before
	strict  bool   // refuses what is not in the standard
	key     string // lets in
	suffix  bool   // takes suffix
	text    string // of every sample; "" is "x1", "x2", …

	// before may answer in the fake's place, to a request for a completion.
	before func(w http.ResponseWriter, r *http.Request, body map[string]any) bool

	mu   sync.Mutex
	sent []map[string]any // bodies, in order
}

func newFake(t testing.TB) *fake {
	f := &fake{model: listed{ID: "qwen2.5-coder-7b", OwnedBy: "vllm", MaxModelLen: 4096}, most: 64, echo: true}
	f.Server = httptest.NewServer(f)
	t.Cleanup(f.Close)
	return f
}

func (f *fake) open(t testing.TB, c Config) *Model {
	t.Helper()
	c.Endpoint = f.URL
	if f.key != "" {
		c.Key = NewSecret(f.key)
	}
	m, err := Open(t.Context(), c)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(m.Close)
	f.mu.Lock()
	defer f.mu.Unlock()
	f.sent = nil // the probes
	return m
}

// requests are the bodies since the last call of open.
func (f *fake) requests() []map[string]any {
	f.mu.Lock()
	defer f.mu.Unlock()
	return slices.Clone(f.sent)
}

func refuse(w http.ResponseWriter, code int, says string) {
	w.WriteHeader(code)
	_ = json.NewEncoder(w).Encode(map[string]any{"error": map[string]any{"message": says}})
}

func (f *fake) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	if f.key != "" && r.Header.Get("Authorization") != "Bearer "+f.key {
		refuse(w, http.StatusUnauthorized, "Incorrect API key provided: "+strings.TrimPrefix(r.Header.Get("Authorization"), "Bearer "))
		return
	}
	switch r.URL.Path {
	case "/v1/models":
		_ = json.NewEncoder(w).Encode(map[string]any{"data": []map[string]any{{"id": f.model.ID, "owned_by": f.model.OwnedBy, "max_model_len": f.model.MaxModelLen}}})
	case "/v1/completions":
		var body map[string]any
		if err := json.NewDecoder(r.Body).Decode(&body); err != nil {
			refuse(w, http.StatusBadRequest, err.Error())
			return
		}
		f.mu.Lock()
		f.sent = append(f.sent, body)
		f.mu.Unlock()
		if f.before == nil || !f.before(w, r, body) {
			f.complete(w, body)
		}
	default:
		refuse(w, http.StatusNotFound, "Not Found")
	}
}

func (f *fake) complete(w http.ResponseWriter, body map[string]any) {
	for key, why := range map[string]bool{"echo": f.echo, "prompt_logprobs": f.prompt, "suffix": f.suffix, "top_k": !f.strict, "grammar": false} {
		if _, there := body[key]; there && !why {
			refuse(w, http.StatusBadRequest, "unsupported parameter: "+key)
			return
		}
	}
	prompt, _ := body["prompt"].(string)
	n := 1
	if v, ok := body["n"].(float64); ok {
		n = int(v)
	}
	if n > f.most {
		if f.refuses {
			refuse(w, http.StatusBadRequest, "n is too large")
			return
		}
		n = f.most
	}
	before := toy{}.split(prompt)
	var choices []map[string]any
	for i := range n {
		text := f.text
		if text == "" {
			text = fmt.Sprintf("x%d", i+1)
		}
		c := map[string]any{"index": i, "text": text, "finish_reason": "stop"}
		tokens := toy{}.split(text)
		if _, ok := body["echo"]; ok {
			c["text"], tokens = prompt+text, append(slices.Clone(before), tokens...)
		}
		if _, ok := body["logprobs"]; ok && !f.silent {
			c["logprobs"] = f.logProbs(tokens, body["echo"] != nil, before)
		}
		if _, ok := body["prompt_logprobs"]; ok {
			c["prompt_logprobs"] = f.promptLogProbs(before)
		}
		choices = append(choices, c)
	}
	_ = json.NewEncoder(w).Encode(map[string]any{
		"choices": choices, "usage": map[string]any{"prompt_tokens": len(before), "completion_tokens": 2 * n},
	})
}

func (f *fake) logProbs(tokens []string, echoed bool, before []string) map[string]any {
	var values []any
	var top []any
	for i, t := range tokens {
		context := tokens[:i]
		if !echoed {
			context = append(slices.Clone(before), tokens[:i]...)
		} else if i == 0 {
			values, top = append(values, nil), append(top, nil)
			continue
		}
		if f.shifted {
			context = tokens[:i+1]
		}
		p := toy{}.logProb(context, t)
		values, top = append(values, p), append(top, map[string]float64{t: p})
	}
	return map[string]any{"tokens": tokens, "token_logprobs": values, "top_logprobs": top}
}

func (f *fake) promptLogProbs(tokens []string) []any {
	out := []any{nil}
	for i := 1; i < len(tokens); i++ {
		// the token that stands there comes first, whatever its number
		text, _ := json.Marshal(tokens[i])
		out = append(out, json.RawMessage(fmt.Sprintf(`{"9": {"logprob": %g, "rank": 7, "decoded_token": %s}, "1": {"logprob": -0.5, "rank": 1, "decoded_token": "zz"}}`,
			toy{}.logProb(tokens[:i], tokens[i]), text)))
	}
	return out
}
