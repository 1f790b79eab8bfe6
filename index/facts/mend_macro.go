package facts

import "bytes"

// mendC is what the parser reads of C and C++: text without macros and branches in
// the way, its brackets closed.
func mendC(src []byte) []byte {
	return braceSyntax{directed: true}.mend(eraseMacros(eraseBranches(src, false)))
}

// allMatch reports whether the brackets of C or C++ match.
func allMatch(src []byte) bool {
	m := braceMender{mender: mender{src: eraseBranches(src, false)}, syntax: braceSyntax{directed: true}}
	m.scan()
	return !m.odd
}

// mendCSharp is what the parser reads of C#.
func mendCSharp(src []byte) []byte { return braceSyntax{directed: true}.mend(eraseBranches(src, true)) }

// eraseMacros takes macros out of the heads of C and C++ declarations. What such a
// macro stands for is in another file, so to a parser it is one name too many, and
// the class or the function behind it is lost:
//
//	class JSON_API Value {                       class          Value {
//	LZ4LIB_API int LZ4_versionNumber(void);                 int LZ4_versionNumber(void);
//	int CJSON_CDECL main(void)              ──▶  int             main(void)
//	CJSON_PUBLIC(char *) cJSON_Print(int);                    char *  cJSON_Print(int);
//	FMT_BEGIN_NAMESPACE
//	namespace detail {                           namespace detail {
//	#if __has_include(<ranges>)                  #if __has_include(0       )
//
// A head is what a line begins with, up to a bracket, a semicolon or the like: a
// declaration's specifiers, type and name. A macro is a name in capitals that is
// left over when these are found. Heads of other shapes stay as they are, and so do
// all comments and strings, for the parser sees no names in them.
func eraseMacros(src []byte) []byte {
	e := macroEraser{src: src}
	for at := 0; at < len(src); at = e.lineEnd(at) + 1 {
		start := skipBlanks(src, at)
		if start == len(src) {
			break
		}
		switch c := src[start]; {
		case isWord(c):
			for start >= 0 {
				start = e.head(at, start)
			}
		case c == '#':
			at = e.directive(start)
		}
	}
	if e.out == nil {
		return src
	}
	return e.out
}

type macroEraser struct {
	src, out []byte // out is nil while equal to src
	class    []byte // the name of the class whose head came last
}

// directive mends the preprocessor line at an offset, and returns the offset of its
// last byte: the grammars know neither comments inside a definition that goes over
// several lines nor a header's name in a condition.
func (e *macroEraser) directive(at int) int {
	from, end := at, e.lineEnd(at)
	for end < len(e.src) && end > 0 && (e.src[end-1] == '\\' || end > 1 && e.src[end-1] == '\r' && e.src[end-2] == '\\') {
		end = e.lineEnd(end + 1)
	}
	text := e.src[from:end]
	name := skipBlanks(e.src, at+1)
	switch w := e.src[name:word(e.src, name)]; {
	case bytes.HasPrefix(w, []byte("if")), string(w) == "elif":
		open := bytes.Index(text, []byte("(<"))
		if open >= 0 {
			if n := bytes.IndexByte(text[open:], '>'); n > 0 {
				e.erase(Span{uint32(from + open + 1), uint32(from + open + n + 1)})
				e.out[from+open+1] = '0'
			}
		}
	case string(w) == "define" && bytes.IndexByte(text, '\n') >= 0:
		for at := 0; ; {
			open := bytes.Index(text[at:], []byte("/*"))
			if open < 0 {
				break
			}
			n := bytes.Index(text[at+open:], []byte("*/"))
			if n < 0 || bytes.IndexByte(text[at+open:at+open+n], '\n') >= 0 {
				break
			}
			e.erase(Span{uint32(from + at + open), uint32(from + at + open + n + 2)})
			at += open + n + 2
		}
	}
	return max(end-1, at)
}

func (e *macroEraser) lineEnd(at int) int {
	if n := bytes.IndexByte(e.src[at:], '\n'); n >= 0 {
		return at + n
	}
	return len(e.src)
}

func (e *macroEraser) erase(s Span) {
	if e.out == nil {
		e.out = bytes.Clone(e.src)
	}
	for i := s.Start; i < s.End; i++ {
		if e.out[i] != '\n' {
			e.out[i] = ' '
		}
	}
}

// A headWord is a word of a head.
type headWord struct {
	Span
	is wordIs
	// pointed says that * or & stands between the word and what is before it.
	pointed bool
}

