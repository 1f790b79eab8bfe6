package ignore

import "strings"

// A glob is a compiled wildcard pattern in git's dialect (wildmatch). In path
// mode, which git uses for patterns with a slash, a single star and "?" stop at
// slashes:
//
//   - any bytes but "/"
//     **/    at the start of a segment: nothing, or anything up to and with a "/"
//     **     at the start and end of a segment: anything
//     ?      one byte but "/"
//     [a-z]  one byte of a set, but "/"
//     \x     the byte x
//
// A pattern with no slash is compared with a base name, where all of that
// comes to the same.
type glob []op

type op struct {
	kind opKind
	c    byte     // literal
	set  *byteSet // set
}

type opKind uint8

const (
	literal opKind = iota
	set
	star    // bytes without "/"
	anyStar // bytes
	anyDirs // "" or bytes that end in "/"
)

// A byteSet holds the bytes that a class or "?" accepts.
type byteSet [4]uint64

func (s *byteSet) add(c byte)      { s[c>>6] |= 1 << (c & 63) }
func (s *byteSet) has(c byte) bool { return s[c>>6]&(1<<(c&63)) != 0 }
func (s *byteSet) remove(c byte)   { s[c>>6] &^= 1 << (c & 63) }
func (s *byteSet) invert() {
	for i := range s {
		s[i] = ^s[i]
	}
}

// compile reads pattern. It reports false for a malformed one (an unclosed
// class, an unknown [:name:], a backslash at the end), which matches nothing.
//
// With fold, matching is done on text in lower case. As in git, letters of the
// pattern follow only where they stand bare or in a range, not after a
// backslash or alone in a class.
func compile(pattern string, pathMode, fold bool) (glob, bool) {
	var g glob
	for i := 0; i < len(pattern); {
		switch c := pattern[i]; c {
		case '*':
			n := i
			for n < len(pattern) && pattern[n] == '*' {
				n++
			}
			kind, used := stars(pattern, i, n, pathMode)
			g = append(g, op{kind: kind})
			i = used
		case '?':
			var s byteSet
			s.invert()
			g = append(g, op{kind: set, set: inPath(&s, pathMode)})
			i++
		case '[':
			s, n := class(pattern[i:], fold)
			if n == 0 {
				return nil, false
			}
			g = append(g, op{kind: set, set: inPath(s, pathMode)})
			i += n
		case '\\':
			if i+1 == len(pattern) {
				return nil, false
			}
			g = append(g, op{kind: literal, c: pattern[i+1]})
			i += 2
		default:
			if fold {
				c = lower(c)
			}
			g = append(g, op{kind: literal, c: c})
			i++
		}
	}
	return g, true
}

// stars says what the run of stars pattern[i:n] means and where reading goes on.
func stars(pattern string, i, n int, pathMode bool) (opKind, int) {
	if !pathMode {
		return anyStar, n
	}
	rest := pattern[n:]
	if n-i == 1 || i > 0 && pattern[i-1] != '/' {
		return star, n
	}
	switch {
	case strings.HasPrefix(rest, "/"):
		return anyDirs, n + 1
	case rest == "", strings.HasPrefix(rest, `\/`):
		return anyStar, n
	}
	return star, n
}

func inPath(s *byteSet, pathMode bool) *byteSet {
	if pathMode {
		s.remove('/')
	}
	return s
}

// class reads the set at the start of p, which begins with "[", and returns its
// length; 0 if it is malformed.
func class(p string, fold bool) (*byteSet, int) {
	s := new(byteSet)
	i := 1
	negated := i < len(p) && (p[i] == '!' || p[i] == '^')
	if negated {
		i++
	}
	low := -1 // the byte that a "-" would continue from
	for first := true; ; first = false {
		if i >= len(p) {
			return nil, 0
		}
		switch c := p[i]; {
		case c == ']' && !first:
			if negated {
				s.invert()
			}
			return s, i + 1
		case c == '\\':
			if i+1 >= len(p) {
				return nil, 0
			}
			s.add(p[i+1])
			low = int(p[i+1])
			i += 2
		case c == '-' && low >= 0 && i+1 < len(p) && p[i+1] != ']':
			i++
			if p[i] == '\\' {
				if i++; i >= len(p) {
					return nil, 0
				}
			}
			addRange(s, low, int(p[i]), fold)
			low = -1
			i++
		case c == '[' && i+1 < len(p) && p[i+1] == ':':
			end := strings.IndexByte(p[i+2:], ']')
			if end < 0 {
				return nil, 0
			}
			name, closed := strings.CutSuffix(p[i+2:i+2+end], ":")
			if !closed {
				s.add(c)
				low = int(c)
				i++
				continue
			}
			member := posix[name]
			if member == nil {
				return nil, 0
			}
			for b := range 256 {
				if member(byte(b)) || fold && name == "upper" && posix["lower"](byte(b)) {
					s.add(byte(b))
				}
			}
			low = -1
			i += 2 + end + 1
		default:
			s.add(c)
			low = int(c)
			i++
		}
	}
}

