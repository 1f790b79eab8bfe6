package treesitter

/*
#include <stdint.h>
#include <stdlib.h>

typedef struct TSLanguage TSLanguage;
extern uint32_t ts_language_symbol_count(const TSLanguage *);
extern const char *ts_language_symbol_name(const TSLanguage *, uint16_t);
extern int ts_language_symbol_type(const TSLanguage *, uint16_t);
extern uint32_t ts_language_field_count(const TSLanguage *);
extern const char *ts_language_field_name_for_id(const TSLanguage *, uint16_t);

extern const TSLanguage *tree_sitter_c(void);
extern const TSLanguage *tree_sitter_c_sharp(void);
extern const TSLanguage *tree_sitter_cpp(void);
extern const TSLanguage *tree_sitter_go(void);
extern const TSLanguage *tree_sitter_java(void);
extern const TSLanguage *tree_sitter_javascript(void);
extern const TSLanguage *tree_sitter_php(void);
extern const TSLanguage *tree_sitter_python(void);
extern const TSLanguage *tree_sitter_rust(void);
extern const TSLanguage *tree_sitter_tsx(void);
extern const TSLanguage *tree_sitter_typescript(void);
*/
import "C"

import (
	"fmt"
	"math"
	"unsafe"

	_ "github.com/smacker/go-tree-sitter/c"                     // tree_sitter_c
	_ "github.com/smacker/go-tree-sitter/cpp"                   // tree_sitter_cpp
	_ "github.com/smacker/go-tree-sitter/csharp"                // tree_sitter_c_sharp
	_ "github.com/smacker/go-tree-sitter/golang"                // tree_sitter_go
	_ "github.com/smacker/go-tree-sitter/java"                  // tree_sitter_java
	_ "github.com/smacker/go-tree-sitter/javascript"            // tree_sitter_javascript
	_ "github.com/smacker/go-tree-sitter/php"                   // tree_sitter_php
	_ "github.com/smacker/go-tree-sitter/python"                // tree_sitter_python
	_ "github.com/smacker/go-tree-sitter/ruby"                  // tree_sitter_ruby
	_ "github.com/smacker/go-tree-sitter/rust"                  // tree_sitter_rust
	_ "github.com/smacker/go-tree-sitter/typescript/tsx"        // tree_sitter_tsx
	_ "github.com/smacker/go-tree-sitter/typescript/typescript" // tree_sitter_typescript
)

// A Language is a grammar as tree-sitter's generator made it.
type Language struct {
	name string
	c    unsafe.Pointer // static data of the grammar's C code
}

// C is the C grammar.
func C() Language { return Language{"c", unsafe.Pointer(C.tree_sitter_c())} }

// CSharp is the C# grammar.
func CSharp() Language { return Language{"csharp", unsafe.Pointer(C.tree_sitter_c_sharp())} }

// Cpp is the C++ grammar.
func Cpp() Language { return Language{"cpp", unsafe.Pointer(C.tree_sitter_cpp())} }

// Go is the Go grammar.
func Go() Language { return Language{"go", unsafe.Pointer(C.tree_sitter_go())} }

// Java is the Java grammar.
func Java() Language { return Language{"java", unsafe.Pointer(C.tree_sitter_java())} }

// JavaScript is the JavaScript grammar, which has JSX.
func JavaScript() Language { return Language{"javascript", unsafe.Pointer(C.tree_sitter_javascript())} }

// PHP is the PHP grammar.
func PHP() Language { return Language{"php", unsafe.Pointer(C.tree_sitter_php())} }

// Python is the Python grammar.
func Python() Language { return Language{"python", unsafe.Pointer(C.tree_sitter_python())} }

// Ruby is the Ruby grammar.
func Ruby() Language { return Language{"ruby", safeRuby()} }

// Rust is the Rust grammar.
func Rust() Language { return Language{"rust", unsafe.Pointer(C.tree_sitter_rust())} }

// TSX is the grammar of TypeScript with JSX, in which <T>x is no type assertion.
func TSX() Language { return Language{"tsx", unsafe.Pointer(C.tree_sitter_tsx())} }

// TypeScript is the TypeScript grammar.
func TypeScript() Language { return Language{"typescript", unsafe.Pointer(C.tree_sitter_typescript())} }

// Kinds that every Grammar has. The types given to NewGrammar count from
// FirstKind, in their order.
const (
	OtherKind uint16 = iota // a named node of a type that the user did not name
	ErrorKind               // text that could not be parsed
	FirstKind
)

// dropKind marks token types that Flatten leaves out.
const dropKind = math.MaxUint16

// A Grammar numbers the node types and fields of a language for its user.
type Grammar struct {
	Language Language
	kinds    []uint16 // by tree-sitter's symbol
	fields   []uint8  // by tree-sitter's field ID
	byLayout bool     // whether trees may be read as they lie in memory
}

// NewGrammar numbers types from FirstKind and fields from 1. A type in double
// quotes, `":="`, is a token, as in tree-sitter's query language; tokens not
// named are left out of flattened trees, nodes not named are OtherKind.
// A name that the language does not have is an error.
func NewGrammar(lang Language, types, fields []string) (*Grammar, error) {
	c := (*C.TSLanguage)(lang.c)
	g := &Grammar{Language: lang}
	wanted := make(map[string]uint16, len(types))
	for i, name := range types {
		wanted[name] = FirstKind + uint16(i)
	}
	found := make(map[string]bool)
	for s := range uint16(C.ts_language_symbol_count(c)) {
		name := C.GoString(C.ts_language_symbol_name(c, C.uint16_t(s)))
		kind := OtherKind
		if C.ts_language_symbol_type(c, C.uint16_t(s)) != 0 {
			name, kind = `"`+name+`"`, dropKind
		}
		if k, ok := wanted[name]; ok {
			kind, found[name] = k, true
		}
		g.kinds = append(g.kinds, kind)
	}
	numbers := make(map[string]uint8, len(fields))
	for i, name := range fields {
		numbers[name] = uint8(i + 1)
	}
	g.fields = make([]uint8, C.ts_language_field_count(c)+1)
	for id := 1; id < len(g.fields); id++ {
		name := C.GoString(C.ts_language_field_name_for_id(c, C.uint16_t(id)))
		g.fields[id] = numbers[name]
		found[name] = true
	}
	for _, name := range append(append([]string(nil), types...), fields...) {
		if !found[name] {
			return nil, fmt.Errorf("treesitter: grammar %s has no type or field %s", lang.name, name)
		}
	}
	g.byLayout = g.agrees()
	return g, nil
}

// MustGrammar is NewGrammar for names fixed in the source; it panics where
// NewGrammar returns an error.
func MustGrammar(lang Language, types, fields []string) *Grammar {
	g, err := NewGrammar(lang, types, fields)
	if err != nil {
		panic(err)
	}
	return g
}
