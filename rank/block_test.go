package rank

import (
	"context"
	"errors"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"readahead/model"
	"readahead/model/replay"
)

// says is a model that says one line after another of a text, whatever it is
// asked.
func says(text string) *replay.Model {
	m := replay.New()
	all := strings.Split(text, "\n")
	m.Respond = func(call int, _ model.Prompt, _ model.Options) replay.Reply {
		if call >= len(all) {
			return replay.Reply{}
		}
		return replay.Texts(all[call])
	}
	return m
}

func TestContinue(t *testing.T) {
	tests := []struct {
		name   string
		lang   string
		cursor string
		line   string
		model  string
		want   string // after line
		ended  string
	}{
		{"to the bracket that closes", "go", "\t|", "if x {", "\t\treturn {}{}\n\t}\n\tmore()", "\n\t\treturn {}{}\n\t}", "closed"},
		{"over labels and cases at the same level", "go", "\t|", "switch x {", "\tcase 1:\n\tdefault:\n\t}", "\n\tcase 1:\n\tdefault:\n\t}", "closed"},
		{"over else", "go", "\t|", "if x {", "\t} else {\n\t\ty()\n\t}", "\n\t} else {\n\t\ty()\n\t}", "closed"},
		{"from else", "go", "\t|", "} else {", "\t\ty()\n\t}", "\n\t\ty()\n\t}", "closed"},
		{"with brackets opened before the cursor", "go", "foo(func() |", "{", "\tx()\n})", "\n\tx()\n})", "closed"},
		{"but not those of the surroundings", "go", "\t|", "if x {", "\t\ty()\n\t}}", "\n\t\ty()\n\t}", "closed"},
		{"brackets in strings and comments don't count", "go", "|", "if x {", "\ty(\"}\") // }\n\tz('}')\n/*\n}\n*/\n}", "\n\ty(\"}\") // }\n\tz('}')\n/*\n}\n*/\n}", "closed"},
		{"nor in a string over many lines", "ts", "|", "if (x) {", "  y = `\n}\n`\n}", "\n  y = `\n}\n`\n}", "closed"},
		{"to the line that is indented no deeper", "py", "    |", "for x in xs:", "        y(x)\n\n        z(x)\n    more()", "\n        y(x)\n\n        z(x)", "dedent"},
		{"or less", "py", "    |", "for x in xs:", "        y(x)\n\n\nclass C:", "\n        y(x)", "dedent"},
		{"after a header of many lines", "py", "|", "def f(", "    a,\n) -> int:\n    return a\nf(1)", "\n    a,\n) -> int:\n    return a", "dedent"},
		{"to Ruby's end", "rb", "  |", "items.each do |x|", "    puts x\n  end\n  more", "\n    puts x\n  end", "closed"},
		{"with the brace below", "cs", "    |", "if (x)", "    {\n        y();\n    }\n    z();", "\n    {\n        y();\n    }", "closed"},
		{"no block follows", "py", "    |", "x = 1", "    y = 2", "", "dedent"},
		{"by indentation in a language not known", "", "|", "when x", "  y\nz", "\n  y", "dedent"},
		{"blank lines without end", "py", "|", "def f():", "\n\n\n\n\n\n", "", "blank"},
		{"not with code after the cursor", "go", "f(|)", "func() {", "x", "", "within a line"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			m := says(tt.model)
			left, right, _ := strings.Cut(tt.cursor, "|")
			q := Request{Bases: []Base{{"structural", "1"}, {"lexical", "2"}}, Path: "p", Lang: tt.lang, Left: left, Right: right + "\n"}
			b, err := ranker(m).Continue(t.Context(), q, Continuation{Base: 1, Line: tt.line, MaxTokens: 64})
			if err != nil || b.Text != tt.line+tt.want || b.Ended != tt.ended {
				t.Errorf("got %q, ended %q, %v\nwant %q, %q", b.Text, b.Ended, err, tt.line+tt.want, tt.ended)
			}
			said := left + tt.line
			for i, c := range m.Calls() {
				want := model.Prompt{Context: "2", Path: "p", Lang: tt.lang, Left: said + "\n", Right: right + "\n"}
				if c.Prompt != want || c.Options.Temperature != 0 || c.Yielded != 1 {
					t.Errorf("asked %+v with %+v\nwant %+v", c.Prompt, c.Options, want)
				}
				said += "\n" + strings.Split(tt.model, "\n")[i]
			}
			if b.Usage.Requests != len(m.Calls()) {
				t.Errorf("%d requests said of %d", b.Usage.Requests, len(m.Calls()))
			}
		})
	}
}

