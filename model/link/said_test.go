package link

import (
	"encoding/json"
	"strings"
	"testing"
)

func TestSaidRepeatsNoCode(t *testing.T) {
	code := "package desk\n\nfunc (d *Desk) pay(total int) error {\n\treturn d.till.take(total, \"hunter2\")\n}\n"
	quoted, err := json.Marshal(code)
	if err != nil {
		t.Fatal(err)
	}
	twice, err := json.Marshal(string(quoted))
	if err != nil {
		t.Fatal(err)
	}
	for _, says := range []string{"cannot handle: " + code, `{"detail":[{"input":{"prompt":` + string(quoted) + `}}]}`, "bad body " + string(twice), code} {
		got := Said(says, code)
		for _, leak := range []string{"Desk", "pay", "till", "hunter2"} {
			if strings.Contains(got, leak) {
				t.Errorf("%q is said of %q", got, says)
			}
		}
	}
	for _, says := range []string{`model "qwen2.5-coder:1.5b" not found`, "out of memory: 14 GiB wanted", "", "return an error", "loading model"} {
		if got := Said(says, code); got != says {
			t.Errorf("%q is said of %q", got, says)
		}
	}
	if got := Said("no: AKIAIOSFODNN7EXAMPLE is odd", "key = AKIAIOSFODNN7EXAMPLE"); strings.Contains(got, "AKIA") {
		t.Errorf("%q", got)
	}
}

// A server may say as much as it likes.
func TestSaidLooksAtTheBeginning(t *testing.T) {
	if got := Said("no: "+strings.Repeat("word ", 10<<20), strings.Repeat("other code ", 1000)); !strings.HasPrefix(got, "no: word") || len(got) > 300 {
		t.Errorf("%d bytes: %.40q", len(got), got)
	}
	if got := Said(strings.Repeat("x", 1<<20), "code"); got != "" {
		t.Errorf("%.40q", got)
	}
}
