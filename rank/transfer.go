package rank

// Whole blocks cannot be voted on, but two of them can be compared: one written
// from the context that was routed to, one from the other (Program-Semantic
// Transfer, VITAL-RAG, “Agent-Level Extension”, eq. 6). The alternative takes the
// default's place only on a witness, which is typed and has a direction, and
// otherwise never: that it differs, or reads better, says nothing.

// A Program is a block with what can be seen of it in its place.
type Program struct {
	Text   string `json:"text"`
	Parses bool   `json:"parses"` // the file with it has no syntax error
	// Mismatched are calls that disagree, beyond doubt, with the only declaration
	// of what they call: name(arguments written).
	Mismatched []string `json:"mismatched,omitempty"`
	// Suspicious are bare names that are called or used as types, and that nothing
	// in the file, in the workspace or in the language declares.
	Suspicious []string `json:"suspicious,omitempty"`
	Calls      []string `json:"calls,omitempty"` // the names of what is called, each once
	Tokens     int      `json:"tokens"`
}

// A Witness is the reason for which an alternative replaces the default.
type Witness string

const (
	// SyntaxRepair: the default breaks the file, the alternative does not.
	SyntaxRepair Witness = "syntax repair"
	// InterfaceConsistency: all calls of the alternative fit what they call, some
	// of the default do not.
	InterfaceConsistency Witness = "interface consistency"
	// SuspiciousNames: all names of the alternative are declared somewhere, some
	// of the default are not.
	SuspiciousNames Witness = "suspicious names"
	// Compactness: both are without fault, and the alternative calls all that the
	// default calls in at most half of its tokens.
	Compactness Witness = "compactness"
)

// Transfer is the witness for putting alternative in the place of standard, the
// strongest one first; "" abstains. An alternative with a fault that the default
// does not have replaces nothing.
func Transfer(standard, alternative Program) Witness {
	if alternative.Text == standard.Text || !alternative.Parses {
		return ""
	}
	faults := func(p Program) (mismatched, suspicious int) { return len(p.Mismatched), len(p.Suspicious) }
	sm, ss := faults(standard)
	am, as := faults(alternative)
	if am > sm || as > ss {
		return ""
	}
	switch {
	case !standard.Parses:
		return SyntaxRepair
	case sm > 0 && am == 0:
		return InterfaceConsistency
	case ss > 0 && as == 0 && am == sm:
		return SuspiciousNames
	case sm+ss == 0 && 2*alternative.Tokens <= standard.Tokens && len(standard.Calls) > 0 && allIn(standard.Calls, alternative.Calls):
		return Compactness
	}
	return ""
}

// allIn reports whether all of a are in b.
func allIn(a, b []string) bool {
	in := map[string]bool{}
	for _, x := range b {
		in[x] = true
	}
	for _, x := range a {
		if !in[x] {
			return false
		}
	}
	return true
}
