package facts

import "bytes"

// mendPHP is what the parser reads of PHP: text without what is newer than the
// grammar, its brackets closed.
func mendPHP(src []byte) []byte {
	return braceSyntax{script: true, longText: true, hash: true}.mend(eraseNewPHP(src))
}

// eraseNewPHP takes out what PHP 8.4 and 8.5 have put where an older parser expects
// the end of a property or an operand:
//
//	public private(set) int $n = 0;            public private      int $n = 0;
//	public string $name { get => f(); }   ──▶  public string $name ;
//	$x |> trim(...)                            $x |  trim(...)
//	enum Level { const TOP = self::High; }     enum Level { case  TOP = self::High; }
func eraseNewPHP(src []byte) []byte {
	e := macroEraser{src: src}
	enum := -1 // how far in the enumeration is that a line stands in
	for at := 0; at < len(src); at = e.lineEnd(at) + 1 {
		line := src[at:e.lineEnd(at)]
		switch in := skipBlanks(src, at) - at; {
		case bytes.HasPrefix(src[at+in:], []byte("enum ")):
			enum = in
		case in <= enum && at+in < len(src) && src[at+in] == '}':
			enum = -1
		case enum >= 0 && in > enum:
			e.enumConstant(at + in)
		}
		for from := 0; ; {
			n := bytes.Index(line[from:], []byte("(set)"))
			if n < 0 {
				break
			}
			from += n
			if before := line[:from]; hasVisibility(before) {
				e.erase(Span{uint32(at + from), uint32(at + from + len("(set)"))})
			}
			from++
		}
		for from := 0; ; from++ {
			n := bytes.Index(line[from:], []byte("|> "))
			if n < 0 {
				break
			}
			from += n
			e.erase(Span{uint32(at + from + 1), uint32(at + from + 2)})
		}
		e.hook(at)
	}
	if e.out == nil {
		return src
	}
	return e.out
}

// enumConstant makes a case of the constant that is declared at an offset, if one is.
func (e *macroEraser) enumConstant(at int) {
	start := at
	end := word(e.src, at)
	for propertyWords[string(e.src[at:end])] {
		at = skipBlanks(e.src, end)
		end = word(e.src, at)
	}
	if string(e.src[at:end]) != "const" {
		return
	}
	e.erase(Span{uint32(start), uint32(end)})
	copy(e.out[at:], "case")
	typ := skipBlanks(e.src, end)
	if end = word(e.src, typ); end < len(e.src) && isWord(e.src[skipSpaces(e.src, end)]) {
		e.erase(Span{uint32(typ), uint32(end)})
	}
}

// hasVisibility reports whether a text ends with a word that says who sees a property.
func hasVisibility(text []byte) bool {
	return bytes.HasSuffix(text, []byte("public")) || bytes.HasSuffix(text, []byte("protected")) || bytes.HasSuffix(text, []byte("private"))
}

// propertyWords begin the declaration of a property.
var propertyWords = wordSet(`public protected private final abstract readonly static var`)

// hook erases the hooks of the property on the line at an offset, if it has any.
func (e *macroEraser) hook(at int) {
	start, end := skipBlanks(e.src, at), e.lineEnd(at)
	if !propertyWords[string(e.src[start:word(e.src, start)])] {
		return
	}
	name := bytes.IndexByte(e.src[start:end], '$')
	if name < 0 || bytes.IndexByte(e.src[start:start+name], '(') >= 0 && bytes.Contains(e.src[start:start+name], []byte("function")) {
		return
	}
	open := word(e.src, start+name+1)
	if next := skipSpaces(e.src, open); next < len(e.src) && e.src[next] == '=' {
		n := bytes.IndexAny(e.src[next:e.lineEnd(next)], "{;")
		if n < 0 {
			return
		}
		open = next + n
	}
	open = skipSpaces(e.src, open)
	if open >= len(e.src) || e.src[open] != '{' {
		return
	}
	if closing := closingBrace(e.src, open); closing > 0 {
		e.erase(Span{uint32(open), uint32(closing + 1)})
		e.out[open] = ';'
	}
}

// maxHooks bounds the bytes of a property's hooks.
const maxHooks = 4 << 10

// closingBrace returns the offset of the brace that closes the one at an offset, or
// -1.
func closingBrace(src []byte, open int) int {
	src = src[:min(len(src), open+maxHooks)]
	depth := 0
	for at := open; at < len(src); at++ {
		switch src[at] {
		case '{':
			depth++
		case '}':
			if depth--; depth == 0 {
				return at
			}
		case '"', '\'':
			at = closingQuote(src, at)
		}
	}
	return -1
}