type wordIs uint8

const (
	otherWord     wordIs = iota
	capitals             // LZ4LIB_API: perhaps a macro
	specifier            // static
	primitive            // int
	classKey             // struct
	operatorWord         // operator
	declarationBy        // namespace: begins a declaration, and has no type
	statementWord        // return
)

var headWords = func() map[string]wordIs {
	words := map[string]wordIs{"operator": operatorWord}
	for is, list := range map[wordIs]string{
		specifier: `static inline extern const volatile register virtual explicit constexpr consteval constinit friend mutable
			typedef typename restrict thread_local _Thread_local __inline __inline__ __forceinline __extension__`,
		primitive:     `void bool char short int long signed unsigned float double auto _Bool wchar_t char8_t char16_t char32_t size_t`,
		classKey:      `class struct union enum`,
		declarationBy: `namespace template using concept`,
		statementWord: `return if else for while do switch case default break continue goto throw try catch new delete sizeof
			public private protected asm co_return co_await co_yield static_assert requires`,
	} {
		for _, w := range bytes.Fields([]byte(list)) {
			words[string(w)] = is
		}
	}
	return words
}()

// maxHeadWords bounds the words of a head: a longer one is no declaration's.
const maxHeadWords = 10

// A declarationHead is a head in words.
type declarationHead struct {
	list [maxHeadWords]headWord
	n    int
	caps bool // some word may be a macro
	end  int  // offset of what ends it
}

func (h *declarationHead) words() []headWord { return h.list[:h.n] }

// head reads the head of the line that begins at an offset, with its first word at
// start, and erases the macros in it. It returns the offset of a head behind what was
// erased, or -1.
func (e *macroEraser) head(line, start int) int {
	if next := e.module(line, start); next != start {
		return next
	}
	var h declarationHead
	if !e.read(&h, start) {
		return -1
	}
	if h.n > 0 && h.list[h.n-1].is == operatorWord {
		e.deducedThis(e.behindOperator(h.end))
	}
	opens := h.end < len(e.src) && e.src[h.end] == '('
	if opens && h.n > 0 {
		e.deducedThis(h.end)
		e.convention(h.end)
		if h.n > 1 || h.list[0].pointed {
			e.trailing(h.end)
		}
	}
	e.noteClass(h.words(), h.end)
	if h.n == 1 && opens {
		return e.call(h.list[0], line, h.end)
	}
	if h.caps {
		e.judge(h.words(), line, h.end)
	}
	return -1
}

// read takes apart the head that begins at an offset; false says that it is none.
func (e *macroEraser) read(h *declarationHead, at int) bool {
	src, pointed := e.src, false
	for at < len(src) {
		switch c := src[at]; {
		case isWord(c):
			w := headWord{Span{uint32(at), uint32(word(src, at))}, otherWord, pointed}
			w.is = wordIsOf(src[w.Start:w.End])
			if w.is == statementWord || h.n == maxHeadWords {
				return false
			}
			h.list[h.n], h.n, h.caps = w, h.n+1, h.caps || w.is == capitals
			if at = int(w.End); w.is == declarationBy && string(src[w.Start:w.End]) == "template" {
				if at = e.templateEnd(at); at < 0 {
					return false
				}
				e.eraseBut(h.words(), -1)
				h.n = 0
			}
			pointed = false
		case c == ' ', c == '\t', c == '\r':
			at++
		case c == '[' && h.n > 0 && h.list[h.n-1].is == classKey && bytes.HasPrefix(src[at:], []byte("[[")):
			n := bytes.Index(src[at:], []byte("]]"))
			if n < 0 {
				return false
			}
			e.erase(Span{uint32(at), uint32(at + n + 2)})
			at += n + 2
		case (c == '*' || c == '&') && h.n > 0:
			pointed = true
			at++
		case c == '<':
			if at = e.templateEnd(at); at < 0 {
				return false
			}
		case c == ':' && at+1 < len(src) && src[at+1] == ':' && h.n > 0:
			if at = e.join(&h.list[h.n-1], at+2); at < 0 {
				return false
			}
		default:
			h.end = at
			return true
		}
	}
	h.end = at
	return true
}

// join makes one name of a word and what follows its ::, and returns the offset
// behind it, or -1.
func (e *macroEraser) join(w *headWord, at int) int {
	at = skipBlanks(e.src, at)
	if at < len(e.src) && e.src[at] == '~' {
		at++
	}
	end := word(e.src, at)
	if end == at {
		return -1
	}
	w.End, w.is = uint32(end), otherWord
	return end
}

