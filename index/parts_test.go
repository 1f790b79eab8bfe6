package index

import (
	"path/filepath"
	"strings"
	"testing"
)

// A class that is too long to be shown says which of its members are meant.
func TestALongTypeHasPartsThatAreLikelyHere(t *testing.T) {
	root := t.TempDir()
	member := func(name string) string {
		return "    def " + name + "(self):\n" + strings.Repeat("        self.counter += 1  # one of many\n", 12)
	}
	long := "class Desk:\n" + member("open") + member("close") + member("refund_customer") + member("clean")
	write(t, filepath.Join(root, "desk.py"), long+"\n\nclass Short:\n    def ring(self):\n        pass\n")
	write(t, filepath.Join(root, "main.py"),
		"from desk import Desk, Short\n\n\ndef refund(desk: Desk, bell: Short, customer):\n    bell.ring()\n    desk.x\n")
	s := built(t, Options{Roots: []string{root}}).Snapshot()
	views := s.Retrieve(at(t, root, "main.py", "bell.ring()\n    ")).Structural
	parts := map[string][]Part{}
	for _, v := range views {
		if v.Kind == Body {
			parts[v.Object.Name] = v.Parts
		} else if v.Parts != nil {
			t.Errorf("a %s of %s has parts", v.Kind, v.Object.Name)
		}
	}
	desk := parts["Desk"]
	if len(desk) != 4 {
		t.Fatalf("Desk has %d parts, not its four methods: %v\n%s", len(desk), desk, show(views))
	}
	if want := (Part{28, 40, desk[0].Score}); desk[0] != want {
		t.Errorf("the likeliest part of Desk is %v, not refund_customer in lines 28 to 40", desk[0])
	}
	for i, p := range desk {
		if p.Score <= 0 || p.Score >= 1 || i > 0 && p.Score > desk[i-1].Score {
			t.Errorf("scores are no falling probabilities: %v", desk)
		}
	}
	if short := parts["Short"]; short != nil {
		t.Errorf("a class that is shown whole has parts: %v", short)
	}
}
