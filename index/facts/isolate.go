package facts

import (
	"bytes"
	"cmp"
	"regexp"
	"slices"
	"sort"
	"strings"

	"readahead/index/internal/treesitter"
)

// Isolating keeps a broken statement from costing more than itself.
//
// A parser that meets what it can't read guesses where to go on, and one that
// guesses by price alone guesses wrong: behind a condition without its block it
// may read on to the end of the file, and every function after it is gone for as
// long as the line is being typed. Mending, too, sees brackets from the first line
// to the last, and one in the wrong place moves others. But layout says what
// belongs together, which is right in almost all code and right at the keyboard:
//
//	func before() {}             unit          can be read by itself
//	func typed() {               unit          cannot, so look inside
//		a := 1                       unit      can
//		if a == 1 &&                 unit      cannot: blanked
//	}                            (goes on)
//	func after() {}              unit          can
//
// A unit is a line and what is further in below it. Groups of them are mended and
// parsed, inside the lines that frame them; halved where they have errors, and
// looked into, until the lines that can't be read are known. What is parsed in the
// end is all that could be read, as it was mended by itself, without the rest. That
// takes about as long as two or three more parses.
//
// It is done where a text has errors after mending, and taken where it finds more
// declarations, or fewer that have lost the class around them. The outcome depends
// on the text alone.
type isolation struct {
	src   []byte
	lines []layoutLine
	shown []bool // by line: is in the text that is tried
	lost  []bool // by line: cannot be read
	out   []byte // src, mended where that is known
	mend  func(text []byte) []byte
	reads func(text []byte) bool // whether a text is parsed without an error
	// opening says that the first line is no part of the code, but what makes it
	// code: <?php
	opening bool
	script  bool // ` begins a string in a language where blocks end with braces
	left    int  // bytes that may still be parsed
	text    []byte
	from    []int // of the lines in text
}

// A layoutLine is a line as its layout shows it.
type layoutLine struct {
	start, end int // in the text, with its line end
	indent     int // columns; blank lines have none
	blank      bool
	goesOn     bool // it belongs to the line before that is as far in
	quotes     bool // a string or comment of several lines is on it
	apart      bool // it stays, and is left out of what is tried: a directive, a bracket around what is not further in
}

// isolated is what can be read of src, in place, with spaces for the lines that
// cannot, which it also returns; nil where that leads to nothing.
func (s *spec) isolated(p *treesitter.Parser, lang Language, src []byte) (text []byte, lost []Span) {
	x := &isolation{src: src, out: bytes.Clone(src), opening: lang == PHP, script: lang == JavaScript || lang == TypeScript, left: maxRetries*len(src) + 1<<14}
	x.reads = func(text []byte) bool {
		tree, err := p.Parse(text, nil)
		if err != nil {
			x.left = -1 // it took too long, and so would others
			return false
		}
		defer tree.Close()
		return !tree.HasError()
	}
	x.mend = s.mended
	if s.unsure != nil {
		x.mend = func(text []byte) []byte {
			if x.reads(text) {
				return text
			}
			return s.mended(text)
		}
	}
	x.layOut(lang == C || lang == Cpp || lang == CSharp, lang != Python && lang != Ruby)
	x.shown, x.lost = make([]bool, len(x.lines)), make([]bool, len(x.lines))
	units := x.units(lineSpan{0, len(x.lines)})
	x.search(units)
	x.settle(units)
	if x.left < 0 {
		return nil, nil
	}
	for i, l := range x.lines {
		if x.lost[i] {
			lost = append(lost, Span{uint32(l.start), uint32(l.end)})
		}
		for at := l.start; x.lost[i] && at < l.end; at++ {
			if x.out[at] != '\n' && x.out[at] != '\r' {
				x.out[at] = ' '
			}
		}
	}
	if bytes.Equal(x.out, src) {
		return nil, nil
	}
	return x.out, lost
}

// linesPerByte is how many lines are looked at in the time that a byte is parsed in.
const linesPerByte = 16

// maxRetries bounds the text that isolating parses, in lengths of the file.
const maxRetries = 16

// A lineSpan is a half-open range of lines.
type lineSpan struct{ from, to int }

// joins matches how a line begins that belongs to the one before it.
var joins = regexp.MustCompile(`^(?:[{})\],.:;?|&+=>%^]|(?:else|elif|elsif|elseif|catch|finally|except|rescue|ensure|end|then|case|default|when|where|extends|implements|throws)\b)`)

// label matches a line that is nothing else: public:, out:.
var label = regexp.MustCompile(`^\w+(?: \w+)?:\s*$`)

