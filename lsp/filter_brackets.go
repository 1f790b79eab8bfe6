package lsp

import "strings"

// balanced makes text close no more than the document leaves for it to close.
//
// What is open at the cursor is closed by the code behind it, or is not. Text
// may close what is not. What is closed behind the cursor already is closed
// twice if text does it, too: by a bracket that the editor put right there while
// the user typed, or by the end of the block somewhere below.
//
//	the closer is    and text ends with it   and text goes on
//	right behind     cut it off              replace the one that is there
//	further down     cut it off              cut it and the rest off
//
//	f(|)             1)  →  1                1) + g(2)  →  the same, in place of )
func (f *frame) balanced(text string) (Item, string) {
	if prose[f.lang] {
		return Item{Text: text}, ""
	}
	s := f.scanned()
	base := len(s.stack) // what is below was open at the cursor, and text has not closed it
	closed := f.closedBehind()
	auto := len(f.lineRight) - len(strings.TrimLeft(f.lineRight, " \t)]}>\"'`"))

	var over []overtyped
	cut, wrong := len(text), false
	s.run(text, func(e event) bool {
		switch {
		case e.lost:
			wrong = e.level >= base
			base = min(base, e.level)
		case !e.closes || e.level >= base && e.fits:
		case e.level >= base:
			wrong = true
		case !e.fits: // of another kind than what was open, or nothing was
			cut = e.at
		default:
			there, ok := closed[e.level]
			if ok && there >= auto {
				cut = e.at
				break
			}
			if ok {
				over = append(over, overtyped{e.at, e.end, there + len(e.by)})
			}
			base = e.level
		}
		return cut == len(text) && !wrong
	})
	switch {
	case wrong:
		return Item{}, wrongBracket
	case cut == len(text) && opensString(s, base):
		return Item{}, openString
	}
	text = text[:cut]
	if strings.TrimSpace(text) == "" {
		return Item{}, repeatsBelow
	}
	return f.overtype(text, over, s.stack[min(base, len(s.stack)):]), ""
}

// An overtyped is a closer of the text that stands right behind the cursor, too.
type overtyped struct {
	at, end int // in the text
	there   int // where the one behind the cursor ends
}

// overtype leaves the closers behind the cursor to the document as far as text
// ends with them, and replaces them as far as text goes on. own is what text
// leaves open itself: it is closed, too, where the line goes on with a closer,
// which would close it instead of what it was put there for.
func (f *frame) overtype(text string, over []overtyped, own []open) Item {
	for n := len(over); n > 0; n-- {
		last := over[n-1]
		if strings.TrimSpace(text[last.end:]) != "" {
			break
		}
		text, over = text[:last.at], over[:n-1]
	}
	it := Item{Text: text}
	if len(over) > 0 {
		last := over[len(over)-1]
		it.Replace = last.there
		// What text says behind the closer may be what the line says there.
		rest := strings.TrimSpace(f.lineRight[last.there:])
		if rest != "" && strings.HasPrefix(strings.TrimSpace(text[last.end:]), rest) {
			it.Replace = len(strings.TrimRight(f.lineRight, " \t"))
		}
	}
	behind := strings.TrimLeft(f.lineRight[it.Replace:], " \t")
	if behind == "" || !strings.ContainsRune(")]}", rune(behind[0])) || strings.Contains(text, "\n") {
		return it
	}
	it.Text = strings.TrimRight(it.Text, " \t")
	for i := len(own) - 1; i >= 0; i-- {
		it.Text += own[i].closer()
	}
	return it
}

// opensString reports whether text ends inside a string that it opened itself
// and that cannot go on in the next line.
func opensString(s *scan, base int) bool {
	q := s.inString()
	return q != nil && !q.lines && len(s.stack) > base
}

// closedBehind says where the code behind the cursor closes what is open at it:
// by level of the stack, the offset behind the cursor.
//
// While a line is being typed some brackets are not closed yet, and those behind
// belong to others than the innermost. A closer that begins its line belongs to
// the opener whose line is indented like it; others to the nearest that fits.
func (f *frame) closedBehind() map[int]int {
	if f.behind != nil {
		return f.behind
	}
	s := f.scanned()
	base := len(s.stack) // what is below stands before the cursor and is not closed yet
	closed := map[int]int{}
	s.run(f.right, func(e event) bool {
		switch {
		case e.lost:
			base = min(base, len(s.stack))
		case e.closes && !(e.fits && e.level >= base):
			level := f.opener(s.stack, base, e)
			if level < 0 {
				break
			}
			if level < base {
				closed[level] = e.at
				base = level
			}
			s.stack = s.stack[:level]
		}
		return base > 0
	})
	f.behind = closed
	return closed
}

// maxReach is how far down the stack the opener of a closer is looked for. Lines
// that nest deeper are data, or no code at all.
const maxReach = 200

// opener is the entry of the stack that the closer e behind the cursor belongs
// to, -1 if none. Entries from base on stand behind the cursor themselves.
func (f *frame) opener(stack []open, base int, e event) int {
	before := strings.TrimRight(f.right[:e.at], " \t")
	line, begins := f.right[len(before):e.at], strings.HasSuffix(before, "\n")
	nearest := -1
	for i := len(stack) - 1; i >= max(0, len(stack)-maxReach); i-- {
		if stack[i].closer() != e.by {
			continue
		}
		if nearest < 0 {
			nearest = i
		}
		if i >= base || !begins || stack[i].indent == indentWidth(line) {
			return i
		}
	}
	return nearest
}
