// Package treesitter is all that readahead knows about tree-sitter.
//
// The C runtime and the grammars come from github.com/smacker/go-tree-sitter,
// which is linked for its C code only: its Go API costs a cgo call and an
// allocation for every node that is looked at, and extraction looks at every
// node of every file. Here one call flattens a whole tree into a slice, and
// what follows is plain Go:
//
//	source ──Parser.Parse──▶ Tree (C memory) ──Tree.Flatten──▶ []Node (Go memory)
//
//	func f(a int)          0 source_file           parent –  end 6
//	                       1   function_declaration       0      6
//	                       2     identifier               1      3
//	                       3     parameter_list           1      6
//	                       4       parameter_declaration  3      6
//	                       …
//
// Nodes stand in pre-order. The descendants of nodes[i] are nodes[i+1:nodes[i].Next],
// its first child is i+1 and the sibling of a child j is nodes[j].Next, so a
// walk needs neither recursion nor more calls into C, however deep the tree is.
//
// A Grammar numbers the node types that its user cares about, so that a switch
// over small constants replaces comparing names, and names the few tokens worth
// a node; all other anonymous nodes (punctuation, keywords) are left out in C.
//
// What this package refuses: being told to cancel a parse (a parser that was
// cancelled has been seen to return a wrong tree afterwards), sharing a Parser or Tree
// between goroutines (the C side counts references without locks), and texts
// whose offsets do not fit 32 bits.
package treesitter

/*
#include <stdbool.h>
#include <stdint.h>
#include <stdlib.h>
#include <time.h>
#ifdef _WIN32
#include <windows.h>
#endif

typedef struct TSTree TSTree;
typedef struct TSLanguage TSLanguage;
typedef struct TSParser TSParser;
typedef struct { uint32_t row, column; } TSPoint;
typedef struct { uint32_t context[4]; const void *id; const TSTree *tree; } TSNode;
typedef struct {
  uint32_t start_byte, old_end_byte, new_end_byte;
  TSPoint start_point, old_end_point, new_end_point;
} TSInputEdit;

extern TSParser *ts_parser_new(void);
extern void ts_parser_delete(TSParser *);
extern bool ts_parser_set_language(TSParser *, const TSLanguage *);
extern void ts_parser_set_timeout_micros(TSParser *, uint64_t);

extern void ts_tree_delete(TSTree *);
extern void ts_tree_edit(TSTree *, const TSInputEdit *);
extern TSNode ts_tree_root_node(const TSTree *);

extern bool ts_node_has_error(TSNode);

static uint64_t cpu_micros(void) {
#if defined(_WIN32)
  FILETIME made, ended, kernel, user; // in 100 ns
  if (GetThreadTimes(GetCurrentThread(), &made, &ended, &kernel, &user))
    return ((((uint64_t)kernel.dwHighDateTime + user.dwHighDateTime) << 32) + kernel.dwLowDateTime + user.dwLowDateTime) / 10;
#elif defined(CLOCK_THREAD_CPUTIME_ID)
  struct timespec t;
  if (clock_gettime(CLOCK_THREAD_CPUTIME_ID, &t) == 0) return t.tv_sec * 1000000ull + t.tv_nsec / 1000;
#endif
  return clock() * 1000000ull / CLOCKS_PER_SEC;
}

// Outcome is what is to be known about a parse that gave no tree.
typedef struct {
  uint64_t used; // microseconds of the processor's time
  const char *file, *expression; // of the assertion that failed
  unsigned line;
} Outcome;

extern TSTree *parse_guarded(TSParser *, const TSTree *old, const char *src, uint32_t n,
                             const char **file, unsigned *line, const char **expression);

// parse_within gives up after some time on the wall.
static TSTree *parse_within(TSParser *p, const TSTree *old, const char *src, uint32_t n, uint64_t wall, Outcome *o) {
  uint64_t start = cpu_micros();
  ts_parser_set_timeout_micros(p, wall);
  TSTree *t = parse_guarded(p, old, src, n, &o->file, &o->line, &o->expression);
  o->used = cpu_micros() - start;
  return t;
}

static bool tree_has_error(const TSTree *t) { return ts_node_has_error(ts_tree_root_node(t)); }
*/
import "C"

import (
	"fmt"
	"math"
	"runtime"
	"time"
	"unsafe"

	_ "github.com/smacker/go-tree-sitter" // the C runtime that the declarations above refer to
)

// A Node is one node of a flattened tree.
type Node struct {
	Kind       uint16 // number of the node's type in its Grammar
	Field      uint8  // number of the field it fills in its parent; 0 for none
	Flags      Flags
	Start, End uint32 // bytes
	Parent     uint32 // index; NoParent for the root
	Next       uint32 // index of the first node behind the subtree
}

// NoParent is the root's Parent.
const NoParent = math.MaxUint32

// Flags say what error recovery did to a node.
type Flags uint8

const (
	HasError Flags = 1 << iota // an error lies in the node's subtree, or is the node itself
	Missing                    // the node was inserted to go on parsing; it is empty

	// UserFlag and the bits above it are 0 after Flatten, for users to mark
	// nodes that are still to be visited.
	UserFlag Flags = 1 << 3
)

// MaxSource is the length in bytes of the longest text that is parsed. It keeps
// every offset and every node index below 32 bits.
const MaxSource = math.MaxInt32

// A Parser builds trees of one language. It is for one goroutine at a time.
// Its C memory goes when Close is called or the Parser is garbage.
type Parser struct {
	c       *C.TSParser
	lang    Language
	cleanup runtime.Cleanup
}

// NewParser returns a parser for lang.
func NewParser(lang Language) (*Parser, error) {
	p := &Parser{lang: lang}
	if err := p.begin(); err != nil {
		return nil, err
	}
	return p, nil
}

