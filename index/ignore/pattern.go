package ignore

import (
	"bytes"
	"fmt"
	"strings"
)

// A list is one rule file. The last pattern that matches decides.
//
// Most patterns of real files are plain names and extensions. They are found by
// a map lookup; only the others are tried one by one, from the last one up, and
// only while they could still beat what the maps gave.
type list struct {
	source string // the file, as verdicts name it; "" for patterns of the settings
	// skip is how many bytes of a full path (see folder) lie before the part
	// that the list's anchored patterns see: the length of its folder and slash.
	skip     int
	fold     bool // compare ASCII letters without case
	size     int  // bytes of the file
	patterns []pattern
	files    table // what holds for anything but folders
	dirs     table
}

// A table finds candidates in list.patterns, by index. Where several patterns
// have the same key, only the last can win.
type table struct {
	names map[string]int // base name
	paths map[string]int // path from the list's folder
	exts  map[string]int // last extension, with its dot
	rest  []int          // ascending
}

// A pattern is one line of a rule file.
type pattern struct {
	why      string // source, line and text
	negated  bool
	dirOnly  bool
	anchored bool   // compared with the path from the list's folder, not with the base name
	prefix   string // literal start
	suffix   bool   // "*" and then prefix: git compares only the end
	glob     glob   // what follows prefix; nil if nothing may
}

// parse reads a rule file. source names it in verdicts.
func parse(source string, data []byte, skip int, fold bool) *list {
	l := &list{source: source, skip: skip, fold: fold, size: len(data)}
	data = bytes.TrimPrefix(data, []byte("\ufeff"))
	for n := 1; len(data) > 0; n++ {
		var line []byte
		line, data, _ = bytes.Cut(data, []byte("\n"))
		line = bytes.TrimSuffix(line, []byte("\r"))
		if len(line) > 0 && line[0] != '#' {
			l.add(fmt.Sprintf("%s:%d: ", source, n), string(line))
		}
	}
	return l
}

// unquoted takes the text of the patterns out of verdicts: the file was named by a
// repository, and may be any file of the user's.
func (l *list) unquoted() *list {
	if l != nil {
		for i := range l.patterns {
			p := &l.patterns[i]
			p.why = p.why[:len(l.source)+1+strings.IndexByte(p.why[len(l.source)+1:], ':')]
		}
	}
	return l
}

// parseLines is parse for patterns that come one by one.
func parseLines(source string, lines []string, skip int, fold bool) *list {
	l := &list{skip: skip, fold: fold}
	for _, line := range lines {
		if line != "" && line[0] != '#' {
			l.add(source+": ", line)
		}
	}
	return l
}

// add appends one line. What can never match is left out.
func (l *list) add(source, line string) {
	line, _, _ = strings.Cut(line, "\x00") // as git, which reads C strings
	line = trimSpaces(line)
	p := pattern{why: source + line}
	line, p.negated = strings.CutPrefix(line, "!")
	line, p.dirOnly = strings.CutSuffix(line, "/")
	p.anchored = strings.Contains(line, "/")
	wild := strings.IndexAny(line, `*?[\`)
	if wild == 0 && line[0] == '*' && !strings.ContainsAny(line[1:], `*?[\`) && !p.anchored {
		p.suffix, p.prefix = true, line[1:]
		l.append(p)
		return
	}
	if p.anchored && line[0] == '/' {
		line = line[1:]
		wild--
	}
	if wild < 0 {
		wild = len(line)
	}
	p.prefix = line[:wild]
	if wild < len(line) {
		g, ok := compile(line[wild:], p.anchored, l.fold)
		if !ok {
			return
		}
		p.glob = g
	}
	if p.prefix != "" || p.glob != nil {
		l.append(p)
	}
}

// trimSpaces removes trailing spaces that no backslash protects.
func trimSpaces(s string) string {
	end := 0 // behind the last byte that is kept
	for i := 0; i < len(s); i++ {
		if s[i] == '\\' {
			i++
			end = i + 1
		} else if s[i] != ' ' {
			end = i + 1
		}
	}
	return s[:min(end, len(s))]
}

func (l *list) append(p pattern) {
	if l.fold {
		p.prefix = lowerASCII(p.prefix)
	}
	i := len(l.patterns)
	l.patterns = append(l.patterns, p)
	l.dirs.add(i, &p)
	if !p.dirOnly {
		l.files.add(i, &p)
	}
}

func (t *table) add(i int, p *pattern) {
	put := func(m *map[string]int, key string) {
		if *m == nil {
			*m = map[string]int{}
		}
		(*m)[key] = i
	}
	switch {
	case p.suffix && strings.LastIndexByte(p.prefix, '.') == 0:
		put(&t.exts, p.prefix)
	case p.suffix || p.glob != nil:
		t.rest = append(t.rest, i)
	case p.anchored:
		put(&t.paths, p.prefix)
	default:
		put(&t.names, p.prefix)
	}
}

// find returns the pattern that decides about the full path, whose base name is
// base; nil if none matches.
func (l *list) find(full, base string, isDir bool) *pattern {
	name := full[l.skip:]
	if l.fold {
		name, base = lowerASCII(name), lowerASCII(base)
	}
	t := &l.files
	if isDir {
		t = &l.dirs
	}
	best := -1
	if i, ok := t.names[base]; ok {
		best = i
	}
	if i, ok := t.paths[name]; ok {
		best = max(best, i)
	}
	if t.exts != nil {
		if dot := strings.LastIndexByte(base, '.'); dot >= 0 {
			if i, ok := t.exts[base[dot:]]; ok {
				best = max(best, i)
			}
		}
	}
	for k := len(t.rest) - 1; k >= 0 && t.rest[k] > best; k-- {
		if l.patterns[t.rest[k]].match(name, base) {
			best = t.rest[k]
		}
	}
	if best < 0 {
		return nil
	}
	return &l.patterns[best]
}

// match compares p with the path from the list's folder and the base name, both
// in lower case if the list folds.
func (p *pattern) match(name, base string) bool {
	if p.suffix {
		return strings.HasSuffix(base, p.prefix)
	}
	text := base
	if p.anchored {
		text = name
	}
	rest, ok := strings.CutPrefix(text, p.prefix)
	if !ok {
		return false
	}
	if p.glob == nil {
		return rest == ""
	}
	return p.glob.match(rest)
}

// lowerASCII leaves bytes beyond ASCII alone, as git does, broken UTF-8 included.
func lowerASCII(s string) string {
	for i := range len(s) {
		if lower(s[i]) != s[i] {
			b := []byte(s)
			for ; i < len(b); i++ {
				b[i] = lower(b[i])
			}
			return string(b)
		}
	}
	return s
}
