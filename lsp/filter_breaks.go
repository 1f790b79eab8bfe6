package lsp

import (
	"bytes"
	"context"
	"errors"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"sync"

	"readahead/index/facts"
)

// breaksFile is the reason of a judge.
const breaksFile = "it breaks a file that parses without it"

// A judge says which items would break code that parses now.
//
// The code without the cursor's line is parsed, then with the line as the item
// would make it. Only if the first has no error and the second has one does the
// item break anything. Not the whole document is parsed but what stands around
// the cursor: the declaration, in a shell of its own if it is a member of
// something longer. A parse of that takes a millisecond; one of a file of 5,000
// lines thirty.
//
//	document          around the cursor       in its shell
//	class Cart {                               class A {
//	  void add() {}   int total() {            int total() {
//	                    |                        |
//	  int total() {     return sum;              return sum;
//	    |             }                        }
//	    return sum;                            }
//	  }
//	}
//
// Where code stands behind the cursor on its line, the line as it is must fit, and
// go on to fit with the item in front of that code. There nothing has to follow.
//
// An item is hidden for that alone, so every doubt is in its favour. A line may
// be an opener whose block is not written yet, the first half of a statement, a
// half of an if: it is judged with what could follow it. Nothing is judged where
// the code is broken already, where what the user has typed breaks it, inside
// strings and comments, and where a line's look says that it belongs to lines
// that are not there (see doubtful).
//
// A judge is for one cursor line in one document, whatever is typed there, and for
// many goroutines.
type judge struct {
	path string
	lang facts.Language
	// above and below are the document without the line, as it is.
	above, below []byte

	mu    sync.Mutex      // held for no parse
	found *grounds        // nil before the first item
	lines map[string]bool // whether they fit, by whole line, and by what it was
	now   string          // the line as it was when an item was last put in front of code
	at    []place         // that it had then
}

// grounds are what a judge goes by.
type grounds struct {
	before *scan  // at the start of the line
	next   string // the beginning of what stands below
	around []region
	places []place // what of it is whole without the line; none: no line of its own can be judged
}

const (
	// placeBytes bounds the code that is parsed around the cursor: a millisecond.
	placeBytes = 4 << 10
	// placeDepth is how many of the blocks around the cursor are tried for size.
	placeDepth = 3
)

func newJudge(d Doc) *judge {
	above, below := withoutLine(d)
	return &judge{path: d.Path, lang: d.Lang, above: above, below: below, lines: map[string]bool{}}
}

// withoutLine is a document without the cursor's line.
func withoutLine(d Doc) (above, below []byte) {
	at := max(0, min(d.Offset, len(d.Text)))
	above = d.Text[:bytes.LastIndexByte(d.Text[:at], '\n')+1]
	if i := bytes.IndexByte(d.Text[at:], '\n'); i >= 0 {
		below = d.Text[at+i+1:]
	}
	return above, below
}

// serves reports whether d is the judge's document, but for what is on the line.
func (j *judge) serves(d Doc) bool {
	above, below := withoutLine(d)
	return j.path == d.Path && j.lang == d.Lang && bytes.Equal(j.above, above) && bytes.Equal(j.below, below)
}

// longestJudged is the longest line, in bytes, that is judged: each bracket of it is
// an ending to try, and 250 kB of them took minutes. A longer one is data.
const longestJudged = 4 << 10