// module erases what the grammars are too old for at the beginning of a head: export,
// the statements that name or import a module, and the condition of if consteval. It
// returns as head does, or start if there is nothing.
func (e *macroEraser) module(line, start int) int {
	end := word(e.src, start)
	next := skipBlanks(e.src, end)
	if next == end || next == len(e.src) {
		return start
	}
	switch w := string(e.src[start:end]); {
	case w == "if" && bytes.HasPrefix(e.src[next:], []byte("consteval ")):
		e.erase(Span{uint32(next), uint32(next + len("consteval"))})
		copy(e.out[next:], "(0)")
		return -1
	case w == "export" && (isWord(e.src[next]) || e.src[next] == '{'):
		e.erase(Span{uint32(start), uint32(end)})
		if e.src[next] == '{' {
			return -1
		}
		return next
	case w == "import" && start == line, w == "module" && e.named(line, next):
		last := start + bytes.IndexByte(e.src[start:e.lineEnd(start)], ';')
		if last > start {
			e.erase(Span{uint32(start), uint32(last + 1)})
			return -1
		}
	}
	return start
}

// named reports whether the name at an offset can only be a module's: it has a dot,
// or export stands before.
func (e *macroEraser) named(line, at int) bool {
	end := word(e.src, at)
	return end < len(e.src) && e.src[end] == '.' || bytes.HasPrefix(e.src[line:], []byte("export"))
}

// behindOperator returns the offset of the parenthesis of an operator's parameters,
// whose sign begins at an offset.
func (e *macroEraser) behindOperator(at int) int {
	end := at
	for end < len(e.src) && !isWord(e.src[end]) && e.src[end] != '\n' {
		end++
	}
	return at + max(0, bytes.LastIndexByte(e.src[at:end], '('))
}

// deducedThis erases the first word of (this Self& self), at whose parenthesis an
// offset is.
func (e *macroEraser) deducedThis(open int) {
	start := skipBlanks(e.src, open+1)
	end := word(e.src, start)
	if next := skipBlanks(e.src, end); string(e.src[start:end]) == "this" && next > end && next < len(e.src) && isWord(e.src[next]) {
		e.erase(Span{uint32(start), uint32(end)})
	}
}

// convention erases the macro in void (WINAPI *callback)(int), at whose parenthesis
// an offset is.
func (e *macroEraser) convention(open int) {
	start := skipBlanks(e.src, open+1)
	end := word(e.src, start)
	if next := skipBlanks(e.src, end); next < len(e.src) && e.src[next] == '*' && end > start && isCapitals(e.src[start:end]) {
		if after := skipBlanks(e.src, next+1); after < len(e.src) && isWord(e.src[after]) {
			if closing := skipBlanks(e.src, word(e.src, after)); bytes.HasPrefix(e.src[closing:], []byte(")(")) {
				e.erase(Span{uint32(start), uint32(end)})
			}
		}
	}
}

// trailing erases the macro between the parameters that begin at an offset and the
// end of their function's head: void f(int) JANSSON_ATTRS((nonnull));
func (e *macroEraser) trailing(open int) {
	closing := e.closing(open)
	if closing < 0 {
		return
	}
	start := skipSpaces(e.src, closing+1)
	end := word(e.src, start)
	if !isCapitals(e.src[start:end]) {
		return
	}
	if next := skipBlanks(e.src, end); next < len(e.src) && e.src[next] == '(' {
		if closing = e.closing(next); closing < 0 {
			return
		}
		end = closing + 1
	}
	if next := skipSpaces(e.src, end); next < len(e.src) && (e.src[next] == ';' || e.src[next] == '{') {
		e.erase(Span{uint32(start), uint32(end)})
	}
}

func wordIsOf(w []byte) wordIs {
	if isCapitals(w) {
		return capitals
	}
	return headWords[string(w)]
}

// isCapitals reports whether a name is written as macros are. One of two letters
// may be a type parameter's.
func isCapitals(w []byte) bool {
	letters := 0
	for _, c := range w {
		switch {
		case 'A' <= c && c <= 'Z':
			letters++
		case c != '_' && (c < '0' || c > '9'):
			return false
		}
	}
	return letters > 2 || letters > 0 && len(w) > 2
}

