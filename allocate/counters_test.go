package allocate

// counters are ways to count tokens. None may break a guarantee: real tokenizers
// count a concatenation lower than its parts (merges across the seam), and now
// and then higher.
var counters = map[string]func(string) int{
	"words":    words,
	"bytes":    func(s string) int { return len(s) },
	"estimate": estimate,
}

// warped are counters that are monotone, but far from additive.
var warped = map[string]func(string) int{
	"half of the words, rounded down":   func(s string) int { return words(s) / 2 },
	"words and a tenth of their square": func(s string) int { n := words(s); return n + n*n/10 },
	"words, and five for any text": func(s string) int {
		if s == "" {
			return 0
		}
		return words(s) + 5
	},
	"one, always": func(string) int { return 1 },
}
