package treesitter

import (
	"sync"
	"sync/atomic"
)

// A parser whose C code gave up in the middle of something can't be freed, and an
// editor parses at every key: sixty keys in a file of 250 kB that the grammar can't
// read lost two and a half gigabytes. So a language is parsed until its failures
// have cost so much, and no more after that.
const (
	mostLost = 128 << 20 // bytes, a language
	// lostPerParse and lostPerByte of its text are what a parser holds, measured with
	// Ruby: 60 kB for a line, 165 bytes a byte of a long text.
	lostPerParse, lostPerByte = 64 << 10, 170
)

// losses has the bytes lost, an *atomic.Int64, by the name of the language.
var losses sync.Map

func lossOf(l Language) *atomic.Int64 {
	n, _ := losses.LoadOrStore(l.name, new(atomic.Int64))
	return n.(*atomic.Int64)
}
