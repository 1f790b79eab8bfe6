package link

import (
	"regexp"
	"strings"
)

// Said is what a server says, in short, without what it repeats of the code that it
// was sent: some put the whole request into their errors, and errors go to logs,
// where no line of source belongs. A repeated run of a few words, or one long word,
// becomes "…".
func Said(says string, sent ...string) string {
	if len(says) > longAnswer { // it is shortened anyway
		says = says[:longAnswer]
		says = says[:max(0, strings.LastIndexAny(says, " \n"))] // not in the middle of a word
	}
	says = escapes.ReplaceAllString(says, " ")
	var known strings.Builder
	for _, s := range sent {
		known.WriteString(" " + strings.Join(words.FindAllString(escapes.ReplaceAllString(s, " "), -1), " "))
	}
	code := known.String() + " "
	at := words.FindAllStringIndex(says, -1)
	var out strings.Builder
	done := 0
	for i := 0; i < len(at); i++ {
		run, n := " ", 0
		for i+n < len(at) && strings.Contains(code, run+says[at[i+n][0]:at[i+n][1]]+" ") {
			run += says[at[i+n][0]:at[i+n][1]] + " "
			n++
		}
		if n < fewWords && len(run) < longWord {
			continue
		}
		out.WriteString(says[done:at[i][0]] + "…")
		done = at[i+n-1][1]
		i += n - 1
	}
	return Short(out.String() + says[done:])
}

const (
	fewWords = 3
	longWord = 18 // bytes

	longAnswer = 4 << 10 // bytes that are looked at
)

var (
	words   = regexp.MustCompile(`[\pL\pN_]+`)
	escapes = regexp.MustCompile(`\\+(?:u[0-9a-fA-F]{4}|[nrt"/\\])`)
)