// breaks reports whether an item would break code that parses without it. The
// judge must serve d. Where ctx was cancelled nobody waits for the verdict: no more
// is parsed, and none is remembered.
func (j *judge) breaks(ctx context.Context, d Doc, it Item) bool {
	g := j.ground(ctx)
	if len(g.around) == 0 {
		return false
	}
	at := max(0, min(d.Offset, len(d.Text)))
	left := string(d.Text[len(j.above):at])
	right, _, _ := strings.Cut(string(d.Text[at:len(d.Text)-len(j.below)]), "\n")
	right = strings.TrimSuffix(right, "\r")
	rest := right[min(it.Replace, len(right)):]
	line, was := left+it.Text+rest, ""
	if codeBehind(rest) {
		was = left + right
	}
	if len(line) > longestJudged {
		return false
	}
	known := line + "\n" + was
	j.mu.Lock()
	fits, ok := j.lines[known]
	j.mu.Unlock()
	if ok {
		return !fits
	}
	t := trial{ctx, j, g}
	if was != "" {
		fits = t.fitsBefore(line, was)
	} else {
		fits = len(g.places) == 0 || t.fits(line) || !t.canGoOn(left)
	}
	if cancelled(ctx) {
		return false
	}
	j.mu.Lock()
	defer j.mu.Unlock()
	j.lines[known] = fits
	return !fits
}

// codeBehind reports whether the rest of the cursor's line is more than what closes
// what is open, and may end up in another line.
func codeBehind(rest string) bool { return strings.Trim(rest, closing) != "" }

// cancelled reports whether nobody waits any more. A deadline that has passed is
// something else: what is there by then is shown, and must be judged.
func cancelled(ctx context.Context) bool { return errors.Is(ctx.Err(), context.Canceled) }

// ground finds the places, once.
func (j *judge) ground(ctx context.Context) *grounds {
	j.mu.Lock()
	g := j.found
	j.mu.Unlock()
	if g != nil {
		return g
	}
	g = new(grounds)
	trial{ctx, j, g}.prepare()
	if cancelled(ctx) {
		return new(grounds)
	}
	j.mu.Lock()
	defer j.mu.Unlock()
	j.found = g
	return g
}

// A trial is the judgement of one item, for somebody who may stop waiting for it.
type trial struct {
	ctx context.Context
	*judge
	*grounds
}

// prepare fills the grounds.
func (j trial) prepare() {
	if len(shells[j.lang]) == 0 {
		return
	}
	above, below := unixLines(j.above[max(0, len(j.above)-frameBytes):]), unixLines(j.below[:min(len(j.below), frameBytes)])
	j.before = &scan{syntax: syntaxOf(j.lang)}
	j.before.run(above, func(event) bool { return true })
	inside := j.before.inString() != nil || j.before.comment != "" && j.before.comment != "\n"
	if inside || inText(j.lang, above) || operand.MatchString(strings.TrimRight(above[max(0, len(above)-100):], " \t\n")) {
		return
	}
	j.next = below[:min(len(below), 200)]
	j.around = regions(j.lang, above, below)
	for _, r := range j.around {
		if strings.TrimSpace(r.head+r.tail) != "" && j.whole(r) {
			j.places = append(j.grounds.places, r.place)
		}
		if len(j.places) > 0 && r.last {
			break
		}
	}
}

// placesOf are those that have no error with the cursor's line as it was. All items
// of an answer find the same line.
func (j trial) placesOf(was string) []place {
	j.mu.Lock()
	now, places := j.now, j.at
	j.mu.Unlock()
	if now == was {
		return places
	}
	places = j.placesWith(was)
	if !cancelled(j.ctx) {
		j.mu.Lock()
		defer j.mu.Unlock()
		j.now, j.at = was, places
	}
	return places
}

func (j trial) placesWith(was string) (places []place) {
	for _, r := range j.around {
		if r.level <= indentOf(was) && j.parses(r.head+was+"\n"+r.tail) {
			places = append(places, r.place)
		}
		if len(places) > 0 && r.last {
			break
		}
	}
	return places
}

// fitsBefore reports whether a line fits where it did as it was, before an item
// was put in front of code; true if it did not fit then. Blocks that the item
// opens may be closed later.
func (j trial) fitsBefore(line, was string) bool {
	places := j.placesOf(was)
	if len(places) == 0 || j.unknown(strings.TrimSpace(line)) {
		return true
	}
	depth := func(line string) int {
		s := j.before.clone()
		s.run(line+"\n", func(event) bool { return true })
		return len(s.stack)
	}
	ends := strings.Repeat("\n}", max(0, depth(line)-depth(was)))
	return slices.ContainsFunc(places, func(p place) bool { return j.parses(p.head + line + ends + "\n" + p.tail) })
}

