package embedded

import (
	"strings"
	"sync"
)

// A vocabulary numbers the words of everything that was ever trained. It only
// grows until the model is compacted: a number that was given out keeps its meaning.
//
// One writer calls add and reads without the lock; everybody else reads under
// it. The slice of a snapshot is safe without: its elements never change.
type vocabulary struct {
	mu    sync.RWMutex
	ids   map[string]word
	words []string // by number
}

func newVocabulary() *vocabulary {
	v := &vocabulary{ids: map[string]word{}, words: make([]string, firstWord)}
	for _, p := range punctuation {
		v.add(p)
	}
	return v
}

// add returns the number of a word, a new one if need be. Writer only.
func (v *vocabulary) add(text string) word {
	if w, ok := v.ids[text]; ok {
		return w
	}
	text = strings.Clone(text) // the file must not stay in memory for a word of it
	v.mu.Lock()
	defer v.mu.Unlock()
	w := word(len(v.words))
	v.ids[text] = w
	v.words = append(v.words, text)
	return w
}

// learn returns the units of text, at most limit and the end. Writer only.
func (v *vocabulary) learn(text string, limit int) []unit {
	units := make([]unit, 0, min(len(text)/3, limit)+1)
	l := newLexer(strings.TrimPrefix(text, "\ufeff")) // a mark of the file, no word of its code
	for x, ok := l.next(); ok && len(units) < limit; x, ok = l.next() {
		w := x.special
		if w == 0 {
			w = v.add(x.text)
		}
		units = append(units, toUnit(w, x.spaced))
	}
	return append(units, end.bare())
}

func toUnit(w word, spaced bool) unit {
	if spaced {
		return w.bare() | 1
	}
	return w.bare()
}

// words of one request: those of a snapshot, and behind them the ones that only
// the prompt has.
type wordList struct {
	shared *vocabulary
	words  []string // of the snapshot; numbers from len(words) on are our own
	own    map[string]word
	extra  []string
}

func (l *wordList) text(w word) string {
	if int(w) < len(l.words) {
		return l.words[w]
	}
	return l.extra[int(w)-len(l.words)]
}

func (l *wordList) len() int { return len(l.words) + len(l.extra) }

// find returns the number of a word, or false if neither snapshot nor prompt has it.
func (l *wordList) find(text string) (word, bool) {
	if w, ok := l.own[text]; ok {
		return w, true
	}
	l.shared.mu.RLock()
	w, ok := l.shared.ids[text]
	l.shared.mu.RUnlock()
	return w, ok && int(w) < len(l.words)
}

func (l *wordList) add(text string) word {
	if w, ok := l.find(text); ok {
		return w
	}
	w := word(l.len())
	if l.own == nil {
		l.own = map[string]word{}
	}
	l.own[text] = w
	l.extra = append(l.extra, text)
	return w
}
