package index

import (
	"cmp"
	"slices"
	"strings"

	"readahead/index/facts"
)

const (
	// shownUsages is how many of the best objects get views of their usage: these
	// read other files.
	shownUsages = 10
	// usageFiles bounds the files that are looked through for one object.
	usageFiles = 6
	// usageLine is the length in bytes of the longest line that is shown as a
	// call: beyond, it is data.
	usageLine = 200
)

// A usageSite is one line that uses an object.
type usageSite struct {
	file *file
	line int
	text string
	test bool
	head int // first line of the test around it
	body string
}

// usages finds a representative call of an object, and a test that calls it.
// Representative is the call whose shape recurs most among those looked at, the
// nearest file first.
func (q *query) usages(at site) (call, test *usageSite) {
	var calls []usageSite
	for _, f := range q.usingFiles(at) {
		calls = append(calls, q.usagesIn(f, at)...)
	}
	shapes := map[string]int{}
	for _, c := range calls {
		if !c.test {
			shapes[shape(c.text)]++
		}
	}
	for i := range calls {
		c := &calls[i]
		switch {
		case c.test && test == nil && c.body != "":
			test = c
		case !c.test && (call == nil || shapes[shape(c.text)] > shapes[shape(call.text)]):
			call = c
		}
	}
	return call, test
}

// usingFiles are files that use the object, those near the document first.
func (q *query) usingFiles(at site) []*file {
	name := at.object().name
	var files []*file
	looked := 0
	for f := range q.snap.mentioning(name) {
		if looked++; looked > 50*usageFiles {
			break
		}
		if related(f, at.file) && !f.generated && q.snap.mayMean(f, at.file) {
			files = append(files, f)
		}
	}
	distance := func(f *file) int {
		switch {
		case f == q.self:
			return 0
		case dirOf(f.rel) == dirOf(q.self.rel):
			return 1
		}
		return 2
	}
	slices.SortFunc(files, func(a, b *file) int {
		if d := distance(a) - distance(b); d != 0 {
			return d
		}
		return cmp.Compare(a.path, b.path)
	})
	return files[:min(len(files), usageFiles)]
}

func (q *query) usagesIn(f *file, at site) []usageSite {
	t, err := q.snap.texts.of(f)
	if err != nil {
		return nil
	}
	var out []usageSite
	for _, r := range f.refs {
		o := at.object()
		if r.name != o.name || r.role() == facts.ImportUse || f == at.file && o.whole.Contains(r.at) {
			continue
		}
		line := t.line(r.at)
		if q.blocked(f, lineRange{line, line}) {
			continue
		}
		u := usageSite{file: f, line: line, text: strings.TrimSpace(t.lineSpan(line, line))}
		if len(u.text) > usageLine {
			continue
		}
		if in := f.objects[r.object()]; in.test || strings.HasSuffix(f.rel, "_test.go") {
			u.test, u.head = true, t.line(in.whole.Start)
			if r.object() > 0 && !(f == q.self && q.showsBlocked(in.whole, q.cursorLine())) {
				u.body = t.at(in.whole)
			}
		}
		if out = append(out, u); len(out) == 32 {
			break
		}
	}
	return out
}

// shape is a line with its literals and names of locals made equal: what stays
// is how the call is made.
func shape(line string) string {
	var b strings.Builder
	for i := 0; i < len(line); {
		n := wordLen([]byte(line[i:min(len(line), i+maxTerm)]))
		switch {
		case n == 0:
			if line[i] != ' ' && line[i] != '\t' {
				b.WriteByte(line[i])
			}
			i++
		case i+n < len(line) && (line[i+n] == '(' || line[i+n] == '.'):
			b.WriteString(line[i : i+n])
			i += n
		default:
			b.WriteByte('x')
			i += n
		}
	}
	return b.String()
}