// canGoOn reports whether something may follow the beginning of a line.
func (j trial) canGoOn(left string) bool {
	return strings.TrimSpace(left) == "" || slices.ContainsFunc(goOn, func(rest string) bool { return j.parsesWith(left + rest) })
}

var goOn = []string{"a", "a;", "a()", "a();", "a {}", "", ";"}

// whole reports whether a candidate for a place has no error without the line.
func (j trial) whole(r region) bool {
	if j.parses(r.head + "\n" + r.tail) {
		return true
	}
	above := strings.TrimRight(r.head, " \t\n") // a header without a body is whole with one
	header := above[strings.LastIndexByte(above, '\n')+1:]
	return j.lang == facts.Python && strings.HasSuffix(header, ":") &&
		j.parses(r.head+indentation(header)+"    pass\n"+r.tail)
}

// indentation is the white space that a line begins with.
func indentation(line string) string { return line[:indentOf(line)] }

// parses goes without a parse where nobody waits for it: a doubt, as any other.
func (j trial) parses(text string) bool {
	return cancelled(j.ctx) || facts.Parses(j.lang, filepath.Base(j.path), []byte(text))
}

// parsesWith reports whether there is a place that has no error with a line.
func (j trial) parsesWith(line string) bool {
	return slices.ContainsFunc(j.places, func(p place) bool {
		return p.level > indentOf(line) || j.parses(p.head+line+"\n"+p.tail)
	})
}

// fits reports whether a line has a place, or may have one.
func (j trial) fits(line string) bool {
	endings, ok := j.endings(line)
	return !ok || slices.ContainsFunc(endings, func(e string) bool { return j.parsesWith(line + e) })
}

// endings are what might follow the line, and make it whole; false if that can't
// be known.
func (j trial) endings(line string) ([]string, bool) {
	if j.doubtful(line) || goesOnBelow.MatchString(j.next) {
		return nil, false
	}
	s := j.before.clone()
	base, outside := len(s.stack), false
	s.run(line+"\n", func(e event) bool {
		outside = outside || e.closes && e.level < base
		return true
	})
	if outside || s.inString() != nil || len(s.stack) < base {
		return nil, false
	}
	closers := ""
	for _, o := range slices.Backward(s.stack[base:]) {
		if o.by != "{" {
			return nil, false // the list goes on in the next line
		}
		closers += "\n}"
	}
	last := strings.TrimRight(line[strings.LastIndexByte(line, '\n')+1:], " \t")
	switch {
	case j.lang == facts.Python && strings.HasSuffix(last, ":"):
		body := "\n" + indentation(last) + "    pass"
		return []string{body, body + "\n" + indentation(last) + "finally:" + body, "\n" + indentation(last) + "    case _:" + "\n" + indentation(last) + "        pass"}, true
	case j.lang == facts.Ruby:
		return []string{closers, "\nend" + closers}, true
	case closers != "":
		return []string{closers, closers + ";", closers + " finally {}", closers + " while (a);", closers + " catch (A a) {}"}, true
	}
	return []string{"", ";", " {}"}, true
}

// doubtful reports whether a line belongs, by its look, to lines that are not
// there: half a statement, a branch of one, an attribute of a declaration. And
// the grammars don't know everything: macros, and what is newer than they are.
func (j *judge) doubtful(line string) bool {
	line = strings.TrimSpace(line)
	first, last := firstLine(line), lastLine(line)
	label := strings.HasSuffix(last, ":") && j.lang != facts.Python
	if label || goesOn.MatchString(last) || belongs.MatchString(first) {
		return true
	}
	opener := (j.lang == facts.C || j.lang == facts.Cpp) && strings.HasSuffix(last, "{") && !cOpener.MatchString(first)
	return opener || j.unknown(line)
}

