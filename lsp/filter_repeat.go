package lsp

import "strings"

const (
	// loopTurns is how often lines must come in a row to be a loop of the model's
	// rather than code.
	loopTurns = 3
	// loopLines is the longest period that is looked for.
	loopLines = 4
)

// withoutLoop cuts text where the model began to say the same over and over.
func (f *frame) withoutLoop(text string) string {
	lines := codeLines(text)
	for period := 1; period <= loopLines; period++ {
		for i := 0; i+period*loopTurns <= len(lines); i++ {
			if turns(lines[i:], period) >= loopTurns && hasWord(lines[i].text) {
				return text[:lines[i+period].at]
			}
		}
	}
	return text
}

// turns is how often the first period lines come in a row.
func turns(lines []codeLine, period int) int {
	n := 1
	for (n+1)*period <= len(lines) && sameLines(lines[n*period:(n+1)*period], lines[:period]) {
		n++
	}
	return n
}

// aboveAgain reports whether text, on a line of its own, says what stands right
// above: one line that says something, or lines that stand there twice already.
// Lines of brackets and short ones may well follow each other.
func (f *frame) aboveAgain(text string) bool {
	if strings.TrimSpace(f.lineLeft) != "" && !strings.HasPrefix(strings.TrimLeft(text, " \t"), "\n") {
		return false
	}
	lines := codeLines(text)
	if len(lines) == 0 || !hasWord(lines[0].text) {
		return false
	}
	above := f.last(2 * len(lines))
	if !endsWith(above, lines) {
		return false
	}
	long := len(strings.TrimSpace(lines[0].text)) >= significant
	return long || endsWith(above[:len(above)-len(lines)], lines)
}

// last are the n lines with text that stand before the cursor, top first. The
// cursor's own line is one of them if there is text on it.
func (f *frame) last(n int) (lines []string) {
	left := f.left
	if strings.TrimSpace(f.lineLeft) != "" {
		left += "\n"
	}
	above := linesAbove(left)
	for len(lines) < n {
		l, ok := above()
		if !ok {
			break
		}
		lines = append([]string{l}, lines...)
	}
	return lines
}

// endsWith reports whether above ends with lines, but for their indentation.
func endsWith(above []string, lines []codeLine) bool {
	if len(above) < len(lines) {
		return false
	}
	above = above[len(above)-len(lines):]
	for i := range lines {
		if strings.TrimSpace(above[i]) != strings.TrimSpace(lines[i].text) {
			return false
		}
	}
	return true
}
