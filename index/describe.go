package index

import (
	"cmp"
	"math"
	"slices"
	"strings"
	"sync"
	"unicode/utf8"

	"readahead/index/facts"
)

// A describer knows what the features of an object by itself are measured by. It
// changes nothing, so that several goroutines may ask it.
type describer struct {
	*collector
	words map[partID]wordWeight
	own   string // lower-case name of what the cursor stands in
}

func (c *collector) describer() *describer {
	d := &describer{collector: c, words: c.snap.base.parts.look(c.list, c.contextWords(), c.snap.names, c.snap.base)}
	if c.object > 0 {
		d.own = strings.ToLower(c.snap.names.str(c.self.objects[c.object].name))
	}
	takes := c.taker()
	for i := range c.seen {
		c.seen[i].takes = takes.of(c.seen[i].file)
	}
	for i := range c.list {
		k := &c.list[i]
		m := &c.seen[k.met]
		m.used = max(m.used, k.x[fUsedNear])
	}
	return d
}

// features are those of a candidate but for its usage.
func (d *describer) features(k *candidate) (x features) {
	f, o := k.at.file, k.at.object()
	m := &d.seen[k.met]
	name := d.snap.names.str(o.name)
	copy(x[:], k.x[:])
	x[fBias] = 1
	x[fCursor] = max(x[fCursor], d.completes(k.at))
	x[fWords], x[fOwnerWords] = k.parts.overlap(d.words)
	x[fSameName] = indicator(lowers(name, d.own))
	if m.takes != nil {
		t := m.takes[k.at.obj]
		x[fTakes], x[fTakesName] = indicator(t.byType), indicator(t.byName)
	}
	x[fFileUsed] = m.used
	x[fFolder] = indicator(m.near)
	x[fSelf] = indicator(f == d.self)
	x[fTest] = indicator(o.test || m.test)
	x[fPrivate] = indicator(f.lang == facts.Python && strings.HasPrefix(name, "_"))
	x[fMagic] = indicator(f.lang == facts.Python && strings.HasPrefix(name, "__") || name == "init" || name == "main")
	x[fFunction] = indicator(o.kind == facts.Function)
	x[fMethod] = indicator(o.kind == facts.Method)
	x[fType] = indicator(o.kind == facts.Type)
	x[fField] = indicator(o.kind == facts.Field)
	x[fSize] = math.Log2(1+float64(o.whole.Len())/256) / 8
	return x
}

// describeUsage says how the workspace uses the candidate's name.
func (d *describer) describeUsage(k *candidate, x *features) {
	name := k.at.object().name
	u := d.usageOf(name)
	same := d.declarations(name)
	elsewhere, home := u.count, false
	for _, f := range u.files {
		if f == k.at.file {
			elsewhere, home = elsewhere-1, true
		}
	}
	x[fPopular] = min(1, math.Log2(1+float64(u.uses)/float64(max(1, same)))/10)
	x[fSpread] = min(1, math.Log2(1+float64(elsewhere)/float64(max(1, same)))/6)
	x[fHome] = indicator(home && elsewhere == 0)
	x[fOrphan] = indicator(u.count == 0)
	x[fCommonName] = min(1, math.Log2(float64(max(1, same)))/5)
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

func indicator(b bool) float64 {
	if b {
		return 1
	}
	return 0
}

func dirOf(rel string) string { return rel[:max(0, strings.LastIndexByte(rel, '/'))] }

// A usage sums up where a name is used.
type usage struct {
	uses  int
	files []*file // at most a few
	count int     // of files
}

// fewFiles is enough to tell whether a declaration is used outside its file.
const fewFiles = 8

// usageOf counts the uses of a name, those in the document left out: they have
// features of their own.
func (c *collector) usageOf(name nameID) usage {
	u, ok := c.usage[name]
	if ok {
		return u
	}
	base := c.snap.base
	run := base.mentions.get(name)
	u.count, u.uses = len(run), base.uses.of(name, run)
	gone := func(m mention) { u.count, u.uses = u.count-1, u.uses-int(m.uses) }
	for doc := range c.snap.dead {
		if at, ok := slices.BinarySearchFunc(run, doc, func(m mention, doc uint32) int { return cmp.Compare(m.file, doc) }); ok {
			gone(run[at])
		}
	}
	for _, m := range run {
		f := base.files[m.file]
		if c.snap.dead[m.file] || f == c.self {
			continue
		}
		if u.files = append(u.files, f); len(u.files) == fewFiles {
			break
		}
	}
	if doc, ok := base.byPath[c.self.path]; ok && base.files[doc] == c.self {
		if at, ok := slices.BinarySearchFunc(run, doc, func(m mention, doc uint32) int { return cmp.Compare(m.file, doc) }); ok {
			gone(run[at])
		}
	}
	for _, f := range c.snap.overlay {
		m := f.mention(name)
		if m.uses == 0 || f == c.self {
			continue
		}
		if u.count, u.uses = u.count+1, u.uses+int(m.uses); len(u.files) < fewFiles {
			u.files = append(u.files, f)
		}
	}
	c.usage[name] = u
	return u
}

// knownUses remembers how often the names of one segment are used that were asked
// for: the likeliest are used in thousands of files.
type knownUses struct {
	mu    sync.Mutex
	known map[nameID]int
}

// maxKnownUses bounds their number, at some dozen bytes.
const maxKnownUses = 1 << 16

func (k *knownUses) of(name nameID, run []mention) int {
	if len(run) < fewFiles {
		return sumUses(run)
	}
	k.mu.Lock()
	defer k.mu.Unlock()
	n, ok := k.known[name]
	if !ok {
		n = sumUses(run)
		if k.known == nil || len(k.known) >= maxKnownUses {
			k.known = map[nameID]int{}
		}
		k.known[name] = n
	}
	return n
}

func sumUses(run []mention) (n int) {
	for _, m := range run {
		n += int(m.uses)
	}
	return n
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