// directive matches a line of the preprocessor.
var directive = regexp.MustCompile(`^#\s*(?:if|else|elif|endif|define|undef|include|pragma|region|endregion|error|line|warning|nullable)`)

// layOut reads the lines. directed says that some of them may speak to a
// preprocessor, labels that what ends with a colon may be one.
func (x *isolation) layOut(directed, labels bool) {
	for at := 0; at < len(x.src); {
		end := len(x.src)
		if n := bytes.IndexByte(x.src[at:], '\n'); n >= 0 {
			end = at + n + 1
		}
		l := layoutLine{start: at, end: end}
		text := bytes.TrimRight(x.src[at:end], "\r\n")
		for len(text) > 0 && (text[0] == ' ' || text[0] == '\t') {
			if l.indent++; text[0] == '\t' {
				l.indent = (l.indent + tabColumns - 1) / tabColumns * tabColumns
			}
			text = text[1:]
		}
		l.blank = len(text) == 0
		if directed {
			n := len(x.lines)
			l.apart = directive.Match(text) || n > 0 && x.lines[n-1].apart && continued(x.src[:at])
		}
		l.goesOn = l.apart || labels && label.Match(text) || joins.Match(text)
		x.lines = append(x.lines, l)
		at = end
	}
	x.joinStrings()
	x.joinComments()
	x.flatten()
}

// joinComments makes comments go on that stand before what goes on:
//
//	switch {
//	// A flag.
//	case strings.HasPrefix(arg, "-"):
//	}
func (x *isolation) joinComments() {
	next := layoutLine{indent: -1} // that is code
	for i := len(x.lines) - 1; i >= 0; i-- {
		switch l := &x.lines[i]; {
		case l.blank || l.quotes:
		case !x.isComment(i):
			next = *l
		case l.indent == next.indent:
			l.goesOn = l.goesOn || next.goesOn
		}
	}
}

// isComment reports whether a line is nothing but one.
func (x *isolation) isComment(line int) bool {
	text := bytes.TrimLeft(x.src[x.lines[line].start:x.lines[line].end], " \t")
	return bytes.HasPrefix(text, []byte("//")) || bytes.HasPrefix(text, []byte("#")) || bytes.HasPrefix(text, []byte("/*")) || bytes.HasPrefix(text, []byte("*"))
}

// joinStrings makes the lines inside strings and comments go on, whatever they look
// like.
func (x *isolation) joinStrings() {
	for i := 0; i < len(x.lines); i++ {
		l := x.lines[i]
		open := long.FindIndex(x.src[l.start:l.end])
		if open == nil {
			continue
		}
		mark := x.src[l.start+open[0] : l.start+open[1]]
		if bytes.Equal(mark, []byte("/*")) {
			mark = []byte("*/")
		}
		if bytes.Contains(x.src[l.start+open[1]:l.end], mark) {
			continue
		}
		last := i + 1
		for last < len(x.lines) && !bytes.Contains(x.src[x.lines[last].start:x.lines[last].end], mark) && !x.declares(last, l.indent) {
			last++
		}
		if last == len(x.lines) || x.declares(last, l.indent) {
			continue // it is still open
		}
		x.lines[i].quotes = true
		for j := i + 1; j <= last; j++ {
			x.lines[j].goesOn, x.lines[j].apart, x.lines[j].quotes = true, false, true
		}
		i = last
	}
}

// declares reports whether a line declares something, or ends a block, around one
// that is further in.
func (x *isolation) declares(line, indent int) bool {
	l := x.lines[line]
	if l.blank || l.indent >= indent && indent > 0 {
		return false
	}
	text := bytes.TrimSpace(x.src[l.start:l.end])
	return declaration.Match(text) || x.script && l.indent > 0 && bytes.Equal(text, []byte("}"))
}

// long matches what begins a string or comment of several lines.
var long = regexp.MustCompile("/\\*|`|\"\"\"|'''")

// declaration matches how one begins, in some language.
var declaration = regexp.MustCompile(`^(?:(?:export |pub |public |private |protected |internal |static |abstract |async |final |@)*(?:func|function|fn|def|class|interface|struct|enum|trait|impl|module|namespace|type|public|private|protected)\b|@)`)

