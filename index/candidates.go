package index

import (
	"math"
	"strings"

	"readahead/index/facts"
)

// A candidate is an object that the next line may use, with what speaks for it.
type candidate struct {
	at     site
	x      features
	why    string
	best   float64 // of the reason in why
	score  float64
	caller *file // a file that uses it, found on the way; nil if none was
}

// A collector gathers candidates for one query. Every source adds to the same
// table: an object found twice has two features, not two entries.
type collector struct {
	*query
	r      *resolver
	object int // enclosing object in self
	found  map[site]*candidate
	order  []*candidate

	lastLine map[string]int // identifiers of the visible text: line of the mention nearest to the cursor
	popular  map[nameID]float64
}

func (q *query) collect() *collector {
	c := &collector{query: q, r: newResolver(q.snap), found: map[site]*candidate{}, popular: map[nameID]float64{}}
	c.object = q.enclosing()
	c.lastLine = q.mentions()
	c.fromCursor()
	c.fromScope()
	c.fromUses()
	c.fromImports()
	c.fromPackage()
	c.fromElsewhere()
	c.describe()
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

// mentions maps identifiers to the line where they stand nearest to the cursor.
func (q *query) mentions() map[string]int {
	out := map[string]int{}
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
		name := string(q.text[i : i+n])
		if was, ok := out[name]; !ok || abs(line-q.cursor) <= abs(was-q.cursor) {
			out[name] = line
		}
		i += n
	}
	return out
}

// near is 1 on the cursor's line and halves every halfLines lines from there.
func (q *query) near(line int, halfLines float64) float64 {
	return 1 / (1 + float64(abs(line-q.cursor))/halfLines)
}

// nearName is near of the closest mention of an identifier; 0 if there is none.
func (c *collector) nearName(name string, halfLines float64) float64 {
	line, ok := c.lastLine[name]
	if !ok {
		return 0
	}
	return c.near(line, halfLines)
}

// add raises one feature of an object. Fields stand for the type around them:
// a reader wants the whole field group.
func (c *collector) add(at site, f feature, v float64, why string) {
	at = c.group(at)
	if at.obj == 0 || !c.visible(at) {
		return
	}
	k := c.found[at]
	if k == nil {
		k = &candidate{at: at}
		c.found[at] = k
		c.order = append(c.order, k)
	}
	k.x[f] = max(k.x[f], v)
	if strength := v * explains[f]; strength > k.best {
		k.best, k.why = strength, why
	}
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
func (c *collector) visible(at site) bool {
	f, o := at.file, at.object()
	if f == c.self {
		return !c.showsBlocked(o.whole)
	}
	if f.lang != c.self.lang {
		return false
	}
	if f.lang == facts.Go && f.pkg != c.self.pkg {
		if strings.HasSuffix(f.rel, "_test.go") {
			return false
		}
		return exported(c.snap.names.str(o.name))
	}
	return true
}

func exported(name string) bool {
	return name != "" && !isLower(name[0]) && name[0] != '_'
}

// showsBlocked reports whether a span of the document overlaps what must not be
// shown.
func (q *query) showsBlocked(s facts.Span) bool {
	overlap := func(b facts.Span) bool { return b.Len() > 0 && b.Start < s.End && s.Start < b.End }
	line := q.cursorLine()
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

// describe fills in the features that depend on the object alone.
func (c *collector) describe() {
	words := c.contextWords()
	dir := dirOf(c.self.rel)
	for _, k := range c.order {
		f, o := k.at.file, k.at.object()
		name := c.snap.names.str(o.name)
		k.x[fBias] = 1
		k.x[fPopular] = c.popularity(o.name)
		k.x[fWords] = max(k.x[fWords], words.overlap(name))
		k.x[fFolder] = indicator(dirOf(f.rel) == dir)
		k.x[fSelf] = indicator(f == c.self)
		k.x[fTest] = indicator(o.test || strings.HasSuffix(f.rel, "_test.go"))
		k.x[fPrivate] = indicator(f.lang == facts.Python && strings.HasPrefix(name, "_"))
		k.x[fMagic] = indicator(f.lang == facts.Python && strings.HasPrefix(name, "__") || name == "init" || name == "main")
		k.x[fFunction] = indicator(o.kind == facts.Function)
		k.x[fMethod] = indicator(o.kind == facts.Method)
		k.x[fType] = indicator(o.kind == facts.Type)
		k.x[fField] = indicator(o.kind == facts.Field)
		k.x[fSize] = math.Log2(1+float64(o.whole.Len())/256) / 8
	}
}

func indicator(b bool) float64 {
	if b {
		return 1
	}
	return 0
}

func dirOf(rel string) string { return rel[:max(0, strings.LastIndexByte(rel, '/'))] }

// popularity is how often a name is used in the workspace, on a logarithmic
// scale from 0 to about 1.
func (c *collector) popularity(name nameID) float64 {
	if p, ok := c.popular[name]; ok {
		return p
	}
	uses := 0
	for f, m := range c.snap.mentioning(name) {
		if f != c.self {
			uses += int(m.uses)
		}
	}
	p := min(1, math.Log2(1+float64(uses))/10)
	c.popular[name] = p
	return p
}