// unknown reports whether a line has, by its look, what the grammar may not know.
func (j *judge) unknown(line string) bool {
	switch j.lang {
	case facts.C:
		return cpp.MatchString(line) || macro.MatchString(line)
	case facts.Cpp:
		return macro.MatchString(line)
	case facts.Ruby:
		return percent.MatchString(line) || heredoc.MatchString(line)
	case facts.PHP:
		return newSyntax.MatchString(line) || heredoc.MatchString(line)
	case facts.Python:
		return newPython.MatchString(line)
	}
	return newSyntax.MatchString(line)
}

var (
	// goesOn ends in what needs another operand, or says itself that it goes on.
	goesOn = regexp.MustCompile(`(?:[-+*/%&|^=<>,.?\\!~(\[]|\b(?:and|or|not|in|is|as|new|return|yield|await|throw|else|do|then))$`)
	// operand ends in what needs another in the next line.
	operand = regexp.MustCompile(`(?:[-+*/%&|^=<>,.?\\(\[]|\b(?:and|or|not|in|is))$`)
	// belongs begins in the middle of a statement, or in front of a declaration.
	belongs = regexp.MustCompile(`^(?:[-+*/%&|^=<>,.?:!~)\]}@#\\]|\[[A-Z]|` +
		`(?:else|elif|elsif|elseif|except|finally|catch|case|default|when|rescue|ensure|in|then|while|until|end|endif|endforeach|where|extends|implements|throws|template)\b)`)
	// goesOnBelow begins with the body of what stands above it.
	goesOnBelow = regexp.MustCompile(`^\s*(?:\{|#\s*(?:if|el|endif))`)
	// macro is a name that the preprocessor may make anything of.
	macro = regexp.MustCompile(`\b[A-Z_][A-Z0-9_]{2,}\b|^#|\b__\w+|\bnoreturn\b|` +
		`[(,]\s*(?:struct|union|enum)\s+\w+[\s*]*[,)]`) // a type among its arguments, as container_of takes
	cOpener = regexp.MustCompile(`^(?:if|for|while|switch|do|struct|enum|union|class|namespace)\b`)
	// cpp is what headers of C++ have that are taken for C.
	cpp       = regexp.MustCompile(`::|\b(?:class|virtual|typename|template|operator|public|private|protected|new|delete|this|using)\b|\w_cast\b|\w&`)
	newPython = regexp.MustCompile(`^type\s|\bexcept\s*\*|^match\s|^print\s|\bexec\s|f["']`)
	// percent begins one of Ruby's other literals.
	percent   = regexp.MustCompile(`%[a-zA-Z]?[^\w\s]`)
	newSyntax = regexp.MustCompile(`\b(?:using|record|satisfies|accessor)\b|^import\s+module\b|^(?:\w+\s+)*const\s+[A-Z]`)
)

// inText reports whether the end of text is no code: outside PHP's tags, or in what
// Ruby and PHP call a here document.
func inText(lang facts.Language, text string) bool {
	switch lang {
	case facts.PHP:
		if open := strings.LastIndex(text, "<?"); open < 0 || strings.LastIndex(text, "?>") > open {
			return true
		}
	case facts.Ruby:
	default:
		return false
	}
	at := heredoc.FindAllStringSubmatchIndex(text, -1)
	if len(at) == 0 {
		return false
	}
	last := at[len(at)-1]
	ends := regexp.MustCompile(`(?m)^[ \t]*` + regexp.QuoteMeta(text[last[2]:last[3]]) + `\b`)
	return !ends.MatchString(text[last[1]:])
}

var heredoc = regexp.MustCompile(`<<[-~<]?\s?["']?([A-Za-z_]\w*)["']?`)