// flatten sets brackets apart whose content is no further in than they are:
//
//	namespace shop {
//	class Cart;
//	}
func (x *isolation) flatten() {
	last := -1 // the last line that is code
	for i := range x.lines {
		l := &x.lines[i]
		if l.quotes {
			last = -1
		}
		if l.blank || l.apart || l.quotes {
			continue
		}
		text := bytes.TrimSpace(x.src[l.start:l.end])
		if last >= 0 {
			before := &x.lines[last]
			opens := bytes.HasSuffix(bytes.TrimSpace(x.src[before.start:before.end]), []byte("{"))
			switch closes := text[0] == '}'; {
			case opens && !l.goesOn && l.indent == before.indent:
				before.apart, before.goesOn = true, true
			case !opens && closes && l.indent == before.indent && !before.blank:
				l.apart = true
			}
		}
		last = i
	}
}

// continued reports whether a text ends with a line that goes on in the next.
func continued(text []byte) bool {
	return bytes.HasSuffix(bytes.TrimRight(text, "\r\n"), []byte("\\"))
}

// tabColumns is how far in a tab goes, which matters only where a file mixes.
const tabColumns = 4

// units divides lines into units, by those that are least far in.
func (x *isolation) units(in lineSpan) []lineSpan {
	level := -1
	for _, l := range x.lines[in.from:in.to] {
		if !l.blank && !l.goesOn && (level < 0 || l.indent < level) {
			level = l.indent
		}
	}
	var out []lineSpan
	for i := in.from; i < in.to; i++ {
		l := x.lines[i]
		if begins := !l.blank && !l.goesOn && l.indent == level; begins || len(out) == 0 {
			if n := len(out); n == 1 && begins && !x.holds(lineSpan{in.from, i}) {
				continue // only blank lines before the first
			}
			out = append(out, lineSpan{i, in.to})
			if n := len(out); n > 1 {
				out[n-2].to = i
			}
		}
	}
	return out
}

func (x *isolation) holds(s lineSpan) bool {
	for _, l := range x.lines[s.from:s.to] {
		if !l.blank {
			return true
		}
	}
	return false
}

// inside divides a unit into the lines as far in as its first one, its frame, and
// the units between them.
func (x *isolation) inside(u lineSpan) (frame, parts []lineSpan) {
	first := u.from
	for first < u.to && x.lines[first].blank {
		first++
	}
	if first == u.to {
		return nil, nil
	}
	from := -1
	end := func(to int) {
		if from >= 0 {
			parts = append(parts, x.units(lineSpan{from, to})...)
		}
		from = -1
	}
	depth := 0 // of parentheses in the head
	for i := u.from; i < u.to; i++ {
		l := x.lines[i]
		head := i == first || depth > 0 && i-first < headLines
		if head {
			text := x.src[l.start:l.end]
			depth += bytes.Count(text, []byte("(")) - bytes.Count(text, []byte(")"))
		}
		switch {
		case l.blank:
		case head || l.indent <= x.lines[first].indent:
			end(i)
			frame = append(frame, lineSpan{i, i + 1})
		case from < 0:
			from = i
		}
	}
	end(u.to)
	return frame, parts
}

// headLines bounds the lines of a declaration's head.
const headLines = 16

// show puts lines into the text that is tried, or takes them out.
func (x *isolation) show(s lineSpan, shown bool) {
	for i := s.from; i < s.to; i++ {
		x.shown[i] = shown
	}
}

func (x *isolation) lose(s lineSpan) {
	for i := s.from; i < s.to; i++ {
		x.lost[i] = !x.lines[i].apart
	}
}

// assemble puts the lines that are shown into x.text, as they were mended where that
// is known; those of units as they are.
func (x *isolation) assemble(units ...lineSpan) {
	x.text, x.from = x.text[:0], x.from[:0]
	for i, l := range x.lines {
		x.from = append(x.from, len(x.text))
		for len(units) > 0 && units[0].to <= i {
			units = units[1:]
		}
		of := x.out
		if len(units) > 0 && units[0].from <= i {
			of = x.src
		}
		if (x.shown[i] || i == 0 && x.opening) && !x.lost[i] && !l.apart {
			x.text = append(x.text, of[l.start:l.end]...)
		}
	}
	x.from = append(x.from, len(x.text))
	x.left -= len(x.text) + len(x.lines)/linesPerByte
}

// readable reports whether units, in order, can be read inside the lines that are
// shown, and if so, keeps them as they were mended for it. The lines around them must
// do as they are.
func (x *isolation) readable(units ...lineSpan) bool {
	framed := slices.Contains(x.shown, true)
	for _, u := range units {
		x.show(u, true)
		defer x.show(u, false)
	}
	if x.assemble(units...); x.left < 0 {
		return false
	}
	mended := x.mend(x.text)
	if framed && (len(mended) != len(x.text) || !x.sameAround(mended, units)) || !x.reads(mended) {
		return false
	}
	for _, u := range units {
		for i := u.from; i < u.to; i++ {
			copy(x.out[x.lines[i].start:], mended[x.from[i]:x.from[i+1]])
		}
	}
	return true
}

