package lsp

import (
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"readahead/index/facts"
	"readahead/model"
	"readahead/model/replay"
	"readahead/rank"
)

var bank = map[string]string{
	"go.mod":  "module example.com/bank\n\ngo 1.26\n",
	"bank.go": "package bank\n\nfunc Pay(from, to string, cents int) error { return nil }\n\nfunc Log(format string, args ...any) {}\n\nfunc pair() (string, string) { return \"\", \"\" }\n\ntype Account struct{ Owner string }\n",
	"main.go": "package bank\n\nimport \"strings\"\n\nfunc move(a Account) error {\n\t\n}\n\nfunc helper(n int) int { return strings.Count(\"\", \"\") + n }\n",
	"bank.py": "def pay(source, target, cents):\n    return True\n\n\ndef log(text, level=1):\n    pass\n\n\nclass Account:\n    def close(self, reason):\n        return reason\n",
	"main.py": "from bank import pay, Account\n\n\ndef move(a):\n    \n\n\ndef rest():\n    pass\n",
}

func TestWhatCanBeSeenOfAProgram(t *testing.T) {
	dir := write(t, bank)
	e := engine(t, dir, DefaultConfig(), replay.New(replay.Texts("x")), nil)
	tests := []struct {
		name, file, block string
		breaks            bool
		mismatched        string
		suspicious        string
	}{
		{"a call that fits", "main.go", "if a.Owner == \"\" {\n\t\treturn Pay(\"a\", \"b\", 1)\n\t}\n\treturn nil", false, "", ""},
		{"one argument too few", "main.go", "return Pay(\"a\", 1)", false, "Pay(2)", ""},
		{"commas in strings, brackets and comments", "main.go", "return Pay(strings.Join([]string{\"a,\", \"b\"}, \",\"), \"(\", 1 /* , */)", false, "", ""},
		{"as many as one likes", "main.go", "Log(\"x\")\n\tLog(\"x\", 1, 2)\n\treturn nil", false, "", ""},
		{"results passed on", "main.go", "return Pay(pair())", false, "", ""},
		{"a name that nobody declares", "main.go", "return transferAll(a)", false, "", "transferAll"},
		{"a type that nobody declares", "main.go", "var t Transaction\n\t_ = t\n\treturn nil", false, "", "Transaction"},
		{"names of the file, the language and an imported package", "main.go", "_ = helper(len(strings.TrimSpace(a.Owner)))\n\treturn nil", false, "", ""},
		{"names that it binds itself", "main.go", "f := func() error { return nil }\n\treturn f()", false, "", ""},
		{"a bracket that stays open", "main.go", "if a.Owner == \"\" {\n\t\treturn nil", true, "", ""},
		{"Python: a call that fits", "main.py", "return pay(a, a, 1)", false, "", ""},
		{"Python: one too many", "main.py", "return pay(a, a, 1, 2)", false, "pay(4)", ""},
		{"Python: what may be left out", "main.py", "from bank import log\n    log(\"x\")\n    log(\"x\", 2)", false, "", ""},
		{"Python: a spread", "main.py", "return pay(*a)", false, "", ""},
		{"Python: a name that nobody declares", "main.py", "return settle(a)", false, "", "settle"},
		{"Python: a class takes what it likes", "main.py", "return Account(1, 2, 3)", false, "", ""},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			text := bank[tt.file]
			at := strings.Index(text, "\t\n") + 1
			lang := facts.Go
			if strings.HasSuffix(tt.file, ".py") {
				at, lang = strings.Index(text, "    \n")+4, facts.Python
			}
			doc := Doc{Text: []byte(text), Offset: at, Lang: lang}
			p := programOf(e.index.Snapshot(), filepath.Join(dir, tt.file), doc, tt.block, func(s string) int { return len(s) })
			if p.Parses == tt.breaks || strings.Join(p.Mismatched, " ") != tt.mismatched || strings.Join(p.Suspicious, " ") != tt.suspicious {
				t.Errorf("parses %v, mismatched %q, suspicious %q", p.Parses, p.Mismatched, p.Suspicious)
			}
		})
	}
}

// Who asks for a completion gets the other context's block where there is a
// witness for it, and only then; who pauses while typing does not wait for one.
func TestABlockIsHeldAgainstAnother(t *testing.T) {
	dir := write(t, bank)
	for _, tt := range []struct {
		name     string
		body     string // of the block that the lexical context gives
		standard string // of that of the structural one
		invoked  bool
		want     string
		witness  rank.Witness
	}{
		{"a witness", "return Pay(\"a\", \"b\", 1)", "return Pay(\"a\", 1)", true, "return Pay(\"a\", \"b\", 1)", rank.InterfaceConsistency},
		{"none", "return Pay(\"b\", \"a\", 1)", "return Pay(\"a\", \"b\", 1)", true, "return Pay(\"a\", \"b\", 1)", ""},
		{"a pause in typing", "return Pay(\"a\", \"b\", 1)", "return Pay(\"a\", 1)", false, "return Pay(\"a\", 1)", ""},
	} {
		t.Run(tt.name, func(t *testing.T) {
			m := &replay.Model{Info: model.Info{Name: "m", Provider: "replay", Context: 4096}}
			var contexts []string
			m.Respond = func(_ int, p model.Prompt, o model.Options) replay.Reply {
				if !slices.Contains(contexts, p.Context) {
					contexts = append(contexts, p.Context)
				}
				body := tt.standard
				if slices.Index(contexts, p.Context) > 0 {
					body = tt.body
				}
				switch {
				case strings.HasSuffix(p.Left, "error {\n\t"):
					return replay.Texts("if a.Owner != \"\" {")
				case strings.HasSuffix(p.Left, "{\n"):
					return replay.Texts("\t\t" + body)
				}
				return replay.Texts("\t}")
			}
			e := engine(t, dir, DefaultConfig(), m, nil)
			r := at(t, dir, "main.go", "error {\n\t")
			r.Multiline, r.Invoked = true, tt.invoked
			done, err := e.Complete(t.Context(), r)
			want := "if a.Owner != \"\" {\n\t\t" + tt.want + "\n\t}"
			if err != nil || len(done.Items) == 0 || done.Items[0].Text != want {
				t.Fatalf("got %+v, %v; want %q", done.Items, err, want)
			}
			switch tr := done.Trace.Transfer; {
			case !tt.invoked && tr != nil:
				t.Errorf("a second block was written for nobody: %+v", tr)
			case tt.invoked && (tr == nil || tr.Witness != tt.witness):
				t.Errorf("transfer %+v, want the witness %q", tr, tt.witness)
			}
		})
	}
}