// begin makes the C parser.
func (p *Parser) begin() error {
	c := C.ts_parser_new()
	if !C.ts_parser_set_language(c, (*C.TSLanguage)(p.lang.c)) {
		C.ts_parser_delete(c)
		return fmt.Errorf("treesitter: set language %s: its grammar's ABI does not fit the linked runtime", p.lang.name)
	}
	p.c = c
	p.cleanup = runtime.AddCleanup(p, func(c *C.TSParser) { C.ts_parser_delete(c) }, c)
	return nil
}

// Close frees the parser. A second call does nothing.
func (p *Parser) Close() {
	if p.c != nil {
		C.ts_parser_delete(p.forget())
	}
}

// forget leaves the C parser to the caller.
func (p *Parser) forget() *C.TSParser {
	c := p.c
	p.cleanup.Stop()
	p.c = nil
	return c
}

// Error recovery can take time quadratic in the length of a text that is broken
// throughout, a text of another language for instance. So a parse gives up after
// a hundred times what a text of its length takes, in processor time, so that a
// busy machine changes no result. Its parser is thrown away: it can't be trusted
// after that.
const (
	patience        = time.Second
	patiencePerByte = 10 * time.Microsecond
)

// Parse returns the tree of src. Given old, the tree of an earlier version to
// which every edit since was applied by Edit, it reuses what did not change; old
// stays valid and the caller's to close. The errors are a text over MaxSource
// and one whose parse was given up, because it took too long or because the C code
// asserts what does not hold for it.
func (p *Parser) Parse(src []byte, old *Tree) (*Tree, error) {
	if err := checkSize(len(src)); err != nil {
		return nil, err
	}
	var o *C.TSTree
	if old != nil {
		o = old.c
	}
	if lossOf(p.lang).Load() > mostLost {
		return nil, fmt.Errorf("treesitter: parse %d bytes of %s: texts that the grammar can't read took %d MiB of memory that can't be had back, so none is parsed any more (start again when the file that does it is closed or changed)",
			len(src), p.lang.name, mostLost>>20)
	}
	limit := patience + time.Duration(len(src))*patiencePerByte
	for wall := limit; ; wall *= 4 {
		var out C.Outcome
		t := C.parse_within(p.c, o, (*C.char)(unsafe.Pointer(unsafe.SliceData(src))), C.uint32_t(len(src)),
			C.uint64_t(wall.Microseconds()), &out)
		runtime.KeepAlive(old)
		if t != nil {
			return newTree(t), nil
		}
		asserted := out.expression != nil
		if asserted {
			p.forget() // nothing may be done with it: its memory is lost
			lossOf(p.lang).Add(lostPerParse + lostPerByte*int64(len(src)))
		} else {
			p.Close()
		}
		if err := p.begin(); err != nil {
			return nil, err
		}
		switch {
		case asserted:
			return nil, fmt.Errorf("treesitter: parse %d bytes of %s: the grammar can't read this text (%s:%d takes for granted that %s)",
				len(src), p.lang.name, C.GoString(out.file), out.line, C.GoString(out.expression))
		case time.Duration(out.used)*time.Microsecond >= limit*9/10 || wall > time.Hour:
			return nil, fmt.Errorf("treesitter: parse %d bytes of %s: given up after %v (the text is broken throughout, or in another language)",
				len(src), p.lang.name, limit)
		}
	}
}

func checkSize(n int) error {
	if n > MaxSource {
		return fmt.Errorf("treesitter: parse %d bytes: texts over %d bytes are not parsed", n, MaxSource)
	}
	return nil
}

// A Tree is the syntax tree of one version of a text, about 30 bytes of C memory
// for each byte of source. It is for one goroutine at a time.
type Tree struct {
	c       *C.TSTree
	cleanup runtime.Cleanup
}

func newTree(c *C.TSTree) *Tree {
	t := &Tree{c: c}
	t.cleanup = runtime.AddCleanup(t, func(c *C.TSTree) { C.ts_tree_delete(c) }, c)
	return t
}

// Close frees the tree. A second call does nothing.
func (t *Tree) Close() {
	if t.c == nil {
		return
	}
	t.cleanup.Stop()
	C.ts_tree_delete(t.c)
	t.c = nil
}

// HasError reports whether any part of the text could not be parsed.
func (t *Tree) HasError() bool {
	defer runtime.KeepAlive(t)
	return bool(C.tree_has_error(t.c))
}

// A Point is a position as tree-sitter counts it: rows from 0, columns in bytes.
type Point struct{ Row, Column uint32 }

// An InputEdit says that the bytes [Start, OldEnd) became [Start, NewEnd).
type InputEdit struct {
	Start, OldEnd, NewEnd                uint32
	StartPoint, OldEndPoint, NewEndPoint Point
}

// Edit moves the nodes of t to where e puts their text, and marks what must be
// parsed again. The tree is a description of the new text only after Parse.
func (t *Tree) Edit(e InputEdit) {
	in := C.TSInputEdit{
		start_byte:    C.uint32_t(e.Start),
		old_end_byte:  C.uint32_t(e.OldEnd),
		new_end_byte:  C.uint32_t(e.NewEnd),
		start_point:   cPoint(e.StartPoint),
		old_end_point: cPoint(e.OldEndPoint),
		new_end_point: cPoint(e.NewEndPoint),
	}
	C.ts_tree_edit(t.c, &in)
	runtime.KeepAlive(t)
}

func cPoint(p Point) C.TSPoint {
	return C.TSPoint{row: C.uint32_t(p.Row), column: C.uint32_t(p.Column)}
}