// templateEnd returns the offset behind the <…> that begins at or behind an offset
// and ends on its line, or -1.
func (e *macroEraser) templateEnd(at int) int {
	depth := 0
	for at = skipBlanks(e.src, at); at < len(e.src); at++ {
		switch e.src[at] {
		case '<':
			depth++
		case '>':
			if depth--; depth == 0 {
				return at + 1
			}
		case '\n', ';', '{':
			return -1
		default:
			if depth == 0 {
				return -1
			}
		}
	}
	return -1
}

// noteClass remembers the name of a class whose head ends at an offset.
func (e *macroEraser) noteClass(words []headWord, end int) {
	for i, w := range words {
		if w.is == classKey && i+1 < len(words) && end < len(e.src) && (e.src[end] == '{' || e.src[end] == ':' || e.src[end] == '\n') {
			last := words[len(words)-1]
			if i+2 < len(words) && string(e.src[last.Start:last.End]) == "final" {
				last = words[len(words)-2]
			}
			e.class = e.src[last.Start:last.End]
			return
		}
	}
}

// judge erases the macros among the words of a head that ends at an offset.
func (e *macroEraser) judge(words []headWord, line, end int) {
	for i, w := range words {
		switch {
		case w.is == classKey:
			e.eraseBut(words[:i], -1)
			e.classHead(words[i+1:], string(e.src[w.Start:w.End]), end)
			return
		case w.is == declarationBy, w.is == operatorWord && i+1 < len(words): // operator bool
			e.eraseBut(words[:i], -1)
			return
		}
	}
	if len(words) == 0 {
		return
	}
	c := byte('\n')
	if end < len(e.src) {
		c = e.src[end]
	}
	switch {
	case c == '~':
		e.eraseBut(words, -1)
	case c == '\n', c == '/':
		e.endOfLine(words, line, end)
	default:
		e.eraseBefore(words, len(words)-1)
	}
}

// classHead erases the macros between class and the name of one that has a body.
func (e *macroEraser) classHead(words []headWord, key string, end int) {
	next := end
	for next < len(e.src) && isSpace(e.src[next]) {
		next++
	}
	if next == len(e.src) {
		return
	}
	switch c := e.src[next]; {
	case c == '{', c == ';' && key == "class":
	case c == ':': // bases, or a bit field's width
		if n := bytes.IndexAny(e.src[next:min(next+maxLook, len(e.src))], "{;"); n < 0 || e.src[next+n] == ';' {
			return
		}
	default:
		return
	}
	for i, w := range words {
		if w.pointed {
			return
		}
		if i+1 < len(words) && w.is == capitals && string(e.src[words[i+1].Start:words[i+1].End]) != "final" {
			e.erase(w.Span)
		}
	}
}

// eraseBefore erases the words in capitals before the name, which is word last, but
// for one that has to be the type.
func (e *macroEraser) eraseBefore(words []headWord, last int) {
	name := e.src[words[last].Start:words[last].End]
	if len(name) > 0 && bytes.Equal(name, e.class) && !words[last].pointed { // a constructor
		e.eraseBut(words[:last], -1)
		return
	}
	e.eraseBut(words[:last], e.typeAmong(words[:last]))
}

// eraseBut erases the words in capitals, but for one.
func (e *macroEraser) eraseBut(words []headWord, kept int) {
	for i, w := range words {
		if w.is == capitals && i != kept {
			e.erase(w.Span)
		}
	}
}

// typeAmong returns which of the words before a name is its type: the first that is
// not in capitals, or else the first of those without a low line, or else the first.
func (e *macroEraser) typeAmong(words []headWord) int {
	typ, best := -1, 0
	for i, w := range words {
		worth := 0
		switch {
		case w.pointed:
		case w.is == primitive, w.is == otherWord:
			worth = 3
		case w.is == capitals && bytes.IndexByte(e.src[w.Start:w.End], '_') < 0:
			worth = 2
		case w.is == capitals:
			worth = 1
		}
		if worth > best {
			typ, best = i, worth
		}
	}
	return typ
}

