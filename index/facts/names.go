package facts

// A names table gives each distinct string one number and one copy, so that
// scopes are arrays instead of maps, and a million mentions of err share one
// string. It lives as long as its extractor and serves file after file.
type names struct {
	ids     map[string]int32
	strings []string
}

// maxNames bounds a table: past it, a new one is begun between two files.
const maxNames = 1 << 16

// newNames returns a table in which number 0 is the empty name.
func newNames() *names {
	return &names{ids: map[string]int32{"": 0}, strings: []string{""}}
}

func (t *names) id(b []byte) int32 {
	if id, ok := t.ids[string(b)]; ok {
		return id
	}
	s := string(b)
	id := int32(len(t.strings))
	t.ids[s] = id
	t.strings = append(t.strings, s)
	return id
}

// intern returns the table's copy of b.
func (t *names) intern(b []byte) string {
	return t.strings[t.id(b)]
}
