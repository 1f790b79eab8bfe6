package index

import (
	"strings"

	"readahead/index/facts"
)

// A candidate is an object that the next line may use, with what speaks for it.
type candidate struct {
	at    site
	met   int32 // its file's place in what was seen
	parts *nameParts
	x     sourced
	why   string
	best  float64 // of the reason in why
	logit float64 // log-odds that the next line uses it
	score float64 // the same as a probability
	whole bool    // the score is that of all features
}

// A collector gathers candidates for one query. Every source adds to the same
// list: an object found twice has two features, not two entries.
type collector struct {
	*query
	*gathering
	r      *resolver
	object int        // enclosing object in self
	expr   expression // under the cursor
	line   facts.Span // of the cursor

	lastLine mentions
	usage    map[nameID]usage
	names    map[nameID]int // declarations of a name
	called   map[nameID][]site
}

// collect gathers the candidates of a query. The caller releases the collector,
// and uses no candidate after that.
func (q *query) collect() *collector {
	c := &collector{
		query: q, gathering: gatherings.take(), r: newResolver(q.snap), line: q.cursorLine(), lastLine: q.mentions(),
		usage: map[nameID]usage{}, names: map[nameID]int{}, called: map[nameID][]site{},
	}
	if !q.self.classic() {
		c.r.deepest = 2 * maxDepth
	}
	c.object = q.enclosing()
	c.fromCursor()
	c.fromScope()
	c.fromUses()
	c.fromImports()
	c.fromPackage()
	c.fromElsewhere()
	return c
}

// enclosing is the innermost object around the cursor. At the end of an
// unfinished function the cursor may stand just behind it.
func (q *query) enclosing() int {
	if len(q.self.objects) == 0 {
		return 0
	}
	if o := q.self.enclosing(uint32(q.Offset)); o > 0 {
		return o
	}
	return q.unfinished()
}

// unfinished finds the function that the cursor's indentation belongs to, where
// the parser ended it early: the last one before the cursor that is indented
// less.
func (q *query) unfinished() int {
	start := q.Offset
	for start > 0 && q.text[start-1] != '\n' {
		start--
	}
	indent := 0
	for start+indent < len(q.text) && (q.text[start+indent] == ' ' || q.text[start+indent] == '\t') {
		indent++
	}
	if indent == 0 {
		return 0
	}
	best := 0
	for i := 1; i < len(q.self.objects); i++ {
		o := &q.self.objects[i]
		if int(o.whole.Start) >= q.Offset || o.kind != facts.Function && o.kind != facts.Method && o.kind != facts.Type {
			continue
		}
		if column(q.text, int(o.whole.Start)) < indent && (best == 0 || o.whole.Start >= q.self.objects[best].whole.Start) {
			best = i
		}
	}
	return best
}

func column(text []byte, at int) int {
	n := 0
	for at-n > 0 && text[at-n-1] != '\n' {
		n++
	}
	return n
}

// Mentions are the identifiers of the visible text, each with the line where it
// stands nearest to the cursor.
type mentions struct {
	place map[string]int // in lines
	lines []int
}

func (m *mentions) of(name string) (line int, ok bool) {
	at, ok := m.place[name]
	if !ok {
		return 0, false
	}
	return m.lines[at], true
}

func (q *query) mentions() mentions {
	m := mentions{place: map[string]int{}}
	line := 1
	for i := 0; i < len(q.text); {
		if q.text[i] == '\n' {
			line++
			i++
			continue
		}
		n := wordLen(q.text[i:])
		if n == 0 {
			i++
			continue
		}
		name := q.text[i : i+n]
		if at, ok := m.place[string(name)]; !ok {
			m.place[string(name)] = len(m.lines)
			m.lines = append(m.lines, line)
		} else if abs(line-q.cursor) <= abs(m.lines[at]-q.cursor) {
			m.lines[at] = line
		}
		i += n
	}
	return m
}

// near is 1 on the cursor's line and halves every halfLines lines from there.
func (q *query) near(line int, halfLines float64) float64 {
	return 1 / (1 + float64(abs(line-q.cursor))/halfLines)
}

// nearName is near of the closest mention of an identifier; 0 if there is none.
func (c *collector) nearName(name string, halfLines float64) float64 {
	line, ok := c.lastLine.of(name)
	if !ok {
		return 0
	}
	return c.near(line, halfLines)
}

// add raises one feature of an object. Fields stand for the type around them:
// a reader wants the whole field group.
func (c *collector) add(at site, f feature, v float64, why string) {
	k := c.candidate(c.group(at))
	if k == nil {
		return
	}
	k.x[f] = max(k.x[f], v)
	if strength := v * explains[f]; strength > k.best || k.why == "" {
		k.best, k.why = strength, why
	}
}

// candidate is that of an object, new if there was none; nil for what can't be one.
// The pointer holds until the next call.
func (c *collector) candidate(at site) *candidate {
	if at.obj == 0 {
		return nil
	}
	m := c.met(at.file)
	place := &c.places[m.first+at.obj]
	switch *place {
	case unmet:
		if !c.visible(at, m) {
			*place = invisible
			return nil
		}
		c.list = append(c.list, candidate{at: at, met: c.last})
		*place = int32(len(c.list))
	case invisible:
		return nil
	}
	return &c.list[*place-1]
}

// met is what a file is to this query.
func (c *collector) met(f *file) *met {
	m, fresh := c.file(f)
	if fresh {
		m.related = related(f, c.self)
		m.test = strings.HasSuffix(f.rel, "_test.go")
		m.near = dirOf(f.rel) == dirOf(c.self.rel)
	}
	return m
}

// largeGroup is the length in bytes above which a class is no longer shown for
// one of its attributes.
const largeGroup = 4 << 10

// group is the object that represents a member: of a field or an interface
// method, the type around it.
func (c *collector) group(at site) site {
	o := at.object()
	p := int(o.parent)
	if p <= 0 {
		return at
	}
	t := &at.file.objects[p]
	inside := t.kind == facts.Type && t.whole.Start <= o.whole.Start && o.whole.End <= t.whole.End
	switch {
	case !inside:
		return at
	case at.file.lang == facts.Go, o.kind == facts.Field && t.whole.Len() <= largeGroup:
		return site{at.file, p}
	}
	return at
}

// visible reports whether the object may be shown and can be meant here.
func (c *collector) visible(at site, m *met) bool {
	f, o := at.file, at.object()
	switch {
	case f == c.self:
		return !c.showsBlocked(o.whole, c.line)
	case !m.related:
		return false
	case f.lang == facts.Go && f.pkg != c.self.pkg:
		return !m.test && exported(c.snap.names.str(o.name))
	}
	return true
}

func exported(name string) bool {
	return name != "" && !isLower(name[0]) && name[0] != '_'
}

// showsBlocked reports whether a span of the document overlaps what must not be
// shown, the cursor's line with it.
func (q *query) showsBlocked(s, line facts.Span) bool {
	overlap := func(b facts.Span) bool { return b.Len() > 0 && b.Start < s.End && s.Start < b.End }
	return overlap(q.Visible) || overlap(q.Hidden) || line.Start <= s.End && s.Start <= line.End
}

// cursorLine is the line of the cursor.
func (q *query) cursorLine() facts.Span {
	start, end := q.Offset, q.Offset
	for start > 0 && q.text[start-1] != '\n' {
		start--
	}
	for end < len(q.text) && q.text[end] != '\n' {
		end++
	}
	return facts.Span{Start: uint32(start), End: uint32(end)}
}