// endOfLine judges a head that goes to the end of its line: the type of what the
// next line declares, or macros that stand alone.
func (e *macroEraser) endOfLine(words []headWord, line, end int) {
	next := e.lineEnd(end)
	for next < len(e.src) && isSpace(e.src[next]) {
		next++
	}
	if next == len(e.src) || !isWord(e.src[next]) && e.src[next] != '#' && e.src[next] != '/' && e.src[next] != '~' {
		return
	}
	named := false // the next line begins with name(
	if isWord(e.src[next]) {
		after := skipBlanks(e.src, word(e.src, next))
		named = after < len(e.src) && e.src[after] == '('
	}
	if named && !(int(words[0].Start) > line && len(words) == 1) {
		e.eraseBut(words, e.typeAmong(words))
		return
	}
	alone := true
	for _, w := range words {
		alone = alone && (w.is == capitals || w.is == specifier)
	}
	switch {
	case !alone && words[len(words)-1].is == primitive:
		e.eraseBefore(words, len(words)-1)
	case alone && (words[0].is == specifier || e.beginsDeclaration(line, int(words[0].Start))):
		e.eraseBut(words, -1)
	}
}

// beginsDeclaration reports whether a declaration can begin at the word at start:
// what stands before it has ended.
func (e *macroEraser) beginsDeclaration(line, start int) bool {
	text := e.src
	if e.out != nil {
		text = e.out
	}
	end := line
	for end > max(0, line-maxLook) && isSpace(text[end-1]) {
		end--
	}
	if end == 0 {
		return true
	}
	switch c := text[end-1]; {
	case c == ';', c == '}', c == '{', c == ':':
		return true
	}
	blank := line-end > 1
	return line == start && (blank || bytes.HasSuffix(text[:end], []byte("*/")) || e.afterDirective(end))
}

// maxLook bounds how many bytes are looked at around a head.
const maxLook = 4096

// afterDirective reports whether the line that ends at an offset is one of the
// preprocessor's, or a comment.
func (e *macroEraser) afterDirective(end int) bool {
	from := skipBlanks(e.src, bytes.LastIndexByte(e.src[:end], '\n')+1)
	return from < end && (e.src[from] == '#' || bytes.HasPrefix(e.src[from:], []byte("//")))
}

// call judges NAME(…) at the beginning of a line: a macro around a type keeps the
// type, and one that stands alone or in front of a declaration goes. Inside a block
// NAME(…) may as well be a statement, unless it has a message. It returns as head does.
func (e *macroEraser) call(w headWord, line, open int) int {
	closing := -1
	if w.is == capitals || w.is == otherWord {
		closing = e.closing(open)
	}
	if closing < 0 {
		return -1
	}
	message := e.src[skipSpaces(e.src, open+1)] == '"'
	if int(w.Start) != line && !message {
		return -1
	}
	next := skipSpaces(e.src, closing+1)
	if next >= len(e.src) || !isWord(e.src[next]) {
		return -1
	}
	whole := Span{w.Start, uint32(closing + 1)}
	if bytes.IndexByte(e.src[closing:next], '\n') >= 0 { // alone
		if w.is == capitals && (message || e.beginsDeclaration(line, int(w.Start))) {
			e.erase(whole)
		}
		return -1
	}
	after := skipBlanks(e.src, word(e.src, next))
	switch {
	case after < len(e.src) && e.src[after] == '(' && e.isType(open+1, closing):
		e.erase(Span{w.Start, uint32(open + 1)})
		e.erase(Span{uint32(closing), uint32(closing + 1)})
	case w.is == capitals:
		e.erase(whole)
		return next
	}
	return -1
}

// skipSpaces returns the offset of the first byte at or behind an offset that is no
// white space, or of the last byte.
func skipSpaces(src []byte, at int) int {
	for at < len(src)-1 && isSpace(src[at]) {
		at++
	}
	return at
}

// closing returns the offset of the parenthesis that closes the one at an offset,
// not too far from it, or -1.
func (e *macroEraser) closing(open int) int {
	depth := 0
	for at := open; at < min(len(e.src), open+512); at++ {
		switch e.src[at] {
		case ';', '{', '}':
			return -1
		case '"':
			n := bytes.IndexAny(e.src[at+1:], "\"\n")
			if n < 0 || e.src[at+1+n] == '\n' {
				return -1
			}
			at += n + 1
		case '(':
			depth++
		case ')':
			if depth--; depth == 0 {
				return at
			}
		}
	}
	return -1
}

// isType reports whether the text between two offsets can be a type.
func (e *macroEraser) isType(from, to int) bool {
	text := bytes.TrimSpace(e.src[from:to])
	if len(text) == 0 || '0' <= text[0] && text[0] <= '9' {
		return false
	}
	for _, c := range text {
		if !isWord(c) && !isSpace(c) && bytes.IndexByte([]byte("*&:<>"), c) < 0 {
			return false
		}
	}
	return true
}