// sameAround reports whether mending has changed nothing outside units.
func (x *isolation) sameAround(mended []byte, units []lineSpan) bool {
	at := 0
	for _, u := range units {
		if !bytes.Equal(mended[at:x.from[u.from]], x.text[at:x.from[u.from]]) {
			return false
		}
		at = x.from[u.to]
	}
	return bytes.Equal(mended[at:], x.text[at:])
}

// search finds the lines of units, which follow each other and can't be read
// together, that can't be read.
func (x *isolation) search(units []lineSpan) {
	var within func(from, to int, known bool)
	within = func(from, to int, known bool) {
		switch {
		case from == to || x.left < 0 || !known && x.readable(units[from:to]...):
		case to-from > 1:
			half := (from + to) / 2
			within(from, half, false)
			within(half, to, false)
		default:
			u := units[from]
			if frame, parts := x.inside(u); len(parts) > 0 {
				x.open(u, frame, parts)
				return
			}
			// a decorator, the first line of an expression
			if from > 0 && x.readable(units[from-1], u) || from+1 < len(units) && x.readable(u, units[from+1]) {
				return
			}
			x.lose(u)
		}
	}
	within(0, len(units), true)
}

// open looks for what can't be read inside a unit.
func (x *isolation) open(u lineSpan, frame, parts []lineSpan) {
	if !x.readable(frame...) {
		x.lose(u)
		return
	}
	for _, f := range frame {
		x.show(f, true)
	}
	x.search(parts)
	x.settle(parts)
	x.show(u, false)
}

// settle loses parts until what is left can be read as a whole, inside the lines
// that are shown.
func (x *isolation) settle(parts []lineSpan) {
	reads := func(n int) bool { // the first n
		for _, p := range parts[:n] {
			x.show(p, true)
			defer x.show(p, false)
		}
		x.assemble()
		return x.left >= 0 && x.reads(x.text)
	}
	for range maxSettled {
		if reads(len(parts)) || x.left < 0 {
			return
		}
		n := sort.Search(len(parts)-1, func(n int) bool { return !reads(n + 1) })
		x.lose(parts[n])
	}
	for _, p := range parts {
		x.lose(p)
	}
}

// maxSettled bounds how many more parts may go before all of them do.
const maxSettled = 4

// best are the facts of a text of which a tree was parsed, after mending.
func (x *extractor) best(s *spec, tree *treesitter.Tree, lang Language, pkg, name string, src []byte) *File {
	f := x.extract(tree, lang, pkg, name, src)
	if !tree.HasError() || x.contained(f, src) {
		return f
	}
	if (lang == C || lang == Cpp) && allMatch(src) {
		return f // macros, which are many, and no statement
	}
	text, lost := s.isolated(x.parser, lang, src)
	if text == nil {
		return f
	}
	apart, err := x.parser.Parse(text, nil)
	if err != nil {
		return f
	}
	defer apart.Close()
	g := x.extract(apart, lang, pkg, name, src)
	better := g.found(src) > f.found(src) || !apart.HasError() && g.strays(src) < f.strays(src)
	if !better || g.misses(f, src) && g.found(src) < muchMore*f.found(src) {
		return f
	}
	g.take(f, lost)
	return g
}

// contained reports whether the errors in a text have cost no more than the statements
// that they are in: each is on one line, outside functions or in one that holds
// nothing but what is further in than itself, and nothing has lost the class around
// it.
func (x *extractor) contained(f *File, src []byte) bool {
	var broken []Span
	for _, n := range x.builder.nodes {
		if n.Kind != treesitter.ErrorKind && n.Flags&treesitter.Missing == 0 {
			continue
		}
		if bytes.IndexByte(src[n.Start:n.End], '\n') >= 0 {
			return false
		}
		if len(broken) > 0 && broken[len(broken)-1].Start <= n.Start && n.End <= broken[len(broken)-1].End {
			continue
		}
		in := slices.IndexFunc(f.Objects, func(o Object) bool {
			return (o.Kind == Function || o.Kind == Method) && o.Body.Start <= n.Start && n.End <= o.Body.End
		})
		if in < 0 {
			continue
		}
		if !f.Objects[in].apart(src) {
			return false
		}
		broken = append(broken, f.Objects[in].Body)
	}
	return f.strays(src) == 0
}