// addRange adds lo..hi; with fold also the lower case of the letters in it.
func addRange(s *byteSet, lo, hi int, fold bool) {
	for c := lo; c <= hi; c++ {
		s.add(byte(c))
		if fold {
			s.add(lower(byte(c)))
		}
	}
}

// posix has the named classes, over ASCII as git has them.
var posix = map[string]func(byte) bool{
	"alnum":  func(c byte) bool { return isLetter(c) || isDigit(c) },
	"alpha":  isLetter,
	"blank":  func(c byte) bool { return c == ' ' || c == '\t' },
	"cntrl":  func(c byte) bool { return c < 32 || c == 127 },
	"digit":  isDigit,
	"graph":  func(c byte) bool { return c > 32 && c < 127 },
	"lower":  func(c byte) bool { return 'a' <= c && c <= 'z' },
	"print":  func(c byte) bool { return c >= 32 && c < 127 },
	"punct":  func(c byte) bool { return c > 32 && c < 127 && !isLetter(c) && !isDigit(c) },
	"space":  func(c byte) bool { return c == ' ' || 9 <= c && c <= 13 },
	"upper":  func(c byte) bool { return 'A' <= c && c <= 'Z' },
	"xdigit": func(c byte) bool { return isDigit(c) || 'a' <= lower(c) && lower(c) <= 'f' },
}

func isLetter(c byte) bool { return 'a' <= lower(c) && lower(c) <= 'z' }
func isDigit(c byte) bool  { return '0' <= c && c <= '9' }

func lower(c byte) byte {
	if 'A' <= c && c <= 'Z' {
		return c + 'a' - 'A'
	}
	return c
}

// match reports whether g accepts all of text.
//
// Patterns come with the repository, so the time must not explode: instead of
// trying all ways to divide the text among the stars, only the last wildcard
// that can still grow is kept, one of each reach. An earlier one need not be
// tried again, since the last of the same reach can take over whatever it would
// have matched.
func (g glob) match(text string) bool {
	near := retry{at: -1} // a star, which stops at "/"
	far := retry{at: -1}  // an anyStar or anyDirs
	i, t := 0, 0
	for {
		if i == len(g) && t == len(text) {
			return true
		}
		if i < len(g) {
			switch g[i].kind {
			case star:
				near = retry{i, t}
				i++
				continue
			case anyStar, anyDirs:
				near, far = retry{at: -1}, retry{i, t}
				i++
				continue
			case literal:
				if t < len(text) && text[t] == g[i].c {
					i, t = i+1, t+1
					continue
				}
			case set:
				if t < len(text) && g[i].set.has(text[t]) {
					i, t = i+1, t+1
					continue
				}
			}
		}
		switch {
		case near.at >= 0 && near.end < len(text) && text[near.end] != '/':
			near.end++
			i, t = near.at+1, near.end
		case far.at >= 0 && far.grow(g[far.at].kind, text):
			near.at = -1
			i, t = far.at+1, far.end
		default:
			return false
		}
	}
}

// A retry is a wildcard at g[at] that has matched up to text[:end].
type retry struct{ at, end int }

// grow takes the next shortest match of a wildcard that crosses slashes.
func (r *retry) grow(kind opKind, text string) bool {
	if r.end >= len(text) {
		return false
	}
	if kind == anyStar {
		r.end++
		return true
	}
	n := strings.IndexByte(text[r.end:], '/')
	if n < 0 {
		return false
	}
	r.end += n + 1
	return true
}
