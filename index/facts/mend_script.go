package facts

import "bytes"

// mendScript is what the parser reads of JavaScript and TypeScript: text without what
// is newer than the grammars, its brackets closed.
func mendScript(src []byte) []byte { return braceSyntax{script: true}.mend(eraseNewScript(src)) }

// eraseNewScript writes declarations of resources as those of constants, and takes out
// how a type parameter varies:
//
//	using file = open();              const file = open();
//	await using lock = get();   ──▶         const lock = get();
//	class Store<in out T> {}          class Store<       T> {}
//
// Where this is in a comment or a string, the parser sees no names in it either way.
func eraseNewScript(src []byte) []byte {
	e := macroEraser{src: src}
	for at := 0; ; {
		n := bytes.Index(src[at:], []byte("using "))
		if n < 0 {
			break
		}
		at += n
		e.resource(at)
		at += len("using ")
	}
	for _, modifier := range []string{"in ", "out "} {
		for at := 0; ; at += len(modifier) {
			n := bytes.Index(src[at:], []byte(modifier))
			if n < 0 {
				break
			}
			at += n
			e.variance(at, len(modifier)-1)
		}
	}
	if e.out == nil {
		return src
	}
	return e.out
}

// resource writes const for the using at an offset, if a name and its value follow.
func (e *macroEraser) resource(at int) {
	name := skipBlanks(e.src, at+len("using "))
	end := word(e.src, name)
	next := skipBlanks(e.src, end)
	if end == name || next >= len(e.src) || e.src[next] != '=' && !bytes.HasPrefix(e.src[next:], []byte("of ")) {
		return
	}
	if bytes.HasPrefix(e.src[next:], []byte("==")) || bytes.HasPrefix(e.src[next:], []byte("=>")) {
		return
	}
	before := bytes.TrimRight(e.src[:at], " \t")
	from := at
	if await := len(before) - len("await"); await >= 0 && string(before[await:]) == "await" && (await == 0 || !isWord(before[await-1])) {
		from = await
		before = bytes.TrimRight(before[:await], " \t")
	}
	if n := len(before); n > 0 && bytes.IndexByte([]byte("\n\r;{}("), before[n-1]) < 0 {
		return
	}
	e.erase(Span{uint32(from), uint32(at)})
	copy(e.out[at:], "const")
}

// variance erases the modifier of n bytes at an offset, if it stands in front of a
// type parameter.
func (e *macroEraser) variance(at, n int) {
	before := bytes.TrimRight(e.src[:at], " ")
	if out, found := bytes.CutSuffix(before, []byte("in")); found { // of in out
		before = bytes.TrimRight(out, " ")
	}
	if len(before) == 0 || before[len(before)-1] != '<' && before[len(before)-1] != ',' {
		return
	}
	name := skipBlanks(e.src, at+n)
	if bytes.HasPrefix(e.src[name:], []byte("out ")) {
		name = skipBlanks(e.src, name+len("out "))
	}
	end := word(e.src, name)
	next := skipBlanks(e.src, end)
	if end == name || next >= len(e.src) || bytes.IndexByte([]byte(">,="), e.src[next]) < 0 && !bytes.HasPrefix(e.src[next:], []byte("extends ")) {
		return
	}
	e.erase(Span{uint32(at), uint32(at + n)})
}