// apart reports whether all lines of a declaration's body are further in than its
// head, but for those that go on with it.
func (o *Object) apart(src []byte) bool {
	head := 1 + bytes.LastIndexByte(src[:o.Ident.Start], '\n')
	in := skipBlanks(src, head) - head
	for at := int(o.Body.Start); at < int(o.Body.End); {
		n := bytes.IndexByte(src[at:o.Body.End], '\n')
		if n < 0 {
			return true
		}
		at += n + 1
		first := skipBlanks(src, at)
		if first-at <= in && first < int(o.Body.End) && !endsLine(src, first) {
			line, _, _ := bytes.Cut(src[first:o.Body.End], []byte("\n"))
			if !joins.Match(line) && !label.Match(line) && line[0] != '#' {
				return false
			}
		}
	}
	return true
}

// muchMore is how many times as much must be found where something else is not.
const muchMore = 1.2

// take adds what another reading of the text knows of lines inside its objects.
func (f *File) take(from *File, lines []Span) {
	object := func(at uint32) int {
		in := 0
		for i := range f.Objects {
			if s := f.Objects[i].Span; s.Start <= at && at < s.End {
				in = i // those inside come later
			}
		}
		return in
	}
	for _, r := range from.Refs {
		if within(lines, r.At.Start) {
			r.Object = object(r.At.Start)
			f.Refs = append(f.Refs, r)
		}
	}
	slices.SortStableFunc(f.Refs, func(a, b Ref) int { return cmp.Compare(a.At.Start, b.At.Start) })
	for _, b := range from.Bindings {
		if within(lines, b.At) {
			b.Object = object(b.At)
			f.Bindings = append(f.Bindings, b)
		}
	}
	slices.SortStableFunc(f.Bindings, func(a, b Binding) int { return cmp.Compare(a.At, b.At) })
	for _, i := range from.Imports {
		if within(lines, i.At.Start) {
			f.Imports = append(f.Imports, i)
		}
	}
	slices.SortStableFunc(f.Imports, func(a, b Import) int { return cmp.Compare(a.At.Start, b.At.Start) })
}

// within reports whether an offset is in one of spans, which come in order.
func within(spans []Span, at uint32) bool {
	i := sort.Search(len(spans), func(i int) bool { return at < spans[i].End })
	return i < len(spans) && spans[i].Start <= at
}

// found is how much of a file's structure is known: its declarations, those inside
// types and namespaces for a little more, those inside functions, or further in than
// the margin and in nothing, which is where a parser that has lost its way puts them,
// for less.
func (f *File) found(src []byte) float64 {
	sum := 0.0
	for i, inside := range f.insideFunctions() {
		if inside || f.isStray(i, src) {
			sum += 0.3
			continue
		}
		d := f.Objects[i].Descriptors
		sum += 1 + 0.1*float64(strings.Count(d, "#")+strings.Count(d, "/"))
	}
	return sum
}

// strays counts the declarations that stand further in than the margin and are in
// nothing, which is where a class's methods are once it is lost.
func (f *File) strays(src []byte) int {
	n := 0
	for i := range f.Objects {
		if f.isStray(i, src) {
			n++
		}
	}
	return n
}

func (f *File) isStray(i int, src []byte) bool {
	o := &f.Objects[i]
	return o.Parent <= 0 && o.Ident.End > 0 && furtherIn(src, o.Ident.Start)
}

// furtherIn reports whether the line of an offset begins with white space.
func furtherIn(src []byte, at uint32) bool {
	return isSpace(src[1+bytes.LastIndexByte(src[:at], '\n')])
}

// misses reports whether another reading of the text declares something, outside
// functions, where f neither declares anything nor has, further in than the margin, a
// function.
func (f *File) misses(other *File, src []byte) bool {
	here := make(map[uint32]bool, len(f.Objects))
	var functions []Span
	for i := range f.Objects {
		o := &f.Objects[i]
		here[o.Ident.Start] = true
		if (o.Kind == Function || o.Kind == Method) && (len(functions) == 0 || o.Span.Start >= functions[len(functions)-1].End) {
			functions = append(functions, o.Span)
		}
	}
	for i, inside := range other.insideFunctions() {
		id := other.Objects[i].Ident
		if !inside && id.End > 0 && !here[id.Start] && !(within(functions, id.Start) && furtherIn(src, id.Start)) {
			return true
		}
	}
	return false
}

// insideFunctions says of each object whether a function encloses it.
func (f *File) insideFunctions() []bool {
	inside := make([]bool, len(f.Objects))
	for i := range f.Objects {
		if p := f.Objects[i].Parent; p >= 0 && p < i {
			inside[i] = inside[p] || f.Objects[p].Kind == Function || f.Objects[p].Kind == Method
		}
	}
	return inside
}
