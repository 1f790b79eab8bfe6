package index

import (
	"math"
	"strings"
	"unicode/utf8"

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
	object int        // enclosing object in self
	expr   expression // under the cursor
	found  map[site]*candidate
	order  []*candidate

	lastLine map[string]int // identifiers of the visible text: line of the mention nearest to the cursor
	usage    map[nameID]usage
	names    map[nameID]int // declarations of a name
}

// A usage sums up where a name is used.
type usage struct {
	uses  int
	files []*file // at most a few
	count int     // of files
}

func (q *query) collect() *collector {
	c := &collector{query: q, r: newResolver(q.snap), found: map[site]*candidate{}, usage: map[nameID]usage{}, names: map[nameID]int{}}
	if !q.self.classic() {
		c.r.deepest = 2 * maxDepth
	}
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
	if strength := v * explains[f]; strength > k.best || k.why == "" {
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
	if !related(f, c.self) {
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
	takes := c.takes()
	fileUsed := c.filesUsed()
	dir := dirOf(c.self.rel)
	own := ""
	if c.object > 0 {
		own = strings.ToLower(c.snap.names.str(c.self.objects[c.object].name))
	}
	for _, k := range c.order {
		f, o := k.at.file, k.at.object()
		name := c.snap.names.str(o.name)
		x := &k.x
		x[fBias] = 1
		x[fCursor] = max(x[fCursor], c.completes(k.at))
		x[fWords], x[fOwnerWords] = words.overlap(o.name)
		x[fSameName] = indicator(lowers(name, own))
		x[fTakes], x[fTakesName] = takes.match(k.at)
		c.describeUsage(k)
		x[fFileUsed] = fileUsed[f]
		x[fFolder] = indicator(dirOf(f.rel) == dir)
		x[fSelf] = indicator(f == c.self)
		x[fTest] = indicator(o.test || strings.HasSuffix(f.rel, "_test.go"))
		x[fPrivate] = indicator(f.lang == facts.Python && strings.HasPrefix(name, "_"))
		x[fMagic] = indicator(f.lang == facts.Python && strings.HasPrefix(name, "__") || name == "init" || name == "main")
		x[fFunction] = indicator(o.kind == facts.Function)
		x[fMethod] = indicator(o.kind == facts.Method)
		x[fType] = indicator(o.kind == facts.Type)
		x[fField] = indicator(o.kind == facts.Field)
		x[fSize] = math.Log2(1+float64(o.whole.Len())/256) / 8
	}
}

// lowers reports whether own is strings.ToLower(name), which most names show to be
// wrong in their first byte.
func lowers(name, own string) bool {
	for i := range min(len(name), len(own)) {
		c := name[i]
		if c >= utf8.RuneSelf || own[i] >= utf8.RuneSelf {
			return strings.ToLower(name) == own
		}
		if 'A' <= c && c <= 'Z' {
			c += 'a' - 'A'
		}
		if c != own[i] {
			return false
		}
	}
	return len(name) == len(own) || strings.ToLower(name) == own
}

// describeUsage says how the workspace uses the candidate's name.
func (c *collector) describeUsage(k *candidate) {
	name := k.at.object().name
	u := c.usageOf(name)
	same := c.declarations(name)
	elsewhere, home := u.count, false
	for _, f := range u.files {
		if f == k.at.file {
			elsewhere, home = elsewhere-1, true
		}
	}
	k.x[fPopular] = min(1, math.Log2(1+float64(u.uses)/float64(max(1, same)))/10)
	k.x[fSpread] = min(1, math.Log2(1+float64(elsewhere)/float64(max(1, same)))/6)
	k.x[fHome] = indicator(home && elsewhere == 0)
	k.x[fOrphan] = indicator(u.count == 0)
	k.x[fCommonName] = min(1, math.Log2(float64(max(1, same)))/5)
}

// filesUsed weighs the files that the document's uses lead to, by the nearest
// such use.
func (c *collector) filesUsed() map[*file]float64 {
	out := map[*file]float64{}
	for _, k := range c.order {
		if near := k.x[fUsedNear]; near > 0 {
			out[k.at.file] = max(out[k.at.file], near)
		}
	}
	return out
}

func indicator(b bool) float64 {
	if b {
		return 1
	}
	return 0
}

func dirOf(rel string) string { return rel[:max(0, strings.LastIndexByte(rel, '/'))] }

// fewFiles is enough to tell whether a declaration is used outside its file.
const fewFiles = 8

// usageOf counts the uses of a name, those in the document left out: they have
// features of their own.
func (c *collector) usageOf(name nameID) usage {
	u, ok := c.usage[name]
	if !ok {
		for f, m := range c.snap.mentioning(name) {
			if f == c.self {
				continue
			}
			u.uses += int(m.uses)
			if u.count++; len(u.files) < fewFiles {
				u.files = append(u.files, f)
			}
		}
		c.usage[name] = u
	}
	return u
}

// declarations counts the objects of a name, up to a limit.
func (c *collector) declarations(name nameID) int {
	n, ok := c.names[name]
	if !ok {
		for range c.snap.named(name) {
			if n++; n == 64 {
				break
			}
		}
		c.names[name] = n
	}
	return n
}
