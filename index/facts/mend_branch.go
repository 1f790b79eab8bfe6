package facts

import "bytes"

// eraseBranches takes out what the preprocessor's #if would have to choose between,
// where the braces of a branch do not match: a parser reads all branches one after
// another, and never finds the end of a block again.
//
//	#if THREADS               #if THREADS            #ifdef __cplusplus
//	    try {                                        extern "C" {
//	#endif                    #endif                 #endif
//	    work();        ──▶        work();
//	#if THREADS               #if THREADS                 the same
//	    } finally { f(); }
//	#endif                    #endif
//
// Of branches that open the same blocks the first stays; where one matches in
// itself, the others go; one alone goes. Its other half has braces that do not match
// either, and goes with it.
//
// directives says that the lines of #if themselves go too, for a grammar that knows
// them in few places.
func eraseBranches(src []byte, directives bool) []byte {
	if !bytes.Contains(src, []byte("#if")) && !bytes.Contains(src, []byte("# if")) {
		return src
	}
	e := branchEraser{src: src, directives: directives}
	e.scan()
	if e.out == nil {
		return src
	}
	return e.out
}

type branchEraser struct {
	src, out   []byte // out is nil while equal to src
	directives bool
	open       []conditional
	braces     balance // of the innermost branch so far
	comment    bool    // within /* */
}

// A conditional is an #if with the branches that have been read.
type conditional struct {
	outside  balance // of the branch around it
	branches []branch
	start    int // of the branch that is being read
}

type branch struct {
	Span
	braces balance
}

// A balance is what the braces of a text leave open.
type balance struct {
	depth  int // opened less closed
	lowest int // depth at its lowest: below 0 where braces from elsewhere are closed
}

func (b balance) matches() bool { return b.depth == 0 && b.lowest == 0 }

func (b *balance) add(c balance) {
	b.lowest = min(b.lowest, b.depth+c.lowest)
	b.depth += c.depth
}

func (e *branchEraser) scan() {
	src := e.src
	for at := 0; at < len(src); {
		end := at + bytes.IndexByte(src[at:], '\n') + 1
		if end == at {
			end = len(src)
		}
		if start := skipBlanks(src, at); start < end && src[start] == '#' && !e.comment {
			for end < len(src) && end > 1 && src[end-1] == '\n' && bytes.HasSuffix(bytes.TrimRight(src[at:end], "\r\n"), []byte{'\\'}) {
				if n := bytes.IndexByte(src[end:], '\n'); n >= 0 {
					end += n + 1
				} else {
					end = len(src)
				}
			}
			name := skipBlanks(src, start+1)
			e.directive(string(src[min(name, end):max(name, min(word(src, name), end))]), at, end)
		} else if len(e.open) > 0 {
			e.count(src[at:end])
		}
		at = end
	}
}

// directive takes note of the directive on the line between two offsets.
func (e *branchEraser) directive(name string, line, next int) {
	switch name {
	case "if", "elif", "else", "endif":
		if e.directives {
			e.erase(Span{uint32(line), uint32(next)})
		}
	}
	switch name {
	case "if", "ifdef", "ifndef":
		e.open = append(e.open, conditional{outside: e.braces, start: next})
		e.braces = balance{}
	case "else", "elif", "elifdef", "elifndef":
		if d := len(e.open) - 1; d >= 0 {
			c := &e.open[d]
			c.branches = append(c.branches, branch{Span{uint32(c.start), uint32(line)}, e.braces})
			c.start, e.braces = next, balance{}
		}
	case "endif":
		if d := len(e.open) - 1; d >= 0 {
			c := e.open[d]
			c.branches = append(c.branches, branch{Span{uint32(c.start), uint32(line)}, e.braces})
			e.open, e.braces = e.open[:d], c.outside
			e.braces.add(e.choose(c.branches))
		}
	}
}

// maxBranch bounds the lines of a branch that is erased. A longer one is no half of a
// block but a part of the file, in which somebody is typing.
const maxBranch = 20

// choose erases branches until what is left of them matches, or cannot be made to,
// and returns what is left open.
func (e *branchEraser) choose(branches []branch) balance {
	same, matching := true, false
	for _, b := range branches {
		if !b.braces.matches() && (b.Len() > 200*maxBranch || bytes.Count(e.src[b.Start:b.End], []byte("\n")) > maxBranch) {
			return branches[0].braces
		}
		same = same && b.braces == branches[0].braces
		matching = matching || b.braces.matches()
	}
	switch first := branches[0].braces; {
	case same && matching:
		return balance{}
	case len(branches) == 1, matching:
		for _, b := range branches {
			if !b.braces.matches() {
				e.erase(b.Span)
			}
		}
		return balance{}
	case same:
		for _, b := range branches[1:] {
			e.erase(b.Span)
		}
		return first
	default:
		return first
	}
}

func (e *branchEraser) erase(s Span) {
	if e.out == nil {
		e.out = bytes.Clone(e.src)
	}
	for i := s.Start; i < s.End; i++ {
		if c := e.out[i]; c != '\n' && c != '\r' {
			e.out[i] = ' '
		}
	}
}

// count adds the braces of a line, but for those in strings and comments.
func (e *branchEraser) count(line []byte) {
	for i := 0; i < len(line); i++ {
		if e.comment {
			n := bytes.Index(line[i:], []byte("*/"))
			if n < 0 {
				return
			}
			i += n + 1
			e.comment = false
			continue
		}
		switch line[i] {
		case '{':
			e.braces.add(balance{depth: 1})
		case '}':
			e.braces.add(balance{-1, -1})
		case '/':
			if i+1 < len(line) && line[i+1] == '/' {
				return
			}
			if i+1 < len(line) && line[i+1] == '*' {
				e.comment = true
				i++
			}
		case '"', '\'':
			i = closingQuote(line, i)
		}
	}
}

// closingQuote returns the offset of the quote that ends the string or character at
// an offset, or that offset if it does not end on its line.
func closingQuote(line []byte, at int) int {
	for i := at + 1; i < len(line); i++ {
		switch line[i] {
		case '\\':
			i++
		case line[at]:
			return i
		}
	}
	return at
}
