package lsp

import (
	"bytes"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"readahead/model"
	"readahead/model/replay"
)

// BenchmarkTypingSession types whole lines of Go's net/http, key by key, and
// reports how much of each prompt is a prefix of the one before: what a model
// server with a prompt cache does not process again. The goal is 95 %. What can be
// kept depends on where the code behind the cursor stands in the prompt: at the end,
// as most families have it, or in front, as Codestral's has.
//
//	go test ./lsp -run '^$' -bench TypingSession -benchtime 1x
func BenchmarkTypingSession(b *testing.B) {
	for _, form := range []struct {
		name string
		fim  bool
		text func(model.Prompt) string
	}{
		{"causal", false, func(p model.Prompt) string { return p.Context + p.Left }},
		{"fill-in-the-middle", true, func(p model.Prompt) string { return p.Context + p.Left + "\x00" + p.Right }},
		{"suffix-first", true, func(p model.Prompt) string { return p.Right + "\x00" + p.Context + p.Left }},
	} {
		b.Run(form.name, func(b *testing.B) {
			for range b.N {
				typingSession(b, form.fim, form.text)
			}
		})
	}
}

// sessionKeys is the number of keys of one session.
const sessionKeys = 200

func typingSession(b *testing.B, fim bool, text func(model.Prompt) string) {
	dir, file, whole := library(b, "transfer.go")
	m := replay.New(replay.Texts("x()"))
	m.Info.FIM, m.Info.Context = fim, 8192
	m.Tokens = func(s string) int { return (len(s) + 2) / 3 } // as the calibrated estimate starts
	e := engine(b, dir, DefaultConfig(), m, nil)
	keys, same, all, changed := 0, 0, 0, 0
	// A session is the body of a function, typed where it stands.
	for _, function := range []string{"func (t *transferWriter) writeHeader(", "func (t *transferReader) parseTransferEncoding("} {
		start := bytes.Index(whole, []byte(function))
		if start < 0 {
			b.Fatalf("%s has no %q", file, function)
		}
		start += bytes.IndexByte(whole[start:], '\n') + 1
		end := start + bytes.Index(whole[start:], []byte("\n}\n"))
		typed := append(append([]byte{}, whole[:start]...), whole[end:]...)
		e.OpenDocument(file, "go", typed)
		last, context := "", ""
		for i := 0; i < sessionKeys/2; i++ {
			at := start + i
			key := whole[at : at+1]
			typed = append(append(append([]byte{}, typed[:at]...), key...), typed[at:]...)
			e.EditDocument(file, at, at, key)
			before := len(m.Calls())
			if _, err := e.Complete(b.Context(), CompletionRequest{Path: file, LanguageID: "go", Text: typed, Offset: at + 1}); err != nil {
				b.Fatal(err)
			}
			p := m.Calls()[before].Prompt
			prompt := text(p)
			if last != "" {
				n := m.Tokens(prompt)
				kept := m.Tokens(prompt[:commonPrefix(prompt, last)])
				keys, same, all = keys+1, same+kept, all+n
				if !strings.HasPrefix(context, p.Context) {
					changed++
				}
			}
			last, context = prompt, p.Context
		}
		e.CloseDocument(file)
	}
	b.ReportMetric(100*float64(same)/float64(all), "%prefix")
	b.ReportMetric(float64(changed), "contexts-changed")
	b.ReportMetric(float64(all)/float64(keys), "prompt-tokens")
}

// library is Go's net/http, and a file of it.
func library(b *testing.B, name string) (dir, file string, text []byte) {
	b.Helper()
	root, err := exec.Command("go", "env", "GOROOT").Output()
	if err != nil {
		b.Fatal(err)
	}
	dir = filepath.Join(strings.TrimSpace(string(root)), "src", "net", "http")
	file = filepath.Join(dir, name)
	if text, err = os.ReadFile(file); err != nil {
		b.Fatal(err)
	}
	return dir, file, text
}

func commonPrefix(a, b string) int {
	n := 0
	for n < min(len(a), len(b)) && a[n] == b[n] {
		n++
	}
	return n
}
