package rank

import "testing"

func TestTransfer(t *testing.T) {
	const fine = true
	program := func(text string, parses bool, tokens int, change ...func(*Program)) Program {
		p := Program{Text: text, Parses: parses, Tokens: tokens, Calls: []string{"save"}}
		for _, c := range change {
			c(&p)
		}
		return p
	}
	mismatched := func(calls ...string) func(*Program) { return func(p *Program) { p.Mismatched = calls } }
	suspicious := func(names ...string) func(*Program) { return func(p *Program) { p.Suspicious = names } }
	calls := func(names ...string) func(*Program) { return func(p *Program) { p.Calls = names } }
	tests := []struct {
		name                  string
		standard, alternative Program
		want                  Witness
	}{
		{"two that are alike in all that is seen", program("a", fine, 20), program("b", fine, 20), ""},
		{"one that is a little shorter", program("a", fine, 20), program("b", fine, 11), ""},
		{"the same text", program("a", !fine, 20), program("a", fine, 20), ""},

		{"the default breaks the file", program("a", !fine, 20), program("b", fine, 20), SyntaxRepair},
		{"the alternative does", program("a", fine, 20), program("b", !fine, 5), ""},
		{"both do", program("a", !fine, 20, suspicious("x")), program("b", !fine, 5), ""},
		{"a repair that invents a name", program("a", !fine, 20), program("b", fine, 20, suspicious("x")), ""},

		{"the default calls with too few arguments", program("a", fine, 20, mismatched("save(1)")), program("b", fine, 20), InterfaceConsistency},
		{"the alternative does", program("a", fine, 20), program("b", fine, 20, mismatched("save(1)")), ""},
		{"both do, the alternative less", program("a", fine, 20, mismatched("save(1)", "load(0)")), program("b", fine, 20, mismatched("save(1)")), ""},
		{"calls that fit, of something unknown", program("a", fine, 20, mismatched("save(1)")), program("b", fine, 20, suspicious("x")), ""},

		{"the default uses a name that nobody declares", program("a", fine, 20, suspicious("x")), program("b", fine, 20), SuspiciousNames},
		{"the alternative does", program("a", fine, 20), program("b", fine, 20, suspicious("x")), ""},
		{"both do, the alternative fewer", program("a", fine, 20, suspicious("x", "y")), program("b", fine, 20, suspicious("x")), ""},
		{"known names in calls that do not fit", program("a", fine, 20, suspicious("x")), program("b", fine, 20, mismatched("save(1)")), ""},

		{"half as long, and does as much", program("a", fine, 20), program("b", fine, 10), Compactness},
		{"half as long, since it does less", program("a", fine, 20, calls("load", "save")), program("b", fine, 10, calls("load")), ""},
		{"half as long, where the default does nothing", program("a", fine, 20, calls()), program("b", fine, 10), ""},
		{"half as long, with the default's fault", program("a", fine, 20, suspicious("x")), program("b", fine, 10, suspicious("x")), ""},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			if got := Transfer(tt.standard, tt.alternative); got != tt.want {
				t.Errorf("got %q, want %q", got, tt.want)
			}
		})
	}
}