func TestContinueIsBounded(t *testing.T) {
	q := Request{Bases: make([]Base, 1), Lang: "py"}
	open := func(m *replay.Model, c Continuation) (Block, error) {
		c.Line = "def f():"
		return ranker(m).Continue(t.Context(), q, c)
	}
	b, err := open(says("    a b c\n    d e f\n    g"), Continuation{MaxTokens: 5})
	if err != nil || b.Ended != "tokens" || b.Text != "def f():\n    a b c\n    d e f" {
		t.Errorf("by tokens: %+v, %v", b, err)
	}
	half := replay.New(replay.Texts("    a"), replay.Reply{Samples: []model.Sample{{Text: "    b("}}})
	if b, err = open(half, Continuation{MaxTokens: 64}); err != nil || b.Ended != "tokens" || b.Text != "def f():\n    a" {
		t.Errorf("with half a line: %+v, %v", b, err)
	}
	asked := ""
	b, err = open(says("    a\n    return\n    b"), Continuation{MaxTokens: 64, Done: func(text string) bool {
		asked = text
		return strings.HasSuffix(text, "return")
	}})
	if err != nil || b.Ended != "done" || b.Text != "def f():\n    a\n    return" || asked != b.Text {
		t.Errorf("by the caller: %+v, %v", b, err)
	}
	if b, err = open(says("    a"), Continuation{MaxTokens: 64}); err == nil || b.Ended != "error" || b.Text != "def f():\n    a" {
		t.Errorf("by an error: %+v, %v", b, err)
	}
	if _, err = open(says(""), Continuation{Base: 1}); err == nil {
		t.Error("a context that the request doesn't have was accepted")
	}
}

func TestContinueHasTime(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		r := replay.Texts("    a")
		r.Delay = 10 * time.Millisecond
		ctx, cancel := context.WithTimeout(t.Context(), 25*time.Millisecond)
		defer cancel()
		b, err := ranker(replay.New(r)).Continue(ctx, Request{Bases: make([]Base, 1), Lang: "py"}, Continuation{Line: "if x:", MaxTokens: 64})
		if err != nil || b.Ended != "no time left" || b.Text != "if x:\n    a\n    a" || b.Took != 25*time.Millisecond {
			t.Errorf("%+v, %v", b, err)
		}
		gone, cancel := context.WithCancel(t.Context())
		cancel()
		if _, err := ranker(replay.New(r)).Continue(gone, Request{Bases: make([]Base, 1)}, Continuation{MaxTokens: 64}); !errors.Is(err, context.Canceled) {
			t.Errorf("cancelled: %v", err)
		}
	})
}

// No model output makes a block run on or panic.
func FuzzContinue(f *testing.F) {
	f.Add("go", "\t", "if x {", "\t}\n}}\n`")
	f.Add("rb", "", "=begin", "end\nend")
	f.Add("py", "  (", "\xff\"\"\"", "'''\n\x00")
	f.Fuzz(func(t *testing.T, lang, left, line, said string) {
		b, err := ranker(replay.New(replay.Texts(strings.Split(said, "\n")...))).Continue(t.Context(),
			Request{Bases: make([]Base, 1), Lang: lang, Left: left}, Continuation{Line: line, MaxTokens: 32})
		if err != nil || b.Usage.Requests > 32 || !strings.HasPrefix(line+"\n"+b.Text, trimRight(line)) {
			t.Fatalf("%+v, %v", b, err)
		}
	})
}
